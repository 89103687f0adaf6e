//! `gammond train`: a run of training, and what belongs to it.

use super::ask::is_for_people;
use super::train_words::{FIRST_LINE, Narrator};
use crate::{
    Common, Failure, Output, OutputFile, ProgressArgs, farmed, folded, print, stopped,
    write_drawing,
};
use gammond_base::files::{self, RECORDS_BYTES_MAX, TEXT_BYTES_MAX};
use gammond_base::journal::{check_writable, write_whole};
use gammond_job::Control;
use gammond_train::training::people::{self, PeoplePlan};
use gammond_train::training::pruning::{self, PruningPlan};
use gammond_train::training::recipe::{self, TrainingRecipe};
use gammond_train::training::run::{Plan, run as train};
use gammond_train::training::volatility::{self, VolatilityPlan};
use gammond_train::training::{RunError, curve, read_toml, reference_set};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    #[command(
        subcommand_negates_reqs = true,
        override_usage = "gammond train [OPTIONS] <PLAN> --folder <DIR>\n       gammond train <COMMAND>"
    )]
    struct Args as Job {
        /// The run: a TOML file; or a recipe, several runs one after the other (`nets/small.toml`).
        #[arg(required = true)]
        plan: Option<PlanArg>,
        /// Folder of the run; a stopped run resumes there.
        #[arg(long, required = true, value_name = "DIR")]
        folder: Option<OutputFile>,
    }
    dropped {
        #[command(subcommand)]
        other: Option<Other>,
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

/// A plan of training.
#[derive(Clone, Debug)]
pub(crate) struct PlanArg {
    path: PathBuf,
    /// The files of a job that take the place of those that the plan names, in their order.
    files: Option<Vec<PathBuf>>,
}

impl From<OsString> for PlanArg {
    fn from(text: OsString) -> PlanArg {
        let path = text.into();
        PlanArg { path, files: None }
    }
}

impl PlanArg {
    fn load(&self) -> Result<Plan, Failure> {
        let mut plan = Plan::load(&self.path).map_err(Failure::file)?;
        if let Some(files) = &self.files {
            let paths = plan.paths_mut();
            if paths.len() != files.len() {
                return Err(Failure::usage("the plan names other files than came along"));
            }
            for (path, file) in paths.into_iter().zip(files) {
                path.clone_from(file);
            }
        }
        Ok(plan)
    }
}

#[cfg(feature = "farm")]
pub(crate) use farm::PlanJob;

#[cfg(feature = "farm")]
mod farm {
    use super::{PlanArg, is_recipe};
    use crate::Failure;
    use crate::farmed::{Carry, JobFiles, JobPaths};
    use gammond_base::files::{self, TEXT_BYTES_MAX};
    use gammond_job::{FileNumber, List, NotPortable, Whole};
    use serde::{Deserialize, Serialize};

    /// A plan in a job.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct PlanJob {
        plan: FileNumber,
        /// The files that the plan names.
        files: List<FileNumber>,
        /// Jobs of its rounds, as the plan has them.
        stages: Whole<1, 10_000>,
    }

    impl PlanJob {
        pub(crate) fn stages(&self) -> u32 {
            self.stages.to()
        }
    }

    impl Carry for PlanArg {
        type Ported = PlanJob;

        fn carry(&self, job_files: &mut JobFiles) -> Result<PlanJob, Failure> {
            let path = &self.path;
            let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
            if is_recipe(&text) {
                let text =
                    "a recipe of several runs; a farm trains one run, expected the file of one";
                return Err(Failure::in_file(path)(text));
            }
            let mut plan = self.load()?;
            let stages = plan.jobs().try_into()?;
            let carried = plan
                .paths_mut()
                .into_iter()
                .map(|path| job_files.file(path));
            let carried: Result<Vec<FileNumber>, Failure> = carried.collect();
            Ok(PlanJob {
                plan: job_files.file(path)?,
                files: carried?.try_into()?,
                stages,
            })
        }

        fn unpack(job: PlanJob, places: &JobPaths<'_>) -> Result<PlanArg, NotPortable> {
            let path = |number: FileNumber| number.path(places.paths).map(ToOwned::to_owned);
            let files: Result<_, NotPortable> =
                Vec::from(job.files).into_iter().map(path).collect();
            Ok(PlanArg {
                path: path(job.plan)?,
                files: Some(files?),
            })
        }
    }
}

/// Other commands for training.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Other {
    /// Draw a learning curve.
    #[command(
        after_help = "Example: gammond train curve nets/history/learning-curve.csv > curve.svg"
    )]
    Curve {
        /// Lines `x,y,error`, the axes' names first.
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
        /// File of the drawing, a bitmap if the name ends with `.png`; standard output by default.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Score the nets of a run, after every round, on rolled-out decisions.
    #[command(after_help = "Example: gammond train score plan.toml decisions.bm --folder run")]
    Score {
        /// The run: a TOML file.
        plan: PathBuf,
        /// The decisions.
        #[arg(value_name = "FILE")]
        decisions: PathBuf,
        /// Folder of the run.
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        progress: ProgressArgs,
    },
    /// Make a pruning net by watching the strong net.
    #[command(after_help = "Example: gammond train pruning nets/pruning.toml pruning.net")]
    Pruning {
        /// Settings of the net: a TOML file (`nets/pruning.toml`).
        plan: PathBuf,
        /// Net file to write.
        #[arg(value_name = "FILE.net")]
        output: PathBuf,
        #[command(flatten)]
        progress: ProgressArgs,
    },
    /// Make a volatility net, for the cube, by watching the strong nets.
    #[command(after_help = "Example: gammond train volatility nets/volatility.toml volatility.net")]
    Volatility {
        /// Settings of the net: a TOML file (`nets/volatility.toml`).
        plan: PathBuf,
        /// Net file to write.
        #[arg(value_name = "FILE.net")]
        output: PathBuf,
        #[command(flatten)]
        progress: ProgressArgs,
    },
    /// Make the model of people's choices from decisions of people.
    #[command(after_help = "Example: gammond train people nets/people.toml people.txt")]
    People {
        /// Settings of the model: a TOML file (`nets/people.toml`).
        plan: PathBuf,
        /// File to write.
        #[arg(value_name = "FILE.txt")]
        output: PathBuf,
        #[command(flatten)]
        progress: ProgressArgs,
    },
}

impl Other {
    #[cfg(feature = "farm")]
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Other::Curve { .. } => "curve",
            Other::Score { .. } => "score",
            Other::Pruning { .. } => "pruning",
            Other::Volatility { .. } => "volatility",
            Other::People { .. } => "people",
        }
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    match (&args.other, &args.plan, &args.folder) {
        (Some(Other::Curve { file, output }), ..) => draw_curve(file, output.as_deref()),
        (
            Some(Other::Score {
                plan,
                decisions,
                folder,
                progress,
            }),
            ..,
        ) => score(plan, folder, decisions, progress),
        (
            Some(Other::Pruning {
                plan,
                output,
                progress,
            }),
            ..,
        ) => {
            let plan: PruningPlan = read_toml(plan).map_err(Failure::file)?;
            make_small_net(output, progress, |report, control| {
                pruning::train(&plan, report, control)
            })
        }
        (
            Some(Other::Volatility {
                plan,
                output,
                progress,
            }),
            ..,
        ) => {
            let plan: VolatilityPlan = read_toml(plan).map_err(Failure::file)?;
            make_small_net(output, progress, |report, control| {
                volatility::train(&plan, report, control)
            })
        }
        (
            Some(Other::People {
                plan,
                output,
                progress,
            }),
            ..,
        ) => {
            let plan: PeoplePlan = read_toml(plan).map_err(Failure::file)?;
            make_small_net(output, progress, |report, control| {
                people::train(&plan, report, control)
            })
        }
        (None, Some(plan), Some(folder)) => train_nets(common, plan, folder, args.progress),
        (None, ..) => Err(Failure::usage("a plan and --folder are required")),
    }
}

fn train_nets(
    common: &Common,
    plan: &PlanArg,
    folder: &Path,
    progress: ProgressArgs,
) -> Result<ExitCode, Failure> {
    let for_people = is_for_people(common) && common.remote.is_none();
    let path = &plan.path;
    let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
    let (complete, end) = if is_recipe(&text) {
        let recipe: TrainingRecipe = read_toml(path).map_err(Failure::file)?;
        let mut control = progress.control()?;
        let mut narrator = for_people.then(|| Narrator::of_recipe(&recipe));
        let complete = print_report(narrator.as_mut(), |report| {
            recipe::follow(&recipe, folder, report, &mut control)
        })?;
        drop(control);
        let curve = folder.join("curve.csv");
        if complete && let Ok(text) = files::read_text(&curve, TEXT_BYTES_MAX) {
            let (axes, curves) = curve::read(&text);
            let path = curve.with_extension("svg");
            write_drawing(&path, &curve::svg(&axes, &curves))?;
        }
        (complete, narrator.map(|narrator| narrator.end(folder)))
    } else {
        let plan = plan.load()?;
        let mut control = common.control(progress)?;
        let mut narrator = for_people.then(|| Narrator::of_plan(&plan));
        let complete = match common.is_quiet() {
            true => train(&plan, folder, &mut |_| {}, &mut control)?,
            false => print_report(narrator.as_mut(), |report| {
                train(&plan, folder, report, &mut control)
            })?,
        };
        (complete, narrator.map(|narrator| narrator.end(folder)))
    };
    if !complete {
        return Ok(stopped(Some(folder), ""));
    }
    match end {
        Some(end) => print(format!("{end}\n").as_bytes()),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Returns true if a file has stages, so is not a single run. False for a file that cannot be parsed: the next reader
/// reports the error.
fn is_recipe(text: &str) -> bool {
    let found = text.parse::<toml::Table>();
    found.is_ok_and(|table| table.contains_key("stage"))
}

/// Runs work whose report is printed line by line, through the narrator if there is one.
fn print_report<T>(
    mut narrator: Option<&mut Narrator>,
    work: impl FnOnce(&mut dyn FnMut(&str)) -> Result<T, RunError>,
) -> Result<T, Failure> {
    let mut out = Output::new();
    let mut printed = match narrator {
        Some(_) => out.line(folded(&format!("{FIRST_LINE}\n")).trim_end()),
        None => Ok(()),
    };
    let mut report = |line: &str| {
        if printed.is_ok() {
            printed = match &mut narrator {
                Some(narrator) => {
                    out.line(folded(&format!("{}\n", narrator.words(line))).trim_end())
                }
                None => out.line(line),
            };
        }
    };
    let done = work(&mut report)?;
    printed.map(|()| done)
}

fn draw_curve(path: &Path, output: Option<&Path>) -> Result<ExitCode, Failure> {
    let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
    let (axes, curves) = curve::read(&text);
    if curves.is_empty() {
        return Err(Failure::in_file(path)("contains no line x,y,error[,name]"));
    }
    let picture = curve::svg(&axes, &curves);
    match output {
        Some(path) => write_drawing(path, &picture).map(|()| ExitCode::SUCCESS),
        None => print(picture.as_bytes()),
    }
}

fn score(
    plan: &Path,
    folder: &Path,
    path: &Path,
    progress: &ProgressArgs,
) -> Result<ExitCode, Failure> {
    let plan = Plan::load(plan).map_err(Failure::file)?;
    let text = files::read_text(path, RECORDS_BYTES_MAX).map_err(Failure::in_file(path))?;
    let decisions = reference_set::decisions(&text);
    if decisions.is_empty() {
        return Err(Failure::in_file(path)(
            "no rolled-out checker decision in it",
        ));
    }
    let mut control = progress.control()?;
    let complete = print_report(None, |report| {
        reference_set::score_run(&plan, folder, &decisions, report, &mut control)
    })?;
    drop(control);
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        stopped(
            None,
            "the rounds above are scored whole; the same command starts again",
        )
    })
}

fn make_small_net(
    path: &Path,
    progress: &ProgressArgs,
    train: impl FnOnce(&mut dyn FnMut(&str), &mut Control<'_>) -> Result<Option<Vec<u8>>, RunError>,
) -> Result<ExitCode, Failure> {
    check_writable(path).map_err(Failure::in_file(path))?;
    let mut control = progress.control()?;
    let net = print_report(None, |report| train(report, &mut control))?;
    drop(control);
    let Some(net) = net else {
        let text = "no net was written; the same command starts again";
        return Ok(stopped(None, text));
    };
    write_whole(path, &net).map_err(Failure::in_file(path))?;
    progress.report(&format!("the net is in {}", path.display()));
    Ok(ExitCode::SUCCESS)
}
