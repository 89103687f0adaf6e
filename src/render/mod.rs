//! Boards as text, tables and reports: values to strings only.

pub mod bars;
mod board;
pub mod rollout;
pub mod screen;
mod svg_board;
pub mod weights;

pub use board::board;
pub use screen::Look;
pub use svg_board::{Drawn, STYLE as BOARD_STYLE, svg_board, svg_file};
