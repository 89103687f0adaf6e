//! gnubg's console and conversions of match equities, for `gammond.compat`.

use crate::engine::Engine;
use crate::interrupt;
use crate::rules::{MatchState, play_steps};
use crate::wrong::{self, whole};
use gammond_console::{
    AnalysedAction, Console as Inner, ConsoleHost as _, ConsoleOptions, PlayerStatistics,
    StatisticsSum,
};
use gammond_engine::equity::{CubeState, Stakes};
use gammond_engine::query::{Equities, RankedPlay, Stop};
use gammond_game::Chances;
use gammond_game::notation::{MatchId, PlayerNumber};
use gammond_server::console::EngineHost;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One session of gnubg's text console.
#[pyclass(module = "gammond._gammond")]
pub(crate) struct Console {
    inner: Inner,
    host: EngineHost,
    stop: Stop,
    /// The process that has its threads.
    process: u32,
}

#[pymethods]
impl Console {
    #[new]
    fn new(engine: PyRef<'_, Engine>) -> PyResult<Console> {
        let stop = Stop::new();
        let options = ConsoleOptions {
            plays_on: false,
            ..ConsoleOptions::default()
        };
        Ok(Console {
            inner: Inner::new(options),
            host: EngineHost::new(engine.inner()?, stop.clone(), None),
            stop,
            process: std::process::id(),
        })
    }

    /// Runs a command. Returns the text for standard output, that for standard error, and whether the session is over.
    fn line(&mut self, py: Python<'_>, text: &str) -> PyResult<(String, String, bool)> {
        if self.process != std::process::id() {
            let reason = "this console belongs to the parent process: create it after the fork";
            return Err(wrong::work(reason));
        }
        let Console {
            inner, host, stop, ..
        } = self;
        let answer = interrupt::run(
            py,
            stop,
            |_, ()| Ok(()),
            |_| inner.line(text.as_bytes(), host),
        )?;
        Ok((answer.out, answer.err, answer.ends))
    }

    /// Returns the gammon and backgammon prices of the player on roll and of the opponent, and the match winning chances after
    /// a plain loss and a plain win.
    fn stakes(&mut self, state: MatchState) -> ([[f64; 2]; 2], [f64; 2]) {
        let values = self.host.stakes(&state.0);
        (values.prices, values.chances)
    }

    /// Returns the analysis of the match as dictionaries, or `None` without one.
    fn analysis<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(judged) = self.inner.analysis() else {
            return Ok(None);
        };
        let (settings, marks) = self.inner.analysis_settings();
        let context = PyDict::new(py);
        context.set_item("cubeful", i32::from(settings.cubeful))?;
        context.set_item("plies", settings.plies)?;
        let deterministic = settings.noise <= 0.0 || settings.noise_as_gnubg;
        context.set_item("deterministic", i32::from(deterministic))?;
        context.set_item("prune", i32::from(settings.prune))?;
        context.set_item("noise", settings.noise)?;
        let games = judged.games.iter().map(|game| {
            let actions = game.iter().map(|action| analysed(py, action));
            actions.collect::<PyResult<Vec<_>>>()
        });
        let found = PyDict::new(py);
        found.set_item("context", context)?;
        found.set_item("marks", marks)?;
        found.set_item("games", games.collect::<PyResult<Vec<_>>>()?)?;
        Ok(Some(found))
    }

    /// Returns the statistics of both players of each game, followed by those of the match.
    fn statistics<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyDict>>>> {
        let books = self.inner.books(&mut self.host);
        let books = books.iter().map(|both| {
            let both = both.iter().map(|own| statistics(py, own));
            both.collect::<PyResult<Vec<_>>>()
        });
        books.collect()
    }
}

/// Returns the five chances of a player.
fn chances(chances: &Chances) -> [f32; 5] {
    [
        chances.win,
        chances.win_gammon,
        chances.win_backgammon,
        chances.lose_gammon,
        chances.lose_backgammon,
    ]
}

/// Converts the analysis of an action: a play as its steps, chances and equity; a cube decision as chances, values of not
/// doubling and of a double that is taken, and the cubeless equity.
fn analysed<'py>(py: Python<'py>, action: &AnalysedAction) -> PyResult<Bound<'py, PyDict>> {
    let play = |one: &RankedPlay| {
        let steps: Vec<(u8, u8)> = play_steps(&one.play);
        (steps, chances(&one.chances), one.value.equity)
    };
    let value = |value: Equities| value.mwc.unwrap_or(value.equity);
    let fields = PyDict::new(py);
    fields.set_item("number", action.number)?;
    fields.set_item("plays", action.plays.iter().map(play).collect::<Vec<_>>())?;
    let played = action.played.as_ref();
    fields.set_item("played", played.map(|(one, rank)| (play(one), *rank)))?;
    fields.set_item("legal", action.legal)?;
    let cube = action.cube.as_ref().map(|cube| {
        let chances = chances(&cube.chances);
        let (none, take) = (value(cube.no_double), value(cube.double_take));
        (chances, none, take, cube.cubeless.equity)
    });
    fields.set_item("cube", cube)?;
    for (name, pair) in [
        ("cube_loss", action.cube_loss),
        ("loss", action.loss),
        ("luck", action.luck),
    ] {
        fields.set_item(name, pair.map(|[emg, _]| emg))?;
    }
    Ok(fields)
}

/// Converts the statistics of a player.
fn statistics<'py>(py: Python<'py>, own: &PlayerStatistics) -> PyResult<Bound<'py, PyDict>> {
    let sum = |sum: &StatisticsSum| (sum.count, sum.emg, sum.cost);
    let fields = PyDict::new(py);
    fields.set_item("plays", sum(&own.plays))?;
    fields.set_item("unforced", own.unforced)?;
    fields.set_item("play_marks", own.play_marks)?;
    fields.set_item("rolls", own.rolls)?;
    fields.set_item("luck", sum(&own.luck))?;
    fields.set_item("cube", sum(&own.cube))?;
    fields.set_item("close", own.close)?;
    fields.set_item("turned", own.turned)?;
    fields.set_item("faults", own.faults.iter().map(sum).collect::<Vec<_>>())?;
    fields.set_item("rating_loss", own.rating_loss)?;
    fields.set_item("fibs_difference", own.fibs_difference)?;
    fields.set_item("results", own.results)?;
    let per_game = own.per_game.map(|one| (one.mean, one.half_width));
    fields.set_item("per_game", per_game)?;
    Ok(fields)
}

const fn number(player: PlayerNumber) -> usize {
    match player {
        PlayerNumber::Zero => 0,
        PlayerNumber::One => 1,
    }
}

/// Returns the fields of a Match ID.
#[pyfunction]
pub(crate) fn match_id_fields<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let id = MatchId::parse(text.as_bytes()).map_err(|error| wrong::value("text", error))?;
    let fields = PyDict::new(py);
    fields.set_item("cube", 1_u32 << id.cube_log().min(15))?;
    fields.set_item("owner", id.owner().map(number))?;
    fields.set_item("on_roll", number(id.on_roll()))?;
    fields.set_item("turn", number(id.decides()))?;
    fields.set_item("crawford", id.crawford())?;
    fields.set_item("jacoby", id.jacoby())?;
    fields.set_item("game_state", id.game_state())?;
    fields.set_item("doubled", id.doubled())?;
    fields.set_item("resigned", id.resignation())?;
    fields.set_item("dice", id.dice())?;
    fields.set_item("length", id.length())?;
    let score = [PlayerNumber::Zero, PlayerNumber::One].map(|player| id.score(player));
    fields.set_item("score", score)?;
    Ok(fields)
}

/// Returns match winning chances before the Crawford game: rows by the points that the player needs, columns by those
/// of the other.
#[pyfunction]
pub(crate) fn match_equities(
    engine: PyRef<'_, Engine>,
    #[pyo3(from_py_with = whole)] points: u32,
) -> PyResult<Vec<Vec<f64>>> {
    in_range(points)?;
    let inner = engine.inner()?;
    let met = inner.met();
    let row = |mine| {
        (1..=points)
            .map(|theirs| met.before_crawford(mine, theirs))
            .collect()
    };
    Ok((1..=points).map(row).collect())
}

/// Returns the trailer's match winning chances after the Crawford game, by the points that the trailer needs.
#[pyfunction]
pub(crate) fn trailer_equities(
    engine: PyRef<'_, Engine>,
    #[pyo3(from_py_with = whole)] points: u32,
) -> PyResult<Vec<f64>> {
    in_range(points)?;
    let inner = engine.inner()?;
    Ok((1..=points)
        .map(|needs| inner.met().trailer(needs))
        .collect())
}

/// Refuses a number of points that no table has.
fn in_range(points: u32) -> PyResult<()> {
    match points {
        1..=255 => Ok(()),
        _ => Err(wrong::value(
            "points",
            format!("{points}, expected 1 to 255"),
        )),
    }
}

/// Returns the match winning chances of an equity at the cube of a state; the equity itself for money.
#[pyfunction]
pub(crate) fn to_mwc(engine: PyRef<'_, Engine>, state: MatchState, equity: f64) -> PyResult<f64> {
    let inner = engine.inner()?;
    let stakes = Stakes::new(state.0, inner.met());
    Ok(stakes.to_mwc(CubeState::from(state.0.cube), equity))
}

/// Returns the equity at the cube of a state of match winning chances; the number itself for money.
#[pyfunction]
pub(crate) fn to_equity(engine: PyRef<'_, Engine>, state: MatchState, mwc: f64) -> PyResult<f64> {
    let inner = engine.inner()?;
    let stakes = Stakes::new(state.0, inner.met());
    Ok(stakes.to_emg(CubeState::from(state.0.cube), mwc))
}
