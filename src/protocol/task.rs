//! The work of an inquiry and its result: a query for the engine, the analysis of a match, or the description of the
//! program.

use gammond_base::packed::PackedText;
use gammond_engine::query::{Cost, EngineAnswer, Question, Settings};
use gammond_game::Rules;
use gammond_game::notation::MatchFormat;
use gammond_report::analysis::MatchPart;
use std::time::Duration;

/// The work of an inquiry.
#[derive(Clone, Debug, PartialEq)]
pub enum InquiryTask {
    /// A query for the engine.
    Ask(Question),
    /// Analysis of the decisions in a match.
    Match(Box<MatchTask>),
    /// Description of the program. Needs no computing.
    About,
}

impl From<Question> for InquiryTask {
    fn from(question: Question) -> InquiryTask {
        InquiryTask::Ask(question)
    }
}

/// The result: the counterpart of [`InquiryTask`].
#[derive(Clone, Debug, PartialEq)]
pub enum TaskAnswer {
    /// The engine's result, or an intermediate one.
    Engine(EngineAnswer),
    /// See [`InquiryTask::Match`].
    Match(Box<MatchReport>),
    /// Progress of a running match analysis, if the client requested progress; with its duration so far.
    Judged(MatchProgress, Duration),
    /// See [`InquiryTask::About`].
    About,
}

impl InquiryTask {
    /// Returns the cost of the answer with these settings.
    #[must_use]
    pub fn cost(&self, settings: &Settings) -> Cost {
        match self {
            InquiryTask::Ask(question) => question.cost(settings),
            InquiryTask::Match(_) => Cost::Long,
            InquiryTask::About => Cost::Free,
        }
    }

    /// Returns true if the client requested progress reports.
    #[must_use]
    pub fn sends_progress(&self) -> bool {
        match self {
            InquiryTask::Ask(question) => question.sends_progress(),
            InquiryTask::Match(task) => task.progress,
            InquiryTask::About => false,
        }
    }

    /// Returns the number of bytes of a file that the task holds.
    #[must_use]
    pub fn held(&self) -> usize {
        match self {
            InquiryTask::Match(task) => task.text.len(),
            InquiryTask::Ask(_) | InquiryTask::About => 0,
        }
    }

    /// Returns the kind of task as one word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            InquiryTask::Ask(question) => question.kind(),
            InquiryTask::Match(_) => "analyse",
            InquiryTask::About => "about",
        }
    }
}

/// A match to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchTask {
    /// A match file, as it came.
    pub text: Vec<u8>,
    /// Rules of money play where the file gives none.
    pub rules: Rules,
    /// Format of the report.
    pub form: ReportForm,
    /// True if the client requests progress reports.
    pub progress: bool,
    /// The decisions that are analysed.
    pub part: MatchPart,
}

/// Progress of a match analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchProgress {
    /// Number of matches in the file.
    pub matches: usize,
    /// Number of finished matches.
    pub matches_done: usize,
    /// Number of games in all matches.
    pub games: usize,
    /// Games that are finished.
    pub games_done: usize,
    /// Number of finished decisions.
    pub decisions_done: usize,
}

/// Format of a match report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportForm {
    /// Members of a JSON object.
    #[default]
    Json,
    /// A page for a browser.
    Html,
    /// A row for each decision.
    Csv,
    /// A match file with the notes of the analysis.
    File(MatchFormat),
    /// All of these, one behind the other.
    All,
}

/// An analysed match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchReport {
    /// The report in the requested format. JSON is the members of one object with its closing brace: an answer puts more
    /// members before them.
    pub text: PackedText,
    /// The totals, as one line for people.
    pub line: String,
    /// For [`ReportForm::All`] the reports in the text, with their sizes in bytes.
    pub parts: Vec<(ReportForm, usize)>,
}
