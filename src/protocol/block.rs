//! A match in lines behind a request: a session collects it until the line that ends it.

use super::queue_place::QueuePlace;
use super::request::{MatchHeader, Refusal};
use super::request_error::RequestError;
use crate::ErrorCode;
use gammond_base::lines::FramedLine;
use gammond_engine::query::AnswerStyle;
use gammond_report::analysis::MatchPart;

/// Longest match of one request, with its line ends.
pub const MATCH_BYTES_MAX: usize = 256 << 10;

/// The words that choose a part of a match, and their expected values.
const PART_KEYS: [(&str, &str); 3] = [
    ("from", "GAME or GAME:MOVE, such as 2:5"),
    ("to", "GAME or GAME:MOVE, such as 2:5"),
    ("player", "1 or 2"),
];

/// Takes a setting that chooses a part of a match; `None` if it is another one.
///
/// # Errors
/// Its name, and the values that it has.
pub(super) fn match_part(
    name: &str,
    value: &str,
    part: &mut MatchPart,
) -> Option<Result<(), (&'static str, &'static str)>> {
    let mut keys = PART_KEYS.into_iter();
    let (field, want) = keys.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let place = |missing: u32| {
        let (game, turn) = match value.split_once(':') {
            Some((game, turn)) => (game, turn.parse().ok()?),
            None => (value, missing),
        };
        Some((game.parse().ok()?, turn)).filter(|(game, turn): &(u32, u32)| *game > 0 && *turn > 0)
    };
    let taken = match field {
        "from" => {
            part.from = place(1);
            part.from.is_some()
        }
        "to" => {
            part.to = place(u32::MAX);
            part.to.is_some()
        }
        _ => {
            part.player = match value {
                "1" => Some(0),
                "2" => Some(1),
                _ => None,
            };
            part.player.is_some()
        }
    };
    Some(match taken {
        true => Ok(()),
        false => Err((field, want)),
    })
}

/// The request whose lines come.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) id: Option<String>,
    pub(super) style: AnswerStyle,
    pub(super) place: QueuePlace,
    /// The number of the request's own line, where lines are counted.
    pub(super) number: Option<u64>,
    /// Header of the match; `None` for a wrong request, whose error is in `refused`.
    pub(super) wanted: Option<MatchHeader>,
    /// The line that ends it.
    end: String,
    text: Vec<u8>,
    /// Reason why the match will not be analysed; its further lines are discarded.
    refused: Option<RequestError>,
}

impl Block {
    pub(super) fn new(
        id: Option<String>,
        (style, place): (AnswerStyle, QueuePlace),
        number: Option<u64>,
        wanted: MatchHeader,
    ) -> Block {
        Block {
            id,
            style,
            place,
            number,
            end: wanted.end.clone(),
            wanted: Some(wanted),
            text: Vec::new(),
            refused: None,
        }
    }

    /// Returns the block of a wrong request: its lines are discarded up to `end`, then its error is the answer.
    pub(super) fn refused(refusal: Refusal, end: String, number: Option<u64>) -> Block {
        Block {
            id: refusal.id,
            style: refusal.style,
            place: QueuePlace::default(),
            number,
            end,
            wanted: None,
            text: Vec::new(),
            refused: Some(refusal.error),
        }
    }

    /// Takes the next line. Returns whether it was the last one.
    pub(super) fn take(&mut self, cut: FramedLine<'_>) -> bool {
        let line = match cut {
            FramedLine::Line(line) => line,
            FramedLine::TooLong => {
                self.give_up(RequestError::too_long());
                return false;
            }
        };
        if line.trim_ascii() == self.end.as_bytes() {
            return true;
        }
        if self.refused.is_none() {
            if self.text.len() + line.len() >= MATCH_BYTES_MAX {
                let message = format!("match has more than {MATCH_BYTES_MAX} bytes");
                self.give_up(RequestError::new(ErrorCode::BadMatchFile, "match", message));
            } else {
                self.text.extend_from_slice(line);
                self.text.push(b'\n');
            }
        }
        false
    }

    /// Cancels the analysis; the first reason counts.
    pub(super) fn give_up(&mut self, why: RequestError) {
        self.refused.get_or_insert(why);
        self.text = Vec::new();
    }

    /// Returns the number of bytes that are kept.
    pub(super) fn held(&self) -> usize {
        self.text.capacity()
    }

    /// Returns what to do with the match, and its text, or the reason why there is none.
    pub(super) fn finish(&mut self) -> Result<(MatchHeader, Vec<u8>), RequestError> {
        match (self.refused.take(), self.wanted.take()) {
            (None, Some(wanted)) => Ok((wanted, std::mem::take(&mut self.text))),
            (refused, _) => Err(refused.unwrap_or_else(|| self.unfinished())),
        }
    }

    /// Returns the error of an input that ended before the block did.
    pub(super) fn unfinished(&self) -> RequestError {
        if let Some(error) = &self.refused {
            return error.clone();
        }
        let message = format!("match has no line '{}' that ends it", self.end);
        RequestError::new(ErrorCode::BadRequest, "match", message)
    }
}
