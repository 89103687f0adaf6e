//! `gammond perft`: counts of positions, for checking the rules against another program.

use super::ask::is_for_people;
use crate::{Common, Failure, print, within};
use gammond_game::notation::{PositionId, parse_position};
use gammond_game::{Position, Roll, perft, perft_positions};
use rayon::prelude::*;
use std::fmt::Write;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
#[command(
    long_about = "Counts the positions after DEPTH turns, one for each sequence of rolls and plays \
    that leads there. Every roll is taken once, whatever its probability; a roll that cannot be \
    played counts as one play; a finished game has none. See protocol-specs/play-notation.md."
)]
pub(crate) struct Args {
    /// A position in any form.
    position: String,
    /// Turns.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=8))]
    depth: u32,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let position = parse_position(args.position.as_bytes())
        .map_err(Failure::usage)?
        .position;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(common.threads.unwrap_or(0))
        .build()
        .map_err(|error| Failure::work(within("cannot start the compute threads", error)))?;
    let rolls = pool.install(|| count(&position, args.depth));
    let total = match args.depth {
        0 => 1,
        _ => rolls.iter().map(|roll| roll.1).sum(),
    };
    let out = if is_for_people(common) {
        table(&rolls, total)
    } else {
        let rolls: serde_json::Map<_, _> = rolls
            .iter()
            .map(|(roll, count)| (roll.to_string(), (*count).into()))
            .collect();
        let id = PositionId::from(position).to_string();
        let body = serde_json::json!({
            "type": "perft", "position": id, "depth": args.depth, "count": total, "rolls": rolls,
        });
        format!("{body}\n")
    };
    print(out.as_bytes())
}

/// Returns the counts for each first roll; the threads share the positions after the first turn.
fn count(position: &Position, depth: u32) -> Vec<(Roll, u64)> {
    let Some(deeper) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let of_roll = |&roll: &Roll| {
        let mut after = Vec::new();
        perft_positions(position, roll, &mut after);
        let count = after.par_iter().map(|after| perft(after, deeper)).sum();
        (roll, count)
    };
    Roll::ALL.par_iter().map(of_roll).collect()
}

fn table(rolls: &[(Roll, u64)], total: u64) -> String {
    let mut out = String::new();
    for (roll, count) in rolls {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{roll} {count:>16}");
    }
    let _ = writeln!(out, "all {total:>15}");
    out
}
