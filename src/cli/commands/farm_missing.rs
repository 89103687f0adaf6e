//! `gammond farm` in a program that was built without it.

use crate::{Common, Failure};
use std::process::ExitCode;

/// Any arguments.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub(crate) fn run(_: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let words = args.words.join(" ");
    Err(Failure::usage(format!(
        "farm {words}: this gammond was built without the farm; build it with default features"
    )))
}
