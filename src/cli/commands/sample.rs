//! `gammond sample`.

use super::duel::start_threads;
use super::label::read_positions;
use crate::benchmark::Group;
use crate::cli::{Common, Failure};
use crate::journal::read_records;
use crate::notation::PositionChances;
use crate::training::games::GameSettings;
use crate::training::run::{SampleJob, fill, fill_disagreements};
use crate::training::shard::{Label, shuffle, unpack};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Labels to make; the same command goes on from what is there.
    #[arg(value_name = "FILE.labels")]
    file: PathBuf,
    /// How many labelled positions to make.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    positions: usize,
    /// Settings of the games: a TOML file with the keys of `games` in a training plan.
    #[arg(long, value_name = "FILE.toml")]
    games: Option<PathBuf>,
    /// Keep only disagreements between 0-ply and this many plies: the two positions that different
    /// choices lead to, and positions with different cube actions; labelled by the deeper search.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=2))]
    disagreements: Option<u8>,
    /// Write what the file holds as lines of a training file instead.
    #[arg(long)]
    dump: bool,
    /// ... only positions chosen by lot, until each group of `gammond bench` has this many, as far as the file
    /// holds them.
    #[arg(long, requires = "dump", value_name = "N")]
    per_group: Option<usize>,
    /// Games begin at positions of this file, drawn by lot: one a line, any position text, or lines of a training
    /// file.
    #[arg(long, value_name = "FILE", conflicts_with = "disagreements")]
    from: Option<PathBuf>,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if args.dump {
        return dump(common, args);
    }
    start_threads(common);
    let games = match &args.games {
        None => GameSettings::default(),
        Some(path) => {
            let fail = |e: &dyn std::fmt::Display| {
                let text = e.to_string().replace('\n', " ");
                Failure::File(format!("{}: {text}", path.display()))
            };
            let text = std::fs::read_to_string(path).map_err(|e| fail(&e))?;
            toml::from_str(&text).map_err(|e| fail(&e))?
        }
    };
    let starts = args.from.as_deref().map(read_positions).transpose()?;
    let starts = starts.unwrap_or_default();
    let engine = common.engine()?;
    let settings = serde_json::to_string(&games).unwrap_or_default();
    let job = SampleJob {
        header: format!(
            "gammond labels 1 seed {} nets {} games {settings}{}{}",
            common.seed,
            engine.net_name(),
            (args.disagreements).map_or(String::new(), |plies| format!(" beside {plies}-ply")),
            (args.from.as_ref()).map_or(String::new(), |path| {
                format!(" from {} of {}", starts.len(), path.display())
            })
        ),
        seed: common.seed,
        labels: args.positions,
        games,
        starts,
    };
    let mut report = |made: usize| eprint!("\r{made} of {} ", args.positions);
    let filled = match args.disagreements {
        Some(plies) => fill_disagreements(&args.file, &job, &engine, plies, &mut report),
        None => fill(&args.file, &job, engine.evaluator().as_ref(), &mut report),
    };
    filled.map_err(|e| Failure::Work(e.to_string()))?;
    eprintln!();
    Ok(ExitCode::SUCCESS)
}

fn dump(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let records = read_records(&args.file).map_err(|e| Failure::File(e.to_string()))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut labels: Vec<Label> = records.iter().flat_map(|record| unpack(record)).collect();
    if let Some(wanted) = args.per_group {
        labels = by_group(labels, wanted, common.seed);
    }
    for label in labels {
        let line = PositionChances {
            position: label.position,
            chances: label.chances(),
        };
        if writeln!(out, "{}", line.training_line()).is_err() {
            // Whoever read the output has seen enough.
            return Ok(ExitCode::SUCCESS);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Labels in random order, each taken while one of its groups has fewer than `wanted`.
fn by_group(mut labels: Vec<Label>, wanted: usize, seed: u64) -> Vec<Label> {
    shuffle(&mut labels, &mut crate::rng::stream(seed, 0));
    let mut counts = [0; Group::ALL.len()];
    labels.retain(|label| {
        let own = Group::ALL.map(|group| group.holds(&label.position));
        let short = own.iter().zip(&counts).any(|(own, n)| *own && *n < wanted);
        for (own, count) in own.iter().zip(&mut counts) {
            *count += usize::from(*own && short);
        }
        short
    });
    labels
}
