//! Checksum of an engine's parts: two engines with the same checksum give the same answers.

use super::files;
use crate::eval::nets::EmbeddedNet;
use gammond_base::checksum::sha256;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Something that answers depend on.
pub(super) enum Source<'a> {
    /// Named bytes in the program.
    Bytes(&'a str, &'a [u8]),
    /// A net in the program.
    Embedded(&'static EmbeddedNet),
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
            Source::Embedded(net) => add(net.name(), sha256(&net.bytes())),
            Source::Path(path, ending) => {
                for (name, sum) in files::checksums(path, ending)? {
                    add(&name, sum);
                }
            }
        }
    }
    Ok(sha256(list.as_bytes()))
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
