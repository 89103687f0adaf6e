//! What a running job says and listens to.

use super::Elsewhere;
use gammond_base::stop::Stop;
use std::sync::Arc;

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is counted: `games`, `labels`, ...
    pub unit: &'static str,
    /// How many are done, those of earlier runs among them.
    pub done: u64,
    /// How many there will be, if that is known; the job may end earlier.
    pub total: Option<u64>,
    /// The figures so far, in words; may be empty.
    pub figures: String,
}

impl Progress {
    /// So many of so many.
    #[must_use]
    pub fn new(unit: &'static str, done: u64, total: Option<u64>) -> Progress {
        Progress {
            unit,
            done,
            total,
            figures: String::new(),
        }
    }

    /// With figures.
    #[must_use]
    pub fn figures(mut self, figures: String) -> Progress {
        self.figures = figures;
        self
    }
}

/// One thing that a running job tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What is being done, when a command does several jobs; may be empty.
    pub task: String,
    /// How far it is.
    pub progress: Progress,
    /// How much of `progress.done` an earlier run had done.
    pub resumed: u64,
    /// How much of `progress.done` is kept in a file and survives a kill; none without a journal.
    pub saved: Option<u64>,
    /// The job is over: complete, or stopped.
    pub last: bool,
}

/// How a job is watched and stopped.
pub struct Control<'a> {
    /// Ends the job soon, with what it has.
    pub stop: Stop,
    /// What is being done, for the events.
    pub task: String,
    /// Where parts are computed, when not here.
    pub elsewhere: Option<Arc<dyn Elsewhere>>,
    watch: Box<dyn FnMut(&Event) + Send + 'a>,
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
    /// Stops when `stop` is triggered; `watch` hears of progress.
    #[must_use]
    pub fn new(stop: Stop, watch: impl FnMut(&Event) + Send + 'a) -> Control<'a> {
        Control {
            stop,
            task: String::new(),
            elsewhere: None,
            watch: Box::new(watch),
        }
    }

    /// Nobody watches and nothing stops it.
    #[must_use]
    pub fn quiet() -> Control<'static> {
        Control::new(Stop::never(), |_| {})
    }

    /// Tells an event.
    pub fn tell(&mut self, event: &Event) {
        (self.watch)(event);
    }

    /// Tells how far work is that runs outside a [`super::Runner`].
    pub fn tell_progress(&mut self, progress: Progress, last: bool) {
        let event = Event {
            task: self.task.clone(),
            progress,
            resumed: 0,
            saved: None,
            last,
        };
        self.tell(&event);
    }
}
