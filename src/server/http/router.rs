//! The routes (HTTP-05), and the check of who may ask (HTTP-90, HTTP-91).

use super::desk::{self, Answer};
use super::problem::{Problem, Where};
use super::question::{self, Json};
use crate::fair_queue::Origin;
use crate::shutdown::Phase;
use crate::tcp::shared::Shared;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, HeaderName, IF_NONE_MATCH, ORIGIN,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures_util::{StreamExt as _, stream};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Longest body of JSON or lines, in bytes (HTTP-80).
pub(super) const BODY_BYTES_MAX: usize = 1 << 20;
/// Longest time that a body may take to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Most questions of one array (HTTP-31).
const ITEMS_MAX: usize = 1000;
/// Questions of one array that are computed at a time: enough for all threads, few enough for others.
const ITEMS_AT_A_TIME: usize = 16;
/// The verbs below `/v1/`.
const VERBS: [&str; 6] = ["eval", "move", "cube", "rollout", "convert", "show"];
/// In lines that are answered by several.
const PROGRESS: &str = " progress=";
/// Verbs without a position.
const PLAIN_VERBS: [&str; 2] = ["version", "stats"];

/// A connection, as its requests know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub(super) origin: Origin,
    /// The port of the listener; `None` for a Unix socket.
    pub(super) port: Option<u16>,
}

/// Everything that is served to clients.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/{verb}", any(answer))
        .merge(health())
        .fallback(async || {
            Problem::new(
                "not-found",
                "there is nothing at this path; see /v1/version",
            )
        })
        .layer(middleware::from_fn(guard))
        .with_state(shared)
}

/// The routes for Prometheus and supervisors.
pub(super) fn metrics_router(shared: Arc<Shared>) -> Router {
    health()
        .route("/", any(metrics))
        .fallback(async || (StatusCode::NOT_FOUND, "see /metrics\n"))
        .with_state(shared)
}

fn health() -> Router<Arc<Shared>> {
    Router::new()
        .route("/metrics", any(metrics))
        .route("/healthz", any(healthz))
        .route("/readyz", any(readyz))
}

/// The problem of a method that a path does not have.
fn only_get(method: &Method) -> Option<Response> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let problem = Problem {
        allow: Some("GET, HEAD"),
        ..Problem::new("method-not-allowed", "only GET and HEAD")
    };
    Some(problem.into_response())
}

async fn metrics(method: Method, State(shared): State<Arc<Shared>>) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(CONTENT_TYPE, kind)], shared.prometheus()).into_response()
}

async fn healthz(method: Method) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    json(StatusCode::OK, "{\"status\":\"ok\"}\n")
}

async fn readyz(method: Method, State(shared): State<Arc<Shared>>) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    match *shared.phase.borrow() {
        Phase::Run => json(StatusCode::OK, "{\"status\":\"ready\"}\n"),
        _ => json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"ends\"}\n"),
    }
}

fn json(status: StatusCode, text: &'static str) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}

/// Turns away requests that a page of another site made a browser send.
async fn guard(Extension(peer): Extension<Peer>, request: Request, next: Next) -> Response {
    let mut response = match turned_away(peer, &request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let name = HeaderName::from_static("gammond-version");
    headers.insert(name, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    response
}

fn turned_away(peer: Peer, request: &Request) -> Option<Problem> {
    let headers = request.headers();
    let Some(port) = peer.port else {
        // No browser speaks to a Unix socket.
        return None;
    };
    let hosts = headers.get_all(HOST);
    if request.version() == Version::HTTP_11 && hosts.iter().next().is_none() {
        return Some(Problem::new("bad-request", "Host is missing"));
    }
    let is_ours = |host: &HeaderValue| host.to_str().is_ok_and(|host| is_own_host(host, port));
    // HTTP/2, and whoever takes this server for a proxy, name it in the target.
    let target = request.uri().authority();
    let is_target = target.is_none_or(|target| is_own_host(target.as_str(), port));
    if !is_target || !hosts.iter().all(is_ours) || hosts.iter().count() > 1 {
        let message = "Host is not this server: want localhost, 127.0.0.1 or [::1], with its port";
        return Some(Problem::new("misdirected", message));
    }
    let from_elsewhere = headers.get(ORIGIN).is_some_and(|origin| {
        let own = origin
            .to_str()
            .ok()
            .and_then(|origin| origin.strip_prefix("http://"));
        !own.is_some_and(|host| is_own_host(host, port))
    });
    let crosses = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site");
    if from_elsewhere || crosses {
        let message = "Origin is another site: its pages may not ask here";
        return Some(Problem::new("forbidden", message));
    }
    None
}

fn is_own_host(host: &str, port: u16) -> bool {
    let (name, given) = match host.rsplit_once(':') {
        Some((name, given)) if !given.ends_with(']') => (name, Some(given)),
        _ => (host, None),
    };
    let is_port = given.is_none_or(|given| given.parse() == Ok(port));
    let is_name = ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost");
    is_name && is_port
}

/// `/v1/VERB`: one question in the query or the body, or an array of them.
async fn answer(
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
            "not-found",
            format!(
                "there is no /v1/{verb:.64}, want one of {}",
                VERBS.join(", ")
            ),
        ));
    };
    let (parts, body) = request.into_parts();
    if parts.method == Method::POST && !plain {
        let bytes = read(&parts.headers, body).await?;
        let origin = peer.origin;
        return match question::parse(&bytes)? {
            Json::List(items) => array(shared, origin, verb, items),
            one => {
                let line = question::from_json(one, "")?;
                let asked = desk::ask(&shared, origin, verb, line.as_bytes()).await;
                let answer = asked.map_err(|problem| pointed(problem, ""))?;
                Ok(send(answer, &line))
            }
        };
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        let (allow, message) = match plain {
            true => ("GET, HEAD", "only GET and HEAD"),
            false => ("GET, HEAD, POST", "only GET, HEAD and POST"),
        };
        let problem = Problem::new("method-not-allowed", message);
        return Err(Problem {
            allow: Some(allow),
            ..problem
        });
    }
    let query = parts.uri.query().unwrap_or_default();
    let line = match plain {
        true => String::new(),
        false => question::from_query(query)?,
    };
    let tag = tag(&shared, verb, &line);
    let known = |value: &HeaderValue| {
        let tags = value.to_str().unwrap_or_default();
        tags.split(',')
            .any(|one| Some(one.trim()) == tag.as_deref())
    };
    let mut response = if parts.headers.get_all(IF_NONE_MATCH).iter().any(known) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let answer = desk::ask(&shared, peer.origin, verb, line.as_bytes()).await?;
        send(answer, &line)
    };
    if let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        response.headers_mut().insert(ETAG, tag);
        let hour = HeaderValue::from_static("private, max-age=3600");
        response.headers_mut().insert(CACHE_CONTROL, hour);
    }
    Ok(response)
}

/// A tag of the question and of all that its answer depends on; none where the answer is another one each time
/// (HTTP-100).
fn tag(shared: &Shared, verb: &str, line: &str) -> Option<String> {
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
        &defaults.rules.engine,
        env!("CARGO_PKG_VERSION"),
    )
        .hash(&mut hasher);
    format!("{:?}", defaults.session).hash(&mut hasher);
    Some(format!("\"{:016x}\"", hasher.finish()))
}

/// A body of JSON.
async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let (kind, parameters) = kind.split_once(';').unwrap_or((kind, ""));
    let charset = parameters.trim().to_ascii_lowercase();
    if !kind.trim().eq_ignore_ascii_case("application/json")
        || !matches!(charset.as_str(), "" | "charset=utf-8" | "charset=\"utf-8\"")
    {
        let message = "Content-Type is not application/json in UTF-8";
        return Err(Problem::new("unsupported-media", message));
    }
    if headers
        .get(CONTENT_ENCODING)
        .is_some_and(|coding| coding != "identity")
    {
        let message = "Content-Encoding is not taken: send the body as it is";
        return Err(Problem::new("unsupported-media", message));
    }
    let too_large = || {
        let message = format!("the body has more than {BODY_BYTES_MAX} bytes");
        Problem::new("too-large", message)
    };
    if body.size_hint().lower() > BODY_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let whole = Limited::new(body, BODY_BYTES_MAX).collect();
    match timeout(BODY_TIMEOUT, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::new("bad-request", "the body is broken or cut off")),
        Err(_) => {
            let message = format!("the body did not come within {} s", BODY_TIMEOUT.as_secs());
            Err(Problem::new("too-slow", message))
        }
    }
}

/// An answer as it comes; with progress one line of JSON behind the other.
fn send(answer: Answer, line: &str) -> Response {
    let kind = match line.contains(PROGRESS) {
        true => "application/x-ndjson",
        false => "application/json",
    };
    let kind = HeaderValue::from_static(kind);
    ([(CONTENT_TYPE, kind)], Body::new(answer)).into_response()
}

/// Refuses what makes several lines of one answer.
fn one_answer(line: String, above: &str) -> Result<String, Problem> {
    if !line.contains(PROGRESS) {
        return Ok(line);
    }
    let message = "setting 'progress' is not for arrays: ask alone";
    let place = Where::Pointer(format!("{above}/settings/progress"));
    Err(Problem::new("bad-setting", message).at(place))
}

/// An error of a line, with the member of the body that its field is.
fn pointed(problem: Problem, above: &str) -> Problem {
    if problem.place != Where::Nowhere {
        return problem;
    }
    let member = match &*problem.code {
        "bad-roll" | "missing-roll" => "/roll",
        "bad-play" => "/plays",
        "bad-setting" | "bad-score" => "/settings",
        "bad-id" => "/id",
        "busy" | "stopped" | "timeout" | "internal" => "",
        _ => "/position",
    };
    let place = Where::Pointer(format!("{above}{member}"));
    problem.at(place)
}

/// An array of questions: an array of answers in the same order, each as soon as those before it are there. An item that
/// is wrong is a problem in its place (HTTP-30, HTTP-31).
fn array(
    shared: Arc<Shared>,
    origin: Origin,
    verb: &'static str,
    items: Vec<Json>,
) -> Result<Response, Problem> {
    if items.len() > ITEMS_MAX {
        let message = format!(
            "the array has {} questions, want at most {ITEMS_MAX}",
            items.len()
        );
        return Err(Problem::new("too-large", message));
    }
    let count = items.len();
    let answers = stream::iter(items.into_iter().enumerate())
        .map(move |(number, item)| {
            let shared = Arc::clone(&shared);
            async move {
                let above = format!("/{number}");
                let line =
                    question::from_json(item, &above).and_then(|line| one_answer(line, &above));
                let asked = match line {
                    Ok(line) => desk::ask(&shared, origin, verb, line.as_bytes()).await,
                    Err(problem) => Err(problem),
                };
                let mut text = match asked {
                    Ok(answer) => Answer::collect(answer).await,
                    Err(problem) => pointed(problem, &above).json().into_bytes(),
                };
                // The line end.
                text.pop();
                let comma = if number == 0 { b'[' } else { b',' };
                text.insert(0, comma);
                Bytes::from(text)
            }
        })
        .buffered(ITEMS_AT_A_TIME);
    let opened = if count == 0 { "[" } else { "" };
    let body = answers
        .chain(stream::iter([Bytes::from(format!("{opened}]\n"))]))
        .map(Ok::<_, Infallible>);
    let kind = HeaderValue::from_static("application/json");
    Ok(([(CONTENT_TYPE, kind)], Body::from_stream(body)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-90.
    #[test]
    fn hosts_of_this_machine_are_ours() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "[::1]",
            "[::1]:8080",
        ] {
            assert!(is_own_host(host, 8080), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1:80",
            "localhost.evil.example",
            "[::1",
            "::1",
            "127.0.0.1:8080:1",
        ] {
            assert!(!is_own_host(host, 8080), "{host}");
        }
    }
}
