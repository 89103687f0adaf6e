//! The pruning net: a small net that ranks the plays of one roll roughly, made by watching the
//! strong net (TP-10 to TP-12 of `protocol-specs/training-files.md`).
//!
//! Games of the strong net against itself, with exploration, give groups: all plays of a roll with
//! the strong net's chances. The small net has one layer and five linear outputs, and learns only how
//! the plays of a group *differ*, the good ones above all: what all have in common does not matter
//! for a ranking. The same plan gives the same bytes with any number of threads.

use super::run::RunError;
use super::starts;
use crate::eval::Evaluator;
use crate::eval::own::{InputSet, OwnEvaluator};
use crate::game::{Chances, Position, generate_plays};
use crate::nn::format::native::{Label, write};
use crate::nn::{FloatNet, InputGroup, RESULTS, SecondBits, quantise};
use crate::rng::{ChaCha8Rng, below, stream, unit};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a pruning net is made, as its TOML file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PruningPlan {
    /// Seed of everything.
    pub seed: u64,
    /// Name of the net.
    pub name: String,
    /// The nets to be watched: a folder or file; the embedded ones when not set.
    pub nets: Option<PathBuf>,
    /// Units, at most 64.
    pub width: usize,
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

/// Groups with fewer plays are never pruned.
const PLAYS_MIN: usize = 4;
/// Longest game.
const TURNS_MAX: usize = 200;
/// Groups whose gradient is summed on one thread.
const PIECE: usize = 16;
/// Equity from chances, without its constant.
const EQUITY: [f32; RESULTS] = [2.0, 1.0, 1.0, -1.0, -1.0];
/// How much each chance counts by itself beside the equity, for other prices of gammons.
const ALONE: [f32; RESULTS] = [0.6, 0.3, 0.1, 0.3, 0.1];
/// Plays this much worse than the best count a third as much.
const SCALE: f32 = 0.08;
/// What a very bad play counts, beside 1 for the best.
const BACKGROUND: f32 = 0.12;

/// All plays of a roll: inputs of the positions after them and the watched net's chances.
struct Plays {
    inputs: Vec<Vec<(u16, f32)>>,
    wanted: Vec<[f32; RESULTS]>,
    /// Adds up to 1.
    weights: Vec<f32>,
}

impl Plays {
    fn new(after: &[Position], chances: &[Chances]) -> Plays {
        let inputs = after.iter().map(|position| {
            let values = InputSet::Counts.values(position).into_iter();
            values.map(|(row, value)| (row as u16, value as f32))
        });
        // The opponent is on roll: least is best.
        let equities: Vec<f32> = chances.iter().map(|chances| chances.equity()).collect();
        let best = equities.iter().copied().fold(f32::INFINITY, f32::min);
        let weight = |equity: f32| BACKGROUND + ((best - equity) / SCALE).exp();
        let mut weights: Vec<f32> = equities.into_iter().map(weight).collect();
        let total: f32 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        Plays {
            inputs: inputs.map(Iterator::collect).collect(),
            wanted: chances.iter().map(|chances| chances.to_array()).collect(),
            weights,
        }
    }
}

/// One game; its groups.
fn play(evaluator: &OwnEvaluator, plan: &PruningPlan, rng: &mut ChaCha8Rng) -> Vec<Plays> {
    let mut position = if unit(rng) < plan.odd_starts {
        starts::odd(rng)
    } else {
        Position::start()
    };
    let (mut after, mut groups) = (Vec::new(), Vec::new());
    for _ in 0..TURNS_MAX {
        if !position.has_contact() || position.is_over() {
            break;
        }
        generate_plays(&position, crate::game::Roll::thrown(rng), &mut after);
        if after.is_empty() {
            position = position.swapped();
            continue;
        }
        let mut chances = vec![Chances::default(); after.len()];
        evaluator.evaluate(Some(&position.swapped()), &after, &mut chances);
        if after.len() >= PLAYS_MIN {
            groups.push(Plays::new(&after, &chances));
        }
        let least = |index: &usize, other: &usize| {
            chances[*index]
                .equity()
                .total_cmp(&chances[*other].equity())
        };
        let chosen = if unit(rng) < plan.explore {
            Some(below(rng, after.len() as u32) as usize)
        } else {
            (0..after.len()).min_by(least)
        };
        position = chosen.map_or(position, |chosen| after[chosen]);
    }
    groups
}

/// The net in float32: `clip(bias + inputs * rows)`, then linear outputs without bias.
struct Net {
    width: usize,
    /// Rows, bias, outputs one after the other.
    values: Vec<f32>,
}

impl Net {
    const INPUTS: usize = InputSet::Counts.inputs();

    fn random(width: usize, rng: &mut ChaCha8Rng) -> Net {
        let mut values: Vec<f32> = (0..(Net::INPUTS + 1 + RESULTS) * width)
            .map(|_| (unit(rng) - 0.5) as f32 * 0.3)
            .collect();
        values[Net::INPUTS * width..][..width].fill(0.5);
        Net { width, values }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    /// The sums before clipping, and the outputs.
    fn forward(&self, inputs: &[(u16, f32)], sums: &mut [f32]) -> [f32; RESULTS] {
        sums.copy_from_slice(self.row(Net::INPUTS));
        for &(row, value) in inputs {
            for (sum, weight) in sums.iter_mut().zip(self.row(row.into())) {
                *sum += value * weight;
            }
        }
        std::array::from_fn(|k| {
            let weights = self.row(Net::INPUTS + 1 + k);
            let parts = sums.iter().zip(weights);
            parts
                .map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight)
                .sum()
        })
    }

    /// Adds the gradient of a group's loss to `gradient`; the loss.
    fn learn(&self, plays: &Plays, gradient: &mut [f32]) -> f32 {
        let width = self.width;
        let mut sums = vec![0.0; width * plays.inputs.len()];
        let found: Vec<[f32; RESULTS]> = (plays.inputs.iter())
            .zip(sums.chunks_exact_mut(width))
            .map(|(inputs, sums)| self.forward(inputs, sums))
            .collect();
        let mean = |all: &[[f32; RESULTS]], k: usize| -> f32 {
            let parts = all.iter().zip(&plays.weights);
            parts.map(|(values, weight)| values[k] * weight).sum()
        };
        let offset: [f32; RESULTS] =
            std::array::from_fn(|k| mean(&found, k) - mean(&plays.wanted, k));
        let mut loss = 0.0;
        for (index, found) in found.iter().enumerate() {
            let (wanted, weight) = (&plays.wanted[index], plays.weights[index]);
            let error: [f32; RESULTS] = std::array::from_fn(|k| found[k] - wanted[k] - offset[k]);
            let equity: f32 = (0..RESULTS).map(|k| EQUITY[k] * error[k]).sum();
            loss += weight * equity * equity;
            // The offset's own share of the gradient is zero: weighted errors add up to none.
            let slope: [f32; RESULTS] =
                std::array::from_fn(|k| 2.0 * weight * (equity * EQUITY[k] + ALONE[k] * error[k]));
            self.back(
                &plays.inputs[index],
                &sums[index * width..][..width],
                &slope,
                gradient,
            );
        }
        loss
    }

    fn back(
        &self,
        inputs: &[(u16, f32)],
        sums: &[f32],
        slope: &[f32; RESULTS],
        gradient: &mut [f32],
    ) {
        let width = self.width;
        let mut deltas = [0.0f32; WIDTH_MAX];
        let deltas = &mut deltas[..width];
        for (k, slope) in slope.iter().enumerate() {
            let start = (Net::INPUTS + 1 + k) * width;
            let weights = &self.values[start..][..width];
            for (delta, weight) in deltas.iter_mut().zip(weights) {
                *delta += slope * weight;
            }
            for (gradient, sum) in gradient[start..][..width].iter_mut().zip(sums) {
                *gradient += slope * sum.clamp(0.0, 1.0);
            }
        }
        for (delta, sum) in deltas.iter_mut().zip(sums) {
            // A little beyond the clip, so that no unit stays there for good.
            *delta *= if (0.0..=1.0).contains(sum) { 1.0 } else { 0.02 };
        }
        let bias = (Net::INPUTS as u16, 1.0);
        for &(row, value) in inputs.iter().chain([&bias]) {
            let start = usize::from(row) * width;
            for (gradient, delta) in gradient[start..][..width].iter_mut().zip(&*deltas) {
                *gradient += value * delta;
            }
        }
    }

    /// The net file.
    fn file(&self, name: &str) -> Result<Vec<u8>, RunError> {
        let group = InputGroup {
            name: "base".into(),
            inputs: Net::INPUTS,
        };
        let width = self.width;
        let (rows, rest) = self.values.split_at(Net::INPUTS * width);
        let mut net = FloatNet::zeros(vec![group], width, RESULTS);
        net.w1.copy_from_slice(rows);
        net.b1.copy_from_slice(&rest[..width]);
        net.w2.copy_from_slice(&rest[width..]);
        let inputs = InputSet::Counts;
        let parts = quantise(&net, &inputs.units(), SecondBits::Thirteen, 3)?;
        let label = Label {
            name: name.into(),
            inputs: inputs.name().into(),
            class: "pruning".into(),
        };
        Ok(write(&label, &parts))
    }
}

/// Widest net.
const WIDTH_MAX: usize = 64;

/// How well a net ranks, over some groups.
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

    fn add(&mut self, net: &Net, plays: &Plays) {
        let equity = |values: &[f32; RESULTS]| -> f32 {
            values
                .iter()
                .zip(EQUITY)
                .map(|(value, part)| value * part)
                .sum()
        };
        let mut sums = vec![0.0; net.width];
        let mut ranked: Vec<(f32, f32)> = (plays.inputs.iter().zip(&plays.wanted))
            .map(|(inputs, wanted)| (equity(&net.forward(inputs, &mut sums)), equity(wanted)))
            .collect();
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

/// First and second moments of the gradient.
struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn step(&mut self, values: &mut [f32], gradient: &[f32], rate: f32) {
        self.steps += 1;
        let correction = |beta: f32| 1.0 - beta.powi(self.steps.min(20_000));
        let (one, two) = (correction(0.9), correction(0.999));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((value, gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
            *first += 0.1 * (gradient - *first);
            *second += 0.001 * (gradient * gradient - *second);
            *value -= rate * (*first / one) / ((*second / two).sqrt() + 1e-8);
        }
    }
}

/// Makes a pruning net; its file. A line for `report` after each round: what is lost and how often the
/// best play is missed among the first plays of groups that the net has not seen.
///
/// # Errors
/// When the nets cannot be read, or the net cannot be rounded to integers.
pub fn train(plan: &PruningPlan, report: &mut dyn FnMut(&str)) -> Result<Vec<u8>, RunError> {
    let evaluator = match &plan.nets {
        Some(path) => OwnEvaluator::load(path)?,
        None => OwnEvaluator::embedded()?,
    };
    let mut rng = stream(plan.seed, u64::MAX);
    let mut net = Net::random(plan.width.clamp(1, WIDTH_MAX), &mut rng);
    let size = net.values.len();
    let mut adam = Adam {
        first: vec![0.0; size],
        second: vec![0.0; size],
        steps: 0,
    };
    for round in 0..plan.rounds {
        let games = (0..plan.games).into_par_iter().map(|game| {
            let number = (round * plan.games + game) as u64;
            play(&evaluator, plan, &mut stream(plan.seed, number))
        });
        let mut groups: Vec<Plays> = games.collect::<Vec<_>>().into_iter().flatten().collect();
        let mut ranking = Ranking::default();
        groups
            .iter()
            .take(4000)
            .for_each(|plays| ranking.add(&net, plays));
        let count = ranking.groups.max(1) as f64;
        let lost = ranking.lost.map(|lost| 1e3 * lost / count);
        let missed = ranking.missed.map(|missed| 100.0 * missed as f64 / count);
        report(&format!(
            "round {round}: {} groups; first {:?} plays lose {lost:.2?} thousandths, miss {missed:.2?} %",
            groups.len(),
            Ranking::TOPS
        ));
        let done = |pass: usize| (round * plan.passes + pass) as f32;
        for pass in 0..plan.passes {
            let part = done(pass) / (plan.rounds * plan.passes) as f32;
            let cosine = (1.0 + (part * std::f32::consts::PI).cos()) / 2.0;
            let rate = plan.rate * (1.0 / 30.0 + cosine * 29.0 / 30.0);
            for index in (1..groups.len()).rev() {
                groups.swap(index, below(&mut rng, index as u32 + 1) as usize);
            }
            for batch in groups.chunks(plan.batch.max(1)) {
                let gradient = gradient(&net, batch);
                adam.step(&mut net.values, &gradient, rate);
            }
        }
    }
    net.file(&plan.name)
}

/// The mean gradient of a batch, in pieces that are added in order.
fn gradient(net: &Net, batch: &[Plays]) -> Vec<f32> {
    let pieces = batch.par_chunks(PIECE).map(|piece| {
        let mut gradient = vec![0.0; net.values.len()];
        for plays in piece {
            net.learn(plays, &mut gradient);
        }
        gradient
    });
    let pieces: Vec<Vec<f32>> = pieces.collect();
    let mut sum = vec![0.0; net.values.len()];
    for piece in pieces {
        for (sum, part) in sum.iter_mut().zip(piece) {
            *sum += part / batch.len() as f32;
        }
    }
    sum
}
