//! The threads that compute for sockets, and the fair queues in front of them, one a cost.
//!
//! Cheap questions go first, and dear ones never take the last thread: while these run, one more
//! thread than configured may answer medium questions, and a share more the short ones. Each cost
//! has threads of its own inside the engine too, so that no question waits for one that costs more
//! (SRV-11).

use super::account::{Account, Charge};
use super::answer::Answerer;
use super::counters::{Counters, count};
use super::fair_queue::{FairQueue, Lane};
use super::limits::Limits;
use crate::engine::{Engine, EngineError};
use crate::protocol::{Inquiry, RequestError};
use crate::query::{Cost, Stop};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// After so long a thread gives the rest of a connection's lines back to the queue.
const SLICE: Duration = Duration::from_millis(2);

/// Something to compute, and where the answers go.
#[derive(Debug)]
pub(super) struct Work {
    /// In the order of their lines; all of the same cost.
    pub(super) inquiries: VecDeque<Inquiry>,
    pub(super) cost: Cost,
    pub(super) stop: Stop,
    pub(super) account: Arc<Account>,
    /// Comes back with each part of the answer.
    pub(super) number: u64,
    pub(super) reply: UnboundedSender<Box<Part>>,
}

impl Work {
    /// Bytes of the matches in it.
    pub(super) fn weight(&self) -> usize {
        self.inquiries.iter().map(|one| one.question.held()).sum()
    }
}

/// A part of a job's answers.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) charge: Charge,
    /// Whether the job is done.
    pub(super) last: bool,
}

/// Why the threads that compute do not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkersError {
    /// Those inside an engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Those that take the questions.
    #[error(transparent)]
    Spawn(#[from] std::io::Error),
}

/// The threads; ends them when dropped.
#[derive(Debug)]
pub(super) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    queues: Mutex<Queues>,
    wake: Condvar,
    /// An engine for each cost: the same nets and cache, but threads of their own.
    engines: RwLock<[Engine; 3]>,
    counters: Arc<Counters>,
    queue_max: usize,
    shares: Shares,
}

/// How many threads may be at work, by cost.
#[derive(Clone, Copy, Debug)]
struct Shares {
    threads: usize,
    /// Of short questions, whatever else runs.
    short: usize,
}

impl Shares {
    const MEDIUM: usize = 1;

    fn new(threads: usize) -> Shares {
        let threads = threads.max(1);
        Shares {
            threads,
            short: threads.div_ceil(4),
        }
    }

    const fn most(self) -> usize {
        self.threads + Shares::MEDIUM + self.short
    }

    fn allows(self, cost: usize, running: [usize; 3]) -> bool {
        let [short, medium, _] = running;
        running.iter().sum::<usize>() < self.threads
            || match cost {
                0 => short < self.short,
                1 => medium < Shares::MEDIUM,
                _ => false,
            }
    }
}

#[derive(Debug, Default)]
struct Queues {
    waiting: [FairQueue<(Work, Instant)>; 3],
    running: [usize; 3],
    closed: bool,
}

/// Where the queue and the engine of a cost stand.
const fn place(cost: Cost) -> usize {
    match cost {
        Cost::Free | Cost::Short => 0,
        Cost::Medium => 1,
        Cost::Long => 2,
    }
}

impl Queues {
    fn take(&mut self, shares: Shares) -> Option<(Lane, Work, Instant)> {
        for cost in 0..3 {
            if !shares.allows(cost, self.running) {
                continue;
            }
            let Some(waiting) = self.waiting.get_mut(cost) else {
                continue;
            };
            let has_room = |(job, _): &(Work, Instant)| {
                job.account.has_room_for(job.number) || !job.account.park(job.number)
            };
            if let Some((lane, (job, since), _)) = waiting.pop(has_room) {
                if let Some(running) = self.running.get_mut(cost) {
                    *running += 1;
                }
                return Some((lane, job, since));
            }
        }
        None
    }

    fn lines(&self) -> usize {
        self.waiting.iter().map(FairQueue::lines).sum()
    }
}

impl Workers {
    pub(super) fn start(
        engine: Engine,
        counters: Arc<Counters>,
        limits: &Limits,
    ) -> Result<Workers, WorkersError> {
        let shares = Shares::new(engine.pool().current_num_threads());
        let shared = Arc::new(Shared {
            queues: Mutex::default(),
            wake: Condvar::new(),
            engines: RwLock::new(one_a_cost(engine)?),
            counters,
            queue_max: limits.queue_max,
            shares,
        });
        let start = |number| {
            let shared = Arc::clone(&shared);
            let builder = std::thread::Builder::new().name(format!("worker-{number}"));
            builder.spawn(move || shared.work())
        };
        let threads = (0..shares.most()).map(start).collect::<Result<_, _>>()?;
        Ok(Workers { shared, threads })
    }

    /// Queues a job, or gives it back when the queue is full.
    pub(super) fn submit(&self, lane: Lane, job: Work) -> Result<(), Work> {
        let mut queues = self.shared.lock();
        let lines = job.inquiries.len();
        let closed = queues.closed;
        let Some(waiting) = queues.waiting.get_mut(place(job.cost)) else {
            return Err(job);
        };
        if closed || !waiting.admits(lane.origin, lines, self.shared.queue_max) {
            return Err(job);
        }
        let number = job.number;
        waiting.push(lane, (job, Instant::now()), lines, number);
        self.shared.note_queued(&queues);
        drop(queues);
        self.shared.wake.notify_one();
        Ok(())
    }

    /// A connection has taken answers, and there is room for more.
    pub(super) fn unpark(&self, lane: Lane) {
        let mut queues = self.shared.lock();
        for waiting in &mut queues.waiting {
            waiting.unpark(lane);
        }
        drop(queues);
        self.shared.wake.notify_one();
    }

    /// A connection is gone: what it wanted leaves the queue (SRV-12). Its stop must have been
    /// triggered before.
    pub(super) fn forget(&self, lane: Lane) {
        let mut queues = self.shared.lock();
        for waiting in &mut queues.waiting {
            waiting.forget(lane);
        }
        self.shared.note_queued(&queues);
    }

    /// Answers what needs no computing, at once.
    pub(super) fn answer_free(&self, inquiry: &Inquiry, out: &mut Vec<u8>) {
        let engine = self.engine();
        Answerer::counting(&engine, &self.shared.counters).answer(inquiry, &Stop::never(), out);
    }

    /// Answers a job that was not taken.
    pub(super) fn answer_busy(&self, job: &Work, out: &mut Vec<u8>) {
        let engine = self.engine();
        let answerer = Answerer::counting(&engine, &self.shared.counters);
        for inquiry in &job.inquiries {
            count(&self.shared.counters.busy);
            answerer.refuse(inquiry, &busy("too many queries wait"), out);
        }
    }

    /// Another engine from the next query on.
    pub(super) fn replace(&self, engine: Engine) -> Result<(), EngineError> {
        let engines = one_a_cost(engine)?;
        let mut place = self
            .shared
            .engines
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *place = engines;
        Ok(())
    }

    /// The engine in use.
    pub(super) fn engine(&self) -> Engine {
        self.shared.engine(Cost::Short)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
        // Not joined: a query that does not stop must not keep the program from ending.
        self.threads.clear();
    }
}

fn busy(reason: &str) -> RequestError {
    RequestError::new("busy", "server", format!("busy: {reason}"))
}

fn one_a_cost(engine: Engine) -> Result<[Engine; 3], EngineError> {
    let (medium, long) = (engine.with_own_threads()?, engine.with_own_threads()?);
    Ok([engine, medium, long])
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        // No code that holds the lock can panic half-way through a change.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine(&self, cost: Cost) -> Engine {
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        let [short, medium, long] = &*engines;
        match cost {
            Cost::Free | Cost::Short => short.clone(),
            Cost::Medium => medium.clone(),
            Cost::Long => long.clone(),
        }
    }

    fn note_queued(&self, queues: &Queues) {
        self.counters
            .queued
            .store(queues.lines() as u64, Ordering::Relaxed);
    }

    fn work(&self) {
        let mut queues = self.lock();
        loop {
            if let Some((lane, job, since)) = queues.take(self.shares) {
                self.note_queued(&queues);
                let more = queues.lines() > 0;
                drop(queues);
                if more {
                    self.wake.notify_one();
                }
                let (cost, lines) = (job.cost, job.inquiries.len());
                let began = Instant::now();
                let left = self.run(job);
                let used = began.elapsed();
                let done = lines - left.as_ref().map_or(0, |job| job.inquiries.len());
                self.counters
                    .note_latency(cost, since.elapsed(), done as u64);
                queues = self.lock();
                if let Some(running) = queues.running.get_mut(place(cost)) {
                    *running -= 1;
                }
                if let Some(waiting) = queues.waiting.get_mut(place(cost)) {
                    waiting.charge(lane, used);
                    // The stop is triggered before the lane is forgotten, so nothing is put back
                    // behind that.
                    if let Some(job) = left.filter(|job| !job.stop.is_triggered()) {
                        let lines = job.inquiries.len();
                        let number = job.number;
                        waiting.push(lane, (job, since), lines, number);
                    }
                }
                self.note_queued(&queues);
            } else if queues.closed {
                return;
            } else {
                queues = self
                    .wake
                    .wait(queues)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Answers a job's inquiries until its slice of time or its room for answers is used up;
    /// returns what is left.
    fn run(&self, mut job: Work) -> Option<Work> {
        let engine = self.engine(job.cost);
        let answerer = Answerer::counting(&engine, &self.counters);
        let began = Instant::now();
        let mut bytes = Vec::new();
        let mut charge = job.account.charge(0);
        while let Some(inquiry) = job.inquiries.front() {
            // Nobody waits for the answer any more: the connection is gone (SRV-12).
            if job.reply.is_closed() || (job.stop.is_triggered() && !inquiry.hasty) {
                return None;
            }
            let start = bytes.len();
            if start > 0 && inquiry.question.tells() {
                // Earlier answers go out before it begins to tell.
                break;
            }
            let mut tell = |line: Vec<u8>| {
                // A peer that reads too slowly misses lines of progress, not answers.
                if job.account.ledger().has_room(line.len()) {
                    let charge = job.account.charge(line.len());
                    let _ = job.reply.send(Box::new(Part {
                        number: job.number,
                        bytes: line,
                        charge,
                        last: false,
                    }));
                }
            };
            answerer.answer_telling(inquiry, &job.stop, &mut bytes, &mut tell);
            let length = bytes.len() - start;
            if !job.account.ledger().has_room(length) {
                bytes.truncate(start);
                count(&self.counters.busy);
                let error = busy("too many answers wait to be read");
                answerer.refuse(inquiry, &error, &mut bytes);
            }
            charge.absorb(job.account.charge(bytes.len() - start));
            job.inquiries.pop_front();
            if began.elapsed() >= SLICE || !job.account.has_room_for(job.number) {
                break;
            }
        }
        bytes.shrink_to_fit();
        let last = job.inquiries.is_empty();
        let part = Part {
            number: job.number,
            bytes,
            charge,
            last,
        };
        // The receiver may have gone in the meantime.
        let _ = job.reply.send(Box::new(part));
        (!last).then_some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-11: whatever runs, a short question finds a thread, and a medium one beside long
    /// ones.
    #[test]
    fn dear_questions_leave_room_for_cheap_ones() {
        for threads in [1, 2, 8] {
            let shares = Shares::new(threads);
            assert!(shares.allows(1, [0, 0, threads]) && shares.allows(0, [0, 1, threads]));
            assert!(!shares.allows(2, [0, 0, threads]));
            assert!(!shares.allows(1, [0, 1, threads]));
            assert!(!shares.allows(0, [shares.short, 1, threads]));
            assert!(shares.most() >= threads + 2);
        }
    }
}
