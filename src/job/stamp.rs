//! The stamp in the head of a text file that a job made: the same command recognises its own work, and leaves all
//! other files unchanged.

use super::{Difference, Header};
use gammond_base::checksum::sha256;

/// Prefix of the stamp in a command's files, such as `gammond label`.
#[derive(Clone, Copy, Debug)]
pub struct Stamp(pub &'static str);

/// Reason why a file is not the one that a job made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StampError {
    /// The record was not made by a job of this command.
    #[error("not a file of {0}'s; left unchanged")]
    Foreign(&'static str),
    /// The lines of the stamp cannot be read.
    #[error("its first lines are damaged; left unchanged")]
    Damaged,
    /// A job with other settings made it.
    #[error("{0}")]
    Other(#[source] Difference),
    /// The file was changed since.
    #[error("its lines differ from those that were written; left unchanged")]
    Changed,
}

/// The lines of a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampLine {
    /// The header of the job.
    Settings,
    /// The checksum of the other lines.
    Checksum,
}

/// Begins the line with the checksum.
const SUM: &str = "# sha256 of the lines below ";

impl Stamp {
    /// Returns a file of these lines, with the stamp in front; for other readers its two lines are comments. `first`,
    /// empty or a line, stands even before the stamp.
    #[must_use]
    pub fn file(self, header: &Header, first: &str, lines: &str) -> String {
        let (name, sum) = (self.0, sum(first, lines));
        format!("{first}# {name} {}\n{SUM}{sum}\n{lines}", header.text())
    }

    /// Returns which line of a stamp a line of text is, if any.
    #[must_use]
    pub fn line(self, text: &str) -> Option<StampLine> {
        if text.starts_with(SUM) {
            return Some(StampLine::Checksum);
        }
        let header = text.strip_prefix("# ")?.strip_prefix(self.0)?;
        header.starts_with(" {").then_some(StampLine::Settings)
    }

    /// Checks that `text` is an unchanged file made by the job with this header.
    ///
    /// # Errors
    /// [`StampError`] if it is any other file.
    pub fn check(self, header: &Header, text: &str) -> Result<(), StampError> {
        let magic = format!("# {} ", self.0);
        let rest = if text.starts_with(&magic) {
            text
        } else {
            text.split_once('\n').map_or("", |(_, rest)| rest)
        };
        let first = text.strip_suffix(rest).unwrap_or_default();
        let head = rest
            .strip_prefix(&magic)
            .and_then(|rest| rest.split_once('\n'));
        let Some((found, rest)) = head else {
            return Err(StampError::Foreign(self.0));
        };
        let told = rest
            .strip_prefix(SUM)
            .and_then(|rest| rest.split_once('\n'));
        let (Some(found), Some((told, lines))) = (Header::parse(found), told) else {
            return Err(StampError::Damaged);
        };
        if let Some(difference) = header.difference(&found) {
            return Err(StampError::Other(difference));
        }
        if sum(first, lines) != told {
            return Err(StampError::Changed);
        }
        Ok(())
    }
}

fn sum(first: &str, lines: &str) -> String {
    sha256(format!("{first}{lines}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_itself_passes() {
        let (stamp, header) = (Stamp("gammond test"), Header::new("test", 1));
        for first in ["", "s first\n"] {
            let file = stamp.file(&header, first, "one\ntwo\n");
            let lines: Vec<_> = file.lines().filter_map(|line| stamp.line(line)).collect();
            assert_eq!(lines, [StampLine::Settings, StampLine::Checksum]);
            assert_eq!(stamp.check(&header, &file), Ok(()));
            let refused = |text: &str, header: &Header, why: &str| {
                let found = stamp.check(header, text).unwrap_err().to_string();
                assert!(found.contains(why), "{found}");
            };
            refused(&file, &Header::new("test", 2), "version");
            refused(&file.replace("two", "owt"), &header, "differ from those");
            refused(&file[..file.len() - 1], &header, "differ from those");
            refused(&file.replace("sha256", "sum"), &header, "damaged");
            refused("", &header, "not a file of gammond test's");
            refused("m something else\n", &header, "not a file");
        }
        let file = stamp.file(&header, "s first\n", "one\n");
        let changed = file.replace("first", "other");
        assert!(stamp.check(&header, &changed).is_err());
    }
}
