//! Conversion of panics to errors on the wire.

use crate::core::counters::Counters;
use gammond_protocol::ErrorCode;
use gammond_protocol::RequestError;
use gammond_protocol::answerer::Observer as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of `read`, or an error if it panics (SRV-13).
pub fn catch_panics<T>(counters: &Counters, read: impl FnOnce() -> T) -> Result<T, RequestError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| {
        let number = counters.count_panic();
        tracing::error!(number, "panic while a line was read");
        RequestError::new(
            ErrorCode::Internal,
            "line",
            format!("internal error {number}"),
        )
    })
}
