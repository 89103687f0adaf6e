//! The verbs of the line protocol, as paths below `/v1/` (HTTP-10 to HTTP-33).

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::http::ask::describe::{OF_BODIES, event_reference, responses};
use crate::http::ask::drawing::{DrawingOptions, PNG, SVG, TEXT};
use crate::http::ask::events::{self, EVENTS};
use crate::http::ask::in_flight;
use crate::http::ask::question::{self, Question};
use crate::http::ask::state::HttpState;
use crate::http::ask::submission::{self, Answer, Read};
use crate::http::ask::{answer_schemas, question_schemas};
use crate::http::paths::foreign;
use crate::http::wire::accept;
use crate::http::wire::body;
use crate::http::wire::list::{self, Form, Work};
use crate::http::wire::methods::{only_get, wrong_method};
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures_util::FutureExt as _;
use gammond_engine::query::Cost;
use gammond_protocol::ErrorCode;
use gammond_protocol::json::Json;
use gammond_protocol::verbs::{DRAWN, MOVE, SHOW, VERBS, Verb};
use gammond_protocol::web::nodots::{MARK, NodotsDecision};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
/// Verbs without a position.
const PLAIN_VERBS: [&str; 2] = ["version", "stats"];

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new().route("/v1/{verb}", any(answer))
}

/// Answers `/v1/VERB`: one question in the query or the body, or an array of them.
async fn answer(
    State(state): State<HttpState>,
    Extension(peer): Extension<Peer>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    // A path that is no UTF-8 is not ours either.
    let verb = path.map_or_else(|_| String::new(), |Path(verb)| verb);
    let (parts, body) = request.into_parts();
    if let Some(plain) = PLAIN_VERBS.into_iter().find(|one| *one == verb) {
        return plain_verb(&state.core, peer.origin, plain, &parts).await;
    }
    let Some(verb) = VERBS.into_iter().find(|one| one.name == verb) else {
        let names: Vec<&str> = VERBS.iter().map(|verb| verb.name).collect();
        return Err(Problem::new(
            ErrorCode::NotFound,
            format!(
                "there is no /v1/{verb:.64}, expected one of {}",
                names.join(", ")
            ),
        ));
    };
    match parts.method {
        Method::POST => posted(state, peer, verb, &parts, body).await,
        Method::GET | Method::HEAD => gotten(&state, peer, verb, &parts).await,
        _ => Err(wrong_method("GET, HEAD, POST")),
    }
}

/// Answers a verb without a position.
async fn plain_verb(
    shared: &Arc<Core>,
    origin: Origin,
    verb: &'static str,
    parts: &Parts,
) -> Result<Response, Problem> {
    only_get(&parts.method)?;
    accept::chosen(&parts.headers, &[JSON])?;
    let query = parts.uri.query().unwrap_or_default();
    question::reject_parameters(query, "is not known, expected none")?;
    let read = submission::read_line(shared, verb, b"")?;
    let answer = submission::answer(shared, origin, read).await?;
    Ok(send(answer, false))
}

/// Answers a body.
async fn posted(
    state: HttpState,
    peer: Peer,
    verb: &'static Verb,
    parts: &Parts,
    body: Body,
) -> Result<Response, Problem> {
    let shared = Arc::clone(&state.core);
    let read = body::json(&shared, &parts.headers, body).await;
    let body = match read.and_then(|bytes| question::parse(&bytes)) {
        Ok(body) => body,
        // The owner of the client is unknown (NEP-70).
        Err(problem) if verb == &MOVE => return Ok(of_both(&problem)),
        Err(problem) => return Err(problem),
    };
    let origin = peer.origin;
    let query = parts.uri.query().unwrap_or_default();
    match body {
        Json::List(items) => {
            let rest = DrawingOptions::read(query, verb)?.1;
            question::reject_parameters(&rest, question::BESIDE_BODY)?;
            let form = match accept::chosen(&parts.headers, &[JSON, NDJSON])? {
                NDJSON => Form::LINES,
                _ => Form::ARRAY,
            };
            array(shared, origin, verb, items, form)
        }
        body if verb == &MOVE && Sender::of(&body) == Sender::Nodots => {
            Ok(foreign::nodots(&shared, origin, NodotsDecision::Move, body).await)
        }
        one => {
            let sender = Sender::of(&one);
            let question = match question::from_json(verb, one) {
                Err(problem) if verb == &MOVE && sender == Sender::Unknown => {
                    return Ok(of_both(&problem));
                }
                question => question?,
            };
            let kind = accept::chosen(&parts.headers, offered(verb))?;
            let (wishes, rest) = DrawingOptions::read(query, verb)?;
            question::reject_parameters(&rest, question::BESIDE_BODY)?;
            if verb == &SHOW {
                if kind == JSON {
                    return Ok(send(
                        submission::ask(&shared, origin, &question).await?,
                        false,
                    ));
                }
                return wishes
                    .draw(&shared, Some(&peer.unread), &question, kind)
                    .await;
            }
            if kind == EVENTS {
                return streamed(&shared, origin, question, &parts.headers);
            }
            let read = submission::read(&shared, &submission::settings(&shared), &question)?;
            let read = wishes.drawn(&question, read, kind)?;
            let has_progress = read.sends_progress();
            let tag = tag(&shared, &question, &format!("{kind} {wishes:?}"), &read);
            let asked =
                in_flight::ask(&state.in_flight, &shared, origin, read, tag.as_deref()).await;
            let answer = asked.map_err(|problem| question.placed(problem))?;
            match is_picture(kind) {
                true => wishes.sent(Some(&peer.unread), answer, kind).await,
                false => Ok(send(answer, has_progress)),
            }
        }
    }
}

/// Answers a query.
async fn gotten(
    state: &HttpState,
    peer: Peer,
    verb: &'static Verb,
    parts: &Parts,
) -> Result<Response, Problem> {
    let shared = &state.core;
    let query = parts.uri.query().unwrap_or_default();
    let kind = accept::chosen(&parts.headers, offered(verb))?;
    let (wishes, query) = DrawingOptions::read(query, verb)?;
    let question = question::from_query(verb, &query)?;
    if kind == EVENTS {
        return streamed(shared, peer.origin, question, &parts.headers);
    }
    let read = submission::read(shared, &submission::settings(shared), &question)?;
    let form = format!("{kind} {wishes:?}");
    let tag = tag(shared, &question, &form, &read);
    let mut response = if tag
        .as_deref()
        .is_some_and(|tag| is_held(&parts.headers, tag))
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else if verb == &SHOW && kind != JSON {
        wishes
            .draw(shared, Some(&peer.unread), &question, kind)
            .await?
    } else {
        let read = wishes.drawn(&question, read, kind)?;
        let has_progress = read.sends_progress();
        let asked =
            in_flight::ask(&state.in_flight, shared, peer.origin, read, tag.as_deref()).await;
        let answer = asked.map_err(|problem| question.placed(problem))?;
        match is_picture(kind) {
            true => wishes.sent(Some(&peer.unread), answer, kind).await?,
            false => send(answer, has_progress),
        }
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

/// Answers with events (HTTP-40).
fn streamed(
    shared: &Arc<Core>,
    origin: Origin,
    question: Question,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    if let Some(ended) = events::ended(headers) {
        return Ok(ended);
    }
    let question = question.with_progress();
    let read = submission::read(shared, &submission::settings(shared), &question)?;
    let started = match read {
        Read::Inquiry(inquiry) => submission::start(shared, origin, *inquiry, false),
        Read::Text(text) => Ok(Answer::whole(text.into_bytes())),
    };
    let answer = started.map_err(|problem| question.placed(problem))?;
    Ok(events::send(answer, move |problem| {
        question.placed(problem)
    }))
}

/// Returns the kinds that a verb's answer may have.
fn offered(verb: &Verb) -> &'static [&'static str] {
    match verb {
        _ if verb == &SHOW => &[JSON, TEXT, SVG, PNG],
        _ if DRAWN.contains(&verb) => &[JSON, SVG, PNG],
        _ if verb.has_progress() => &[JSON, NDJSON, EVENTS],
        _ => &[JSON],
    }
}

fn is_picture(kind: &str) -> bool {
    [SVG, PNG].contains(&kind)
}

/// Protocol of a body of `/v1/move` (NEP-70).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sender {
    Ours,
    Nodots,
    /// The member that would decide it is missing.
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
fn tag(shared: &Core, question: &Question, form: &str, read: &Read) -> Option<String> {
    let Question { verb, parts, .. } = question;
    let varies = match read {
        Read::Inquiry(inquiry) => {
            inquiry.settings.time_ms.is_some() || inquiry.settings.noise > 0.0
        }
        Read::Text(_) => false,
    };
    if !verb.lasts || varies || parts.id.is_some() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    let defaults = shared.defaults();
    (
        verb.name,
        parts,
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

/// Returns an array of questions: an item that has no answer is a problem in its place (HTTP-31).
///
/// # Errors
/// An item that does not match the description.
fn array(
    shared: Arc<Core>,
    origin: Origin,
    verb: &'static Verb,
    items: Vec<Json>,
    form: Form,
) -> Result<Response, Problem> {
    for (number, item) in items.iter().enumerate() {
        question::check(verb, item).map_err(|problem| within(number, problem))?;
    }
    let settings = submission::settings(&shared);
    let all = Arc::clone(&shared);
    let read = move |_, item: Json| {
        let question = question::from_json(verb, item)?;
        let read = submission::read(&all, &settings, &question)?;
        if read.sends_progress() {
            let message = "setting 'progress' is not for arrays: ask alone";
            return Err(question.of_setting("progress", ErrorCode::BadCombination, message));
        }
        let shared = Arc::clone(&all);
        let text = question.parts.line().unwrap_or_default();
        let work = match read {
            Read::Inquiry(inquiry) if inquiry.cost() == Cost::Short => Work::Short(inquiry),
            read => Work::Alone(
                async move {
                    let asked = submission::answer(&shared, origin, read).await;
                    let answer = asked.map_err(|problem| question.placed(problem))?;
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

/// Returns the descriptions of the paths.
pub(in crate::http) fn description() -> Vec<(String, Value)> {
    let verbs = VERBS.iter();
    verbs
        .map(|verb| (format!("/v1/{}", verb.name), described(verb)))
        .collect()
}

/// Returns the description of a verb's path.
fn described(verb: &Verb) -> Value {
    let answered = |json: &Value, about: &str| {
        let mut content = Map::new();
        for kind in offered(verb) {
            let schema = match *kind {
                "application/json" => json.clone(),
                "text/event-stream" => event_reference(),
                "image/png" => json!({"type": "string", "format": "binary"}),
                _ => json!({"type": "string"}),
            };
            content.insert((*kind).to_owned(), json!({ "schema": schema }));
        }
        json!({"description": about, "content": content})
    };
    let answer = answer_schemas::reference(verb);
    let one = answered(&answer, "The answer");
    let item = json!({"anyOf": [answer, {"$ref": "#/components/schemas/Problem"}]});
    let answers = json!({"type": "array", "items": item});
    let some = answered(
        &json!({"anyOf": [answer, answers]}),
        "The answer; for an array the answers in its order, with problems in the places of those that have none",
    );
    let mut good = json!({"200": one});
    if let Some(good) = good.as_object_mut()
        && verb.lasts
    {
        let held = json!({"description": "The tag of If-None-Match still holds"});
        good.insert("304".into(), held);
    }
    let stream = |good: &mut Value| {
        if let Some(good) = good.as_object_mut()
            && verb.has_progress()
        {
            let ended = json!({"description": "The stream had ended (Last-Event-ID)"});
            good.insert("204".into(), ended);
        }
    };
    stream(&mut good);
    let get = json!({"operationId": verb.name, "summary": verb.summary, "tags": ["positions"],
        "description": format!("Answers as the line `{}` of the line protocol.", verb.name),
        "parameters": question_schemas::parameters(verb), "responses": responses(good, &[400, 406, 422])});
    let question = question_schemas::reference(verb);
    let body = json!({"anyOf": [question, {"type": "array", "maxItems": list::ITEMS_MAX, "items": question}]});
    let mut good = json!({"200": some});
    stream(&mut good);
    let bad = [&[400, 406, 422], &OF_BODIES[..]].concat();
    let mut post = json!({"operationId": format!("{}Posted", verb.name), "summary": format!("{}; an array for many at once", verb.summary),
        "tags": ["positions"],
        "description": "One question, or an array of them. An array with a question that does not match its schema is refused as a whole.",
        "requestBody": {"required": true, "description": "A question, or an array of questions",
            "content": {"application/json": {"schema": body, "example": (verb.example)()}}},
        "responses": responses(good, &bad)});
    if let Some(post) = post.as_object_mut()
        && DRAWN.contains(&verb)
    {
        post.insert("parameters".into(), question_schemas::drawing(verb).into());
    }
    json!({"get": get, "post": post})
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
