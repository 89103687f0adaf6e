//! The verbs of the line protocol, as paths below `/v1/` (HTTP-10 to HTTP-33).

use super::accept;
use super::board::{DrawingOptions, PNG, SVG, TEXT};
use super::body;
use super::events::{self, EVENTS};
use super::foreign;
use super::in_flight;
use super::list::{self, Form, Work};
use super::problem::{ErrorLocation, Problem};
use super::question;
use super::router::Peer;
use super::submission::{self, Answer, Read};
use crate::fair_queue::Origin;
use crate::tcp::shared::Shared;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use gammond_engine::query::Cost;
use gammond_protocol::ErrorCode;
use gammond_protocol::json::Json;
use gammond_protocol::web::nodots::{MARK, NodotsDecision};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// Reason to refuse a parameter of a `POST`.
pub(super) const BESIDE_BODY: &str = "stands beside a body: it belongs into the body";
/// The verbs below `/v1/`.
pub(super) const VERBS: [&str; 6] = ["eval", "move", "cube", "rollout", "convert", "show"];
const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
/// Verbs without a position.
const PLAIN_VERBS: [&str; 2] = ["version", "stats"];

/// `/v1/VERB`: one question in the query or the body, or an array of them.
pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<Peer>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    // A path that is no UTF-8 is not ours either.
    let verb = path.map_or_else(|_| String::new(), |Path(verb)| verb);
    let plain = PLAIN_VERBS.contains(&verb.as_str());
    let Some(verb) = VERBS
        .into_iter()
        .chain(PLAIN_VERBS)
        .find(|one| *one == verb)
    else {
        return Err(Problem::new(
            ErrorCode::NotFound,
            format!(
                "there is no /v1/{verb:.64}, expected one of {}",
                VERBS.join(", ")
            ),
        ));
    };
    let (parts, body) = request.into_parts();
    if parts.method == Method::POST && !plain {
        return posted(shared, peer, verb, &parts, body).await;
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        let (allow, message) = match plain {
            true => ("GET, HEAD", "only GET and HEAD"),
            false => ("GET, HEAD, POST", "only GET, HEAD and POST"),
        };
        let problem = Problem::new(ErrorCode::MethodNotAllowed, message);
        return Err(Problem {
            allow: Some(allow),
            ..problem
        });
    }
    gotten(&shared, peer, verb, &parts).await
}

/// Answers a body.
async fn posted(
    shared: Arc<Shared>,
    peer: Peer,
    verb: &'static str,
    parts: &Parts,
    body: Body,
) -> Result<Response, Problem> {
    let read = body::json(&shared, &parts.headers, body).await;
    let body = match read.and_then(|bytes| question::parse(&bytes)) {
        Ok(body) => body,
        // Whose client sent it is not known (NEP-70).
        Err(problem) if verb == "move" => return Ok(of_both(&problem)),
        Err(problem) => return Err(problem),
    };
    let origin = peer.origin;
    let query = parts.uri.query().unwrap_or_default();
    match body {
        Json::List(items) => {
            let rest = match verb {
                "show" => DrawingOptions::read(query)?.1,
                _ => query.to_owned(),
            };
            question::reject_parameters(&rest, BESIDE_BODY)?;
            let form = match accept::chosen(&parts.headers, &[JSON, NDJSON])? {
                NDJSON => Form::LINES,
                _ => Form::ARRAY,
            };
            array(shared, origin, verb, items, form)
        }
        body if verb == "move" && Sender::of(&body) == Sender::Nodots => {
            Ok(foreign::nodots(&shared, origin, NodotsDecision::Move, body).await)
        }
        one => {
            let sender = Sender::of(&one);
            let line = match question::from_json(verb, one) {
                Err(problem) if verb == "move" && sender == Sender::Unknown => {
                    return Ok(of_both(&problem));
                }
                line => line?,
            };
            let kind = accept::chosen(&parts.headers, offered(verb))?;
            if verb == "show" {
                let (wishes, rest) = DrawingOptions::read(query)?;
                question::reject_parameters(&rest, BESIDE_BODY)?;
                if kind == JSON {
                    let place = |problem| pointed(problem, (verb, &line));
                    let read = submission::read(&shared, verb, line.as_bytes()).map_err(place)?;
                    let asked = submission::answer(&shared, origin, read).await;
                    return Ok(send(asked.map_err(place)?, false));
                }
                let drawn = wishes.draw(&shared, Some(&peer.unread), &line, kind).await;
                return drawn.map_err(|problem| pointed(problem, (verb, &line)));
            }
            question::reject_parameters(query, BESIDE_BODY)?;
            if kind == EVENTS {
                return streamed(&shared, origin, (verb, line), &parts.headers, pointed);
            }
            let place = |problem| pointed(problem, (verb, &line));
            let read = submission::read(&shared, verb, line.as_bytes()).map_err(place)?;
            let has_progress = read.sends_progress();
            let tag = tag(&shared, (verb, &line), kind, &read);
            let asked = in_flight::ask(&shared, origin, read, tag.as_deref()).await;
            Ok(send(asked.map_err(place)?, has_progress))
        }
    }
}

/// Answers a query.
async fn gotten(
    shared: &Arc<Shared>,
    peer: Peer,
    verb: &'static str,
    parts: &Parts,
) -> Result<Response, Problem> {
    let query = parts.uri.query().unwrap_or_default();
    let kind = accept::chosen(&parts.headers, offered(verb))?;
    let draws = [TEXT, SVG, PNG].contains(&kind);
    let (wishes, query) = match verb {
        "show" => DrawingOptions::read(query)?,
        _ => (DrawingOptions::default(), query.to_owned()),
    };
    let line = match PLAIN_VERBS.contains(&verb) {
        true => {
            question::reject_parameters(&query, "is not known, expected none")?;
            String::new()
        }
        false => question::from_query(verb, &query)?,
    };
    if kind == EVENTS {
        return streamed(shared, peer.origin, (verb, line), &parts.headers, named);
    }
    let place = |problem| named(problem, (verb, &line));
    let read = submission::read(shared, verb, line.as_bytes()).map_err(place)?;
    let form = format!("{kind} {wishes:?}");
    let tag = tag(shared, (verb, &line), &form, &read);
    let mut response = if tag
        .as_deref()
        .is_some_and(|tag| is_held(&parts.headers, tag))
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else if draws {
        wishes
            .draw(shared, Some(&peer.unread), &line, kind)
            .await
            .map_err(place)?
    } else {
        let has_progress = read.sends_progress();
        let asked = in_flight::ask(shared, peer.origin, read, tag.as_deref()).await;
        send(asked.map_err(place)?, has_progress)
    };
    if let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        response.headers_mut().insert(ETAG, tag);
        let hour = HeaderValue::from_static("private, max-age=3600");
        response.headers_mut().insert(CACHE_CONTROL, hour);
        response
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("accept"));
    }
    Ok(response)
}

/// Returns true if `If-None-Match` has this tag. The comparison is weak (RFC 9110, 13.1.2), and `*` is any tag.
fn is_held(headers: &HeaderMap, tag: &str) -> bool {
    let is_tag = |one: &str| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
    };
    let values = headers.get_all(IF_NONE_MATCH).iter();
    let mut texts = values.filter_map(|value| value.to_str().ok());
    texts.any(|text| text.split(',').any(is_tag))
}

/// Returns a line that asks for progress, unless it says whether it does.
pub(super) fn with_progress(line: String) -> String {
    match key_of(&line, "progress") {
        Some(_) => line,
        None => line + " progress=true",
    }
}

/// Returns the name of a setting as a line has it, in any case.
fn key_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let words = line.split(' ').filter_map(|word| word.split_once('='));
    let mut keys = words.map(|(key, _)| key);
    keys.find(|key| key.eq_ignore_ascii_case(name))
}

/// Answers with events (HTTP-40).
fn streamed(
    shared: &Arc<Shared>,
    origin: Origin,
    (verb, line): (&'static str, String),
    headers: &HeaderMap,
    point: fn(Problem, (&str, &str)) -> Problem,
) -> Result<Response, Problem> {
    if let Some(ended) = events::ended(headers) {
        return Ok(ended);
    }
    let line = with_progress(line);
    let started = submission::read(shared, verb, line.as_bytes()).and_then(|read| match read {
        Read::Inquiry(inquiry) => submission::start(shared, origin, *inquiry, false),
        Read::Text(text) => Ok(Answer::whole(text.into_bytes())),
    });
    let answer = started.map_err(|problem| point(problem, (verb, &line)))?;
    Ok(events::send(answer, move |problem| {
        point(problem, (verb, &line))
    }))
}

/// Returns the kinds that a verb's answer may have.
pub(super) fn offered(verb: &str) -> &'static [&'static str] {
    match verb {
        "show" => &[JSON, TEXT, SVG, PNG],
        "rollout" => &[JSON, NDJSON, EVENTS],
        _ => &[JSON],
    }
}

/// Protocol of a body of `/v1/move` (NEP-70).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sender {
    Ours,
    Nodots,
    /// A member that says so is missing.
    Unknown,
}

impl Sender {
    fn of(body: &Json) -> Sender {
        let Json::Object(members) = body else {
            return Sender::Ours;
        };
        let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
        match (has("position"), has(MARK)) {
            (true, _) => Sender::Ours,
            (false, true) => Sender::Nodots,
            (false, false) => Sender::Unknown,
        }
    }
}

/// Returns a problem that has the error of Nodots beside it.
fn of_both(problem: &Problem) -> Response {
    let mut body = problem.value();
    if let Some(body) = body.as_object_mut() {
        body.insert("error".into(), foreign::nodots_error_value(problem));
    }
    let mut response = problem.clone().into_response();
    *response.body_mut() = Body::from(format!("{body}\n"));
    response
}

/// Returns a tag of the question and of all that its answer depends on; none where the answer is another one each time
/// (HTTP-100).
fn tag(shared: &Shared, (verb, line): (&str, &str), form: &str, read: &Read) -> Option<String> {
    let lasts = matches!(verb, "eval" | "move" | "cube" | "convert" | "show");
    let varies = match read {
        Read::Inquiry(inquiry) => {
            inquiry.settings.time_ms.is_some() || inquiry.settings.noise > 0.0
        }
        Read::Text(_) => false,
    };
    if !lasts || varies || line.starts_with('#') {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    let defaults = shared.defaults();
    (
        verb,
        line,
        form,
        &defaults.rules.engine,
        env!("CARGO_PKG_VERSION"),
    )
        .hash(&mut hasher);
    format!("{:?}", defaults.session).hash(&mut hasher);
    Some(format!("\"{:016x}\"", hasher.finish()))
}

/// Returns an answer as it comes; with progress one line of JSON behind the other.
fn send(answer: Answer, has_progress: bool) -> Response {
    let kind = match has_progress {
        true => NDJSON,
        false => JSON,
    };
    let kind = HeaderValue::from_static(kind);
    ([(CONTENT_TYPE, kind)], Body::new(answer)).into_response()
}

/// Returns an error of a line, with the member of the body that its field is.
pub(super) fn pointed(problem: Problem, asked: (&str, &str)) -> Problem {
    placed(problem, asked, |name| {
        ErrorLocation::Pointer(match name {
            "" => String::new(),
            "id" | "position" | "roll" | "plays" => format!("/{name}"),
            key => format!("/settings/{key}"),
        })
    })
}

/// Returns an error of a line, with the parameter of the query that its field is.
pub(super) fn named(problem: Problem, asked: (&str, &str)) -> Problem {
    placed(problem, asked, |name| match name {
        "" => ErrorLocation::Nowhere,
        name => ErrorLocation::Parameter(name.to_owned()),
    })
}

/// Returns an error of a line with the id of the line, and with its place in the request: `locate` finds a member by its
/// name, the whole request by an empty one. `at` counts from the beginning of the position, and is left out elsewhere.
fn placed(
    problem: Problem,
    (verb, line): (&str, &str),
    locate: impl Fn(&str) -> ErrorLocation,
) -> Problem {
    let (id, words) = match line.strip_prefix('#').and_then(|line| line.split_once(' ')) {
        Some((id, words)) => (Some(id), words),
        None => (None, line),
    };
    let mut problem = problem.of(id);
    // The verb stands in front of what is here the whole line.
    let at = problem.at.take().and_then(|at| usize::try_from(at).ok());
    let at = at.and_then(|at| at.checked_sub(verb.len() + 1));
    if problem.place != ErrorLocation::Nowhere {
        return problem;
    }
    let member = member(&problem, words, at.and_then(|at| line.get(at..)));
    if member == Some("position") {
        let words = words.strip_prefix("cube ").unwrap_or(words);
        let within = at.and_then(|at| at.checked_sub(line.len() - words.len()));
        let end = words.find(' ').unwrap_or(words.len());
        let within = within.filter(|within| *within <= end);
        problem.at = within.and_then(|at| u32::try_from(at).ok());
    }
    match member {
        Some(name) => problem.at(locate(name)),
        None if problem.status() == StatusCode::BAD_REQUEST => problem.at(locate("")),
        // The request is right, but there is no answer.
        None => problem,
    }
}

/// Returns the member or setting that an error of a line is about; `rest` is the line from the wrong part on.
fn member<'a>(problem: &Problem, words: &'a str, rest: Option<&'a str>) -> Option<&'a str> {
    let first_of = |names: [&str; 3]| {
        let mut keys = names.into_iter().filter_map(|name| key_of(words, name));
        keys.next().or(Some("position"))
    };
    let field = problem.field.as_deref().unwrap_or_default();
    match (problem.code, field) {
        (ErrorCode::BadRoll | ErrorCode::MissingRoll, _) | (_, "roll") => Some("roll"),
        (ErrorCode::BadPlay, _) | (_, "plays") => Some("plays"),
        (ErrorCode::BadId, _) => Some("id"),
        // Settings that contradict each other, or the position.
        (ErrorCode::BadScore, _) => first_of(["score", "crawford", "length"]),
        (ErrorCode::BadCube, _) => first_of(["owner", "cube", "crawford"]),
        (ErrorCode::BadSetting, _) => {
            let (key, _) = rest?.split_once('=')?;
            (!key.contains(' ')).then_some(key)
        }
        (
            ErrorCode::BadPosition
            | ErrorCode::BadMatchId
            | ErrorCode::BadXgid
            | ErrorCode::BadOgid
            | ErrorCode::BadBoard
            | ErrorCode::BadByte
            | ErrorCode::MissingPosition
            | ErrorCode::GameOver,
            _,
        ) => Some("position"),
        _ => None,
    }
}

/// Returns an array of questions: an item that has no answer is a problem in its place (HTTP-31).
///
/// # Errors
/// An item that is not as the description says.
fn array(
    shared: Arc<Shared>,
    origin: Origin,
    verb: &'static str,
    items: Vec<Json>,
    form: Form,
) -> Result<Response, Problem> {
    for (number, item) in items.iter().enumerate() {
        question::check(verb, item).map_err(|problem| within(number, problem))?;
    }
    let settings = submission::settings(&shared);
    let all = Arc::clone(&shared);
    let read = move |_, item: Json| {
        let line = question::from_json(verb, item)?;
        let read = submission::read_with(&all, settings.clone(), verb, line.as_bytes());
        let read = read.map_err(|problem| pointed(problem, (verb, &line)))?;
        if read.sends_progress() {
            let message = "setting 'progress' is not for arrays: ask alone";
            let key = key_of(&line, "progress").unwrap_or("progress");
            let place = ErrorLocation::Pointer(format!("/settings/{key}"));
            let problem = Problem::new(ErrorCode::BadCombination, message).at(place);
            return Err(placed(problem, (verb, &line), |_| ErrorLocation::Nowhere));
        }
        let (shared, text) = (Arc::clone(&all), line.clone());
        let work = match read {
            Read::Inquiry(inquiry) if inquiry.cost() == Cost::Short => Work::Short(inquiry),
            read => Work::Alone(
                async move {
                    let asked = submission::answer(&shared, origin, read).await;
                    let answer = asked.map_err(|problem| pointed(problem, (verb, &line)))?;
                    let mut text = Answer::collect(answer).await;
                    // The line end.
                    text.pop();
                    Ok(Bytes::from(text))
                }
                .boxed(),
            ),
        };
        Ok((text, work))
    };
    let together = move |inquiries| {
        let shared = Arc::clone(&shared);
        async move { submission::together(&shared, origin, inquiries).await }.boxed()
    };
    let refuse = |number: usize, problem: Problem| {
        let mut text = within(number, problem).json();
        text.pop();
        text
    };
    list::respond(items, form, read, together, refuse)
}

/// Returns the problem of the item with this number, which points into the array.
fn within(number: usize, problem: Problem) -> Problem {
    let inner = match &problem.place {
        ErrorLocation::Pointer(pointer) => pointer.as_str(),
        _ => "",
    };
    let place = ErrorLocation::Pointer(format!("/{number}{inner}"));
    problem.at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-70: an error of a line is that of a member, and `at` counts from the beginning of the position.
    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of errors")]
    fn errors_of_lines_have_their_member() {
        // Code and field, byte of the line with the verb, the line without it, then the pointer and the byte.
        type Row = (
            ErrorCode,
            &'static str,
            u32,
            &'static str,
            Option<&'static str>,
            Option<u32>,
        );
        const ROWS: [Row; 11] = [
            (
                ErrorCode::BadPosition,
                "position ID",
                8,
                "#2 x",
                Some("/position"),
                Some(0),
            ),
            (
                ErrorCode::BadXgid,
                "XGID",
                12,
                "cube XGID=-",
                Some("/position"),
                Some(2),
            ),
            (
                ErrorCode::BadPosition,
                "position ID",
                40,
                "x",
                Some("/position"),
                None,
            ),
            (
                ErrorCode::BadSetting,
                "plays",
                12,
                "x 3-1 plays=\"8/5\" trials=36",
                Some("/plays"),
                None,
            ),
            (
                ErrorCode::BadSetting,
                "setting",
                7,
                "x PLIES=9 top=1",
                Some("/settings/PLIES"),
                None,
            ),
            (
                ErrorCode::BadSetting,
                "rollout",
                0,
                "cube x owner=opponent",
                Some(""),
                None,
            ),
            (
                ErrorCode::BadScore,
                "score",
                5,
                "x top=1 crawford=1",
                Some("/settings/crawford"),
                None,
            ),
            (
                ErrorCode::BadScore,
                "score",
                5,
                "XGID=1",
                Some("/position"),
                Some(0),
            ),
            (
                ErrorCode::BadCube,
                "cube",
                5,
                "x Owner=opponent",
                Some("/settings/Owner"),
                None,
            ),
            (
                ErrorCode::BadRequest,
                "roll",
                7,
                "x 3-1",
                Some("/roll"),
                None,
            ),
            (ErrorCode::TooManyRequests, "", 0, "#2 x", None, None),
        ];
        for (code, field, at, line, pointer, within) in ROWS {
            let problem = Problem {
                field: Some(field.into()),
                at: Some(at),
                ..Problem::new(code, "wrong")
            };
            let problem = pointed(problem, ("eval", line));
            let wanted = match pointer {
                Some(pointer) => ErrorLocation::Pointer(pointer.to_owned()),
                None => ErrorLocation::Nowhere,
            };
            assert_eq!((&problem.place, problem.at), (&wanted, within), "{line}");
            let id = line.starts_with('#').then_some("2");
            assert_eq!(problem.id.as_deref(), id);
        }
        let whole = named(Problem::new(ErrorCode::BadRequest, ""), ("eval", "x"));
        assert_eq!(whole.place, ErrorLocation::Nowhere);
    }

    /// HTTP-100: the comparison of RFC 9110 is weak.
    #[test]
    fn tags_are_compared_weakly() {
        for (text, want) in [
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("a", false),
            ("W/\"b\"", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static(text))]);
            assert_eq!(is_held(&headers, "\"a\""), want, "{text}");
        }
    }

    /// HTTP-41: progress is left out where the line says so, in any case.
    #[test]
    fn progress_is_added_once() {
        let added = with_progress("x trials=36".to_owned());
        assert_eq!(added, "x trials=36 progress=true");
        for line in ["x progress=false", "x Progress=0 top=1"] {
            assert_eq!(with_progress(line.to_owned()), line);
        }
    }
}
