//! Letters as lines, for pictures that are drawn where no font is: what stands beside a board.
//!
//! A letter is ten units high and is drawn with a round pen; its base line is at 0. Own work, made of
//! circles and straight lines.

use std::fmt::Write as _;

/// Between the lines of two letters, in units.
const GAP: f64 = 0.75;
/// A blank, in units.
const BLANK: f64 = 2.0;
/// Units of a letter that is one pixel of the font's size high.
const SCALE: f64 = 0.071;

/// Width and lines of a letter; `None` for one that is not drawn here.
const fn letter(letter: char) -> Option<(f64, &'static str)> {
    Some(match letter {
        '0' => (6.0, "M0-5A3 5 0 1 1 6-5A3 5 0 1 1 0-5z"),
        '1' => (4.2, "M.8-8.2L3.2-10V0"),
        '2' => (6.0, "M.3-7.2A2.8 2.8 0 1 1 5.2-5.4L.2 0H6"),
        '3' => (
            5.8,
            "M.3-8.2A2.6 2.45 0 1 1 2.8-5.3H2.4M2.8-5.3A2.9 2.65 0 1 1 .1-1.8",
        ),
        '4' => (6.2, "M4.6 0V-10L0-3H6.2"),
        '5' => (5.9, "M5.3-10H1.3L.7-5.4A3 3.1 0 1 1 .2-1.4"),
        '6' => (6.0, "M4.6-10L.5-4.6M0-3A3 3 0 1 1 6-3A3 3 0 1 1 0-3z"),
        '7' => (5.8, "M0-10H5.8L2 0"),
        '8' => (
            5.8,
            "M.5-7.6A2.4 2.4 0 1 1 5.3-7.6A2.4 2.4 0 1 1 .5-7.6zM0-2.6A2.9 2.6 0 1 1 5.8-2.6A2.9 2.6 0 1 1 0-2.6z",
        ),
        '9' => (6.0, "M1.4 0L5.5-5.4M0-7A3 3 0 1 1 6-7A3 3 0 1 1 0-7z"),
        'a' => (
            5.8,
            "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5zM5.8-7V0",
        ),
        'd' => (
            5.8,
            "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5zM5.8-10V0",
        ),
        'f' => (3.4, "M3.4-10A2.2 2.4 0 0 0 1.2-7.6V0M0-7H3.2"),
        'i' => (0.0, "M0-7V0M0-9.7V-9.6"),
        'o' => (5.8, "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z"),
        'p' => (
            5.8,
            "M0-7V3M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z",
        ),
        'r' => (3.2, "M0-7V0M0-4.2A3.1 3 0 0 1 3.2-6.9"),
        's' => (
            4.8,
            "M4.6-5.8A2.2 1.75 0 1 0 2.5-3.55A2.3 1.75 0 1 1 .2-1.2",
        ),
        'w' => (8.0, "M0-7L2 0L4-7L6 0L8-7"),
        'y' => (5.8, "M0-7L2.9-.3M5.8-7L1.6 3"),
        'C' => (7.2, "M7.2-8.2A4.4 5 0 1 0 7.2-1.8"),
        ',' => (0.4, "M.4-.2L-.3 1.8"),
        _ => return None,
    })
}

/// A line of text as paths: its middle at `x`, its base line at `y`, in the colour `ink`.
pub(super) fn draw(
    out: &mut String,
    (x, y): (f64, f64),
    size: f64,
    bold: bool,
    ink: &str,
    text: &str,
) {
    let scale = size * SCALE;
    let advance = |one: char| match one {
        ' ' => BLANK,
        _ => letter(one).map_or(0.0, |(width, _)| width),
    };
    let pen = if bold { 1.75 } else { 1.3 };
    let gap = GAP + pen;
    let gaps = text.chars().count().saturating_sub(1) as f64 * gap;
    let width = text.chars().map(advance).sum::<f64>() + gaps;
    let mut at = -width / 2.0;
    for one in text.chars() {
        if let Some((_, lines)) = letter(one) {
            let left = at * scale + x;
            let _ = write!(
                out,
                "<path d=\"{lines}\" transform=\"translate({left:.2} {y:.2})scale({scale:.3})\" fill=\"none\" \
                 stroke=\"{ink}\" stroke-width=\"{pen}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            );
        }
        at += advance(one) + gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing that stands beside a board is left out.
    #[test]
    fn every_letter_of_a_picture_is_there() {
        for text in ["167 pips, 3 away, Crawford", "0123456789"] {
            let mut out = String::new();
            draw(&mut out, (0.0, 0.0), 14.0, true, "#000", text);
            let letters = text.chars().filter(|one| *one != ' ').count();
            assert_eq!(out.matches("<path").count(), letters, "{text}");
        }
    }
}
