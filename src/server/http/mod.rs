//! HTTP: requests in JSON and in queries (`protocol-specs/http.md`), and what Prometheus reads (SRV-18).

mod accept;
mod access;
mod answer_schemas;
mod archive;
mod board;
mod body;
mod error_codes;
mod events;
mod foreign;
mod forwarded;
mod fuzz;
mod held;
mod in_flight;
mod jobs;
mod list;
mod matches;
mod mcp;
mod multipart;
mod openapi;
mod page;
mod problem;
mod question;
mod question_schemas;
mod router;
mod sessions;
mod submission;
mod timed;
mod tokens;
mod unread;
mod verbs;

pub use access::HttpAccess;
pub use archive::{ArchiveFilter, ArchiveScope, ArchivedMatch, MatchArchive};
pub use forwarded::{TrustedProxy, TrustedProxyError};
pub use fuzz::{fuzz_http, fuzz_http_form, fuzz_http_query};
pub use jobs::{JobLimits, JobsError};
pub use mcp::McpStdio;
pub use tokens::{HttpTokens, TokenError};

use super::counters::count;
use super::fair_queue::Origin;
use super::shutdown::{Phase, reached};
use super::tcp::shared::{Shared, Slot};
use super::tcp::socket::Listener;
pub(super) use access::AccessState;
use axum::Router;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
pub(super) use in_flight::InFlight;
use router::Peer;
use sessions::Initiator;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use timed::{SharedSocket, Timed};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Duration, sleep, timeout};
use tower_service::Service as _;
use unread::{ConnectionAnswers, ReadingPace};

/// Longest time for the head of a request, and for a connection that says nothing.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time that an HTTP/2 client has to answer a ping. On a machine with other work the answer may be read late.
const PONG_TIMEOUT: Duration = Duration::from_secs(120);
/// Longest head of a request over HTTP/1.1, in bytes.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// The same over HTTP/2, uncompressed.
const HEADER_LIST_BYTES_MAX: u32 = 16 << 10;
/// Requests of one HTTP/2 connection at a time.
const STREAMS_MAX: u32 = 100;
/// Bytes of one HTTP/2 answer that the connection takes before it can send them.
const STREAM_BUFFER_BYTES: usize = 32 << 10;

/// Clients that a listener serves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Audience {
    /// Clients, in the number that the server admits. Requests that run at the end are finished (HTTP-04).
    Clients,
    /// Readers of metrics, some at a time. Above that the oldest connection makes room: who dawdles cannot keep others out.
    /// They are answered until the server has ended.
    Scrapers,
}

impl Audience {
    /// Returns the phase from which on connections take nothing new.
    const fn last_phase(self) -> Phase {
        match self {
            Audience::Clients => Phase::Drain,
            Audience::Scrapers => Phase::Cut,
        }
    }
}

/// Answers requests until the server ends.
pub(super) async fn accept(
    listener: Listener,
    shared: Arc<Shared>,
    audience: Audience,
    access_state: Arc<AccessState>,
) {
    let mut phase = shared.phase.subscribe();
    let mut tasks = JoinSet::new();
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    let router = match audience {
        Audience::Clients => router::router(Arc::clone(&shared), Arc::clone(&access_state)),
        Audience::Scrapers => router::metrics_router(Arc::clone(&shared)),
    };
    let port = listener.port();
    loop {
        let (stream, origin) = tokio::select! {
            () = reached(&mut phase, audience.last_phase()) => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            accepted = listener.accept(&shared.limits) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::debug!(%error, "cannot accept an HTTP connection");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let connection = Connection {
            origin,
            port,
            is_proxy: forwarded::is_trusted(&access_state.access.proxies, origin),
            last: audience.last_phase(),
        };
        let stream = Timed::new(stream, shared.limits.write_timeout);
        let served = converse(stream, router.clone(), connection, Arc::clone(&shared));
        match audience {
            Audience::Clients => match admitted(&shared, &access_state, origin) {
                Ok(slot) => drop(tasks.spawn(keep(slot, served))),
                // Who has too many connections is not told so: each answer would be one more.
                Err(reason) => tracing::debug!(?origin, reason, "refused over HTTP"),
            },
            Audience::Scrapers => {
                open.retain(|task| !task.is_finished());
                if open.len() >= shared.limits.metrics_max
                    && let Some(oldest) = open.pop_front()
                {
                    oldest.abort();
                }
                let whole = timeout(shared.limits.metrics_timeout, served);
                open.push_back(tasks.spawn(async move { drop(whole.await) }));
            }
        }
    }
    drop(listener);
    if audience == Audience::Clients {
        while tasks.join_next().await.is_some() {}
    }
}

/// Finds a place for a connection. Those of trusted proxies are of many clients, whose requests are counted instead (HTTP-132).
fn admitted(
    shared: &Arc<Shared>,
    access_state: &AccessState,
    origin: Origin,
) -> Result<Slot, &'static str> {
    match forwarded::is_trusted(&access_state.access.proxies, origin) {
        true => shared.admit_proxy(),
        false => shared.admit(origin),
    }
}

/// Serves a connection as long as it has its place.
async fn keep(slot: Slot, served: impl Future<Output = ()>) {
    served.await;
    drop(slot);
}

/// An answer that a connection has not sent yet; it is counted until it is dropped.
struct PendingAnswer(Arc<watch::Sender<usize>>);

impl PendingAnswer {
    fn new(count: &Arc<watch::Sender<usize>>) -> PendingAnswer {
        count.send_modify(|count| *count += 1);
        PendingAnswer(Arc::clone(count))
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A connection that is accepted.
#[derive(Clone, Copy, Debug)]
struct Connection {
    origin: Origin,
    /// The port of the listener; `None` for a Unix socket.
    port: Option<u16>,
    /// True for a trusted proxy, whose requests come from many clients.
    is_proxy: bool,
    /// The phase from which on the connection takes nothing new.
    last: Phase,
}

/// One connection, HTTP/1.1 or HTTP/2 by prior knowledge.
async fn converse(stream: Timed, router: Router, connection: Connection, shared: Arc<Shared>) {
    let Connection {
        origin,
        port,
        is_proxy,
        last,
    } = connection;
    let socket = stream.socket();
    let pending = Arc::new(watch::Sender::new(0));
    let answers = Arc::clone(&pending);
    let pace = ReadingPace::new();
    let unread = ConnectionAnswers::new(&shared, &pace);
    let (pace_of_all, shared_by_all) = (Arc::clone(&pace), Arc::clone(&shared));
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        let pending = PendingAnswer::new(&answers);
        let mut router = router.clone();
        // One client of a proxy must not hold up the others.
        let unread = match is_proxy {
            true => ConnectionAnswers::new(&shared_by_all, &pace_of_all).request(),
            false => unread.request(),
        };
        async move {
            let place = unread.enter().await;
            request.extensions_mut().insert(Peer {
                origin,
                port,
                unread: Arc::clone(&unread),
                signed_in: None,
                is_https: false,
                initiator: Initiator::Unknown,
            });
            let response = router.call(request).await?;
            Ok::<_, Infallible>(unread.counted(response, Arc::new((pending, place))))
        }
    });
    let builder = http_builder();
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    let hung_up = wait_for_close(&socket, pending.subscribe(), &pace, &shared);
    tokio::pin!(connection, hung_up);
    let mut phase = shared.phase.subscribe();
    let mut next_phase = last;
    let mut is_draining = false;
    loop {
        tokio::select! {
            served = &mut connection => {
                if let Err(error) = served {
                    tracing::debug!(%error, "HTTP connection");
                }
                break;
            }
            () = &mut hung_up => break,
            () = reached(&mut phase, next_phase) => {
                if is_draining {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                (is_draining, next_phase) = (true, Phase::Cut);
            }
        }
    }
    if *pending.borrow() > 0 && socket.has_ended() {
        count(&shared.counters.hang_ups);
    }
}

/// Returns the limits of a connection.
fn http_builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_send_buf_size(STREAM_BUFFER_BYTES)
        .max_header_list_size(HEADER_LIST_BYTES_MAX)
        .keep_alive_interval(HEAD_TIMEOUT)
        .keep_alive_timeout(PONG_TIMEOUT);
    builder
}

/// Waits until the peer has closed the connection, or has read nothing for too long, while an answer is pending. hyper reads
/// nothing while its buffer holds bytes, so that those behind a request would hide the end from it; and an HTTP/2 window
/// that the peer keeps closed blocks no write.
async fn wait_for_close(
    socket: &SharedSocket,
    mut pending: watch::Receiver<usize>,
    pace: &ReadingPace,
    shared: &Shared,
) {
    while pending.wait_for(|count| *count > 0).await.is_ok() {
        sleep(shared.hang_up_check()).await;
        if *pending.borrow() == 0 {
            continue;
        }
        if pace.has_stalled(shared.limits.write_timeout) {
            tracing::debug!(
                "a client over HTTP reads nothing of its answers: its connection is closed"
            );
            count(&shared.counters.timeouts);
            return;
        }
        if socket.has_ended() {
            return;
        }
    }
}
