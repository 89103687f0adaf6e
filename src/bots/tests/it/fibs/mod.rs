//! The FIBS bot: recorded transcripts, and whole matches against the server of `fibs_server`.
//!
//! Matches are played in simulated time: the machine gets its bytes and its clock from the test,
//! so a night of play takes seconds and a seed repeats it. `GAMMOND_FIBS_MATCHES` plays more of
//! them, `GAMMOND_FIBS_SOAK_MINUTES` plays for so long with all faults on (`tools/fibs-soak.sh`),
//! `GAMMOND_FIBS_SEED` sets where these begin, `GAMMOND_FIBS_TRACE` shows what goes over the wire.

use crate::fibs_server::{Faults, Server, Style, connection};
use crate::support::{lines, shared};
use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_bots::fibs::{
    Answer, Ask, By, Event, LineReader, Machine, MatchEnd, MatchRecord, MatchTerms, Message,
    Output, Piece, Policy, Timing, Who, name_line,
};
use gammond_bots::fibs::{FibsConfig, MatchArchiver, Secret, answer, play};
use gammond_engine::engine::Engine;
use gammond_engine::query::{Settings, Stop};
use gammond_game::Roll;
use gammond_game::notation::{BoardDialect, MatchFile};
use std::sync::OnceLock;

mod breaks;
mod foreign;
mod late;
mod link;
mod machine;
mod matches;
mod others;
mod servers;
mod states;
mod words;
mod world;
