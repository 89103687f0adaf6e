//! Rollouts: a position is played on many times and the results are counted.
//!
//! [`Rollout`] keeps the results so far and can be resumed: [`Rollout::run`] plays games up to a number, and the same
//! games are played, with the same bits in the end, for any number of threads and however the run is divided, because
//! a game depends on its number alone (`dice`) and results are added in the order of the numbers (`tally`). Rules
//! RO-01 to RO-07 of `protocol-specs/rollouts.md`: `plan` holds the starts of the games, `trial` plays one game
//! (RO-03, RO-04, RO-05) and takes the luck out of it (RO-06); stopping is RO-07.

mod dice;
mod plan;
mod tally;
mod trial;

pub use plan::Rollout;
pub use tally::ROUND;

use crate::search::Stopped;

/// An error of a rollout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// A setting cannot be.
    #[error("{field} is {found}, expected {want}")]
    Setting {
        /// Its name.
        field: &'static str,
        /// Value that was given.
        found: String,
        /// Valid values.
        want: String,
    },
    /// The game is over, or the question is impossible.
    #[error("{0}")]
    Question(&'static str),
    /// The cube may not be turned, so there is no decision to roll out.
    #[error("{0}, so there is no cube decision")]
    Cube(&'static str),
    /// The rollout was stopped before any result.
    #[error("stopped")]
    Stopped,
}

impl From<Stopped> for RolloutError {
    fn from(Stopped: Stopped) -> RolloutError {
        RolloutError::Stopped
    }
}
