//! `gammond man`: the manual page, made from the same definition as `--help`.

use crate::cli::{Cli, Common, Failure};
use clap::CommandFactory;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_common: &Common, _args: &Args) -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Failure::Work(error.to_string()))?;
    crate::cli::print(&page)
}
