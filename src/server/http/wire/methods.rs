//! Methods that a path does not have.

use crate::http::wire::problem::Problem;
use axum::http::Method;
use gammond_protocol::ErrorCode;

/// Returns the problem of a method that is none of these, such as `GET, HEAD, POST`.
pub(in crate::http) fn wrong_method(allow: &'static str) -> Problem {
    let message = match allow.rsplit_once(", ") {
        Some((first, last)) => format!("only {first} and {last}"),
        None => format!("only {allow}"),
    };
    Problem {
        allow: Some(allow),
        ..Problem::new(ErrorCode::MethodNotAllowed, message)
    }
}

/// Refuses methods that do more than read.
///
/// # Errors
/// `method-not-allowed`.
pub(in crate::http) fn only_get(method: &Method) -> Result<(), Problem> {
    match matches!(*method, Method::GET | Method::HEAD) {
        true => Ok(()),
        false => Err(wrong_method("GET, HEAD")),
    }
}

/// Refuses all methods but `POST`.
///
/// # Errors
/// `method-not-allowed`.
pub(in crate::http) fn only_post(method: &Method) -> Result<(), Problem> {
    match *method == Method::POST {
        true => Ok(()),
        false => Err(wrong_method("POST")),
    }
}
