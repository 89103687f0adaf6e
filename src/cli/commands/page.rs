//! `gammond page DIR`: the pages as files that any web server shows.

use crate::{Common, Failure, print};
use gammond_base::files::create_folder;
use gammond_base::journal::write_whole;
use gammond_server::http::{PAGE_GENERATOR, page_folder};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The files of the npm package that the pages use.
const ENGINE: [&str; 7] = [
    "client.js",
    "gammond.wasm",
    "index.js",
    "module.js",
    "serve.js",
    "strong.nets",
    "worker.js",
];

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder, which is made if it is missing. Files of an earlier version are replaced.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder with the engine for browsers: the npm package gammond. Without it, `share/gammond/npm` beside the folder of the
    /// program, or `npm` beside the program.
    #[arg(long, value_name = "DIR")]
    engine: Option<PathBuf>,
}

pub(crate) fn run(_: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let Args { folder, engine } = args;
    let source = match engine {
        Some(engine) => engine.clone(),
        None => beside()?,
    };
    let read = |name: &&'static str| {
        let path = source.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok((*name, bytes)),
            Err(error) => Err(Failure::file(format!("{}: {error}", path.display()))),
        }
    };
    let engine: Vec<(&str, Vec<u8>)> = ENGINE.iter().map(read).collect::<Result<_, Failure>>()?;
    let engine: Vec<(&str, &[u8])> = (engine.iter())
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect();
    let index = folder.join("index.html");
    let is_foreign = |text: Vec<u8>| !String::from_utf8_lossy(&text).contains(PAGE_GENERATOR);
    if std::fs::read(&index).is_ok_and(is_foreign) {
        return Err(Failure::usage(format!(
            "{}: is a page of something else; choose another folder",
            index.display()
        )));
    }
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        create_folder(parent).map_err(Failure::unwritten(parent))?;
        write_whole(&path, bytes).map_err(Failure::unwritten(&path))
    };
    for (name, bytes) in &engine {
        write(&format!("page/engine/{name}"), bytes)?;
    }
    let pages = page_folder(&engine);
    for (name, text) in &pages {
        write(name, text.as_bytes())?;
    }
    let (count, folder) = (pages.len() + engine.len(), folder.display());
    print(
        format!(
            "{folder}: {count} files. Any web server shows them, such as `python3 -m http.server --directory {folder}`.\n"
        )
        .as_bytes(),
    )
}

/// Returns the folder of the engine that came with the program.
fn beside() -> Result<PathBuf, Failure> {
    let program = crate::program::executable().map_err(Failure::work)?;
    let place = program.parent().unwrap_or(Path::new("."));
    let places = [place.join("../share/gammond/npm"), place.join("npm")];
    let found = places.iter().find(|place| place.join(ENGINE[1]).is_file());
    found.cloned().ok_or_else(|| {
        Failure::usage(format!(
            "gammond.wasm is not in {}; name the folder of the npm package gammond, expected such as --engine \
             node_modules/gammond",
            places[0].display()
        ))
    })
}
