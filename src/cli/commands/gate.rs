//! `gammond gate`: whether candidate nets may take the place of others.

use super::bench::open;
use super::duel::{player, start_threads};
use crate::benchmark::summary::{Counting, paired, score};
use crate::cli::{Common, Failure};
use crate::duel::{Plan, Tally, play_duel};
use crate::equity::MatchEquityTable;
use crate::stats::Running;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The candidate: `gammond:nets=FOLDER`, or any other player.
    candidate: String,
    /// Who has the place now; more than one may be named, all are to be beaten.
    #[arg(long, default_value = "gammond", value_name = "PLAYER")]
    against: Vec<String>,
    /// Games of each duel, in pairs with the same dice. The candidate must be ahead with the whole
    /// 99 % interval.
    #[arg(long, default_value_t = 40_000, value_name = "N")]
    games: u64,
    /// Least lead in each duel, in points per game.
    #[arg(long, default_value_t = 0.0, value_name = "POINTS")]
    lead: f64,
    /// Benchmark files on which the candidate must not be worse: the 99 % interval of the paired
    /// difference of the error rates must reach zero.
    #[arg(long, value_name = "FILE.bm")]
    bench: Vec<PathBuf>,
    /// Copy the candidate's nets into this folder when the gate lets them in.
    #[arg(long, value_name = "DIR")]
    install: Option<PathBuf>,
}

/// Exit status of a candidate that is not let in.
const SHUT: u8 = 1;

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    start_threads(common);
    let work = |error: &dyn std::fmt::Display| Failure::Work(error.to_string());
    let candidate = player(common, &args.candidate)?;
    let mut out = std::io::stdout().lock();
    let mut say = |line: String| writeln!(out, "{line}").map_err(|e| work(&e));
    let table = MatchEquityTable::named("mec26").map_err(|e| work(&e))?;
    let mut open_gate = true;
    for text in &args.against {
        let other = player(common, text)?;
        let plan = Plan {
            seed: common.seed,
            pairs: args.games.div_ceil(2),
            decide: None,
        };
        let tally: Tally =
            play_duel(&plan, [&*candidate, &*other], None, &mut |_| {}).map_err(|e| work(&e))?;
        let passed = ahead(&tally.points, args.lead);
        open_gate &= passed;
        let [low, high] = tally.points.interval99();
        say(format!(
            "{} duel with {}: {} games, {:+.4} points per game, 99 % interval {low:+.4} to {high:+.4}",
            word(passed),
            other.name(),
            tally.games(),
            tally.points.mean()
        ))?;
        for path in &args.bench {
            let (items, wrong) = open(path)?;
            let scores = [&*candidate, &*other].map(|player| score(&items, player, &table));
            let [first, second] = scores;
            let counting = Counting {
                keep_outside: true,
                interesting_only: false,
            };
            let difference = paired(
                &items,
                &first.map_err(|e| work(&e))?,
                &second.map_err(|e| work(&e))?,
                counting,
            );
            let passed = not_worse(&difference);
            open_gate &= passed;
            let [low, high] = difference.interval99();
            say(format!(
                "{} bench {} beside {}: {:+.4} mEq, 99 % interval {low:+.4} to {high:+.4}, {} \
                 records, {} lines not read",
                word(passed),
                path.display(),
                other.name(),
                difference.mean(),
                difference.count(),
                wrong.len()
            ))?;
        }
    }
    say(format!("gate: {}", if open_gate { "open" } else { "shut" }))?;
    if let (true, Some(folder)) = (open_gate, &args.install) {
        install(&args.candidate, folder)?;
    }
    Ok(ExitCode::from(if open_gate { 0 } else { SHUT }))
}

fn word(passed: bool) -> &'static str {
    if passed { "pass" } else { "FAIL" }
}

/// Clearly ahead: the lead is reached and the interval lies above zero.
fn ahead(points: &Running, lead: f64) -> bool {
    points.mean() >= lead && points.interval99()[0] > 0.0
}

/// Losses are what is counted: worse is more.
fn not_worse(difference: &Running) -> bool {
    difference.interval99()[0] <= 0.0
}

/// Copies the net files of the candidate's folder.
fn install(candidate: &str, folder: &Path) -> Result<(), Failure> {
    let nets = candidate
        .split(':')
        .find_map(|part| part.strip_prefix("nets="))
        .ok_or_else(|| Failure::Usage("install: the candidate names no folder (nets=)".into()))?;
    let fail = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| Failure::File(format!("{path}: {error}"))
    };
    let nets = Path::new(nets);
    std::fs::create_dir_all(folder).map_err(fail(folder))?;
    for entry in std::fs::read_dir(nets).map_err(fail(nets))? {
        let path = entry.map_err(fail(nets))?.path();
        if let (Some(name), Some("net")) =
            (path.file_name(), path.extension().and_then(|e| e.to_str()))
        {
            let target = folder.join(name);
            std::fs::copy(&path, &target).map_err(fail(&target))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(values: &[f64]) -> Running {
        let mut running = Running::default();
        values.iter().for_each(|&value| running.add(value));
        running
    }

    #[test]
    fn the_gate_wants_the_whole_interval() {
        let clear = running(&[1.0, 1.1, 0.9, 1.0, 1.05, 0.95]);
        let open = running(&[1.0, -2.0, 3.0, -1.0, 0.5, 0.2]);
        assert!(ahead(&clear, 0.5) && !ahead(&clear, 1.5));
        assert!(open.mean() > 0.0 && !ahead(&open, 0.0));
        assert!(!not_worse(&clear) && not_worse(&open));
    }
}
