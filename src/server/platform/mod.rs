//! Platform-specific sockets and signals for programs that wait. The rest is the module `platform` of the crate `gammond-base`,
//! which is re-exported here.

#[cfg(not(unix))]
mod other;
mod types;
#[cfg(unix)]
mod unix;

pub use gammond_base::platform::*;
#[cfg(not(unix))]
pub use other::*;
pub use types::SignalEvent;
#[cfg(unix)]
pub use unix::*;
