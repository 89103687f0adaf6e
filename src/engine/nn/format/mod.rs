//! Net files: one module a format.

pub mod native;
pub mod pytorch;
pub mod safetensors;

/// Longest file of a net of ours, integers or floats, that is read.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
