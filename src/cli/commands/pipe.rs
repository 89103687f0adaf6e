//! `gammond pipe`.

use crate::cli::{Common, Failure};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct Args {}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let _ = (common, args);
    Err(Failure::Usage("not in this version yet".into()))
}
