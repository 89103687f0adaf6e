//! Bodies of requests, as they come (HTTP-11, HTTP-13, HTTP-80).

use crate::core::Core;
use crate::core::match_memory::MatchMemory;
use crate::http::wire::problem::Problem;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use gammond_protocol::ErrorCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Longest body of JSON or lines, in bytes (HTTP-80).
const BODY_BYTES_MAX: usize = 1 << 20;
/// Longest time that a body may take to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns a body of JSON.
pub(in crate::http) async fn json(
    core: &Arc<Core>,
    headers: &HeaderMap,
    body: Body,
) -> Result<Bytes, Problem> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let (main, parameters) = kind.split_once(';').unwrap_or((kind, ""));
    let charset = parameters.trim().to_ascii_lowercase();
    if !main.trim().eq_ignore_ascii_case("application/json")
        || !matches!(charset.as_str(), "" | "charset=utf-8" | "charset=\"utf-8\"")
    {
        // `curl -d` sends the kind of a form.
        let sent = match kind.trim() {
            "" => "missing".to_owned(),
            kind => format!("{kind:.64?}"),
        };
        let message = format!(
            "Content-Type is {sent}, expected application/json in UTF-8; with curl add -H 'Content-Type: application/json'"
        );
        return Err(Problem::new(ErrorCode::UnsupportedMedia, message));
    }
    uncoded(headers)?;
    collect(core, body, BODY_BYTES_MAX)
        .await
        .map(|(bytes, _)| bytes)
}

/// Returns a whole body of at most `max` bytes, and its weight among those of all clients (SRV-20).
pub(in crate::http) async fn collect(
    core: &Arc<Core>,
    body: Body,
    max: usize,
) -> Result<(Bytes, MatchMemory), Problem> {
    let too_large = || {
        Problem::new(
            ErrorCode::TooLarge,
            format!("the body has more than {max} bytes"),
        )
    };
    let size = body.size_hint();
    if size.lower() > max as u64 {
        return Err(too_large());
    }
    let most = size.upper().and_then(|most| usize::try_from(most).ok());
    let mut weight = MatchMemory::new(Arc::clone(core));
    if weight.gathered(Some(most.unwrap_or(max).min(max))) {
        let message = "busy: too many bytes of bodies wait";
        return Err(Problem::new(ErrorCode::Busy, message));
    }
    let whole = Limited::new(body, max).collect();
    match timeout(BODY_TIMEOUT, whole).await {
        Ok(Ok(whole)) => Ok((whole.to_bytes(), weight)),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::new(
            ErrorCode::BadRequest,
            "the body is broken or cut off",
        )),
        Err(_) => {
            let message = format!("the body did not come within {} s", BODY_TIMEOUT.as_secs());
            Err(Problem::new(ErrorCode::TooSlow, message))
        }
    }
}

/// Refuses a body that would have to be unpacked (HTTP-13).
pub(in crate::http) fn uncoded(headers: &HeaderMap) -> Result<(), Problem> {
    if headers
        .get(CONTENT_ENCODING)
        .is_some_and(|coding| coding != "identity")
    {
        let message = "Content-Encoding is not taken: send the body as it is";
        return Err(Problem::new(ErrorCode::UnsupportedMedia, message));
    }
    Ok(())
}
