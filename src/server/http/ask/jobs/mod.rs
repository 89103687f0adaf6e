//! Long work as a resource (HTTP-50 to HTTP-55): a job is posted, computed through the queues of all other requests,
//! watched by its progress and kept for some time. With a folder it survives a restart.

pub(in crate::http) mod job;
mod run;
mod store;
mod table;

pub(in crate::http) use table::Jobs;

use crate::core::fair_queue::Origin;
use crate::http::wire::problem::Problem;
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
pub(in crate::http) enum JobKind {
    Rollout,
    Analyse,
}

impl JobKind {
    pub(in crate::http) const ALL: [JobKind; 2] = [JobKind::Rollout, JobKind::Analyse];

    pub(in crate::http) const fn name(self) -> &'static str {
        match self {
            JobKind::Rollout => "rollout",
            JobKind::Analyse => "analyse",
        }
    }
}

/// The request of a job, and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::http) struct Meta {
    pub(in crate::http) id: String,
    pub(in crate::http) owner: String,
    pub(in crate::http) kind: JobKind,
    /// The words behind the verb.
    pub(in crate::http) words: String,
    /// Unix time in seconds.
    pub(in crate::http) created: u64,
    /// Sizes in bytes of the files in the input, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::http) files: Vec<usize>,
    /// True if the analysis is filed in the archive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::http) archive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::http) key: Option<RequestKey>,
}

/// The `Idempotency-Key` of a request, and a checksum of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::http) struct RequestKey {
    pub(in crate::http) key: String,
    pub(in crate::http) request: String,
}

/// A request for a job.
#[derive(Debug)]
pub(in crate::http) struct NewJob {
    pub(in crate::http) owner: String,
    pub(in crate::http) origin: Origin,
    pub(in crate::http) kind: JobKind,
    pub(in crate::http) words: String,
    /// The match files, one behind the other.
    pub(in crate::http) input: Bytes,
    pub(in crate::http) files: Vec<usize>,
    pub(in crate::http) archive: bool,
    /// The `Idempotency-Key`.
    pub(in crate::http) key: Option<String>,
}

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::http) enum JobState {
    Queued,
    Running,
    Done,
    Failed,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::http) struct Ended {
    /// Unix time in seconds.
    pub(in crate::http) finished: u64,
    /// Code and message of the error of a failed job.
    pub(in crate::http) error: Option<(String, String)>,
    /// Sizes in bytes of the reports, in the order of [`crate::http::paths::matches::job_forms`].
    pub(in crate::http) sizes: Vec<usize>,
    /// Number of matches of the job in the archive, if it was to be filed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::http) archived: Option<usize>,
}

impl Ended {
    pub(in crate::http) fn problem(&self) -> Option<Problem> {
        let (code, message) = self.error.as_ref()?;
        Some(Problem::new(Problem::code_of(code), message.as_str()))
    }
}

/// State of a job as its watchers see it.
#[derive(Clone, Debug)]
pub(in crate::http) struct View {
    pub(in crate::http) state: JobState,
    /// Number of changes so far, the id of the event.
    pub(in crate::http) number: u64,
    /// The last line of progress, with its line end.
    pub(in crate::http) progress: Option<Bytes>,
    pub(in crate::http) ended: Option<Arc<Ended>>,
}
