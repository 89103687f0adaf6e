//! The form that exchanges a token for a session, and the end of a session (HTTP-133).

use crate::core::Core;
use crate::http::access::policy::AccessState;
use crate::http::access::sessions::set_cookie;
use crate::http::ask::question;
use crate::http::paths::page::{Frame, Site, filled, is_page, with_headers};
use crate::http::wire::body;
use crate::http::wire::headers::fresh;
use crate::http::wire::methods::{only_post, wrong_method};
use crate::http::wire::peer::Initiator;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::Problem;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use gammond_base::escape::Markup;
use gammond_protocol::ErrorCode;
use std::sync::Arc;

/// Path of the form.
pub(in crate::http) const SIGN_IN: &str = "/sign-in";
/// Path that ends a session.
pub(in crate::http) const SIGN_OUT: &str = "/sign-out";
pub(in crate::http) const FORM: &str = include_str!("sign_in.html");
/// Longest body of the form, in bytes.
const FORM_BYTES_MAX: usize = 4 << 10;

/// Returns true if a browser requests a page without a token, so that the form is the answer.
pub(in crate::http) fn is_wanted(request: &Request) -> bool {
    let headers = request.headers();
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    matches!(*request.method(), Method::GET | Method::HEAD)
        && is_open(request.uri().path())
        && !headers.contains_key(AUTHORIZATION)
        && accept.is_some_and(|accept| accept.contains("text/html"))
}

fn is_open(path: &str) -> bool {
    is_page(path) || path == "/docs"
}

/// Returns the form in place of a page, with the status of the problem.
pub(in crate::http) fn form(uri: &Uri, problem: Problem) -> Response {
    let page = uri.path_and_query().map_or("/", |page| page.as_str());
    // The first visit is no fault.
    let error = match &problem.field {
        Some(_) => problem.message.as_ref(),
        None => "",
    };
    let text = written(page, error);
    let mut response = problem.into_response();
    *response.body_mut() = Body::from(text);
    shown(response)
}

/// Writes the form. `page` follows it.
fn written(page: &str, error: &str) -> String {
    let main = filled(FORM, |name| match name {
        "page" => Markup::new(page).to_string(),
        "invalid" => (!error.is_empty()).to_string(),
        _ => Markup::new(error).to_string(),
    });
    // The script only translates.
    Frame {
        page: ("sign-in", "Sign in", "frame", &main),
        site: &Site::SERVED,
        has_archive: false,
        client: None,
    }
    .text()
}

fn shown(response: Response) -> Response {
    fresh(with_headers(response, "text/html"))
}

/// Answers `GET` and `POST` of the form.
pub(in crate::http) async fn sign_in(
    State(shared): State<Arc<Core>>,
    State(access_state): State<Arc<AccessState>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    for_tokens(&access_state)?;
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(shown(Response::new(Body::from(written("/", "")))));
    }
    if *request.method() != Method::POST {
        return Err(wrong_method("GET, HEAD, POST"));
    }
    from_own_page(&peer)?;
    let (parts, body) = request.into_parts();
    let (token, page) = posted(&shared, &parts.headers, body).await?;
    let (error, mut response) = match access_state.sign_in(peer.origin, &token) {
        Ok(Some(id)) => {
            // The browser has one session.
            access_state.sign_out(&parts.headers, peer.is_https);
            return Ok(led_to(&page, &set_cookie(Some(&id), peer.is_https)));
        }
        Ok(None) => {
            let message =
                "the token is not known: check it, or ask the owner of the server for one";
            (
                message.to_owned(),
                Problem::new(ErrorCode::Unauthorized, message).into_response(),
            )
        }
        Err(problem) => (problem.message.to_string(), problem.into_response()),
    };
    *response.body_mut() = Body::from(written(&page, &error));
    Ok(shown(response))
}

/// Reads the token and the page that follows.
async fn posted(
    shared: &Arc<Core>,
    headers: &HeaderMap,
    body: Body,
) -> Result<(String, String), Problem> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind
        .and_then(|kind| kind.split(';').next())
        .unwrap_or_default();
    if !kind
        .trim()
        .eq_ignore_ascii_case("application/x-www-form-urlencoded")
    {
        let message = "Content-Type is not application/x-www-form-urlencoded";
        return Err(Problem::new(ErrorCode::UnsupportedMedia, message));
    }
    body::uncoded(headers)?;
    let (bytes, _weight) = body::collect(shared, body, FORM_BYTES_MAX).await?;
    let (mut token, mut page) = (String::new(), String::new());
    for (name, value) in question::parameters(&String::from_utf8_lossy(&bytes))? {
        match name.as_str() {
            "token" => token = value.trim().to_owned(),
            "page" => page = value,
            _ => {
                let message = format!("field {name:.64?} is not known, expected token and page");
                return Err(Problem::new(ErrorCode::BadRequest, message));
            }
        }
    }
    // Only a page of this server: a link to the form leads nowhere else.
    let own = page
        .parse::<Uri>()
        .ok()
        .filter(|uri| uri.scheme().is_none() && uri.authority().is_none() && is_open(uri.path()));
    Ok((
        token,
        own.map_or_else(|| "/".to_owned(), |uri| uri.to_string()),
    ))
}

/// Answers the `POST` of the button that ends a session.
pub(in crate::http) async fn sign_out(
    State(access_state): State<Arc<AccessState>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    for_tokens(&access_state)?;
    only_post(request.method())?;
    from_own_page(&peer)?;
    access_state.sign_out(request.headers(), peer.is_https);
    Ok(led_to(SIGN_IN, &set_cookie(None, peer.is_https)))
}

/// Refuses the paths of sessions where no token is required.
fn for_tokens(access_state: &AccessState) -> Result<(), Problem> {
    match access_state.access.requires_token() {
        true => Ok(()),
        false => Err(Problem::new(
            ErrorCode::NotFound,
            "this server has no tokens, so there is no sign-in",
        )),
    }
}

/// Refuses a form that a page of another site has sent: it would sign the browser in under a name of its choice.
fn from_own_page(peer: &Peer) -> Result<(), Problem> {
    match peer.initiator {
        Initiator::Own => Ok(()),
        Initiator::Other | Initiator::Unknown => Err(Problem::new(
            ErrorCode::Forbidden,
            "Origin is missing or another site: only the form of this server signs in and out",
        )),
    }
}

/// Returns the response that leads to a page.
fn led_to(page: &str, cookie: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    for (name, value) in [(LOCATION, page), (SET_COOKIE, cookie)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    fresh(response)
}
