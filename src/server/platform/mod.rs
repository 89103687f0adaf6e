//! What differs between systems for programs that wait: sockets and signals. The rest of it is the room `platform` of
//! the crate `gammond-base`, which this one hands on.

#[cfg(not(unix))]
mod other;
mod types;
#[cfg(unix)]
mod unix;

pub use gammond_base::platform::*;
#[cfg(not(unix))]
pub use other::*;
pub use types::Told;
#[cfg(unix)]
pub use unix::*;
