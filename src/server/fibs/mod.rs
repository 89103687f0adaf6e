//! The FIBS bot: socket, clock and engine for [`gammond_protocol::fibs`].

pub mod config;
mod decide;
mod keep;
pub mod link;
pub mod state;

pub use config::{FibsConfig, FibsError, MatchArchiver, Secret, StateError};
pub use decide::answer;
pub use link::play;
