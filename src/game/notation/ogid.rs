//! OGID: the position text of OpenGammon and HedgeHog, up to eleven fields with colons between.
//!
//! Rules OGID-01 to OGID-13 of `protocol-specs/ogid.md`. [`Ogid`] holds the fields as they are, with White and Black as
//! seats; [`Ogid::view`] turns them to the player on roll.

use super::error::quoted;
use super::{Code, NotationError, Offer, Reason};
use crate::{Cube, CubeOwner, MatchState, POINTS, Position, Roll, Rules, Score};
use std::fmt;
use std::str::FromStr;

/// Number of pips of the board: 0 is White's bar, 25 is Black's.
const PIPS: usize = 26;
/// Maximum number of checkers of a side.
const CHECKERS: usize = 15;
/// Fields that every program writes at least.
const FIELDS_MIN: usize = 3;
/// Fields at most; the last one counts checkers.
const FIELDS_MAX: usize = 11;
const PREFIX: &[u8] = b"OGID";

/// One of the two players of an OGID. White moves from pip 1 to 24, Black the other way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OgidColour {
    /// The player of the first field.
    White,
    /// The player of the second field.
    Black,
}

impl OgidColour {
    /// Returns the other player.
    #[must_use]
    pub const fn other(self) -> OgidColour {
        match self {
            OgidColour::White => OgidColour::Black,
            OgidColour::Black => OgidColour::White,
        }
    }

    const fn letter(self) -> char {
        match self {
            OgidColour::White => 'W',
            OgidColour::Black => 'B',
        }
    }
}

/// The owner of the cube as an OGID writes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OgidOwner {
    /// `N`: in the middle.
    Centred,
    /// `W` or `B`.
    Player(OgidColour),
    /// `D`: the cube may not be used.
    Dead,
    /// `?`: unknown; read as in the middle.
    Unknown,
}

/// The last cube action, the third part of the cube field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OgidAction {
    /// `N`
    None,
    /// `O`: a double is offered.
    Offered,
    /// `T`: the double was taken.
    Taken,
    /// `P`: the double was passed.
    Passed,
}

/// The mark after the length of a match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OgidMark {
    /// Nothing.
    None,
    /// `C`: this is the Crawford game.
    Crawford,
    /// `L`: the last game.
    Last,
    /// `G`: a session of at most this many games, if a number follows.
    Games(Option<u16>),
}

/// The fields of an OGID.
///
/// ```
/// use gammond_game::notation::Ogid;
/// let text = "33cgghhhjjjjkmm:4455666678dddll:W1N:46:B:R:0:1:3:9";
/// let ogid: Ogid = text.parse()?;
/// assert_eq!(ogid.to_string(), text);
/// let view = ogid.view()?;
/// assert_eq!(view.state.cube.value(), 2);
/// assert_eq!(view.roll.map(|roll| roll.dice()), Some([4, 6]));
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ogid {
    /// White's checkers by pip: 0 is the bar.
    pub white: [u8; PIPS],
    /// Black's checkers by pip: 25 is the bar.
    pub black: [u8; PIPS],
    /// The owner of the cube.
    pub owner: OgidOwner,
    /// Binary logarithm of the cube.
    pub cube_log: u8,
    /// The last cube action.
    pub action: OgidAction,
    /// The dice, the smaller one first.
    pub dice: Option<[u8; 2]>,
    /// The player who acted last: the other one acts now.
    pub acted: OgidColour,
    /// State of the game: up to two letters, padded with 0.
    pub state: [u8; 2],
    /// Points of White and of Black.
    pub scores: [u16; 2],
    /// Match length in points, 0 for money.
    pub length: u16,
    /// Mark after the length.
    pub mark: OgidMark,
    /// Number of actions so far.
    pub move_id: u32,
}

/// An OGID as seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OgidView {
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
    /// The colour of the player on roll.
    pub on_roll: OgidColour,
}

impl Ogid {
    /// Returns the OGID of a state as seen by the player on roll, who has this colour. A beaver, a raccoon or a
    /// resignation that waits has no place in an OGID.
    #[must_use]
    pub fn of(
        position: &Position,
        state: &MatchState,
        roll: Option<Roll>,
        offer: Option<Offer>,
        on_roll: OgidColour,
    ) -> Ogid {
        let sides = [position.me().counts(), position.opponent().counts()];
        let [mine, theirs] = sides;
        let (white, black) = match on_roll {
            OgidColour::White => (mine, theirs),
            OgidColour::Black => (theirs, mine),
        };
        let (mut white_pips, mut black_pips) = ([0; PIPS], [0; PIPS]);
        // The bar is index 24 of a side: pip 0 of White, pip 25 of Black.
        for (pip, &count) in white_pips.iter_mut().zip(white.iter().rev()) {
            *pip = count;
        }
        for (pip, &count) in black_pips.iter_mut().skip(1).zip(&black) {
            *pip = count;
        }
        let doubled = offer == Some(Offer::Double);
        let dice = roll.filter(|_| !doubled).map(|roll| sorted(roll.dice()));
        let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let (me, opponent) = (small(state.score.me()), small(state.score.opponent()));
        Ogid {
            white: white_pips,
            black: black_pips,
            owner: match state.cube.owner() {
                CubeOwner::Centred => OgidOwner::Centred,
                CubeOwner::Me => OgidOwner::Player(on_roll),
                CubeOwner::Opponent => OgidOwner::Player(on_roll.other()),
            },
            cube_log: u8::try_from(state.cube.value().trailing_zeros()).unwrap_or(0),
            action: match doubled {
                true => OgidAction::Offered,
                false => OgidAction::None,
            },
            dice,
            acted: if doubled { on_roll } else { on_roll.other() },
            state: waits_for(doubled, dice.is_some()),
            scores: match on_roll {
                OgidColour::White => [me, opponent],
                OgidColour::Black => [opponent, me],
            },
            length: small(state.score.length()),
            mark: match state.score.is_crawford() {
                true => OgidMark::Crawford,
                false => OgidMark::None,
            },
            move_id: 0,
        }
    }

    /// Reads an OGID with or without its prefix.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-ogid` that names the field.
    pub fn parse(text: &[u8]) -> Result<Ogid, NotationError> {
        let fields = fields(text);
        let mut reader = Fields { text, fields };
        if reader.fields.len() < FIELDS_MIN {
            return Err(refuse("OGID cube", Reason::Missing, text.len()));
        }
        let white = reader.checkers(0, "OGID white checker list", OgidColour::White)?;
        let black = reader.checkers(1, "OGID black checker list", OgidColour::Black)?;
        let (owner, cube_log, action) = reader.cube(2)?;
        let dice = reader.dice(3)?;
        let acted = match reader.field(4) {
            (b"" | b"B", _) => OgidColour::Black,
            (b"W", _) => OgidColour::White,
            (found, at) => return Err(reader.value("OGID colour", found, "W or B", at)),
        };
        let state = match reader.field(5) {
            (b"", _) => waits_for(action == OgidAction::Offered, dice.is_some()),
            (&[one], _) if one.is_ascii_alphabetic() => [one, 0],
            (&[one, two], _) if one.is_ascii_alphabetic() && two.is_ascii_alphabetic() => {
                [one, two]
            }
            (found, at) => {
                let want = "one or two letters such as R or IW";
                return Err(reader.value("OGID state", found, want, at));
            }
        };
        let scores = [
            reader.number(6, "OGID white score")?,
            reader.number(7, "OGID black score")?,
        ];
        let (length, mark) = reader.length(8)?;
        let move_id = reader.number(9, "OGID move number")?;
        let (checkers, at) = reader.field(10);
        if !matches!(checkers, b"" | b"15") {
            return Err(reader.value("OGID checker count", checkers, "15", at));
        }
        if let Some(&(_, at)) = reader.fields.get(FIELDS_MAX) {
            return Err(refuse("OGID", Reason::Trailing(b':'), at - 1));
        }
        Ok(Ogid {
            white,
            black,
            owner,
            cube_log,
            action,
            dice,
            acted,
            state,
            scores: scores.map(|score| u16::try_from(score).unwrap_or(u16::MAX)),
            length,
            mark,
            move_id,
        })
    }

    /// Returns true if a text looks like an OGID, so that its errors should be those of this form.
    pub(super) fn is_meant(text: &[u8]) -> bool {
        let prefixed = text
            .strip_prefix(PREFIX)
            .is_some_and(|rest| matches!(rest.first(), Some(b'=' | b':')));
        let mut fields = fields(text).into_iter().map(|(field, _)| field);
        let side = |field: Option<&[u8]>| {
            field.is_some_and(|field| {
                field.len() <= CHECKERS && field.iter().all(|&byte| pip_of(byte).is_some())
            })
        };
        let cube = |field: Option<&[u8]>| match field {
            Some(
                [
                    b'N' | b'W' | b'B' | b'D' | b'?',
                    digits @ ..,
                    b'N' | b'O' | b'T' | b'P',
                ],
            ) => (1..=2).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        prefixed || (side(fields.next()) && side(fields.next()) && cube(fields.next()))
    }

    /// Returns the OGID as seen by the player on roll: the doubler if a double is offered, otherwise the player who
    /// did not act last.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-ogid` for an illegal position, a cube or a score that cannot be, and a game
    /// that is over.
    pub fn view(self) -> Result<OgidView, NotationError> {
        self.view_in(self.to_string().as_bytes())
    }

    /// Returns the same as [`Ogid::view`]; errors give places in `text`, from which this OGID was parsed.
    pub(super) fn view_in(self, text: &[u8]) -> Result<OgidView, NotationError> {
        let places = fields(text);
        let at = |field: usize| places.get(field).map_or(text.len(), |&(_, at)| at);
        if self.action == OgidAction::Passed || matches!(self.state, [b'G' | b'P', 0]) {
            let why = "is of a game that is over: there is no decision";
            return Err(refuse("OGID state", Reason::Other(why), at(5)));
        }
        let doubled = self.action == OgidAction::Offered || self.state == [b'D', 0];
        let on_roll = if doubled {
            self.acted
        } else {
            self.acted.other()
        };
        let position = self.position(on_roll);
        let position = position.map_err(|reason| refuse("OGID position", reason, at(0)))?;
        let owner = match self.owner {
            OgidOwner::Player(player) if player == on_roll => CubeOwner::Me,
            OgidOwner::Player(_) => CubeOwner::Opponent,
            _ => CubeOwner::Centred,
        };
        let value = 1_u32.checked_shl(self.cube_log.into()).unwrap_or(u32::MAX);
        let cube = Cube::new(value, owner);
        let cube = cube.map_err(|error| refuse("OGID cube", error.into(), at(2)))?;
        let [white, black] = self.scores.map(u32::from);
        let (me, opponent) = match (self.length, on_roll) {
            (0, _) => (0, 0),
            (_, OgidColour::White) => (white, black),
            (_, OgidColour::Black) => (black, white),
        };
        let crawford = self.mark == OgidMark::Crawford;
        let score = Score::lenient(self.length.into(), me, opponent, crawford);
        let score = score.map_err(|error| refuse("OGID score", error.into(), at(6)))?;
        let rules = match self.length {
            0 => Rules::default(),
            _ => Rules {
                jacoby: false,
                beavers: false,
            },
        };
        let roll = self.dice.filter(|_| !doubled);
        let roll = roll.and_then(|[one, two]| Roll::new(one, two).ok());
        Ok(OgidView {
            position,
            state: MatchState {
                cube,
                score,
                ..MatchState::money(rules)
            },
            roll,
            offer: doubled.then_some(Offer::Double),
            no_cube: self.owner == OgidOwner::Dead && !score.is_crawford(),
            on_roll,
        })
    }

    /// Returns the checkers as this player sees them.
    fn position(&self, on_roll: OgidColour) -> Result<Position, Reason> {
        let (mut white, mut black) = ([0_u8; POINTS], [0_u8; POINTS]);
        for (count, &pip) in white.iter_mut().rev().zip(&self.white) {
            *count = pip;
        }
        for (count, &pip) in black.iter_mut().zip(self.black.iter().skip(1)) {
            *count = pip;
        }
        Ok(match on_roll {
            OgidColour::White => Position::new(&white, &black)?,
            OgidColour::Black => Position::new(&black, &white)?,
        })
    }
}

/// Returns the state that the cube and the dice mean: a double offered, to play, or to double or roll.
const fn waits_for(doubled: bool, rolled: bool) -> [u8; 2] {
    match (doubled, rolled) {
        (true, _) => [b'D', 0],
        (false, true) => [b'R', 0],
        (false, false) => [b'C', 0],
    }
}

const fn sorted([one, two]: [u8; 2]) -> [u8; 2] {
    if one <= two { [one, two] } else { [two, one] }
}

fn refuse(field: &'static str, reason: Reason, at: usize) -> NotationError {
    NotationError::new(Code::BadOgid, field, reason, at)
}

/// Returns the pip of a character: `0` to `9`, `a` to `p` for 10 to 25, and 26 for `q`, a checker that is off.
const fn pip_of(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'q' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// Returns the fields after the prefix, and the byte at which each begins.
fn fields(text: &[u8]) -> Vec<(&[u8], usize)> {
    let prefixed = text
        .strip_prefix(PREFIX)
        .is_some_and(|rest| matches!(rest.first(), Some(b'=' | b':')));
    let start = if prefixed { PREFIX.len() + 1 } else { 0 };
    let mut at = start;
    let fields = text
        .get(start..)
        .unwrap_or_default()
        .split(|&byte| byte == b':');
    // One more than allowed, to report where the text is too long.
    fields
        .take(FIELDS_MAX + 1)
        .map(|field| {
            let here = at;
            at += field.len() + 1;
            (field, here)
        })
        .collect()
}

/// The fields of a text on their way in.
struct Fields<'a> {
    text: &'a [u8],
    fields: Vec<(&'a [u8], usize)>,
}

impl<'a> Fields<'a> {
    /// Returns a field and where it begins; one that is missing is empty.
    fn field(&self, number: usize) -> (&'a [u8], usize) {
        let missing: (&'a [u8], usize) = (&[], self.text.len());
        self.fields.get(number).copied().unwrap_or(missing)
    }

    fn value(
        &self,
        field: &'static str,
        found: &[u8],
        want: &'static str,
        at: usize,
    ) -> NotationError {
        let found = quoted(found);
        refuse(field, Reason::Value { found, want }, at)
    }

    fn checkers(
        &mut self,
        number: usize,
        field: &'static str,
        colour: OgidColour,
    ) -> Result<[u8; PIPS], NotationError> {
        let (text, at) = self.field(number);
        if text.len() > CHECKERS {
            let why = Reason::Other("has more than 15 characters, one a checker");
            return Err(refuse(field, why, at));
        }
        let mut pips = [0; PIPS];
        for (place, &found) in (at..).zip(text) {
            let want = "0 to 9 or a to q";
            let byte = || refuse(field, Reason::Byte { found, want }, place);
            let pip = usize::from(pip_of(found).ok_or_else(byte)?);
            let wrong = match colour {
                OgidColour::White => 25,
                OgidColour::Black => 0,
            };
            if pip == wrong {
                let why = Reason::Other("has a checker on the other player's bar");
                return Err(refuse(field, why, place));
            }
            // `q` is off the board.
            if let Some(count) = pips.get_mut(pip) {
                *count += 1;
            }
        }
        Ok(pips)
    }

    fn cube(&mut self, number: usize) -> Result<(OgidOwner, u8, OgidAction), NotationError> {
        let (text, at) = self.field(number);
        let wrong = || {
            let want = "owner N, W, B, D or ?, an exponent, and N, O, T or P, such as N0N";
            self.value("OGID cube", text, want, at)
        };
        let [owner, digits @ .., action] = text else {
            return Err(wrong());
        };
        let owner = match owner {
            b'N' => OgidOwner::Centred,
            b'W' => OgidOwner::Player(OgidColour::White),
            b'B' => OgidOwner::Player(OgidColour::Black),
            b'D' => OgidOwner::Dead,
            b'?' => OgidOwner::Unknown,
            _ => return Err(wrong()),
        };
        let action = match action {
            b'N' => OgidAction::None,
            b'O' => OgidAction::Offered,
            b'T' => OgidAction::Taken,
            b'P' => OgidAction::Passed,
            _ => return Err(wrong()),
        };
        let exponent = number_of(digits).filter(|_| digits.len() <= 2);
        let exponent = exponent.and_then(|exponent| u8::try_from(exponent).ok());
        Ok((owner, exponent.ok_or_else(wrong)?, action))
    }

    fn dice(&mut self, number: usize) -> Result<Option<[u8; 2]>, NotationError> {
        match self.field(number) {
            (b"", _) => Ok(None),
            (&[one @ b'1'..=b'6', two @ b'1'..=b'6'], _) => {
                Ok(Some(sorted([one - b'0', two - b'0'])))
            }
            (found, at) => Err(self.value("OGID roll", found, "two dice from 1 to 6", at)),
        }
    }

    /// Returns a number; one that is missing is 0.
    fn number(&mut self, number: usize, field: &'static str) -> Result<u32, NotationError> {
        let (text, at) = self.field(number);
        let most = if number == 9 { u32::MAX } else { 32767 };
        let read = if text.is_empty() {
            Some(0)
        } else {
            number_of(text)
        };
        read.filter(|&number| number <= most).ok_or_else(|| {
            let want = "a number from 0 to 32767";
            self.value(field, text, want, at)
        })
    }

    /// length = 1*3DIGIT [ "C" / "L" / "G" [ 1*3DIGIT ] ]
    fn length(&mut self, number: usize) -> Result<(u16, OgidMark), NotationError> {
        let (text, at) = self.field(number);
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, mark) = text.split_at_checked(digits).unwrap_or((text, &[]));
        let short = |digits: &[u8]| {
            let number = number_of(digits).filter(|_| digits.len() <= 3)?;
            u16::try_from(number).ok()
        };
        let mark = match mark {
            [] => Some(OgidMark::None),
            b"C" => Some(OgidMark::Crawford),
            b"L" => Some(OgidMark::Last),
            b"G" => Some(OgidMark::Games(None)),
            [b'G', games @ ..] => short(games).map(|games| OgidMark::Games(Some(games))),
            _ => None,
        };
        let length = if text.is_empty() {
            Some(0)
        } else {
            short(digits)
        };
        length.zip(mark).ok_or_else(|| {
            let want = "a length such as 7, 7C (Crawford), 7L or 0G3";
            self.value("OGID match length", text, want, at)
        })
    }
}

/// Parses decimal digits, at least one.
fn number_of(digits: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

impl FromStr for Ogid {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ogid::parse(text.as_bytes())
    }
}

impl fmt::Display for Ogid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in [&self.white, &self.black] {
            for (pip, &count) in (0_u8..).zip(side) {
                let letter = match pip {
                    0..=9 => b'0' + pip,
                    _ => b'a' + pip - 10,
                };
                for _ in 0..count {
                    write!(f, "{}", char::from(letter))?;
                }
            }
            f.write_str(":")?;
        }
        let owner = match self.owner {
            OgidOwner::Centred => 'N',
            OgidOwner::Player(player) => player.letter(),
            OgidOwner::Dead => 'D',
            OgidOwner::Unknown => '?',
        };
        let action = match self.action {
            OgidAction::None => 'N',
            OgidAction::Offered => 'O',
            OgidAction::Taken => 'T',
            OgidAction::Passed => 'P',
        };
        write!(f, "{owner}{}{action}:", self.cube_log)?;
        if let Some([one, two]) = self.dice {
            write!(f, "{one}{two}")?;
        }
        write!(f, ":{}:", self.acted.letter())?;
        for &letter in self.state.iter().filter(|&&letter| letter != 0) {
            write!(f, "{}", char::from(letter))?;
        }
        let [white, black] = self.scores;
        write!(f, ":{white}:{black}:{}", self.length)?;
        match self.mark {
            OgidMark::None => {}
            OgidMark::Crawford => f.write_str("C")?,
            OgidMark::Last => f.write_str("L")?,
            OgidMark::Games(None) => f.write_str("G")?,
            OgidMark::Games(Some(games)) => write!(f, "G{games}")?,
        }
        write!(f, ":{}", self.move_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{GnubgId, MatchId, PlayerNumber, PositionId, parse_position};

    /// OGID, then what the player on roll sees: Position ID, roll, points, length, cube and owner, double offered.
    const VECTORS: &str = include_str!("../../../tests/data/ogids.tsv");

    /// OGID-03, OGID-05, OGID-07, OGID-08, OGID-09, OGID-10, OGID-11: the reference package wrote these positions.
    #[test]
    fn ogids_of_the_reference_are_read_and_written_alike() {
        let mut count = 0;
        for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let &[text, id, roll, me, opponent, length, cube, owner, offered] = &columns[..] else {
                panic!("{line}")
            };
            let ogid: Ogid = text.parse().unwrap();
            let view = ogid.view().unwrap();
            assert_eq!(PositionId::from(view.position).to_string(), id, "{text}");
            let dice = view.roll.map(|roll| {
                let [one, two] = sorted(roll.dice());
                format!("{one}{two}")
            });
            assert_eq!(dice.as_deref().unwrap_or("-"), roll, "{text}");
            let MatchState {
                cube: shown, score, ..
            } = view.state;
            let seen = [score.me(), score.opponent(), score.length(), shown.value()];
            let want = [me, opponent, length.trim_end_matches('C'), cube];
            assert_eq!(seen.map(|number| number.to_string()), want, "{text}");
            assert_eq!(score.is_crawford(), length.ends_with('C'), "{text}");
            assert_eq!(format!("{:?}", shown.owner()), owner, "{text}");
            assert_eq!(view.offer.is_some().to_string(), offered, "{text}");
            let again = Ogid::of(
                &view.position,
                &view.state,
                view.roll,
                view.offer,
                view.on_roll,
            );
            let kept = Ogid {
                state: ogid.state,
                move_id: ogid.move_id,
                action: if ogid.action == OgidAction::Taken {
                    ogid.action
                } else {
                    again.action
                },
                ..again
            };
            assert_eq!(kept, ogid, "{text}");
            count += 1;
        }
        assert!(count >= 10);
    }

    /// OGID-01, OGID-04, OGID-06: what other programs write is read, and written in one way.
    #[test]
    fn spelling_variants_are_read() {
        let same = "11ccccchhhjjjjj:66666888dddddoo:N0N:25:W:IW:0:0:7:0";
        for text in [
            "11jjjjjhhhccccc:ooddddd88866666:N0N:52:W:IW:0:0:7:0",
            "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:25:W:IW:0:0:7",
            "OGID:11ccccchhhjjjjj:66666888dddddoo:N0N:52:W:IW:::7:0:15",
        ] {
            assert_eq!(Ogid::parse(text.as_bytes()).unwrap().to_string(), same);
        }
        let short: Ogid = "11ccccchhhjjjjj:66666888dddddoo:N0N".parse().unwrap();
        let written = "11ccccchhhjjjjj:66666888dddddoo:N0N::B:C:0:0:0:0";
        assert_eq!(short.to_string(), written);
        let off: Ogid = "mmqqqqqqqqqqqqq:11:N0N".parse().unwrap();
        assert_eq!(off.view().unwrap().position.me().off(), 13);
    }

    /// OGID-02, OGID-05: errors name the field and the byte.
    #[test]
    fn wrong_fields_are_named() {
        let start = "11ccccchhhjjjjj:66666888dddddoo";
        for (rest, at, message) in [
            (
                ":N0X",
                32,
                "OGID cube is 'N0X', expected owner N, W, B, D or ?, an exponent, and N, O, T or P, such as N0N",
            ),
            (
                ":N13N",
                32,
                "OGID cube is not possible: cube is 8192, expected a power of two from 1 to 4096",
            ),
            (
                ":N0N:7",
                36,
                "OGID roll is '7', expected two dice from 1 to 6",
            ),
            (":N0N:52:X", 39, "OGID colour is 'X', expected W or B"),
            (
                ":N0N:52:W:IWB",
                41,
                "OGID state is 'IWB', expected one or two letters such as R or IW",
            ),
            (
                ":N0N:52:W:R:-1",
                43,
                "OGID white score is '-1', expected a number from 0 to 32767",
            ),
            (
                ":N0N:52:W:R:7:0:7",
                43,
                "OGID score is not possible: score 7 is not below the match length 7",
            ),
            (
                ":N0N:52:W:R:0:0:7X",
                47,
                "OGID match length is '7X', expected a length such as 7, 7C (Crawford), 7L or 0G3",
            ),
            (
                ":N0N:52:W:R:0:0:7:0:14",
                51,
                "OGID checker count is '14', expected 15",
            ),
            (":N0N:52:W:R:0:0:7:0:15:", 53, "OGID is followed by ':'"),
            (
                ":N0P::B:G:0:0:7:9",
                39,
                "OGID state is of a game that is over: there is no decision",
            ),
        ] {
            let text = format!("OGID={start}{rest}");
            let error = parse_position(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
            assert_eq!((error.code(), error.at()), ("bad-ogid", at + 5), "{text}");
        }
        let both = parse_position(b"1:1:N0N").unwrap_err();
        assert_eq!((both.code(), both.at()), ("bad-ogid", 0));
    }

    /// PT-08: other forms are not taken for an OGID.
    #[test]
    fn other_forms_keep_their_codes() {
        for text in [
            "4HPwATDgc/ABMA:cAkAAAAAAAAE",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
            "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
            "4HPwATDgc/ABMA",
            ":",
        ] {
            assert!(!Ogid::is_meant(text.as_bytes()), "{text}");
        }
    }

    /// OGID-13: whatever the colour of the player on roll, the same state comes back.
    #[test]
    fn both_colours_say_the_same() {
        let id = GnubgId::parse(b"4PPBA0DY1sgBIQ:8ImlACAACAAE");
        let id = id.unwrap_or_else(|_| GnubgId {
            position: PositionId::from(Position::start()),
            match_id: MatchId::of(&MatchState::default(), None, None, PlayerNumber::One),
        });
        let position = id.position.position();
        let score = Score::new(7, 6, 3, true).unwrap();
        let state = MatchState {
            score,
            ..MatchState::default()
        };
        for colour in [OgidColour::White, OgidColour::Black] {
            for roll in [None, Some(Roll::of(6, 2))] {
                let view = Ogid::of(&position, &state, roll, None, colour)
                    .view()
                    .unwrap();
                assert_eq!((view.position, view.state.score), (position, score));
                assert_eq!(
                    (view.roll.is_some(), view.on_roll),
                    (roll.is_some(), colour)
                );
            }
        }
    }
}
