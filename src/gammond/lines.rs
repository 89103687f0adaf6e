//! The program `gammond-lines`: the engine, its lines and gnubg's console alone.

use std::process::ExitCode;

fn main() -> ExitCode {
    gammond_cli::lines::run(std::env::args_os().collect())
}
