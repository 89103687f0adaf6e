//! A position, or the plays of a roll, with the cube in each place.

use super::scores::with_time;
use super::{Engine, EngineError};
use crate::query::{
    CubePlace, CubeQuery, CubesAnswer, CubesQuery, EvalQuery, RankedPlays, Settings, Stop,
};
use gammond_game::{MatchState, Position, Roll};

/// Share of the time for each of the two rankings: the best plays, then all of them beside each other.
const HALF: (u64, u64) = (1, 2);

impl Engine {
    /// Answers with the cube in each place of [`CubesQuery::states`]: as [`Engine::compare_plays`] with the best plays of
    /// all places, or, without a roll, as [`Engine::cube_action`] where the player may double and [`Engine::evaluate`]
    /// elsewhere.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn cubes(
        &self,
        query: &CubesQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<CubesAnswer, EngineError> {
        let states = query.states();
        let places = match query.roll {
            Some(roll) => self.plays_by_cube((&query.position, roll), &states, settings, stop)?,
            None => self.one_by_one(&states, settings, |state, settings| {
                self.place(query.position, state, settings, stop)
            })?,
        };
        let plies = match places.first() {
            Some(CubePlace {
                plays: Some(plays), ..
            }) => plays.plies,
            Some(CubePlace {
                decision: Some(cube),
                ..
            }) => cube.plies,
            _ => settings.plies,
        };
        Ok(CubesAnswer {
            position: query.position,
            roll: query.roll,
            places,
            plies,
        })
    }

    fn plays_by_cube(
        &self,
        roll: (&Position, Roll),
        states: &[MatchState],
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Vec<CubePlace>, EngineError> {
        let settings = &with_time(settings, HALF);
        let ranked = self.compare_plays_at(roll, &[], states, settings, stop)?;
        let mut best: Vec<Position> = Vec::new();
        for plays in &ranked {
            if !best.contains(&plays.best().position) {
                best.push(plays.best().position);
            }
        }
        let ranked = match best.len() {
            1 => ranked,
            _ => self.compare_plays_at(roll, &best, states, settings, stop)?,
        };
        let place = |(state, plays): (&MatchState, RankedPlays)| CubePlace {
            cube: state.cube,
            value: plays.best().value,
            decision: None,
            plays: Some(plays),
        };
        Ok(states.iter().zip(ranked).map(place).collect())
    }

    fn place(
        &self,
        position: Position,
        state: MatchState,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<CubePlace, EngineError> {
        let decision = match settings.cubeful && state.double_refusal().is_none() {
            true => Some(self.cube_action(&CubeQuery { position, state }, settings, stop)?),
            false => None,
        };
        let value = match &decision {
            Some(cube) => cube.optimal,
            None => {
                let found = self.evaluate(&EvalQuery { position, state }, settings, stop)?;
                found.cubeful.unwrap_or(found.cubeless)
            }
        };
        Ok(CubePlace {
            cube: state.cube,
            value,
            decision,
            plays: None,
        })
    }
}
