//! `gammond train`.

use crate::cli::{Common, Failure, Output, ProgressArgs, print, stopped};
use crate::files::{self, RECORDS_BYTES_MAX, TEXT_BYTES_MAX};
use crate::journal::{check_writable, write_whole};
use crate::training::games::{GameSettings, Judges};
use crate::training::pruning::{self, PruningPlan};
use crate::training::run::{Plan, nets, run as train};
use crate::training::{curve, yardstick};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The run: a TOML file.
    plan: PathBuf,
    /// Folder of the run; a run that was stopped goes on there.
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Only draw a learning curve as SVG: lines `x,y,error` of this file, the axes' names first.
    #[arg(long, value_name = "FILE.csv")]
    curve: Option<PathBuf>,
    /// Only score the nets of the run, after every round, on this file of rolled-out decisions.
    #[arg(long, value_name = "FILE")]
    score: Option<PathBuf>,
    /// Make a pruning net into this file instead; the plan is one for that (`nets/pruning.toml`).
    #[arg(long, value_name = "FILE.net")]
    pruning: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let _ = pool.build_global();
    }
    let mut out = Output::new();
    if let Some(path) = &args.pruning {
        return make_pruning_net(&args.plan, path, &mut out);
    }
    let plan = Plan::load(&args.plan).map_err(|e| Failure::File(e.to_string()))?;
    if let Some(path) = &args.curve {
        let text = files::read_text(path, TEXT_BYTES_MAX)
            .map_err(|e| Failure::File(format!("{}: {e}", path.display())))?;
        let (axes, points) = curve::points(&text);
        drop(out);
        return print(curve::svg(&axes, &points).as_bytes());
    }
    if let Some(path) = &args.score {
        let text = files::read_text(path, RECORDS_BYTES_MAX)
            .map_err(|e| Failure::File(format!("{}: {e}", path.display())))?;
        let decisions = yardstick::decisions(&text);
        if decisions.is_empty() {
            let path = path.display();
            return Err(Failure::File(format!(
                "{path}: no rolled-out checker decision in it"
            )));
        }
        let settings = GameSettings {
            filter_plays: 1000,
            ..GameSettings::default()
        };
        for round in 0.. {
            let nets =
                nets(&plan, &args.folder, round).map_err(|e| Failure::File(e.to_string()))?;
            let Some(nets) = nets else { break };
            let evaluator = nets
                .evaluator("x")
                .map_err(|e| Failure::Work(e.to_string()))?;
            let (mean, error, outside) =
                yardstick::score(Judges::new(&evaluator), &settings, &decisions);
            out.line(&format!(
                "round {round}: {mean:.3} +- {error:.3} mEq over {} decisions, {outside} outside",
                decisions.len()
            ))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut told = Ok(());
    let mut report = |line: &str| {
        if told.is_ok() {
            told = out.line(line);
        }
    };
    let mut control = args.progress.control()?;
    let complete = train(&plan, &args.folder, &mut report, &mut control);
    drop(control);
    let complete = complete.map_err(|e| Failure::Work(e.to_string()))?;
    told?;
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        stopped(Some(&args.folder), "")
    })
}

fn make_pruning_net(plan: &Path, path: &Path, out: &mut Output) -> Result<ExitCode, Failure> {
    let file =
        |path: &Path, e: &dyn std::fmt::Display| Failure::File(format!("{}: {e}", path.display()));
    let text = files::read_text(plan, TEXT_BYTES_MAX).map_err(|e| file(plan, &e))?;
    let settings: PruningPlan = toml::from_str(&text).map_err(|e| file(plan, &e))?;
    check_writable(path).map_err(|e| file(path, &e))?;
    let mut told = Ok(());
    let mut report = |line: &str| {
        if told.is_ok() {
            told = out.line(line);
        }
    };
    let net = pruning::train(&settings, &mut report).map_err(|e| Failure::Work(e.to_string()))?;
    told?;
    write_whole(path, &net).map_err(|e| file(path, &e))?;
    Ok(ExitCode::SUCCESS)
}
