//! The 80-bit key of a position: ten bytes, or the twenty letters of benchmark files.
//!
//! Rules PID-01 to PID-06 and BM-02 of `protocol-specs/`.

use std::fmt;
use std::str::FromStr;

use super::syntax::{Parsed, complete, refuse};
use super::{Code, NotationError, Reason};
use crate::{POINTS, Position, PositionError};

/// Letters of the key in benchmark files.
pub(super) const LETTERS: usize = 20;
const FIELD: &str = "position key";

/// A position as gnubg's ten-byte key; its text form is the twenty letters `A` to `P` of
/// benchmark files.
///
/// ```
/// use gammond_game::Position;
/// use gammond_game::notation::PositionKey;
/// let key: PositionKey = "OAHDPAABDAOAHDPAABDA".parse()?;
/// assert_eq!(key.position(), Position::start());
/// assert_eq!(key.to_string(), "OAHDPAABDAOAHDPAABDA");
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PositionKey(Position);

impl PositionKey {
    /// Returns the position.
    #[must_use]
    pub const fn position(self) -> Position {
        self.0
    }

    /// Returns the ten bytes: the opponent's 25 points, then those of the player on roll, a one bit for each checker
    /// and a zero bit after each point, lowest bit of the first byte first.
    #[must_use]
    pub fn bytes(self) -> [u8; 10] {
        let mut bits = 0_u128;
        let mut next = 0_u32;
        for side in [self.0.opponent(), self.0.me()] {
            for index in 0..POINTS {
                let count = u32::from(side.count(index));
                bits |= ((1 << count) - 1) << next;
                next += count + 1;
            }
        }
        let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, ..] = bits.to_le_bytes();
        [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9]
    }

    /// Creates the key of ten bytes.
    ///
    /// # Errors
    /// [`Reason::StrayBits`] or [`Reason::Position`].
    pub fn from_bytes(bytes: [u8; 10]) -> Result<PositionKey, Reason> {
        let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9] = bytes;
        let mut bits =
            u128::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, 0, 0, 0, 0, 0, 0]);
        let mut sides = [[0_u8; POINTS]; 2];
        for count in sides.iter_mut().flatten() {
            let ones = bits.trailing_ones();
            // At most 80 bits are ones, so the count fits and the shift stays below 128.
            *count = u8::try_from(ones).unwrap_or(u8::MAX);
            bits >>= ones + 1;
        }
        let [opponent, me] = sides;
        let total = |side: &[u8; POINTS]| side.iter().map(|&n| u32::from(n)).sum::<u32>();
        // Too many checkers push the last points out of the key; report that, not its consequences.
        if total(&opponent) > 15 {
            return Err(PositionError::OpponentCheckers(total(&opponent)).into());
        }
        if bits != 0 {
            return Err(Reason::StrayBits);
        }
        Ok(PositionKey(Position::new(&me, &opponent)?))
    }

    /// Reads the twenty letters.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-position`.
    pub fn parse(text: &[u8]) -> Result<PositionKey, NotationError> {
        complete(Code::BadPosition, FIELD, text, letters)
    }
}

/// key = 20 letters A..P
pub(super) fn letters(input: &[u8]) -> Parsed<'_, PositionKey> {
    let run = input
        .iter()
        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    let (text, rest) = input.split_at_checked(run).unwrap_or((input, &[]));
    let mut nibbles = [0_u8; LETTERS];
    if run != LETTERS {
        return refuse(
            input,
            FIELD,
            Reason::Length {
                found: run,
                want: LETTERS,
            },
        );
    }
    for (at, (nibble, &found)) in nibbles.iter_mut().zip(text).enumerate() {
        if !matches!(found, b'A'..=b'P') {
            let want = "a letter A to P";
            let place = input.get(at..).unwrap_or_default();
            return refuse(place, FIELD, Reason::Byte { found, want });
        }
        *nibble = found - b'A';
    }
    let mut bytes = [0; 10];
    let (pairs, _) = nibbles.as_chunks::<2>();
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = high << 4 | low;
    }
    match PositionKey::from_bytes(bytes) {
        Ok(key) => Ok((rest, key)),
        Err(reason) => refuse(input, FIELD, reason),
    }
}

impl From<Position> for PositionKey {
    fn from(position: Position) -> Self {
        PositionKey(position)
    }
}

impl FromStr for PositionKey {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PositionKey::parse(text.as_bytes())
    }
}

impl fmt::Display for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(LETTERS);
        for byte in self.bytes() {
            text.push(char::from(b'A' + (byte >> 4)));
            text.push(char::from(b'A' + (byte & 15)));
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_has_the_bytes_of_the_specification() {
        let key = PositionKey::from(Position::start());
        let bytes = [224, 115, 240, 1, 48, 224, 115, 240, 1, 48];
        assert_eq!(key.bytes(), bytes);
        assert_eq!(PositionKey::from_bytes(bytes), Ok(key));
    }

    #[test]
    fn few_checkers_leave_the_last_bits_zero() {
        let key: PositionKey = "AAAAABNMAAAAAAAAAAAA".parse().unwrap();
        let position = key.position();
        assert_eq!(position.opponent().off(), 14);
        assert_eq!(position.opponent().count(16), 1);
        assert_eq!((position.me().count(0), position.me().count(1)), (3, 2));
        assert_eq!(key.to_string(), "AAAAABNMAAAAAAAAAAAA");
    }

    #[test]
    fn broken_keys_are_refused() {
        let mut bytes = [0_u8; 10];
        bytes[0] = 1;
        assert!(PositionKey::from_bytes(bytes).is_ok());
        bytes[9] = 0x80;
        assert_eq!(PositionKey::from_bytes(bytes), Err(Reason::StrayBits));
        assert_eq!(
            PositionKey::from_bytes([255; 10]),
            Err(PositionError::OpponentCheckers(80).into())
        );
        assert_eq!(
            PositionKey::from_bytes([0; 10]),
            Err(PositionError::BothOff.into())
        );
    }
}
