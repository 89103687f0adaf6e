//! Legal plays: `cargo bench --bench movegen [-- ROUNDS]`.
//!
//! Goes through a fixed set of positions a number of rounds, 21 rolls each, on one thread. Every
//! piece of 100 positions counts with its shortest time, so that other work on the machine does
//! not. Ratios between lines of one run mean something; bare figures depend on the machine.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench prints its figures and may fail loudly"
)]

use gammond_base::rng;
use gammond_game::{
    Class, PlayGenerator, Position, Roll, generate_plays, legal_plays, perf_plays, perf_positions,
    reference_plays,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

const POSITIONS: usize = 20_000;
const PIECE: usize = 100;

/// Plays and nanoseconds a play.
fn time(
    positions: &[Position],
    rounds: usize,
    mut work: impl FnMut(&[Position]) -> u64,
) -> (u64, f64) {
    let mut best = vec![Duration::MAX; positions.len().div_ceil(PIECE)];
    let mut plays = 0;
    for _ in 0..rounds {
        plays = 0;
        for (piece, best) in positions.chunks(PIECE).zip(&mut best) {
            let start = Instant::now();
            plays += work(piece);
            *best = start.elapsed().min(*best);
        }
    }
    let total: Duration = best.iter().sum();
    (plays, total.as_nanos() as f64 / plays as f64)
}

fn report(name: &str, positions: &[Position], (plays, nanoseconds): (u64, f64)) {
    let rolls = (positions.len() * Roll::ALL.len()) as f64;
    println!(
        "{name:26} {:6} positions {:5.1} plays/roll {nanoseconds:7.2} ns/play {:7.1} M plays/s",
        positions.len(),
        plays as f64 / rolls,
        1e3 / nanoseconds,
    );
}

fn main() {
    // Cargo passes `--bench`.
    let rounds = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(20);
    let mut dice = rng::stream(1, 0);
    let all = perf_positions(POSITIONS, |bound| rng::below(&mut dice, bound));
    let mut out = Vec::new();
    report(
        "all",
        &all,
        time(&all, rounds, |piece| perf_plays(piece, &mut out)),
    );
    for class in [
        Class::Contact,
        Class::Crashed,
        Class::Race,
        Class::Bearoff1,
        Class::Bearoff2,
    ] {
        let some: Vec<Position> = all
            .iter()
            .filter(|position| Class::of(position) == class)
            .copied()
            .collect();
        let timed = time(&some, rounds, |piece| perf_plays(piece, &mut out));
        report(&format!("  {class}"), &some, timed);
    }
    for (name, double) in [("  all, doubles", true), ("  all, two dice", false)] {
        let timed = time(&all, rounds, |piece| {
            let mut count = 0;
            for position in piece {
                let generator = PlayGenerator::new(position);
                for roll in Roll::ALL.iter().filter(|roll| roll.is_double() == double) {
                    generator.plays(*roll, &mut out);
                    count += out.len() as u64;
                }
            }
            count
        });
        report(name, &all, timed);
    }
    generators(&all, rounds);
}

/// The same plays by each way of asking for them.
fn generators(all: &[Position], rounds: usize) {
    let mut out = Vec::new();
    let each = |generate: &mut dyn FnMut(&Position, Roll) -> usize, piece: &[Position]| {
        let mut count = 0;
        for position in piece {
            for roll in Roll::ALL {
                count += generate(position, roll) as u64;
            }
        }
        count
    };
    let timed = time(all, rounds, |piece| {
        each(
            &mut |position, roll| {
                generate_plays(position, roll, &mut out);
                black_box(&out).len()
            },
            piece,
        )
    });
    report("all, a roll at a time", all, timed);
    let mut steps = Vec::new();
    let timed = time(all, rounds, |piece| {
        each(
            &mut |position, roll| {
                PlayGenerator::new(position).plays_with_steps(roll, &mut steps);
                black_box(&steps).len()
            },
            piece,
        )
    });
    report("all, with steps", all, timed);
    let timed = time(all, rounds, |piece| {
        each(
            &mut |position, roll| black_box(legal_plays(position, roll)).len(),
            piece,
        )
    });
    report("all, legal_plays", all, timed);
    let some = &all[..POSITIONS / 20];
    let timed = time(some, rounds.div_ceil(4), |piece| {
        each(
            &mut |position, roll| black_box(reference_plays(position, roll)).len(),
            piece,
        )
    });
    report("some, reference_plays", some, timed);
}
