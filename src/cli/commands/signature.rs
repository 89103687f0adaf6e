//! `gammond signature`: one number of a fixed workload, which changes when any answer does.
//!
//! How many positions were evaluated, and a checksum of the bits of all answers. It does not depend on
//! threads, machine or time; `tests/data/bench_signature.txt` keeps that of the built-in nets.

use crate::{Common, Failure, print};
use gammond_base::rng;
use gammond_engine::engine::Engine;
use gammond_engine::eval::{Evaluator, SearchPolicy, Shortcuts};
use gammond_engine::query::{CubeQuery, Equities, EvalQuery, PlayQuery, Settings, Stop};
use gammond_engine::search::{self, Context};
use gammond_game::{
    Chances, Class, Cube, CubeOwner, MatchState, Position, Roll, Score, perf_positions,
};
use sha2::{Digest, Sha256};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

/// Positions of the workload, and every how many of them are searched so deep.
const POSITIONS: usize = 4000;
const EVERY: [usize; 3] = [10, 100, 800];
/// Its seed; the common `--seed` does not change it.
const SEED: u64 = 20;

pub(crate) fn run(common: &Common, _args: &Args) -> Result<ExitCode, Failure> {
    let engine = common.engine()?;
    let (evaluations, checksum) = engine.pool().install(|| signature(&engine))?;
    print(format!("{evaluations} {checksum} {}\n", engine.net_name()).as_bytes())
}

/// Returns the number of positions evaluated, and the checksum of the answers.
fn signature(engine: &Engine) -> Result<(u64, String), Failure> {
    let counting = Counting {
        inner: engine.evaluator().as_ref(),
        count: AtomicU64::new(0),
    };
    let positions = positions(POSITIONS);
    let mut bits = Sha256::new();
    let mut out = vec![Chances::default(); positions.len()];
    counting.evaluate(None, &positions, &mut out);
    out.iter().for_each(|chances| add(&mut bits, *chances, &[]));
    for (plies, every) in (0..).zip(EVERY) {
        let chosen = positions.iter().step_by(every);
        answer(engine, &counting, plies, chosen, &mut bits)?;
    }
    let digest: [u8; 32] = bits.finalize().into();
    let checksum = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok((counting.count.into_inner(), checksum))
}

/// Returns the positions of the workload.
fn positions(count: usize) -> Vec<Position> {
    let mut chance = rng::stream(SEED, 0);
    perf_positions(count, |bound| rng::below(&mut chance, bound))
}

/// Adds the bits of the answers about positions: the plays of a roll, the value, the cube.
fn answer<'a>(
    engine: &Engine,
    evaluator: &dyn Evaluator,
    plies: u8,
    positions: impl Iterator<Item = &'a Position>,
    bits: &mut Sha256,
) -> Result<(), Failure> {
    let stop = Stop::never();
    // No cache: with one the count would depend on its size and on the threads.
    let context = Context {
        evaluator,
        cache: None,
        ..engine.context(&stop)
    };
    let stopped = |_| Failure::work("stopped");
    let settings = Settings::plies(plies);
    for (number, &position) in positions.enumerate() {
        let state = state(number);
        let roll = Roll::new(number as u8 % 6 + 1, (number / 6) as u8 % 6 + 1);
        let roll = roll.map_err(Failure::work)?;
        let query = PlayQuery::new(position, roll, state);
        let ranked = search::rank_plays(context, &query, &settings).map_err(stopped)?;
        for play in &ranked.plays {
            add(bits, play.chances, &[play.value]);
        }
        let query = EvalQuery::new(position, state);
        let found = search::evaluate(context, &query, &settings).map_err(stopped)?;
        let cubeful = found.cubeful.unwrap_or_default();
        add(bits, found.chances, &[found.cubeless, cubeful]);
        let query = CubeQuery::new(position, state);
        let found = search::cube_action(context, &query, &settings).map_err(stopped)?;
        add(
            bits,
            found.chances,
            &[found.no_double, found.double_take, found.double_pass],
        );
        bits.update([found.verdict as u8]);
    }
    Ok(())
}

/// Returns money, scores and cubes in turn.
fn state(number: usize) -> MatchState {
    let money = MatchState::default();
    let scores = [(0, 0), (7, 3), (5, 4), (1, 6)];
    let (me, opponent) = scores[number / 2 % 4];
    let owner = [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent][number % 3];
    let value = if owner == CubeOwner::Centred { 1 } else { 2 };
    let score = Score::new(9, me, opponent, false);
    MatchState {
        cube: Cube::new(value, owner).unwrap_or(money.cube),
        score: if number.is_multiple_of(2) {
            money.score
        } else {
            score.unwrap_or(money.score)
        },
        ..money
    }
}

fn add(bits: &mut Sha256, chances: Chances, values: &[Equities]) {
    for chance in chances.to_array() {
        bits.update(chance.to_bits().to_le_bytes());
    }
    for value in values {
        bits.update(value.equity.to_bits().to_le_bytes());
        bits.update(value.mwc.unwrap_or(0.0).to_bits().to_le_bytes());
    }
}

/// Counts the positions that an evaluator evaluates.
#[derive(Debug)]
struct Counting<'a> {
    inner: &'a dyn Evaluator,
    count: AtomicU64,
}

impl Counting<'_> {
    fn add(&self, positions: &[Position]) {
        self.count
            .fetch_add(positions.len() as u64, Ordering::Relaxed);
    }
}

impl Evaluator for Counting<'_> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn class(&self, position: &Position) -> Class {
        self.inner.class(position)
    }

    fn evaluate(&self, reference: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        self.add(positions);
        self.inner.evaluate(reference, positions, out);
    }

    fn policy(&self) -> &SearchPolicy {
        self.inner.policy()
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        self.inner.shortcuts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::engine::Nets;

    /// The engine that is signed is the engine that answers: counting changes no bit, at 0, 1 and 2 plies.
    #[test]
    fn an_engine_that_is_counted_answers_the_same_bits() {
        for nets in [Nets::Embedded, Nets::EmbeddedFast] {
            let engine = Engine::builder().nets(nets).threads(1).build().unwrap();
            let counting = Counting {
                inner: engine.evaluator().as_ref(),
                count: AtomicU64::new(0),
            };
            for (plies, count) in [(0, 40), (1, 20), (2, 3)] {
                let positions = positions(count);
                let signed = |evaluator| {
                    let mut bits = Sha256::new();
                    answer(&engine, evaluator, plies, positions.iter(), &mut bits).unwrap();
                    <[u8; 32]>::from(bits.finalize())
                };
                let counted = signed(&counting);
                assert_eq!(counted, signed(counting.inner), "{plies} plies");
            }
            assert!(counting.count.into_inner() > 1000);
        }
    }
}
