//! Listening sockets and the streams that they accept.

use super::address::Address;
use super::error::TransportError;
use crate::core::fair_queue::Origin;
use crate::core::limits::Limits;
use crate::platform::{self, FileId, LocalListener, LocalStream, socket_id};
use std::io;
use std::net::Shutdown;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// A listening socket.
#[derive(Debug)]
pub(crate) struct Listener(Socket);

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    /// Unix socket with its path, and the identity of its file, to distinguish it from a successor's.
    Unix(LocalListener, PathBuf, Option<FileId>),
}

/// An accepted stream of either kind.
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(LocalStream),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Stream::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Socket::Unix(_, path, id) = &self.0
            && id.is_some()
            && socket_id(path) == *id
        {
            // Another program may have removed it before.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Listener {
    /// Binds an address, or takes the socket that systemd has opened there; an address in use is retried for `retry`
    /// (SRV-03).
    pub(crate) async fn bind(
        address: &Address,
        allow_remote: bool,
        retry: Duration,
    ) -> Result<Listener, TransportError> {
        let failed = |source| TransportError::Bind {
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
                        return Err(TransportError::Remote(address.clone()));
                    }
                    match platform::inherited_tcp(&found) {
                        Some(socket) => socket.map(Socket::Tcp),
                        None => TcpListener::bind(&found[..]).await.map(Socket::Tcp),
                    }
                }
                Address::Unix(path) => match platform::inherited_unix(path) {
                    // Its file is systemd's and stays there.
                    Some(socket) => socket.map(|socket| Socket::Unix(socket, path.clone(), None)),
                    None => bind_unix(path).await,
                },
            };
            match bound {
                Ok(socket) => {
                    return Ok(Listener(socket));
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

    /// Returns the port of a TCP socket.
    pub(crate) fn port(&self) -> Option<u16> {
        match &self.0 {
            Socket::Tcp(socket) => socket.local_addr().ok().map(|address| address.port()),
            Socket::Unix(..) => None,
        }
    }

    /// Returns the bound address, with the real port.
    pub(crate) fn address(&self) -> String {
        match &self.0 {
            Socket::Tcp(socket) => socket
                .local_addr()
                .map_or_else(|_| "unknown".into(), |address| address.to_string()),
            Socket::Unix(_, path, _) => format!("unix:{}", path.display()),
        }
    }

    pub(crate) async fn accept(&self, limits: &Limits) -> io::Result<(Stream, Origin)> {
        match &self.0 {
            Socket::Tcp(socket) => {
                let (stream, peer) = socket.accept().await?;
                prepare(&stream, limits);
                // The same address, whether it came by a socket of version 4 or 6.
                let address = peer.ip().to_canonical();
                Ok((Stream::Tcp(stream), Origin::Address(address)))
            }
            Socket::Unix(socket, ..) => {
                let (stream, user) = socket.accept().await?;
                Ok((Stream::Unix(stream), Origin::User(user)))
            }
        }
    }
}

/// A stream for a thread that waits for its bytes.
#[derive(Debug)]
pub(crate) enum BlockingStream {
    Tcp(std::net::TcpStream),
    Unix(platform::BlockingLocalStream),
}

impl Stream {
    /// Converts the stream; a read waits for `read_timeout` at most, a write for `write_timeout`.
    pub(crate) fn into_blocking(
        self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> io::Result<BlockingStream> {
        macro_rules! prepared {
            ($stream:ident) => {{
                let stream = $stream.into_std()?;
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(read_timeout)?;
                stream.set_write_timeout(write_timeout)?;
                stream
            }};
        }
        Ok(match self {
            Stream::Tcp(stream) => BlockingStream::Tcp(prepared!(stream)),
            Stream::Unix(stream) => BlockingStream::Unix(prepared!(stream)),
        })
    }
}

impl BlockingStream {
    /// Ends reading or both directions, for all who hold the stream.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        // A stream whose peer has gone is shut down already.
        let _ = match self {
            BlockingStream::Tcp(stream) => stream.shutdown(how),
            BlockingStream::Unix(stream) => stream.shutdown(how),
        };
    }

    /// Sets the time that a read waits at most.
    pub(crate) fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            BlockingStream::Tcp(stream) => stream.set_read_timeout(Some(timeout)),
            BlockingStream::Unix(stream) => stream.set_read_timeout(Some(timeout)),
        }
    }

    /// Returns true if the peer has closed the connection; see [`hung_up`].
    pub(crate) fn hung_up(&self) -> bool {
        match self {
            BlockingStream::Tcp(stream) => platform::hung_up(stream),
            BlockingStream::Unix(stream) => platform::hung_up(stream),
        }
    }
}

impl io::Read for &BlockingStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            BlockingStream::Tcp(stream) => (&mut &*stream).read(buffer),
            BlockingStream::Unix(stream) => (&mut &*stream).read(buffer),
        }
    }
}

impl io::Write for &BlockingStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            BlockingStream::Tcp(stream) => (&mut &*stream).write(bytes),
            BlockingStream::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sets options of a socket: no delay, a small send buffer, and keep-alive probes to find peers that have vanished (SRV-12).
fn prepare(stream: &TcpStream, limits: &Limits) {
    let keep_alive = socket2::TcpKeepalive::new()
        .with_time(limits.keep_alive)
        .with_interval(limits.keep_alive)
        .with_retries(3);
    let done = stream
        .set_nodelay(true)
        .and_then(|()| socket2::SockRef::from(stream).set_tcp_keepalive(&keep_alive))
        .and_then(|()| {
            socket2::SockRef::from(stream).set_send_buffer_size(limits.send_buffer_bytes)
        });
    if let Err(error) = done {
        tracing::debug!(%error, "socket options");
    }
}

/// Returns true if the peer has closed the connection; a peer that has only shut down its sending side does not count.
pub(crate) fn hung_up(stream: &Stream) -> bool {
    match stream {
        Stream::Tcp(stream) => platform::hung_up(stream),
        Stream::Unix(stream) => platform::hung_up(stream),
    }
}

/// Returns true if the peer has closed the connection or its sending side, also while bytes before that are not read.
pub(crate) fn peer_ended(stream: &Stream) -> bool {
    match stream {
        Stream::Tcp(stream) => platform::peer_ended(stream),
        Stream::Unix(stream) => platform::peer_ended(stream),
    }
}

/// Binds a path. A socket left behind by a killed server is replaced; any other file at the path is kept (SRV-03).
async fn bind_unix(path: &Path) -> io::Result<Socket> {
    let bound = match LocalListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let Some(found) = socket_id(path) else {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "a file that is not a socket has this name",
                ));
            };
            if !platform::is_stale_socket(path).await || socket_id(path) != Some(found) {
                return Err(error);
            }
            std::fs::remove_file(path)?;
            LocalListener::bind(path)?
        }
        bound => bound?,
    };
    Ok(Socket::Unix(bound, path.to_owned(), socket_id(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-12: a peer that has vanished is detected within five minutes.
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
