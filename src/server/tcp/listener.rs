//! Accepting and refusing connections.

use super::connection;
use super::shared::Shared;
use super::socket::{Language, Listener, Stream, hung_up};
use crate::console_tcp;
use crate::counters::count;
use crate::fair_queue::Origin;
use crate::limits::Limits;
use crate::shutdown::{Phase, reached};
use gammond_protocol::ErrorCode;
use gammond_protocol::answer::{self, Addressee};
use gammond_protocol::external::External;
use gammond_protocol::{AnswerStyle, RequestError};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// Accepts until the server ends, then waits for its connections.
pub(super) async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut phase = shared.phase.subscribe();
    let mut tasks = JoinSet::new();
    let refusing = Arc::new(AtomicUsize::new(0));
    let mut pauses = Pauses::default();
    loop {
        tokio::select! {
            () = reached(&mut phase, Phase::Drain) => break,
            accepted = listener.accept(&shared.limits) => match accepted {
                Ok((stream, origin)) => {
                    pauses = Pauses::default();
                    let language = listener.language();
                    welcome(stream, origin, language, &shared, &mut tasks, &refusing);
                }
                Err(error) => {
                    count(&shared.counters.accept_pauses);
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
        () = reached(&mut phase, Phase::Cut) => {
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
    language: Language,
    shared: &Arc<Shared>,
    tasks: &mut JoinSet<()>,
    refusing: &Arc<AtomicUsize>,
) {
    let slot = match shared.admit(origin) {
        Ok(slot) => slot,
        Err(reason) => {
            count(&shared.counters.refused);
            tracing::debug!(?origin, reason, "refused");
            // With many new connections none of them is read before it is refused.
            let waits = refusing.fetch_add(1, Ordering::Relaxed) < shared.limits.refusals_max;
            let (limits, refusing) = (shared.limits.clone(), Arc::clone(refusing));
            tasks.spawn(async move {
                refuse(stream, language, reason, waits, &limits).await;
                refusing.fetch_sub(1, Ordering::Relaxed);
            });
            return;
        }
    };
    let shared = Arc::clone(shared);
    tasks.spawn(async move {
        match language {
            Language::Console => console_tcp::serve(stream, origin, shared).await,
            Language::Detected | Language::External => {
                let external = language == Language::External;
                connection::serve(stream, hung_up, origin, shared, external).await;
            }
        }
        drop(slot);
    });
}

/// Refuses a new connection with an error, in its own protocol if it names one in time (SRV-05).
async fn refuse(stream: Stream, language: Language, reason: &str, waits: bool, limits: &Limits) {
    let wait = if waits {
        limits.refusal_wait
    } else {
        Duration::ZERO
    };
    let sent = send_refusal(stream, language, reason, wait, limits.refusal_wait);
    // A peer that does not take one line gets none.
    let _ = timeout(limits.refusal_wait * 5, sent).await;
}

async fn send_refusal(
    mut stream: Stream,
    language: Language,
    reason: &str,
    wait: Duration,
    linger: Duration,
) -> io::Result<()> {
    let mut first = [0; 256];
    let count = match wait {
        Duration::ZERO => 0,
        _ if language == Language::Console => 0,
        _ => timeout(wait, stream.read(&mut first))
            .await
            .unwrap_or(Ok(0))?,
    };
    let said = first.get(..count).unwrap_or_default();
    let mut text = Vec::new();
    if language == Language::Console {
        text.extend_from_slice(format!("gammond: too many {reason}\n").as_bytes());
    } else if External::begins_with(said) {
        text.extend_from_slice(format!("Error: busy {reason}\n").as_bytes());
    } else {
        let error = RequestError::new(
            ErrorCode::Busy,
            "server",
            format!("busy: too many {reason}"),
        );
        let to = Addressee {
            id: None,
            style: AnswerStyle::Json,
            warning: None,
        };
        answer::error(to, &error, None, &mut text);
    }
    stream.write_all(&text).await?;
    stream.shutdown().await?;
    // Closing with input unread would take the line back.
    while matches!(timeout(linger, stream.read(&mut first)).await, Ok(Ok(1..))) {}
    Ok(())
}
