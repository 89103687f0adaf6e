//! Hypergammon: games with one, two or three checkers a side, solved by value iteration.
//!
//! A [`HyperTable`] has the chances and the money equities of all positions, for each place of the cube, in GNU
//! Backgammon's format. No program distributes these files, because they are long: `gammond bearoff make --hyper 3`
//! makes them ([`make_hyper`]). Rules `HYPER-01` to `HYPER-08`.

#[cfg(feature = "make")]
mod make;
mod sides;

#[cfg(feature = "make")]
pub use make::{HyperStage, make_hyper};

use super::bytes::Bytes;
use super::file_kind;
use super::header::{HEADER_BYTES, Kind};
use gammond_game::{Chances, Position};
use sides::Sides;
use std::fmt;

/// Bytes of a position.
const RECORD_BYTES: usize = 28;
/// The largest number of 24 bits.
const WHOLE: f32 = 16_777_215.0;
/// Money equities reach from -3 to 3.
const EQUITY_RANGE: f32 = 6.0;

/// The exact value of a position to the player on roll, who has not doubled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HyperValue {
    /// Chances when both play for the largest equity without a cube.
    pub chances: Chances,
    /// Money equity when the player on roll owns the cube, in units of the cube, -3..=3.
    pub owned: f32,
    /// Money equity when the cube is centred.
    pub centred: f32,
    /// Money equity when the cube is centred, with the Jacoby rule.
    pub jacoby: f32,
    /// Money equity when the opponent owns the cube.
    pub lent: f32,
}

/// Values of all positions with up to one, two or three checkers a side.
pub struct HyperTable {
    bytes: Bytes,
    sides: Sides,
}

impl fmt::Debug for HyperTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hypergammon of {}, {:?}", self.checkers(), self.bytes)
    }
}

impl HyperTable {
    pub(crate) fn from_bytes(bytes: Bytes) -> Result<HyperTable, (usize, String)> {
        let Kind::Hypergammon(checkers) = file_kind(&bytes)? else {
            return Err((6, "not a hypergammon database (`H`)".into()));
        };
        let sides = Sides::new(checkers.into());
        let wanted = HEADER_BYTES + RECORD_BYTES * sides.all().len().pow(2);
        if bytes.len() != wanted {
            let reason = format!("{} bytes, expected {wanted}", bytes.len());
            return Err((bytes.len(), reason));
        }
        let table = HyperTable { bytes, sides };
        table.check()?;
        Ok(table)
    }

    /// Checks that a player without checkers has won: true of every table, and of hardly any other bytes.
    fn check(&self) -> Result<(), (usize, String)> {
        let positions = self.sides.all().len();
        for index in 1..positions {
            for (me, opponent, wanted) in [(0, index, 1.0), (index, 0, 0.0)] {
                if self.value(me, opponent).map(|value| value.chances.win) != Some(wanted) {
                    let reason = format!("the finished game {me}-{opponent} is not worth {wanted}");
                    return Err((self.offset(me, opponent), reason));
                }
            }
        }
        Ok(())
    }

    /// Number of checkers with which a side begins, 1..=3.
    #[must_use]
    pub const fn checkers(&self) -> usize {
        self.sides.checkers()
    }

    /// Its length in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Number of positions of a side.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.sides.all().len()
    }

    /// Returns the value of a position; `None` if a side has more checkers, or the file cannot be read (any more).
    #[must_use]
    pub fn probe(&self, position: &Position) -> Option<HyperValue> {
        let me = self.sides.number(position.me())?;
        let opponent = self.sides.number(position.opponent())?;
        self.value(me, opponent)
    }

    fn offset(&self, me: usize, opponent: usize) -> usize {
        HEADER_BYTES + RECORD_BYTES * (me * self.sides.all().len() + opponent)
    }

    fn value(&self, me: usize, opponent: usize) -> Option<HyperValue> {
        let mut space = [0; RECORD_BYTES];
        let bytes = self
            .bytes
            .get(self.offset(me, opponent), RECORD_BYTES, &mut space)?;
        let number = |k: usize| {
            let at = 3 * k;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0]) as f32 / WHOLE
        };
        let equity = |k: usize| (number(k) - 0.5) * EQUITY_RANGE;
        Some(HyperValue {
            chances: Chances::from_array([0, 1, 2, 3, 4].map(number)),
            owned: equity(5),
            centred: equity(6),
            jacoby: equity(7),
            lent: equity(8),
        })
    }
}
