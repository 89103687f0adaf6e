//! `Player`: the players that the program knows, for choosing plays; and PubEval's scores.

use crate::fork::PerProcess;
use crate::rules::{MatchState, Play, position_of, roll_of};
use crate::wrong::{self, whole};
use gammond_arena::player::{Defaults, PlayerSpec, pubeval_score};
use gammond_base::rng::stream;
use gammond_engine::bearoff::Tables;
use gammond_game::{Variant, find_play};
use pyo3::prelude::*;
use std::sync::Arc;

/// A player of a spec, opened again in a child process: it may have threads or a program behind it.
pub(crate) struct OpenPlayer {
    spec: PlayerSpec,
    defaults: Defaults,
    opened: PerProcess<Arc<dyn gammond_arena::player::Player>>,
}

impl OpenPlayer {
    /// Opens the player of the spec `text` for games of a variant.
    ///
    /// # Errors
    /// `ValueError` for this argument.
    pub(crate) fn new(
        py: Python<'_>,
        argument: &str,
        text: &str,
        variant: Variant,
    ) -> PyResult<OpenPlayer> {
        let spec: PlayerSpec = text
            .parse()
            .map_err(|error| wrong::value(argument, error))?;
        let defaults = Defaults {
            variant,
            ..Defaults::default()
        };
        let opened = py.detach(|| spec.open_with(&defaults));
        let opened = opened.map_err(|error| wrong::value(argument, error))?;
        Ok(OpenPlayer {
            spec,
            defaults,
            opened: PerProcess::new(Arc::from(opened)),
        })
    }

    /// Returns the player of this process.
    ///
    /// # Errors
    /// `RuntimeError` if it does not open again.
    pub(crate) fn get(&self) -> PyResult<Arc<dyn gammond_arena::player::Player>> {
        let open = |_: &_| {
            let opened = self.spec.open_with(&self.defaults);
            opened.map(Arc::from).map_err(wrong::work)
        };
        self.opened.get(open)
    }
}

/// A player by its name in the program: `pubeval`, `random`, `gammond:plies=1`, a net of the lab.
#[pyclass(frozen, module = "gammond")]
pub(crate) struct Player {
    inner: OpenPlayer,
}

#[pymethods]
impl Player {
    #[new]
    fn new(py: Python<'_>, spec: &str) -> PyResult<Player> {
        let inner = OpenPlayer::new(py, "spec", spec, Variant::default())?;
        Ok(Player { inner })
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.inner.get()?.name())
    }

    /// Chooses a play; `seed` is for players with random choices.
    #[pyo3(signature = (position, roll, state=None, seed=0))]
    fn play(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        roll: &Bound<'_, PyAny>,
        state: Option<MatchState>,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Play> {
        let (before, roll) = (position_of("position", position)?, roll_of("roll", roll)?);
        if before.is_over() {
            return Err(wrong::value("position", "the game is over"));
        }
        let chance = &mut stream(seed, 0);
        let inner = self.inner.get()?;
        let after = py.detach(|| match (state, inner.with_cube()) {
            (Some(state), Some(player)) => player.play_in(&before, &state.0, roll, chance),
            _ => inner.play(&before, roll, chance),
        });
        let after = after.map_err(wrong::work)?;
        let play = find_play(&before, roll, &after);
        let play = play.ok_or_else(|| wrong::work("the player made no legal play"))?;
        Ok(Play::made(before, roll, play, after))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Player {}>", self.name()?))
    }
}

/// Returns PubEval's score of a position after a play, the opponent on roll.
#[pyfunction]
#[pyo3(signature = (position, race=None))]
pub(crate) fn pubeval(position: &Bound<'_, PyAny>, race: Option<bool>) -> PyResult<f32> {
    let position = position_of("position", position)?;
    Ok(pubeval_score(
        &position,
        race.unwrap_or(!position.has_contact()),
    ))
}

/// Returns the chances of the player on roll to bear off all checkers in exactly 1, 2, 3 ... rolls, and those to bear off the
/// first one; None if not all checkers are in the home board.
#[pyfunction]
pub(crate) fn bearoff_rolls(position: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<f32>, Vec<f32>)>> {
    let position = position_of("position", position)?;
    // The tables hold shares of 65,535.
    let share = |part: u16| f32::from(part) / 65_535.0;
    let found = Tables::shared().distribution(position.me());
    Ok(found.map(|found| {
        (
            found.win.map(share).to_vec(),
            found.gammon.map(share).to_vec(),
        )
    }))
}
