//! Static evaluation with GNU Backgammon's weights: `cargo bench --bench eval [-- PATH_OF_WEIGHTS]`.
//!
//! Times the middle of many short rounds on one thread. Ratios between lines of one run mean
//! something; bare figures depend on the machine and its other work.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use gammond::bearoff::Tables;
use gammond::eval::Evaluator;
use gammond::eval::gnubg::GnubgEvaluator;
use gammond::game::{Chances, Class, Position, Roll, legal_plays};
use gammond::nn::CpuLevel;
use gammond::nn::format::gnubg::WeightsFile;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Positions and rolls of random games, each with the positions after all plays.
struct Sample {
    all: Vec<Position>,
    decisions: Vec<Vec<Position>>,
}

fn sample(class: Class, decisions: usize) -> Sample {
    let mut seed: u64 = 1;
    let mut below = |n: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let mut found = Vec::new();
    while found.len() < decisions {
        let mut position = Position::start();
        while !position.is_over() {
            let roll = Roll::ALL[below(21)];
            let plays = legal_plays(&position, roll);
            if plays.is_empty() {
                position = position.swapped();
                continue;
            }
            let after: Vec<_> = plays.iter().map(|play| play.after).collect();
            position = after[below(after.len())];
            if after.iter().all(|after| Class::of(after) == class) {
                found.push(after);
            }
        }
    }
    found.truncate(decisions);
    Sample {
        all: found.concat(),
        decisions: found,
    }
}

/// The shortest time of a few rounds, in nanoseconds a unit.
fn time(units: usize, mut work: impl FnMut()) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..300 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / units as f64
}

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let path = named.map_or_else(|| PathBuf::from("/usr/lib/gnubg/gnubg.wd"), PathBuf::from);
    let file = match WeightsFile::load(&path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return;
        }
    };
    for level in CpuLevel::available() {
        let tables = Tables::shared().clone();
        let Ok(evaluator) = GnubgEvaluator::new(&file, tables, level) else {
            continue;
        };
        for class in [Class::Contact, Class::Crashed, Class::Race] {
            let sample = sample(class, 60);
            let mut out = vec![Chances::default(); sample.all.len()];
            let batch = time(out.len(), || {
                evaluator.evaluate(None, &sample.all, &mut out)
            });
            let siblings = time(out.len(), || {
                for decision in &sample.decisions {
                    evaluator.evaluate(None, decision, &mut out[..decision.len()]);
                }
            });
            let single = time(out.len(), || {
                for (position, out) in sample.all.iter().zip(out.chunks_mut(1)) {
                    evaluator.evaluate(None, std::slice::from_ref(position), out);
                }
            });
            let quick = time(out.len(), || {
                for decision in &sample.decisions {
                    evaluator.evaluate_quickly(None, decision, &mut out[..decision.len()]);
                }
            });
            println!(
                "{:8} {class:8} ns/evaluation: all {batch:.0}, by roll ({:.1}) {siblings:.0}, \
                 one by one {single:.0}, pruning net {quick:.0}",
                level.name(),
                sample.all.len() as f64 / 60.0,
            );
        }
    }
}
