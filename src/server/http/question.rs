//! A request in JSON or in a query as the line that asks the same (HTTP-10 to HTTP-12): so every way in has the same
//! settings, limits and messages.

use super::problem::{ErrorLocation, Problem};
use gammond_protocol::ErrorCode;
use gammond_protocol::json::{Json, MEMBERS_MAX};
use gammond_protocol::json_request::{Member, MemberError, RequestParts, push_settings};

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

/// Refuses settings of a session of lines.
fn for_http(
    settings: &[(String, String)],
    place: impl Fn(&Member) -> ErrorLocation,
) -> Result<(), Problem> {
    // Names of settings have any case.
    let of_lines = |(name, _): &&(String, String)| {
        ["answer", "order"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    match settings.iter().find(of_lines) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("setting '{name}' is not for HTTP: answers are JSON in order");
            let place = place(&Member::Setting(name.clone()));
            Err(Problem::new(ErrorCode::BadSetting, message).at(place))
        }
    }
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

/// Returns settings of queries and forms as the words of a line; each stands once.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn settings_of_pairs(settings: &[(String, String)]) -> Result<String, Problem> {
    for_http(settings, in_query)?;
    for (at, (name, _)) in settings.iter().enumerate() {
        let mut before = settings.iter().take(at);
        if before.any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return Err(stands_twice(name));
        }
    }
    let mut line = String::new();
    push_settings(&mut line, settings).map_err(|error| problem(error, in_query))?;
    Ok(line)
}

/// Returns the parameters of a query, each of which stands once.
///
/// # Errors
/// A parameter that stands twice, and too many of them.
pub(super) fn parameters(query: &str) -> Result<Vec<(String, String)>, Problem> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
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

/// One body as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with a pointer and the id.
pub(super) fn from_json(verb: &str, body: Json) -> Result<String, Problem> {
    let id = id(&body);
    let read = || {
        let parts = RequestParts::read(body).map_err(|error| problem(error, in_body))?;
        for_http(&parts.settings, in_body)?;
        if parts.cube && verb != "rollout" {
            let message =
                "cube is true, expected only in a rollout; the value of the cube is a setting";
            let place = in_body(&Member::Named("cube".to_owned()));
            return Err(Problem::new(ErrorCode::BadRequest, message).at(place));
        }
        parts.line().map_err(|error| problem(error, in_body))
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

/// Returns a query string as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn from_query(verb: &str, query: &str) -> Result<String, Problem> {
    let mut parts = RequestParts::default();
    // All other values are those of the cube.
    let is_decision = |name: &str| verb == "rollout" && name.eq_ignore_ascii_case("cube");
    for (name, value) in parameters(query)? {
        match name.as_str() {
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
    let line = for_http(&parts.settings, in_query)
        .and_then(|()| parts.line().map_err(|error| problem(error, in_query)));
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
        from_json("eval", parse(body.as_bytes())?)
    }

    /// HTTP-10, HTTP-12.
    #[test]
    fn members_are_the_words_of_a_line() {
        let body = r#"{"id":"a","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":2,"cubeful":true,"score":[3,5]}}"#;
        let want = "#a 4HPwATDgc/ABMA 3-1 plies=2 cubeful=true score=3-5";
        assert_eq!(line(body).unwrap(), want);
        let query = "id=a&position=4HPwATDgc%2FABMA&roll=3-1&plies=2&cubeful=true&score=3-5";
        assert_eq!(from_query("eval", query).unwrap(), want);
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
            (r#"{"position":"x","plays":"a\"b"}"#, "bad-play", "/plays"),
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
