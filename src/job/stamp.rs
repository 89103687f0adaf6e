//! The stamp in the head of a text file that a job made: the same command knows its own work again, and leaves
//! everything else as it is.

use super::{Header, sha256};

/// How the stamp of a command's files begins, such as `gammond label`.
#[derive(Clone, Copy, Debug)]
pub struct Stamp(pub &'static str);

/// Begins the line with the checksum.
const SUM: &str = "# sha256 of the lines below ";

impl Stamp {
    /// A file of these lines, with the stamp in front; for other readers its two lines are comments. `first`, empty or
    /// a line, stands even before the stamp.
    #[must_use]
    pub fn file(self, header: &Header, first: &str, lines: &str) -> String {
        let (name, sum) = (self.0, sum(first, lines));
        format!("{first}# {name} {}\n{SUM}{sum}\n{lines}", header.text())
    }

    /// Whether `text` is a file that the job with this header made, and nobody has changed.
    ///
    /// # Errors
    /// What else it is, in words.
    pub fn check(self, header: &Header, text: &str) -> Result<(), String> {
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
            let name = self.0;
            return Err(format!("not a file of {name}'s; it is left as it is"));
        };
        let told = rest
            .strip_prefix(SUM)
            .and_then(|rest| rest.split_once('\n'));
        let (Some(found), Some((told, lines))) = (Header::parse(found), told) else {
            return Err("its first lines are damaged; it is left as it is".to_owned());
        };
        if let Some(difference) = header.difference(&found) {
            return Err(difference.to_string());
        }
        if sum(first, lines) != told {
            return Err(
                "its lines are not those that were written; it is left as it is".to_owned(),
            );
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
            assert_eq!(stamp.check(&header, &file), Ok(()));
            let refused = |text: &str, header: &Header, why: &str| {
                let found = stamp.check(header, text).unwrap_err();
                assert!(found.contains(why), "{found}");
            };
            refused(&file, &Header::new("test", 2), "version");
            refused(&file.replace("two", "owt"), &header, "are not those");
            refused(&file[..file.len() - 1], &header, "are not those");
            refused(&file.replace("sha256", "sum"), &header, "damaged");
            refused("", &header, "not a file of gammond test's");
            refused("m something else\n", &header, "not a file");
        }
        let file = stamp.file(&header, "s first\n", "one\n");
        let changed = file.replace("first", "other");
        assert!(stamp.check(&header, &changed).is_err());
    }
}
