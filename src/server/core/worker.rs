//! The worker threads behind every transport of the server: [`Workers::submit`] accepts inquiries, and the parts of the
//! answers return through the channel of the work.
//!
//! Each cost has its own threads. More expensive costs run with a higher niceness, so no query waits for a more expensive one
//! (SRV-11). Within a cost, `schedule` selects the next job. rayon steals work while waiting, so two searches in one pool would
//! delay each other: queries that look ahead never share the engine's threads.

use crate::core::counters::{Counters, count};
use crate::core::engines::{COSTS, Engines, NICENESS, at_once};
use crate::core::fair_queue::{Lane, Origin};
use crate::core::large_answer::{self, is_large};
use crate::core::lease::{Lease, lease};
use crate::core::limits::Limits;
use crate::core::memory_budget::ConnectionBudget;
use crate::core::schedule::{ClientUse, CpuLimits, Next, STARTED_MAX, Schedule};
use crate::core::started::Started;
use crate::core::work::{Rest, SubmitOutcome, WorkItem, send, send_rest};
use crate::platform::lower_priority;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::ErrorCode;
use gammond_protocol::answerer::{AnswerParts, Answerer};
use gammond_protocol::{Inquiry, RequestError};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

/// Time after which a thread returns the remaining lines of a connection to the queue.
const LINES_SLICE: Duration = Duration::from_millis(2);
/// Interval of the checks for expired slices.
const TICK: Duration = Duration::from_millis(20);
/// Default limit of a request's processor time, multiplied by the number of threads; it exceeds the longest `time=`.
const REQUEST_CPU_PER_THREAD: Duration = Duration::from_secs(900);

/// An error while starting the worker threads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkersError {
    /// The threads of an engine could not be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A thread that takes queries could not be started.
    #[error(transparent)]
    Spawn(#[from] std::io::Error),
}

/// The worker threads; they end when this is dropped.
#[derive(Debug)]
pub struct Workers {
    core: Arc<Core>,
}

#[derive(Debug)]
struct Core {
    queues: Mutex<Queues>,
    /// Signals for the threads of each cost.
    wake: [Condvar; COSTS],
    /// Signal for the thread that ends slices.
    ticks: Condvar,
    engines: RwLock<Engines>,
    counters: Arc<Counters>,
    queue_max: usize,
    cpu: CpuLimits,
}

#[derive(Debug)]
struct Queues {
    costs: [Schedule; COSTS],
    /// Number of threads of each cost; `idle` counts those that wait for work.
    threads: [usize; COSTS],
    idle: [usize; COSTS],
    clients: ClientUse,
    /// True if queries that look ahead are stopped when they come.
    stopping: bool,
    closed: bool,
}

/// Returns the index of a cost's queue and engines.
const fn place(cost: Cost) -> usize {
    match cost {
        Cost::Free | Cost::Short => 0,
        Cost::Medium => 1,
        Cost::Heavy => 2,
        Cost::Long => 3,
    }
}

impl Queues {
    fn new(threads: usize, clients: ClientUse) -> Queues {
        let schedule = |cost| {
            let slots = at_once(cost, threads);
            Schedule::new(slots, if cost == 0 { slots } else { STARTED_MAX })
        };
        Queues {
            costs: std::array::from_fn(schedule),
            threads: [0; COSTS],
            idle: [0; COSTS],
            clients,
            stopping: false,
            closed: false,
        }
    }

    fn lines(&self) -> usize {
        self.costs.iter().map(Schedule::lines).sum()
    }
}

impl Workers {
    pub(crate) fn start(
        engine: Engine,
        counters: Arc<Counters>,
        limits: &Limits,
    ) -> Result<Workers, WorkersError> {
        let threads = engine.pool().current_num_threads();
        let all = u32::try_from(threads).unwrap_or(u32::MAX);
        let cpu = CpuLimits {
            request: (limits.request_cpu).unwrap_or(REQUEST_CPU_PER_THREAD.saturating_mul(all)),
            client: limits.client_cpu,
        };
        let core = Arc::new(Core {
            queues: Mutex::new(Queues::new(threads, ClientUse::new(cpu.client))),
            wake: Default::default(),
            ticks: Condvar::new(),
            engines: RwLock::new(Engines::new(engine)?),
            counters,
            queue_max: limits.queue_max,
            cpu,
        });
        // Those of a paused job come when they are needed.
        for cost in 0..COSTS {
            for _ in 0..at_once(cost, threads) {
                core.spawn(&mut core.lock(), cost)?;
            }
        }
        let ticking = Arc::clone(&core);
        let builder = std::thread::Builder::new().name("slices".to_owned());
        builder.spawn(move || ticking.end_slices())?;
        Ok(Workers { core })
    }

    /// Submits work: the one entry for TCP, HTTP, NATS and messages. Cost, fairness, memory, processor time and
    /// cancellation are the same for all of them.
    pub fn submit(&self, lane: Lane, work: WorkItem) -> SubmitOutcome {
        if work.cost == Cost::Free
            && let Some(inquiry) = work.inquiries.front()
        {
            let mut bytes = Vec::new();
            let engine = self.engine();
            let answerer = Answerer::observed(&engine, &*self.core.counters);
            let good = answerer.answer(inquiry, &Stop::never(), &mut bytes);
            return SubmitOutcome::Answered { bytes, good };
        }
        let short = work.cost == Cost::Short;
        let Err((work, reason)) = self.queue(lane, Box::new(work)) else {
            return SubmitOutcome::Queued;
        };
        SubmitOutcome::Busy {
            bytes: self.refuse_all(&work, reason),
            wait: (!short).then(|| self.wait_of(lane.origin)).flatten(),
        }
    }

    /// Waits for a lease to compute on the calling thread, under the same rules as [`Workers::submit`].
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn lease(
        &self,
        lane: Lane,
        cost: Cost,
        stop: &Stop,
        connection_budget: &Arc<ConnectionBudget>,
    ) -> Result<Lease, RequestError> {
        let (offer, awaited) = lease();
        // The channel stays empty; while it is open the work is wanted.
        let (reply, _wanted) = unbounded_channel();
        let work = WorkItem::leased(offer, cost, stop.clone(), connection_budget, reply);
        if let Err((_, reason)) = self.queue(lane, Box::new(work)) {
            count(&self.core.counters.busy);
            return Err(busy(reason));
        }
        awaited.wait().map_err(|_| {
            let message = "request was cancelled before it began";
            RequestError::new(ErrorCode::Stopped, "request", message)
        })
    }

    /// Queues work, or returns it with the reason if the client has to wait.
    fn queue(
        &self,
        lane: Lane,
        mut work: Box<WorkItem>,
    ) -> Result<(), (Box<WorkItem>, &'static str)> {
        let mut queues = self.core.lock();
        if queues.stopping && place(work.cost) > 0 && work.lease.is_none() {
            work.stop.trigger();
            work.cost = Cost::Short;
        }
        let (cost, lines) = (place(work.cost), work.lines());
        let spent = cost > 0 && queues.clients.is_over(lane.origin, Instant::now());
        if spent {
            return Err((work, "this client has used its processor time of an hour"));
        }
        let (closed, most) = (queues.closed, self.core.queue_max);
        let waiting = queues.costs.get_mut(cost);
        match waiting.filter(|waiting| !closed && waiting.admits(lane.origin, lines, most)) {
            Some(waiting) => waiting.push(lane, work, Instant::now()),
            None => return Err((work, "too many queries wait")),
        }
        self.core.note_queued(&queues);
        self.core.dispatch(&mut queues, cost);
        Ok(())
    }

    /// Gives these clients limits of processor time of their own.
    pub(crate) fn limit_clients(&self, limits: HashMap<Origin, Duration>) {
        self.core.lock().clients.set_limits(limits);
    }

    /// Returns the time until a client that has used its processor time of an hour may continue.
    pub(crate) fn wait_of(&self, origin: Origin) -> Option<Duration> {
        self.core.lock().clients.wait(origin, Instant::now())
    }

    /// Resumes a connection whose client has read answers, so that there is room for more.
    pub(crate) fn unpark(&self, lane: Lane) {
        let mut queues = self.core.lock();
        for cost in 0..COSTS {
            if let Some(waiting) = queues.costs.get_mut(cost) {
                waiting.unpark(lane);
            }
            self.core.dispatch(&mut queues, cost);
        }
    }

    /// Removes the queued work of a closed connection (SRV-12). Its stop tokens must have been triggered before.
    pub fn forget(&self, lane: Lane) {
        let mut queues = self.core.lock();
        for waiting in &mut queues.costs {
            waiting.forget(lane);
        }
        self.core.note_queued(&queues);
    }

    /// Moves queued work that its client has stopped to the short queue: it is answered without look-ahead and waits
    /// behind no more expensive work.
    pub(crate) fn hurry(&self, lane: Lane) {
        let mut queues = self.core.lock();
        for cost in 1..COSTS {
            let stopped = (queues.costs.get_mut(cost)).map(|waiting| waiting.take_stopped(lane));
            for (mut job, since) in stopped.into_iter().flatten() {
                job.cost = Cost::Short;
                if let Some(short) = queues.costs.first_mut() {
                    short.push(lane, Box::new(job), since);
                }
            }
        }
        self.core.dispatch(&mut queues, 0);
    }

    /// Stops all queries that look ahead, and those that still come: each is answered in a moment, with its results
    /// so far or with an error.
    pub(crate) fn stop_all(&self) {
        let mut queues = self.core.lock();
        queues.stopping = true;
        let deep = queues.costs.iter().skip(1);
        let lanes: Vec<Lane> = deep.flat_map(Schedule::stop_all).collect();
        drop(queues);
        lanes.into_iter().for_each(|lane| self.hurry(lane));
    }

    /// Appends an error as the answer to one inquiry.
    pub fn refuse(&self, inquiry: &Inquiry, error: &RequestError, out: &mut Vec<u8>) {
        Answerer::new(&self.engine()).refuse(inquiry, error, out);
    }

    /// Refuses work that a transport has no room for.
    pub fn busy(&self, work: &WorkItem, reason: &str) -> SubmitOutcome {
        SubmitOutcome::Busy {
            bytes: self.refuse_all(work, reason),
            wait: None,
        }
    }

    fn refuse_all(&self, work: &WorkItem, reason: &str) -> Vec<u8> {
        let engine = self.engine();
        let answerer = Answerer::observed(&engine, &*self.core.counters);
        let mut bytes = Vec::new();
        for inquiry in &work.inquiries {
            count(&self.core.counters.busy);
            answerer.refuse(inquiry, &busy(reason), &mut bytes);
        }
        bytes
    }

    /// Replaces the engine from the next query on; the threads stay.
    pub(crate) fn replace(&self, engine: &Engine) {
        let engines = self.core.engines.write();
        let mut engines = engines.unwrap_or_else(PoisonError::into_inner);
        engines.replace(engine);
    }

    /// Returns the current engine.
    pub(crate) fn engine(&self) -> Engine {
        let engines = self.core.engines.read();
        engines.unwrap_or_else(PoisonError::into_inner).short()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // Not joined: a query that does not stop must not keep the program from ending.
        self.core.lock().closed = true;
        self.core.wake.iter().for_each(Condvar::notify_all);
        self.core.ticks.notify_all();
    }
}

/// Returns the error of a query that a limit of processor time has ended.
pub(crate) fn out_of_time() -> RequestError {
    let message = "query used all the processor time that a request may use";
    RequestError::new(ErrorCode::Timeout, "query", message)
}

fn busy(reason: &str) -> RequestError {
    RequestError::new(ErrorCode::Busy, "server", format!("busy: {reason}"))
}

impl Core {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        // No code that holds the lock can panic half-way through a change.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an engine of a cost by its number, created on first use.
    fn engine(&self, cost: usize, number: usize) -> Result<Engine, EngineError> {
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = engines.get(cost, number) {
            return Ok(engine);
        }
        drop(engines);
        let mut engines = self.engines.write().unwrap_or_else(PoisonError::into_inner);
        engines.make(cost, number)
    }

    fn note_queued(&self, queues: &Queues) {
        self.counters
            .queued
            .store(queues.lines() as u64, Ordering::Relaxed);
    }

    /// Wakes or starts a thread if work of a cost can begin.
    fn dispatch(self: &Arc<Core>, queues: &mut Queues, cost: usize) {
        let Some(waiting) = queues.costs.get(cost) else {
            return;
        };
        if !waiting.could_begin() {
            return;
        }
        let idle = queues.idle.get(cost).copied().unwrap_or_default();
        if idle == 0
            && let Err(error) = self.spawn(queues, cost)
        {
            tracing::warn!(%error, "no more threads");
        }
        if let Some(wake) = self.wake.get(cost) {
            wake.notify_one();
        }
    }

    /// Starts one more thread of a cost, unless there are enough for all jobs that may have begun.
    fn spawn(self: &Arc<Core>, queues: &mut Queues, cost: usize) -> std::io::Result<()> {
        let most = queues.costs.get(cost).map_or(0, Schedule::threads_max);
        let Some(threads) = queues
            .threads
            .get_mut(cost)
            .filter(|threads| **threads < most)
        else {
            return Ok(());
        };
        let name = Cost::COMPUTED.get(cost).map_or("", |cost| cost.name());
        let steps = NICENESS.get(cost).copied().unwrap_or_default();
        let core = Arc::clone(self);
        std::thread::Builder::new()
            .name(format!("{name}-{threads}"))
            .spawn(move || {
                lower_priority(steps);
                core.work(cost);
            })?;
        *threads += 1;
        Ok(())
    }

    /// Runs a worker thread: takes and answers queries of one cost.
    fn work(self: &Arc<Core>, cost: usize) {
        let Some(wake) = self.wake.get(cost) else {
            return;
        };
        let mut queues = self.lock();
        loop {
            let waiting = queues.costs.get_mut(cost);
            let next = waiting.and_then(|waiting| waiting.next(Instant::now()));
            if cost > 0 {
                // Jobs may have been resumed, also where no new one begins.
                self.ticks.notify_one();
            }
            if let Some(next) = next {
                self.note_queued(&queues);
                self.dispatch(&mut queues, cost);
                drop(queues);
                queues = self.compute(cost, next);
            } else if queues.closed {
                return;
            } else {
                set(&mut queues.idle, cost, |idle| idle + 1);
                queues = wake.wait(queues).unwrap_or_else(PoisonError::into_inner);
                set(&mut queues.idle, cost, |idle| idle - 1);
            }
        }
    }

    /// Computes a job until it ends or returns to a queue.
    fn compute(self: &Arc<Core>, cost: usize, next: Next) -> MutexGuard<'_, Queues> {
        let Next {
            mut work,
            since,
            job,
        } = next;
        let (named, lines) = (work.cost, work.lines());
        let left = match self.engine(cost, job.engine) {
            Ok(engine) => match work.lease.take() {
                Some(lease) => {
                    lease.grant(engine, &job);
                    None
                }
                None => self.run(work, &job, &engine),
            },
            Err(error) => {
                tracing::error!(%error, "no threads for a query");
                self.refuse(work);
                None
            }
        };
        let done = lines - left.as_ref().map_or(0, WorkItem::lines);
        self.counters
            .record_latency(named, since.elapsed(), done as u64);
        let mut queues = self.lock();
        if let Some(waiting) = queues.costs.get_mut(cost) {
            waiting.finish(&job, Instant::now());
        }
        // The stop is triggered before the lane is forgotten, so nothing is put back behind
        // that.
        let waited_for = |work: &WorkItem| {
            !work.stop.is_triggered() || work.rest.is_some() && !work.is_abandoned()
        };
        if let Some(work) = left.filter(waited_for) {
            let next = place(work.cost);
            if let Some(waiting) = queues.costs.get_mut(next) {
                waiting.push(job.lane, Box::new(work), since);
            }
            if next != cost {
                self.dispatch(&mut queues, next);
            }
        }
        self.note_queued(&queues);
        queues
    }

    /// Refuses work for which no thread can be started.
    fn refuse(&self, mut work: WorkItem) {
        let mut bytes = Vec::new();
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        let engine = engines.short();
        let answerer = Answerer::observed(&engine, &*self.counters);
        for inquiry in work.inquiries.drain(..) {
            answerer.refuse(&inquiry, &busy("no threads are left"), &mut bytes);
        }
        let reservation = work.connection_budget.charge(bytes.len());
        send(&work, bytes, reservation, false);
    }

    /// Ends the slices of running jobs while other jobs wait.
    fn end_slices(self: Arc<Core>) {
        let mut queues = self.lock();
        while !queues.closed {
            let deep = queues.costs.iter().skip(1);
            let runs = { deep }.any(Schedule::is_running);
            if !runs {
                queues = (self.ticks.wait(queues)).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let waited = self.ticks.wait_timeout(queues, TICK);
            (queues, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let Queues { costs, clients, .. } = &mut *queues;
            for (cost, schedule) in costs.iter_mut().enumerate().skip(1) {
                let threads = |number| engines.threads(cost, number);
                schedule.tick(now, self.cpu, threads, clients);
            }
            drop(engines);
            for cost in 1..COSTS {
                self.dispatch(&mut queues, cost);
            }
        }
    }

    /// Answers a job's inquiries until its time slice or its room for answers is used up, or an inquiry costs more than
    /// estimated; returns the rest of the job.
    fn run(&self, mut job: WorkItem, started: &Started, engine: &Engine) -> Option<WorkItem> {
        if !send_rest(&mut job) {
            return (!job.is_abandoned()).then_some(job);
        }
        let answerer = Answerer::observed(engine, &*self.counters);
        let began = Instant::now();
        let mut bytes = Vec::new();
        let mut reservation = job.connection_budget.charge(0);
        let mut good = true;
        while let Some(inquiry) = job.inquiries.front() {
            // No client waits for the answer: the connection is gone (SRV-12).
            let stopped = job.stop.is_triggered();
            if job.is_abandoned() {
                return None;
            }
            let start = bytes.len();
            if start > 0 && (inquiry.task.sends_progress() || inquiry.task.held() > 0) {
                // Earlier answers go out before one that comes in parts.
                break;
            }
            let full = !job
                .connection_budget
                .memory_budget()
                .has_room(large_answer::LARGE_ANSWER_BYTES);
            let wide = (job.cost == Cost::Short && !stopped || full) && is_large(inquiry);
            if wide && job.cost == Cost::Short {
                job.cost = Cost::Heavy;
                break;
            }
            // A wide answer that there is no room for is not even computed.
            let cancelled = stopped && !inquiry.fallback_to_static;
            let answered = match wide || cancelled {
                true => None,
                false => self.answer(&answerer, (inquiry, &job, started), &mut bytes),
            };
            let rest = match answered {
                Some((one, rest)) => {
                    good &= one;
                    rest
                }
                None => {
                    bytes.truncate(start);
                    let error = if cancelled {
                        let message = "request was cancelled before it began";
                        RequestError::new(ErrorCode::Stopped, "request", message)
                    } else {
                        count(&self.counters.busy);
                        busy("too many answers wait to be read")
                    };
                    good &= answerer.refuse(inquiry, &error, &mut bytes);
                    None
                }
            };
            reservation.absorb(job.connection_budget.charge(bytes.len() - start));
            job.inquiries.pop_front();
            if rest.is_some() {
                // The rest is only sending.
                (job.rest, job.cost) = (rest, Cost::Short);
                break;
            }
            if began.elapsed() >= LINES_SLICE || !job.connection_budget.has_room_for(job.number) {
                break;
            }
        }
        bytes.shrink_to_fit();
        let done = job.inquiries.is_empty() && job.rest.is_none();
        if !bytes.is_empty() || done {
            send(&job, bytes, reservation, good);
        }
        if !done {
            send_rest(&mut job);
        }
        (!job.inquiries.is_empty() || job.rest.is_some()).then_some(job)
    }

    /// Appends the answer to one inquiry, or the first chunk of a long one, whose rest is returned. Returns `None` if there is
    /// no room for it.
    fn answer(
        &self,
        answerer: &Answerer<'_>,
        (inquiry, job, started): (&Inquiry, &WorkItem, &Started),
        bytes: &mut Vec<u8>,
    ) -> Option<(bool, Option<Rest>)> {
        let start = bytes.len();
        let memory_budget = job.connection_budget.memory_budget();
        let mut on_progress = |line: Vec<u8>| job.send_progress(line);
        let spent = || started.is_spent().then(out_of_time);
        let stop = &started.stop;
        let answered = answerer.answer_in_parts(inquiry, stop, bytes, &mut on_progress, &spent);
        let AnswerParts { good, body } = answered;
        let Some(body) = body else {
            return memory_budget
                .has_room(bytes.len() - start)
                .then_some((good, None));
        };
        let length = bytes.len() - start + body.len();
        match job.answer_bytes_max {
            Some(most) if length > most => {
                bytes.truncate(start);
                let message = format!("answer has {length} bytes, the NATS server takes {most}");
                let error = RequestError::new(ErrorCode::AnswerTooLong, "answer", message);
                Some((answerer.refuse(inquiry, &error, bytes), None))
            }
            Some(_) => {
                body.write_to(bytes);
                bytes.push(b'\n');
                Some((good, None))
            }
            None => {
                let memory = memory_budget.reserve(body.held())?;
                Some((good, Some(Rest::new(body.into_chunks(), memory))))
            }
        }
    }
}

/// Updates one of several counts.
fn set(counts: &mut [usize], place: usize, change: impl Fn(usize) -> usize) {
    if let Some(count) = counts.get_mut(place) {
        *count = change(*count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads of more expensive queries have a higher niceness.
    #[cfg(target_os = "linux")]
    #[test]
    fn expensive_queries_run_at_lower_priority() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let engine = Engine::builder().threads(1).build().unwrap();
        let engines = Engines::new(engine).unwrap();
        let found = [1, 2, 3].map(|cost| engines.get(cost, 0).unwrap().pool().install(niceness));
        let own = niceness();
        assert_eq!(found, [1, 2, 3].map(|cost| (own + NICENESS[cost]).min(19)));
    }
}
