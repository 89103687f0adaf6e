//! Where messages wait for their answers: each is handed to the workers, and what they say is sent to who asked.

use super::micro::Identity;
use async_nats::{Client, HeaderMap, Message, Subject};
use gammond_engine::query::{Cost, Question, Stop};
use gammond_protocol::answerer::Observer as _;
use gammond_protocol::{Inquiry, RequestError, Session, Step, message};
use gammond_server::account::Account;
use gammond_server::counters::count;
use gammond_server::fair_queue::{Lane, Origin};
use gammond_server::faults::surviving;
use gammond_server::tcp::shared::Shared;
use gammond_server::tcp::weight::Weight;
use gammond_server::work::{Part, QueuedWork};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Says that more messages come behind this one.
const MORE: &str = "Gammond-More";
/// What the micro protocol says of errors.
const ERROR: &str = "Nats-Service-Error";
const ERROR_CODE: &str = "Nats-Service-Error-Code";

/// Why a message is answered with an error, as the micro protocol tells it.
const REFUSED: (&str, &str) = ("400", "the message says what is wrong");
const BUSY: (&str, &str) = ("503", "too much waits");
const TIMED_OUT: (&str, &str) = ("408", "the answer did not come in its time");

/// The header with the seconds that the client waits for the answer.
const TIMEOUT: &str = "Gammond-Timeout";
/// Seconds that an answer may take when the client names none and does not ask for progress. A client of NATS that is gone
/// leaves no trace, so that work for it would never end.
pub(super) const TIMEOUT_DEFAULT_S: u64 = 30;
/// The most seconds that a client may name; also the limit with `progress=1`.
pub(super) const TIMEOUT_MAX_S: u64 = 3600;

/// All that one service has to answer.
pub(super) struct Desk {
    client: Client,
    shared: Arc<Shared>,
    identity: Mutex<Identity>,
    /// The subject below which the NATS server reports that nobody listens to progress: a query's number and its secret
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
    /// When the query is given up; none for what is answered at once.
    until: Option<Instant>,
    /// The answer then.
    timed_out: Vec<u8>,
    /// Known to nobody but this server and whoever reads the progress of this query.
    secret: u128,
    lane: Lane,
    stop: Stop,
    /// Why it is known to be answered with an error.
    fault: Option<(&'static str, &'static str)>,
    /// The match in it, counted with those of sockets.
    _weight: Option<Weight>,
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

/// Reads the seconds that a client waits; none when it says nothing.
fn timeout_s(headers: Option<&HeaderMap>) -> Result<Option<u64>, RequestError> {
    let Some(value) = headers.and_then(|headers| headers.get(TIMEOUT)) else {
        return Ok(None);
    };
    let seconds = value.as_str().parse().ok();
    let seconds = seconds.filter(|seconds| (1..=TIMEOUT_MAX_S).contains(seconds));
    match seconds {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(RequestError::new(
            "bad-setting",
            TIMEOUT,
            format!("{TIMEOUT}: want whole seconds, 1 to {TIMEOUT_MAX_S}"),
        )),
    }
}

/// What is to be sent.
struct Letter {
    to: Subject,
    bytes: Vec<u8>,
    headers: HeaderMap,
    /// Where the server says that nobody listens.
    reply: Option<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    /// A desk, and what [`Desk::send`] sends.
    pub(super) fn new(
        client: Client,
        shared: Arc<Shared>,
        identity: Identity,
        absent: String,
    ) -> (Desk, UnboundedReceiver<Box<Part>>) {
        let (sender, parts) = unbounded_channel();
        let desk = Desk {
            client,
            shared,
            identity: Mutex::new(identity),
            absent,
            waiting: Mutex::default(),
            numbers: AtomicU64::new(0),
            sender,
        };
        (desk, parts)
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// How many messages have no answer yet.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.waiting).len()
    }

    /// Takes a message. Never waits: what cannot be kept is left without an answer.
    pub(super) fn take(&self, endpoint: Option<usize>, message: Message) {
        let Some(to) = message.reply else {
            // Nobody wants an answer.
            return;
        };
        let limits = &self.shared.limits;
        let full = self.waiting() >= limits.messages_max
            || self.shared.unsent() >= limits.answer_bytes_max;
        if full {
            count(&self.shared.counters.busy);
            tracing::debug!("a message is left without an answer: too many answers wait");
            return;
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let account = self.shared.account();
        let seconds = match timeout_s(message.headers.as_ref()) {
            Ok(seconds) => seconds,
            Err(error) => {
                let waiting = Waiting::new(to, endpoint, number);
                return self.refuse((number, &account), waiting, &error);
            }
        };
        let mut waiting = Waiting::new(to, endpoint, number);
        let verb = endpoint.and_then(|place| message::verbs().nth(place));
        let Some(verb) = verb else {
            let told = lock(&self.identity).answer(message.subject.as_str());
            let text = told.map_or_else(String::new, |told| told.to_string());
            return self.say((number, &account), waiting, text.into_bytes(), true);
        };
        let settings = self.shared.defaults().session;
        let counters = &self.shared.counters;
        let step = surviving(counters, || message::step(verb, &message.payload, settings));
        let (text, good) = match step {
            Ok(Step::Ask(inquiry)) => {
                return self.ask((number, account), waiting, (*inquiry, seconds));
            }
            Ok(Step::Say(text) | Step::Close(text)) => (text, true),
            Ok(Step::Refuse(text)) => (text, false),
            // Neither comes of a session.
            Ok(Step::Silence | Step::Rebuild { .. }) => (String::new(), false),
            Err(error) => return self.refuse((number, &account), waiting, &error),
        };
        counters.note_answer("session", good);
        waiting.fault = (!good).then_some(REFUSED);
        self.say((number, &account), waiting, text.into_bytes(), good);
    }

    /// What is said of an error that no inquiry is there for.
    fn trouble(&self, error: &RequestError) -> Vec<u8> {
        use gammond_protocol::Dialect as _;
        let text = Session::new(self.shared.defaults().session).trouble(error);
        text.into_bytes()
    }

    /// Answers with an error.
    fn refuse(
        &self,
        (number, account): (u64, &Arc<Account>),
        mut waiting: Waiting,
        error: &RequestError,
    ) {
        self.shared.counters.note_answer("session", false);
        waiting.fault = Some(REFUSED);
        self.say((number, account), waiting, self.trouble(error), false);
    }

    fn ask(
        &self,
        (number, account): (u64, Arc<Account>),
        mut waiting: Waiting,
        (inquiry, seconds): (Inquiry, Option<u64>),
    ) {
        let cost = inquiry.cost();
        tracing::debug!(
            kind = inquiry.question.kind(),
            cost = cost.name(),
            "asked over NATS"
        );
        if cost == Cost::Free {
            let mut text = Vec::new();
            let good = self.shared.workers.answer_free(&inquiry, &mut text);
            return self.say((number, &account), waiting, text, good);
        }
        if !self.limit(&mut waiting, &inquiry, seconds) {
            let error =
                RequestError::new("internal", "request", "the system has no random numbers");
            return self.refuse((number, &account), waiting, &error);
        }
        let mut work = QueuedWork {
            inquiries: VecDeque::new(),
            rest: None,
            cost,
            stop: waiting.stop.clone(),
            account: Arc::clone(&account),
            number,
            // An answer is one message.
            answer_bytes_max: Some(self.client.max_payload()),
            reply: self.sender.clone(),
        };
        work.inquiries.push_back(inquiry);
        let mut full = false;
        if work.weight() > 0 {
            let mut weight = Weight::new(Arc::clone(&self.shared));
            full = weight.gathered(Some(work.weight()));
            waiting._weight = Some(weight);
        }
        let lane = waiting.lane;
        // It may be answered before anything else is done here.
        lock(&self.waiting).insert(number, waiting);
        let refused = if full {
            Err((Box::new(work), "too many matches wait"))
        } else {
            self.shared.workers.submit(lane, Box::new(work))
        };
        let Err((work, reason)) = refused else {
            return;
        };
        let waiting = lock(&self.waiting).remove(&number);
        if let Some(mut waiting) = waiting {
            waiting.fault = Some(BUSY);
            let mut text = Vec::new();
            self.shared.workers.answer_busy(&work, reason, &mut text);
            self.say((number, &account), waiting, text, false);
        }
    }

    /// An answer that is there at once.
    fn say(
        &self,
        (number, account): (u64, &Arc<Account>),
        waiting: Waiting,
        bytes: Vec<u8>,
        good: bool,
    ) {
        lock(&self.waiting).insert(number, waiting);
        let charge = account.charge(bytes.len());
        // The receiver lives as long as the desk, unless everything is cut.
        let _ = self.sender.send(Box::new(Part {
            number,
            bytes,
            charge,
            good,
            last: true,
        }));
    }

    /// Sets when a query is given up, and its secret; false when the system has no random numbers.
    fn limit(&self, waiting: &mut Waiting, inquiry: &Inquiry, seconds: Option<u64>) -> bool {
        let mut secret = [0; 16];
        if getrandom::getrandom(&mut secret).is_err() {
            return false;
        }
        waiting.secret = u128::from_ne_bytes(secret);
        let tells = matches!(&inquiry.question, Question::Rollout(task) if task.progress);
        let seconds = seconds.unwrap_or(match tells {
            true => TIMEOUT_MAX_S,
            false => TIMEOUT_DEFAULT_S,
        });
        waiting.until = Some(waiting.since + Duration::from_secs(seconds));
        // Only such queries may last so long.
        if inquiry.cost() >= Cost::Heavy {
            let message = format!(
                "no answer within {seconds} s; ask with progress=1, or name more seconds in the header {TIMEOUT} (at \
                 most {TIMEOUT_MAX_S})"
            );
            let error = RequestError::new("timeout", "request", message);
            (self.shared.workers).refuse(inquiry, &error, &mut waiting.timed_out);
        }
        true
    }

    /// Gives up the queries whose clients wait no longer, and says so to those that are there all the same.
    pub(super) fn expire(&self, now: Instant) {
        let late: Vec<Waiting> = {
            let mut waiting = lock(&self.waiting);
            let late = waiting.extract_if(|_, one| one.until.is_some_and(|until| until <= now));
            late.map(|(_, one)| one).collect()
        };
        for mut late in late {
            count(&self.shared.counters.timeouts);
            late.stop.trigger();
            self.shared.workers.forget(late.lane);
            late.until = None;
            late.fault = Some(TIMED_OUT);
            let text = match std::mem::take(&mut late.timed_out) {
                text if text.is_empty() => {
                    let error = RequestError::new("timeout", "request", "no answer in its time");
                    self.trouble(&error)
                }
                text => text,
            };
            // A number of its own: what the stopped query still says is dropped.
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            self.say((number, &self.shared.account()), late, text, false);
        }
    }

    /// The NATS server has reported, on the subject with this number and secret, that nobody listens to the progress of a
    /// query any more.
    pub(super) fn give_up(&self, number: u64, secret: u128) {
        let gone = {
            let mut waiting = lock(&self.waiting);
            let own = |one: &Waiting| one.until.is_some() && one.secret == secret;
            match waiting.get(&number).is_some_and(own) {
                true => waiting.remove(&number),
                false => None,
            }
        };
        if let Some(gone) = gone {
            count(&self.shared.counters.hang_ups);
            gone.stop.trigger();
            self.shared.workers.forget(gone.lane);
        }
    }

    /// Sends what the workers say, to the end.
    pub(super) async fn send(self: Arc<Self>, mut parts: UnboundedReceiver<Box<Part>>) {
        while let Some(part) = parts.recv().await {
            let Part {
                number,
                bytes,
                charge,
                good,
                last,
            } = *part;
            if let Some(letter) = self.letter((number, last), bytes, good) {
                let Letter {
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
            drop(charge);
            if last {
                lock(&self.waiting).remove(&number);
            }
        }
    }

    /// What is to be sent of an answer, and to whom; none when nobody waits for it.
    fn letter(
        &self,
        (number, last): (u64, bool),
        mut bytes: Vec<u8>,
        good: bool,
    ) -> Option<Letter> {
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
        let mut fault = fault.or((!good).then_some(REFUSED));
        let most = self.client.max_payload();
        if bytes.len() > most {
            let message = format!(
                "answer has {} bytes, the NATS server takes {most}",
                bytes.len()
            );
            let error = RequestError::new("answer-too-long", "answer", message);
            bytes = self.trouble(&error).trim_ascii_end().to_vec();
            fault = Some(REFUSED);
        }
        let mut headers = HeaderMap::new();
        if let Some((code, reason)) = fault {
            headers.insert(ERROR_CODE, code);
            headers.insert(ERROR, reason);
        }
        if !last {
            headers.insert(MORE, "1");
            let reply = Some(format!("{}.{number}.{secret:032x}", self.absent));
            return Some(Letter {
                to,
                bytes,
                headers,
                reply,
            });
        }
        self.shared.workers.forget(lane);
        let error = fault.map(|(code, reason)| format!("{code}:{reason}"));
        lock(&self.identity).note(endpoint, since.elapsed(), error.as_deref());
        Some(Letter {
            to,
            bytes,
            headers,
            reply: None,
        })
    }
}

/// Who asks, by where the answers go: the inbox of a client has one more word for each request.
fn origin(to: &Subject) -> Origin {
    let client = to
        .rsplit_once('.')
        .map_or(to.as_str(), |(client, _)| client);
    let mut hasher = DefaultHasher::new();
    client.hash(&mut hasher);
    Origin::Inbox(hasher.finish())
}
