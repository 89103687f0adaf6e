//! Boards as text, tables and reports: values to strings only.

#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "sizes and places of a drawing are this room's own"
)]

pub mod bars;
mod board;
pub mod cross_table;
mod letters;
pub mod rollout;
pub mod screen;
mod svg_board;
mod theme;
pub mod weights;

pub use board::board;
pub use letters::in_lines;
pub use screen::ScreenStyle;
pub(crate) use svg_board::svg_board;
pub use svg_board::{BOARD_SIZE, Overlay, svg_file, svg_outlines};
pub use theme::{Theme, board_style};
