//! A clock for searches that deepen until their time is over.

use crate::query::Stop;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Triggers a stop token after a while, unless it is dropped before.
#[derive(Debug)]
pub(super) struct Budget {
    stop: Stop,
    cancel: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Budget {
    /// Starts the clock. Without a thread for it the token is triggered at once: an early answer
    /// is better than a late one.
    pub(super) fn start(milliseconds: u64) -> Budget {
        let stop = Stop::new();
        let (cancel, cancelled) = channel();
        let token = stop.clone();
        let wait = move || {
            let _ = cancelled.recv_timeout(Duration::from_millis(milliseconds));
            token.trigger();
        };
        let thread = std::thread::Builder::new()
            .name("budget".to_owned())
            .spawn(wait);
        if thread.is_err() {
            stop.trigger();
        }
        Budget {
            stop,
            cancel: Some(cancel),
            thread: thread.ok(),
        }
    }

    /// Returns the token that is triggered when the time is over.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        drop(self.cancel.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
