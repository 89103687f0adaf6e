//! Positions of all checkers, packed into two 128-bit words.

use crate::Variant;
use std::fmt;

/// Number of places a checker on the board can have: 24 points and the bar.
pub const POINTS: usize = 25;
/// Index of the bar, seen by the side whose checker stands there.
pub const BAR: usize = 24;
/// Index of the borne-off checkers in [`Side`]; the `to` of a step that bears off.
pub const OFF: usize = 25;

/// The fifteen checkers of one side, by that side's own numbering: index 0 is its ace point,
/// 23 its 24 point, 24 ([`BAR`]) its bar and 25 ([`OFF`]) the checkers it has borne off.
///
/// Four bits a place, so moving a checker is one subtraction and one addition, comparing two
/// sides is one comparison, and what differs is one exclusive or. The 26 counts add up to 15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side(u128);

/// Bit 0 of each of the 26 places.
const ONES: u128 = 0x11_1111_1111_1111_1111_1111_1111;
const BOARD: u128 = (1 << 100) - 1;

impl Side {
    /// Number of checkers of a side, those that are borne off among them.
    pub const CHECKERS: u8 = 15;
    /// The fifteen checkers at the start of a game.
    pub const START: Side = Side(5 << 20 | 3 << 28 | 5 << 48 | 2 << 92);
    /// All fifteen borne off.
    pub const ALL_OFF: Side = Side(15 << 100);

    /// Packs counts by index 0..=24; the rest to 15 is borne off.
    ///
    /// Returns `None` when there are more than 15 checkers.
    #[must_use]
    pub fn from_counts(counts: &[u8; POINTS]) -> Option<Side> {
        let total: u32 = counts.iter().map(|&n| u32::from(n)).sum();
        if total > 15 {
            return None;
        }
        let mut packed = u128::from(15 - total) << (4 * OFF);
        for (index, &count) in counts.iter().enumerate() {
            packed |= u128::from(count) << (4 * index);
        }
        Some(Side(packed))
    }

    /// Counts by index 0..=24 (25 of them; borne-off checkers are not among them).
    #[must_use]
    pub fn counts(self) -> [u8; POINTS] {
        let mut counts = [0; POINTS];
        for (index, count) in counts.iter_mut().enumerate() {
            *count = self.count(index);
        }
        counts
    }

    /// Returns the number of checkers at `index` (0..=25).
    #[inline(always)]
    #[must_use]
    pub const fn count(self, index: usize) -> u8 {
        ((self.0 >> (4 * index)) & 15) as u8
    }

    /// Returns the number of checkers borne off, 0..=15.
    #[inline(always)]
    #[must_use]
    pub const fn off(self) -> u8 {
        (self.0 >> 100) as u8
    }

    /// Returns the number of checkers on the board or bar, 0..=15.
    #[inline(always)]
    #[must_use]
    pub const fn on_board(self) -> u8 {
        Side::CHECKERS - self.off()
    }

    /// Returns the packed word: four bits a place, index 0 lowest. A key for comparing and hashing.
    #[inline(always)]
    #[must_use]
    pub const fn packed(self) -> u128 {
        self.0
    }

    /// Returns the side with this packed word, which must come from [`Side::packed`] or from legal steps.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn from_packed(packed: u128) -> Side {
        Side(packed)
    }

    /// Returns the side with one checker moved; there must be one at `from`.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn moved(self, from: usize, to: usize) -> Side {
        Side(self.0 - (1 << (4 * from)) + (1 << (4 * to)))
    }

    /// Returns a mask whose bit `i` is set where at least one checker stands at index `i`, 0..=24.
    #[inline]
    #[must_use]
    pub const fn occupied(self) -> u32 {
        let x = self.0 & BOARD;
        gather(x | x >> 1 | x >> 2 | x >> 3)
    }

    /// Returns a mask whose bit `i` is set where at least two checkers stand at index `i`, 0..=24.
    #[inline]
    #[must_use]
    pub const fn made(self) -> u32 {
        let x = self.0 & BOARD;
        gather(x >> 1 | x >> 2 | x >> 3)
    }

    /// Returns the highest occupied index, 0..=24; `None` when all checkers are off.
    #[inline]
    #[must_use]
    pub const fn rearmost(self) -> Option<usize> {
        let x = self.0 & BOARD;
        if x == 0 {
            None
        } else {
            Some((127 - x.leading_zeros() as usize) / 4)
        }
    }

    /// Returns the pip count: index + 1 for each checker, 25 on the bar.
    #[inline]
    #[must_use]
    pub const fn pips(self) -> u32 {
        let board = self.0 & BOARD;
        let (low, high) = (board as u64, (board >> 64) as u64);
        weighted_sum(low) + weighted_sum(high) + 16 * nibble_sum(high)
    }

    /// Returns the number of checkers at index 6 or higher, the bar among them: those not in the home board.
    #[inline]
    #[must_use]
    pub const fn outside(self) -> u32 {
        nibble_sum((self.0 >> 24) as u64) + nibble_sum((self.0 >> 88 & 0xfff) as u64)
    }
}

/// Returns the bits 0, 4, 8 … 96 of `spread` as bits 0..=24.
#[inline(always)]
const fn gather(spread: u128) -> u32 {
    let bits = spread & ONES;
    gather_half(bits as u64) | gather_half((bits >> 64) as u64) << 16
}

#[inline(always)]
const fn gather_half(bits: u64) -> u32 {
    let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
    let bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
    let bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
    (bits | bits >> 24) as u32 & 0xffff
}

/// Returns the sum of the sixteen nibbles; at most 255.
#[inline(always)]
const fn nibble_sum(nibbles: u64) -> u32 {
    let bytes = (nibbles & 0x0f0f_0f0f_0f0f_0f0f) + (nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

/// Returns the sum of `(i + 1) * nibble i`, for nibbles that add up to 15 at most, so that no byte overflows.
#[inline(always)]
const fn weighted_sum(nibbles: u64) -> u32 {
    let odd = nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (nibbles & 0x0f0f_0f0f_0f0f_0f0f) + odd;
    let by_pair = (pairs.wrapping_mul(0x0001_0203_0405_0607) >> 56) as u32;
    let all = (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32;
    let odd = (odd.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32;
    2 * by_pair + all + odd
}

impl fmt::Debug for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts())
    }
}

/// A legal position, seen by the player on roll.
///
/// Point `i` of one side is point `23 - i` of the other. No point holds checkers of both sides,
/// at least one side has checkers left, and not both sides are shut out by a closed board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    opponent: Side,
    me: Side,
}

/// Reason why counts are not a legal position. Sides are named as the player on roll sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// More than fifteen checkers for the player on roll.
    #[error("{0} checkers for the player on roll, at most 15")]
    MyCheckers(u32),
    /// More than fifteen checkers for the opponent.
    #[error("{0} checkers for the opponent, at most 15")]
    OpponentCheckers(u32),
    /// A point with checkers of both sides, numbered 1..=24 by the player on roll.
    #[error("both sides have checkers on point {0} of the player on roll")]
    Shared(usize),
    /// Neither side has a checker left.
    #[error("both sides have borne off all checkers")]
    BothOff,
    /// A negative number of checkers on the bar of the player on roll.
    #[error("{0} at index 25, the own bar: expected 0 or more")]
    MyBar(i8),
    /// A positive number of checkers on the opponent's bar.
    #[error("{0} at index 0, the opponent's bar: expected 0 or less")]
    OpponentBar(i8),
    /// Both sides have a closed board and a checker on the bar: no game can lead there.
    #[error("both sides are on the bar against closed boards")]
    BothShutOut,
    /// A side has more checkers on the board than the variant.
    #[error("{checkers} checkers of one side, at most {} in {}", variant.checkers(), variant.word())]
    Variant {
        /// The variant.
        variant: Variant,
        /// The number of checkers on the board and the bar.
        checkers: u8,
    },
}

const HOME: u32 = 0x3f;

impl Position {
    /// Builds a position from the counts of each side's first points, in its own numbering; the others are empty.
    ///
    /// # Errors
    /// [`PositionError`] when a side has more than 15 checkers or 25 places, or both are on one point.
    pub fn from_points(me: &[u8], opponent: &[u8]) -> Result<Position, PositionError> {
        let mut counts = [[0; 25]; 2];
        for (counts, points) in counts.iter_mut().zip([me, opponent]) {
            for (count, &checkers) in counts.iter_mut().zip(points) {
                *count = checkers;
            }
        }
        Position::new(&counts[0], &counts[1])
    }

    /// Returns the position at the start of a game; it looks the same to both sides.
    #[must_use]
    pub const fn start() -> Position {
        Position {
            opponent: Side::START,
            me: Side::START,
        }
    }

    /// Builds a position from counts by index 0..=24, each side in its own numbering.
    ///
    /// # Errors
    /// See [`PositionError`].
    pub fn new(me: &[u8; POINTS], opponent: &[u8; POINTS]) -> Result<Position, PositionError> {
        let total = |side: &[u8; POINTS]| side.iter().map(|&n| u32::from(n)).sum::<u32>();
        let mine = Side::from_counts(me).ok_or(PositionError::MyCheckers(total(me)))?;
        let theirs =
            Side::from_counts(opponent).ok_or(PositionError::OpponentCheckers(total(opponent)))?;
        for index in 0..24 {
            if me[index] > 0 && opponent[23 - index] > 0 {
                return Err(PositionError::Shared(index + 1));
            }
        }
        if mine.on_board() == 0 && theirs.on_board() == 0 {
            return Err(PositionError::BothOff);
        }
        let shut_in =
            |mover: Side, other: Side| mover.count(BAR) > 0 && other.made() & HOME == HOME;
        if shut_in(mine, theirs) && shut_in(theirs, mine) {
            return Err(PositionError::BothShutOut);
        }
        Ok(Position {
            opponent: theirs,
            me: mine,
        })
    }

    /// Builds a position from one row of places, as XGID has them: index 0 is the opponent's bar (zero or negative), 1 to
    /// 24 are the points of the player on roll (positive: own checkers, negative: the opponent's), 25 is the own bar. The
    /// other checkers are borne off.
    ///
    /// # Errors
    /// See [`PositionError`].
    pub fn from_places(places: &[i8; 26]) -> Result<Position, PositionError> {
        let (mut me, mut opponent) = ([0_u8; POINTS], [0_u8; POINTS]);
        for (index, &checkers) in places[1..25].iter().enumerate() {
            if checkers > 0 {
                me[index] = checkers.unsigned_abs();
            } else {
                opponent[23 - index] = checkers.unsigned_abs();
            }
        }
        if places[0] > 0 {
            return Err(PositionError::OpponentBar(places[0]));
        }
        if places[25] < 0 {
            return Err(PositionError::MyBar(places[25]));
        }
        (me[BAR], opponent[BAR]) = (places[25].unsigned_abs(), places[0].unsigned_abs());
        Position::new(&me, &opponent)
    }

    /// Returns the row of places of [`Position::from_places`].
    #[inline]
    #[must_use]
    pub fn places(&self) -> [i8; 26] {
        // 16 places a word: shifts of 64 bits instead of 128.
        let words = |side: Side| [side.packed() as u64, (side.packed() >> 64) as u64];
        let (mine, theirs) = (words(self.me), words(self.opponent));
        let count =
            |side: &[u64; 2], index: usize| (side[index / 16] >> (4 * (index % 16)) & 15) as i8;
        let mut places = [0; 26];
        for index in 0..24 {
            places[index + 1] = count(&mine, index) - count(&theirs, 23 - index);
        }
        places[0] = -count(&theirs, BAR);
        places[25] = count(&mine, BAR);
        places
    }

    /// Returns a position made by legal steps from a legal one.
    #[inline(always)]
    #[must_use]
    pub const fn from_sides(me: Side, opponent: Side) -> Position {
        Position { opponent, me }
    }

    /// Returns the checkers of the player on roll.
    #[inline(always)]
    #[must_use]
    pub const fn me(&self) -> Side {
        self.me
    }

    /// Returns the checkers of the other player.
    #[inline(always)]
    #[must_use]
    pub const fn opponent(&self) -> Side {
        self.opponent
    }

    /// Returns the board with the other player on roll.
    #[inline(always)]
    #[must_use]
    pub const fn swapped(&self) -> Position {
        Position {
            opponent: self.me,
            me: self.opponent,
        }
    }

    /// Returns true if one side has borne off all its checkers.
    #[inline]
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.me.on_board() == 0 || self.opponent.on_board() == 0
    }

    /// Returns true if the two sides can still meet: my rearmost index plus the opponent's exceeds 22.
    #[inline]
    #[must_use]
    pub const fn has_contact(&self) -> bool {
        match (self.me.rearmost(), self.opponent.rearmost()) {
            (Some(mine), Some(theirs)) => mine + theirs > 22,
            _ => false,
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Position {{ me: {:?}, opponent: {:?} }}",
            self.me, self.opponent
        )
    }
}

impl Default for Position {
    fn default() -> Self {
        Position::start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_has_fifteen_each_and_167_pips() {
        let start = Position::start();
        assert_eq!(start.me().on_board(), 15);
        assert_eq!(start.me().pips(), 167);
        assert_eq!(start.me().rearmost(), Some(23));
        assert_eq!(start, start.swapped());
        assert_eq!(
            Position::new(&start.me().counts(), &start.opponent().counts()),
            Ok(start)
        );
    }

    #[test]
    fn masks_agree_with_counts() {
        let mut counts = [0; POINTS];
        for (index, count) in [(0, 2), (3, 1), (15, 4), (16, 1), (23, 3), (24, 2)] {
            counts[index] = count;
        }
        let side = Side::from_counts(&counts).unwrap();
        for (index, &count) in counts.iter().enumerate() {
            assert_eq!(side.occupied() >> index & 1 == 1, count > 0);
            assert_eq!(side.made() >> index & 1 == 1, count > 1);
        }
        assert_eq!(side.off(), 2);
        assert_eq!(side.pips(), 2 + 4 + 4 * 16 + 17 + 3 * 24 + 2 * 25);
        assert_eq!(side.outside(), 10);
        assert_eq!(Side::START.outside(), 10);
        assert_eq!(Side::ALL_OFF.pips() + Side::ALL_OFF.outside(), 0);
    }

    #[test]
    fn places_and_positions_are_each_others_inverse() {
        let places = Position::start().places();
        assert_eq!(
            (places[24], places[6], places[1], places[19]),
            (2, 5, -2, -5)
        );
        let mut row = [0; 26];
        (row[0], row[25], row[3], row[22]) = (-2, 1, 4, -3);
        let position = Position::from_places(&row).unwrap();
        assert_eq!(position.places(), row);
        assert_eq!(position.me().count(BAR), 1);
        assert_eq!(position.opponent().count(BAR), 2);
        assert_eq!(position.opponent().count(2), 3);
        for (index, checkers) in [
            (0, 1),
            (25, -1),
            (7, 16),
            (7, -16),
            (25, i8::MIN),
            (3, i8::MIN),
        ] {
            let mut wrong = row;
            wrong[index] = checkers;
            assert!(Position::from_places(&wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(Position::from_places(&[0; 26]), Err(PositionError::BothOff));
    }

    #[test]
    fn impossible_boards_are_refused() {
        let mut me = [0; POINTS];
        let opponent = [0; POINTS];
        assert_eq!(Position::new(&me, &opponent), Err(PositionError::BothOff));
        me[0] = 16;
        assert_eq!(
            Position::new(&me, &opponent),
            Err(PositionError::MyCheckers(16))
        );
        assert_eq!(
            Position::new(&opponent, &me),
            Err(PositionError::OpponentCheckers(16))
        );
        me[0] = 1;
        let mut other = [0; POINTS];
        other[23] = 1;
        assert_eq!(Position::new(&me, &other), Err(PositionError::Shared(1)));
        let mut closed = [2; 25];
        closed[6..].fill(0);
        closed[BAR] = 1;
        assert_eq!(
            Position::new(&closed, &closed),
            Err(PositionError::BothShutOut)
        );
    }
}
