//! Transports besides sockets. The server starts them and knows only this trait.

use super::tcp::{Handle, TransportError};
use std::pin::Pin;
use std::sync::Arc;

/// A future that can be moved to a task.
pub type TransportFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way to receive requests other than this server's sockets.
pub trait Transport: Send + Sync + std::fmt::Debug {
    /// Checks the settings before the server starts; returns only errors that a retry cannot fix.
    fn check(&self) -> TransportFuture<'_, Result<(), TransportError>>;

    /// Returns a line that describes the source of requests, without a password.
    fn shown(&self) -> String;

    /// Answers requests until the server ends.
    fn serve(self: Arc<Self>, server: Handle) -> TransportFuture<'static, ()>;
}
