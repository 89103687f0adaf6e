//! Errors as problem details (RFC 9457; HTTP-70).

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gammond_base::escape::Terminal;
use gammond_protocol::ErrorCode;
use serde::Serialize;
use serde_json::Value;

/// Longest id that an answer has, in bytes.
const ID_BYTES_MAX: usize = 64;

/// The path of all codes of errors; below it are the codes.
pub(in crate::http) const ERRORS_PATH: &str = "/v1/errors";

/// Returns the `type` of problems with a code: the path that describes it.
pub(in crate::http) fn type_of(code: ErrorCode) -> String {
    format!("{ERRORS_PATH}/{code}")
}

/// The part of the request that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::http) enum ErrorLocation {
    /// The request as a whole, or no place.
    Nowhere,
    /// A JSON Pointer (RFC 6901) into the body.
    Pointer(String),
    /// A parameter of the query.
    Parameter(String),
}

/// One error.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::http) struct Problem {
    pub(in crate::http) code: ErrorCode,
    /// One printable line.
    pub(in crate::http) message: Box<str>,
    /// The id of the question.
    pub(in crate::http) id: Option<Box<str>>,
    pub(in crate::http) field: Option<Box<str>>,
    pub(in crate::http) at: Option<u32>,
    pub(in crate::http) place: ErrorLocation,
    /// The methods that the path has, where another one was used.
    pub(in crate::http) allow: Option<&'static str>,
    /// Seconds after which the request may succeed, if they are not those of its status.
    pub(in crate::http) retry: Option<u32>,
}

#[derive(Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: ErrorCode,
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
    /// Creates a problem of the whole request. Unprintable characters of the message are escaped (ERR-02).
    pub(in crate::http) fn new(code: ErrorCode, message: impl Into<String>) -> Problem {
        let mut message = message.into();
        if !Terminal::new(&message).is_clean() {
            message = Terminal::new(&message).to_string();
        }
        Problem {
            code,
            message: message.into(),
            id: None,
            field: None,
            at: None,
            place: ErrorLocation::Nowhere,
            allow: None,
            retry: None,
        }
    }

    pub(in crate::http) fn at(self, place: ErrorLocation) -> Problem {
        Problem { place, ..self }
    }

    /// Adds the id of the question, unless it has one or an answer cannot have this one.
    pub(in crate::http) fn of(mut self, id: Option<&str>) -> Problem {
        let fits = |id: &&str| {
            !id.is_empty()
                && id.len() <= ID_BYTES_MAX
                && !id.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"')
        };
        if self.id.is_none() {
            self.id = id.filter(fits).map(Into::into);
        }
        self
    }

    /// Returns the code of this word; a word that is unknown is a fault of ours.
    pub(in crate::http) fn code_of(word: &str) -> ErrorCode {
        ErrorCode::named(word).unwrap_or(ErrorCode::Internal)
    }

    /// Reads the error of a line's answer.
    pub(in crate::http) fn of_answer(line: &[u8]) -> Problem {
        let Ok(Value::Object(error)) = serde_json::from_slice(line) else {
            return Problem::new(ErrorCode::Internal, "the answer could not be read");
        };
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        Problem {
            id: text("id").map(Into::into),
            field: text("field").map(Into::into),
            at: error
                .get("at")
                .and_then(Value::as_u64)
                .and_then(|at| u32::try_from(at).ok()),
            ..Problem::new(
                Problem::code_of(&text("code").unwrap_or_default()),
                text("message").unwrap_or_default(),
            )
        }
    }

    /// Returns true if a line's answer is an error.
    pub(in crate::http) fn is_one(line: &[u8]) -> bool {
        let answer = serde_json::from_slice::<Value>(line);
        answer.is_ok_and(|answer| answer.get("type").and_then(Value::as_str) == Some("error"))
    }

    /// Returns the status of each code (the table of HTTP-70).
    pub(in crate::http) fn status(&self) -> StatusCode {
        match self.code {
            ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
            ErrorCode::TooManyFailures | ErrorCode::TooManyRequests => {
                StatusCode::TOO_MANY_REQUESTS
            }
            ErrorCode::Forbidden => StatusCode::FORBIDDEN,
            ErrorCode::NotFound | ErrorCode::UnknownVerb => StatusCode::NOT_FOUND,
            ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            ErrorCode::TooSlow => StatusCode::REQUEST_TIMEOUT,
            ErrorCode::Stopped => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::TooLarge | ErrorCode::LineTooLong => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::Unsupported => StatusCode::NOT_IMPLEMENTED,
            ErrorCode::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            ErrorCode::NotReady => StatusCode::CONFLICT,
            // The request is right in itself, but nothing can be answered to it: another try does not help.
            ErrorCode::BadMatchFile
            | ErrorCode::GameOver
            | ErrorCode::KeyReused
            | ErrorCode::Timeout => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::Busy => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// Returns the seconds after which the request may succeed, if waiting helps.
    pub(in crate::http) fn retry_after(&self) -> Option<u32> {
        self.retry.or(match self.code {
            ErrorCode::TooManyFailures => Some(60),
            ErrorCode::Busy
            | ErrorCode::Stopped
            | ErrorCode::NotReady
            | ErrorCode::TooManyRequests => Some(1),
            _ => None,
        })
    }

    /// Returns the JSON object, with a line end.
    pub(in crate::http) fn json(&self) -> String {
        let mut text =
            self.with_details(|details| serde_json::to_string(details).unwrap_or_default());
        text.push('\n');
        text
    }

    /// Returns the JSON object, for those who put more members into it.
    pub(in crate::http) fn value(&self) -> Value {
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
            id: self.id.as_deref(),
            r#type: type_of(self.code),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &self.message,
            code: self.code,
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
        if let Some(seconds) = self.retry_after() {
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
