//! Accepting and refusing connections.

use super::address::Address;
use super::error::TransportError;
use super::socket::{Listener, Stream};
use crate::core::Core;
use crate::core::counters::count;
use crate::core::fair_queue::Origin;
use crate::core::limits::Limits;
use crate::core::shutdown::{ShutdownPhase, reached};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// Rules for the sockets of all transports.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Opening {
    /// True if addresses other than loopback are allowed.
    pub allow_remote: bool,
    /// Time for which an address in use is tried again.
    pub retry: Duration,
}

/// The protocol behind a listener: how its connections are served and refused.
pub(crate) trait Speaker: Copy + Send + Sync + 'static {
    /// True if the first bytes of a client decide how it is refused.
    const READS_FIRST: bool;

    /// Serves a connection until it or the server ends.
    fn serve(
        self,
        stream: Stream,
        origin: Origin,
        core: Arc<Core>,
    ) -> impl Future<Output = ()> + Send;

    /// Returns the text that refuses a client, which began with these bytes, for this reason.
    fn refusal(self, first: &[u8], reason: &str) -> Vec<u8>;
}

/// Accepts until the server ends, then waits for its connections.
async fn accept(listener: Listener, speaker: impl Speaker, core: Arc<Core>) {
    let mut phase = core.phase.subscribe();
    let mut tasks = JoinSet::new();
    let refusing = Arc::new(AtomicUsize::new(0));
    let mut pauses = Pauses::default();
    loop {
        tokio::select! {
            () = reached(&mut phase, ShutdownPhase::Drain) => break,
            accepted = listener.accept(&core.limits) => match accepted {
                Ok((stream, origin)) => {
                    pauses = Pauses::default();
                    welcome(stream, origin, speaker, &core, &mut tasks, &refusing);
                }
                Err(error) => {
                    count(&core.counters.accept_pauses);
                    pauses.wait(&error).await;
                }
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
        }
    }
    drop(listener);
    let all_done = async { while tasks.join_next().await.is_some() {} };
    tokio::select! {
        () = all_done => {}
        () = reached(&mut phase, ShutdownPhase::Cut) => {
            // A moment for each to see it; the rest is dropped with the set.
            sleep(Duration::from_millis(150)).await;
        }
    }
}

/// Backoff after failures to accept, such as a lack of descriptors; logged once a second at most (SRV-14).
#[derive(Default)]
struct Pauses {
    next: Duration,
    sent: Option<Instant>,
}

impl Pauses {
    async fn wait(&mut self, error: &io::Error) {
        let now = Instant::now();
        if self
            .sent
            .is_none_or(|sent| now - sent >= Duration::from_secs(1))
        {
            tracing::warn!(%error, "cannot accept connections");
            self.sent = Some(now);
        }
        self.next = (self.next * 2).clamp(Duration::from_millis(10), Duration::from_secs(1));
        sleep(self.next).await;
    }
}

fn welcome(
    stream: Stream,
    origin: Origin,
    speaker: impl Speaker,
    core: &Arc<Core>,
    tasks: &mut JoinSet<()>,
    refusing: &Arc<AtomicUsize>,
) {
    let slot = match core.admit(origin) {
        Ok(slot) => slot,
        Err(reason) => {
            count(&core.counters.refused);
            tracing::debug!(?origin, reason, "refused");
            // With many new connections none of them is read before it is refused.
            let waits = refusing.fetch_add(1, Ordering::Relaxed) < core.limits.refusals_max;
            let (limits, refusing) = (core.limits.clone(), Arc::clone(refusing));
            tasks.spawn(async move {
                refuse(stream, speaker, reason, waits, &limits).await;
                refusing.fetch_sub(1, Ordering::Relaxed);
            });
            return;
        }
    };
    let core = Arc::clone(core);
    tasks.spawn(async move {
        speaker.serve(stream, origin, core).await;
        drop(slot);
    });
}

/// Refuses a new connection with an error, in its own protocol if it names one in time (SRV-05).
async fn refuse(stream: Stream, speaker: impl Speaker, reason: &str, waits: bool, limits: &Limits) {
    let wait = match waits {
        true => limits.refusal_wait,
        false => Duration::ZERO,
    };
    let sent = send_refusal(stream, speaker, reason, wait, limits.refusal_wait);
    // A peer that does not take one line gets none.
    let _ = timeout(limits.refusal_wait * 5, sent).await;
}

async fn send_refusal<S: Speaker>(
    mut stream: Stream,
    speaker: S,
    reason: &str,
    wait: Duration,
    linger: Duration,
) -> io::Result<()> {
    let mut first = [0; 256];
    let count = match S::READS_FIRST && !wait.is_zero() {
        true => timeout(wait, stream.read(&mut first))
            .await
            .unwrap_or(Ok(0))?,
        false => 0,
    };
    let text = speaker.refusal(first.get(..count).unwrap_or_default(), reason);
    stream.write_all(&text).await?;
    stream.shutdown().await?;
    // Closing with input unread would take the line back.
    while matches!(timeout(linger, stream.read(&mut first)).await, Ok(Ok(1..))) {}
    Ok(())
}

/// Binds the addresses of a transport, in their order.
pub(crate) async fn bind(
    addresses: &[Address],
    opening: Opening,
) -> Result<Vec<Listener>, TransportError> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        listeners.push(Listener::bind(address, opening.allow_remote, opening.retry).await?);
    }
    Ok(listeners)
}

/// Returns a line for each listener: its kind, and the address with the real port.
pub(crate) fn shown(kind: &str, listeners: &[Listener]) -> Vec<String> {
    let shown = |listener: &Listener| format!("{kind} on {}", listener.address());
    listeners.iter().map(shown).collect()
}

/// Accepts on all listeners until the server ends, then waits for their connections.
pub(crate) async fn accept_all(listeners: Vec<Listener>, speaker: impl Speaker, core: &Arc<Core>) {
    let accepting = listeners.into_iter();
    let mut accepting: JoinSet<()> = accepting
        .map(|listener| accept(listener, speaker, Arc::clone(core)))
        .collect();
    while accepting.join_next().await.is_some() {}
}
