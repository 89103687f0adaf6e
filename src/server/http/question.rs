//! A request in JSON or in a query as the line that asks the same (HTTP-10 to HTTP-12): so every way in has the same
//! settings, limits and messages.

use super::problem::{ErrorLocation, Problem};
use gammond_protocol::json::{Json, MEMBERS_MAX};
use std::fmt::Write as _;

/// Longest text of a member, in bytes.
const TEXT_BYTES_MAX: usize = 2048;
/// The parts of a line while they come together.
#[derive(Debug, Default)]
struct Parts {
    id: Option<String>,
    cube: bool,
    position: Option<String>,
    roll: Option<String>,
    plays: Option<String>,
    settings: Vec<(String, String)>,
}

impl Parts {
    /// Arguments of a request line behind its verb, and the `#id` before it.
    fn line(
        self,
        at: &dyn Fn(&str) -> ErrorLocation,
        at_setting: &dyn Fn(&str) -> ErrorLocation,
    ) -> Result<String, Problem> {
        let mut line = String::new();
        if let Some(id) = self.id {
            let _ = write!(line, "#{} ", word("id", &id, at)?);
        }
        if self.cube {
            line.push_str("cube ");
        }
        let Some(position) = self.position else {
            let message = "position is missing, expected one such as \"4HPwATDgc/ABMA\"";
            return Err(Problem::new("missing-position", message).at(at("position")));
        };
        line.push_str(word("position", &position, at)?);
        if let Some(roll) = self.roll {
            let _ = write!(line, " {}", word("roll", &roll, at)?);
        }
        if let Some(plays) = self.plays {
            if plays.contains(['"', '\r', '\n']) {
                let message =
                    "plays have a quotation mark or a line end, expected plays such as \"8/5 6/5\"";
                return Err(Problem::new("bad-play", message).at(at("plays")));
            }
            let _ = write!(line, " plays=\"{plays}\"");
        }
        for (name, value) in &self.settings {
            push_setting(&mut line, name, value, at_setting)?;
        }
        Ok(line)
    }
}

/// Appends a setting to a line.
fn push_setting(
    line: &mut String,
    name: &str,
    value: &str,
    at: &dyn Fn(&str) -> ErrorLocation,
) -> Result<(), Problem> {
    if matches!(name, "answer" | "order") {
        let message = format!("setting '{name}' is not for HTTP: answers are JSON in order");
        return Err(Problem::new("bad-setting", message).at(at(name)));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        let message = format!("setting {name:?} is not known");
        return Err(Problem::new("bad-setting", message).at(at(name)));
    }
    let _ = write!(line, " {name}={}", word(name, value, at)?);
    Ok(())
}

/// A query of settings alone as the words of a line, and the value of the parameter `apart`.
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
    let at = |name: &str| ErrorLocation::Parameter(name.to_owned());
    let mut line = String::new();
    for (name, value) in settings {
        push_setting(&mut line, &name, &value, &at)?;
    }
    Ok(line)
}

/// The parameters of a query, each of which stands once.
///
/// # Errors
/// A parameter that stands twice, and too many of them.
pub(super) fn parameters(query: &str) -> Result<Vec<(String, String)>, Problem> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if seen.len() >= MEMBERS_MAX {
            let message = format!("the query has more than {MEMBERS_MAX} parameters");
            return Err(Problem::new("bad-request", message));
        }
        if seen.iter().any(|(other, _)| *other == name) {
            let message = format!("parameter {name:?} stands twice");
            let place = ErrorLocation::Parameter(name.into_owned());
            return Err(Problem::new("bad-setting", message).at(place));
        }
        seen.push((name.into_owned(), value.into_owned()));
    }
    Ok(seen)
}

/// A text that is one word of a line.
fn word<'a>(
    name: &str,
    text: &'a str,
    at: &dyn Fn(&str) -> ErrorLocation,
) -> Result<&'a str, Problem> {
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
        "position" => "bad-position",
        "roll" => "bad-roll",
        "id" => "bad-id",
        _ => "bad-setting",
    };
    let want = match name {
        "position" => ", expected one such as \"4HPwATDgc/ABMA\"",
        "roll" => ", expected dice such as [3,1] or \"31\"",
        _ => "",
    };
    Err(Problem::new(code, format!("{name} {wrong}{want}")).at(at(name)))
}

/// One body as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with a pointer.
pub(super) fn from_json(body: Json) -> Result<String, Problem> {
    let at = |name: &str| ErrorLocation::Pointer(format!("/{name}"));
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let Json::Object(members) = body else {
        let message = format!(
            "the request is {}, expected an object such as {{\"position\":\"4HPwATDgc/ABMA\"}}",
            body.kind()
        );
        return Err(Problem::new("bad-request", message).at(ErrorLocation::Pointer(String::new())));
    };
    let mut parts = Parts::default();
    for (name, value) in members {
        let wrong = |want: &str, value: &Json| {
            let message = format!("{name} is {}, expected {want}", value.kind());
            Err(Problem::new("bad-request", message).at(at(&name)))
        };
        match (name.as_str(), value) {
            ("id", Json::Text(text)) => parts.id = Some(text),
            ("id", Json::Number(number)) => parts.id = Some(number.to_string()),
            ("position", Json::Text(text)) => parts.position = Some(text),
            ("roll", Json::Text(text)) => parts.roll = Some(text),
            ("roll", Json::List(dice)) => match dice.as_slice() {
                [Json::Number(one), Json::Number(two)] => parts.roll = Some(format!("{one}-{two}")),
                _ => return wrong("two dice such as [3,1]", &Json::List(dice)),
            },
            ("roll", Json::Null) => {}
            ("cube", Json::Bool(cube)) => parts.cube = cube,
            ("plays", Json::Text(text)) => parts.plays = Some(text),
            ("plays", Json::List(list)) => {
                let text = |one: &Json| match one {
                    Json::Text(text) => Some(text.clone()),
                    _ => None,
                };
                match list.iter().map(text).collect::<Option<Vec<_>>>() {
                    Some(texts) => parts.plays = Some(texts.join(";")),
                    None => return wrong("strings such as \"8/5 6/5\"", &Json::List(list)),
                }
            }
            ("settings", Json::Object(settings)) => {
                for (key, value) in settings {
                    let value = setting(&escaped(&key), value, &at)?;
                    parts.settings.push((key, value));
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
                return Err(Problem::new("bad-request", message).at(at(&escaped(&name))));
            }
        }
    }
    let at_setting = |name: &str| at(&format!("settings/{}", escaped(name)));
    parts.line(&at, &at_setting)
}

/// A setting's value as a line has it.
fn setting(key: &str, value: Json, at: &dyn Fn(&str) -> ErrorLocation) -> Result<String, Problem> {
    match value {
        Json::Text(text) => Ok(text),
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(on) => Ok(on.to_string()),
        Json::List(list) => match list.as_slice() {
            [Json::Number(one), Json::Number(two)] => Ok(format!("{one}-{two}")),
            _ => {
                let message =
                    format!("setting {key:?} is an array, expected two numbers such as [3,5]");
                Err(Problem::new("bad-setting", message).at(at(&format!("settings/{key}"))))
            }
        },
        value => {
            let message = format!(
                "setting {key:?} is {}, expected a string, a number, true or false",
                value.kind()
            );
            Err(Problem::new("bad-setting", message).at(at(&format!("settings/{key}"))))
        }
    }
}

/// A query string as what stands behind the verb in its line.
///
/// # Errors
/// [`Problem`]s of status 400 with the name of the parameter.
pub(super) fn from_query(query: &str) -> Result<String, Problem> {
    let at = |name: &str| ErrorLocation::Parameter(name.to_owned());
    let mut parts = Parts::default();
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
                    return Err(Problem::new("bad-setting", message).at(at("cube")));
                }
            },
            _ => parts.settings.push((name, value)),
        }
    }
    parts.line(&at, &at)
}

/// A whole body.
///
/// # Errors
/// `bad-json`, with line and column.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, Problem> {
    Json::parse(bytes).map_err(|error| {
        let message = format!("the body is not JSON: {error}");
        Problem::new("bad-json", message)
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
            assert_eq!(&*problem.code, code, "{body}");
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
            assert_eq!(&*line(body).unwrap_err().code, "bad-json", "{}", body.len());
        }
        assert_eq!(
            &*from_query("position=a&position=b").unwrap_err().code,
            "bad-setting"
        );
        assert_eq!(
            &*from_query("position=%ff%00").unwrap_err().code,
            "bad-position"
        );
    }
}
