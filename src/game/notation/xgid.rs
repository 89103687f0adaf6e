//! XGID: the position text of eXtreme Gammon, ten fields with colons between.
//!
//! Rules XG-01 to XG-12 of `protocol-specs/xgid.md`. [`Xgid`] holds the fields as they are, with
//! the players at the top and bottom of the board; [`Xgid::view`] turns them to the player on
//! roll.

use std::fmt;
use std::str::FromStr;

use nom::bytes::complete::tag_no_case;

use super::error::quoted;
use super::syntax::{Fault, Parsed, byte, complete, integer, refuse};
use super::{Code, NotationError, Offer, Reason};
use crate::{Cube, CubeOwner, MatchState, POINTS, Position, Roll, Rules, Score};

const PREFIX: &str = "XGID=";
/// Characters of the first field: two bars and 24 points.
const PLACES: usize = 26;
const WHOLE: &str = "XGID";
const POINTS_FIELD: &str = "XGID point list";

/// One of the two players of an XGID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seat {
    /// The player whose ace point is character 1 of the first field; capital letters.
    Bottom,
    /// The other; small letters.
    Top,
}

/// The fifth field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum XgidDice {
    /// `00`: to roll or to double.
    ToRoll,
    /// Two digits.
    Roll(Roll),
    /// `D`, `B` or `R`.
    Offer(Offer),
}

/// The ten fields of an XGID.
///
/// ```
/// use gammond_game::notation::Xgid;
/// let text = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8";
/// let xgid: Xgid = text.parse()?;
/// assert_eq!(xgid.to_string(), text);
/// let view = xgid.view()?;
/// assert_eq!(view.state.cube.value(), 2);
/// assert_eq!(view.roll.map(|roll| roll.dice()), Some([6, 3]));
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Xgid {
    /// Checkers by place: 0 the top player's bar, 1..=24 the points of the bottom player, 25 its
    /// bar; positive for the bottom player, negative for the top one.
    pub points: [i8; PLACES],
    /// Binary logarithm of the cube, 0..=15.
    pub cube_log: u8,
    /// Owner of the cube; `None` when centred.
    pub owner: Option<Seat>,
    /// Player on roll: the doubler, when a double is offered.
    pub on_roll: Seat,
    /// Dice or offer.
    pub dice: XgidDice,
    /// Points of the bottom player.
    pub bottom_score: u16,
    /// Points of the top player.
    pub top_score: u16,
    /// In a match 1 for the Crawford game; in money play 1 for Jacoby plus 2 for beavers.
    pub rules: u8,
    /// Match length in points, 0 for money.
    pub length: u16,
    /// Binary logarithm of the largest cube; 0 means that no cube is in use.
    pub cube_max_log: u8,
}

/// An XGID as seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct XgidView {
    /// The checkers.
    pub position: Position,
    /// Cube, score and rules. An offered double has not been taken yet.
    pub state: MatchState,
    /// The dice, if rolled.
    pub roll: Option<Roll>,
    /// The double that waits for an answer, if any.
    pub offer: Option<Offer>,
    /// True if no cube is in use.
    pub no_cube: bool,
}

impl Xgid {
    /// Creates the XGID of a state as the player on roll sees it, that player at the bottom. A resignation has no
    /// place in an XGID.
    #[must_use]
    pub fn of(
        position: &Position,
        state: &MatchState,
        roll: Option<Roll>,
        offer: Option<Offer>,
    ) -> Xgid {
        let mut points = [0_i8; PLACES];
        let (me, opponent) = (position.me().counts(), position.opponent().counts());
        // Both bars are index 24 of their side: places 25 and 0.
        for (place, &count) in points.iter_mut().skip(1).zip(&me) {
            *place += count.cast_signed();
        }
        for (place, &count) in points.iter_mut().rev().skip(1).zip(&opponent) {
            *place -= count.cast_signed();
        }
        let score = state.score;
        let rules = if score.is_money() {
            u8::from(state.rules.jacoby) + 2 * u8::from(state.rules.beavers)
        } else {
            u8::from(score.is_crawford())
        };
        let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        Xgid {
            points,
            cube_log: u8::try_from(state.cube.value().trailing_zeros()).unwrap_or(0),
            owner: match state.cube.owner() {
                CubeOwner::Centred => None,
                CubeOwner::Me => Some(Seat::Bottom),
                CubeOwner::Opponent => Some(Seat::Top),
            },
            on_roll: Seat::Bottom,
            dice: match (offer, roll) {
                (Some(offer @ (Offer::Double | Offer::Beaver | Offer::Raccoon)), _) => {
                    XgidDice::Offer(offer)
                }
                (_, Some(roll)) => XgidDice::Roll(roll),
                (_, None) => XgidDice::ToRoll,
            },
            bottom_score: small(score.me()),
            top_score: small(score.opponent()),
            rules,
            length: small(score.length()),
            cube_max_log: 10,
        }
    }

    /// Returns the same with the players' places exchanged.
    #[must_use]
    pub fn turned(self) -> Xgid {
        let other = |seat| match seat {
            Seat::Bottom => Seat::Top,
            Seat::Top => Seat::Bottom,
        };
        let mut points = self.points.map(i8::saturating_neg);
        points.reverse();
        Xgid {
            points,
            owner: self.owner.map(other),
            on_roll: other(self.on_roll),
            bottom_score: self.top_score,
            top_score: self.bottom_score,
            ..self
        }
    }

    /// Returns the XGID as seen by the player on roll.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-xgid` for an illegal position, a cube above 4096 or
    /// a score that cannot be.
    pub fn view(self) -> Result<XgidView, NotationError> {
        self.view_in(self.to_string().as_bytes())
    }

    /// Returns the same as [`Xgid::view`]; errors give places in `text`, from which this XGID was parsed.
    pub(super) fn view_in(self, text: &[u8]) -> Result<XgidView, NotationError> {
        let refuse = |field_number: usize, field, reason| {
            let at = field_start(text, field_number);
            NotationError::new(Code::BadXgid, field, reason, at)
        };
        let bottom = match self.on_roll {
            Seat::Bottom => self,
            Seat::Top => self.turned(),
        };
        let position = bottom
            .position()
            .map_err(|reason| refuse(1, "XGID position", reason))?;
        let owner = match bottom.owner {
            None => CubeOwner::Centred,
            Some(Seat::Bottom) => CubeOwner::Me,
            Some(Seat::Top) => CubeOwner::Opponent,
        };
        let cube = 1_u32.checked_shl(self.cube_log.into()).unwrap_or(u32::MAX);
        let cube = Cube::new(cube, owner).map_err(|error| refuse(2, "XGID cube", error.into()))?;
        let money = self.length == 0;
        if !money && self.rules > 1 {
            let found = self.rules.to_string();
            let want = "0 or 1 (Crawford) in a match";
            return Err(refuse(8, "XGID rules field", Reason::Value { found, want }));
        }
        // As in a Match ID, points of a money session mean nothing.
        let (me, opponent) = if money {
            (0, 0)
        } else {
            (bottom.bottom_score, bottom.top_score)
        };
        let crawford = !money && self.rules == 1;
        let score = Score::lenient(self.length.into(), me.into(), opponent.into(), crawford)
            .map_err(|error| refuse(6, "XGID score", error.into()))?;
        let rules = Rules {
            jacoby: money && self.rules & 1 != 0,
            beavers: money && self.rules & 2 != 0,
        };
        let (roll, offer) = match self.dice {
            XgidDice::ToRoll => (None, None),
            XgidDice::Roll(roll) => (Some(roll), None),
            XgidDice::Offer(offer) => (None, Some(offer)),
        };
        Ok(XgidView {
            position,
            state: MatchState {
                cube,
                score,
                ..MatchState::money(rules)
            },
            roll,
            offer,
            no_cube: self.cube_max_log == 0,
        })
    }

    /// Returns the checkers, the bottom player as *me*.
    fn position(&self) -> Result<Position, Reason> {
        let [top_bar, .., bottom_bar] = self.points;
        if top_bar > 0 || bottom_bar < 0 {
            let why = "has a checker on the other player's bar";
            return Err(Reason::Other(why));
        }
        let (mut me, mut opponent) = ([0_u8; POINTS], [0_u8; POINTS]);
        for (side, &count) in me.iter_mut().zip(self.points.iter().skip(1)) {
            *side = count.max(0).unsigned_abs();
        }
        for (side, &count) in opponent.iter_mut().zip(self.points.iter().rev().skip(1)) {
            *side = count.min(0).unsigned_abs();
        }
        Ok(Position::new(&me, &opponent)?)
    }

    /// Reads an XGID; the `XGID=` in front may be missing or in small letters.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-xgid` that names the field.
    pub fn parse(text: &[u8]) -> Result<Xgid, NotationError> {
        complete(Code::BadXgid, WHOLE, text, xgid)
    }

    /// Returns true if a text looks like an XGID, so that its errors should be those of this form.
    pub(super) fn is_meant(text: &[u8]) -> bool {
        let prefixed = text
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"XGID"));
        let places = text
            .iter()
            .take_while(|&&byte| count_of(byte).is_some())
            .count();
        prefixed || (places == PLACES && text.get(PLACES) == Some(&b':'))
    }
}

/// Returns the byte where field `number` (counted from 1) begins in a text of this form.
fn field_start(text: &[u8], number: usize) -> usize {
    if number == 1 {
        let prefix = text.iter().take_while(|&&byte| byte != b'=').count();
        return if prefix < text.len() { prefix + 1 } else { 0 };
    }
    text.iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == b':')
        .nth(number - 2)
        .map_or(text.len(), |(at, _)| at + 1)
}

/// Returns the count of a letter: `-` 0, `A`..`P` 1..16 of the bottom player, `a`..`p` of the top player.
const fn count_of(byte: u8) -> Option<i8> {
    match byte {
        b'-' => Some(0),
        b'A'..=b'P' => Some((byte - b'A' + 1).cast_signed()),
        b'a'..=b'p' => Some(-(byte - b'a' + 1).cast_signed()),
        _ => None,
    }
}

/// xgid = \[ "XGID=" \] points 9( ":" field )
fn xgid(input: &[u8]) -> Parsed<'_, Xgid> {
    let (rest, _) = match tag_no_case::<_, _, Fault<'_>>(PREFIX)(input) {
        Ok(found) => found,
        Err(_) => (input, input),
    };
    let (rest, points) = points(rest)?;
    let (rest, cube_log) = number(rest, "XGID cube", 0, 15, "an exponent 0 to 15")?;
    let (rest, owner) = number(rest, "XGID cube owner", -1, 1, "1, 0 or -1")?;
    let (rest, ()) = colon(rest, "XGID player on roll")?;
    let (rest, on_roll) = on_roll(rest)?;
    let (rest, ()) = colon(rest, "XGID roll")?;
    let (rest, dice) = dice(rest)?;
    let want = "0 to 32767";
    let (rest, bottom_score) = number(rest, "XGID score of the bottom player", 0, 32767, want)?;
    let (rest, top_score) = number(rest, "XGID score of the top player", 0, 32767, want)?;
    let (rest, rules) = number(rest, "XGID rules field", 0, 3, "0 to 3")?;
    let (rest, length) = number(rest, "XGID match length", 0, 32767, want)?;
    let (rest, cube_max_log) = number(rest, "XGID largest cube", 0, 99, "0 to 99")?;
    let tiny = |number: i64| u8::try_from(number).unwrap_or(u8::MAX);
    let small = |number: i64| u16::try_from(number).unwrap_or(u16::MAX);
    Ok((
        rest,
        Xgid {
            points,
            cube_log: tiny(cube_log),
            owner: match owner {
                1 => Some(Seat::Bottom),
                0 => None,
                _ => Some(Seat::Top),
            },
            on_roll,
            dice,
            bottom_score: small(bottom_score),
            top_score: small(top_score),
            rules: tiny(rules),
            length: small(length),
            cube_max_log: tiny(cube_max_log),
        },
    ))
}

/// points = 26 of "-" | "A".."P" | "a".."p"
fn points(input: &[u8]) -> Parsed<'_, [i8; PLACES]> {
    let end = input.iter().take_while(|&&byte| byte != b':').count();
    let (text, rest) = input.split_at_checked(end).unwrap_or((input, &[]));
    let mut places = [0; PLACES];
    for (at, (place, &found)) in places.iter_mut().zip(text).enumerate() {
        let Some(count) = count_of(found) else {
            let here = input.get(at..).unwrap_or_default();
            let want = "'-', A to P or a to p";
            return refuse(here, POINTS_FIELD, Reason::Byte { found, want });
        };
        *place = count;
    }
    if end != PLACES {
        let want = PLACES;
        return refuse(input, POINTS_FIELD, Reason::Length { found: end, want });
    }
    Ok((rest, places))
}

/// ":" and a number in a range
fn number<'a>(
    input: &'a [u8],
    field: &'static str,
    low: i64,
    high: i64,
    want: &'static str,
) -> Parsed<'a, i64> {
    let (rest, ()) = colon(input, field)?;
    integer(field, low, high, want)(rest)
}

fn colon<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, ()> {
    byte(b':', field, "':'")(input)
}

/// on-roll = "1" | "-1"
fn on_roll(input: &[u8]) -> Parsed<'_, Seat> {
    let field = "XGID player on roll";
    let (rest, number) = integer(field, -1, 1, "1 or -1")(input)?;
    match number {
        1 => Ok((rest, Seat::Bottom)),
        -1 => Ok((rest, Seat::Top)),
        _ => {
            let found = "'0'".to_owned();
            let want = "1 or -1";
            refuse(input, field, Reason::Value { found, want })
        }
    }
}

/// dice = "00" | "D" | "B" | "R" | die die
fn dice(input: &[u8]) -> Parsed<'_, XgidDice> {
    const FIELD: &str = "XGID roll";
    let end = input.iter().take_while(|&&byte| byte != b':').count();
    let (text, rest) = input.split_at_checked(end).unwrap_or((input, &[]));
    let dice = match text {
        [] => return refuse(input, FIELD, Reason::Missing),
        b"00" => XgidDice::ToRoll,
        b"D" | b"d" => XgidDice::Offer(Offer::Double),
        b"B" | b"b" => XgidDice::Offer(Offer::Beaver),
        b"R" | b"r" => XgidDice::Offer(Offer::Raccoon),
        &[first @ b'0'..=b'9', second @ b'0'..=b'9'] => {
            match Roll::new(first - b'0', second - b'0') {
                Ok(roll) => XgidDice::Roll(roll),
                Err(error) => return refuse(input, FIELD, error.into()),
            }
        }
        other => {
            let found = quoted(other);
            let want = "00, two dice, D, B or R";
            return refuse(input, FIELD, Reason::Value { found, want });
        }
    };
    Ok((rest, dice))
}

impl FromStr for Xgid {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Xgid::parse(text.as_bytes())
    }
}

impl fmt::Display for Xgid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        for &count in &self.points {
            let letter = match count {
                0 => b'-',
                1.. => b'A' - 1 + count.unsigned_abs(),
                _ => b'a' - 1 + count.unsigned_abs(),
            };
            write!(f, "{}", char::from(letter))?;
        }
        let sign = |seat| match seat {
            Seat::Bottom => 1,
            Seat::Top => -1,
        };
        let owner = self.owner.map_or(0, sign);
        write!(f, ":{}:{}:{}:", self.cube_log, owner, sign(self.on_roll))?;
        match self.dice {
            XgidDice::ToRoll => f.write_str("00")?,
            XgidDice::Roll(roll) => write!(f, "{roll}")?,
            XgidDice::Offer(Offer::Beaver) => f.write_str("B")?,
            XgidDice::Offer(Offer::Raccoon) => f.write_str("R")?,
            XgidDice::Offer(_) => f.write_str("D")?,
        }
        write!(
            f,
            ":{}:{}:{}:{}:{}",
            self.bottom_score, self.top_score, self.rules, self.length, self.cube_max_log
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";

    #[test]
    fn the_start_is_the_same_for_both_players() {
        let xgid: Xgid = START.parse().unwrap();
        assert_eq!(xgid.view().unwrap().position, Position::start());
        let turned = xgid.turned();
        assert_eq!(turned.points, xgid.points);
        assert_eq!(turned.on_roll, Seat::Top);
        assert_eq!(turned.view(), xgid.view());
    }

    #[test]
    fn prefix_may_be_missing_or_small() {
        let xgid: Xgid = START.parse().unwrap();
        assert_eq!(START.to_lowercase()[..5], *"xgid=");
        for text in [&START[5..], &format!("xgid={}", &START[5..])] {
            assert_eq!(text.parse::<Xgid>().unwrap(), xgid);
        }
    }

    #[test]
    fn offers_leave_the_doubler_on_roll() {
        let text = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:1:0:0:5:10";
        let view = text.parse::<Xgid>().unwrap().view().unwrap();
        assert_eq!(view.offer, Some(Offer::Double));
        assert_eq!((view.state.score.me(), view.state.score.opponent()), (0, 1));
    }

    #[test]
    fn errors_name_the_field_and_its_byte() {
        let check = |text: &str, message: &str, at: usize| {
            let error = Xgid::parse(text.as_bytes())
                .and_then(|xgid| xgid.view_in(text.as_bytes()))
                .unwrap_err();
            assert_eq!((error.to_string().as_str(), error.at()), (message, at));
        };
        let points = "XGID=-b----E-C---eE---c-e----B-";
        check(
            "XGID=-b--",
            "XGID point list has 4 characters, expected 26",
            5,
        );
        check(points, "XGID cube is missing", 31);
        let text = format!("{points}:0:0:1:00:0:0:0:0");
        check(&text, "XGID largest cube is missing", 48);
        let text = format!("{points}:0:2:1:00:0:0:0:0:10");
        check(&text, "XGID cube owner is '2', expected 1, 0 or -1", 34);
        let text = format!("{points}:0:0:0:00:0:0:0:0:10");
        check(&text, "XGID player on roll is '0', expected 1 or -1", 36);
        let text = format!("{points}:0:0:1:70:0:0:0:0:10");
        check(
            &text,
            "XGID roll is not possible: die is 7, expected 1 to 6",
            38,
        );
        let text = format!("{points}:0:0:1:00:9:0:0:5:10");
        let message = "XGID score is not possible: score 9 is not below the match length 5";
        check(&text, message, 41);
    }
}
