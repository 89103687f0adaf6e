//! The place of a request among those that wait.

use gammond_engine::query::{Options, Queue};

/// The place that a client gives a request among those that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuePlace {
    /// True if all other requests may go first.
    pub bulk: bool,
    /// Priority among the waiting requests of the same client and cost, -9 to 9; higher ones first (SRV-22).
    pub priority: i8,
}

impl QueuePlace {
    /// Returns the place of a request with these settings.
    #[must_use]
    pub fn of(options: &Options) -> QueuePlace {
        QueuePlace {
            bulk: options.queue == Some(Queue::Bulk),
            priority: options.priority.unwrap_or(0),
        }
    }
}
