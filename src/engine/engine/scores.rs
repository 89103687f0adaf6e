//! The cube decision of a position, or the plays of a roll, at every score.

use super::{Engine, EngineError};
use crate::equity::{CubeState, MatchEquityTable, Stakes};
use crate::query::{
    CubeAnswer, CubeQuery, PlayQuery, RankedPlays, ScoreCell, ScorePlays, ScorePlaysAnswer,
    ScoresAnswer, ScoresQuery, Settings, Stop,
};
use crate::search;
use gammond_game::{MatchState, Position, Roll};

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
            Some(_) => self.one_by_one(&states, settings, decide)?,
            None => {
                let settings = with_time(settings, SCORES_SHARE);
                let first = states.first().copied().unwrap_or_else(|| query.money());
                self.run((&query.position, &first), &settings, stop, |context| {
                    search::cube_actions(context, &query.position, &states, &settings)
                })?
            }
        };
        let plies = cubes.first().map_or(settings.plies, |cube| cube.plies);
        let cells = states.into_iter().zip(cubes);
        let cells = cells.map(|cell| cell_of(cell, &money, self.met_of(query.variant)));
        Ok(ScoresAnswer {
            position: query.position,
            cells: cells.collect(),
            money,
            plies,
        })
    }

    /// Ranks the best play of a roll at every score, and for money, whose best play is searched at each score too:
    /// [`Engine::compare_plays`]. Positions are evaluated once for all scores.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn score_plays(
        &self,
        query: &ScoresQuery,
        roll: Roll,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<ScorePlaysAnswer, EngineError> {
        let states = query.states_with_crawford();
        let money = PlayQuery {
            position: query.position,
            roll,
            state: query.money(),
        };
        let money = self.compare_plays(&money, &[], &with_time(settings, MONEY_SHARE), stop)?;
        let (best, settings) = (money.best().position, with_time(settings, SCORES_SHARE));
        let ranked =
            self.compare_plays_at((&query.position, roll), &[best], &states, &settings, stop)?;
        let cell = |(state, plays): (MatchState, RankedPlays)| {
            let for_money = plays.plays.iter().find(|play| play.position == best);
            ScorePlays {
                score: state.score,
                money_error: for_money.map_or(0.0, |play| play.loss(plays.best())),
                gammon_values: gammon_values(state, self.met_of(state.variant)),
                plays,
            }
        };
        Ok(ScorePlaysAnswer {
            position: query.position,
            roll,
            cells: states.into_iter().zip(ranked).map(cell).collect(),
            plies: money.plies,
            money,
        })
    }

    /// Answers as [`Engine::compare_plays`] in each of these states.
    pub(super) fn compare_plays_at(
        &self,
        (position, roll): (&Position, Roll),
        listed: &[Position],
        states: &[MatchState],
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Vec<RankedPlays>, EngineError> {
        // All plays are ranked, those of the answer chosen then.
        let settings = &Settings {
            top: None,
            ..settings.clone()
        };
        if states.iter().any(|state| state.score.is_money()) || !search::shares_plays(settings) {
            return self.one_by_one(states, settings, |state, settings| {
                let query = PlayQuery {
                    position: *position,
                    roll,
                    state,
                };
                self.compare_plays(&query, listed, settings, stop)
            });
        }
        let Some(state) = states.first() else {
            return Ok(Vec::new());
        };
        self.run((position, state), settings, stop, |context| {
            search::compare_plays_at(context, (position, roll), listed, states, settings)
        })
    }

    /// Answers in each of these states by itself, for answers that share nothing; each has its share of the time. A search
    /// has an answer without look-ahead at once; the rollouts of a level end with the time.
    pub(super) fn one_by_one<T>(
        &self,
        states: &[MatchState],
        settings: &Settings,
        answer: impl Fn(MatchState, &Settings) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let end = self.deadline(settings.time_ms)?;
        let settings = with_time(settings, (1, states.len().max(1) as u64));
        let one = |&state: &MatchState| match end {
            Some(end) if settings.level.is_some() && end.has_passed() => Err(EngineError::Stopped),
            _ => answer(state, &settings),
        };
        states.iter().map(one).collect()
    }
}

/// Returns the settings with this share of their time.
pub(super) fn with_time(settings: &Settings, (part, of): (u64, u64)) -> Settings {
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
    ScoreCell {
        score: state.score,
        double_error: if may_double {
            (cube.optimal.equity - by_money).max(0.0)
        } else {
            0.0
        },
        take_error: if may_double { answered - doubled } else { 0.0 },
        gammon_values: gammon_values(state, met),
        take_point: take_point(state, met),
        cube,
    }
}

/// Returns the gammon values of the player on roll and of the opponent.
pub(super) fn gammon_values(state: MatchState, met: &MatchEquityTable) -> [f64; 2] {
    let prices = Stakes::new(state, met).prices(CubeState::from(state.cube));
    [prices.my_gammon, prices.opponent_gammon].map(|price| price / 2.0)
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
