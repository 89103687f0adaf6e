//! What all line protocols have in common: a machine that takes lines and says what to do.
//!
//! A transport (a socket, standard input) feeds a [`Dialect`] the lines that
//! [`super::LineCodec`] cuts, sends what it says, has an [`Inquiry`] answered by the engine, and
//! sends what the inquiry's [`Reply`] makes of that. What waits in a queue is an inquiry: the line
//! is parsed once, when it is read.

use super::lines::Cut;
use super::request::RequestError;
use gammond_engine::query::{Cost, Found, Question, Settings};
use std::fmt::Debug;

/// What to do with a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<Q = Inquiry> {
    /// Say nothing: nothing was asked, or the command has no answer.
    Silence,
    /// Send this text; each line has its LF.
    Say(String),
    /// Send this text, which is an error.
    Refuse(String),
    /// Find this out and send what becomes of it.
    Ask(Box<Q>),
    /// Make the engine anew with these nets and threads.
    Rebuild {
        /// `embedded` or a path.
        nets: String,
        /// Threads that compute.
        threads: usize,
    },
    /// Send this text and end.
    Close(String),
}

impl<Q> Step<Q> {
    /// The same step with another question in it.
    pub fn map<R>(self, change: impl FnOnce(Q) -> R) -> Step<R> {
        match self {
            Step::Silence => Step::Silence,
            Step::Say(text) => Step::Say(text),
            Step::Refuse(text) => Step::Refuse(text),
            Step::Ask(question) => Step::Ask(Box::new(change(*question))),
            Step::Rebuild { nets, threads } => Step::Rebuild { nets, threads },
            Step::Close(text) => Step::Close(text),
        }
    }
}

/// Turns what the engine found, or why it found nothing, into the bytes that answer a line.
pub trait Reply: Debug + Send + Sync {
    /// Appends the answer, with its line end. Returns whether it is one, and no error.
    fn write(
        &self,
        found: Result<&Found, &RequestError>,
        about: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool;

    /// Returns true if [`Reply::write`] writes only the beginning of a match's report: its JSON and a line end follow.
    fn continues(&self) -> bool {
        false
    }
}

/// Who answers.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The nets' name.
    pub net: &'a str,
    /// The commit that the program was built from.
    pub commit: &'a str,
    /// What the processor can do for the nets.
    pub cpu: &'a str,
    /// The bearoff databases beside those in the program.
    pub bearoff: &'a [String],
    /// Threads that compute.
    pub threads: usize,
    /// What a server has counted; empty where nothing is.
    pub counters: &'a [(&'static str, u64)],
}

/// A question that was understood, and how its answer is to look.
#[derive(Debug)]
pub struct Inquiry {
    /// What is to be found out.
    pub question: Question,
    /// How to search.
    pub settings: Settings,
    /// Whether the asker is content to wait behind everything else.
    pub patient: bool,
    /// Whether an answer without look-ahead is wanted when the search is stopped.
    pub hasty: bool,
    /// Makes the answer.
    pub reply: Box<dyn Reply>,
}

impl Inquiry {
    /// An inquiry that wants its whole answer as soon as may be.
    pub fn new(question: Question, settings: Settings, reply: impl Reply + 'static) -> Inquiry {
        Inquiry {
            question,
            settings,
            patient: false,
            hasty: false,
            reply: Box::new(reply),
        }
    }

    /// What it costs: from what is asked. Its asker's word makes it wait longer, never less long.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let cost = self.question.cost(&self.settings);
        if self.patient && cost != Cost::Free {
            Cost::Long
        } else {
            cost
        }
    }
}

/// A protocol of lines, as the machine of one connection.
pub trait Dialect: Debug + Send {
    /// Takes the next line.
    fn line(&mut self, line: Cut<'_>) -> Step;

    /// The text for trouble that no line is to blame for, such as being quiet too long. Nothing
    /// where the peer would take it for the answer to its next question (EXT-05).
    fn trouble(&self, _error: &RequestError) -> String {
        String::new()
    }

    /// Whether lines may be read while answers to earlier ones are still computed.
    fn pipelines(&self) -> bool {
        false
    }

    /// Whether this line, read while an answer is computed, wants the computation to end.
    fn interrupts(&self, _line: &[u8]) -> bool {
        false
    }

    /// The input has ended: what is to be said of a request that is not complete.
    fn finish(&mut self) -> Step {
        Step::Silence
    }

    /// Bytes kept of a request of many lines that is not complete; `None` when there is none.
    fn gathered(&self) -> Option<usize> {
        None
    }

    /// Keeps no more of such a request; when it is complete its answer is this error.
    fn give_up(&mut self, _why: &RequestError) {}

    /// Told what was sent in answer to the last inquiry, where lines are not read ahead.
    fn answered(&mut self, _reply: &[u8]) {}

    /// Whether a peer may be quiet for hours without being gone.
    fn may_be_quiet(&self) -> bool {
        false
    }
}
