//! Errors of transports at the start of a server.

use super::address::Address;
use std::io;

/// An error for which a transport cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The address is not loopback, and remote addresses are not allowed.
    #[error("{0} is not a loopback address; allow it with --allow-remote, behind a proxy")]
    Remote(Address),
    /// An address cannot be bound.
    #[error("{address}: {source}")]
    Bind {
        /// Address that failed.
        address: Address,
        /// Error of the system.
        source: io::Error,
    },
    /// A file that it needs is missing or invalid.
    #[error("{0}")]
    File(String),
    /// A setting is invalid.
    #[error("{0}")]
    Setting(String),
}
