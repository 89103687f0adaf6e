//! Progress events of a running job, and its controls.

use super::RemoteExecutor;
use gammond_base::stop::Stop;
use std::sync::Arc;

/// Progress of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Unit of the counts: `games`, `labels`, ...
    pub unit: &'static str,
    /// Number done, including earlier runs.
    pub done: u64,
    /// Total number, if known; the job may end earlier.
    pub total: Option<u64>,
    /// The figures so far, in words; may be empty.
    pub figures: String,
}

impl Progress {
    /// Creates progress of `done` out of `total`, without figures.
    #[must_use]
    pub fn new(unit: &'static str, done: u64, total: Option<u64>) -> Progress {
        Progress {
            unit,
            done,
            total,
            figures: String::new(),
        }
    }

    /// Sets the figures.
    #[must_use]
    pub fn figures(mut self, figures: String) -> Progress {
        self.figures = figures;
        self
    }
}

/// A progress event of a running job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressEvent {
    /// Name of the task, for commands with several jobs; may be empty.
    pub task: String,
    /// Progress of the job.
    pub progress: Progress,
    /// Part of `progress.done` that comes from an earlier run.
    pub resumed: u64,
    /// Part of `progress.done` that is saved in a file and survives a kill; `None` without a journal.
    pub saved: Option<u64>,
    /// True if the job is over: complete, or stopped.
    pub last: bool,
}

/// Controls of a running job: stop token and progress callback.
pub struct Control<'a> {
    /// Ends the job soon, with its results so far.
    pub stop: Stop,
    /// Name of the task, for the events.
    pub task: String,
    /// Executor of the parts; `None` to compute them here.
    pub remote: Option<Arc<dyn RemoteExecutor>>,
    watch: Box<dyn FnMut(&ProgressEvent) + Send + 'a>,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("stop", &self.stop)
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

impl<'a> Control<'a> {
    /// Creates controls that stop the job when `stop` is triggered; `watch` receives the progress events.
    #[must_use]
    pub fn new(stop: Stop, watch: impl FnMut(&ProgressEvent) + Send + 'a) -> Control<'a> {
        Control {
            stop,
            task: String::new(),
            remote: None,
            watch: Box::new(watch),
        }
    }

    /// Returns controls without a callback that never stop the job.
    #[must_use]
    pub fn quiet() -> Control<'static> {
        Control::new(Stop::never(), |_| {})
    }

    /// Sends an event to the callback.
    pub fn report(&mut self, event: &ProgressEvent) {
        (self.watch)(event);
    }

    /// Reports the progress of work that runs outside a [`super::Runner`].
    pub fn report_progress(&mut self, progress: Progress, last: bool) {
        let event = ProgressEvent {
            task: self.task.clone(),
            progress,
            resumed: 0,
            saved: None,
            last,
        };
        self.report(&event);
    }
}
