//! The model beside choices by noise, on decisions that it has not learnt from.

use super::samples::{Options, Sample, Samples};
use gammond_engine::people::{People, play_inputs, softmax};
use rayon::prelude::*;

/// Bounds of the error rates of players that are reported apart.
const RANGES: [[f64; 2]; 3] = [[0.0, 5.0], [5.0, 8.0], [8.0, 100.0]];

/// Shares by which a method chooses the plays of a roll.
type Shares<'a> = &'a (dyn Fn(&Sample) -> Vec<f64> + Sync);

/// Reports the mean logarithm of the played move's share, how often the play with the largest share was played, and how
/// often a play drawn by the shares would have been: for the model, for the noise that fits each range best, and for a
/// choice by the loss alone whose temperature fits best.
pub(super) fn against_noise(people: &People, samples: &Samples, report: &mut dyn FnMut(&str)) {
    for [low, high] in RANGES {
        let held = |sample: &&Sample| {
            let rate = f64::from(sample.level).exp();
            let plays = matches!(sample.options, Options::Plays { .. });
            sample.held_out && plays && (low..high).contains(&rate)
        };
        let held: Vec<&Sample> = samples.all.iter().filter(held).collect();
        if held.is_empty() {
            continue;
        }
        let model = measured(&held, &|sample| by_model(people, sample));
        let best = |method: fn(&Sample, f64) -> Vec<f64>| {
            let scales = (0..12).map(|step| 0.005 * 1.5f64.powi(step));
            let all = scales.map(|scale| (scale, measured(&held, &|sample| method(sample, scale))));
            all.max_by(|a, b| a.1[0].total_cmp(&b.1[0]))
                .unwrap_or_default()
        };
        let (noise, by_noise) = best(by_noise);
        let (temperature, by_loss) = best(by_loss);
        let text = |[log, top, drawn]: [f64; 3]| {
            format!(
                "log share {log:.4}, largest share played {:.1} %, drawn {:.1} %",
                100.0 * top,
                100.0 * drawn
            )
        };
        report(&format!(
            "players of PR {low} to {high}, {} plays held out: model {}; noise {noise:.3} {}; loss by {temperature:.3} {}",
            held.len(),
            text(model),
            text(by_noise),
            text(by_loss)
        ));
    }
}

fn measured(samples: &[&Sample], shares: Shares<'_>) -> [f64; 3] {
    let one = |sample: &&Sample| {
        let Options::Plays { chosen, .. } = sample.options else {
            return [0.0; 3];
        };
        let shares = shares(sample);
        let share = shares[chosen];
        let is_top = shares.iter().all(|other| *other <= share);
        [share.max(1e-6).ln(), f64::from(u8::from(is_top)), share]
    };
    let all: Vec<[f64; 3]> = samples.par_iter().map(one).collect();
    let mut sums = [0.0; 3];
    for one in &all {
        sums.iter_mut()
            .zip(one)
            .for_each(|(sum, value)| *sum += value);
    }
    sums.map(|sum| sum / all.len().max(1) as f64)
}

fn losses(sample: &Sample) -> Vec<f64> {
    match &sample.options {
        Options::Plays { plays, .. } => plays.iter().map(|play| play.loss.into()).collect(),
        Options::Cube { .. } => Vec::new(),
    }
}

fn by_model(people: &People, sample: &Sample) -> Vec<f64> {
    let Options::Plays {
        before,
        roll,
        plays,
        ..
    } = &sample.options
    else {
        return Vec::new();
    };
    let inputs = play_inputs(before, *roll, plays, sample.level);
    softmax(
        inputs
            .iter()
            .map(|input| people.play.score(input).into())
            .collect(),
    )
}

fn by_loss(sample: &Sample, temperature: f64) -> Vec<f64> {
    softmax(
        losses(sample)
            .iter()
            .map(|loss| -loss / temperature)
            .collect(),
    )
}

/// Returns the chances that each play is the best one when each value has normal noise of this deviation.
fn by_noise(sample: &Sample, deviation: f64) -> Vec<f64> {
    const STEPS: i32 = 20;
    let losses = losses(sample);
    // Further plays are never the best one.
    let near: Vec<usize> = (0..losses.len())
        .filter(|&number| losses[number] < 8.0 * deviation)
        .collect();
    let mut shares = vec![0.0; losses.len()];
    for &number in &near {
        let weights = (-STEPS..=STEPS).map(|step| {
            let x = f64::from(step) * 4.5 / f64::from(STEPS);
            let others = near.iter().filter(|other| **other != number);
            let behind =
                others.map(|&other| normal(x + (losses[other] - losses[number]) / deviation));
            (-x * x / 2.0).exp() * behind.product::<f64>()
        });
        shares[number] = weights.sum();
    }
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// Returns the normal distribution function, by the approximation 26.2.17 of Abramowitz and Stegun.
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = series.iter().rev().fold(0.0, |sum, term| t * (term + sum));
    let tail = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if x > 0.0 { 1.0 - tail } else { tail }
}
