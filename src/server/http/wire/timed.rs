//! A stream whose peer must read (SRV-09): a write that waits for too long is an error, and ends the connection.

use crate::io::socket::{Stream, peer_ended};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A socket that its connection reads and writes, and that can be checked beside it.
#[derive(Clone)]
pub(in crate::http) struct SharedSocket(Arc<Mutex<Stream>>);

impl SharedSocket {
    fn lock(&self) -> MutexGuard<'_, Stream> {
        // A stream is whole after any panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the peer has closed the connection or its sending side.
    pub(in crate::http) fn has_ended(&self) -> bool {
        peer_ended(&self.lock())
    }
}

/// A stream with a limit for each write.
pub(in crate::http) struct Timed {
    socket: SharedSocket,
    limit: Duration,
    /// The end of the write that waits.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Timed {
    pub(in crate::http) fn new(stream: Stream, limit: Duration) -> Timed {
        Timed {
            socket: SharedSocket(Arc::new(Mutex::new(stream))),
            limit,
            deadline: None,
        }
    }

    /// Returns the socket.
    pub(in crate::http) fn socket(&self) -> SharedSocket {
        self.socket.clone()
    }
}

impl AsyncRead for Timed {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().socket.lock()).poll_read(context, buffer)
    }
}

impl AsyncWrite for Timed {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let timed = self.get_mut();
        let written = Pin::new(&mut *timed.socket.lock()).poll_write(context, bytes);
        if written.is_ready() {
            timed.deadline = None;
            return written;
        }
        let limit = timed.limit;
        let deadline = timed.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().socket.lock()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().socket.lock()).poll_shutdown(context)
    }
}
