//! A request in JSON or in a query as the line that asks the same (HTTP-10 to HTTP-12): so every way in has the same
//! settings, limits and messages. Before that it is compared with what the description says (HTTP-140).

use super::problem::{ErrorLocation, Problem};
use gammond_engine::query::RolloutSettings;
use gammond_engine::query::{SETTINGS, Scope, Setting, SettingKind};
use gammond_protocol::json::{Json, MEMBERS_MAX};
use gammond_protocol::json_request::{Member, MemberError, RequestParts, push_settings};
use gammond_protocol::{ErrorCode, SettingError};

/// Longest position, in bytes: the line with all settings and plays has place for it.
pub(super) const POSITION_BYTES_MAX: usize = 4096;
/// Longest text of a play, in bytes.
pub(super) const PLAY_BYTES_MAX: usize = 36;
/// Longest id.
pub(super) const ID_LENGTH_MAX: usize = 64;
/// Largest number as an id: JSON of every program keeps it.
pub(super) const ID_NUMBER_MAX: u64 = (1 << 53) - 1;
/// The members of questions.
const MEMBERS: [&str; 6] = ["position", "roll", "plays", "cube", "settings", "id"];
/// What chooses the part of a match that is analysed (Q-74).
const PART: [&str; 3] = ["from", "to", "player"];

/// Returns true if questions of a verb have this member.
pub(super) fn has_member(verb: &str, name: &str) -> bool {
    match name {
        "position" | "settings" | "id" => true,
        "roll" => matches!(verb, "move" | "rollout" | "convert" | "show"),
        "plays" | "cube" => verb == "rollout",
        _ => false,
    }
}

/// Returns the settings of a verb in the order of `help`.
pub(super) fn settings_of(verb: &str) -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(move |setting| setting.scope.is_of(verb))
}

/// Returns the setting with a name; `Err` is the message for one that the verb does not take. Without a verb all are
/// taken but those of a session of lines.
fn setting_of(verb: &str, name: &str) -> Result<&'static Setting, String> {
    let setting = Setting::named(name)
        .ok_or_else(|| SettingError::Key(name.chars().take(24).collect()).to_string())?;
    if setting.scope == Scope::Session {
        return Err(format!(
            "setting '{name}' is not for HTTP: answers are JSON in order"
        ));
    }
    if verb.is_empty() || setting.scope.is_of(verb) {
        return Ok(setting);
    }
    let key = setting.name;
    Err(SettingError::Verb {
        key,
        verb: verb.to_owned(),
    }
    .to_string())
}

/// Refuses a body that is not as the description says: a member or a setting that the verb does not have, or a value of
/// another type or out of its range. What it leaves is about backgammon.
///
/// # Errors
/// A [`Problem`] of status 400 with a pointer and the id.
pub(super) fn check(verb: &str, body: &Json) -> Result<(), Problem> {
    check_members(verb, body).map_err(|problem| problem.of(id(body).as_deref()))
}

fn check_members(verb: &str, body: &Json) -> Result<(), Problem> {
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
                true => format!("is not for {verb}"),
                false => "is not known".to_owned(),
            };
            let mut names = MEMBERS.to_vec();
            names.retain(|name| has_member(verb, name));
            let hint = match (name.as_str(), verb) {
                ("cube", "rollout") => "",
                ("cube", _) => "; the value of the cube is a setting",
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
            ("plays", Json::List(plays)) if is_plays(plays) => {}
            ("position", Json::Text(text)) if has_length(text, POSITION_BYTES_MAX) => {}
            ("cube", Json::Bool(_)) => {}
            ("plays", _) => {
                return wrong(
                    ErrorCode::BadRequest,
                    "an array of 1 to 64 plays such as \"8/5 6/5\", each of at most 36 characters",
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
    if members.iter().any(|(name, _)| name == "position") {
        return Ok(());
    }
    let message = "position is missing, expected one such as \"4HPwATDgc/ABMA\"";
    Err(Problem::new(ErrorCode::MissingPosition, message).at(named("position")))
}

/// Returns true for texts, as many as a rollout can have.
fn is_plays(plays: &[Json]) -> bool {
    let fits = (1..=RolloutSettings::CANDIDATES_MAX).contains(&plays.len());
    let is_play =
        |play: &Json| matches!(play, Json::Text(text) if has_length(text, PLAY_BYTES_MAX));
    fits && plays.iter().all(is_play)
}

/// Returns true for a text of 1 to `max` characters, which may have more bytes.
fn has_length(text: &str, max: usize) -> bool {
    !text.is_empty() && (text.len() <= max || text.chars().count() <= max)
}

fn check_settings(verb: &str, settings: &[(String, Json)]) -> Result<(), Problem> {
    for (name, value) in settings {
        let refuse = |message: String| {
            let place = in_body(&Member::Setting(name.clone()));
            Err(Problem::new(ErrorCode::BadSetting, message).at(place))
        };
        let setting = match setting_of(verb, name) {
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

/// Refuses what the description cannot say of a question, because members contradict each other or a text is too long.
fn check_parts(verb: &str, parts: &RequestParts) -> Result<(), MemberError> {
    let wrong = |code: ErrorCode, message: String, name: &str| {
        Err(MemberError {
            code,
            message,
            member: Member::Named(name.to_owned()),
        })
    };
    let long =
        |text: &Option<String>, max: usize| text.as_ref().is_some_and(|text| text.len() > max);
    if long(&parts.position, POSITION_BYTES_MAX) {
        let message = format!("position is too long, expected at most {POSITION_BYTES_MAX} bytes");
        return wrong(ErrorCode::BadPosition, message, "position");
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
    debug_assert!(verb == "rollout" || !parts.cube);
    Ok(())
}

/// Returns a wrong member as a problem; `place` finds it in the request.
fn problem(error: MemberError, place: impl Fn(&Member) -> ErrorLocation) -> Problem {
    Problem::new(error.code, error.message).at(place(&error.member))
}

/// Where a member of a body is wrong: by a JSON Pointer.
fn in_body(member: &Member) -> ErrorLocation {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    ErrorLocation::Pointer(match member {
        Member::Whole => String::new(),
        Member::Named(name) => format!("/{}", escaped(name)),
        Member::Setting(name) => format!("/settings/{}", escaped(name)),
    })
}

/// Where a parameter of a query is wrong.
fn in_query(member: &Member) -> ErrorLocation {
    match member {
        Member::Whole => ErrorLocation::Nowhere,
        Member::Named(name) | Member::Setting(name) => ErrorLocation::Parameter(name.clone()),
    }
}

/// Refuses settings that a verb does not take.
fn check_names(verb: &str, settings: &[(String, String)]) -> Result<(), Problem> {
    for (name, _) in settings {
        if verb == "analyse" && PART.contains(&name.as_str()) {
            continue;
        }
        setting_of(verb, name).map_err(|message| {
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
pub(super) fn settings_of_query(
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

/// Returns settings of an analysis, from queries and forms, as the words of a line; each stands once.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn settings_of_pairs(settings: &[(String, String)]) -> Result<String, Problem> {
    check_names("analyse", settings)?;
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

/// Returns the parameters of a query, each of which stands once; those of pairs may stand twice, as arrays do in a query:
/// `score=3&score=5` is `score=3,5`.
///
/// # Errors
/// A parameter that stands twice, and too many of them.
pub(super) fn parameters(query: &str) -> Result<Vec<(String, String)>, Problem> {
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

/// Refuses a query of which no parameter is known; `reason` continues `parameter "NAME"`.
///
/// # Errors
/// `bad-setting` with the name of the first parameter.
pub(super) fn reject_parameters(query: &str, reason: &str) -> Result<(), Problem> {
    let Some((name, _)) = form_urlencoded::parse(query.as_bytes()).next() else {
        return Ok(());
    };
    let message = format!("parameter {name:?} {reason}");
    let place = ErrorLocation::Parameter(name.into_owned());
    Err(Problem::new(ErrorCode::BadSetting, message).at(place))
}

/// Returns a body as what stands behind the verb in its line. Without a verb only what all questions have in common is
/// checked: the tools of MCP have checked the names of their arguments, and take numbers as texts too.
///
/// # Errors
/// [`Problem`]s with a pointer and the id: those of [`check`], and what the line's parser refuses.
pub(super) fn from_json(verb: &str, body: Json) -> Result<String, Problem> {
    let id = id(&body);
    let read = || {
        if !verb.is_empty() {
            check_members(verb, &body)?;
        }
        let parts = RequestParts::read(body).map_err(|error| problem(error, in_body))?;
        check_parts(verb, &parts)
            .and_then(|()| parts.line())
            .map_err(|error| problem(error, in_body))
    };
    read().map_err(|problem| problem.of(id.as_deref()))
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

/// Returns a query string as what stands behind the verb in its line. Without a verb all settings are taken.
///
/// # Errors
/// [`Problem`]s with the name of the parameter.
pub(super) fn from_query(verb: &str, query: &str) -> Result<String, Problem> {
    let mut parts = RequestParts::default();
    // All other values are those of the cube.
    let is_decision = |name: &str| verb == "rollout" && name.eq_ignore_ascii_case("cube");
    let refuse = |name: &str, code: ErrorCode, message: String| {
        Err(Problem::new(code, message).at(ErrorLocation::Parameter(name.to_owned())))
    };
    for (name, value) in parameters(query)? {
        if ["roll", "plays"].contains(&name.as_str())
            && !verb.is_empty()
            && !has_member(verb, &name)
        {
            let message = format!("parameter {name:?} is not for {verb}");
            return refuse(&name, ErrorCode::BadSetting, message);
        }
        match name.as_str() {
            "id" if !is_id(&value) => {
                let message = "id is not 1 to 64 printable characters without a space or a quotation mark, such as 7";
                return refuse(&name, ErrorCode::BadId, message.to_owned());
            }
            "id" => parts.id = Some(value),
            "position" => parts.position = Some(value),
            "roll" => parts.roll = Some(value),
            "plays" => parts.plays = Some(value),
            _ => match value.as_str() {
                "1" | "true" if is_decision(&name) => parts.cube = true,
                "0" | "false" if is_decision(&name) => {}
                _ => parts.settings.push((name, value)),
            },
        }
    }
    let id = parts.id.clone();
    let line = check_names(verb, &parts.settings).and_then(|()| {
        check_parts(verb, &parts)
            .and_then(|()| parts.line())
            .map_err(|error| problem(error, in_query))
    });
    line.map_err(|problem| problem.of(id.as_deref()))
}

/// Returns a whole body.
///
/// # Errors
/// `bad-json`, with line and column.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, Problem> {
    Json::parse(bytes).map_err(|error| {
        let message = format!("the body is not JSON: {error}");
        Problem::new(ErrorCode::BadJson, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(body: &str) -> Result<String, Problem> {
        from_json("rollout", parse(body.as_bytes())?)
    }

    /// HTTP-10, HTTP-12.
    #[test]
    fn members_are_the_words_of_a_line() {
        let body = r#"{"id":"a","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":2,"cubeful":true,"score":[3,5]}}"#;
        let want = "#a 4HPwATDgc/ABMA 3-1 plies=2 cubeful=true score=3-5";
        assert_eq!(line(body).unwrap(), want);
        let query = "id=a&position=4HPwATDgc%2FABMA&roll=3-1&plies=2&cubeful=true&score=3-5";
        assert_eq!(from_query("move", query).unwrap(), want);
    }

    /// HTTP-10: in a query of `rollout` the cube is a decision or a value, for other verbs a value.
    #[test]
    fn cube_of_a_query_is_a_decision_in_rollouts_alone() {
        for (verb, cube, want) in [
            ("rollout", "1", "cube x"),
            ("rollout", "true", "cube x"),
            ("rollout", "false", "x"),
            ("rollout", "2", "x cube=2"),
            ("eval", "2", "x cube=2"),
            ("eval", "1", "x cube=1"),
        ] {
            let query = format!("position=x&cube={cube}");
            assert_eq!(from_query(verb, &query).unwrap(), want, "{verb} {cube}");
        }
        let body = parse(br#"{"id":7,"position":"x","cube":true}"#).unwrap();
        assert_eq!(from_json("rollout", body.clone()).unwrap(), "#7 cube x");
        let problem = from_json("cube", body).unwrap_err();
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
            assert_eq!(from_query("eval", &query).unwrap_err().place, parameter);
        }
        assert!(from_query("eval", "position=x&plies=1&PLIES=2").is_err());
        let body = r#"{"position":"x","settings":{"plies":1,"PLIES":2}}"#;
        let pointer = ErrorLocation::Pointer("/settings/PLIES".to_owned());
        assert_eq!(line(body).unwrap_err().place, pointer);
        let pairs = [("plies", "1"), ("Plies", "2")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let place = ErrorLocation::Parameter("Plies".to_owned());
        assert_eq!(settings_of_pairs(&pairs).unwrap_err().place, place);
        let cube = from_query("rollout", "position=x&CUBE=1").unwrap();
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
        let problem = from_query("eval", "id=q&answer=text").unwrap_err();
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
            from_query("eval", "position=a&position=b")
                .unwrap_err()
                .code,
            ErrorCode::BadSetting
        );
        assert_eq!(
            from_query("eval", "position=%ff%00").unwrap_err().code,
            ErrorCode::BadPosition
        );
    }
}
