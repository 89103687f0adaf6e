//! Failures of the engine as errors of requests.

use crate::engine::EngineError;
use crate::protocol::RequestError;

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
