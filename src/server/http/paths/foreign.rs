//! The paths of other programs (HTTP-110 to HTTP-112): their clients change one address and nothing else.

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::core::faults::catch_panics;
use crate::http::ask::state::HttpState;
use crate::http::ask::submission;
use crate::http::wire::body;
use crate::http::wire::list::{self, Form, Work};
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures_util::FutureExt as _;
use gammond_protocol::ErrorCode;
use gammond_protocol::json::Json;
use gammond_protocol::web::nodots::NodotsDecision;
use gammond_protocol::web::{WebError, WebRequest, bgweb, nodots, wildbg};
use serde_json::json;
use std::sync::Arc;

/// Look-ahead of bgweb's paths, where a body names none (BW-51).
const BGWEB_PLIES: u8 = 2;

type ForeignAnswer = Result<Vec<u8>, Problem>;

/// Returns the routes of bgweb-api, wildbg and Nodots.
pub(in crate::http) fn routes() -> Router<HttpState> {
    let decision = |decision| {
        any(
            move |state: State<Arc<Core>>, peer: Extension<Peer>, request| {
                decide(state, peer, decision, request)
            },
        )
    };
    Router::new()
        .route("/api/v1/getmoves", any(getmoves))
        .route("/api/v1/batch-getmoves", any(batch))
        .route("/api/v1/getcube", any(getcube))
        .route("/api/v1/evaluate", any(evaluate))
        .route("/move", any(wildbg_move))
        .route("/eval", any(wildbg_eval))
        .route("/v1/double", decision(NodotsDecision::Double))
        .route("/v1/take", decision(NodotsDecision::Take))
        .route("/v1/resign", decision(NodotsDecision::Resign))
        .route("/v1/health", any(health))
}

impl From<WebError> for Problem {
    fn from(fault: WebError) -> Problem {
        let mut pointer = String::new();
        for part in fault
            .field
            .split(['.', '['])
            .filter(|part| !part.is_empty())
        {
            pointer.push('/');
            pointer.push_str(part.trim_end_matches(']'));
        }
        Problem {
            field: Some(fault.field.into()),
            ..Problem::new(fault.code, fault.message)
        }
        .at(ErrorLocation::Pointer(pointer))
    }
}

/// Reads the request, and computes it.
async fn find(
    shared: &Arc<Core>,
    origin: Origin,
    read: impl FnOnce() -> Result<WebRequest, WebError>,
) -> ForeignAnswer {
    let asked = catch_panics(&shared.counters, read)
        .map_err(|error| Problem::new(error.code, error.message))?;
    match asked? {
        WebRequest::Answer(text) => Ok(text.into_bytes()),
        WebRequest::Question(inquiry) => {
            let answer = submission::compute(shared, origin, *inquiry).await?;
            Ok(answer.collect().await)
        }
    }
}

/// Returns the body of a `POST`, or the problem of another method.
async fn posted(shared: &Arc<Core>, request: Request) -> Result<Json, Problem> {
    if request.method() != Method::POST {
        return Err(Problem {
            allow: Some("POST, OPTIONS"),
            ..Problem::new(ErrorCode::MethodNotAllowed, "only POST")
        });
    }
    let (parts, body) = request.into_parts();
    let bytes = body::json(shared, &parts.headers, body).await?;
    crate::http::ask::question::parse(&bytes)
}

fn answer(body: Vec<u8>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], Body::from(body)).into_response()
}

/// Returns a problem with this status, in the shape of another protocol; the headers are those that it has everywhere.
fn refusal(problem: &Problem, status: u16, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(seconds) = problem.retry_after() {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = problem.allow {
        headers.insert(ALLOW, HeaderValue::from_static(allow));
    }
    response
}

// bgweb-api.

/// Returns the status for clients of other programs, which do not distinguish an invalid request from one without an
/// answer.
fn foreign_status(problem: &Problem) -> u16 {
    match problem.status() {
        _ if problem.code == ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT.as_u16(),
        StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST.as_u16(),
        status => status.as_u16(),
    }
}

/// Returns one body for bgweb's clients and for ours (BW-40).
fn bgweb_error(problem: &Problem) -> Response {
    // A body that the schema refuses is 400, before our own checks.
    let status = match problem.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => 400,
        _ => foreign_status(problem),
    };
    let mut body = problem.value();
    if let Some(body) = body.as_object_mut() {
        body.insert("status".into(), status.into());
        body.insert("message".into(), (&*problem.message).into());
    }
    refusal(problem, status, "application/json", body.to_string())
}

type Take = fn(Json, u8) -> Result<WebRequest, WebError>;

async fn bgweb_one(
    shared: Arc<Core>,
    origin: Origin,
    request: Request,
    take: Take,
) -> Result<Response, Problem> {
    match posted(&shared, request).await? {
        Json::List(items) => bgweb_list(shared, origin, items, Form::ARRAY, take),
        body => {
            let found = find(&shared, origin, || take(body, BGWEB_PLIES)).await?;
            Ok(answer(found))
        }
    }
}

fn bgweb_list(
    shared: Arc<Core>,
    origin: Origin,
    items: Vec<Json>,
    form: Form,
    take: Take,
) -> Result<Response, Problem> {
    let read = move |_, item: Json| {
        let shared = Arc::clone(&shared);
        let text = format!("{item:?}");
        let one = async move {
            let found = find(&shared, origin, || take(item, BGWEB_PLIES)).await;
            found.map(Bytes::from)
        };
        Ok((text, Work::Alone(one.boxed())))
    };
    let refuse = |_, problem: Problem| {
        json!({"error": {"message": problem.message, "code": problem.code}}).to_string()
    };
    // None of them is queued with others.
    let together = |_| std::future::ready(Vec::new()).boxed();
    list::respond(items, form, read, together, refuse)
}

async fn getmoves(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let answered = bgweb_one(shared, peer.origin, request, bgweb::getmoves).await;
    answered.unwrap_or_else(|problem| bgweb_error(&problem))
}

async fn getcube(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let answered = bgweb_one(shared, peer.origin, request, bgweb::getcube).await;
    answered.unwrap_or_else(|problem| bgweb_error(&problem))
}

async fn evaluate(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let answered = bgweb_one(shared, peer.origin, request, bgweb::evaluate).await;
    answered.unwrap_or_else(|problem| bgweb_error(&problem))
}

async fn batch(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let answered = match posted(&shared, request).await {
        Ok(Json::Object(members)) => {
            let requests = members.into_iter().find(|(name, _)| name == "requests");
            match requests {
                Some((_, Json::List(items))) => {
                    bgweb_list(shared, peer.origin, items, Form::RESULTS, bgweb::getmoves)
                }
                _ => {
                    let message = "requests are missing, expected an array of bodies of getmoves";
                    Err(Problem::from(WebError {
                        code: ErrorCode::BadRequest,
                        field: "requests".to_owned(),
                        message: message.to_owned(),
                    }))
                }
            }
        }
        Ok(other) => {
            let message = format!(
                "the body is {}, expected {{\"requests\":[…]}}",
                other.kind()
            );
            Err(Problem::new(ErrorCode::BadRequest, message)
                .at(ErrorLocation::Pointer(String::new())))
        }
        Err(problem) => Err(problem),
    };
    answered.unwrap_or_else(|problem| bgweb_error(&problem))
}

// wildbg.

async fn wildbg_move(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    wildbg_answer(
        &shared,
        peer.origin,
        request.into_parts().0,
        wildbg::best_move,
    )
    .await
}

async fn wildbg_eval(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    wildbg_answer(&shared, peer.origin, request.into_parts().0, wildbg::eval).await
}

async fn wildbg_answer(
    shared: &Arc<Core>,
    origin: Origin,
    request: Parts,
    take: fn(Vec<(String, String)>) -> Result<WebRequest, WebError>,
) -> Response {
    if !matches!(request.method, Method::GET | Method::HEAD) {
        let allow = HeaderValue::from_static("GET,HEAD");
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, allow)]).into_response();
    }
    let query = request.uri.query().unwrap_or_default();
    let pairs = form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    match find(shared, origin, || take(pairs)).await {
        Ok(body) => answer(body),
        Err(problem) => wildbg_error(&problem),
    }
}

fn wildbg_error(problem: &Problem) -> Response {
    if problem.code == wildbg::BAD_QUERY {
        let text = format!("Failed to deserialize query string: {}", problem.message);
        return refusal(problem, 400, "text/plain; charset=utf-8", text);
    }
    let status = match problem.code {
        ErrorCode::GameOver => problem.status().as_u16(),
        _ => foreign_status(problem),
    };
    let body = json!({ "message": problem.message });
    refusal(problem, status, "application/json", body.to_string())
}

// Nodots.

/// Returns a body of Nodots' shape alone (NEP-40).
pub(in crate::http) fn nodots_error(problem: &Problem) -> Response {
    let (_, status) = nodots::code(problem.code);
    let body = json!({ "error": nodots_error_value(problem) });
    refusal(problem, status, "application/json", body.to_string())
}

/// Returns the member `error` of their shape.
pub(in crate::http) fn nodots_error_value(problem: &Problem) -> serde_json::Value {
    let (code, _) = nodots::code(problem.code);
    let mut error = json!({ "code": code, "message": problem.message });
    let field = problem.field.as_deref().filter(|field| !field.is_empty());
    if let (Some(error), Some(field)) = (error.as_object_mut(), field) {
        error.insert("field".into(), field.into());
    }
    error
}

/// Answers a body of theirs.
pub(in crate::http) async fn nodots(
    shared: &Arc<Core>,
    origin: Origin,
    decision: NodotsDecision,
    body: Json,
) -> Response {
    match find(shared, origin, || nodots::ask(decision, body)).await {
        Ok(body) => answer(body),
        Err(problem) => nodots_error(&problem),
    }
}

async fn decide(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    decision: NodotsDecision,
    request: Request,
) -> Response {
    match posted(&shared, request).await {
        Ok(body) => nodots(&shared, peer.origin, decision, body).await,
        Err(problem) => nodots_error(&problem),
    }
}

async fn health(method: Method) -> Response {
    match method {
        Method::GET | Method::HEAD => answer(nodots::health().into_bytes()),
        _ => nodots_error(&Problem {
            allow: Some("GET, HEAD"),
            ..Problem::new(ErrorCode::MethodNotAllowed, "only GET and HEAD")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-130, BW-40, NEP-40: a client without processor time gets the time at which it may continue.
    #[test]
    fn client_out_of_processor_time_is_told_when_to_return() {
        let problem = Problem {
            retry: Some(17),
            ..Problem::new(ErrorCode::TooManyRequests, "")
        };
        for response in [
            bgweb_error(&problem),
            wildbg_error(&problem),
            nodots_error(&problem),
        ] {
            assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
            let retry = response.headers().get(RETRY_AFTER);
            assert_eq!(retry.and_then(|value| value.to_str().ok()), Some("17"));
        }
    }
}
