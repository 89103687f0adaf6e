//! Errors of requests.

use crate::ErrorCode;
use gammond_engine::query::SettingError;
use gammond_game::notation::{LINE_BYTES_MAX, NotationError};

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct RequestError {
    /// The stable code, one of those of lines.
    pub code: ErrorCode,
    /// The field that is wrong, in words.
    pub field: &'static str,
    /// Field and reason in one line.
    pub message: String,
    /// Byte of the line, from 0, where the wrong part begins.
    pub at: usize,
}

impl RequestError {
    /// Returns an error of this code and field at byte 0.
    pub fn new(code: ErrorCode, field: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(code.is_of_lines(), "{code} is no code of lines");
        RequestError {
            code,
            field,
            message: message.into(),
            at: 0,
        }
    }

    /// Returns the answer to a line over [`LINE_BYTES_MAX`].
    #[must_use]
    pub fn too_long() -> RequestError {
        let mut error = RequestError::new(
            ErrorCode::LineTooLong,
            "line",
            format!("line has more than {LINE_BYTES_MAX} bytes"),
        );
        error.at = LINE_BYTES_MAX;
        error
    }
}

impl From<NotationError> for RequestError {
    fn from(error: NotationError) -> Self {
        RequestError {
            code: ErrorCode::from(&error),
            field: error.field(),
            message: error.to_string(),
            at: error.at(),
        }
    }
}

impl From<SettingError> for RequestError {
    fn from(error: SettingError) -> Self {
        RequestError::new(ErrorCode::BadSetting, "setting", error.to_string())
    }
}
