//! The program `gnubg-cli` of the packages for Windows, where links are unusual: it starts `gammond gnubg` with its own
//! arguments, on its own console, and ends with its exit code. It is small because it calls no code of the other crates.

use gammond_cli::STARTER_PATH_EXTENSION;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, exit};
use std::sync::Arc;

fn main() -> ExitCode {
    match start() {
        Ok(code) => exit(code),
        Err(error) => {
            // Nothing can be done about a closed stderr.
            let _ = writeln!(io::stderr(), "gnubg-cli: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the program to its end and returns its exit code.
fn start() -> io::Result<i32> {
    let program = program_of(&std::env::current_exe()?);
    // Ctrl-C reaches both programs, and the console decides what it ends.
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default())?;
    // The original's word; `gammond gnubg --version` is another's.
    let arguments = std::env::args_os().skip(1).map(|word| match word {
        version if version == "--version" => "--gnubg-version".into(),
        word => word,
    });
    let started = Command::new(&program).arg("gnubg").args(arguments).status();
    let status = started.map_err(|error| {
        let message = format!("{} does not start: {error}", program.display());
        io::Error::new(error.kind(), message)
    })?;
    // A program that a signal ended has no code.
    Ok(status.code().unwrap_or(1))
}

/// Returns the program that a starter starts: the path in the file beside it, otherwise `gammond` in the same folder.
fn program_of(starter: &Path) -> PathBuf {
    match std::fs::read_to_string(starter.with_extension(STARTER_PATH_EXTENSION)) {
        Ok(path) => PathBuf::from(path),
        Err(_) => starter.with_file_name(format!("gammond{}", std::env::consts::EXE_SUFFIX)),
    }
}
