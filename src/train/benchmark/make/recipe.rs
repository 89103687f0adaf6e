//! Recipe of records (candidates, rollouts, quotas) and the settings of single records that follow from it.

use super::quota::Quota;
use super::source::RecordRequest;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{RolloutQuery, RolloutSettings, RolloutSubject};
use gammond_game::notation::PositionKey;
use gammond_game::{MatchState, Play, Position, Roll, Rules};
use gammond_job::{Header, sha256};

/// Games of each candidate in a part: as few as spread the first throws evenly, so that a kill costs little.
pub const GAMES_PER_PART: u32 = 36;

/// Rolls that are worth a record. A roll with a single play never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// All.
    All,
    /// Two plies see a difference between the best plays.
    Decided,
    /// Two plies see another best play than the static evaluation.
    Disputed,
}

/// Settings for making records.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Settings of the candidates' rollouts. Cubeless; `error` is the standard error of each loss, as predicted by a
    /// few first games; `trials` is the largest number of games.
    pub rollout: RolloutSettings,
    /// With `error`: a loss needs to be known no better than to this share of itself, by what it is at two plies. 0 for all
    /// losses alike. Candidates far behind then have fewer games: the first ones of the others.
    pub error_share: f64,
    /// Number of candidates of a roll that are rolled out; the favourite of the static evaluation may be added.
    pub best: usize,
    /// Every play is a candidate.
    pub full: bool,
    /// Rolls that are worth a record.
    pub interest: Interest,
    /// Number of records of each kind; no limits if empty.
    pub quotas: Vec<Quota>,
}

impl Recipe {
    /// Money play without a cube.
    pub(super) fn state() -> MatchState {
        MatchState::money(Rules::default())
    }

    /// Returns the question that a rollout of these candidates of a roll, or of a position before the roll, answers.
    fn query(position: Position, roll: Option<Roll>, candidates: &[Position]) -> RolloutQuery {
        let plays = candidates.iter().map(|&after| (Play::PASS, after));
        RolloutQuery {
            position,
            state: Recipe::state(),
            subject: match roll {
                Some(_) => RolloutSubject::Plays(plays.collect()),
                None => RolloutSubject::Position,
            },
        }
    }

    /// Returns the rollout settings of the record with this number: each has dice of its own.
    fn settings(&self, number: usize) -> RolloutSettings {
        let mut settings = self.rollout.clone();
        settings.seed = u64::from(self.seed(number));
        settings.error = None;
        settings
    }

    /// Returns the seed of a record's dice.
    pub(super) fn seed(&self, number: usize) -> u32 {
        let mut rng = gammond_base::rng::stream(self.rollout.seed, number as u64);
        rand::Rng::next_u32(&mut rng)
    }
}

/// Chances of each game of each candidate of a record, for the games with these numbers.
pub(super) fn games(
    engine: &Engine,
    (recipe, number): (&Recipe, usize),
    (position, roll, candidates): (Position, Option<Roll>, &[Position]),
    numbers: std::ops::Range<u32>,
    stop: &gammond_base::stop::Stop,
) -> Result<Vec<Vec<[f64; 5]>>, EngineError> {
    let settings = recipe.settings(number);
    let mut all = Vec::new();
    let mut part = |some: &[Position]| {
        let query = Recipe::query(position, roll, some);
        let found = engine.rollout_games(&query, &settings, numbers.clone(), stop);
        found.map(|found| all.extend(found))
    };
    if roll.is_none() {
        part(&[])?;
    }
    for some in candidates.chunks(RolloutSettings::CANDIDATES_MAX) {
        part(some)?;
    }
    Ok(all)
}

/// Everything that decides the records: the header of the finished file, and with another kind of the candidates.
///
/// # Errors
/// When the engine's files cannot be read any more.
pub fn header(
    engine: &Engine,
    recipe: &Recipe,
    wanted: &[RecordRequest],
    kind: &str,
) -> Result<Header, EngineError> {
    let quotas: Vec<String> = recipe.quotas.iter().map(ToString::to_string).collect();
    Ok(Header::new(kind, 2)
        .field("nets", engine.identity()?)
        .field("positions", checksum(wanted))
        .field("best", recipe.best)
        .field("full", recipe.full)
        .field("interest", format!("{:?}", recipe.interest))
        .field("quotas", quotas.join(","))
        .field("rollout", format!("{:?}", recipe.rollout))
        .field("error share", recipe.error_share))
}

/// Positions and rolls, and how many.
fn checksum(wanted: &[RecordRequest]) -> String {
    let lines: Vec<String> = wanted.iter().map(line).collect();
    let sum = sha256(lines.join("\n").as_bytes());
    format!("{}, sha256 {sum}", wanted.len())
}

fn line(wanted: &RecordRequest) -> String {
    let roll = wanted.roll.map_or("00".to_owned(), |roll| roll.to_string());
    let mut line = format!("{} {roll}", PositionKey::from(wanted.position));
    for position in &wanted.listed {
        line.push_str(&format!(" {}", PositionKey::from(*position)));
    }
    line
}

/// Cubeless money equity.
pub(super) fn equity(chances: &[f64; 5]) -> f64 {
    let [win, gammon, backgammon, lost_gammon, lost_backgammon] = chances;
    2.0 * win - 1.0 + gammon + backgammon - lost_gammon - lost_backgammon
}
