//! gnubg's Position ID: the ten key bytes in 14 base-64 characters.
//!
//! Rules PID-10 to PID-13 of `protocol-specs/position-ids.md`.

use std::fmt;
use std::str::FromStr;

use super::syntax::{Parsed, base64_digits, base64_text, complete, refuse};
use super::{Code, NotationError, PositionKey};
use crate::Position;

/// Characters of a Position ID.
pub(super) const CHARACTERS: usize = 14;
const FIELD: &str = "position ID";

/// A position in gnubg's 14 characters, seen by the player on roll.
///
/// ```
/// use gammond_game::Position;
/// use gammond_game::notation::PositionId;
/// let id: PositionId = "4HPwATDgc/ABMA".parse()?;
/// assert_eq!(id.position(), Position::start());
/// assert_eq!(id.to_string(), "4HPwATDgc/ABMA");
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
///
/// The four spare bits of the last character are ignored when read and zero when written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PositionId(Position);

impl PositionId {
    /// Returns the position.
    #[must_use]
    pub const fn position(self) -> Position {
        self.0
    }

    /// Reads the 14 characters.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-position`.
    pub fn parse(text: &[u8]) -> Result<PositionId, NotationError> {
        complete(Code::BadPosition, FIELD, text, position_id)
    }
}

/// position-id = 14 base-64 digits
pub(super) fn position_id(input: &[u8]) -> Parsed<'_, PositionId> {
    let (rest, digits) = base64_digits::<CHARACTERS>(FIELD)(input)?;
    let packed = digits
        .iter()
        .fold(0_u128, |bits, &digit| bits << 6 | u128::from(digit));
    // 84 bits, the first byte highest; the four lowest are spare.
    let [.., b0, b1, b2, b3, b4, b5, b6, b7, b8, b9] = (packed >> 4).to_be_bytes();
    match PositionKey::from_bytes([b0, b1, b2, b3, b4, b5, b6, b7, b8, b9]) {
        Ok(key) => Ok((rest, PositionId(key.position()))),
        Err(reason) => refuse(input, FIELD, reason),
    }
}

impl From<Position> for PositionId {
    fn from(position: Position) -> Self {
        PositionId(position)
    }
}

impl FromStr for PositionId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PositionId::parse(text.as_bytes())
    }
}

impl fmt::Display for PositionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = PositionKey::from(self.0).bytes();
        let packed = bytes
            .iter()
            .fold(0_u128, |bits, &byte| bits << 8 | u128::from(byte))
            << 4;
        f.pad(&base64_text(packed, CHARACTERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_bits_are_ignored_and_written_as_zero() {
        let id: PositionId = "4HPwATDgc/ABMP".parse().unwrap();
        assert_eq!(id.position(), Position::start());
        assert_eq!(id.to_string(), "4HPwATDgc/ABMA");
    }

    #[test]
    fn errors_name_field_reason_and_byte() {
        let check = |text: &str, message: &str, at: usize| {
            let error = PositionId::parse(text.as_bytes()).unwrap_err();
            assert_eq!(
                (error.to_string().as_str(), error.at(), error.code()),
                (message, at, "bad-position"),
                "{text}"
            );
        };
        check(
            "4HPwATDgc/ABM",
            "position ID has 13 characters, expected 14 (example: 4HPwATDgc/ABMA)",
            0,
        );
        check(
            "4HPwATDgc/ABMAA",
            "position ID has 15 characters, expected 14 (example: 4HPwATDgc/ABMA)",
            0,
        );
        check(
            "4HPw_TDgc/ABMA",
            "position ID has '_', expected a base64 digit",
            4,
        );
        check("4HPwATDgc/ABMA ", "position ID is followed by ' '", 14);
    }
}
