//! A match in lines behind a request: what a session collects until the line that ends it.

use super::lines::FramedLine;
use super::request::{MatchHeader, RequestError};
use super::settings::AnswerStyle;

/// Longest match of one request, with its line ends.
pub const MATCH_BYTES_MAX: usize = 256 << 10;

/// The request whose lines come.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) id: Option<String>,
    pub(super) style: AnswerStyle,
    pub(super) bulk: bool,
    /// The number of the request's own line, where lines are counted.
    pub(super) number: Option<u64>,
    pub(super) wanted: MatchHeader,
    text: Vec<u8>,
    /// Reason why the match will not be analysed; its further lines are discarded.
    refused: Option<RequestError>,
}

impl Block {
    pub(super) fn new(
        id: Option<String>,
        (style, bulk): (AnswerStyle, bool),
        number: Option<u64>,
        wanted: MatchHeader,
    ) -> Block {
        Block {
            id,
            style,
            bulk,
            number,
            wanted,
            text: Vec::new(),
            refused: None,
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
        if line.trim_ascii() == self.wanted.end.as_bytes() {
            return true;
        }
        if self.refused.is_none() {
            if self.text.len() + line.len() >= MATCH_BYTES_MAX {
                let message = format!("match has more than {MATCH_BYTES_MAX} bytes");
                self.give_up(RequestError::new("bad-match-file", "match", message));
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

    /// Bytes that are kept.
    pub(super) fn held(&self) -> usize {
        self.text.capacity()
    }

    /// The text, or why there is none.
    pub(super) fn text(&mut self) -> Result<Vec<u8>, RequestError> {
        match self.refused.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut self.text)),
        }
    }

    /// The input ended before the block did.
    pub(super) fn unfinished(&self) -> RequestError {
        let message = format!("match has no line '{}' that ends it", self.wanted.end);
        RequestError::new("bad-request", "match", message)
    }
}
