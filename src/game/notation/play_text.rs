//! A play as text: gnubg's short form, its plain form, the words of a FIBS `move` command, and the parser of typed
//! text.
//!
//! Rules PLAY-10 to PLAY-34 of `protocol-specs/play-notation.md`.

use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while};

use super::error::quoted;
use super::free_text;
use super::syntax::{Fault, Parsed, complete, refuse};
use super::{Code, NotationError, Reason};
use crate::{BAR, LegalPlay, OFF, POINTS, Play, Position, Roll, Step, legal_plays};

/// Most steps that a play can have.
const STEPS_MAX: usize = 4;
/// The number that stands for the bar.
const BAR_NUMBER: u8 = 25;
/// Index of the destination of borne-off checkers.
const OFF_INDEX: u8 = 25;
const _: () = assert!(OFF_INDEX as usize == OFF, "off is beyond the bar");
const FIELD: &str = "play";

/// Returns a play in gnubg's notation, such as `bar/20 8/4*`; the empty text for a pass.
///
/// ```
/// use gammond_game::{Play, Position, Step};
/// use gammond_game::notation::play_text;
/// let step = |from, to| Step { from, to };
/// let play = Play::from_steps(&[step(5, 4), step(7, 4)]).unwrap_or_default();
/// assert_eq!(play_text(&Position::start(), &play), "8/5 6/5");
/// ```
///
/// `position` is the one before the play: hits follow from it.
#[must_use]
pub fn play_text(position: &Position, play: &Play) -> String {
    let mut text = String::new();
    let mut starred = Starred::default();
    for chain in &chains(position, play) {
        separate(&mut text);
        text.push_str(&Point(chain.start()).to_string());
        let last = chain.points().len().saturating_sub(1);
        for (index, &point) in chain.points().iter().enumerate().skip(1) {
            text.push('/');
            text.push_str(&Point(point).to_string());
            if index < last {
                starred.first(point);
                text.push('*');
            } else if is_hit(position, point) && starred.first(point) {
                text.push('*');
            }
        }
        if chain.count > 1 {
            text.push_str(&format!("({})", chain.count));
        }
    }
    text
}

/// Returns a play with every step for itself and numbers only, 25 for the bar and 0 for off, such as `25/20 8/4*`: the
/// form of `.mat` files. The empty text for a pass.
#[must_use]
pub fn plain_play_text(position: &Position, play: &Play) -> String {
    let mut text = String::new();
    let mut starred = Starred::default();
    for (from, to) in sorted_pairs(play) {
        separate(&mut text);
        text.push_str(&format!("{from}/{to}"));
        if is_hit(position, to) && starred.first(to) {
            text.push('*');
        }
    }
    text
}

/// Returns a play as the words of a FIBS `move` command, such as `bar-20 8-4`: every step, in an order in which they
/// can be made. The empty text for a pass.
///
/// FIBS numbers the board from the home of the player who moves from 24 to 1. A player who moves
/// the other way, `ascending`, must be given his points as that player sees them.
#[must_use]
pub fn fibs_play_text(play: &Play, ascending: bool) -> String {
    let point = |number: u8| match number {
        1..=24 if ascending => Point(BAR_NUMBER - number),
        number => Point(number),
    };
    let mut text = String::new();
    for step in play.steps() {
        let (from, to) = numbers(*step);
        separate(&mut text);
        text.push_str(&format!("{}-{}", point(from), point(to)));
    }
    text
}

/// Parses a play and finds the legal play of `roll` that it means.
///
/// Understood: numbers 0 to 25, `bar`, `b`, `off`, `o` in any case, `/` between points, `(n)` for a repetition,
/// blanks and `-` between anything, bare points by pairs; `*`, `,` and `)` are passed over. Points in the middle may
/// be left out (`24/15`). Text that people and language models write around a play is accepted too: a label (`Move:
/// 8/5 6/5`), final dots, brackets, quotes, `→`, `->`, `to` or `-` in place of `/`, and `pass` or `cannot move` for
/// the pass. What is meant is the legal play with the same result; if there is none because the way hits something,
/// the only legal play that moves the player's own checkers alike. The empty text is the pass, where nothing can be
/// played.
///
/// # Errors
/// [`NotationError`] with the code `bad-play`: no such syntax, no such legal play, or more than one.
///
/// ```
/// use gammond_game::{Position, Roll};
/// use gammond_game::notation::{parse_play, play_text};
/// let (start, roll) = (Position::start(), Roll::new(6, 3)?);
/// for text in ["24-15", "24-18-15", "Move: 24 → 18, 18 → 15."] {
///     let meant = parse_play(text, &start, roll)?;
///     assert_eq!(play_text(&start, &meant.play), "24/15");
/// }
/// assert!(parse_play("24/16", &start, roll).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_play(
    text: impl AsRef<[u8]>,
    position: &Position,
    roll: Roll,
) -> Result<LegalPlay, NotationError> {
    let plays = legal_plays(position, roll);
    let text = free_text::plain_form(text.as_ref(), roll);
    if free_text::is_pass(&text) {
        return if plays.is_empty() {
            Ok(LegalPlay {
                play: Play::PASS,
                after: position.swapped(),
            })
        } else {
            Err(wrong("passes, but a checker can move"))
        };
    }
    let separated = meant_by(&text, position, &plays);
    if !text.contains(&b'-') {
        return separated;
    }
    // A hyphen stands between two points of a way or between two steps.
    let joined = meant_by(&free_text::hyphens_as_slashes(&text), position, &plays);
    match (separated, joined) {
        (Ok(one), Ok(other)) if one.after != other.after => Err(wrong(
            "has more than one meaning: write / between the points of a way",
        )),
        (Err(_), Ok(play)) => Ok(play),
        (separated, _) => separated,
    }
}

fn wrong(why: &'static str) -> NotationError {
    NotationError::new(Code::BadPlay, FIELD, Reason::Other(why), 0)
}

/// Returns the legal play that a text in the plain form means.
pub(super) fn meant_by(
    text: &[u8],
    position: &Position,
    plays: &[LegalPlay],
) -> Result<LegalPlay, NotationError> {
    let pairs = complete(Code::BadPlay, FIELD, text, pairs)?;
    if plays.is_empty() {
        return match pairs.is_empty() {
            true => Ok(LegalPlay {
                play: Play::PASS,
                after: position.swapped(),
            }),
            false => Err(wrong("is not legal: no checker can move")),
        };
    }
    if pairs.is_empty() {
        return Err(wrong("is missing"));
    }
    let Some(board) = Board::after(position, &pairs) else {
        return Err(wrong("is not legal: it moves a checker that is not there"));
    };
    if let Some(play) = plays.iter().find(|play| board.equals(&play.after)) {
        return Ok(*play);
    }
    let mut alike = plays.iter().filter(|play| board.mine_equals(&play.after));
    match (alike.next(), alike.next()) {
        (Some(play), None) => Ok(*play),
        (Some(_), Some(_)) => Err(wrong(
            "has more than one meaning: name the points in between",
        )),
        (None, _) => Err(wrong("is not legal with this roll")),
    }
}

/// Returns the steps that a text names, legal or not.
///
/// # Errors
/// [`NotationError`] with the code `bad-play`: no such syntax.
pub(super) fn parse_steps(text: &[u8]) -> Result<Play, NotationError> {
    let pairs = complete(Code::BadPlay, FIELD, text, pairs)?;
    let steps: Vec<Step> = (pairs.into_iter())
        .map(|(from, to)| Step {
            from: from.saturating_sub(1),
            to: to.checked_sub(1).unwrap_or(OFF_INDEX),
        })
        .collect();
    let many = || {
        NotationError::new(
            Code::BadPlay,
            FIELD,
            Reason::Other("has more than four steps"),
            0,
        )
    };
    Play::from_steps(&steps).ok_or_else(many)
}

/// A point by its number, 25 the bar and 0 off.
#[derive(Clone, Copy)]
struct Point(u8);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("off"),
            BAR_NUMBER => f.write_str("bar"),
            number => write!(f, "{number}"),
        }
    }
}

/// The points that already have their star, a bit each.
#[derive(Default)]
struct Starred(u32);

impl Starred {
    /// Returns true if `point` is mentioned for the first time.
    fn first(&mut self, point: u8) -> bool {
        let bit = 1_u32 << (point & 31);
        let first = self.0 & bit == 0;
        self.0 |= bit;
        first
    }
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
}

/// Numbers of a step's two ends.
fn numbers(step: Step) -> (u8, u8) {
    let to = if usize::from(step.to) == OFF {
        0
    } else {
        step.to + 1
    };
    (step.from + 1, to)
}

/// Returns true if the opponent has a checker on a point, 1 to 24; off is never hit.
fn is_hit(position: &Position, point: u8) -> bool {
    (1..=24).contains(&point) && position.opponent().count(24 - usize::from(point)) > 0
}

/// Returns the steps as numbers, by source and then by destination, both descending (PLAY-10).
fn sorted_pairs(play: &Play) -> Vec<(u8, u8)> {
    let mut pairs: Vec<(u8, u8)> = play.steps().iter().map(|&step| numbers(step)).collect();
    pairs.sort_unstable_by(|a, b| b.cmp(a));
    pairs
}

/// Points that one checker (or several alike) visits.
#[derive(Clone, PartialEq, Eq)]
struct Chain {
    points: Vec<u8>,
    count: u8,
}

impl Chain {
    fn points(&self) -> &[u8] {
        &self.points
    }

    fn start(&self) -> u8 {
        self.points.first().copied().unwrap_or_default()
    }

    fn end(&self) -> u8 {
        self.points.last().copied().unwrap_or_default()
    }
}

/// Joins the steps of one checker, drops points on the way where nothing is hit, and counts
/// chains that are alike (PLAY-11 to PLAY-13).
fn chains(position: &Position, play: &Play) -> Vec<Chain> {
    let mut open: Vec<Chain> = sorted_pairs(play)
        .into_iter()
        .map(|(from, to)| Chain {
            points: vec![from, to],
            count: 1,
        })
        .collect();
    let mut joined: Vec<Chain> = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let mut chain = open.remove(0);
        let mut next = 0;
        while let Some(other) = open.get(next) {
            if other.start() == chain.end() {
                if !is_hit(position, other.start()) {
                    chain.points.pop();
                }
                chain.points.push(other.end());
                open.remove(next);
            } else {
                next += 1;
            }
        }
        match joined.iter_mut().find(|same| same.points == chain.points) {
            Some(same) => same.count += 1,
            None => joined.push(chain),
        }
    }
    joined
}

/// Counts after the steps named, whether legal or not; each side by its own index.
struct Board {
    me: [u8; POINTS],
    opponent: [u8; POINTS],
}

impl Board {
    /// Returns the board after the steps; `None` when there is no checker at a source.
    fn after(position: &Position, pairs: &[(u8, u8)]) -> Option<Board> {
        let mut board = Board {
            me: position.me().counts(),
            opponent: position.opponent().counts(),
        };
        for &(from, to) in pairs {
            let source = board.me.get_mut(usize::from(from).checked_sub(1)?)?;
            *source = source.checked_sub(1)?;
            let Some(index) = usize::from(to).checked_sub(1) else {
                continue;
            };
            *board.me.get_mut(index)? += 1;
            let facing = board.opponent.get_mut(23_usize.checked_sub(index)?)?;
            let hit = std::mem::take(facing);
            *board.opponent.get_mut(BAR)? += hit;
        }
        Some(board)
    }

    fn mine_equals(&self, after: &Position) -> bool {
        after.opponent().counts() == self.me
    }

    fn equals(&self, after: &Position) -> bool {
        self.mine_equals(after) && after.me().counts() == self.opponent
    }
}

/// play = { chain \[ "(" n ")" \] }, as pairs of points by source and destination, both descending
fn pairs(input: &[u8]) -> Parsed<'_, Vec<(u8, u8)>> {
    let mut pairs: Vec<(u8, u8)> = Vec::new();
    let mut rest = passed_over(input);
    while !rest.is_empty() {
        let at = rest;
        let (after, steps) = chain(rest)?;
        let (after, count) = repetition(after)?;
        for _ in 0..count {
            if pairs.len() + steps.len() > STEPS_MAX {
                return refuse(at, FIELD, Reason::Other("has more than four steps"));
            }
            pairs.extend_from_slice(&steps);
        }
        rest = after;
    }
    pairs.sort_unstable_by(|a, b| b.cmp(a));
    Ok((rest, pairs))
}

/// chain = point ( "/" | blank ) point { "/" point }
fn chain(input: &[u8]) -> Parsed<'_, Vec<(u8, u8)>> {
    let (mut rest, mut from) = point(input)?;
    let mut steps = Vec::new();
    if from == 0 {
        return refuse(input, FIELD, Reason::Other("moves a checker that is off"));
    }
    if let Some(after) = slash(rest) {
        rest = after;
    }
    loop {
        let at = rest;
        let (after, to) = point(rest)?;
        if to == BAR_NUMBER {
            return refuse(at, FIELD, Reason::Other("goes to the bar"));
        }
        steps.push((from, to));
        rest = after;
        match slash(rest) {
            Some(_) if to == 0 => {
                return refuse(rest, FIELD, Reason::Other("continues after bearing off"));
            }
            Some(after) => rest = after,
            None => return Ok((rest, steps)),
        }
        from = to;
        if steps.len() >= STEPS_MAX {
            return refuse(rest, FIELD, Reason::Other("has more than four steps"));
        }
    }
}

/// repetition = { "(" number \[ ")" \] }: how often the chain stands there in all
fn repetition(input: &[u8]) -> Parsed<'_, usize> {
    let (mut rest, mut count) = (input, 1_usize);
    while let Some((b'(', after)) = rest.split_first() {
        let (after, digits) = digits(passed_over(after))?;
        let times = match digits {
            [digit @ b'2'..=b'4'] => usize::from(digit - b'0'),
            _ => {
                let reason = Reason::Value {
                    found: quoted(digits),
                    want: "2 to 4",
                };
                return refuse(rest, "repetition", reason);
            }
        };
        count += times - 1;
        rest = passed_over(after);
    }
    Ok((rest, count))
}

/// point = number | "bar" | "b" | "off" | "o", and what is passed over after it
fn point(input: &[u8]) -> Parsed<'_, u8> {
    let (rest, number) = match input.first() {
        None => return refuse(input, "point", Reason::Missing),
        Some(b'0'..=b'9') => {
            let (rest, digits) = digits(input)?;
            let number = digits.iter().fold(0_u8, |sum, digit| {
                sum.saturating_mul(10).saturating_add(digit - b'0')
            });
            if number > BAR_NUMBER {
                let reason = Reason::Value {
                    found: quoted(digits),
                    want: "0 to 25",
                };
                return refuse(input, "point", reason);
            }
            (rest, number)
        }
        Some(&found) => match word(input) {
            Ok(parsed) => parsed,
            Err(_) => {
                let want = "a number, bar or off";
                return refuse(input, "point", Reason::Byte { found, want });
            }
        },
    };
    Ok((passed_over(rest), number))
}

fn word(input: &[u8]) -> Parsed<'_, u8> {
    let bar = nom::combinator::value(BAR_NUMBER, alt((tag_no_case("bar"), tag_no_case("b"))));
    let off = nom::combinator::value(0, alt((tag_no_case("off"), tag_no_case("o"))));
    nom::Parser::parse(&mut alt((bar, off)), input)
}

fn digits(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while::<_, _, Fault<'_>>(|byte: u8| byte.is_ascii_digit())(input)
}

/// Returns the input after a slash.
fn slash(input: &[u8]) -> Option<&[u8]> {
    match input.split_first() {
        Some((b'/', rest)) => Some(passed_over(rest)),
        _ => None,
    }
}

/// Returns the text without leading blanks and signs that mean nothing.
fn passed_over(mut input: &[u8]) -> &[u8] {
    while let Some((b' ' | b'\t' | b'\r' | b'\n' | b'-' | b'*' | b',' | b')', rest)) =
        input.split_first()
    {
        input = rest;
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::PositionId;

    fn position(id: &str) -> Position {
        id.parse::<PositionId>().unwrap().position()
    }

    fn check(id: &str, dice: [u8; 2], text: &str, canonical: &str) {
        let position = position(id);
        let roll = Roll::new(dice[0], dice[1]).unwrap();
        let meant = parse_play(text, &position, roll).unwrap();
        assert_eq!(play_text(&position, &meant.play), canonical, "{text}");
    }

    const START: &str = "4HPwATDgc/ABMA";

    /// PLAY-10 to PLAY-14.
    #[test]
    fn prints_and_reads_gnubgs_notation() {
        for (id, dice, text) in [
            (START, [3, 1], "8/5 6/5"),
            (START, [3, 1], "24/20"),
            ("nG5ADQY5OBjgLA", [6, 2], "13/11*/5"),
            ("4NvBBDDE54MBUA", [5, 5], "bar/10* 8/3"),
            ("4NvBBDDE54MBUA", [5, 5], "bar/10*/5"),
            ("t/UGAgAOAAAYAA", [4, 4], "bar/21*/13* bar/21"),
            ("L6mXAQAL2ImDQQ", [4, 4], "bar/21* 20/16*(2) 10/6"),
            ("L6mXAQAL2ImDQQ", [4, 4], "bar/21* 20/16*/12 20/16"),
            ("19wFBgDbtkQABg", [3, 3], "21/18*/15(2)"),
            ("mhsHwAYZzw0AUQ", [2, 2], "bar/23* 8/6(3)"),
            ("xDkJBHaeDSxAIw", [5, 4], "20/15* 11/7*"),
            ("204AABgAAAAAAA", [2, 3], "1/off(2)"),
            ("7O4AALC5+wAAAA", [6, 6], "6/off(4)"),
            ("3t0GIABvBwAAAA", [3, 3], "3/off(3) 2/off"),
        ] {
            check(id, dice, text, text);
        }
    }

    /// PLAY-20, PLAY-21, PLAY-22, PLAY-25, PLAY-26.
    #[test]
    fn play_text_accepts_common_spellings() {
        for text in [
            "8/5 6/5",
            "6/5 8/5",
            "8 5 6 5",
            "8-5 6-5",
            "8/5,6/5",
            " 8 / 5 6/5\n",
            "08/5*, 6/5*",
        ] {
            check(START, [3, 1], text, "8/5 6/5");
        }
        check(START, [3, 1], "24/23/20", "24/20");
        check(START, [2, 2], "13/11(2) 6/4(2", "13/11(2) 6/4(2)");
        check(START, [2, 2], "13/11/9 (2)", "13/9(2)");
        check(START, [2, 2], "13/11(2)(2) 6/4", "13/11(3) 6/4");
        check("4NvBBDDE54MBUA", [5, 5], "B/10 8/3", "bar/10* 8/3");
        check("204AABgAAAAAAA", [2, 3], "1/0 1OFF", "1/off(2)");
        check("204AABgAAAAAAA", [2, 3], "1-o 1-Off", "1/off(2)");
        // gnubg needs the point of the hit; a single way is unambiguous.
        check("nG5ADQY5OBjgLA", [6, 2], "13/5", "13/5");
    }

    /// PLAY-23, PLAY-24, PLAY-28 and the limits of the others.
    #[test]
    fn play_text_rejects_meaningless_input() {
        let start = Position::start();
        for (text, message) in [
            ("", "play is missing"),
            ("8/5 6", "point is missing"),
            ("8", "point is missing"),
            ("8//5", "point has '/', expected a number, bar or off"),
            ("/8/5", "point has '/', expected a number, bar or off"),
            ("8/5/", "point is missing"),
            ("0/5", "play moves a checker that is off"),
            ("8/bar", "play goes to the bar"),
            ("8/off/5", "play continues after bearing off"),
            ("26/5", "point is '26', expected 0 to 25"),
            ("8/5(5)", "repetition is '5', expected 2 to 4"),
            ("8/5(", "repetition is '', expected 2 to 4"),
            ("8/5/3/1(2)", "play has more than four steps"),
            ("8/7/6/5/4/3", "play has more than four steps"),
            ("8/5x", "point has 'x', expected a number, bar or off"),
            (
                "8/5 \u{e9}",
                "point has byte 0xc3, expected a number, bar or off",
            ),
            ("8/4 6/5", "play is not legal with this roll"),
            (
                "7/4 6/5",
                "play is not legal: it moves a checker that is not there",
            ),
        ] {
            let error = parse_play(text, &start, Roll::of(3, 1)).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
            assert_eq!(error.code(), "bad-play");
            assert!(error.at() <= text.len());
        }
    }

    /// PLAY-27.
    #[test]
    fn a_dance_is_the_empty_play() {
        let mut me = [0; POINTS];
        me[BAR] = 1;
        let opponent: [u8; POINTS] = std::array::from_fn(|index| u8::from(index < 6) * 2);
        let dance = Position::new(&me, &opponent).unwrap();
        let pass = parse_play("", &dance, Roll::of(2, 1)).unwrap();
        assert!(pass.play.is_pass());
        assert_eq!(pass.after, dance.swapped());
        assert_eq!(play_text(&dance, &pass.play), "");
        assert!(parse_play("bar/24", &dance, Roll::of(2, 1)).is_err());
    }

    /// PLAY-15, PLAY-16.
    #[test]
    fn other_forms() {
        let position = position("t/UGAgAOAAAYAA");
        let play = parse_play("bar/21*/13* bar/21", &position, Roll::of(4, 4))
            .unwrap()
            .play;
        assert_eq!(
            plain_play_text(&position, &play),
            "25/21* 25/21 21/17 17/13*"
        );
        assert_eq!(fibs_play_text(&play, false), "bar-21 bar-21 21-17 17-13");
        assert_eq!(fibs_play_text(&play, true), "bar-4 bar-4 4-8 8-12");
        let off = Play::from_steps(&[Step { from: 0, to: 25 }]).unwrap();
        assert_eq!(fibs_play_text(&off, true), "24-off");
        assert_eq!(plain_play_text(&position, &off), "1/0");
    }
}
