//! Feed-forward nets: shapes, kernels, quantisation, net files. Knows no backgammon.
//!
//! [`Mlp`] is a float net with one hidden layer, evaluated for many inputs at once by kernels in
//! `kernel` that give the same bits on every [`CpuLevel`]. [`format`] reads net files.

pub mod format;
mod kernel;
mod mlp;

pub use kernel::{CpuLevel, Job};
pub use mlp::{ACTIVE_MAX, Mlp, MlpError, OUTPUTS, SparseInput};
