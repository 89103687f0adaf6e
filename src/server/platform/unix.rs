//! Sockets and signals of Linux and other Unix systems.

use super::types::SignalEvent;
use gammond_base::platform::{FileId, file_id};
use listenfd::ListenFd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::signal::unix::{Signal, SignalKind};

/// A stream of a Unix socket.
pub type LocalStream = UnixStream;

/// A stream of a Unix socket for a thread that waits for its bytes.
pub type BlockingLocalStream = std::os::unix::net::UnixStream;

/// A listening Unix socket.
#[derive(Debug)]
pub struct LocalListener(UnixListener);

impl LocalListener {
    /// Binds a path, which must not exist.
    pub fn bind(path: &Path) -> io::Result<LocalListener> {
        UnixListener::bind(path).map(LocalListener)
    }

    /// Waits for the next stream; returns it with the user ID of its peer.
    pub async fn accept(&self) -> io::Result<(LocalStream, u32)> {
        let (stream, _) = self.0.accept().await?;
        let user = stream.peer_cred().map_or(u32::MAX, |peer| peer.uid());
        Ok((stream, user))
    }
}

/// A listening socket that was open before the program started.
enum InheritedListener {
    Tcp(std::net::TcpListener),
    Unix(std::os::unix::net::UnixListener),
}

/// Sockets that systemd passed to the program (`LISTEN_FDS`), until the server takes them.
static INHERITED: LazyLock<Mutex<Vec<InheritedListener>>> = LazyLock::new(|| {
    let mut sockets = ListenFd::from_env();
    let taken = (0..sockets.len()).filter_map(|number| {
        // A socket of another kind stays where it is.
        let unix = sockets.take_unix_listener(number).ok().flatten();
        unix.map(InheritedListener::Unix).or_else(|| {
            let tcp = sockets.take_tcp_listener(number).ok().flatten();
            tcp.map(InheritedListener::Tcp)
        })
    });
    Mutex::new(taken.collect())
});

/// Claims the sockets that systemd passed on. The variables that name them are removed, so this is called before threads
/// start that may read the environment.
pub(crate) fn claim_inherited() {
    LazyLock::force(&INHERITED);
}

/// Removes the first inherited socket for which `is_wanted` returns true.
fn inherited(is_wanted: impl Fn(&InheritedListener) -> bool) -> Option<InheritedListener> {
    let mut sockets = INHERITED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = sockets.iter().position(is_wanted)?;
    Some(sockets.swap_remove(place))
}

/// Takes the socket that systemd opened at one of these addresses, if any.
pub(crate) fn inherited_tcp(addresses: &[std::net::SocketAddr]) -> Option<io::Result<TcpListener>> {
    let found = inherited(|socket| match socket {
        InheritedListener::Tcp(socket) => socket
            .local_addr()
            .is_ok_and(|own| addresses.contains(&own)),
        InheritedListener::Unix(_) => false,
    });
    match found {
        Some(InheritedListener::Tcp(socket)) => {
            let set = socket.set_nonblocking(true);
            Some(set.and_then(|()| TcpListener::from_std(socket)))
        }
        _ => None,
    }
}

/// Takes the Unix socket that systemd opened at this path, if any.
pub(crate) fn inherited_unix(path: &Path) -> Option<io::Result<LocalListener>> {
    let found = inherited(|socket| match socket {
        InheritedListener::Unix(socket) => {
            let own = socket.local_addr();
            own.is_ok_and(|own| own.as_pathname() == Some(path))
        }
        InheritedListener::Tcp(_) => false,
    });
    match found {
        Some(InheritedListener::Unix(socket)) => {
            let set = socket.set_nonblocking(true);
            Some(set.and_then(|()| UnixListener::from_std(socket).map(LocalListener)))
        }
        _ => None,
    }
}

/// Returns true if the socket at this path was left behind: no process listens there.
pub(crate) async fn is_stale_socket(path: &Path) -> bool {
    let answered = UnixStream::connect(path).await;
    matches!(answered, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Returns the identity of a socket's file; `None` if there is no socket.
pub(crate) fn socket_id(path: &Path) -> Option<FileId> {
    let about = std::fs::symlink_metadata(path).ok()?;
    if !about.file_type().is_socket() {
        return None;
    }
    file_id(&about)
}

/// Returns true if the peer has closed the connection; a peer that has only shut down its sending side does not count.
pub(crate) fn hung_up<S: AsFd>(stream: &S) -> bool {
    has_events(stream, PollFlags::empty())
}

/// Returns true if the peer has closed the connection or its sending side, also while bytes before that are not read. Systems
/// other than Linux report only a closed connection.
pub(crate) fn peer_ended<S: AsFd>(stream: &S) -> bool {
    #[cfg(target_os = "linux")]
    let end = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let end = PollFlags::empty();
    has_events(stream, end)
}

/// Returns true if one of these events, or the end of the connection, has happened.
fn has_events<S: AsFd>(stream: &S, events: PollFlags) -> bool {
    let mut polled = [PollFd::new(stream, events)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let gone = events | PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    match poll(&mut polled, Some(&now)) {
        Ok(1..) => polled.iter().any(|one| one.revents().intersects(gone)),
        _ => false,
    }
}

/// The notification socket of systemd.
#[derive(Debug)]
pub struct NotifySocket(UnixDatagram, SocketAddr);

impl NotifySocket {
    /// Creates a socket for an address: a path, or an abstract name with `@` before it.
    pub fn new(address: &str) -> io::Result<NotifySocket> {
        let target = match address.strip_prefix('@') {
            Some(name) => abstract_name(name)?,
            None => SocketAddr::from_pathname(address)?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        Ok(NotifySocket(socket, target))
    }

    /// Sends one message.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.send_to_addr(bytes, &self.1).map(drop)
    }
}

#[cfg(target_os = "linux")]
fn abstract_name(name: &str) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_name(_: &str) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A listener for one kind of signal.
pub struct SignalListener(Signal);

impl SignalListener {
    /// Starts to listen.
    pub fn new(event: SignalEvent) -> io::Result<SignalListener> {
        let kind = match event {
            SignalEvent::End => SignalKind::terminate(),
            SignalEvent::Interrupt => SignalKind::interrupt(),
            SignalEvent::Reload => SignalKind::hangup(),
        };
        tokio::signal::unix::signal(kind).map(SignalListener)
    }

    /// Waits for the next signal; returns false if there will be none.
    pub async fn recv(&mut self) -> bool {
        self.0.recv().await.is_some()
    }
}

/// Raises the niceness of this thread by `steps`. Other systems than Linux have one niceness for the whole process; there it
/// does nothing.
pub(crate) fn lower_priority(steps: i32) {
    // One that is refused it computes at its old priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(steps);
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}

/// Returns the CPU time of the calling thread.
pub fn thread_time() -> Option<std::time::Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).ok()?;
    let rest = u32::try_from(now.tv_nsec).ok()?;
    Some(std::time::Duration::new(seconds, rest))
}
