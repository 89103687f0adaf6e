//! `gammond ubgi`.

use crate::{Common, Failure, PlayingOptions, within};
use gammond_protocol::ubgi::Ubgi;
use gammond_server::ubgi;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    search: PlayingOptions,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let engine = common.engine()?;
    let threads = engine.pool().current_num_threads();
    let machine = Ubgi::new(&args.search.options(common), &common.nets, threads, true);
    let build = |nets: &str, threads: usize| {
        let changed = Common {
            nets: nets.to_owned(),
            threads: Some(threads),
            ..common.clone()
        };
        changed.engine()
    };
    let (input, output) = (std::io::stdin(), std::io::stdout().lock());
    ubgi::run(engine, machine, build, input, output)
        .map_err(|error| Failure::work(within("standard input or output", error)))?;
    Ok(ExitCode::SUCCESS)
}
