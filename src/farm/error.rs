//! Why the farm cannot do what it was asked.

use crate::nats::ConnectError;

/// Why the farm cannot do what it was asked. Each is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FarmError {
    /// There is no way to the server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A stream or bucket of that name is somebody else's.
    #[error(
        "{name} is there with other settings ({found}, want {want}); choose another name with --farm"
    )]
    Foreign {
        /// The stream.
        name: String,
        /// What it has.
        found: String,
        /// What the farm needs.
        want: String,
    },
    /// The server answers with an error, or not at all.
    #[error("{what}: {reason}")]
    Server {
        /// What was asked.
        what: &'static str,
        /// What came.
        reason: String,
    },
    /// No such job.
    #[error("no job '{0}' on this farm; `gammond farm status` lists them")]
    NoJob(String),
    /// A newer gammond wrote this.
    #[error("{what} has format {found}, this gammond reads {own}: another version wrote it")]
    Newer {
        /// What.
        what: String,
        /// Its format.
        found: u64,
        /// Ours.
        own: u64,
    },
    /// Another version wrote this, and this one cannot read it.
    #[error("it is of gammond {found}, this is {own}")]
    Version {
        /// Theirs.
        found: String,
        /// Ours.
        own: String,
    },
    /// Something that is no message of the farm's.
    #[error("{0} is no message of a farm")]
    NotOurs(String),
    /// A file that a job needs.
    #[error("{file}: {reason}")]
    File {
        /// Which.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl FarmError {
    /// What the server says when it is asked for `what`.
    pub(super) fn server(what: &'static str) -> impl Fn(String) -> FarmError {
        move |mut reason| {
            // Its own words for a full disk, or more than it may keep.
            let full = ["no space left", "insufficient", "creating store"];
            if full.iter().any(|words| reason.contains(words)) {
                reason.push_str("; the server's disk is full, or what it may keep of it");
            }
            FarmError::Server { what, reason }
        }
    }

    /// Something about a file.
    pub(super) fn file(file: impl ToString) -> impl Fn(std::io::Error) -> FarmError {
        let file = file.to_string();
        move |error| FarmError::File {
            file: file.clone(),
            reason: error.to_string(),
        }
    }
}
