//! Windows.

use super::{STARTER_PATH_EXTENSION, folder_from};
use gammond_server::platform::{SignalEvent, watch_signals};
use std::io;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Folders for the data of programs that all users share: none are usual on Windows.
pub(crate) const SHARED_DATA_FOLDERS: &[&str] = &[];

/// The program that opens an address in the browser, and its first arguments.
pub(crate) const OPENER: (&str, &[&str]) = ("cmd", &["/C", "start", ""]);

/// Command that removes files.
pub(crate) const REMOVE: &str = "del";

/// Small program of the packages for Windows that starts another one, see `src/gammond/gnubg_cli.rs`.
const STARTER: &str = "gnubg-cli.exe";

/// Exit code of a program that Ctrl-C ends, as Windows has it.
const INTERRUPTED: i32 = 0xC000_013A_u32.cast_signed();

/// Returns the user's folder for the configuration of programs.
pub(crate) fn config_folder() -> Option<PathBuf> {
    folder_from("APPDATA")
}

/// Returns the user's folder for the data of programs, which stays on this machine.
pub(crate) fn data_folder() -> Option<PathBuf> {
    folder_from("LOCALAPPDATA")
}

/// Returns the user's folder for data that programs can create again: the one of [`data_folder`].
#[cfg(feature = "farm")]
pub(crate) fn cache_folder() -> Option<PathBuf> {
    data_folder()
}

/// Returns the path under which programs start a command of this folder.
pub(crate) fn command_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).with_extension("exe")
}

/// Returns true if the file is one that [`link`] made for this program.
pub(crate) fn is_link(program: &Path, link: &Path) -> bool {
    let target = std::fs::read_to_string(link.with_extension(STARTER_PATH_EXTENSION));
    target.is_ok_and(|target| Path::new(&target) == program)
}

/// Makes a command that starts the program: a copy of [`STARTER`], and the path of the program beside it. An installation
/// without the starter gets the program itself under another name.
///
/// # Errors
/// The system's error, or the program's path is not Unicode.
pub(crate) fn link(program: &Path, link: &Path) -> io::Result<()> {
    let target = program.to_str().ok_or_else(|| {
        let message = format!("the path of gammond, {}, is not Unicode", program.display());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    let starter = program.with_file_name(STARTER);
    if starter.is_file() {
        std::fs::copy(starter, link)?;
    } else {
        std::fs::hard_link(program, link).or_else(|_| std::fs::copy(program, link).map(drop))?;
    }
    std::fs::write(link.with_extension(STARTER_PATH_EXTENSION), target)
}

/// Returns the files of a command that [`link`] made.
pub(crate) fn link_files(link: &Path) -> Vec<PathBuf> {
    vec![link.to_owned(), link.with_extension(STARTER_PATH_EXTENSION)]
}

/// Sets the flag at Ctrl-C, Ctrl-Break and the end of the console or session; the second one ends the program.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_end_request(requested: Arc<AtomicBool>) -> io::Result<()> {
    watch_signals(&[SignalEvent::Interrupt, SignalEvent::End], move || {
        if requested.swap(true, Ordering::SeqCst) {
            exit(INTERRUPTED);
        }
    })
}

/// Sets the flag at each Ctrl-C, Ctrl-Break and end of the console or session.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_every_end_request(requested: &Arc<AtomicBool>) -> io::Result<()> {
    let requested = requested.clone();
    watch_signals(&[SignalEvent::Interrupt, SignalEvent::End], move || {
        requested.store(true, Ordering::SeqCst);
    })
}

/// Sets the flag at each Ctrl-C and Ctrl-Break; while `idle` is true, they end the program with exit code 1.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_interrupt(idle: &Arc<AtomicBool>, requested: Arc<AtomicBool>) -> io::Result<()> {
    let idle = idle.clone();
    watch_signals(&[SignalEvent::Interrupt], move || {
        if idle.load(Ordering::SeqCst) {
            exit(1);
        }
        requested.store(true, Ordering::SeqCst);
    })
}
