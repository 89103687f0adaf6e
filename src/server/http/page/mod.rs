//! The page Explore at `/` (HTTP-110 to HTTP-115): a form, and the answer to it as HTML. The answers are those of the paths
//! below `/v1/`; the script only asks for this page again and puts the new answer in the place of the old one.

mod explored;
mod form;

use super::problem::{Problem, Where};
use super::router::{Peer, only_get};
use crate::tcp::shared::Shared;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderValue, Method, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use explored::Explored;
use form::PageForm;
use gammond_base::escape::Markup;
use std::sync::Arc;

const PAGE: &str = include_str!("explore.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("explore.js");
/// Nothing from elsewhere, no script and no style inside the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The page and its files.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", any(explore))
        .route("/page/style.css", any(style))
        .route("/page/explore.js", any(script))
}

async fn style(method: Method) -> Response {
    only_get(&method).unwrap_or_else(|| file("text/css; charset=utf-8", STYLE))
}

async fn script(method: Method) -> Response {
    only_get(&method).unwrap_or_else(|| file("text/javascript; charset=utf-8", SCRIPT))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        // Another version of the program may have another file.
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, text).into_response()
}

async fn explore(
    method: Method,
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<Peer>,
    uri: Uri,
) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    let (form, explored) = match PageForm::read(uri.query().unwrap_or_default()) {
        Ok(form) => {
            let explored = explored::explore(&shared, peer, &form).await;
            (form, explored)
        }
        Err(problem) => (PageForm::default(), Err(problem)),
    };
    let text = written(&form, explored.as_ref());
    // A problem gives its status, and when to come again.
    let mut response = match explored {
        Ok(_) => Response::new(Body::empty()),
        Err(problem) => problem.into_response(),
    };
    *response.body_mut() = Body::from(text);
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Writes the page.
fn written(form: &PageForm, explored: Result<&Explored, &Problem>) -> String {
    let found = explored.ok();
    let fault = explored.err().map(|problem| (field(problem), problem));
    filled(PAGE, |name| {
        if let Some(field) = name.strip_suffix("_error") {
            let message = fault.filter(|(wrong, _)| *wrong == field);
            return message.map_or_else(String::new, |(_, problem)| {
                Markup::new(&problem.message).to_string()
            });
        }
        if let Some(field) = name.strip_suffix("_invalid") {
            return fault.is_some_and(|(wrong, _)| wrong == field).to_string();
        }
        match name {
            "title" => found
                .map_or("Explore", |found| found.title.as_str())
                .to_owned(),
            "summary" => found.map_or("", |found| found.summary.as_str()).to_owned(),
            "answer" => found.map_or("", |found| found.html.as_str()).to_owned(),
            "version" => env!("CARGO_PKG_VERSION").to_owned(),
            "roll_options" => form.roll_options(found.and_then(|found| found.roll)),
            "plies_options" => form.plies_options(),
            "match_open" if form.has_match() => " open".to_owned(),
            "match_open" => String::new(),
            "others" => form.others(),
            field => Markup::new(form.value(field)).to_string(),
        }
    })
}

/// The field beside which a problem is shown; `form` for none of them.
fn field(problem: &Problem) -> &str {
    match &problem.place {
        Where::Parameter(name) if form::FIELDS.contains(&name.as_str()) => name,
        _ => "form",
    }
}

/// Fills the holes `{{name}}` of a template. What comes into a hole is not read again.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        text.push_str(&value(name));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_once() {
        let value = |name: &str| format!("<{name}{{{{b}}}}>");
        assert_eq!(filled("x{{a}}y{{b}}", value), "x<a{{b}}>y<b{{b}}>");
    }

    /// HTTP-111.
    #[test]
    fn page_names_no_other_host() {
        for text in [PAGE, STYLE, SCRIPT] {
            assert!(!text.contains("://") && !text.contains("//cdn"), "{text}");
            for inline in ["<style", "style=", " onclick", " onload", "javascript:"] {
                assert!(!text.contains(inline), "{inline}");
            }
        }
    }
}
