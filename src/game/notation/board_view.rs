//! The view of a FIBS board line by the player on roll.
//!
//! Rules BL-04 to BL-15 of `protocol-specs/board-line.md`.

use super::board_line::{BoardLine, NAMES, WHOLE};
use super::{Code, NotationError, Offer, Reason};
use crate::{
    BAR, Cube, CubeOwner, MatchState, MatchStateError, POINTS, Position, Roll, Rules, Score,
};

/// Dialect of a board line, where it makes a difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardDialect {
    /// gnubg as the client of an external player: bars in fields 6 and 31; the scores stand in the order of the seats
    /// of the player who is asked; field 52 is 0 in the Crawford game.
    External,
    /// A FIBS server: bars in fields 47 and 48, the first score belongs to the first name. gnubg's
    /// own `show rawboard` has its scores in this order too, see [`BoardDialect::RawBoard`].
    Fibs,
    /// gnubg's `set output rawboard`: as [`BoardDialect::External`] but the first score belongs to the
    /// first name.
    RawBoard,
}

/// A board line as seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoardView {
    /// The checkers.
    pub position: Position,
    /// Cube and score; the rules of money play are not in the line and stand at their defaults.
    /// An offered double has not been taken yet.
    pub state: MatchState,
    /// The dice, if rolled.
    pub roll: Option<Roll>,
    /// Double that waits for the answer of the player who is not on roll, if any.
    pub offer: Option<Offer>,
    /// The sign of the checkers of the player on roll.
    pub sign: i32,
    /// True if the player on roll is the one of field 41: on FIBS the one named first.
    pub first_on_roll: bool,
    /// True if the player on roll moves towards higher place numbers.
    pub ascending: bool,
}

impl BoardView {
    /// Returns the place number of a point of the player on roll: 1..=24 its points, 25 its bar, 0 off.
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
    /// Guesses the dialect of this line. A line of FIBS can look exactly like one of gnubg; then the answer is
    /// [`BoardDialect::External`].
    #[must_use]
    pub fn guess_dialect(&self) -> BoardDialect {
        let [first, _] = &self.names;
        let gnubg = self.colour == 1
            && self.direction == -1
            && self.home_and_bar == [0, 25]
            && self.on_bar == [0, 0]
            && self.can_move == 0
            && self.forced_move == 0
            && matches!(self.last, 0 | 1);
        if gnubg && first != "You" {
            BoardDialect::External
        } else {
            BoardDialect::Fibs
        }
    }

    /// Returns the line as seen by the player on roll.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-board` for a turn, colour or direction of 0, an
    /// illegal position, impossible dice, cube or score.
    pub fn view(&self, dialect: BoardDialect) -> Result<BoardView, NotationError> {
        self.view_in(dialect, self.to_string().as_bytes())
    }

    /// Returns the same as [`BoardLine::view`]; errors give places in `text`, from which this line was parsed.
    pub(super) fn view_in(
        &self,
        dialect: BoardDialect,
        text: &[u8],
    ) -> Result<BoardView, NotationError> {
        View {
            line: self,
            dialect,
            text,
        }
        .make()
    }
}

/// A line on its way to being understood.
struct View<'a> {
    line: &'a BoardLine,
    dialect: BoardDialect,
    text: &'a [u8],
}

impl View<'_> {
    fn make(&self) -> Result<BoardView, NotationError> {
        let line = self.line;
        let colour = self.sign(41, line.colour)?;
        let direction = self.sign(42, line.direction)?;
        let doubled = line.doubled != 0
            || (self.dialect == BoardDialect::External && line.may_double == [0, 0]);
        // FIBS sends a double only to the player who must answer, and the turn field cannot be trusted then: the
        // doubler is the other player (BL-08).
        let sign = if doubled && self.dialect == BoardDialect::Fibs {
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
            state: MatchState {
                cube,
                score,
                ..MatchState::money(rules)
            },
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

    /// Returns an error in field `number`, counted from 1.
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

    /// Returns the number of colons inside quoted names.
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
            BoardDialect::Fibs => {
                let [first, second] = self.line.on_bar;
                let first = self.count(47, first)?;
                let second = self.count(48, second)?;
                if first_on_roll {
                    (first, second)
                } else {
                    (second, first)
                }
            }
            BoardDialect::External | BoardDialect::RawBoard => {
                let low = self.count(6, low_bar)?;
                let high = self.count(31, high_bar)?;
                // A player who moves to higher places comes in from place 0.
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
        if self.dialect == BoardDialect::Fibs {
            self.check_borne_off(&position, first_on_roll)?;
        }
        Ok(position)
    }

    /// Checks that points, bar and borne-off checkers add up, on FIBS (BL-07).
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
        // gnubg writes the score of its player 1 second when the player who is asked is on roll, and first otherwise
        // (BL-09).
        let mine_first = match self.dialect {
            BoardDialect::Fibs | BoardDialect::RawBoard => first_on_roll,
            BoardDialect::External => first_on_roll == doubled,
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
        // A longer match keeps what is still needed.
        let cut = length.saturating_sub(u32::from(Score::LENGTH_MAX));
        let crawford = length > 0
            && match self.dialect {
                BoardDialect::Fibs => line.post_crawford == 0,
                BoardDialect::External | BoardDialect::RawBoard => {
                    line.post_crawford == 0 && line.last == 0
                }
            };
        let below = |number, score: u32| {
            if score >= length {
                let error = MatchStateError::Score { score, length };
                return Err(self.error(number, error.into()));
            }
            Ok(score.saturating_sub(cut))
        };
        let (me, opponent) = (below(my_field, me)?, below(9 - my_field, opponent)?);
        Score::lenient(length - cut, me, opponent, crawford)
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
            let view = line.view(BoardDialect::Fibs).unwrap();
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
        assert!(
            view.view(BoardDialect::Fibs)
                .unwrap()
                .state
                .score
                .is_crawford()
        );
    }

    /// The worked examples of the external player's specification.
    #[test]
    fn external_boards() {
        let view = |text: &str| {
            let line: BoardLine = text.parse().unwrap();
            assert_eq!(line.to_string(), text);
            assert_eq!(line.guess_dialect(), BoardDialect::External);
            line.view(BoardDialect::External).unwrap()
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
}
