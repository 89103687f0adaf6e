//! A roll as people write it: `31`, `3 1`, `3-1`, `3,1`.

use super::syntax::{Parsed, complete, is_blank, refuse};
use super::{Code, NotationError, Reason};
use crate::Roll;

const FIELD: &str = "roll";

/// Reads a roll: two digits 1 to 6, together or with one blank, `-` or `,` between.
///
/// # Errors
/// [`NotationError`] with the code `bad-roll`.
///
/// ```
/// use gammond_game::notation::parse_roll;
/// assert_eq!(parse_roll(b"3-1")?.dice(), [3, 1]);
/// assert_eq!(parse_roll(b"37").unwrap_err().to_string(), "second die has '7', expected 1 to 6");
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
pub fn parse_roll(text: &[u8]) -> Result<Roll, NotationError> {
    complete(Code::BadRoll, FIELD, text, roll)
}

/// roll = die \[ " " | "-" | "," \] die
fn roll(input: &[u8]) -> Parsed<'_, Roll> {
    let (rest, first) = die(input, "first die")?;
    let rest = match rest.split_first() {
        Some((&byte, after)) if is_blank(byte) || byte == b'-' || byte == b',' => after,
        _ => rest,
    };
    let (rest, second) = die(rest, "second die")?;
    match Roll::new(first, second) {
        Ok(roll) => Ok((rest, roll)),
        Err(error) => refuse(input, FIELD, error.into()),
    }
}

fn die<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, u8> {
    match input.split_first() {
        Some((&byte @ b'1'..=b'6', rest)) => Ok((rest, byte - b'0')),
        Some((&found, _)) => refuse(
            input,
            field,
            Reason::Byte {
                found,
                want: "1 to 6",
            },
        ),
        None => refuse(input, field, Reason::Missing),
    }
}
