//! Errors as problem details (RFC 9457; HTTP-70).

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

/// The part of the request that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ErrorLocation {
    /// None, or the request as a whole.
    Nowhere,
    /// A JSON Pointer (RFC 6901) into the body.
    Pointer(String),
    /// A parameter of the query.
    Parameter(String),
}

/// One error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    /// Error code of the line protocol, such as `bad-roll`.
    pub(super) code: Box<str>,
    pub(super) message: String,
    pub(super) field: Option<Box<str>>,
    pub(super) at: Option<u32>,
    pub(super) place: ErrorLocation,
    /// The methods that the path has, where another one was used.
    pub(super) allow: Option<&'static str>,
    /// Seconds after which the request may succeed, if they are not those of its status.
    pub(super) retry: Option<u32>,
}

#[derive(Serialize)]
struct Details<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
}

impl Problem {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Problem {
        Problem {
            code: code.into(),
            message: message.into(),
            field: None,
            at: None,
            place: ErrorLocation::Nowhere,
            allow: None,
            retry: None,
        }
    }

    pub(super) fn at(self, place: ErrorLocation) -> Problem {
        Problem { place, ..self }
    }

    /// Reads the error of a line's answer.
    pub(super) fn of_answer(line: &[u8]) -> Problem {
        let Ok(Value::Object(error)) = serde_json::from_slice(line) else {
            return Problem::new("internal", "the answer could not be read");
        };
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        Problem {
            field: text("field").map(Into::into),
            at: error
                .get("at")
                .and_then(Value::as_u64)
                .and_then(|at| u32::try_from(at).ok()),
            ..Problem::new(
                &text("code").unwrap_or_else(|| "internal".to_owned()),
                text("message").unwrap_or_default(),
            )
        }
    }

    /// Returns true if a line's answer is an error.
    pub(super) fn is_one(line: &[u8]) -> bool {
        let answer = serde_json::from_slice::<Value>(line);
        answer.is_ok_and(|answer| answer.get("type").and_then(Value::as_str) == Some("error"))
    }

    /// The status of each code (the table of HTTP-70).
    pub(super) fn status(&self) -> StatusCode {
        match &*self.code {
            "unauthorized" => StatusCode::UNAUTHORIZED,
            "too-many-failures" | "too-many-requests" => StatusCode::TOO_MANY_REQUESTS,
            "forbidden" => StatusCode::FORBIDDEN,
            "not-found" | "unknown-verb" => StatusCode::NOT_FOUND,
            "method-not-allowed" => StatusCode::METHOD_NOT_ALLOWED,
            "not-acceptable" => StatusCode::NOT_ACCEPTABLE,
            "timeout" => StatusCode::GATEWAY_TIMEOUT,
            "too-slow" => StatusCode::REQUEST_TIMEOUT,
            "stopped" => StatusCode::SERVICE_UNAVAILABLE,
            "too-large" | "line-too-long" => StatusCode::PAYLOAD_TOO_LARGE,
            "unsupported-media" => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported" => StatusCode::NOT_IMPLEMENTED,
            "misdirected" => StatusCode::MISDIRECTED_REQUEST,
            "not-ready" => StatusCode::CONFLICT,
            "game-over" | "bad-match-file" | "key-reused" => StatusCode::UNPROCESSABLE_ENTITY,
            "busy" => StatusCode::SERVICE_UNAVAILABLE,
            "internal" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// The JSON object, with a line end.
    pub(super) fn json(&self) -> String {
        let mut text =
            self.with_details(|details| serde_json::to_string(details).unwrap_or_default());
        text.push('\n');
        text
    }

    /// The JSON object, for those who put more members into it.
    pub(super) fn value(&self) -> Value {
        self.with_details(|details| serde_json::to_value(details).unwrap_or_default())
    }

    fn with_details<T>(&self, write: impl FnOnce(&Details<'_>) -> T) -> T {
        let status = self.status();
        let (pointer, parameter) = match &self.place {
            ErrorLocation::Nowhere => (None, None),
            ErrorLocation::Pointer(pointer) => (Some(pointer.as_str()), None),
            ErrorLocation::Parameter(name) => (None, Some(name.as_str())),
        };
        write(&Details {
            r#type: format!("/v1/errors/{}", self.code),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &self.message,
            code: &self.code,
            field: self.field.as_deref(),
            at: self.at,
            pointer,
            parameter,
        })
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.json()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(CONTENT_TYPE, kind);
        let retry = self.retry.or(match &*self.code {
            "too-many-failures" => Some(60),
            "busy" | "stopped" | "not-ready" | "too-many-requests" => Some(1),
            _ => None,
        });
        if let Some(seconds) = retry {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.status() == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}
