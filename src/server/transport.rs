//! Transports: the ways by which requests come. The server opens and serves them, and knows only this trait.

use crate::core::Handle;
use crate::io::{Opening, TransportError};
use std::pin::Pin;

/// A future that can be moved to a task.
pub type TransportFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way by which requests come and answers leave.
pub trait Transport: Send + Sync + std::fmt::Debug {
    /// Checks the settings and takes addresses, before anything is served. Returns only errors that a retry cannot fix.
    fn open(&mut self, opening: Opening) -> TransportFuture<'_, Result<(), TransportError>>;

    /// Returns a line for each source of requests, such as `http on 127.0.0.1:8080`, without a password.
    fn shown(&self) -> Vec<String>;

    /// Answers requests until the server ends.
    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()>;

    /// Returns true if it answers until the server has ended, which does not wait for its clients.
    fn is_observer(&self) -> bool {
        false
    }
}
