//! Positions in texts that people copy out of other programs: a board, ids, the score in words, an evaluation.
//!
//! Rules PT-10 to PT-12 of `protocol-specs/position-ids.md`. The ids are exact, so the board and the words around them
//! are not read.

use super::syntax::base64_value;
use super::{match_id, position_id};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of lines between two ids of one position.
const LINES_BETWEEN: usize = 2;
/// Maximum number of positions of a text that are read.
const POSITIONS_MAX: usize = 10_000;

/// A position of a copied text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedPosition {
    /// Its XGID, or else its GNUbg ID.
    pub id: String,
    /// The GNUbg ID beside an XGID.
    pub other_id: Option<String>,
    /// The lines from the id up to the next position.
    pub lines: Range<usize>,
}

/// An id of a line.
enum IdInLine<'a> {
    Xgid(&'a str),
    Position(&'a str),
    Match(&'a str),
}

/// Returns the lines of a copied text: blanks of every kind are spaces, letters of double width are plain.
pub(super) fn copied_lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let plain = |letter: char| match letter {
        '\t' | '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' => ' ',
        '\u{2212}' => '-',
        '\u{ff1a}' => ':',
        letter => letter,
    };
    let line = |line: &str| line.chars().map(plain).collect();
    text.lines().map(line).collect()
}

/// Returns the positions of a text of several lines, in order; none if no line has an id with its name before it.
#[must_use]
pub fn copied_positions(text: &[u8]) -> Vec<CopiedPosition> {
    // Ids of one line are not copied text: each form has a parser of its own.
    if !text
        .trim_ascii()
        .iter()
        .any(|byte| matches!(byte, b'\n' | b'\r'))
    {
        return Vec::new();
    }
    positions_of(&copied_lines(text))
}

/// Returns the positions of these lines.
pub(super) fn positions_of(lines: &[String]) -> Vec<CopiedPosition> {
    let mut reader = Reader::default();
    for (number, line) in lines.iter().enumerate() {
        for found in ids(line) {
            reader.add(number, &found);
        }
        if reader.found.len() > POSITIONS_MAX {
            break;
        }
    }
    reader.finish(lines.len())
}

/// Ids on their way to positions.
#[derive(Default)]
struct Reader {
    found: Vec<Ids>,
}

/// The ids of one position, and the lines of the first and the last.
#[derive(Default)]
struct Ids {
    xgid: Option<String>,
    position: Option<String>,
    match_id: Option<String>,
    first: usize,
    last: usize,
}

impl Reader {
    fn add(&mut self, number: usize, found: &IdInLine<'_>) {
        let is_free = |ids: &Ids| {
            let slot = match found {
                IdInLine::Xgid(_) => &ids.xgid,
                IdInLine::Position(_) => &ids.position,
                IdInLine::Match(_) => &ids.match_id,
            };
            slot.is_none() && number <= ids.last + LINES_BETWEEN
        };
        if !self.found.last().is_some_and(is_free) {
            self.found.push(Ids {
                first: number,
                ..Ids::default()
            });
        }
        let Some(ids) = self.found.last_mut() else {
            return;
        };
        ids.last = number;
        match found {
            IdInLine::Xgid(text) => ids.xgid = Some(format!("XGID={text}")),
            IdInLine::Position(text) => ids.position = Some((*text).to_owned()),
            IdInLine::Match(text) => ids.match_id = Some((*text).to_owned()),
        }
    }

    fn finish(self, end: usize) -> Vec<CopiedPosition> {
        let mut positions: Vec<CopiedPosition> = Vec::new();
        for ids in self.found {
            let pair = match (ids.position, ids.match_id) {
                (Some(position), Some(match_id)) => Some(format!("{position}:{match_id}")),
                (Some(position), None) => Some(position),
                (None, _) => None,
            };
            let (id, other_id) = match (ids.xgid, pair) {
                (Some(xgid), pair) => (xgid, pair),
                (None, Some(pair)) => (pair, None),
                (None, None) => continue,
            };
            if let Some(before) = positions.last_mut() {
                before.lines.end = ids.first;
            }
            positions.push(CopiedPosition {
                id,
                other_id,
                lines: ids.first..end,
            });
        }
        positions
    }
}

/// Returns the ids of a line, each with the name before it: `XGID=`, or a word that ends with `ID` and a colon.
fn ids(line: &str) -> Vec<IdInLine<'_>> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((before, behind)) = name(rest) {
        rest = behind;
        if before {
            let start = behind.trim_start_matches([' ', '=', ':']);
            let end = start
                .find(|letter: char| !letter.is_ascii_alphanumeric() && !"-:".contains(letter));
            let fields = start.split_at_checked(end.unwrap_or(start.len()));
            if let Some((fields, after)) = fields.filter(|(fields, _)| fields.contains(':')) {
                found.push(IdInLine::Xgid(fields));
                rest = after;
            }
            continue;
        }
        let runs = behind.trim_start_matches([' ', ':']);
        for run in runs.split(':').take(2) {
            let length = run
                .bytes()
                .take_while(|&byte| base64_value(byte).is_some())
                .count();
            let (Some(run), whole) = (run.get(..length), run.len()) else {
                break;
            };
            match length {
                position_id::CHARACTERS => found.push(IdInLine::Position(run)),
                match_id::CHARACTERS => found.push(IdInLine::Match(run)),
                _ => break,
            }
            if length != whole {
                break;
            }
        }
    }
    found
}

/// Returns the text behind the first name of an id, and true if that is `XGID`.
fn name(text: &str) -> Option<(bool, &str)> {
    let bytes = text.as_bytes();
    let pairs = (2..).zip(bytes.windows(2));
    let mut ends = pairs.filter(|(_, pair)| pair.eq_ignore_ascii_case(b"ID"));
    ends.find_map(|(end, _)| {
        let behind = text.get(end..)?;
        let sign = behind.trim_start().chars().next()?;
        let start = end.checked_sub(4).and_then(|start| bytes.get(start..end));
        match (
            start.is_some_and(|start| start.eq_ignore_ascii_case(b"XGID")),
            sign,
        ) {
            (true, '=' | ':') => Some((true, behind)),
            (_, ':') => Some((false, behind)),
            _ => None,
        }
    })
}

/// Returns the first position of a copied text as one word; every other text as it is.
#[must_use]
pub fn without_board(text: &str) -> Cow<'_, str> {
    let first = copied_positions(text.as_bytes()).into_iter().next();
    first.map_or(Cow::Borrowed(text), |first| Cow::Owned(first.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{Form, parse_position, split_position};

    const XG: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10\n\n\
        X:Player 1   O:Player 2\nScore is X:0 O:0. Unlimited Game\n \
        +13-14-15-16-17-18------19-20-21-22-23-24-+\n\nPip count  X: 167  O: 167\nX to play 52\n";
    const BGBLITZ: &str = include_str!("../../../tests/data/position-texts/bgblitz-play-en.txt");

    /// PT-10: ids in a text, whatever is around them.
    #[test]
    fn first_position_of_copied_text_is_read() {
        for (text, xgid) in [
            (
                XG.to_owned(),
                "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10",
            ),
            (
                BGBLITZ.to_owned(),
                "XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10",
            ),
        ] {
            let expected = parse_position(xgid.as_bytes()).unwrap();
            let variants = [
                text.clone(),
                text.replace('\n', "\r\n"),
                text.replace('\n', "\r"),
                text.replace(' ', "\u{a0}"),
                text.replace("    ", "\t"),
                format!("\u{feff}{text}"),
                format!("A forum post:\n\n{text}"),
            ];
            for variant in variants {
                let parsed = parse_position(variant.as_bytes()).unwrap();
                assert_eq!(parsed, expected, "{variant}");
                assert_eq!(without_board(&variant), xgid);
                assert!(split_position(variant.as_bytes()).1.is_empty());
            }
        }
        let gnubg = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cAkAAAAAAAAE\n +13-14-\n";
        assert_eq!(without_board(gnubg), "4HPwATDgc/ABMA:cAkAAAAAAAAE");
        for other in [
            "4HPwATDgc/ABMA",
            "Match-ID: x\nid: y\nXGID=\n",
            "VALID: \n: ID:\n",
            "",
        ] {
            assert_eq!(without_board(other), other);
        }
    }

    /// PT-11: the XGID wins over another Position ID beside it, with a warning; ids further away are other positions.
    #[test]
    fn ids_that_differ_have_a_warning() {
        let mixed = BGBLITZ.replace("b9sBCIC5bYDQAA", "4HPwATDgc/ABMA");
        let parsed = parse_position(mixed.as_bytes()).unwrap();
        assert_eq!(parsed.form, Form::Xgid);
        assert!(
            parsed
                .warning
                .is_some_and(|warning| warning.contains("XGID was read"))
        );
        assert_eq!(parse_position(BGBLITZ.as_bytes()).unwrap().warning, None);
        let several = copied_positions(format!("{XG}{BGBLITZ}{XG}").as_bytes());
        assert_eq!(several.len(), 3);
        assert!(several[1].other_id.is_some());
    }

    /// PT-12: the lines that gnubg writes for a match, the Crawford game and money play.
    #[test]
    fn snowie_lines_are_positions() {
        for (line, id) in [
            (
                "3;0;0;0;1;Bob the 2nd;gnubg;1;2;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;6;5;",
                "XGID=-b----E-C---eE---c-e----B-:0:0:1:65:2:0:1:3:10",
            ),
            (
                "0;1;0;1;1;gnubg;root;0;0;0;2;1;0;0;0;1;1;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;-1;0;0;-2;0;0;3;1",
                "XGID=---AA---------------a--b--:1:1:1:31:0:0:3:0:10",
            ),
            (
                "5;0;0;0;1;Bob;Ann;0;0;0;1;0;-1;0;-2;2;0;0;4;0;2;0;0;0;-3;3;0;0;0;-3;0;-6;0;0;0;0;2;2;0;0;",
                "XGID=a-bB--D-B---cC---c-f----BB:0:0:1:00:0:0:0:5:10",
            ),
        ] {
            let read = parse_position(line.as_bytes()).unwrap();
            let expected = parse_position(id.as_bytes()).unwrap();
            assert_eq!(read.position, expected.position, "{line}");
            assert_eq!(
                (read.state, read.roll),
                (expected.state, expected.roll),
                "{line}"
            );
            let longer = format!("  {line} 31");
            assert_eq!(split_position(longer.as_bytes()).1.trim_ascii(), b"31");
            for end in 0..line.len() - 2 {
                let _ = parse_position(&line.as_bytes()[..end]);
            }
        }
        let sixteen = "5;0;0;0;1;B;A;0;0;0;1;0;".to_owned() + &"0;".repeat(25) + "16;0;0;";
        let error = parse_position(sixteen.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("more than 15"), "{error}");
    }

    /// PT-10: large and hostile texts cost no more than their length.
    #[test]
    fn hostile_texts_are_read_in_linear_time() {
        for unit in [
            "ID:",
            "XGID=\n",
            "ID: 4HPwATDgc/ABMA\n",
            "id\u{a0}",
            "+13-14-15-16-17-18\nXGID=-:\n",
        ] {
            let text = unit.repeat(4_000_000 / unit.len()) + "\n.";
            let found = copied_positions(text.as_bytes());
            assert!(found.len() <= POSITIONS_MAX + 1);
        }
    }
}
