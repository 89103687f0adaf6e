//! Errors of the farm.

use crate::nats::ConnectError;

/// An error of the farm. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FarmError {
    /// The connection to the server failed.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A stream or bucket of that name exists with other settings.
    #[error(
        "{name} is there with other settings ({found}, expected {want}); choose another name with --farm"
    )]
    Foreign {
        /// Name of the stream or bucket.
        name: String,
        /// Settings found.
        found: String,
        /// Settings that the farm needs.
        want: String,
    },
    /// The server answers with an error, or not at all.
    #[error("{what}: {reason}")]
    Server {
        /// Operation that failed.
        what: &'static str,
        /// Reason of the failure.
        reason: String,
    },
    /// The farm has no such job.
    #[error("no job '{0}' on this farm; `gammond farm status` lists them")]
    NoJob(String),
    /// The data was written by a newer gammond.
    #[error("{what} has format {found}, this gammond reads {own}: another version wrote it")]
    Newer {
        /// Name of the item.
        what: String,
        /// Format found.
        found: u64,
        /// Format that this program reads.
        own: u64,
    },
    /// Another version wrote this, and this one cannot read it.
    #[error("it is of gammond {found}, this is {own}")]
    Version {
        /// Version found.
        found: String,
        /// Version of this program.
        own: String,
    },
    /// The data is no message of a farm.
    #[error("{0} is no message of a farm")]
    NotOurs(String),
    /// A file of a job cannot be used.
    #[error("{file}: {reason}")]
    File {
        /// Path of the file.
        file: String,
        /// Reason of the failure.
        reason: String,
    },
    /// Any other error.
    #[error("{0}")]
    Other(String),
}

impl FarmError {
    /// Returns a converter from reasons to [`FarmError::Server`] for the operation `what`.
    pub(super) fn server(what: &'static str) -> impl Fn(String) -> FarmError {
        move |mut reason| {
            // Its own words for a full disk, or more than it may keep.
            let full = ["no space left", "insufficient", "creating store"];
            if full.iter().any(|words| reason.contains(words)) {
                reason.push_str("; the server's disk is full, or its storage limit is reached");
            }
            FarmError::Server { what, reason }
        }
    }

    /// Returns a converter from I/O errors to [`FarmError::File`].
    pub(super) fn file(file: impl ToString) -> impl Fn(std::io::Error) -> FarmError {
        let file = file.to_string();
        move |error| FarmError::File {
            file: file.clone(),
            reason: error.to_string(),
        }
    }
}
