//! Failures of the engine as errors of requests.

use crate::ErrorCode;
use crate::RequestError;
use gammond_engine::engine::EngineError;
use gammond_engine::rollout::RolloutError;

/// Returns an engine's failure as the error of a request.
pub fn engine_error(error: &EngineError) -> RequestError {
    let code = match error {
        EngineError::Rollout(error @ RolloutError::Cube(_)) => {
            return RequestError::new(ErrorCode::BadCube, "cube", error.to_string());
        }
        EngineError::NoTable(_) => {
            return RequestError::new(ErrorCode::BadSetting, "variant", error.to_string());
        }
        EngineError::Stopped => ErrorCode::Stopped,
        EngineError::Rollout(error) => {
            let message = format!("rollout: {error}");
            return RequestError::new(ErrorCode::BadSetting, "rollout", message);
        }
        _ => ErrorCode::Internal,
    };
    RequestError::new(code, "query", format!("query {error}"))
}
