//! A request in JSON or in a query as the parts of a request (HTTP-10 to HTTP-12): so every way in has the same
//! settings, limits and messages. Before that it is checked against the description (HTTP-140).

use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::http::StatusCode;
use gammond_engine::query::RolloutSettings;
use gammond_engine::query::{Scope, Setting, SettingKind};
use gammond_protocol::json::{Json, MEMBERS_MAX};
use gammond_protocol::verbs::{
    ANALYSE_SCOPES, Member, MemberError, PositionFrom, RequestParts, Verb, not_taken, push_settings,
};
use gammond_protocol::{ErrorCode, Line, Options, SettingError};

/// Reason to refuse a parameter of a `POST`.
pub(in crate::http) const BESIDE_BODY: &str = "is beside a body: put it into the body";
/// The request for the analysis of a match.
const ANALYSE: &str = "analyse";
/// Longest position, in bytes: the line with all settings and plays has place for it.
pub(in crate::http) const POSITION_BYTES_MAX: usize = 4096;
/// Longest opening roll with its play, in bytes.
pub(in crate::http) const OPENING_BYTES_MAX: usize = PLAY_BYTES_MAX + 4;
/// Longest text of a play, in bytes.
pub(in crate::http) const PLAY_BYTES_MAX: usize = 36;
/// Longest id.
pub(in crate::http) const ID_LENGTH_MAX: usize = 64;
/// Largest number as an id: JSON of every program keeps it.
pub(in crate::http) const ID_NUMBER_MAX: u64 = (1 << 53) - 1;
/// The members of questions.
const MEMBERS: [&str; 7] = [
    "position", "opening", "roll", "plays", "cube", "settings", "id",
];
/// Settings that choose the part of a match that is analysed (Q-74).
const PART: [&str; 3] = ["from", "to", "player"];

/// A question: its verb, its parts, and their places in the request.
#[derive(Clone, Debug)]
pub(in crate::http) struct Question {
    pub(in crate::http) verb: &'static Verb,
    pub(in crate::http) parts: RequestParts,
    place: fn(&Member) -> ErrorLocation,
}

impl Question {
    /// Returns the question with progress requested, unless the request sets it.
    pub(in crate::http) fn with_progress(mut self) -> Question {
        with_progress(&mut self.parts.settings);
        self
    }

    /// Returns another question about the same parts.
    pub(in crate::http) fn of(&self, verb: &'static Verb) -> Question {
        Question {
            verb,
            ..self.clone()
        }
    }

    /// Reads the question.
    ///
    /// # Errors
    /// A [`Problem`] of the wrong part.
    pub(in crate::http) fn request(&self, session: &Options) -> Result<Line, Problem> {
        let read = self.parts.request(self.verb, session);
        read.map_err(|error| {
            let problem = problem(error, self.place);
            problem.of(self.parts.id.as_deref())
        })
    }

    /// Returns the error of an answer with the question's id, and with the part of the question that it is about.
    pub(in crate::http) fn placed(&self, problem: Problem) -> Problem {
        const CUBE: [&str; 3] = ["owner", "cube", "crawford"];
        let mut problem = problem.of(self.parts.id.as_deref());
        // Its byte is one of a line.
        problem.at = None;
        if problem.place != ErrorLocation::Nowhere || problem.status() != StatusCode::BAD_REQUEST {
            return problem;
        }
        let settings = self.parts.settings.iter().map(|(name, _)| name);
        let mut of_cube = settings.filter(|name| {
            CUBE.into_iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        });
        let member = match problem.code {
            ErrorCode::BadCube => match of_cube.next() {
                Some(name) => Member::Setting(name.clone()),
                None => Member::Named("position".to_owned()),
            },
            _ => Member::Whole,
        };
        problem.at((self.place)(&member))
    }

    /// Returns the problem of a setting.
    pub(in crate::http) fn of_setting(
        &self,
        name: &str,
        code: ErrorCode,
        message: &str,
    ) -> Problem {
        let mut names = self.parts.settings.iter().map(|(known, _)| known);
        let known = names.find(|known| known.eq_ignore_ascii_case(name));
        let member = Member::Setting(known.map_or(name, String::as_str).to_owned());
        let problem = Problem::new(code, message).at((self.place)(&member));
        problem.of(self.parts.id.as_deref())
    }
}

/// Adds the setting for progress, unless there is one.
pub(in crate::http) fn with_progress(settings: &mut Vec<(String, String)>) {
    const PROGRESS: &str = "progress";
    if settings
        .iter()
        .all(|(name, _)| !name.eq_ignore_ascii_case(PROGRESS))
    {
        settings.push((PROGRESS.to_owned(), "true".to_owned()));
    }
}

/// Returns true if questions of a verb have this member.
pub(in crate::http) fn has_member(verb: &Verb, name: &str) -> bool {
    matches!(name, "settings" | "id") || verb.takes.has(name)
}

/// Returns the setting with a name.
///
/// # Errors
/// The message for one that is unknown, or that a request, with the settings of these scopes, does not take; without
/// scopes all are taken but those of a session of lines.
fn setting_of(
    request: &str,
    scopes: Option<&[Scope]>,
    name: &str,
) -> Result<&'static Setting, String> {
    let setting = Setting::named(name)
        .ok_or_else(|| SettingError::Key(name.chars().take(24).collect()).to_string())?;
    if setting.scope == Scope::Session {
        return Err(format!(
            "setting '{name}' is not for HTTP: answers are JSON in order"
        ));
    }
    match scopes {
        Some(scopes) if !scopes.contains(&setting.scope) => {
            Err(not_taken(setting, request).to_string())
        }
        _ => Ok(setting),
    }
}

/// Refuses a body that does not match the description: a member or a setting that the verb does not have, or a value
/// of another type or out of its range. The remaining errors are about backgammon.
///
/// # Errors
/// A [`Problem`] of status 400 with a pointer and the id.
pub(in crate::http) fn check(verb: &Verb, body: &Json) -> Result<(), Problem> {
    check_members(verb, body).map_err(|problem| problem.of(id(body).as_deref()))
}

fn check_members(verb: &Verb, body: &Json) -> Result<(), Problem> {
    let Json::Object(members) = body else {
        // The reader of all questions has the message.
        return RequestParts::read(body.clone())
            .map(|_| ())
            .map_err(|error| problem(error, in_body));
    };
    let named = |name: &str| in_body(&Member::Named(name.to_owned()));
    for (name, value) in members {
        let wrong = |code: ErrorCode, want: &str| {
            let message = format!("{name} is {}, expected {want}", shown(value));
            Err(Problem::new(code, message).at(named(name)))
        };
        if !has_member(verb, name) {
            let reason = match MEMBERS.contains(&name.as_str()) {
                true => format!("is not for {}", verb.name),
                false => "is not known".to_owned(),
            };
            let mut names = MEMBERS.to_vec();
            names.retain(|name| has_member(verb, name));
            let hint = match name.as_str() {
                "cube" => "; the value of the cube is a setting",
                _ => "",
            };
            let message = format!(
                "member {name:?} {reason}, expected {}{hint}",
                names.join(", ")
            );
            return Err(Problem::new(ErrorCode::BadRequest, message).at(named(name)));
        }
        match (name.as_str(), value) {
            ("id", Json::Text(text)) if is_id(text) => {}
            ("id", Json::Number(number)) if is_whole_id(number) => {}
            ("id", _) => {
                return wrong(
                    ErrorCode::BadId,
                    "1 to 64 printable characters without a space or a quotation mark, such as \"7\"",
                );
            }
            ("roll", Json::Null) => {}
            ("roll", Json::Text(text)) if is_roll(text) => {}
            ("roll", Json::List(dice)) if dice.len() == 2 && dice.iter().all(is_die) => {}
            ("roll", Json::Text(_)) => {
                return wrong(ErrorCode::BadRoll, "dice such as [3,1] or \"31\"");
            }
            ("roll", _) => return wrong(ErrorCode::BadRequest, "dice such as [3,1] or \"31\""),
            ("plays", Json::List(plays)) => check_plays(plays)?,
            ("position", Json::Text(text)) if has_length(text, POSITION_BYTES_MAX) => {}
            ("opening", Json::Text(text)) if has_length(text, OPENING_BYTES_MAX) => {}
            ("opening", _) => return wrong(ErrorCode::BadRequest, "such as \"31 8/5 6/5\""),
            ("cube", Json::Bool(_)) => {}
            ("plays", _) => {
                return wrong(
                    ErrorCode::BadRequest,
                    "an array of plays such as \"8/5 6/5\"",
                );
            }
            ("settings", Json::Object(settings)) => check_settings(verb, settings)?,
            ("position", _) => {
                let want = format!(
                    "one such as \"4HPwATDgc/ABMA\", of at most {POSITION_BYTES_MAX} characters"
                );
                return wrong(ErrorCode::BadRequest, &want);
            }
            ("cube", _) => return wrong(ErrorCode::BadRequest, "true or false"),
            _ => return wrong(ErrorCode::BadRequest, "an object such as {\"plies\":2}"),
        }
    }
    check_needed(verb, members)
}

/// Refuses a body without a member that the verb needs.
fn check_needed(verb: &Verb, members: &[(String, Json)]) -> Result<(), Problem> {
    let is_there = |name: &str| members.iter().any(|(member, _)| member == name);
    let missing = needed(verb).into_iter().find(|name| !is_there(name));
    let (name, code, example) = match missing {
        None => return Ok(()),
        Some("position") => ("position", ErrorCode::MissingPosition, "4HPwATDgc/ABMA"),
        Some("roll") => ("roll", ErrorCode::MissingRoll, "31"),
        Some(name) => (name, ErrorCode::MissingPosition, "31 8/5 6/5"),
    };
    let message = format!("{name} is missing, expected one such as \"{example}\"");
    let member = Member::Named(name.to_owned());
    Err(Problem::new(code, message).at(in_body(&member)))
}

/// Returns the members without which there is no question of a verb.
pub(in crate::http) fn needed(verb: &Verb) -> Vec<&'static str> {
    match verb.takes.position {
        PositionFrom::Text => vec!["position"],
        PositionFrom::Start => vec!["roll"],
        PositionFrom::Opening => vec!["opening", "roll"],
    }
}

/// Refuses no plays, too many, and a member that is no play.
fn check_plays(plays: &[Json]) -> Result<(), Problem> {
    const MOST: usize = RolloutSettings::CANDIDATES_MAX;
    let refused = |message: String, place: &str| {
        let pointer = ErrorLocation::Pointer(format!("/plays{place}"));
        Err(Problem::new(ErrorCode::BadRequest, message).at(pointer))
    };
    if !(1..=MOST).contains(&plays.len()) {
        let message = format!("plays has {} plays, expected 1 to {MOST}", plays.len());
        return refused(message, "");
    }
    let is_play =
        |play: &Json| matches!(play, Json::Text(text) if has_length(text, PLAY_BYTES_MAX));
    match plays.iter().position(|play| !is_play(play)) {
        None => Ok(()),
        Some(at) => {
            let (number, play) = (at + 1, shown(&plays[at]));
            let want = format!("one such as \"8/5 6/5\" of at most {PLAY_BYTES_MAX} characters");
            refused(
                format!("play {number} is {play}, expected {want}"),
                &format!("/{at}"),
            )
        }
    }
}

/// Returns true for a text of 1 to `max` characters, which may have more bytes.
fn has_length(text: &str, max: usize) -> bool {
    !text.is_empty() && (text.len() <= max || text.chars().count() <= max)
}

fn check_settings(verb: &Verb, settings: &[(String, Json)]) -> Result<(), Problem> {
    for (name, value) in settings {
        let refuse = |message: String| {
            let place = in_body(&Member::Setting(name.clone()));
            Err(Problem::new(ErrorCode::BadSetting, message).at(place))
        };
        let setting = match setting_of(verb.name, Some(verb.scopes), name) {
            Ok(setting) => setting,
            Err(message) => return refuse(message),
        };
        if setting.of_json(&value.plain()).is_none() {
            let want = match setting.kind {
                SettingKind::Switch => "true or false".to_owned(),
                SettingKind::Pair(max) => format!("two numbers up to {max}, such as [3,5]"),
                _ => setting.want(),
            };
            return refuse(format!(
                "setting '{name}' is {}, expected {want}",
                shown(value)
            ));
        }
    }
    Ok(())
}

/// Returns a value of JSON for a message: short ones as they are, others by their kind.
fn shown(value: &Json) -> String {
    match value {
        Json::Number(number) => number.to_string(),
        Json::Bool(on) => on.to_string(),
        Json::Text(text) if text.chars().count() <= 24 => format!("{text:?}"),
        other => other.kind().to_owned(),
    }
}

/// Returns true for a text that an answer can have as its id.
fn is_id(text: &str) -> bool {
    let fits = (1..=ID_LENGTH_MAX).contains(&text.len());
    fits && text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

/// Returns true for a whole number, 1.0 too, that an answer has as its id without a loss.
fn is_whole_id(number: &serde_json::Number) -> bool {
    let fits = |value: f64| value.fract() == 0.0 && (0.0..=ID_NUMBER_MAX as f64).contains(&value);
    number.as_f64().is_some_and(fits)
}

/// Returns true for two dice as a word: `31`, `3-1` or `3,1`.
fn is_roll(text: &str) -> bool {
    let is_die = |byte: &u8| (b'1'..=b'6').contains(byte);
    match text.as_bytes() {
        [one, two] | [one, b'-' | b',', two] => is_die(one) && is_die(two),
        _ => false,
    }
}

fn is_die(value: &Json) -> bool {
    let Json::Number(number) = value else {
        return false;
    };
    number
        .as_f64()
        .is_some_and(|die| die.fract() == 0.0 && (1.0..=6.0).contains(&die))
}

/// Refuses errors that the description cannot express, because members contradict each other or a text is too long.
fn check_parts(parts: &RequestParts) -> Result<(), MemberError> {
    let wrong = |code: ErrorCode, message: String, name: &str| {
        let member = Member::Named(name.to_owned());
        Err(MemberError::new(code, message, member))
    };
    let long =
        |text: &Option<String>, max: usize| text.as_ref().is_some_and(|text| text.len() > max);
    if long(&parts.position, POSITION_BYTES_MAX) {
        let message = format!("position is too long, expected at most {POSITION_BYTES_MAX} bytes");
        return wrong(ErrorCode::BadPosition, message, "position");
    }
    if long(&parts.opening, OPENING_BYTES_MAX) {
        let message = format!("opening is too long, expected at most {OPENING_BYTES_MAX} bytes");
        return wrong(ErrorCode::BadPlay, message, "opening");
    }
    let plays = parts.plays.iter().flat_map(|plays| plays.split(';'));
    if let Some(play) = plays
        .map(str::trim)
        .find(|play| play.len() > PLAY_BYTES_MAX)
    {
        let message = format!("plays has {play:.64?}, expected at most {PLAY_BYTES_MAX} bytes");
        return wrong(ErrorCode::BadPlay, message, "plays");
    }
    let beside = [
        ("roll", parts.roll.is_some()),
        ("plays", parts.plays.is_some()),
    ];
    if let Some((name, _)) = beside
        .into_iter()
        .find(|(_, is_there)| *is_there && parts.cube)
    {
        let message =
            format!("{name} has no place beside cube: the cube is decided before the dice");
        return wrong(ErrorCode::BadCombination, message, name);
    }
    Ok(())
}

/// Returns a wrong member as a problem; `place` finds it in the request. `at` counts from the beginning of the position, and
/// is left out elsewhere.
fn problem(wrong: MemberError, place: impl Fn(&Member) -> ErrorLocation) -> Problem {
    let MemberError { error, member } = wrong;
    let in_position = member == Member::Named("position".to_owned());
    let at = in_position && error.code != ErrorCode::MissingPosition;
    let problem = Problem {
        field: Some(error.field.into()),
        at: at.then(|| u32::try_from(error.at).ok()).flatten(),
        ..Problem::new(error.code, error.message)
    };
    problem.at(place(&member))
}

/// Returns the place of a wrong member of a body, by a JSON Pointer.
fn in_body(member: &Member) -> ErrorLocation {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    ErrorLocation::Pointer(match member {
        Member::Whole => String::new(),
        Member::Named(name) => format!("/{}", escaped(name)),
        Member::Setting(name) => format!("/settings/{}", escaped(name)),
    })
}

/// Returns the place of a wrong parameter of a query.
fn in_query(member: &Member) -> ErrorLocation {
    match member {
        Member::Whole => ErrorLocation::Nowhere,
        Member::Named(name) | Member::Setting(name) => ErrorLocation::Parameter(name.clone()),
    }
}

/// Refuses settings that a request does not take.
fn check_names(
    request: &str,
    scopes: Option<&[Scope]>,
    settings: &[(String, String)],
) -> Result<(), Problem> {
    for (name, _) in settings {
        if request == ANALYSE && PART.contains(&name.as_str()) {
            continue;
        }
        setting_of(request, scopes, name).map_err(|message| {
            let place = in_query(&Member::Setting(name.clone()));
            Problem::new(ErrorCode::BadSetting, message).at(place)
        })?;
    }
    Ok(())
}

/// Returns the settings of a query of settings alone, and the value of the parameter `apart`.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(in crate::http) fn settings_of_query(
    query: &str,
    apart: &str,
) -> Result<(Vec<(String, String)>, Option<String>), Problem> {
    let (mut settings, mut value_apart) = (Vec::new(), None);
    for (name, value) in parameters(query)? {
        if name == apart {
            value_apart = Some(value);
        } else {
            settings.push((name, value));
        }
    }
    Ok((settings, value_apart))
}

/// Returns settings of an analysis, from queries and forms, as the words of a line; each occurs once.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(in crate::http) fn settings_of_pairs(settings: &[(String, String)]) -> Result<String, Problem> {
    check_names(ANALYSE, Some(ANALYSE_SCOPES), settings)?;
    for (at, (name, _)) in settings.iter().enumerate() {
        let mut before = settings.iter().take(at);
        if before.any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            // Each of them has it once.
            let message = format!("setting {name:?} stands in the query and in the form");
            let place = ErrorLocation::Parameter(name.clone());
            return Err(Problem::new(ErrorCode::BadCombination, message).at(place));
        }
    }
    let mut line = String::new();
    push_settings(&mut line, settings).map_err(|error| problem(error, in_query))?;
    Ok(line)
}

/// Returns the parameters of a query, each of which occurs once; those of pairs may occur twice, as arrays do in a
/// query: `score=3&score=5` is `score=3,5`.
///
/// # Errors
/// A duplicate parameter, and too many of them.
pub(in crate::http) fn parameters(query: &str) -> Result<Vec<(String, String)>, Problem> {
    let is_pair = |name: &str| {
        Setting::named(name).is_some_and(|setting| matches!(setting.kind, SettingKind::Pair(_)))
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if is_pair(&name)
            && is_number(&value)
            && let Some((_, first)) = seen.iter_mut().find(|(other, _)| *other == name)
            && is_number(first)
        {
            first.push(',');
            first.push_str(&value);
            continue;
        }
        if seen.len() >= MEMBERS_MAX {
            let message = format!("the query has more than {MEMBERS_MAX} parameters");
            return Err(Problem::new(ErrorCode::BadRequest, message));
        }
        if seen
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(&name))
        {
            return Err(stands_twice(&name));
        }
        seen.push((name.into_owned(), value.into_owned()));
    }
    Ok(seen)
}

fn stands_twice(name: &str) -> Problem {
    let message = format!("parameter {name:?} stands twice");
    let place = ErrorLocation::Parameter(name.to_owned());
    Problem::new(ErrorCode::BadSetting, message).at(place)
}

/// Refuses a query without any known parameter; `reason` continues `parameter "NAME"`.
///
/// # Errors
/// `bad-setting` with the name of the first parameter.
pub(in crate::http) fn reject_parameters(query: &str, reason: &str) -> Result<(), Problem> {
    let Some((name, _)) = form_urlencoded::parse(query.as_bytes()).next() else {
        return Ok(());
    };
    let message = format!("parameter {name:?} {reason}");
    let place = ErrorLocation::Parameter(name.into_owned());
    Err(Problem::new(ErrorCode::BadSetting, message).at(place))
}

/// Reads a body as a question of a verb.
///
/// # Errors
/// [`Problem`]s with a pointer and the id: those of [`check`].
pub(in crate::http) fn from_json(verb: &'static Verb, body: Json) -> Result<Question, Problem> {
    let id = id(&body);
    let read = || {
        check_members(verb, &body)?;
        question_of_parts(verb, body)
    };
    read().map_err(|problem| problem.of(id.as_deref()))
}

/// Reads a body whose members have been checked, and which may have numbers as texts, as a question of a verb: the tools of
/// MCP have their own arguments.
///
/// # Errors
/// [`Problem`]s with a pointer and the id.
pub(in crate::http) fn of_arguments(verb: &'static Verb, body: Json) -> Result<Question, Problem> {
    let id = id(&body);
    question_of_parts(verb, body).map_err(|problem| problem.of(id.as_deref()))
}

fn question_of_parts(verb: &'static Verb, body: Json) -> Result<Question, Problem> {
    let parts = RequestParts::read(body).map_err(|error| problem(error, in_body))?;
    check_parts(&parts).map_err(|error| problem(error, in_body))?;
    Ok(Question {
        verb,
        parts,
        place: in_body,
    })
}

/// Returns the id of a body, also of one that is wrong.
fn id(body: &Json) -> Option<String> {
    let Json::Object(members) = body else {
        return None;
    };
    members.iter().find_map(|(name, value)| match value {
        Json::Text(text) if name == "id" => Some(text.clone()),
        Json::Number(number) if name == "id" => Some(number.to_string()),
        _ => None,
    })
}

/// Reads a query string as a question of a verb.
///
/// # Errors
/// [`Problem`]s with the name of the parameter.
pub(in crate::http) fn from_query(verb: &'static Verb, query: &str) -> Result<Question, Problem> {
    of_parameters(verb, parameters(query)?, true)
}

/// Reads parameters as a question of a verb; if they are not `strict`, settings and members of other verbs may occur
/// too.
///
/// # Errors
/// [`Problem`]s with the name of the parameter.
pub(in crate::http) fn of_parameters(
    verb: &'static Verb,
    parameters: Vec<(String, String)>,
    strict: bool,
) -> Result<Question, Problem> {
    let mut parts = RequestParts::default();
    // All other values are those of the cube.
    let is_decision = |name: &str| verb.takes.cube && name.eq_ignore_ascii_case("cube");
    let refuse = |name: &str, code: ErrorCode, message: String| {
        Err(Problem::new(code, message).at(ErrorLocation::Parameter(name.to_owned())))
    };
    for (name, value) in parameters {
        let is_member = ["position", "opening", "roll", "plays"].contains(&name.as_str());
        if strict && is_member && !has_member(verb, &name) {
            let message = format!("parameter {name:?} is not for {}", verb.name);
            return refuse(&name, ErrorCode::BadSetting, message);
        }
        match name.as_str() {
            "id" if !is_id(&value) => {
                let message = "id is not 1 to 64 printable characters without a space or a quotation mark, such as 7";
                return refuse(&name, ErrorCode::BadId, message.to_owned());
            }
            "id" => parts.id = Some(value),
            "position" => parts.position = Some(value),
            "opening" => parts.opening = Some(value),
            "roll" => parts.roll = Some(value),
            "plays" => parts.plays = Some(value),
            _ => match value.as_str() {
                "1" | "true" if is_decision(&name) => parts.cube = true,
                "0" | "false" if is_decision(&name) => {}
                _ => parts.settings.push((name, value)),
            },
        }
    }
    let checked = check_names(verb.name, strict.then_some(verb.scopes), &parts.settings)
        .and_then(|()| check_parts(&parts).map_err(|error| problem(error, in_query)));
    match checked {
        Ok(()) => Ok(Question {
            verb,
            parts,
            place: in_query,
        }),
        Err(problem) => Err(problem.of(parts.id.as_deref())),
    }
}

/// Returns a whole body.
///
/// # Errors
/// `bad-json`, with line and column.
pub(in crate::http) fn parse(bytes: &[u8]) -> Result<Json, Problem> {
    Json::parse(bytes).map_err(|error| {
        let message = format!("the body is not JSON: {error}");
        Problem::new(ErrorCode::BadJson, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_protocol::verbs::{CUBE, EVAL, MOVE, ROLLOUT};

    /// Returns the equivalent line.
    fn words(question: Result<Question, Problem>) -> Result<String, Problem> {
        let question = question?;
        let line = question.parts.line();
        let id = question.parts.id.as_deref();
        line.map_err(|error| problem(error, question.place).of(id))
    }

    fn of_json(verb: &'static Verb, body: Json) -> Result<String, Problem> {
        words(from_json(verb, body))
    }

    fn of_query(verb: &'static Verb, query: &str) -> Result<String, Problem> {
        words(from_query(verb, query))
    }

    fn line(body: &str) -> Result<String, Problem> {
        of_json(&ROLLOUT, parse(body.as_bytes())?)
    }

    /// HTTP-10, HTTP-12.
    #[test]
    fn members_are_the_words_of_a_line() {
        let body = r#"{"id":"a","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":2,"cubeful":true,"score":[3,5]}}"#;
        let want = "#a 4HPwATDgc/ABMA 3-1 plies=2 cubeful=true score=3-5";
        assert_eq!(line(body).unwrap(), want);
        let query = "id=a&position=4HPwATDgc%2FABMA&roll=3-1&plies=2&cubeful=true&score=3-5";
        assert_eq!(of_query(&MOVE, query).unwrap(), want);
    }

    /// HTTP-10: in a query of `rollout` the cube is a decision or a value, for other verbs a value.
    #[test]
    fn cube_of_a_query_is_a_decision_in_rollouts_alone() {
        for (verb, cube, want) in [
            (&ROLLOUT, "1", "cube x"),
            (&ROLLOUT, "true", "cube x"),
            (&ROLLOUT, "false", "x"),
            (&ROLLOUT, "2", "x cube=2"),
            (&EVAL, "2", "x cube=2"),
            (&EVAL, "1", "x cube=1"),
        ] {
            let query = format!("position=x&cube={cube}");
            assert_eq!(of_query(verb, &query).unwrap(), want, "{verb:?} {cube}");
        }
        let body = parse(br#"{"id":7,"position":"x","cube":true}"#).unwrap();
        assert_eq!(of_json(&ROLLOUT, body.clone()).unwrap(), "#7 cube x");
        let problem = of_json(&CUBE, body).unwrap_err();
        assert_eq!(problem.place, ErrorLocation::Pointer("/cube".to_owned()));
        assert_eq!(problem.id.as_deref(), Some("7"));
    }

    /// HTTP-20: names of settings have any case.
    #[test]
    fn settings_of_lines_are_refused_in_any_case() {
        for name in ["answer", "Answer", "ORDER"] {
            let body = format!(r#"{{"position":"x","settings":{{"{name}":"text"}}}}"#);
            let pointer = ErrorLocation::Pointer(format!("/settings/{name}"));
            assert_eq!(line(&body).unwrap_err().place, pointer);
            let query = format!("position=x&{name}=text");
            let parameter = ErrorLocation::Parameter(name.to_owned());
            assert_eq!(of_query(&EVAL, &query).unwrap_err().place, parameter);
        }
        assert!(of_query(&EVAL, "position=x&plies=1&PLIES=2").is_err());
        let body = r#"{"position":"x","settings":{"plies":1,"PLIES":2}}"#;
        let pointer = ErrorLocation::Pointer("/settings/PLIES".to_owned());
        assert_eq!(line(body).unwrap_err().place, pointer);
        let pairs = [("plies", "1"), ("Plies", "2")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let place = ErrorLocation::Parameter("Plies".to_owned());
        assert_eq!(settings_of_pairs(&pairs).unwrap_err().place, place);
        let cube = of_query(&ROLLOUT, "position=x&CUBE=1").unwrap();
        assert_eq!(cube, "cube x");
    }

    /// HTTP-70: a problem has the id of its question, if an answer could have it.
    #[test]
    fn problem_has_the_id() {
        let id = |body: &str| line(body).unwrap_err().id;
        assert_eq!(id(r#"{"position":4,"id":"a"}"#).as_deref(), Some("a"));
        assert_eq!(id(r#"{"x":4,"id":17}"#).as_deref(), Some("17"));
        assert_eq!(id(r#"{"position":"x","id":"a b"}"#), None);
        let long = format!(r#"{{"x":4,"id":"{}"}}"#, "i".repeat(65));
        assert_eq!(id(&long), None);
        let problem = of_query(&EVAL, "id=q&answer=text").unwrap_err();
        assert_eq!(problem.id.as_deref(), Some("q"));
    }

    #[test]
    fn problem_points_to_the_wrong_member() {
        for (body, code, pointer) in [
            ("[]", "bad-request", ""),
            ("{}", "missing-position", "/position"),
            (
                r#"{"position":"x","settings":{"answer":"text"}}"#,
                "bad-setting",
                "/settings/answer",
            ),
            (r#"{"position":"x y"}"#, "bad-position", "/position"),
            (r#"{"position":"x\n#2 quit"}"#, "bad-position", "/position"),
            (r#"{"position":4}"#, "bad-request", "/position"),
            (r#"{"position":"x","roll":[3]}"#, "bad-request", "/roll"),
            (r#"{"position":"x","ply":3}"#, "bad-request", "/ply"),
            (
                r#"{"position":"x","settings":{"plies":[]}}"#,
                "bad-setting",
                "/settings/plies",
            ),
            (
                r#"{"position":"x","settings":{"a b":1}}"#,
                "bad-setting",
                "/settings/a b",
            ),
            (
                r#"{"position":"x","plays":"a\"b"}"#,
                "bad-request",
                "/plays",
            ),
        ] {
            let problem = line(body).unwrap_err();
            assert_eq!(problem.code.as_str(), code, "{body}");
            assert_eq!(
                problem.place,
                ErrorLocation::Pointer(pointer.to_owned()),
                "{body}"
            );
        }
        let deep = "[".repeat(100_000);
        let text = r#"{"position":"x","position":"y"}"#;
        for body in [
            "",
            "{",
            "\u{feff}{}",
            text,
            "{\"position\":1e999}",
            deep.as_str(),
        ] {
            assert_eq!(
                line(body).unwrap_err().code,
                ErrorCode::BadJson,
                "{}",
                body.len()
            );
        }
        assert_eq!(
            of_query(&EVAL, "position=a&position=b").unwrap_err().code,
            ErrorCode::BadSetting
        );
        assert_eq!(
            of_query(&EVAL, "position=%ff%00").unwrap_err().code,
            ErrorCode::BadPosition
        );
    }

    /// HTTP-70: an error is that of a member, and `at` counts from the beginning of the position.
    #[test]
    fn errors_have_their_member() {
        const START: &str = "4HPwATDgc/ABMA";
        for (verb, body, code, pointer, at) in [
            (
                &EVAL,
                r#"{"position":"4HPwATDgc/ABM!","id":2}"#,
                "bad-position",
                "/position",
                Some(13),
            ),
            (
                &CUBE,
                r#"{"position":"XGID=-b"}"#,
                "bad-xgid",
                "/position",
                Some(5),
            ),
            (
                &EVAL,
                r#"{"position":"START","settings":{"PLIES":1,"score":[9,9]}}"#,
                "bad-score",
                "/settings/score",
                None,
            ),
            (
                &ROLLOUT,
                r#"{"position":"START","roll":[3,1],"plays":["8/2"]}"#,
                "bad-play",
                "/plays",
                None,
            ),
            (
                &ROLLOUT,
                r#"{"position":"START","plays":["8/2"]}"#,
                "bad-combination",
                "/plays",
                None,
            ),
            (
                &CUBE,
                r#"{"position":"START","settings":{"Owner":"opponent","cube":2}}"#,
                "bad-cube",
                "/settings/Owner",
                None,
            ),
            (
                &MOVE,
                r#"{"position":"START"}"#,
                "missing-roll",
                "/roll",
                None,
            ),
            (
                &MOVE,
                r#"{"position":"/wAAAAAAAAAAAA","roll":"31"}"#,
                "game-over",
                "/position",
                Some(0),
            ),
        ] {
            let body = parse(body.replace("START", START).as_bytes()).unwrap();
            let question = from_json(verb, body).unwrap();
            let problem = question.request(&Options::default()).unwrap_err();
            let place = ErrorLocation::Pointer(pointer.to_owned());
            assert_eq!(
                (problem.code.as_str(), &problem.place, problem.at),
                (code, &place, at),
                "{verb:?} {problem:?}"
            );
            assert_eq!(problem.id.is_some(), question.parts.id.is_some());
        }
    }

    /// HTTP-70: an error of the engine has the id, and the member that it is about.
    #[test]
    fn errors_of_answers_have_their_member() {
        let asked = |settings: &str| {
            let body = format!(r#"{{"position":"x","id":"2","settings":{settings}}}"#);
            from_json(&ROLLOUT, parse(body.as_bytes()).unwrap()).unwrap()
        };
        for (settings, code, pointer) in [
            (r#"{"Cube":2}"#, ErrorCode::BadCube, Some("/settings/Cube")),
            ("{}", ErrorCode::BadCube, Some("/position")),
            (r#"{"cube":2}"#, ErrorCode::BadSetting, Some("")),
            ("{}", ErrorCode::TooManyRequests, None),
        ] {
            let problem = asked(settings).placed(Problem::new(code, "wrong"));
            let place = pointer.map(|pointer| ErrorLocation::Pointer(pointer.to_owned()));
            assert_eq!(
                problem.place,
                place.unwrap_or(ErrorLocation::Nowhere),
                "{settings}"
            );
            assert_eq!((problem.id.as_deref(), problem.at), (Some("2"), None));
        }
    }

    /// HTTP-41: progress is left out where the request turns it off, in any case.
    #[test]
    fn progress_is_added_once() {
        let asked = |query: &str| {
            let question = from_query(&ROLLOUT, query).unwrap().with_progress();
            question.parts.line().unwrap()
        };
        assert_eq!(asked("position=x&trials=36"), "x trials=36 progress=true");
        assert_eq!(asked("position=x&progress=false"), "x progress=false");
        assert_eq!(asked("position=x&Progress=0&top=1"), "x Progress=0 top=1");
    }
}
