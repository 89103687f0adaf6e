//! Boards as text, tables and reports: values to strings only.

mod board;
pub mod rollout;
pub mod screen;
pub mod weights;

pub use board::board;
pub use screen::Look;
