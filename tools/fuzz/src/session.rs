//! Sessions of the request language, with an engine.

use super::sequence::request_sequence;
use gammond_engine::engine::Engine;
use gammond_engine::query::{Cost, Stop};
use gammond_protocol::answerer::Answerer;
use gammond_protocol::{Dialect, FramedLine, LineAction, Session, parse_line};
use serde_json::Value;
use std::sync::OnceLock;

/// Checks a session of the request language: one answer for each line, whole and in order, and none for lines without a
/// request; only `quit` ends it; an error changes nothing; no answer is an internal error. Long queries get a triggered stop
/// token.
pub fn fuzz_session(data: &[u8]) {
    static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();
    let made = || Engine::builder().threads(1).cache_mb(1).build().ok();
    let Some(engine) = ENGINE.get_or_init(made) else {
        return;
    };
    let answerer = Answerer::new(engine);
    let stopped = Stop::new();
    stopped.trigger();
    let mut session = Session::default();
    for line in request_sequence(data) {
        let shown = String::from_utf8_lossy(&line).into_owned();
        let before = session.settings().clone();
        let parsed = parse_line(&line, &before);
        let id = match &parsed {
            Some(Ok(line)) => line.id.clone(),
            _ => None,
        };
        let mut out = Vec::new();
        let mut may_change = false;
        match Dialect::line(&mut session, FramedLine::Line(&line)) {
            LineAction::Silence => {
                let in_match = session.gathered().is_some();
                assert!(parsed.is_none() || in_match, "{shown:?} has no answer");
                continue;
            }
            LineAction::Say(text) => {
                out.extend_from_slice(text.as_bytes());
                may_change = true;
            }
            LineAction::Cancel(cancel) => out.extend_from_slice(cancel.unknown().as_bytes()),
            LineAction::Refuse(text) => out.extend_from_slice(text.as_bytes()),
            LineAction::Ask(inquiry) => {
                let long = inquiry.cost() == Cost::Long || inquiry.settings.plies > 0;
                let stop = if long { stopped.clone() } else { Stop::never() };
                answerer.answer(&inquiry, &stop, &mut out);
            }
            LineAction::Rebuild { .. } => unreachable!("{shown:?} rebuilds the engine"),
            LineAction::Close(text) => {
                let words = shown.trim_ascii().to_ascii_lowercase();
                assert!(
                    words.ends_with("quit") || words.ends_with("exit"),
                    "{shown:?} ends the session"
                );
                assert!(text.ends_with('\n'), "{shown:?}: {text:?}");
                return;
            }
        }
        assert!(
            may_change || *session.settings() == before,
            "{shown:?} changed the session"
        );
        one_line(&shown, id.as_deref(), &out);
    }
}

fn one_line(shown: &str, id: Option<&str>, out: &[u8]) {
    let text = String::from_utf8_lossy(out);
    let whole = text.ends_with('\n') && text.matches('\n').count() == 1;
    assert!(whole, "{shown:?} has {text:?}");
    if !text.starts_with('{') {
        return;
    }
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    assert!(value.is_object(), "{shown:?}: {text}");
    assert!(id.is_none() || field("id") == id, "{shown:?}: {text}");
    assert!(field("code") != Some("internal"), "{shown:?}: {text}");
}
