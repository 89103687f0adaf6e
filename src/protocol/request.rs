//! Requests, and their errors.

use super::answer::Addressee;
use super::queue_place::QueuePlace;
use super::request_error::RequestError;
use super::verbs::PositionRequest;
use gammond_engine::query::Settings;
use gammond_engine::query::{AnswerStyle, Options};
use gammond_game::Rules;
use gammond_game::notation::{PlayRecord, PositionChances};
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

impl<'a> From<&'a Line> for Addressee<'a> {
    fn from(line: &'a Line) -> Self {
        Addressee {
            id: line.id.as_deref(),
            style: line.style,
            warning: line.warning,
        }
    }
}

impl<'a> From<&'a Refusal> for Addressee<'a> {
    fn from(refusal: &'a Refusal) -> Self {
        Addressee {
            id: refusal.id.as_deref(),
            style: refusal.style,
            warning: None,
        }
    }
}
