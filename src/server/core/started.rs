//! A job that has begun, as its worker, its lease and the schedule share it.

use crate::core::fair_queue::{JobRank, Lane};
use gammond_engine::query::Stop;
use std::sync::atomic::{AtomicBool, Ordering};

/// A job that has begun.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) lane: Lane,
    /// Place of the job in its lane.
    pub(crate) rank: JobRank,
    /// Stop token of the job: triggered together with its client's, or alone by a time limit.
    pub(crate) stop: Stop,
    /// Number of the engine that it computes on.
    pub(crate) engine: usize,
    /// Size in bytes of a match in the job.
    pub(crate) weight: usize,
    /// True if its processor time has no limit of its own.
    pub(crate) unlimited: bool,
    /// True if a limit of processor time has ended the job.
    pub(crate) spent: AtomicBool,
    pub(crate) done: AtomicBool,
}

impl Started {
    /// Returns true if a limit of processor time has ended the job.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::SeqCst)
    }

    /// Ends the job because it has used its processor time.
    pub(crate) fn end(&self) {
        self.spent.store(true, Ordering::SeqCst);
        self.stop.trigger();
    }
}
