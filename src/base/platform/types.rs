//! Types that are the same on all systems.

/// The identity of a file on its machine.
pub type FileId = (u64, u64);
