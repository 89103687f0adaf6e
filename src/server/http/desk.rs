//! Submission of HTTP requests to the workers: the queues, shares and limits of every other way in (HTTP-03).

use super::problem::Problem;
use crate::account::{Account, Charge};
use crate::fair_queue::{Lane, Origin};
use crate::faults::surviving;
use crate::tcp::shared::Shared;
use crate::tcp::weight::Weight;
use crate::work::{Part, QueuedWork};
use axum::body::Bytes;
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::answerer::Observer as _;
use gammond_protocol::{AnswerStyle, Inquiry, Step, message};
use http_body::{Body, Frame};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The answer to one request: the line's bytes, which come as they are taken.
#[derive(Debug)]
pub(super) struct Answer {
    /// Parts that are there already.
    ready: VecDeque<(Bytes, Option<Charge>)>,
    /// The rest of them.
    running: Option<Running>,
    /// Reserved memory of the question until it is answered.
    _weight: Option<Weight>,
}

/// Work that is not done; it ends when nobody wants its answer any more (HTTP-56).
#[derive(Debug)]
struct Running {
    shared: Arc<Shared>,
    lane: Lane,
    stop: Stop,
    account: Arc<Account>,
    parts: UnboundedReceiver<Box<Part>>,
    done: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.done {
            self.stop.trigger();
        }
        // Each question has a place of its own in the queues, also when it is answered.
        self.shared.workers.forget(self.lane);
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
    fn whole(bytes: Vec<u8>) -> Answer {
        Answer {
            ready: VecDeque::from([(Bytes::from(bytes), None)]),
            running: None,
            _weight: None,
        }
    }

    /// Keeps the weight of the question until the answer is taken or dropped.
    pub(super) fn holding(self, weight: Weight) -> Answer {
        Answer {
            _weight: Some(weight),
            ..self
        }
    }

    /// The whole answer as one piece, with its line end.
    pub(super) async fn collect(mut self) -> Vec<u8> {
        let mut whole = Vec::new();
        loop {
            let frame = std::future::poll_fn(|context| Pin::new(&mut self).poll_frame(context));
            let Some(Ok(frame)) = frame.await else {
                return whole;
            };
            if let Ok(bytes) = frame.into_data() {
                whole.extend_from_slice(&bytes);
            }
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let answer = self.get_mut();
        let (bytes, charge) = match (answer.ready.pop_front(), &mut answer.running) {
            (Some(part), _) => part,
            (None, None) => return Poll::Ready(None),
            (None, Some(running)) => match std::task::ready!(running.poll_part(context)) {
                Some(part) => (Bytes::from(part.bytes), Some(part.charge)),
                None => return Poll::Ready(None),
            },
        };
        // What is taken makes room for what comes behind it.
        drop(charge);
        if let Some(running) = &answer.running
            && running.account.unpark()
        {
            running.shared.workers.unpark(running.lane);
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}

/// Finds out what a verb and what stands behind it in a line ask.
///
/// # Errors
/// What the line would be answered with, as a [`Problem`].
pub(super) async fn ask(
    shared: &Arc<Shared>,
    origin: Origin,
    verb: &str,
    payload: &[u8],
) -> Result<Answer, Problem> {
    let mut settings = shared.defaults().session;
    settings.style = AnswerStyle::Json;
    let counters = &shared.counters;
    let step = surviving(counters, || message::step(verb, payload, settings));
    match step {
        Ok(Step::Ask(inquiry)) => compute(shared, origin, *inquiry).await,
        Ok(Step::Say(text) | Step::Close(text)) => {
            counters.note_answer("session", true);
            Ok(Answer::whole(text.into_bytes()))
        }
        Ok(Step::Refuse(text)) => {
            counters.note_answer("session", false);
            Err(Problem::of_answer(text.as_bytes()))
        }
        // Neither comes of a session.
        Ok(Step::Silence | Step::Rebuild { .. }) => {
            Err(Problem::new("bad-request", "request is missing"))
        }
        Err(error) => Err(Problem::new(error.code, error.message.clone())),
    }
}

/// Has an inquiry answered by the workers.
///
/// # Errors
/// The error that the inquiry's reply wrote, if it is one of lines in JSON.
pub(super) async fn compute(
    shared: &Arc<Shared>,
    origin: Origin,
    inquiry: Inquiry,
) -> Result<Answer, Problem> {
    let cost = inquiry.cost();
    if cost == Cost::Free {
        let mut text = Vec::new();
        return match shared.workers.answer_free(&inquiry, &mut text) {
            true => Ok(Answer::whole(text)),
            false => Err(Problem::of_answer(&text)),
        };
    }
    let (reply, parts) = unbounded_channel();
    let mut running = Running {
        shared: Arc::clone(shared),
        lane: shared.lane(origin),
        stop: Stop::new(),
        account: shared.account(),
        parts,
        done: false,
    };
    let work = QueuedWork {
        inquiries: VecDeque::from([inquiry]),
        rest: None,
        cost,
        stop: running.stop.clone(),
        account: Arc::clone(&running.account),
        number: 0,
        answer_bytes_max: None,
        reply,
    };
    if let Err((work, reason)) = shared.workers.submit(running.lane, Box::new(work)) {
        running.done = true;
        let mut text = Vec::new();
        shared.workers.answer_busy(&work, reason, &mut text);
        return Err(Problem::of_answer(&text));
    }
    let first = std::future::poll_fn(|context| running.poll_part(context)).await;
    let Some(part) = first else {
        return Err(Problem::new("stopped", "the server ends"));
    };
    if !part.good {
        return Err(Problem::of_answer(&part.bytes));
    }
    Ok(Answer {
        ready: VecDeque::from([(Bytes::from(part.bytes), Some(part.charge))]),
        running: Some(running),
        _weight: None,
    })
}
