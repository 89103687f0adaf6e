//! Reasons why a command ends without having done its work, and the exit code.

use gammond_arena::player::PlayerError;
use gammond_base::journal::JournalError;
use gammond_engine::engine::EngineError;
use gammond_game::ActRefusal;
use gammond_job::JobError;
use gammond_train::training::RunError;
use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Cause of a failure: an error of a crate below, or a sentence.
type Cause = Box<dyn Error + Send + Sync>;

/// An error that ends a command. Its message is one line; the cause is kept as its source.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments make no sense: exit code 2.
    #[error(transparent)]
    Usage(Cause),
    /// A file is missing or damaged: exit code 3.
    #[error(transparent)]
    File(Cause),
    /// The work itself failed: exit code 1.
    #[error(transparent)]
    Work(Cause),
}

/// A file, or another named thing, and its error.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
struct NamedError {
    name: String,
    source: Cause,
}

impl Failure {
    /// Exit code after a missing or damaged file.
    pub(crate) const FILE: u8 = 3;

    pub(crate) fn usage(cause: impl Into<Cause>) -> Failure {
        Failure::Usage(cause.into())
    }

    pub(crate) fn file(cause: impl Into<Cause>) -> Failure {
        Failure::File(cause.into())
    }

    pub(crate) fn work(cause: impl Into<Cause>) -> Failure {
        Failure::Work(cause.into())
    }

    /// Returns a function that turns a cause into the failure of this file.
    pub(crate) fn in_file<C: Into<Cause>>(path: impl AsRef<Path>) -> impl Fn(C) -> Failure {
        let path: PathBuf = path.as_ref().to_owned();
        move |cause| Failure::file(within(path.display(), cause))
    }

    /// Returns a function that turns a cause into the failure to write this file completely.
    pub(crate) fn unwritten<C: Into<Cause>>(path: impl AsRef<Path>) -> impl Fn(C) -> Failure {
        let path: PathBuf = path.as_ref().to_owned();
        move |cause| Failure::work(within(path.display(), cause))
    }

    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Work(_) => 1,
            Failure::Usage(_) => 2,
            Failure::File(_) => Failure::FILE,
        })
    }
}

/// Returns an error with the name of its subject in front.
pub(crate) fn within(
    name: impl std::fmt::Display,
    cause: impl Into<Cause>,
) -> impl Error + Send + Sync + 'static {
    NamedError {
        name: name.to_string(),
        source: cause.into(),
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Failure::file(error)
    }
}

impl<E: Error + Into<Failure> + Send + Sync + 'static> From<JobError<E>> for Failure {
    fn from(error: JobError<E>) -> Self {
        match error {
            JobError::Work(error) => error.into(),
            JobError::Endless => Failure::usage(error),
            JobError::RemoteExecutor(error) => Failure::work(error),
            other => Failure::file(other),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Journal(error) => error.into(),
            RunError::Job(error) => error.into(),
            RunError::Engine(error) => error.into(),
            RunError::File { ref source, .. } if source.kind() == ErrorKind::StorageFull => {
                Failure::work(error)
            }
            RunError::File { .. } | RunError::Toml { .. } | RunError::Plan { .. } => {
                Failure::file(error)
            }
            other => Failure::work(other),
        }
    }
}

impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Spec { .. } => Failure::usage(error),
            PlayerError::File { .. } => Failure::file(error),
            PlayerError::Engine(error) => error.into(),
            other => Failure::work(other),
        }
    }
}

impl From<ActRefusal> for Failure {
    fn from(refusal: ActRefusal) -> Self {
        Failure::work(refusal)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::File { .. } => Failure::file(error),
            other => Failure::work(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_one_line_and_the_cause_is_kept() {
        let cause = std::io::Error::from(std::io::ErrorKind::NotFound);
        let failure = Failure::in_file("a.bm")(cause);
        assert_eq!(failure.to_string(), "a.bm: entity not found");
        let source = failure.source().unwrap();
        let kind = source.downcast_ref::<std::io::Error>().map(|e| e.kind());
        assert_eq!(kind, Some(std::io::ErrorKind::NotFound));
        assert_eq!(Failure::usage("so").to_string(), "so");
    }
}
