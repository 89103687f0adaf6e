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
    let of_lines = |(name, _): &&(String, String)| matches!(name.as_str(), "answer" | "order");
    match settings.iter().find(of_lines) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("setting '{name}' is not for HTTP: answers are JSON in order");
            let place = place(&Member::Setting(name.clone()));
            Err(Problem::new(ErrorCode::BadSetting, message).at(place))
        }
    }
}

/// Returns a query of settings alone as the words of a line, and the value of the parameter `apart`.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn settings_of_query(
    query: &str,
    apart: &str,
) -> Result<(String, Option<String>), Problem> {
    let (mut settings, mut value_apart) = (Vec::new(), None);
    for (name, value) in parameters(query)? {
        if name == apart {
            value_apart = Some(value);
        } else {
            settings.push((name, value));
        }
    }
    Ok((settings_of_pairs(settings)?, value_apart))
}

/// Settings as the words of a line.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn settings_of_pairs(settings: Vec<(String, String)>) -> Result<String, Problem> {
    for_http(&settings, in_query)?;
    let mut line = String::new();
    push_settings(&mut line, &settings).map_err(|error| problem(error, in_query))?;
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
        if seen.iter().any(|(other, _)| *other == name) {
            let message = format!("parameter {name:?} stands twice");
            let place = ErrorLocation::Parameter(name.into_owned());
            return Err(Problem::new(ErrorCode::BadSetting, message).at(place));
        }
        seen.push((name.into_owned(), value.into_owned()));
    }
    Ok(seen)
}

/// One body as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with a pointer.
pub(super) fn from_json(body: Json) -> Result<String, Problem> {
    let parts = RequestParts::read(body).map_err(|error| problem(error, in_body))?;
    for_http(&parts.settings, in_body)?;
    parts.line().map_err(|error| problem(error, in_body))
}

/// Returns a query string as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn from_query(query: &str) -> Result<String, Problem> {
    let at = |name: &str| ErrorLocation::Parameter(name.to_owned());
    let mut parts = RequestParts::default();
    for (name, value) in parameters(query)? {
        match name.as_str() {
            "id" => parts.id = Some(value),
            "position" => parts.position = Some(value),
            "roll" => parts.roll = Some(value),
            "plays" => parts.plays = Some(value),
            "cube" => match value.as_str() {
                "1" | "true" => parts.cube = true,
                "0" | "false" => parts.cube = false,
                _ => {
                    let message = format!("cube is {value:?}, expected 1 or 0");
                    return Err(Problem::new(ErrorCode::BadSetting, message).at(at("cube")));
                }
            },
            _ => parts.settings.push((name, value)),
        }
    }
    for_http(&parts.settings, in_query)?;
    parts.line().map_err(|error| problem(error, in_query))
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
        from_json(parse(body.as_bytes())?)
    }

    /// HTTP-10, HTTP-12.
    #[test]
    fn members_are_the_words_of_a_line() {
        let body = r#"{"id":"a","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":2,"cubeful":true,"score":[3,5]}}"#;
        let want = "#a 4HPwATDgc/ABMA 3-1 plies=2 cubeful=true score=3-5";
        assert_eq!(line(body).unwrap(), want);
        let query = "id=a&position=4HPwATDgc%2FABMA&roll=3-1&plies=2&cubeful=true&score=3-5";
        assert_eq!(from_query(query).unwrap(), want);
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
            from_query("position=a&position=b").unwrap_err().code,
            ErrorCode::BadSetting
        );
        assert_eq!(
            from_query("position=%ff%00").unwrap_err().code,
            ErrorCode::BadPosition
        );
    }
}
