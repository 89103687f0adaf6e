//! Choice of the positions that become records, and of their candidates: a job whose parts are single positions.

use super::quota::{QuotaCounts, may_take};
use super::recipe::{GAMES_PER_PART, Interest, Recipe, equity, games, header};
use super::source::RecordRequest;
use gammond_base::stats::Running;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{FilterLevel, MoveFilter, PlayQuery, RankedPlay, Settings, Stop};
use gammond_game::notation::PositionKey;
use gammond_game::{Position, Roll};
use gammond_job::{BadPart, Header, Job, Progress};

/// Number of plays that are searched two plies deep.
const LOOKED_AT: i8 = 20;
/// Look-ahead of the choice.
const PLIES: u8 = 2;
/// Number of games by which the number of games is chosen: each first throw comes twice.
const GAMES_FIRST: u32 = 2 * GAMES_PER_PART;
/// Fewest games of a candidate.
const GAMES_LEAST: u32 = 4 * GAMES_PER_PART;

/// A record to be rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The position.
    pub position: Position,
    /// The roll; none for a record of the position itself.
    pub roll: Option<Roll>,
    /// Positions after the plays, the opponent on roll; best first at two plies.
    pub candidates: Vec<Position>,
    /// Number of candidates that an ordinary record would list.
    pub listed: usize,
    /// Number of rollouts of a record without a roll: of the position itself, or of both sides of a cube decision.
    pub sides: usize,
    /// Games of each candidate, the same numbers from the first on; of the position itself where there is no roll.
    pub games: Vec<u32>,
}

/// The work of choosing.
#[derive(Debug)]
pub struct Choosing<'a> {
    engine: &'a Engine,
    recipe: &'a Recipe,
    wanted: &'a [RecordRequest],
    header: Header,
}

impl<'a> Choosing<'a> {
    /// Chooses among `wanted` as `recipe` says.
    ///
    /// # Errors
    /// When the engine's files can no longer be read.
    pub fn new(
        engine: &'a Engine,
        recipe: &'a Recipe,
        wanted: &'a [RecordRequest],
    ) -> Result<Choosing<'a>, EngineError> {
        let header = header(engine, recipe, wanted, "benchmark candidates")?;
        Ok(Choosing {
            engine,
            recipe,
            wanted,
            header,
        })
    }

    /// Returns the candidates of a wanted record; `None` when the record is not worth rolling out.
    fn choose(
        &self,
        number: usize,
        wanted: &RecordRequest,
        stop: &Stop,
    ) -> Result<Option<Chosen>, EngineError> {
        let mut chosen = Chosen {
            position: wanted.position,
            roll: wanted.roll,
            candidates: Vec::new(),
            listed: 0,
            sides: self.recipe.sides(),
            games: Vec::new(),
        };
        if !may_take(&self.recipe.quotas, &wanted.position) {
            return Ok(None);
        }
        let Some(roll) = wanted.roll else {
            chosen.games = self.games(number, &chosen, &[], stop)?;
            return Ok(Some(chosen));
        };
        let query = PlayQuery {
            position: wanted.position,
            roll,
            state: Recipe::state(),
        };
        let static_ = self.engine.rank_plays(&query, &settings(0), stop)?.plays;
        if static_.len() < 2 {
            return Ok(None);
        }
        let mut deep = settings(PLIES);
        deep.filter = filter();
        let deep = self.engine.rank_plays(&query, &deep, stop)?.plays;
        if !is_worth(self.recipe, &static_, &deep) {
            return Ok(None);
        }
        let plays: &mut dyn Iterator<Item = &RankedPlay> = &mut deep.iter();
        chosen.candidates = plays.map(|play| play.position).collect();
        chosen.listed = self.recipe.best.min(chosen.candidates.len());
        let favourite = static_.first().map(|play| play.position);
        if !wanted.listed.is_empty() {
            // As the file has them, those that it does not list behind.
            let rest: Vec<Position> = (chosen.candidates.iter().copied())
                .filter(|one| !wanted.listed.contains(one))
                .collect();
            chosen.listed = wanted.listed.len();
            chosen.candidates = wanted.listed.iter().copied().chain(rest).collect();
        } else if let Some(at) = (chosen.candidates.iter()).position(|one| Some(*one) == favourite)
            && at >= chosen.listed
        {
            let favourite = chosen.candidates.remove(at);
            chosen.candidates.insert(chosen.listed, favourite);
            chosen.listed += 1;
        }
        if !self.recipe.full {
            chosen.candidates.truncate(chosen.listed);
        }
        chosen.games = self.games(number, &chosen, &deep, stop)?;
        Ok(Some(chosen))
    }

    /// Returns the number of games of each candidate that makes all losses as precise as the recipe requires. It is
    /// estimated from a few first games and from the 2-ply equities (`deep`).
    fn games(
        &self,
        number: usize,
        chosen: &Chosen,
        deep: &[RankedPlay],
        stop: &Stop,
    ) -> Result<Vec<u32>, EngineError> {
        let most = self.recipe.rollout.trials;
        let Some(error) = self.recipe.rollout.error else {
            return Ok(vec![most; chosen.rolled()]);
        };
        let of = (chosen.position, chosen.roll, &chosen.candidates[..]);
        let numbers = 0..GAMES_FIRST.min(most);
        let found = games(self.engine, (self.recipe, number), of, numbers, stop)?;
        let equities: Vec<Vec<f64>> = (found.iter())
            .map(|games| games.iter().map(equity).collect())
            .collect();
        let mean = |games: &Vec<f64>| games.iter().sum::<f64>();
        let best = equities.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
        let variance = |games: &Vec<f64>| match best {
            Some(best) if chosen.roll.is_some() => {
                let pairs: Vec<f64> = games.iter().zip(best).map(|(a, b)| a - b).collect();
                scatter(&pairs)
            }
            _ => scatter(games),
        };
        let losses = match chosen.roll {
            Some(_) => losses(&chosen.candidates, deep),
            None => vec![0.0; chosen.sides],
        };
        let enough = |(games, loss): (&Vec<f64>, f64)| {
            let wanted = error.max(self.recipe.error_share * loss);
            let parts = (variance(games) / (wanted * wanted) / f64::from(GAMES_PER_PART)).ceil();
            // A float that is too large becomes the largest number.
            let games = (parts as u32).saturating_mul(GAMES_PER_PART);
            games.clamp(GAMES_LEAST.min(most), most)
        };
        let mut enough: Vec<u32> = equities.iter().zip(losses).map(enough).collect();
        // Every loss is measured against the best play, which may be any of those that are close.
        let widest = enough.iter().copied().max().unwrap_or(most);
        if self.recipe.error_share == 0.0 || chosen.roll.is_none() {
            enough.fill(widest);
        } else if let Some(best) = best.and_then(|best| equities.iter().position(|one| one == best))
        {
            enough[best] = widest;
        }
        Ok(enough)
    }
}

/// Returns the variance of games in which each first throw comes equally often, as it does in all games that will be
/// played: half of the squared difference between two games with the same first throw.
fn scatter(games: &[f64]) -> f64 {
    let (first, second) = games.split_at(games.len().min(GAMES_PER_PART as usize));
    if second.len() < first.len() {
        return games.iter().copied().collect::<Running>().variance();
    }
    let halves = first
        .iter()
        .zip(second)
        .map(|(a, b)| (a - b) * (a - b) / 2.0);
    halves.collect::<Running>().mean()
}

/// Returns the loss of each candidate at two plies; 0 if it is not known.
fn losses(candidates: &[Position], deep: &[RankedPlay]) -> Vec<f64> {
    let value = |position: &Position| {
        let play = deep.iter().find(|play| play.position == *position);
        play.map(|play| play.value.equity)
    };
    let best = deep.first().map(|play| play.value.equity);
    let loss = |position| match (best, value(position)) {
        (Some(best), Some(value)) => (best - value).max(0.0),
        _ => 0.0,
    };
    match candidates {
        [] => vec![0.0],
        some => some.iter().map(loss).collect(),
    }
}

/// Returns cubeless settings that evaluate every play.
fn settings(plies: u8) -> Settings {
    Settings::plies(plies).with_cubeful(false)
}

/// Returns the best twenty without looking ahead, all of them at two plies.
fn filter() -> MoveFilter {
    let mut filter = MoveFilter::HUGE;
    for row in &mut filter.levels {
        row[0] = FilterLevel {
            accept: LOOKED_AT,
            extra: 0,
            threshold: 0.0,
        };
    }
    filter
}

fn is_worth(recipe: &Recipe, static_: &[RankedPlay], deep: &[RankedPlay]) -> bool {
    let best = || deep.iter().take(recipe.best.max(2));
    match recipe.interest {
        Interest::All => true,
        Interest::Decided => {
            let first = deep.first().map(|play| play.value.equity);
            best().any(|play| Some(play.value.equity) != first)
        }
        Interest::Disputed => {
            let position = |plays: &[RankedPlay]| plays.first().map(|play| play.position);
            position(static_) != position(deep)
        }
    }
}

/// Encodes a chosen record: the number of candidates listed and rolled out, the games of each, and their keys. `None`
/// for a position that becomes no record.
fn pack(chosen: &Chosen) -> Vec<u8> {
    let mut bytes = (chosen.listed as u32).to_le_bytes().to_vec();
    bytes.extend((chosen.games.len() as u32).to_le_bytes());
    for games in &chosen.games {
        bytes.extend(games.to_le_bytes());
    }
    for &position in &chosen.candidates {
        bytes.extend(PositionKey::from(position).bytes());
    }
    bytes
}

fn unpack(wanted: &RecordRequest, sides: usize, bytes: &[u8]) -> Option<Chosen> {
    let (listed, rest) = bytes.split_first_chunk::<4>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (games, rest) = rest.split_at_checked(count.checked_mul(4)?)?;
    let (games, _) = games.as_chunks::<4>();
    let (keys, rest) = rest.as_chunks::<10>();
    let position = |key: &[u8; 10]| {
        PositionKey::from_bytes(*key)
            .ok()
            .map(PositionKey::position)
    };
    let candidates: Option<Vec<Position>> = keys.iter().map(position).collect();
    let chosen = Chosen {
        position: wanted.position,
        roll: wanted.roll,
        candidates: candidates?,
        listed: u32::from_le_bytes(*listed) as usize,
        sides,
        games: games.iter().map(|one| u32::from_le_bytes(*one)).collect(),
    };
    let fits = chosen.games.iter().all(|&games| games > 0)
        && chosen.games.len() == chosen.rolled()
        && chosen.listed <= chosen.candidates.len()
        && chosen.roll.is_some() != chosen.candidates.is_empty();
    (rest.is_empty() && fits).then_some(chosen)
}

impl Job for Choosing<'_> {
    /// Records chosen, progress of the quotas, positions examined.
    type Sum = Choice;
    type Error = EngineError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Choice {
        Choice::default()
    }

    fn parts(&self) -> Option<u64> {
        Some(self.wanted.len() as u64)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let number = number as usize;
        let Some(wanted) = self.wanted.get(number) else {
            return Ok(Some(Vec::new()));
        };
        match self.choose(number, wanted, stop) {
            Ok(found) => {
                let bytes = found.as_ref().map_or(Vec::new(), pack);
                Ok((!stop.is_triggered()).then_some(bytes))
            }
            Err(_) if stop.is_triggered() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn merge(&self, choice: &mut Choice, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let wanted = self.wanted.get(number as usize).ok_or(BadPart)?;
        choice.looked_at += 1;
        let quotas = &self.recipe.quotas;
        let left_out = &mut choice.left_out;
        if !may_take(quotas, &wanted.position) {
            left_out.other_groups += 1;
        } else if bytes.is_empty() {
            left_out.undecided += 1;
        } else {
            let chosen = unpack(wanted, self.recipe.sides(), bytes).ok_or(BadPart)?;
            if choice.filled.takes(quotas, &wanted.position) {
                choice.records.push(chosen);
            } else {
                left_out.full_quotas += 1;
            }
        }
        Ok(())
    }

    fn is_done(&self, choice: &Choice) -> bool {
        choice.filled.are_full(&self.recipe.quotas)
    }

    fn progress(&self, choice: &Choice, _: u64) -> Progress {
        let figures = format!("{} records", choice.records.len());
        let total = Some(self.wanted.len() as u64);
        Progress::new("positions", choice.looked_at, total).figures(figures)
    }
}

/// Records chosen so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The records.
    pub records: Vec<Chosen>,
    /// Positions that became no record.
    pub left_out: LeftOut,
    filled: QuotaCounts,
    looked_at: u64,
}

/// Numbers of positions that became no record, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Number of records with fewer than two plays, or with plays that do not match the recipe's [`Interest`].
    pub undecided: u64,
    /// Records of groups without a quota.
    pub other_groups: u64,
    /// The quotas of their groups were full.
    pub full_quotas: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_roll_luck_is_no_variance() {
        let throws = |games: u32| (0..games).map(|game| f64::from(game % GAMES_PER_PART));
        let even: Vec<f64> = throws(GAMES_FIRST).collect();
        assert_eq!(scatter(&even), 0.0);
        // One unit apart in the two games of each throw: a variance of one half.
        let apart: Vec<f64> = (throws(GAMES_FIRST).enumerate())
            .map(|(game, value)| value + f64::from(u8::from(game >= 36)))
            .collect();
        assert!((scatter(&apart) - 0.5).abs() < 1e-12);
        // Where not every throw comes twice, all differences count.
        let few: Vec<f64> = throws(40).collect();
        assert!(scatter(&few) > 100.0);
    }
}
