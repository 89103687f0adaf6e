//! The one door: owns nets, tables, cache and thread pool; turns a query into an answer.
//!
//! Blocking methods only; an async caller wraps them, as `service` does. After
//! [`EngineBuilder::build`] nothing fails for lack of a file.

use crate::eval::Evaluator;
use crate::eval::gnubg::GnubgEvaluator;
use crate::eval::own::{self, OwnEvaluator};
use crate::query::{
    CubeAnswer, CubeQuery, EvalQuery, Evaluation, PlayQuery, RankedPlays, Settings, Stop,
};
use crate::search;
use std::sync::Arc;

/// Answers queries. Shared by reference between threads.
#[derive(Debug, Clone)]
pub struct Engine {
    evaluator: Arc<dyn Evaluator>,
    pool: Arc<rayon::ThreadPool>,
}

/// Why an engine could not be built or a query not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A needed file is missing or damaged.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system gives no threads.
    #[error("cannot start the compute threads: {0}")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// The query was stopped before any answer was ready.
    #[error("stopped")]
    Stopped,
}

/// Which nets judge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Nets {
    /// Those built into the program.
    #[default]
    Embedded,
    /// Those built into the program, the fast contact net in the place of the strong one.
    EmbeddedFast,
    /// A net folder of ours, or GNU Backgammon's `gnubg.weights` or `gnubg.wd`.
    Path(std::path::PathBuf),
}

/// Collects what an engine needs.
#[derive(Debug, Clone, Default)]
pub struct EngineBuilder {
    nets: Nets,
    threads: usize,
}

impl EngineBuilder {
    /// Chooses the nets.
    #[must_use]
    pub fn nets(mut self, nets: Nets) -> Self {
        self.nets = nets;
        self
    }

    /// Threads that compute; 0 (the default) for one a processor.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Loads everything.
    ///
    /// # Errors
    /// [`EngineError::File`] when a file is missing or damaged.
    pub fn build(self) -> Result<Engine, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|index| format!("compute-{index}"))
            .build()
            .map_err(EngineError::Threads)?;
        Ok(Engine {
            evaluator: load_nets(&self.nets)?,
            pool: Arc::new(pool),
        })
    }
}

/// The evaluator of these nets.
fn load_nets(nets: &Nets) -> Result<Arc<dyn Evaluator>, EngineError> {
    let damaged = |path: &str, error: &dyn std::fmt::Display| EngineError::File {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    match nets {
        Nets::Embedded => match OwnEvaluator::embedded() {
            Ok(evaluator) => Ok(Arc::new(evaluator)),
            Err(error) => Err(damaged("embedded", &error)),
        },
        Nets::EmbeddedFast => match OwnEvaluator::embedded_fast() {
            Ok(evaluator) => Ok(Arc::new(evaluator)),
            Err(error) => Err(damaged("embedded:fast", &error)),
        },
        Nets::Path(path) if own::is_ours(path) => match OwnEvaluator::load(path) {
            Ok(evaluator) => Ok(Arc::new(evaluator)),
            Err(error) => Err(damaged(&path.display().to_string(), &error)),
        },
        Nets::Path(path) => match GnubgEvaluator::load(path) {
            Ok(evaluator) => Ok(Arc::new(evaluator)),
            Err(error) => Err(damaged(&path.display().to_string(), &error)),
        },
    }
}

impl Engine {
    /// An engine with the embedded nets, to be changed.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The nets' name.
    #[must_use]
    pub fn net_name(&self) -> &str {
        self.evaluator.name()
    }

    /// The static evaluator, for callers that work on many positions themselves.
    #[must_use]
    pub fn evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.evaluator
    }

    /// The threads that compute; batches of queries are spread over them.
    #[must_use]
    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    fn context<'a>(&'a self, stop: &'a Stop) -> search::Context<'a> {
        search::Context {
            evaluator: self.evaluator.as_ref(),
            stop,
        }
    }

    /// Values a position for the player on roll.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn evaluate(
        &self,
        query: &EvalQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Evaluation, EngineError> {
        Ok(search::evaluate(self.context(stop), query, settings))
    }

    /// Ranks all legal plays of a roll.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn rank_plays(
        &self,
        query: &PlayQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<RankedPlays, EngineError> {
        Ok(search::rank_plays(self.context(stop), query, settings))
    }

    /// Double or not, take or pass.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn cube_action(
        &self,
        query: &CubeQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<CubeAnswer, EngineError> {
        Ok(search::cube_action(self.context(stop), query, settings))
    }
}
