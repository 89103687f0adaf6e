//! Exact equities of endings with few checkers on both sides.

use super::bytes::Bytes;
use super::header::{HEADER_BYTES, Kind};
use super::make::two_sided::Plays;
use super::numbering::Numbering;
use super::{built_in, file_kind, index_of};
use gammond_game::{Chances, Position, Roll};
use std::sync::OnceLock;

/// A two-sided database (`BEAR-30`): the equity of every pair of positions, all wins single.
#[derive(Debug)]
pub struct TwoSided {
    bytes: Bytes,
    numbering: Numbering,
    cubeful: bool,
    /// Computed at first use ([`TwoSided::win_after_rolls`]).
    plays: OnceLock<Plays>,
}

/// Most positions of a side for which all plays are kept in memory: a few MB.
const POSITIONS_WITH_PLAYS_MAX: usize = 10_000;

impl TwoSided {
    /// Returns the table in the program: 6 points, 6 checkers, cubeful. In a release program it is computed at first
    /// use, in less than a tenth of a second.
    #[must_use]
    pub fn built_in() -> TwoSided {
        TwoSided {
            bytes: built_in::two_sided(),
            numbering: built_in::TWO_SIDED,
            cubeful: true,
            plays: OnceLock::new(),
        }
    }

    /// Makes the table; see [`super::make::two_sided`] for its cost.
    #[must_use]
    pub fn made(numbering: Numbering, cubeful: bool) -> TwoSided {
        TwoSided {
            bytes: Bytes::Owned(super::make::two_sided(numbering, cubeful)),
            numbering,
            cubeful,
            plays: OnceLock::new(),
        }
    }

    pub(crate) fn from_bytes(bytes: Bytes) -> Result<TwoSided, (usize, String)> {
        let Kind::TwoSided { numbering, cubeful } = file_kind(&bytes)? else {
            return Err((6, "not a two-sided database (`TS`)".into()));
        };
        let values = if cubeful { 4 } else { 1 };
        let wanted = (numbering.positions() as u128).pow(2) * values * 2 + HEADER_BYTES as u128;
        if bytes.len() as u128 != wanted {
            let reason = format!("{} bytes, expected {wanted}", bytes.len());
            return Err((bytes.len(), reason));
        }
        let table = TwoSided {
            bytes,
            numbering,
            cubeful,
            plays: OnceLock::new(),
        };
        table.check()?;
        Ok(table)
    }

    /// Checks that a player without checkers has won: true of every database, and of hardly any other bytes.
    fn check(&self) -> Result<(), (usize, String)> {
        let positions = self.numbering.positions();
        for index in 1..positions {
            for (me, opponent, wanted) in [(0, index, u16::MAX), (index, 0, 0)] {
                let at = self.offset(me, opponent);
                if self.value(at) != Some(wanted) {
                    let reason = format!("the finished game {me}-{opponent} is not worth {wanted}");
                    return Err((at, reason));
                }
            }
        }
        Ok(())
    }

    /// Returns the whole database as a file of GNU Backgammon's; `None` when it is left in a long file.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.bytes.in_memory()
    }

    /// Its length in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Points and checkers covered.
    #[must_use]
    pub const fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// Returns true if equities with the cube are present.
    #[must_use]
    pub const fn is_cubeful(&self) -> bool {
        self.cubeful
    }

    /// Returns true if the position is in the table: not over, no contact, and both sides covered.
    #[must_use]
    pub fn covers(&self, position: &Position) -> bool {
        self.record(position).is_some()
    }

    /// Returns money equities of the player on roll, -1..=1: cubeless, I own the cube, centred, the opponent owns it
    /// (cube at 1, no Jacoby rule or beavers, in units of the cube). The last three are `None` in a database without
    /// cube. `None` when the position is not covered.
    #[must_use]
    pub fn equities(&self, position: &Position) -> Option<(f32, Option<[f32; 3]>)> {
        let at = self.record(position)?;
        let equity = |k: usize| self.value(at + 2 * k).map(equity_of);
        let cubeful = if self.cubeful {
            Some([equity(1)?, equity(2)?, equity(3)?])
        } else {
            None
        };
        Some((equity(0)?, cubeful))
    }

    /// Returns money equities as in [`TwoSided::equities`]: cubeless, I own the cube, centred, the opponent owns it.
    /// `None` when the position is not covered or the database is without cube.
    #[inline]
    #[must_use]
    pub fn probe(&self, position: &Position) -> Option<[f32; 4]> {
        if !self.cubeful {
            return None;
        }
        let at = self.record(position)?;
        let mut space = [0; 8];
        let (values, []) = self.bytes.get(at, 8, &mut space)?.as_chunks::<2>() else {
            return None;
        };
        let values: &[[u8; 2]; 4] = values.try_into().ok()?;
        Some(values.map(|bytes| equity_of(u16::from_le_bytes(bytes))))
    }

    /// Returns the exact chances: the chance to win, no gammons. `None` when the position is not covered.
    #[inline]
    #[must_use]
    pub fn chances(&self, position: &Position) -> Option<Chances> {
        let value = self.value(self.record(position)?)?;
        Some(Chances {
            win: (equity_of(value) + 1.0) / 2.0,
            ..Chances::default()
        })
    }

    /// Returns the chances to win of the player on roll after each of [`Roll::ALL`], the play made that wins most often.
    /// `None` when the position is not covered, or the database is too large to keep its plays.
    #[must_use]
    pub(super) fn win_after_rolls(&self, position: &Position) -> Option<[f32; Roll::ALL.len()]> {
        let (mine, theirs) = self.indices(position)?;
        if self.numbering.positions() > POSITIONS_WITH_PLAYS_MAX {
            return None;
        }
        let plays = self.plays.get_or_init(|| Plays::all(self.numbering));
        let mut wins = [0.0; Roll::ALL.len()];
        for (roll, win) in wins.iter_mut().enumerate() {
            // The other side is on roll after the play.
            let least = plays.of(mine, roll).iter().map(|&after| match after {
                0 => Some(0),
                after => self.value(self.offset(theirs, after as usize)),
            });
            let least = least.min().flatten()?;
            *win = (1.0 - equity_of(least)) / 2.0;
        }
        Some(wins)
    }

    /// Returns the indices of both sides of a covered position.
    #[inline]
    fn indices(&self, position: &Position) -> Option<(usize, usize)> {
        let (me, opponent) = (position.me(), position.opponent());
        if self.numbering.points() > 12 && position.has_contact() {
            return None;
        }
        let mine = index_of(self.numbering, me)?;
        let theirs = index_of(self.numbering, opponent)?;
        (mine != 0 && theirs != 0).then_some((mine, theirs))
    }

    /// Returns the offset of the record of a covered position.
    #[inline]
    fn record(&self, position: &Position) -> Option<usize> {
        let (mine, theirs) = self.indices(position)?;
        Some(self.offset(mine, theirs))
    }

    #[inline]
    fn offset(&self, me: usize, opponent: usize) -> usize {
        let values = if self.cubeful { 8 } else { 2 };
        HEADER_BYTES + (me * self.numbering.positions() + opponent) * values
    }

    #[inline]
    fn value(&self, at: usize) -> Option<u16> {
        let mut space = [0; 2];
        let bytes = self.bytes.get(at, 2, &mut space)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    }
}

#[inline]
fn equity_of(value: u16) -> f32 {
    f32::from(value) / 32767.5 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::make::two_sided;
    use gammond_game::Side;

    fn open(bytes: &[u8]) -> Result<TwoSided, (usize, String)> {
        TwoSided::from_bytes(Bytes::Owned(bytes.to_vec()))
    }

    #[test]
    fn a_cubeless_file_holds_the_first_of_four_values() {
        let numbering = Numbering::new(4, 3).unwrap();
        let cubeful = open(&two_sided(numbering, true)).unwrap();
        let cubeless = open(&two_sided(numbering, false)).unwrap();
        let side = |index| {
            let mut counts = [0; 25];
            counts[..18].copy_from_slice(&numbering.counts(index));
            Side::from_counts(&counts).unwrap()
        };
        for me in 1..numbering.positions() {
            for opponent in 1..numbering.positions() {
                let position = Position::from_sides(side(me), side(opponent));
                let [equity, owned, centred, lent] = cubeful.probe(&position).unwrap();
                let rest = [owned, centred, lent];
                assert_eq!(cubeful.equities(&position), Some((equity, Some(rest))));
                assert_eq!(cubeless.equities(&position), Some((equity, None)));
                assert_eq!(cubeless.probe(&position), None);
                assert_eq!(cubeful.chances(&position), cubeless.chances(&position));
                // To own the cube is never worse than to share it, or to leave it to the other.
                assert!(owned >= centred && centred >= lent, "{me} {opponent}");
            }
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let file = two_sided(Numbering::new(2, 2).unwrap(), true);
        for length in 0..file.len() {
            assert!(open(&file[..length]).is_err());
        }
        let mut longer = file.clone();
        longer.push(0);
        assert_eq!(open(&longer).unwrap_err().0, longer.len());
        let mut other = file;
        other[6] = b'O';
        assert!(open(&other).is_err());
    }
}
