//! `gammond completions`: a script that makes a shell complete our options.

use crate::{Cli, Common, Failure};
use clap::CommandFactory;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(crate) fn run(_common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gammond", &mut script);
    crate::print(&script)
}
