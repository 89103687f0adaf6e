//! Headers of answers.

use crate::http::wire::document::SELF_CONTAINED;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

/// Sets the headers of a report of this kind.
pub(in crate::http) fn report_headers(headers: &mut HeaderMap, kind: &str) {
    let kind = match kind.starts_with("text/") {
        true => format!("{kind}; charset=utf-8"),
        false => kind.to_owned(),
    };
    if let Ok(kind) = HeaderValue::from_str(&kind) {
        headers.insert(CONTENT_TYPE, kind);
    }
    let policy = HeaderValue::from_static(SELF_CONTAINED);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
}

/// Returns the answer with headers against caches.
pub(in crate::http) fn fresh(mut response: Response) -> Response {
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, never);
    response
}
