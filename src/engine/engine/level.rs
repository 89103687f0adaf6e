//! Answers of a level of play: a search at two plies, and small rollouts of the plays that it leaves open (RO-10 to
//! RO-12).

use super::{Engine, EngineError};
use crate::query::{
    Candidate, CubeAnswer, CubeQuery, EvalQuery, Evaluation, Level, PlayQuery, RankedPlays,
    RolledOut, RolloutAnswer, RolloutQuery, RolloutSettings, RolloutSide, RolloutSubject, Settings,
    Stop, Truncation,
};
use gammond_game::{Chances, Position};
use std::time::Duration;

/// Look-ahead before a rollout.
const PLIES: u8 = 2;

/// Settings of a level's rollout.
struct Plan {
    games: u32,
    turns: u32,
    /// Look-ahead of the plays and the cube inside.
    plies: u8,
    /// Look-ahead where games are cut off.
    leaf_plies: u8,
    /// Largest number of plays of a roll that are rolled out.
    plays: usize,
    /// Largest distance of these plays from the best, in equity.
    margin: f64,
}

const fn plan(level: Level) -> Plan {
    let (games, turns, plies, plays, margin) = match level {
        Level::Roller => (36, 5, 0, 4, 0.08),
        Level::RollerPlus => (324, 7, 0, 5, 0.12),
        Level::RollerPlusPlus => (324, 7, 1, 6, 0.16),
    };
    Plan {
        games,
        turns,
        plies,
        leaf_plies: 1,
        plays,
        margin,
    }
}

/// Returns the search at a level's look-ahead, which has half of the time.
fn search(settings: &Settings) -> Settings {
    Settings {
        plies: PLIES,
        level: None,
        time_ms: settings.time_ms.map(|time| (time / 2).max(1)),
        deepest: PLIES,
        top: None,
        pr: None,
        ..settings.clone()
    }
}

impl RolloutSettings {
    /// Returns the settings of a level's rollouts (RO-10), for a client with these search settings.
    #[must_use]
    pub fn at_level(level: Level, settings: &Settings) -> RolloutSettings {
        let plan = plan(level);
        let side = RolloutSide {
            plies: plan.plies,
            cube_plies: plan.plies,
            filter: None,
        };
        RolloutSettings {
            trials: plan.games,
            sides: [side; 2],
            leaf_plies: plan.leaf_plies,
            cubeful: settings.cubeful,
            truncate: Truncation::Turns(plan.turns),
            time_ms: settings.time_ms,
            search: search(settings),
            ..RolloutSettings::default()
        }
    }
}

fn chances(one: &RolledOut) -> Chances {
    Chances::from_array(one.chances.map(|chance| chance as f32))
}

impl Engine {
    /// Rolls out the candidates of a query in what is left of the time that began at `began`; `None` when it is over before
    /// each has a game.
    fn roll(
        &self,
        query: &RolloutQuery,
        (level, settings): (Level, &Settings),
        began: Duration,
        stop: &Stop,
    ) -> Result<Option<RolloutAnswer>, EngineError> {
        let spent = self.now().saturating_sub(began).as_millis();
        let left = |time: u64| time.saturating_sub(spent.try_into().unwrap_or(u64::MAX));
        let settings = RolloutSettings {
            time_ms: settings.time_ms.map(|time| left(time).max(1)),
            ..RolloutSettings::at_level(level, settings)
        };
        match self.rollout(query, &settings, stop, &mut |_| {}) {
            Ok(found) => Ok(Some(found)),
            Err(EngineError::Stopped) if !stop.is_triggered() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Answers as [`Engine::evaluate`], at a level.
    pub(super) fn evaluate_at(
        &self,
        query: &EvalQuery,
        (level, settings): (Level, &Settings),
        stop: &Stop,
    ) -> Result<Evaluation, EngineError> {
        let began = self.now();
        let mut answer = self.evaluate(query, &search(settings), stop)?;
        if query.position.is_over() {
            return Ok(answer);
        }
        let question = RolloutQuery {
            position: query.position,
            state: query.state,
            subject: RolloutSubject::Position,
        };
        let found = self.roll(&question, (level, settings), began, stop)?;
        if let Some(one) = found.as_ref().and_then(|found| found.candidates.first()) {
            answer.chances = chances(one);
            answer.cubeless = one.cubeless;
            answer.cubeful = one.cubeful;
        }
        Ok(answer)
    }

    /// Answers as [`Engine::rank_plays`], at a level. The plays that are rolled out come before the others; the plays
    /// to `also` are some of them.
    pub(super) fn rank_plays_at(
        &self,
        query: &PlayQuery,
        (level, settings): (Level, &Settings),
        also: &[Position],
        stop: &Stop,
    ) -> Result<RankedPlays, EngineError> {
        let plan = plan(level);
        let began = self.now();
        let mut ranked = self.rank_plays(query, &search(settings), stop)?;
        let first = ranked.plays.first().map_or(0.0, |best| best.value.equity);
        let mut good = (ranked.plays.iter().take(plan.plays))
            .take_while(|play| first - play.value.equity <= plan.margin)
            .count();
        let rest = ranked.plays.split_off(good);
        let (listed, rest): (Vec<_>, Vec<_>) =
            (rest.into_iter()).partition(|play| also.contains(&play.position));
        good += listed.len();
        ranked.plays.extend(listed);
        ranked.plays.extend(rest);
        if good > 1 {
            let plays = ranked.plays.iter().take(good);
            let question = RolloutQuery {
                position: query.position,
                state: query.state,
                subject: RolloutSubject::Plays(
                    plays.map(|play| (play.play, play.position)).collect(),
                ),
            };
            if let Some(found) = self.roll(&question, (level, settings), began, stop)? {
                let plies = ranked.plies;
                for play in ranked.plays.iter_mut().take(good) {
                    let is_it = |one: &&RolledOut| matches!(one.candidate, Candidate::Play(_, after) if after == play.position);
                    if let Some(one) = found.candidates.iter().find(is_it) {
                        play.chances = chances(one);
                        play.value = one.value().0;
                        // Its games begin where the search ended, also for a play that the search left behind.
                        play.plies = plies;
                    }
                }
                if let Some(rolled) = ranked.plays.get_mut(..good) {
                    // Equals keep the order of the search.
                    rolled.sort_by(|a, b| b.value.equity.total_cmp(&a.value.equity));
                }
            }
        }
        if let Some(top) = settings.top {
            ranked.plays.truncate(top.max(1));
        }
        Ok(ranked)
    }

    /// Answers as [`Engine::cube_action`], at a level.
    pub(super) fn cube_action_at(
        &self,
        query: &CubeQuery,
        (level, settings): (Level, &Settings),
        stop: &Stop,
    ) -> Result<CubeAnswer, EngineError> {
        let began = self.now();
        let answer = self.cube_action(query, &search(settings), stop)?;
        let question = RolloutQuery {
            position: query.position,
            state: query.state,
            subject: RolloutSubject::Cube,
        };
        match self.roll(&question, (level, settings), began, stop) {
            Ok(Some(RolloutAnswer {
                cube: Some(cube), ..
            })) => Ok(CubeAnswer {
                plies: answer.plies,
                ..cube
            }),
            // Without a game, or for a cube that cannot be turned, the search has the answer.
            Ok(_) | Err(EngineError::Rollout(_)) => Ok(answer),
            Err(error) => Err(error),
        }
    }
}
