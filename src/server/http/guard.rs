//! The check of access (HTTP-90, HTTP-91).

use crate::core::Core;
use crate::http::access::forwarded;
use crate::http::access::policy::{AccessState, Admission};
use crate::http::access::sessions::initiator;
use crate::http::paths::{errors, page};
use crate::http::wire::held::Held;
use crate::http::wire::peer::{Initiator, Peer};
use crate::http::wire::problem::Problem;
use axum::extract::{Extension, Request, State};
use axum::http::header::{HOST, HeaderName, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use gammond_protocol::ErrorCode;
use std::sync::Arc;

/// Refuses requests that a page of another site made a browser send, and those without a required token.
pub(in crate::http) async fn guard(
    State(core): State<Arc<Core>>,
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
        None => admit(&core, &access_state, &peer, &request).map(Some),
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
    core: &Arc<Core>,
    access_state: &AccessState,
    peer: &Peer,
    request: &Request,
) -> Result<Admission, Problem> {
    let named = forwarded::client(&access_state.access.proxies, peer.origin, request.headers())?;
    let slot = named.map(|client| core.admit_request(client)).transpose();
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
        && (page::is_page(path) || [page::SIGN_IN, "/docs"].contains(&path) || errors::is_one(path))
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
