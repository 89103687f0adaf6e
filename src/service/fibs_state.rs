//! What the FIBS bot remembers between runs: people met, results; and the files of matches.
//!
//! Files are written beside their place and renamed, so that a crash leaves the old or the new one
//! (FIBS-29).

use super::fibs_link::FibsError;
use crate::protocol::fibs::{MatchRecord, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

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
}

/// Results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
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
    pub all: Tally,
    /// Since midnight, UTC.
    pub today: Tally,
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
}

impl FibsState {
    /// Reads the state file; without one the state is empty.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn load(path: Option<&Path>) -> Result<FibsState, FibsError> {
        let Some(path) = path else {
            return Ok(FibsState::default());
        };
        let wrong = |reason: String| FibsError::File {
            path: path.display().to_string(),
            reason,
        };
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FibsState::default()),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// Writes the state file. A full disk is logged and is no reason to stop a match.
    pub fn save(&self, path: Option<&Path>) {
        let Some(path) = path else { return };
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        if let Err(error) = replace(path, text.as_bytes()) {
            tracing::error!(%error, path = %path.display(), "state file");
        }
    }

    /// The entry of a person.
    pub fn person(&mut self, name: &str) -> &mut Person {
        self.people.entry(name.to_owned()).or_default()
    }

    /// Counts a finished match.
    pub fn finished(&mut self, record: &MatchRecord) {
        let won = record.outcome == Some(Outcome::Won);
        let person = self.person(&record.opponent);
        person.matches += 1;
        person.won += u32::from(won);
        if let [_, Some(rating)] = record.ratings {
            self.books.rating = Some(rating);
        }
        for tally in [&mut self.books.all, &mut self.books.today] {
            tally.matches += 1;
            tally.won += u64::from(won);
            tally.unknown += u64::from(record.outcome == Some(Outcome::Unknown));
            for (sum, points) in tally.points.iter_mut().zip(record.scores) {
                *sum += u64::from(points);
            }
        }
        let [mine, other] = record.scores;
        tracing::info!(
            opponent = record.opponent,
            score = format!("{mine}-{other}"),
            outcome = ?record.outcome,
            unseen = record.unseen,
            "match finished"
        );
    }
}

/// Writes a file at once or not at all.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    std::fs::write(&new, bytes)?;
    std::fs::rename(&new, path)
}

/// Writes the file of a finished match, `analysis` in its head, and returns its path.
///
/// # Errors
/// The folder cannot be written.
pub fn write_match(
    folder: &Path,
    user: &str,
    record: &MatchRecord,
    analysis: Vec<String>,
) -> std::io::Result<PathBuf> {
    let seconds = unix_seconds();
    let rating = match record.ratings {
        [Some(before), Some(after)] => format!(" rating {before:.2} to {after:.2}"),
        _ => " rating unknown".to_owned(),
    };
    let mut comments = vec![format!(" FIBS, {}", date(seconds)), rating];
    comments.extend(analysis);
    let text = record.file(user, comments).to_string();
    std::fs::create_dir_all(folder)?;
    let opponent: String = record
        .opponent
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    let day = date(seconds);
    let time = seconds % 86_400;
    // Two matches can end in the same second: the name is taken by making the file.
    let path = (0..1000)
        .map(|number| folder.join(format!("{day}_{time:05}_{opponent}_{number}.mat")))
        .find(|path| std::fs::File::create_new(path).is_ok())
        .unwrap_or_else(|| folder.join(format!("{day}_{opponent}.mat")));
    replace(&path, text.as_bytes())?;
    Ok(path)
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
}
