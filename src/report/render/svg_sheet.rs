//! A drawing of texts, cells and bars that grows with what is written on it.
//!
//! Texts have their style as attributes, as [`in_lines`] wants it. Widths are those of our own letters, with room for the
//! wider ones of other fonts.

use super::letters::{Anchor, in_lines, width};
use super::theme::{DrawingStyle, rules, table_style};
use gammond_base::escape::Markup;
use std::fmt::Write as _;

/// Around the drawing.
pub(super) const MARGIN: f64 = 20.0;
/// Between two cells.
const GAP: f64 = 3.0;
/// Part by which other fonts may be wider than our letters.
pub(super) const SLACK: f64 = 1.2;
/// Kinds of cells that have a colour; further ones have none.
pub(super) const KINDS: usize = 5;

/// Size of a text, and true if it is bold.
pub(super) type Font = (f64, bool);
pub(super) const TITLE: Font = (19.0, true);
pub(super) const TEXT: Font = (14.0, false);
pub(super) const STRONG: Font = (14.0, true);
pub(super) const SMALL: Font = (11.5, false);

/// A cell of a table: its colour, its lines, and true if it is outlined.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SheetCell {
    pub(super) kind: Option<usize>,
    pub(super) lines: Vec<String>,
    pub(super) marked: bool,
}

/// A drawing.
pub(super) struct Sheet {
    name: String,
    pub(super) body: String,
    width: f64,
    /// The height that is filled.
    pub(super) height: f64,
}

impl Sheet {
    /// Returns a drawing with a title.
    pub(super) fn new(title: &str) -> Sheet {
        let mut sheet = Sheet {
            name: title.to_owned(),
            body: String::new(),
            width: 0.0,
            height: MARGIN,
        };
        sheet.height += TITLE.0;
        sheet.write((MARGIN, sheet.height, Anchor::Start), TITLE, title);
        sheet.height += 10.0;
        sheet
    }

    /// Returns a drawing without a visible title.
    pub(super) fn untitled(name: &str) -> Sheet {
        Sheet {
            name: name.to_owned(),
            body: String::new(),
            width: 0.0,
            height: MARGIN,
        }
    }

    /// Makes the drawing at least so wide, without its margin at the right.
    pub(super) fn reach(&mut self, right: f64) {
        self.width = self.width.max(right + MARGIN);
    }

    /// Writes a line in the colour of texts.
    pub(super) fn write(&mut self, place: (f64, f64, Anchor), font: Font, text: &str) {
        self.write_in(place, font, "var(--text)", text);
    }

    /// Writes a line in a colour.
    pub(super) fn write_in(
        &mut self,
        (x, y, anchor): (f64, f64, Anchor),
        (size, bold): Font,
        colour: &str,
        text: &str,
    ) {
        let wide = width(text, size, bold) * SLACK;
        let (anchor, right) = match anchor {
            Anchor::Start => ("", x + wide),
            Anchor::Middle => (" text-anchor=\"middle\"", x + wide / 2.0),
            Anchor::End => (" text-anchor=\"end\"", x),
        };
        self.reach(right);
        let bold = if bold { " font-weight=\"bold\"" } else { "" };
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} font-size=\"{size}\"{bold} fill=\"{colour}\">{}</text>",
            Markup::new(text)
        );
    }

    /// Draws a box with round corners.
    pub(super) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (wide, high): (f64, f64),
        attributes: &str,
    ) {
        self.reach(x + wide);
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"4\" {attributes}/>"
        );
    }

    /// Writes a text below the rest, in lines of this width.
    pub(super) fn paragraph(&mut self, (left, wide): (f64, f64), font: Font, text: &str) {
        for line in wrapped(text, font, wide) {
            self.height += font.0;
            self.write((left, self.height, Anchor::Start), font, &line);
            self.height += 0.45 * font.0;
        }
    }

    /// Writes a line with a swatch of this kind below the rest.
    pub(super) fn legend(&mut self, kind: usize, text: &str) {
        let side = TEXT.0;
        self.rectangle(
            (MARGIN, self.height),
            (side, side),
            &paint(Some(kind), false),
        );
        self.height += side - 1.5;
        self.write(
            (MARGIN + side + 8.0, self.height, Anchor::Start),
            TEXT,
            text,
        );
        self.height += 8.5;
    }

    /// Draws a row of cells of this size below the rest, with its name at the left.
    pub(super) fn row(
        &mut self,
        name: &str,
        left: f64,
        (wide, high): (f64, f64),
        cells: &[SheetCell],
    ) {
        let (top, middle) = (self.height, self.height + high / 2.0);
        self.write((MARGIN, middle + 5.0, Anchor::Start), STRONG, name);
        for (number, cell) in cells.iter().enumerate() {
            let x = left + wide * number as f64;
            if !cell.lines.is_empty() {
                let size = (wide - GAP, high - GAP);
                self.rectangle((x, top), size, &paint(cell.kind, cell.marked));
            }
            let base = match cell.lines.len() {
                0 | 1 => middle + 3.5,
                lines => middle + 12.0 - 7.75 * lines as f64,
            };
            for (line, text) in cell.lines.iter().enumerate() {
                let font = if line == 0 { STRONG } else { SMALL };
                let place = (
                    x + (wide - GAP) / 2.0,
                    base + 15.5 * line as f64,
                    Anchor::Middle,
                );
                self.write(place, font, text);
            }
        }
        self.height += high;
    }

    /// Returns the drawing as a file.
    pub(super) fn finish(self, style: DrawingStyle) -> String {
        let (wide, high) = (self.width.ceil(), (self.height + MARGIN).ceil());
        let rules = match style {
            DrawingStyle::File(None) => table_style(),
            _ => rules().to_owned(),
        };
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" \
             height=\"{high}\" font-family=\"system-ui,sans-serif\" font-size=\"14\"><style>{rules}</style>\
             <title>{}</title><rect width=\"{wide}\" height=\"{high}\" fill=\"var(--page)\"/>{}</svg>",
            Markup::new(&self.name),
            self.body
        );
        match style {
            DrawingStyle::File(None) => text,
            DrawingStyle::File(Some(theme)) => theme.fixed(&text),
            DrawingStyle::Outlines(theme) => in_lines(&theme.fixed(&text)),
        }
    }
}

/// Returns the attributes of a cell.
fn paint(kind: Option<usize>, marked: bool) -> String {
    let fill = match kind {
        Some(kind) if kind < KINDS => format!("var(--kind{kind})"),
        _ => "none".to_owned(),
    };
    let line = match (marked, kind) {
        (true, _) => " stroke=\"var(--text)\" stroke-width=\"2.5\"",
        // The colours of paper are as pale as the page.
        _ => " stroke=\"var(--edge)\" stroke-width=\".5\"",
    };
    format!("fill=\"{fill}\"{line}")
}

/// Returns true if no line begins with this letter.
const fn is_closing(letter: char) -> bool {
    matches!(
        letter,
        '。' | '、' | '）' | '」' | '・' | 'ー' | 'ッ' | 'ャ' | 'ュ' | 'ョ'
    )
}

/// Breaks a text into lines of this width: at blanks, and between the letters of scripts without blanks.
pub(super) fn wrapped(text: &str, (size, bold): Font, most: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut piece) = (String::new(), String::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        piece.push(letter);
        let next = letters.peek().copied();
        let is_wide = |letter: char| letter >= '\u{3000}';
        let may_break = next.is_none_or(|next| {
            letter == ' ' || ((is_wide(letter) || is_wide(next)) && !is_closing(next))
        });
        if !may_break {
            continue;
        }
        let whole = format!("{line}{}", piece.trim_end());
        if !line.is_empty() && width(&whole, size, bold) * SLACK > most {
            lines.push(line.trim_end().to_owned());
            line.clear();
        }
        line.push_str(&piece);
        piece.clear();
    }
    lines.push(line.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_at_blanks_and_between_wide_letters() {
        let text = "After 8/2 6/2 the opponent hits with 0 of 36 rolls, after 24/14 with 29.";
        let lines = wrapped(text, TEXT, 200.0);
        assert!(lines.len() > 2, "{lines:?}");
        assert_eq!(lines.join(" "), text);
        for line in &lines {
            assert!(width(line, 14.0, false) * SLACK <= 200.0, "{line}");
        }
        let text = "相手のダブルは 36 通り。".repeat(4);
        let lines = wrapped(&text, TEXT, 200.0);
        assert!(lines.len() > 2, "{lines:?}");
        assert!(
            lines.iter().all(|line| !line.starts_with(is_closing)),
            "{lines:?}"
        );
        let letters = |text: &str| text.chars().filter(|one| *one != ' ').collect::<String>();
        assert_eq!(letters(&lines.concat()), letters(&text));
        assert_eq!(wrapped("", TEXT, 10.0), [""]);
    }

    #[test]
    fn names_are_escaped_and_make_the_sheet_wide() {
        let hostile = "<script>alert(\"1\")</script>&".repeat(20);
        let mut sheet = Sheet::new(&hostile);
        sheet.row("<b>", 50.0, (60.0, 40.0), &[SheetCell::default()]);
        let text = sheet.finish(DrawingStyle::File(None));
        assert!(!text.contains("<script") && !text.contains("<b>"));
        assert!(text.contains("&lt;script&gt;"));
        let (_, rest) = text.split_once("viewBox=\"0 0 ").unwrap();
        let wide: f64 = rest.split_once(' ').unwrap().0.parse().unwrap();
        assert!(wide > width(&hostile, TITLE.0, true));
    }
}
