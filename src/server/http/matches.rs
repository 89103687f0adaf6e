//! `POST /v1/analyse`: a match file as the body, its report in the form that is asked for (HTTP-60 to HTTP-62).

use super::accept;
use super::body;
use super::desk;
use super::events::{self, EVENTS};
use super::problem::{Problem, Where};
use super::question;
use super::router::Peer;
use crate::faults::surviving;
use crate::tcp::shared::Shared;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse as _, Response};
use gammond_engine::query::ReportForm;
use gammond_protocol::message::match_inquiry;
use std::sync::Arc;

/// Longest match file whose report is JSON: it is written while it is made.
const JSON_BYTES_MAX: usize = 1 << 20;
/// Limit for other reports, which hold all decisions at once.
const REPORT_BYTES_MAX: usize = 256 << 10;
/// Forms by their names, with the kind of each.
const FORMS: [(&str, &str, ReportForm); 6] = [
    ("json", "application/json", ReportForm::Json),
    ("html", "text/html", ReportForm::Html),
    ("csv", "text/csv", ReportForm::Csv),
    ("sgf", "application/x-go-sgf", ReportForm::Sgf),
    ("mat", "text/plain", ReportForm::Mat),
    ("events", EVENTS, ReportForm::Json),
];

/// Judges the match in the body.
pub(super) async fn analyse(
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return Err(Problem {
            allow: Some("POST"),
            ..Problem::new(
                "method-not-allowed",
                "only POST, with a match file as the body",
            )
        });
    }
    let query = parts.uri.query().unwrap_or_default();
    let (mut words, wanted) = question::settings_of_query(query, "format")?;
    let (kind, form) = chosen(wanted, &parts.headers)?;
    let streams = kind == EVENTS;
    if let Some(ended) = events::ended(&parts.headers).filter(|_| streams) {
        return Ok(ended);
    }
    if streams && !words.contains(" progress=") {
        words.push_str(" progress=true");
    }
    let sent = parts.headers.get(CONTENT_TYPE);
    let sent = sent.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // Forms and JSON are no match files: their sender means another path.
    for other in [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/",
    ] {
        if sent.to_ascii_lowercase().starts_with(other) {
            let message =
                "Content-Type is none of a match file: send it as application/octet-stream";
            return Err(Problem::new("unsupported-media", message));
        }
    }
    body::uncoded(&parts.headers)?;
    let max = match form {
        ReportForm::Json => JSON_BYTES_MAX,
        _ => REPORT_BYTES_MAX,
    };
    let (text, weight) = body::collect(&shared, body, max).await?;
    let session = shared.defaults().session;
    let inquiry = surviving(&shared.counters, || {
        match_inquiry(&words, text.into(), form, &session)
    });
    let inquiry = inquiry.and_then(|inquiry| inquiry).map_err(|error| {
        let problem = Problem::new(error.code, error.message);
        Problem {
            field: Some(error.field.into()),
            ..problem
        }
    })?;
    if streams {
        let answer = desk::start(&shared, peer.origin, inquiry)?;
        return Ok(events::send(answer.holding(weight), |problem| problem));
    }
    let answer = desk::compute(&shared, peer.origin, inquiry).await?;
    let kind = match form {
        ReportForm::Html | ReportForm::Csv | ReportForm::Mat => format!("{kind}; charset=utf-8"),
        _ => kind.to_owned(),
    };
    let mut response = Body::new(answer.holding(weight)).into_response();
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(&kind) {
        headers.insert(CONTENT_TYPE, kind);
    }
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Ok(response)
}

/// The form that a parameter names, else that `Accept` likes best.
fn chosen(
    wanted: Option<String>,
    headers: &HeaderMap,
) -> Result<(&'static str, ReportForm), Problem> {
    let (_, kind, form) = match wanted {
        Some(name) => {
            let found = FORMS.into_iter().find(|(known, ..)| *known == name);
            found.ok_or_else(|| {
                let names = FORMS.map(|(name, ..)| name).join(", ");
                let message = format!("format is {name:.64?}, expected one of {names}");
                Problem::new("bad-setting", message).at(Where::Parameter("format".to_owned()))
            })?
        }
        None => {
            let kind = accept::chosen(headers, &FORMS.map(|(_, kind, _)| kind))?;
            let found = FORMS.into_iter().find(|(_, known, _)| *known == kind);
            found.unwrap_or(FORMS[0])
        }
    };
    Ok((kind, form))
}
