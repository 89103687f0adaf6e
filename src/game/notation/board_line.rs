//! The board line of FIBS (`boardstyle 3`), which gnubg's external player uses too: `board:` and 52 fields.
//!
//! Rules BL-01 to BL-16 of `protocol-specs/board-line.md`. [`BoardLine`] holds the fields as they are. Two programs
//! use some of them differently, so [`BoardLine::view`] takes the program.

use std::fmt;
use std::str::FromStr;

use nom::bytes::complete::tag;

use super::error::quoted;
use super::syntax::{Fault, Parsed, byte, complete, integer, prefix, refuse};
use super::{Code, NotationError, Offer, Reason};
use crate::{CubeOwner, MatchState, Position, Roll};

const PREFIX: &str = "board:";
pub(super) const WHOLE: &str = "board line";
/// Fields after the two names.
const NUMBERS: usize = 50;

/// Names of the fields in messages, from field 1 on.
#[rustfmt::skip]
pub(super) const NAMES: [&str; 52] = [
    "board field 1 (name)", "board field 2 (name)", "board field 3 (match length)",
    "board field 4 (score)", "board field 5 (score)",
    "board field 6 (point 0)", "board field 7 (point 1)", "board field 8 (point 2)",
    "board field 9 (point 3)", "board field 10 (point 4)", "board field 11 (point 5)",
    "board field 12 (point 6)", "board field 13 (point 7)", "board field 14 (point 8)",
    "board field 15 (point 9)", "board field 16 (point 10)", "board field 17 (point 11)",
    "board field 18 (point 12)", "board field 19 (point 13)", "board field 20 (point 14)",
    "board field 21 (point 15)", "board field 22 (point 16)", "board field 23 (point 17)",
    "board field 24 (point 18)", "board field 25 (point 19)", "board field 26 (point 20)",
    "board field 27 (point 21)", "board field 28 (point 22)", "board field 29 (point 23)",
    "board field 30 (point 24)", "board field 31 (point 25)",
    "board field 32 (turn)", "board field 33 (die)", "board field 34 (die)",
    "board field 35 (die)", "board field 36 (die)", "board field 37 (cube)",
    "board field 38 (may double)", "board field 39 (may double)", "board field 40 (doubled)",
    "board field 41 (colour)", "board field 42 (direction)", "board field 43 (home)",
    "board field 44 (bar)", "board field 45 (borne off)", "board field 46 (borne off)",
    "board field 47 (on the bar)", "board field 48 (on the bar)", "board field 49 (can move)",
    "board field 50 (forced move)", "board field 51 (did Crawford)", "board field 52",
];

/// The 52 fields of a board line. *First* and *second* are the players in the order of their
/// names; on FIBS the
/// first one is the user, or the player being watched.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoardLine {
    /// Fields 1 and 2, quotes included if there were any.
    pub names: [String; 2],
    /// Field 3: points to play to; 0 or 9999 for money.
    pub length: i32,
    /// Fields 4 and 5.
    pub scores: [i32; 2],
    /// Fields 6 to 31: places 0 to 25, positive for the one player and negative for the other.
    pub points: [i32; 26],
    /// Field 32: the sign of the player on roll; 0 between games.
    pub turn: i32,
    /// Fields 33 to 36: the first player's dice, the second player's. gnubg writes them twice.
    pub dice: [[i32; 2]; 2],
    /// Field 37: the cube.
    pub cube: i32,
    /// Fields 38 and 39: who may double by ownership of the cube, player `colour` and the other.
    pub may_double: [i32; 2],
    /// Field 40: a double is offered.
    pub doubled: i32,
    /// Field 41: the sign of the first player's checkers.
    pub colour: i32,
    /// Field 42: -1 if that player moves from 24 to 1.
    pub direction: i32,
    /// Fields 43 and 44: place numbers of home and bar.
    pub home_and_bar: [i32; 2],
    /// Fields 45 and 46: checkers borne off.
    pub off: [i32; 2],
    /// Fields 47 and 48: checkers on the bar (0 in gnubg's lines).
    pub on_bar: [i32; 2],
    /// Field 49: checkers that the first player can move.
    pub can_move: i32,
    /// Field 50: undocumented.
    pub forced_move: i32,
    /// Field 51: true after the Crawford game.
    pub post_crawford: i32,
    /// Field 52: on FIBS the number of instant redoubles allowed; gnubg writes 0 in the Crawford
    /// game and 1 in all others.
    pub last: i32,
}

impl BoardLine {
    /// Reads a whole board line.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-board` that names the field.
    pub fn parse(text: &[u8]) -> Result<BoardLine, NotationError> {
        complete(Code::BadBoard, WHOLE, text, board_line)
    }

    /// Reads a board line at the start of `text` and returns its length; the rest (options of a request, or a line
    /// glued on by FIBS) is ignored.
    ///
    /// # Errors
    /// The errors of [`BoardLine::parse`].
    pub fn parse_prefix(text: &[u8]) -> Result<(BoardLine, usize), NotationError> {
        let (rest, line) = prefix(Code::BadBoard, text, board_line)?;
        Ok((line, text.len() - rest.len()))
    }

    /// Returns the line that gnubg would send to the player on roll (or, when doubled, to the other). That player is
    /// gnubg's player 1. `names` are those of the player on roll and the other.
    #[must_use]
    pub fn external(
        names: [&str; 2],
        position: &Position,
        state: &MatchState,
        roll: Option<Roll>,
        offer: Option<Offer>,
    ) -> BoardLine {
        let (me, opponent) = (position.me(), position.opponent());
        let mut points = [0; 26];
        for (place, &count) in points.iter_mut().skip(1).zip(&me.counts()) {
            *place += i32::from(count);
        }
        for (place, &count) in points.iter_mut().rev().skip(1).zip(&opponent.counts()) {
            *place -= i32::from(count);
        }
        let doubled = matches!(offer, Some(Offer::Double | Offer::Beaver | Offer::Raccoon));
        let score = state.score;
        let small = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let [mine, his] = names.map(str::to_owned);
        // The seat of the player who is asked decides the order (BL-09).
        let (names, scores) = if doubled {
            ([mine, his], [score.me(), score.opponent()])
        } else {
            ([his, mine], [score.opponent(), score.me()])
        };
        let dice = roll.map_or([0, 0], |roll| roll.dice().map(i32::from));
        let owner = state.cube.owner();
        BoardLine {
            names,
            length: small(score.length()),
            scores: scores.map(small),
            points,
            turn: 1,
            dice: [dice; 2],
            cube: small(state.cube.value()),
            may_double: [
                i32::from(owner != CubeOwner::Opponent),
                i32::from(owner != CubeOwner::Me),
            ],
            doubled: i32::from(doubled),
            colour: 1,
            direction: -1,
            home_and_bar: [0, 25],
            off: [me, opponent].map(|side| i32::from(state.variant.off(side))),
            on_bar: [0, 0],
            can_move: 0,
            forced_move: 0,
            post_crawford: i32::from(score.is_post_crawford()),
            last: i32::from(!score.is_crawford()),
        }
    }

    /// Returns a line of [`BoardLine::external`] with the player on roll as gnubg's player 0.
    #[must_use]
    pub fn for_player_zero(mut self) -> BoardLine {
        self.names.reverse();
        self.scores.reverse();
        self.points.reverse();
        self.points = self.points.map(|count| -count);
        self.turn = -self.turn;
        self.may_double.reverse();
        self.off.reverse();
        self
    }

    fn numbers(&self) -> impl Iterator<Item = i32> {
        [self.length]
            .into_iter()
            .chain(self.scores)
            .chain(self.points)
            .chain([self.turn])
            .chain(self.dice.into_iter().flatten())
            .chain([self.cube])
            .chain(self.may_double)
            .chain([self.doubled, self.colour, self.direction])
            .chain(self.home_and_bar)
            .chain(self.off)
            .chain(self.on_bar)
            .chain([
                self.can_move,
                self.forced_move,
                self.post_crawford,
                self.last,
            ])
    }
}

/// board-line = "board:" name ":" name 50( ":" integer )
fn board_line(input: &[u8]) -> Parsed<'_, BoardLine> {
    let (rest, _) = match tag::<_, _, Fault<'_>>(PREFIX)(input) {
        Ok(found) => found,
        Err(_) => {
            let found = quoted(input.get(..PREFIX.len()).unwrap_or(input));
            let want = "'board:'";
            return refuse(input, WHOLE, Reason::Value { found, want });
        }
    };
    let [first_field, second_field, fields @ ..] = &NAMES;
    let (rest, first) = name(rest, first_field)?;
    let (rest, ()) = byte(b':', second_field, "':'")(rest)?;
    let (mut rest, second) = name(rest, second_field)?;
    let mut numbers = [0_i32; NUMBERS];
    for (number, field) in numbers.iter_mut().zip(fields) {
        let (after, ()) = byte(b':', field, "':'")(rest)?;
        let limit = 99_999;
        let (after, value) = integer(field, -limit, limit, "a number of at most 5 digits")(after)?;
        *number = i32::try_from(value).unwrap_or(0);
        rest = after;
    }
    if rest.first() == Some(&b':') {
        let why = "has more than 52 fields";
        return refuse(rest, WHOLE, Reason::Other(why));
    }
    Ok((rest, from_numbers([first, second], numbers)))
}

/// name = quoted text | anything but ":"
fn name<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, String> {
    let quoted_end = match input.split_first() {
        Some((&quote @ (b'"' | b'\''), rest)) => rest
            .iter()
            .position(|&byte| byte == quote)
            .map(|at| at + 2)
            // Without a colon after it the quote is part of the name.
            .filter(|&end| input.get(end) == Some(&b':')),
        _ => None,
    };
    let end = quoted_end
        .or_else(|| input.iter().position(|&byte| byte == b':'))
        .unwrap_or(input.len());
    let (text, rest) = input.split_at_checked(end).unwrap_or((input, &[]));
    if text.is_empty() {
        return refuse(input, field, Reason::Missing);
    }
    match std::str::from_utf8(text) {
        Ok(name) => Ok((rest, name.to_owned())),
        Err(error) => {
            let here = input.get(error.valid_up_to()..).unwrap_or(input);
            refuse(here, field, Reason::Other("is not UTF-8"))
        }
    }
}

fn from_numbers(names: [String; 2], numbers: [i32; NUMBERS]) -> BoardLine {
    let mut numbers = numbers.into_iter();
    // The count of fields is fixed by the array's type; the default is never used.
    let mut next = || numbers.next().unwrap_or_default();
    BoardLine {
        names,
        length: next(),
        scores: [next(), next()],
        points: std::array::from_fn(|_| next()),
        turn: next(),
        dice: [[next(), next()], [next(), next()]],
        cube: next(),
        may_double: [next(), next()],
        doubled: next(),
        colour: next(),
        direction: next(),
        home_and_bar: [next(), next()],
        off: [next(), next()],
        on_bar: [next(), next()],
        can_move: next(),
        forced_move: next(),
        post_crawford: next(),
        last: next(),
    }
}

impl FromStr for BoardLine {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        BoardLine::parse(text.as_bytes())
    }
}

impl fmt::Display for BoardLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.names;
        write!(f, "{PREFIX}{first}:{second}")?;
        self.numbers().try_for_each(|number| write!(f, ":{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_quoted() {
        let text = "board:\"a:b\":'c d':0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
        let line: BoardLine = text.parse().unwrap();
        assert_eq!(line.names, ["\"a:b\"", "'c d'"]);
        assert_eq!(line.to_string(), text);
        let (same, length) = BoardLine::parse_prefix(format!("{text} plies 2").as_bytes()).unwrap();
        assert_eq!((same, length), (line, text.len()));
    }
}
