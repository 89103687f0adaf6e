//! Platforms without Unix sockets and signals: Windows.

use super::types::SignalEvent;
use gammond_base::platform::FileId;
use std::io;
use std::path::Path;
use tokio::signal::windows;

fn no_unix_sockets() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this system has no Unix sockets; take HOST:PORT",
    )
}

/// A stand-in for streams of Unix sockets; there is never one.
pub type LocalStream = tokio::net::TcpStream;

/// A stand-in for the same streams in threads that wait for their bytes.
pub type BlockingLocalStream = std::net::TcpStream;

/// A listening Unix socket, which does not exist here.
#[derive(Debug)]
pub enum LocalListener {}

impl LocalListener {
    /// Fails: there are no such sockets on this platform.
    pub fn bind(_: &Path) -> io::Result<LocalListener> {
        Err(no_unix_sockets())
    }

    /// Waits for the next stream; returns it with the user ID of its peer.
    pub async fn accept(&self) -> io::Result<(LocalStream, u32)> {
        match *self {}
    }
}

/// Does nothing: there is no systemd on this platform.
pub(crate) fn claim_inherited() {}

/// Returns `None`: there is no systemd that opens sockets on this platform.
pub(crate) fn inherited_tcp(
    _: &[std::net::SocketAddr],
) -> Option<io::Result<tokio::net::TcpListener>> {
    None
}

/// Returns `None`, as [`inherited_tcp`].
pub(crate) fn inherited_unix(_: &Path) -> Option<io::Result<LocalListener>> {
    None
}

/// Returns true if the socket was left behind; there is never one.
pub(crate) async fn is_stale_socket(_: &Path) -> bool {
    false
}

/// Returns the identity of a socket's file; there is never one.
pub(crate) fn socket_id(_: &Path) -> Option<FileId> {
    None
}

/// Returns false: a closed peer is only detected by writing.
pub(crate) fn hung_up<S>(_: &S) -> bool {
    false
}

/// Returns false, as [`hung_up`].
pub(crate) fn peer_ended<S>(_: &S) -> bool {
    false
}

/// The notification socket of systemd, which does not exist here.
#[derive(Debug)]
pub struct NotifySocket;

impl NotifySocket {
    /// Fails: there is no systemd on this platform.
    pub fn new(_: &str) -> io::Result<NotifySocket> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Sends nothing.
    pub fn send(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// A listener for one kind of signal.
pub enum SignalListener {
    /// End of the console, of the session or of the system.
    End(
        windows::CtrlClose,
        windows::CtrlLogoff,
        windows::CtrlShutdown,
    ),
    /// Interrupt by Ctrl-C or Ctrl-Break.
    Interrupt(windows::CtrlC, windows::CtrlBreak),
    /// A source without signals.
    Never,
}

impl SignalListener {
    /// Starts to listen.
    pub fn new(event: SignalEvent) -> io::Result<SignalListener> {
        Ok(match event {
            SignalEvent::End => SignalListener::End(
                windows::ctrl_close()?,
                windows::ctrl_logoff()?,
                windows::ctrl_shutdown()?,
            ),
            SignalEvent::Interrupt => {
                SignalListener::Interrupt(windows::ctrl_c()?, windows::ctrl_break()?)
            }
            SignalEvent::Reload => SignalListener::Never,
        })
    }

    /// Waits for the next signal; returns false if there will be none.
    pub async fn recv(&mut self) -> bool {
        match self {
            SignalListener::End(close, logoff, shutdown) => tokio::select! {
                event = close.recv() => event.is_some(),
                event = logoff.recv() => event.is_some(),
                event = shutdown.recv() => event.is_some(),
            },
            SignalListener::Interrupt(interrupt, end) => tokio::select! {
                event = interrupt.recv() => event.is_some(),
                event = end.recv() => event.is_some(),
            },
            SignalListener::Never => std::future::pending().await,
        }
    }
}

/// Calls `act` at each of these signals, from a thread of its own, for commands that wait for no socket.
///
/// # Errors
/// The system's error.
pub fn watch_signals(
    events: &[SignalEvent],
    mut act: impl FnMut() + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    // Listening begins here, so that no signal after this call is lost.
    let listeners = {
        let _guard = runtime.enter();
        let new = events.iter().map(|event| SignalListener::new(*event));
        new.collect::<io::Result<Vec<_>>>()?
    };
    let (sender, mut signals) = tokio::sync::mpsc::unbounded_channel();
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            runtime.block_on(async {
                for mut listener in listeners {
                    let sender = sender.clone();
                    tokio::spawn(async move {
                        while listener.recv().await && sender.send(()).is_ok() {}
                    });
                }
                drop(sender);
                while signals.recv().await.is_some() {
                    act();
                }
            });
        })
        .map(drop)
}

/// Does nothing on this platform.
pub(crate) fn lower_priority(_: i32) {}

/// Returns `None`: the CPU time of a thread is not measured on this platform.
pub fn thread_time() -> Option<std::time::Duration> {
    None
}
