//! The `gammond` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gammond::program::run(std::env::args_os().collect())
}
