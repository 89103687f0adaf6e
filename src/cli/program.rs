//! The `gammond` program as a function, for programs that carry it, such as the Python package.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

/// The arguments of the run, with the program's name.
static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Runs the program on its arguments, the program's name first, and flushes stdout. A process calls this once: logging,
/// signal handlers and the arguments belong to the whole process.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    use std::io::Write as _;
    let code = crate::main(ARGUMENTS.get_or_init(|| arguments));
    // A library has no runtime that does this at exit. A closed pipe was reported where it was written to.
    let _ = std::io::stdout().flush();
    code
}

/// Returns the arguments as text, the program's name first; none before [`run`].
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    words()
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
}

/// Returns the arguments, the program's name first; none before [`run`].
pub(crate) fn words() -> &'static [OsString] {
    ARGUMENTS.get().map_or(&[], Vec::as_slice)
}

/// Returns the file that starts this program again: the executable, or the script that called [`run`].
pub(crate) fn executable() -> std::io::Result<PathBuf> {
    let executable = std::env::current_exe()?;
    let started = ARGUMENTS
        .get()
        .and_then(|words| words.first())
        .map(PathBuf::from);
    let interpreted = executable
        .file_stem()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"));
    Ok(match started {
        Some(script) if interpreted && script.is_file() => std::path::absolute(script)?,
        _ => executable,
    })
}
