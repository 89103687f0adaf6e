//! Boards as text, tables and reports: values to strings only.

#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "sizes and places of a drawing are this room's own"
)]

pub mod bars;
mod board;
pub mod cross_table;
pub mod cube_table;
pub mod league;
mod letters;
pub mod rollout;
pub mod score_table;
pub mod screen;
mod svg_answers;
mod svg_board;
mod svg_sheet;
mod theme;
pub mod weights;

pub use board::board;
pub use letters::{has_letters, in_lines};
pub use screen::ScreenStyle;
pub use svg_answers::answer_svg;
pub(crate) use svg_board::svg_board;
pub use svg_board::{BOARD_SIZE, Overlay, svg_file, svg_outlines};
pub use theme::{DrawingStyle, Theme, board_style};

/// Formats a number with its sign and this many digits after the point. One that is rounded to zero has a plus.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    match text.strip_prefix('-') {
        Some(zero) if !zero.contains(|sign: char| !matches!(sign, '0' | '.')) => format!("+{zero}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn rounded_zero_has_a_plus() {
        let texts = [
            (-0.0004, 3),
            (-0.0, 1),
            (-0.4, 0),
            (0.0, 2),
            (-0.0006, 3),
            (-1.5, 1),
        ];
        let texts = texts.map(|(value, digits)| signed(value, digits));
        assert_eq!(texts, ["+0.000", "+0.0", "+0", "+0.00", "-0.001", "-1.5"]);
        assert_eq!(signed(f64::NEG_INFINITY, 0), "-inf");
    }
}
