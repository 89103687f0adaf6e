//! The routes (HTTP-05), and the check of access (HTTP-90, HTTP-91).

use super::access::{AccessState, Admission};
use super::archive;
use super::error_codes;
use super::foreign;
use super::forwarded;
use super::held::Held;
use super::jobs;
use super::matches;
use super::mcp;
use super::openapi;
use super::page;
use super::problem::Problem;
use super::sessions::{Initiator, initiator};
use super::state::HttpState;
use super::unread::{UnreadAnswers, fixed};
use super::verbs;
use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::core::shutdown::Phase;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, FromRef, Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use gammond_protocol::ErrorCode;
use std::sync::{Arc, LazyLock};

/// A connection, for its requests.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) origin: Origin,
    /// The port of the listener; `None` for a Unix socket.
    pub(super) port: Option<u16>,
    /// Answers that the client has not read.
    pub(super) unread: Arc<UnreadAnswers>,
    /// Name of the client, if it has signed in (HTTP-133).
    pub(super) signed_in: Option<Arc<str>>,
    /// True if a trusted proxy reports that the client came over TLS.
    pub(super) is_https: bool,
    pub(super) initiator: Initiator,
}

/// Everything that is served to clients.
pub(super) fn router(shared: Arc<Core>, access_state: Arc<AccessState>) -> Router {
    let state = HttpState {
        core: shared,
        access: access_state,
        in_flight: Arc::default(),
    };
    Router::new()
        .route("/v1/{verb}", any(verbs::answer))
        .route("/v1/analyse", any(matches::analyse))
        .route("/mcp", any(mcp::answer))
        .route("/openapi.json", any(description))
        .route("/docs", any(docs))
        .merge(page::routes())
        .merge(jobs::routes())
        .merge(archive::routes())
        .merge(foreign::routes())
        .merge(error_codes::routes())
        .merge(health())
        .fallback(async || {
            Problem::new(
                ErrorCode::NotFound,
                "there is nothing at this path; see /v1/version",
            )
        })
        .layer(middleware::from_fn_with_state(state.clone(), guard))
        .with_state(state)
}

/// Returns the routes for Prometheus and supervisors.
pub(super) fn metrics_router(shared: Arc<Core>) -> Router {
    health()
        .route("/", any(metrics))
        .fallback(async || (StatusCode::NOT_FOUND, "see /metrics\n"))
        .with_state(shared)
}

fn health<S: Clone + Send + Sync + 'static>() -> Router<S>
where
    Arc<Core>: FromRef<S>,
{
    Router::new()
        .route("/metrics", any(metrics))
        .route("/healthz", any(healthz))
        .route("/readyz", any(readyz))
}

/// Returns the problem of a method that a path does not have.
pub(super) fn only_get(method: &Method) -> Option<Response> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let problem = Problem {
        allow: Some("GET, HEAD"),
        ..Problem::new(ErrorCode::MethodNotAllowed, "only GET and HEAD")
    };
    Some(problem.into_response())
}

async fn metrics(method: Method, State(shared): State<Arc<Core>>) -> Response {
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

async fn readyz(method: Method, State(shared): State<Arc<Core>>) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    match *shared.phase.borrow() {
        Phase::Run => json(StatusCode::OK, "{\"status\":\"ready\"}\n"),
        _ => json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"ends\"}\n"),
    }
}

/// Returns the paths, for programs (HTTP-102).
async fn description(method: Method) -> Response {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| openapi::document().into());
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], fixed(&DOCUMENT)).into_response()
}

/// Returns the paths, for people.
async fn docs(method: Method) -> Response {
    static PAGE: LazyLock<Bytes> = LazyLock::new(|| openapi::page().into());
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(openapi::SELF_CONTAINED),
        ),
    ];
    (headers, fixed(&PAGE)).into_response()
}

fn json(status: StatusCode, text: &'static str) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let text = fixed(&Bytes::from_static(text.as_bytes()));
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}

/// Refuses requests that a page of another site made a browser send, and those without a required token.
async fn guard(
    State(shared): State<Arc<Core>>,
    State(access_state): State<Arc<AccessState>>,
    Extension(peer): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let allowed = access_state.access.allows_origin(request.headers()) == Some(true);
    let (cors, preflight) = match allowed {
        true => access_state
            .access
            .cors(request.method(), request.headers()),
        false => (HeaderMap::new(), false),
    };
    let is_https =
        forwarded::is_https(&access_state.access.proxies, peer.origin, request.headers());
    let initiator = initiator(request.headers(), host(&request), is_https);
    let peer = Peer {
        is_https,
        initiator,
        ..peer
    };
    let admitted = match turned_away(&access_state, &peer, &request, allowed) {
        Some(problem) => Err(problem),
        // A preflight has no token.
        None if preflight => Ok(None),
        None => admit(&shared, &access_state, &peer, &request).map(Some),
    };
    let mut response = match admitted {
        Err(problem)
            if problem.code == ErrorCode::Unauthorized && page::wants_sign_in(&request) =>
        {
            page::sign_in_form(request.uri(), problem)
        }
        Err(problem) => problem.into_response(),
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Ok(Some(admission)) => {
            request.extensions_mut().insert(Peer {
                origin: admission.origin,
                signed_in: admission.signed_in.clone(),
                ..peer
            });
            let response = next.run(request).await;
            match (&admission.place, &admission.slot) {
                (None, None) => response,
                _ => response.map(|body| Held::body(body, admission)),
            }
        }
    };
    let headers = response.headers_mut();
    headers.extend(cors);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let name = HeaderName::from_static("gammond-version");
    headers.insert(name, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    response
}

/// Finds the client of a request, by the word of a trusted proxy (HTTP-132) and by its token.
fn admit(
    shared: &Arc<Core>,
    access_state: &AccessState,
    peer: &Peer,
    request: &Request,
) -> Result<Admission, Problem> {
    let named = forwarded::client(&access_state.access.proxies, peer.origin, request.headers())?;
    let slot = named.map(|client| shared.admit_request(client)).transpose();
    let slot = slot.map_err(|reason| {
        let message = format!("too many {reason}: wait for an answer");
        Problem::new(ErrorCode::TooManyRequests, message)
    })?;
    let address = named.unwrap_or(peer.origin);
    // A supervisor has no token, and a browser has none before the form of the sign-in.
    let path = request.uri().path();
    let is_open = ["/healthz", "/readyz", page::SIGN_IN, page::SIGN_OUT].contains(&path)
        || path.starts_with(page::FILES_PATH);
    let admission = match is_open {
        true => Admission::open(address),
        false => access_state.client(address, request.headers(), peer.is_https)?,
    };
    // A browser adds its cookie also to requests of pages of other sites (HTTP-135).
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let may_use_session = match peer.initiator {
        Initiator::Own => true,
        Initiator::Other => is_link(request),
        Initiator::Unknown => is_safe,
    };
    if admission.signed_in.is_some() && !may_use_session {
        let message = "Origin is another site: its pages may not use the session of this browser";
        return Err(Problem::new(ErrorCode::Forbidden, message));
    }
    Ok(Admission { slot, ..admission })
}

/// Returns the name by which a request calls this server.
fn host(request: &Request) -> Option<&str> {
    let target = request.uri().authority().map(Authority::as_str);
    target.or_else(|| request.headers().get(HOST)?.to_str().ok())
}

/// Returns true if a browser follows a link to a page: a site that has it sees nothing of the answer, and nothing is changed
/// by it.
fn is_link(request: &Request) -> bool {
    let headers = request.headers();
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    let path = request.uri().path();
    matches!(*request.method(), Method::GET | Method::HEAD)
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
        && (page::is_page(path)
            || [page::SIGN_IN, "/docs"].contains(&path)
            || error_codes::is_one(path))
}

fn turned_away(
    access_state: &AccessState,
    peer: &Peer,
    request: &Request,
    allowed: bool,
) -> Option<Problem> {
    let headers = request.headers();
    let Some(port) = peer.port else {
        // No browser uses a Unix socket.
        return None;
    };
    let hosts = headers.get_all(HOST);
    if request.version() == Version::HTTP_11 && hosts.iter().next().is_none() {
        return Some(Problem::new(ErrorCode::BadRequest, "Host is missing"));
    }
    let is_ours = |host: &HeaderValue| host.to_str().is_ok_and(|host| is_own_host(host, port));
    // HTTP/2, and clients that take this server for a proxy, name it in the target.
    let target = request.uri().authority();
    let is_target = target.is_none_or(|target| is_own_host(target.as_str(), port));
    let several = hosts.iter().count() > 1;
    // Servers for other machines have names that are unknown here; their tokens or their proxy keep pages out.
    let own = access_state.access.serves_others() || (is_target && hosts.iter().all(is_ours));
    if several || !own {
        let message =
            "Host is not this server: expected localhost, 127.0.0.1 or [::1], with its port";
        return Some(Problem::new(ErrorCode::Misdirected, message));
    }
    let same = |origin: &HeaderValue| {
        let origin = origin.to_str().ok();
        let host = origin.and_then(|origin| origin.strip_prefix("http://"));
        host.is_some_and(|host| is_own_host(host, port))
    };
    // Behind a proxy the pages of this server have its public name, under which a cookie signs their requests.
    let is_own_page = access_state.access.requires_token() && peer.initiator == Initiator::Own;
    let from_elsewhere = !is_own_page && headers.get(ORIGIN).is_some_and(|origin| !same(origin));
    let crosses = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site");
    let crosses = crosses && !is_link(request);
    if !allowed && (from_elsewhere || crosses) {
        let message = "Origin is another site: its pages may not ask here";
        return Some(Problem::new(ErrorCode::Forbidden, message));
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
