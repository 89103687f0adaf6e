//! One connection: bytes in, lines to the right protocol, answers out in order.
//!
//! The task only moves bytes and waits; everything that computes goes to the workers. An idle
//! connection holds no buffer: bytes are read into a buffer of the thread.

use super::counters::count;
use super::limits::READ_BYTES;
use super::line_codec::{Cut, LineCodec};
use super::server::{Phase, Shared, reached};
use super::worker::{Batch, Job, Work, refuse};
use crate::protocol::answer::{self, Addressee};
use crate::protocol::external::{self, External};
use crate::protocol::ubgi::{self, Ubgi};
use crate::protocol::{
    LINE_BYTES_MAX, LineKind, Queue, Request, RequestError, SessionSettings, line_kind, parse_line,
};
use crate::query::Stop;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};

/// Which protocol a connection speaks; its first line tells (SRV-04).
#[derive(Debug)]
enum Mode {
    Undecided,
    Requests,
    External(Box<External>),
    Ubgi(Box<Ubgi>),
}

/// An answer on its way.
#[derive(Debug)]
struct Pending {
    reply: oneshot::Receiver<Vec<u8>>,
    lines: usize,
}

/// Everything a connection remembers while something goes on.
pub(super) struct Connection<S> {
    stream: S,
    shared: Arc<Shared>,
    phase: watch::Receiver<Phase>,
    codec: LineCodec,
    mode: Mode,
    session: Arc<SessionSettings>,
    pending: VecDeque<Pending>,
    lines_pending: usize,
    out: Vec<u8>,
    stop: Stop,
    /// When the last byte came, or the first of a line that has not ended.
    since: Instant,
    long_lines: u32,
    input_ended: bool,
    closing: bool,
}

/// What woke a connection.
enum Event {
    /// Bytes; whether an unfinished line was there before them.
    Bytes {
        had_partial: bool,
    },
    InputEnded,
    Answer(Result<Vec<u8>, oneshot::error::RecvError>),
    TimeOver,
    Phase,
}

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// Serves one stream until it ends.
pub(super) async fn serve<S>(stream: S, shared: Arc<Shared>, server_language: bool)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mode = if server_language {
        Mode::External(Box::new(External::server(shared.rules())))
    } else {
        Mode::Undecided
    };
    let mut connection = Connection {
        stream,
        phase: shared.phase.subscribe(),
        codec: LineCodec::new(LINE_BYTES_MAX),
        mode,
        session: Arc::clone(&shared.session),
        pending: VecDeque::new(),
        lines_pending: 0,
        out: Vec::new(),
        stop: Stop::new(),
        since: Instant::now(),
        long_lines: 0,
        input_ended: false,
        closing: false,
        shared,
    };
    let ended = connection.run().await;
    // Whatever still computes for this peer is not wanted any more (SRV-12).
    connection.stop.trigger();
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    async fn run(&mut self) -> io::Result<()> {
        loop {
            self.dispatch();
            self.flush().await?;
            if self.pending.is_empty() && (self.closing || self.input_ended) {
                return self.finish().await;
            }
            match self.wait().await? {
                Event::Bytes { had_partial: true } => {}
                Event::Bytes { had_partial: false } => self.since = Instant::now(),
                Event::InputEnded => {
                    self.input_ended = true;
                    self.codec.finish();
                }
                Event::Answer(answer) => self.take_answers(answer),
                Event::TimeOver => {
                    count(&self.shared.counters.timeouts);
                    self.say_timeout();
                    self.closing = true;
                }
                Event::Phase => match *self.phase.borrow_and_update() {
                    Phase::Run => {}
                    Phase::Drain => self.closing = true,
                    Phase::Cut => return Ok(()),
                },
            }
        }
    }

    async fn finish(&mut self) -> io::Result<()> {
        let limit = self.shared.limits.write_timeout;
        let _ = timeout(limit, self.stream.shutdown()).await;
        Ok(())
    }

    /// Waits for bytes, the next answer, the time limit or the order to end.
    async fn wait(&mut self) -> io::Result<Event> {
        let room = self.lines_pending < self.shared.limits.in_flight_max;
        let reads = !self.input_ended && !self.closing && room && self.codec.peek().is_none();
        let deadline = if reads && self.pending.is_empty() {
            self.deadline()
        } else {
            None
        };
        let had_partial = self.codec.has_partial();
        let (stream, codec) = (&mut self.stream, &mut self.codec);
        let front = self.pending.front_mut().map(|pending| &mut pending.reply);
        tokio::select! {
            biased;
            changed = self.phase.changed() => {
                // The sender lives as long as the server; without it there is nothing to serve.
                if changed.is_err() {
                    self.closing = true;
                }
                Ok(Event::Phase)
            }
            answer = async { match front {
                Some(reply) => reply.await,
                None => std::future::pending().await,
            } } => Ok(Event::Answer(answer)),
            count = read(stream, codec), if reads => Ok(match count? {
                0 => Event::InputEnded,
                _ => Event::Bytes { had_partial },
            }),
            () = async { match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            } } => Ok(Event::TimeOver),
        }
    }

    /// When this connection has been quiet, or a line unfinished, for too long (SRV-08).
    fn deadline(&self) -> Option<Instant> {
        let limits = &self.shared.limits;
        if self.codec.has_partial() {
            return Some(self.since + limits.line_timeout);
        }
        // gnubg keeps one connection for a whole session, however long its user thinks.
        let patient = matches!(self.mode, Mode::External(_) | Mode::Ubgi(_));
        let limit = limits.idle_timeout;
        (!patient && !limit.is_zero()).then(|| self.since + limit)
    }

    fn say_timeout(&mut self) {
        // A byte that was not asked for would spoil gnubg's next question (EXT-05).
        if matches!(self.mode, Mode::Undecided | Mode::Requests) {
            let error = RequestError::new("timeout", "connection", "connection was quiet too long");
            self.say_error(&error);
        }
    }

    fn say_error(&mut self, error: &RequestError) {
        let to = Addressee {
            id: None,
            style: self.session.style,
        };
        answer::error(to, error, None, &mut self.out);
    }

    /// Collects an answer, and those behind it that are ready as well.
    fn take_answers(&mut self, first: Result<Vec<u8>, oneshot::error::RecvError>) {
        self.since = Instant::now();
        let mut next = Some(first);
        while let Some(answer) = next {
            let lines = self.pending.pop_front().map_or(0, |pending| pending.lines);
            self.lines_pending -= lines;
            match answer {
                Ok(bytes) => self.write_answer(&bytes),
                // The worker dropped the job because this connection's stop was triggered.
                Err(_) => self.closing = true,
            }
            let front = self.pending.front_mut();
            let full = self.out.len() >= self.shared.limits.unsent_bytes_max;
            next = front
                .filter(|_| !full)
                .and_then(|pending| match pending.reply.try_recv() {
                    Ok(bytes) => Some(Ok(bytes)),
                    Err(_) => None,
                });
        }
    }

    fn write_answer(&mut self, bytes: &[u8]) {
        match &mut self.mode {
            Mode::External(machine) => {
                // Debug lines precede the reply proper, which is the last line.
                machine.replied(&String::from_utf8_lossy(bytes));
                self.out.extend_from_slice(bytes);
                self.out.push(b'\n');
            }
            _ => self.out.extend_from_slice(bytes),
        }
    }

    /// Sends what waits; a peer that takes nothing is cut (SRV-09).
    async fn flush(&mut self) -> io::Result<()> {
        let mut sent = 0;
        while let Some(rest) = self.out.get(sent..).filter(|rest| !rest.is_empty()) {
            let limit = self.shared.limits.write_timeout;
            let written = tokio::select! {
                written = timeout(limit, self.stream.write(rest)) => written,
                () = reached(&mut self.phase, Phase::Cut) => return Ok(()),
            };
            match written {
                Ok(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(Ok(count)) => sent += count,
                Ok(Err(error)) => return Err(error),
                Err(_) => {
                    count(&self.shared.counters.timeouts);
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
        self.out = Vec::new();
        Ok(())
    }

    /// Hands complete lines to whom they concern, until the limits are reached.
    fn dispatch(&mut self) {
        while !self.closing && self.lines_pending < self.shared.limits.in_flight_max {
            let line = match self.codec.peek() {
                None => return,
                Some(Cut::TooLong) => {
                    if !self.pending.is_empty() {
                        return;
                    }
                    self.codec.consume();
                    self.too_long();
                    continue;
                }
                Some(Cut::Line(line)) => line,
            };
            if matches!(self.mode, Mode::Undecided) {
                let Some(mode) = first_mode(line, &self.shared) else {
                    self.codec.consume();
                    continue;
                };
                self.mode = mode;
            }
            self.long_lines = 0;
            self.since = Instant::now();
            let went_on = match &self.mode {
                Mode::Undecided | Mode::Requests => self.dispatch_requests(),
                Mode::External(_) => self.dispatch_external(),
                Mode::Ubgi(_) => self.dispatch_ubgi(),
            };
            if !went_on {
                return;
            }
        }
    }

    fn too_long(&mut self) {
        count(&self.shared.counters.long_lines);
        self.long_lines += 1;
        match self.mode {
            Mode::Undecided | Mode::Requests => self.say_error(&RequestError::too_long()),
            Mode::External(_) => self.out.extend_from_slice(b"Error: line is too long\n"),
            Mode::Ubgi(_) => self
                .out
                .extend_from_slice(b"error bad_command line_too_long\n"),
        }
        self.closing |= self.long_lines >= self.shared.limits.long_lines_max;
    }

    /// Takes lines that are answered by themselves as one batch, or one line of the session alone.
    fn dispatch_requests(&mut self) -> bool {
        let limits = &self.shared.limits;
        let room = limits.in_flight_max - self.lines_pending;
        let mut batch = Batch::default();
        let mut queue = None;
        while batch.len() < room.min(limits.batch_max) {
            let Some(Cut::Line(line)) = self.codec.peek() else {
                break;
            };
            match line_kind(line) {
                LineKind::Nothing => {}
                LineKind::Session if batch.len() > 0 || !self.pending.is_empty() => break,
                LineKind::Session => {
                    let line = line.to_vec();
                    self.codec.consume();
                    self.session_line(&line);
                    return true;
                }
                LineKind::Request => {
                    let (wanted, alone) = queue_of(line, &self.session);
                    if queue.is_some_and(|queue| queue != wanted) || (alone && batch.len() > 0) {
                        break;
                    }
                    queue = Some(wanted);
                    batch.push(line);
                    if alone {
                        self.codec.consume();
                        break;
                    }
                }
            }
            self.codec.consume();
        }
        let Some(queue) = queue else {
            // Only lines that ask nothing, or a session line that waits for answers before it.
            return self.pending.is_empty();
        };
        let work = Work::Lines(batch, Arc::clone(&self.session));
        self.submit(work, queue);
        true
    }

    /// `set`, `get`, `stats`, `quit`: nothing to compute.
    fn session_line(&mut self, line: &[u8]) {
        count(&self.shared.counters.answered);
        let parsed = match parse_line(line, &self.session) {
            None => return,
            Some(Err(refusal)) => {
                count(&self.shared.counters.errors);
                answer::error(
                    Addressee::from(&refusal),
                    &refusal.error,
                    None,
                    &mut self.out,
                );
                return;
            }
            Some(Ok(parsed)) => parsed,
        };
        let to = Addressee::from(&parsed);
        let out = &mut self.out;
        match &parsed.request {
            Request::Set(changed) => {
                answer::values(to, "set", &answer::settings_value(changed), "set", out);
                self.session = Arc::new((**changed).clone());
            }
            Request::Get => {
                let settings = answer::settings_value(&self.session);
                answer::values(to, "get", &settings, &settings.to_string(), out);
            }
            Request::Stats => {
                let stats = self.shared.stats();
                answer::values(to, "stats", &stats, &stats.to_string(), out);
            }
            _ => {
                answer::values(to, "quit", &serde_json::json!({}), "quit", out);
                self.closing = true;
            }
        }
    }

    fn submit(&mut self, work: Work, queue: Queue) {
        let lines = match &work {
            Work::Lines(batch, _) => batch.len(),
            Work::External(_) | Work::Ubgi(_) => 1,
        };
        let (sender, reply) = oneshot::channel();
        let job = Job {
            work,
            queue,
            stop: self.stop.clone(),
            reply: sender,
        };
        let Err(work) = self.shared.workers.submit(job) else {
            self.lines_pending += lines;
            self.pending.push_back(Pending { reply, lines });
            return;
        };
        let busy = &self.shared.counters.busy;
        busy.fetch_add(lines as u64, Ordering::Relaxed);
        let mut text = Vec::new();
        match work {
            Work::Lines(batch, session) => {
                let error = RequestError::new("busy", "server", "busy: too many queries wait");
                for line in batch.lines() {
                    refuse(line, &session, &error, &mut text);
                }
            }
            Work::External(_) => text.extend_from_slice(b"Error: busy"),
            Work::Ubgi(_) => text.extend_from_slice(b"error bad_state busy\n"),
        }
        // Goes the way of every answer, so that the order is kept.
        let (sender, reply) = oneshot::channel();
        let _ = sender.send(text);
        self.lines_pending += lines;
        self.pending.push_back(Pending { reply, lines });
    }

    /// One line of gnubg's protocol: a question is answered before the next line is looked at.
    fn dispatch_external(&mut self) -> bool {
        if !self.pending.is_empty() {
            return false;
        }
        let (Mode::External(machine), Some(Cut::Line(line))) = (&mut self.mode, self.codec.peek())
        else {
            return false;
        };
        let step = machine.line(line);
        self.codec.consume();
        match step {
            external::Step::Silence => {}
            external::Step::Say(text) => self.out.extend_from_slice(text.as_bytes()),
            external::Step::Ask(question) => {
                self.out.extend_from_slice(question.preface.as_bytes());
                self.submit(Work::External(question), Queue::Interactive);
            }
            external::Step::Close => self.closing = true,
        }
        true
    }

    fn dispatch_ubgi(&mut self) -> bool {
        if !self.pending.is_empty() {
            return false;
        }
        let (Mode::Ubgi(machine), Some(Cut::Line(line))) = (&mut self.mode, self.codec.peek())
        else {
            return false;
        };
        let step = machine.line(line);
        self.codec.consume();
        match step {
            ubgi::Step::Silence => {}
            ubgi::Step::Say(text) => self.out.extend_from_slice(text.as_bytes()),
            ubgi::Step::Ask(question) => self.submit(Work::Ubgi(question), Queue::Interactive),
            ubgi::Step::Rebuild { .. } => {
                // The machine of a socket offers no option that asks for this.
                self.out.extend_from_slice(b"error unsupported key\n");
            }
            ubgi::Step::Quit => self.closing = true,
        }
        true
    }
}

/// Reads into the thread's buffer and feeds the codec; 0 at the end of input.
async fn read<S: AsyncRead + Unpin>(stream: &mut S, codec: &mut LineCodec) -> io::Result<usize> {
    std::future::poll_fn(|context| {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut buffer = ReadBuf::new(scratch);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => {
                    codec.feed(buffer.filled());
                    Poll::Ready(Ok(buffer.filled().len()))
                }
            }
        })
    })
    .await
}

/// The protocol of a connection that begins with this line; `None` while nothing is said.
fn first_mode(line: &[u8], shared: &Shared) -> Option<Mode> {
    if External::begins_with(line) {
        return Some(Mode::External(Box::new(External::new(shared.rules()))));
    }
    if line.trim_ascii() == b"external" {
        return Some(Mode::External(Box::new(External::server(shared.rules()))));
    }
    if Ubgi::begins_with(line) {
        return Some(Mode::Ubgi(Box::new(shared.ubgi())));
    }
    (line_kind(line) != LineKind::Nothing).then_some(Mode::Requests)
}

/// The queue of a line, and whether it is slow enough to be handed over alone (SRV-11).
fn queue_of(line: &[u8], session: &SessionSettings) -> (Queue, bool) {
    let has = |text: &[u8]| line.windows(text.len()).any(|window| window == text);
    let deep = session.search.plies > 1 || session.search.time_ms.is_some();
    let slow = deep
        || [
            &b"plies=2"[..],
            b"plies=3",
            b"plies=4",
            b"time=",
            b"rollout",
        ]
        .iter()
        .any(|text| has(text));
    let usual = if slow {
        Queue::Bulk
    } else {
        Queue::Interactive
    };
    let wanted = match (has(b"queue=interactive"), has(b"queue=bulk")) {
        (true, false) => Some(Queue::Interactive),
        (false, true) => Some(Queue::Bulk),
        _ => session.queue,
    };
    (wanted.unwrap_or(usual), slow)
}
