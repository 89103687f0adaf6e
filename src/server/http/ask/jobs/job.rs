//! One job: its request, its state as its watchers see it, and its files and reports in memory.

use crate::core::fair_queue::Origin;
use crate::http::ask::jobs::{Ended, JobState, Meta, View};
use axum::body::Bytes;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A job.
#[derive(Debug)]
pub(in crate::http) struct Job {
    pub(in crate::http) meta: Meta,
    /// The client whose limits the job counts against.
    pub(in crate::http) origin: Origin,
    /// The match file, unless it is in the folder.
    pub(in crate::http) input: Mutex<Option<Bytes>>,
    /// The reports, unless they are in the folder.
    pub(in crate::http) reports: Mutex<Option<Bytes>>,
    /// Size of both, in bytes.
    pub(in crate::http) bytes: AtomicUsize,
    pub(in crate::http) view: watch::Sender<View>,
    pub(in crate::http) cancelled: watch::Sender<bool>,
}

impl Job {
    pub(in crate::http) fn new(
        meta: Meta,
        origin: Origin,
        bytes: usize,
        ended: Option<Ended>,
    ) -> Arc<Job> {
        let state = match &ended {
            None => JobState::Queued,
            Some(ended) if ended.error.is_some() => JobState::Failed,
            Some(_) => JobState::Done,
        };
        let view = View {
            state,
            number: 1,
            progress: None,
            ended: ended.map(Arc::new),
        };
        Arc::new(Job {
            meta,
            origin,
            input: Mutex::new(None),
            reports: Mutex::new(None),
            bytes: AtomicUsize::new(bytes),
            view: watch::channel(view).0,
            cancelled: watch::channel(false).0,
        })
    }

    pub(in crate::http) fn state(&self) -> JobState {
        self.view.borrow().state
    }

    pub(in crate::http) fn finished(&self) -> Option<u64> {
        Some(self.view.borrow().ended.as_ref()?.finished)
    }

    /// Changes what watchers see.
    pub(in crate::http) fn change(&self, change: impl FnOnce(&mut View)) {
        self.view.send_modify(|view| {
            change(view);
            view.number += 1;
        });
    }
}
