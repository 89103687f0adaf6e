//! The bgammon bot: socket, clock and engine for [`gammond_protocol::bgammon`].

mod answer;
mod config;
mod connection;
mod link;

pub use answer::answer;
pub use config::{BgammonConfig, BgammonError};
pub use link::play;
