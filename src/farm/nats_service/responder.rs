//! Messages that wait for their answers: requests go to the workers, answers to the reply subjects.

use super::micro::Identity;
use async_nats::{Client, HeaderMap, Message, Subject};
use gammond_engine::query::{Cost, Question, Stop};
use gammond_protocol::ErrorCode;
use gammond_protocol::answerer::Observer as _;
use gammond_protocol::{Inquiry, InquiryTask, LineAction, RequestError, Session, message};
use gammond_server::core::Core;
use gammond_server::core::counters::count;
use gammond_server::core::fair_queue::{Lane, Origin};
use gammond_server::core::faults::catch_panics;
use gammond_server::core::match_memory::MatchMemory;
use gammond_server::core::memory_budget::ConnectionBudget;
use gammond_server::core::work::{Part, SubmitOutcome, WorkItem};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Header that announces further messages of the same answer.
const MORE_HEADER: &str = "Gammond-More";
/// Error headers of the micro protocol.
const ERROR_HEADER: &str = "Nats-Service-Error";
const ERROR_CODE_HEADER: &str = "Nats-Service-Error-Code";

/// Error codes and reasons in the form of the micro protocol.
const BAD_REQUEST: (&str, &str) = ("400", "the message names the fault");
const BUSY: (&str, &str) = ("503", "overloaded: too many queries wait");
const TIMED_OUT: (&str, &str) = ("408", "the answer did not come in its time");

/// Header with the client's timeout in seconds.
const TIMEOUT_HEADER: &str = "Gammond-Timeout";
/// Default timeout in seconds, without progress. A NATS client leaves no trace when it goes, so work for it would
/// never end.
pub(super) const TIMEOUT_DEFAULT_S: u64 = 30;
/// Maximum timeout in seconds that a client may set; also the default with `progress=1`.
pub(super) const TIMEOUT_MAX_S: u64 = 3600;

/// The responder of one service: its unanswered messages and their way to the workers.
pub(super) struct NatsResponder {
    client: Client,
    core: Arc<Core>,
    identity: Mutex<Identity>,
    /// Subject prefix for the NATS server's reports that progress has no subscriber; a query's number and its secret
    /// follow.
    absent: String,
    waiting: Mutex<HashMap<u64, Waiting>>,
    numbers: AtomicU64,
    sender: UnboundedSender<Box<Part>>,
}

/// A message whose answer has not been sent.
struct Waiting {
    to: Subject,
    endpoint: usize,
    since: Instant,
    /// Time at which the query is abandoned; `None` for messages answered at once.
    until: Option<Instant>,
    /// Answer to send at that time.
    timed_out: Vec<u8>,
    /// Secret known only to this server and the subscribers of the query's progress.
    secret: u128,
    lane: Lane,
    stop: Stop,
    /// Error of the answer, if there is one already.
    fault: Option<(&'static str, &'static str)>,
    /// Memory of the match in the message, counted together with those of sockets.
    _weight: Option<MatchMemory>,
}

impl Waiting {
    fn new(to: Subject, endpoint: Option<usize>, number: u64) -> Waiting {
        Waiting {
            lane: Lane {
                origin: origin(&to),
                number,
            },
            to,
            endpoint: endpoint.unwrap_or(usize::MAX),
            since: Instant::now(),
            until: None,
            timed_out: Vec::new(),
            secret: 0,
            stop: Stop::new(),
            fault: None,
            _weight: None,
        }
    }
}

/// Parses the client's timeout in seconds; `None` without the header.
fn timeout_s(headers: Option<&HeaderMap>) -> Result<Option<u64>, RequestError> {
    let Some(value) = headers.and_then(|headers| headers.get(TIMEOUT_HEADER)) else {
        return Ok(None);
    };
    let seconds = value.as_str().parse().ok();
    let seconds = seconds.filter(|seconds| (1..=TIMEOUT_MAX_S).contains(seconds));
    match seconds {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(RequestError::new(
            ErrorCode::BadSetting,
            TIMEOUT_HEADER,
            format!("{TIMEOUT_HEADER}: expected whole seconds, 1 to {TIMEOUT_MAX_S}"),
        )),
    }
}

/// A message to send.
struct OutgoingMessage {
    to: Subject,
    bytes: Vec<u8>,
    headers: HeaderMap,
    /// Subject for the server's report that the message has no subscriber.
    reply: Option<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl NatsResponder {
    /// Creates a responder, and the receiver of the answers that [`NatsResponder::send`] sends.
    pub(super) fn new(
        client: Client,
        core: Arc<Core>,
        identity: Identity,
        absent: String,
    ) -> (NatsResponder, UnboundedReceiver<Box<Part>>) {
        let (sender, parts) = unbounded_channel();
        let responder = NatsResponder {
            client,
            core,
            identity: Mutex::new(identity),
            absent,
            waiting: Mutex::default(),
            numbers: AtomicU64::new(0),
            sender,
        };
        (responder, parts)
    }

    pub(super) fn core(&self) -> &Core {
        &self.core
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the number of messages without an answer.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.waiting).len()
    }

    /// Accepts a message without waiting. If it cannot be queued, it stays without an answer.
    pub(super) fn take(&self, endpoint: Option<usize>, message: Message) {
        let Some(to) = message.reply else {
            // The request wants no answer.
            return;
        };
        let limits = &self.core.limits;
        let full =
            self.waiting() >= limits.messages_max || self.core.unsent() >= limits.answer_bytes_max;
        if full {
            count(&self.core.counters.busy);
            tracing::debug!("a message is left without an answer: too many answers wait");
            return;
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let connection_budget = self.core.connection_budget();
        let seconds = match timeout_s(message.headers.as_ref()) {
            Ok(seconds) => seconds,
            Err(error) => {
                let waiting = Waiting::new(to, endpoint, number);
                return self.refuse((number, &connection_budget), waiting, &error);
            }
        };
        let mut waiting = Waiting::new(to, endpoint, number);
        let verb = endpoint.and_then(|place| message::verbs().nth(place));
        let Some(verb) = verb else {
            let discovery_answer = lock(&self.identity).answer(message.subject.as_str());
            let text = discovery_answer
                .map_or_else(String::new, |discovery_answer| discovery_answer.to_string());
            return self.queue_line(
                (number, &connection_budget),
                waiting,
                text.into_bytes(),
                true,
            );
        };
        let settings = self.core.defaults().session;
        let counters = &self.core.counters;
        let step = catch_panics(counters, || message::step(verb, &message.payload, settings));
        let (text, good) = match step {
            Ok(LineAction::Ask(inquiry)) => {
                return self.ask((number, connection_budget), waiting, (*inquiry, seconds));
            }
            Ok(LineAction::Say(text) | LineAction::Close(text)) => (text, true),
            Ok(LineAction::Cancel(cancel)) => (cancel.unknown(), true),
            Ok(LineAction::Refuse(text)) => (text, false),
            // Neither comes of a session.
            Ok(LineAction::Silence | LineAction::Rebuild { .. }) => (String::new(), false),
            Err(error) => return self.refuse((number, &connection_budget), waiting, &error),
        };
        counters.count_answer("session", good);
        waiting.fault = (!good).then_some(BAD_REQUEST);
        self.queue_line(
            (number, &connection_budget),
            waiting,
            text.into_bytes(),
            good,
        );
    }

    /// Formats an error that belongs to no inquiry.
    fn trouble(&self, error: &RequestError) -> Vec<u8> {
        use gammond_protocol::Dialect as _;
        let text = Session::new(self.core.defaults().session).trouble(error);
        text.into_bytes()
    }

    /// Answers with an error.
    fn refuse(
        &self,
        (number, connection_budget): (u64, &Arc<ConnectionBudget>),
        mut waiting: Waiting,
        error: &RequestError,
    ) {
        self.core.counters.count_answer("session", false);
        waiting.fault = Some(BAD_REQUEST);
        self.queue_line(
            (number, connection_budget),
            waiting,
            self.trouble(error),
            false,
        );
    }

    fn ask(
        &self,
        (number, connection_budget): (u64, Arc<ConnectionBudget>),
        mut waiting: Waiting,
        (inquiry, seconds): (Inquiry, Option<u64>),
    ) {
        let cost = inquiry.cost();
        tracing::debug!(
            kind = inquiry.task.kind(),
            cost = cost.name(),
            "requested over NATS"
        );
        if !self.limit(&mut waiting, &inquiry, seconds) {
            let error = RequestError::new(
                ErrorCode::Internal,
                "request",
                "the system has no random numbers",
            );
            return self.refuse((number, &connection_budget), waiting, &error);
        }
        // An answer is one message.
        let work = WorkItem::new(inquiry, &connection_budget, self.sender.clone())
            .numbered(number)
            .stopped_by(waiting.stop.clone())
            .in_one_part(self.client.max_payload());
        let mut full = false;
        if work.weight() > 0 {
            let mut weight = MatchMemory::new(Arc::clone(&self.core));
            full = weight.gathered(Some(work.weight()));
            waiting._weight = Some(weight);
        }
        let lane = waiting.lane;
        // It may be answered before anything else is done here.
        lock(&self.waiting).insert(number, waiting);
        let asked = if full {
            self.core.workers.busy(&work, "too many matches wait")
        } else {
            self.core.workers.submit(lane, work)
        };
        let (bytes, good, fault) = match asked {
            SubmitOutcome::Queued => return,
            SubmitOutcome::Answered { bytes, good } => (bytes, good, None),
            SubmitOutcome::Busy { bytes, .. } => (bytes, false, Some(BUSY)),
        };
        let waiting = lock(&self.waiting).remove(&number);
        if let Some(mut waiting) = waiting {
            (waiting.until, waiting.fault) = (None, fault);
            self.queue_line((number, &connection_budget), waiting, bytes, good);
        }
    }

    /// Sends an answer that needs no worker.
    fn queue_line(
        &self,
        (number, connection_budget): (u64, &Arc<ConnectionBudget>),
        waiting: Waiting,
        bytes: Vec<u8>,
        good: bool,
    ) {
        lock(&self.waiting).insert(number, waiting);
        let reservation = connection_budget.charge(bytes.len());
        // The receiver is dropped only with the responder, unless everything is cut.
        let _ = self.sender.send(Box::new(Part {
            number,
            bytes,
            reservation,
            good,
            progress: false,
            last: true,
        }));
    }

    /// Sets the time limit of a query, and its secret; returns false if the system has no random numbers.
    fn limit(&self, waiting: &mut Waiting, inquiry: &Inquiry, seconds: Option<u64>) -> bool {
        let mut secret = [0; 16];
        if getrandom::getrandom(&mut secret).is_err() {
            return false;
        }
        waiting.secret = u128::from_ne_bytes(secret);
        let sends_progress =
            matches!(&inquiry.task, InquiryTask::Ask(Question::Rollout(task)) if task.progress);
        let seconds = seconds.unwrap_or(match sends_progress {
            true => TIMEOUT_MAX_S,
            false => TIMEOUT_DEFAULT_S,
        });
        waiting.until = Some(waiting.since + Duration::from_secs(seconds));
        // Only such queries may last so long.
        if inquiry.cost() >= Cost::Heavy {
            let message = format!(
                "no answer within {seconds} s; ask with progress=1, or name more seconds in the header {TIMEOUT_HEADER} (at \
                 most {TIMEOUT_MAX_S})"
            );
            let error = RequestError::new(ErrorCode::Timeout, "request", message);
            (self.core.workers).refuse(inquiry, &error, &mut waiting.timed_out);
        }
        true
    }

    /// Abandons the queries whose timeout has passed, and answers them with an error.
    pub(super) fn expire(&self, now: Instant) {
        let late: Vec<Waiting> = {
            let mut waiting = lock(&self.waiting);
            let late = waiting.extract_if(|_, one| one.until.is_some_and(|until| until <= now));
            late.map(|(_, one)| one).collect()
        };
        for mut late in late {
            count(&self.core.counters.timeouts);
            late.stop.trigger();
            self.core.workers.forget(late.lane);
            late.until = None;
            late.fault = Some(TIMED_OUT);
            let text = match std::mem::take(&mut late.timed_out) {
                text if text.is_empty() => {
                    let error =
                        RequestError::new(ErrorCode::Timeout, "request", "no answer in its time");
                    self.trouble(&error)
                }
                text => text,
            };
            // A number of its own: later output of the stopped query is dropped.
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            self.queue_line((number, &self.core.connection_budget()), late, text, false);
        }
    }

    /// Abandons a query after the NATS server has reported, on the subject with this number and secret, that its
    /// progress has no subscriber.
    pub(super) fn cancel_vanished(&self, number: u64, secret: u128) {
        let gone = {
            let mut waiting = lock(&self.waiting);
            let own = |one: &Waiting| one.until.is_some() && one.secret == secret;
            match waiting.get(&number).is_some_and(own) {
                true => waiting.remove(&number),
                false => None,
            }
        };
        if let Some(gone) = gone {
            count(&self.core.counters.hang_ups);
            gone.stop.trigger();
            self.core.workers.forget(gone.lane);
        }
    }

    /// Sends the answers of the workers until their channel closes.
    pub(super) async fn send(self: Arc<Self>, mut parts: UnboundedReceiver<Box<Part>>) {
        while let Some(part) = parts.recv().await {
            let Part {
                number,
                bytes,
                reservation,
                good,
                last,
                progress: _,
            } = *part;
            if let Some(letter) = self.outgoing((number, last), bytes, good) {
                let OutgoingMessage {
                    to,
                    bytes,
                    headers,
                    reply,
                } = letter;
                let client = &self.client;
                let sent = match (reply, headers.is_empty()) {
                    (None, true) => client.publish(to, bytes.into()).await,
                    (None, false) => client.publish_with_headers(to, headers, bytes.into()).await,
                    (Some(reply), _) => {
                        (client.publish_with_reply_and_headers(to, reply, headers, bytes.into()))
                            .await
                    }
                };
                if let Err(error) = sent {
                    tracing::warn!("an answer was not sent: {error}");
                }
            }
            drop(reservation);
            if last {
                lock(&self.waiting).remove(&number);
            }
        }
    }

    /// Returns the message for a part of an answer; `None` if the query has been abandoned.
    fn outgoing(
        &self,
        (number, last): (u64, bool),
        mut bytes: Vec<u8>,
        good: bool,
    ) -> Option<OutgoingMessage> {
        let (to, lane, endpoint, since, fault, secret) = {
            let waiting = lock(&self.waiting);
            let one = waiting.get(&number)?;
            let secret = one.secret;
            (
                one.to.clone(),
                one.lane,
                one.endpoint,
                one.since,
                one.fault,
                secret,
            )
        };
        if bytes.ends_with(b"\n") {
            bytes.pop();
        }
        let mut fault = fault.or((!good).then_some(BAD_REQUEST));
        let most = self.client.max_payload();
        if bytes.len() > most {
            let message = format!(
                "answer has {} bytes, the NATS server takes {most}",
                bytes.len()
            );
            let error = RequestError::new(ErrorCode::AnswerTooLong, "answer", message);
            bytes = self.trouble(&error).trim_ascii_end().to_vec();
            fault = Some(BAD_REQUEST);
        }
        let mut headers = HeaderMap::new();
        if let Some((code, reason)) = fault {
            headers.insert(ERROR_CODE_HEADER, code);
            headers.insert(ERROR_HEADER, reason);
        }
        if !last {
            headers.insert(MORE_HEADER, "1");
            let reply = Some(format!("{}.{number}.{secret:032x}", self.absent));
            return Some(OutgoingMessage {
                to,
                bytes,
                headers,
                reply,
            });
        }
        self.core.workers.forget(lane);
        let error = fault.map(|(code, reason)| format!("{code}:{reason}"));
        lock(&self.identity).note(endpoint, since.elapsed(), error.as_deref());
        Some(OutgoingMessage {
            to,
            bytes,
            headers,
            reply: None,
        })
    }
}

/// Returns the client of a reply subject: its inbox without the last token, which differs for each request.
fn origin(to: &Subject) -> Origin {
    let client = to
        .rsplit_once('.')
        .map_or(to.as_str(), |(client, _)| client);
    let mut hasher = DefaultHasher::new();
    client.hash(&mut hasher);
    Origin::Inbox(hasher.finish())
}
