//! Linux, and systems like it.

use super::folder_from;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Folders for the data of programs that all users share.
pub(crate) const SHARED_DATA_FOLDERS: &[&str] = &["/usr/local/share", "/usr/share"];

/// The program that opens an address in the browser, and its first arguments.
pub(crate) const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else {
    ("xdg-open", &[])
};

/// Command that removes files.
pub(crate) const REMOVE: &str = "rm";

/// Returns the user's folder for the configuration of programs.
pub(crate) fn config_folder() -> Option<PathBuf> {
    folder_from("XDG_CONFIG_HOME").or_else(|| Some(folder_from("HOME")?.join(".config")))
}

/// Returns the user's folder for the data of programs.
pub(crate) fn data_folder() -> Option<PathBuf> {
    folder_from("XDG_DATA_HOME").or_else(|| Some(folder_from("HOME")?.join(".local/share")))
}

/// Returns the user's folder for data that programs can create again.
#[cfg(feature = "farm")]
pub(crate) fn cache_folder() -> Option<PathBuf> {
    folder_from("XDG_CACHE_HOME").or_else(|| Some(folder_from("HOME")?.join(".cache")))
}

/// Returns the path under which programs start a command of this folder.
pub(crate) fn command_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

/// Returns true if the file is a link to the program that [`link`] made.
pub(crate) fn is_link(program: &Path, link: &Path) -> bool {
    std::fs::read_link(link).is_ok_and(|target| target == program)
}

/// Makes a command that starts the program.
///
/// # Errors
/// The system's error.
pub(crate) fn link(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Returns the files of a command that [`link`] made.
pub(crate) fn link_files(link: &Path) -> Vec<PathBuf> {
    vec![link.to_owned()]
}

/// Sets the flag at SIGINT and SIGTERM; the second signal ends the program as signals do.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_end_request(requested: Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, requested.clone())?;
        flag::register(signal, requested.clone())?;
    }
    Ok(())
}

/// Sets the flag at each SIGINT and SIGTERM.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_every_end_request(requested: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, requested.clone())?;
    }
    Ok(())
}

/// Sets the flag at each SIGINT; while `idle` is true, SIGINT ends the program with exit code 1.
///
/// # Errors
/// The system's error.
pub(crate) fn flag_interrupt(idle: &Arc<AtomicBool>, requested: Arc<AtomicBool>) -> io::Result<()> {
    flag::register_conditional_shutdown(SIGINT, 1, idle.clone())?;
    flag::register(SIGINT, requested).map(drop)
}
