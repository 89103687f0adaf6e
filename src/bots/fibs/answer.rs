//! The engine's answers to the questions of the FIBS bot.

use crate::fibs::{Answer, Ask};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{CubeQuery, EvalQuery, Settings, Stop};

/// Computes the engine's answer.
///
/// # Errors
/// [`EngineError::Stopped`].
pub fn answer(
    engine: &Engine,
    ask: &Ask,
    settings: &Settings,
    stop: &Stop,
) -> Result<Answer, EngineError> {
    let resignation = |wanted: bool, position, state| -> Result<_, EngineError> {
        let query = EvalQuery { position, state };
        let games = match wanted {
            true => engine.resign_advice(&query, settings)?.games,
            false => 0,
        };
        Ok((games > 0).then_some(Answer::Resign(games)))
    };
    match ask {
        Ask::Play { query, resign } => {
            if let Some(resign) = resignation(*resign, query.position, query.state)? {
                return Ok(resign);
            }
            let settings = Settings {
                top: Some(1),
                ..settings.clone()
            };
            let ranked = engine.rank_plays(query, &settings, stop)?;
            let best = ranked.plays.first().ok_or(EngineError::Stopped)?;
            Ok(Answer::Play(best.play))
        }
        Ask::RollOrDouble { query, resign } => {
            if let Some(resign) = resignation(*resign, query.position, query.state)? {
                return Ok(resign);
            }
            let double = cube(engine, query, settings, stop)?.double;
            Ok(if double { Answer::Double } else { Answer::Roll })
        }
        Ask::Offer(query) => {
            let take = cube(engine, query, settings, stop)?.take;
            Ok(if take { Answer::Accept } else { Answer::Reject })
        }
        Ask::Resignation {
            query,
            games,
            ends_match,
        } => {
            let accept = *ends_match || engine.accept_resignation(query, *games)?;
            Ok(if accept {
                Answer::Accept
            } else {
                Answer::Reject
            })
        }
    }
}

fn cube(
    engine: &Engine,
    query: &CubeQuery,
    settings: &Settings,
    stop: &Stop,
) -> Result<gammond_engine::query::CubeAnswer, EngineError> {
    engine.cube_action(query, settings, stop)
}
