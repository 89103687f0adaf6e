//! `gammond perf`: speed figures of this machine, one thread, CPU time.
//!
//! Each figure is the best of a few passes, so that what else the machine does disturbs little; a pass goes over the same
//! seeded positions again and again until it is long beside the steps in which a system may count time. CPU time of the
//! thread where the system has it (not Windows), else time on the wall.

use crate::{Common, Failure, print};
use gammond_base::rng;
use gammond_engine::engine::Engine;
use gammond_engine::query::{CubeQuery, PlayQuery, Settings, Stop};
use gammond_game::{Chances, MatchState, Position, Roll, perf_plays, perf_positions};
use gammond_server::platform::{resident_bytes, thread_time};
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A few seconds in all: to see that it works, not to be quoted.
    #[arg(long)]
    quick: bool,
}

/// Passes over each measurement; the best counts.
const PASSES: usize = 5;
/// The least time of a pass: some systems count CPU time in steps of 4 ms.
const PASS: Duration = Duration::from_millis(400);
/// ... with `--quick`.
const QUICK_PASS: Duration = Duration::from_millis(60);

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
    let mut stream = rng::stream(common.seed(), 0);
    let positions = perf_positions(100 * scale, |bound| rng::below(&mut stream, bound));
    let pass = if args.quick { QUICK_PASS } else { PASS };
    let (evaluations, play) = siblings(&engine, &positions, pass);
    let figures = [
        (
            "legal plays, resulting positions",
            "M/s",
            generated(&positions, pass) / 1e6,
        ),
        (
            "static evaluations, unrelated positions",
            "k/s",
            unrelated(&engine, &positions, pass) / 1e3,
        ),
        (
            "static evaluations in move choice",
            "k/s",
            evaluations / 1e3,
        ),
        (
            "best play, generated and evaluated at 0-ply",
            "us",
            play * 1e6,
        ),
    ];
    for (name, unit, figure) in figures {
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

/// Returns the number of resulting positions a second.
fn generated(positions: &[Position], pass: Duration) -> f64 {
    let mut out = Vec::new();
    let mut count = 0;
    let best = best_of(pass, || count = perf_plays(positions, &mut out));
    count as f64 / best
}

/// Returns the number of evaluations a second, for positions one by one.
fn unrelated(engine: &Engine, positions: &[Position], pass: Duration) -> f64 {
    let mut out = [Chances::default()];
    let best = best_of(pass, || {
        for position in positions {
            engine
                .evaluator()
                .evaluate(None, std::slice::from_ref(position), &mut out);
        }
    });
    positions.len() as f64 / best
}

/// Returns the evaluations a second, and the seconds of a best play, when all plays of a roll are evaluated.
fn siblings(engine: &Engine, positions: &[Position], pass: Duration) -> (f64, f64) {
    let mut plays = Vec::new();
    let mut out = Vec::new();
    let mut evaluations = 0;
    let best = best_of(pass, || {
        evaluations = 0;
        for (position, roll) in positions.iter().zip(Roll::ALL.iter().cycle()) {
            plays.clear();
            gammond_game::generate_plays(position, *roll, &mut plays);
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
    (evaluations as f64 / best, best / positions.len() as f64)
}

/// Returns the milliseconds of a ranked play and of a cube decision, on one thread of the pool.
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

/// Returns the seconds that the work takes once, in the best of the passes.
fn best_of(pass: Duration, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let clock = Clock::start();
        let mut times = 0;
        let spent = loop {
            work();
            times += 1;
            let spent = clock.elapsed();
            if spent >= pass {
                break spent;
            }
        };
        best = best.min(spent.as_secs_f64() / f64::from(times));
    }
    best
}

/// The thread's own time where the system has it.
struct Clock {
    wall: Instant,
    thread: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            thread: thread_time(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.thread, thread_time()) {
            (Some(begun), Some(now)) => now.saturating_sub(begun),
            _ => self.wall.elapsed(),
        }
    }
}
