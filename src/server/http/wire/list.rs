//! Arrays of questions: answers in the same order, each as soon as those before it are there (HTTP-30 to HTTP-33).

use crate::http::wire::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::{StreamExt as _, stream};
use gammond_protocol::ErrorCode;
use gammond_protocol::Inquiry;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

/// Most questions of one array (HTTP-31).
pub(in crate::http) const ITEMS_MAX: usize = 1000;
/// Number of questions of one array that are computed at a time: enough for all threads, few enough for other clients.
const ITEMS_AT_A_TIME: usize = 16;
/// Questions without look-ahead that wait in the queues together: for one alone the way there and back takes longer than
/// its answer.
const GROUP_MAX: usize = 64;
/// Size in bytes below which texts are joined to pieces of this size.
const SHORT_BYTES: usize = 2 << 10;
const PIECE_BYTES: usize = 16 << 10;
/// Groups of one array that are computed at a time.
const GROUPS_AT_A_TIME: usize = 4;

/// The form of a list: the text before, between and behind its items.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct Form {
    kind: &'static str,
    before: &'static str,
    between: &'static str,
    behind: &'static str,
}

impl Form {
    /// A JSON array with a line end.
    pub(in crate::http) const ARRAY: Form = Form {
        kind: "application/json",
        before: "[",
        between: ",",
        behind: "]\n",
    };
    /// A line of JSON for each item.
    pub(in crate::http) const LINES: Form = Form {
        kind: "application/x-ndjson",
        before: "",
        between: "\n",
        behind: "\n",
    };
    /// bgweb-api's answer to many requests.
    pub(in crate::http) const RESULTS: Form = Form {
        kind: "application/json",
        before: "{\"results\":[",
        between: ",",
        behind: "]}",
    };
}

/// An answer without a line end.
pub(in crate::http) type Answered = Result<Bytes, Problem>;

/// The work of a question.
pub(in crate::http) enum Work {
    /// The item is queued alone.
    Alone(BoxFuture<'static, Answered>),
    /// The item is queued together with its neighbours: its answer is a line and takes little time.
    Short(Box<Inquiry>),
}

/// A question as a text that equal questions have alike, and its work.
type Question = (String, Work);
/// Answers to a group of inquiries, in their order.
type Answers = BoxFuture<'static, Vec<Answered>>;

/// An item of the list.
enum Item {
    /// The item could not be read.
    Wrong(Problem),
    /// The item has the next answer of its group.
    Next,
    /// The item has the answer of the item with this number.
    Same(usize),
}

/// Neighbours whose work is queued together.
#[derive(Default)]
struct Group {
    items: Vec<Item>,
    alone: Option<BoxFuture<'static, Answered>>,
    short: Vec<Inquiry>,
}

impl Group {
    fn takes(&self, work: &Work) -> bool {
        match work {
            Work::Alone(_) => self.alone.is_none() && self.short.is_empty(),
            Work::Short(_) => self.alone.is_none() && self.short.len() < GROUP_MAX,
        }
    }
}

/// Returns the items in groups, and the numbers of those whose answers come again.
fn grouped<T>(
    items: Vec<T>,
    read: impl Fn(usize, T) -> Result<Question, Problem>,
) -> (Vec<Group>, HashSet<usize>) {
    let (mut groups, mut group) = (Vec::new(), Group::default());
    let (mut seen, mut again) = (HashMap::new(), HashSet::new());
    for (number, item) in items.into_iter().enumerate() {
        let item = match read(number, item) {
            Err(problem) => Item::Wrong(problem),
            Ok((text, work)) => match seen.get(&text) {
                Some(&first) => {
                    again.insert(first);
                    Item::Same(first)
                }
                None => {
                    seen.insert(text, number);
                    if !group.takes(&work) {
                        groups.push(std::mem::take(&mut group));
                    }
                    match work {
                        Work::Alone(answer) => group.alone = Some(answer),
                        Work::Short(inquiry) => group.short.push(*inquiry),
                    }
                    Item::Next
                }
            },
        };
        group.items.push(item);
    }
    groups.push(group);
    (groups, again)
}

/// Returns the response to a list of items. `together` answers inquiries that are queued together, and `refuse` writes
/// the problem of the item with this number. Equal questions are computed once (HTTP-33).
///
/// # Errors
/// `bad-request` above the limit.
pub(in crate::http) fn respond<T>(
    items: Vec<T>,
    form: Form,
    read: impl Fn(usize, T) -> Result<Question, Problem>,
    together: impl Fn(Vec<Inquiry>) -> Answers,
    refuse: fn(usize, Problem) -> String,
) -> Result<Response, Problem> {
    if items.len() > ITEMS_MAX {
        let message = format!(
            "the array has {} questions, expected at most {ITEMS_MAX}",
            items.len()
        );
        return Err(Problem::new(ErrorCode::BadRequest, message));
    }
    let empty = items.is_empty();
    let (groups, again) = grouped(items, read);
    let at_a_time = match groups.iter().all(|group| group.short.is_empty()) {
        true => ITEMS_AT_A_TIME,
        false => GROUPS_AT_A_TIME,
    };
    // A group is queued when its turn has come.
    let groups: Vec<_> = (groups.into_iter())
        .map(|group| {
            let answers = match (group.alone, group.short.is_empty()) {
                (Some(alone), _) => alone.map(|answer| vec![answer]).boxed(),
                (None, true) => std::future::ready(Vec::new()).boxed(),
                (None, false) => together(group.short),
            };
            answers.map(move |answers| (group.items, answers))
        })
        .collect();
    let (mut number, mut kept) = (0, HashMap::<usize, Answered>::new());
    let written = move |(items, answers): (Vec<Item>, Vec<Answered>)| {
        let (mut text, mut answers) = (Text::default(), answers.into_iter());
        for item in items {
            let answer = match item {
                Item::Wrong(problem) => Err(problem),
                Item::Same(first) => kept.get(&first).cloned().unwrap_or_else(lost),
                Item::Next => answers.next().unwrap_or_else(lost),
            };
            let front = if number == 0 {
                form.before
            } else {
                form.between
            };
            text.push(&Bytes::from_static(front.as_bytes()));
            match &answer {
                Ok(answer) => text.push(answer),
                Err(problem) => text.push(&refuse(number, problem.clone()).into()),
            }
            // Only answers that come again are kept.
            if again.contains(&number) {
                kept.insert(number, answer);
            }
            number += 1;
        }
        stream::iter(text.finish())
    };
    let behind = match (empty, form.between) {
        // No line for no item.
        (true, "\n") => String::new(),
        (true, _) => format!("{}{}", form.before, form.behind),
        (false, _) => form.behind.to_owned(),
    };
    let body = (stream::iter(groups).buffered(at_a_time).flat_map(written))
        .chain(stream::iter([Bytes::from(behind)]))
        .map(Ok::<_, Infallible>);
    let kind = HeaderValue::from_static(form.kind);
    Ok(([(CONTENT_TYPE, kind)], Body::from_stream(body)).into_response())
}

/// Pieces of a body: short texts are joined, long ones shared.
#[derive(Default)]
struct Text {
    pieces: Vec<Bytes>,
    open: Vec<u8>,
}

impl Text {
    fn push(&mut self, text: &Bytes) {
        if text.len() < SHORT_BYTES {
            self.open.extend_from_slice(text);
        } else {
            self.seal();
            self.pieces.push(text.clone());
        }
        if self.open.len() >= PIECE_BYTES {
            self.seal();
        }
    }

    fn seal(&mut self) {
        if !self.open.is_empty() {
            self.pieces.push(std::mem::take(&mut self.open).into());
        }
    }

    fn finish(mut self) -> Vec<Bytes> {
        self.seal();
        self.pieces
    }
}

/// Returns the answer of an item that none came for.
fn lost() -> Answered {
    Err(Problem::new(
        ErrorCode::Stopped,
        "the server is shutting down",
    ))
}
