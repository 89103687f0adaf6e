//! The threads that compute for sockets, and the fair queues in front of them, one a cost.
//!
//! Each cost has threads of its own, and the dearer it is the more these give way to others, so that no
//! question waits for one that costs more (SRV-11). Two questions that look ahead never share the
//! engine's threads: one that waits for a part of its own work would begin the other's, and end after it.

use super::account::{Account, Charge};
use super::answer::Answerer;
use super::counters::{Counters, count};
use super::fair_queue::{FairQueue, Lane};
use super::limits::Limits;
use super::wide::{self, is_wide};
use crate::engine::{Engine, EngineError};
use crate::platform::give_way;
use crate::protocol::{Inquiry, RequestError};
use crate::query::{Cost, Stop};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// After so long a thread gives the rest of a connection's lines back to the queue.
const SLICE: Duration = Duration::from_millis(2);

/// How many costs want threads.
const COSTS: usize = Cost::COMPUTED.len();

/// By how many steps of niceness the threads of a cost give way. A step is worth about a fifth: beside short
/// questions that never end medium ones have two thirds as much time, heavy ones a third, long ones a tenth.
const GIVES_WAY: [i32; COSTS] = [0, 2, 5, 10];

/// Questions that look ahead and are answered at a time, of each cost, however many processors there are. One
/// that comes alone has as many threads as there are processors, the others share as many.
const DEEP_AT_ONCE: usize = 4;

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
    /// Whether none of them is an error; only messages tell it beside the answer.
    #[cfg_attr(not(feature = "farm"), allow(dead_code))]
    pub(super) good: bool,
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
    /// Wake the threads of each cost.
    wake: [Condvar; COSTS],
    engines: RwLock<Engines>,
    counters: Arc<Counters>,
    queue_max: usize,
}

/// The same nets and cache for every thread that takes questions, but threads of its own inside for
/// each that takes deep ones.
#[derive(Debug)]
struct Engines {
    short: Engine,
    /// Of each cost above short.
    deep: [Vec<Engine>; COSTS - 1],
}

impl Engines {
    fn new(engine: Engine) -> Result<Engines, EngineError> {
        let threads = engine.pool().current_num_threads();
        let own = |cost: usize| {
            let steps = GIVES_WAY.get(cost).copied().unwrap_or_default();
            let at_once = at_once(cost, threads);
            (0..at_once)
                .map(|number| match number {
                    0 => threads,
                    _ => threads.div_ceil(at_once),
                })
                .map(|threads| engine.with_own_threads(threads, move |_| give_way(steps)))
                .collect::<Result<Vec<_>, _>>()
        };
        let deep = [own(1)?, own(2)?, own(3)?];
        Ok(Engines {
            short: engine,
            deep,
        })
    }

    /// The first, second … of a cost.
    fn of(&self, cost: usize, number: usize) -> &Engine {
        cost.checked_sub(1)
            .and_then(|deep| self.deep.get(deep)?.get(number))
            .unwrap_or(&self.short)
    }
}

/// How many threads take questions of a cost.
fn at_once(cost: usize, threads: usize) -> usize {
    let most = if cost == 0 { usize::MAX } else { DEEP_AT_ONCE };
    threads.clamp(1, most)
}

#[derive(Debug, Default)]
struct Queues {
    waiting: [FairQueue<(Work, Instant)>; COSTS],
    /// The numbers of the engines of each cost that nobody uses.
    free: [BTreeSet<usize>; COSTS],
    closed: bool,
}

/// Where the queue and the engine of a cost stand.
const fn place(cost: Cost) -> usize {
    match cost {
        Cost::Free | Cost::Short => 0,
        Cost::Medium => 1,
        Cost::Heavy => 2,
        Cost::Long => 3,
    }
}

impl Queues {
    /// The next job of a cost, and the first engine that is free for it.
    fn take(&mut self, cost: usize) -> Option<(Lane, Work, Instant, usize)> {
        let has_room = |(job, _): &(Work, Instant)| {
            job.account.has_room_for(job.number) || !job.account.park(job.number)
        };
        let (lane, (job, since), _) = self.waiting.get_mut(cost)?.pop(has_room)?;
        // As many threads as engines ask for one.
        let number = self.free.get_mut(cost)?.pop_first().unwrap_or_default();
        Some((lane, job, since, number))
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
        let threads = engine.pool().current_num_threads();
        let shared = Arc::new(Shared {
            queues: Mutex::new(Queues {
                free: std::array::from_fn(|cost| (0..at_once(cost, threads)).collect()),
                ..Queues::default()
            }),
            wake: Default::default(),
            engines: RwLock::new(Engines::new(engine)?),
            counters,
            queue_max: limits.queue_max,
        });
        let mut started = Vec::new();
        for (cost, steps) in GIVES_WAY.into_iter().enumerate() {
            for number in 0..at_once(cost, threads) {
                let shared = Arc::clone(&shared);
                let name = Cost::COMPUTED.get(cost).map_or("", |cost| cost.name());
                let builder = std::thread::Builder::new().name(format!("{name}-{number}"));
                started.push(builder.spawn(move || {
                    give_way(steps);
                    shared.work(cost);
                })?);
            }
        }
        Ok(Workers {
            shared,
            threads: started,
        })
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
        let (number, cost) = (job.number, place(job.cost));
        waiting.push(lane, (job, Instant::now()), lines, number);
        self.shared.note_queued(&queues);
        drop(queues);
        self.shared.wake_one(cost);
        Ok(())
    }

    /// A connection has taken answers, and there is room for more.
    pub(super) fn unpark(&self, lane: Lane) {
        let mut queues = self.shared.lock();
        for waiting in &mut queues.waiting {
            waiting.unpark(lane);
        }
        drop(queues);
        (0..COSTS).for_each(|cost| self.shared.wake_one(cost));
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

    /// Answers what needs no computing, at once. Returns whether it is an answer, and no error.
    pub(super) fn answer_free(&self, inquiry: &Inquiry, out: &mut Vec<u8>) -> bool {
        let engine = self.engine();
        Answerer::observed(&engine, &*self.shared.counters).answer(inquiry, &Stop::never(), out)
    }

    /// Appends the answer that refuses one inquiry.
    #[cfg(feature = "farm")]
    pub(super) fn refuse(&self, inquiry: &Inquiry, error: &RequestError, out: &mut Vec<u8>) {
        Answerer::new(&self.engine()).refuse(inquiry, error, out);
    }

    /// Answers a job that was not taken.
    pub(super) fn answer_busy(&self, job: &Work, out: &mut Vec<u8>) {
        let engine = self.engine();
        let answerer = Answerer::observed(&engine, &*self.shared.counters);
        for inquiry in &job.inquiries {
            count(&self.shared.counters.busy);
            answerer.refuse(inquiry, &busy("too many queries wait"), out);
        }
    }

    /// Another engine from the next query on.
    pub(super) fn replace(&self, engine: Engine) -> Result<(), EngineError> {
        let engines = Engines::new(engine)?;
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
        self.shared.engine(0, 0)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.iter().for_each(Condvar::notify_all);
        // Not joined: a query that does not stop must not keep the program from ending.
        self.threads.clear();
    }
}

fn busy(reason: &str) -> RequestError {
    RequestError::new("busy", "server", format!("busy: {reason}"))
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        // No code that holds the lock can panic half-way through a change.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine(&self, cost: usize, number: usize) -> Engine {
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        engines.of(cost, number).clone()
    }

    fn wake_one(&self, cost: usize) {
        if let Some(wake) = self.wake.get(cost) {
            wake.notify_one();
        }
    }

    fn note_queued(&self, queues: &Queues) {
        self.counters
            .queued
            .store(queues.lines() as u64, Ordering::Relaxed);
    }

    /// What a thread does: the questions of one cost.
    fn work(&self, cost: usize) {
        let Some(wake) = self.wake.get(cost) else {
            return;
        };
        let mut queues = self.lock();
        loop {
            if let Some((lane, job, since, number)) = queues.take(cost) {
                self.note_queued(&queues);
                let more = queues.waiting.get(cost).is_some_and(|one| one.lines() > 0);
                drop(queues);
                if more {
                    wake.notify_one();
                }
                let (named, lines) = (job.cost, job.inquiries.len());
                let began = Instant::now();
                let left = self.run(job, &self.engine(cost, number));
                let used = began.elapsed();
                let done = lines - left.as_ref().map_or(0, |job| job.inquiries.len());
                self.counters
                    .note_latency(named, since.elapsed(), done as u64);
                queues = self.lock();
                if let Some(free) = queues.free.get_mut(cost) {
                    free.insert(number);
                }
                if let Some(waiting) = queues.waiting.get_mut(cost) {
                    waiting.charge(lane, used);
                }
                // The stop is triggered before the lane is forgotten, so nothing is put back behind
                // that.
                if let Some(job) = left.filter(|job| !job.stop.is_triggered()) {
                    let (lines, number, next) = (job.inquiries.len(), job.number, place(job.cost));
                    if let Some(waiting) = queues.waiting.get_mut(next) {
                        waiting.push(lane, (job, since), lines, number);
                    }
                    if next != cost {
                        self.wake_one(next);
                    }
                }
                self.note_queued(&queues);
            } else if queues.closed {
                return;
            } else {
                queues = wake.wait(queues).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Answers a job's inquiries until its slice of time or its room for answers is used up, or one
    /// costs more than it seemed to; returns what is left.
    fn run(&self, mut job: Work, engine: &Engine) -> Option<Work> {
        let answerer = Answerer::observed(engine, &*self.counters);
        let began = Instant::now();
        let mut bytes = Vec::new();
        let mut charge = job.account.charge(0);
        let mut good = true;
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
            let full = !job.account.ledger().has_room(wide::BYTES);
            let wide = (job.cost == Cost::Short || full) && is_wide(inquiry);
            if wide && job.cost == Cost::Short {
                job.cost = Cost::Heavy;
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
                        good: true,
                        last: false,
                    }));
                }
            };
            if !wide {
                good &= answerer.answer_telling(inquiry, &job.stop, &mut bytes, &mut tell);
            }
            // A wide answer that there is no room for is not even computed.
            if wide || !job.account.ledger().has_room(bytes.len() - start) {
                bytes.truncate(start);
                count(&self.counters.busy);
                let error = busy("too many answers wait to be read");
                good &= answerer.refuse(inquiry, &error, &mut bytes);
            }
            charge.absorb(job.account.charge(bytes.len() - start));
            job.inquiries.pop_front();
            if began.elapsed() >= SLICE || !job.account.has_room_for(job.number) {
                break;
            }
        }
        let last = job.inquiries.is_empty();
        if bytes.is_empty() && !last {
            return Some(job);
        }
        bytes.shrink_to_fit();
        let part = Part {
            number: job.number,
            bytes,
            charge,
            good,
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

    /// SRV-11: each cost has threads of its own, and deep questions threads of their own inside
    /// the engine.
    #[test]
    fn no_two_deep_questions_share_threads() {
        for (threads, at_once) in [(1, [1; 4]), (2, [2; 4]), (8, [8, 4, 4, 4])] {
            let engine = Engine::builder().threads(threads).build().unwrap();
            let engines = Engines::new(engine).unwrap();
            let mut pools = Vec::new();
            for (cost, at_once) in at_once.into_iter().enumerate() {
                assert_eq!(super::at_once(cost, threads), at_once);
                let alone = engines.of(cost, 0);
                assert_eq!(alone.pool().current_num_threads(), threads);
                let engines = (0..at_once).map(|number| engines.of(cost, number));
                pools.extend(
                    engines
                        .filter(|_| cost > 0)
                        .map(|one| std::ptr::from_ref(one.pool())),
                );
            }
            let deep = pools.len();
            pools.sort_unstable();
            pools.dedup();
            assert_eq!(pools.len(), deep);
        }
    }

    /// A question that comes alone has all threads: the first engine, whichever thread takes it.
    #[test]
    fn the_first_engine_is_taken_first() {
        let account = Account::new(crate::service::account::Ledger::new(100), 100);
        let (reply, _kept) = tokio::sync::mpsc::unbounded_channel();
        let work = |number| Work {
            inquiries: VecDeque::new(),
            cost: Cost::Medium,
            stop: Stop::never(),
            account: Arc::clone(&account),
            number,
            reply: reply.clone(),
        };
        let lane = Lane {
            origin: crate::service::fair_queue::Origin::Here,
            number: 1,
        };
        let mut queues = Queues::default();
        queues.free[1] = (0..3).collect();
        let taken = |queues: &mut Queues, number| {
            queues.waiting[1].push(lane, (work(number), Instant::now()), 1, number);
            queues.take(1).unwrap().3
        };
        assert_eq!([0, 1].map(|number| taken(&mut queues, number)), [0, 1]);
        queues.free[1].insert(0);
        assert_eq!([2, 3].map(|number| taken(&mut queues, number)), [0, 2]);
    }

    /// The dearer a question, the more its threads give way to others.
    #[cfg(target_os = "linux")]
    #[test]
    fn dear_questions_give_way() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let engine = Engine::builder().threads(1).build().unwrap();
        let engines = Engines::new(engine).unwrap();
        let found = [1, 2, 3].map(|cost| engines.of(cost, 0).pool().install(niceness));
        let own = niceness();
        assert_eq!(found, [1, 2, 3].map(|cost| (own + GIVES_WAY[cost]).min(19)));
    }
}
