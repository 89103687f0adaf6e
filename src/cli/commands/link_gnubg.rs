//! `gammond link-gnubg DIR`.

use crate::{Common, Failure, print};
use std::path::{Path, PathBuf};
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
    let links = NAMES.map(|name| args.folder.join(name));
    // Nothing that is not our own link is touched, and nothing is half done.
    for link in &links {
        let ours = std::fs::read_link(link).is_ok_and(|target| target == program);
        if !ours && link.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "{}: is there already and no link to gammond; choose another folder",
                link.display()
            )));
        }
    }
    for link in &links {
        if link.symlink_metadata().is_err() {
            link_to(&program, link).map_err(Failure::unwritten(link))?;
        }
    }
    let [one, other] = links.map(|link| link.display().to_string());
    let folder = args.folder.display();
    print(
        format!(
            "{one} and {other} start gammond now, for everything that has {folder} in its PATH before the real gnubg.\n\
             To undo it: rm {one} {other}\n"
        )
        .as_bytes(),
    )
}

#[cfg(unix)]
fn link_to(program: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(not(unix))]
fn link_to(program: &Path, link: &Path) -> std::io::Result<()> {
    std::fs::copy(program, link.with_extension("exe")).map(|_| ())
}
