//! `gammond mcp`: the engine as tools of a language model, on standard input and output.

use super::serve::serve_failure;
use crate::{Common, Failure};
use gammond_server::Config;
use gammond_server::http::McpStdio;
use gammond_server::process;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(common: &Common, _: &Args) -> Result<ExitCode, Failure> {
    let mut config = Config::default().with(McpStdio);
    config.session = common.session(&[])?;
    let engine = common.engine()?;
    let common = common.clone();
    process::serve(config, engine, move || common.engine(), |_| {}, || {})
        .map_err(serve_failure)?;
    Ok(ExitCode::SUCCESS)
}
