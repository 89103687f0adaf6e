//! The FIBS bot: socket, clock and engine for [`gammond_protocol::fibs`].

mod answer;
pub mod config;
mod keep;
pub mod link;
pub mod state;

pub use crate::bot::{Secret, SecretError};
pub use answer::answer;
pub use config::{FibsConfig, FibsError, MatchArchiver, StateError};
pub use link::play;
