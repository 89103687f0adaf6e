//! The engine's answers to the questions of the bgammon bot.

use crate::bgammon::{Ask, BgammonAnswer};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{CubeQuery, EvalQuery, Settings, Stop};
use gammond_game::{MatchState, Position};

/// Computes the engine's answer.
///
/// A pass on a bgammon server costs one to three cubes, by the board (BGM-43). So the engine's verdict does not hold: its
/// values of waiting and of a take are compared with the match winning chance after a pass of that cost.
///
/// # Errors
/// [`EngineError::Stopped`].
pub fn answer(
    engine: &Engine,
    ask: &Ask,
    settings: &Settings,
    stop: &Stop,
) -> Result<BgammonAnswer, EngineError> {
    match ask {
        Ask::Play { query, mine } => {
            if resigns(engine, (query.position, query.state), *mine, settings)? {
                return Ok(BgammonAnswer::Resign);
            }
            let settings = Settings {
                top: Some(1),
                ..settings.clone()
            };
            let ranked = engine.rank_plays(query, &settings, stop)?;
            let best = ranked.plays.first().ok_or(EngineError::Stopped)?;
            Ok(BgammonAnswer::Play(best.play))
        }
        Ask::RollOrDouble {
            query,
            mine,
            theirs,
        } => {
            if resigns(engine, (query.position, query.state), *mine, settings)? {
                return Ok(BgammonAnswer::Resign);
            }
            if query.state.double_refusal().is_some() {
                return Ok(BgammonAnswer::Roll);
            }
            let found = engine.cube_action(query, settings, stop)?;
            let doubled = chance(found.double_take.mwc).min(pass(engine, query, *theirs));
            let doubles = match found.people {
                Some(_) => found.double,
                None => doubled > chance(found.no_double.mwc),
            };
            Ok(match doubles {
                true => BgammonAnswer::Double,
                false => BgammonAnswer::Roll,
            })
        }
        Ask::Offer { query, mine } => {
            let found = engine.cube_action(query, settings, stop)?;
            let takes = match found.people {
                Some(_) => found.take,
                None => chance(found.double_take.mwc) <= pass(engine, query, *mine),
            };
            Ok(if takes {
                BgammonAnswer::Take
            } else {
                BgammonAnswer::Pass
            })
        }
    }
}

/// Returns true if the player on roll loses at least as many cubes for certain as a resignation costs.
fn resigns(
    engine: &Engine,
    (position, state): (Position, MatchState),
    concession: u8,
    settings: &Settings,
) -> Result<bool, EngineError> {
    let query = EvalQuery { position, state };
    Ok(engine.resign_advice(&query, settings)?.games >= concession)
}

/// Returns a match winning chance: every game on a bgammon server is part of a match.
fn chance(mwc: Option<f64>) -> f64 {
    mwc.unwrap_or(0.0)
}

/// Returns the match winning chance of the player on roll after the opponent's pass, which costs `concession` cubes.
fn pass(engine: &Engine, query: &CubeQuery, concession: u8) -> f64 {
    let points = query.state.cube.value() * u32::from(concession);
    engine.met().after(query.state.score, true, points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Score;

    fn query(position: Position) -> CubeQuery {
        CubeQuery {
            position,
            state: MatchState {
                score: Score::new(7, 0, 0, false).unwrap(),
                ..MatchState::default()
            },
        }
    }

    /// BGM-43: a pass elsewhere is a take where a pass costs three points, and a double that is too good elsewhere is
    /// a double.
    #[test]
    fn expensive_pass_changes_take_and_double() {
        let engine = Engine::builder().threads(1).build().unwrap();
        let settings = Settings::plies(0);
        // The doubler wins on the next roll, without a gammon.
        let lost = Position::from_points(&[2], &[0, 0, 0, 0, 0, 5]).unwrap();
        let offer = |mine| Ask::Offer {
            query: query(lost),
            mine,
        };
        let found = |ask: &Ask| answer(&engine, ask, &settings, &Stop::never()).unwrap();
        assert_eq!(found(&offer(1)), BgammonAnswer::Pass);
        assert_eq!(found(&offer(3)), BgammonAnswer::Take);
        let double = |theirs| Ask::RollOrDouble {
            query: query(lost),
            mine: 1,
            theirs,
        };
        assert_eq!(found(&double(3)), BgammonAnswer::Double);
        let start = Ask::Offer {
            query: query(Position::start()),
            mine: 3,
        };
        assert_eq!(
            answer(&engine, &start, &settings, &Stop::never()).unwrap(),
            BgammonAnswer::Take
        );
        let roll = Ask::RollOrDouble {
            query: query(Position::start()),
            mine: 3,
            theirs: 3,
        };
        assert_eq!(
            answer(&engine, &roll, &settings, &Stop::never()).unwrap(),
            BgammonAnswer::Roll
        );
    }
}
