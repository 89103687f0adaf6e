//! The facts behind a decision.

use super::scores::{gammon_values, with_time};
use super::{Engine, EngineError};
use crate::bearoff::{EFFECTIVE_PIPS_A_ROLL, Tables};
use crate::equity::{CubeState, CubeUse, CubeWindow, Stakes};
use crate::query::{
    CubeAnswer, CubeFacts, CubeQuery, EvalQuery, ExplainAnswer, ExplainQuery, ExplainedDecision,
    ExplainedPlay, ExplainedPlays, PlayQuery, RaceFacts, RankedPlay, RankedPlays, Settings, Stop,
};
use gammond_game::{BoardFacts, Chances, MatchState, PlayFacts, Position, RaceCounts, Roll};

/// Share of the time for each of two searches.
const HALF: (u64, u64) = (1, 2);

impl Engine {
    /// Returns the facts behind a decision: with a roll about the best play beside the one of the query or the next best, both
    /// to the full depth as [`Engine::compare_plays`] ranks them; without one about the cube, as [`Engine::cube_action`]
    /// decides.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn explain(
        &self,
        query: &ExplainQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<ExplainAnswer, EngineError> {
        let (decision, plies) = match query.roll {
            Some(roll) => {
                let plays = self.explain_plays(query, roll, settings, stop)?;
                let plies = plays.best.ranked.plies;
                (ExplainedDecision::Play(Box::new(plays)), plies)
            }
            None => {
                let (facts, plies) = self.explain_cube(query, settings, stop)?;
                (ExplainedDecision::Cube(Box::new(facts)), plies)
            }
        };
        Ok(ExplainAnswer {
            position: query.position,
            state: query.state,
            board: BoardFacts::of(&query.position),
            race: race(&query.position),
            decision,
            plies,
        })
    }

    fn explain_plays(
        &self,
        query: &ExplainQuery,
        roll: Roll,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<ExplainedPlays, EngineError> {
        let (position, settings) = (query.position, &with_time(settings, HALF));
        let of_roll = PlayQuery {
            position,
            roll,
            state: query.state,
        };
        let compare = |listed: &[Position]| self.compare_plays(&of_roll, listed, settings, stop);
        let mut ranked = match query.play {
            Some(play) => compare(&[play])?,
            None => self.next_best(&of_roll, settings, stop, &compare)?,
        };
        // The play that was asked for is the best one.
        if query.play.is_some() && ranked.plays.len() < 2 {
            ranked = self.next_best(&of_roll, settings, stop, &compare)?;
        }
        let explained = |ranked: &RankedPlay| ExplainedPlay {
            facts: PlayFacts::of(&position, &ranked.position),
            race: race(&ranked.position.swapped()),
            ranked: ranked.clone(),
        };
        Ok(ExplainedPlays {
            roll,
            best: explained(ranked.best()),
            other: ranked.plays.get(1).map(explained),
            legal: ranked.legal,
        })
    }

    /// Ranks the two best plays, both to the same depth.
    fn next_best(
        &self,
        query: &PlayQuery,
        settings: &Settings,
        stop: &Stop,
        compare: &dyn Fn(&[Position]) -> Result<RankedPlays, EngineError>,
    ) -> Result<RankedPlays, EngineError> {
        let two = Settings {
            top: Some(2),
            ..settings.clone().with_value_of_best()
        };
        let ranked = self.rank_plays(query, &two, stop)?;
        match ranked.plays.get(1) {
            Some(next) if next.plies < ranked.plies || settings.level.is_some() => {
                compare(&[ranked.best().position, next.position])
            }
            _ => Ok(ranked),
        }
    }

    fn explain_cube(
        &self,
        query: &ExplainQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<(CubeFacts, u8), EngineError> {
        let ExplainQuery {
            position, state, ..
        } = *query;
        let gammon_values = gammon_values(state, self.met_of(state.variant));
        let query = EvalQuery { position, state };
        if !settings.cubeful || state.double_refusal().is_some() {
            let found = self.evaluate(&query, settings, stop)?;
            let facts = CubeFacts {
                chances: found.chances,
                value: found.cubeful.unwrap_or(found.cubeless),
                decision: None,
                window: None,
                after_double: None,
                recube_vig: None,
                market_losers: None,
                gammon_values,
            };
            return Ok((facts, found.plies));
        }
        let settings = &with_time(settings, HALF);
        let cube = self.cube_action(&CubeQuery { position, state }, settings, stop)?;
        // A level would roll out the plays of all 21 rolls.
        let of_rolls = Settings {
            level: None,
            plies: cube.plies,
            ..settings.clone()
        };
        let (stakes, beavers) = (
            Stakes::new(state, self.met_of(state.variant)),
            state.rules.beavers,
        );
        let window = CubeWindow::of(&stakes, state.cube.into(), beavers, &cube.chances);
        let facts = CubeFacts {
            chances: cube.chances,
            value: cube.optimal,
            window,
            after_double: Some(CubeUse::after_double(state.score, state.cube)),
            recube_vig: Some(recube_vig(&stakes, state, &cube)),
            market_losers: self.rolls(&query, &of_rolls, stop)?.market_losers,
            gammon_values,
            decision: Some(cube),
        };
        let plies = facts.decision.as_ref().map_or(0, |cube| cube.plies);
        Ok((facts, plies))
    }
}

/// Returns the value of the opponent's right to turn a doubled cube.
fn recube_vig(stakes: &Stakes, state: MatchState, found: &CubeAnswer) -> f64 {
    taken_dead(stakes, state.cube.into(), &found.chances) - found.double_take.equity
}

/// Returns the value of a double that is taken if the cube is not turned again, in points or EMG of the cube before it.
fn taken_dead(stakes: &Stakes, cube: CubeState, chances: &Chances) -> f64 {
    let doubled = cube.doubled();
    let value = stakes.utility(doubled, chances);
    match stakes.is_money() {
        true => 2.0 * value,
        false => stakes.to_emg(cube, stakes.to_mwc(doubled, value)),
    }
}

/// Returns the facts of a race; `None` with contact, or when the game is over.
fn race(position: &Position) -> Option<RaceFacts> {
    let counts = RaceCounts::of(position)?;
    let effective = |side| {
        let rolls = Tables::shared().distribution(side)?.expected_rolls();
        Some(f64::from(rolls) * f64::from(EFFECTIVE_PIPS_A_ROLL))
    };
    Some(RaceFacts {
        counts,
        effective: [position.me(), position.opponent()].map(effective),
    })
}
