//! HTTP: requests in JSON and in queries (`protocol-specs/http.md`), and what Prometheus reads (SRV-18).

mod access;
mod ask;
mod docs;
mod fuzz;
mod guard;
mod paths;
mod router;
mod wire;

pub use access::forwarded::{TrustedProxy, TrustedProxyError};
pub use access::policy::HttpAccess;
pub use access::tokens::{HttpTokens, TokenError};
pub use ask::archive::{ArchiveFilter, ArchiveScope, ArchivedMatch, MatchArchive};
pub use ask::jobs::{JobLimits, JobsError};
pub use fuzz::{fuzz_http, fuzz_http_form, fuzz_http_query};
pub use paths::mcp::McpStdio;
pub use paths::page::{GENERATOR as PAGE_GENERATOR, folder as page_folder};

use crate::core::counters::count;
use crate::core::fair_queue::Origin;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::core::{Core, Handle, Slot};
use crate::io::socket::{Listener, Stream};
use crate::io::{Address, Opening, TransportError, accept as io_accept};
use crate::transport::{Transport, TransportFuture};
use access::forwarded;
use access::policy::AccessState;
use ask::archive::SharedArchive;
use ask::jobs::Jobs;
use ask::state::HttpState;
use axum::Router;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Duration, sleep, timeout};
use tower_service::Service as _;
use wire::peer::{Initiator, Peer};
use wire::timed::{SharedSocket, Timed};
use wire::unread::{ConnectionAnswers, ReadingPace};

/// Longest time for the head of a request, and for a silent connection.
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

/// HTTP for clients.
#[derive(Debug)]
pub struct Http {
    addresses: Vec<Address>,
    access_state: Arc<AccessState>,
    jobs: Arc<Jobs>,
    listeners: Vec<Listener>,
}

impl Http {
    /// Answers on these addresses, by these rules; opens the jobs. HTTP shows the archive, if there is one.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn new(
        addresses: Vec<Address>,
        access: HttpAccess,
        jobs: JobLimits,
        archive: Option<Arc<dyn MatchArchive>>,
    ) -> Result<Http, JobsError> {
        let access_state = AccessState::new(access);
        let archive = archive.map(SharedArchive::new);
        let jobs = Jobs::open(jobs, archive, |owner| access_state.origin(owner))?;
        Ok(Http {
            addresses,
            access_state: Arc::new(access_state),
            jobs: Arc::new(jobs),
            listeners: Vec::new(),
        })
    }

    /// Returns a handle to replace the tokens while it answers.
    #[must_use]
    pub fn token_handle(&self) -> TokenHandle {
        TokenHandle(Arc::clone(&self.access_state))
    }
}

impl Transport for Http {
    fn open(&mut self, opening: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async move {
            let knows_clients = self.access_state.access.serves_others();
            let own = Opening {
                allow_remote: opening.allow_remote && knows_clients,
                ..opening
            };
            let bound = io_accept::bind(&self.addresses, own).await;
            self.listeners = bound.map_err(|error| match error {
                TransportError::Remote(address) if opening.allow_remote => {
                    TransportError::Setting(format!(
                        "{address} is not a loopback address: HTTP there also needs --http-tokens FILE, or \
                         --no-auth behind a proxy that checks"
                    ))
                }
                error => error,
            })?;
            Ok(())
        })
    }

    fn shown(&self) -> Vec<String> {
        io_accept::shown("http", &self.listeners)
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move {
            self.access_state.start(&server.0);
            self.jobs.start(&server.0);
            let state = HttpState {
                core: server.0,
                access: self.access_state,
                in_flight: Arc::default(),
                jobs: self.jobs,
            };
            let accepting = self.listeners.into_iter();
            let mut accepting: JoinSet<()> = accepting
                .map(|listener| accept_clients(listener, state.clone()))
                .collect();
            while accepting.join_next().await.is_some() {}
        })
    }
}

/// A handle to replace the tokens of HTTP.
#[derive(Clone, Debug)]
pub struct TokenHandle(Arc<AccessState>);

impl TokenHandle {
    /// Replaces the tokens: a token that is gone is refused at its next request (HTTP-131).
    ///
    /// # Errors
    /// If there were too many names since the start; the old tokens stay.
    pub fn replace(&self, tokens: HttpTokens) -> Result<(), &'static str> {
        self.0.replace_tokens(tokens)
    }
}

/// HTTP for Prometheus and supervisors, which read metrics and readiness until the server has ended.
#[derive(Debug)]
pub struct Metrics {
    address: Address,
    listeners: Vec<Listener>,
}

impl Metrics {
    /// Answers on this address.
    #[must_use]
    pub fn new(address: Address) -> Metrics {
        Metrics {
            address,
            listeners: Vec::new(),
        }
    }
}

impl Transport for Metrics {
    fn open(&mut self, opening: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async move {
            self.listeners = io_accept::bind(std::slice::from_ref(&self.address), opening).await?;
            Ok(())
        })
    }

    fn shown(&self) -> Vec<String> {
        io_accept::shown("metrics", &self.listeners)
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move {
            for listener in self.listeners {
                accept_scrapers(listener, Arc::clone(&server.0)).await;
            }
        })
    }

    fn is_observer(&self) -> bool {
        true
    }
}

/// Waits for the next connection; `None` from this phase of the shutdown on.
async fn next_stream(
    listener: &Listener,
    core: &Core,
    phase: &mut watch::Receiver<ShutdownPhase>,
    last: ShutdownPhase,
) -> Option<(Stream, Origin)> {
    loop {
        tokio::select! {
            () = reached(phase, last) => return None,
            accepted = listener.accept(&core.limits) => match accepted {
                Ok(accepted) => return Some(accepted),
                Err(error) => {
                    tracing::debug!(%error, "cannot accept an HTTP connection");
                    sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
}

/// Answers clients, in the number that the server admits, until the server ends. Requests that run then are finished (HTTP-04).
async fn accept_clients(listener: Listener, state: HttpState) {
    let (core, access_state) = (Arc::clone(&state.core), Arc::clone(&state.access));
    let mut phase = core.phase.subscribe();
    let mut tasks = JoinSet::new();
    let router = router::router(state);
    let port = listener.port();
    loop {
        let (stream, origin) = tokio::select! {
            accepted = next_stream(&listener, &core, &mut phase, ShutdownPhase::Drain) => match accepted {
                Some(accepted) => accepted,
                None => break,
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
        };
        let connection = Connection {
            origin,
            port,
            is_proxy: forwarded::is_trusted(&access_state.access.proxies, origin),
            last: ShutdownPhase::Drain,
        };
        let stream = Timed::new(stream, core.limits.write_timeout);
        let served = converse(stream, router.clone(), connection, Arc::clone(&core));
        match admitted(&core, &access_state, origin) {
            Ok(slot) => drop(tasks.spawn(keep(slot, served))),
            // A client with too many connections gets no message: each would be one more.
            Err(reason) => tracing::debug!(?origin, reason, "refused over HTTP"),
        }
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

/// Answers readers of metrics, some at a time, until the server has ended. Above that the oldest connection makes room: a
/// reader that does not end keeps no others out.
async fn accept_scrapers(listener: Listener, core: Arc<Core>) {
    let mut phase = core.phase.subscribe();
    let mut tasks = JoinSet::new();
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    let router = router::metrics_router(Arc::clone(&core));
    let port = listener.port();
    loop {
        let (stream, origin) = tokio::select! {
            accepted = next_stream(&listener, &core, &mut phase, ShutdownPhase::Cut) => match accepted {
                Some(accepted) => accepted,
                None => return,
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
        };
        let connection = Connection {
            origin,
            port,
            is_proxy: false,
            last: ShutdownPhase::Cut,
        };
        let stream = Timed::new(stream, core.limits.write_timeout);
        let served = converse(stream, router.clone(), connection, Arc::clone(&core));
        open.retain(|task| !task.is_finished());
        if open.len() >= core.limits.metrics_max
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let whole = timeout(core.limits.metrics_timeout, served);
        open.push_back(tasks.spawn(async move { drop(whole.await) }));
    }
}

/// Finds a place for a connection. Those of trusted proxies are of many clients, whose requests are counted instead (HTTP-132).
fn admitted(
    core: &Arc<Core>,
    access_state: &AccessState,
    origin: Origin,
) -> Result<Slot, &'static str> {
    match forwarded::is_trusted(&access_state.access.proxies, origin) {
        true => core.admit_proxy(),
        false => core.admit(origin),
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
    last: ShutdownPhase,
}

/// One connection, HTTP/1.1 or HTTP/2 by prior knowledge.
async fn converse(stream: Timed, router: Router, connection: Connection, core: Arc<Core>) {
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
    let unread = ConnectionAnswers::new(&core, &pace);
    let (pace_of_all, shared_by_all) = (Arc::clone(&pace), Arc::clone(&core));
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
    let hung_up = wait_for_close(&socket, pending.subscribe(), &pace, &core);
    tokio::pin!(connection, hung_up);
    let mut phase = core.phase.subscribe();
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
                (is_draining, next_phase) = (true, ShutdownPhase::Cut);
            }
        }
    }
    if *pending.borrow() > 0 && socket.has_ended() {
        count(&core.counters.hang_ups);
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
    core: &Core,
) {
    while pending.wait_for(|count| *count > 0).await.is_ok() {
        sleep(core.hang_up_check()).await;
        if *pending.borrow() == 0 {
            continue;
        }
        if pace.has_stalled(core.limits.write_timeout) {
            tracing::debug!(
                "a client over HTTP reads nothing of its answers: its connection is closed"
            );
            count(&core.counters.timeouts);
            return;
        }
        if socket.has_ended() {
            return;
        }
    }
}
