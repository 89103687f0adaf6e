//! Systems that are not like Linux: Windows.

use super::types::FileId;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// Changes nothing: no file that can be named here blocks its opener.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Names the kind of a file that is neither a regular file nor a folder.
pub(crate) fn special(_: FileType) -> &'static str {
    "a device"
}

/// Reads at a place. One reader at a time: the file has one place for all.
pub fn read_exact_at(mut file: &File, space: &mut [u8], at: u64) -> io::Result<()> {
    use std::sync::{Mutex, PoisonError};
    static ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(space)
}

/// Returns `None`: unknown on this system.
pub fn file_id(_: &Metadata) -> Option<FileId> {
    None
}

/// Returns `None`: metadata has no access rights on this system.
pub(crate) fn rights_of_others(_: &Metadata) -> Option<u32> {
    None
}

/// Returns `None`: resident memory is not measured on this platform.
pub fn resident_bytes() -> Option<u64> {
    None
}

/// Returns false: unknown on this system.
pub fn others_are_busy(_: std::time::Instant) -> bool {
    false
}
