//! Systems that are not like Linux: Windows.

use super::types::Told;
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

/// Stands where others have streams of Unix sockets; there is never one.
pub type LocalStream = tokio::net::TcpStream;

/// Nobody has one.
#[derive(Debug)]
pub enum LocalListener {}

impl LocalListener {
    /// Fails: there are no such sockets here.
    pub fn bind(_: &Path) -> io::Result<LocalListener> {
        Err(no_unix_sockets())
    }

    /// Waits for the next stream; returns it and the number of its user.
    pub async fn accept(&self) -> io::Result<(LocalStream, u32)> {
        match *self {}
    }
}

/// Returns whether a socket was left behind; there is never one.
pub async fn is_left(_: &Path) -> bool {
    false
}

/// Returns the identity of a socket's file; there is never one.
pub fn socket_id(_: &Path) -> Option<FileId> {
    None
}

/// Not known before something is written to it.
pub fn hung_up<S>(_: &S) -> bool {
    false
}

/// There is no systemd.
#[derive(Debug)]
pub struct NotifySocket;

impl NotifySocket {
    /// Fails: there is no systemd here.
    pub fn new(_: &str) -> io::Result<NotifySocket> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Sends nothing.
    pub fn send(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// What a program is told, again and again.
pub enum Ear {
    /// Asked to end.
    End(windows::CtrlShutdown),
    /// Interrupted by Ctrl-C.
    Interrupt(windows::CtrlC),
    /// Never told.
    Never,
}

impl Ear {
    /// Begins to listen.
    pub fn new(told: Told) -> io::Result<Ear> {
        Ok(match told {
            Told::End => Ear::End(windows::ctrl_shutdown()?),
            Told::Interrupt => Ear::Interrupt(windows::ctrl_c()?),
            Told::Reload => Ear::Never,
        })
    }

    /// Waits for the next time; false when there will be none.
    pub async fn hears(&mut self) -> bool {
        match self {
            Ear::End(end) => end.recv().await.is_some(),
            Ear::Interrupt(interrupt) => interrupt.recv().await.is_some(),
            Ear::Never => std::future::pending().await,
        }
    }
}

/// Not done here.
pub fn give_way(_: i32) {}

/// CPU time of one thread is not asked for here.
pub fn thread_time() -> Option<std::time::Duration> {
    None
}
