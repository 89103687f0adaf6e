//! The volatility net: a small net for how far the next roll moves the winning chance, trained on games of the strong
//! nets (TP-13 of `protocol-specs/training-files.md`).
//!
//! Games of the strong nets against themselves, with exploration; at every turn the strong nets look one play ahead, and the
//! standard deviation of the winning chance over the 21 rolls is what the small net learns. At the end what it says is laid beside
//! searches with a cube, for how live that cube is (`super::life`); the file holds both. The same plan gives the same bytes with any
//! number of threads.

use super::life;
use super::limits::{BATCH_MAX, Checked, LABELS_MAX, PASSES_MAX, TIMES_MAX, shares, within};
use super::net::{Head, Net};
use super::run::RunError;
use super::shard::Label;
use super::step::{StepSettings, Trainer};
use super::watch::{self, Watched};
use gammond_base::rng::{below, stream, unit};
use gammond_engine::eval::nets::{CubeLife, NetEvaluator, Role};
use gammond_engine::search::{Filter, OnePly, Scratch};
use gammond_game::Position;
use gammond_job::{Control, Progress};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of a volatility net's training, as in its TOML file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolatilityPlan {
    /// Seed of everything.
    pub seed: u64,
    /// Name of the net.
    pub name: String,
    /// The nets to be watched: a folder or file; the embedded ones when not set.
    pub nets: Option<PathBuf>,
    /// Rounds of games; the net learns from each after it is played; before, it measures the net's error on it.
    pub rounds: usize,
    /// Games in a round.
    pub games: usize,
    /// Passes over the positions of a round.
    pub passes: usize,
    /// Positions in a step.
    pub batch: usize,
    /// Learning rate at the start; a cosine takes it to a thirtieth.
    pub rate: f32,
    /// Share of games from constructed odd positions.
    pub odd_starts: f64,
    /// Chance that a play is any legal one instead of the best.
    pub explore: f64,
    /// Share of the turns that are used.
    pub share: f64,
    /// Settings of the cube life fit.
    pub life: LifePlan,
}

/// Settings of the cube life fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifePlan {
    /// Games whose positions are used, by the share `share`.
    pub games: usize,
    /// Plies of the searches.
    pub plies: u8,
    /// Number of fits: the leaves of each fit's searches use the result of the fit before.
    pub times: usize,
}

impl Checked for VolatilityPlan {
    fn fault(&self) -> Option<String> {
        let parts = [("odd_starts", self.odd_starts), ("explore", self.explore)];
        within("rounds", self.rounds as f64, 1.0, TIMES_MAX)
            .or_else(|| within("games", self.games as f64, 1.0, LABELS_MAX))
            .or_else(|| within("passes", self.passes as f64, 0.0, PASSES_MAX))
            .or_else(|| within("batch", self.batch as f64, 1.0, BATCH_MAX))
            .or_else(|| within("life.games", self.life.games as f64, 1.0, LABELS_MAX))
            .or_else(|| within("life.plies", self.life.plies.into(), 1.0, 4.0))
            .or_else(|| within("life.times", self.life.times as f64, 0.0, TIMES_MAX))
            .or_else(|| within("rate", self.rate.into(), 0.0, 1.0))
            .or_else(|| within("share", self.share, SHARE_LEAST, 1.0))
            .or_else(|| shares(&parts))
    }
}

/// A smaller share of the turns leaves nothing to learn from.
const SHARE_LEAST: f64 = 0.001;

/// Units: as many as a small net has room for.
const WIDTH: usize = 64;

/// Plays one game and returns its positions, each with its volatility.
fn play(evaluator: &NetEvaluator, plan: &VolatilityPlan, number: u64) -> Vec<Label> {
    let (mut rng, mut choice) = (
        stream(plan.seed, 2 * number),
        stream(plan.seed, 2 * number + 1),
    );
    let how = Watched {
        odd_starts: plan.odd_starts,
        explore: plan.explore,
    };
    let one = OnePly::new(evaluator, Filter::PRUNING);
    let (mut labels, mut scratch) = (Vec::new(), Scratch::default());
    how.game(evaluator, &mut rng, |position, _, _| {
        if unit(&mut choice) < plan.share {
            let value = one.volatility(position, &mut scratch);
            labels.push(Label::new(*position, 0, [value as f32, 0.0, 0.0, 0.0, 0.0]));
        }
    });
    labels
}

/// Makes a volatility net; its file. A line for `report` after each round: how far the net is off on positions that it has not
/// seen. `None` when it was stopped.
///
/// # Errors
/// When the nets cannot be read, or the net cannot be rounded to integers.
pub fn train(
    plan: &VolatilityPlan,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<Option<Vec<u8>>, RunError> {
    let evaluator = match &plan.nets {
        Some(path) => NetEvaluator::load(path)?,
        None => NetEvaluator::embedded()?,
    };
    let mut rng = stream(plan.seed, u64::MAX);
    let mut trainer = Trainer::new(Net::random_small(Head::Values, WIDTH, &mut rng));
    for round in 0..plan.rounds {
        control.task = format!("round {round}: games");
        let first = (round * plan.games) as u64;
        let played = watch::games(first, plan.games, control, |number| {
            play(&evaluator, plan, number)
        });
        let Some(mut labels) = played else {
            return Ok(None);
        };
        report(&format!("round {round}: {}", known(&mut trainer, &labels)));
        control.task = format!("round {round}: training");
        for pass in 0..plan.passes {
            let progress = Progress::new("passes", pass as u64, Some(plan.passes as u64));
            control.report_progress(progress, false);
            if control.stop.is_triggered() {
                return Ok(None);
            }
            let done = (round * plan.passes + pass) as f32;
            let settings = StepSettings {
                rate: plan.rate * watch::cosine(done / (plan.rounds * plan.passes) as f32),
                // As for pruning nets: at the end the rate is so low that the last weights are used.
                keep: 0.0,
                pairs: 0.0,
            };
            for index in (1..labels.len()).rev() {
                labels.swap(index, below(&mut rng, index as u32 + 1) as usize);
            }
            for batch in labels.chunks(plan.batch.max(1)) {
                trainer.step(batch, settings);
            }
        }
    }
    let mut net = trainer.averaged();
    with_life(&mut net, life::prior());
    let first = (plan.rounds * plan.games) as u64;
    control.task = "cube life: games".to_owned();
    let played = watch::games(first, plan.life.games, control, |number| {
        play(&evaluator, plan, number)
    });
    let Some(labels) = played else {
        return Ok(None);
    };
    let positions: Vec<Position> = labels.iter().map(|label| label.position).collect();
    for time in 0..plan.life.times {
        control.task = format!("cube life: {} positions", positions.len());
        let progress = Progress::new("times", time as u64, Some(plan.life.times as u64));
        control.report_progress(progress, false);
        let bytes = net.to_integer(&plan.name, Role::Volatility.name())?;
        let knows = evaluator.clone().with_volatility(&plan.name, &bytes)?;
        let Ok(fit) = life::fit(&knows, &positions, plan.life.plies, &control.stop) else {
            return Ok(None);
        };
        report(&format!(
            "cube life, {} positions: off by {:.4?} points before, {:.4?} after (mine, centred, theirs)",
            positions.len(),
            fit.before,
            fit.after
        ));
        with_life(&mut net, fit.life);
    }
    Ok(Some(net.to_integer(&plan.name, Role::Volatility.name())?))
}

/// Puts cube life where the file has it (NF-34): where other nets have the weights of their results.
fn with_life(net: &mut Net, life: CubeLife) {
    let at = net.layout().weights3;
    let numbers = life.as_flattened();
    for (value, number) in net.values[at..].iter_mut().zip(numbers) {
        *value = *number as f32;
    }
}

/// Formats the net's error on these positions.
fn known(trainer: &mut Trainer, labels: &[Label]) -> String {
    let count = labels.len().max(1) as f64;
    let truth = |label: &Label| f64::from(label.targets()[0]);
    let mean = labels.iter().map(truth).sum::<f64>() / count;
    let (mut spread, mut error) = (0.0, 0.0);
    for label in labels {
        let found = trainer.scores(std::slice::from_ref(label)).next();
        let found = f64::from(found.unwrap_or_default()[0]);
        spread += (truth(label) - mean).powi(2);
        error += (truth(label) - found).powi(2);
    }
    format!(
        "{} positions, mean {mean:.4}, spread {:.4}, error {:.4}",
        labels.len(),
        (spread / count).sqrt(),
        (error / count).sqrt()
    )
}
