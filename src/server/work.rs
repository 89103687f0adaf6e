//! Something to compute for a connection, and the parts of its answer.

use super::account::{Account, Charge, Reserved};
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::Inquiry;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// Something to compute, and where the answers go.
#[derive(Debug)]
pub struct QueuedWork {
    /// In the order of their lines; all of the same cost.
    pub inquiries: VecDeque<Inquiry>,
    /// The rest of a long answer, before those of the inquiries.
    pub rest: Option<Rest>,
    /// The queue that it waits in.
    pub cost: Cost,
    /// Ends the work early.
    pub stop: Stop,
    /// The account that answers are booked on.
    pub account: Arc<Account>,
    /// Comes back with each part of the answer.
    pub number: u64,
    /// The longest answer where it must be one part; `None` where long answers come in several.
    pub answer_bytes_max: Option<usize>,
    /// The way of the answers.
    pub reply: UnboundedSender<Box<Part>>,
}

impl QueuedWork {
    /// Bytes of the matches in it.
    pub fn weight(&self) -> usize {
        self.inquiries.iter().map(|one| one.question.held()).sum()
    }
}

/// A long answer that is sent chunk by chunk, as its client takes it.
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

/// A part of a job's answers.
#[derive(Debug)]
pub struct Part {
    /// The number of the work, or of the connection.
    pub number: u64,
    /// The answers' text.
    pub bytes: Vec<u8>,
    /// The booking of these bytes, which ends when they are written.
    pub charge: Charge,
    /// Whether none of them is an error; only messages tell it beside the answer.
    pub good: bool,
    /// Whether the job is done.
    pub last: bool,
}

/// Sends a part of a job's answers; what is left in the job comes later.
pub(super) fn send(job: &QueuedWork, bytes: Vec<u8>, charge: Charge, good: bool) {
    // The receiver may have gone in the meantime.
    let _ = job.reply.send(Box::new(Part {
        number: job.number,
        bytes,
        charge,
        good,
        last: job.inquiries.is_empty() && job.rest.is_none(),
    }));
}

/// Sends chunks of a long answer while there is room for them. Returns true if nothing of it is left.
pub(super) fn send_rest(job: &mut QueuedWork) -> bool {
    while let Some(mut rest) = job.rest.take() {
        if job.reply.is_closed() || !job.account.has_room_for(job.number) {
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
        let charge = job.account.charge(bytes.len());
        send(job, bytes, charge, true);
    }
    true
}
