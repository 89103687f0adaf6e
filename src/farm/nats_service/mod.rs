//! Requests over NATS: a service of the NATS micro protocol, with one subject for each verb and one queue group, so that
//! several servers share the requests.
//!
//! A message is a request and a session of its own; the answer is that of a socket, without the line end. `message` converts a
//! message to a step of the line protocol's machine, `micro` implements service discovery, `responder` holds messages until they are
//! answered. Worker threads and limits are shared with sockets.

mod micro;
mod responder;

use crate::nats::{Access, ConnectError};
use async_nats::connection::State;
use async_nats::{Client, Message, SubscribeError, Subscriber};
use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use gammond_protocol::message;
use gammond_server::core::Core;
use gammond_server::core::shutdown::{ShutdownPhase, reached};
use gammond_server::io::Opening;
use gammond_server::transport::{Transport, TransportFuture};
use gammond_server::{Handle, TransportError};
use micro::{GROUP, Identity};
use responder::NatsResponder;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Timeout for flushing the last answers to the server.
const CLOSING_TIME: Duration = Duration::from_secs(1);
/// Poll interval for unanswered messages during shutdown.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Settings of the NATS transport.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Address of the NATS server, and credentials.
    pub access: Access,
    /// Name of the service, and first part of its subjects.
    pub name: String,
}

impl Transport for Serving {
    fn open(&mut self, _: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async {
            let checked = self.access.check().await;
            checked.map_err(|error| match error {
                ConnectError::File { .. } => TransportError::File(error.to_string()),
                _ => TransportError::Setting(error.to_string()),
            })
        })
    }

    fn shown(&self) -> Vec<String> {
        vec![format!(
            "answering over {} as {}.*",
            self.access.shown(),
            self.name
        )]
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move { serve(&self, server.0).await })
    }
}

/// Interval of the checks for expired queries.
const EXPIRY_PERIOD: Duration = Duration::from_millis(250);

/// A message with its endpoint; `None` for service discovery.
type IncomingMessage = (Option<usize>, Message);

/// Answers requests until the server ends. Messages received by then are still answered.
async fn serve(serving: &Serving, core: Arc<Core>) {
    let mut phase = core.phase.subscribe();
    let tell = |text: &str| tracing::warn!("{text}");
    let connected = tokio::select! {
        () = reached(&mut phase, ShutdownPhase::Drain) => return,
        connected = serving.access.connect_with_retry(&tell) => connected,
    };
    let served = async {
        let client = connected.map_err(|error| error.to_string())?;
        let served = answer(client, serving, &core).await;
        served.map_err(|error| error.to_string())
    };
    let mut phase = core.phase.subscribe();
    tokio::select! {
        served = served => if let Err(error) = served {
            tracing::error!("{error}; nothing is answered over NATS");
        },
        () = reached(&mut phase, ShutdownPhase::Cut) => {}
    }
}

async fn answer(client: Client, serving: &Serving, core: &Arc<Core>) -> Result<(), SubscribeError> {
    let identity = Identity::new(&serving.name, &client.new_inbox());
    let mut subscribers: Vec<(Option<usize>, Subscriber)> = Vec::new();
    for subject in identity.questions() {
        subscribers.push((None, client.subscribe(subject).await?));
    }
    for (place, verb) in message::verbs().enumerate() {
        let subject = format!("{}.{verb}", serving.name);
        let subscriber = client.queue_subscribe(subject, GROUP.to_owned()).await?;
        subscribers.push((Some(place), subscriber));
    }
    let absent = client.new_inbox();
    let vanished = client.subscribe(format!("{absent}.*.*")).await?;
    let (responder, parts) = NatsResponder::new(client.clone(), Arc::clone(core), identity, absent);
    let responder = Arc::new(responder);
    let sending = tokio::spawn(Arc::clone(&responder).send(parts));
    let watching = tokio::spawn(watch(Arc::clone(&responder), vanished));
    tracing::info!(name = serving.name, "answering over NATS");
    receive(&responder, subscribers).await;
    // Every message that came is answered, or cut with the rest.
    while responder.waiting() > 0 {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let _ = tokio::time::timeout(CLOSING_TIME, client.flush()).await;
    sending.abort();
    watching.abort();
    Ok(())
}

/// Takes messages until the server ends, and then those still in transit.
async fn receive(responder: &NatsResponder, mut subscribers: Vec<(Option<usize>, Subscriber)>) {
    let mut phase = responder.core().phase.subscribe();
    let mut all = select_all((subscribers.iter_mut()).map(|(place, subscriber)| {
        let place = *place;
        subscriber.map(move |message| -> IncomingMessage { (place, message) })
    }));
    loop {
        tokio::select! {
            () = reached(&mut phase, ShutdownPhase::Drain) => break,
            heard = all.next() => match heard {
                Some((place, message)) => responder.take(place, message),
                None => return,
            },
        }
    }
    drop(all);
    if responder.client().connection_state() != State::Connected {
        return;
    }
    for (_, subscriber) in &mut subscribers {
        // It fails when the connection is closed: then nothing more comes.
        let _ = subscriber.drain().await;
    }
    let mut all = select_all((subscribers.into_iter()).map(|(place, subscriber)| {
        subscriber.map(move |message| -> IncomingMessage { (place, message) })
    }));
    while let Some((place, message)) = all.next().await {
        responder.take(place, message);
    }
}

/// Stops queries whose clients have gone: the NATS server has reported that progress has no subscriber, or the time limit has
/// passed.
async fn watch(responder: Arc<NatsResponder>, mut vanished: Subscriber) {
    let mut clock = tokio::time::interval(EXPIRY_PERIOD);
    loop {
        tokio::select! {
            _ = clock.tick() => responder.expire(Instant::now()),
            message = vanished.next() => match message {
                Some(message) => if let Some((number, secret)) = absence(&message) {
                    responder.cancel_vanished(number, secret);
                },
                None => return,
            },
        }
    }
}

/// Parses the NATS server's report that the progress of a query has no subscriber: the query's number and secret. A client's
/// message can look the same, so the secret decides; only subscribers of the progress know it.
fn absence(message: &Message) -> Option<(u64, u128)> {
    let reported = message.status == Some(async_nats::StatusCode::NO_RESPONDERS)
        && message.payload.is_empty()
        && message.reply.is_none();
    let (rest, secret) = message.subject.rsplit_once('.').filter(|_| reported)?;
    let (_, number) = rest.rsplit_once('.')?;
    Some((number.parse().ok()?, u128::from_str_radix(secret, 16).ok()?))
}
