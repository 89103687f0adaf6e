//! Where the tests find what does not lie in this repository.
//!
//! Recorded answers of gnubg and sessions lie in `../shared` on the machines of those who build
//! gammond (or where `GAMMOND_SHARED` points); a sample lies in `tests/data`, which does where they
//! are missing. GNU Backgammon's files come from an installed gnubg (or from the folder
//! `GAMMOND_GNUBG`). A test that needs what is missing says so by name and ends.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail loudly"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Limit after which a test counts as hung: the upper bound of everything that a test waits for. What takes seconds on an
/// idle machine may take minutes on a busy one, which is no fault of what is tested.
pub const HANG_LIMIT: Duration = Duration::from_secs(900);

/// Pause between two polls of a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Polls until the condition holds. Panics with `what` after [`HANG_LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// Polls until there is a value, and returns it. Panics with `what` after [`HANG_LIMIT`].
#[track_caller]
pub fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + HANG_LIMIT;
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(Instant::now() < end, "not so after {HANG_LIMIT:?}: {what}");
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The root of the repository, whose `tests/data` all tests read.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file under the shared folder, or `None` after a loud line that names the test.
pub fn shared(test: &str, path: &str) -> Option<PathBuf> {
    let file = recorded(path);
    match &file {
        Some(file) if is_sample(file) => note_skipped(test),
        Some(_) => {}
        None => missing(test, RECORDINGS),
    }
    file
}

/// A file under the shared folder or in `tests/data`.
pub fn recorded(path: &str) -> Option<PathBuf> {
    let base =
        std::env::var_os("GAMMOND_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let files = [base, samples()].map(|base| base.join(path));
    files.into_iter().find(|file| file.exists())
}

/// The folder of the samples of recordings.
fn samples() -> PathBuf {
    root().join("tests/data")
}

fn is_sample(file: &Path) -> bool {
    file.starts_with(samples())
}

/// The folders in which an installed gnubg keeps its files; only the folder `GAMMOND_GNUBG`, if that is set.
fn gnubg_folders() -> Vec<PathBuf> {
    match std::env::var_os("GAMMOND_GNUBG") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => ["/usr/lib/gnubg", "/usr/share/gnubg", "/var/lib/gnubg"]
            .map(PathBuf::from)
            .to_vec(),
    }
}

/// A file or folder of an installed gnubg, or `None` after a loud line.
pub fn gnubg_file(test: &str, name: &str) -> Option<PathBuf> {
    let mut files = gnubg_folders().into_iter().map(|folder| folder.join(name));
    let found = files.find(|path| path.exists());
    if found.is_none() {
        missing(test, &format!("{name} (apt-get install gnubg)"));
    }
    found
}

/// What a clone of the repository lacks: named once.
const RECORDINGS: &str = "recordings that the maintainers keep (CONTRIBUTING.md)";

/// So many rows must be there: the first number when the file is the whole recording, the second
/// when it is the sample in `tests/data`.
#[track_caller]
pub fn rows_are<T: PartialEq + std::fmt::Debug>(path: &Path, found: T, whole: T, sample: T) {
    assert_eq!(found, if is_sample(path) { sample } else { whole });
}

/// GNU Backgammon's binary weights, version 1.00 (Debian's package), or `None` after a loud line.
pub fn gnubg_wd(test: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("GAMMOND_GNUBG_WD") {
        return Some(PathBuf::from(path));
    }
    gnubg_file(test, "gnubg.wd")
}

/// GNU Backgammon's binary weights, version 1.01 (in its Python package), or `None` after a loud
/// line.
pub fn gnubg_wd_101(test: &str) -> Option<PathBuf> {
    from_environment(test, "GAMMOND_GNUBG_101_WD", "gnubg/data/gnubg.wd")
}

/// GNU Backgammon's text weights, version 1.01 (in its Python package), or `None` after a loud line.
pub fn gnubg_text_101(test: &str) -> Option<PathBuf> {
    from_environment(test, "GAMMOND_GNUBG_101_TEXT", "gnubg/data/gnubg.weights")
}

fn from_environment(test: &str, variable: &str, member: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        let what = format!("{variable}: {member} of the PyPI package gnubg==1.1.0a16");
        missing(test, &what);
    }
    path
}

/// Writes a line past the harness, which shows what a test prints only when it fails.
pub fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Appends the path of this test to the file `GAMMOND_TEST_SKIPPED`: it did not run, or reads a sample here. `.ci/run test`
/// runs these tests with everything that they read.
fn note_skipped(test: &str) {
    // The harness gives the thread of a test its path, unless it runs all in the thread `main`.
    let thread = std::thread::current();
    let path = thread.name().filter(|name| *name != "main").unwrap_or(test);
    assert!(path.ends_with(test), "the test {path} calls itself {test}");
    if let Some(list) = std::env::var_os("GAMMOND_TEST_SKIPPED") {
        let list = std::fs::File::options()
            .append(true)
            .create(true)
            .open(list);
        list.unwrap()
            .write_all(format!("{path}\n").as_bytes())
            .unwrap();
    }
}

/// Says loudly that a test did not run. With `GAMMOND_TEST_ALL` set (as in CI) that is a failure.
pub fn missing(test: &str, what: &str) {
    note_skipped(test);
    static SKIPPED: AtomicU32 = AtomicU32::new(0);
    static UNRECORDED: AtomicBool = AtomicBool::new(false);
    let number = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    if what != RECORDINGS {
        say(&format!(
            "SKIPPED {test}: needs {what} (skipped so far: {number})"
        ));
    } else if !UNRECORDED.swap(true, Ordering::Relaxed) {
        say(&format!("SKIPPED {test} and others: they need {what}"));
    }
    assert!(
        std::env::var_os("GAMMOND_TEST_ALL").is_none(),
        "{test} needs {what}"
    );
}

/// The lines of a text file, unpacked when its name ends in `.gz`.
pub fn lines(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let text = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
        text
    } else {
        String::from_utf8(bytes).unwrap()
    };
    assert!(!text.trim().is_empty(), "{} is empty", path.display());
    text.lines().map(str::to_owned).collect()
}

/// The JSON objects of a `.jsonl` or `.jsonl.gz` file.
pub fn rows(path: &Path) -> Vec<serde_json::Value> {
    lines(path)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
