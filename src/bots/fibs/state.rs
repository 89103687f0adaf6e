//! State of the FIBS bot between runs: opponents and results; and the match files.
//!
//! Files are written beside their place and renamed, so that a crash leaves the old or the new one (FIBS-29).

use super::config::{FibsError, StateError};
use crate::fibs::{MatchEnd, MatchRecord};
use crate::shared::{check_match_folder, date, unix_seconds};
use gammond_base::files;
use gammond_base::journal::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Maximum number of unfinished matches in the state.
const UNFINISHED_MAX: usize = 100;

/// An opponent of the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpponentRecord {
    /// Number of finished matches.
    pub matches: u32,
    /// Number of these matches that the bot won.
    pub won: u32,
    /// Number of matches that this opponent left unfinished.
    pub drops: u32,
    /// Date of the last match.
    pub met: String,
    /// Report of the last analysed match.
    pub report: Vec<String>,
}

/// Match results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchCounts {
    /// Number of finished matches.
    pub matches: u64,
    /// Number of these matches that the bot won.
    pub won: u64,
    /// Number of these matches whose result the bot has not seen and that the rating does not show.
    pub unknown: u64,
    /// Points won and lost.
    pub points: [u64; 2],
}

/// Match statistics of the bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchStatistics {
    /// Results since the state file was created.
    pub all: MatchCounts,
    /// Results since midnight UTC.
    pub today: MatchCounts,
    /// Rating as last reported.
    pub rating: Option<f64>,
    /// Number of interrupted matches.
    pub saved: u64,
    /// Number of lost connections.
    pub reconnects: u64,
    /// Number of lines read in this run.
    #[serde(skip)]
    pub lines: u64,
}

/// The persistent state of the bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FibsState {
    /// Opponents by name.
    pub people: BTreeMap<String, OpponentRecord>,
    /// Match statistics.
    pub books: MatchStatistics,
    /// Unfinished matches by opponent, which a new run resumes.
    pub unfinished: BTreeMap<String, Unfinished>,
}

/// An unfinished match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unfinished {
    /// Match file up to now.
    pub file: String,
    /// Rating of the bot when this was written.
    pub rating: Option<f64>,
    /// True if it was being played when this was written: whether it can be resumed is unknown.
    pub open: bool,
}

/// A lock of the state file for one bot, released when this is dropped or the program ends.
#[derive(Debug)]
pub struct StateLock {
    /// Lock file; it is held, never read.
    _file: Option<File>,
}

impl StateLock {
    /// Locks a state file (`FILE.lock` beside it) and checks that the file can be written.
    ///
    /// # Errors
    /// If another bot holds the lock, or the folder cannot be written.
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
        match files::lock(&file) {
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

/// Checks that match files can be written in this folder, which is created if it is missing.
///
/// # Errors
/// If they cannot be written.
pub fn check_folder(folder: Option<&Path>) -> Result<(), FibsError> {
    let Some(folder) = folder else { return Ok(()) };
    check_match_folder(folder).map_err(|error| wrong(folder, error))
}

/// Maximum size of a state file in bytes.
const STATE_BYTES_MAX: u64 = 64 << 20;

impl FibsState {
    /// Reads the state file; if there is none, the state is empty.
    ///
    /// # Errors
    /// If the file exists but cannot be read.
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

    /// Writes the state file for the first time, so that a file that cannot be written is reported at the start.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn check(&self, path: Option<&Path>) -> Result<(), FibsError> {
        let Some(path) = path else { return Ok(()) };
        self.write(path).map_err(|error| wrong(path, error))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_whole(path, text.as_bytes())
    }

    /// Writes the state file. An error such as a full disk is logged and does not stop a match.
    pub fn save(&self, path: Option<&Path>) {
        let Some(path) = path else { return };
        if let Err(error) = self.write(path) {
            tracing::error!(%error, path = %path.display(), "state file");
        }
    }

    /// Returns the entry of an opponent.
    pub fn opponent_mut(&mut self, name: &str) -> &mut OpponentRecord {
        self.people.entry(name.to_owned()).or_default()
    }

    /// Stores an unfinished match.
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
        let record_of_opponent = self.opponent_mut(&record.opponent);
        record_of_opponent.matches += 1;
        record_of_opponent.won += u32::from(won);
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

/// Formats the file of a finished match with `analysis` in its header.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::write_match;

    /// FIBS-29: the state is written whole or not at all, and read back.
    #[test]
    fn the_state_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let mut state = FibsState::load(Some(&path)).unwrap();
        state.opponent_mut("joe").drops = 2;
        state.save(Some(&path));
        assert_eq!(FibsState::load(Some(&path)).unwrap(), state);
        std::fs::write(&path, "{").unwrap();
        assert!(FibsState::load(Some(&path)).is_err());
    }

    /// FIBS-29: a state file has one bot, and a file that cannot be written is reported at the start.
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

    /// FIBS-28: an existing file stays; no partial file is left.
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

    /// FIBS-28: of two files written at once, both are kept.
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
