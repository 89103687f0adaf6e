//! The `gammond` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gammond_cli::program::run(std::env::args_os().collect())
}
