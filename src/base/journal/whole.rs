//! Whole files: written under a temporary name, synced and renamed, so that no reader ever sees half of one.
//!
//! The temporary name is random and the file behind it is always a new one, so a link or pipe that waits in the same
//! folder is neither followed nor waited for. The writer holds a lock on it; a temporary file without a lock was left
//! by a program that was killed, and the next writer of the same file removes it.

use super::lock::lock;
use crate::platform::{file_id, without_waiting};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The end of a temporary name.
const SUFFIX: &str = ".gammond-part";
/// Letters of the random part of a temporary name.
const RANDOM_LETTERS: usize = 16;
/// Number of temporary names that are tried before the error.
const TRIES_MAX: usize = 16;
/// Maximum number of entries of a folder that are searched for left-over temporary files.
const ENTRIES_SEARCHED_MAX: usize = 1000;

/// Writes a file whole or not at all, in place of an existing one. A device or FIFO is written to as it is.
///
/// # Errors
/// The system's error; the file is unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole_by(path, |file| file.write_all(bytes))
}

/// Writes a file whole or not at all, as [`write_whole`], piece by piece.
///
/// # Errors
/// Errors of the system or of `write`; the file is as it was before.
pub fn write_whole_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    // The file to replace is the one behind a link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(data) if !data.is_file() => {
            let mut file = OpenOptions::new().write(true).open(path)?;
            write(&mut file)?;
            file.flush()
        }
        old => {
            let permissions = old.ok().map(|data| data.permissions());
            write_beside(path, write, permissions, |part| fs::rename(part, path))
        }
    }
}

/// Writes a new file whole or not at all; an existing file is left alone.
///
/// # Errors
/// The system's error; [`io::ErrorKind::AlreadyExists`] when there is such a file.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(already());
    }
    let write = |file: &mut File| file.write_all(bytes);
    write_beside(path, write, None, |part| match fs::hard_link(part, path) {
        Ok(()) => fs::remove_file(part),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already()),
        // A file system without links.
        Err(_) => fs::rename(part, path),
    })
}

fn already() -> io::Error {
    io::Error::new(
        io::ErrorKind::AlreadyExists,
        "a file of this name exists already; left unchanged",
    )
}

/// Checks at the start of long work whether its result can be written.
///
/// # Errors
/// The errors of [`write_whole`], as far as they can be predicted.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(data) if !data.is_file() => Ok(()),
        _ => {
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let (_file, part) = begin(&path)?;
            fs::remove_file(part)
        }
    }
}

/// Creates and locks a temporary file beside `path`, and removes those that killed programs left.
fn begin(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    remove_left_over(path, name);
    for _ in 0..TRIES_MAX {
        let part = path.with_file_name(temporary_name(name));
        // A new file or none: links are not followed.
        let file = match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        // Another writer may have removed it as left over before it was locked.
        if lock(&file, &part).is_ok() && is_at(&file, &part)? {
            return Ok((file, part));
        }
        let _ = fs::remove_file(&part);
    }
    Err(io::Error::new(
        io::ErrorKind::WouldBlock,
        "no temporary file beside it could be kept; try again",
    ))
}

/// Returns `NAME.0123456789abcdef.gammond-part`.
fn temporary_name(name: &OsStr) -> OsString {
    let mut whole = name.to_owned();
    // Each state has keys of its own, which the system drew; no generator of the engine is disturbed.
    let random = RandomState::new().hash_one(std::process::id());
    whole.push(format!(".{random:0RANDOM_LETTERS$x}{SUFFIX}"));
    whole
}

/// Returns whether a name is a temporary name of the file `name`: of this version, or the fixed one of earlier versions.
fn is_temporary_name(found: &OsStr, name: &OsStr) -> bool {
    let rest = found
        .as_encoded_bytes()
        .strip_prefix(name.as_encoded_bytes());
    let rest = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    match rest {
        Some([]) => true,
        Some([b'.', random @ ..]) => {
            random.len() == RANDOM_LETTERS && random.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

/// Removes regular files with temporary names of `path` that no program has locked.
fn remove_left_over(path: &Path, name: &OsStr) {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.take(ENTRIES_SEARCHED_MAX).flatten() {
        // The type of the entry itself: links stay.
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !regular || !is_temporary_name(&entry.file_name(), name) {
            continue;
        }
        let part = entry.path();
        let opened = without_waiting(OpenOptions::new().write(true)).open(&part);
        if let Ok(file) = opened
            && lock(&file, &part).is_ok()
            && is_at(&file, &part).unwrap_or(false)
        {
            let _ = fs::remove_file(&part);
        }
    }
}

/// Returns whether the name itself, not a link of that name, still leads to the open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (open, named) = (file.metadata()?, fs::symlink_metadata(path));
    Ok(named.is_ok_and(|named| file_id(&named) == file_id(&open)))
}

/// Writes beside `path`, then lets `place` put the file where it belongs.
fn write_beside(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    permissions: Option<fs::Permissions>,
    place: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let (mut file, part) = begin(path)?;
    // Before the first byte: readers of the old file can read the new one, and no others. A failure is no reason to stop.
    if let Some(permissions) = permissions {
        let _ = file.set_permissions(permissions);
    }
    let written = write(&mut file)
        .and_then(|()| file.sync_all())
        .and_then(|()| place(&part));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
        return written;
    }
    // The name is on the disk when its folder is; some file systems cannot sync a folder.
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_replaced_whole_or_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // Left by programs that were killed.
        let left = "a.0123456789abcdef.gammond-part";
        for name in ["a.gammond-part", left] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        // Temporary files of another file, of another program, and one that is being written.
        let others = [
            "a.0123456789abcdeg.gammond-part",
            "ab.0123456789abcdef.gammond-part",
            left,
        ];
        for name in others {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let held = File::open(folder.path().join(left)).unwrap();
        held.try_lock().unwrap();
        write_whole(&path, b"one").unwrap();
        for name in others {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        fs::remove_file(&path).unwrap();
        create_whole(&path, b"one").unwrap();
        let error = create_whole(&path, b"two").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a"]);
        assert!(write_whole(folder.path(), b"x").is_err());
        assert!(write_whole(&folder.path().join("no/such"), b"x").is_err());
        assert!(check_writable(&folder.path().join("no/such")).is_err());
    }

    /// A link is not followed and a pipe is not waited for, whether it has the fixed name of earlier versions or the form of a
    /// random one.
    #[cfg(unix)]
    #[test]
    fn links_and_pipes_with_temporary_names_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("r.html"), folder.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        let traps = [
            "r.html.gammond-part",
            "r.html.00000000000000ff.gammond-part",
        ];
        for [kind, other] in [traps, [traps[1], traps[0]]] {
            let [link, pipe] = [kind, other].map(|name| folder.path().join(name));
            std::os::unix::fs::symlink(&victim, &link).unwrap();
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            check_writable(&path).unwrap();
            write_whole(&path, b"<!DOCTYPE html>").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"<!DOCTYPE html>");
            assert!(path.symlink_metadata().unwrap().is_file());
            assert_eq!(fs::read(&victim).unwrap(), b"precious");
            assert!(link.symlink_metadata().unwrap().is_symlink());
            fs::remove_file(&link).unwrap();
            fs::remove_file(&pipe).unwrap();
        }
        assert_eq!(names(folder.path()), ["r.html", "victim"]);
    }

    /// Many writers of one file: each writes a whole one, and nothing is left over.
    #[test]
    fn writers_at_once_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::thread::scope(|scope| {
            for letter in b'a'..b'i' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_whole(path, &[letter; 5000]).unwrap();
                        let bytes = fs::read(path).unwrap();
                        assert!(bytes.len() == 5000 && bytes.iter().all(|one| *one == bytes[0]));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        // Devices are written to, not replaced.
        write_whole(Path::new("/dev/null"), b"x").unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        assert!(write_whole(Path::new("/dev/full"), b"x").is_err());
        // A link that leads nowhere is not followed to a new file by `create_whole`.
        let lost = folder.path().join("lost");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &lost).unwrap();
        assert!(create_whole(&lost, b"x").is_err());
    }
}
