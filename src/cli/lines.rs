//! The program `gammond-lines`: lines on standard input and gnubg's console alone, for places where megabytes count. It has
//! the commands of the same names, without a configuration file.

use crate::{Common, Failure, begin, commands, output};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

/// A GNU Backgammon-compatible backgammon engine: requests on standard input, one a line, or gnubg's console.
#[derive(Parser, Debug)]
#[command(name = "gammond-lines", version)]
struct Lines {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Answer requests from stdin, one a line, in order; the same without a command.
    Pipe(commands::pipe::Args),
    /// GNU Backgammon's text console: what starts `gnubg -t` can start this.
    Gnubg(commands::gnubg::Args),
}

/// Runs the program on its arguments, the program's name first.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    match answered(commands::gnubg::renamed(arguments)) {
        Ok(code) => code,
        Err(failure) => {
            stderr_line!("gammond-lines: {failure}");
            failure.exit_code()
        }
    }
}

fn answered(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    let lines = match Lines::try_parse_from(&arguments) {
        Ok(lines) => lines,
        Err(error) if error.use_stderr() => {
            let code = commands::gnubg::refused(&arguments, &error);
            return code.map_or_else(|| Err(mistake(&error)), Ok);
        }
        Err(shown) => {
            return output::handle_broken_pipe(
                shown.print().and_then(|()| std::io::stdout().flush()),
            );
        }
    };
    begin(&lines.common)?;
    match lines.command {
        Some(Command::Gnubg(args)) => commands::gnubg::run(&lines.common, &args),
        Some(Command::Pipe(args)) => commands::pipe::run(&lines.common, &args),
        None => commands::pipe::run(&lines.common, &commands::pipe::Args::default()),
    }
}

/// Returns a mistake of the command line in one line.
fn mistake(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.trim_start_matches("error: ").trim_end_matches(':');
    Failure::usage(format!("{first}; try gammond-lines --help"))
}
