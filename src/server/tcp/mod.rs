//! TCP and Unix sockets: addresses, accepting, connections, the server.

mod address;
mod connection;
mod error;
mod handle;
mod listener;
pub mod match_memory;
mod server;
pub mod shared;
pub(super) mod socket;
mod turns;

pub use address::{Address, AddressError};
pub use error::{ServeError, TransportError};
pub use handle::{Handle, TokenHandle};
pub use server::{Config, Server};
pub use shared::{BuildError, ReloadError};
