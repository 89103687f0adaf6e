//! The error of a job that ends early.

use super::{Difference, RemoteError};
use gammond_base::journal::JournalError;
use std::path::{Path, PathBuf};

/// An error that ends a job early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError<E: std::error::Error + 'static> {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal belongs to a job with other settings.
    #[error("{}: {difference}", path.display())]
    Changed {
        /// The journal.
        path: PathBuf,
        /// The setting that differs.
        difference: Difference,
    },
    /// A part of the journal, or one that was computed elsewhere, does not belong to this job, though its header and
    /// checksums are right.
    #[error("{}part {number} is not one of this job's", before(path))]
    Part {
        /// The journal; empty without one.
        path: PathBuf,
        /// The part.
        number: u64,
    },
    /// A share of a job that has no fixed number of parts.
    #[error(
        "only a job with a fixed number of parts can be divided; leave out the rule that ends it early"
    )]
    Endless,
    /// The machines that compute the parts failed, or those that ordered them.
    #[error(transparent)]
    RemoteExecutor(#[from] RemoteError),
    /// Computing a part.
    #[error(transparent)]
    Work(E),
}

/// Returns the file that a message begins with, if there is one.
fn before(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        String::new()
    } else {
        format!("{}: ", path.display())
    }
}
