//! Context of a search: the evaluator, tables, cache and stop tokens.

use super::cache::Cache;
use crate::equity::{CubeEfficiency, MatchEquityTable};
use crate::eval::Evaluator;
use crate::query::Stop;
use gammond_base::stop::Deadline;

/// Everything that a search needs besides the query.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Evaluates the leaves.
    pub evaluator: &'a dyn Evaluator,
    /// Match winning chances at each score.
    pub met: &'a MatchEquityTable,
    /// Efficiency of the cube by class of position.
    pub efficiency: &'a CubeEfficiency,
    /// Remembers static evaluations.
    pub cache: Option<&'a Cache>,
    /// Ends the search early without an answer.
    pub stop: &'a Stop,
    /// The end of the time budget. With `Settings::time_ms` a search deepens until then and answers from the last depth that
    /// was finished; without, it ends then without an answer.
    pub budget: Option<Deadline>,
}

/// The search was stopped before it could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

impl Context<'_> {
    /// Waits while the search is paused. Returns true if it was stopped or its time is over.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.is_some_and(|budget| budget.has_passed()) || self.stop.checkpoint()
    }
}
