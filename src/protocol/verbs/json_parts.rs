//! Requests in JSON, or as named values: read into the parts of a request, never into a line of text. So every way in has
//! the same settings, limits and messages.

use super::parts::{Item, PartError, Parts, RequestPart};
use super::resolve::{AnswerOptions, resolve};
use super::{PositionRequest, Verb};
use crate::ErrorCode;
use crate::json::Json;
use crate::request::{Line, Request};
use crate::request_error::RequestError;
use crate::request_line::{
    Head, analyse, cancel, checked_id, end_of, is_analyse, printable, session_word, set,
    unknown_verb,
};
use gammond_engine::query::Options;
use gammond_game::notation::{split_position, without_board};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest text of a member, in bytes.
const TEXT_BYTES_MAX: usize = 2048;

/// The member of a request that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// The request as a whole.
    Whole,
    /// A member of the request.
    Named(String),
    /// A member of its `settings`.
    Setting(String),
}

/// A request with a member that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct MemberError {
    /// The error; its byte counts from the beginning of the member.
    pub error: RequestError,
    /// The member.
    pub member: Member,
}

impl MemberError {
    /// Returns an error of this member.
    pub fn new(code: ErrorCode, message: impl Into<String>, member: Member) -> MemberError {
        const FIELDS: [&str; 8] = [
            "id", "position", "opening", "roll", "plays", "cube", "settings", "ids",
        ];
        let field = match &member {
            Member::Whole => None,
            Member::Named(name) => FIELDS.into_iter().find(|field| field == name),
            Member::Setting(_) => Some("setting"),
        };
        MemberError {
            error: RequestError::new(code, field.unwrap_or("request"), message),
            member,
        }
    }

    fn named(code: ErrorCode, name: &str, message: impl Into<String>) -> MemberError {
        MemberError::new(code, message, Member::Named(name.to_owned()))
    }
}

impl From<MemberError> for RequestError {
    fn from(error: MemberError) -> RequestError {
        error.error
    }
}

/// The parts of a request on a position, as JSON or a query has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestParts {
    /// Name of the request, without `#`.
    pub id: Option<String>,
    /// True for a rollout of both sides of a cube decision.
    pub cube: bool,
    /// The position in any form but a board line with blanks.
    pub position: Option<String>,
    /// An opening roll with its play, such as `31 8/5 6/5`: the position after it.
    pub opening: Option<String>,
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
            ("opening", Json::Text(text)) => self.opening = Some(text),
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
            ("position" | "opening" | "roll", value) => return wrong("a string", &value),
            ("cube", value) => return wrong("true or false", &value),
            ("plays", value) => return wrong("an array of strings", &value),
            ("settings", value) => return wrong("an object", &value),
            _ => {
                let message = format!(
                    "member {name:?} is not known, expected position, opening, roll, settings, plays, cube or id"
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

    /// Returns the position as a request takes it: without the lines of a board around an id; the opening in its place, or
    /// nothing.
    fn position(&self) -> Result<Cow<'_, str>, MemberError> {
        let Some(position) = &self.position else {
            let opening = self.opening.as_deref().unwrap_or_default();
            if opening.len() > TEXT_BYTES_MAX || opening.contains(['"', '=']) {
                let message =
                    "opening is too long or has a wrong character, expected such as \"31 8/5 6/5\"";
                return Err(MemberError::named(ErrorCode::BadPlay, "opening", message));
            }
            return Ok(opening.into());
        };
        let position = without_board(position);
        position_text(&position)?;
        Ok(position)
    }

    /// Returns the parts as the reader of all requests takes them.
    fn parts(&self) -> Result<Parts<'_>, MemberError> {
        self.checked_id()?;
        let position = self.position()?;
        printable(position.as_bytes()).map_err(|error| MemberError {
            error,
            member: Member::Named(
                self.opening
                    .as_ref()
                    .map_or("position", |_| "opening")
                    .into(),
            ),
        })?;
        let mut items = Vec::with_capacity(self.settings.len() + 1);
        let roll = match &self.roll {
            Some(roll) => Some(named_word("roll", roll)?.as_bytes().into()),
            None => None,
        };
        if let Some(plays) = &self.plays {
            if plays.contains(|c: char| c == '"' || c.is_control()) {
                let message = "plays have a quotation mark or a control character, expected plays such as \"8/5 6/5\"";
                return Err(MemberError::named(ErrorCode::BadPlay, "plays", message));
            }
            items.push(Item::Plays(plays.as_bytes().into()));
        }
        items.extend(setting_items(&self.settings)?);
        let position = match position {
            Cow::Borrowed(text) => text.as_bytes().into(),
            Cow::Owned(text) => text.into_bytes().into(),
        };
        Ok(Parts {
            cube: self.cube,
            position,
            roll,
            items,
        })
    }

    fn checked_id(&self) -> Result<Option<String>, MemberError> {
        let Some(id) = &self.id else {
            return Ok(None);
        };
        let id = checked_id(named_word("id", id)?.as_bytes()).map_err(|error| MemberError {
            error,
            member: Member::Named("id".to_owned()),
        })?;
        Ok(Some(id))
    }

    /// Returns the text behind the verb in the equivalent line, with the `#id` before it: the form in which jobs are
    /// kept.
    ///
    /// # Errors
    /// [`MemberError`].
    pub fn line(&self) -> Result<String, MemberError> {
        let parts = self.parts()?;
        let mut line = match &self.id {
            Some(id) => format!("#{id} "),
            None => String::new(),
        };
        if self.cube {
            line.push_str("cube ");
        }
        line.push_str(&String::from_utf8_lossy(&parts.position));
        if let Some(roll) = &self.roll {
            let blank = if parts.position.is_empty() { "" } else { " " };
            let _ = write!(line, "{blank}{roll}");
        }
        if let Some(plays) = &self.plays {
            let _ = write!(line, " plays=\"{plays}\"");
        }
        push_settings(&mut line, &self.settings)?;
        Ok(line)
    }

    /// Reads the request of a verb in a session with these settings.
    ///
    /// # Errors
    /// [`MemberError`].
    pub fn request(&self, verb: &'static Verb, session: &Options) -> Result<Line, MemberError> {
        let mut wishes = AnswerOptions::of(session);
        let request = self.resolve(verb, session, &mut wishes)?;
        let AnswerOptions {
            style,
            place,
            warning,
        } = wishes;
        Ok(Line {
            id: self.id.clone(),
            style,
            place,
            warning,
            request: Request::Position(Box::new(request)),
        })
    }

    fn resolve(
        &self,
        verb: &'static Verb,
        session: &Options,
        wishes: &mut AnswerOptions,
    ) -> Result<PositionRequest, MemberError> {
        let members = [
            ("position", self.position.is_some()),
            ("opening", self.opening.is_some()),
            ("cube", self.cube),
        ];
        let mut stray = members.into_iter();
        if let Some((name, _)) = stray.find(|(name, is_there)| *is_there && !verb.takes.has(name)) {
            let message = format!("member {name:?} is not for {}", verb.name);
            return Err(MemberError::named(ErrorCode::BadRequest, name, message));
        }
        self.checked_id()?;
        if self.position.is_none() && verb.takes.has("position") {
            let message = "position is missing, expected one such as \"4HPwATDgc/ABMA\"";
            return Err(MemberError::named(
                ErrorCode::MissingPosition,
                "position",
                message,
            ));
        }
        let parts = self.parts()?;
        let resolved = resolve(Some(verb), &parts, session, wishes);
        resolved.map_err(|PartError { part, error }| MemberError {
            member: self.member(verb, part),
            error,
        })
    }

    /// Returns the member that holds a part.
    fn member(&self, verb: &Verb, part: RequestPart) -> Member {
        match part {
            RequestPart::Whole => Member::Whole,
            RequestPart::Position if verb.takes.has("opening") => {
                Member::Named("opening".to_owned())
            }
            RequestPart::Position => Member::Named("position".to_owned()),
            RequestPart::Roll => Member::Named("roll".to_owned()),
            RequestPart::Item(0) if self.plays.is_some() => Member::Named("plays".to_owned()),
            RequestPart::Item(number) => {
                let before = usize::from(self.plays.is_some());
                setting_member(&self.settings, number.saturating_sub(before))
            }
        }
    }
}

fn setting_member(settings: &[(String, String)], number: usize) -> Member {
    match settings.get(number) {
        Some((name, _)) => Member::Setting(name.clone()),
        None => Member::Whole,
    }
}

/// Returns settings as parts of a request.
fn setting_items(settings: &[(String, String)]) -> Result<Vec<Item<'_>>, MemberError> {
    let mut items = Vec::with_capacity(settings.len());
    for (name, value) in settings {
        check_setting(name, value)?;
        items.push(Item::Setting(name.into(), value.into()));
    }
    Ok(items)
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
        check_setting(name, value)?;
        let _ = write!(line, " {name}={value}");
    }
    Ok(())
}

/// Checks that a setting is one word of a line.
fn check_setting(name: &str, value: &str) -> Result<(), MemberError> {
    let member = || Member::Setting(name.to_owned());
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        let message = format!("setting {name:?} is not known");
        return Err(MemberError::new(ErrorCode::BadSetting, message, member()));
    }
    word(name, value, member)?;
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

/// Reads a whole line of JSON (Q-90).
///
/// # Errors
/// The error; what could be read of the line is in `head`.
pub(crate) fn request_of_json(
    line: &[u8],
    session: &Options,
    head: &mut Head,
) -> Result<Request, RequestError> {
    let json = Json::parse(line).map_err(|error| {
        let message = format!(
            "line is not JSON: {error}, expected such as {{\"verb\":\"eval\",\"position\":\"4HPwATDgc/ABMA\"}}"
        );
        let mut wrong = RequestError::new(ErrorCode::BadRequest, "request", message);
        wrong.at = error.column().saturating_sub(1);
        wrong
    })?;
    head.id = id_of(&json);
    let end = match_end(&json);
    let read = JsonLine::read(json).and_then(|line| line.request(session, &mut head.wishes));
    read.map_err(|wrong| {
        head.match_end = end;
        wrong.into()
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
    let word = named_word("id", &id).ok()?;
    checked_id(word.as_bytes()).ok()
}

/// Returns the line that ends the match behind an `analyse`, also where other members are wrong.
fn match_end(json: &Json) -> Option<String> {
    let Json::Text(verb) = member(json, "verb")? else {
        return None;
    };
    if !is_analyse(verb.as_bytes()) {
        return None;
    }
    let end = member(json, "settings").and_then(|settings| member(settings, "end"));
    let end = match end {
        Some(Json::Text(end)) => end.clone(),
        Some(Json::Number(end)) => digits(end),
        _ => String::new(),
    };
    Some(end_of([end.as_str()].into_iter()))
}

/// A line of JSON.
#[derive(Debug, Default)]
struct JsonLine {
    verb: String,
    ids: Option<Vec<String>>,
    parts: RequestParts,
}

impl JsonLine {
    fn read(json: Json) -> Result<JsonLine, MemberError> {
        let mut line = JsonLine::default();
        let (mut verb, mut others) = (None, Vec::new());
        let Json::Object(members) = json else {
            return RequestParts::read(json).map(|parts| JsonLine { parts, ..line });
        };
        for (name, value) in members {
            match (name.as_str(), value) {
                ("verb", Json::Text(text)) => verb = Some(text),
                ("ids", Json::List(list)) => line.ids = Some(ids(&list)?),
                ("verb", value) => {
                    return Err(wrong_kind(&name, &value, "a text such as \"move\""));
                }
                ("ids", value) => {
                    return Err(wrong_kind(&name, &value, "an array such as [\"7\"]"));
                }
                (_, value) => others.push((name, value)),
            }
        }
        line.parts = RequestParts::read(Json::Object(others))?;
        let Some(verb) = verb else {
            let message = "verb is missing, expected a text such as \"move\"";
            return Err(MemberError::named(ErrorCode::BadRequest, "verb", message));
        };
        line.verb = verb;
        Ok(line)
    }

    fn request(
        self,
        session: &Options,
        wishes: &mut AnswerOptions,
    ) -> Result<Request, MemberError> {
        self.parts.checked_id()?;
        let name = self.verb.to_ascii_lowercase();
        if let Some(verb) = Verb::named(&name) {
            self.refuse_but(&["position", "opening", "roll", "plays", "cube", "settings"])?;
            let request = self.parts.resolve(verb, session, wishes)?;
            return Ok(Request::Position(Box::new(request)));
        }
        let settings = &self.parts.settings;
        let items = || {
            self.refuse_but(&["settings"])?;
            Ok(Parts {
                items: setting_items(settings)?,
                ..Parts::default()
            })
        };
        let placed = |PartError { part, error }| MemberError {
            member: match part {
                RequestPart::Item(number) => setting_member(settings, number),
                _ => Member::Whole,
            },
            error,
        };
        match name.as_str() {
            "set" => set(&items()?, session).map_err(placed),
            "cancel" => {
                self.refuse_but(&["ids"])?;
                let ids = self.ids.as_deref().unwrap_or_default();
                cancel(ids.iter().map(String::as_bytes)).map_err(|(_, error)| MemberError {
                    error,
                    member: Member::Named("ids".to_owned()),
                })
            }
            _ if is_analyse(name.as_bytes()) => analyse(&items()?, session, wishes).map_err(placed),
            _ => match session_word(name.as_bytes()) {
                Some(request) => self.refuse_but(&[]).map(|()| request),
                None => Err(MemberError {
                    error: unknown_verb(&self.verb),
                    member: Member::Named("verb".to_owned()),
                }),
            },
        }
    }

    /// Refuses members that the verb does not take.
    fn refuse_but(&self, taken: &[&str]) -> Result<(), MemberError> {
        let RequestParts {
            cube,
            position,
            opening,
            roll,
            plays,
            settings,
            ..
        } = &self.parts;
        let given = [
            ("position", position.is_some()),
            ("opening", opening.is_some()),
            ("roll", roll.is_some()),
            ("plays", plays.is_some()),
            ("cube", *cube),
            ("settings", !settings.is_empty()),
            ("ids", self.ids.is_some()),
        ];
        let mut stray = given.into_iter();
        match stray.find(|(name, is_given)| *is_given && !taken.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("member {name:?} is not for {}", self.verb);
                Err(MemberError::named(ErrorCode::BadRequest, name, message))
            }
        }
    }
}

/// Returns the ids of requests to cancel.
fn ids(list: &[Json]) -> Result<Vec<String>, MemberError> {
    let Some(ids) = texts(list) else {
        let message = "ids are not strings, expected such as [\"7\"]";
        return Err(MemberError::named(ErrorCode::BadId, "ids", message));
    };
    let member = || Member::Named("ids".to_owned());
    ids.into_iter()
        .map(|id| word("ids", id, member).map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::request::Refusal;
    use crate::request_line::parse_line;

    fn line(text: &str) -> Result<Line, Refusal> {
        parse_line(text.as_bytes(), &Options::default()).unwrap()
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
            (
                r#"{"verb":"rollout","position":"4HPwATDgc/ABMA","roll":"31","plays":["8/5 6/5","13/9"],"settings":{"trials":36}}"#,
                "rollout 4HPwATDgc/ABMA 31 plays=\"8/5 6/5;13/9\" trials=36",
            ),
            (
                r#"{"verb":"analyse","settings":{"end":"stop","from":"2:5","plies":1}}"#,
                "analyse end=stop from=2:5 plies=1",
            ),
        ] {
            assert_eq!(line(json), line(want), "{json}");
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
            (r#"{"verb":"hello"}"#, "unknown-verb", "request"),
            (
                r#"{"verb":"ping","settings":{"plies":1}}"#,
                "bad-request",
                "settings",
            ),
            (
                r#"{"verb":"eval","position":"4HPwATDgc/ABMA","cube":true}"#,
                "bad-request",
                "cube",
            ),
            (
                r#"{"verb":"eval","position":"4HPwATDgc/ABMA","ids":["7"]}"#,
                "bad-request",
                "ids",
            ),
            (
                r#"{"verb":"move","position":"4HPwATDgc/ABMA","roll":"31","plays":"8/5"}"#,
                "bad-play",
                "plays",
            ),
            (
                r#"{"verb":"eval","position":"4HPwATDgc/ABMA","plays":"8/5"}"#,
                "bad-setting",
                "setting",
            ),
            (
                r#"{"verb":"eval","position":"4HPwATDgc/ABMA\u00e4"}"#,
                "bad-byte",
                "line",
            ),
        ] {
            let error = line(json).unwrap_err().error;
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
            let wrong = line(json).unwrap_err();
            assert_eq!(wrong.id.as_deref(), id, "{json}");
        }
    }

    /// Whole numbers that JSON writes with a point or an exponent are integers.
    #[test]
    fn whole_floats_are_integers() {
        let json = r#"{"verb":"move","position":"4HPwATDgc/ABMA","roll":[3.0,1e0],"settings":{"plies":2.0,"noise":0.5}}"#;
        let want = "move 4HPwATDgc/ABMA 3-1 plies=2 noise=0.5";
        assert_eq!(line(json), line(want), "{json}");
    }
}
