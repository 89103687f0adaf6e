//! A million positions, judged in batches on all cores: `cargo run --release --example million`
#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use gammond_base::rng::{below, stream};
use gammond_engine::Engine;
use gammond_game::generate_plays;
use gammond_game::{Chances, Position, Roll};
use std::error::Error;
use std::time::Instant;

/// How many positions one call judges.
const BATCH: usize = 1024;

/// Positions of random games.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut chance = stream(seed, 0);
    let (mut at, mut found, mut after) = (Position::start(), Vec::new(), Vec::new());
    while found.len() < count {
        after.clear();
        generate_plays(&at, Roll::thrown(&mut chance), &mut after);
        at = match after.len() {
            0 => at.swapped(),
            plays => after[below(&mut chance, plays as u32) as usize],
        };
        if at.is_over() {
            at = Position::start();
        }
        found.push(at);
    }
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |text| text.parse())?;
    let engine = Engine::builder().build()?;
    let positions = positions(count, 1);
    let start = Instant::now();
    let mut chances = vec![Chances::default(); positions.len()];
    engine.pool().scope(|scope| {
        for (batch, out) in positions.chunks(BATCH).zip(chances.chunks_mut(BATCH)) {
            let evaluator = engine.evaluator();
            scope.spawn(move |_| evaluator.evaluate(None, batch, out));
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let mean = chances
        .iter()
        .map(|chances| f64::from(chances.win))
        .sum::<f64>()
        / count as f64;
    println!("{count} positions in {seconds:.2} s, mean chance to win {mean:.4}");
    Ok(())
}
