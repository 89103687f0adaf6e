//! Submission of HTTP requests to the workers: the queues, shares and limits of every other way in (HTTP-03).

use crate::core::Core;
use crate::core::fair_queue::{Lane, Origin};
use crate::core::faults::catch_panics;
use crate::core::match_memory::MatchMemory;
use crate::core::memory_budget::{ConnectionBudget, Reservation};
use crate::core::work::{Part, SubmitOutcome, WorkItem};
use crate::http::ask::question::Question;
use crate::http::wire::problem::Problem;
use axum::body::Bytes;
use gammond_engine::query::Stop;
use gammond_protocol::ErrorCode;
use gammond_protocol::answerer::Observer as _;
use gammond_protocol::{AnswerStyle, Inquiry, LineAction, Options, Session, message};
use http_body::{Body, Frame};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A piece of an answer.
#[derive(Debug)]
pub(in crate::http) struct Piece {
    pub(in crate::http) bytes: Bytes,
    /// True if it is no error.
    pub(in crate::http) good: bool,
    /// True if it is a line of progress.
    pub(in crate::http) progress: bool,
    reservation: Option<Reservation>,
}

impl From<Part> for Piece {
    fn from(part: Part) -> Piece {
        Piece {
            bytes: Bytes::from(part.bytes),
            good: part.good,
            progress: part.progress,
            reservation: Some(part.reservation),
        }
    }
}

/// The answer to one request: the line's bytes, which come as they are taken.
#[derive(Debug)]
pub(in crate::http) struct Answer {
    /// The first piece, if it is there already.
    ready: Option<Piece>,
    /// The rest of them.
    running: Option<Running>,
    /// Reserved memory of the question until it is answered.
    _weight: Option<MatchMemory>,
}

/// Work that is not done; it ends when no client waits for its answer (HTTP-56).
#[derive(Debug)]
struct Running {
    core: Arc<Core>,
    lane: Lane,
    stop: Stop,
    connection_budget: Arc<ConnectionBudget>,
    parts: UnboundedReceiver<Box<Part>>,
    done: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.done {
            self.stop.trigger();
        }
        self.parts.close();
        // Each question has a place of its own in the queues, also when it is answered.
        self.core.workers.forget(self.lane);
    }
}

impl Running {
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<Box<Part>>> {
        if self.done {
            return Poll::Ready(None);
        }
        let part = std::task::ready!(self.parts.poll_recv(context));
        self.done = part.as_ref().is_none_or(|part| part.last);
        Poll::Ready(part)
    }
}

impl Answer {
    pub(in crate::http) fn whole(bytes: impl Into<Bytes>) -> Answer {
        Answer {
            ready: Some(Piece {
                bytes: bytes.into(),
                good: true,
                progress: false,
                reservation: None,
            }),
            running: None,
            _weight: None,
        }
    }

    /// Returns the next piece; `None` behind the last one.
    pub(in crate::http) async fn next(&mut self) -> Option<Piece> {
        std::future::poll_fn(|context| self.poll_piece(context)).await
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        let mut piece = match (self.ready.take(), &mut self.running) {
            (Some(piece), _) => piece,
            (None, None) => return Poll::Ready(None),
            (None, Some(running)) => match std::task::ready!(running.poll_part(context)) {
                Some(part) => Piece::from(*part),
                None => return Poll::Ready(None),
            },
        };
        // A dequeued item makes room for the next.
        drop(piece.reservation.take());
        if let Some(running) = &self.running
            && running.connection_budget.unpark()
        {
            running.core.workers.unpark(running.lane);
        }
        Poll::Ready(Some(piece))
    }

    /// Keeps the weight of the question until the answer is taken or dropped.
    pub(in crate::http) fn holding(self, weight: MatchMemory) -> Answer {
        Answer {
            _weight: Some(weight),
            ..self
        }
    }

    /// Returns the whole answer as one piece, with its line end.
    pub(in crate::http) async fn collect(mut self) -> Vec<u8> {
        let mut whole = Vec::new();
        while let Some(piece) = self.next().await {
            whole.extend_from_slice(&piece.bytes);
        }
        whole
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = std::task::ready!(self.get_mut().poll_piece(context));
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece.bytes))))
    }
}

/// Answers a question.
///
/// # Errors
/// A question that cannot be read, and an error of its answer.
pub(in crate::http) async fn ask(
    core: &Arc<Core>,
    origin: Origin,
    question: &Question,
) -> Result<Answer, Problem> {
    let read = read(core, &settings(core), question)?;
    let answer = answer(core, origin, read).await;
    answer.map_err(|problem| question.placed(problem))
}

/// Answers a request that could be read.
///
/// # Errors
/// That of [`compute`].
pub(in crate::http) async fn answer(
    core: &Arc<Core>,
    origin: Origin,
    read: Read,
) -> Result<Answer, Problem> {
    match read {
        Read::Inquiry(inquiry) => compute(core, origin, *inquiry).await,
        Read::Text(text) => Ok(Answer::whole(text.into_bytes())),
    }
}

/// A request that could be read.
#[derive(Debug)]
pub(in crate::http) enum Read {
    /// The item is to be computed.
    Inquiry(Box<Inquiry>),
    /// The answer is ready.
    Text(String),
}

impl Read {
    /// Returns true if lines of progress come before the answer.
    pub(in crate::http) fn sends_progress(&self) -> bool {
        matches!(self, Read::Inquiry(inquiry) if inquiry.task.sends_progress())
    }
}

/// Returns the settings with which requests begin.
pub(in crate::http) fn settings(core: &Core) -> Options {
    let mut settings = core.defaults().session;
    settings.answer = Some(AnswerStyle::Json);
    settings
}

/// Reads a question, with settings that many of them share.
///
/// # Errors
/// A [`Problem`] of the wrong part.
pub(in crate::http) fn read(
    core: &Arc<Core>,
    settings: &Options,
    question: &Question,
) -> Result<Read, Problem> {
    let step = catch_panics(&core.counters, || {
        let line = question.request(settings)?;
        Ok(Session::new(settings.clone()).request(line))
    });
    let step = step.unwrap_or_else(|error| Err(Problem::new(error.code, error.message)));
    if step.is_err() {
        core.counters.count_answer("session", false);
    }
    of_step(core, step?)
}

/// Reads a line of the protocol behind its verb.
///
/// # Errors
/// What the line would be answered with, as a [`Problem`].
pub(in crate::http) fn read_line(
    core: &Arc<Core>,
    verb: &str,
    line: &[u8],
) -> Result<Read, Problem> {
    let step = catch_panics(&core.counters, || message::step(verb, line, settings(core)));
    let step = step.map_err(|error| Problem::new(error.code, error.message))?;
    of_step(core, step)
}

fn of_step(core: &Core, step: LineAction) -> Result<Read, Problem> {
    let counters = &core.counters;
    match step {
        LineAction::Ask(inquiry) => Ok(Read::Inquiry(inquiry)),
        LineAction::Say(text) | LineAction::Close(text) => {
            counters.count_answer("session", true);
            Ok(Read::Text(text))
        }
        LineAction::Refuse(text) => {
            counters.count_answer("session", false);
            Err(Problem::of_answer(text.as_bytes()))
        }
        // Neither comes of a session.
        LineAction::Silence | LineAction::Cancel(_) | LineAction::Rebuild { .. } => {
            Err(Problem::new(ErrorCode::BadRequest, "request is missing"))
        }
    }
}

/// Has an inquiry answered by the workers, and waits for the first piece of the answer.
///
/// # Errors
/// The error in the inquiry's reply, if it is one of lines in JSON.
pub(in crate::http) async fn compute(
    core: &Arc<Core>,
    origin: Origin,
    inquiry: Inquiry,
) -> Result<Answer, Problem> {
    let mut answer = start(core, origin, inquiry, false)?;
    match answer.next().await {
        None => Err(Problem::new(
            ErrorCode::Stopped,
            "the server is shutting down",
        )),
        Some(piece) if !piece.good => Err(Problem::of_answer(&piece.bytes)),
        Some(piece) => {
            answer.ready = Some(piece);
            Ok(answer)
        }
    }
}

/// Queues an inquiry for the workers, as a job or as a request.
///
/// # Errors
/// `busy`, and that of an inquiry that costs nothing.
pub(in crate::http) fn start(
    core: &Arc<Core>,
    origin: Origin,
    inquiry: Inquiry,
    is_job: bool,
) -> Result<Answer, Problem> {
    let (reply, parts) = unbounded_channel();
    let connection_budget = core.connection_budget();
    let mut work = WorkItem::new(inquiry, &connection_budget, reply);
    work.is_job = is_job;
    submit(core, origin, work, parts)
}

/// Answers inquiries without look-ahead whose answers are lines, which wait in one place of the queues.
pub(in crate::http) async fn together(
    core: &Arc<Core>,
    origin: Origin,
    inquiries: Vec<Inquiry>,
) -> Vec<Result<Bytes, Problem>> {
    let ids: Vec<Option<String>> = inquiries.iter().map(|one| one.id.clone()).collect();
    let mut inquiries = inquiries.into_iter();
    let Some(first) = inquiries.next() else {
        return Vec::new();
    };
    let (reply, parts) = unbounded_channel();
    let mut work = WorkItem::new(first, &core.connection_budget(), reply);
    work.inquiries.extend(inquiries);
    let priorities = work.inquiries.iter().map(|one| one.place.priority);
    work.priority = priorities.max().unwrap_or_default();
    let mut answer = match submit(core, origin, work, parts) {
        Ok(answer) => answer,
        Err(problem) => {
            let refused = |id: Option<String>| Err(problem.clone().of(id.as_deref()));
            return ids.into_iter().map(refused).collect();
        }
    };
    let mut found = Vec::with_capacity(ids.len());
    while let Some(piece) = answer.next().await {
        let mut start = 0;
        for (end, _) in (piece.bytes.iter().enumerate()).filter(|(_, byte)| **byte == b'\n') {
            let line = piece.bytes.slice(start..end);
            // Most pieces have no error; in the others each line is checked.
            found.push(match piece.good || !Problem::is_one(&line) {
                true => Ok(line),
                false => Err(Problem::of_answer(&line)),
            });
            start = end + 1;
        }
    }
    for id in ids.iter().skip(found.len()) {
        let problem = Problem::new(ErrorCode::Stopped, "the server is shutting down");
        found.push(Err(problem.of(id.as_deref())));
    }
    found
}

/// Passes work to the workers; its answer comes through `parts`.
fn submit(
    core: &Arc<Core>,
    origin: Origin,
    work: WorkItem,
    parts: UnboundedReceiver<Box<Part>>,
) -> Result<Answer, Problem> {
    let lane = core.lane(origin);
    let (stop, connection_budget) = (work.stop.clone(), Arc::clone(&work.connection_budget));
    match core.workers.submit(lane, work) {
        SubmitOutcome::Queued => Ok(Answer {
            ready: None,
            running: Some(Running {
                core: Arc::clone(core),
                lane,
                stop,
                connection_budget,
                parts,
                done: false,
            }),
            _weight: None,
        }),
        SubmitOutcome::Answered { bytes, good: true } => Ok(Answer::whole(bytes)),
        SubmitOutcome::Answered { bytes, good: false } => Err(Problem::of_answer(&bytes)),
        SubmitOutcome::Busy {
            wait: Some(wait), ..
        } => {
            let message = "this client has used its processor time of an hour";
            Err(Problem {
                retry: u32::try_from(wait.as_secs() + 1).ok(),
                ..Problem::new(ErrorCode::TooManyRequests, message)
            })
        }
        SubmitOutcome::Busy { bytes, wait: None } => {
            // All inquiries have the same answer.
            let line = bytes.split(|byte| *byte == b'\n').next();
            Err(Problem::of_answer(line.unwrap_or_default()))
        }
    }
}
