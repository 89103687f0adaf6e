//! `gammond farm`: long commands on many machines.

use super::nats_options::NatsOptions;
use super::{farm_demo, farm_jobs};
use crate::farmed::JobPaths;
use crate::{Common, Failure, Format, Picture, data_folders, folded, json_line, platform, print};
use gammond_farm::nats::{Access, ConnectError, is_name};
use gammond_farm::{
    Division, FarmClient, FarmError, FileCache, InjectedFault, State, Submitter, WorkerSettings,
    machine_line, page,
};
use gammond_job::{Real, RemoteExecutor};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: FarmCommand,
}

#[derive(clap::Subcommand, Debug)]
enum FarmCommand {
    /// Compute for others.
    #[command(after_help = "Example: gammond farm worker --nats nats://server:4222 --name anna")]
    Worker(WorkerArgs),
    /// Submit a job: rollout (or bm), label, sample, bench, duel, gate, tournament, train.
    #[command(
        after_help = "Example: gammond farm submit --wait rollout --bm-in positions.txt --out positions.bm"
    )]
    Submit(Box<SubmitArgs>),
    /// Show the progress of jobs and the workers that compute them.
    #[command(after_help = "Example: gammond farm status --html status.html")]
    Status(StatusArgs),
    /// Write the result of a job, as the command itself would have.
    #[command(after_help = "Example: gammond farm fetch label-0123456789ab")]
    Fetch(FetchArgs),
    /// Retry the abandoned parts of a job.
    #[command(after_help = "Example: gammond farm retry label-0123456789ab")]
    Retry(RetryArgs),
    /// Cancel a job, or remove a finished one.
    #[command(after_help = "Example: gammond farm cancel label-0123456789ab")]
    Cancel(CancelArgs),
    /// List workers, and those in quarantine.
    #[command(after_help = "Example: gammond farm workers")]
    Workers(WorkersArgs),
    /// Try all of it here: starts a server and two workers, and ends with a small job's result.
    #[command(after_help = "Example: gammond farm demo")]
    Demo(farm_demo::Args),
}

/// Options for the connection to the farm.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "The farm's server")]
pub(super) struct Server {
    /// The NATS server, with JetStream; several with commas.
    #[arg(
        long,
        env = "GAMMOND_NATS",
        default_value = "nats://127.0.0.1:4222",
        value_name = "URL"
    )]
    pub(super) nats: String,
    /// Copies of everything that is stored, in a cluster of servers; default: as it is, or 1 for a new farm.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    replicas: Option<u8>,
    #[command(flatten)]
    pub(super) options: NatsOptions,
}

impl Server {
    pub(super) fn access(&self) -> Result<Access, Failure> {
        self.options.access(&self.nats)
    }

    fn copies(&self) -> Option<usize> {
        self.replicas.map(usize::from)
    }

    /// Opens the farm.
    fn open(&self) -> Result<FarmClient, Failure> {
        let access = self.access()?;
        Ok(FarmClient::open(
            &access,
            &self.options.farm,
            self.copies(),
        )?)
    }
}

impl From<FarmError> for Failure {
    fn from(error: FarmError) -> Self {
        match error {
            FarmError::File { .. } | FarmError::Connect(ConnectError::File { .. }) => {
                Failure::file(error)
            }
            FarmError::NoJob(_) => Failure::usage(error),
            other => Failure::work(other),
        }
    }
}

#[derive(clap::Args, Debug)]
struct WorkerArgs {
    #[command(flatten)]
    server: Server,
    /// Name of this machine in the status; default: its host name. Programs of one name count as one machine.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Messages of parts that are computed at a time, all on the same threads.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Take parts only while other programs leave three quarters of the machine free.
    #[arg(long)]
    idle_only: bool,
    /// Folder for nets and tables of jobs; default: gammond/farm in the user's cache.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// The most MiB of files that are kept for later jobs.
    #[arg(long, default_value_t = 4096, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    cache_size: u64,
    /// End when there was nothing to compute for so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    until_idle: Option<u64>,
    /// Fault to inject, for tests: lies, drops=PERCENT, fails=BATCH, version=TEXT.
    #[arg(long, hide = true, value_parser = fault)]
    fault: Option<InjectedFault>,
}

fn fault(text: &str) -> Result<InjectedFault, String> {
    match text.split_once('=') {
        None if text == "lies" => Ok(InjectedFault::Lies),
        Some(("fails", batch)) => match batch.parse() {
            Ok(batch) => Ok(InjectedFault::Fails(batch)),
            Err(_) => Err("expected fails=BATCH, such as fails=3".to_owned()),
        },
        Some(("version", version)) => Ok(InjectedFault::Version(version.to_owned())),
        Some(("drops", percent)) => match percent.parse() {
            Ok(percent) if percent < 100 => Ok(InjectedFault::Drops(percent)),
            _ => Err("expected drops=0 to drops=99".to_owned()),
        },
        _ => Err("expected lies, drops=PERCENT, fails=BATCH or version=TEXT".to_owned()),
    }
}

#[derive(clap::Args, Debug)]
struct SubmitArgs {
    #[command(flatten)]
    server: Server,
    /// Wait for the result and write it, with a bar; without, print the job's name and end.
    #[arg(long)]
    wait: bool,
    /// Have this share of the answers computed twice, by different machines; one whose answers differ is quarantined.
    #[arg(long, default_value = "0.02", value_name = "SHARE")]
    verify: Real<0, 1>,
    /// A machine that is silent for so many seconds loses its parts to others.
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    silence: u64,
    /// Time that a message of parts should take one thread; default: by measurement, 5 to 20 seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    part_seconds: Option<f64>,
    /// Parts in a message, whatever they take.
    #[arg(long, alias = "lot", value_name = "N", conflicts_with = "part_seconds", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    batch: Option<u64>,
    /// The command, as on one machine.
    #[command(subcommand)]
    command: farm_jobs::Submitted,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.001..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "expected seconds, 0.001 to 3600".to_owned())
}

#[derive(clap::Args, Debug)]
struct StatusArgs {
    #[command(flatten)]
    server: Server,
    /// A job; default: all, one line each.
    job: Option<String>,
    /// Write a page that renews itself when it is written again.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct FetchArgs {
    #[command(flatten)]
    server: Server,
    /// The job.
    job: String,
    /// Wait until all parts are there.
    #[arg(long)]
    wait: bool,
    /// Write also where the job names a path outside of this folder, or a hidden file. Whoever submitted the job chose
    /// the names.
    #[arg(long)]
    anywhere: bool,
}

#[derive(clap::Args, Debug)]
struct CancelArgs {
    #[command(flatten)]
    server: Server,
    /// The job.
    job: String,
}

#[derive(clap::Args, Debug)]
struct RetryArgs {
    #[command(flatten)]
    server: Server,
    /// The job.
    job: String,
}

#[derive(clap::Args, Debug)]
struct WorkersArgs {
    #[command(flatten)]
    server: Server,
    /// Trust a quarantined machine again.
    #[arg(long, value_name = "NAME")]
    believe: Option<String>,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    match &args.what {
        FarmCommand::Worker(args) => worker(common, args),
        FarmCommand::Submit(args) => submit(common, args),
        FarmCommand::Status(args) => status(common, args),
        FarmCommand::Fetch(args) => fetch(common, args),
        FarmCommand::Cancel(args) => {
            args.server.open()?.cancel(&args.job)?;
            print(
                format!(
                    "{} is cancelled; its parts and answers are gone\n",
                    args.job
                )
                .as_bytes(),
            )
        }
        FarmCommand::Retry(args) => retry_job(args),
        FarmCommand::Workers(args) => workers(common, args),
        FarmCommand::Demo(args) => farm_demo::run(args),
    }
}

/// Returns this machine's name, in the characters that a name may have.
fn host_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").ok();
    let host = host.or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.or_else(|| std::env::var("COMPUTERNAME").ok());
    let host: String = (host.unwrap_or_default().trim().chars())
        .map(|one| {
            if one.is_ascii_alphanumeric() || one == '_' {
                one
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    if host.is_empty() {
        "machine".to_owned()
    } else {
        host
    }
}

/// Returns the user's folder for what can be made again.
fn cache_folder() -> Result<PathBuf, Failure> {
    let cache = platform::cache_folder().or_else(|| data_folders().next());
    let cache = cache.map(|cache| cache.join("gammond").join("farm"));
    cache.ok_or_else(|| Failure::usage("no home folder: set --cache DIR"))
}

fn worker(common: &Common, args: &WorkerArgs) -> Result<ExitCode, Failure> {
    let name = args.name.clone().unwrap_or_else(host_name);
    if !is_name(&name) {
        return Err(Failure::usage(format!(
            "--name {name}: expected letters, digits, - and _, at most 40"
        )));
    }
    let access = args.server.access()?;
    common.start_threads();
    let folder = args.cache.clone().map_or_else(cache_folder, Ok)?;
    let settings = WorkerSettings {
        name: name.clone(),
        jobs: args.jobs.into(),
        threads: common.threads.unwrap_or_else(rayon::current_num_threads),
        idle_only: args.idle_only,
        cache: FileCache::new(folder, args.cache_size << 20),
        idle_timeout: args.until_idle.map(Duration::from_secs),
        fault: args.fault.clone(),
    };
    let programs = Arc::new(farm_jobs::LocalPrograms {
        threads: common.threads,
    });
    let stop = crate::ProgressArgs::default().quiet(true).control()?.stop;
    let farm = FarmClient::open_with_retry(
        &access,
        &args.server.options.farm,
        args.server.copies(),
        &stop,
        &|text| stderr_line!("gammond: {text}"),
    )?;
    let Some(farm) = farm else {
        return Ok(ExitCode::SUCCESS);
    };
    stderr_line!(
        "gammond: {name} computes for the farm '{}' at {}; Ctrl-C ends it",
        farm.name(),
        access.shown()
    );
    farm.work(programs, settings, stop)?;
    Ok(ExitCode::SUCCESS)
}

fn submit(common: &Common, args: &SubmitArgs) -> Result<ExitCode, Failure> {
    let task = farm_jobs::task(common, &args.command, args.verify.get(), args.silence)?;
    let name = task.name();
    let farm = args.server.open()?;
    let division = Division {
        seconds: args.part_seconds,
        parts: args.batch,
    };
    let paths = farm_jobs::paths_here(&task)?;
    let of = (task.clone(), division);
    let submitter = Arc::new(farm.submit(of, args.wait)?);
    if args.wait {
        stderr_line!("gammond: job {name}");
    }
    match run_submitter(common, &submitter, &paths) {
        // As it should be: the rest happens on the farm.
        Err(failure) if !args.wait && ended_remotely(&failure) => {
            print(format!("{name}\n").as_bytes())
        }
        Err(failure) => {
            // The error of the command says more than one of this.
            let _ = submitter.withdraw();
            Err(failure)
        }
        Ok(code) => Ok(code),
    }
}

/// Returns true if a command ended because the farm does the rest.
fn ended_remotely(failure: &Failure) -> bool {
    use std::error::Error as _;
    let ended = gammond_job::RemoteError::Ended.to_string();
    failure.to_string() == ended || failure.source().is_some_and(|one| one.to_string() == ended)
}

/// Runs the command of a job, with its parts from the farm.
fn run_submitter(
    common: &Common,
    submitter: &Arc<Submitter<farm_jobs::Ours>>,
    paths: &[PathBuf],
) -> Result<ExitCode, Failure> {
    let job_paths = JobPaths::new(paths, None);
    let remote: Arc<dyn RemoteExecutor> = submitter.clone();
    let task = submitter.task().clone();
    let ended = farm_jobs::run(&task, &job_paths, common.threads, &remote)?;
    submitter.finish()?;
    Ok(ended)
}

fn fetch(common: &Common, args: &FetchArgs) -> Result<ExitCode, Failure> {
    let farm = args.server.open()?;
    let task = farm.task::<farm_jobs::Ours>(&args.job)?;
    let state = farm.state(&args.job)?;
    match state {
        State::Cancelled => {
            return Err(Failure::usage(format!("{} was cancelled", args.job)));
        }
        State::Active if !args.wait => {
            let found = farm.overview::<farm_jobs::Ours>(Some(&args.job))?;
            let line = found
                .jobs
                .first()
                .map_or_else(String::new, |job| job.line());
            return Err(Failure::work(format!("{line}; --wait waits for the rest")));
        }
        State::Active | State::Complete => {}
    }
    if let (false, Some(name)) = (args.anywhere, farm_jobs::outputs_outside(&task).first()) {
        return Err(Failure::usage(format!(
            "{} writes '{name}', outside of this folder; if that is what you want: gammond farm fetch {} --anywhere",
            args.job, args.job
        )));
    }
    let paths = farm_jobs::paths_here(&task)?;
    let submitter = Arc::new(farm.fetch(task));
    run_submitter(common, &submitter, &paths)
}

fn retry_job(args: &RetryArgs) -> Result<ExitCode, Failure> {
    let (farm, job) = (args.server.open()?, &args.job);
    // An unknown job is reported as unknown.
    farm.task::<farm_jobs::Ours>(job)?;
    let tried = match farm.state(job)? {
        State::Cancelled => {
            let message = format!("{job} was cancelled; submit it again");
            return Err(FarmError::Other(message).into());
        }
        State::Active | State::Complete => farm.retry(job)?,
    };
    print(
        match tried {
            0 => format!("no batch of {job} was abandoned\n"),
            1 => format!("1 batch of {job} is retried\n"),
            more => format!("{more} batches of {job} are retried\n"),
        }
        .as_bytes(),
    )
}

fn status(common: &Common, args: &StatusArgs) -> Result<ExitCode, Failure> {
    let farm = args.server.open()?;
    let found = farm.overview::<farm_jobs::Ours>(args.job.as_deref())?;
    if let Some(path) = &args.html {
        Picture::Html.write(path, page(&found).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = if common.format == Some(Format::Json) {
        json_line(&found.json())
    } else if args.job.is_some() {
        found.jobs.iter().map(|job| job.text()).collect()
    } else if found.jobs.is_empty() {
        "no jobs\n".to_owned()
    } else {
        found.jobs.iter().map(|job| job.line() + "\n").collect()
    };
    print(folded(&text).as_bytes())
}

fn workers(common: &Common, args: &WorkersArgs) -> Result<ExitCode, Failure> {
    let farm = args.server.open()?;
    if let Some(name) = &args.believe {
        farm.readmit(name)?;
        return print(format!("{name} is believed again\n").as_bytes());
    }
    let (machines, aside) = (farm.machines()?, farm.quarantined()?);
    if common.format == Some(Format::Json) {
        let value = serde_json::json!({"machines": machines, "aside": aside});
        return print(json_line(&value).as_bytes());
    }
    let mut text: String = (machines.iter())
        .map(|machine| machine_line(machine, &aside) + "\n")
        .collect();
    for (name, why) in &aside {
        if machines.iter().all(|machine| machine.name != *name) {
            text.push_str(&format!(
                "{}: quarantined: {}\n",
                name.terminal(),
                why.terminal()
            ));
        }
    }
    if text.is_empty() {
        text.push_str("no machines\n");
    }
    print(folded(&text).as_bytes())
}
