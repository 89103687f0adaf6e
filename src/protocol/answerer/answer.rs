//! One inquiry in, one answer out: the only place where a protocol's question meets the engine.
//!
//! Pipe, sockets, UBGI and the one-shot commands share it. Blocks while it computes; sockets call
//! it on the compute threads. A panic costs its own answer and nothing else (SRV-13).

use super::engine_error::engine_error;
use super::judge_match::judge_match;
use crate::ErrorCode;
use crate::{About, Inquiry, InquiryTask, RequestError, TaskAnswer};
use gammond_base::packed::PackedText;
use gammond_engine::engine::{COMMIT, Engine, EngineError};
use gammond_engine::nn::CpuLevel;
use gammond_engine::query::{EngineAnswer, Settings, Stop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Time between two lines about the progress of a rollout.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// Receiver of events that are counted, and source of the counters.
pub trait Observer: Sync + std::fmt::Debug {
    /// Counts an answer to a question of this kind, and whether it is one and no error.
    fn count_answer(&self, kind: &str, good: bool);

    /// Counts a panic; returns its number.
    fn count_panic(&self) -> u64;

    /// Returns all counters by name, for `stats`.
    fn values(&self) -> Vec<(&'static str, u64)>;
}

/// The outcome of one inquiry.
#[derive(Debug)]
pub struct AnswerParts {
    /// True if the answer is not an error.
    pub good: bool,
    /// Text that follows the written part, with a line end behind it.
    pub body: Option<PackedText>,
}

/// An engine that answers, and an optional observer that counts.
#[derive(Clone, Copy, Debug)]
pub struct Answerer<'a> {
    engine: &'a Engine,
    observer: Option<&'a dyn Observer>,
}

impl<'a> Answerer<'a> {
    /// Creates an answerer without an observer.
    #[must_use]
    pub fn new(engine: &'a Engine) -> Answerer<'a> {
        Answerer {
            engine,
            observer: None,
        }
    }

    /// Creates an answerer whose answers the observer counts.
    #[must_use]
    pub fn observed(engine: &'a Engine, observer: &'a dyn Observer) -> Answerer<'a> {
        Answerer {
            engine,
            observer: Some(observer),
        }
    }

    /// Appends the answer to `out`. Returns whether it is one, and no error.
    pub fn answer(&self, inquiry: &Inquiry, stop: &Stop, out: &mut Vec<u8>) -> bool {
        self.answer_with_progress(inquiry, stop, out, &mut |_| {})
    }

    /// Answers like [`Answerer::answer`]; `on_progress` is called with intermediate results if the client requests them.
    pub fn answer_with_progress(
        &self,
        inquiry: &Inquiry,
        stop: &Stop,
        out: &mut Vec<u8>,
        on_progress: &mut (dyn FnMut(&TaskAnswer) + Send),
    ) -> bool {
        let AnswerParts { good, body } = self.respond(inquiry, stop, out, on_progress, &|| None);
        if let Some(body) = body {
            body.write_to(out);
            out.push(b'\n');
        }
        good
    }

    /// Appends the answer, or the beginning of a long one, to `out`. `on_progress` receives progress lines at
    /// intervals if the client requests them. A query that was stopped is answered with the error that `reason`
    /// returns.
    pub fn answer_in_parts(
        &self,
        inquiry: &Inquiry,
        stop: &Stop,
        out: &mut Vec<u8>,
        on_progress: &mut (dyn FnMut(Vec<u8>) + Send),
        reason: &dyn Fn() -> Option<RequestError>,
    ) -> AnswerParts {
        let mut written = self.engine.now();
        let mut on_progress = |found: &TaskAnswer| {
            let now = self.engine.now();
            if now.saturating_sub(written) >= PROGRESS_PERIOD {
                written = now;
                let mut line = Vec::new();
                self.write(inquiry, Ok(found), &mut line);
                on_progress(line);
            }
        };
        self.respond(inquiry, stop, out, &mut on_progress, reason)
    }

    fn respond(
        &self,
        inquiry: &Inquiry,
        stop: &Stop,
        out: &mut Vec<u8>,
        on_progress: &mut (dyn FnMut(&TaskAnswer) + Send),
        reason: &dyn Fn() -> Option<RequestError>,
    ) -> AnswerParts {
        let start = out.len();
        // The leftovers of a panic are dropped: the answer so far, and the query itself.
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let found = self.find(inquiry, stop, on_progress);
            let found = found.map_err(|error| match error.code {
                ErrorCode::Stopped => reason().unwrap_or(error),
                _ => error,
            });
            let good = self.write(inquiry, found.as_ref(), out);
            let body = match found {
                Ok(TaskAnswer::Match(report)) if good && inquiry.reply.continues() => {
                    Some(report.text)
                }
                _ => None,
            };
            AnswerParts { good, body }
        }));
        let answered = answered.unwrap_or_else(|_| {
            out.truncate(start);
            AnswerParts {
                good: self.refuse(inquiry, &self.panicked(), out),
                body: None,
            }
        });
        if let Some(observer) = self.observer {
            observer.count_answer(inquiry.task.kind(), answered.good);
        }
        answered
    }

    /// Appends an error instead of an answer.
    pub fn refuse(&self, inquiry: &Inquiry, error: &RequestError, out: &mut Vec<u8>) -> bool {
        self.write(inquiry, Err(error), out)
    }

    /// Appends an answer that was found elsewhere.
    pub fn found(&self, inquiry: &Inquiry, found: &TaskAnswer, out: &mut Vec<u8>) -> bool {
        self.write(inquiry, Ok(found), out)
    }

    fn find(
        &self,
        inquiry: &Inquiry,
        stop: &Stop,
        on_progress: &mut (dyn FnMut(&TaskAnswer) + Send),
    ) -> Result<TaskAnswer, RequestError> {
        let Inquiry {
            task,
            settings,
            collected,
            ..
        } = inquiry;
        let question = match task {
            InquiryTask::Ask(question) => question,
            InquiryTask::Match(task) => {
                let collected = collected.as_deref();
                return judge_match((self.engine, collected), task, settings, stop, on_progress);
            }
            InquiryTask::About => return Ok(TaskAnswer::About),
        };
        let mut on_progress =
            |found: &EngineAnswer| on_progress(&TaskAnswer::Engine(found.clone()));
        let mut found =
            (self.engine).answer_with_progress(question, settings, stop, &mut on_progress);
        if inquiry.fallback_to_static && matches!(found, Err(EngineError::Stopped)) {
            let shallow = Settings {
                plies: 0,
                time_ms: None,
                ..settings.clone()
            };
            found = self.engine.answer(question, &shallow, &Stop::never());
        }
        found.map(TaskAnswer::Engine).map_err(|error| match error {
            EngineError::Stopped if !stop.is_triggered() => {
                let message = "query ended by its time before an answer was ready";
                RequestError::new(ErrorCode::Timeout, "time", message)
            }
            error => engine_error(&error),
        })
    }

    fn write(
        &self,
        inquiry: &Inquiry,
        found: Result<&TaskAnswer, &RequestError>,
        out: &mut Vec<u8>,
    ) -> bool {
        let counters = match self.observer {
            Some(observer) if matches!(found, Ok(TaskAnswer::About)) => observer.values(),
            _ => Vec::new(),
        };
        let about = About {
            net: self.engine.net_name(),
            commit: COMMIT,
            cpu: CpuLevel::detect().name(),
            bearoff: self.engine.bearoff_databases(),
            threads: self.engine.pool().current_num_threads(),
            counters: &counters,
        };
        inquiry.reply.write(found, &about, out)
    }

    fn panicked(&self) -> RequestError {
        let number = self.observer.map_or(1, Observer::count_panic);
        tracing::error!(number, "panic inside a query");
        RequestError::new(
            ErrorCode::Internal,
            "query",
            format!("internal error {number}"),
        )
    }
}
