//! The engine: owns nets, tables, cache and thread pool, and turns a query into an answer.
//!
//! Blocking methods only; an async caller runs them on a blocking thread. After
//! [`EngineBuilder::build`] nothing fails for lack of a file.

mod clock;
mod cubes;
mod error;
mod exchanges;
mod explain;
#[cfg_attr(not(feature = "files"), path = "files/none.rs")]
mod files;
mod hyper;
mod identity;
mod level;
mod opening;
mod rollout;
mod rolls;
mod scores;
mod sources;

use crate::equity::{CubeEfficiency, MatchEquityTable};
use crate::eval::Evaluator;
use crate::eval::osr::OsrEvaluator;
use crate::people::{act_as_people, play_as_people, with_shares};
use crate::pool::{self, Pool};
use crate::query::{
    CubeAnswer, CubeQuery, EngineAnswer, EvalQuery, Evaluation, PlayQuery, Question, RankedPlays,
    ResignAdvice, RolloutAnswer, Settings, Stop,
};
use crate::search::{self, Cache, Clock, Deadline, Stopped};
pub use error::{CACHE_MB_MAX, EngineError, FileError, THREADS_MAX};
pub use sources::{NamedBytes, NetOpener, Nets};

use gammond_base::checksum::sha256;
use gammond_game::{MatchState, Position, Variant};
use hyper::HyperGame;
use sources::Databases;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The commit that the program was built from; `unknown` outside a checkout, and in debug builds,
/// which would otherwise be made again after every commit.
pub const COMMIT: &str = match option_env!("GAMMOND_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// Answers queries. Shared by reference between threads; a clone shares everything.
///
/// The equity of a position for the player on roll, one ply deep:
///
/// ```
/// use gammond_engine::{Engine, EvalQuery, Settings, Stop};
/// use gammond_game::MatchState;
/// use gammond_game::notation::parse_position;
/// let engine = Engine::builder().threads(1).build()?;
/// let position = parse_position(b"4HPwATDgc/ABMA")?.position;
/// let query = EvalQuery::new(position, MatchState::default());
/// let found = engine.evaluate(&query, &Settings::plies(1), &Stop::never())?;
/// assert!(found.chances.win > 0.5 && found.cubeless.equity > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A cube decision in a match to 7 points at 3-2:
///
/// ```
/// use gammond_engine::{CubeQuery, Engine, Settings, Stop};
/// use gammond_game::{MatchState, Position, Score};
/// let engine = Engine::builder().threads(1).build()?;
/// let state = MatchState { score: Score::new(7, 3, 2, false)?, ..MatchState::default() };
/// let query = CubeQuery::new(Position::start(), state);
/// let answer = engine.cube_action(&query, &Settings::plies(0), &Stop::never())?;
/// assert_eq!(answer.verdict.to_string(), "No double, take");
/// assert!(!answer.double && answer.take);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    evaluator: Arc<dyn Evaluator>,
    /// Opponent in rollouts, if it uses another evaluator.
    opponent: Option<OpponentEvaluator>,
    /// Sources of the evaluators.
    sources: (Nets, Option<Nets>, Databases),
    pool: Arc<Pool>,
    clock: Option<Clock>,
    met: Arc<MatchEquityTable>,
    efficiency: CubeEfficiency,
    cache: Option<Arc<Cache>>,
    bearoff: Arc<[String]>,
    /// Variants whose tables there are.
    hyper: Arc<[HyperGame]>,
}

/// The opponent's evaluator and its cache.
#[derive(Debug, Clone)]
struct OpponentEvaluator {
    evaluator: Arc<dyn Evaluator>,
    cache: Option<Arc<Cache>>,
}

/// Collects what an engine needs.
#[derive(Debug, Clone)]
pub struct EngineBuilder {
    nets: Nets,
    other_nets: Option<Nets>,
    threads: usize,
    met: MatchEquityTable,
    efficiency: CubeEfficiency,
    cache_mb: usize,
    bearoff: Databases,
    osr: Option<u32>,
    opener: Option<NetOpener>,
    clock: Option<Clock>,
}

/// Default size of the cache of static evaluations, in MB.
pub const CACHE_MB_DEFAULT: usize = 16;

impl Default for EngineBuilder {
    fn default() -> Self {
        EngineBuilder {
            nets: Nets::default(),
            other_nets: None,
            threads: 0,
            met: MatchEquityTable::default(),
            efficiency: CubeEfficiency::default(),
            cache_mb: CACHE_MB_DEFAULT,
            bearoff: Databases::None,
            osr: None,
            opener: None,
            clock: clock::system(),
        }
    }
}

impl EngineBuilder {
    /// Chooses the nets.
    #[must_use]
    pub fn nets(mut self, nets: Nets) -> Self {
        self.nets = nets;
        self
    }

    /// Chooses the nets by which the side that is not on roll at the question plays in rollouts (default: the same).
    #[must_use]
    pub fn other_nets(mut self, nets: Nets) -> Self {
        self.other_nets = Some(nets);
        self
    }

    /// Threads that compute; 0 (the default) for one a processor. Without the feature `threads` the caller computes, whatever
    /// the number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Chooses the match equity table (default Kazaross-XG2).
    #[must_use]
    pub fn met(mut self, met: MatchEquityTable) -> Self {
        self.met = met;
        self
    }

    /// Chooses the cube efficiencies (default: GNU Backgammon's, version 1.07).
    #[must_use]
    pub fn efficiency(mut self, efficiency: CubeEfficiency) -> Self {
        self.efficiency = efficiency;
        self
    }

    /// Sets the megabytes of the cache of static evaluations (default [`CACHE_MB_DEFAULT`], at most
    /// [`CACHE_MB_MAX`]); 0 for none. Answers do
    /// not depend on it.
    #[must_use]
    pub fn cache_mb(mut self, megabytes: usize) -> Self {
        self.cache_mb = megabytes;
        self
    }

    /// Sets a folder with GNU Backgammon's bearoff databases, used beside the built-in tables.
    #[must_use]
    pub fn bearoff(mut self, folder: impl Into<PathBuf>) -> Self {
        self.bearoff = Databases::Folder(folder.into());
        self
    }

    /// Sets the contents of bearoff databases, used beside the built-in tables.
    #[must_use]
    pub fn bearoff_bytes(mut self, databases: impl Into<NamedBytes>) -> Self {
        self.bearoff = Databases::Bytes(databases.into());
        self
    }

    /// Evaluates races that no table covers by `games` one-sided rollouts ([`crate::eval::osr`]) instead of a net.
    #[must_use]
    pub fn osr(mut self, games: u32) -> Self {
        self.osr = Some(games);
        self
    }

    /// Opens files of further kinds, which the function recognises by their content.
    #[must_use]
    pub fn net_opener(mut self, opener: NetOpener) -> Self {
        self.opener = Some(opener);
        self
    }

    /// Sets the clock of time budgets (default: the system's; none without the feature `clock`).
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Loads everything.
    ///
    /// # Errors
    /// [`EngineError::File`] when a file is missing or damaged, [`EngineError::CacheSize`].
    pub fn build(self) -> Result<Engine, EngineError> {
        if self.cache_mb > CACHE_MB_MAX {
            return Err(EngineError::CacheSize(self.cache_mb));
        }
        let tables = self.bearoff.load()?;
        let bearoff = tables.names().into();
        let hyper = HyperGame::all(&tables);
        let remember = || (self.cache_mb > 0).then(|| Arc::new(Cache::new(self.cache_mb)));
        let opponent = match &self.other_nets {
            Some(nets) => Some(OpponentEvaluator {
                evaluator: nets.load(tables.clone(), self.opener)?,
                cache: remember(),
            }),
            None => None,
        };
        let mut evaluator = self.nets.load(tables, self.opener)?;
        if let Some(games) = self.osr {
            evaluator = Arc::new(OsrEvaluator::new(evaluator, games));
        }
        Ok(Engine {
            bearoff,
            hyper,
            evaluator,
            opponent,
            cache: remember(),
            sources: (self.nets, self.other_nets, self.bearoff),
            pool: Arc::new(start_pool(self.threads, |_| {})?),
            clock: self.clock,
            met: Arc::new(self.met),
            efficiency: self.efficiency,
        })
    }
}

/// Creates a pool of compute threads; 0 for one a processor. Each calls `begins` first.
fn start_pool(
    threads: usize,
    begins: impl Fn(usize) + Send + Sync + 'static,
) -> Result<Pool, EngineError> {
    if threads > THREADS_MAX {
        return Err(EngineError::ThreadCount(threads));
    }
    pool::start(threads, begins).map_err(EngineError::Threads)
}

impl Engine {
    /// Returns the builder of an engine; without changes it has the embedded nets.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Returns the nets' name.
    #[must_use]
    pub fn net_name(&self) -> &str {
        self.evaluator.name()
    }

    /// Returns the bearoff databases beside those in the program, such as `one-sided 12x15` (points and checkers of a
    /// side).
    #[must_use]
    pub fn bearoff_databases(&self) -> &[String] {
        &self.bearoff
    }

    /// Returns a checksum of everything that decides an answer beside the settings: the nets, the bearoff databases,
    /// the program's version. Long work resumes only with an engine of the same identity.
    ///
    /// # Errors
    /// When a file can no longer be read.
    pub fn identity(&self) -> Result<String, EngineError> {
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        self.identity_with(vec![identity::Source::Bytes("version", version)])
    }

    /// Returns a checksum of the nets and the bearoff databases: [`Engine::identity`] without the program's version, for
    /// results that a new version does not make again.
    ///
    /// # Errors
    /// When a file can no longer be read.
    pub fn files_identity(&self) -> Result<String, EngineError> {
        self.identity_with(Vec::new())
    }

    /// Returns the checksum of `sources`, the nets and the bearoff databases.
    fn identity_with<'a>(
        &'a self,
        mut sources: Vec<identity::Source<'a>>,
    ) -> Result<String, EngineError> {
        let (nets, other, bearoff) = &self.sources;
        for nets in std::iter::once(nets).chain(other) {
            nets.add_to(&mut sources);
        }
        bearoff.add_to(&mut sources);
        identity::identity(sources).map_err(|(path, error)| EngineError::in_file(&path)(error))
    }

    /// Returns the static evaluator, for callers that work on many positions themselves.
    #[must_use]
    pub fn evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.evaluator
    }

    /// Returns the threads that compute; batches of queries are spread over them.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns an engine with the same nets, tables and cache and `threads` threads of its own, for work that must
    /// not delay other work. Each thread calls `begins` with its number first, for example to lower its priority.
    ///
    /// A thread that waits for a part of one question may begin another one of the same threads, and
    /// the first then waits for the second: threads of their own keep two questions apart.
    ///
    /// # Errors
    /// [`EngineError::Threads`], [`EngineError::ThreadCount`].
    pub fn with_own_threads(
        &self,
        threads: usize,
        begins: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Engine, EngineError> {
        let pool = Arc::new(start_pool(threads, begins)?);
        Ok(Engine {
            pool,
            ..self.clone()
        })
    }

    /// Returns the same nets, tables and cache with the threads of another engine.
    #[must_use]
    pub fn with_threads_of(&self, other: &Engine) -> Engine {
        Engine {
            pool: Arc::clone(&other.pool),
            ..self.clone()
        }
    }

    /// Returns the match equity table in use.
    #[must_use]
    pub fn met(&self) -> &MatchEquityTable {
        &self.met
    }

    /// Returns the cube efficiencies in use.
    #[must_use]
    pub fn efficiency(&self) -> &CubeEfficiency {
        &self.efficiency
    }

    /// Returns name and checksum of what cubeful answers depend on beside [`Engine::identity`]: the match equity table and
    /// the cube efficiencies.
    #[must_use]
    pub fn cube_identity(&self) -> String {
        let sum = sha256(format!("{:?} {:?}", self.met, self.efficiency).as_bytes());
        format!("{} sha256 {sum}", self.met.name())
    }

    /// Forgets all remembered evaluations; for measurements.
    pub fn clear_cache(&self) {
        if let Some(cache) = &self.cache {
            cache.clear();
        }
    }

    /// Returns the context of the search functions, for callers that call them directly.
    #[must_use]
    pub fn context<'a>(&'a self, stop: &'a Stop) -> search::Context<'a> {
        search::Context {
            evaluator: self.evaluator.as_ref(),
            met: &self.met,
            efficiency: &self.efficiency,
            cache: self.cache.as_deref(),
            stop,
            budget: None,
        }
    }

    /// Applies `work` to each item on the engine's threads. Returns the results in the order of the items.
    ///
    /// # Errors
    /// One of those of `work`; items that have not begun then are left out.
    pub fn map<T: Sync, R: Send, E: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R, E> + Sync + Send,
    ) -> Result<Vec<R>, E> {
        use crate::pool::prelude::*;
        (self.pool).install(|| items.par_iter().map(work).collect())
    }

    /// Returns the end of a time budget that begins now; `None` without a clock.
    #[must_use]
    pub fn ends_after(&self, budget: Duration) -> Option<Deadline> {
        Some(Deadline::after(budget, self.clock?))
    }

    /// Returns the end of a time budget that begins now.
    fn deadline(&self, time_ms: Option<u64>) -> Result<Option<Deadline>, EngineError> {
        let Some(time_ms) = time_ms else {
            return Ok(None);
        };
        let end = self.ends_after(Duration::from_millis(time_ms));
        end.ok_or(EngineError::NoClock).map(Some)
    }

    /// Returns the time by this engine's clock; always 0 without one.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.map_or(Duration::ZERO, |clock| clock())
    }

    /// Returns the match equity table of a variant: [`Engine::met`], or that of the variant's own games.
    #[must_use]
    pub fn met_of(&self, variant: Variant) -> &MatchEquityTable {
        let game = self.hyper.iter().find(|game| game.variant() == variant);
        game.map_or(&self.met, HyperGame::met)
    }

    /// Returns the context of the search functions for a position in a state of the match, which has the variant.
    ///
    /// # Errors
    /// [`EngineError::NoTable`] for a variant that needs a table which this engine does not have;
    /// [`EngineError::Position`] for a position with more checkers than the variant.
    pub fn context_of<'a>(
        &'a self,
        position: &Position,
        state: &MatchState,
        stop: &'a Stop,
    ) -> Result<search::Context<'a>, EngineError> {
        let variant = state.variant;
        variant.check(position).map_err(EngineError::Position)?;
        let context = self.context(stop);
        match variant {
            Variant::Backgammon | Variant::Nackgammon => Ok(context),
            _ => {
                let game = self.hyper.iter().find(|game| game.variant() == variant);
                let game = game.ok_or(EngineError::NoTable(variant))?;
                Ok(game.context(context, state))
            }
        }
    }

    /// Runs a search, deep ones on the compute threads, and within its time budget.
    fn run<T: Send>(
        &self,
        (position, state): (&Position, &MatchState),
        settings: &Settings,
        stop: &Stop,
        search: impl FnOnce(search::Context<'_>) -> Result<T, Stopped> + Send,
    ) -> Result<T, EngineError> {
        let context = search::Context {
            budget: self.deadline(settings.time_ms)?,
            ..self.context_of(position, state, stop)?
        };
        let found = if settings.plies == 0 && context.budget.is_none() {
            search(context)
        } else {
            self.pool.install(|| search(context))
        };
        found.map_err(|Stopped| EngineError::Stopped)
    }

    /// Answers a question of any kind.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn answer(
        &self,
        question: &Question,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<EngineAnswer, EngineError> {
        self.answer_with_progress(question, settings, stop, &mut |_| {})
    }

    /// Answers like [`Engine::answer`]. If the client requested progress of a rollout, `on_progress` receives the intermediate
    /// result after each round of games as [`EngineAnswer::Progress`].
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn answer_with_progress(
        &self,
        question: &Question,
        settings: &Settings,
        stop: &Stop,
        on_progress: &mut (dyn FnMut(&EngineAnswer) + Send),
    ) -> Result<EngineAnswer, EngineError> {
        Ok(match question {
            Question::Value(query) => EngineAnswer::Value(self.evaluate(query, settings, stop)?),
            Question::Plays(query) => EngineAnswer::Plays(self.rank_plays(query, settings, stop)?),
            Question::Compare(query, listed) => {
                EngineAnswer::Plays(self.compare_plays(query, listed, settings, stop)?)
            }
            Question::Choice(query) => {
                let class = self.evaluator.class(&query.position);
                EngineAnswer::Choice(self.rank_plays(query, settings, stop)?, class)
            }
            Question::Cube(query) => EngineAnswer::Cube(self.cube_action(query, settings, stop)?),
            Question::Turn(cube, play) => EngineAnswer::Turn(
                self.cube_action(cube, settings, stop)?,
                self.rank_plays(play, settings, stop)?,
            ),
            Question::Resignation(query, games) => {
                EngineAnswer::Resignation(self.accept_resignation(query, *games)?)
            }
            Question::Rollout(task) => {
                let begin = self.now();
                let mut progress = |known: &RolloutAnswer| {
                    if task.progress {
                        on_progress(&EngineAnswer::Progress(
                            known.clone(),
                            self.now().saturating_sub(begin),
                        ));
                    }
                };
                let found = self.rollout(&task.query, &task.settings, stop, &mut progress)?;
                EngineAnswer::Rollout(found, self.now().saturating_sub(begin))
            }
            Question::Scores(query) => EngineAnswer::Scores(self.scores(query, settings, stop)?),
            Question::ScorePlays(query, roll) => {
                EngineAnswer::ScorePlays(self.score_plays(query, *roll, settings, stop)?)
            }
            Question::Cubes(query) => EngineAnswer::Cubes(self.cubes(query, settings, stop)?),
            Question::Explain(query) => {
                EngineAnswer::Explain(Box::new(self.explain(query, settings, stop)?))
            }
            Question::Opening(query) => EngineAnswer::Opening(self.opening(query, settings, stop)?),
            Question::Exchanges(query) => {
                EngineAnswer::Exchanges(self.exchanges(query, settings, stop)?)
            }
            Question::Rolls(query) => EngineAnswer::Rolls(self.rolls(query, settings, stop)?),
            Question::Class(position) => EngineAnswer::Class(self.evaluator.class(position)),
        })
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
        if let Some(level) = settings.level {
            return self.evaluate_at(query, (level, settings), stop);
        }
        self.run((&query.position, &query.state), settings, stop, |context| {
            search::evaluate(context, query, settings)
        })
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
        if let Some(level) = settings.level {
            let ranked = self.rank_plays_at(query, (level, settings), &[], stop)?;
            return Ok(play_as_people(ranked, query, settings));
        }
        self.run((&query.position, &query.state), settings, stop, |context| {
            search::rank_plays(context, query, settings)
        })
    }

    /// Answers as [`Engine::rank_plays`]. At a level the play that leads to `after` is rolled out beside the best
    /// ones, however far behind it is.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn rank_plays_and(
        &self,
        query: &PlayQuery,
        after: &Position,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<RankedPlays, EngineError> {
        match settings.level {
            Some(level) => self.rank_plays_at(query, (level, settings), &[*after], stop),
            None => self.rank_plays(query, settings, stop),
        }
    }

    /// Ranks the best play and those to the positions `listed`, however bad they are: all to the full depth of the
    /// search, or rolled out at a level.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn compare_plays(
        &self,
        query: &PlayQuery,
        listed: &[Position],
        settings: &Settings,
        stop: &Stop,
    ) -> Result<RankedPlays, EngineError> {
        if let Some(level) = settings.level {
            let all = Settings {
                top: None,
                ..settings.clone().with_value_of_best()
            };
            let ranked = self.rank_plays_at(query, (level, &all), listed, stop)?;
            let mut ranked = with_shares(ranked, settings);
            ranked.keep_best_and(listed);
            return Ok(ranked);
        }
        self.run((&query.position, &query.state), settings, stop, |context| {
            search::compare_plays(context, query, listed, settings)
        })
    }

    /// Decides whether to double, and whether to take or pass.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn cube_action(
        &self,
        query: &CubeQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<CubeAnswer, EngineError> {
        if let Some(level) = settings.level {
            let answer = self.cube_action_at(query, (level, settings), stop)?;
            return Ok(act_as_people(
                answer,
                query,
                settings,
                self.met_of(query.state.variant),
            ));
        }
        self.run((&query.position, &query.state), settings, stop, |context| {
            search::cube_action(context, query, settings)
        })
    }

    /// Returns true if doubling is worth considering: a quick check that saves the full decision.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn considers_double(
        &self,
        query: &CubeQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<bool, EngineError> {
        self.run((&query.position, &query.state), settings, stop, |context| {
            search::considers_double(context, query, settings)
        })
    }

    /// Returns the number of games that the player on roll may resign without loss; with an error rate in the settings the
    /// number that a person of this rate resigns.
    ///
    /// # Errors
    /// As [`Engine::context_of`].
    pub fn resign_advice(
        &self,
        query: &EvalQuery,
        settings: &Settings,
    ) -> Result<ResignAdvice, EngineError> {
        let stop = Stop::never();
        let context = self.context_of(&query.position, &query.state, &stop)?;
        Ok(search::advise_resignation(context, query, settings))
    }

    /// Returns true if the opponent should accept when the player on roll of `query` resigns `games` games (1..=3).
    ///
    /// # Errors
    /// As [`Engine::context_of`].
    pub fn accept_resignation(&self, query: &EvalQuery, games: u8) -> Result<bool, EngineError> {
        let stop = Stop::never();
        let context = self.context_of(&query.position, &query.state, &stop)?;
        Ok(search::accepts_resignation(context, query, games))
    }
}
