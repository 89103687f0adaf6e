//! Entry points of the fuzz targets for bodies, queries, forms and the headers of proxies.

use crate::core::fair_queue::Origin;
use crate::http::access::forwarded::{self, TrustedProxy};
use crate::http::ask::drawing::DrawingOptions;
use crate::http::ask::question;
use crate::http::ask::question::Question;
use crate::http::paths::archive;
use crate::http::wire::multipart;
use crate::http::wire::problem::Problem;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use futures_util::FutureExt as _;
use gammond_protocol::json::Json;
use gammond_protocol::verbs::{ROLLOUT, SHOW};
use gammond_protocol::web::nodots::NodotsDecision;
use gammond_protocol::web::{WebError, WebRequest, bgweb, nodots, wildbg};
use gammond_protocol::{LineAction, Options, message};

/// Fuzzes a path, chosen by the first byte, with the rest as body or query. A question is one line, whatever is in
/// it, and a refusal has a reason of one line.
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
        0 => is_one_line(line(question::from_query(&ROLLOUT, &text))),
        1 => is_one_line(
            question::settings_of_query(&text, "format")
                .and_then(|(settings, _)| question::settings_of_pairs(&settings)),
        ),
        2 => is_answerable(wildbg::best_move(pairs())),
        3 => is_answerable(wildbg::eval(pairs())),
        kind => {
            let Ok(json) = Json::parse(data) else {
                return;
            };
            match kind {
                4 => is_one_line(line(question::from_json(&ROLLOUT, json))),
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

/// Fuzzes a reader, chosen by the first byte. The rest is a query, or the header of a trusted proxy.
pub fn fuzz_http_query(data: &[u8]) {
    let Some((&path, data)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(data);
    match path % 5 {
        0 => is_one_line(line(question::from_query(&ROLLOUT, &text))),
        1 => match DrawingOptions::read(&text, &SHOW) {
            Ok((_, rest)) => is_one_line(line(question::from_query(&ROLLOUT, &rest))),
            Err(problem) => is_object(&problem),
        },
        2 => match question::parameters(&text).and_then(|found| archive::filter(&found)) {
            Ok(filter) => assert!((1..=100).contains(&filter.limit)),
            Err(problem) => is_object(&problem),
        },
        path => {
            let name = match path % 5 {
                4 => "x-forwarded-for",
                _ => "forwarded",
            };
            let Ok(value) = HeaderValue::from_bytes(data) else {
                return;
            };
            let headers =
                HeaderMap::from_iter([(axum::http::HeaderName::from_static(name), value)]);
            let peer = std::net::IpAddr::from([127, 0, 0, 1]);
            let proxies: Vec<TrustedProxy> = "127.0.0.0/8".parse().into_iter().collect();
            match forwarded::client(&proxies, Origin::Address(peer), &headers) {
                Ok(client) => assert!(client.is_some()),
                Err(problem) => is_object(&problem),
            }
        }
    }
}

/// Fuzzes a body of `multipart/form-data` with the boundary `x`.
pub fn fuzz_http_form(data: &[u8]) {
    let body = Bytes::copy_from_slice(data);
    // The whole body is there: nothing waits.
    let read = multipart::read("x".to_owned(), body).now_or_never();
    assert!(read.is_some(), "the form was not read at once");
    let Some(read) = read else {
        return;
    };
    match read {
        Ok(form) => {
            assert!((1..=100).contains(&form.files.len()));
            let bytes: usize = form.files.iter().map(Bytes::len).sum();
            assert!(bytes < data.len());
            is_one_line(question::settings_of_pairs(&form.fields));
        }
        Err(problem) => is_object(&problem),
    }
}

fn is_object(problem: &Problem) {
    let value = serde_json::from_str::<serde_json::Value>(&problem.json());
    assert!(value.is_ok_and(|value| value.is_object()), "{problem:?}");
}

/// Returns the equivalent line, which also jobs keep.
fn line(question: Result<Question, Problem>) -> Result<String, Problem> {
    let question = question?;
    let request = question.request(&Options::default());
    let line = question.parts.line();
    assert!(line.is_ok() || request.is_err(), "{question:?}");
    match line {
        Ok(line) => Ok(line),
        Err(_) => request.map(|_| String::new()),
    }
}

fn is_one_line(line: Result<String, Problem>) {
    match line {
        Ok(line) => {
            assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
            for verb in ["eval", "move", "rollout"] {
                let step = message::step(verb, line.as_bytes(), Options::default());
                let answers = matches!(
                    step,
                    LineAction::Ask(_) | LineAction::Say(_) | LineAction::Refuse(_)
                );
                assert!(answers, "{line:?}");
            }
        }
        Err(problem) => is_object(&problem),
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
