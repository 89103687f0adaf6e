//! One file a subcommand.

pub(super) mod analyse;
mod ask;
pub(super) mod bearoff;
mod bearoff_hyper;
mod bearoff_score;
pub(super) mod bench;
mod bench_depths;
mod bench_files;
mod bench_regret;
mod bench_values;
pub(super) mod bgammon;
mod bot;
pub(super) mod completions;
pub(super) mod config;
pub(super) mod doctor;
pub(super) mod duel;
#[cfg(feature = "farm")]
pub(super) mod farm;
#[cfg(feature = "farm")]
mod farm_demo;
#[cfg(feature = "farm")]
mod farm_jobs;
#[cfg(not(feature = "farm"))]
pub(super) mod farm_missing;
pub(super) mod fibs;
pub(super) mod gate;
pub(super) mod gnubg;
mod hand_cube;
mod hand_match;
pub(super) mod health;
pub(super) mod interactive;
pub(super) mod lab;
pub(super) mod label;
pub(super) mod league;
pub(super) mod link_gnubg;
pub(super) mod man;
pub(super) mod mcp;
#[cfg(feature = "farm")]
mod nats_options;
pub(super) mod net;
pub(super) mod open;
pub(super) mod page;
pub(super) mod perf;
pub(super) mod perft;
pub(super) mod pipe;
pub(super) mod players;
pub(super) mod rollout;
pub(super) mod sample;
pub(super) mod serve;
pub(super) mod show;
pub(super) mod signature;
mod signing;
pub(super) mod tournament;
pub(super) mod train;
mod train_words;
pub(super) mod ubgi;

#[cfg(not(feature = "farm"))]
pub(super) use farm_missing as farm;

pub(super) use ask::{convert, cube, cubes, eval, explain, opening, play, reply, rolls, scores};
