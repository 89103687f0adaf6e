//! Boards as text, tables and reports: values to strings only.

mod board;

pub use board::board;
