//! Arguments of the tools as a question of the line protocol (MCP-20).

use crate::http::ask::question::{self, Question};
use crate::http::paths::mcp::message::member;
use crate::http::wire::problem::Problem;
use gammond_game::Position;
use gammond_game::notation::PositionId;
use gammond_protocol::ErrorCode;
use gammond_protocol::json::Json;
use gammond_protocol::verbs::Verb;

/// Points of a player, and the bar.
const PLACES: usize = 25;

/// Arguments that are members of a question; all others are settings.
const MEMBERS: [&str; 4] = ["position", "opening", "roll", "plays"];

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::BadRequest, message.into())
}

/// Returns a question of a verb: the arguments whose names are in `known`, and these settings where an argument does
/// not give another value.
///
/// # Errors
/// An unknown or malformed argument.
pub(in crate::http) fn read(
    verb: &'static Verb,
    arguments: &Json,
    known: &[&str],
    defaults: &[(&str, &str)],
) -> Result<Question, Problem> {
    let Json::Object(members) = arguments else {
        return Err(wrong("arguments must be an object"));
    };
    let mut body = Vec::new();
    let mut settings = Vec::new();
    for (name, value) in members {
        if !known.contains(&name.as_str()) {
            let names = known.join(", ");
            return Err(wrong(format!(
                "argument {name:.64?} is not known, expected one of {names}"
            )));
        }
        match name.as_str() {
            "board" => body.push(("position".to_owned(), Json::Text(board(value)?))),
            "time_s" => settings.push(("time".to_owned(), milliseconds(value)?)),
            "beavers" => {
                settings.push((name.clone(), value.clone()));
            }
            _ if MEMBERS.contains(&name.as_str()) => body.push((name.clone(), value.clone())),
            _ => settings.push((name.clone(), value.clone())),
        }
    }
    let positions = body.iter().filter(|(name, _)| name == "position").count();
    if positions > 1 {
        return Err(wrong(
            "position and board are both there, expected one of them",
        ));
    }
    for (name, value) in defaults {
        // A level takes the place of a depth.
        let given =
            |(known, _): &(String, Json)| known == name || (*name == "plies" && known == "level");
        if !settings.iter().any(given) {
            settings.push(((*name).to_owned(), Json::Text((*value).to_owned())));
        }
    }
    body.push(("settings".to_owned(), Json::Object(settings)));
    // The tools have the decision about the cube of no rollout.
    question::of_arguments(verb, Json::Object(body))
}

fn milliseconds(value: &Json) -> Result<Json, Problem> {
    let seconds = match value {
        Json::Number(number) => number.as_f64(),
        _ => None,
    };
    let seconds = seconds.filter(|&seconds| seconds > 0.0 && seconds <= 600.0);
    let seconds =
        seconds.ok_or_else(|| wrong("time_s is no number of seconds, expected 0.001 to 600"))?;
    Ok(Json::Text(format!("{:.0}", (seconds * 1000.0).max(1.0))))
}

/// Returns the Position ID of a board as lists of points.
fn board(value: &Json) -> Result<String, Problem> {
    let side = |name: &str| {
        let side = member(value, name);
        let side = side.ok_or_else(|| {
            wrong(format!(
                "board.{name} is missing, such as {{\"24\":2,\"13\":5}}"
            ))
        })?;
        counts(name, side)
    };
    if let Json::Object(members) = value
        && let Some((other, _)) = members
            .iter()
            .find(|(name, _)| !matches!(name.as_str(), "me" | "opponent"))
    {
        return Err(wrong(format!(
            "board.{other:.64} is not known, expected me and opponent"
        )));
    }
    let (me, opponent) = (side("me")?, side("opponent")?);
    let position = Position::new(&me, &opponent)
        .map_err(|error| Problem::new(ErrorCode::BadPosition, format!("board: {error}")))?;
    Ok(PositionId::from(position).to_string())
}

/// Reads the checkers of a player: points 1 to 24 as the player counts them, and `bar`.
fn counts(name: &str, side: &Json) -> Result<[u8; PLACES], Problem> {
    let Json::Object(members) = side else {
        return Err(wrong(format!(
            "board.{name} is {}, expected an object",
            side.kind()
        )));
    };
    let mut counts = [0; PLACES];
    for (place, count) in members {
        let index = match place.as_str() {
            "bar" => Some(PLACES - 1),
            "off" => continue,
            point => point
                .parse()
                .ok()
                .and_then(|point: usize| point.checked_sub(1))
                .filter(|&index| index < PLACES - 1),
        };
        let slot = index.and_then(|index| counts.get_mut(index));
        let slot = slot.ok_or_else(|| {
            wrong(format!(
                "board.{name} has the place {place:.16?}, expected 1 to 24 or bar"
            ))
        })?;
        let number = match count {
            Json::Number(number) => number.as_u64().and_then(|count| u8::try_from(count).ok()),
            _ => None,
        };
        *slot = number.filter(|&count| count <= 15).ok_or_else(|| {
            wrong(format!(
                "board.{name} at {place} has no number of checkers, expected 0 to 15"
            ))
        })?;
    }
    Ok(counts)
}
