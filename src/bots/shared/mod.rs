//! Shared parts of the bots: the record of a match as it is played, decisions within a time limit, passwords, match files.

mod decide;
mod match_file;
pub mod record;
mod secret;
mod stop_requests;

pub(crate) use decide::DecisionMaker;
pub(crate) use match_file::{check_match_folder, unix_seconds};
pub use match_file::{date, write_match};
pub use record::{MatchEnd, MatchRecord};
pub use secret::{Secret, SecretError};
pub(crate) use stop_requests::block_on;
pub use stop_requests::{StopRequester, StopRequests, stop_requests};
