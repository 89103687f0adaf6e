//! Errors at the start of a server.

use super::address::Address;
use crate::http::JobsError;
use crate::worker::WorkersError;
use std::io;

/// An error at the start of a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// There is no address to listen on.
    #[error("no address to listen on")]
    NoAddress,
    /// The address is not loopback, and remote addresses are not allowed.
    #[error("{0} is not a loopback address; allow it with --allow-remote, behind a proxy")]
    Remote(Address),
    /// The HTTP address is not loopback, and there are no tokens.
    #[error(
        "{0} is not a loopback address: HTTP there also needs --http-tokens FILE, or --no-auth behind a proxy that checks"
    )]
    NoTokens(Address),
    /// An address cannot be bound.
    #[error("{address}: {source}")]
    Bind {
        /// Address that failed.
        address: Address,
        /// Error of the system.
        source: io::Error,
    },
    /// A transport besides sockets cannot be used.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The folder of the jobs over HTTP cannot be used.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The worker threads could not be started.
    #[error("threads: {0}")]
    Threads(#[from] WorkersError),
}

/// An error of a transport's settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// A file that it needs is missing or invalid.
    #[error("{0}")]
    File(String),
    /// A setting is invalid.
    #[error("{0}")]
    Setting(String),
}
