//! Careful opening of files from outside: regular files only, and never more bytes than a limit.
//!
//! A pipe, a terminal or a device in place of a file would block its reader or never end, so every file that a user
//! names is opened here. Errors describe the file without its name: the caller adds the name.

use crate::platform;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

/// Maximum size in bytes of a handwritten text: a configuration, a plan, a policy.
pub const TEXT_BYTES_MAX: u64 = 4 << 20;

/// Most bytes of records that are read into memory together, such as a benchmark file.
pub const RECORDS_BYTES_MAX: u64 = 1 << 30;

/// Opens a regular file for reading. Never waits, whatever kind of file it is.
///
/// # Errors
/// The system's error, or the kind of a file that is not a regular one.
pub fn open(path: &Path) -> io::Result<File> {
    // Without this flag the opening of a pipe waits for a writer.
    let file = platform::without_waiting(OpenOptions::new().read(true)).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let found = if kind.is_dir() {
        "a folder"
    } else {
        platform::special(kind)
    };
    Err(refused(format!("is {found}, not a regular file")))
}

/// Creates a folder that a user names, and those that it lies in; one that is there stays as it is.
///
/// # Errors
/// The system's error, which names a file that is in the way.
pub fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path).map_err(|error| {
        let file = path.ancestors().find(|part| part.exists());
        match file.filter(|part| !part.is_dir()) {
            Some(file) if file == path => refused("is a file; expected a folder".to_owned()),
            Some(file) => refused(format!("{} is a file; expected a folder", file.display())),
            None => error,
        }
    })
}

/// Refuses a file with a secret on which others than its owner have rights.
///
/// # Errors
/// As [`open`]; the rights of others and how to take them away.
pub fn check_private(path: &Path) -> io::Result<()> {
    match platform::rights_of_others(&open(path)?.metadata()?) {
        None => Ok(()),
        Some(mode) => Err(refused(format!(
            "other users can read or write it (mode {mode:o}); run chmod 600 on it"
        ))),
    }
}

/// Number of tries for a lock in [`lock`], and the pause between two of them.
const LOCK_TRIES: usize = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Takes the system's lock of a file, which ends with the program or with the last copy of `file`.
///
/// A process that another thread starts has copies of all open files until it runs its own program, so a lock that
/// was just released can be held for a moment longer; this waits for a tenth of a second before it fails.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another program holds the lock, otherwise the system's error.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 1..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            ended => return ended,
        }
    }
    file.try_lock()
}

/// Returns the contents of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and for longer files.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        bytes.reserve_exact(length as usize);
        // Some files have more bytes than their length, and others grow.
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if length > most || bytes.len() as u64 > most {
        return Err(refused(format!("is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// Returns the contents of a regular file of at most `most` bytes of UTF-8.
///
/// # Errors
/// As [`read`], and for bytes that are no text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refused(format!("is not UTF-8 text at byte {at}"))
    })
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(result: io::Result<Vec<u8>>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn locks_that_end_soon_are_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let [held, wanted] = [(); 2].map(|()| {
            File::options()
                .append(true)
                .create(true)
                .open(&path)
                .unwrap()
        });
        lock(&held).unwrap();
        assert!(matches!(lock(&wanted), Err(TryLockError::WouldBlock)));
        // As long as a process takes to start: the length of this wait is under test.
        let holder = std::thread::spawn(move || {
            std::thread::sleep(3 * LOCK_PAUSE);
            drop(held);
        });
        lock(&wanted).unwrap();
        holder.join().unwrap();
    }

    #[test]
    fn only_regular_files_are_read_and_only_so_much() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [b'x'; 100]).unwrap();
        assert_eq!(read(&path, 100).unwrap(), [b'x'; 100]);
        assert_eq!(reason(read(&path, 99)), "is longer than 99 bytes");
        let folder_itself = reason(read(folder.path(), 100));
        assert_eq!(folder_itself, "is a folder, not a regular file");
        let private = check_private(folder.path()).unwrap_err().to_string();
        assert_eq!(private, folder_itself);
        for endless in ["/dev/zero", "/dev/full"] {
            let found = reason(read(Path::new(endless), 100));
            assert_eq!(found, "is a device, not a regular file");
        }
        std::fs::write(&path, b"fine \xff").unwrap();
        let text = read_text(&path, 100).unwrap_err().to_string();
        assert_eq!(text, "is not UTF-8 text at byte 5");
        let missing = read(&folder.path().join("none"), 1).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    /// A pipe without a writer is rejected at once: a blocking open would hang this test.
    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        assert_eq!(reason(read(&path, 9)), "is a pipe, not a regular file");
    }

    /// A file whose length is not known beforehand.
    #[test]
    fn files_of_the_system_are_read_to_their_end() {
        let path = Path::new("/proc/self/status");
        assert!(!read(path, 1 << 20).unwrap().is_empty());
        assert_eq!(reason(read(path, 5)), "is longer than 5 bytes");
    }
}
