//! The small parsers that all forms share, and how their failures become a [`NotationError`].

use nom::IResult;
use nom::bytes::complete::take_while;
use nom::error::{ErrorKind, ParseError};

use super::error::quoted;
use super::{Code, NotationError, Reason};

/// A failure inside a parser: where (as the rest of the input there), which field, why.
#[derive(Debug)]
pub(super) struct Fault<'a> {
    rest: &'a [u8],
    field: &'static str,
    reason: Reason,
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(rest: &'a [u8], _: ErrorKind) -> Self {
        let reason = rest
            .first()
            .map_or(Reason::Missing, |&byte| Reason::Trailing(byte));
        Fault {
            rest,
            field: "text",
            reason,
        }
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// The result of a parser in this module.
pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

/// Returns the final failure of a parser: no other alternative is tried.
pub(super) fn refuse<'a, T>(rest: &'a [u8], field: &'static str, reason: Reason) -> Parsed<'a, T> {
    Err(nom::Err::Failure(Fault {
        rest,
        field,
        reason,
    }))
}

/// Runs a parser over the whole of `input`; `whole` names the text when something is left over.
pub(super) fn complete<'a, T>(
    code: Code,
    whole: &'static str,
    input: &'a [u8],
    parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>,
) -> Result<T, NotationError> {
    let (rest, value) = prefix(code, input, parser)?;
    match rest.first() {
        None => Ok(value),
        Some(&byte) => Err(NotationError::new(
            code,
            whole,
            Reason::Trailing(byte),
            input.len() - rest.len(),
        )),
    }
}

/// Runs a parser over the start of `input`; returns the rest as well.
pub(super) fn prefix<'a, T>(
    code: Code,
    input: &'a [u8],
    parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>,
) -> Result<(&'a [u8], T), NotationError> {
    parser(input).map_err(|error| match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => NotationError::new(
            code,
            fault.field,
            fault.reason,
            input.len() - fault.rest.len(),
        ),
        // Only streaming parsers need more input, and this module uses none.
        nom::Err::Incomplete(_) => NotationError::new(code, "text", Reason::Missing, input.len()),
    })
}

/// Parses one byte that must be there.
pub(super) fn byte<'a>(
    expected: u8,
    field: &'static str,
    want: &'static str,
) -> impl Fn(&'a [u8]) -> Parsed<'a, ()> {
    move |input| match input.split_first() {
        None => refuse(input, field, Reason::Missing),
        Some((&found, rest)) if found == expected => Ok((rest, ())),
        Some((&found, _)) => refuse(input, field, Reason::Byte { found, want }),
    }
}

/// Parses `-`, `+` or nothing, then decimal digits; within `low..=high`, whose words are `want`.
pub(super) fn integer<'a>(
    field: &'static str,
    low: i64,
    high: i64,
    want: &'static str,
) -> impl Fn(&'a [u8]) -> Parsed<'a, i64> {
    move |input| {
        let (signed, negative) = match input.split_first() {
            Some((b'-', rest)) => (rest, true),
            Some((b'+', rest)) => (rest, false),
            _ => (input, false),
        };
        let (rest, digits) =
            take_while::<_, _, Fault<'a>>(|byte: u8| byte.is_ascii_digit())(signed)?;
        if digits.is_empty() {
            return match signed.first() {
                None => refuse(input, field, Reason::Missing),
                Some(&found) => refuse(
                    signed,
                    field,
                    Reason::Byte {
                        found,
                        want: "a number",
                    },
                ),
            };
        }
        // nom's own integer parsers report overflow as "not a digit"; this one names it.
        let magnitude = digits.iter().fold(0_i64, |sum, digit| {
            sum.saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
        });
        let value = if negative { -magnitude } else { magnitude };
        if value < low || value > high {
            let given = input.get(..input.len() - rest.len()).unwrap_or(digits);
            return refuse(
                input,
                field,
                Reason::Value {
                    found: quoted(given),
                    want,
                },
            );
        }
        Ok((rest, value))
    }
}

/// Returns the value of a base-64 digit (`A-Z a-z 0-9 + /`).
pub(super) const fn base64_value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Returns the base-64 digit of the six low bits.
const fn base64_digit(value: u8) -> char {
    (match value & 63 {
        low @ 0..=25 => b'A' + low,
        low @ 26..=51 => b'a' + low - 26,
        low @ 52..=61 => b'0' + low - 52,
        62 => b'+',
        _ => b'/',
    }) as char
}

/// Returns the `characters` lowest base-64 digits of `packed`, the highest first.
pub(super) fn base64_text(packed: u128, characters: usize) -> String {
    (0..characters)
        .rev()
        .map(|place| {
            let [low, ..] = (packed >> (6 * place)).to_le_bytes();
            base64_digit(low)
        })
        .collect()
}

/// Parses exactly `N` base-64 digits, as their values. A run of another length is refused as a whole.
pub(super) fn base64_digits<'a, const N: usize>(
    field: &'static str,
) -> impl Fn(&'a [u8]) -> Parsed<'a, [u8; N]> {
    move |input| {
        let mut values = [0; N];
        for (index, value) in values.iter_mut().enumerate() {
            let Some(&found) = input.get(index) else {
                return refuse(
                    input,
                    field,
                    Reason::Length {
                        found: index,
                        want: N,
                    },
                );
            };
            let Some(digit) = base64_value(found) else {
                // A sign that ends the run is a wrong length; anything else a wrong character.
                let rest = input.get(index..).unwrap_or_default();
                return match found {
                    b':' | b' ' | b'\t' => refuse(
                        input,
                        field,
                        Reason::Length {
                            found: index,
                            want: N,
                        },
                    ),
                    _ => refuse(
                        rest,
                        field,
                        Reason::Byte {
                            found,
                            want: "a base64 digit",
                        },
                    ),
                };
            };
            *value = digit;
        }
        let rest = input.get(N..).unwrap_or_default();
        let more = rest
            .iter()
            .take_while(|&&byte| base64_value(byte).is_some())
            .count();
        if more > 0 {
            return refuse(
                input,
                field,
                Reason::Length {
                    found: N + more,
                    want: N,
                },
            );
        }
        Ok((rest, values))
    }
}

/// Parses one or more bytes that are not blank, after any blanks.
pub(super) fn word<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> Parsed<'a, &'a [u8]> {
    move |input| {
        let (start, _) = take_while::<_, _, Fault<'a>>(is_blank)(input)?;
        let (rest, word) = take_while::<_, _, Fault<'a>>(|byte| !is_blank(byte))(start)?;
        if word.is_empty() {
            return refuse(start, field, Reason::Missing);
        }
        Ok((rest, word))
    }
}

/// Returns true for a blank inside a line.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
