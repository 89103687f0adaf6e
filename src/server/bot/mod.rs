//! Shared parts of the bots: decisions within a time limit, passwords, match files.

mod decide;
mod match_file;
mod secret;

pub(crate) use decide::DecisionMaker;
pub(crate) use match_file::unix_seconds;
pub use match_file::{date, write_match};
pub use secret::{Secret, SecretError};
