//! Everything that is opened by path: nets, bearoff databases, match equity tables; checksums of files.
//!
//! The rest of the crate takes bytes. In builds without the feature `files` the module `none` refuses every path.

mod databases;
mod nets;

pub(super) use nets::open_nets;

use crate::bearoff::{BearoffError, Tables};
use crate::equity::{MatchEquityTable, MetError};
use gammond_base::checksum::sha256_of;
use gammond_base::files;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size in bytes of a match equity table (GNU Backgammon's own are below 100 KB).
const MET_BYTES_MAX: u64 = 4 << 20;

impl MatchEquityTable {
    /// Reads a table in GNU Backgammon's XML format.
    ///
    /// # Errors
    /// [`MetError`] when the file is missing or impossible.
    pub fn load(path: &Path) -> Result<MatchEquityTable, MetError> {
        let text = files::read_text(path, MET_BYTES_MAX);
        text.map_err(|source| MetError::Read {
            path: path.to_owned(),
            source,
        })?
        .parse()
    }
}

/// Returns the default bearoff tables and the databases of a folder.
pub(super) fn open_tables(folder: &Path) -> Result<Tables, BearoffError> {
    Tables::open(folder)
}

/// Returns names and checksums of a file, or of those files of a folder whose names end so, in order.
///
/// # Errors
/// The file that cannot be read.
pub(super) fn checksums(
    path: &Path,
    ending: &str,
) -> Result<Vec<(String, String)>, (PathBuf, io::Error)> {
    let sum = |file: PathBuf| {
        // Databases are larger than memory may be.
        let sum = files::open(&file).and_then(sha256_of);
        let sum = sum.map_err(|error| (file.clone(), error))?;
        let name = file.file_name().unwrap_or_default();
        // Not the folder: the same files may lie elsewhere.
        Ok((name.to_string_lossy().into_owned(), sum))
    };
    let files = files_of(path, ending).map_err(|error| (path.to_owned(), error))?;
    files.into_iter().map(sum).collect()
}

/// Returns the file itself; of a folder, its files whose names end with `ending`, in order.
fn files_of(path: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
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
