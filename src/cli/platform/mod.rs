//! Differences between systems for the commands: the user's folders, the browser, links to the program, requests to end.

#[cfg(not(unix))]
mod other;
#[cfg(windows)]
pub(crate) mod service;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::*;
#[cfg(unix)]
pub(crate) use unix::*;

use std::path::PathBuf;

/// Extension of the file beside a copy of the program `gnubg-cli` that holds the path of the program to start.
pub const STARTER_PATH_EXTENSION: &str = "path";

/// Returns the folder that a variable of the environment names by an absolute path.
fn folder_from(variable: &str) -> Option<PathBuf> {
    let value = std::env::var_os(variable).map(PathBuf::from);
    value.filter(|path| path.is_absolute())
}
