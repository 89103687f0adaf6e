//! Arguments, configuration and environment to one resolved choice; one file a subcommand.
//!
//! Exit codes: 0 done, 1 some request or record failed, 2 wrong usage, 3 a needed file is missing
//! or damaged.

mod commands;
mod config;

use crate::engine::{Engine, EngineError, Nets};
use crate::equity::MatchEquityTable;
use crate::protocol::{SessionSettings, SettingError};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A GNU Backgammon-compatible backgammon engine.
#[derive(Parser, Debug)]
#[command(name = "gammond", version, about)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options that every subcommand understands.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct Common {
    /// Nets: `embedded`, a net folder of ours, or gnubg's `gnubg.weights` or `gnubg.wd`.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_NETS",
        default_value = "embedded",
        value_name = "PATH"
    )]
    pub(crate) nets: String,
    /// Plies looked ahead, in gnubg's numbering (0 is the static evaluation).
    #[arg(
        long,
        global = true,
        env = "GAMMOND_PLIES",
        default_value_t = 0,
        value_name = "N"
    )]
    pub(crate) plies: u8,
    /// Threads that compute; default: all processors.
    #[arg(long, global = true, env = "GAMMOND_THREADS", value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Folder with gnubg's bearoff databases.
    #[arg(long, global = true, env = "GAMMOND_BEAROFF", value_name = "DIR")]
    pub(crate) bearoff: Option<PathBuf>,
    /// Match equity table: a name, or gnubg's XML file.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_MET",
        default_value = "kazaross-xg2",
        value_name = "NAME|PATH"
    )]
    pub(crate) met: String,
    /// Seed of everything that depends on chance.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_SEED",
        default_value_t = 1,
        value_name = "N"
    )]
    pub(crate) seed: u64,
    /// Output for programs (json) or people (text).
    #[arg(long, global = true, env = "GAMMOND_FORMAT", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// What to log on stderr: error, warn, info, debug, trace, or a filter such as `gammond=debug`.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_LOG",
        default_value = "warn",
        value_name = "LEVEL"
    )]
    pub(crate) log: String,
    /// Log as JSON, one object a line.
    #[arg(long, global = true, env = "GAMMOND_LOG_JSON")]
    pub(crate) log_json: bool,
    /// TOML file whose keys are the long options; a table named after a subcommand holds its own.
    #[arg(long, global = true, env = "GAMMOND_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// How one-shot commands print.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Text,
}

impl Common {
    /// Builds the engine that these options ask for.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        let nets = match self.nets.as_str() {
            "embedded" => Nets::Embedded,
            "embedded:fast" => Nets::EmbeddedFast,
            path => Nets::Path(PathBuf::from(path)),
        };
        let mut builder = Engine::builder()
            .nets(nets)
            .threads(self.threads.unwrap_or(0))
            .met(self.match_equity_table()?);
        if let Some(folder) = &self.bearoff {
            builder = builder.bearoff(folder);
        }
        Ok(builder.build()?)
    }

    fn match_equity_table(&self) -> Result<MatchEquityTable, Failure> {
        MatchEquityTable::named(&self.met).or_else(|unknown| {
            let path = Path::new(&self.met);
            if !path.exists() {
                return Err(Failure::File(unknown.to_string()));
            }
            MatchEquityTable::load(path).map_err(|error| Failure::File(error.to_string()))
        })
    }
}

impl Common {
    /// The settings of requests that these options and `key=value` words ask for.
    pub(crate) fn session(&self, words: &[String]) -> Result<SessionSettings, Failure> {
        let mut session = SessionSettings::default();
        let wrong = |error: SettingError| Failure::Usage(error.to_string());
        session
            .set("plies", &self.plies.to_string())
            .map_err(wrong)?;
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| Failure::Usage(format!("setting '{word}' is not key=value")))?;
            session.set(key, value).map_err(wrong)?;
        }
        Ok(session)
    }
}

/// Why a command ends without having done its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments make no sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// A file is missing or damaged: exit code 3.
    #[error("{0}")]
    File(String),
    /// The work itself failed: exit code 1.
    #[error("{0}")]
    Work(String),
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::File { .. } => Failure::File(error.to_string()),
            other => Failure::Work(other.to_string()),
        }
    }
}

impl Failure {
    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Work(_) => 1,
            Failure::Usage(_) => 2,
            Failure::File(_) => 3,
        })
    }
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
    Pipe => pipe,
    /// Answer the same requests over TCP and Unix sockets.
    Serve => serve,
    /// Speak UBGI on stdin and stdout.
    Ubgi => ubgi,
    /// Play as a bot on a FIBS server.
    Fibs => fibs,
    /// Score a player on GNUbg benchmark files.
    Bench => bench,
    /// Two players against each other, with the same dice for both.
    Duel => duel,
    /// Several players against each other.
    Tournament => tournament,
    /// Whether candidate nets may take the place of others: duels and benchmarks.
    Gate => gate,
    /// Bearoff databases.
    Bearoff => bearoff,
    /// Train a net.
    Train => train,
    /// Make positions for training.
    Sample => sample,
    /// Label positions for training.
    Label => label,
    /// What a net file is; its weights as a picture.
    Net => net,
    /// Count positions after so many turns.
    Perft => perft,
    /// Speed figures of this machine.
    Perf => perf,
    /// Value positions, or see what a position is worth.
    Eval => eval,
    /// Rank the plays of a roll.
    Move => play,
    /// Double or not, take or pass.
    Cube => cube,
    /// Draw a position.
    Show => show,
    /// A position in every other form.
    Convert => convert,
    /// Shell completions.
    Completions => completions,
    /// The manual page, in roff.
    Man => man,
}

/// Runs the program on its command line.
#[must_use]
pub fn main() -> ExitCode {
    run().unwrap_or_else(|failure| {
        eprintln!("gammond: {failure}");
        failure.exit_code()
    })
}

/// Writes to stdout; a closed pipe ends the program quietly.
fn print(bytes: &[u8]) -> Result<ExitCode, Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Failure::Work(format!("stdout: {error}"))),
    }
}

fn run() -> Result<ExitCode, Failure> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let mut command = Cli::command();
    if let Some(path) = config::named_file(&arguments) {
        command = config::apply(command, &path)?;
    }
    // Wrong arguments end the program here, with code 2 (0 for --help and --version).
    let matches = command.get_matches_from(arguments);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    start_log(&cli.common);
    match &cli.command {
        Some(command) => dispatch(&cli.common, command),
        None if !std::io::stdin().is_terminal() => {
            dispatch(&cli.common, &Command::Pipe(commands::pipe::Args::default()))
        }
        None => Err(Failure::Usage("which command? see `gammond --help`".into())),
    }
}

/// Logs go to stderr, so that answers on stdout stay clean.
fn start_log(common: &Common) {
    let filter = tracing_subscriber::EnvFilter::try_new(&common.log)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // A second start (in tests) leaves the first log in place.
    let _ = if common.log_json {
        log.json().try_init()
    } else {
        log.try_init()
    };
}
