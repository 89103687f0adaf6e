//! `gammond link-gnubg DIR`.

use crate::{Common, Failure, platform, print};
use std::path::PathBuf;
use std::process::ExitCode;

/// The names of the links.
const NAMES: [&str; 2] = ["gnubg", "gnubg-cli"];

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder, which is there already.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(_: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let program = crate::program::executable().map_err(Failure::work)?;
    if !args.folder.is_dir() {
        return Err(Failure::usage(format!(
            "{}: no such folder",
            args.folder.display()
        )));
    }
    let links = NAMES.map(|name| platform::command_path(&args.folder, name));
    // Nothing that is not our own link is touched, and nothing is half done.
    for link in &links {
        let ours = platform::is_link(&program, link);
        if !ours && link.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "{}: is there already and no link to gammond; choose another folder",
                link.display()
            )));
        }
    }
    for link in &links {
        if link.symlink_metadata().is_err() {
            platform::link(&program, link).map_err(Failure::unwritten(link))?;
        }
    }
    let made = links.iter().flat_map(|link| platform::link_files(link));
    let made: Vec<String> = made.map(|path| path.display().to_string()).collect();
    let [one, other] = links.map(|link| link.display().to_string());
    let (folder, remove) = (args.folder.display(), platform::REMOVE);
    print(
        format!(
            "{one} and {other} start gammond now, for everything that has {folder} in its PATH before the real gnubg.\n\
             To undo it: {remove} {}\n",
            made.join(" ")
        )
        .as_bytes(),
    )
}
