//! Support for long jobs and safe file access: files from outside, journals that survive a kill, random streams,
//! statistics, a stop token. Independent of backgammon.

pub mod checksum;
pub mod closest;
pub mod days;
pub mod escape;
pub mod files;
pub mod handles;
pub mod journal;
pub mod lines;
pub mod packed;
pub mod platform;
pub mod rng;
pub mod stats;
pub mod stop;
#[cfg(feature = "toml")]
pub mod toml;
