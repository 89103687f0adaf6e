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

/// Letters, their widths and lines.
const LETTERS: [(char, f64, &str); 91] = [
    ('0', 6.0, "M0-5A3 5 0 1 1 6-5A3 5 0 1 1 0-5z"),
    ('1', 4.2, "M.8-8.2L3.2-10V0"),
    ('2', 6.0, "M.3-7.2A2.8 2.8 0 1 1 5.2-5.4L.2 0H6"),
    (
        '3',
        5.8,
        "M.3-8.2A2.6 2.45 0 1 1 2.8-5.3H2.4M2.8-5.3A2.9 2.65 0 1 1 .1-1.8",
    ),
    ('4', 6.2, "M4.6 0V-10L0-3H6.2"),
    ('5', 5.9, "M5.3-10H1.3L.7-5.4A3 3.1 0 1 1 .2-1.4"),
    ('6', 6.0, "M4.6-10L.5-4.6M0-3A3 3 0 1 1 6-3A3 3 0 1 1 0-3z"),
    ('7', 5.8, "M0-10H5.8L2 0"),
    (
        '8',
        5.8,
        "M.5-7.6A2.4 2.4 0 1 1 5.3-7.6A2.4 2.4 0 1 1 .5-7.6zM0-2.6A2.9 2.6 0 1 1 5.8-2.6A2.9 2.6 0 1 1 0-2.6z",
    ),
    ('9', 6.0, "M1.4 0L5.5-5.4M0-7A3 3 0 1 1 6-7A3 3 0 1 1 0-7z"),
    (
        'a',
        5.8,
        "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5zM5.8-7V0",
    ),
    (
        'd',
        5.8,
        "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5zM5.8-10V0",
    ),
    ('f', 3.4, "M3.4-10A2.2 2.4 0 0 0 1.2-7.6V0M0-7H3.2"),
    ('i', 0.0, "M0-7V0M0-9.7V-9.6"),
    (
        'o',
        5.8,
        "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z",
    ),
    (
        'p',
        5.8,
        "M0-7V3M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z",
    ),
    ('r', 3.2, "M0-7V0M0-4.2A3.1 3 0 0 1 3.2-6.9"),
    (
        's',
        4.8,
        "M4.6-5.8A2.2 1.75 0 1 0 2.5-3.55A2.3 1.75 0 1 1 .2-1.2",
    ),
    ('w', 8.0, "M0-7L2 0L4-7L6 0L8-7"),
    ('y', 5.8, "M0-7L2.9-.3M5.8-7L1.6 3"),
    ('C', 7.2, "M7.2-8.2A4.4 5 0 1 0 7.2-1.8"),
    (
        'b',
        5.8,
        "M0-10V0M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z",
    ),
    ('c', 5.0, "M5-5.9A2.9 3.5 0 1 0 5-1.1"),
    ('e', 5.8, "M0-3.6H5.8A2.9 3.4 0 1 0 5-1.2"),
    (
        'g',
        5.8,
        "M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5zM5.8-7V.4A2.7 2.6 0 0 1 .7 1.9",
    ),
    ('h', 5.2, "M0-10V0M0-4.4A2.6 2.6 0 0 1 5.2-4.4V0"),
    ('j', 1.2, "M1.2-7V1A1.8 2 0 0 1-.6 3M1.2-9.7V-9.6"),
    ('k', 5.0, "M0-10V0M4.8-7L0-2.8M1.8-4.4L5 0"),
    ('l', 0.0, "M0-10V0"),
    (
        'm',
        8.6,
        "M0-7V0M0-4.6A2.15 2.4 0 0 1 4.3-4.6V0M4.3-4.6A2.15 2.4 0 0 1 8.6-4.6V0",
    ),
    ('n', 5.2, "M0-7V0M0-4.4A2.6 2.6 0 0 1 5.2-4.4V0"),
    (
        'q',
        5.8,
        "M5.8-7V3M0-3.5A2.9 3.5 0 1 1 5.8-3.5A2.9 3.5 0 1 1 0-3.5z",
    ),
    ('t', 3.6, "M1.4-9.2V-2A2 2 0 0 0 3.6-.1M0-7H3.4"),
    ('u', 5.2, "M0-7V-2.6A2.6 2.6 0 0 0 5.2-2.6M5.2-7V0"),
    ('v', 5.6, "M0-7L2.8 0L5.6-7"),
    ('x', 5.2, "M0-7L5.2 0M5.2-7L0 0"),
    ('z', 5.0, "M0-7H5L0 0H5"),
    ('A', 7.6, "M0 0L3.8-10L7.6 0M1.2-3.2H6.4"),
    (
        'B',
        6.0,
        "M0 0V-10H3.2A2.35 2.35 0 0 1 3.2-5.3H0M3.2-5.3A2.7 2.65 0 0 1 3.2 0H0",
    ),
    ('D', 7.0, "M0 0V-10H2.6A4.4 5 0 0 1 2.6 0z"),
    ('E', 5.6, "M5.6-10H0V0H5.6M0-5.2H5"),
    ('F', 5.4, "M5.4-10H0V0M0-5.2H4.8"),
    ('G', 7.6, "M7.3-8.2A4.4 5 0 1 0 7.6-2V-4.6H4.6"),
    ('H', 6.6, "M0-10V0M6.6-10V0M0-5.2H6.6"),
    ('I', 0.0, "M0-10V0"),
    ('J', 3.6, "M3.6-10V-2.4A2.2 2.4 0 0 1-.2-1.2"),
    ('K', 6.2, "M0-10V0M6-10L0-4.4M2-6L6.2 0"),
    ('L', 5.2, "M0-10V0H5.2"),
    ('M', 8.2, "M0 0V-10L4.1-3L8.2-10V0"),
    ('N', 6.8, "M0 0V-10L6.8 0V-10"),
    ('O', 8.4, "M0-5A4.2 5 0 1 1 8.4-5A4.2 5 0 1 1 0-5z"),
    ('P', 6.0, "M0 0V-10H3.2A2.7 2.75 0 0 1 3.2-4.5H0"),
    (
        'Q',
        8.4,
        "M0-5A4.2 5 0 1 1 8.4-5A4.2 5 0 1 1 0-5zM5.4-2.4L8.2.6",
    ),
    (
        'R',
        6.2,
        "M0 0V-10H3.2A2.7 2.75 0 0 1 3.2-4.5H0M3.2-4.5L6.2 0",
    ),
    (
        'S',
        6.2,
        "M5.9-8.3A3 2.5 0 1 0 3.1-5.1A3.1 2.55 0 1 1 .2-1.6",
    ),
    ('T', 6.8, "M0-10H6.8M3.4-10V0"),
    ('U', 6.6, "M0-10V-3.2A3.3 3.2 0 0 0 6.6-3.2V-10"),
    ('V', 7.2, "M0-10L3.6 0L7.2-10"),
    ('W', 10.4, "M0-10L2.6 0L5.2-10L7.8 0L10.4-10"),
    ('X', 6.6, "M0-10L6.6 0M6.6-10L0 0"),
    ('Y', 6.8, "M0-10L3.4-5L6.8-10M3.4-5V0"),
    ('Z', 6.4, "M0-10H6.4L0 0H6.4"),
    ('.', 0.0, "M0-.2V0"),
    (':', 0.0, "M0-6V-5.9M0-.2V0"),
    (';', 0.4, "M.3-6V-5.9M.4-.2L-.3 1.8"),
    ('+', 5.6, "M2.8-6.8V-1.2M0-4H5.6"),
    ('-', 3.4, "M0-3.8H3.4"),
    ('−', 5.6, "M0-4H5.6"),
    ('±', 5.6, "M2.8-8V-3M0-5.5H5.6M0-.6H5.6"),
    ('×', 4.6, "M0-6.4L4.6-1.6M4.6-6.4L0-1.6"),
    ('=', 5.6, "M0-5.4H5.6M0-2.6H5.6"),
    ('/', 4.0, "M0 1.6L4-10.6"),
    ('(', 2.2, "M2.2-11A8 8 0 0 0 2.2 2"),
    (')', 2.2, "M0-11A8 8 0 0 1 0 2"),
    ('[', 2.0, "M2-11H0V2H2"),
    (']', 2.0, "M0-11H2V2H0"),
    ('|', 0.0, "M0-10.6V2"),
    (
        '%',
        8.8,
        "M.2 0L8.6-10M0-7.8A1.8 2.2 0 1 1 3.6-7.8A1.8 2.2 0 1 1 0-7.8zM5.2-2.2A1.8 2.2 0 1 1 8.8-2.2A1.8 2.2 0 1 1 5.2-2.2z",
    ),
    ('_', 5.6, "M0 1.6H5.6"),
    ('\'', 0.0, "M0-10V-7.6"),
    ('"', 2.0, "M0-10V-7.6M2-10V-7.6"),
    ('<', 5.0, "M5-7L0-4L5-1"),
    ('>', 5.0, "M0-7L5-4L0-1"),
    ('!', 0.0, "M0-10V-3.2M0-.2V0"),
    (
        '?',
        5.0,
        "M0-8A2.6 2.4 0 1 1 3.6-5.6A2.6 2.6 0 0 0 2.5-3.2M2.5-.2V0",
    ),
    ('*', 4.0, "M2-10V-5.4M0-8.9L4-6.5M4-8.9L0-6.5"),
    ('#', 6.4, "M2-9.6L1-.4M5.4-9.6L4.4-.4M.4-6.6H6.4M0-3.4H6"),
    (
        '&',
        7.4,
        "M7.2 0L1.5-6.6A2 2 0 1 1 4.8-6.8L1-4.2A2.6 2.6 0 1 0 5.4-.8L7.2-4.4",
    ),
    (
        '@',
        9.0,
        "M6.6-3.6A2 2.2 0 1 1 6.6-4.4M6.6-6.2V-3A1.2 1.4 0 0 0 9-3.4A4.5 5 0 1 0 6.6.6",
    ),
    ('~', 5.6, "M0-3.4A1.5 1.6 0 0 1 2.8-4A1.5 1.6 0 0 0 5.6-4.6"),
    (',', 0.4, "M.4-.2L-.3 1.8"),
];

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

/// Returns the width and the strokes of a letter; a box for a missing letter.
fn letter(letter: char) -> (f64, Cow<'static, str>) {
    let plain = |letter| LETTERS.iter().find(|one| one.0 == letter);
    if let Some(&(_, width, strokes)) = plain(letter) {
        return (width, strokes.into());
    }
    let marked = MARKED.iter().find(|one| one.0 == letter);
    if let Some((&(_, width, strokes), mark)) = marked.and_then(|one| Some((plain(one.1)?, one.2)))
    {
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
    let known = |one| one == ' ' || LETTERS.iter().any(|letter| letter.0 == one);
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
