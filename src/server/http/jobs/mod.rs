//! Long work as a resource (HTTP-50 to HTTP-55): a job is posted, computed through the queues of all other requests,
//! watched by its progress and kept for some time. With a folder it survives a restart.

mod paths;
mod run;
mod store;
mod table;
mod watch;

pub(super) use paths::{KEY_LENGTH_MAX, WAIT_SECONDS_MAX, fresh, only_get, only_post, routes};
pub(in crate::http) use table::{Jobs, random_id};

use super::problem::Problem;
use crate::core::fair_queue::Origin;
use axum::body::Bytes;
use gammond_base::journal::JournalError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Rules of the jobs of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobLimits {
    /// Folder where jobs are kept; without one they end with the server.
    pub folder: Option<PathBuf>,
    /// Time for which a finished job is kept.
    pub keep: Duration,
    /// Maximum number of jobs, finished ones included.
    pub jobs_max: usize,
    /// Maximum number of jobs of one client, finished ones included.
    pub jobs_per_client_max: usize,
    /// Maximum size in bytes of the requests and results of all jobs.
    pub bytes_max: usize,
    /// Maximum number of jobs that are computed or wait for the workers at a time.
    pub running_max: usize,
    /// Maximum number of clients that wait for a job at a time, by events or `wait`.
    pub watchers_max: usize,
}

impl Default for JobLimits {
    fn default() -> Self {
        JobLimits {
            folder: None,
            keep: Duration::from_secs(24 * 60 * 60),
            jobs_max: 1000,
            jobs_per_client_max: 100,
            bytes_max: 256 << 20,
            running_max: 4,
            watchers_max: 16,
        }
    }
}

/// An error while opening the folder of the jobs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobsError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] JournalError),
    /// The folder cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}

/// Kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Rollout,
    Analyse,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Rollout, Kind::Analyse];

    const fn name(self) -> &'static str {
        match self {
            Kind::Rollout => "rollout",
            Kind::Analyse => "analyse",
        }
    }
}

/// The request of a job, and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Meta {
    id: String,
    owner: String,
    kind: Kind,
    /// The words behind the verb.
    words: String,
    /// Unix time in seconds.
    created: u64,
    /// Sizes in bytes of the files in the input, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<usize>,
    /// True if the analysis is filed in the archive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    archive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<RequestKey>,
}

/// The `Idempotency-Key` of a request, and a checksum of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RequestKey {
    key: String,
    request: String,
}

/// A request for a job.
#[derive(Debug)]
struct NewJob {
    owner: String,
    origin: Origin,
    kind: Kind,
    words: String,
    /// The match files, one behind the other.
    input: Bytes,
    files: Vec<usize>,
    archive: bool,
    /// The `Idempotency-Key`.
    key: Option<String>,
}

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Queued,
    Running,
    Done,
    Failed,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    /// Unix time in seconds.
    finished: u64,
    /// Code and message of the error of a failed job.
    error: Option<(String, String)>,
    /// Sizes in bytes of the reports, in the order of [`super::matches::job_forms`].
    sizes: Vec<usize>,
    /// Number of matches of the job in the archive, if it was to be filed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived: Option<usize>,
}

impl Ended {
    fn problem(&self) -> Option<Problem> {
        let (code, message) = self.error.as_ref()?;
        Some(Problem::new(Problem::code_of(code), message.as_str()))
    }
}

/// State of a job as its watchers see it.
#[derive(Clone, Debug)]
struct View {
    state: State,
    /// Number of changes so far, the id of the event.
    number: u64,
    /// The last line of progress, with its line end.
    progress: Option<Bytes>,
    ended: Option<Arc<Ended>>,
}
