//! Errors of notation parsing: form and field, reason, and byte position.

use super::ForeignKind;
use crate::{MatchStateError, PositionError, RollError};

/// The stable error codes of this module, as in the `code` of an error answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A Position ID, a key, or a text of no known form.
    BadPosition,
    /// A Match ID.
    BadMatchId,
    /// An XGID.
    BadXgid,
    /// An OGID.
    BadOgid,
    /// A FIBS board line.
    BadBoard,
    /// A roll of two dice.
    BadRoll,
    /// A line of a benchmark or training file.
    BadRecord,
    /// A match file.
    BadMatchFile,
    /// The text of a play, or a play that is not legal.
    BadPlay,
}

impl Code {
    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::BadPosition => "bad-position",
            Code::BadMatchId => "bad-match-id",
            Code::BadXgid => "bad-xgid",
            Code::BadOgid => "bad-ogid",
            Code::BadBoard => "bad-board",
            Code::BadRoll => "bad-roll",
            Code::BadRecord => "bad-record",
            Code::BadMatchFile => "bad-match-file",
            Code::BadPlay => "bad-play",
        }
    }
}

/// An error while parsing a text. Its `Display` is one line with the field and the reason; the place is separate in
/// [`NotationError::at`], as in an error answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field} {reason}{}", example(.field, .reason))]
pub struct NotationError {
    code: Code,
    field: &'static str,
    reason: Reason,
    at: usize,
}

impl NotationError {
    pub(crate) const fn new(code: Code, field: &'static str, reason: Reason, at: usize) -> Self {
        NotationError {
            code,
            field,
            reason,
            at,
        }
    }

    /// Returns the stable code, such as `bad-position`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Returns the code as a value.
    #[must_use]
    pub const fn kind(&self) -> Code {
        self.code
    }

    /// Returns the field that is wrong, in words.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// Returns the reason for the error.
    #[must_use]
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Returns the byte offset, from 0, at which the field or its wrong part begins.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns the same error in a text where this one begins at byte `offset`.
    #[must_use]
    pub const fn moved(mut self, offset: usize) -> Self {
        self.at += offset;
        self
    }
}

/// Returns an example of a field of the wrong length, in brackets, or nothing.
fn example(field: &str, reason: &Reason) -> &'static str {
    match (reason, field) {
        (Reason::Length { .. }, "position ID") => " (example: 4HPwATDgc/ABMA)",
        (Reason::Length { .. }, "match ID") => " (example: cAkAAAAAAAAE)",
        (Reason::Length { .. }, "position key") => " (example: OAHDPAABDAOAHDPAABDA)",
        _ => "",
    }
}

/// Reason for rejecting a field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A text of fixed length with another length.
    #[error("has {found} characters, expected {want}")]
    Length {
        /// Characters found.
        found: usize,
        /// Expected number of characters.
        want: usize,
    },
    /// The text ends before the field.
    #[error("is missing")]
    Missing,
    /// A byte that cannot stand there.
    #[error("has {}, expected {want}", Shown(*.found))]
    Byte {
        /// The byte.
        found: u8,
        /// Description of the expected bytes.
        want: &'static str,
    },
    /// A number out of range, or one that is no number the field can hold.
    #[error("is {found}, expected {want}")]
    Value {
        /// The value as given, shortened.
        found: String,
        /// Description of the expected values.
        want: &'static str,
    },
    /// Something follows where the text should end.
    #[error("is followed by {}", Shown(*.0))]
    Trailing(u8),
    /// One bits after the last point.
    #[error("has a one bit after the 50th point")]
    StrayBits,
    /// The checkers do not make a legal position.
    #[error("is not legal: {0}")]
    Position(#[from] PositionError),
    /// Cube, score and rules do not fit.
    #[error("is not possible: {0}")]
    State(#[from] MatchStateError),
    /// A die out of range.
    #[error("is not possible: {0}")]
    Roll(#[from] RollError),
    /// A file or text of another kind.
    #[error("is {0}")]
    Foreign(ForeignKind),
    /// Any other reason with a fixed text.
    #[error("{0}")]
    Other(&'static str),
}

/// A byte, printable or not, in quotes that fit on a line.
struct Shown(u8);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            byte @ 0x20..=0x7e => write!(f, "'{}'", char::from(byte)),
            byte => write!(f, "byte 0x{byte:02x}"),
        }
    }
}

/// Returns a piece of the input, prepared for a message: printable, on one line, short.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 24;
    let mut text = String::from("'");
    for &byte in bytes.iter().take(LONGEST) {
        text.push(if matches!(byte, 0x20..=0x7e) {
            char::from(byte)
        } else {
            '?'
        });
    }
    if bytes.len() > LONGEST {
        text.push('…');
    }
    text.push('\'');
    text
}
