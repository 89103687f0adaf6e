//! The gate: candidate nets take the place of others when they are ahead in duels and not worse on benchmark files.

use gammond_arena::benchmark::summary::{Counting, paired, score};
use gammond_arena::benchmark::{BenchmarkFile, Item, ScorableRecord};
use gammond_arena::duel::Tally;
use gammond_arena::player::{Player, PlayerError};
use gammond_base::files;
use gammond_base::journal::{check_writable, write_whole};
use gammond_base::stats::Running;
use gammond_engine::equity::MatchEquityTable;
use std::io;
use std::path::{Path, PathBuf};

/// Longest net file that is installed.
const NET_BYTES_MAX: u64 = 1 << 30;

/// One condition, and whether the candidate meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// True if the condition is met.
    pub passed: bool,
    /// Description of the result.
    pub text: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.passed { "pass" } else { "FAIL" };
        write!(f, "{word} {}", self.text)
    }
}

/// Returns the candidate's points in a duel: at least `lead` a game, and the whole 99 % interval above zero.
#[must_use]
pub fn ahead_in_duel(other: &dyn Player, tally: &Tally, lead: f64) -> Finding {
    let [low, high] = tally.points.interval99();
    Finding {
        passed: ahead(&tally.points, lead),
        text: format!(
            "duel with {}: {} games, {:+.4} points per game, 99 % interval {low:+.4} to {high:+.4}",
            other.name(),
            tally.games(),
            tally.points.mean()
        ),
    }
}

/// Compares the candidate with another player on the records of a file. It passes if the 99 % interval of the paired
/// difference of their losses reaches zero or lies below.
///
/// # Errors
/// When a player fails.
pub fn not_worse_on(
    (path, items): (&Path, &[Item]),
    [candidate, other]: [&dyn Player; 2],
    table: &MatchEquityTable,
) -> Result<Finding, PlayerError> {
    let [first, second] = [candidate, other].map(|player| score(items, player, table));
    let difference = paired(items, &first?, &second?, &Counting::default());
    let [low, high] = difference.interval99();
    Ok(Finding {
        passed: not_worse(&difference),
        text: format!(
            "bench {} beside {}: {:+.4} mEq, 99 % interval {low:+.4} to {high:+.4}, {} records",
            path.display(),
            other.name(),
            difference.mean(),
            difference.count()
        ),
    })
}

/// Returns the plays of a benchmark file, or why a gate cannot be decided on it: a gate is decided on whole files only.
///
/// # Errors
/// The first wrong line, or that no plays are in it.
pub fn whole(mut file: BenchmarkFile) -> Result<Vec<Item>, String> {
    if let Some((line, reason)) = file.wrong.first() {
        return Err(format!("line {line}: {reason}"));
    }
    file.items
        .retain(|item| matches!(item.record, ScorableRecord::Play(_)));
    if file.items.is_empty() {
        return Err("no m record in it".to_owned());
    }
    Ok(file.items)
}

/// Returns true if the lead is reached and the interval lies above zero.
fn ahead(points: &Running, lead: f64) -> bool {
    points.mean() >= lead && points.interval99()[0] > 0.0
}

/// Returns true if the interval of the difference in losses reaches zero or lies below.
fn not_worse(difference: &Running) -> bool {
    difference.interval99()[0] <= 0.0
}

/// A file, and the system's error.
pub type InFile = (PathBuf, io::Error);

fn at(path: &Path) -> impl Fn(io::Error) -> InFile + use<'_> {
    move |error| (path.to_owned(), error)
}

/// Creates `folder` and checks that nets can be installed in it.
///
/// # Errors
/// When nothing can be written there.
pub fn check_install(folder: &Path) -> Result<(), InFile> {
    files::create_folder(folder).map_err(at(folder))?;
    check_writable(&folder.join("contact.net")).map_err(at(folder))
}

/// Copies the net files of `nets` to `folder`, each whole or not at all.
///
/// # Errors
/// When a file cannot be read or written.
pub fn install(nets: &Path, folder: &Path) -> Result<(), InFile> {
    let mut copies = Vec::new();
    for entry in std::fs::read_dir(nets).map_err(at(nets))? {
        let path = entry.map_err(at(nets))?.path();
        if let (Some(name), Some("net")) =
            (path.file_name(), path.extension().and_then(|e| e.to_str()))
        {
            let bytes = files::read(&path, NET_BYTES_MAX).map_err(at(&path))?;
            copies.push((folder.join(name), bytes));
        }
    }
    for (target, bytes) in copies {
        write_whole(&target, &bytes).map_err(at(&target))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(values: &[f64]) -> Running {
        let mut running = Running::default();
        values.iter().for_each(|&value| running.add(value));
        running
    }

    #[test]
    fn the_gate_wants_the_whole_interval() {
        let clear = running(&[1.0, 1.1, 0.9, 1.0, 1.05, 0.95]);
        let open = running(&[1.0, -2.0, 3.0, -1.0, 0.5, 0.2]);
        assert!(ahead(&clear, 0.5) && !ahead(&clear, 1.5));
        assert!(open.mean() > 0.0 && !ahead(&open, 0.0));
        assert!(!not_worse(&clear) && not_worse(&open));
    }
}
