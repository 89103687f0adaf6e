//! Our own nets: `cargo bench --bench own_net [-- PATH_OF_GNUBG_WD]`.
//!
//! One thread, the shortest of many short rounds, all variants in turn within every round. The
//! decisions come from games that the fast net plays against itself. Ratios between lines of one
//! run mean something; bare figures depend on the machine and its other work.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench prints its figures and may fail loudly"
)]

use gammond_base::rng;
use gammond_engine::bearoff::Tables;
use gammond_engine::eval::Evaluator;
use gammond_engine::eval::gnubg::GnubgEvaluator;
use gammond_engine::eval::gnubg::WeightsFile;
use gammond_engine::eval::nets::NetEvaluator;
use gammond_engine::nn::CpuLevel;
use gammond_game::{Chances, Class, Position, Roll, legal_plays};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

struct Decision {
    position: Position,
    roll: Roll,
    after: Vec<Position>,
}

/// Decisions with contact from games of `evaluator` against itself.
fn decisions(evaluator: &NetEvaluator, count: usize) -> Vec<Decision> {
    let mut dice = rng::stream(1, 0);
    let mut found = Vec::new();
    let mut position = Position::start();
    while found.len() < count {
        let roll = gammond_game::Roll::thrown(&mut dice);
        let after: Vec<Position> = legal_plays(&position, roll)
            .iter()
            .map(|play| play.after)
            .collect();
        if after.is_empty() {
            position = position.swapped();
            continue;
        }
        let next = best(evaluator, &position, &after);
        if after.iter().all(|after| Class::of(after) >= Class::Crashed) {
            found.push(Decision {
                position,
                roll,
                after,
            });
        }
        position = if next.is_over() {
            Position::start()
        } else {
            next
        };
    }
    found
}

/// The position after the best play.
fn best(evaluator: &dyn Evaluator, position: &Position, after: &[Position]) -> Position {
    let mut out = [Chances::default(); 512];
    let out = &mut out[..after.len()];
    evaluator.evaluate(Some(&position.swapped()), after, out);
    let worst_for_them = (after.iter().zip(out.iter()))
        .min_by(|a, b| a.1.equity().total_cmp(&b.1.equity()))
        .map(|(after, _)| *after);
    worst_for_them.unwrap_or(*position)
}

type Work<'a> = (String, Box<dyn FnMut() + 'a>);

/// The shortest time of each over many rounds, in seconds.
fn times(rounds: usize, works: &mut [Work<'_>]) -> Vec<f64> {
    let mut shortest = vec![Duration::MAX; works.len()];
    for _ in 0..rounds {
        for ((_, work), shortest) in works.iter_mut().zip(&mut shortest) {
            let start = Instant::now();
            work();
            *shortest = start.elapsed().min(*shortest);
        }
    }
    shortest.iter().map(Duration::as_secs_f64).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let wd = named.unwrap_or_else(|| "/usr/lib/gnubg/gnubg.wd".into());
    let (strong, fast) = (NetEvaluator::embedded()?, NetEvaluator::embedded_fast()?);
    let decisions = decisions(&fast, 100);
    let plays: usize = decisions.iter().map(|decision| decision.after.len()).sum();
    let mut evaluators: Vec<(String, Box<dyn Evaluator>)> = Vec::new();
    for level in CpuLevel::available() {
        let name = |net: &str| format!("{net} net, {}", level.name());
        evaluators.push((name("strong"), Box::new(strong.at(level))));
        evaluators.push((name("fast"), Box::new(fast.at(level))));
    }
    if let Ok(file) = WeightsFile::load(Path::new(&wd)) {
        let tables = Tables::shared().clone();
        let gnubg = GnubgEvaluator::new(&file, tables, CpuLevel::detect())?;
        evaluators.push(("gnubg's weights in gammond".into(), Box::new(gnubg)));
    }
    let mut works: Vec<Work<'_>> = Vec::new();
    for (name, evaluator) in &evaluators {
        let (decisions, evaluator) = (&decisions, evaluator.as_ref());
        works.push((
            format!("{name}: candidates of a roll"),
            Box::new(move || {
                let mut out = [Chances::default(); 512];
                for Decision {
                    position, after, ..
                } in decisions
                {
                    evaluator.evaluate(Some(&position.swapped()), after, &mut out[..after.len()]);
                }
            }),
        ));
        works.push((
            format!("{name}: one by one, no reference"),
            Box::new(move || {
                let mut out = [Chances::default(); 1];
                for after in decisions.iter().flat_map(|decision| &decision.after) {
                    evaluator.evaluate(None, std::slice::from_ref(after), &mut out);
                }
            }),
        ));
        works.push((
            format!("{name}: best play"),
            Box::new(move || {
                for Decision { position, roll, .. } in decisions {
                    let after: Vec<Position> = legal_plays(position, *roll)
                        .iter()
                        .map(|play| play.after)
                        .collect();
                    std::hint::black_box(best(evaluator, position, &after));
                }
            }),
        ));
    }
    let rounds = 100;
    println!(
        "{} decisions, {plays} plays; shortest of {rounds} rounds",
        decisions.len()
    );
    let seconds = times(rounds, &mut works);
    for ((name, _), seconds) in works.iter().zip(seconds) {
        println!(
            "{name:55} {:8.1} ns an evaluation {:8.3} M/s {:9.2} us a decision",
            seconds * 1e9 / plays as f64,
            plays as f64 / seconds / 1e6,
            seconds * 1e6 / decisions.len() as f64
        );
    }
    Ok(())
}
