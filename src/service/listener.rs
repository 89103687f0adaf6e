//! Listening sockets: taking an address, accepting, and refusing politely.

use super::connection;
use super::counters::count;
use super::limits::Limits;
use super::server::{Address, Phase, ServeError, Shared, reached};
use crate::protocol::answer::{self, Addressee};
use crate::protocol::external::External;
use crate::protocol::{AnswerStyle, RequestError};
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// A listening socket.
#[derive(Debug)]
pub(super) struct Listener {
    socket: Socket,
    /// Whether clients speak gnubg's server language from the first byte.
    server_language: bool,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// An accepted stream.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Socket::Unix(_, path) = &self.socket {
            // Somebody may have removed it before.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Listener {
    /// Takes an address; one in use is tried again for `retry` (SRV-03).
    pub(super) async fn bind(
        address: &Address,
        allow_remote: bool,
        retry: Duration,
    ) -> Result<Listener, ServeError> {
        let failed = |source| ServeError::Bind {
            address: address.clone(),
            source,
        };
        let until = Instant::now() + retry;
        loop {
            let bound = match address {
                Address::Tcp(text) => {
                    let found: Vec<_> = tokio::net::lookup_host(text)
                        .await
                        .map_err(failed)?
                        .collect();
                    if !allow_remote && found.iter().any(|one| !one.ip().is_loopback()) {
                        return Err(ServeError::Remote(address.clone()));
                    }
                    TcpListener::bind(&found[..]).await.map(Socket::Tcp)
                }
                Address::Unix(path) => bind_unix(path).await,
            };
            match bound {
                Ok(socket) => {
                    return Ok(Listener {
                        socket,
                        server_language: false,
                    });
                }
                Err(error)
                    if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < until =>
                {
                    sleep(Duration::from_millis(100)).await;
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    pub(super) fn speaking(mut self, server_language: bool) -> Listener {
        self.server_language = server_language;
        self
    }

    pub(super) fn address(&self) -> String {
        match &self.socket {
            Socket::Tcp(socket) => socket
                .local_addr()
                .map_or_else(|_| "unknown".into(), |address| address.to_string()),
            Socket::Unix(_, path) => format!("unix:{}", path.display()),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<(Stream, Option<IpAddr>)> {
        match &self.socket {
            Socket::Tcp(socket) => {
                let (stream, peer) = socket.accept().await?;
                Ok((Stream::Tcp(stream), Some(peer.ip())))
            }
            Socket::Unix(socket, _) => Ok((Stream::Unix(socket.accept().await?.0), None)),
        }
    }
}

/// Binds a path; a socket left behind by a server that was killed is replaced.
async fn bind_unix(path: &Path) -> io::Result<Socket> {
    let bound = UnixListener::bind(path);
    if let Err(error) = &bound {
        let in_use = error.kind() == io::ErrorKind::AddrInUse;
        let refused = UnixStream::connect(path).await;
        let left =
            matches!(&refused, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused);
        if in_use && left {
            std::fs::remove_file(path)?;
            return Ok(Socket::Unix(UnixListener::bind(path)?, path.to_owned()));
        }
    }
    Ok(Socket::Unix(bound?, path.to_owned()))
}

/// Accepts until the server ends, then waits for its connections.
pub(super) async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut phase = shared.phase.subscribe();
    let mut tasks = JoinSet::new();
    let refusing = Arc::new(AtomicUsize::new(0));
    let mut pauses = Pauses::default();
    loop {
        tokio::select! {
            () = reached(&mut phase, Phase::Drain) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    pauses = Pauses::default();
                    let language = listener.server_language;
                    welcome(stream, peer, language, &shared, &mut tasks, &refusing);
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
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Pauses after failures to accept, as for want of descriptors: longer each time, told once a
/// second (SRV-14).
#[derive(Default)]
struct Pauses {
    next: Duration,
    told: Option<Instant>,
}

impl Pauses {
    async fn wait(&mut self, error: &io::Error) {
        let now = Instant::now();
        if self
            .told
            .is_none_or(|told| now - told >= Duration::from_secs(1))
        {
            tracing::warn!(%error, "cannot accept connections");
            self.told = Some(now);
        }
        self.next = (self.next * 2).clamp(Duration::from_millis(10), Duration::from_secs(1));
        sleep(self.next).await;
    }
}

fn welcome(
    stream: Stream,
    peer: Option<IpAddr>,
    server_language: bool,
    shared: &Arc<Shared>,
    tasks: &mut JoinSet<()>,
    refusing: &Arc<AtomicUsize>,
) {
    let slot = match shared.admit(peer) {
        Ok(slot) => slot,
        Err(reason) => {
            count(&shared.counters.refused);
            if refusing.fetch_add(1, Ordering::Relaxed) < shared.limits.refusals_max {
                let (limits, refusing) = (shared.limits.clone(), Arc::clone(refusing));
                tasks.spawn(async move {
                    refuse(stream, reason, &limits).await;
                    refusing.fetch_sub(1, Ordering::Relaxed);
                });
            } else {
                refusing.fetch_sub(1, Ordering::Relaxed);
            }
            return;
        }
    };
    let shared = Arc::clone(shared);
    match stream {
        Stream::Tcp(stream) => {
            prepare(&stream, &shared.limits);
            tasks.spawn(async move {
                connection::serve(stream, shared, server_language).await;
                drop(slot);
            });
        }
        Stream::Unix(stream) => {
            tasks.spawn(async move {
                connection::serve(stream, shared, server_language).await;
                drop(slot);
            });
        }
    }
}

/// Answers at once, and finds peers that have gone silently (SRV-12).
fn prepare(stream: &TcpStream, limits: &Limits) {
    let keep_alive = socket2::TcpKeepalive::new()
        .with_time(limits.keep_alive)
        .with_interval(limits.keep_alive)
        .with_retries(3);
    let done = stream
        .set_nodelay(true)
        .and_then(|()| socket2::SockRef::from(stream).set_tcp_keepalive(&keep_alive));
    if let Err(error) = done {
        tracing::debug!(%error, "socket options");
    }
}

/// Tells a newcomer that there is no place, in its own protocol if it says which (SRV-05).
async fn refuse(stream: Stream, reason: &str, limits: &Limits) {
    let told = async {
        match stream {
            Stream::Tcp(stream) => tell(stream, reason, limits.refusal_wait).await,
            Stream::Unix(stream) => tell(stream, reason, limits.refusal_wait).await,
        }
    };
    // A peer that does not take one line gets none.
    let _ = timeout(limits.refusal_wait * 5, told).await;
}

async fn tell<S>(mut stream: S, reason: &str, wait: Duration) -> io::Result<()>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let mut first = [0; 256];
    let count = timeout(wait, stream.read(&mut first))
        .await
        .unwrap_or(Ok(0))?;
    let said = first.get(..count).unwrap_or_default();
    let mut text = Vec::new();
    if External::begins_with(said) {
        text.extend_from_slice(format!("Error: busy {reason}\n").as_bytes());
    } else {
        let error = RequestError::new("busy", "server", format!("busy: too many {reason}"));
        let to = Addressee {
            id: None,
            style: AnswerStyle::Json,
        };
        answer::error(to, &error, None, &mut text);
    }
    stream.write_all(&text).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-12: a peer that is silent for ever is found within five minutes.
    #[test]
    fn silent_peers_are_probed() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap());
            let (client, accepted) = tokio::join!(client, listener.accept());
            let (stream, _) = accepted.unwrap();
            prepare(&stream, &Limits::default());
            assert!(stream.nodelay().unwrap());
            let socket = socket2::SockRef::from(&stream);
            assert!(socket.keepalive().unwrap());
            let probes = socket.tcp_keepalive_retries().unwrap();
            let found = socket.tcp_keepalive_time().unwrap()
                + socket.tcp_keepalive_interval().unwrap() * probes;
            assert!(found <= Duration::from_secs(300), "{found:?}");
            drop(client);
        });
    }
}
