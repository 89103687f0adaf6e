//! Transports besides sockets: the server starts them, and knows nothing else of them.

use super::tcp::{Handle, TransportError};
use std::pin::Pin;
use std::sync::Arc;

/// A future that tasks can take over.
pub type TransportFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way for requests to come that is no socket of ours.
pub trait Transport: Send + Sync + std::fmt::Debug {
    /// Finds settings that no waiting makes right, before the server starts.
    fn check(&self) -> TransportFuture<'_, Result<(), TransportError>>;

    /// Returns a line about where requests come from, without a password.
    fn shown(&self) -> String;

    /// Answers until the server ends.
    fn serve(self: Arc<Self>, server: Handle) -> TransportFuture<'static, ()>;
}
