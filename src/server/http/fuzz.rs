//! Entry point of the fuzz target for bodies and queries.

use super::question;
use gammond_protocol::json::Json;
use gammond_protocol::web::nodots::NodotsDecision;
use gammond_protocol::web::{WebError, WebRequest, bgweb, nodots, wildbg};
use gammond_protocol::{LineAction, SessionSettings, message};

/// The first byte chooses the path, the rest is body or query: a question is one line, whatever stands in it, and what is
/// refused has a reason of one line.
pub fn fuzz_http(data: &[u8]) {
    let Some((&path, data)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(data);
    let pairs = || {
        form_urlencoded::parse(data)
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect::<Vec<_>>()
    };
    match path % 8 {
        0 => is_one_line(question::from_query(&text)),
        1 => is_one_line(question::settings_of_query(&text, "format").map(|(words, _)| words)),
        2 => is_answerable(wildbg::best_move(pairs())),
        3 => is_answerable(wildbg::eval(pairs())),
        kind => {
            let Ok(json) = Json::parse(data) else {
                return;
            };
            match kind {
                4 => is_one_line(question::from_json(json)),
                5 => is_answerable(bgweb::getmoves(json, 2)),
                6 => is_answerable(bgweb::getcube(json, 2)),
                _ => {
                    for decision in [NodotsDecision::Move, NodotsDecision::Take] {
                        is_answerable(nodots::ask(decision, json.clone()));
                    }
                }
            }
        }
    }
}

fn is_one_line(line: Result<String, super::problem::Problem>) {
    match line {
        Ok(line) => {
            assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
            for verb in ["eval", "move", "rollout"] {
                let step = message::step(verb, line.as_bytes(), SessionSettings::default());
                let answers = matches!(
                    step,
                    LineAction::Ask(_) | LineAction::Say(_) | LineAction::Refuse(_)
                );
                assert!(answers, "{line:?}");
            }
        }
        Err(problem) => {
            serde_json::from_str::<serde_json::Value>(&problem.json()).map_or_else(
                |error| assert!(problem.message.is_empty(), "{error}"),
                |value| assert!(value.is_object()),
            );
        }
    }
}

fn is_answerable(asked: Result<WebRequest, WebError>) {
    match asked {
        Ok(WebRequest::Answer(text)) => {
            let read = serde_json::from_str::<serde_json::Value>(&text);
            assert!(read.is_ok(), "{text}");
        }
        Ok(WebRequest::Question(inquiry)) => drop(inquiry),
        Err(error) => assert!(!error.message.contains('\n'), "{error:?}"),
    }
}
