//! Answers of an engine as text, for the tests of this crate and of the protocols.

use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_protocol::answerer::Answerer;
use gammond_protocol::{Inquiry, external};

/// The answer to an inquiry, as bytes go out.
pub(crate) fn answer(engine: &Engine, inquiry: impl Into<Inquiry>) -> String {
    let mut out = Vec::new();
    Answerer::new(engine).answer(&inquiry.into(), &Stop::never(), &mut out);
    String::from_utf8(out).unwrap()
}

/// The reply to a question of gnubg's protocol, without the lines in front of it and the LF.
pub(crate) fn reply(engine: &Engine, question: &external::Question) -> String {
    let text = answer(engine, question.clone());
    let reply = text.strip_prefix(&question.preface).unwrap();
    reply.strip_suffix('\n').unwrap().to_owned()
}
