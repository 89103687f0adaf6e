//! `gammond mcp`: the engine as tools of a language model, on standard input and output.

use super::serve::{ServeFailure, serve_failure, signals};
use crate::{Common, Failure, io_threads};
use gammond_server::mcp::McpStdio;
use gammond_server::tcp::{Config, Server};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(common: &Common, _: &Args) -> Result<ExitCode, Failure> {
    let mut config = Config::default();
    config.session = common.session(&[])?;
    config.transports.push(Arc::new(McpStdio));
    let engine = common.engine()?;
    let runtime = io_threads()?;
    let common = common.clone();
    let build = move || common.engine();
    let served = runtime.block_on(async {
        let server = Server::bind(config, engine, Box::new(build)).await?;
        tokio::spawn(signals(server.handle(), || {})?);
        server.run().await;
        Ok::<(), ServeFailure>(())
    });
    // A thread that reads standard input must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match served {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(serve_failure(error)),
    }
}
