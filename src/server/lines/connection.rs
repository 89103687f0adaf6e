//! A connection: reads lines for the machine of its dialect and writes the answers in order.
//!
//! The task only moves bytes and waits; all computing is done by the workers. An idle connection holds no buffer: bytes are
//! read into a buffer of the thread.

mod order;

use crate::core::Core;
use crate::core::counters::count;
use crate::core::fair_queue::{Lane, Origin};
use crate::core::faults::catch_panics;
use crate::core::limits::READ_BYTES;
use crate::core::match_memory::MatchMemory;
use crate::core::memory_budget::{ConnectionBudget, Reservation};
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::core::turns::Turn;
use crate::core::work::{Part, SubmitOutcome, WorkItem};
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::ErrorCode;
use gammond_protocol::answerer::Observer as _;
use gammond_protocol::{
    CancelState, Dialect, FramedLine, Inquiry, LINE_BYTES_MAX, LineAction, LineCodec, RequestError,
    Session,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// Timeout for the rest of a line when the server is cut.
const LAST_LINE_TIMEOUT: Duration = Duration::from_millis(100);
/// Silence of a peer, after the end, after which the connection is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// Size in bytes of the answers without a worker that one turn may write before other connections get theirs.
const WRITE_BYTES_MAX: usize = 8 << 10;

/// A pending answer; they are kept in the order of their lines.
#[derive(Debug)]
struct Pending {
    lines: usize,
    bytes: Vec<u8>,
    reservation: Reservation,
    done: bool,
    stop: Stop,
    /// Names by which the client can cancel it.
    ids: Vec<String>,
    /// True if it is one query that takes long enough to be stopped.
    stoppable: bool,
    /// Names by which a line that is not processed yet has cancelled it.
    cancelled_ahead: Vec<String>,
    /// Size in bytes of what waits behind another answer.
    behind: usize,
    /// Size in bytes of a match in it.
    block: usize,
}

/// The state of a connection.
struct Connection<S> {
    stream: S,
    /// Check for a vanished peer, called while nothing is read.
    peer_closed: fn(&S) -> bool,
    core: Arc<Core>,
    lane: Lane,
    connection_budget: Arc<ConnectionBudget>,
    phase: watch::Receiver<ShutdownPhase>,
    codec: LineCodec,
    /// Protocol of the connection, selected by its first line (SRV-04).
    dialect: Option<Box<dyn Dialect>>,
    parts: UnboundedReceiver<Box<Part>>,
    sender: UnboundedSender<Box<Part>>,
    /// Pending answers by their numbers, in the order of the lines.
    pending: BTreeMap<u64, Pending>,
    next_number: u64,
    /// Answered queries, with their states, of which the line that cancelled them is not processed yet.
    cancelled_ahead: Vec<(String, CancelState)>,
    /// True if answers are sent when they are ready.
    when_ready: bool,
    /// Number of a long answer of which a part is sent: no other one may come in between.
    open: Option<u64>,
    lines_pending: usize,
    weight: MatchMemory,
    out: Vec<u8>,
    reservation: Reservation,
    /// Arrival time of the last byte, or of the first byte of an unfinished line.
    since: Instant,
    long_lines: u32,
    input_ended: bool,
    closing: bool,
}

/// An event that wakes a connection.
enum Event {
    /// Bytes; `had_partial` is true if there was an unfinished line before them.
    Bytes {
        had_partial: bool,
    },
    InputEnded,
    Part(Option<Box<Part>>),
    TimeOver,
    ShutdownPhase,
}

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// Serves one stream until it ends. `peer_closed` returns true if its peer has vanished.
pub(super) async fn serve<S>(
    stream: S,
    peer_closed: fn(&S) -> bool,
    origin: Origin,
    core: Arc<Core>,
    server_language: bool,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (sender, parts) = unbounded_channel();
    let connection_budget = core.connection_budget();
    let lane = core.lane(origin);
    let mut connection = Connection {
        stream,
        peer_closed,
        phase: core.phase.subscribe(),
        codec: LineCodec::new(LINE_BYTES_MAX),
        dialect: server_language.then(|| core.defaults().external()),
        parts,
        sender,
        pending: BTreeMap::new(),
        next_number: 0,
        cancelled_ahead: Vec::new(),
        when_ready: false,
        open: None,
        lines_pending: 0,
        weight: MatchMemory::new(Arc::clone(&core)),
        out: Vec::new(),
        reservation: connection_budget.charge(0),
        since: Instant::now(),
        long_lines: 0,
        input_ended: false,
        closing: false,
        lane,
        connection_budget,
        core,
    };
    tracing::debug!(?lane, "connected");
    let ended = connection.run().await;
    match ended {
        Ok(()) => tracing::debug!(?lane, "disconnected"),
        Err(error) => tracing::debug!(?lane, %error, "disconnected"),
    }
}

impl<S> Drop for Connection<S> {
    /// Stops and removes all work of this connection (SRV-12).
    fn drop(&mut self) {
        if !self.pending.is_empty() {
            self.pending.values().for_each(|one| one.stop.trigger());
            self.parts.close();
        }
        self.core.workers.forget(self.lane);
        self.core.turns.forget(self.lane);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    async fn run(&mut self) -> io::Result<()> {
        let mut turn = None;
        loop {
            self.dispatch(turn.is_some());
            if turn.is_none() && self.codec.peek().is_some() {
                turn = self.core.turns.try_take(self.lane);
                if turn.is_some() {
                    self.dispatch(true);
                }
            }
            self.flush(turn.take()).await?;
            if self.connection_budget.unpark() {
                self.core.workers.unpark(self.lane);
            }
            if self.has_line() {
                turn = Some(self.core.turns.take(self.lane).await);
                if (self.peer_closed)(&self.stream) {
                    return Err(self.hung_up());
                }
                continue;
            }
            if self.pending.is_empty() && (self.closing || self.input_ended) {
                if !self.closing
                    && let Some(LineAction::Refuse(text)) =
                        self.dialect.as_mut().map(|one| one.finish())
                {
                    self.say(text);
                    continue;
                }
                return self.finish().await;
            }
            match self.wait().await? {
                Event::Bytes { .. }
                    if self
                        .weight
                        .deadline()
                        .is_some_and(|end| Instant::now() >= end) =>
                {
                    self.time_over();
                }
                Event::Bytes { had_partial: true } => {}
                Event::Bytes { had_partial: false } => self.since = Instant::now(),
                Event::InputEnded => {
                    self.input_ended = true;
                    self.codec.finish();
                }
                Event::Part(part) => self.take_parts(part),
                Event::TimeOver => self.time_over(),
                Event::ShutdownPhase => match *self.phase.borrow_and_update() {
                    ShutdownPhase::Run => {}
                    ShutdownPhase::Drain => self.closing = true,
                    ShutdownPhase::Cut => return Ok(()),
                },
            }
        }
    }

    fn time_over(&mut self) {
        count(&self.core.counters.timeouts);
        let message = match self.weight.deadline() {
            Some(_) => "lines of the match took too long to come",
            None => "connection was quiet too long",
        };
        self.trouble(ErrorCode::Timeout, message);
        self.closing = true;
    }

    fn hung_up(&self) -> io::Error {
        count(&self.core.counters.hang_ups);
        io::ErrorKind::ConnectionReset.into()
    }

    /// Closes the connection so that the peer receives all answers: closing with unread input would make the system discard
    /// unsent data.
    async fn finish(&mut self) -> io::Result<()> {
        let limits = &self.core.limits;
        let shut = timeout(limits.write_timeout, self.stream.shutdown());
        if !matches!(shut.await, Ok(Ok(()))) || self.input_ended {
            return Ok(());
        }
        let listens = async {
            loop {
                self.codec = LineCodec::new(LINE_BYTES_MAX);
                let more = timeout(CLOSE_TIMEOUT, read(&mut self.stream, &mut self.codec));
                if !matches!(more.await, Ok(Ok(1..))) {
                    return;
                }
            }
        };
        tokio::select! {
            _ = timeout(limits.linger, listens) => {}
            () = reached(&mut self.phase, ShutdownPhase::Cut) => {}
        }
        Ok(())
    }

    /// Waits for bytes, a part of an answer, the time limit, a vanished peer or the shutdown.
    async fn wait(&mut self) -> io::Result<Event> {
        let reads = self.reads();
        let idle = reads && self.pending.is_empty();
        let deadline = if idle { self.deadline() } else { None };
        let looks = !reads && !self.pending.is_empty();
        let (peer_closed, look) = (self.peer_closed, self.core.hang_up_check());
        let had_partial = self.codec.has_partial();
        let waits = !self.pending.is_empty();
        let (stream, codec) = (&mut self.stream, &mut self.codec);
        tokio::select! {
            biased;
            changed = self.phase.changed() => {
                // The sender is dropped only with the server; then there is nothing to serve.
                if changed.is_err() {
                    self.closing = true;
                }
                Ok(Event::ShutdownPhase)
            }
            part = self.parts.recv(), if waits => Ok(Event::Part(part)),
            count = async {
                if reads {
                    return read(stream, codec).await.map(Some);
                }
                wait_for_close(stream, peer_closed, look).await;
                Ok(None)
            }, if reads || looks => match count {
                // A peer that vanishes while it is read ahead.
                Err(_) if waits => Err(self.hung_up()),
                Err(error) => Err(error),
                Ok(None) => Err(self.hung_up()),
                Ok(Some(0)) => Ok(Event::InputEnded),
                Ok(Some(_)) => Ok(Event::Bytes { had_partial }),
            },
            () = async { match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            } } => Ok(Event::TimeOver),
        }
    }

    /// Returns true if more may be read, which needs room. Input behind a query, in a dialect with one query at a time, may be
    /// the request to stop it.
    fn reads(&mut self) -> bool {
        if self.input_ended || self.closing {
            return false;
        }
        let pipelines = self.dialect.as_ref().is_none_or(|one| one.pipelines());
        if pipelines || self.pending.is_empty() {
            // Behind as many lines as may be in progress there may be one that cancels them.
            let ahead = !self.has_room() && self.codec.buffered() < READ_BYTES;
            ahead || self.has_room() && self.codec.peek().is_none()
        } else {
            self.codec.buffered() < READ_BYTES
        }
    }

    /// Returns true if a complete line can be processed now: dispatching ends early if answers must be sent first, and no event
    /// would announce the remaining lines.
    fn has_line(&mut self) -> bool {
        let pipelines = self.dialect.as_ref().is_none_or(|one| one.pipelines());
        let free = pipelines || self.pending.is_empty();
        let sent = self.out.is_empty();
        sent && free && !self.closing && self.has_room() && self.codec.peek().is_some()
    }

    fn has_room(&self) -> bool {
        self.lines_pending < self.core.limits.in_flight_max && self.connection_budget.has_room()
    }

    /// Returns the time at which a quiet connection or an unfinished line times out (SRV-08).
    fn deadline(&self) -> Option<Instant> {
        let limits = &self.core.limits;
        if self.weight.deadline().is_some() {
            return self.weight.deadline();
        }
        if self.codec.has_partial() {
            return self.since.checked_add(limits.line_timeout);
        }
        let may_be_quiet = self.dialect.as_ref().is_some_and(|one| one.may_be_quiet());
        if limits.idle_timeout.is_zero() {
            return None;
        }
        let most = if may_be_quiet {
            limits.quiet_timeout.max(limits.idle_timeout)
        } else {
            limits.idle_timeout
        };
        self.since.checked_add(most)
    }

    /// Reports an error that belongs to no line.
    fn trouble(&mut self, code: ErrorCode, message: &str) {
        let error = RequestError::new(code, "connection", message);
        let said = match &self.dialect {
            Some(dialect) => dialect.trouble(&error),
            None => Session::default().trouble(&error),
        };
        self.say(said);
    }

    /// Processes a part of an answer, and all others that have arrived.
    fn take_parts(&mut self, first: Option<Box<Part>>) {
        self.since = Instant::now();
        let mut next = first;
        while let Some(part) = next {
            self.take_part(*part);
            next = self.parts.try_recv().ok();
        }
        self.deliver();
        self.weigh();
    }

    /// Counts the memory of matches, and rejects a match beyond the limit of all connections (SRV-20).
    fn weigh(&mut self) {
        let Some(dialect) = &mut self.dialect else {
            return;
        };
        if self.weight.gathered(dialect.gathered()) {
            count(&self.core.counters.busy);
            dialect.give_up(&RequestError::new(
                ErrorCode::Busy,
                "server",
                "busy: too many matches wait",
            ));
            self.weight.gathered(dialect.gathered());
        }
    }

    fn take_part(&mut self, part: Part) {
        let waits = part.number > self.front() || self.open.is_some_and(|open| open != part.number);
        let Some(pending) = self.pending.get_mut(&part.number) else {
            return;
        };
        if let Some(dialect) = self.dialect.as_mut().filter(|one| !one.pipelines()) {
            dialect.answered(&part.bytes);
        }
        if waits {
            pending.behind += part.bytes.len();
            self.connection_budget.hold_behind(part.bytes.len());
        }
        if pending.bytes.is_empty() {
            pending.bytes = part.bytes;
        } else {
            pending.bytes.extend_from_slice(&part.bytes);
        }
        pending.reservation.absorb(part.reservation);
        pending.done = part.last;
    }

    /// Sends the pending output: the part that the peer accepts at once within this turn, the rest after it.
    async fn flush(&mut self, turn: Option<Turn>) -> io::Result<()> {
        let mut sending = pin!(self.send());
        let first = poll_fn(|context| Poll::Ready(sending.as_mut().poll(context))).await;
        drop(turn);
        match first {
            Poll::Ready(sent) => sent,
            Poll::Pending => sending.await,
        }
    }

    /// Sends the pending output; a peer that reads nothing is disconnected (SRV-09).
    async fn send(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let mut sent = 0;
        while let Some(rest) = self.out.get(sent..).filter(|rest| !rest.is_empty()) {
            let limit = self.core.limits.write_timeout;
            let written = tokio::select! {
                biased;
                written = timeout(limit, self.stream.write(rest)) => written,
                () = reached(&mut self.phase, ShutdownPhase::Cut) => {
                    // No line is left half-written, if its reader takes the rest of it.
                    let end = rest.iter().position(|&byte| byte == b'\n');
                    let line = rest.get(..=end.unwrap_or(0)).unwrap_or_default();
                    let mid_line = sent > 0 && self.out.get(sent - 1) != Some(&b'\n');
                    if mid_line && end.is_some() {
                        let _ = timeout(LAST_LINE_TIMEOUT, self.stream.write_all(line)).await;
                    }
                    return Ok(());
                }
            };
            match written {
                Ok(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(Ok(count)) => {
                    sent += count;
                    self.reservation.release(count);
                }
                Ok(Err(error)) => return Err(error),
                Err(_) => {
                    count(&self.core.counters.timeouts);
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
        self.out = Vec::new();
        Ok(())
    }

    /// Passes complete lines to the machine and their queries to the workers: the first line, or in a turn all until a limit is
    /// reached.
    fn dispatch(&mut self, in_turn: bool) {
        let mut group: Option<WorkItem> = None;
        let mut first = true;
        while !self.closing && (in_turn || std::mem::take(&mut first)) {
            let grouped = group.as_ref().map_or(0, |job| job.inquiries.len());
            let full = self.lines_pending + grouped >= self.core.limits.in_flight_max;
            let said = self.out.len() >= WRITE_BYTES_MAX;
            if full || said || !self.connection_budget.has_room() {
                break;
            }
            let Some(step) = self.next_step() else {
                break;
            };
            match step {
                LineAction::Silence => {}
                LineAction::Ask(inquiry) => {
                    self.gather(&mut group, *inquiry);
                    // A line that came with it may interrupt it.
                    if (self.dialect.as_ref()).is_some_and(|dialect| !dialect.pipelines()) {
                        self.submit(group.take());
                    }
                }
                LineAction::Say(text) => {
                    self.core.counters.count_answer("session", true);
                    self.submit(group.take());
                    self.say(text);
                }
                LineAction::Cancel(cancel) => {
                    self.core.counters.count_answer("session", true);
                    self.submit(group.take());
                    let text = self.cancel(&cancel);
                    self.say(text);
                }
                LineAction::Refuse(text) => {
                    self.core.counters.count_answer("session", false);
                    self.submit(group.take());
                    self.say(text);
                }
                LineAction::Rebuild { .. } => {
                    // The machine of a socket has no option for this.
                    self.say("error unsupported key\n".into());
                }
                LineAction::Close(text) => {
                    self.submit(group.take());
                    self.say(text);
                    self.closing = true;
                }
            }
        }
        self.submit(group);
        if !self.has_room() {
            self.cancel_ahead();
        }
        let when_ready = (self.dialect.as_ref()).is_some_and(|one| one.answers_when_ready());
        if when_ready != self.when_ready {
            self.when_ready = when_ready;
            self.deliver();
            self.connection_budget.go_on(self.front(), 0);
        }
        self.weigh();
    }

    /// Returns the machine's step for the next line; `None` while it has to wait.
    fn next_step(&mut self) -> Option<LineAction> {
        let cut = self.codec.peek()?;
        let dialect = match &mut self.dialect {
            Some(dialect) => dialect,
            undecided => match self.core.defaults().dialect(cut) {
                Ok(None) => {
                    self.codec.consume();
                    return Some(LineAction::Silence);
                }
                Ok(Some(chosen)) => undecided.insert(chosen),
                Err(error) => {
                    self.codec.consume();
                    return Some(LineAction::Close(Session::default().trouble(&error)));
                }
            },
        };
        if !dialect.pipelines() && !self.pending.is_empty() {
            if self.codec.any_line(|line| dialect.interrupts(line)) {
                self.pending.values().for_each(|one| one.stop.trigger());
                self.core.workers.hurry(self.lane);
            }
            return None;
        }
        self.since = Instant::now();
        if cut == FramedLine::TooLong {
            count(&self.core.counters.long_lines);
            self.long_lines += 1;
            self.closing |= self.long_lines >= self.core.limits.long_lines_max;
        } else {
            self.long_lines = 0;
        }
        // A machine that panics has lost its thread; so has its peer (SRV-13).
        let step = catch_panics(&self.core.counters, || dialect.line(cut));
        self.codec.consume();
        Some(step.unwrap_or_else(|error| LineAction::Close(dialect.trouble(&error))))
    }

    /// Adds an inquiry to the group of cheap ones that is submitted together.
    fn gather(&mut self, group: &mut Option<WorkItem>, inquiry: Inquiry) {
        let cost = inquiry.cost();
        tracing::debug!(lane = ?self.lane, kind = inquiry.task.kind(), cost = cost.name(), "asked");
        let fits = |job: &WorkItem| {
            job.cost == cost
                && job.priority == inquiry.place.priority
                && cost == Cost::Short
                && job.inquiries.len() < self.core.limits.batch_max
        };
        if !group.as_ref().is_some_and(fits) {
            self.submit(group.take());
        }
        let job = match group {
            Some(job) => {
                job.inquiries.push_back(inquiry);
                job
            }
            None => group.insert(WorkItem::new(
                inquiry,
                &self.connection_budget,
                self.sender.clone(),
            )),
        };
        // A match is analysed alone, and nothing is read behind it.
        if job.weight() > 0 || cost == Cost::Free {
            self.submit(group.take());
        }
    }

    fn submit(&mut self, job: Option<WorkItem>) {
        let Some(mut job) = job else {
            return;
        };
        job.number = self.next_number;
        let block = job.weight();
        let lines = match block {
            0 => job.inquiries.len(),
            _ => self.core.limits.in_flight_max,
        };
        let stop = job.stop.clone();
        let stoppable = job.cost != Cost::Short;
        let ids = job.inquiries.iter().filter_map(|one| one.id.clone());
        let ids: Vec<String> = ids.collect();
        match self.core.workers.submit(self.lane, job) {
            SubmitOutcome::Queued => {}
            SubmitOutcome::Answered { bytes, .. } | SubmitOutcome::Busy { bytes, .. } => {
                return self.answer(bytes);
            }
        }
        self.lines_pending += lines;
        self.weight.pending += block;
        let reservation = self.connection_budget.charge(0);
        self.push(Pending {
            lines,
            bytes: Vec::new(),
            reservation,
            done: false,
            stop,
            ids,
            stoppable,
            cancelled_ahead: Vec::new(),
            behind: 0,
            block,
        });
    }

    fn push(&mut self, pending: Pending) {
        self.pending.insert(self.next_number, pending);
        self.next_number += 1;
        if self.when_ready {
            self.connection_budget.go_on(self.front(), 0);
        }
    }

    fn say(&mut self, text: String) {
        self.answer(text.into_bytes());
    }

    /// Adds a finished answer, which is sent after those before it.
    fn answer(&mut self, bytes: Vec<u8>) {
        let reservation = self.connection_budget.charge(bytes.len());
        if self.pending.is_empty() || self.when_ready && self.open.is_none() {
            self.out.extend_from_slice(&bytes);
            self.reservation.absorb(reservation);
            return;
        }
        self.connection_budget.hold_behind(bytes.len());
        self.lines_pending += 1;
        let behind = bytes.len();
        self.push(Pending {
            lines: 1,
            bytes,
            reservation,
            done: true,
            stop: Stop::never(),
            ids: Vec::new(),
            stoppable: false,
            cancelled_ahead: Vec::new(),
            behind,
            block: 0,
        });
    }
}

/// Polls until the peer has vanished.
async fn wait_for_close<S>(stream: &S, peer_closed: fn(&S) -> bool, look: Duration) {
    loop {
        tokio::time::sleep(look).await;
        if peer_closed(stream) {
            return;
        }
    }
}

/// Reads into the thread's buffer and feeds the codec; returns 0 at the end of input.
async fn read<S: AsyncRead + Unpin>(stream: &mut S, codec: &mut LineCodec) -> io::Result<usize> {
    poll_fn(|context| {
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
