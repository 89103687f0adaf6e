//! Requests in JSON, or as named values, as the line that asks the same: so every way in has the same settings, limits and
//! messages.

use super::json::Json;
use super::request::{ID_BYTES_MAX, RequestError};
use crate::ErrorCode;
use gammond_game::notation::{split_position, without_board};
use serde_json::Number;
use std::fmt::Write as _;

/// Longest text of a member, in bytes.
const TEXT_BYTES_MAX: usize = 2048;

/// The member of a request that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// None: the request as a whole.
    Whole,
    /// A member of the request.
    Named(String),
    /// A member of its `settings`.
    Setting(String),
}

/// A request with a member that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MemberError {
    /// The stable code.
    pub code: ErrorCode,
    /// Member and reason in one line.
    pub message: String,
    /// The member.
    pub member: Member,
}

impl MemberError {
    fn new(code: ErrorCode, message: impl Into<String>, member: Member) -> MemberError {
        MemberError {
            code,
            message: message.into(),
            member,
        }
    }
}

impl From<MemberError> for RequestError {
    fn from(error: MemberError) -> RequestError {
        const FIELDS: [&str; 7] = ["id", "position", "roll", "plays", "cube", "settings", "ids"];
        let field = match &error.member {
            Member::Whole => None,
            Member::Named(name) => FIELDS.into_iter().find(|field| field == name),
            Member::Setting(_) => Some("setting"),
        };
        RequestError::new(error.code, field.unwrap_or("request"), error.message)
    }
}

/// The parts of a request while they come together.
#[derive(Debug, Default)]
pub struct RequestParts {
    /// Name of the request, without `#`.
    pub id: Option<String>,
    /// True for a rollout of both sides of a cube decision.
    pub cube: bool,
    /// The position in any form but a board line with blanks.
    pub position: Option<String>,
    /// Two dice.
    pub roll: Option<String>,
    /// Plays with semicolons between.
    pub plays: Option<String>,
    /// Names and values of settings.
    pub settings: Vec<(String, String)>,
}

impl RequestParts {
    /// Reads an object's members.
    ///
    /// # Errors
    /// [`MemberError`].
    pub fn read(json: Json) -> Result<RequestParts, MemberError> {
        let Json::Object(members) = json else {
            let message = format!(
                "the request is {}, expected an object such as {{\"position\":\"4HPwATDgc/ABMA\"}}",
                json.kind()
            );
            return Err(MemberError::new(
                ErrorCode::BadRequest,
                message,
                Member::Whole,
            ));
        };
        let mut parts = RequestParts::default();
        for (name, value) in members {
            parts.take(name, value)?;
        }
        Ok(parts)
    }

    fn take(&mut self, name: String, value: Json) -> Result<(), MemberError> {
        let wrong = |want: &str, value: &Json| Err(wrong_kind(&name, value, want));
        match (name.as_str(), value) {
            ("id", Json::Text(text)) => self.id = Some(text),
            ("id", Json::Number(number)) => self.id = Some(number.to_string()),
            ("position", Json::Text(text)) => self.position = Some(text),
            ("roll", Json::Text(text)) => self.roll = Some(text),
            ("roll", Json::List(dice)) => match dice.as_slice() {
                [Json::Number(one), Json::Number(two)] => {
                    self.roll = Some(format!("{}-{}", digits(one), digits(two)));
                }
                _ => return wrong("two dice such as [3,1]", &Json::List(dice)),
            },
            ("roll", Json::Null) => {}
            ("cube", Json::Bool(cube)) => self.cube = cube,
            ("plays", Json::Text(text)) => self.plays = Some(text),
            ("plays", Json::List(list)) => match texts(&list) {
                Some(texts) => self.plays = Some(texts.join(";")),
                None => return wrong("strings such as \"8/5 6/5\"", &Json::List(list)),
            },
            ("settings", Json::Object(settings)) => {
                for (key, value) in settings {
                    let value = setting(&key, value)?;
                    let is_same = |(other, _): &(String, String)| other.eq_ignore_ascii_case(&key);
                    if self.settings.iter().any(is_same) {
                        let message = format!("setting {key:?} stands twice");
                        let member = Member::Setting(key);
                        return Err(MemberError::new(ErrorCode::BadSetting, message, member));
                    }
                    self.settings.push((key, value));
                }
            }
            ("id", value) => return wrong("a string", &value),
            ("position" | "roll", value) => return wrong("a string", &value),
            ("cube", value) => return wrong("true or false", &value),
            ("plays", value) => return wrong("an array of strings", &value),
            ("settings", value) => return wrong("an object", &value),
            _ => {
                let message = format!(
                    "member {name:?} is not known, expected position, roll, settings, plays, cube or id"
                );
                return Err(MemberError::new(
                    ErrorCode::BadRequest,
                    message,
                    Member::Named(name),
                ));
            }
        }
        Ok(())
    }

    /// Returns what stands behind the verb in the line that asks the same, with the `#id` before it.
    ///
    /// # Errors
    /// [`MemberError`], also where the position is missing.
    pub fn line(mut self) -> Result<String, MemberError> {
        let mut line = self.start()?;
        if self.cube {
            line.push_str("cube ");
        }
        let Some(position) = self.position.take() else {
            let message = "position is missing, expected one such as \"4HPwATDgc/ABMA\"";
            let member = Member::Named("position".to_owned());
            return Err(MemberError::new(
                ErrorCode::MissingPosition,
                message,
                member,
            ));
        };
        line.push_str(position_text(&without_board(&position))?);
        if let Some(roll) = &self.roll {
            let _ = write!(line, " {}", named_word("roll", roll)?);
        }
        if let Some(plays) = &self.plays {
            if plays.contains(|c: char| c == '"' || c.is_control()) {
                let message = "plays have a quotation mark or a control character, expected plays such as \"8/5 6/5\"";
                let member = Member::Named("plays".to_owned());
                return Err(MemberError::new(ErrorCode::BadPlay, message, member));
            }
            let _ = write!(line, " plays=\"{plays}\"");
        }
        push_settings(&mut line, &self.settings)?;
        Ok(line)
    }

    /// Returns the `#id` of the line with a blank, or nothing.
    fn start(&self) -> Result<String, MemberError> {
        Ok(match &self.id {
            Some(id) => format!("#{} ", named_word("id", id)?),
            None => String::new(),
        })
    }
}

fn wrong_kind(name: &str, value: &Json, want: &str) -> MemberError {
    let message = format!("{name} is {}, expected {want}", value.kind());
    MemberError::new(
        ErrorCode::BadRequest,
        message,
        Member::Named(name.to_owned()),
    )
}

fn texts(list: &[Json]) -> Option<Vec<&str>> {
    let mut texts = Vec::with_capacity(list.len());
    for one in list {
        let Json::Text(text) = one else {
            return None;
        };
        texts.push(text.as_str());
    }
    Some(texts)
}

/// Appends settings to a line.
///
/// # Errors
/// [`MemberError`] that names the setting.
pub fn push_settings(line: &mut String, settings: &[(String, String)]) -> Result<(), MemberError> {
    for (name, value) in settings {
        let member = || Member::Setting(name.clone());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            let message = format!("setting {name:?} is not known");
            return Err(MemberError::new(ErrorCode::BadSetting, message, member()));
        }
        let _ = write!(line, " {name}={}", word(name, value, member)?);
    }
    Ok(())
}

fn named_word<'a>(name: &str, text: &'a str) -> Result<&'a str, MemberError> {
    word(name, text, || Member::Named(name.to_owned()))
}

/// Returns a position: one word of a line, or text pasted from gnubg's screen (GID-02), which has blanks.
fn position_text(text: &str) -> Result<&str, MemberError> {
    let (position, rest) = split_position(text.as_bytes());
    let printable = !text.contains(|c: char| c.is_control() || c == '"');
    let is_whole = rest.is_empty() && position.len() == text.len() && !text.is_empty();
    match is_whole && printable && text.len() <= TEXT_BYTES_MAX {
        true => Ok(text),
        false => named_word("position", text),
    }
}

/// Returns a text that is one word of a line.
fn word<'a>(
    name: &str,
    text: &'a str,
    member: impl Fn() -> Member,
) -> Result<&'a str, MemberError> {
    let apart = |c: char| c.is_whitespace() || c.is_control() || c == '"';
    let wrong = if text.is_empty() {
        "is empty"
    } else if text.len() > TEXT_BYTES_MAX {
        "is too long"
    } else if text.contains(apart) {
        "has a space, a quotation mark or a control character"
    } else if name == "roll" && !text.chars().all(|c| c.is_ascii_digit() || "-,".contains(c)) {
        "is not two dice"
    } else {
        return Ok(text);
    };
    let code = match name {
        "position" => ErrorCode::BadPosition,
        "roll" => ErrorCode::BadRoll,
        "id" | "ids" => ErrorCode::BadId,
        _ => ErrorCode::BadSetting,
    };
    let want = match name {
        "position" => ", expected one such as \"4HPwATDgc/ABMA\"",
        "roll" => ", expected dice such as [3,1] or \"31\"",
        _ => "",
    };
    let message = format!("{name} {wrong}{want}");
    Err(MemberError::new(code, message, member()))
}

/// Returns a number as a line has it: JSON's 1.0 and 1e0 are the integer 1.
fn digits(number: &Number) -> String {
    let whole = number
        .as_f64()
        .filter(|value| number.is_f64() && value.fract() == 0.0);
    match whole {
        Some(value) => format!("{value:.0}"),
        None => number.to_string(),
    }
}

/// Returns a setting's value as a line has it.
fn setting(key: &str, value: Json) -> Result<String, MemberError> {
    let wrong = |message| {
        let member = Member::Setting(key.to_owned());
        Err(MemberError::new(ErrorCode::BadSetting, message, member))
    };
    match value {
        Json::Text(text) => Ok(text),
        Json::Number(number) => Ok(digits(&number)),
        Json::Bool(on) => Ok(on.to_string()),
        Json::List(list) => match list.as_slice() {
            [Json::Number(one), Json::Number(two)] => {
                Ok(format!("{}-{}", digits(one), digits(two)))
            }
            _ => wrong(format!(
                "setting {key:?} is an array, expected two numbers such as [3,5]"
            )),
        },
        value => wrong(format!(
            "setting {key:?} is {}, expected a string, a number, true or false",
            value.kind()
        )),
    }
}

/// An error in a line of JSON, with what could be read of it.
pub(super) struct WrongLine {
    pub(super) id: Option<String>,
    /// The verb and the settings, as words.
    pub(super) words: Option<String>,
    pub(super) error: RequestError,
}

/// Returns a whole line of JSON as the line of words that asks the same (Q-90).
///
/// # Errors
/// [`WrongLine`].
pub(super) fn words_of_line(line: &[u8]) -> Result<String, WrongLine> {
    let json = Json::parse(line).map_err(|error| {
        let message = format!(
            "line is not JSON: {error}, expected such as {{\"verb\":\"eval\",\"position\":\"4HPwATDgc/ABMA\"}}"
        );
        let mut wrong = RequestError::new(ErrorCode::BadRequest, "request", message);
        wrong.at = error.column().saturating_sub(1);
        WrongLine {
            id: None,
            words: None,
            error: wrong,
        }
    })?;
    let (id, readable) = (id_of(&json), readable_words(&json));
    words(json).map_err(|error| WrongLine {
        id,
        words: readable,
        error: error.into(),
    })
}

fn member<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(members) = json else {
        return None;
    };
    let found = members.iter().find(|(member, _)| member == name)?;
    Some(&found.1)
}

/// Returns the id of a request whose other members may be wrong.
fn id_of(json: &Json) -> Option<String> {
    let id = match member(json, "id")? {
        Json::Text(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return None,
    };
    let good = named_word("id", &id).is_ok() && id.len() <= ID_BYTES_MAX;
    good.then_some(id)
}

/// Returns the verb, and the terminator of a match, of a request whose other members may be wrong.
fn readable_words(json: &Json) -> Option<String> {
    let Json::Text(verb) = member(json, "verb")? else {
        return None;
    };
    let end = member(json, "settings").and_then(|settings| member(settings, "end"));
    match end {
        Some(Json::Text(end)) => Some(format!("{verb} end={end}")),
        Some(Json::Number(end)) => Some(format!("{verb} end={}", digits(end))),
        _ => Some(verb.clone()),
    }
}

fn words(json: Json) -> Result<String, MemberError> {
    let (mut verb, mut ids, mut others) = (None, None, Vec::new());
    let Json::Object(members) = json else {
        return RequestParts::read(json).map(|_| String::new());
    };
    for (name, value) in members {
        match (name.as_str(), value) {
            ("verb", Json::Text(text)) => verb = Some(text),
            ("ids", Json::List(list)) => ids = Some(list),
            ("verb", value) => return Err(wrong_kind(&name, &value, "a text such as \"move\"")),
            ("ids", value) => {
                return Err(wrong_kind(&name, &value, "an array such as [\"7\"]"));
            }
            (_, value) => others.push((name, value)),
        }
    }
    let parts = RequestParts::read(Json::Object(others))?;
    let start = parts.start()?;
    let member = Member::Named("verb".to_owned());
    let Some(verb) = verb else {
        let message = "verb is missing, expected a text such as \"move\"";
        return Err(MemberError::new(ErrorCode::BadRequest, message, member));
    };
    if !verb.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let message = format!("verb {verb:?} is not known, see `help`");
        return Err(MemberError::new(ErrorCode::UnknownVerb, message, member));
    }
    let mut line = format!("{start}{verb}");
    if let Some(ids) = ids {
        let member = || Member::Named("ids".to_owned());
        let Some(ids) = texts(&ids) else {
            let message = "ids are not strings, expected such as [\"7\"]";
            return Err(MemberError::new(ErrorCode::BadId, message, member()));
        };
        for id in ids {
            let _ = write!(line, " {}", word("ids", id, member)?);
        }
    } else if parts.position.is_some() {
        let rest = parts.line()?;
        let rest = rest.strip_prefix(&start).unwrap_or(&rest);
        let _ = write!(line, " {rest}");
    } else {
        let stray = [
            ("roll", parts.roll.is_some()),
            ("plays", parts.plays.is_some()),
            ("cube", parts.cube),
        ];
        if let Some((name, _)) = stray.into_iter().find(|(_, is_there)| *is_there) {
            let message =
                format!("{name} has no position, expected one such as \"4HPwATDgc/ABMA\"");
            let member = Member::Named("position".to_owned());
            return Err(MemberError::new(
                ErrorCode::MissingPosition,
                message,
                member,
            ));
        }
        push_settings(&mut line, &parts.settings)?;
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<String, RequestError> {
        words_of_line(text.as_bytes()).map_err(|wrong| wrong.error)
    }

    /// Q-90: members are the words of a line.
    #[test]
    fn json_lines_are_lines_of_words() {
        for (json, want) in [
            (
                r#"{"id":"7","verb":"move","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":2}}"#,
                "#7 move 4HPwATDgc/ABMA 3-1 plies=2",
            ),
            (
                r#"{"verb":"rollout","cube":true,"position":"4HPwATDgc/ABMA","id":1}"#,
                "#1 rollout cube 4HPwATDgc/ABMA",
            ),
            (
                r#"{"verb":"cancel","ids":["7","8"],"id":"c"}"#,
                "#c cancel 7 8",
            ),
            (
                r#"{"verb":"set","settings":{"plies":1,"order":"ready"}}"#,
                "set plies=1 order=ready",
            ),
            (r#"{"verb":"ping"}"#, "ping"),
        ] {
            assert_eq!(line(json).unwrap(), want);
        }
    }

    /// Q-90: a wrong line names its member, and its answer has the id.
    #[test]
    fn wrong_json_lines_are_refused() {
        for (json, code, field) in [
            ("{", "bad-request", "request"),
            ("{}", "bad-request", "request"),
            (r#"{"verb":"move x"}"#, "unknown-verb", "request"),
            (r#"{"verb":"move","position":4}"#, "bad-request", "position"),
            (
                r#"{"verb":"move","position":"x y"}"#,
                "bad-position",
                "position",
            ),
            (
                r#"{"verb":"move","position":"x\nquit"}"#,
                "bad-position",
                "position",
            ),
            (
                r#"{"verb":"move","roll":"31"}"#,
                "missing-position",
                "position",
            ),
            (r#"{"verb":"cancel","ids":["a b"]}"#, "bad-id", "ids"),
            (
                r#"{"verb":"set","settings":{"plies":"1 2"}}"#,
                "bad-setting",
                "setting",
            ),
            (r#"{"verb":"move","ply":1}"#, "bad-request", "request"),
            (r#"{"verb":5}"#, "bad-request", "request"),
            (r#"{"verb":"cancel","ids":"7"}"#, "bad-request", "ids"),
        ] {
            let error = line(json).unwrap_err();
            assert_eq!(
                (error.code.as_str(), error.field),
                (code, field),
                "{json}: {error}"
            );
        }
    }

    /// Q-90: the answer to a wrong line has its id, whichever member is wrong.
    #[test]
    fn wrong_json_line_keeps_id() {
        for (json, id) in [
            (r#"{"id":"7","position":"x"}"#, Some("7")),
            (r#"{"ply":1,"id":"7","verb":"move"}"#, Some("7")),
            (r#"{"id":8,"verb":"move","position":4}"#, Some("8")),
            (
                r#"{"id":"9","verb":"eval","position":"4HPwATDgc/ABMA","settings":{"x":null}}"#,
                Some("9"),
            ),
            (r#"{"id":"10","verb":5}"#, Some("10")),
            (r#"{"id":"a b","verb":5}"#, None),
            (r#"{"id":[1],"verb":"ping"}"#, None),
        ] {
            let wrong = words_of_line(json.as_bytes()).err().unwrap();
            assert_eq!(wrong.id.as_deref(), id, "{json}");
        }
    }

    /// Whole numbers that JSON writes with a point or an exponent are integers.
    #[test]
    fn whole_floats_are_integers() {
        let json = r#"{"verb":"move","position":"4HPwATDgc/ABMA","roll":[3.0,1e0],"settings":{"plies":2.0,"noise":0.5}}"#;
        let want = "move 4HPwATDgc/ABMA 3-1 plies=2 noise=0.5";
        assert_eq!(line(json).unwrap(), want);
    }
}
