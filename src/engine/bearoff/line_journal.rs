//! Two-sided databases made with a journal, so that a kill costs less than a second (`BEAR-34`).

use super::make::{LineStore, Watch, two_sided_kept};
use super::race::part_of;
use super::{BearoffError, Numbering};
use gammond_base::journal::{Journal, JournalError, Record, write_whole};
use std::path::Path;

/// The journal in which lines are kept, its lines, and the reason why it could not resume.
struct Lines {
    journal: Journal,
    there: std::iter::Peekable<std::vec::IntoIter<Record>>,
    fault: Option<JournalError>,
}

impl LineStore for Lines {
    fn known(&mut self, line: usize) -> Option<Vec<u8>> {
        let is_it = |record: &Record| record.number == line as u64;
        Some(self.there.next_if(is_it)?.bytes)
    }

    fn keep(&mut self, line: usize, bytes: &[u8]) -> bool {
        let kept = self.journal.append(line as u64, bytes);
        self.fault = kept.err();
        self.fault.is_none()
    }
}

/// Builds a two-sided database at `path`, or resumes an unfinished one from the journal [`part_of`] it. `watch` receives
/// the number of finished pairs and cancels with `false`; the same call resumes from there. Returns true if the database
/// is complete.
///
/// No file appears at `path` before all is done; the caller has checked that a file there may be replaced.
///
/// # Errors
/// [`BearoffError`]: the disk; a file in place of the journal that is no journal, or another table's;
/// another program that makes it at the same time.
pub fn make_two_sided(
    path: &Path,
    numbering: Numbering,
    cubeful: bool,
    watch: Watch<'_>,
) -> Result<bool, BearoffError> {
    let part = part_of(path);
    let cube = if cubeful { "with" } else { "without" };
    let (points, checkers) = (numbering.points(), numbering.checkers());
    let header = format!("two-sided bearoff 1, {points} points, {checkers} checkers, {cube} cube");
    let (journal, there) = Journal::open(&part, &header)?;
    let there = there.into_iter().peekable();
    let mut lines = Lines {
        journal,
        there,
        fault: None,
    };
    let made = two_sided_kept(numbering, cubeful, &mut lines, watch);
    if let Some(fault) = lines.fault {
        return Err(fault.into());
    }
    let Some(bytes) = made else {
        return Ok(false);
    };
    save(path, &bytes)?;
    drop(lines.journal);
    std::fs::remove_file(&part).map_err(|source| BearoffError::io(&part, source))?;
    Ok(true)
}

/// Writes a file whole or not at all.
///
/// # Errors
/// [`BearoffError::Io`].
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), BearoffError> {
    write_whole(path, bytes).map_err(|source| BearoffError::io(path, source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::make;

    /// BEAR-34: cut anywhere, the journal leads to the same bytes; any other file is left alone.
    #[test]
    fn resumed_database_equals_one_made_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ts.bd");
        let numbering = Numbering::new(5, 2).unwrap();
        let whole = make::two_sided(numbering, true);
        let pairs = numbering.positions().pow(2);
        let ended = make_two_sided(&path, numbering, true, &mut |done, _| done < pairs);
        assert!(ended.unwrap());
        assert!(std::fs::read(&path).unwrap() == whole && !part_of(&path).exists());
        std::fs::remove_file(&path).unwrap();
        let mut left = 15;
        let mut some = |_, _| {
            left -= 1;
            left > 0
        };
        assert!(!make_two_sided(&path, numbering, true, &mut some).unwrap());
        assert!(!path.exists());
        let begun = std::fs::read(part_of(&path)).unwrap();
        for length in (100..begun.len()).step_by(97).chain([0, begun.len()]) {
            std::fs::write(part_of(&path), &begun[..length]).unwrap();
            let mut again = |_, _| true;
            assert!(
                make_two_sided(&path, numbering, true, &mut again).unwrap(),
                "{length}"
            );
            assert!(std::fs::read(&path).unwrap() == whole, "cut at {length}");
            assert!(!part_of(&path).exists());
        }
        let refused = |wanted: &str| {
            let error = make_two_sided(&path, numbering, true, &mut |_, _| true).unwrap_err();
            assert!(error.to_string().contains(wanted), "{error}");
            assert!(error.to_string().contains("ts.bd.part"), "{error}");
        };
        std::fs::write(part_of(&path), "my thesis").unwrap();
        refused("left unchanged");
        assert_eq!(std::fs::read(part_of(&path)).unwrap(), b"my thesis");
        std::fs::remove_file(part_of(&path)).unwrap();
        drop(Journal::open(&part_of(&path), "two-sided bearoff 1, of another size").unwrap());
        refused("belongs to other work");
        let mut damaged = begun.clone();
        damaged[300] ^= 8;
        std::fs::write(part_of(&path), &damaged).unwrap();
        refused("damaged at byte");
        std::fs::write(part_of(&path), &begun).unwrap();
        let held = std::fs::File::open(part_of(&path)).unwrap();
        held.lock().unwrap();
        refused("another gammond is using it");
    }
}
