//! The FIBS bot: the socket, the clock and the engine that [`gammond_protocol::fibs`] has not got.

pub mod config;
mod decide;
mod keep;
pub mod link;
pub mod state;

pub use config::{FibsConfig, FibsError, Filing, Secret, StateError};
pub use decide::answer;
pub use link::play;
