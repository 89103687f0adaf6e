//! `gammond gate`: whether candidate nets may take the place of others.

use super::bench::{measure_table, open};
use crate::benchmark::summary::{Counting, paired, score};
use crate::benchmark::{Item, Record};
use crate::cli::{Common, Failure, Output, PlayerOptions, ProgressArgs, stopped};
use crate::duel::{DuelPlan, Duels, Tally};
use crate::job::{Control, JobEnd, Runner};
use crate::journal::{check_writable, write_whole};
use crate::player::Player;
use crate::stats::Running;
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
    #[arg(long, default_value_t = 40_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
    /// Keep the duels' results in this file; the same command goes on from it after a stop.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
    #[command(flatten)]
    players: PlayerOptions,
}

/// Longest net file that is installed.
const NET_BYTES_MAX: u64 = 1 << 30;
/// What a stopped gate that kept nothing says.
const RESUME: &str = "with --journal FILE the same command could go on";

/// Exit status of a candidate that is not let in.
const SHUT: u8 = 1;

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let work = |error: &dyn std::fmt::Display| Failure::Work(error.to_string());
    let files: Vec<(&PathBuf, Vec<Item>)> = (args.bench.iter())
        .map(|path| Ok((path, whole(path)?)))
        .collect::<Result<_, Failure>>()?;
    let table = measure_table(common)?;
    let texts = std::iter::once(&args.candidate).chain(&args.against);
    let players = common.players(texts, &args.players)?;
    let (candidate, others) = (players.split_first())
        .ok_or_else(|| Failure::Usage("a candidate is wanted".to_owned()))?;
    if let Some(folder) = &args.install {
        // Found out before the games, not after them.
        check_install(&args.candidate, folder)?;
    }
    let mut control = args.progress.control()?;
    let outcome = duels(common, args, &players, &mut control)?;
    drop(control);
    let mut out = Output::new();
    let mut say = |line: String| out.line(&line);
    let mut open_gate = true;
    for (other, tally) in others.iter().zip(&outcome.sum) {
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
        if !outcome.complete {
            continue;
        }
        for (path, items) in &files {
            let scores = [&**candidate, &**other].map(|player| score(items, player, &table));
            let [first, second] = scores;
            let counting = Counting::default();
            let difference = paired(
                items,
                &first.map_err(|e| work(&e))?,
                &second.map_err(|e| work(&e))?,
                &counting,
            );
            let passed = not_worse(&difference);
            open_gate &= passed;
            let [low, high] = difference.interval99();
            say(format!(
                "{} bench {} beside {}: {:+.4} mEq, 99 % interval {low:+.4} to {high:+.4}, {} \
                 records",
                word(passed),
                path.display(),
                other.name(),
                difference.mean(),
                difference.count()
            ))?;
        }
    }
    if !outcome.complete {
        return Ok(stopped(args.journal.as_deref(), RESUME));
    }
    say(format!("gate: {}", if open_gate { "open" } else { "shut" }))?;
    if let (true, Some(folder)) = (open_gate, &args.install) {
        install(&args.candidate, folder)?;
    }
    Ok(ExitCode::from(if open_gate { 0 } else { SHUT }))
}

/// The plays of a benchmark file. A gate is decided on whole files only.
fn whole(path: &Path) -> Result<Vec<Item>, Failure> {
    let mut file = open(path)?;
    if let Some((line, reason)) = file.wrong.first() {
        let path = path.display();
        return Err(Failure::File(format!("{path}: line {line}: {reason}")));
    }
    file.items
        .retain(|item| matches!(item.record, Record::Play(_)));
    if file.items.is_empty() {
        let path = path.display();
        return Err(Failure::File(format!("{path}: no m record in it")));
    }
    Ok(file.items)
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

/// The candidate against all others.
fn duels(
    common: &Common,
    args: &Args,
    players: &[Box<dyn Player>],
    control: &mut Control<'_>,
) -> Result<JobEnd<Vec<Tally>>, Failure> {
    let plan = DuelPlan {
        seed: common.seed,
        pairs: args.games.div_ceil(2),
        decide: None,
    };
    let borrowed: Vec<&dyn Player> = players.iter().map(|player| &**player).collect();
    let pairings = (1..borrowed.len()).map(|other| [0, other]).collect();
    let duels = Duels::new(&plan, &borrowed, pairings)?;
    let runner = Runner::new().journal(args.journal.as_deref());
    Ok(runner.run(&duels, control)?)
}

/// The folder of the candidate's nets.
fn net_folder(candidate: &str) -> Result<&Path, Failure> {
    let mut parts = candidate.split(':');
    let nets = parts.find_map(|part| part.strip_prefix("nets="));
    let nets = nets.map(Path::new).filter(|path| path.is_dir());
    nets.ok_or_else(|| {
        Failure::Usage("--install: the candidate names no folder of nets (nets=FOLDER)".into())
    })
}

fn in_file(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    let path = path.display().to_string();
    move |error| Failure::File(format!("{path}: {error}"))
}

/// Finds out whether the nets could be installed.
fn check_install(candidate: &str, folder: &Path) -> Result<(), Failure> {
    net_folder(candidate)?;
    std::fs::create_dir_all(folder).map_err(in_file(folder))?;
    check_writable(&folder.join("contact.net")).map_err(in_file(folder))
}

/// Copies the net files of the candidate's folder, each whole or not at all.
fn install(candidate: &str, folder: &Path) -> Result<(), Failure> {
    let nets = net_folder(candidate)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(nets).map_err(in_file(nets))? {
        let path = entry.map_err(in_file(nets))?.path();
        if let (Some(name), Some("net")) =
            (path.file_name(), path.extension().and_then(|e| e.to_str()))
        {
            let bytes = crate::files::read(&path, NET_BYTES_MAX).map_err(in_file(&path))?;
            files.push((folder.join(name), bytes));
        }
    }
    for (target, bytes) in files {
        write_whole(&target, &bytes).map_err(in_file(&target))?;
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
