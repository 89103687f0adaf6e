//! The codes of errors, on all wires.

use gammond_game::notation::NotationError;
use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! codes {
    ($($name:ident $word:literal: $meaning:literal,)*) => {
        /// A stable code of an error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $word, "`: ", $meaning, ".")] $name,)*
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

            /// Returns its meaning, as in `protocol-specs/errors.md`.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $meaning,)*
                }
            }
        }
    };
}

codes! {
    BadPosition "bad-position": "a Position ID or 20-letter key; or a position in no known form",
    BadMatchId "bad-match-id": "a Match ID: length, alphabet, or an impossible state",
    BadXgid "bad-xgid": "an XGID: a missing or impossible field, an illegal position",
    BadOgid "bad-ogid": "an OGID: a missing or impossible field, an illegal position, a game that is over",
    BadBoard "bad-board": "a FIBS board line: a missing or impossible field, an illegal position",
    BadRoll "bad-roll": "two dice",
    BadRecord "bad-record": "a line of a benchmark or training file",
    BadMatchFile "bad-match-file": "a match file",
    BadPlay "bad-play": "the text of a play, or a play that is not legal",
    MissingPosition "missing-position": "a request without its required position",
    MissingRoll "missing-roll": "`move` without a roll",
    UnknownVerb "unknown-verb": "a word that is neither a request nor a position",
    BadScore "bad-score": "an impossible score or length, or a score that contradicts the length",
    BadCube "bad-cube": "a cube that is impossible in this match, or a cube decision where there is none",
    BadRequest "bad-request": "a line that is not a request: an unknown or misplaced word",
    BadSetting "bad-setting": "an unknown setting, or a value out of its range",
    BadCombination "bad-combination": "members or settings of which each is right, but not beside the other",
    BadId "bad-id": "the id of a line: too long, or not printable",
    BadByte "bad-byte": "an invalid byte in a request: a control character, or a non-ASCII byte outside names",
    LineTooLong "line-too-long": "a line of more than 4096 bytes; the rest of it is discarded",
    GameOver "game-over": "a query about a position in which one side has no checkers left",
    Stopped "stopped": "the query was stopped before an answer was ready",
    Busy "busy": "the queue is full, too many answers are unread, or the connection limit is reached; retry later",
    Timeout "timeout": "the client was too slow, or the answer was not ready in time",
    AnswerTooLong "answer-too-long": "over NATS: the answer is longer than the message limit",
    Internal "internal": "a fault of the program, logged with the request",
    BadJson "bad-json": "a JSON body: its syntax, or a member of a wrong kind",
    Forbidden "forbidden": "a page of another site sent it, or the path is for clients with a token",
    KeyReused "key-reused": "an `Idempotency-Key` that was used with another request",
    MethodNotAllowed "method-not-allowed": "a method that the path does not have",
    Misdirected "misdirected": "the `Host` of the request is not this server",
    NotAcceptable "not-acceptable": "`Accept` allows none of the available forms",
    NotFound "not-found": "an unknown path or job",
    NotReady "not-ready": "a job that has not ended, or a request that is being stored; retry later",
    TooLarge "too-large": "a body, or a list in it, that is too long",
    TooManyFailures "too-many-failures": "too many wrong tokens from this address; retry later",
    TooManyRequests "too-many-requests": "the limit of this client is reached; retry later",
    TooSlow "too-slow": "the body did not arrive in time",
    Unauthorized "unauthorized": "a token is missing or wrong",
    Unsupported "unsupported": "a part of another program's interface that is not offered here",
    UnsupportedMedia "unsupported-media": "a body of a kind that the path does not take",
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
