//! The events that the bot reads (BGM-10 to BGM-21): one JSON object a line, unknown types and members ignored.

use super::board::{Board, WireBoard};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(tag = "Type", rename_all = "lowercase")]
enum Wire {
    #[serde(rename_all = "PascalCase")]
    Welcome {
        player_name: String,
    },
    #[serde(rename_all = "PascalCase")]
    Joined {
        player_number: i64,
    },
    #[serde(rename_all = "PascalCase")]
    Left {
        player: String,
    },
    Board(Box<WireBoard>),
    #[serde(rename_all = "PascalCase")]
    Ping {
        message: String,
    },
    #[serde(rename_all = "PascalCase")]
    Notice {
        message: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedCreate {
        reason: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedJoin {
        reason: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedRoll {
        reason: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedMove {
        reason: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedOk {
        reason: String,
    },
    #[serde(rename_all = "PascalCase")]
    FailedLeave {
        reason: String,
    },
    #[serde(other)]
    Other,
}

/// An event of the server.
#[derive(Debug)]
pub(super) enum Event {
    /// The log-in succeeded under this name.
    Welcome(String),
    /// The bot is in a match.
    Joined,
    /// Another player joined the bot's match.
    OpponentJoined,
    /// This player left the match.
    Left(String),
    /// The state of the match.
    Board(Box<Board>),
    /// The server requests a `pong` with this message.
    Ping(String),
    /// A text for people.
    Notice(String),
    /// No match was created.
    NotCreated(String),
    /// A command was refused, for this reason.
    Refused(String),
    /// An event that changes nothing.
    Other,
}

/// Parses a line.
///
/// # Errors
/// The reason why an event that is known could not be read.
pub(super) fn event(line: &[u8]) -> Result<Event, String> {
    // BGM-02: `hello`, and everything before the log-in, is text.
    if line.first() != Some(&b'{') {
        let text = String::from_utf8_lossy(line);
        return Ok(match text.strip_prefix("notice ") {
            Some(notice) => Event::Notice(notice.to_owned()),
            None => Event::Other,
        });
    }
    let wire = serde_json::from_slice::<Wire>(line).map_err(|error| error.to_string())?;
    Ok(match wire {
        Wire::Welcome { player_name } => Event::Welcome(player_name),
        Wire::Joined { player_number: 1 } => Event::Joined,
        Wire::Joined { .. } => Event::OpponentJoined,
        Wire::Left { player } => Event::Left(player),
        Wire::Board(board) => Event::Board(Box::new(Board::try_from(*board)?)),
        Wire::Ping { message } => Event::Ping(message),
        Wire::Notice { message } => Event::Notice(message),
        Wire::FailedCreate { reason } => Event::NotCreated(reason),
        Wire::FailedJoin { reason }
        | Wire::FailedRoll { reason }
        | Wire::FailedMove { reason }
        | Wire::FailedOk { reason }
        | Wire::FailedLeave { reason } => Event::Refused(reason),
        Wire::Other => Event::Other,
    })
}
