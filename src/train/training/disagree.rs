//! Incremental training: positions on which the static evaluation and a deeper search disagree (LB-07).
//!
//! In self-play at 0-ply every turn is searched twice more. Plays: where the deeper search chooses another play, both
//! resulting positions are labelled with the deeper chances. Cube: where the deeper chances lead to another action at
//! one of several scores (by the procedure that the cube measure is defined with), the position is labelled with
//! them.

use super::game_settings::{GameSettings, kind};
use super::games::first_position;
use super::shard::Label;
use gammond_base::rng::{ChaCha8Rng, unit};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::equity::doubling0::{DecisionState, decide};
use gammond_engine::query::{EvalQuery, PlayQuery, Settings, Stop};
use gammond_game::{Chances, MatchState, Position, Rules};

/// A play counts as another one when the deeper search sees at least this much between them.
pub(crate) const PLAY_MARGIN: f64 = 0.01;
/// Least distance of static and deeper equity at which cube actions count.
pub(crate) const CUBE_MARGIN: f32 = 0.005;
/// Points that the player on roll and the opponent need where cube actions are compared.
pub(crate) const SCORES: [(i32, i32); 4] = [(7, 7), (2, 3), (4, 7), (25, 25)];
/// Chance per turn that the game continues with the deeper search's choice.
const FOLLOW: f64 = 0.5;
/// Longest game.
const TURNS_MAX: usize = 400;

/// Returns true if two opinions of a position lead to different cube actions at one of [`SCORES`].
#[must_use]
pub(crate) fn cube_differs(
    engine: &Engine,
    position: &Position,
    one: &Chances,
    two: &Chances,
) -> bool {
    let race = (!position.has_contact()).then_some(position);
    (one.equity() - two.equity()).abs() >= CUBE_MARGIN
        && SCORES.iter().any(|&(mine, theirs)| {
            let spot = DecisionState {
                mine,
                theirs,
                cube: 1,
            };
            let [a, b] = [one, two].map(|chances| {
                let chances = chances.to_array().map(f64::from);
                decide(&chances, spot, race, engine.met()).answers()
            });
            a != b
        })
}

/// Plays one game and appends the labels of its disagreements with `plies` plies.
///
/// # Errors
/// When the engine refuses a query.
pub fn play(
    engine: &Engine,
    settings: &GameSettings,
    plies: u8,
    rng: &mut ChaCha8Rng,
    out: &mut Vec<Label>,
) -> Result<(), EngineError> {
    let mut deep = Settings::plies(plies);
    deep.cubeful = false;
    let mut shallow = Settings::plies(0);
    shallow.cubeful = false;
    let state = MatchState::money(Rules::default());
    let stop = Stop::never();
    let mut position = first_position(settings, rng);
    for _ in 0..TURNS_MAX {
        let Some(class) = kind(&position) else { break };
        let query = EvalQuery { position, state };
        let value = |settings| engine.evaluate(&query, settings, &stop).map(|a| a.chances);
        let (one, two) = (value(&shallow)?, value(&deep)?);
        if cube_differs(engine, &position, &one, &two) {
            out.push(Label::new(position, class, two.to_array()));
        }
        let query = PlayQuery {
            position,
            roll: gammond_game::Roll::thrown(rng),
            state,
        };
        let first = engine.rank_plays(&query, &shallow, &stop)?;
        let Some(choice) = first.plays.first() else {
            break;
        };
        position = choice.position;
        if first.plays.len() < 2 {
            continue;
        }
        let ranked = engine.rank_plays(&query, &deep, &stop)?;
        let Some(best) = ranked.plays.first() else {
            break;
        };
        let same = (ranked.plays.iter()).find(|play| play.position == choice.position);
        if let Some(same) = same.filter(|same| same.plies == best.plies)
            && f64::from(best.chances.equity() - same.chances.equity()) >= PLAY_MARGIN
        {
            for play in [best, same] {
                if let Some(kind) = kind(&play.position) {
                    let theirs = play.chances.inverted().to_array();
                    out.push(Label::new(play.position, kind, theirs));
                }
            }
        }
        if unit(rng) < FOLLOW {
            position = best.position;
        }
    }
    Ok(())
}
