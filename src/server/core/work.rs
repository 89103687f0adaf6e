//! Queued work of a connection, and the parts of its answer.

use crate::core::fair_queue::JobRank;
use crate::core::lease::LeaseOffer;
use crate::core::memory_budget::{ConnectionBudget, Reservation, Reserved};
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::Inquiry;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Inquiries of a client that the workers answer together, with the channel for the answers.
///
/// Each transport makes one of these and passes it to [`Workers::submit`](crate::core::worker::Workers::submit).
#[derive(Debug)]
pub struct WorkItem {
    /// Inquiries in the order of their lines, all of the same cost.
    pub(crate) inquiries: VecDeque<Inquiry>,
    /// Rest of a long answer, which comes before the answers to the inquiries.
    pub(crate) rest: Option<Rest>,
    /// Caller that computes by itself; such work has no inquiries.
    pub(crate) lease: Option<LeaseOffer>,
    /// Cost that selects the queue.
    pub(crate) cost: Cost,
    /// Stop token of the work.
    pub(crate) stop: Stop,
    /// Account that is charged for the answers.
    pub(crate) connection_budget: Arc<ConnectionBudget>,
    /// Number that each part of the answer carries.
    pub(crate) number: u64,
    /// Priority among the waiting work of the same client.
    pub(crate) priority: i8,
    /// Maximum size of an answer that must be one part; `None` if long answers may have several parts.
    pub(crate) answer_bytes_max: Option<usize>,
    /// True for a job of HTTP, which the limit of processor time of a request does not end.
    pub(crate) is_job: bool,
    /// Channel for the answers.
    pub(crate) reply: UnboundedSender<Box<Part>>,
}

/// Outcome of passing work to [`Workers::submit`](crate::core::worker::Workers::submit).
#[derive(Debug)]
#[must_use]
pub enum SubmitOutcome {
    /// The answers come in parts through the channel of the work.
    Queued,
    /// The inquiry cost nothing and is answered; nothing comes through the channel.
    Answered {
        /// Text of the answer.
        bytes: Vec<u8>,
        /// True if the answer is no error.
        good: bool,
    },
    /// The client has to wait; nothing comes through the channel.
    Busy {
        /// Text of the answers, an error for each inquiry.
        bytes: Vec<u8>,
        /// Time after which the client may send again, if it has used its processor time.
        wait: Option<Duration>,
    },
}

impl WorkItem {
    /// Creates the work of one inquiry, whose parts come through `reply` and are charged to `connection_budget`.
    #[must_use]
    pub fn new(
        inquiry: Inquiry,
        connection_budget: &Arc<ConnectionBudget>,
        reply: UnboundedSender<Box<Part>>,
    ) -> WorkItem {
        WorkItem {
            rest: None,
            lease: None,
            cost: inquiry.cost(),
            stop: Stop::new(),
            connection_budget: Arc::clone(connection_budget),
            number: 0,
            priority: inquiry.place.priority,
            answer_bytes_max: None,
            is_job: false,
            inquiries: VecDeque::from([inquiry]),
            reply,
        }
    }

    /// Work without inquiries: the caller behind `lease` computes by itself.
    pub(crate) fn leased(
        lease: LeaseOffer,
        cost: Cost,
        stop: Stop,
        connection_budget: &Arc<ConnectionBudget>,
        reply: UnboundedSender<Box<Part>>,
    ) -> WorkItem {
        WorkItem {
            inquiries: VecDeque::new(),
            rest: None,
            lease: Some(lease),
            cost,
            stop,
            connection_budget: Arc::clone(connection_budget),
            number: 0,
            priority: 0,
            answer_bytes_max: None,
            is_job: false,
            reply,
        }
    }

    /// Returns the number of its lines in the queue.
    pub(crate) fn lines(&self) -> usize {
        self.inquiries.len() + usize::from(self.lease.is_some())
    }

    /// Sets the number that each part of the answer carries.
    #[must_use]
    pub fn numbered(self, number: u64) -> WorkItem {
        WorkItem { number, ..self }
    }

    /// Sets the token that stops the work.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> WorkItem {
        WorkItem { stop, ..self }
    }

    /// Limits the answer to one part of so many bytes.
    #[must_use]
    pub fn in_one_part(self, bytes_max: usize) -> WorkItem {
        WorkItem {
            answer_bytes_max: Some(bytes_max),
            ..self
        }
    }

    /// Returns true if no client waits for the answers.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Sends a line of progress. A peer that reads too slowly misses lines of progress, not answers.
    pub(crate) fn send_progress(&self, line: Vec<u8>) {
        let memory_budget = self.connection_budget.memory_budget();
        if !self.connection_budget.has_room_for(self.number) || !memory_budget.has_room(line.len())
        {
            return;
        }
        let reservation = self.connection_budget.charge(line.len());
        let _ = self.reply.send(Box::new(Part {
            number: self.number,
            bytes: line,
            reservation,
            good: true,
            progress: true,
            last: false,
        }));
    }

    /// Returns its place in its lane.
    pub(crate) fn rank(&self) -> JobRank {
        JobRank::new(self.priority, self.number)
    }

    /// Returns the size in bytes of the matches in the work.
    pub fn weight(&self) -> usize {
        self.inquiries.iter().map(|one| one.task.held()).sum()
    }
}

/// The rest of a long answer, sent chunk by chunk as the client reads it.
pub struct Rest {
    chunks: Box<dyn Iterator<Item = Vec<u8>> + Send + Sync>,
    _memory: Reserved,
}

impl Rest {
    pub(crate) fn new(
        chunks: impl Iterator<Item = Vec<u8>> + Send + Sync + 'static,
        memory: Reserved,
    ) -> Rest {
        Rest {
            chunks: Box::new(chunks),
            _memory: memory,
        }
    }
}

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rest").finish_non_exhaustive()
    }
}

/// A part of the answers of a job.
#[derive(Debug)]
pub struct Part {
    /// Number of the work, or of the connection.
    pub number: u64,
    /// Text of the answers.
    pub bytes: Vec<u8>,
    /// Charge for these bytes, released when they are written.
    pub reservation: Reservation,
    /// True if none of the answers is an error; only messages report it separately.
    pub good: bool,
    /// True if it reports progress and is no part of the answer.
    pub progress: bool,
    /// True if the job is done.
    pub last: bool,
}

/// Sends a part of a job's answers; further parts follow if the job has more.
pub(crate) fn send(job: &WorkItem, bytes: Vec<u8>, reservation: Reservation, good: bool) {
    // The receiver may have gone in the meantime.
    let _ = job.reply.send(Box::new(Part {
        number: job.number,
        bytes,
        reservation,
        good,
        progress: false,
        last: job.inquiries.is_empty() && job.rest.is_none(),
    }));
}

/// Sends chunks of a long answer while there is room for them. Returns true if nothing of it is left.
pub(crate) fn send_rest(job: &mut WorkItem) -> bool {
    while let Some(mut rest) = job.rest.take() {
        if job.is_abandoned() || !job.connection_budget.has_room_for(job.number) {
            job.rest = Some(rest);
            return false;
        }
        let bytes = match rest.chunks.next() {
            Some(chunk) => {
                job.rest = Some(rest);
                chunk
            }
            None => b"\n".to_vec(),
        };
        let reservation = job.connection_budget.charge(bytes.len());
        send(job, bytes, reservation, true);
    }
    true
}
