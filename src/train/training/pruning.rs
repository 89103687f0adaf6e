//! The pruning net: a small net that ranks the plays of one roll roughly, made by watching the
//! strong net (TP-10 to TP-12 of `protocol-specs/training-files.md`).
//!
//! Games of the strong net against itself, with exploration, give groups: all plays of a roll with
//! the strong net's chances. The small net has one layer and a linear head; the trainer of the other nets teaches it how
//! the plays of a group rank. The same plan gives the same bytes with any number of threads.

use super::limits::{BATCH_MAX, Checked, LABELS_MAX, PASSES_MAX, TIMES_MAX, shares, within};
use super::net::{Head, Net};
use super::ranking::equity;
use super::run::RunError;
use super::shard::Label;
use super::step::{StepSettings, Trainer};
use super::watch::{self, Watched};
use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_engine::eval::nets::{NetEvaluator, Role};
use gammond_game::{Chances, Position};
use gammond_job::{Control, Progress};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of a pruning net's training, as in its TOML file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PruningPlan {
    /// Seed of everything.
    pub seed: u64,
    /// Name of the net.
    pub name: String,
    /// The nets to be watched: a folder or file; the embedded ones when not set.
    pub nets: Option<PathBuf>,
    /// Units: always 64.
    pub width: Width,
    /// Rounds of games.
    pub rounds: usize,
    /// Games in a round.
    pub games: usize,
    /// Passes over the groups of a round.
    pub passes: usize,
    /// Groups in a step.
    pub batch: usize,
    /// Learning rate at the start; a cosine takes it to a thirtieth.
    pub rate: f32,
    /// Share of games from constructed odd positions.
    pub odd_starts: f64,
    /// Chance that a play is any legal one instead of the best.
    pub explore: f64,
}

impl Checked for PruningPlan {
    fn fault(&self) -> Option<String> {
        within("rounds", self.rounds as f64, 1.0, TIMES_MAX)
            .or_else(|| within("games", self.games as f64, 1.0, LABELS_MAX))
            .or_else(|| within("passes", self.passes as f64, 0.0, PASSES_MAX))
            .or_else(|| within("batch", self.batch as f64, 1.0, BATCH_MAX))
            .or_else(|| within("rate", self.rate.into(), 0.0, 1.0))
            .or_else(|| shares(&[("odd_starts", self.odd_starts), ("explore", self.explore)]))
    }
}

/// Number of units of a pruning net: as many as fit at its place of use, since fewer would cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Width(usize);

/// The only one.
const WIDTH: usize = 64;

/// A width that pruning nets do not have.
#[derive(Debug, thiserror::Error)]
#[error("width {0}: a pruning net has {WIDTH} units")]
pub struct BadWidth(usize);

impl TryFrom<usize> for Width {
    type Error = BadWidth;

    fn try_from(width: usize) -> Result<Width, BadWidth> {
        match width {
            WIDTH => Ok(Width(width)),
            _ => Err(BadWidth(width)),
        }
    }
}

impl From<Width> for usize {
    fn from(width: Width) -> usize {
        width.0
    }
}

/// Least number of plays of a group that is pruned.
const PLAYS_MIN: usize = 4;
/// Groups that a round begins with, on which the ranking is measured before they are learnt from.
const SHOWN: usize = 4000;
/// All plays of a roll: labels of the positions after them, each but the first a sibling of the one before it.
type Plays = Vec<Label>;

fn labels(after: &[Position], chances: &[Chances]) -> Plays {
    let play_label = |(index, (&position, chances)): (usize, (_, &Chances))| {
        let label = Label::new(position, 0, chances.to_array());
        match index {
            0 => label,
            _ => label.beside_the_last(),
        }
    };
    after
        .iter()
        .zip(chances)
        .enumerate()
        .map(play_label)
        .collect()
}

/// Plays one game and returns its groups.
fn play(evaluator: &NetEvaluator, plan: &PruningPlan, rng: &mut ChaCha8Rng) -> Vec<Plays> {
    let mut groups = Vec::new();
    let how = Watched {
        odd_starts: plan.odd_starts,
        explore: plan.explore,
    };
    how.game(evaluator, rng, |_, after, chances| {
        if after.len() >= PLAYS_MIN {
            groups.push(labels(after, chances));
        }
    });
    groups
}

/// Quality of a net's ranking, over some groups.
#[derive(Debug, Default, Clone, Copy)]
struct Ranking {
    groups: usize,
    /// Lost by the best of the first 1, 2, 3, 4, 6 plays.
    lost: [f64; 5],
    /// The best play is not among them.
    missed: [usize; 5],
}

impl Ranking {
    const TOPS: [usize; 5] = [1, 2, 3, 4, 6];

    fn add(&mut self, trainer: &mut Trainer, plays: &[Label]) {
        let wanted = plays.iter().map(|play| equity(&play.targets()));
        let found = trainer.scores(plays);
        let mut ranked: Vec<(f32, f32)> = (found.map(|found| equity(&found)).zip(wanted)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = |plays: &[(f32, f32)]| plays.iter().map(|p| p.1).fold(f32::MAX, f32::min);
        let best = least(&ranked);
        self.groups += 1;
        for (index, top) in Ranking::TOPS.into_iter().enumerate() {
            let lost = least(&ranked[..top.min(ranked.len())]) - best;
            self.lost[index] += f64::from(lost);
            self.missed[index] += usize::from(lost > 0.0);
        }
    }
}

/// Makes a pruning net; its file. A line for `report` after each round: what is lost and how often the
/// best play is missed among the first plays of groups that the net has not seen. `None` when it was stopped.
///
/// # Errors
/// When the nets cannot be read, or the net cannot be rounded to integers.
pub fn train(
    plan: &PruningPlan,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<Option<Vec<u8>>, RunError> {
    let evaluator = match &plan.nets {
        Some(path) => NetEvaluator::load(path)?,
        None => NetEvaluator::embedded()?,
    };
    let mut rng = stream(plan.seed, u64::MAX);
    let mut trainer = Trainer::new(Net::random_small(Head::Linear, plan.width.0, &mut rng));
    for round in 0..plan.rounds {
        control.task = format!("round {round}: games");
        let Some(mut groups) = games_of(&evaluator, plan, round, control) else {
            return Ok(None);
        };
        let mut ranking = Ranking::default();
        groups
            .iter()
            .take(SHOWN)
            .for_each(|plays| ranking.add(&mut trainer, plays));
        let count = ranking.groups.max(1) as f64;
        let lost = ranking.lost.map(|lost| 1e3 * lost / count);
        let missed = ranking.missed.map(|missed| 100.0 * missed as f64 / count);
        report(&format!(
            "round {round}: {} groups; first {:?} plays lose {lost:.2?} thousandths, miss {missed:.2?} %",
            groups.len(),
            Ranking::TOPS
        ));
        let done = |pass: usize| (round * plan.passes + pass) as f32;
        control.task = format!("round {round}: training");
        for pass in 0..plan.passes {
            let progress = Progress::new("passes", pass as u64, Some(plan.passes as u64));
            control.report_progress(progress, false);
            if control.stop.is_triggered() {
                return Ok(None);
            }
            let rate = plan.rate * watch::cosine(done(pass) / (plan.rounds * plan.passes) as f32);
            for index in (1..groups.len()).rev() {
                groups.swap(index, below(&mut rng, index as u32 + 1) as usize);
            }
            for batch in groups.chunks(plan.batch.max(1)) {
                let settings = StepSettings {
                    rate,
                    // Its last weights are the net: the rate is so low by then that they hardly move.
                    keep: 0.0,
                    pairs: 0.0,
                };
                trainer.step(&batch.concat(), settings);
            }
        }
    }
    let net = trainer.averaged();
    Ok(Some(net.to_integer(&plan.name, Role::Pruning.name())?))
}

/// Returns the groups of a round's games; `None` when it was stopped.
fn games_of(
    evaluator: &NetEvaluator,
    plan: &PruningPlan,
    round: usize,
    control: &mut Control<'_>,
) -> Option<Vec<Plays>> {
    let first = (round * plan.games) as u64;
    watch::games(first, plan.games, control, |number| {
        play(evaluator, plan, &mut stream(plan.seed, number))
    })
}
