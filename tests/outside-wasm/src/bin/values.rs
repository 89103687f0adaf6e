//! Static values a second of the fast nets, for WebAssembly and natively.

use gammond_engine::game::{Chances, perf_positions};
use gammond_engine::{Engine, Nets};
use std::error::Error;
use std::time::Instant;

const POSITIONS: usize = 4096;
const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::builder()
        .nets(Nets::EmbeddedFast)
        .cache_mb(0)
        .threads(1)
        .build()?;
    let mut state = 1_u64;
    let positions = perf_positions(POSITIONS, |bound| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 33) % u64::from(bound)) as u32
    });
    let mut out = vec![Chances::default(); POSITIONS];
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        engine.evaluator().evaluate(None, &positions, &mut out);
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!(
        "{:.0} static values a second, best of {ROUNDS} rounds of {POSITIONS} positions",
        POSITIONS as f64 / best
    );
    Ok(())
}
