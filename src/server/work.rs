//! Queued work of a connection, and the parts of its answer.

use super::fair_queue::JobRank;
use super::memory_budget::{ConnectionBudget, Reservation, Reserved};
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::Inquiry;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// A job for the workers, with the channel for its answers.
#[derive(Debug)]
pub struct QueuedWork {
    /// Inquiries in the order of their lines, all of the same cost.
    pub inquiries: VecDeque<Inquiry>,
    /// Rest of a long answer, which comes before the answers to the inquiries.
    pub rest: Option<Rest>,
    /// Cost that selects the queue.
    pub cost: Cost,
    /// Stop token of the work.
    pub stop: Stop,
    /// Account that is charged for the answers.
    pub connection_budget: Arc<ConnectionBudget>,
    /// Number that each part of the answer carries.
    pub number: u64,
    /// Priority among the waiting work of the same client.
    pub priority: i8,
    /// Maximum size of an answer that must be one part; `None` if long answers may have several parts.
    pub answer_bytes_max: Option<usize>,
    /// True for a job of HTTP, which the limit of processor time of a request does not end.
    pub is_job: bool,
    /// Channel for the answers.
    pub reply: UnboundedSender<Box<Part>>,
}

impl QueuedWork {
    /// Returns its place in its lane.
    pub(super) fn rank(&self) -> JobRank {
        JobRank::new(self.priority, self.number)
    }

    /// Returns the size in bytes of the matches in the work.
    pub fn weight(&self) -> usize {
        self.inquiries.iter().map(|one| one.question.held()).sum()
    }
}

/// The rest of a long answer, sent chunk by chunk as the client reads it.
pub struct Rest {
    chunks: Box<dyn Iterator<Item = Vec<u8>> + Send + Sync>,
    _memory: Reserved,
}

impl Rest {
    pub(super) fn new(
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
pub(super) fn send(job: &QueuedWork, bytes: Vec<u8>, reservation: Reservation, good: bool) {
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
pub(super) fn send_rest(job: &mut QueuedWork) -> bool {
    while let Some(mut rest) = job.rest.take() {
        if job.reply.is_closed() || !job.connection_budget.has_room_for(job.number) {
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
