//! `Engine`: queries about one position, and about arrays of them.

use crate::answers::{Analysis, CubeDecision, Evaluation, RankedPlay, Rollout};
use crate::boards::{self, PLACES, Rows, Wrong};
use crate::fork::PerProcess;
use crate::interrupt;
use crate::matches::Match;
use crate::rules::{MatchState, Play, question_of, roll_of, state_or_money};
use crate::settings::{Takes, options};
use crate::wrong::{self, whole};
use gammond_engine::engine::{EngineError, Nets};
use gammond_engine::eval::Evaluator;
use gammond_engine::query::{
    CubeQuery, EvalQuery, Options, PlayQuery, RolloutQuery, RolloutSubject, Settings, Stop,
};
use gammond_engine::rollout::RolloutError;
use gammond_engine::{Engine as Inner, MatchEquityTable};
use gammond_game::{self as game, Chances};
use gammond_protocol::answerer::Answerer;
use gammond_protocol::{LineAction, RequestError, Session, parse_line};
use gammond_report::analysis::analyse;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::PathBuf;

/// Deepest look-ahead that is fast enough to run without checking for signals.
const QUICK_PLIES: u8 = 1;
/// Plays of a roll that are rolled out where `top` gives no other number.
const ROLLED_OUT: usize = 3;
/// Number of positions that one task evaluates.
const BATCH: usize = 2048;

/// Owns nets, tables, cache and threads, and answers questions.
#[pyclass(frozen, subclass, module = "gammond._gammond")]
pub(crate) struct Engine {
    inner: PerProcess<Inner>,
    /// Defaults of its methods.
    options: Options,
}

fn failed(error: &EngineError) -> PyErr {
    match error {
        EngineError::Rollout(RolloutError::Setting { field, found, want }) => {
            let argument = match *field {
                "se" => "error",
                "jsd" => "lead",
                "cubeplies" => "cube_plies",
                field => field,
            };
            wrong::value(argument, format!("{found}, expected {want}"))
        }
        EngineError::Rollout(error) => wrong::value("rollout", error),
        EngineError::NoTable(_) | EngineError::Position(_) => {
            wrong::value("position, state", error)
        }
        other => wrong::work(other),
    }
}

fn nets_of(name: &str) -> Nets {
    match name {
        "embedded" => Nets::Embedded,
        "embedded:fast" => Nets::EmbeddedFast,
        path => Nets::Path(PathBuf::from(path)),
    }
}

fn met_of(name: &str) -> PyResult<MatchEquityTable> {
    let table = match MatchEquityTable::named(name) {
        Ok(table) => Ok(table),
        Err(_) if std::path::Path::new(name).exists() => {
            MatchEquityTable::load(std::path::Path::new(name))
        }
        Err(error) => Err(error),
    };
    table.map_err(|error| wrong::value("met", error))
}

/// Returns the subject of a rollout of these arguments.
fn subject_of(
    position: &game::Position,
    roll: Option<game::Roll>,
    plays: Option<&[Play]>,
    cube: bool,
    top: usize,
) -> PyResult<RolloutSubject> {
    match (roll, plays, cube) {
        (roll, Some(plays), false) => {
            for play in plays {
                let wrong = |other: &str| {
                    let text = format!("{} is a play of another {other}", play.text());
                    Err(wrong::value("plays", text))
                };
                if play.before != *position {
                    return wrong("position");
                }
                if roll.is_some_and(|roll| play.roll != roll) {
                    return wrong("roll");
                }
            }
            let plays = plays.iter().map(|one| (one.play, one.after));
            Ok(RolloutSubject::Plays(plays.collect()))
        }
        (Some(_), None, false) if top == 0 => Err(wrong::value("top", "0, expected 1 or more")),
        (Some(roll), None, false) => Ok(RolloutSubject::Best(roll, top)),
        (None, None, false) => Ok(RolloutSubject::Position),
        (None, None, true) => Ok(RolloutSubject::Cube),
        _ => Err(wrong::value(
            "cube",
            "a cube decision has no roll and no plays",
        )),
    }
}

impl Engine {
    /// Returns the engine of this process; a child process gets threads of its own.
    pub(crate) fn inner(&self) -> PyResult<Inner> {
        self.inner.get(|parent| {
            let threads = parent.pool().current_num_threads();
            let own = parent.with_own_threads(threads, |_| {});
            own.map_err(wrong::work)
        })
    }

    /// Returns the settings of a search for a method with these arguments.
    fn settings(
        &self,
        names: (&str, Takes),
        plies: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Settings> {
        Ok(options(names, plies, settings)?.or(&self.options).search())
    }

    /// Runs a query with the interpreter released; deep searches stop when Python has a signal.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        settings: &Settings,
        ask: impl FnOnce(&Inner, &Stop) -> Result<T, EngineError> + Send,
    ) -> PyResult<T> {
        let inner = self.inner()?;
        let quick =
            settings.plies <= QUICK_PLIES && settings.level.is_none() && settings.time_ms.is_none();
        let found = match quick {
            true => py.detach(|| ask(&inner, &Stop::never())),
            false => interrupt::quietly(py, |stop| ask(&inner, stop))?,
        };
        found.map_err(|error| failed(&error))
    }

    /// Runs a query for every row, on all threads of the engine. The order of rows does not affect the answers.
    fn each<'py, T: Send>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        ask: impl Fn(Row<'_>) -> Result<T, RowError> + Sync,
    ) -> PyResult<Vec<T>> {
        let inner = self.inner()?;
        let boards = Rows::of("boards", boards, PLACES)?;
        let boards = boards.view();
        let found = interrupt::quietly(py, |stop| {
            let ask = |number| {
                ask(Row {
                    number,
                    position: boards::position_at(&boards, number)?,
                    engine: &inner,
                    stop,
                })
            };
            inner.pool().install(|| {
                let rows = (0..boards.nrows()).into_par_iter();
                rows.map(ask).collect::<Result<Vec<T>, RowError>>()
            })
        })?;
        found.map_err(PyErr::from)
    }
}

/// A row of boards and what answers queries about it.
struct Row<'a> {
    number: usize,
    position: game::Position,
    engine: &'a Inner,
    stop: &'a Stop,
}

impl Row<'_> {
    /// Refuses the position of a finished game, which has no decision.
    fn open(&self) -> Result<(), Wrong> {
        match self.position.is_over() {
            true => Err(Wrong(
                "boards",
                format!("row {}: the game is over", self.number),
            )),
            false => Ok(()),
        }
    }
}

/// An error of one row.
enum RowError {
    Wrong(Wrong),
    Engine(EngineError),
}

impl From<Wrong> for RowError {
    fn from(wrong: Wrong) -> RowError {
        RowError::Wrong(wrong)
    }
}

impl From<EngineError> for RowError {
    fn from(error: EngineError) -> RowError {
        RowError::Engine(error)
    }
}

impl From<RowError> for PyErr {
    fn from(error: RowError) -> PyErr {
        match error {
            RowError::Wrong(wrong) => wrong.into(),
            RowError::Engine(error) => failed(&error),
        }
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "arguments of Python")]
    #[pyo3(signature = (nets=None, plies=None, bearoff=None, met=None, threads=0, cache_mb=16, **settings))]
    fn new(
        py: Python<'_>,
        nets: Option<PathBuf>,
        plies: Option<&Bound<'_, PyAny>>,
        bearoff: Option<PathBuf>,
        met: Option<PathBuf>,
        #[pyo3(from_py_with = whole)] threads: usize,
        #[pyo3(from_py_with = whole)] cache_mb: usize,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let options = options(("Engine", Takes::SEARCH), plies, settings)?;
        let mut builder = gammond_arena::player::engine_builder()
            .threads(threads)
            .cache_mb(cache_mb);
        if let Some(nets) = nets {
            builder = builder.nets(nets_of(&nets.to_string_lossy()));
        }
        if let Some(folder) = bearoff {
            builder = builder.bearoff(folder);
        }
        if let Some(met) = met {
            builder = builder.met(met_of(&met.to_string_lossy())?);
        }
        let inner = py.detach(|| builder.build()).map_err(|error| match error {
            EngineError::File { path, source } => wrong::file(path.display(), source),
            EngineError::ThreadCount(_) => wrong::value("threads", error),
            EngineError::CacheSize(_) => wrong::value("cache_mb", error),
            other => wrong::work(other),
        })?;
        Ok(Engine {
            inner: PerProcess::new(inner),
            options,
        })
    }

    /// The name of the nets.
    #[getter]
    fn net_name(&self) -> PyResult<String> {
        Ok(self.inner()?.net_name().to_owned())
    }

    /// Default look-ahead in plies.
    #[getter]
    fn plies(&self) -> u8 {
        self.options.plies.unwrap_or(0)
    }

    /// Number of compute threads.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.inner()?.pool().current_num_threads())
    }

    /// The bearoff databases beside those in the package.
    #[getter]
    fn bearoff_databases(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.bearoff_databases().to_vec())
    }

    /// Clears the evaluation cache.
    fn clear_cache(&self) -> PyResult<()> {
        self.inner()?.clear_cache();
        Ok(())
    }

    /// Evaluates a position before the roll. Without `state` it is that of the text, or money play.
    #[pyo3(signature = (position, state=None, plies=None, **settings))]
    fn evaluate(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        state: Option<MatchState>,
        plies: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Evaluation> {
        let settings = self.settings(("evaluate", Takes::VALUE), plies, settings)?;
        let question = question_of("position", position)?;
        let query = EvalQuery::new(question.position, question.state_or(state));
        let found = self.ask(py, &settings, |inner, stop| {
            inner.evaluate(&query, &settings, stop)
        })?;
        Ok(Evaluation::from(found))
    }

    /// Ranks the plays of a roll, best first. Without `roll` and `state` they are those of the text.
    #[pyo3(signature = (position, roll=None, state=None, plies=None, **settings))]
    fn best_plays(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        roll: Option<&Bound<'_, PyAny>>,
        state: Option<MatchState>,
        plies: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<RankedPlay>> {
        let settings = self.settings(("best_plays", Takes::PLAYS), plies, settings)?;
        let question = question_of("position", position)?;
        let roll = match roll {
            Some(roll) => roll_of("roll", roll)?,
            None => question.roll.ok_or_else(|| {
                wrong::value(
                    "roll",
                    "is missing, and the position has none (example: '31')",
                )
            })?,
        };
        if question.position.is_over() {
            return Err(wrong::value("position", "the game is over"));
        }
        let query = PlayQuery::new(question.position, roll, question.state_or(state));
        let settings = settings.with_value_of_best();
        let found = self.ask(py, &settings, |inner, stop| {
            inner.rank_plays(&query, &settings, stop)
        })?;
        Ok(found
            .plays
            .iter()
            .enumerate()
            .map(|(number, one)| RankedPlay::new(&found, number, one))
            .collect())
    }

    /// Decides on a double of the player on roll, and on its answer. Without `state` it is that of the text.
    #[pyo3(signature = (position, state=None, plies=None, **settings))]
    fn cube(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        state: Option<MatchState>,
        plies: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<CubeDecision> {
        let settings = self.settings(("cube", Takes::CUBE), plies, settings)?;
        let question = question_of("position", position)?;
        if question.position.is_over() {
            return Err(wrong::value("position", "the game is over"));
        }
        let query = CubeQuery::new(question.position, question.state_or(state));
        let found = self.ask(py, &settings, |inner, stop| {
            inner.cube_action(&query, &settings, stop)
        })?;
        Ok(CubeDecision::from(found))
    }

    /// Plays a position, the best or the given plays of a roll, or a cube decision on many times. Without `roll` and
    /// `state` they are those of the text.
    #[pyo3(signature = (position, roll=None, state=None, *, plays=None, cube=false, progress=None, **settings))]
    #[expect(clippy::too_many_arguments, reason = "arguments of Python")]
    fn rollout(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        roll: Option<&Bound<'_, PyAny>>,
        state: Option<MatchState>,
        plays: Option<Vec<Play>>,
        cube: bool,
        progress: Option<Py<PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Rollout> {
        let options = options(("rollout", Takes::ROLLOUT), None, settings)?;
        let question = question_of("position", position)?;
        let position = question.position;
        let own_roll = question.roll.filter(|_| !cube && plays.is_none());
        let roll = roll
            .map(|roll| roll_of("roll", roll))
            .transpose()?
            .or(own_roll);
        let top = options.top.map_or(ROLLED_OUT, usize::from);
        let subject = subject_of(&position, roll, plays.as_deref(), cube, top)?;
        let settings = options.rollout(&options.search());
        let query = RolloutQuery {
            position,
            state: question.state_or(state),
            subject,
        };
        let (inner, stop) = (self.inner()?, interrupt::token());
        let given = plays.unwrap_or_default();
        let told = |py: Python<'_>, known: gammond_engine::query::RolloutAnswer| {
            let known = Rollout::new(position, &given, roll, known);
            progress
                .as_ref()
                .map_or(Ok(()), |call| call.call1(py, (known,)).map(drop))
        };
        let answer = interrupt::run(py, &stop, told, |report| {
            let mut tell = |known: &gammond_engine::query::RolloutAnswer| report(known.clone());
            inner.rollout(&query, &settings, &stop, &mut tell)
        })?;
        let answer = answer.map_err(|error| failed(&error))?;
        Ok(Rollout::new(position, &given, roll, answer))
    }

    /// Answers a request of the line protocol; both are JSON.
    fn _ask(&self, py: Python<'_>, request: &str) -> PyResult<String> {
        let fault = |text: &str| wrong::value("request", text.trim_end());
        let line = match parse_line(request.as_bytes(), &self.options) {
            Some(Ok(line)) => line,
            Some(Err(refusal)) => {
                let RequestError { field, message, .. } = refusal.error;
                // A setting is an argument of its own, and the request's word is `verb`.
                let setting = message.strip_prefix("setting '");
                if let Some((name, reason)) = setting.and_then(|rest| rest.split_once("' ")) {
                    return Err(wrong::value(name, reason));
                }
                let argument = if field == "request" { "verb" } else { field };
                return Err(wrong::value(argument, message));
            }
            None => return Err(fault("is empty")),
        };
        let inquiry = match Session::new(self.options.clone()).request(line) {
            LineAction::Ask(inquiry) => inquiry,
            LineAction::Say(text) => return Ok(text),
            LineAction::Refuse(text) => return Err(fault(&text)),
            _ => return Err(fault("is a command of a session")),
        };
        let inner = self.inner()?;
        let mut answer = Vec::new();
        let good = interrupt::quietly(py, |stop| {
            Answerer::new(&inner).answer(&inquiry, stop, &mut answer)
        })?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        if good { Ok(text) } else { Err(fault(&text)) }
    }

    /// Replays a match and reports the equity lost by each decision and the luck of the dice.
    #[pyo3(signature = (r#match, plies=None, **settings))]
    fn analyse(
        &self,
        py: Python<'_>,
        r#match: &Match,
        plies: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Analysis> {
        let options = options(("analyse", Takes::ANALYSIS), plies, settings)?.or(&self.options);
        let state = options.state(game::MatchState::default());
        let rules = state.map_err(|error| wrong::value("jacoby", error))?.rules;
        let (reading, settings) = (r#match.reading(), options.analysis());
        let inner = self.inner()?;
        let found = interrupt::quietly(py, |stop| {
            let run = || analyse(&inner, &settings, reading, rules, stop);
            inner.pool().install(run)
        })?;
        let analysis = found.map_err(|error| failed(&error))?;
        Ok(Analysis {
            file: reading.file.clone(),
            analysis,
        })
    }

    /// Evaluates boards: float32[N, 5], the chances of the player on roll to win, to win a gammon and a backgammon, to
    /// lose a gammon and a backgammon.
    #[pyo3(signature = (boards, plies=None, state=None, **settings))]
    fn evaluate_boards<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        plies: Option<&Bound<'py, PyAny>>,
        state: Option<MatchState>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let settings = self.settings(("evaluate_boards", Takes::SEARCH), plies, settings)?;
        let settings = settings.with_cubeful(false);
        let is_static = settings == Settings::plies(0).with_cubeful(false);
        let values = if is_static {
            self.static_values(py, boards)?
        } else {
            let state = state_or_money(state);
            let rows = self.each(py, boards, |row| {
                let query = EvalQuery::new(row.position, state);
                let found = row.engine.evaluate(&query, &settings, row.stop)?;
                Ok(found.chances.to_array())
            })?;
            rows.into_iter().flatten().collect()
        };
        let shape = [values.len() / 5, 5];
        Ok(Array2::from_shape_vec(shape, values)
            .map_err(wrong::work)?
            .into_pyarray(py))
    }

    /// Chooses the best play of each roll: int8[N, 26], the boards after it with the opponent on roll, and float32[N],
    /// its equity for the player who makes it.
    #[expect(clippy::too_many_arguments, reason = "arguments of Python")]
    #[pyo3(signature = (boards, dice, plies=None, state=None, cubeful=false, **settings))]
    fn best_boards<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        dice: &Bound<'py, PyAny>,
        plies: Option<&Bound<'py, PyAny>>,
        state: Option<MatchState>,
        cubeful: bool,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<f32>>)> {
        let settings = self.settings(("best_boards", Takes::SEARCH), plies, settings)?;
        let mut settings = settings.with_cubeful(cubeful).with_value_of_best();
        settings.top = Some(1);
        let state = state_or_money(state);
        let dice = Rows::of("dice", dice, 2)?;
        let dice = dice.view();
        let rows = Rows::of("boards", boards, PLACES)?.view().nrows();
        boards::same_length(rows, "dice", dice.nrows())?;
        let best = self.each(py, boards, |row| {
            let roll = boards::roll_at(&dice, row.number)?;
            row.open()?;
            let query = PlayQuery::new(row.position, roll, state);
            let found = row.engine.rank_plays(&query, &settings, row.stop)?;
            let best = found.best();
            Ok((best.position, best.value.equity as f32))
        })?;
        let (positions, equities): (Vec<game::Position>, Vec<f32>) = best.into_iter().unzip();
        let mut rows = Vec::new();
        boards::append(&mut rows, &positions);
        Ok((boards::array(py, rows)?, equities.into_pyarray(py)))
    }

    /// Decides on doubles: float64[N, 3], the equities of no double, double and take, double and pass, and bool[N, 2],
    /// whether to double and whether to take.
    #[pyo3(signature = (boards, state=None, plies=None, **settings))]
    fn cube_boards<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        state: Option<MatchState>,
        plies: Option<&Bound<'py, PyAny>>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<bool>>)> {
        let settings = self.settings(("cube_boards", Takes::SEARCH), plies, settings)?;
        let state = state_or_money(state);
        let found = self.each(py, boards, |row| {
            row.open()?;
            let query = CubeQuery::new(row.position, state);
            let found = row.engine.cube_action(&query, &settings, row.stop)?;
            let equities = [found.no_double, found.double_take, found.double_pass];
            Ok((equities.map(|one| one.equity), [found.double, found.take]))
        })?;
        let (equities, actions): (Vec<[f64; 3]>, Vec<[bool; 2]>) = found.into_iter().unzip();
        Ok((
            PyArray2::from_owned_array(py, equities.into()),
            PyArray2::from_owned_array(py, actions.into()),
        ))
    }

    fn __repr__(&self) -> PyResult<String> {
        let (name, plies, threads) = (self.net_name()?, self.plies(), self.threads()?);
        Ok(format!("<Engine {name}, {plies} plies, {threads} threads>"))
    }
}

impl Engine {
    /// Returns the static chances of all rows, one after the other.
    fn static_values(&self, py: Python<'_>, boards: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
        let boards = Rows::of("boards", boards, PLACES)?;
        let boards = boards.view();
        let inner = self.inner()?;
        let evaluator = inner.evaluator();
        let found = interrupt::quietly(py, |stop| {
            let mut values = vec![0.0; boards.nrows() * 5];
            inner.pool().install(|| {
                values
                    .par_chunks_mut(BATCH * 5)
                    .enumerate()
                    .try_for_each(|(chunk, values)| {
                        if stop.is_triggered() {
                            return Ok(());
                        }
                        let first = chunk * BATCH;
                        let numbers = first..first + values.len() / 5;
                        let positions: Result<Vec<game::Position>, Wrong> = numbers
                            .map(|number| boards::position_at(&boards, number))
                            .collect();
                        let positions = by_class(evaluator.as_ref(), positions?);
                        let mut chances = vec![Chances::default(); positions.1.len()];
                        evaluator.evaluate(None, &positions.1, &mut chances);
                        for (&number, chances) in positions.0.iter().zip(&chances) {
                            let first = usize::from(number) * 5;
                            values[first..first + 5].copy_from_slice(&chances.to_array());
                        }
                        Ok::<(), Wrong>(())
                    })
            })?;
            Ok::<Vec<f32>, Wrong>(values)
        })?;
        Ok(found?)
    }
}

/// Sorts positions by their class and returns the old index of each: a net evaluates rows together only if they are near one
/// another.
fn by_class(
    evaluator: &dyn Evaluator,
    positions: Vec<game::Position>,
) -> (Vec<u16>, Vec<game::Position>) {
    let mut keyed: Vec<(u8, u16)> = Vec::with_capacity(positions.len());
    for (position, number) in positions.iter().zip(0..) {
        keyed.push((evaluator.class(position) as u8, number));
    }
    keyed.sort_unstable();
    let sorted = keyed
        .iter()
        .map(|&(_, number)| positions[usize::from(number)]);
    let sorted = sorted.collect();
    (
        keyed.into_iter().map(|(_, number)| number).collect(),
        sorted,
    )
}
