//! The commands of `gammond`: arguments, configuration and environment to one resolved choice; one file a subcommand.
//!
//! Exit codes: 0 done, 1 some request or record failed, 2 wrong usage, 3 a needed file is missing
//! or damaged.

/// Writes a line to stderr, escaped for terminals. A closed stderr is no error.
macro_rules! stderr_line {
    ($($piece:tt)*) => { $crate::stderr_line(format_args!($($piece)*)) };
}

/// The standard macro panics when stderr is closed, and passes on untrusted text. Tests may use `std::eprintln!`.
#[allow(unused_macros, reason = "it is there so that its use does not compile")]
macro_rules! eprintln {
    ($($piece:tt)*) => {
        compile_error!("use stderr_line!")
    };
}

mod about;
#[cfg(feature = "archive")]
mod archive;
mod archive_key;
#[cfg(not(feature = "archive"))]
mod archive_missing;
mod commands;
mod config;
mod duels;
mod failure;
mod farmed;
pub mod lines;
mod mistakes;
mod options;
mod output;
mod picture;
mod platform;
pub mod program;
mod progress;
#[cfg(feature = "archive")]
mod served_archive;

#[cfg(not(feature = "archive"))]
use archive_missing as archive;

pub use platform::STARTER_PATH_EXTENSION;

pub(crate) use archive::Archive;
pub(crate) use archive_key::{AnalysisKey, ArchiveKey, Played};
pub(crate) use failure::{Failure, within};
pub(crate) use farmed::{InputFile, NetsArg, OutputFile, farmed};
pub(crate) use options::{
    Common, Count, Format, Measured, PlayerOptions, PlayingOptions, Points, SearchOptions,
    data_folders, nets_named,
};
pub(crate) use output::{
    LogWriter, Output, columns, folded, json_line, known, print, shown_path, stderr_line,
};
pub(crate) use picture::{PNG_WIDTH_MAX, Picture, png, write_drawing};
pub(crate) use progress::{ProgressArgs, finish, stopped};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use gammond_game::notation::{parse_position, parse_roll};
use std::ffi::OsString;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// A GNU Backgammon-compatible backgammon engine.
#[derive(Parser, Debug)]
#[command(name = "gammond", version, about)]
#[command(
    after_help = "Example: gammond move 4HPwATDgc/ABMA 31\nAlone, with a pipe on its input, gammond answers requests as `gammond pipe` does."
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident => $module:ident),+ $(,)?) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $($(#[$doc])* $variant(commands::$module::Args)),+
        }

        fn dispatch(common: &Common, command: &Command) -> Result<ExitCode, Failure> {
            match command {
                $(Command::$variant(args) => commands::$module::run(common, args)),+
            }
        }
    };
}

commands! {
    /// Answer requests from stdin, one a line, in order.
    #[command(after_help = "Example: echo '4HPwATDgc/ABMA 31' | gammond pipe")]
    Pipe => pipe,
    /// Answer the same requests over TCP and Unix sockets.
    #[command(after_help = "Example: gammond serve --listen 127.0.0.1:4322 plies=2")]
    Serve => serve,
    /// Open the pages in a browser: positions, games against the engine, your matches.
    #[command(after_help = "Example: gammond open play")]
    Open => open,
    /// Write the pages as files that need no server of ours.
    #[command(after_help = "Example: gammond page site --engine node_modules/gammond")]
    Page => page,
    /// Speak UBGI on stdin and stdout.
    #[command(after_help = "Example: echo ubgi | gammond ubgi")]
    Ubgi => ubgi,
    /// GNU Backgammon's text console: what starts `gnubg -t` can start this.
    #[command(after_help = "Example: gammond gnubg -t -q -c commands.txt")]
    Gnubg => gnubg,
    /// The engine as tools of a language model (Model Context Protocol), on standard input and output.
    #[command(after_help = "Example: gammond mcp")]
    Mcp => mcp,
    /// Make links named gnubg and gnubg-cli to this program in a folder.
    #[command(after_help = "Example: gammond link-gnubg ~/.local/bin")]
    LinkGnubg => link_gnubg,
    /// Play as a bot on a FIBS server.
    #[command(after_help = "Example: gammond fibs --user MyBot --password-file fibs.password --policy policy.toml")]
    Fibs => fibs,
    /// Play as a bot on a bgammon server.
    #[command(after_help = "Example: gammond bgammon --user BOT_mine --password-file bgammon.password --points 5")]
    Bgammon => bgammon,
    /// Analyse matches: loss of each decision, luck, ratings, reports.
    #[command(alias = "analyze", after_help = "Example: gammond analyse match.mat --html report.html")]
    Analyse => analyse,
    /// Players of an archive that `analyse --db` made, or the history of one.
    #[command(after_help = "Example: gammond players --db archive.sqlite Alice")]
    Players => players,
    /// Score a player on GNUbg benchmark files.
    #[command(after_help = "Example: gammond bench contact.bm --player gammond:plies=1")]
    Bench => bench,
    /// Two players against each other, with the same dice for both.
    #[command(after_help = "Example: gammond duel gammond pubeval --games 1000")]
    Duel => duel,
    /// Play a match or money games by hand, with hints, and see your worst mistakes.
    #[command(after_help = "Example: gammond play --match 5")]
    Play => interactive,
    /// Several players against each other.
    #[command(after_help = "Example: gammond tournament gammond pubeval random --games 200")]
    Tournament => tournament,
    /// Players against each other without luck, rated on sets of decisions, timed: one table that everyone can repeat.
    #[command(after_help = "Example: gammond league results gammond gammond:plies=1 pubeval --bench contact.bm")]
    League => league,
    /// Decide whether candidate nets are better than others, by duels and benchmarks.
    #[command(after_help = "Example: gammond gate gammond:nets=FOLDER --bench contact.bm")]
    Gate => gate,
    /// Bearoff databases.
    #[command(after_help = "Example: gammond bearoff make tables/gnubg_os.bd --points 8")]
    Bearoff => bearoff,
    /// Rollouts, benchmarks, labels and duels on many machines, over a NATS server.
    #[command(after_help = "Example: gammond farm demo")]
    Farm => farm,
    /// Train a net.
    #[command(after_help = "Example: gammond train nets/first.toml --folder first")]
    Train => train,
    /// Train nets of classical shape as the literature did.
    #[command(after_help = "Example: gammond lab td first.net --representation tdg-board --episodes 5000")]
    Lab => lab,
    /// Make positions for training.
    #[command(after_help = "Example: gammond sample positions.labels --positions 20000")]
    Sample => sample,
    /// Label positions for training.
    #[command(after_help = "Example: gammond label positions.txt labels.txt --plies 2")]
    Label => label,
    /// Describe a net file, or draw its weights.
    #[command(after_help = "Example: gammond net info embedded")]
    Net => net,
    /// Count positions after so many turns.
    #[command(after_help = "Example: gammond perft 4HPwATDgc/ABMA 2")]
    Perft => perft,
    /// Speed figures of this machine.
    #[command(after_help = "Example: gammond perf --quick")]
    Perf => perf,
    /// Evaluate positions: chances and equity.
    #[command(after_help = "Example: gammond eval 4HPwATDgc/ABMA plies=2")]
    Eval => eval,
    /// Rank the plays of a roll.
    #[command(after_help = "Example: gammond move 4HPwATDgc/ABMA 31 plies=2 top=5")]
    Move => play,
    /// Double or not, take or pass.
    #[command(after_help = "Example: gammond cube 4HPwATDgc/ABMA length=7 score=3-2")]
    Cube => cube,
    /// The 21 rolls of a position with their best plays, and the market losers.
    #[command(after_help = "Example: gammond rolls 4HPwATDgc/ABMA plies=1")]
    Rolls => rolls,
    /// Double or not, take or pass, at every score of a match.
    #[command(after_help = "Example: gammond scores 4HPwATDgc/ABMA plies=2 away=7")]
    Scores => scores,
    /// A position with the cube in each place: decisions, or with a roll the best plays.
    #[command(after_help = "Example: gammond cubes 4HPwATDgc/ABMA 31")]
    Cubes => cubes,
    /// The facts behind a decision about a play or the cube, in sentences.
    #[command(after_help = "Example: gammond explain 4HPwATDgc/ABMA 31 plays=\"13/10 6/5\"")]
    Explain => explain,
    /// The plays of an opening roll, rolled out.
    #[command(after_help = "Example: gammond opening 31")]
    Opening => opening,
    /// The plays of a roll after an opening play, rolled out.
    #[command(after_help = "Example: gammond reply 31 8/5 6/5 64")]
    Reply => reply,
    /// Play a position, plays or a cube decision on many times.
    #[command(after_help = "Example: gammond rollout 4HPwATDgc/ABMA 31 top=3 trials=1296")]
    Rollout => rollout,
    /// Draw a position.
    #[command(after_help = "Example: gammond show 4HPwATDgc/ABMA:cAkAAAAAAAAE")]
    Show => show,
    /// A position in every other form.
    #[command(after_help = "Example: gammond convert 4HPwATDgc/ABMA")]
    Convert => convert,
    /// Show the parts of this machine that the engine uses, and advice to make it faster.
    #[command(after_help = "Example: gammond doctor")]
    Doctor => doctor,
    /// Whether a server over HTTP is ready: exit code 0, else 1.
    #[command(after_help = "Example: gammond health 127.0.0.1:8080")]
    Health => health,
    /// The configuration file and the settings in force.
    #[command(after_help = "Example: gammond config print --plies 2 > new.toml")]
    Config => config,
    /// One number that changes when any answer of a fixed workload does.
    #[command(after_help = "Example: gammond signature")]
    Signature => signature,
    /// Shell completions.
    #[command(after_help = "Example: gammond completions bash > /etc/bash_completion.d/gammond")]
    Completions => completions,
    /// The manual page, in roff.
    #[command(after_help = "Example: gammond man | man -l -")]
    Man => man,
}

/// Runs the program on its command line.
#[must_use]
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    run(arguments).unwrap_or_else(|failure| {
        stderr_line!("gammond: {failure}");
        failure.exit_code()
    })
}

/// Refuses arguments that have no meaning where they stand and would be ignored: those of a command before the word
/// of its subcommand, and those of [`without_use`].
fn misplaced(command: &clap::Command, matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(());
    };
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    without_use(name, matches)?;
    let Some(command) = command.find_subcommand(name) else {
        return Ok(());
    };
    let Some((sub, below)) = matches.subcommand() else {
        return late(command, matches);
    };
    if (name, sub) == ("farm", "submit") {
        // Behind it stands a command with arguments of its own.
        return match command.find_subcommand(sub) {
            Some(submit) => misplaced(submit, below),
            None => Ok(()),
        };
    }
    let own =
        |argument: &&clap::Arg| !argument.is_global_set() && given(argument.get_id().as_str());
    match command.get_arguments().find(own) {
        Some(argument) => Err(Failure::usage(format!(
            "{argument} before `{sub}` belongs to `gammond {name}` alone; type `gammond {name} {sub} --help` to see \
             what comes after `{sub}`"
        ))),
        None => Ok(()),
    }
}

/// Refuses options of a command that the others leave without use. Variables and configuration files may set them for
/// other commands.
fn without_use(name: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if name == "train" && given("seed") {
        return Err(Failure::usage(
            "--seed: the plan of a training run has its own; change `seed = N` there",
        ));
    }
    if name == "label" && given("games") && given("plies") {
        return Err(Failure::usage(
            "--plies: labels by games (--games) come from static play; leave one of the two out",
        ));
    }
    if name == "rollout" && given("cube") && given("only") {
        let word = matches.get_raw("only").and_then(|mut words| words.next());
        let word = word.unwrap_or_default().to_string_lossy();
        if word != "all" {
            return Err(Failure::usage(format!(
                "--only {word}: cube decisions (--cube) have no candidates, expected --only all or nothing"
            )));
        }
    }
    Ok(())
}

/// Returns the word of a subcommand behind its arguments, which would be read as a missing file.
fn late(command: &clap::Command, matches: &ArgMatches) -> Result<(), Failure> {
    let ids = command.get_positionals().map(|one| one.get_id().as_str());
    let words: Vec<&str> = ids
        .filter_map(|id| matches.get_raw(id))
        .flatten()
        .filter_map(|word| word.to_str())
        .collect();
    let found = words
        .iter()
        .find(|word| command.find_subcommand(word).is_some() && !Path::new(word).exists());
    let Some(sub) = found else {
        return Ok(());
    };
    let others: Vec<&str> = words.iter().copied().filter(|word| word != sub).collect();
    Err(Failure::usage(format!(
        "`{sub}` comes before its files: gammond {} {sub} {}",
        command.get_name(),
        others.join(" ")
    )))
}

/// Returns the arguments with `move` or `eval` in front of a position in place of a command.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let position = (arguments.get(1).and_then(|word| word.to_str()))
        .and_then(|word| parse_position(word.as_bytes()).ok());
    if let Some(position) = position {
        let mut words = arguments.iter().filter_map(|word| word.to_str());
        let rolled =
            position.roll.is_some() || words.any(|word| parse_roll(word.as_bytes()).is_ok());
        arguments.insert(1, if rolled { "move" } else { "eval" }.into());
    }
    arguments
}

/// Returns the arguments with the configuration file's values, and the file's path.
fn configured(arguments: &[OsString]) -> Result<(clap::Command, Option<PathBuf>), Failure> {
    let mut command = Cli::command();
    let file = config::named_file(arguments)
        .or_else(|| config::default_file().filter(|path| path.exists()));
    if let Some(path) = &file {
        command = config::apply(command, path, arguments)?;
    }
    Ok((command, file))
}

fn run(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let arguments = with_command(commands::gnubg::renamed(arguments.to_vec()));
    let (command, file) = configured(&arguments)?;
    let mut command = about::with_groups(command);
    if arguments
        .iter()
        .any(|word| word == "--version" || word == "-V")
    {
        command = command.version(about::version());
    }
    let parsed = (command.try_get_matches_from_mut(&arguments))
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let cli = match parsed {
        Ok((cli, matches)) => {
            misplaced(&command, &matches)?;
            cli
        }
        Err(error) if error.use_stderr() => {
            if let Some(code) = commands::gnubg::refused(&arguments, &error) {
                return Ok(code);
            }
            let text = mistakes::message(&error, &arguments, file.as_deref());
            output::stderr_text(&text);
            return Ok(ExitCode::from(2));
        }
        Err(told) => {
            return output::handle_broken_pipe(
                told.print().and_then(|()| std::io::stdout().flush()),
            );
        }
    };
    begin(&cli.common)?;
    let lists = matches!(cli.command, Some(Command::Analyse(_) | Command::Players(_)));
    if cli.common.format == Some(Format::Csv) && !lists {
        return Err(Failure::usage(
            "--format csv works with analyse and players only; bench has --csv",
        ));
    }
    match &cli.command {
        Some(command) => dispatch(&cli.common, command),
        None if !std::io::stdin().is_terminal() => {
            dispatch(&cli.common, &Command::Pipe(commands::pipe::Args::default()))
        }
        None => print(about::GREETING.as_bytes()),
    }
}

/// Begins as the options of all commands say.
fn begin(common: &Common) -> Result<(), Failure> {
    if let Some(level) = common.kernels {
        // Nothing has computed yet; a program that runs several commands keeps the kernels of the first.
        let _ = level.choose();
    }
    start_log(common)
}

/// Logs go to stderr, so that answers on stdout stay clean.
fn start_log(common: &Common) -> Result<(), Failure> {
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::util::SubscriberInitExt as _;
    let filter = log_filter(&common.log).map_err(Failure::usage)?;
    let log = tracing_subscriber::fmt::layer().with_writer(|| LogWriter);
    let all = tracing_subscriber::registry().with(filter);
    // A second start (in tests) leaves the first log in place.
    let _ = if common.log_json {
        all.with(log.json()).try_init()
    } else {
        all.with(log).try_init()
    };
    Ok(())
}

/// Returns a level, or a list of `target=level`.
fn log_filter(text: &str) -> Result<Targets, String> {
    let known = |level: &str| !level.is_empty() && level.parse::<LevelFilter>().is_ok();
    for part in text.split(',').map(str::trim) {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        if !known(level) {
            return Err(format!(
                "--log {text}: '{level}' is not a level, expected off, error, warn, info, debug or trace"
            ));
        }
    }
    let targets: Targets = (text.parse()).map_err(|_| {
        format!("--log {text}: expected a level or a list such as gammond=debug,warn")
    })?;
    // Errors of the NATS client are reported in our words; its own are for debugging.
    let wanted = ["async_nats", "debug", "trace"];
    let lower = text.to_ascii_lowercase();
    Ok(if wanted.iter().any(|word| lower.contains(word)) {
        targets
    } else {
        targets.with_target("async_nats", LevelFilter::OFF)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every option that takes a number refuses numbers beyond any use, but for seeds, which may be any number, and
    /// the size of a bearoff database, whose limits depend on each other and are named when it is made.
    #[test]
    fn every_number_has_a_limit() {
        const FREE: [&str; 3] = ["seed", "points", "checkers"];
        let mut open = Vec::new();
        let mut seen = 0;
        numbers(
            &Cli::command(),
            &mut Vec::new(),
            &mut |path, argument, text| {
                seen += 1;
                let mut words: Vec<OsString> = vec!["gammond".into()];
                words.extend(path.iter().map(OsString::from));
                match argument.get_long() {
                    Some(long) => words.push(format!("--{long}={text}").into()),
                    // Those before it in their order.
                    None => words.extend([OsString::from("1"), text.into()]),
                }
                let taken = match Cli::command().try_get_matches_from(&words) {
                    Ok(_) => true,
                    Err(error) => {
                        use clap::error::ErrorKind::{InvalidValue, ValueValidation};
                        !matches!(error.kind(), ValueValidation | InvalidValue)
                    }
                };
                if taken && !FREE.contains(&argument.get_id().as_str()) {
                    open.push(format!("{words:?}"));
                }
            },
        );
        assert!(seen > 40, "{seen}");
        assert_eq!(open, Vec::<String>::new());
    }

    /// Calls `visit` with every option and argument that takes a number, and a number far beyond its use.
    fn numbers(
        command: &clap::Command,
        path: &mut Vec<String>,
        visit: &mut impl FnMut(&[String], &clap::Arg, &str),
    ) {
        use std::any::TypeId;
        let whole = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
        ];
        let broken = [TypeId::of::<f32>(), TypeId::of::<f64>()];
        for argument in command.get_arguments() {
            if !argument.get_action().takes_values() {
                continue;
            }
            let kind = argument.get_value_parser().type_id();
            if whole.iter().any(|id| kind == *id) {
                visit(path, argument, &u64::MAX.to_string());
            } else if broken.iter().any(|id| kind == *id) {
                for text in ["nan", "inf", "-1e300", "1e300"] {
                    visit(path, argument, text);
                }
            }
        }
        for sub in command.get_subcommands() {
            path.push(sub.get_name().to_owned());
            numbers(sub, path, visit);
            path.pop();
        }
    }

    /// Options before the word of a subcommand are taken when all commands have them, and refused when only the command
    /// above has them; a seed beside a plan is refused.
    #[test]
    fn arguments_that_would_be_ignored_are_refused() {
        for (line, refused) in [
            ("sample --seed 3 dump x", None),
            ("--seed 3 sample dump x", None),
            ("sample dump x --seed 3", None),
            (
                "sample --positions 5 dump x",
                Some("--positions <N> before `dump`"),
            ),
            ("sample y dump x", Some("<FILE.labels> before `dump`")),
            ("bench --threads 1 values x", None),
            (
                "bench --outside skip values x",
                Some("--outside <OUTSIDE> before `values`"),
            ),
            (
                "bench a values",
                Some("`values` comes before its files: gammond bench values a"),
            ),
            (
                "bench a b regret c",
                Some("`regret` comes before its files: gammond bench regret a b c"),
            ),
            ("bench a src b", None),
            ("train p --folder f", None),
            ("train --threads 1 pruning p n", None),
            ("train p --folder f --seed 1", Some("--seed: the plan")),
            ("label a b --games 36", None),
            (
                "label a b --games 36 --plies 1",
                Some("--plies: labels by games"),
            ),
            (
                "--plies 1 label a b --games 36",
                Some("--plies: labels by games"),
            ),
            ("label a b --plies 1", None),
            ("rollout --bm-in a --out b --cube=7 --only all", None),
            ("rollout --bm-in a --out b --only disputed", None),
            (
                "rollout --bm-in a --out b --cube=7 --only disputed",
                Some("--only disputed: cube decisions"),
            ),
            (
                "farm submit rollout --bm-in a --out b --cube --only decided",
                Some("--only decided: cube decisions"),
            ),
            ("--seed 2 train p --folder f", Some("--seed: the plan")),
            ("train pruning p n --seed 2", Some("--seed: the plan")),
            (
                "train --folder f score p x --folder f",
                Some("--folder <DIR> before `score`"),
            ),
        ] {
            let mut command = Cli::command();
            let words = std::iter::once("gammond").chain(line.split(' '));
            let matches = command.try_get_matches_from_mut(words).unwrap();
            Cli::from_arg_matches(&matches).unwrap();
            let said = misplaced(&command, &matches).err().map(|e| e.to_string());
            match (&said, refused) {
                (Some(said), Some(part)) => assert!(said.starts_with(part), "{line}: {said}"),
                (said, refused) => assert_eq!((said, refused), (&None, None), "{line}"),
            }
        }
    }

    #[test]
    fn a_log_filter_is_a_level_or_levels_of_targets() {
        for good in ["warn", "OFF", "gammond=debug", "info,gammond_server=trace"] {
            assert!(log_filter(good).is_ok(), "{good}");
        }
        for bad in ["nonsense", "", "gammond=loud", "info,"] {
            assert!(log_filter(bad).is_err(), "{bad}");
        }
    }
}
