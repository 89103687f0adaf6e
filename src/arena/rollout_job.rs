//! A rollout as a job: each part is one round of games of one candidate.

use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{RolloutAnswer, RolloutEnd, RolloutQuery, RolloutSettings};
use gammond_engine::rollout::{ROUND, Rollout};
use gammond_job::{BadPart, Header, Job, Progress};
use std::collections::HashMap;

/// Size of a game in bytes.
const GAME_BYTES: usize = 48;

/// A rollout as a job.
#[derive(Debug)]
pub struct RolloutJob<'a> {
    engine: &'a Engine,
    query: RolloutQuery,
    settings: RolloutSettings,
    candidates: u64,
    header: Header,
}

/// The rounds of a rollout that have been counted so far.
#[derive(Debug)]
pub struct CountedRounds<'a> {
    /// `None` only if the engine's files have disappeared since.
    rollout: Option<Rollout<'a>>,
    /// Rounds by candidate and number, including counted ones: a few bytes each, compared with the time to play them.
    rounds: HashMap<(usize, u32), Vec<[f64; 6]>>,
    ended: Option<RolloutEnd>,
    most: u32,
}

impl CountedRounds<'_> {
    /// Returns the answer of the rollout.
    ///
    /// # Errors
    /// If a candidate has no game.
    pub fn answer(&self) -> Result<RolloutAnswer, EngineError> {
        let ended = self.ended.unwrap_or(RolloutEnd::Stopped);
        let rollout = self.rollout.as_ref().ok_or(EngineError::Stopped)?;
        Ok(rollout.answer(ended)?)
    }
}

impl<'a> RolloutJob<'a> {
    /// Creates the job of the rollout of `query`.
    ///
    /// # Errors
    /// If the query or a setting is invalid.
    pub fn new(
        engine: &'a Engine,
        query: &RolloutQuery,
        settings: &RolloutSettings,
    ) -> Result<RolloutJob<'a>, EngineError> {
        let query = engine.rollout_question(query, settings)?;
        let empty = engine.rollout_uncounted(&query, settings)?;
        let header = Header::new("rollout", 3)
            .field("nets", engine.identity()?)
            .field("cube model", engine.cube_identity())
            .field("query", format!("{query:?}"))
            .field("settings", format!("{settings:?}"));
        Ok(RolloutJob {
            engine,
            candidates: empty.candidates().max(1) as u64,
            settings: settings.clone(),
            query,
            header,
        })
    }

    /// Returns candidate and round of a part: all candidates of a round, then the next round.
    fn place(&self, number: u64) -> (usize, u32) {
        let round = u32::try_from(number / self.candidates).unwrap_or(u32::MAX);
        ((number % self.candidates) as usize, round)
    }
}

impl<'a> Job for RolloutJob<'a> {
    type Sum = CountedRounds<'a>;
    type Error = EngineError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> CountedRounds<'a> {
        CountedRounds {
            rollout: (self.engine.rollout_uncounted(&self.query, &self.settings)).ok(),
            rounds: HashMap::new(),
            ended: None,
            most: 0,
        }
    }

    fn parts(&self) -> Option<u64> {
        Some(u64::from(self.settings.trials.div_ceil(ROUND)).saturating_mul(self.candidates))
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let of = (&self.query, &self.settings);
        match self.engine.rollout_round(of, self.place(number), stop) {
            Ok(_) if stop.is_triggered() => Ok(None),
            Ok(games) => Ok(Some(
                games
                    .iter()
                    .flatten()
                    .flat_map(|one| one.to_le_bytes())
                    .collect(),
            )),
            Err(_) if stop.is_triggered() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn merge(&self, sum: &mut CountedRounds<'a>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let (candidate, round) = self.place(number);
        let wanted = self
            .settings
            .trials
            .saturating_sub(round.saturating_mul(ROUND));
        let (games, rest) = bytes.as_chunks::<GAME_BYTES>();
        if !rest.is_empty() || games.len() as u64 != u64::from(wanted.min(ROUND)) {
            return Err(BadPart);
        }
        let game = |game: &[u8; GAME_BYTES]| {
            let mut numbers = [0.0; 6];
            for (number, bytes) in numbers.iter_mut().zip(game.as_chunks::<8>().0) {
                *number = f64::from_le_bytes(*bytes);
            }
            numbers
        };
        let games: Vec<[f64; 6]> = games.iter().map(game).collect();
        if games.iter().flatten().any(|number| !number.is_finite()) {
            return Err(BadPart);
        }
        sum.rounds.insert((candidate, round), games);
        if sum.ended.is_none() {
            let rollout = sum.rollout.as_mut().ok_or(BadPart)?;
            let rounds = &sum.rounds;
            let take = |candidate, round| rounds.get(&(candidate, round)).cloned();
            sum.ended = rollout.count_rounds(self.settings.trials, &take);
        }
        sum.most = sum.most.max(round.saturating_add(1));
        Ok(())
    }

    fn is_done(&self, sum: &CountedRounds<'a>) -> bool {
        sum.ended.is_some()
    }

    fn progress(&self, sum: &CountedRounds<'a>, _: u64) -> Progress {
        let trials = self.settings.trials;
        let done = sum.most.saturating_mul(ROUND).min(trials);
        Progress::new("trials", done.into(), Some(trials.into()))
    }
}
