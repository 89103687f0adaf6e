//! All exchanges of a position: the best play of each roll, of each reply, and the cube after both.

use super::{Engine, EngineError};
use crate::pool::prelude::*;
use crate::query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Exchange, ExchangesAnswer, PlayQuery, RankedPlay,
    RankedPlays, Settings, Stop,
};
use gammond_game::{MatchState, Roll};

/// Pairs of throws.
const PAIRS: u32 = 36 * 36;
/// Questions of an answer: plays, replies, values.
const QUESTIONS: usize = Roll::ALL.len() + 2 * Roll::ALL.len() * Roll::ALL.len();

impl Engine {
    /// Plays each pair of rolls, the player's and the opponent's, and values the position after both, each by a question
    /// of its own with these settings. With a time, each question has its share of it.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn exchanges(
        &self,
        query: &EvalQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<ExchangesAnswer, EngineError> {
        let of_each = Settings {
            time_ms: (settings.time_ms).map(|time| (time / QUESTIONS as u64).max(1)),
            top: Some(1),
            ..settings.clone().with_value_of_best()
        };
        let state = &query.state;
        let after_roll = |roll| {
            let query = PlayQuery {
                position: query.position,
                roll,
                state: *state,
            };
            let first = self.rank_plays(&query, &of_each, stop)?;
            self.exchanges_after(&first, state, &of_each, stop)
        };
        let found: Vec<Vec<Exchange>> = (self.pool).install(|| {
            (Roll::ALL.par_iter())
                .map(|roll| after_roll(*roll))
                .collect::<Result<_, EngineError>>()
        })?;
        let mut exchanges: Vec<Exchange> = found.into_iter().flatten().collect();
        exchanges.sort_by(|one, other| other.value.equity.total_cmp(&one.value.equity));
        let mean = |value: &dyn Fn(&Exchange) -> f64| {
            let weighted = exchanges.iter();
            let weighted = weighted.map(|one| value(one) * f64::from(one.weight()));
            weighted.sum::<f64>() / f64::from(PAIRS)
        };
        let equity = mean(&|one| one.value.equity);
        let square = mean(&|one| (one.value.equity - equity).powi(2));
        let may_double = settings.cubeful && state.double_refusal().is_none();
        let lost = mean(&|one| f64::from(u8::from(one.loses_market())));
        let mwc = mean(&|one| one.value.mwc.unwrap_or_default());
        Ok(ExchangesAnswer {
            position: query.position,
            mean: Equities {
                equity,
                mwc: (!state.score.is_money()).then_some(mwc),
            },
            deviation: square.sqrt(),
            market_losers: may_double.then_some(lost),
            plies: (exchanges.first()).map_or(settings.plies, |best| best.first.plies),
            exchanges,
        })
    }

    /// Returns the 21 exchanges after a play of the player with this state.
    pub(super) fn exchanges_after(
        &self,
        ranked: &RankedPlays,
        state: &MatchState,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Vec<Exchange>, EngineError> {
        let first = ranked.best();
        let exchange = |reply: Roll| {
            let won = Exchange {
                roll: ranked.roll,
                first: first.clone(),
                reply,
                second: None,
                position: first.position,
                value: first.value,
                decision: None,
            };
            if first.position.is_over() {
                return Ok(won);
            }
            let query = PlayQuery {
                position: first.position,
                roll: reply,
                state: state.swapped(),
            };
            let second = self.rank_plays(&query, settings, stop)?;
            let (value, decision) = self.after_both(second.best(), state, settings, stop)?;
            Ok(Exchange {
                second: Some(second.best().play),
                position: second.best().position,
                value,
                decision,
                ..won
            })
        };
        Roll::ALL.into_iter().map(exchange).collect()
    }

    /// Returns the value for the player after the opponent's play, and the cube decision.
    fn after_both(
        &self,
        second: &RankedPlay,
        state: &MatchState,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<(Equities, Option<CubeAnswer>), EngineError> {
        let (position, state) = (second.position, *state);
        if position.is_over() {
            let lost = Equities {
                equity: -second.value.equity,
                mwc: second.value.mwc.map(|mwc| 1.0 - mwc),
            };
            return Ok((lost, None));
        }
        if settings.cubeful && state.double_refusal().is_none() {
            let cube = self.cube_action(&CubeQuery { position, state }, settings, stop)?;
            return Ok((cube.optimal, Some(cube)));
        }
        let found = self.evaluate(&EvalQuery { position, state }, settings, stop)?;
        Ok((found.cubeful.unwrap_or(found.cubeless), None))
    }
}
