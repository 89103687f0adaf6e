//! Bearoff databases by path.

use crate::bearoff::bytes::{Bytes, ReadAt};
use crate::bearoff::{BearoffError, Database, MEMORY_BYTES_MAX, OneSided, Tables, TwoSided};
use gammond_base::{files, platform};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A long file, and the length it had when it was opened.
struct LongFile(File, usize);

impl ReadAt for LongFile {
    fn len(&self) -> usize {
        self.1
    }

    fn read(&self, at: usize, space: &mut [u8]) -> Option<()> {
        platform::read_exact_at(&self.0, space, at as u64).ok()
    }
}

/// Opens a file, which is read if it has at most `most` bytes.
fn open_within(path: &Path, most: u64) -> io::Result<Bytes> {
    let file = files::open(path)?;
    let length = file.metadata()?.len();
    if length <= most {
        return Ok(Bytes::Owned(files::read(path, most)?));
    }
    let length = usize::try_from(length).map_err(io::Error::other)?;
    Ok(Bytes::File(Box::new(LongFile(file, length))))
}

/// Opens a file, which is left on disk if it has more than `most` bytes, and reads it with `read`, whose error is an
/// offset and a reason.
fn open_as<T>(
    path: &Path,
    most: u64,
    read: impl FnOnce(Bytes) -> Result<T, (usize, String)>,
) -> Result<T, BearoffError> {
    let bytes = open_within(path, most).map_err(|source| BearoffError::io(path, source))?;
    read(bytes).map_err(|(at, reason)| BearoffError::damaged(path, at, reason))
}

impl OneSided {
    /// Opens a file of GNU Backgammon's one-sided kind.
    ///
    /// # Errors
    /// [`BearoffError`] when it cannot be read, is of another kind, or is inconsistent: another length than
    /// that of the header, or index entries that lead out of the file.
    pub fn open(path: &Path) -> Result<OneSided, BearoffError> {
        open_as(path, MEMORY_BYTES_MAX, Self::from_bytes)
    }
}

impl TwoSided {
    /// Opens a file of GNU Backgammon's two-sided kind.
    ///
    /// # Errors
    /// [`BearoffError`] when it cannot be read, is of another kind, has another length than its
    /// header asks for, or gives finished games to the wrong side.
    pub fn open(path: &Path) -> Result<TwoSided, BearoffError> {
        open_as(path, MEMORY_BYTES_MAX, Self::from_bytes)
    }
}

impl Database {
    /// Opens a `.bd` or `.race` file.
    ///
    /// # Errors
    /// [`BearoffError`] when it cannot be read or does not hold together.
    pub fn open(path: &Path) -> Result<Database, BearoffError> {
        open_as(path, MEMORY_BYTES_MAX, Database::from_bytes)
    }
}

impl Tables {
    /// Returns the default tables and every one- or two-sided database (`*.bd` of GNU Backgammon's, `*.race` of ours)
    /// of a folder that covers more than they do, and those of hypergammon.
    ///
    /// # Errors
    /// [`BearoffError`] when the folder cannot be read, or a database in it is damaged.
    pub fn open(folder: &Path) -> Result<Tables, BearoffError> {
        Tables::open_within(folder, MEMORY_BYTES_MAX)
    }

    /// Opens a folder like [`Tables::open`]; databases of more than `most` bytes are left on disk.
    pub(crate) fn open_within(folder: &Path, most: u64) -> Result<Tables, BearoffError> {
        let open = |path: PathBuf| open_as(&path, most, Database::from_bytes);
        let databases: Result<Vec<Database>, BearoffError> =
            database_files(folder)?.into_iter().map(open).collect();
        Ok(Tables::with(databases?))
    }
}

/// Returns the databases of a folder in order of their names.
fn database_files(folder: &Path) -> Result<Vec<PathBuf>, BearoffError> {
    let entries = std::fs::read_dir(folder).map_err(|source| BearoffError::io(folder, source))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|source| BearoffError::io(folder, source))?
            .path();
        if path
            .extension()
            .is_some_and(|extension| extension == "bd" || extension == "race")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
