//! Long work that can be stopped, killed, continued, divided and merged.
//!
//! A [`Job`] has a [`Header`] that names everything which decides its result, numbered parts that
//! are pure functions of the header and their number, and a sum to which the parts are merged in
//! the order of their numbers. [`Runner`] computes parts on all cores, keeps them in a journal and
//! reports its progress to its [`Control`]. The result and the bytes of the journal are the same for
//! any number of threads, and whether or not it was stopped on the way.
//!
//! ```
//! use gammond_job::{BadPart, Control, Header, Job, Progress, Runner};
//! use gammond_base::stop::Stop;
//!
//! /// The sum of the first squares.
//! struct Squares(u64);
//!
//! impl Job for Squares {
//!     type Sum = u64;
//!     type Error = std::convert::Infallible;
//!
//!     fn header(&self) -> Header {
//!         Header::new("squares", 1)
//!     }
//!     fn start(&self) -> u64 {
//!         0
//!     }
//!     fn parts(&self) -> Option<u64> {
//!         Some(self.0)
//!     }
//!     fn part(&self, number: u64, _: &Stop) -> Result<Option<Vec<u8>>, Self::Error> {
//!         Ok(Some((number * number).to_le_bytes().to_vec()))
//!     }
//!     fn merge(&self, sum: &mut u64, _: u64, bytes: &[u8]) -> Result<(), BadPart> {
//!         *sum += u64::from_le_bytes(bytes.try_into().map_err(|_| BadPart)?);
//!         Ok(())
//!     }
//!     fn progress(&self, sum: &u64, parts: u64) -> Progress {
//!         Progress::new("squares", parts, Some(self.0)).figures(format!("sum {sum}"))
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let journal = folder.path().join("squares.journal");
//! let outcome = Runner::new().journal(Some(&journal)).run(&Squares(10), &mut Control::quiet())?;
//! assert_eq!((outcome.sum, outcome.complete), (285, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carry;
mod control;
mod erased;
mod error;
mod header;
mod merge;
mod part;
mod remote;
mod runner;
mod share;
mod stamp;

pub use carry::{FileNumber, List, NotPortable, Real, Whole, Word};
pub use control::{Control, Progress, ProgressEvent};
pub use error::JobError;
pub use header::{Difference, Header};
pub use merge::{MergeError, check_merged, merge};
pub use part::{BadPart, Job};
pub use remote::{Computed, JobRole, Order, PartSource, RemoteError, RemoteExecutor, Work};
pub use runner::{JobEnd, Runner};
pub use share::{SHARES_MAX, Share, ShareError};
pub use stamp::{Stamp, StampError, StampLine};
