//! Arrays of questions: answers in the same order, each as soon as those before it are there (HTTP-30 to HTTP-33).

use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use futures_util::{StreamExt as _, stream};
use std::collections::HashMap;
use std::convert::Infallible;

/// Most questions of one array (HTTP-31).
const ITEMS_MAX: usize = 1000;
/// Questions of one array that are computed at a time: enough for all threads, few enough for others.
const ITEMS_AT_A_TIME: usize = 16;

/// The form of a list: what stands before, between and behind its items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    kind: &'static str,
    before: &'static str,
    between: &'static str,
    behind: &'static str,
}

impl Form {
    /// A JSON array with a line end.
    pub(super) const ARRAY: Form = Form {
        kind: "application/json",
        before: "[",
        between: ",",
        behind: "]\n",
    };
    /// A line of JSON for each item.
    pub(super) const LINES: Form = Form {
        kind: "application/x-ndjson",
        before: "",
        between: "\n",
        behind: "\n",
    };
    /// bgweb-api's answer to many requests.
    pub(super) const RESULTS: Form = Form {
        kind: "application/json",
        before: "{\"results\":[",
        between: ",",
        behind: "]}",
    };
}

/// An answer without a line end.
type Answered = Result<Bytes, Problem>;
/// A question as a text that equal questions have alike, and what computes its answer.
type Question = (String, BoxFuture<'static, Answered>);

/// The response to a list of items; `refuse` writes the problem of the item with this number. Equal questions are
/// computed once (HTTP-33).
///
/// # Errors
/// `too-large` above the limit.
pub(super) fn respond<T>(
    items: Vec<T>,
    form: Form,
    read: impl Fn(usize, T) -> Result<Question, Problem>,
    refuse: fn(usize, Problem) -> String,
) -> Result<Response, Problem> {
    if items.len() > ITEMS_MAX {
        let message = format!(
            "the array has {} questions, expected at most {ITEMS_MAX}",
            items.len()
        );
        return Err(Problem::new("too-large", message));
    }
    let mut seen: HashMap<String, Shared<BoxFuture<'static, Answered>>> = HashMap::new();
    let mut answers = Vec::with_capacity(items.len());
    for (number, item) in items.into_iter().enumerate() {
        let answer = match read(number, item) {
            Err(problem) => std::future::ready(Err(problem)).boxed().shared(),
            Ok((text, answer)) => {
                let first = seen.entry(text).or_insert_with(|| answer.shared());
                first.clone()
            }
        };
        answers.push(answer);
    }
    // Only those who wait for an answer keep it.
    drop(seen);
    let ends = if answers.is_empty() { form.before } else { "" };
    let empty = answers.is_empty();
    let answers = stream::iter(answers)
        .buffered(ITEMS_AT_A_TIME)
        .enumerate()
        .map(move |(number, answer)| {
            let front = if number == 0 {
                form.before
            } else {
                form.between
            };
            let answer = answer.unwrap_or_else(|problem| Bytes::from(refuse(number, problem)));
            [Bytes::from_static(front.as_bytes()), answer]
        })
        .flat_map(stream::iter);
    let behind = match empty && form.between == "\n" {
        // No line for no item.
        true => String::new(),
        false => format!("{ends}{}", form.behind),
    };
    let body = answers
        .chain(stream::iter([Bytes::from(behind)]))
        .map(Ok::<_, Infallible>);
    let kind = HeaderValue::from_static(form.kind);
    Ok(([(CONTENT_TYPE, kind)], Body::from_stream(body)).into_response())
}
