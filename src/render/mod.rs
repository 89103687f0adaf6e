//! Boards as text, tables and reports: values to strings only.

mod board;
pub mod report;

pub use board::board;
