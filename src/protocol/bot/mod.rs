//! Shared parts of the bots: the record of a match as it is played.

pub mod record;

pub use record::{MatchEnd, MatchRecord};
