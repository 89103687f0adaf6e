//! A stream whose peer must read (SRV-09): a write that waits for too long is an error, and ends the connection.

use crate::tcp::socket::Stream;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream with a limit for each write.
pub(super) struct Timed {
    stream: Stream,
    limit: Duration,
    /// The end of the write that waits.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Timed {
    pub(super) fn new(stream: Stream, limit: Duration) -> Timed {
        Timed {
            stream,
            limit,
            deadline: None,
        }
    }
}

impl AsyncRead for Timed {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Timed {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let timed = self.get_mut();
        let written = Pin::new(&mut timed.stream).poll_write(context, bytes);
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
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
