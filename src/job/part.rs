//! The trait of a job that consists of numbered parts.

use super::{Header, Progress};
use gammond_base::stop::Stop;

/// A long piece of work.
pub trait Job: Sync {
    /// Sum of the parts.
    type Sum;
    /// Error while computing a part.
    type Error: std::error::Error + Send + 'static;

    /// Returns everything that determines the parts. The number of wanted parts is not in it, so a job can be made
    /// longer later.
    fn header(&self) -> Header;

    /// Returns the sum of no parts.
    fn start(&self) -> Self::Sum;

    /// Returns the maximum number of parts; `None` when only [`Job::is_done`] ends the job.
    fn parts(&self) -> Option<u64>;

    /// Computes a part: a pure function of the header and the number. `None` only when `stop` was
    /// triggered before the end.
    ///
    /// # Errors
    /// What went wrong; the job ends with it.
    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Adds a part to the sum. Parts come in the order of their numbers, each once.
    ///
    /// # Errors
    /// When the bytes are not made by [`Job::part`].
    fn merge(&self, sum: &mut Self::Sum, number: u64, bytes: &[u8]) -> Result<(), BadPart>;

    /// Returns true if the sum is sufficient. Checked after every part, so it does not depend on the threads.
    fn is_done(&self, _: &Self::Sum) -> bool {
        false
    }

    /// Returns the progress of the job after `parts` parts.
    fn progress(&self, sum: &Self::Sum, parts: u64) -> Progress;
}

/// The bytes of a part that the job cannot have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part that the job does not make")]
pub struct BadPart;
