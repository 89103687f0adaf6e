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

/// The verbs below `/v1/`.
const VERBS: [&str; 6] = ["eval", "move", "cube", "rollout", "convert", "show"];
/// In lines that are answered by several.
const PROGRESS: &str = " progress=";
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
    match body {
        Json::List(items) => {
            let form = match accept::chosen(&parts.headers, &[JSON, NDJSON])? {
                NDJSON => Form::LINES,
                _ => Form::ARRAY,
            };
            array(shared, origin, verb, items, form)
        }
        body if verb == "move" && Sender::of(&body) == Sender::Nodots => {
            Ok(foreign::nodots(&shared, peer, NodotsDecision::Move, body).await)
        }
        one => {
            let sender = Sender::of(&one);
            let line = match question::from_json(one) {
                Err(problem) if verb == "move" && sender == Sender::Unknown => {
                    return Ok(of_both(&problem));
                }
                line => line?,
            };
            let kind = accept::chosen(&parts.headers, offered(verb))?;
            if [TEXT, SVG, PNG].contains(&kind) {
                let (wishes, rest) = DrawingOptions::read(parts.uri.query().unwrap_or_default())?;
                reject_question_parts(&rest)?;
                let drawn = wishes.draw(&shared, &line, kind).await;
                return drawn.map_err(|problem| pointed(problem, (verb, &line)));
            }
            if kind == EVENTS {
                return streamed(&shared, peer, (verb, line), &parts.headers, pointed);
            }
            let tag = tag(&shared, verb, &line, kind);
            let asked = (verb, line.as_bytes());
            let asked = in_flight::ask(&shared, origin, asked, tag.as_deref()).await;
            let answer = asked.map_err(|problem| pointed(problem, (verb, &line)))?;
            Ok(send(answer, &line))
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
    let (wishes, query) = match draws {
        true => DrawingOptions::read(query)?,
        false => (DrawingOptions::default(), query.to_owned()),
    };
    let line = match PLAIN_VERBS.contains(&verb) {
        true => String::new(),
        false => question::from_query(&query)?,
    };
    if kind == EVENTS {
        return streamed(shared, peer, (verb, line), &parts.headers, named);
    }
    let form = format!("{kind} {wishes:?}");
    let tag = tag(shared, verb, &line, &form);
    let known = |value: &HeaderValue| {
        let tags = value.to_str().unwrap_or_default();
        tags.split(',')
            .any(|one| Some(one.trim()) == tag.as_deref())
    };
    let mut response = if parts.headers.get_all(IF_NONE_MATCH).iter().any(known) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if draws {
        let drawn = wishes.draw(shared, &line, kind).await;
        drawn.map_err(|problem| named(problem, (verb, &line)))?
    } else {
        let asked = (verb, line.as_bytes());
        let asked = in_flight::ask(shared, peer.origin, asked, tag.as_deref()).await;
        send(
            asked.map_err(|problem| named(problem, (verb, &line)))?,
            &line,
        )
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

/// Returns a line that asks for progress, unless it says whether it does.
pub(super) fn with_progress(mut line: String) -> String {
    if !line.contains(PROGRESS) {
        line.push_str(PROGRESS);
        line.push_str("true");
    }
    line
}

/// Answers with events (HTTP-40).
fn streamed(
    shared: &Arc<Shared>,
    peer: Peer,
    (verb, line): (&'static str, String),
    headers: &HeaderMap,
    point: fn(Problem, (&str, &str)) -> Problem,
) -> Result<Response, Problem> {
    if let Some(ended) = events::ended(headers) {
        return Ok(ended);
    }
    let line = with_progress(line);
    let started = submission::read(shared, verb, line.as_bytes()).and_then(|read| match read {
        Read::Inquiry(inquiry) => submission::start(shared, peer.origin, *inquiry, false),
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

/// Refuses parameters beside a body that are not about the picture.
fn reject_question_parts(rest: &str) -> Result<(), Problem> {
    let Some((name, _)) = form_urlencoded::parse(rest.as_bytes()).next() else {
        return Ok(());
    };
    let message = format!("parameter {name:?} is not about the picture: it belongs into the body");
    let place = ErrorLocation::Parameter(name.into_owned());
    Err(Problem::new(ErrorCode::BadSetting, message).at(place))
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
fn tag(shared: &Shared, verb: &str, line: &str, form: &str) -> Option<String> {
    let lasts = matches!(verb, "eval" | "move" | "cube" | "convert" | "show");
    let varies = ["time=", "noise=", "#"]
        .iter()
        .any(|part| line.contains(part));
    if !lasts || varies {
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
fn send(answer: Answer, line: &str) -> Response {
    let kind = match line.contains(PROGRESS) {
        true => NDJSON,
        false => JSON,
    };
    let kind = HeaderValue::from_static(kind);
    ([(CONTENT_TYPE, kind)], Body::new(answer)).into_response()
}

/// Refuses what makes several lines of one answer.
fn one_answer(line: String) -> Result<String, Problem> {
    if !line.contains(PROGRESS) {
        return Ok(line);
    }
    let message = "setting 'progress' is not for arrays: ask alone";
    let place = ErrorLocation::Pointer("/settings/progress".to_owned());
    Err(Problem::new(ErrorCode::BadSetting, message).at(place))
}

/// Returns an error of a line, with the member of the body that its field is.
pub(super) fn pointed(problem: Problem, (verb, line): (&str, &str)) -> Problem {
    let member = match member(&problem, verb, line) {
        Some(name @ ("id" | "position" | "roll" | "plays")) => format!("/{name}"),
        Some(key) => format!("/settings/{key}"),
        None => String::new(),
    };
    match problem.place {
        ErrorLocation::Nowhere => problem.at(ErrorLocation::Pointer(member)),
        _ => problem,
    }
}

/// Returns an error of a line, with the parameter of the query that its field is.
pub(super) fn named(problem: Problem, (verb, line): (&str, &str)) -> Problem {
    match (member(&problem, verb, line), &problem.place) {
        (Some(name), ErrorLocation::Nowhere) => {
            let place = ErrorLocation::Parameter(name.to_owned());
            problem.at(place)
        }
        _ => problem,
    }
}

/// Returns the member or setting that an error of a line is about.
fn member<'a>(problem: &Problem, verb: &str, line: &'a str) -> Option<&'a str> {
    match problem.code {
        ErrorCode::BadRoll | ErrorCode::MissingRoll => return Some("roll"),
        ErrorCode::BadPlay => return Some("plays"),
        ErrorCode::BadId => return Some("id"),
        ErrorCode::BadScore if line.contains(" score=") => return Some("score"),
        ErrorCode::BadSetting | ErrorCode::BadScore | ErrorCode::BadCube => {}
        ErrorCode::Busy
        | ErrorCode::Stopped
        | ErrorCode::Timeout
        | ErrorCode::Internal
        | ErrorCode::BadRequest => return None,
        _ => return Some("position"),
    }
    // The verb stands in front of what is here the whole line.
    let at = usize::try_from(problem.at?).ok()?;
    let word = line.get(at.checked_sub(verb.len() + 1)?..)?;
    let (key, _) = word.split_once('=')?;
    (!key.contains(' ')).then_some(key)
}

/// Returns an array of questions: an item that is wrong is a problem in its place (HTTP-31).
fn array(
    shared: Arc<Shared>,
    origin: Origin,
    verb: &'static str,
    items: Vec<Json>,
    form: Form,
) -> Result<Response, Problem> {
    let settings = submission::settings(&shared);
    let all = Arc::clone(&shared);
    let read = move |_, item: Json| {
        let line = one_answer(question::from_json(item)?)?;
        let read = submission::read_with(&all, settings.clone(), verb, line.as_bytes());
        let read = read.map_err(|problem| pointed(problem, (verb, &line)))?;
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
    let refuse = |number: usize, mut problem: Problem| {
        let within = match &problem.place {
            ErrorLocation::Pointer(pointer) => pointer.as_str(),
            _ => "",
        };
        problem.place = ErrorLocation::Pointer(format!("/{number}{within}"));
        let mut text = problem.json();
        text.pop();
        text
    };
    list::respond(items, form, read, together, refuse)
}
