//! A row of a `.mat` game cut into its cells, and the meaning of a cell.

use crate::Roll;
use crate::notation::syntax::Fault;
use nom::Parser as _;
use nom::bytes::complete::tag;

/// Widest gap before a cell that is still the left one.
const LEFT_GAP_MAX: usize = 15;

/// Fewest question marks that stand for something unknown.
const UNKNOWN_MARKS_MIN: usize = 2;

/// Widest gap between a roll and the remark about its play.
const REMARK_GAP_MAX: usize = 2;

/// The first item of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    /// A roll; the play follows.
    Roll(Roll),
    /// Two digits in the place of a roll, such as `73:`, that are none.
    NoRoll([u8; 2]),
    Double,
    Beaver,
    /// `Takes`
    Take,
    /// `Accepts`, which may speak of a resignation.
    Accept,
    /// `Drops`, `Passes`
    Drop,
    /// `Rejects`, which may speak of a resignation.
    Reject,
    /// `Illegal play`; a position in brackets follows.
    Illegal,
    /// `Wins`; the points follow.
    Wins,
    /// Loss of the game: the winner's cell has the rest, where there is one.
    Lost,
    /// `????` or `00:` without a roll: the game ended before it.
    Unrolled,
}

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell<'a> {
    /// True in the right-hand column.
    pub right: bool,
    /// Byte of the line at which it begins.
    pub at: usize,
    pub head: Head,
    /// Text after the head.
    pub text: &'a str,
    /// Byte of the line at which that begins.
    pub text_at: usize,
}

const WORDS: [(&str, Head); 30] = [
    ("doubles", Head::Double),
    ("redoubles", Head::Double),
    ("doubled", Head::Double),
    ("double", Head::Double),
    ("beavers", Head::Beaver),
    ("beaver", Head::Beaver),
    ("raccoons", Head::Beaver),
    ("raccoon", Head::Beaver),
    ("takes", Head::Take),
    ("take", Head::Take),
    ("accepts", Head::Accept),
    ("drops", Head::Drop),
    ("drop", Head::Drop),
    ("passes", Head::Drop),
    ("pass", Head::Drop),
    ("rejects", Head::Reject),
    ("illegal", Head::Illegal),
    ("wins", Head::Wins),
    ("losses", Head::Lost),
    ("loses", Head::Lost),
    ("lost", Head::Lost),
    ("resigns", Head::Lost),
    ("resigned", Head::Lost),
    ("forfeits", Head::Lost),
    ("forfeited", Head::Lost),
    ("concedes", Head::Lost),
    ("conceded", Head::Lost),
    ("concede", Head::Lost),
    ("gives up", Head::Lost),
    ("abandons", Head::Lost),
];

/// head = die die ":" | "00:" | digit digit ":" | "??" { "?" } | word
fn head(input: &[u8]) -> Option<(&[u8], Head)> {
    if let Some(rest) = input.strip_prefix(b"00:") {
        return Some((rest, Head::Unrolled));
    }
    let marks = input.iter().take_while(|&&byte| byte == b'?').count();
    if marks >= UNKNOWN_MARKS_MIN {
        return Some((input.get(marks..)?, Head::Unrolled));
    }
    let die = || nom::character::complete::one_of::<_, _, Fault<'_>>(&b"123456"[..]);
    let number = |sign: char| sign.to_digit(10).and_then(|die| u8::try_from(die).ok());
    if let Ok((rest, (one, other, _))) = (die(), die(), tag(&b":"[..])).parse(input) {
        let roll = Roll::new(number(one)?, number(other)?).ok()?;
        return Some((rest, Head::Roll(roll)));
    }
    if let [one @ b'0'..=b'9', other @ b'0'..=b'9', b':', rest @ ..] = input {
        return Some((rest, Head::NoRoll([*one, *other])));
    }
    WORDS
        .iter()
        .find_map(|(word, head)| Some((whole(word, input)?, *head)))
}

/// Returns the input after `word` in any case, if it begins with that whole word.
fn whole<'a>(word: &str, input: &'a [u8]) -> Option<&'a [u8]> {
    let (start, rest) = input.split_at_checked(word.len())?;
    let ends = rest
        .first()
        .is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (ends && start.eq_ignore_ascii_case(word.as_bytes())).then_some(rest)
}

/// Returns the cells of a line from byte `body` on, and where a word stands that belongs to none.
pub(super) fn cells(line: &str, body: usize) -> (Vec<Cell<'_>>, Option<usize>) {
    let bytes = line.as_bytes();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    let mut stray = None;
    let mut at = body;
    let mut fresh = true;
    while let Some(&byte) = bytes.get(at) {
        let blank = matches!(byte, b' ' | b'\t');
        let found = match fresh && !blank {
            true => bytes.get(at..).and_then(|rest| head(rest)),
            false => None,
        };
        // `65: Illegal play (…)`, `65: ????`, `00: ????` and `65: Concedes` are one cell.
        let remark = |head| {
            let remarks = [Head::Illegal, Head::Lost, Head::Unrolled];
            let last = cells.last().filter(|_| remarks.contains(&head))?;
            let between = bytes.get(last.text_at..at)?;
            let near = between.trim_ascii().is_empty() && between.len() <= REMARK_GAP_MAX;
            (near && matches!(last.head, Head::Roll(_) | Head::Unrolled)).then_some(())
        };
        let found = found.filter(|&(_, head)| remark(head).is_none());
        if let Some((rest, head)) = found {
            let text_at = bytes.len() - rest.len();
            let right =
                !cells.is_empty() || in_right_column(bytes.get(body..at).unwrap_or_default());
            cells.push(Cell {
                right,
                at,
                head,
                text: "",
                text_at,
            });
            at = text_at;
            // `31:8/5`: a roll is followed by anything.
            fresh = matches!(head, Head::Roll(_) | Head::NoRoll(_) | Head::Unrolled);
            continue;
        }
        if !blank && cells.is_empty() && stray.is_none() {
            stray = Some(at);
        }
        fresh = blank;
        // Names with such words in them may stand in brackets.
        let rest = bytes
            .get(at..)
            .filter(|_| byte == b'(' && !cells.is_empty());
        let inside = rest.and_then(|rest| rest.iter().position(|&end| end == b')'));
        at += 1 + inside.unwrap_or(0);
    }
    let ends: Vec<usize> = cells.iter().skip(1).map(|cell| cell.at).collect();
    for (index, cell) in cells.iter_mut().enumerate() {
        let end = ends.get(index).copied().unwrap_or(line.len());
        let text = line.get(cell.text_at..end).unwrap_or_default();
        // The name of the other player may stand before his roll.
        let text = match (text.trim_end().ends_with(':'), text.rfind("   ")) {
            (true, Some(gap)) => text.get(..gap).unwrap_or_default(),
            _ => text,
        };
        cell.text_at += text.len() - text.trim_start().len();
        cell.text = text.trim();
    }
    (cells, stray)
}

/// Returns true if the gap before a cell is wide enough for a left-hand cell.
pub(super) fn in_right_column(gap: &[u8]) -> bool {
    let tabs = gap.iter().filter(|&&byte| byte == b'\t').count();
    tabs > 1 || gap.len() > LEFT_GAP_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MAT-12.
    #[test]
    fn rows_are_cut_where_actions_begin() {
        let cut = |line| {
            let (cells, _) = cells(line, 3);
            let each = cells.iter().map(|cell| (cell.right, cell.head, cell.text));
            each.collect::<Vec<_>>()
        };
        let roll = |one, other| Head::Roll(Roll::of(one, other));
        assert_eq!(
            cut(" 1)\t31: 8/5 6/5\t42: 8/4 6/4"),
            [
                (false, roll(3, 1), "8/5 6/5"),
                (true, roll(4, 2), "8/4 6/4")
            ]
        );
        assert_eq!(cut(" 1)\t\t31: 8/5 6/5"), [(true, roll(3, 1), "8/5 6/5")]);
        assert_eq!(
            cut(" 1) 61:13/7 8/7  52:13/8, 13/11"),
            [
                (false, roll(6, 1), "13/7 8/7"),
                (true, roll(5, 2), "13/8, 13/11")
            ]
        );
        assert_eq!(
            cut(" 7)  doubles => 4               PASSES"),
            [(false, Head::Double, "=> 4"), (true, Head::Drop, "")]
        );
        assert_eq!(
            cut(" 9)  Losses 1 point            Wins 1 point"),
            [
                (false, Head::Lost, "1 point"),
                (true, Head::Wins, "1 point")
            ]
        );
        assert_eq!(cells(" 2) hello 31: 8/5", 3).1, Some(4));
    }
}
