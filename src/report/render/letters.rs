//! Letters as lines, for pictures that are drawn without fonts: the texts beside a board.
//!
//! A letter is ten units high and is drawn with a round pen; its base line is at 0. Own work, made of
//! circles and straight lines.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Between the lines of two letters, in units.
const GAP: f64 = 0.75;
/// A blank, in units.
const BLANK: f64 = 2.0;
/// Units of a letter that is one pixel of the font's size high.
const SCALE: f64 = 0.071;

/// Letters, their widths in units, and their lines as in the path of an SVG.
const LETTERS: &str = include_str!("letters.tsv");

/// Letters with marks: the plain letter, and the mark.
const MARKED: [(char, char, Mark); 20] = [
    ('ä', 'a', Mark::Dots),
    ('ö', 'o', Mark::Dots),
    ('ü', 'u', Mark::Dots),
    ('Ä', 'A', Mark::Dots),
    ('Ö', 'O', Mark::Dots),
    ('Ü', 'U', Mark::Dots),
    ('ë', 'e', Mark::Dots),
    ('é', 'e', Mark::Acute),
    ('É', 'E', Mark::Acute),
    ('à', 'a', Mark::Grave),
    ('è', 'e', Mark::Grave),
    ('ù', 'u', Mark::Grave),
    ('À', 'A', Mark::Grave),
    ('È', 'E', Mark::Grave),
    ('â', 'a', Mark::Circumflex),
    ('ê', 'e', Mark::Circumflex),
    ('ô', 'o', Mark::Circumflex),
    ('û', 'u', Mark::Circumflex),
    ('Ê', 'E', Mark::Circumflex),
    ('Ô', 'O', Mark::Circumflex),
];

/// A mark above a letter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Dots,
    Acute,
    Grave,
    Circumflex,
}

impl Mark {
    /// Returns the horizontal distance of the first stroke from the middle of the letter, and the strokes from there.
    const fn strokes(self) -> (f64, &'static str) {
        match self {
            Mark::Dots => (-1.3, "v-.1m2.6 .1v-.1"),
            Mark::Acute => (-0.7, "l1.5-1.7"),
            Mark::Grave => (0.7, "l-1.5-1.7"),
            Mark::Circumflex => (-1.5, "l1.5-1.6l1.5 1.6"),
        }
    }
}

/// First letter of the scripts that are not drawn, whose letters are squares.
const WIDE: char = '\u{2e80}';

/// Returns the width and the strokes of a letter without a mark.
fn unmarked(letter: char) -> Option<(f64, &'static str)> {
    LETTERS.lines().find_map(|line| {
        let (width, strokes) = line
            .strip_prefix(letter)?
            .strip_prefix('\t')?
            .split_once('\t')?;
        Some((width.parse().ok()?, strokes))
    })
}

/// Returns the width and the strokes of a letter; a box for a missing letter.
fn letter(letter: char) -> (f64, Cow<'static, str>) {
    if let Some((width, strokes)) = unmarked(letter) {
        return (width, strokes.into());
    }
    let marked = MARKED.iter().find(|one| one.0 == letter);
    if let Some(((width, strokes), mark)) = marked.and_then(|one| Some((unmarked(one.1)?, one.2))) {
        let (left, lines) = mark.strokes();
        let x = width / 2.0 + left;
        let y = if letter.is_uppercase() { -11.8 } else { -9.0 };
        return (width, format!("{strokes}M{x:.1} {y}{lines}").into());
    }
    match letter >= WIDE {
        true => (1.0 / SCALE - GAP, "M0-7H5V0H0z".into()),
        false => (5.0, "M0-7H5V0H0z".into()),
    }
}

/// Returns true if the text consists of letters that can be drawn.
#[must_use]
pub fn has_letters(text: &str) -> bool {
    let known = |one| one == ' ' || unmarked(one).is_some();
    text.chars()
        .all(|one| known(one) || MARKED.iter().any(|letter| letter.0 == one))
}

const fn pen(bold: bool) -> f64 {
    if bold { 1.75 } else { 1.3 }
}

/// Returns the width of a text, in the unit of its size.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let gap = GAP + pen(bold);
    let gaps = text.chars().count().saturating_sub(1) as f64 * gap;
    (text.chars().map(advance).sum::<f64>() + gaps) * size * SCALE
}

fn advance(one: char) -> f64 {
    match one {
        ' ' => BLANK,
        _ => letter(one).0,
    }
}

/// Alignment of a text to its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    /// The text begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// The text ends there.
    End,
}

/// Draws a line of text as paths: at `x`, its base line at `y`, in the colour `ink`.
pub(super) fn draw(
    out: &mut String,
    (x, y, anchor): (f64, f64, Anchor),
    size: f64,
    bold: bool,
    ink: &str,
    text: &str,
) {
    let scale = size * SCALE;
    let pen = pen(bold);
    let gap = GAP + pen;
    let width = width(text, size, bold) / scale;
    let mut at = match anchor {
        Anchor::Start => pen / 2.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    for one in text.chars() {
        if one != ' ' {
            let (left, lines) = (at * scale + x, letter(one).1);
            let _ = write!(
                out,
                "<path d=\"{lines}\" transform=\"translate({left:.2} {y:.2})scale({scale:.3})\" fill=\"none\" \
                 stroke=\"{ink}\" stroke-width=\"{pen}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            );
        }
        at += advance(one) + gap;
    }
}

/// Returns one of our own pictures (curves, bars, tables, weights) with its texts as lines. Texts are as those are
/// written: with `x`, `y`, `text-anchor`, `font-size`, `font-weight` and `fill`, the size else that of the whole
/// picture.
#[must_use]
pub fn in_lines(svg: &str) -> String {
    let size = |tag: &str| attribute(tag, "font-size")?.parse::<f64>().ok();
    let whole = size(svg.split('>').next().unwrap_or_default()).unwrap_or(12.0);
    let mut out = String::with_capacity(2 * svg.len());
    let mut rest = svg;
    while let Some(([before, tag, text], behind)) = next_text(rest) {
        out.push_str(before);
        let number = |name| attribute(tag, name).and_then(|text| text.parse::<f64>().ok());
        let anchor = match attribute(tag, "text-anchor") {
            Some("middle") => Anchor::Middle,
            Some("end") => Anchor::End,
            _ => Anchor::Start,
        };
        let place = (
            number("x").unwrap_or(0.0),
            number("y").unwrap_or(0.0),
            anchor,
        );
        let bold = attribute(tag, "font-weight") == Some("bold");
        let ink = attribute(tag, "fill").unwrap_or("black");
        draw(
            &mut out,
            place,
            size(tag).unwrap_or(whole),
            bold,
            ink,
            &plain(text),
        );
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Returns the part before the first text, its tag and its words; and the rest.
fn next_text(svg: &str) -> Option<([&str; 3], &str)> {
    let (before, after) = svg.split_once("<text")?;
    let (element, behind) = after.split_once("</text>")?;
    let (tag, text) = element.split_once('>')?;
    Some(([before, tag, text], behind))
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let begin = format!(" {name}=\"");
    let (_, after) = tag.split_once(begin.as_str())?;
    after.split_once('"').map(|(value, _)| value)
}

/// Removes the escapes of XML.
fn plain(text: &str) -> String {
    let all = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    all.iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters of a picture are all drawn, and no two are drawn alike.
    #[test]
    fn every_letter_of_a_picture_is_there() {
        let all: Vec<char> = ('!'..='~')
            .filter(|one| !"$\\^`{}".contains(*one))
            .collect();
        let unknown = letter('\u{4e00}');
        for (place, &one) in all.iter().enumerate() {
            assert!(letter(one) != unknown, "{one}");
            let twin = all[..place]
                .iter()
                .find(|&&other| letter(other) == letter(one));
            // An I and an l are the same line.
            assert!(twin.is_none() || one == 'l', "{one} {twin:?}");
        }
        let mut out = String::new();
        draw(
            &mut out,
            (0.0, 0.0, Anchor::Middle),
            14.0,
            true,
            "#000",
            "167 pips, \u{b1}3",
        );
        assert_eq!(out.matches("<path").count(), 10);
    }

    #[test]
    fn texts_become_lines() {
        let svg = "<svg font-size=\"10\"><rect/><text x=\"3\" y=\"-4\" text-anchor=\"end\" fill=\"red\">a &lt; b</text><g/></svg>";
        let lines = in_lines(svg);
        let mut wanted = String::new();
        draw(
            &mut wanted,
            (3.0, -4.0, Anchor::End),
            10.0,
            false,
            "red",
            "a < b",
        );
        assert_eq!(
            lines,
            format!("<svg font-size=\"10\"><rect/>{wanted}<g/></svg>")
        );
        // The middle of an anchored text is between its ends.
        let left = |anchor| {
            let mut out = String::new();
            draw(&mut out, (0.0, 0.0, anchor), 10.0, false, "red", "ab");
            let (_, after) = out.split_once("translate(").unwrap();
            after.split_once(' ').unwrap().0.parse::<f64>().unwrap()
        };
        assert!(
            left(Anchor::End) < left(Anchor::Middle) && left(Anchor::Middle) < left(Anchor::Start)
        );
        let damaged = "<svg><text x=\"1\">never ends";
        assert_eq!(in_lines(damaged), damaged);
    }
}
