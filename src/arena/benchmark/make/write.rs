//! Records from rollouts, and comparisons of a second rollout with a first.

use super::choose::Chosen;
use super::recipe::{CubeStakes, GAMES_PER_PART, Recipe, equity, truncation};
use super::roll::KnownResults;
use gammond_base::stats::Running;
use gammond_game::Chances;
use gammond_game::notation::{
    BenchmarkRecord, CubeRecord, ListedPlay, PlayRecord, PositionChances,
};
use gammond_job::Stamp;
use std::fmt::Write as _;

/// The stamp of files that are made here.
pub const STAMP: Stamp = Stamp("gammond rollout");

/// Returns the `s` line: the settings under their published names, then those without such a name; last the
/// contributor, a word, and the day.
#[must_use]
pub fn settings_line(recipe: &Recipe, net: &str, by: Option<[&str; 2]>) -> String {
    let rollout = &recipe.rollout;
    let truncate = truncation(rollout.truncate);
    // Names and values stand in turn: a value is one word.
    let net = net.replace(' ', "-");
    let by = by.map(|[name, day]| format!(" contributor {name} date {day}"));
    let by = by.unwrap_or_default();
    let settings = BenchmarkRecord::Settings(format!(
        "version gammond-{} weights {net} moves2plyLimit 20 rolloutLimit {} nRollOutGames {} cubeAway {} include0Ply 1 \
         evalPlies 2 shortCuts 0 osrGames {} osrInRoll {} plies {} vr {} truncate {truncate} full {} seed {}{by}",
        env!("CARGO_PKG_VERSION"),
        recipe.best,
        rollout.trials,
        recipe
            .cube
            .map_or(CubeStakes::AWAY_USUAL, |cube| cube.away()),
        rollout.leaf_osr.unwrap_or(0),
        u8::from(rollout.leaf_osr.is_some()),
        rollout.sides[0].plies,
        u8::from(rollout.variance_reduction),
        u8::from(recipe.full),
        rollout.seed,
    ));
    format!("{settings}\n")
}

/// Fewest whole parts of games whose scatter shows the precision of a loss.
const PARTS_MIN: u64 = 2;

/// Results of a record's games.
pub(super) struct GameResults {
    /// Mean chances of each candidate, seen by the player who is to act.
    chances: Vec<[f64; 5]>,
    /// Equity of each whole part of each candidate. A last part of fewer games scatters more than the others, so it is
    /// left out.
    equities: Vec<Vec<f64>>,
    /// Candidates, best first.
    pub(super) order: Vec<usize>,
}

impl GameResults {
    pub(super) fn of(record: &Chosen, known: &KnownResults) -> GameResults {
        let (mut chances, mut equities) = (Vec::new(), Vec::new());
        for candidate in 0..record.rolled() {
            let (mut sum, mut whole) = ([0.0; 5], Vec::new());
            let mut left = record.games[candidate];
            for part in &known.candidates[candidate] {
                let games = left.min(GAMES_PER_PART);
                left -= games;
                if games == GAMES_PER_PART {
                    whole.push(equity(part));
                }
                for (sum, chance) in sum.iter_mut().zip(part) {
                    *sum += f64::from(games) * chance;
                }
            }
            // With the luck taken out a chance may come out a little below 0 or above 1.
            let games = f64::from(record.games[candidate]);
            chances.push(sum.map(|sum| (sum / games).clamp(0.0, 1.0)));
            equities.push(whole);
        }
        let value = |index: &usize| equity(&chances[*index]);
        let mut order: Vec<usize> = (0..record.rolled()).collect();
        order.sort_by(|a, b| value(b).total_cmp(&value(a)));
        GameResults {
            chances,
            equities,
            order,
        }
    }

    /// Returns the standard error of a match winning chance; one part has none. An equity of a chance alone is twice it
    /// less 1.
    fn error(&self, side: usize) -> Option<f64> {
        let parts: Running = self.equities[side].iter().copied().collect();
        (parts.count() >= PARTS_MIN).then(|| parts.standard_error() / 2.0)
    }

    /// Returns how much a candidate is worse than another, and the standard error of that, from the parts: parts have
    /// the same dice for all candidates, and each spreads the first throws evenly. One part has no error.
    pub(super) fn loss(&self, best: usize, other: usize) -> (f64, Option<f64>) {
        let loss = equity(&self.chances[best]) - equity(&self.chances[other]);
        let (best, other) = (&self.equities[best], &self.equities[other]);
        let gaps: Running = best.iter().zip(other).map(|(a, b)| a - b).collect();
        if gaps.count() < PARTS_MIN {
            return (loss, None);
        }
        if best.len() == other.len() {
            return (loss, Some(gaps.standard_error()));
        }
        // One has more parts than the other: the shared part, `2 cov = var a + var b - var(a - b)`, counts for the
        // parts that both have, divided by the longer: `var a / m + var b / n - 2 cov / max(m, n)`.
        let shared = gaps.count() as usize;
        let variance = |of: &[f64]| of.iter().copied().collect::<Running>().variance();
        let twice = variance(&best[..shared]) + variance(&other[..shared]) - gaps.variance();
        let apart = variance(best) / best.len() as f64 + variance(other) / other.len() as f64;
        let longer = best.len().max(other.len()) as f64;
        (loss, Some((apart - twice / longer).max(0.0).sqrt()))
    }
}

/// Returns the lines of all records that have all their games.
#[must_use]
pub fn records(recipe: &Recipe, records: &[Chosen], known: &[KnownResults]) -> String {
    let mut text = String::new();
    for (number, (record, known)) in records.iter().zip(known).enumerate() {
        if known.parts == record.parts() {
            lines(recipe, number, record, known, &mut text);
        }
    }
    text
}

fn lines(recipe: &Recipe, number: usize, record: &Chosen, known: &KnownResults, text: &mut String) {
    let rolled = GameResults::of(record, known);
    let mut line = |record: BenchmarkRecord| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{record}");
    };
    line(BenchmarkRecord::Seed(recipe.seed(number).into()));
    if let Some(stakes) = recipe.cube {
        let [no_double, double_take] = [0, 1].map(|side| rolled.chances[side][0]);
        let errors = [0, 1].map(|side| match rolled.error(side) {
            Some(error) => format!("{:.3}", 100.0 * error),
            None => "unknown".to_owned(),
        });
        let (games, errors) = (record.games[0], errors.join(" "));
        line(BenchmarkRecord::Comment(format!(
            " {games} games; standard errors in percent: {errors}"
        )));
        line(BenchmarkRecord::Cube(CubeRecord {
            position: record.position,
            no_double: 100.0 * no_double,
            double_take: 100.0 * double_take,
            action: stakes.action(no_double, double_take),
        }));
        return;
    }
    let (Some(roll), Some(&best)) = (record.roll, rolled.order.first()) else {
        let chances = Chances::from_array(rolled.chances[0].map(|chance| chance as f32));
        let position = record.position;
        line(BenchmarkRecord::Position(PositionChances {
            position,
            chances,
        }));
        return;
    };
    for (&position, chances) in record.candidates.iter().zip(&rolled.chances) {
        // Chances of the opponent, who is on roll after the play.
        let chances = Chances::from_array(chances.map(|chance| chance as f32)).inverted();
        line(BenchmarkRecord::Rolled(PositionChances {
            position,
            chances,
        }));
    }
    let errors: Vec<String> = (rolled.order.iter().skip(1))
        .map(|&other| match rolled.loss(best, other).1 {
            Some(error) => format!("{error:.4}"),
            None => "unknown".to_owned(),
        })
        .collect();
    let each: Vec<u32> = (rolled.order.iter())
        .map(|&one| record.games[one])
        .collect();
    let games = match each.split_first() {
        Some((first, rest)) if rest.iter().all(|games| games == first) => first.to_string(),
        _ => each
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    };
    let errors = errors.join(" ");
    let comment = format!(" {games} games; standard errors of the losses: {errors}");
    line(BenchmarkRecord::Comment(comment));
    let candidates = rolled.order.iter().map(|&index| ListedPlay {
        position: record.candidates[index],
        loss: rolled.loss(best, index).0,
    });
    line(BenchmarkRecord::Play(PlayRecord {
        position: record.position,
        roll,
        equity: equity(&rolled.chances[best]),
        candidates: candidates.collect(),
    }));
}

/// Comparison of a second rollout with the records of a first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RepeatComparison {
    /// Records of plays.
    pub records: u64,
    /// Number of records in which another play is best now.
    pub changed: u64,
    /// ... by more than two standard errors.
    pub clearly: u64,
    /// Records with too few games for a standard error: they are never among [`RepeatComparison::clearly`].
    pub uncertain: u64,
    /// The best play was not listed.
    pub missed: u64,
    /// Points that the play which was best before loses now.
    pub loss: Running,
    /// Standard errors of the greatest loss of each record.
    pub error: Running,
}

/// Compares rolled-out records with the candidates listed best before: the first of each.
#[must_use]
pub fn again(records: &[Chosen], known: &[KnownResults]) -> RepeatComparison {
    let mut again = RepeatComparison::default();
    for (record, known) in records.iter().zip(known) {
        if record.roll.is_none() || known.parts < record.parts() {
            continue;
        }
        let rolled = GameResults::of(record, known);
        let best = rolled.order[0];
        let (loss, error) = rolled.loss(best, 0);
        again.records += 1;
        again.changed += u64::from(loss > 0.0);
        again.clearly += u64::from(error.is_some_and(|error| loss > 2.0 * error));
        again.missed += u64::from(best >= record.listed);
        again.loss.add(loss);
        let others = rolled.order.iter().filter(|&&other| other != best);
        let errors: Option<Vec<f64>> = others.map(|&other| rolled.loss(best, other).1).collect();
        match errors {
            Some(errors) => again.error.add(errors.into_iter().fold(0.0, f64::max)),
            None => again.uncertain += 1,
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Position;

    /// BM-24: a last part of fewer games counts for the chances, not for their standard errors.
    #[test]
    fn a_short_last_part_changes_no_standard_error() {
        let results = |games: u32, wins: &[f64]| {
            let record = Chosen {
                position: Position::start(),
                roll: None,
                candidates: Vec::new(),
                listed: 0,
                sides: 2,
                games: vec![games; 2],
            };
            let side = |sign: f64| {
                wins.iter()
                    .map(move |win| [0.5 + sign * win, 0.0, 0.0, 0.0, 0.0])
            };
            let known = KnownResults {
                parts: record.parts(),
                candidates: vec![side(1.0).collect(), side(-1.0).collect()],
            };
            GameResults::of(&record, &known)
        };
        let whole = results(3 * GAMES_PER_PART, &[0.01, 0.02, 0.03]);
        let longer = results(3 * GAMES_PER_PART + 1, &[0.01, 0.02, 0.03, 0.5]);
        assert!(whole.error(0).is_some());
        assert_eq!(whole.error(0), longer.error(0));
        assert_eq!(whole.loss(0, 1).1, longer.loss(0, 1).1);
        assert!(longer.loss(0, 1).0 > whole.loss(0, 1).0);
        assert_eq!(results(GAMES_PER_PART + 9, &[0.01, 0.5]).error(0), None);
    }
}
