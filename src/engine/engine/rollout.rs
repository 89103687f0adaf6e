//! Rollouts of the engine.

use super::{Engine, EngineError};
use crate::query::{
    PlayQuery, RolloutAnswer, RolloutQuery, RolloutSettings, RolloutSubject, Settings, Stop,
};
use crate::rollout::{Rollout, RolloutError};
use crate::search::{self, Context, Stopped};
use gammond_game::Side;
use std::ops::Range;

/// Look-ahead at least that chooses which plays are rolled out.
const LOOK_PLIES: u8 = 2;

/// Token of work that is only counted.
static NEVER: Stop = Stop::never();

impl From<RolloutError> for EngineError {
    fn from(error: RolloutError) -> EngineError {
        match error {
            RolloutError::Stopped => EngineError::Stopped,
            other => EngineError::Rollout(other),
        }
    }
}

impl Engine {
    /// Plays a position, plays or a cube decision on many times. `progress` gets the results so far from time to
    /// time. When it is stopped or its time is over, the answer has the results so far.
    ///
    /// # Errors
    /// [`EngineError::Rollout`] when the question or a setting cannot be; [`EngineError::Stopped`] when
    /// there is no result yet.
    pub fn rollout(
        &self,
        query: &RolloutQuery,
        settings: &RolloutSettings,
        stop: &Stop,
        progress: &mut (dyn FnMut(&RolloutAnswer) + Send),
    ) -> Result<RolloutAnswer, EngineError> {
        let budget = self.deadline(settings.time_ms)?;
        let contexts = (self.contexts(query, stop)?).map(|context| Context { budget, ..context });
        let query = &self.with_candidates(query, settings, stop)?;
        let run = || {
            let mut rollout = Rollout::against(contexts, query, settings)?;
            let ended = rollout.run(settings.trials, &mut |rollout| {
                if let Ok(known) = rollout.known() {
                    progress(&known);
                }
            });
            rollout.answer(ended)
        };
        Ok(self.pool.install(run)?)
    }

    /// Returns the chances of each game with one of these numbers, for each candidate: a piece of a rollout, for work
    /// that puts pieces together itself. The subject names its plays.
    ///
    /// # Errors
    /// As [`Engine::rollout`].
    pub fn rollout_games(
        &self,
        query: &RolloutQuery,
        settings: &RolloutSettings,
        numbers: Range<u32>,
        stop: &Stop,
    ) -> Result<Vec<Vec<[f64; 5]>>, EngineError> {
        let contexts = self.contexts(query, stop)?;
        let rollout = Rollout::against(contexts, query, settings);
        let games = rollout.and_then(|rollout| rollout.games(numbers));
        games.map_err(EngineError::from)
    }

    /// Returns the query with its plays filled in, if it is about the best plays of a roll.
    ///
    /// # Errors
    /// As [`Engine::rollout`].
    pub fn rollout_question(
        &self,
        query: &RolloutQuery,
        settings: &RolloutSettings,
    ) -> Result<RolloutQuery, EngineError> {
        self.with_candidates(query, settings, &NEVER)
    }

    /// Returns a rollout without a game, to count rounds that are played apart.
    ///
    /// # Errors
    /// As [`Engine::rollout`].
    pub fn rollout_uncounted(
        &self,
        query: &RolloutQuery,
        settings: &RolloutSettings,
    ) -> Result<Rollout<'_>, EngineError> {
        let contexts = self.contexts(query, &NEVER)?;
        Ok(Rollout::against(contexts, query, settings)?)
    }

    /// Returns a round of a rollout alone: of each game of a candidate the chances and the cubeful value. The subject
    /// names its plays.
    ///
    /// # Errors
    /// As [`Engine::rollout`].
    pub fn rollout_round(
        &self,
        (query, settings): (&RolloutQuery, &RolloutSettings),
        (candidate, round): (usize, u32),
        stop: &Stop,
    ) -> Result<Vec<[f64; 6]>, EngineError> {
        let contexts = self.contexts(query, stop)?;
        let rollout = Rollout::against(contexts, query, settings)?;
        Ok(rollout.round(candidate, round)?)
    }

    /// Returns the contexts of both sides of a rollout.
    fn contexts<'a>(
        &'a self,
        query: &RolloutQuery,
        stop: &'a Stop,
    ) -> Result<[Context<'a>; 2], EngineError> {
        let context = self.context_of(&query.position, &query.state, stop)?;
        let other = match &self.opponent {
            // A table knows no better opponent.
            Some(opponent) if query.state.variant.checkers() == Side::CHECKERS => Context {
                evaluator: opponent.evaluator.as_ref(),
                cache: opponent.cache.as_deref(),
                ..context
            },
            _ => context,
        };
        Ok([context, other])
    }

    /// Returns the same query with the plays that rank best, if it is about those of a roll.
    fn with_candidates(
        &self,
        query: &RolloutQuery,
        settings: &RolloutSettings,
        stop: &Stop,
    ) -> Result<RolloutQuery, EngineError> {
        let RolloutSubject::Best(roll, count) = query.subject else {
            return Ok(query.clone());
        };
        let plies = LOOK_PLIES.max(settings.sides[0].plies);
        let mut search = settings.search.clone();
        search.cubeful = settings.cubeful;
        search.time_ms = None;
        search.level = None;
        search.top = None;
        let plays = PlayQuery {
            position: query.position,
            roll,
            state: query.state,
        };
        // Half of the time at most, so that games are played in the rest.
        let begun = self.context_of(&query.position, &query.state, stop)?;
        let context = Context {
            budget: self.deadline(settings.time_ms.map(|time| time / 2))?,
            ..begun
        };
        let rank = |context, plies| {
            let search = Settings {
                plies,
                ..search.clone()
            };
            search::rank_plays(context, &plays, &search)
        };
        let ranked = self.pool.install(|| {
            if context.budget.is_none() {
                return rank(context, plies);
            }
            let mut ranked = rank(begun, 0)?;
            for plies in 1..=plies {
                match rank(context, plies) {
                    Ok(deeper) => ranked = deeper,
                    Err(Stopped) => break,
                }
            }
            Ok(ranked)
        });
        let ranked = ranked.map_err(|Stopped| EngineError::Stopped)?;
        let best = ranked.plays.iter().take(count);
        Ok(RolloutQuery {
            subject: RolloutSubject::Plays(best.map(|one| (one.play, one.position)).collect()),
            ..query.clone()
        })
    }
}
