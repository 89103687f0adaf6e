//! Why a server does not start.

use super::address::Address;
use crate::worker::WorkersError;
use std::io;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Nothing to listen on.
    #[error("no address to listen on")]
    NoAddress,
    /// Not loopback, and nobody allowed it.
    #[error("{0} is not a loopback address; allow it with --allow-remote, behind a proxy")]
    Remote(Address),
    /// HTTP for other machines, and nothing says who they are.
    #[error(
        "{0} is not a loopback address: HTTP there also wants --http-tokens FILE, or --no-auth behind a proxy that checks"
    )]
    NoTokens(Address),
    /// An address cannot be had.
    #[error("{address}: {source}")]
    Bind {
        /// The address.
        address: Address,
        /// Why.
        source: io::Error,
    },
    /// A transport beside sockets cannot be used.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The threads that compute could not be started.
    #[error("threads: {0}")]
    Threads(#[from] WorkersError),
}

/// The reason why a transport cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// A file that it needs.
    #[error("{0}")]
    File(String),
    /// A setting of it.
    #[error("{0}")]
    Setting(String),
}
