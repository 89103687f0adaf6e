//! Differences between systems: files and processes.
//!
//! gammond is made for Linux. The rest of the crate calls this module and is independent of the system; elsewhere
//! each part has a substitute that does less, or reports what is missing. `.ci/run portable` checks that all of it
//! compiles for other systems.

#[cfg(not(unix))]
mod other;
mod types;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use other::*;
pub use types::FileId;
#[cfg(unix)]
pub use unix::*;
