//! The threads that compute: a pool of rayon's, or the calling thread.
//!
//! The rest of the crate spreads work by the traits of [`prelude`]. Without the feature `threads` the same calls compute in
//! the calling thread, in order.

#[cfg_attr(not(feature = "threads"), path = "in_place.rs")]
mod threads;

pub use threads::{Pool, PoolError};
pub(crate) use threads::{prelude, start};
