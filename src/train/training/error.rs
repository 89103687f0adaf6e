//! Errors of training runs.

use super::limits::Checked;
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_base::journal::JournalError;
use gammond_base::toml::{TomlFault, parse_toml};
use gammond_engine::engine::EngineError;
use gammond_engine::eval::nets::NetError;
use gammond_engine::nn::IntegerNetError;
use gammond_job::JobError;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// An error that ends a training run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file of the run cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
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
    Net(#[from] NetError),
    /// The engine that looks deeper.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The text of a TOML file.
    #[error("{path}: {source}")]
    Toml {
        /// The file.
        path: PathBuf,
        /// Description of the fault, with its place.
        source: TomlFault,
    },
    /// A fault in the contents of a plan.
    #[error("{path}: {reason}")]
    Plan {
        /// The file.
        path: PathBuf,
        /// Description of the fault, on one line.
        reason: String,
    },
}

/// Reads a TOML file.
///
/// # Errors
/// [`RunError::File`], [`RunError::Toml`], or [`RunError::Plan`] when a number is beyond its limits.
pub fn read_toml<T: DeserializeOwned + Checked>(path: &Path) -> Result<T, RunError> {
    let text = files::read_text(path, TEXT_BYTES_MAX).map_err(in_file(path))?;
    plan_in(&text, path)
}

/// Returns the plan in a text, which errors call `path`.
///
/// # Errors
/// As [`read_toml`].
pub(crate) fn plan_in<T: DeserializeOwned + Checked>(
    text: &str,
    path: &Path,
) -> Result<T, RunError> {
    let plan: T = parse_toml(text).map_err(|source| RunError::Toml {
        path: path.to_owned(),
        source,
    })?;
    match plan.fault() {
        None => Ok(plan),
        Some(reason) => Err(RunError::Plan {
            path: path.to_owned(),
            reason,
        }),
    }
}

pub(super) fn in_file(path: &Path) -> impl Fn(std::io::Error) -> RunError {
    move |source| RunError::File {
        path: path.to_owned(),
        source,
    }
}
