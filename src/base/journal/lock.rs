//! One writer at a time, by the system's file locks: they end with the program, however it ends.

use super::JournalError;
use crate::files;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

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

/// A file beside what a program writes, which keeps other programs from writing it too. It is removed when this is
/// dropped; after a kill it stays, unlocked.
#[derive(Debug)]
pub struct WorkLock {
    path: PathBuf,
    _file: File,
}

impl WorkLock {
    /// Creates and locks the file `.lock` beside `path`.
    ///
    /// # Errors
    /// If another program holds the lock, or the folder is not writable.
    pub fn take(path: &Path) -> Result<WorkLock, JournalError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let lock_path = PathBuf::from(name);
        let file = locked(&lock_path, path)?;
        Ok(WorkLock {
            path: lock_path,
            _file: file,
        })
    }
}

impl Drop for WorkLock {
    fn drop(&mut self) {
        // Without it the next program finds the file, which is as good.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Creates a file that is there to be locked, and locks it for `owned`.
fn locked(path: &Path, owned: &Path) -> Result<File, JournalError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(|source| JournalError::File {
        path: path.to_owned(),
        source,
    })?;
    lock(&file, owned)?;
    Ok(file)
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
        let file = locked(&folder.join(NAME), folder)?;
        Ok(FolderLock { _file: file })
    }
}
