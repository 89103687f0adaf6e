//! `gammond train`.

use crate::cli::{Common, Failure};
use crate::training::games::{GameSettings, Judges};
use crate::training::pruning::{self, PruningPlan};
use crate::training::run::{Plan, nets, run as train};
use crate::training::{curve, yardstick};
use std::io::Write;
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
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let _ = pool.build_global();
    }
    let mut out = std::io::stdout().lock();
    if let Some(path) = &args.pruning {
        return make_pruning_net(&args.plan, path, &mut out);
    }
    let plan = Plan::load(&args.plan).map_err(|e| Failure::File(e.to_string()))?;
    if let Some(path) = &args.curve {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::File(format!("{}: {e}", path.display())))?;
        let (axes, points) = curve::points(&text);
        out.write_all(curve::svg(&axes, &points).as_bytes())
            .map_err(|e| Failure::Work(e.to_string()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &args.score {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::File(format!("{}: {e}", path.display())))?;
        let decisions = yardstick::decisions(&text);
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
            let _ = writeln!(
                out,
                "round {round}: {mean:.3} +- {error:.3} mEq over {} decisions, {outside} outside",
                decisions.len()
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = |line: &str| {
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    };
    train(&plan, &args.folder, &mut report).map_err(|e| Failure::Work(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

fn make_pruning_net(plan: &Path, path: &Path, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let file =
        |path: &Path, e: &dyn std::fmt::Display| Failure::File(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(plan).map_err(|e| file(plan, &e))?;
    let settings: PruningPlan = toml::from_str(&text).map_err(|e| file(plan, &e))?;
    let mut report = |line: &str| {
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    };
    let net = pruning::train(&settings, &mut report).map_err(|e| Failure::Work(e.to_string()))?;
    std::fs::write(path, net).map_err(|e| file(path, &e))?;
    Ok(ExitCode::SUCCESS)
}
