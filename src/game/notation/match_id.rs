//! gnubg's Match ID: cube, score, dice and turn in 12 base-64 characters.
//!
//! Rules MID-01 to MID-08 of `protocol-specs/position-ids.md`. [`MatchId`] holds the 72 bits as they are, so reading
//! and writing changes nothing; [`MatchId::view`] makes a `MatchState` of them, or gives the reason why there is
//! none.

use std::fmt;
use std::str::FromStr;

use super::syntax::{Parsed, base64_digits, base64_text, complete};
use super::{Code, NotationError, Offer, Reason};
use crate::{Cube, CubeOwner, MatchState, Roll, Rules, Score};

/// Characters of a Match ID.
pub(super) const CHARACTERS: usize = 12;
const FIELD: &str = "match ID";

/// One of the two players of a match, as gnubg numbers them: 1 sits at the bottom of the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayerNumber {
    /// gnubg's player 0, at the top.
    Zero,
    /// gnubg's player 1, at the bottom.
    One,
}

impl PlayerNumber {
    /// Returns the other one.
    #[must_use]
    pub const fn other(self) -> PlayerNumber {
        match self {
            PlayerNumber::Zero => PlayerNumber::One,
            PlayerNumber::One => PlayerNumber::Zero,
        }
    }
}

/// A field of the Match ID: its lowest bit and its width.
#[derive(Clone, Copy)]
struct Bits(u32, u32);

const CUBE_LOG: Bits = Bits(0, 4);
const OWNER: Bits = Bits(4, 2);
const ON_ROLL: Bits = Bits(6, 1);
const CRAWFORD: Bits = Bits(7, 1);
const GAME_STATE: Bits = Bits(8, 3);
const DECIDES: Bits = Bits(11, 1);
const DOUBLED: Bits = Bits(12, 1);
const RESIGNATION: Bits = Bits(13, 2);
const DIE: [Bits; 2] = [Bits(15, 3), Bits(18, 3)];
const LENGTH: Bits = Bits(21, 15);
const SCORE: [Bits; 2] = [Bits(36, 15), Bits(51, 15)];
const NO_JACOBY: Bits = Bits(66, 1);

/// The 72 bits of a Match ID.
///
/// ```
/// use gammond_game::notation::{MatchId, PlayerNumber};
/// let id: MatchId = "8Al3AAAAEAAE".parse()?;
/// assert!(id.crawford());
/// assert_eq!((id.length(), id.score(PlayerNumber::Zero), id.score(PlayerNumber::One)), (3, 0, 2));
/// assert_eq!(id.dice(), [6, 5]);
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId(u128);

/// A Match ID as seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatchView {
    /// Cube, score and rules. An offered double has not been taken yet.
    pub state: MatchState,
    /// The dice, if rolled.
    pub roll: Option<Roll>,
    /// Offer that waits for an answer.
    pub offer: Option<Offer>,
    /// The player on roll: the doubler, when a double is offered.
    pub on_roll: PlayerNumber,
}

/// Returns the cube before a double that was beavered: the id no longer has its owner.
const fn before_double(log: u16) -> (u16, CubeOwner) {
    match log {
        0 => (0, CubeOwner::Centred),
        _ => (log, CubeOwner::Me),
    }
}

/// The fields of a Match ID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchFields {
    /// The binary logarithm of the cube, 0..=15.
    pub cube_log: u32,
    /// Owner of the cube; `None` when it is centred.
    pub owner: Option<PlayerNumber>,
    /// The player on roll.
    pub on_roll: PlayerNumber,
    /// True in the Crawford game.
    pub crawford: bool,
    /// 0 no game, 1 playing, 2 over, 3 resigned, 4 ended by a pass.
    pub game_state: u32,
    /// The player who must decide now.
    pub decides: PlayerNumber,
    /// True if a double is offered.
    pub doubled: bool,
    /// Games of the resignation offered, 0 for none.
    pub resignation: u32,
    /// The dice; zeros when not rolled.
    pub dice: [u8; 2],
    /// The match length in points, 0 for money.
    pub length: u32,
    /// The points of player 0 and player 1.
    pub scores: [u32; 2],
    /// True if the Jacoby rule is in use.
    pub jacoby: bool,
}

impl MatchFields {
    /// Returns the Match ID with these fields, unchecked; numbers that are too large lose their high bits.
    #[must_use]
    pub fn id(&self) -> MatchId {
        let number = |player| u32::from(player == PlayerNumber::One);
        let [one, two] = self.dice;
        let [high, low] = DIE;
        let [zero_bits, one_bits] = SCORE;
        let [zero, first] = self.scores;
        MatchId(0)
            .with(CUBE_LOG, self.cube_log)
            .with(OWNER, self.owner.map_or(3, number))
            .with(ON_ROLL, number(self.on_roll))
            .with(CRAWFORD, u32::from(self.crawford))
            .with(GAME_STATE, self.game_state)
            .with(DECIDES, number(self.decides))
            .with(DOUBLED, u32::from(self.doubled))
            .with(RESIGNATION, self.resignation)
            .with(high, u32::from(one.max(two)))
            .with(low, u32::from(one.min(two)))
            .with(LENGTH, self.length)
            .with(zero_bits, zero)
            .with(one_bits, first)
            .with(NO_JACOBY, u32::from(!self.jacoby))
    }
}

impl MatchId {
    fn get(self, Bits(low, width): Bits) -> u16 {
        let [b0, b1, ..] = (self.0 >> low & ((1 << width) - 1)).to_le_bytes();
        u16::from_le_bytes([b0, b1])
    }

    fn with(self, Bits(low, width): Bits, value: u32) -> MatchId {
        let mask = ((1_u128 << width) - 1) << low;
        MatchId(self.0 & !mask | u128::from(value) << low & mask)
    }

    fn flag(self, bits: Bits) -> bool {
        self.get(bits) != 0
    }

    fn player(self, bits: Bits) -> PlayerNumber {
        if self.flag(bits) {
            PlayerNumber::One
        } else {
            PlayerNumber::Zero
        }
    }

    /// Returns the binary logarithm of the cube, 0..=15.
    #[must_use]
    pub fn cube_log(self) -> u16 {
        self.get(CUBE_LOG)
    }

    /// Returns the owner of the cube; `None` when it is centred (3; a reader accepts 2 as well).
    #[must_use]
    pub fn owner(self) -> Option<PlayerNumber> {
        match self.get(OWNER) {
            0 => Some(PlayerNumber::Zero),
            1 => Some(PlayerNumber::One),
            _ => None,
        }
    }

    /// Returns the player on roll.
    #[must_use]
    pub fn on_roll(self) -> PlayerNumber {
        self.player(ON_ROLL)
    }

    /// Returns true if the flag of the Crawford game is set.
    #[must_use]
    pub fn crawford(self) -> bool {
        self.flag(CRAWFORD)
    }

    /// Returns 0 for no game, 1 playing, 2 over, 3 resigned, 4 ended by a pass.
    #[must_use]
    pub fn game_state(self) -> u16 {
        self.get(GAME_STATE)
    }

    /// Returns the player who must decide now.
    #[must_use]
    pub fn decides(self) -> PlayerNumber {
        self.player(DECIDES)
    }

    /// Returns true if a double is offered.
    #[must_use]
    pub fn doubled(self) -> bool {
        self.flag(DOUBLED)
    }

    /// Returns the points factor of the resignation offered: 0 none, 1 single, 2 gammon, 3 backgammon.
    #[must_use]
    pub fn resignation(self) -> u16 {
        self.get(RESIGNATION)
    }

    /// Returns the dice, larger first as gnubg writes them; zeros when not rolled.
    #[must_use]
    pub fn dice(self) -> [u16; 2] {
        DIE.map(|die| self.get(die))
    }

    /// Returns the match length in points, 0 for money.
    #[must_use]
    pub fn length(self) -> u16 {
        self.get(LENGTH)
    }

    /// Returns the score of a player.
    #[must_use]
    pub fn score(self, player: PlayerNumber) -> u16 {
        let [zero, one] = SCORE;
        match player {
            PlayerNumber::Zero => self.get(zero),
            PlayerNumber::One => self.get(one),
        }
    }

    /// Returns true if the Jacoby rule is in use.
    #[must_use]
    pub fn jacoby(self) -> bool {
        !self.flag(NO_JACOBY)
    }

    /// Creates the id of a state as the player on roll sees it; `on_roll` is that player. The game is being played.
    /// Beavers have no place in a Match ID, nor has the Jacoby rule in a match.
    #[must_use]
    pub fn of(
        state: &MatchState,
        roll: Option<Roll>,
        offer: Option<Offer>,
        on_roll: PlayerNumber,
    ) -> MatchId {
        let number = |player| u32::from(player == PlayerNumber::One);
        // A beaver that waits for an answer: the double stands, and the cube is the opponent's (MID-09).
        let turned = match offer {
            Some(Offer::Beaver) => 1,
            Some(Offer::Raccoon) => 2,
            _ => 0,
        };
        let owner = match state.cube.owner() {
            _ if turned > 0 => number(on_roll.other()),
            CubeOwner::Centred => 3,
            CubeOwner::Me => number(on_roll),
            CubeOwner::Opponent => number(on_roll.other()),
        };
        let score = state.score;
        let (zero, one) = match on_roll {
            PlayerNumber::Zero => (score.me(), score.opponent()),
            PlayerNumber::One => (score.opponent(), score.me()),
        };
        let decides = match offer {
            None | Some(Offer::Beaver) => on_roll,
            Some(_) => on_roll.other(),
        };
        let (doubled, resigned) = match offer {
            None => (0, 0),
            Some(Offer::Resignation(points)) => (0, u32::from(points)),
            Some(_) => (1, 0),
        };
        let [high, low] = roll.map_or([0, 0], |roll| [roll.high(), roll.low()]);
        let jacoby = score.is_money() && state.rules.jacoby;
        let [zero_bits, one_bits] = SCORE;
        let [high_bits, low_bits] = DIE;
        MatchId(0)
            .with(CUBE_LOG, state.cube.value().trailing_zeros() + turned)
            .with(OWNER, owner)
            .with(ON_ROLL, number(on_roll))
            .with(CRAWFORD, u32::from(score.is_crawford()))
            .with(GAME_STATE, 1)
            .with(DECIDES, number(decides))
            .with(DOUBLED, doubled)
            .with(RESIGNATION, resigned)
            .with(high_bits, u32::from(high))
            .with(low_bits, u32::from(low))
            .with(LENGTH, score.length())
            .with(zero_bits, zero)
            .with(one_bits, one)
            .with(NO_JACOBY, u32::from(!jacoby))
    }

    /// Returns the same with these points of player 0 and player 1 (0..=32767). A `MatchState` has no points in money
    /// play, a Match ID has.
    #[must_use]
    pub fn with_scores(self, zero: u16, one: u16) -> MatchId {
        let [zero_bits, one_bits] = SCORE;
        self.with(zero_bits, zero.into()).with(one_bits, one.into())
    }

    /// Returns the Match ID as seen by the player on roll.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-id` for dice above 6, matches
    /// longer than 255 points, a score at or above the length, a cube above 4096, and Crawford
    /// in money play. A Crawford flag where neither player needs just one point is dropped.
    pub fn view(self) -> Result<MatchView, NotationError> {
        let refuse = |field, reason| NotationError::new(Code::BadMatchId, field, reason, 0);
        let on_roll = self.on_roll();
        let owner = match self.owner() {
            None => CubeOwner::Centred,
            Some(player) if player == on_roll => CubeOwner::Me,
            Some(_) => CubeOwner::Opponent,
        };
        let offer = self.offer(owner);
        let (log, owner) = match offer {
            Some(Offer::Beaver) => before_double(self.cube_log() - 1),
            Some(Offer::Raccoon) => before_double(self.cube_log() - 2),
            _ => (self.cube_log(), owner),
        };
        // After a game the flag is about the next one, and so is the cube then.
        let (log, owner) = if self.is_over() && self.crawford() {
            (0, CubeOwner::Centred)
        } else {
            (log, owner)
        };
        let cube =
            Cube::new(1 << log, owner).map_err(|error| refuse("match ID cube", error.into()))?;
        let length = u32::from(self.length());
        let (me, opponent) = (self.score(on_roll), self.score(on_roll.other()));
        // gnubg keeps the points of a money session; they mean nothing to a decision.
        let (me, opponent) = if length == 0 { (0, 0) } else { (me, opponent) };
        let score = Score::lenient(length, me.into(), opponent.into(), self.crawford())
            .map_err(|error| refuse("match ID score", error.into()))?;
        let rules = if length == 0 {
            Rules {
                jacoby: self.jacoby(),
                ..Rules::default()
            }
        } else {
            Rules {
                jacoby: false,
                beavers: false,
            }
        };
        Ok(MatchView {
            state: MatchState {
                cube,
                score,
                ..MatchState::money(rules)
            },
            roll: self
                .roll()
                .map_err(|reason| refuse("match ID roll", reason))?,
            offer,
            on_roll,
        })
    }

    /// Returns the points of the player on roll and of the other when the match is over (MID-04). Then there is no
    /// state to decide in, and [`MatchId::view`] refuses it.
    #[must_use]
    pub fn final_score(self) -> Option<[u16; 2]> {
        let scores = [self.on_roll(), self.on_roll().other()].map(|player| self.score(player));
        let length = self.length();
        let winners = scores.iter().filter(|&&score| score >= length).count();
        (self.is_over() && length > 0 && winners == 1).then_some(scores)
    }

    /// Returns true if the game is over: played out, resigned or ended by a pass.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.game_state() >= 2
    }

    /// Returns the offer that waits for an answer; `owner` is the owner of the cube, seen by the player on roll. A
    /// doubler cannot own the opponent's cube, so such a cube means a beaver to answer, or the doubler's own raccoon.
    fn offer(self, owner: CubeOwner) -> Option<Offer> {
        if !self.doubled() {
            return match self.get(RESIGNATION) {
                0 => None,
                points => Some(Offer::Resignation(points.to_le_bytes()[0])),
            };
        }
        let beavered = owner == CubeOwner::Opponent;
        let decides = self.decides() == self.on_roll();
        Some(match (beavered, decides, self.cube_log()) {
            (true, true, 1..) => Offer::Beaver,
            (true, false, 2..) => Offer::Raccoon,
            _ => Offer::Double,
        })
    }

    fn roll(self) -> Result<Option<Roll>, Reason> {
        let [first, second] = DIE.map(|die| self.get(die).to_le_bytes()[0]);
        // gnubg reads one die without the other as not rolled.
        let rolled = first != 0 && second != 0;
        let possible = first.max(second) <= 6;
        (rolled || !possible)
            .then(|| Roll::new(first.max(1), second.max(1)))
            .transpose()
            .map_err(Reason::from)
    }

    /// Reads the 12 characters; any 72 bits are accepted here.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-id`.
    pub fn parse(text: &[u8]) -> Result<MatchId, NotationError> {
        complete(Code::BadMatchId, FIELD, text, match_id)
    }
}

/// match-id = 12 base-64 digits
pub(super) fn match_id(input: &[u8]) -> Parsed<'_, MatchId> {
    let (rest, digits) = base64_digits::<CHARACTERS>(FIELD)(input)?;
    let packed = digits
        .iter()
        .fold(0_u128, |bits, &digit| bits << 6 | u128::from(digit));
    Ok((rest, MatchId(packed.swap_bytes() >> 56)))
}

impl FromStr for MatchId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MatchId::parse(text.as_bytes())
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&base64_text((self.0 << 56).swap_bytes(), CHARACTERS))
    }
}

impl fmt::Debug for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchId")
            .field("cube_log", &self.cube_log())
            .field("owner", &self.owner())
            .field("on_roll", &self.on_roll())
            .field("crawford", &self.crawford())
            .field("game_state", &self.game_state())
            .field("decides", &self.decides())
            .field("doubled", &self.doubled())
            .field("resignation", &self.resignation())
            .field("dice", &self.dice())
            .field("length", &self.length())
            .field("scores", &SCORE.map(|score| self.get(score)))
            .field("jacoby", &self.jacoby())
            .field("rest", &(self.0 >> 67))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification() {
        let id: MatchId = "cAkAAAAAAAAE".parse().unwrap();
        let view = id.view().unwrap();
        assert_eq!(view.on_roll, PlayerNumber::One);
        assert_eq!(view.state.cube, Cube::CENTRED);
        assert!(view.state.score.is_money() && !view.state.rules.jacoby);
        assert_eq!(
            MatchId::of(&view.state, view.roll, view.offer, view.on_roll),
            id
        );

        let id: MatchId = "8Al3AAAAEAAE".parse().unwrap();
        let view = id.view().unwrap();
        let score = view.state.score;
        assert_eq!((score.length(), score.me(), score.opponent()), (3, 2, 0));
        assert!(score.is_crawford());
        assert_eq!(view.roll, Some(Roll::new(6, 5).unwrap()));
        assert_eq!(id.to_string(), "8Al3AAAAEAAE");
    }

    #[test]
    fn every_bit_survives() {
        for bit in 0..72 {
            let id = MatchId(1 << bit);
            assert_eq!(id.to_string().parse::<MatchId>().unwrap(), id, "bit {bit}");
        }
    }

    /// MID-04.
    #[test]
    fn one_die_without_the_other_is_not_rolled() {
        let id: MatchId = "cAnkAAAAEAAE".parse().unwrap();
        assert_eq!(id.dice(), [0, 1]);
        assert_eq!(id.view().unwrap().roll, None);
        let impossible = id.with(DIE[0], 7).view().unwrap_err().to_string();
        assert_eq!(
            impossible,
            "match ID roll is not possible: die is 7, expected 1 to 6"
        );
    }

    #[test]
    fn impossible_states_are_refused_by_name() {
        let check = |id: MatchId, message: &str| {
            assert_eq!(id.view().unwrap_err().to_string(), message);
        };
        let start: MatchId = "cAkAAAAAAAAE".parse().unwrap();
        check(
            start.with(DIE[0], 7).with(DIE[1], 1),
            "match ID roll is not possible: die is 7, expected 1 to 6",
        );
        check(
            start.with(LENGTH, 256),
            "match ID score is not possible: match length is 256, expected 0 (money) to 255",
        );
        check(
            start.with(LENGTH, 5).with(SCORE[0], 5),
            "match ID score is not possible: score 5 is not below the match length 5",
        );
        check(
            start.with(CRAWFORD, 1),
            "match ID score is not possible: Crawford needs a match length, which is 0 (money)",
        );
        check(
            start.with(CUBE_LOG, 13),
            "match ID cube is not possible: cube is 8192, expected a power of two from 1 to 4096",
        );
    }
}
