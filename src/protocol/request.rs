//! What can be asked, and what can be wrong with a question.

use super::settings::{AnswerStyle, RolloutWishes, SessionSettings, SettingError};
use crate::game::MatchState;
use crate::notation::{NotationError, ParsedPosition, PlayRecord, PositionChances};
use crate::query::{CubeQuery, EvalQuery, PlayQuery, Settings};

/// Longest line accepted, without its end.
pub const LINE_BYTES_MAX: usize = 4096;
/// Longest request id, in bytes.
pub const ID_BYTES_MAX: usize = 64;

/// A line that was understood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The `#id`, to come back in the answer.
    pub id: Option<String>,
    /// How the answer is to look.
    pub style: AnswerStyle,
    /// What is asked.
    pub request: Request,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// Value a position.
    Eval(EvalQuery, Settings),
    /// Rank the plays of a roll.
    Move(PlayQuery, Settings),
    /// Double, take?
    Cube(CubeQuery, Settings),
    /// Roll a position out.
    Rollout(Box<RolloutRequest>),
    /// Draw a position.
    Show(Box<ParsedPosition>, MatchState),
    /// Write a position in every form.
    Convert(Box<ParsedPosition>, MatchState),
    /// An `m` record of a benchmark file: which candidate is played?
    PlayRecord(Box<PlayRecord>, Settings),
    /// An `o` record of a benchmark file: how is the position valued?
    PositionRecord(Box<PositionChances>, Settings),
    /// A FIBS board line, to be answered with bare text; with the session's settings.
    Board(Vec<u8>, Box<SessionSettings>),
    /// The session's settings from now on.
    Set(Box<SessionSettings>),
    /// Tell the session's settings.
    Get,
    /// Tell what can be asked.
    Help,
    /// Tell program and nets.
    Version,
    /// Tell counters.
    Stats,
    /// Say `pong`.
    Ping,
    /// End the session.
    Quit,
}

/// A rollout wanted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RolloutRequest {
    /// From which position on, before the roll.
    pub query: EvalQuery,
    /// How to play.
    pub settings: Settings,
    /// How many games, how long, which dice.
    pub wishes: RolloutWishes,
}

/// A line that was refused, with what could be read of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{error}")]
pub struct Refusal {
    /// The `#id`, if it was readable.
    pub id: Option<String>,
    /// How the error is to look.
    pub style: AnswerStyle,
    /// What is wrong.
    pub error: RequestError,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct RequestError {
    /// The stable code, one of those in `protocol-specs/request-protocol.md`.
    pub code: &'static str,
    /// The field that is wrong, in words.
    pub field: &'static str,
    /// Field and reason in one line.
    pub message: String,
    /// Byte of the line, from 0, where the wrong part begins.
    pub at: usize,
}

impl RequestError {
    /// An error of this code and field at byte 0.
    pub fn new(code: &'static str, field: &'static str, message: impl Into<String>) -> Self {
        RequestError {
            code,
            field,
            message: message.into(),
            at: 0,
        }
    }

    /// The answer to a line over [`LINE_BYTES_MAX`].
    #[must_use]
    pub fn too_long() -> RequestError {
        let mut error = RequestError::new(
            "line-too-long",
            "line",
            format!("line has more than {LINE_BYTES_MAX} bytes"),
        );
        error.at = LINE_BYTES_MAX;
        error
    }
}

impl From<NotationError> for RequestError {
    fn from(error: NotationError) -> Self {
        RequestError {
            code: error.code(),
            field: error.field(),
            message: error.to_string(),
            at: error.at(),
        }
    }
}

impl From<SettingError> for RequestError {
    fn from(error: SettingError) -> Self {
        RequestError::new("bad-setting", "setting", error.to_string())
    }
}

/// What a line is, told from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Blank, a comment, or a line of a benchmark file that asks nothing: no answer.
    Nothing,
    /// Answered by itself.
    Request,
    /// Concerns the session: `set`, `get`, `quit`, `stats`.
    Session,
}
