//! `gammond sample`.

use super::label::read_positions;
use crate::{
    Common, Count, Failure, InputFile, Output, OutputFile, Points, ProgressArgs, farmed, finish,
};
use gammond_base::journal;
use gammond_engine::query::{EvalQuery, Settings, Stop};
use gammond_engine::search;
use gammond_game::notation::PositionChances;
use gammond_game::{MatchState, Rules};
use gammond_job::{Header, Whole};
use gammond_train::training::game_settings::GameSettings;
use gammond_train::training::read_toml;
use gammond_train::training::sample::{SampleJob, fill, fill_disagreements};
use gammond_train::training::selection::forced_rolls;
use gammond_train::training::shard::{Label, by_group, unpack};
use gammond_train::training::starts::Starts;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    #[command(
        subcommand_negates_reqs = true,
        override_usage = "gammond sample [OPTIONS] <FILE.labels>\n       gammond sample <COMMAND>"
    )]
    struct Args as Job {
        /// Labels to make; the same command resumes from it.
        #[arg(required = true, value_name = "FILE.labels")]
        file: Option<OutputFile>,
        /// Number of labelled positions to make, at least: all positions of the last games are kept.
        #[arg(long, default_value = "100000", value_name = "N")]
        positions: Count,
        /// Settings of the games: a TOML file with the keys of `games` in a training plan.
        #[arg(long, value_name = "FILE.toml")]
        games: Option<InputFile>,
        /// Keep only disagreements between 0-ply and this many plies: the two positions that different
        /// choices lead to, and positions with different cube actions; labelled by the deeper search.
        #[arg(long, value_name = "PLIES")]
        disagreements: Option<Whole<1, 2>>,
        /// Games begin at random positions of this file: one a line, any position text, or lines of a training
        /// file.
        #[arg(long, value_name = "FILE", conflicts_with = "disagreements")]
        from: Option<InputFile>,
    }
    dropped {
        #[command(subcommand)]
        other: Option<Other>,
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

/// Other commands for labels.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Other {
    /// Write the labels of a file as lines of a training file.
    #[command(after_help = "Example: gammond sample dump positions.labels > positions.txt")]
    Dump {
        /// Labels that were made.
        #[arg(value_name = "FILE.labels")]
        file: PathBuf,
        /// Only some positions, chosen at random, until each group of `gammond bench` has this many, as far as the
        /// file holds them.
        #[arg(long, value_name = "N")]
        per_group: Option<Count>,
        /// Only the first label of each position; the number of labels dropped is reported.
        #[arg(long)]
        unique: bool,
        /// Only positions whose static equity differs by at least this much from that at 1 ply.
        #[arg(long, value_name = "EQUITY")]
        unsettled: Option<Points>,
        /// Only positions in which at least this many of the 36 rolls leave no play or one.
        #[arg(long, value_name = "ROLLS", value_parser = clap::value_parser!(u8).range(1..=36))]
        forced: Option<u8>,
    },
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let file = match (&args.other, &args.file) {
        (
            Some(Other::Dump {
                file,
                per_group,
                unique,
                unsettled,
                forced,
            }),
            _,
        ) => {
            let kept = Kept {
                per_group: per_group.map(Count::to),
                unique: *unique,
                unsettled: unsettled.map(Points::get),
                forced: *forced,
            };
            return dump(common, file, &kept);
        }
        (None, Some(file)) => file,
        (None, None) => return Err(Failure::usage("a file for the labels is required")),
    };
    common.start_threads();
    let games = match &args.games {
        None => GameSettings::default(),
        Some(path) => read_toml(path).map_err(Failure::file)?,
    };
    let starts = args.from.as_deref().map(read_positions).transpose()?;
    let starts = Starts::of_all_games(starts.unwrap_or_default());
    let engine = common.engine()?;
    let job = SampleJob {
        header: Header::new(LABELS, 3).field("nets", engine.identity()?),
        seed: common.seed(),
        labels: args.positions.to(),
        games,
        starts,
    };
    let mut control = common.control(args.progress)?;
    let outcome = match args.disagreements {
        Some(plies) => fill_disagreements(file, &job, &engine, plies.to(), &mut control),
        None => fill(file, &job, engine.evaluator().as_ref(), &mut control),
    }?;
    drop(control);
    if outcome.complete {
        args.progress
            .report_made(outcome.sum, "labelled position", file);
    }
    finish("", outcome.complete, Some(file), "")
}

/// Labels that a dump keeps.
struct Kept {
    per_group: Option<usize>,
    unique: bool,
    unsettled: Option<f64>,
    forced: Option<u8>,
}

/// Keeps the labels of positions whose static equity and that at 1 ply differ by at least `least`.
fn keep_unsettled(common: &Common, labels: &mut Vec<Label>, least: f64) -> Result<(), Failure> {
    common.start_threads();
    let (engine, stop) = (common.engine()?, Stop::never());
    let gap = |label: &Label| {
        let query = EvalQuery::new(label.position, MatchState::money(Rules::default()));
        let at = |plies| {
            let settings = Settings::plies(plies).with_cubeful(false);
            // In this thread: a thread that waits for the engine's pool would begin the next label inside of this one.
            let found = search::evaluate(engine.context(&stop), &query, &settings).ok()?;
            Some(f64::from(found.chances.equity()))
        };
        Some((at(0)? - at(1)?).abs())
    };
    let gaps: Vec<Option<f64>> = labels.par_iter().map(gap).collect();
    let mut gaps = gaps.into_iter().flatten();
    labels.retain(|_| gaps.next().is_some_and(|gap| gap >= least));
    Ok(())
}

/// Kind of the jobs whose journals hold labels.
const LABELS: &str = "labels";

/// Kind of the label files that the Python package writes.
const LABELS_FROM_ARRAYS: &str = "labels from arrays";

/// Returns the records of a finished journal of labels.
fn label_records(file: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let header = Header::parse(&journal::read(file)?.header);
    let found = header.as_ref().and_then(|header| header.get("job"));
    if !matches!(found, Some(LABELS | LABELS_FROM_ARRAYS)) {
        let found = found.map_or("none".to_owned(), |found| format!("\"{found}\""));
        return Err(Failure::in_file(file)(format!(
            "job is {found}, expected \"{LABELS}\" (example: x.labels of gammond sample x.labels)"
        )));
    }
    Ok(journal::read_records(file)?)
}

fn dump(common: &Common, file: &Path, kept: &Kept) -> Result<ExitCode, Failure> {
    let records = label_records(file)?;
    let mut out = Output::new();
    let mut labels: Vec<Label> = records.iter().flat_map(|record| unpack(record)).collect();
    if kept.unique {
        let all = labels.len();
        let mut known = HashSet::new();
        labels.retain(|label| known.insert(label.position));
        let dropped = all - labels.len();
        stderr_line!(
            "gammond: {dropped} of {all} labels are of positions that came before: dropped"
        );
    }
    if let Some(least) = kept.forced {
        let mut plays = Vec::new();
        labels.retain(|label| forced_rolls(&label.position, &mut plays) >= u32::from(least));
    }
    if let Some(least) = kept.unsettled {
        keep_unsettled(common, &mut labels, least)?;
    }
    if let Some(wanted) = kept.per_group {
        labels = by_group(&labels, wanted, common.seed());
    }
    for label in labels {
        let line = PositionChances {
            position: label.position,
            chances: label.chances(),
        };
        out.print(line.training_line().as_bytes())?;
        out.print(b"\n")?;
        if out.is_closed() {
            break;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
