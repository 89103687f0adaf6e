//! Boards as text, tables and reports: values to strings only.

mod board;
pub mod report;
pub mod weights;

pub use board::board;
