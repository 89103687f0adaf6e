//! Meanings of the error codes: the paths that the `type` of a problem names (HTTP-71).

use crate::http::ask::state::HttpState;
use crate::http::wire::accept;
use crate::http::wire::document::document_of;
use crate::http::wire::headers::report_headers;
use crate::http::wire::methods::only_get;
use crate::http::wire::problem::{ERRORS_PATH, Problem, type_of};
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use gammond_protocol::ErrorCode;
use serde::Serialize;
use std::fmt::Write as _;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";
const HTML: &str = "text/html";

/// A code as its path shows it.
#[derive(Serialize)]
struct Described {
    r#type: String,
    code: ErrorCode,
    meaning: &'static str,
    /// The status of answers with it.
    status: u16,
    title: &'static str,
}

#[derive(Serialize)]
struct All {
    r#type: &'static str,
    errors: Vec<Described>,
}

/// Returns true for the paths here.
pub(in crate::http) fn is_one(path: &str) -> bool {
    path.strip_prefix(ERRORS_PATH)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new()
        .route(ERRORS_PATH, any(list))
        .route("/v1/errors/{code}", any(one))
}

async fn list(request: Request) -> Result<Response, Problem> {
    let codes = ErrorCode::ALL.iter().map(|code| described(*code));
    let all = All {
        r#type: "errors",
        errors: codes.collect(),
    };
    answer(&request, &all, &all.errors)
}

async fn one(
    code: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    let word = code.map_or_else(|_| String::new(), |Path(code)| code);
    let code = ErrorCode::named(&word).ok_or_else(|| {
        let message =
            format!("there is no error code {word:.64}; {ERRORS_PATH} lists all, such as bad-roll");
        Problem::new(ErrorCode::NotFound, message)
    })?;
    let one = described(code);
    answer(&request, &one, std::slice::from_ref(&one))
}

fn described(code: ErrorCode) -> Described {
    let status = Problem::new(code, "").status();
    Described {
        r#type: type_of(code),
        code,
        meaning: code.meaning(),
        status: status.as_u16(),
        title: status.canonical_reason().unwrap_or("Error"),
    }
}

fn answer(
    request: &Request,
    json: &impl Serialize,
    codes: &[Described],
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let kind = accept::chosen(request.headers(), &[JSON, TEXT, HTML])?;
    let text = match kind {
        HTML => page(codes),
        TEXT => lines(codes),
        _ => serde_json::to_string(json).unwrap_or_default() + "\n",
    };
    let mut response = text.into_response();
    report_headers(response.headers_mut(), kind);
    Ok(response)
}

fn lines(codes: &[Described]) -> String {
    let mut text = String::new();
    for one in codes {
        let _ = writeln!(
            text,
            "{}: {} (status {})",
            one.code, one.meaning, one.status
        );
    }
    text
}

fn page(codes: &[Described]) -> String {
    let mut rows = String::new();
    for one in codes {
        let meaning = one.meaning.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(
            rows,
            "<tr><td><code>{}</code></td><td>{meaning}</td><td>{} {}</td></tr>",
            one.code, one.status, one.title
        );
    }
    let head = "<tr><th>code</th><th>meaning</th><th>status</th></tr>";
    document_of(&format!("<h1>Errors</h1><table>{head}{rows}</table>"))
}
