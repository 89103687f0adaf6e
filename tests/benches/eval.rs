//! Static evaluation with GNU Backgammon's weights: `cargo bench --bench eval [-- WEIGHTS [DECISIONS]]`.
//!
//! DECISIONS is a file of lines that begin `POSITIONID DIE DIE`; without it random games give some.
//! One thread. Ratios between lines of one run mean something; bare figures depend on the machine
//! and its other work.
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
use gammond_engine::nn::CpuLevel;
use gammond_game::notation::PositionId;
use gammond_game::{Chances, Class, Position, Roll, generate_plays, perf_positions};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Decisions of random games by class.
const DECISIONS: usize = 60;
const ROUNDS: usize = 200;

type Decision = (Position, Roll);

/// Decisions all of whose plays lead to this class.
fn random_decisions(class: Class) -> Vec<Decision> {
    let mut stream = rng::stream(1, 0);
    let mut plays = Vec::new();
    let positions = perf_positions(20_000, |bound| rng::below(&mut stream, bound));
    let rolls = Roll::ALL.iter().copied().cycle();
    let mut decisions: Vec<Decision> = positions.into_iter().zip(rolls).collect();
    decisions.retain(|(position, roll)| {
        generate_plays(position, *roll, &mut plays);
        plays.len() > 1 && plays.iter().all(|after| Class::of(after) == class)
    });
    let step = (decisions.len() / DECISIONS).max(1);
    decisions
        .into_iter()
        .step_by(step)
        .take(DECISIONS)
        .collect()
}

fn read_decisions(path: &str) -> Option<Vec<Decision>> {
    let text = std::fs::read_to_string(path).ok()?;
    let decision = |line: &str| {
        let mut words = line.split_whitespace();
        let id: PositionId = words.next()?.parse().ok()?;
        let mut die = || words.next()?.parse().ok();
        Some((id.position(), Roll::new(die()?, die()?).ok()?))
    };
    text.lines().map(decision).collect()
}

/// Nanoseconds a unit. Every piece counts with its shortest time of all rounds, so that other work
/// on the machine does not.
fn time(units: usize, pieces: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut best = vec![Duration::MAX; pieces];
    for _ in 0..ROUNDS {
        for (piece, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            work(piece);
            *best = start.elapsed().min(*best);
        }
    }
    best.iter().sum::<Duration>().as_nanos() as f64 / units.max(1) as f64
}

/// The equity of the best play, for the player who chooses.
fn best_play(
    evaluator: &GnubgEvaluator,
    (position, roll): &Decision,
    plays: &mut Vec<Position>,
    out: &mut Vec<Chances>,
) -> f32 {
    generate_plays(position, *roll, plays);
    out.clear();
    out.resize(plays.len(), Chances::default());
    evaluator.evaluate(Some(&position.swapped()), plays, out);
    let equities = out.iter().map(|chances| -chances.equity());
    equities.fold(f32::NEG_INFINITY, f32::max)
}

fn measure(evaluator: &GnubgEvaluator, name: &str, decisions: &[Decision]) {
    let mut plays = Vec::new();
    let after: Vec<Vec<Position>> = decisions
        .iter()
        .map(|(position, roll)| {
            generate_plays(position, *roll, &mut plays);
            plays.clone()
        })
        .collect();
    let count = after.iter().map(Vec::len).sum();
    let mut out = vec![Chances::default(); count];
    let pieces = after.len();
    let siblings = time(count, pieces, |piece| {
        let plays = &after[piece];
        evaluator.evaluate(None, plays, &mut out[..plays.len()]);
    });
    let single = time(count, pieces, |piece| {
        for (position, out) in after[piece].iter().zip(out.chunks_mut(1)) {
            evaluator.evaluate(None, std::slice::from_ref(position), out);
        }
    });
    let quick = time(count, pieces, |piece| {
        let plays = &after[piece];
        evaluator
            .shortcuts()
            .evaluate_quickly(None, plays, &mut out[..plays.len()]);
    });
    let best = time(pieces, pieces, |piece| {
        let decision = &decisions[piece];
        std::hint::black_box(best_play(evaluator, decision, &mut plays, &mut out));
    });
    println!(
        "{name:20} ns an evaluation: by roll {siblings:.0}, one by one {single:.0}, \
         pruning net {quick:.0}; best play {:.1} us ({:.1} plays)",
        best / 1000.0,
        count as f64 / decisions.len() as f64,
    );
}

fn main() {
    let mut named = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let path = named
        .next()
        .unwrap_or_else(|| "/usr/lib/gnubg/gnubg.wd".into());
    let file = match WeightsFile::load(&PathBuf::from(&path)) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{path}: {error}");
            return;
        }
    };
    let given = named.next().and_then(|path| read_decisions(&path));
    for level in CpuLevel::available() {
        let tables = Tables::shared().clone();
        let Ok(evaluator) = GnubgEvaluator::new(&file, tables, level) else {
            continue;
        };
        if let Some(decisions) = &given {
            measure(&evaluator, &format!("{} given", level.name()), decisions);
            continue;
        }
        for class in [Class::Contact, Class::Crashed, Class::Race] {
            let name = format!("{} {class}", level.name());
            measure(&evaluator, &name, &random_decisions(class));
        }
    }
}
