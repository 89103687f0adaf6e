//! `gammond gnubg`, and the program under the name of gnubg: GNU Backgammon's text console.

use crate::{Common, Failure, platform};
use gammond_console::{Console, ConsoleOptions};
use gammond_engine::query::Stop;
use gammond_server::console::{EngineHost, Sinks, run as speak};
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Names under which the program is this command.
const NAMES: [&str; 2] = ["gnubg", "gnubg-cli"];
/// Program that runs scripts.
const PYTHON: &str = "python3";
/// Longest file of commands.
const COMMANDS_BYTES_MAX: u64 = 16 << 20;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
#[command(disable_version_flag = true)]
pub(crate) struct Args {
    /// Text console: it is always that.
    #[arg(short = 't', long)]
    tty: bool,
    /// No sounds: there are none.
    #[arg(short = 'q', long)]
    quiet: bool,
    /// No settings are read: they never are.
    #[arg(short = 'r', long)]
    no_rc: bool,
    /// Without bearoff databases: those in the program are used all the same.
    #[arg(short = 'b', long)]
    no_bearoff: bool,
    /// A file of commands; standard input is not read then.
    #[arg(short = 'c', long, value_name = "FILE")]
    commands: Option<PathBuf>,
    /// A Python script, run by `python3` with the `gnubg` module of the gammond package.
    #[arg(short = 'p', long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// A language; answers are in English.
    #[arg(short = 'l', long, value_name = "LANG")]
    lang: Option<String>,
    /// Folders and windows of the original; without effect.
    #[arg(short = 'D', long = "datadir", short_aliases = ['P', 'O', 's'], aliases = ["pkgdatadir", "docdir", "prefsdir"], value_name = "DIR", action = clap::ArgAction::Append)]
    folders: Vec<PathBuf>,
    /// Without windows and without a splash screen: there are none.
    #[arg(short = 'S', long = "splash", short_aliases = ['w', 'd'], aliases = ["window-system-only", "debug"], action = clap::ArgAction::Count)]
    windows: u8,
    /// The version, as the original prints it.
    #[arg(short = 'v', long = "gnubg-version")]
    version: bool,
    /// On a terminal, too, keep the original's faults: missing line ends, a hint that does not follow its settings.
    #[arg(long)]
    strict_gnubg: bool,
    /// Without the original's faults also in scripts: every line has its end, a hint follows its settings, a rollout prints
    /// its numbers.
    #[arg(long, conflicts_with = "strict_gnubg")]
    corrected: bool,
    /// `set analysis` is also meant for hints, as users of AnkiGammon expect.
    #[arg(long, env = "GAMMOND_HINT_FOLLOWS_ANALYSIS")]
    hint_follows_analysis: bool,
    /// A match that is opened first.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Rewrites the arguments of a program under one of gnubg's names to those of `gammond gnubg`.
pub(crate) fn renamed(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_named = arguments.first().is_some_and(|program| {
        let name = Path::new(program)
            .file_stem()
            .and_then(|name| name.to_str());
        name.is_some_and(|name| NAMES.contains(&name))
    });
    if is_named {
        arguments.splice(..1, ["gammond".into(), "gnubg".into()]);
        // The original's word; `--version` alone is the program's.
        for word in arguments.iter_mut().skip(2) {
            if word == "--version" {
                *word = "--gnubg-version".into();
            }
        }
    }
    arguments
}

/// Reports an unknown option in the original's words and returns its exit code.
pub(crate) fn refused(arguments: &[OsString], error: &clap::Error) -> Option<ExitCode> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if !arguments.iter().skip(1).any(|word| word == "gnubg")
        || error.kind() != ErrorKind::UnknownArgument
    {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    stderr_line!("Unknown option {word}");
    Some(ExitCode::FAILURE)
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if let Some(script) = &args.python {
        return run_python(common, script);
    }
    let mut sinks = Sinks {
        out: std::io::stdout().lock(),
        err: std::io::stderr(),
    };
    let engine = match args.version {
        true => None,
        false => Some(common.engine()?),
    };
    // The reader may be gone.
    let _ = sinks
        .out
        .write_all(Console::banner().as_bytes())
        .and_then(|()| sinks.out.flush());
    let Some(engine) = engine else {
        return Ok(ExitCode::SUCCESS);
    };
    let terminal = std::io::stdin().is_terminal();
    let prompts = terminal && args.commands.is_none();
    let options = ConsoleOptions {
        user: user(),
        plays_on: args.commands.is_none(),
        // Scripts are written for the original's output to the letter; a person reads better without its faults.
        strict: args.strict_gnubg || !(args.corrected || prompts),
        hint_follows_analysis: args.hint_follows_analysis,
        terminal,
    };
    let mut console = Console::new(options);
    let stop = Stop::new();
    let idle = interrupts(&stop)?;
    let mut host = EngineHost::new(engine, stop, Some(idle));
    if let Some(file) = &args.file {
        let answer = console.line(
            format!("load match \"{}\"", file.display()).as_bytes(),
            &mut host,
        );
        if answer.err.ends_with("No such file or directory\n") {
            stderr_line!("The file `{}' doesn't exist", file.display());
        }
        let _ = sinks.out.write_all(answer.out.as_bytes());
    }
    let input: Box<dyn Read> = match &args.commands {
        Some(path) => match gammond_base::files::read(path, COMMANDS_BYTES_MAX) {
            Ok(bytes) => Box::new(std::io::Cursor::new(bytes)),
            Err(error) => {
                let reason = match error.kind() {
                    std::io::ErrorKind::NotFound => "No such file or directory".to_owned(),
                    _ => error.to_string(),
                };
                stderr_line!("{}: {reason}", path.display());
                return Ok(ExitCode::SUCCESS);
            }
        },
        None => Box::new(std::io::stdin()),
    };
    speak(&mut console, &mut host, input, &mut sinks, prompts)
        .map_err(|error| Failure::work(crate::within("standard input or output", error)))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a script by `python3` with the package's `gnubg` module, and returns the exit code of Python.
fn run_python(common: &Common, script: &Path) -> Result<ExitCode, Failure> {
    const INSTALLED: &str =
        "import importlib.util as u, sys; sys.exit(u.find_spec('gammond') is None)";
    let found = Command::new(PYTHON).args(["-c", INSTALLED]).status();
    if !found.is_ok_and(|status| status.success()) {
        stderr_line!(
            "gammond: -p runs `{PYTHON}' with the Python package gammond, which is not installed there: \
             install the wheel of this release, `{PYTHON} -m pip install gammond-VERSION-….whl'"
        );
        return Ok(ExitCode::FAILURE);
    }
    let mut python = Command::new(PYTHON);
    python.args(["-m", "gammond", "gnubg"]);
    let status = python
        .args(["--nets", &common.nets])
        .arg("-p")
        .arg(script)
        .status()
        .map_err(|error| Failure::work(crate::within(PYTHON, error)))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Handles SIGINT: it ends the computation, or the program with exit code 1 if there is none. The flag is true while
/// there is none.
fn interrupts(stop: &Stop) -> Result<Arc<AtomicBool>, Failure> {
    let idle = Arc::new(AtomicBool::new(true));
    if let Some(flag) = stop.flag() {
        platform::flag_interrupt(&idle, flag)
            .map_err(|error| Failure::work(crate::within("signals", error)))?;
    }
    Ok(idle)
}

/// Returns the user's name, which the bottom player gets.
fn user() -> String {
    let names = ["LOGNAME", "USER", "USERNAME"];
    let found = names.into_iter().find_map(|name| std::env::var(name).ok());
    found
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "user".to_owned())
}
