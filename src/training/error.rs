//! Why a training run stops.

use crate::engine::EngineError;
use crate::eval::own::OwnNetError;
use crate::job::JobError;
use crate::journal::JournalError;
use crate::nn::IntegerNetError;
use std::path::{Path, PathBuf};

/// Why a run stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file of the run cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The labels cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The labels cannot be made.
    #[error(transparent)]
    Job(#[from] JobError<EngineError>),
    /// A net cannot be rounded to integers.
    #[error("net: {0}")]
    Quantise(#[from] IntegerNetError),
    /// A net made of it cannot be used.
    #[error(transparent)]
    Net(#[from] OwnNetError),
    /// The engine that looks deeper.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The TOML file.
    #[error("{path}: {reason}")]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong, on one line.
        reason: String,
    },
}

pub(super) fn in_file(path: &Path) -> impl Fn(std::io::Error) -> RunError {
    move |source| RunError::File {
        path: path.to_owned(),
        source,
    }
}
