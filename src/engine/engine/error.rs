//! Errors of building an engine and of answering a query.

use crate::bearoff::BearoffError;
use crate::eval::gnubg::GnubgError;
use crate::eval::nets::NetError;
use crate::eval::puretd::PureTdError;
use crate::pool::PoolError;
use crate::rollout::RolloutError;
use gammond_game::{PositionError, Variant};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The most compute threads of an engine.
pub const THREADS_MAX: usize = 512;
/// Maximum size of the cache of static evaluations in megabytes.
pub const CACHE_MB_MAX: usize = if usize::BITS > 32 { 16_384 } else { 1024 };

/// An error while building an engine or answering a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A needed file is missing or damaged.
    #[error("{}", Named(path, source))]
    File {
        /// The requested file or folder.
        path: PathBuf,
        /// The error in it.
        source: FileError,
    },
    /// The system gives no threads.
    #[error("cannot start the compute threads: {0}")]
    Threads(#[source] PoolError),
    /// More threads than any machine needs.
    #[error("threads are {0}, at most {THREADS_MAX}")]
    ThreadCount(usize),
    /// A larger cache than any machine needs.
    #[error("the cache is {0} MB, at most {CACHE_MB_MAX}")]
    CacheSize(usize),
    /// A time budget in an engine without a clock.
    #[error(
        "a time budget needs a clock, and this engine has none: `EngineBuilder::clock` sets one"
    )]
    NoClock,
    /// A variant that needs a table which the engine does not have.
    #[error(
        "{} needs its table: gammond bearoff make --hyper {}", .0.word(), .0.checkers()
    )]
    NoTable(Variant),
    /// A position that the variant does not have.
    #[error("position has {0}")]
    Position(PositionError),
    /// A rollout that cannot be.
    #[error(transparent)]
    Rollout(RolloutError),
    /// The query was stopped before any answer was ready.
    #[error("stopped")]
    Stopped,
}

/// An error in a file that an engine needs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file can no longer be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// Nets of ours.
    #[error("{0}")]
    Nets(#[from] NetError),
    /// GNU Backgammon's weights.
    #[error("{0}")]
    Weights(#[from] GnubgError),
    /// A net of PureTD's.
    #[error("{0}")]
    PureTd(#[from] PureTdError),
    /// A bearoff database.
    #[error("{0}")]
    Bearoff(#[from] BearoffError),
    /// Float weights, which no evaluator uses as they are.
    #[error(
        "float weights of a training run; convert them to a net file first: \
         gammond net quantise IN.safetensors OUT.net --class contact"
    )]
    Float,
    /// An error of nets of a kind that a [`NetOpener`](super::NetOpener) opens.
    #[error("{0}")]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl EngineError {
    /// Returns a function that turns a cause into the error of that file.
    pub(super) fn in_file<E: Into<FileError>>(path: &Path) -> impl Fn(E) -> EngineError {
        move |error| EngineError::File {
            path: path.to_owned(),
            source: error.into(),
        }
    }
}

/// An error behind the file's name; some modules below name it themselves where they read it.
struct Named<'a>(&'a Path, &'a FileError);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (path, text) = (self.0.display().to_string(), self.1.to_string());
        match text.strip_prefix(&path) {
            Some(rest) if rest.starts_with(": ") => f.write_str(&text),
            _ => write!(f, "{path}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Engine, Nets};
    use std::error::Error as _;

    /// The file's name stands in front once, and the system's error is kept.
    #[test]
    fn a_missing_file_is_named_once_and_its_cause_is_kept() {
        let build = |nets: &str| Engine::builder().nets(Nets::Path(nets.into())).build();
        for nets in ["nosuch.net", "nosuch.wd"] {
            let error = build(nets).unwrap_err();
            let text = error.to_string();
            assert_eq!(text.matches("nosuch").count(), 1, "{text}");
            let mut cause = error.source();
            let mut kind = None;
            while let Some(error) = cause {
                kind = kind.or(error.downcast_ref::<std::io::Error>().map(|e| e.kind()));
                cause = error.source();
            }
            assert_eq!(kind, Some(std::io::ErrorKind::NotFound), "{text}");
        }
        // Float weights are recognised by their contents, not by their name.
        let file = tempfile::NamedTempFile::with_suffix(".net").unwrap();
        std::fs::write(&file, b"\x02\0\0\0\0\0\0\0{}").unwrap();
        let float = build(file.path().to_str().unwrap())
            .unwrap_err()
            .to_string();
        assert!(float.contains(".net: float weights"), "{float}");
    }
}
