//! gnubg's console and conversions of match equities, for `gammond.compat`.

use crate::engine::Engine;
use crate::interrupt;
use crate::rules::MatchState;
use crate::wrong::{self, whole};
use gammond_engine::equity::{CubeState, Stakes};
use gammond_engine::query::Stop;
use gammond_game::notation::{MatchId, PlayerNumber};
use gammond_protocol::console::{Console as Inner, ConsoleHost as _, ConsoleOptions};
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
