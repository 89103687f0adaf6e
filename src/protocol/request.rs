//! Requests, and their errors.

use super::queue_place::QueuePlace;
use super::verbs::PositionRequest;
use crate::ErrorCode;
use gammond_engine::query::Settings;
use gammond_engine::query::{AnswerStyle, Options, SettingError};
use gammond_game::Rules;
use gammond_game::notation::{LINE_BYTES_MAX, NotationError, PlayRecord, PositionChances};
use gammond_report::analysis::MatchPart;

/// Longest request id, in bytes.
pub(crate) const ID_BYTES_MAX: usize = 64;

/// A line that was understood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The `#id`, repeated in the answer.
    pub id: Option<String>,
    /// Style of the answer.
    pub style: AnswerStyle,
    /// Its place among those that wait.
    pub place: QueuePlace,
    /// Warning about a part of the line that was dropped, if any; the answer contains it.
    pub warning: Option<&'static str>,
    /// The request.
    pub request: Request,
}

/// A request of a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// A verb with a position.
    Position(Box<PositionRequest>),
    /// Analyse the match in the lines that follow.
    Analyse(Box<MatchHeader>),
    /// An `m` record of a benchmark file: choose one of its candidates.
    PlayRecord(Box<PlayRecord>, Settings),
    /// An `o` record of a benchmark file: evaluate its position.
    PositionRecord(Box<PositionChances>, Settings),
    /// A FIBS board line, to be answered with bare text.
    Board(Vec<u8>),
    /// Change the session's settings from now on.
    Set(Box<Options>),
    /// Return the session's settings.
    Get,
    /// Return the list of requests.
    Help,
    /// Return the versions of program and nets.
    Version,
    /// Return the counters.
    Stats,
    /// Stop the requests with these ids; without any all of them.
    Cancel(Vec<String>),
    /// Answer `pong`.
    Ping,
    /// End the session.
    Quit,
}

/// The lines that follow are a match file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MatchHeader {
    /// Settings of the analysis; `time` is for the whole match.
    pub settings: Settings,
    /// Rules of money play where the file does not give them.
    pub rules: Rules,
    /// The line that ends it.
    pub end: String,
    /// True if the client requests progress reports.
    pub progress: bool,
    /// The decisions that are analysed.
    pub part: MatchPart,
}

/// A line that was refused, with its readable parts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{error}")]
pub struct Refusal {
    /// The `#id`, if it was readable.
    pub id: Option<String>,
    /// Style of the error answer.
    pub style: AnswerStyle,
    /// The error.
    pub error: RequestError,
    /// Line that ends the match of a wrong `analyse`. The lines up to it are no requests.
    pub match_end: Option<String>,
}

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct RequestError {
    /// The stable code, one of those of lines.
    pub code: ErrorCode,
    /// The field that is wrong, in words.
    pub field: &'static str,
    /// Field and reason in one line.
    pub message: String,
    /// Byte of the line, from 0, where the wrong part begins.
    pub at: usize,
}

impl RequestError {
    /// Returns an error of this code and field at byte 0.
    pub fn new(code: ErrorCode, field: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(code.is_of_lines(), "{code} is no code of lines");
        RequestError {
            code,
            field,
            message: message.into(),
            at: 0,
        }
    }

    /// Returns the answer to a line over [`LINE_BYTES_MAX`].
    #[must_use]
    pub fn too_long() -> RequestError {
        let mut error = RequestError::new(
            ErrorCode::LineTooLong,
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
            code: ErrorCode::from(&error),
            field: error.field(),
            message: error.to_string(),
            at: error.at(),
        }
    }
}

impl From<SettingError> for RequestError {
    fn from(error: SettingError) -> Self {
        RequestError::new(ErrorCode::BadSetting, "setting", error.to_string())
    }
}
