//! Checksum of an engine's parts: two engines with the same checksum give the same answers.

use gammond_base::checksum::{sha256, sha256_of};
use gammond_base::files;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Something that answers depend on.
pub(super) enum Source<'a> {
    /// Named bytes in the program.
    Bytes(&'a str, &'a [u8]),
    /// A file, or those files of a folder that end so.
    Path(&'a Path, &'a str),
}

/// Returns the checksum of all sources as they are now.
///
/// # Errors
/// The file that cannot be read.
pub(super) fn identity<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
) -> Result<String, (PathBuf, io::Error)> {
    let mut list = String::new();
    let mut add = |name: &str, sum: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{name} {sum}");
    };
    for source in sources {
        match source {
            Source::Bytes(name, bytes) => add(name, sha256(bytes)),
            Source::Path(path, ending) => {
                for file in found(path, ending).map_err(|error| (path.to_owned(), error))? {
                    // Databases are larger than memory may be.
                    let sum = files::open(&file).and_then(sha256_of);
                    let sum = sum.map_err(|error| (file.clone(), error))?;
                    let name = file.file_name().unwrap_or_default();
                    // Not the folder: the same files may lie elsewhere.
                    add(&name.to_string_lossy(), sum);
                }
            }
        }
    }
    Ok(sha256(list.as_bytes()))
}

/// Returns the file itself, or those of a folder whose names end so, in order.
fn found(path: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?.path();
        if entry.is_file() && entry.extension().is_some_and(|found| found == ending) {
            found.push(entry);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_decides_counts() {
        let folder = tempfile::tempdir().unwrap();
        let of = |ending| identity([Source::Path(folder.path(), ending)]).unwrap();
        std::fs::write(folder.path().join("contact.net"), "a").unwrap();
        let first = of("net");
        std::fs::write(folder.path().join("notes.txt"), "a").unwrap();
        assert_eq!(of("net"), first);
        std::fs::write(folder.path().join("contact.net"), "b").unwrap();
        assert_ne!(of("net"), first);
        let without = of("bd");
        std::fs::write(folder.path().join("x.bd"), "a").unwrap();
        assert_ne!(of("bd"), without);
        let missing = identity([Source::Path(Path::new("no/such"), "net")]);
        assert_eq!(missing.unwrap_err().0, Path::new("no/such"));
        assert_ne!(
            identity([Source::Bytes("a", b"x")]).unwrap(),
            identity([Source::Bytes("b", b"x")]).unwrap()
        );
    }
}
