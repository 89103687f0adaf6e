//! Python exceptions that name the argument.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use std::fmt::Display;

/// Returns a `ValueError` for this argument.
pub(crate) fn value(argument: &str, reason: impl Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {reason}"))
}

/// Returns a `TypeError` for this argument.
pub(crate) fn kind(argument: &str, reason: impl Display) -> PyErr {
    PyTypeError::new_err(format!("{argument}: {reason}"))
}

/// Returns a `RuntimeError`, for failures that no argument causes.
pub(crate) fn work(reason: impl Display) -> PyErr {
    PyRuntimeError::new_err(reason.to_string())
}

/// Returns an `OSError` for this file.
pub(crate) fn file(path: impl Display, reason: impl Display) -> PyErr {
    PyOSError::new_err(format!("{path}: {reason}"))
}
