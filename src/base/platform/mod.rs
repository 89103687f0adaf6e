//! Differences between systems: files and processes.
//!
//! Linux is what gammond is made for. The rest of the crate asks here and knows no system; elsewhere each
//! part has a substitute that does less, or says what there is not. `.ci/run portable` checks that all of
//! it compiles for other systems.

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
