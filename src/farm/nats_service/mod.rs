//! Requests over NATS: a service of its micro protocol, with a subject for each verb and one queue group, so that
//! several servers share what is asked.
//!
//! A message is a request, and a session of its own; the answer is what a socket would say, without its line end.
//! `message` makes a message to a step of the line protocol's machine, `micro` is how such services are found, `desk`
//! is where messages wait for their answers. What computes, and the limits, are those of sockets.

mod desk;
mod micro;

use crate::nats::{Access, ConnectError};
use async_nats::connection::State;
use async_nats::{Client, Message, SubscribeError, Subscriber};
use desk::Desk;
use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use gammond_protocol::message;
use gammond_server::shutdown::{Phase, reached};
use gammond_server::tcp::shared::Shared;
use gammond_server::tcp::{Handle, TransportError};
use gammond_server::transport::{Transport, TransportFuture};
use micro::{GROUP, Identity};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the last answers may take on their way to the server.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Between two looks whether all is answered, at the end.
const LOOK: Duration = Duration::from_millis(20);

/// Where requests come from.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The NATS server, and who we are there.
    pub access: Access,
    /// With what subjects begin, and what the service is called.
    pub name: String,
}

impl Transport for Serving {
    fn check(&self) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async {
            let checked = self.access.check().await;
            checked.map_err(|error| match error {
                ConnectError::File { .. } => TransportError::File(error.to_string()),
                _ => TransportError::Setting(error.to_string()),
            })
        })
    }

    fn shown(&self) -> String {
        format!("answering over {} as {}.*", self.access.shown(), self.name)
    }

    fn serve(self: Arc<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move { serve(&self, server.0).await })
    }
}

/// Between two looks for queries whose time is over.
const EXPIRY_PERIOD: Duration = Duration::from_millis(250);

/// A message, and to which endpoint it belongs; none when it asks which services there are.
type Heard = (Option<usize>, Message);

/// Answers until the server ends. What has come by then is still answered.
async fn serve(serving: &Serving, shared: Arc<Shared>) {
    let mut phase = shared.phase.subscribe();
    let tell = |text: &str| tracing::warn!("{text}");
    let connected = tokio::select! {
        () = reached(&mut phase, Phase::Drain) => return,
        connected = serving.access.connect_patiently(&tell) => connected,
    };
    let served = async {
        let client = connected.map_err(|error| error.to_string())?;
        let served = answer(client, serving, &shared).await;
        served.map_err(|error| error.to_string())
    };
    let mut phase = shared.phase.subscribe();
    tokio::select! {
        served = served => if let Err(error) = served {
            tracing::error!("{error}; nothing is answered over NATS");
        },
        () = reached(&mut phase, Phase::Cut) => {}
    }
}

async fn answer(
    client: Client,
    serving: &Serving,
    shared: &Arc<Shared>,
) -> Result<(), SubscribeError> {
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
    let (desk, parts) = Desk::new(client.clone(), Arc::clone(shared), identity, absent);
    let desk = Arc::new(desk);
    let sending = tokio::spawn(Arc::clone(&desk).send(parts));
    let watching = tokio::spawn(watch(Arc::clone(&desk), vanished));
    tracing::info!(name = serving.name, "answering over NATS");
    hear(&desk, subscribers).await;
    // Every message that came is answered, or cut with the rest.
    while desk.waiting() > 0 {
        tokio::time::sleep(LOOK).await;
    }
    let _ = tokio::time::timeout(LAST_WORDS, client.flush()).await;
    sending.abort();
    watching.abort();
    Ok(())
}

/// Takes messages until the server ends, and then those that are on their way.
async fn hear(desk: &Desk, mut subscribers: Vec<(Option<usize>, Subscriber)>) {
    let mut phase = desk.shared().phase.subscribe();
    let mut all = select_all((subscribers.iter_mut()).map(|(place, subscriber)| {
        let place = *place;
        subscriber.map(move |message| -> Heard { (place, message) })
    }));
    loop {
        tokio::select! {
            () = reached(&mut phase, Phase::Drain) => break,
            heard = all.next() => match heard {
                Some((place, message)) => desk.take(place, message),
                None => return,
            },
        }
    }
    drop(all);
    if desk.client().connection_state() != State::Connected {
        return;
    }
    for (_, subscriber) in &mut subscribers {
        // It fails when the connection is closed: then nothing more comes.
        let _ = subscriber.drain().await;
    }
    let mut all =
        select_all((subscribers.into_iter()).map(|(place, subscriber)| {
            subscriber.map(move |message| -> Heard { (place, message) })
        }));
    while let Some((place, message)) = all.next().await {
        desk.take(place, message);
    }
}

/// Stops what is computed for clients that are gone: the NATS server reports it when progress reaches nobody, or their
/// time is over.
async fn watch(desk: Arc<Desk>, mut vanished: Subscriber) {
    let mut clock = tokio::time::interval(EXPIRY_PERIOD);
    loop {
        tokio::select! {
            _ = clock.tick() => desk.expire(Instant::now()),
            message = vanished.next() => match message {
                Some(message) => if let Some((number, secret)) = absence(&message) {
                    desk.give_up(number, secret);
                },
                None => return,
            },
        }
    }
}

/// Reads a report of the NATS server that nobody listens to the progress of a query: its number and secret. A message of a
/// client can look the same, so what counts is the secret, which only those that read the progress know.
fn absence(message: &Message) -> Option<(u64, u128)> {
    let reported = message.status == Some(async_nats::StatusCode::NO_RESPONDERS)
        && message.payload.is_empty()
        && message.reply.is_none();
    let (rest, secret) = message.subject.rsplit_once('.').filter(|_| reported)?;
    let (_, number) = rest.rsplit_once('.')?;
    Some((number.parse().ok()?, u128::from_str_radix(secret, 16).ok()?))
}
