//! Settings of a worker, and the faults that tests inject.

use super::files::FileCache;
use std::time::Duration;

/// Settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Name of the machine; instances with the same name count as one machine.
    pub name: String,
    /// Number of messages computed concurrently.
    pub jobs: usize,
    /// Number of computing threads, for the status.
    pub threads: usize,
    /// True if it computes only while the machine is otherwise idle.
    pub idle_only: bool,
    /// Cache of the jobs' files.
    pub cache: FileCache,
    /// Idle time after which the worker ends; `None` for never.
    pub idle_timeout: Option<Duration>,
    /// Fault to inject, for tests.
    pub fault: Option<InjectedFault>,
}

/// A fault of a worker, for tests.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InjectedFault {
    /// Flips one bit of every answer.
    Lies,
    /// Drops this percentage of the deliveries.
    Drops(u32),
    /// Pretends to be another version.
    Version(String),
    /// Fails on batches of this number.
    Fails(u64),
}
