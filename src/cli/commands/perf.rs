//! `gammond perf`: speed figures of this machine, one thread, CPU time.
//!
//! Each figure is the best of a few alternating passes over the same seeded positions, so that
//! what else the machine does disturbs little. CPU time of the thread where the system has it
//! (Linux), else time on the wall.

use crate::cli::{Common, Failure, print};
use crate::engine::Engine;
use crate::game::{Chances, MatchState, Position, Roll, perf_plays, perf_positions};
use crate::query::{CubeQuery, PlayQuery, Settings, Stop};
use crate::rng;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A second or two in all: to see that it works, not to be quoted.
    #[arg(long)]
    quick: bool,
}

/// Passes over each measurement; the best counts.
const PASSES: usize = 5;

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let begun = Instant::now();
    let engine = common.engine()?;
    let answer = engine.rank_plays(&opening(), &Settings::default(), &Stop::never())?;
    let started = begun.elapsed();
    let mut text = String::new();
    let _ = writeln!(text, "nets: {}", engine.net_name());
    let _ = writeln!(
        text,
        "engine built and first answer after {:.1} ms ({} plays)",
        started.as_secs_f64() * 1e3,
        answer.legal
    );
    if let Some(bytes) = resident_bytes() {
        let _ = writeln!(text, "resident memory {:.1} MB", bytes as f64 / 1e6);
    }
    let scale = if args.quick { 1 } else { 20 };
    let mut stream = rng::stream(common.seed, 0);
    let positions = perf_positions(100 * scale, |bound| rng::below(&mut stream, bound));
    for (name, unit, figure) in [
        (
            "legal plays, resulting positions",
            "M/s",
            generated(&positions) / 1e6,
        ),
        (
            "static evaluations, unrelated positions",
            "k/s",
            unrelated(&engine, &positions) / 1e3,
        ),
        (
            "static evaluations in move choice",
            "k/s",
            siblings(&engine, &positions).0 / 1e3,
        ),
        (
            "best play, generated and evaluated at 0-ply",
            "us",
            siblings(&engine, &positions).1,
        ),
    ] {
        let _ = writeln!(text, "{name:<45} {figure:>10.2} {unit}");
    }
    for plies in 0..=if args.quick { 1 } else { 2 } {
        let count = [100 * scale, 4 * scale, scale][usize::from(plies)];
        let sample = positions.get(..count).unwrap_or(&positions);
        let (plays, cube) = decisions(&engine, sample, plies)?;
        let _ = writeln!(text, "{plies}-ply play, cubeful, ranked {:>26.3} ms", plays);
        let _ = writeln!(text, "{plies}-ply cube decision {:>33.3} ms", cube);
    }
    print(text.as_bytes())
}

fn opening() -> PlayQuery {
    let state = MatchState::default();
    PlayQuery {
        position: Position::start(),
        roll: Roll::ALL[3],
        state,
    }
}

/// Resulting positions a second.
fn generated(positions: &[Position]) -> f64 {
    let mut out = Vec::new();
    let mut count = 0;
    let best = best_of(|| count = perf_plays(positions, &mut out));
    count as f64 / best.as_secs_f64()
}

/// Evaluations a second of positions one by one.
fn unrelated(engine: &Engine, positions: &[Position]) -> f64 {
    let mut out = [Chances::default()];
    let best = best_of(|| {
        for position in positions {
            engine
                .evaluator()
                .evaluate(None, std::slice::from_ref(position), &mut out);
        }
    });
    positions.len() as f64 / best.as_secs_f64()
}

/// Evaluations a second, and microseconds a best play, when all plays of a roll are judged.
fn siblings(engine: &Engine, positions: &[Position]) -> (f64, f64) {
    let mut plays = Vec::new();
    let mut out = Vec::new();
    let mut evaluations = 0;
    let best = best_of(|| {
        evaluations = 0;
        for (position, roll) in positions.iter().zip(Roll::ALL.iter().cycle()) {
            plays.clear();
            crate::game::generate_plays(position, *roll, &mut plays);
            out.clear();
            out.resize(plays.len(), Chances::default());
            engine
                .evaluator()
                .evaluate(Some(&position.swapped()), &plays, &mut out);
            evaluations += plays.len();
            std::hint::black_box(
                out.iter()
                    .map(|chances| chances.equity())
                    .fold(f32::INFINITY, f32::min),
            );
        }
    });
    let seconds = best.as_secs_f64();
    (
        evaluations as f64 / seconds,
        seconds * 1e6 / positions.len() as f64,
    )
}

/// Milliseconds a ranked play and a cube decision, on one thread of the pool.
fn decisions(engine: &Engine, positions: &[Position], plies: u8) -> Result<(f64, f64), Failure> {
    let settings = Settings::plies(plies);
    let state = MatchState::default();
    let stop = Stop::never();
    let begun = Instant::now();
    for (&position, &roll) in positions.iter().zip(Roll::ALL.iter().cycle()) {
        engine.rank_plays(
            &PlayQuery {
                position,
                roll,
                state,
            },
            &settings,
            &stop,
        )?;
    }
    let plays = begun.elapsed();
    let begun = Instant::now();
    for &position in positions {
        engine.cube_action(&CubeQuery { position, state }, &settings, &stop)?;
    }
    let cube = begun.elapsed();
    let each = |time: Duration| time.as_secs_f64() * 1e3 / positions.len() as f64;
    Ok((each(plays), each(cube)))
}

fn best_of(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..PASSES {
        let clock = Clock::start();
        work();
        best = best.min(clock.elapsed());
    }
    best.max(Duration::from_nanos(1))
}

/// The thread's own time where the system has it.
struct Clock {
    wall: Instant,
    thread: Option<u64>,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            thread: thread_nanoseconds(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.thread, thread_nanoseconds()) {
            (Some(begun), Some(now)) if now > begun => Duration::from_nanos(now - begun),
            _ => self.wall.elapsed(),
        }
    }
}

fn thread_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
