//! Why a command ends without having done its work, and with which exit code.

use crate::engine::EngineError;
use crate::job::JobError;
use crate::journal::JournalError;
use crate::player::PlayerError;
use std::process::ExitCode;

/// Why a command ends without having done its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments make no sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// A file is missing or damaged: exit code 3.
    #[error("{0}")]
    File(String),
    /// The work itself failed: exit code 1.
    #[error("{0}")]
    Work(String),
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Failure::File(error.to_string())
    }
}

impl<E: std::error::Error + Into<Failure> + 'static> From<JobError<E>> for Failure {
    fn from(error: JobError<E>) -> Self {
        match error {
            JobError::Work(error) => error.into(),
            JobError::Endless => Failure::Usage(error.to_string()),
            other => Failure::File(other.to_string()),
        }
    }
}

impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Spec { .. } => Failure::Usage(error.to_string()),
            PlayerError::Engine(error) => error.into(),
            other => Failure::Work(other.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::File { .. } => Failure::File(error.to_string()),
            other => Failure::Work(other.to_string()),
        }
    }
}

impl Failure {
    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Work(_) => 1,
            Failure::Usage(_) => 2,
            Failure::File(_) => 3,
        })
    }
}
