//! Recipe of records (candidates, rollouts, quotas) and the settings of single records that follow from it.

use super::quota::Quota;
use super::source::RecordRequest;
use crate::search_fields::{filter_text, optional, search_fields};
use gammond_base::checksum::sha256;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::equity::MatchEquityTable;
use gammond_engine::query::{
    RolloutQuery, RolloutSettings, RolloutSide, RolloutSubject, Truncation,
};
use gammond_game::notation::{CubeAction, PositionKey};
use gammond_game::{MatchState, Play, Position, Roll, Rules, Score};
use gammond_job::Header;
use std::ops::RangeInclusive;

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

impl Interest {
    /// Returns its word, as the option has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Interest::All => "all",
            Interest::Decided => "decided",
            Interest::Disputed => "disputed",
        }
    }
}

/// Settings for making records.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Settings of the candidates' rollouts. Cubeless; `error` is the standard error of each loss, as predicted by a
    /// few first games; `trials` is the largest number of games.
    pub rollout: RolloutSettings,
    /// With `error`: the precision that a loss needs, as a share of the loss at two plies. 0 for all losses alike.
    /// Candidates far behind then have fewer games: the first ones of the others.
    pub error_share: f64,
    /// Number of candidates of a roll that are rolled out; the favourite of the static evaluation may be added.
    pub best: usize,
    /// True if every play is a candidate.
    pub full: bool,
    /// Rolls that are worth a record.
    pub interest: Interest,
    /// Number of records of each kind; no limits if empty.
    pub quotas: Vec<Quota>,
    /// Cubeful rollouts of cube decisions in place of plays and positions (`c` records).
    pub cube: Option<CubeStakes>,
}

/// Score of a cube decision: both players need as many points, the cube is centred at 1, no Crawford game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeStakes {
    away: u8,
    score: Score,
    /// Match winning chance of the player who doubles, after a pass.
    pub pass: f64,
}

impl CubeStakes {
    /// Score of the published files' settings (`cubeAway`).
    pub const AWAY_USUAL: u8 = 7;

    /// Scores that are accepted.
    pub const AWAY: RangeInclusive<u8> = 2..=25;

    /// Returns the stakes at this score by a match equity table; `None` if the score is not one of [`CubeStakes::AWAY`].
    #[must_use]
    pub fn new(away: u8, table: &MatchEquityTable) -> Option<CubeStakes> {
        let away = Some(away).filter(|away| CubeStakes::AWAY.contains(away))?;
        let score = Score::new(away.into(), 0, 0, false).ok()?;
        Some(CubeStakes {
            away,
            score,
            pass: table.after(score, true, 1),
        })
    }

    /// Returns the state before the double.
    pub(in crate::benchmark) fn state(&self) -> MatchState {
        MatchState {
            score: self.score,
            ..Recipe::state()
        }
    }

    /// Returns the points that both players need.
    #[must_use]
    pub const fn away(&self) -> u8 {
        self.away
    }

    /// Returns the right action, given the match winning chances without a double and after a take.
    #[must_use]
    pub fn action(&self, no_double: f64, double_take: f64) -> CubeAction {
        if no_double > double_take.min(self.pass) {
            match no_double > self.pass {
                true => CubeAction::TooGood,
                false => CubeAction::NoDouble,
            }
        } else if double_take <= self.pass {
            CubeAction::DoubleTake
        } else {
            CubeAction::DoublePass
        }
    }
}

impl Recipe {
    /// Returns money play without a cube.
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

    /// Returns the number of rollouts of a record without a roll.
    pub(super) fn sides(&self) -> usize {
        self.cube.map_or(1, |_| CUBE_SIDES)
    }

    /// Returns the seed of a record's dice.
    pub(super) fn seed(&self, number: usize) -> u32 {
        let mut rng = gammond_base::rng::stream(self.rollout.seed, number as u64);
        rand::Rng::next_u32(&mut rng)
    }
}

/// Returns the chances of each game of each candidate of a record, for the games with these numbers.
pub(super) fn games(
    engine: &Engine,
    (recipe, number): (&Recipe, usize),
    (position, roll, candidates): (Position, Option<Roll>, &[Position]),
    numbers: std::ops::Range<u32>,
    stop: &gammond_base::stop::Stop,
) -> Result<Vec<Vec<[f64; 5]>>, EngineError> {
    let settings = recipe.settings(number);
    let mut all = Vec::new();
    if let Some(cube) = recipe.cube {
        let query = RolloutQuery {
            position,
            state: cube.state(),
            subject: RolloutSubject::Cube,
        };
        return cube_games(engine, (&query, &settings), numbers, stop);
    }
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

/// Number of sides of a cube decision that are rolled out: no double, and a double that is taken.
pub(super) const CUBE_SIDES: usize = 2;

/// Returns the match winning chances of each game of both sides of a cube decision, each as a chance of winning
/// alone.
fn cube_games(
    engine: &Engine,
    question: (&RolloutQuery, &RolloutSettings),
    numbers: std::ops::Range<u32>,
    stop: &gammond_base::stop::Stop,
) -> Result<Vec<Vec<[f64; 5]>>, EngineError> {
    let rounds = numbers.start / GAMES_PER_PART..numbers.end.div_ceil(GAMES_PER_PART);
    let side = |candidate| {
        let mut games = Vec::new();
        for round in rounds.clone() {
            let found = engine.rollout_round(question, (candidate, round), stop)?;
            games.extend(found.iter().map(|game| [game[5], 0.0, 0.0, 0.0, 0.0]));
        }
        games.truncate(numbers.len());
        Ok(games)
    };
    (0..CUBE_SIDES).map(side).collect()
}

/// Returns everything that decides the records: the header of the finished file, and with another kind of the
/// candidates.
///
/// # Errors
/// When the engine's files can no longer be read.
pub fn header(
    engine: &Engine,
    recipe: &Recipe,
    wanted: &[RecordRequest],
    kind: &str,
) -> Result<Header, EngineError> {
    let quotas: Vec<String> = recipe.quotas.iter().map(ToString::to_string).collect();
    let header = Header::new(kind, 4)
        .field("program", concat!("gammond-", env!("CARGO_PKG_VERSION")))
        .field("nets", engine.identity()?)
        .field("positions", checksum(wanted))
        .field("best", recipe.best)
        .field("full", recipe.full)
        .field("only", recipe.interest.name())
        .field("quotas", quotas.join(","))
        .field("error share", recipe.error_share);
    let header = match recipe.cube {
        Some(cube) => cube_fields(header, engine, cube),
        None => header,
    };
    Ok(rollout_fields(header, &recipe.rollout))
}

/// Returns the header with what cubeful rollouts depend on beside the nets.
pub(super) fn cube_fields(header: Header, engine: &Engine, cube: CubeStakes) -> Header {
    header
        .field("cube", cube.away())
        .field("pass", cube.pass)
        .field("cube model", engine.cube_identity())
}

/// Version of the named form of rollout settings in headers (BM-34). It changes when a name or its meaning does.
const SETTINGS_FORM: u32 = 1;

/// Returns the header with the settings of rollouts under their own names.
fn rollout_fields(header: Header, rollout: &RolloutSettings) -> Header {
    let mut header = header
        .field("settings", SETTINGS_FORM)
        .field("trials", rollout.trials)
        .field("seed", rollout.seed)
        .field("leafplies", rollout.leaf_plies)
        .field("osr", optional(rollout.leaf_osr))
        .field("cubeful", u8::from(rollout.cubeful))
        .field("vr", u8::from(rollout.variance_reduction))
        .field("truncate", truncation(rollout.truncate))
        .field("se", optional(rollout.error))
        .field("lead", optional(rollout.lead))
        .field("time", optional(rollout.time_ms));
    for (name, side) in ["side1", "side2"].into_iter().zip(&rollout.sides) {
        header = side_fields(header, name, side);
    }
    if let Some((turn, side)) = &rollout.late {
        header = side_fields(header.field("late", turn), "late", side);
    }
    search_fields(header, &rollout.search)
}

fn side_fields(header: Header, name: &str, side: &RolloutSide) -> Header {
    let filter = side
        .filter
        .as_ref()
        .map_or_else(|| "search".to_owned(), filter_text);
    header
        .field(&format!("{name}.plies"), side.plies)
        .field(&format!("{name}.cubeplies"), side.cube_plies)
        .field(&format!("{name}.filter"), filter)
}

/// Returns the word for where games are cut off.
pub(super) fn truncation(truncate: Truncation) -> String {
    match truncate {
        Truncation::Never => "never".to_owned(),
        Truncation::Table => "table".to_owned(),
        Truncation::Race => "race".to_owned(),
        Truncation::Turns(turns) => turns.to_string(),
    }
}

/// Returns a checksum of the positions and rolls, and of their number.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// BM-34.
    #[test]
    fn settings_have_names_and_each_changes_the_header() {
        let text =
            |settings: &RolloutSettings| rollout_fields(Header::new("x", 1), settings).text();
        let usual = RolloutSettings::default();
        let first = text(&usual);
        for known in [
            "\"settings\":\"1\"",
            "\"trials\":\"1296\"",
            "\"search.filter\":\"normal\"",
        ] {
            assert!(first.contains(known), "{first}");
        }
        let mut others = vec![first];
        let changes: [fn(&mut RolloutSettings); 7] = [
            |settings| settings.trials = 36,
            |settings| settings.truncate = Truncation::Turns(7),
            |settings| settings.error = Some(0.01),
            |settings| settings.leaf_osr = Some(36),
            |settings| settings.sides[1].plies = 1,
            |settings| settings.late = Some((3, RolloutSide::default())),
            |settings| settings.search.prune_keep = Some(3),
        ];
        for change in changes {
            let mut settings = usual.clone();
            change(&mut settings);
            let other = text(&settings);
            assert!(!others.contains(&other), "{other}");
            others.push(other);
        }
    }
}
