//! Sockets of TCP and Unix, and the notices of systemd. Knows no protocol.

pub(crate) mod accept;
mod address;
mod error;
pub(crate) mod socket;
pub mod systemd;

pub use accept::Opening;
pub use address::{Address, AddressError};
pub use error::TransportError;
