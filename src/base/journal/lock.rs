//! One writer at a time, by the system's file locks: they end with the program, however it ends.

use super::JournalError;
use crate::files;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Name of the file that is locked in a folder.
const NAME: &str = "lock";

/// Takes the lock of an open file.
pub(super) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    let path = path.to_owned();
    match files::lock(file) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy { path }),
        // A file system without locks: better without than no file.
        Err(TryLockError::Error(source)) if source.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(source)) => Err(JournalError::File { path, source }),
    }
}

/// A folder that one program has for itself, until this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks an existing folder.
    ///
    /// # Errors
    /// If another program holds the lock, or the folder is not writable.
    pub fn take(folder: &Path) -> Result<FolderLock, JournalError> {
        let path = folder.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(|source| JournalError::File {
            path: path.clone(),
            source,
        })?;
        lock(&file, folder)?;
        Ok(FolderLock { _file: file })
    }
}
