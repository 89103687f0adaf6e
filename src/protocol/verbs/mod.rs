//! The requests on a position: one file and one line of [`VERBS`] each.
//!
//! A [`Verb`] declares all that the interfaces need: its parts, its settings, its question to the engine, its answer
//! and the answer's schema. Lines, JSON, NATS, HTTP with its description, MCP and the help read it.

mod convert;
mod cube;
mod cubes;
mod eval;
mod exchanges;
mod explain;
mod explain_schema;
mod json_parts;
mod moves;
mod opening;
mod parts;
mod reply;
mod resolve;
mod resolved;
pub mod rollout;
mod rolls;
pub mod schema;
mod score_plays;
mod scores;
mod show;

pub(crate) use json_parts::request_of_json;
pub use json_parts::{Member, MemberError, RequestParts, push_settings};
pub(crate) use parts::{Item, LineParts, Parts};
pub use parts::{PartError, RequestPart};
pub(crate) use resolve::{AnswerOptions, resolve, state_error};
pub use {
    convert::VERB as CONVERT, cube::VERB as CUBE, cubes::VERB as CUBES, eval::VERB as EVAL,
    explain::VERB as EXPLAIN, moves::VERB as MOVE, opening::VERB as OPENING, reply::VERB as REPLY,
    rollout::VERB as ROLLOUT, rolls::VERB as ROLLS, scores::VERB as SCORES, show::VERB as SHOW,
};

use crate::ErrorCode;
use crate::answer::Addressee;
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    EngineAnswer, Question, SETTINGS, Scope, Setting, SettingError, Settings,
};
use gammond_game::MatchState;
use gammond_game::notation::ParsedPosition;
use resolved::Resolved;
use serde_json::Value;
use std::fmt;

/// The verbs, in the order of the help.
pub static VERBS: [&Verb; 12] = [
    &eval::VERB,
    &moves::VERB,
    &cube::VERB,
    &rollout::VERB,
    &rolls::VERB,
    &scores::VERB,
    &cubes::VERB,
    &explain::VERB,
    &opening::VERB,
    &reply::VERB,
    &convert::VERB,
    &show::VERB,
];

/// The verbs whose answers have pictures.
pub static DRAWN: [&Verb; 5] = [
    &rolls::VERB,
    &scores::VERB,
    &cubes::VERB,
    &explain::VERB,
    &show::VERB,
];

/// Scopes of settings of `analyse`, whose lines are no position.
pub const ANALYSE_SCOPES: &[Scope] = &[Scope::Depth, Scope::Rules, Scope::Progress];

/// Scopes of settings of a verb that searches and lists no plays.
const SEARCH_SCOPES: &[Scope] = &[
    Scope::Depth,
    Scope::Method,
    Scope::State,
    Scope::Rules,
    Scope::Queue,
];

/// A request on a position.
pub struct Verb {
    /// The word.
    pub name: &'static str,
    /// The parts beside position, settings and id.
    pub takes: Takes,
    /// Scopes of the settings.
    pub scopes: &'static [Scope],
    /// The line's form.
    pub usage: &'static str,
    /// The meaning in a few words.
    pub summary: &'static str,
    /// True if equal requests have equal answers, so that they may be kept.
    pub lasts: bool,
    /// A request as JSON, whose answer does not take long.
    pub example: fn() -> Value,
    /// Schemas of the answer and its parts, by their names.
    pub schemas: fn() -> Vec<(String, Value)>,
    pub(crate) work: Work,
}

/// The work of a verb.
pub(crate) enum Work {
    /// The verb computes nothing.
    Write(fn(Addressee<'_>, &PositionRequest, &mut Vec<u8>)),
    /// The engine answers.
    Ask(Asking),
}

/// A question to the engine, and its answer's form.
pub(crate) struct Asking {
    /// Returns the question.
    pub(crate) question: fn(&Resolved<'_>) -> Result<(Question, Settings), PartError>,
    /// Writes the answer.
    pub(crate) write: fn(
        Addressee<'_>,
        &PositionRequest,
        &EngineAnswer,
        &About<'_>,
        &mut Vec<u8>,
    ) -> Result<(), RequestError>,
}

/// The parts of a request that not every verb has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Takes {
    /// The position.
    pub position: PositionFrom,
    /// The dice.
    pub roll: bool,
    /// Plays of the dice.
    pub plays: bool,
    /// The word `cube`: both sides of the cube decision.
    pub cube: bool,
}

/// The way in which a request names its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionFrom {
    /// In one of its forms.
    #[default]
    Text,
    /// It does not: the position is the start of a game.
    Start,
    /// By an opening roll and its play, such as `31 8/5 6/5`; the other player is on roll.
    Opening,
}

impl Takes {
    /// A position in one of its forms and nothing else.
    pub(crate) const NONE: Takes = Takes {
        position: PositionFrom::Text,
        roll: false,
        plays: false,
        cube: false,
    };

    /// Returns true if a request has the member with this name.
    #[must_use]
    pub fn has(&self, member: &str) -> bool {
        match member {
            "position" => self.position == PositionFrom::Text,
            "opening" => self.position == PositionFrom::Opening,
            "roll" => self.roll,
            "plays" => self.plays,
            "cube" => self.cube,
            _ => false,
        }
    }
}

impl Verb {
    /// Returns the verb with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Verb> {
        let mut all = VERBS.into_iter();
        all.find(|verb| verb.name.eq_ignore_ascii_case(name))
    }

    /// Returns the settings in the order of the help.
    pub fn settings(&self) -> impl Iterator<Item = &'static Setting> {
        settings_of(self.scopes)
    }

    /// Returns true if it sends progress on request.
    #[must_use]
    pub fn has_progress(&self) -> bool {
        self.scopes.contains(&Scope::Progress)
    }
}

impl PartialEq for Verb {
    fn eq(&self, other: &Verb) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns the settings of these scopes in the order of the help.
pub fn settings_of(scopes: &'static [Scope]) -> impl Iterator<Item = &'static Setting> {
    let settings = SETTINGS.iter();
    settings.filter(|setting| scopes.contains(&setting.scope))
}

/// Returns the scopes of the settings of a request: a verb, or `analyse`. Others have none.
#[must_use]
pub fn scopes_of(request: &str) -> &'static [Scope] {
    match Verb::named(request) {
        Some(verb) => verb.scopes,
        None if request == "analyse" => ANALYSE_SCOPES,
        None => &[],
    }
}

/// Returns the error of a setting that a request does not take, with the names of those that it takes.
#[must_use]
pub fn not_taken(setting: &Setting, request: &str) -> SettingError {
    let names: Vec<&str> = settings_of(scopes_of(request))
        .map(|setting| setting.name)
        .collect();
    SettingError::Verb {
        key: setting.name,
        verb: request.to_owned(),
        names: names.join(", "),
    }
}

/// A request on a position with all that its answer depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionRequest {
    /// The verb; for a line without one `move` if there are dice, else `eval`.
    pub verb: &'static Verb,
    /// The position, with the dice of the request.
    pub shown: ParsedPosition,
    /// Cube, score and rules.
    pub state: MatchState,
    /// The question to the engine; `None` if nothing is computed.
    pub question: Option<Question>,
    /// Settings of the search.
    pub settings: Settings,
}

/// Returns the error of a result that does not answer the question: an internal error.
pub(crate) fn not_its_answer() -> RequestError {
    let message = "answer is not one to the question";
    RequestError::new(ErrorCode::Internal, "answer", message)
}
