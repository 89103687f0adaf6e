//! The cube decision of a position at every score.

use super::{Engine, EngineError};
use crate::equity::{CubeState, MatchEquityTable, Stakes};
use crate::query::{CubeAnswer, CubeQuery, ScoreCell, ScoresAnswer, ScoresQuery, Settings, Stop};
use crate::search;
use gammond_game::MatchState;

/// Share of the time for the decision for money.
const MONEY_SHARE: (u64, u64) = (1, 10);
/// Share of the time for the scores.
const SCORES_SHARE: (u64, u64) = (9, 10);

impl Engine {
    /// Decides about the cube at every score, as [`Engine::cube_action`] does at one, and for money. Positions are evaluated
    /// once for all scores.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn scores(
        &self,
        query: &ScoresQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<ScoresAnswer, EngineError> {
        let states = query.states();
        let decide = |state: MatchState, settings: &Settings| {
            let query = CubeQuery {
                position: query.position,
                state,
            };
            self.cube_action(&query, settings, stop)
        };
        let money = decide(query.money(), &with_time(settings, MONEY_SHARE))?;
        let cubes: Vec<CubeAnswer> = match settings.level {
            // A level rolls out; its games share nothing between scores.
            Some(_) => {
                let end = self.deadline(settings.time_ms)?;
                let settings = with_time(settings, (1, states.len().max(1) as u64));
                let one = |&state: &MatchState| match end {
                    Some(end) if end.has_passed() => Err(EngineError::Stopped),
                    _ => decide(state, &settings),
                };
                states.iter().map(one).collect::<Result<_, _>>()?
            }
            None => {
                let settings = with_time(settings, SCORES_SHARE);
                self.run(&settings, stop, |context| {
                    search::cube_actions(context, &query.position, &states, &settings)
                })?
            }
        };
        let plies = cubes.first().map_or(settings.plies, |cube| cube.plies);
        let cells = states.into_iter().zip(cubes);
        let cells = cells.map(|cell| cell_of(cell, &money, &self.met));
        Ok(ScoresAnswer {
            position: query.position,
            cells: cells.collect(),
            money,
            plies,
        })
    }
}

/// Returns the settings with this share of their time.
fn with_time(settings: &Settings, (part, of): (u64, u64)) -> Settings {
    Settings {
        time_ms: settings.time_ms.map(|time| (time * part / of).max(1)),
        ..settings.clone()
    }
}

/// Returns the cell of a decision at a score, beside the one for money.
fn cell_of(
    (state, cube): (MatchState, CubeAnswer),
    money: &CubeAnswer,
    met: &MatchEquityTable,
) -> ScoreCell {
    let may_double = state.double_refusal().is_none();
    let [none, take, pass] = [
        cube.no_double.equity,
        cube.double_take.equity,
        cube.double_pass.equity,
    ];
    let doubled = take.min(pass);
    let by_money = if money.double { doubled } else { none };
    let answered = if money.take { take } else { pass };
    let cube_state = CubeState::from(state.cube);
    let prices = Stakes::new(state, met).prices(cube_state);
    ScoreCell {
        score: state.score,
        double_error: if may_double {
            (cube.optimal.equity - by_money).max(0.0)
        } else {
            0.0
        },
        take_error: if may_double { answered - doubled } else { 0.0 },
        gammon_values: [prices.my_gammon, prices.opponent_gammon].map(|price| price / 2.0),
        take_point: take_point(state, met),
        cube,
    }
}

/// Returns the least chance to win with which the opponent takes a double of this cube, without gammons and redoubles.
fn take_point(state: MatchState, met: &MatchEquityTable) -> Option<f64> {
    let (score, cube) = (state.score, state.cube.value());
    let theirs = |i_win, points| 1.0 - met.after(score, i_win, points);
    let (pass, lost, won) = (
        theirs(true, cube),
        theirs(true, 2 * cube),
        theirs(false, 2 * cube),
    );
    let range = won - lost;
    (range > 0.0).then(|| ((pass - lost) / range).clamp(0.0, 1.0))
}
