//! What differs between systems: files, processes, signals and sockets that not all of them have.
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
pub(crate) use other::*;
#[cfg(feature = "serve")]
pub(crate) use types::FileId;
#[cfg(feature = "cli")]
pub(crate) use types::Told;
#[cfg(unix)]
pub(crate) use unix::*;
