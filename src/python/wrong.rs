//! Python exceptions that name the argument.

use pyo3::exceptions::{PyOSError, PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
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

/// Converts an argument of whole numbers. pyo3 adds the argument's name to a `TypeError`, but not to the `OverflowError` of a
/// number out of range.
pub(crate) fn whole<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
    for<'a> <T as FromPyObject<'a, 'py>>::Error: Into<PyErr>,
{
    value.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyTypeError::new_err(format!("{value} is out of range")),
            false => error,
        }
    })
}
