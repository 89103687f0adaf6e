//! The commands that a farm runs: from arguments to a job, and from that to arguments with the files of this machine.

use super::{bench, bench_regret, duel, gate, label, rollout, sample, tournament, train};
use crate::farmed::{Carry as _, JobFiles, JobPaths, NetsArg};
use crate::{Common, Failure, Format};
use gammond_arena::player::{PortableBearoff, PortableNets};
use gammond_engine::equity::MatchEquityTable;
use gammond_farm::{Commands, FORMAT, FarmError, Programs, VERSION, inspect, one_line};
use gammond_job::{FileNumber, NotPortable, RemoteExecutor, Whole, Word};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The command that is submitted.
#[derive(clap::Subcommand, Debug)]
pub(super) enum Submitted {
    /// Rollouts of a question, or of a whole benchmark file.
    #[command(
        alias = "bm",
        after_help = "Example: gammond farm submit rollout --bm-in positions.txt --out positions.bm"
    )]
    Rollout(Box<rollout::Args>),
    /// Labels for training.
    #[command(after_help = "Example: gammond farm submit label positions.txt labels.txt --plies 2")]
    Label(label::Args),
    /// Positions for training.
    #[command(
        after_help = "Example: gammond farm submit sample positions.labels --positions 20000"
    )]
    Sample(sample::Args),
    /// Scores on benchmark files; `bench regret` too.
    #[command(
        after_help = "Example: gammond farm submit bench contact.bm --player gammond:plies=1"
    )]
    Bench(Box<bench::Args>),
    /// Two players against each other.
    #[command(after_help = "Example: gammond farm submit --wait duel gammond pubeval --games 1000")]
    Duel(Box<duel::Args>),
    /// Duels of candidate nets.
    #[command(after_help = "Example: gammond farm submit gate gammond:nets=FOLDER")]
    Gate(gate::Args),
    /// Several players against each other.
    #[command(
        after_help = "Example: gammond farm submit tournament gammond pubeval random --games 200"
    )]
    Tournament(tournament::Args),
    /// A training run.
    #[command(after_help = "Example: gammond farm submit train nets/first.toml --folder first")]
    Train(train::Args),
    /// Anything else, which is refused by name.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Maximum number of letters of the command line that are kept for the status.
const TYPED_LETTERS_MAX: usize = 2000;

/// Makes a job of a command and the options that all commands have.
///
/// # Errors
/// When a farm does not run the command, a file is missing or a player is a program.
pub(super) fn task(
    common: &Common,
    command: &Submitted,
    verify: f64,
    silence_s: u64,
) -> Result<Task, Failure> {
    let mut job_files = JobFiles::default();
    let job = job(command, &mut job_files)?;
    let engine = engine(common, &job, &mut job_files)?;
    let typed = typed(crate::program::arguments());
    let task = Task {
        format: FORMAT,
        version: VERSION.to_owned(),
        job,
        engine,
        files: job_files.0,
        verify_millionths: (verify * 1e6).round() as u32,
        silence_s,
        typed: one_line(&typed, TYPED_LETTERS_MAX),
    };
    // Arguments that a worker would refuse are refused here.
    let paths: Vec<PathBuf> = task.files.iter().map(|file| (&file.path).into()).collect();
    let job_paths = JobPaths::new(&paths, None);
    prepared(&task, &job_paths).map_err(Failure::from)?;
    Ok(task)
}

/// Returns the command of a command line with its arguments, without what `submit` itself was given.
fn typed(words: impl Iterator<Item = String>) -> String {
    const COMMANDS: [&str; 9] = [
        "rollout",
        "bm",
        "label",
        "sample",
        "bench",
        "duel",
        "gate",
        "tournament",
        "train",
    ];
    let words = words.skip_while(|word| word != "submit");
    let words = words.skip_while(|word| !COMMANDS.contains(&word.as_str()));
    words.collect::<Vec<_>>().join(" ")
}

/// The commands of a farm: each with its arguments, the word of its jobs' names, and whether the engine of the common
/// options computes it, and not those of its players.
macro_rules! commands {
    ($($name:ident: $module:ident, $word:literal, $own_engine:literal;)*) => {
        /// A command with its arguments as they travel.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum Job {
            $(
                #[doc = concat!("`", stringify!($module), "`.")]
                $name(Box<$module::Job>),
            )*
        }

        impl Job {
            const fn word(&self) -> &'static str {
                match self {
                    $(Job::$name(_) => $word,)*
                }
            }

            const fn has_own_engine(&self) -> bool {
                match self {
                    $(Job::$name(_) => $own_engine,)*
                }
            }

            fn unpack(self, job_paths: &JobPaths<'_>) -> Result<Prepared, NotPortable> {
                Ok(match self {
                    $(Job::$name(job) => {
                        Prepared::$name(Box::new($module::Args::unpack(*job, job_paths)?))
                    })*
                })
            }
        }

        /// A command with its arguments on this machine.
        pub(super) enum Prepared {
            $(
                #[doc = concat!("`", stringify!($module), "`.")]
                $name(Box<$module::Args>),
            )*
        }

        impl Prepared {
            fn run(&self, common: &Common) -> Result<ExitCode, Failure> {
                match self {
                    $(Prepared::$name(args) => $module::run(common, args),)*
                }
            }
        }
    };
}

commands! {
    Rollout: rollout, "rollout", true;
    Label: label, "label", true;
    Sample: sample, "sample", true;
    Bench: bench, "bench", false;
    Regret: bench_regret, "bench", false;
    Duel: duel, "duel", false;
    Gate: gate, "gate", false;
    Tournament: tournament, "tournament", false;
    Train: train, "train", false;
}

fn no_farm_command(name: &str) -> Failure {
    Failure::usage(format!(
        "a farm does not run '{name}'; it runs rollout, label, sample, bench, bench regret, duel, gate, tournament, train"
    ))
}

fn job(command: &Submitted, files: &mut JobFiles) -> Result<Job, Failure> {
    Ok(match command {
        Submitted::Rollout(args) => Job::Rollout(Box::new(args.carry(files)?)),
        Submitted::Label(args) => Job::Label(Box::new(args.carry(files)?)),
        Submitted::Sample(args) => match &args.other {
            None => Job::Sample(Box::new(args.carry(files)?)),
            Some(sample::Other::Dump { .. }) => return Err(no_farm_command("sample dump")),
        },
        Submitted::Bench(args) => match &args.other {
            None => Job::Bench(Box::new(args.carry(files)?)),
            Some(bench::Other::Regret(args)) => Job::Regret(Box::new(args.carry(files)?)),
            Some(bench::Other::Values(_)) => return Err(no_farm_command("bench values")),
            Some(bench::Other::Depths(_)) => return Err(no_farm_command("bench depths")),
        },
        Submitted::Duel(args) => Job::Duel(Box::new(args.carry(files)?)),
        Submitted::Gate(args) => Job::Gate(Box::new(args.carry(files)?)),
        Submitted::Tournament(args) => Job::Tournament(Box::new(args.carry(files)?)),
        Submitted::Train(args) => match &args.other {
            None => Job::Train(Box::new(args.carry(files)?)),
            Some(other) => return Err(no_farm_command(&format!("train {}", other.word()))),
        },
        Submitted::Other(words) => {
            return Err(no_farm_command(words.first().map_or("", String::as_str)));
        }
    })
}

/// Refuses arguments that do not fit together.
fn check(command: &Prepared) -> Result<(), NotPortable> {
    let wrong = match command {
        // A limit in seconds ends at another place on each machine.
        Prepared::Rollout(args) if is_timed(&args.request) => {
            "time=: a farm needs the same result on every machine; give trials=, se= or jsd="
        }
        Prepared::Tournament(args) if args.players.len() < 2 => "a tournament needs two players",
        Prepared::Sample(args) if args.file.is_none() => "a file for the labels is required",
        Prepared::Train(args) if args.plan.is_none() || args.folder.is_none() => {
            "a plan and --folder are required"
        }
        _ => return Ok(()),
    };
    Err(NotPortable(wrong.to_owned()))
}

fn is_timed(request: &[String]) -> bool {
    let mut keys = request.iter().filter_map(|word| word.split_once('='));
    keys.any(|(key, _)| key.eq_ignore_ascii_case("time"))
}

/// The commands of this program, for the farm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ours;

impl Commands for Ours {
    type Command = Job;
    type Options = EngineJob;

    fn word(command: &Job) -> &'static str {
        command.word()
    }

    fn stages(command: &Job) -> u32 {
        match command {
            // Candidates, then games.
            Job::Rollout(job) if job.file.out.is_some() => 2,
            Job::Train(job) => job.plan.as_ref().map_or(1, train::PlanJob::stages),
            _ => 1,
        }
    }
}

/// The options that all commands have, in a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineJob {
    nets: PortableNets,
    plies: Whole<0, 4>,
    /// The player's own databases when left out.
    bearoff: Option<PortableBearoff>,
    /// The command's own default when left out.
    met: Option<MetJob>,
    seed: u64,
    format: Option<Format>,
}

/// A match equity table in a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MetJob {
    /// Built-in table.
    Named(Word),
    /// File that travels with the job.
    File(FileNumber),
}

/// A job of this program.
pub(super) type Task = gammond_farm::Task<Ours>;

fn engine(common: &Common, job: &Job, job_files: &mut JobFiles) -> Result<EngineJob, Failure> {
    let Common {
        nets,
        plies: _,
        threads: _,
        bearoff,
        met,
        // Each worker's own: the bits are the same.
        kernels: _,
        seed: _,
        format,
        log: _,
        log_json: _,
        config: _,
        remote: _,
    } = common;
    let mut carry = |path: &Path| job_files.file(path);
    let bearoff = match job.has_own_engine() {
        true => common.bearoff_folder().or_else(|| Some("none".into())),
        false => bearoff.clone(),
    };
    let bearoff = bearoff.map(|folder| PortableBearoff::new(&folder, &mut carry));
    let bearoff = bearoff.transpose()?;
    let met = match met {
        None => None,
        Some(name) => Some(match MatchEquityTable::named(name) {
            Ok(_) => MetJob::Named(name.clone().try_into()?),
            Err(_) => MetJob::File(job_files.file(Path::new(name))?),
        }),
    };
    Ok(EngineJob {
        nets: NetsArg(nets.clone()).carry(job_files)?,
        plies: u64::from(common.plies()).try_into()?,
        bearoff,
        met,
        seed: common.seed(),
        format: *format,
    })
}

/// Returns the options of a job on this machine.
fn common(task: &Task, job_paths: &JobPaths<'_>) -> Result<Common, NotPortable> {
    let EngineJob {
        nets,
        plies,
        bearoff,
        met,
        seed,
        format,
    } = task.engine.clone();
    // Without this the databases that this machine happens to have would be used.
    let none = task.job.has_own_engine().then_some(PortableBearoff::None);
    let bearoff = bearoff.or(none).map(|folder| folder.path(job_paths.paths));
    let met = match met {
        None => None,
        Some(MetJob::Named(name)) => {
            let name = String::from(name);
            match MatchEquityTable::named(&name) {
                Ok(_) => Some(name),
                Err(error) => return Err(NotPortable(error.to_string())),
            }
        }
        Some(MetJob::File(number)) => {
            Some(NetsArg::unpack(PortableNets::File(number), job_paths)?.0)
        }
    };
    Ok(Common {
        nets: NetsArg::unpack(nets, job_paths)?.0,
        plies: Some(plies.to()),
        threads: None,
        bearoff: bearoff.transpose()?,
        met,
        kernels: None,
        seed: Some(seed),
        format,
        log: String::new(),
        log_json: false,
        config: None,
        remote: None,
    })
}

/// Checks a job and puts the files of this machine into it.
fn prepared(task: &Task, job_paths: &JobPaths<'_>) -> Result<(Common, Prepared), NotPortable> {
    let common = common(task, job_paths)?;
    let command = task.job.clone().unpack(job_paths)?;
    check(&command)?;
    Ok((common, command))
}

/// Runs the command of a job on this machine, with the parts of its jobs from `remote`.
///
/// # Errors
/// Why it cannot run.
pub(super) fn run(
    task: &Task,
    job_paths: &JobPaths<'_>,
    threads: Option<usize>,
    remote: &Arc<dyn RemoteExecutor>,
) -> Result<ExitCode, Failure> {
    let (mut common, command) = prepared(task, job_paths)?;
    common.threads = threads;
    common.remote = Some(remote.clone());
    command.run(&common)
}

/// Runs the commands of jobs for a worker.
#[derive(Debug)]
pub(super) struct LocalPrograms {
    pub(super) threads: Option<usize>,
}

impl Programs<Ours> for LocalPrograms {
    fn run(
        &self,
        task: &Task,
        paths: &[PathBuf],
        scratch: &Path,
        remote: Arc<dyn RemoteExecutor>,
    ) -> Result<(), String> {
        let job_paths = JobPaths::new(paths, Some(scratch));
        // Every user of the farm reads the reason: it names the fault of the job, never contents of a file.
        prepared(task, &job_paths).map_err(|error| error.to_string())?;
        match run(task, &job_paths, self.threads, &remote) {
            Ok(_) => Ok(()),
            Err(failure) => {
                tracing::debug!("{failure}");
                Err(match failure {
                    Failure::Usage(_) => "its settings do not fit together",
                    Failure::File(_) => "a file of the job is not the one that it needs",
                    Failure::Work(_) => "it cannot run on this machine",
                }
                .to_owned()
                    + "; the same command without the farm gives the reason")
            }
        }
    }
}

/// Returns the paths of a job's files where it was submitted, if they are still the same.
pub(super) fn paths_here(task: &Task) -> Result<Vec<PathBuf>, FarmError> {
    let mut paths = Vec::new();
    for shipped in &task.files {
        let path = PathBuf::from(&shipped.path);
        if inspect(&path)?.files != shipped.files {
            let text = format!("{} has changed since the job was submitted", shipped.path);
            return Err(FarmError::Other(text));
        }
        paths.push(path);
    }
    Ok(paths)
}

/// Returns the names of the files that a job writes outside of the folder in which it is fetched: absolute ones, those
/// with `..`, and hidden ones.
pub(super) fn outputs_outside(task: &Task) -> Vec<String> {
    let paths = vec![PathBuf::new(); task.files.len()];
    let job_paths = JobPaths::new(&paths, None);
    // Every name that the arguments hold passes there. A job that cannot be unpacked does not run.
    let _ = task.job.clone().unpack(&job_paths);
    let inside = |name: &String| {
        Path::new(name).components().all(|one| match one {
            Component::Normal(part) => !part.to_string_lossy().starts_with('.'),
            Component::CurDir => true,
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => false,
        })
    };
    let mut names = job_paths.written.into_inner();
    names.retain(|name| !inside(name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use gammond_farm::Shipped;
    use serde_json::{Value, json};

    #[derive(clap::Parser, Debug)]
    struct Line {
        #[command(flatten)]
        common: Common,
        #[command(subcommand)]
        command: Submitted,
    }

    fn submitted(line: &str) -> Result<Task, String> {
        let words = std::iter::once("gammond").chain(line.split(' '));
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        task(&line.common, &line.command, 0.0, 30).map_err(|error| error.to_string())
    }

    /// Parses and prepares a job as a worker does after receiving it.
    fn at_the_worker(task: &Value) -> Result<(Common, Prepared), String> {
        let read: Task = serde_json::from_value(task.clone()).map_err(|e| e.to_string())?;
        let bytes = serde_json::to_vec(&read).unwrap();
        let parsed = Task::parse(&read.name(), &bytes).map_err(|error| error.to_string())?;
        let paths = vec![PathBuf::from("/came/along"); parsed.files.len()];
        let job_paths = JobPaths::new(&paths, Some(Path::new("/scratch")));
        prepared(&parsed, &job_paths).map_err(|error| error.to_string())
    }

    /// Files of every kind that a player may name.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.net", "a.toml", "positions", "x.bm"] {
            std::fs::write(folder.path().join(name), "a file\n").unwrap();
        }
        folder
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of commands")]
    fn command_with_files_round_trips_through_a_job() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (net, sum, positions, bm) = (at("a.net"), at("a.toml"), at("positions"), at("x.bm"));
        for (line, files, stages) in [
            (format!("label {positions} out --plies 2 --seed 7"), 1, 1),
            (
                format!("bm --bm-in {bm} --out x.bm trials=36 --quota contact=5"),
                1,
                2,
            ),
            ("rollout 4HPwATDgc/ABMA 31 top=2 trials=72".to_owned(), 0, 1),
            (format!("rollout 4HPwATDgc/ABMA --other-nets {net}"), 1, 1),
            (format!("sample out --from {positions} --games {sum}"), 2, 1),
            (
                format!("bench {bm} {bm} --against td:{net} --by-range 6,12"),
                2,
                1,
            ),
            (
                format!("bench regret {positions} --judge gammond:nets={net}"),
                2,
                1,
            ),
            (
                format!("duel linear:{sum} expectiminimax:depth=2:eval=td:{net} --match 5"),
                2,
                1,
            ),
            (
                format!("duel gammond:nets=embedded:fast random --luck-adjusted {net}"),
                1,
                1,
            ),
            (
                format!("gate gammond:nets={net} --bench {bm} --lead=-0.5"),
                2,
                1,
            ),
            (
                format!("tournament random pubeval hillclimb:{net} --cube --no-jacoby"),
                1,
                1,
            ),
        ] {
            let task = submitted(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(task.files.len(), files, "{line}");
            assert_eq!(Ours::stages(&task.job), stages, "{line}");
            let travelled = serde_json::to_value(&task).unwrap();
            let mut without_files = travelled.clone();
            without_files["files"] = json!([]);
            without_files["typed"] = json!("");
            let shown = without_files.to_string();
            assert!(!shown.contains(&at("")), "{line}: {shown}");
            let (common, command) = at_the_worker(&travelled).unwrap();
            assert_eq!(
                (common.seed(), common.plies()),
                (task.engine.seed, u64::from(task.engine.plies) as u8)
            );
            // From the arguments of the worker the same job is made.
            let mut job_files = JobFiles(
                task.files
                    .iter()
                    .cloned()
                    .map(|file| Shipped {
                        path: "/came/along".to_owned(),
                        ..file
                    })
                    .collect(),
            );
            if files < 2 {
                let again = match &command {
                    Prepared::Rollout(args) if stages == 1 => {
                        Job::Rollout(Box::new(args.carry(&mut job_files).unwrap()))
                    }
                    Prepared::Tournament(args) => {
                        Job::Tournament(Box::new(args.carry(&mut job_files).unwrap()))
                    }
                    Prepared::Duel(args) => {
                        Job::Duel(Box::new(args.carry(&mut job_files).unwrap()))
                    }
                    _ => continue,
                };
                assert_eq!(again, task.job, "{line}");
            }
            if files > 0 {
                without_files["files"] = json!([]);
                let refused = at_the_worker(&without_files).err().unwrap();
                assert!(refused.contains("did not come along"), "{line}: {refused}");
            }
        }
        let name = |line: &str| submitted(line).unwrap().name();
        let label = format!("label {positions} out");
        assert_eq!(
            name(&format!("{label} --plies 2 --seed 7")),
            name(&format!("{label} --seed 7 --plies 2"))
        );
        assert_ne!(
            name(&format!("{label} --plies 2 --seed 7")),
            name(&format!("{label} --plies 2"))
        );
    }

    #[test]
    fn work_that_is_not_for_a_farm_is_refused_at_submission() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for (line, why) in [
            (
                "serve --listen 127.0.0.1:1".to_owned(),
                "does not run 'serve'",
            ),
            ("label /nowhere out".to_owned(), "/nowhere"),
            ("rollout 4HPwATDgc/ABMA time=100".to_owned(), "time="),
            ("rollout 4HPwATDgc/ABMA TIME=100".to_owned(), "time="),
            (
                "duel random pubeval --mat folder".to_owned(),
                "not on a farm",
            ),
            (
                format!("bench values {}", at("positions")),
                "does not run 'bench values'",
            ),
            (
                format!("sample dump {}", at("positions")),
                "does not run 'sample dump'",
            ),
            (
                format!("bm --bm-in {} --out y --part 1/2", at("x.bm")),
                "--part: not on a farm",
            ),
            ("bm --bm-in - --out y".to_owned(), "standard input"),
            ("duel gammond random --met /nowhere".to_owned(), "/nowhere"),
        ] {
            let said = submitted(&line).unwrap_err();
            assert!(said.contains(why), "{line}: {said}");
        }
    }

    /// Texts of players that start or call a program, in every form that holds another player, two levels deep.
    fn programs(folder: &Path) -> Vec<String> {
        let marker = folder.join("was-run");
        let run = format!("touch${{IFS}}{}", marker.display());
        let plain = [
            format!("pipe:{run}"),
            format!("ubgi:{run}"),
            "external:127.0.0.1:1".to_owned(),
        ];
        let mut all = plain.to_vec();
        for (at, program) in plain.iter().enumerate() {
            for place in ["contact", "crashed", "race"] {
                let path = folder.join(format!("{at}-{place}.toml"));
                let mut plan = String::new();
                for part in ["contact", "crashed", "race"] {
                    let player = if part == place { program } else { "gammond" };
                    plan.push_str(&format!("{part} = '{player}'\n"));
                }
                std::fs::write(&path, plan).unwrap();
                all.push(format!("parts:{}", path.display()));
            }
        }
        let looked_from = all.clone().into_iter();
        all.extend(looked_from.flat_map(|player| {
            ["", ":depth=2"].map(|depth| format!("expectiminimax{depth}:eval={player}"))
        }));
        all
    }

    #[test]
    fn program_in_any_player_of_any_command_is_refused_and_not_run() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let lines = [
            "duel PLAYER random".to_owned(),
            "duel random PLAYER".to_owned(),
            format!("bench {} --player PLAYER", at("x.bm")),
            format!("bench {} --against PLAYER", at("x.bm")),
            format!("bench regret {} --player PLAYER", at("positions")),
            format!("bench regret {} --against PLAYER", at("positions")),
            format!("bench regret {} --judge PLAYER", at("positions")),
            "gate PLAYER".to_owned(),
            "gate gammond --against PLAYER".to_owned(),
            "tournament random random PLAYER".to_owned(),
        ];
        let programs = programs(folder.path());
        assert_eq!(programs.len(), 3 * 4 * 3);
        for line in &lines {
            for player in &programs {
                let line = line.replace("PLAYER", player);
                let said = submitted(&line).unwrap_err();
                assert!(said.contains("start no other programs"), "{line}: {said}");
            }
        }
        assert!(!folder.path().join("was-run").exists());
    }

    /// A job written by hand: every player that may not be, in every place that holds one.
    #[test]
    fn job_written_by_hand_builds_only_portable_players() {
        let foreign = [
            json!({"pipe": "id"}),
            json!({"ubgi": "id"}),
            json!({"external": "127.0.0.1:1"}),
            json!("pipe:id"),
            json!("expectiminimax:eval=ubgi:id"),
            json!({"linear": "/etc/passwd"}),
            json!({"linear": 7}),
            json!({"classic": {"kind": "td", "file": "/etc/hostname", "sides": "swap"}}),
            json!({"classic": {"kind": "td", "file": 7, "sides": "swap"}}),
            json!({"parts": "/etc/passwd"}),
            json!({"gammond": {"nets": "/etc"}}),
            json!({"gammond": {"nets": {"file": "/etc"}}}),
            json!({"gammond": {"nets": {"file": 7}}}),
            json!({"gammond": {"bearoff": "/etc"}}),
            json!({"gammond": {"bearoff": {"folder": 7}}}),
            json!({"gammond": {"plies": 200}}),
        ];
        let inside: [fn(&Value) -> Value; 5] = [
            Value::clone,
            |player| json!({"expectiminimax": {"depth": 1, "eval": player}}),
            |player| json!({"parts": {"name": "n", "contact": player, "crashed": null, "race": "pubeval", "one_sided": true}}),
            |player| json!({"parts": {"name": "n", "contact": "pubeval", "crashed": player, "race": "pubeval", "one_sided": true}}),
            |player| json!({"parts": {"name": "n", "contact": "pubeval", "crashed": null, "race": player, "one_sided": true}}),
        ];
        let mut all: Vec<Value> = Vec::new();
        for player in &foreign {
            for inner in inside {
                all.extend(inside.map(|outer| outer(&inner(player))));
            }
        }
        assert_eq!(all.len(), 16 * 25);
        let folder = folder();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let jobs = [
            ("duel random random".to_owned(), "/job/duel/a"),
            ("duel random random".to_owned(), "/job/duel/b"),
            (format!("bench {}", at("x.bm")), "/job/bench/players/player"),
            (
                format!("bench {}", at("x.bm")),
                "/job/bench/players/against",
            ),
            (
                format!("bench regret {}", at("positions")),
                "/job/regret/players/player",
            ),
            (
                format!("bench regret {} --judge gammond", at("positions")),
                "/job/regret/judges/0",
            ),
            ("gate gammond".to_owned(), "/job/gate/candidate"),
            ("gate gammond".to_owned(), "/job/gate/against/0"),
            (
                "tournament random random".to_owned(),
                "/job/tournament/players/1",
            ),
        ];
        for (line, place) in jobs {
            let honest = serde_json::to_value(submitted(&line).unwrap()).unwrap();
            assert!(at_the_worker(&honest).is_ok(), "{line}");
            for player in &all {
                let mut task = honest.clone();
                *task.pointer_mut(place).unwrap() = player.clone();
                assert!(at_the_worker(&task).is_err(), "{line}: {player}");
            }
        }
    }

    /// Paths, numbers beyond limits and unknown fields in every other place of a job.
    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of places")]
    fn job_written_by_hand_reads_and_writes_nothing_else() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let honest = |line: &str| serde_json::to_value(submitted(line).unwrap()).unwrap();
        let label = honest(&format!("label {} out", at("positions")));
        let duel = honest("duel random random");
        let bm = honest(&format!("bm --bm-in {} --out y trials=36", at("x.bm")));
        for (task, place, value) in [
            (&label, "/job/label/input", json!("/etc/passwd")),
            (&label, "/job/label/input", json!(9)),
            (&label, "/job/label/input", json!(-1)),
            (&label, "/job/label/games", json!(0)),
            (&label, "/engine/nets", json!("/etc")),
            (&label, "/engine/nets", json!({"file": 9})),
            (&label, "/engine/met", json!("/etc/passwd")),
            (&label, "/engine/met", json!({"named": "/etc/passwd"})),
            (&label, "/engine/met", json!({"file": 9})),
            (&label, "/engine/bearoff", json!({"folder": "/etc"})),
            (&label, "/engine/plies", json!(5)),
            (&label, "/engine/seed", json!(-1)),
            (&label, "/silence_s", json!(0)),
            (&label, "/silence_s", json!(u64::MAX)),
            (&label, "/verify_millionths", json!(1_000_001)),
            (&label, "/files/0/files/0/sha256", json!("../../etc/passwd")),
            (&label, "/files/0/files/0/length", json!(u64::MAX)),
            (&label, "/files/0/files/0/name", json!("a\u{1b}[2J")),
            (&label, "/version", json!("x".repeat(5000))),
            (&duel, "/job/duel/games", json!(0)),
            (&duel, "/job/duel/games", json!(u64::MAX)),
            (&duel, "/job/duel/terms", json!({"match": 256})),
            (&duel, "/job/duel/decide", json!(1e300)),
            (&duel, "/job/duel/luck_adjusted", json!("/etc")),
            (&duel, "/job/duel/journal", json!("a\nb")),
            (&duel, "/job", json!({"serve": {"listen": "0.0.0.0:1"}})),
            (&bm, "/job/rollout/file/bm_in/0", json!("/etc/passwd")),
            (&bm, "/job/rollout/file/again", json!(9)),
            (&bm, "/job/rollout/file/best", json!(1)),
            (&bm, "/job/rollout/file/quota", json!(["nonsense"])),
            (&bm, "/job/rollout/request", json!(["time=5"])),
            (&bm, "/job/rollout/request", json!(vec!["trials=36"; 5000])),
            (&bm, "/job/rollout/other_nets", json!("/etc")),
        ] {
            assert!(at_the_worker(task).is_ok());
            let mut task = task.clone();
            *task.pointer_mut(place).unwrap() = value.clone();
            assert!(at_the_worker(&task).is_err(), "{place}: {value}");
        }
        let mut more = duel.clone();
        more["job"]["duel"]["mat"] = json!("/tmp/x");
        assert!(at_the_worker(&more).is_err(), "an unknown field");
        // Files that a worker writes are in its scratch folder, under any name.
        for name in ["/etc/cron.d/x", "../../x", "..", "a/../..", "~/.bashrc"] {
            let mut task = duel.clone();
            task["job"]["duel"]["journal"] = json!(name);
            let (_, command) = at_the_worker(&task).unwrap();
            let Prepared::Duel(args) = command else {
                panic!("no duel");
            };
            let journal = args.journal.unwrap();
            assert_eq!(journal.parent(), Some(Path::new("/scratch")), "{name}");
        }
        for (name, outside) in [
            ("a", false),
            ("a/b.txt", false),
            ("./a", false),
            ("/a", true),
            ("../a", true),
            (".bashrc", true),
        ] {
            let mut task = duel.clone();
            task["job"]["duel"]["journal"] = json!(name);
            let task: Task = serde_json::from_value(task).unwrap();
            assert_eq!(!outputs_outside(&task).is_empty(), outside, "{name}");
        }
    }
}
