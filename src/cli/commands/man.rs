//! `gammond man`: the manual pages, made from the same definition as `--help`.

use crate::{Cli, Common, Failure};
use clap::CommandFactory;
use gammond_base::files::create_folder;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The page of this subcommand, such as `serve` or `bearoff make`; without one, the main page.
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
    /// Write every page (gammond.1, gammond-serve.1 …) into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(_common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.folder {
        create_folder(folder).map_err(Failure::in_file(folder))?;
        clap_mangen::generate_to(root, folder).map_err(Failure::in_file(folder))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = &root;
    for name in &args.path {
        command = command.find_subcommand(name).ok_or_else(|| {
            Failure::usage(format!("'{name}' is not a subcommand; see gammond --help"))
        })?;
    }
    let mut page = Vec::new();
    let name = command.get_display_name().unwrap_or("gammond").to_owned();
    clap_mangen::Man::new(command.clone().name(name))
        .render(&mut page)
        .map_err(Failure::work)?;
    crate::print(&page)
}
