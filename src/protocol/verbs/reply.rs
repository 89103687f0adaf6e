//! `reply`: the plays of a roll after an opening play, as the opening book has them.

use super::opening::{SCOPES, answer_schema, of_book, write};
use super::resolved::Resolved;
use super::{Asking, PartError, PositionFrom, RequestPart, Takes, Verb, Work};
use crate::ErrorCode;
use gammond_engine::query::{Question, Settings};
use gammond_game::Position;
use gammond_game::notation::{PositionId, parse_play, parse_roll};
use serde_json::{Value, json};

/// The verb `reply`.
pub static VERB: Verb = Verb {
    name: "reply",
    takes: Takes {
        position: PositionFrom::Opening,
        roll: true,
        ..Takes::NONE
    },
    scopes: SCOPES,
    usage: "reply OPENING PLAY ROLL [key=value…]: the plays of a roll after an opening play, rolled out",
    summary: "The replies to an opening play, rolled out",
    lasts: true,
    example: || json!({"opening": "31 8/5 6/5", "roll": [6, 4]}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

const EXAMPLE: &str = "(example: reply 31 8/5 6/5 64)";

/// Returns the Position ID after an opening roll and its play from `start`; the other player is on roll.
///
/// # Errors
/// They are not those of an opening.
pub(super) fn position_after(start: &Position, text: &[u8]) -> Result<String, PartError> {
    let wrong = |code, field, message: String| {
        Err(PartError::new(RequestPart::Position, code, field, message))
    };
    let text = text.trim_ascii();
    let end = text.iter().position(u8::is_ascii_whitespace);
    let (roll, play) = text.split_at(end.unwrap_or(text.len()));
    let roll = roll.strip_suffix(b":").unwrap_or(roll);
    if roll.is_empty() {
        let message = format!("opening is missing, expected its roll and play {EXAMPLE}");
        return wrong(ErrorCode::MissingPosition, "opening", message);
    }
    let shown = String::from_utf8_lossy(roll);
    let roll = match parse_roll(roll) {
        Ok(roll) if roll.is_double() => {
            let message =
                format!("opening roll {shown} is a double, expected two different dice {EXAMPLE}");
            return wrong(ErrorCode::BadRoll, "opening", message);
        }
        Ok(roll) => roll,
        Err(_) => {
            let message = format!("opening roll '{shown:.24}' is not two dice {EXAMPLE}");
            return wrong(ErrorCode::BadRoll, "opening", message);
        }
    };
    let play = play.trim_ascii();
    if play.is_empty() {
        let message = format!("opening {roll} has no play {EXAMPLE}");
        return wrong(ErrorCode::BadPlay, "opening", message);
    }
    match parse_play(play, start, roll) {
        Ok(play) => Ok(PositionId::from(play.after).to_string()),
        Err(error) => {
            let shown = String::from_utf8_lossy(play);
            let message = format!("opening {roll} has '{shown:.36}': {error}");
            wrong(ErrorCode::BadPlay, "opening", message)
        }
    }
}

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    let roll = resolved.roll.ok_or_else(|| {
        let message = format!("roll of the reply is missing {EXAMPLE}");
        PartError::new(RequestPart::Roll, ErrorCode::MissingRoll, "roll", message)
    })?;
    Ok(of_book(resolved, roll))
}

fn schemas() -> Vec<(String, Value)> {
    vec![answer_schema(VERB.name)]
}
