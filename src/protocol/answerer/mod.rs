//! The answer to one request: the only place where a protocol's question meets the engine.

mod alone;
mod answer;
mod engine_error;
mod judge_match;

pub use alone::MessageAnswer;
pub use answer::*;
pub use engine_error::engine_error;
