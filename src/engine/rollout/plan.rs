//! Rollout of a query: candidates, starting positions, truncation and stopping rules.

use super::RolloutError;
use super::tally::{ROUND, Sample, Tally};
use super::trial::{Start, TrialContext, TrialScratch};
use crate::equity::{CubeState, Stakes};
use crate::pool::prelude::*;
use crate::query::{
    Candidate, CubeQuery, Equities, RolledOut, RolloutAnswer, RolloutEnd, RolloutQuery,
    RolloutSettings, RolloutSide, RolloutSubject, Settings, Truncation,
};
use crate::search::{self, Context};
use gammond_game::{Cube, CubeOwner, MatchState};
use std::ops::Range;

/// Number of games of a candidate before its standard error is used.
const BELIEVED: u32 = 324;
/// Games between two checks of the results, where players do not look ahead: some tenths of a second. Threads wait
/// for each other at each check.
const AT_ONCE: u32 = 4 * ROUND;
/// Smallest joint standard error that a lead is measured with.
const ERROR_LEAST: f64 = 1e-8;

/// A rollout that can be carried on.
#[derive(Debug)]
pub struct Rollout<'a> {
    query: RolloutQuery,
    trial_context: TrialContext<'a>,
    stakes: Stakes,
    starts: Vec<(Candidate, Start)>,
    tallies: Vec<Tally>,
}

impl<'a> Rollout<'a> {
    /// Prepares a rollout.
    ///
    /// # Errors
    /// [`RolloutError`] when a setting or the question cannot be.
    pub fn new(
        context: Context<'a>,
        query: &RolloutQuery,
        settings: &RolloutSettings,
    ) -> Result<Rollout<'a>, RolloutError> {
        Rollout::against([context; 2], query, settings)
    }

    /// Creates a rollout like [`Rollout::new`] between two different players. The first context plays the side on roll at
    /// the question, the second the other side. The first also decides where games are cut off, which values are exact,
    /// and when to stop.
    ///
    /// # Errors
    /// As [`Rollout::new`].
    pub fn against(
        contexts: [Context<'a>; 2],
        query: &RolloutQuery,
        settings: &RolloutSettings,
    ) -> Result<Rollout<'a>, RolloutError> {
        check(settings)?;
        let [context, _] = contexts;
        let mut settings = settings.clone();
        settings.cubeful |= query.subject == RolloutSubject::Cube;
        let stakes = Stakes::new(query.state, context.met);
        let starts = starts(query)?;
        Ok(Rollout {
            tallies: vec![Tally::default(); starts.len()],
            trial_context: TrialContext::new(contexts, query.state, settings),
            query: query.clone(),
            stakes,
            starts,
        })
    }

    /// Plays until `trials` games of each candidate are played or a stopping rule applies; `progress` gets the
    /// results so far from time to time.
    pub fn run(&mut self, trials: u32, progress: &mut dyn FnMut(&Rollout<'a>)) -> RolloutEnd {
        loop {
            if let Some(end) = self.ended(trials) {
                return end;
            }
            let wanted = self.wanted(trials);
            let games = self.rounds_at_once(&wanted) * ROUND;
            let tasks: Vec<(usize, u32)> = (wanted.into_iter())
                .flat_map(|index| {
                    let from = self.tallies[index].games();
                    let to = from.saturating_add(games);
                    (from..to.min(trials)).map(move |trial| (index, trial))
                })
                .collect();
            let samples: Vec<_> = (tasks.par_iter())
                .map_init(TrialScratch::default, |scratch_space, &(index, trial)| {
                    self.trial_context
                        .trial(&self.starts[index].1, trial, scratch_space)
                        .ok()
                })
                .collect();
            let mut torn = None;
            for (&(index, _), sample) in tasks.iter().zip(samples) {
                // Games after one that was stopped do not count, so that the counted games are the first ones.
                match sample {
                    Some(sample) if torn != Some(index) => self.count(index, &sample),
                    _ => torn = Some(index),
                }
            }
            progress(self);
        }
    }

    /// Rounds that these candidates play before the next check. No rule can end them before it.
    fn rounds_at_once(&self, wanted: &[usize]) -> u32 {
        let settings = &self.trial_context.settings;
        let sides = settings
            .sides
            .iter()
            .chain(settings.late.as_ref().map(|late| &late.1));
        let fewest = wanted.iter().map(|&index| self.tallies[index].games());
        let fewest = fewest.min().unwrap_or(0);
        // The first figures are reported soon.
        if fewest == 0 || sides.into_iter().any(|side| side.plies > 0) {
            return 1;
        }
        let rounds = AT_ONCE / ROUND / u32::try_from(wanted.len()).unwrap_or(u32::MAX).max(1);
        if settings.error.is_none() && settings.lead.is_none() {
            return rounds.max(1);
        }
        rounds.min(BELIEVED.saturating_sub(fewest) / ROUND).max(1)
    }

    fn count(&mut self, index: usize, sample: &Sample) {
        let prices = self.stakes.cubeless_prices(self.cube());
        let cubeless = prices.utility_of(&sample.chances);
        self.tallies[index].add(sample, cubeless);
    }

    /// Returns the number of candidates.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.starts.len()
    }

    /// Returns the games of one round of a candidate, alone, in the calling thread: of each the five chances and the
    /// cubeful value.
    ///
    /// # Errors
    /// [`RolloutError::Stopped`].
    pub fn round(&self, candidate: usize, round: u32) -> Result<Vec<[f64; 6]>, RolloutError> {
        let from = round.saturating_mul(ROUND);
        let to = from
            .saturating_add(ROUND)
            .min(self.trial_context.settings.trials);
        let Some((_, start)) = self.starts.get(candidate) else {
            return Ok(Vec::new());
        };
        let mut scratch_space = TrialScratch::default();
        let mut game = |trial| {
            let Sample { chances, cubeful } =
                self.trial_context.trial(start, trial, &mut scratch_space)?;
            let [a, b, c, d, e] = chances;
            Ok([a, b, c, d, e, cubeful])
        };
        (from..to).map(&mut game).collect()
    }

    /// Counts rounds that were played alone, in the order of [`Rollout::run`], as long as `rounds` has the next
    /// wanted ones; returns the reason for which no more are wanted.
    pub fn count_rounds(
        &mut self,
        trials: u32,
        rounds: &dyn Fn(usize, u32) -> Option<Vec<[f64; 6]>>,
    ) -> Option<RolloutEnd> {
        loop {
            if let Some(end) = self.ended(trials) {
                return Some(end);
            }
            let mut come = Vec::new();
            for index in self.wanted(trials) {
                come.push((index, rounds(index, self.tallies[index].games() / ROUND)?));
            }
            for (index, games) in come {
                for [a, b, c, d, e, cubeful] in games {
                    let chances = [a, b, c, d, e];
                    self.count(index, &Sample { chances, cubeful });
                }
            }
        }
    }

    /// Plays the games with these numbers and returns, for each candidate, the chances of each game, seen by the player
    /// on roll at the question. Games are played in the calling thread, one after the other.
    ///
    /// # Errors
    /// [`RolloutError::Stopped`].
    pub fn games(&self, numbers: Range<u32>) -> Result<Vec<Vec<[f64; 5]>>, RolloutError> {
        let mut scratch_space = TrialScratch::default();
        let mut of = |start: &Start| {
            let game = |trial| self.trial_context.trial(start, trial, &mut scratch_space);
            let games = numbers.clone().map(game);
            games.map(|sample| Ok(sample?.chances)).collect()
        };
        self.starts.iter().map(|(_, start)| of(start)).collect()
    }

    fn cube(&self) -> CubeState {
        self.query.state.cube.into()
    }

    /// Returns the candidates that have games to play.
    fn wanted(&self, trials: u32) -> Vec<usize> {
        let left = self.left_alone();
        (0..self.tallies.len())
            .filter(|&index| self.tallies[index].games() < trials && !left[index])
            .collect()
    }

    /// Returns the reason to play no more games; `None` while more are needed.
    fn ended(&self, trials: u32) -> Option<RolloutEnd> {
        let [context, _] = &self.trial_context.contexts;
        if context.stop.is_triggered() {
            return Some(RolloutEnd::Stopped);
        }
        if context.is_stopped() {
            return Some(RolloutEnd::Time);
        }
        if self.tallies.iter().all(|tally| tally.games() >= trials) {
            return Some(RolloutEnd::Trials);
        }
        if let Some(most) = self.trial_context.settings.error {
            let close = |index| {
                let (_, error) = self.rolled_out(index).value();
                self.tallies[index].games() >= BELIEVED && error.equity <= most
            };
            if (0..self.tallies.len()).all(close) {
                return Some(RolloutEnd::Error);
            }
        }
        let left = self.left_alone();
        let alone = left.iter().filter(|&&left| !left).count() < 2 && left.len() > 1;
        if alone {
            return Some(RolloutEnd::Lead);
        }
        // All that are not left alone have their games.
        (self.wanted(trials).is_empty()).then_some(RolloutEnd::Lead)
    }

    /// Returns for each candidate whether it is so far behind the best that it is skipped for now.
    fn left_alone(&self) -> Vec<bool> {
        let count = self.tallies.len();
        let mut left = vec![false; count];
        let Some(limit) = self.trial_context.settings.lead else {
            return left;
        };
        if count < 2 || (self.tallies.iter()).any(|tally| tally.games() < BELIEVED) {
            return left;
        }
        let values: Vec<(f64, f64)> = (0..count)
            .map(|index| {
                let (value, error) = self.rolled_out(index).value();
                (value.equity, error.equity)
            })
            .collect();
        if self.query.subject == RolloutSubject::Cube {
            let clear = is_cube_clear(values[0], values[1], limit);
            return vec![clear; count];
        }
        let best = (0..count).max_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
        let best = best.unwrap_or(0);
        for index in (0..count).filter(|&index| index != best) {
            let joint = values[best].1.hypot(values[index].1).max(ERROR_LEAST);
            left[index] = (values[best].0 - values[index].0) / joint > limit;
        }
        left
    }

    /// Returns the results of a candidate so far.
    fn rolled_out(&self, index: usize) -> RolledOut {
        let (tally, cube, stakes) = (&self.tallies[index], self.cube(), &self.stakes);
        let is_match = !stakes.is_money();
        let (mean, error) = (tally.cubeless.mean(), tally.cubeless.standard_error());
        let zero = stakes.to_mwc(cube, 0.0);
        let cubeless = Equities {
            equity: mean,
            mwc: is_match.then(|| stakes.to_mwc(cube, mean)),
        };
        let cubeless_error = Equities {
            equity: error,
            mwc: is_match.then(|| stakes.to_mwc(cube, error) - zero),
        };
        let cubeful = self.trial_context.settings.cubeful.then(|| {
            let (mean, error) = (tally.cubeful.mean(), tally.cubeful.standard_error());
            let value = Equities {
                equity: stakes.to_emg(cube, mean),
                mwc: is_match.then_some(mean),
            };
            let error = Equities {
                equity: stakes.error_to_emg(cube, error),
                mwc: is_match.then_some(error),
            };
            (value, error)
        });
        RolledOut {
            candidate: self.starts[index].0,
            trials: tally.games(),
            chances: tally.chances.map(|running| running.mean().clamp(0.0, 1.0)),
            chance_errors: tally.chances.map(|spread| spread.standard_error()),
            cubeless,
            cubeless_error,
            cubeful: cubeful.map(|both| both.0),
            cubeful_error: cubeful.map(|both| both.1),
        }
    }

    /// Returns the results so far; `ended` is the reason for the end.
    ///
    /// # Errors
    /// [`RolloutError::Stopped`] when there is a candidate without a game.
    pub fn answer(&self, ended: RolloutEnd) -> Result<RolloutAnswer, RolloutError> {
        if self.tallies.iter().any(|tally| tally.games() == 0) {
            return Err(RolloutError::Stopped);
        }
        let mut candidates: Vec<RolledOut> = (0..self.tallies.len())
            .map(|index| self.rolled_out(index))
            .collect();
        let cube = match (&self.query.subject, &candidates[..]) {
            (RolloutSubject::Cube, [none, take]) => Some(self.cube_answer(none, take)),
            _ => None,
        };
        if cube.is_none() {
            candidates.sort_by(|a, b| b.value().0.equity.total_cmp(&a.value().0.equity));
        }
        Ok(RolloutAnswer {
            candidates,
            ended,
            cube,
        })
    }

    /// Returns the results so far while the rollout continues.
    ///
    /// # Errors
    /// As [`Rollout::answer`].
    pub fn known(&self) -> Result<RolloutAnswer, RolloutError> {
        self.answer(RolloutEnd::Trials)
    }

    fn cube_answer(&self, none: &RolledOut, take: &RolledOut) -> crate::query::CubeAnswer {
        let query = CubeQuery {
            position: self.query.position,
            state: self.query.state,
        };
        let chances = gammond_game::Chances::from_array(none.chances.map(|chance| chance as f32));
        let raw = |one: &RolledOut| {
            let value = one.value().0;
            value.mwc.unwrap_or(value.equity)
        };
        search::cube_verdict(&query, &self.stakes, chances, [raw(none), raw(take)], 0)
    }
}

/// Returns true if not doubling and doubling differ clearly, and so do taking and passing.
fn is_cube_clear(none: (f64, f64), take: (f64, f64), limit: f64) -> bool {
    let pass = 1.0;
    let by = |gap: f64, error: f64| gap.abs() / error.max(ERROR_LEAST);
    let double = if take.0 > pass {
        by(none.0 - pass, none.1)
    } else {
        by(none.0 - take.0, none.1.hypot(take.1))
    };
    double.min(by(take.0 - pass, take.1)) > limit
}

/// Returns the candidates and where their games begin.
fn starts(query: &RolloutQuery) -> Result<Vec<(Candidate, Start)>, RolloutError> {
    if query.position.is_over() {
        return Err(RolloutError::Question("the game is over"));
    }
    let here = Start {
        position: query.position,
        state: query.state,
        scale: 1.0,
        cube_first: false,
        turned: false,
    };
    match &query.subject {
        RolloutSubject::Position => Ok(vec![(Candidate::Position, here)]),
        RolloutSubject::Best(..) => Err(RolloutError::Question("which plays?")),
        RolloutSubject::Cube => {
            if let Some(refusal) = query.state.double_refusal() {
                return Err(RolloutError::Cube(refusal.reason()));
            }
            let cube = Cube::new(2 * query.state.cube.value(), CubeOwner::Opponent)
                .map_err(|_| RolloutError::Cube("the cube cannot be turned further"))?;
            let taken = Start {
                state: MatchState {
                    cube,
                    ..query.state
                },
                scale: 2.0,
                ..here
            };
            Ok(vec![
                (Candidate::NoDouble, here),
                (Candidate::DoubleTake, taken),
            ])
        }
        RolloutSubject::Plays(plays) => {
            let count = plays.len();
            if count == 0 || count > RolloutSettings::CANDIDATES_MAX {
                let most = RolloutSettings::CANDIDATES_MAX;
                return Err(setting("plays", count, format!("1 to {most}")));
            }
            let start = |&(play, position)| {
                let start = Start {
                    position,
                    state: query.state.swapped(),
                    cube_first: true,
                    turned: true,
                    ..here
                };
                (Candidate::Play(play, position), start)
            };
            Ok(plays.iter().map(start).collect())
        }
    }
}

fn setting(field: &'static str, found: impl ToString, want: impl ToString) -> RolloutError {
    RolloutError::Setting {
        field,
        found: found.to_string(),
        want: want.to_string(),
    }
}

fn check(settings: &RolloutSettings) -> Result<(), RolloutError> {
    let most = RolloutSettings::TRIALS_MAX;
    if settings.trials == 0 || settings.trials > most {
        return Err(setting("trials", settings.trials, format!("1 to {most}")));
    }
    let late = settings.late.map(|late| late.1);
    let sides: Vec<RolloutSide> = settings.sides.into_iter().chain(late).collect();
    let plies = Settings::PLIES_MAX;
    let deep = [
        ("plies", sides.iter().map(|side| side.plies).max()),
        ("cubeplies", sides.iter().map(|side| side.cube_plies).max()),
        ("leafplies", Some(settings.leaf_plies)),
    ];
    for (field, found) in deep {
        if let Some(found) = found.filter(|&found| found > plies) {
            return Err(setting(field, found, format!("0 to {plies}")));
        }
    }
    let most = RolloutSettings::OSR_MAX;
    if let Some(found) = (settings.leaf_osr).filter(|games| !(1..=most).contains(games)) {
        return Err(setting("osr", found, format!("1 to {most}, or off")));
    }
    let turns = RolloutSettings::TURNS_MAX;
    if let Truncation::Turns(found) = settings.truncate
        && (found == 0 || found > turns)
    {
        return Err(setting(
            "truncate",
            found,
            format!("1 to {turns}, race, table or never"),
        ));
    }
    for (field, found) in [("se", settings.error), ("jsd", settings.lead)] {
        let most = RolloutSettings::ERROR_MAX;
        if let Some(found) = found.filter(|found| !(*found > 0.0 && *found <= most)) {
            return Err(setting(
                field,
                found,
                format!("a number above 0, at most {most}"),
            ));
        }
    }
    Ok(())
}
