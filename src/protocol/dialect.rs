//! The common part of all line protocols: a machine that turns lines into actions.
//!
//! A transport (a socket, standard input) feeds a [`Dialect`] the lines that [`super::LineCodec`] cuts, sends its
//! output, has an [`Inquiry`] answered by the engine, and sends the answer that the inquiry's [`Reply`] writes.
//! Queues hold inquiries: the line is parsed once, when it is read.

use super::answer::{self, Addressee};
use super::queue_place::QueuePlace;
use super::request_error::RequestError;
use super::task::{InquiryTask, TaskAnswer};
use gammond_base::lines::FramedLine;
use gammond_engine::query::{AnswerStyle, Cost, Settings};
use gammond_report::analysis::Collected;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::sync::Arc;

/// The action for a line.
#[derive(Clone, Debug, PartialEq)]
pub enum LineAction<Q = Inquiry> {
    /// Send no text: the line is no request, or the command has no answer.
    Silence,
    /// Send this text; each line has its LF.
    Say(String),
    /// Send this text, which is an error.
    Refuse(String),
    /// Answer this query and send the answer.
    Ask(Box<Q>),
    /// Recreate the engine with these nets and threads.
    Rebuild {
        /// `embedded` or a path.
        nets: String,
        /// Threads that compute.
        threads: usize,
    },
    /// Stop earlier queries of the connection and send the answer.
    Cancel(Box<Cancel>),
    /// Send this text and end.
    Close(String),
}

/// A request to stop earlier queries of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    pub(super) id: Option<String>,
    pub(super) style: AnswerStyle,
    /// The ids of the queries; empty for all.
    pub targets: Vec<String>,
}

/// State of a query that is to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelState {
    /// The request will be answered with the result so far, or with an error.
    Stopped,
    /// The request will be answered in a moment, as if it were not stopped.
    Finishing,
    /// The request has been answered, or there was none.
    Unknown,
}

impl Cancel {
    /// Returns the answer, with the state of each query.
    #[must_use]
    pub fn answer(&self, states: &[(String, CancelState)]) -> String {
        let name = |state: CancelState| match state {
            CancelState::Stopped => "stopped",
            CancelState::Finishing => "finishing",
            CancelState::Unknown => "unknown",
        };
        let shown = |(id, state): &(String, CancelState)| json!({"id": id, "state": name(*state)});
        let targets: Vec<Value> = states.iter().map(shown).collect();
        let words = states
            .iter()
            .map(|(id, state)| format!("{id} {}", name(*state)));
        let plain = words.collect::<Vec<_>>().join(", ");
        let to = Addressee {
            id: self.id.as_deref(),
            style: self.style,
            warning: None,
        };
        let mut text = Vec::new();
        answer::values(
            to,
            "cancel",
            &json!({ "targets": targets }),
            &plain,
            &mut text,
        );
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the answer of a transport that reads no line before the last one is answered.
    #[must_use]
    pub fn unknown(&self) -> String {
        let states = self
            .targets
            .iter()
            .map(|id| (id.clone(), CancelState::Unknown));
        self.answer(&states.collect::<Vec<_>>())
    }
}

impl<Q> LineAction<Q> {
    /// Returns the same step with another question in it.
    pub fn map<R>(self, change: impl FnOnce(Q) -> R) -> LineAction<R> {
        match self {
            LineAction::Silence => LineAction::Silence,
            LineAction::Say(text) => LineAction::Say(text),
            LineAction::Refuse(text) => LineAction::Refuse(text),
            LineAction::Ask(question) => LineAction::Ask(Box::new(change(*question))),
            LineAction::Rebuild { nets, threads } => LineAction::Rebuild { nets, threads },
            LineAction::Cancel(cancel) => LineAction::Cancel(cancel),
            LineAction::Close(text) => LineAction::Close(text),
        }
    }
}

/// Converts the result of a task, or its error, into the bytes that answer a line.
pub trait Reply: Debug + Send + Sync {
    /// Appends the answer, with its line end. Returns whether it is one, and no error.
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        about: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool;

    /// Returns true if [`Reply::write`] writes only the beginning of a match's report: its JSON and a line end follow.
    fn continues(&self) -> bool {
        false
    }
}

/// The program that answers.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The nets' name.
    pub net: &'a str,
    /// The commit that the program was built from.
    pub commit: &'a str,
    /// Features of the processor that the nets use.
    pub cpu: &'a str,
    /// The bearoff databases beside those in the program.
    pub bearoff: &'a [String],
    /// Threads that compute.
    pub threads: usize,
    /// Counters of a server; empty if there are none.
    pub counters: &'a [(&'static str, u64)],
}

/// A parsed query, with the format of its answer.
#[derive(Debug)]
pub struct Inquiry {
    /// The work.
    pub task: InquiryTask,
    /// Settings of the search.
    pub settings: Settings,
    /// Name by which the client can cancel it.
    pub id: Option<String>,
    /// Its place among those that wait.
    pub place: QueuePlace,
    /// True if a stopped search should still give an answer without look-ahead.
    pub fallback_to_static: bool,
    /// Receives the analyses of a match beside the report, if requested; not for [`super::ReportForm::Json`], whose
    /// decisions are dropped once they are written.
    pub collected: Option<Arc<Collected>>,
    /// Makes the answer.
    pub reply: Box<dyn Reply>,
}

impl Inquiry {
    /// Creates an inquiry that waits for its complete answer and has normal priority.
    pub fn new(
        task: impl Into<InquiryTask>,
        settings: Settings,
        reply: impl Reply + 'static,
    ) -> Inquiry {
        Inquiry {
            task: task.into(),
            settings,
            id: None,
            place: QueuePlace::default(),
            fallback_to_static: false,
            collected: None,
            reply: Box::new(reply),
        }
    }

    /// Returns the cost of the query, estimated from its contents. A client's hint can only raise it, never lower it.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let cost = self.task.cost(&self.settings);
        if self.place.bulk && cost != Cost::Free {
            Cost::Long
        } else {
            cost
        }
    }
}

/// A protocol of lines, as the machine of one connection.
pub trait Dialect: Debug + Send {
    /// Takes the next line.
    fn line(&mut self, line: FramedLine<'_>) -> LineAction;

    /// Returns the error text when no line is at fault, such as an idle timeout. It is empty if the peer would take
    /// the text for the answer to its next query (EXT-05).
    fn trouble(&self, _error: &RequestError) -> String {
        String::new()
    }

    /// Returns true if lines may be read while answers to earlier ones are still being computed.
    fn pipelines(&self) -> bool {
        false
    }

    /// Returns the ids of the queries that this line cancels, empty for all, while it waits behind others; `None` if it
    /// cancels none.
    fn cancels(&self, _line: &[u8]) -> Option<Vec<String>> {
        None
    }

    /// Returns true if answers are sent when they are ready, in any order.
    fn answers_when_ready(&self) -> bool {
        false
    }

    /// Returns true if this line, read during a computation, should stop the computation.
    fn interrupts(&self, _line: &[u8]) -> bool {
        false
    }

    /// Handles the end of input; returns the answer to an incomplete request.
    fn finish(&mut self) -> LineAction {
        LineAction::Silence
    }

    /// Returns the bytes stored for an incomplete request of several lines; `None` if there is none.
    fn gathered(&self) -> Option<usize> {
        None
    }

    /// Discards the rest of such a request; its answer will be this error.
    fn give_up(&mut self, _why: &RequestError) {}

    /// Notifies the machine of the answer to the last inquiry, if lines are not read ahead.
    fn answered(&mut self, _reply: &[u8]) {}

    /// Returns true if a peer may stay silent for hours on an open connection.
    fn may_be_quiet(&self) -> bool {
        false
    }
}
