//! The HTTP interfaces of other backgammon programs, as machines without I/O: a body or a query goes in, a question
//! whose reply writes their answer comes out. Rules BW-, WB- and NEP- of `protocol-specs/http-drop-ins.md`.
//!
//! ```
//! use gammond_protocol::json::Json;
//! use gammond_protocol::web::{WebRequest, bgweb};
//! let body = br#"{"board":{"x":{"1":1},"o":{"2":1}},"dice":[6,1],"player":"x","score-moves":false}"#;
//! let Ok(WebRequest::Answer(answer)) = bgweb::getmoves(Json::parse(body)?, 2) else { panic!("no question") };
//! assert_eq!(answer, r#"[{"play":[{"from":"1","to":"off"}]}]"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod bgweb;
mod members;
pub mod nodots;
pub mod wildbg;

use super::answer::{self, Addressee};
use super::dialect::Inquiry;
use super::request_error::RequestError;
use crate::ErrorCode;
use gammond_engine::query::AnswerStyle;
use gammond_game::{MatchStateError, PositionError};
use members::Members;
use serde::Serialize;

/// A request that was understood.
#[derive(Debug)]
pub enum WebRequest {
    /// The answer, as nothing must be computed for it.
    Answer(String),
    /// A question whose reply writes the answer; its errors are those of lines in JSON.
    Question(Box<Inquiry>),
}

/// A request that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebError {
    /// The code, as on a line.
    pub code: ErrorCode,
    /// The member that is wrong, as `dice[1]`; nothing for the request as a whole.
    pub field: String,
    /// Field and reason in one line.
    pub message: String,
}

impl WebError {
    fn new(code: ErrorCode, field: impl Into<String>, message: impl Into<String>) -> WebError {
        WebError {
            code,
            field: field.into(),
            message: message.into(),
        }
    }

    fn of_position(field: &str, error: &PositionError) -> WebError {
        WebError::new(ErrorCode::BadPosition, field, format!("{field}: {error}"))
    }

    fn of_state(field: &str, error: &MatchStateError) -> WebError {
        WebError::new(ErrorCode::BadScore, field, format!("{field}: {error}"))
    }
}

/// Writes an answer without a line end, or the error instead of it.
fn write<T: Serialize>(body: Result<T, &RequestError>, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let not_finite;
    let error = match body {
        Ok(body) if serde_json::to_writer(&mut *out, &body).is_ok() => return true,
        Ok(_) => {
            out.truncate(start);
            not_finite = RequestError::from(answer::NotFinite);
            &not_finite
        }
        Err(error) => error,
    };
    let to = Addressee {
        id: None,
        style: AnswerStyle::Json,
        warning: None,
    };
    answer::error(to, error, None, out);
    false
}

/// Returns the error of an answer that is not one to the question.
fn mismatch() -> RequestError {
    RequestError::new(
        ErrorCode::Internal,
        "answer",
        "answer is not one to the question",
    )
}
