//! The threads that compute for sockets, and the two queues in front of them.
//!
//! Interactive work goes first. Bulk work never takes the last thread: while some of it runs, one
//! more thread than configured may answer interactive lines, so these never wait for it (SRV-11).
//! A panic costs the line that caused it an `internal` error and nothing else (SRV-13).

use super::answer::{Outcome, respond};
use super::counters::{Counters, count};
use super::limits::Limits;
use super::{external, ubgi};
use crate::engine::{Engine, EngineError};
use crate::protocol::answer::{self, Addressee};
use crate::protocol::external::Question;
use crate::protocol::{AnswerStyle, Queue, RequestError, SessionSettings, parse_line};
use crate::query::Stop;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;
use tokio::sync::oneshot;

/// Something to compute, and where the answer goes.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) queue: Queue,
    pub(super) stop: Stop,
    pub(super) reply: oneshot::Sender<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum Work {
    /// Request lines of one session.
    Lines(Batch, Arc<SessionSettings>),
    External(Box<Question>),
    Ubgi(Box<crate::protocol::ubgi::Question>),
}

/// Lines in one piece of memory.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Batch {
    pub(super) fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let line = |(start, &end)| self.bytes.get(start..end).unwrap_or_default();
        starts.zip(&self.ends).map(line)
    }
}

impl Work {
    fn lines(&self) -> usize {
        match self {
            Work::Lines(batch, _) => batch.len(),
            Work::External(_) | Work::Ubgi(_) => 1,
        }
    }
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
    /// The engine for interactive work and the one for bulk work: the same nets and cache, but
    /// each with threads of its own, so that neither waits for the other's.
    engines: RwLock<[Engine; 2]>,
    counters: Arc<Counters>,
    queue_max: usize,
    threads: usize,
}

#[derive(Debug, Default)]
struct Queues {
    interactive: VecDeque<(Job, Instant)>,
    bulk: VecDeque<(Job, Instant)>,
    lines: usize,
    interactive_running: usize,
    bulk_running: usize,
    closed: bool,
}

impl Queues {
    fn take(&mut self, threads: usize) -> Option<(Job, Instant)> {
        let running = self.interactive_running + self.bulk_running;
        let spare = usize::from(self.bulk_running > 0);
        if running < threads + spare
            && let Some(job) = self.interactive.pop_front()
        {
            self.interactive_running += 1;
            return Some(job);
        }
        if running < threads && self.interactive.is_empty() {
            let job = self.bulk.pop_front()?;
            self.bulk_running += 1;
            return Some(job);
        }
        None
    }
}

impl Workers {
    pub(super) fn start(
        engine: Engine,
        counters: Arc<Counters>,
        limits: &Limits,
    ) -> Result<Workers, String> {
        let threads = engine.pool().current_num_threads().max(1);
        let shared = Arc::new(Shared {
            queues: Mutex::default(),
            wake: Condvar::new(),
            engines: RwLock::new(with_bulk(engine).map_err(|error| error.to_string())?),
            counters,
            queue_max: limits.queue_max,
            threads,
        });
        let start = |number| {
            let shared = Arc::clone(&shared);
            let builder = std::thread::Builder::new().name(format!("worker-{number}"));
            builder.spawn(move || shared.work())
        };
        let threads = (0..=threads).map(start).collect::<Result<_, _>>();
        let threads = threads.map_err(|error| error.to_string())?;
        Ok(Workers { shared, threads })
    }

    /// Queues a job, or gives its work back when the queue is full.
    pub(super) fn submit(&self, job: Job) -> Result<(), Work> {
        let mut queues = self.shared.lock();
        let lines = job.work.lines();
        if queues.closed || queues.lines + lines > self.shared.queue_max {
            return Err(job.work);
        }
        queues.lines += lines;
        self.shared.note_queued(&queues);
        let entry = (job, Instant::now());
        match entry.0.queue {
            Queue::Interactive => queues.interactive.push_back(entry),
            _ => queues.bulk.push_back(entry),
        }
        drop(queues);
        self.shared.wake.notify_one();
        Ok(())
    }

    /// Another engine from the next query on.
    pub(super) fn replace(&self, engine: Engine) -> Result<(), EngineError> {
        let engines = with_bulk(engine)?;
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
        self.shared.engine(Queue::Interactive)
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

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        // No code that holds the lock can panic half-way through a change.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine(&self, queue: Queue) -> Engine {
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        let [interactive, bulk] = &*engines;
        match queue {
            Queue::Interactive => interactive.clone(),
            Queue::Bulk => bulk.clone(),
        }
    }

    fn note_queued(&self, queues: &Queues) {
        self.counters
            .queued
            .store(queues.lines as u64, Ordering::Relaxed);
    }

    fn work(&self) {
        let mut queues = self.lock();
        loop {
            if let Some((job, queued)) = queues.take(self.threads) {
                let lines = job.work.lines();
                queues.lines -= lines;
                self.note_queued(&queues);
                let more = !queues.interactive.is_empty() || !queues.bulk.is_empty();
                drop(queues);
                if more {
                    self.wake.notify_one();
                }
                let queue = job.queue;
                self.run(job);
                self.counters.note_latency(queued.elapsed(), lines as u64);
                queues = self.lock();
                match queue {
                    Queue::Interactive => queues.interactive_running -= 1,
                    _ => queues.bulk_running -= 1,
                }
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

    fn run(&self, job: Job) {
        // Nobody waits for the answer any more: the connection is gone (SRV-12).
        if job.stop.is_triggered() || job.reply.is_closed() {
            return;
        }
        let engine = self.engine(job.queue);
        let mut out = Vec::new();
        match &job.work {
            Work::Lines(batch, session) => {
                for line in batch.lines() {
                    if job.stop.is_triggered() {
                        return;
                    }
                    self.line(&engine, line, session, &job.stop, &mut out);
                }
            }
            Work::External(question) => {
                let text = self.guarded(|| external::reply(&engine, question, &job.stop));
                let text = text.unwrap_or_else(|error| format!("Error: {error}"));
                out.extend_from_slice(text.as_bytes());
                count(&self.counters.answered);
            }
            Work::Ubgi(question) => {
                let text = self.guarded(|| ubgi::reply(&engine, question, &job.stop));
                let text = text.unwrap_or_else(|_| "error bad_state internal\n".into());
                out.extend_from_slice(text.as_bytes());
                count(&self.counters.answered);
            }
        }
        // The receiver may have gone in the meantime.
        let _ = job.reply.send(out);
    }

    fn line(
        &self,
        engine: &Engine,
        line: &[u8],
        session: &SessionSettings,
        stop: &Stop,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        let outcome = self.guarded(|| respond(engine, line, session, None, stop, out));
        count(&self.counters.answered);
        match outcome {
            Ok(Outcome::Refused) => count(&self.counters.errors),
            Ok(_) => {}
            Err(error) => {
                out.truncate(start);
                count(&self.counters.errors);
                refuse(line, session, &error, out);
            }
        }
    }

    /// Runs a query; a panic becomes an error with its number.
    fn guarded<T>(&self, query: impl FnOnce() -> T) -> Result<T, RequestError> {
        // What a panic leaves behind is dropped: the answer so far, and the query itself.
        catch_unwind(AssertUnwindSafe(query)).map_err(|_| {
            let number = self.counters.panics.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::error!(number, "panic inside a query");
            RequestError::new("internal", "query", format!("internal error {number}"))
        })
    }
}

fn with_bulk(engine: Engine) -> Result<[Engine; 2], EngineError> {
    let bulk = engine.with_own_threads()?;
    Ok([engine, bulk])
}

/// Answers a line with an error that does not come from reading it; the line's id comes back.
pub(super) fn refuse(
    line: &[u8],
    session: &SessionSettings,
    error: &RequestError,
    out: &mut Vec<u8>,
) {
    let parsed = catch_unwind(|| parse_line(line, session)).ok().flatten();
    let (id, style) = match parsed {
        Some(Ok(line)) => (line.id, line.style),
        Some(Err(refusal)) => (refusal.id, refusal.style),
        None => (None, AnswerStyle::Json),
    };
    let to = Addressee {
        id: id.as_deref(),
        style,
    };
    answer::error(to, error, None, out);
}
