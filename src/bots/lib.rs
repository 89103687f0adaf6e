//! Bots for playing servers: one for FIBS and one for bgammon servers.
//!
//! Of each, `machine` is the bot without I/O: bytes and times in, commands and questions out. The link around it is the
//! socket, the clock and the engine. [`shared`] is what both bots need.
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

pub mod bgammon;
pub mod fibs;
pub mod shared;
