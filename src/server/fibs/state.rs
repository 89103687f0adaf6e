//! What the FIBS bot remembers between runs: people met, results; and the files of matches.
//!
//! Files are written beside their place and renamed, so that a crash leaves the old or the new one
//! (FIBS-29).

use super::config::{FibsError, StateError};
use gammond_base::escape::FileName;
use gammond_base::files;
use gammond_base::journal::{check_writable, create_whole, write_whole};
use gammond_protocol::fibs::{MatchEnd, MatchRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Match files of one second.
const NAMES_MAX: u32 = 1000;
/// Unfinished matches that are kept.
const UNFINISHED_MAX: usize = 100;

/// Somebody who has been played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// Finished matches.
    pub matches: u32,
    /// Of these won by the bot.
    pub won: u32,
    /// Matches that this person left unfinished.
    pub drops: u32,
    /// Date of the last match.
    pub met: String,
    /// What is told about the last match that was judged.
    pub report: Vec<String>,
}

/// Results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchCounts {
    /// Finished matches.
    pub matches: u64,
    /// Of these won.
    pub won: u64,
    /// Of these with an end that nobody told the bot and that the rating does not show.
    pub unknown: u64,
    /// Points won and lost.
    pub points: [u64; 2],
}

/// The bot's books.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Books {
    /// Since the state file was made.
    pub all: MatchCounts,
    /// Since midnight, UTC.
    pub today: MatchCounts,
    /// The rating as last heard.
    pub rating: Option<f64>,
    /// Matches that were interrupted.
    pub saved: u64,
    /// Connections lost.
    pub reconnects: u64,
    /// Lines read in this run.
    #[serde(skip)]
    pub lines: u64,
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FibsState {
    /// By name.
    pub people: BTreeMap<String, Person>,
    /// Results.
    pub books: Books,
    /// Matches that are not finished, by opponent: what a new run goes on with.
    pub unfinished: BTreeMap<String, Unfinished>,
}

/// A match that is not finished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unfinished {
    /// It so far, as a match file.
    pub file: String,
    /// The bot's rating then.
    pub rating: Option<f64>,
    /// It was being played when this was written: whether it goes on is not known.
    pub open: bool,
}

/// Holds the state file for one bot: the lock goes when this is dropped, or the program ends.
#[derive(Debug)]
pub struct StateLock {
    /// Held, never read.
    _file: Option<File>,
}

impl StateLock {
    /// Takes the lock of a state file (`FILE.lock` beside it) and tries whether the file can be
    /// written.
    ///
    /// # Errors
    /// Another bot holds it, or the folder cannot be written.
    pub fn take(path: Option<&Path>) -> Result<StateLock, FibsError> {
        let Some(path) = path else {
            return Ok(StateLock { _file: None });
        };
        let lock = beside(path, ".lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock)
            .map_err(|error| wrong(&lock, error))?;
        match file.try_lock() {
            Ok(()) => Ok(StateLock { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(wrong(path, StateError::Held)),
            Err(TryLockError::Error(error)) => Err(wrong(&lock, error)),
        }
    }
}

fn wrong(path: &Path, source: impl Into<StateError>) -> FibsError {
    FibsError::File {
        path: path.display().to_string(),
        source: source.into(),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(end);
    path.with_file_name(name)
}

/// Tries whether match files can be written in this folder, which is made if it is missing.
///
/// # Errors
/// They cannot.
pub fn check_folder(folder: Option<&Path>) -> Result<(), FibsError> {
    let Some(folder) = folder else { return Ok(()) };
    if folder.is_file() {
        let text = "is a file; want a folder";
        let error = std::io::Error::new(std::io::ErrorKind::NotADirectory, text);
        return Err(wrong(folder, error));
    }
    std::fs::create_dir_all(folder)
        .and_then(|()| check_writable(&folder.join("match.mat")))
        .map_err(|error| wrong(folder, error))
}

/// Longest state file that is read.
const STATE_BYTES_MAX: u64 = 64 << 20;

impl FibsState {
    /// Reads the state file; without one the state is empty.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn load(path: Option<&Path>) -> Result<FibsState, FibsError> {
        let Some(path) = path else {
            return Ok(FibsState::default());
        };
        match files::read_text(path, STATE_BYTES_MAX) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(path, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FibsState::default()),
            Err(error) => Err(wrong(path, error)),
        }
    }

    /// Writes the state file for the first time: whoever cannot keep a state is told at the start.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn check(&self, path: Option<&Path>) -> Result<(), FibsError> {
        let Some(path) = path else { return Ok(()) };
        self.write(path).map_err(|error| wrong(path, error))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_whole(path, text.as_bytes())
    }

    /// Writes the state file. A full disk is logged and is no reason to stop a match.
    pub fn save(&self, path: Option<&Path>) {
        let Some(path) = path else { return };
        if let Err(error) = self.write(path) {
            tracing::error!(%error, path = %path.display(), "state file");
        }
    }

    /// The entry of a person.
    pub fn person(&mut self, name: &str) -> &mut Person {
        self.people.entry(name.to_owned()).or_default()
    }

    /// Keeps a match that is not finished.
    pub fn progress(&mut self, user: &str, record: &MatchRecord, rating: Option<f64>, open: bool) {
        if self.unfinished.len() >= UNFINISHED_MAX
            && !self.unfinished.contains_key(&record.opponent)
        {
            self.unfinished.pop_first();
        }
        let file = record.file(user, Vec::new()).to_string();
        let unfinished = Unfinished { file, rating, open };
        self.unfinished.insert(record.opponent.clone(), unfinished);
    }

    /// Counts a finished match.
    pub fn finished(&mut self, record: &MatchRecord) {
        self.unfinished.remove(&record.opponent);
        let won = record.outcome == Some(MatchEnd::Won);
        let person = self.person(&record.opponent);
        person.matches += 1;
        person.won += u32::from(won);
        if let [_, Some(rating)] = record.ratings {
            self.books.rating = Some(rating);
        }
        for tally in [&mut self.books.all, &mut self.books.today] {
            tally.matches += 1;
            tally.won += u64::from(won);
            tally.unknown += u64::from(record.outcome == Some(MatchEnd::Unknown));
            for (sum, points) in tally.points.iter_mut().zip(record.scores) {
                *sum += u64::from(points);
            }
        }
        let [mine, other] = record.scores;
        tracing::info!(
            opponent = record.opponent,
            score = format!("{mine}-{other}"),
            outcome = %record.outcome.unwrap_or(MatchEnd::Unknown),
            unseen = record.unseen,
            "match finished"
        );
    }
}

/// The file of a finished match, `analysis` in its head.
#[must_use]
pub fn match_text(user: &str, record: &MatchRecord, analysis: Vec<String>) -> String {
    let rating = match record.ratings {
        [Some(before), Some(after)] => format!(" rating {before:.2} to {after:.2}"),
        _ => " rating unknown".to_owned(),
    };
    let mut comments = vec![format!(" FIBS, {}", date(unix_seconds())), rating];
    comments.extend(analysis);
    record.file(user, comments).to_string()
}

/// Writes the file of a finished match and returns its path.
///
/// # Errors
/// The folder cannot be written.
pub fn write_match(folder: &Path, opponent: &str, text: &str) -> std::io::Result<PathBuf> {
    let seconds = unix_seconds();
    std::fs::create_dir_all(folder)?;
    let opponent = FileName::new(opponent);
    let day = date(seconds);
    let time = seconds % 86_400;
    // Two matches can end in the same second, and be written at once: no file takes the place of
    // another, and none waits for another.
    let taken = |error: &std::io::Error| {
        matches!(
            error.kind(),
            std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::WouldBlock
        )
    };
    for number in 0..NAMES_MAX {
        let path = folder.join(format!("{day}_{time:05}_{opponent}_{number}.mat"));
        match create_whole(&path, text.as_bytes()) {
            Err(error) if taken(&error) => {}
            done => return done.map(|()| path),
        }
    }
    Err(std::io::Error::other("too many matches in one second"))
}

/// Seconds since 1970.
pub(super) fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// The date of these seconds since 1970, UTC: `2026-11-21`. The calendar repeats every 146097
/// days, counted from March.
#[must_use]
pub fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No name of an opponent costs the match its file, and none leads out of the folder.
    #[test]
    fn match_of_any_opponent_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for opponent in [
            &"x".repeat(3000),
            "../../etc/passwd\0",
            "\u{202e}\u{1b}[2J",
            "",
        ] {
            let path = write_match(folder.path(), opponent, "text").unwrap();
            assert_eq!(path.parent(), Some(folder.path()));
            assert!(path.file_name().unwrap().len() < 100);
        }
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_795_224_437), "2026-11-21");
        assert_eq!(date(4_107_542_399), "2100-02-28");
    }

    /// FIBS-29: written whole or not at all, and read back.
    #[test]
    fn the_state_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let mut state = FibsState::load(Some(&path)).unwrap();
        state.person("joe").drops = 2;
        state.save(Some(&path));
        assert_eq!(FibsState::load(Some(&path)).unwrap(), state);
        std::fs::write(&path, "{").unwrap();
        assert!(FibsState::load(Some(&path)).is_err());
    }

    /// FIBS-29: one bot a state file, and what cannot be written is said at the start.
    #[test]
    fn one_bot_a_state_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let held = StateLock::take(Some(&path)).unwrap();
        let told = StateLock::take(Some(&path)).unwrap_err().to_string();
        assert!(told.ends_with("another bot uses this state file"), "{told}");
        drop(held);
        assert!(StateLock::take(Some(&path)).is_ok());
        let nowhere = folder.path().join("no/such/folder/state.json");
        assert!(StateLock::take(Some(&nowhere)).is_err());
        assert!(FibsState::default().check(Some(&nowhere)).is_err());
        assert!(check_folder(Some(&path.join("file/in/the/way"))).is_ok());
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(check_folder(Some(&folder.path().join("file/matches"))).is_err());
    }

    /// FIBS-28: a name that is taken stays; no half file is left.
    #[test]
    fn match_files_never_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let text = match_text("bot", &MatchRecord::new("joe", Some(3)), Vec::new());
        let paths: Vec<PathBuf> = (0..5)
            .map(|_| write_match(folder.path(), "joe", &text).unwrap())
            .collect();
        let count = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(count, 5, "{paths:?}");
    }

    /// FIBS-28: two that are written at once are both written.
    #[test]
    fn match_files_are_written_side_by_side() {
        const WRITERS: usize = 16;
        let folder = tempfile::tempdir().unwrap();
        let text = match_text("bot", &MatchRecord::new("joe", Some(3)), Vec::new());
        let together = std::sync::Barrier::new(WRITERS);
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    together.wait();
                    write_match(folder.path(), "joe", &text).unwrap();
                });
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), WRITERS);
    }
}
