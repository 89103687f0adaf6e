//! All rolls of a position: the best play of each, and the market losers.

use super::{Engine, EngineError};
use crate::pool::prelude::*;
use crate::query::{
    Equities, EvalQuery, Exchange, PlayQuery, RankedPlays, RollsAnswer, Settings, Stop,
};
use gammond_game::{MatchState, Roll};

/// Throws of two dice.
const THROWS: u32 = 36;

impl Engine {
    /// Ranks the plays of each of the 21 rolls as [`Engine::rank_plays`] does, and counts the market losers. With a time,
    /// each roll has its share of it.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn rolls(
        &self,
        query: &EvalQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<RollsAnswer, EngineError> {
        let (position, state) = (query.position, query.state);
        let of_each = Settings {
            time_ms: (settings.time_ms).map(|time| (time / Roll::ALL.len() as u64).max(1)),
            top: Some(1),
            ..settings.clone().with_value_of_best()
        };
        let ranked = |roll| {
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            self.rank_plays(&query, &of_each, stop)
        };
        let rolls: Result<Vec<_>, _> = Roll::ALL.into_iter().map(ranked).collect();
        let mut rolls = rolls?;
        let may_double = settings.cubeful && state.double_refusal().is_none();
        let market_losers = match may_double {
            true => Some(self.market_losers(&rolls, &state, stop)?),
            false => None,
        };
        rolls.sort_by(|one, other| {
            let value = |ranked: &RankedPlays| ranked.best().value.equity;
            value(other).total_cmp(&value(one))
        });
        let mean = mean(&rolls, |value| value.equity);
        let square = self::mean(&rolls, |value| (value.equity - mean).powi(2));
        Ok(RollsAnswer {
            position,
            mean: Equities {
                equity: mean,
                mwc: (!state.score.is_money())
                    .then(|| self::mean(&rolls, |value| value.mwc.unwrap_or_default())),
            },
            deviation: square.sqrt(),
            market_losers,
            plies: rolls.first().map_or(settings.plies, |best| best.plies),
            rolls,
        })
    }

    /// Returns the share of exchanges after which the opponent must pass, or the game is won; replies and cube
    /// decisions are evaluated without look-ahead.
    fn market_losers(
        &self,
        rolls: &[RankedPlays],
        state: &MatchState,
        stop: &Stop,
    ) -> Result<f64, EngineError> {
        let quick = Settings {
            top: Some(1),
            ..Settings::default()
        };
        let lost = |ranked: &RankedPlays| {
            let exchanges = self.exchanges_after(ranked, state, &quick, stop)?;
            let lost = exchanges.iter().filter(|one| one.loses_market());
            Ok(lost.map(Exchange::weight).sum())
        };
        let lost: Vec<u32> = (self.pool).install(|| {
            rolls
                .par_iter()
                .map(lost)
                .collect::<Result<_, EngineError>>()
        })?;
        Ok(f64::from(lost.iter().sum::<u32>()) / f64::from(THROWS * THROWS))
    }
}

/// Returns the mean of a value of the best plays over the 36 throws.
fn mean(rolls: &[RankedPlays], value: impl Fn(Equities) -> f64) -> f64 {
    let weighted = rolls
        .iter()
        .map(|ranked| value(ranked.best().value) * f64::from(ranked.roll.weight()));
    weighted.sum::<f64>() / f64::from(THROWS)
}
