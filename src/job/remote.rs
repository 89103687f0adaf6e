//! Parts that other machines compute, and parts that this one computes for others.
//!
//! A [`Runner`](super::Runner) whose [`Control`](super::Control) has an [`RemoteExecutor`] computes nothing by
//! itself: it passes the job to it, and follows its commands. The rest is unchanged: parts are merged in the order of
//! their numbers, kept in the same journal, and come to the same result.

use super::Header;
use gammond_base::stop::Stop;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// A job without its types, for other machines.
pub trait Work: Sync {
    /// Returns the header of the job.
    fn header(&self) -> Header;

    /// Returns the maximum number of parts; see [`Job::parts`](super::Job::parts).
    fn parts(&self) -> Option<u64>;

    /// Computes a part; see [`Job::part`](super::Job::part).
    ///
    /// # Errors
    /// What went wrong, in words.
    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, String>;

    /// Estimates the number of parts of a job without a fixed number from its first parts.
    fn estimate(&self, first: &[Vec<u8>]) -> Option<u64>;
}

/// A remote executor for the parts of a command's jobs, or a requester that they are computed for.
pub trait RemoteExecutor: Debug + Send + Sync {
    /// Returns what to do about the next job of the command.
    ///
    /// # Errors
    /// [`RemoteError`]; the command ends with it.
    fn begin(&self, work: &dyn Work) -> Result<JobRole, RemoteError>;

    /// Notifies that the job whose parts were taken is done, and no more of them are wanted.
    fn done(&self) {}

    /// Returns the token that ends the command when it runs for others, and shows nothing; none when a person waits for
    /// it.
    fn quiet_stop(&self) -> Option<Stop>;
}

/// Assignment for a job: take its parts, compute them for others, or end.
pub enum JobRole {
    /// Take its parts from here.
    Take(Box<dyn PartSource>),
    /// Compute the ordered parts until the channel closes; then the command ends.
    Serve(Receiver<Order>),
    /// The command ends here: everything else happens elsewhere.
    End,
}

/// A source of parts computed elsewhere.
pub trait PartSource {
    /// Returns the parts from number `from` on, each with its number; none when there is nothing for a moment. Waits
    /// a little.
    ///
    /// # Errors
    /// [`RemoteError`]; the command ends with it.
    fn from(&mut self, from: u64) -> Result<Vec<(u64, Vec<u8>)>, RemoteError>;

    /// Returns true if more parts will come. If false and the job is not done, it ends as if it were stopped.
    fn is_waiting(&self) -> bool;

    /// Refuses a part that the job does not make; returns the numbers of the parts that came with it and do not count
    /// either.
    ///
    /// # Errors
    /// [`RemoteError`]; the command ends with it.
    fn reject(&mut self, number: u64) -> Result<Range<u64>, RemoteError> {
        let text = format!("part {number} is not one of this job");
        Err(RemoteError::Failed(text))
    }

    /// Returns the progress of the executor as text while no part is available yet.
    fn figures(&self) -> Option<String> {
        None
    }
}

/// An order for parts.
pub struct Order {
    /// Numbers of the parts.
    pub numbers: Range<u64>,
    /// Triggered when the parts are no longer wanted.
    pub stop: Stop,
    /// Returns the current time.
    pub clock: fn() -> Instant,
    /// Receives the parts, on any thread.
    pub reply: Box<dyn FnOnce(Computed) + Send>,
}

/// The parts computed for an order.
#[derive(Debug)]
pub struct Computed {
    /// The parts in order; none when it was stopped.
    pub parts: Result<Option<Vec<Vec<u8>>>, String>,
    /// The time that the parts took, one after the other.
    pub busy: Duration,
}

/// Reason for the end of a command that uses a remote executor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// Everything that was to be done here is done.
    #[error("the rest happens elsewhere")]
    Ended,
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

/// Computes the ordered parts on the threads of the scope until the channel of orders closes.
pub(super) fn serve<'s>(work: &'s dyn Work, orders: &Receiver<Order>, scope: &rayon::Scope<'s>) {
    while let Ok(order) = orders.recv() {
        let count = usize::try_from(order.numbers.end.saturating_sub(order.numbers.start));
        let shared = std::sync::Arc::new(std::sync::Mutex::new(CollectedParts {
            parts: vec![None; count.unwrap_or(0)],
            left: count.unwrap_or(0),
            failed: None,
            busy: Duration::ZERO,
            reply: Some(order.reply),
        }));
        if count.is_ok_and(|count| count == 0) {
            lock(&shared).finish();
        }
        for (place, number) in order.numbers.enumerate() {
            let (shared, stop, clock) = (shared.clone(), order.stop.clone(), order.clock);
            scope.spawn(move |_| {
                let begun = clock();
                let part = if stop.is_triggered() {
                    Ok(None)
                } else {
                    work.part(number, &stop)
                };
                let took = clock().saturating_duration_since(begun);
                lock(&shared).add(place, part, took);
            });
        }
    }
}

fn lock(shared: &std::sync::Mutex<CollectedParts>) -> std::sync::MutexGuard<'_, CollectedParts> {
    shared
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The parts of an order, as they come.
struct CollectedParts {
    parts: Vec<Option<Vec<u8>>>,
    left: usize,
    failed: Option<String>,
    busy: Duration,
    reply: Option<Box<dyn FnOnce(Computed) + Send>>,
}

impl CollectedParts {
    fn add(&mut self, place: usize, part: Result<Option<Vec<u8>>, String>, took: Duration) {
        self.busy += took;
        match part {
            Ok(part) => {
                if let Some(room) = self.parts.get_mut(place) {
                    *room = part;
                }
            }
            Err(reason) => drop(self.failed.get_or_insert(reason)),
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.finish();
        }
    }

    fn finish(&mut self) {
        let parts = match self.failed.take() {
            Some(reason) => Err(reason),
            None => Ok(std::mem::take(&mut self.parts).into_iter().collect()),
        };
        let computed = Computed {
            parts,
            busy: self.busy,
        };
        if let Some(reply) = self.reply.take() {
            reply(computed);
        }
    }
}
