//! Whole files: written aside, synced and renamed, so that nobody ever sees half of one.

use super::lock::lock;
use crate::platform::file_id;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What the name of a file ends with while it is written.
const ASIDE: &str = ".gammond-part";

/// Writes a file whole or not at all, in the place of an existing one. A device or FIFO is
/// written to as it is.
///
/// # Errors
/// What the system says; the file is as it was before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Behind a link lies what is to be replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(data) if !data.is_file() => {
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.write_all(bytes)?;
            file.flush()
        }
        Ok(data) => aside(path, bytes, |part| {
            // Whoever could read the old file can read the new one; if not, it is no reason to fail.
            let _ = fs::set_permissions(part, data.permissions());
            fs::rename(part, path)
        }),
        Err(_) => aside(path, bytes, |part| fs::rename(part, path)),
    }
}

/// Writes a new file whole or not at all; an existing file is left alone.
///
/// # Errors
/// What the system says; [`io::ErrorKind::AlreadyExists`] when there is such a file.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(already());
    }
    aside(path, bytes, |part| match fs::hard_link(part, path) {
        Ok(()) => fs::remove_file(part),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already()),
        // A file system without links.
        Err(_) => fs::rename(part, path),
    })
}

fn already() -> io::Error {
    io::Error::new(
        io::ErrorKind::AlreadyExists,
        "there is such a file already; it is left as it is",
    )
}

/// Finds out at the start of long work whether its result can be written.
///
/// # Errors
/// What [`write_whole`] would say, as far as that can be known.
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

/// Opens and locks the file beside `path`. One that a killed program left is used again.
fn begin(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut name = OsString::from(name);
    name.push(ASIDE);
    let part = path.with_file_name(name);
    let busy = || {
        io::Error::new(
            io::ErrorKind::WouldBlock,
            "another gammond is writing this file",
        )
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.open(&part)?;
    lock(&file, &part).map_err(|_| busy())?;
    // Whoever had the lock may have renamed the file since it was opened here.
    if !is_at(&file, &part)? {
        return Err(busy());
    }
    file.set_len(0)?;
    Ok((file, part))
}

/// Whether the name still leads to the open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (open, named) = (file.metadata()?, fs::metadata(path));
    Ok(named.is_ok_and(|named| file_id(&named) == file_id(&open)))
}

/// Writes beside `path`, then lets `place` put the file where it belongs.
fn aside(path: &Path, bytes: &[u8], place: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let (mut file, part) = begin(path)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| place(&part));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&part);
        return written;
    }
    // The name is on the disk when its folder is; not every file system can be asked.
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
        // Left by a program that was killed.
        fs::write(folder.path().join("a.gammond-part"), "half").unwrap();
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
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
