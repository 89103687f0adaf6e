//! The board line of FIBS (`boardstyle 3`), which gnubg's external player speaks too: `board:`
//! and 52 fields.
//!
//! Rules BL-01 to BL-16 of `protocol-specs/board-line.md`. [`BoardLine`] holds the fields as they
//! are. Two programs mean different things by some of them, so [`BoardLine::view`] wants to know
//! whose line it is.

use std::fmt;
use std::str::FromStr;

use nom::bytes::complete::tag;

use super::error::quoted;
use super::syntax::{Fault, Parsed, byte, complete, integer, prefix, refuse};
use super::{Code, NotationError, Offer, Reason};
use crate::game::{BAR, Cube, CubeOwner, MatchState, POINTS, Position, Roll, Rules, Score};

const PREFIX: &str = "board:";
const WHOLE: &str = "board line";
/// Fields after the two names.
const NUMBERS: usize = 50;

/// What the fields are called in messages, from field 1 on.
#[rustfmt::skip]
const NAMES: [&str; 52] = [
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

/// Whose board line it is, where that makes a difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// gnubg as the client of an external player: bars in fields 6 and 31; the scores stand in
    /// the order of the seats of the one who is asked; field 52 is 0 in the Crawford game.
    External,
    /// A FIBS server: bars in fields 47 and 48, the first score belongs to the first name. gnubg's
    /// own `show rawboard` has its scores in this order too, see [`Dialect::RawBoard`].
    Fibs,
    /// gnubg's `set output rawboard`: as [`Dialect::External`] but the first score belongs to the
    /// first name.
    RawBoard,
}

/// The 52 fields of a board line. *First* and *second* are the players in the order of their
/// names; on FIBS the first one is oneself or the player one watches.
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
    /// Field 51: whether the Crawford game has been played.
    pub post_crawford: i32,
    /// Field 52: on FIBS the number of instant redoubles allowed; gnubg writes 0 in the Crawford
    /// game and 1 in all others.
    pub last: i32,
}

/// What a board line says to the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoardView {
    /// The checkers.
    pub position: Position,
    /// Cube and score; the rules of money play are not in the line and stand at their defaults.
    /// An offered double has not been taken yet.
    pub state: MatchState,
    /// The dice, if rolled.
    pub roll: Option<Roll>,
    /// Whether a double waits for the answer of the player who is not on roll.
    pub offer: Option<Offer>,
    /// The sign of the checkers of the player on roll.
    pub sign: i32,
    /// Whether the player on roll is the one of field 41: on FIBS the one named first.
    pub first_on_roll: bool,
    /// Whether the player on roll moves towards higher place numbers.
    pub ascending: bool,
}

impl BoardView {
    /// The place number of a point of the player on roll: 1..=24 its points, 25 its bar, 0 off.
    #[must_use]
    pub const fn place(&self, point: u8) -> u8 {
        if self.ascending {
            25_u8.saturating_sub(point)
        } else {
            point
        }
    }
}

impl BoardLine {
    /// Reads a whole board line.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-board` that names the field.
    pub fn parse(text: &[u8]) -> Result<BoardLine, NotationError> {
        complete(Code::BadBoard, WHOLE, text, board_line)
    }

    /// Reads a board line at the start of `text` and says how many bytes it has; what follows
    /// (options of a request, or a line glued on by FIBS) is left alone.
    ///
    /// # Errors
    /// As [`BoardLine::parse`].
    pub fn parse_prefix(text: &[u8]) -> Result<(BoardLine, usize), NotationError> {
        let (rest, line) = prefix(Code::BadBoard, text, board_line)?;
        Ok((line, text.len() - rest.len()))
    }

    /// The line that gnubg would send to ask the player on roll (or, when doubled, the other).
    /// That player is gnubg's player 1. `names` are those of the player on roll and the other.
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
        // The seat of the one who is asked decides the order (BL-09).
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
            off: [i32::from(me.off()), i32::from(opponent.off())],
            on_bar: [0, 0],
            can_move: 0,
            forced_move: 0,
            post_crawford: i32::from(score.is_post_crawford()),
            last: i32::from(!score.is_crawford()),
        }
    }

    /// Whose line this seems to be. A line of FIBS can look exactly like one of gnubg; then the
    /// answer is [`Dialect::External`].
    #[must_use]
    pub fn guess_dialect(&self) -> Dialect {
        let [first, _] = &self.names;
        let gnubg = self.colour == 1
            && self.direction == -1
            && self.home_and_bar == [0, 25]
            && self.on_bar == [0, 0]
            && self.can_move == 0
            && self.forced_move == 0
            && matches!(self.last, 0 | 1);
        if gnubg && first != "You" {
            Dialect::External
        } else {
            Dialect::Fibs
        }
    }

    /// What the line says to the player on roll.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-board` for a turn, colour or direction of 0, an
    /// illegal position, impossible dice, cube or score.
    pub fn view(&self, dialect: Dialect) -> Result<BoardView, NotationError> {
        self.view_in(dialect, self.to_string().as_bytes())
    }

    /// As [`BoardLine::view`]; errors give places in `text`, from which this was read.
    pub(super) fn view_in(
        &self,
        dialect: Dialect,
        text: &[u8],
    ) -> Result<BoardView, NotationError> {
        View {
            line: self,
            dialect,
            text,
        }
        .make()
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

/// A line on its way to being understood.
struct View<'a> {
    line: &'a BoardLine,
    dialect: Dialect,
    text: &'a [u8],
}

impl View<'_> {
    fn make(&self) -> Result<BoardView, NotationError> {
        let line = self.line;
        let colour = self.sign(41, line.colour)?;
        let direction = self.sign(42, line.direction)?;
        let doubled =
            line.doubled != 0 || (self.dialect == Dialect::External && line.may_double == [0, 0]);
        // On FIBS only the one who must answer is told of a double, and the turn field cannot be
        // trusted then: the doubler is the other player (BL-08).
        let sign = if doubled && self.dialect == Dialect::Fibs {
            -colour
        } else {
            self.sign(32, line.turn)?
        };
        let first_on_roll = sign == colour;
        let ascending = sign * colour * direction > 0;
        let position = self.position(sign, ascending, first_on_roll)?;
        let cube = u32::try_from(line.cube).unwrap_or(0);
        let cube = Cube::new(cube, self.owner(first_on_roll))
            .map_err(|error| self.error(37, error.into()))?;
        let score = self.score(first_on_roll, doubled)?;
        let rules = if score.is_money() {
            Rules::default()
        } else {
            Rules {
                jacoby: false,
                beavers: false,
            }
        };
        Ok(BoardView {
            position,
            state: MatchState { cube, score, rules },
            roll: if doubled {
                None
            } else {
                self.roll(first_on_roll)?
            },
            offer: doubled.then_some(Offer::Double),
            sign,
            first_on_roll,
            ascending,
        })
    }

    /// An error in field `number`, counted from 1.
    fn error(&self, number: usize, reason: Reason) -> NotationError {
        let field = NAMES.get(number - 1).copied().unwrap_or(WHOLE);
        let at = self
            .text
            .iter()
            .enumerate()
            .filter(|&(_, &byte)| byte == b':')
            .nth(number - 1 + self.quoted_colons())
            .map_or(0, |(at, _)| at + 1);
        NotationError::new(Code::BadBoard, field, reason, at)
    }

    /// Colons inside quoted names.
    fn quoted_colons(&self) -> usize {
        let names = self.line.names.iter();
        names.flat_map(|name| name.matches(':')).count()
    }

    fn value(&self, number: usize, found: i32, want: &'static str) -> NotationError {
        let found = format!("'{found}'");
        self.error(number, Reason::Value { found, want })
    }

    fn sign(&self, number: usize, value: i32) -> Result<i32, NotationError> {
        match value {
            0 => Err(self.value(number, value, "1 or -1")),
            _ => Ok(value.signum()),
        }
    }

    fn position(
        &self,
        sign: i32,
        ascending: bool,
        first_on_roll: bool,
    ) -> Result<Position, NotationError> {
        let (mut me, mut opponent) = ([0_u8; POINTS], [0_u8; POINTS]);
        let [low_bar, points @ .., high_bar] = self.line.points;
        for (place, &count) in points.iter().enumerate() {
            let mine = if ascending { 23 - place } else { place };
            let (side, index) = if count.signum() == sign {
                (&mut me, mine)
            } else {
                (&mut opponent, 23 - mine)
            };
            if let Some(point) = side.get_mut(index) {
                *point = self.count(place + 7, count)?;
            }
        }
        let (my_bar, other_bar) = match self.dialect {
            Dialect::Fibs => {
                let [first, second] = self.line.on_bar;
                let first = self.count(47, first)?;
                let second = self.count(48, second)?;
                if first_on_roll {
                    (first, second)
                } else {
                    (second, first)
                }
            }
            Dialect::External | Dialect::RawBoard => {
                let low = self.count(6, low_bar)?;
                let high = self.count(31, high_bar)?;
                // Who moves to higher places comes in from place 0.
                if ascending { (low, high) } else { (high, low) }
            }
        };
        if let (Some(mine), Some(other)) = (me.get_mut(BAR), opponent.get_mut(BAR)) {
            (*mine, *other) = (my_bar, other_bar);
        }
        let position = Position::new(&me, &opponent).map_err(|error| {
            let at = self.error(6, error.into()).at();
            NotationError::new(Code::BadBoard, "board position", error.into(), at)
        })?;
        if self.dialect == Dialect::Fibs {
            self.check_borne_off(&position, first_on_roll)?;
        }
        Ok(position)
    }

    /// On FIBS points, bar and borne-off checkers must add up (BL-07).
    fn check_borne_off(
        &self,
        position: &Position,
        first_on_roll: bool,
    ) -> Result<(), NotationError> {
        let (first, second) = if first_on_roll {
            (position.me(), position.opponent())
        } else {
            (position.opponent(), position.me())
        };
        let [first_off, second_off] = self.line.off;
        for (number, side, off) in [(45, first, first_off), (46, second, second_off)] {
            if i64::from(off).abs() != i64::from(side.off()) {
                let want = "what is missing to 15 checkers";
                return Err(self.value(number, off, want));
            }
        }
        Ok(())
    }

    fn count(&self, number: usize, value: i32) -> Result<u8, NotationError> {
        u8::try_from(value.unsigned_abs())
            .ok()
            .filter(|&count| count <= 15)
            .ok_or_else(|| self.value(number, value, "at most 15 checkers"))
    }

    fn owner(&self, first_on_roll: bool) -> CubeOwner {
        let [first, second] = self.line.may_double.map(|flag| flag != 0);
        match (first == second, first == first_on_roll) {
            (true, _) => CubeOwner::Centred,
            (false, true) => CubeOwner::Me,
            (false, false) => CubeOwner::Opponent,
        }
    }

    fn score(&self, first_on_roll: bool, doubled: bool) -> Result<Score, NotationError> {
        let line = self.line;
        if line.length == 0 || line.length == 9999 {
            return Ok(Score::MONEY);
        }
        let [first, second] = line.scores;
        // gnubg writes the score of its player 1 second when the one who is asked is on roll, and
        // first when it is not (BL-09).
        let mine_first = match self.dialect {
            Dialect::Fibs | Dialect::RawBoard => first_on_roll,
            Dialect::External => first_on_roll == doubled,
        };
        let (me, opponent, my_field) = if mine_first {
            (first, second, 4)
        } else {
            (second, first, 5)
        };
        let length = u32::try_from(line.length)
            .map_err(|_| self.value(3, line.length, "0 or more points"))?;
        let read = |number, value: i32| {
            u32::try_from(value).map_err(|_| self.value(number, value, "0 or more points"))
        };
        let (me, opponent) = (read(my_field, me)?, read(9 - my_field, opponent)?);
        // Longer matches are cut, keeping what each player still needs, as gnubg does.
        let cut = length.saturating_sub(u32::from(Score::LENGTH_MAX));
        let one_away = (me + 1 == length) != (opponent + 1 == length);
        let crawford = one_away
            && match self.dialect {
                Dialect::Fibs => line.post_crawford == 0,
                Dialect::External | Dialect::RawBoard => line.post_crawford == 0 && line.last == 0,
            };
        let below = |number, score: u32| {
            if score >= length {
                let error = crate::game::MatchStateError::Score { score, length };
                return Err(self.error(number, error.into()));
            }
            Ok(score.saturating_sub(cut))
        };
        let (me, opponent) = (below(my_field, me)?, below(9 - my_field, opponent)?);
        Score::new(length - cut, me, opponent, crawford)
            .map_err(|error| self.error(my_field, error.into()))
    }

    fn roll(&self, first_on_roll: bool) -> Result<Option<Roll>, NotationError> {
        let [first, second] = self.line.dice;
        let order = if first_on_roll {
            [(33, first), (35, second)]
        } else {
            [(35, second), (33, first)]
        };
        for (number, dice) in order {
            if dice == [0, 0] {
                continue;
            }
            let [one, two] = dice.map(|die| u8::try_from(die).unwrap_or(u8::MAX));
            let roll = Roll::new(one, two).map_err(|_| {
                let [one, two] = dice;
                let bad = if (1..=6).contains(&one) { two } else { one };
                self.value(number, bad, "a die 1 to 6")
            })?;
            return Ok(Some(roll));
        }
        Ok(None)
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
    use crate::notation::PositionId;

    fn id(view: &BoardView) -> String {
        PositionId::from(view.position).to_string()
    }

    /// The worked examples of the FIBS specification.
    #[test]
    fn fibs_boards() {
        let check = |text: &str, position: &str| {
            let line: BoardLine = text.parse().unwrap();
            assert_eq!(line.to_string(), text);
            let view = line.view(Dialect::Fibs).unwrap();
            assert_eq!(id(&view), position);
            view
        };
        let view = check(
            "board:You:bobby:3:0:1:-2:-1:0:2:-1:0:4:1:2:0:0:0:-5:4:0:0:0:0:-1:-5:0:0:0:1:1:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:2:0:0:0:0",
            "jNfgASjgC3yAaA",
        );
        assert!(!view.first_on_roll && view.ascending);
        assert_eq!((view.state.score.me(), view.state.score.opponent()), (1, 0));
        let view = check(
            "board:joe_white:black_jack:2:1:1:0:0:0:-1:3:3:2:0:3:0:0:2:0:2:0:0:0:-1:-1:-2:-2:-2:-4:-2:0:0:1:5:1:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:2:0:1:0",
            "9rYVAAi4m2MGAA",
        );
        assert_eq!(view.roll, Some(Roll::new(5, 1).unwrap()));
        assert_eq!(view.state.cube.owner(), CubeOwner::Opponent);
        let view = check(
            "board:You:alice:3:0:0:0:0:-1:-1:-1:1:4:2:1:0:1:0:-3:4:0:0:0:-1:0:-4:0:-1:-1:-2:1:1:1:0:0:0:0:2:1:0:0:-1:1:25:0:0:0:0:1:0:0:0:0",
            "Vp7gABXQW+IBUA",
        );
        assert_eq!(view.state.cube.owner(), CubeOwner::Opponent);
        assert_eq!((view.place(25), view.place(6), view.place(0)), (25, 6, 0));
        let view: BoardLine = "board:You:GibbonTestA:2:0:1:0:0:0:-1:0:-1:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:1:0:0:0:1:0:1:0:0:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:2:0:0:0".parse().unwrap();
        assert!(view.view(Dialect::Fibs).unwrap().state.score.is_crawford());
    }

    /// The worked examples of the external player's specification.
    #[test]
    fn external_boards() {
        let view = |text: &str| {
            let line: BoardLine = text.parse().unwrap();
            assert_eq!(line.to_string(), text);
            assert_eq!(line.guess_dialect(), Dialect::External);
            line.view(Dialect::External).unwrap()
        };
        let start = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0";
        let opening = view(&format!(
            "board:ext:opp:7:0:0:{start}:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
        ));
        assert_eq!(opening.position, Position::start());
        assert_eq!((opening.sign, opening.ascending), (-1, true));
        let doubled = view(&format!(
            "board:opp:ext:7:5:3:{start}:1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
        ));
        assert_eq!(doubled.offer, Some(Offer::Double));
        let score = doubled.state.score;
        assert_eq!((score.me(), score.opponent()), (5, 3));
        let redoubled = view(&format!(
            "board:ext:opp:7:1:3:{start}:-1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
        ));
        let (score, cube) = (redoubled.state.score, redoubled.state.cube);
        assert_eq!((score.me(), score.opponent()), (3, 1));
        assert_eq!((cube.value(), cube.owner()), (2, CubeOwner::Me));
        let crawford = view(&format!(
            "board:ext:opp:3:2:0:{start}:-1:5:6:5:6:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
        ));
        assert!(crawford.state.score.is_crawford());
        assert_eq!(crawford.state.score.me(), 2);
        let zeros = "0:".repeat(22);
        let last = view(&format!(
            "board:ext:opp:0:0:0:0:2:{zeros}-1:0:-1:2:1:2:1:1:1:1:0:1:-1:0:25:13:14:0:0:0:0:0:1"
        ));
        assert_eq!(last.position.me().off(), 14);
        assert_eq!(last.position.opponent().count(0), 2);
    }

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
