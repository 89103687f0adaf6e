//! The codes of errors, on all wires.

use gammond_game::notation::NotationError;
use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        /// A stable code of an error; `protocol-specs/errors.md` says what each means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* #[doc = concat!("`", $word, "`.")] $name,)*
        }

        impl ErrorCode {
            /// All codes: first those of lines, then those of HTTP alone.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// Returns the word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $word,)*
                }
            }
        }
    };
}

codes! {
    BadPosition "bad-position",
    BadMatchId "bad-match-id",
    BadXgid "bad-xgid",
    BadOgid "bad-ogid",
    BadBoard "bad-board",
    BadRoll "bad-roll",
    BadRecord "bad-record",
    BadMatchFile "bad-match-file",
    BadPlay "bad-play",
    MissingPosition "missing-position",
    MissingRoll "missing-roll",
    UnknownVerb "unknown-verb",
    BadScore "bad-score",
    BadCube "bad-cube",
    BadRequest "bad-request",
    BadSetting "bad-setting",
    BadId "bad-id",
    BadByte "bad-byte",
    LineTooLong "line-too-long",
    GameOver "game-over",
    Stopped "stopped",
    Busy "busy",
    Timeout "timeout",
    AnswerTooLong "answer-too-long",
    Internal "internal",
    BadJson "bad-json",
    Forbidden "forbidden",
    KeyReused "key-reused",
    MethodNotAllowed "method-not-allowed",
    Misdirected "misdirected",
    NotAcceptable "not-acceptable",
    NotFound "not-found",
    NotReady "not-ready",
    TooLarge "too-large",
    TooManyFailures "too-many-failures",
    TooManyRequests "too-many-requests",
    TooSlow "too-slow",
    Unauthorized "unauthorized",
    Unsupported "unsupported",
    UnsupportedMedia "unsupported-media",
}

impl ErrorCode {
    /// Returns the code of this word.
    #[must_use]
    pub fn named(word: &str) -> Option<ErrorCode> {
        ErrorCode::ALL
            .iter()
            .copied()
            .find(|code| code.as_str() == word)
    }

    /// Returns true if an error of a line can have this code.
    #[must_use]
    pub fn is_of_lines(self) -> bool {
        self <= ErrorCode::Internal
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl From<&NotationError> for ErrorCode {
    fn from(error: &NotationError) -> ErrorCode {
        // Every code of notations is one of lines, by a test.
        ErrorCode::named(error.code()).unwrap_or(ErrorCode::Internal)
    }
}
