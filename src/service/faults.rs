//! Failures of the engine, and panics, as errors on the wire.

use super::counters::Counters;
use crate::engine::EngineError;
use crate::protocol::RequestError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What reading a line gives, or the error that says that it panicked (SRV-13).
pub(super) fn surviving<T>(
    counters: &Counters,
    read: impl FnOnce() -> T,
) -> Result<T, RequestError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| {
        let number = counters.note_panic();
        tracing::error!(number, "panic while a line was read");
        RequestError::new("internal", "line", format!("internal error {number}"))
    })
}

/// An engine's failure as the error of a request.
pub(super) fn engine_error(error: &EngineError) -> RequestError {
    let code = match error {
        EngineError::Stopped => "stopped",
        EngineError::Rollout(error) => {
            let message = format!("rollout: {error}");
            return RequestError::new("bad-setting", "rollout", message);
        }
        _ => "internal",
    };
    RequestError::new(code, "query", format!("query {error}"))
}
