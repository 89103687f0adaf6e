//! What all systems are asked about in the same words.

/// What tells a file from all others of the machine.
pub type FileId = (u64, u64);
