//! Files of a job: read where the job is submitted, cached by checksum where it is computed.

use super::FarmError;
use super::store::Farm;
use super::task::{FILE_BYTES_MAX, FOLDER_FILES_MAX, Shipped, ShippedFile, is_sha256};
use gammond_base::checksum::{sha256, sha256_of};
use gammond_base::files;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Returns the names, lengths and checksums of a file or folder that a job reads.
///
/// # Errors
/// If it cannot be read, or is too large.
pub fn inspect(path: &Path) -> Result<Shipped, FarmError> {
    let fail = FarmError::file(path.display());
    let data = fs::metadata(path).map_err(&fail)?;
    let mut found = Vec::new();
    if data.is_dir() {
        for entry in fs::read_dir(path).map_err(&fail)? {
            let entry = entry.map_err(&fail)?.path();
            if entry.is_file() {
                found.push(entry);
            }
        }
        found.sort();
        if found.len() > FOLDER_FILES_MAX {
            let text = format!(
                "{} files in a folder, expected at most {FOLDER_FILES_MAX}",
                found.len()
            );
            return Err(fail(io::Error::other(text)));
        }
    } else {
        found.push(path.to_owned());
    }
    let mut shipped = Vec::new();
    for file in found {
        let fail = FarmError::file(file.display());
        let opened = files::open(&file).map_err(&fail)?;
        let length = opened.metadata().map_err(&fail)?.len();
        if length > FILE_BYTES_MAX {
            let text = format!("{length} bytes, at most {FILE_BYTES_MAX} come along");
            return Err(fail(io::Error::other(text)));
        }
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| fail(io::Error::other("its name is not UTF-8")))?;
        shipped.push(ShippedFile {
            name: name.to_owned(),
            sha256: sha256_of(opened).map_err(&fail)?,
            length,
        });
    }
    Ok(Shipped {
        path: path.display().to_string(),
        folder: data.is_dir(),
        files: shipped,
    })
}

/// Stores the files on the farm.
///
/// # Errors
/// If they have changed since, or the server refuses them.
pub(super) async fn ship(farm: &Farm, shipped: &Shipped) -> Result<(), FarmError> {
    for file in &shipped.files {
        let mut path = PathBuf::from(&shipped.path);
        if shipped.folder {
            path.push(&file.name);
        }
        let fail = FarmError::file(path.display());
        let bytes = files::read(&path, FILE_BYTES_MAX).map_err(&fail)?;
        if sha256(&bytes) != file.sha256 {
            return Err(fail(io::Error::other("it has just been changed")));
        }
        farm.put_object(&file.sha256, &bytes, true).await?;
    }
    Ok(())
}

/// A cache of files by checksum, in a folder of limited size.
#[derive(Clone, Debug)]
pub struct FileCache {
    folder: PathBuf,
    bytes_max: u64,
}

impl FileCache {
    /// Creates a cache in this folder.
    #[must_use]
    pub const fn new(folder: PathBuf, bytes_max: u64) -> FileCache {
        FileCache { folder, bytes_max }
    }

    /// Creates a folder for the output of a command that is not kept.
    pub(super) fn scratch(&self, name: &str) -> Result<PathBuf, FarmError> {
        let path = self.folder.join("scratch").join(name);
        fs::create_dir_all(&path).map_err(FarmError::file(path.display()))?;
        Ok(path)
    }

    /// Returns the paths of a job's files: each is verified, and fetched if it is not in the cache.
    pub(super) async fn paths(
        &self,
        farm: &Farm,
        job: &str,
        all: &[Shipped],
    ) -> Result<Vec<PathBuf>, FarmError> {
        let mut paths = Vec::new();
        let lengths = all.iter().flat_map(|shipped| &shipped.files);
        let bytes = lengths.fold(0_u64, |sum, file| sum.saturating_add(file.length));
        if bytes > self.bytes_max {
            let text = format!(
                "its files have {bytes} bytes, this machine keeps at most {} (--cache-size)",
                self.bytes_max
            );
            return Err(FarmError::Other(text));
        }
        for (number, shipped) in all.iter().enumerate() {
            let home = self.folder.join("jobs").join(job).join(number.to_string());
            let fail = FarmError::file(home.display());
            fs::create_dir_all(&home).map_err(&fail)?;
            let mut path = home.clone();
            for file in &shipped.files {
                let safe = |name: &str| {
                    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\'])
                };
                if !safe(&file.name) || !is_sha256(&file.sha256) || file.length > FILE_BYTES_MAX {
                    return Err(FarmError::NotOurs(job.to_owned()));
                }
                let at = home.join(&file.name);
                self.place(farm, file, &at).await?;
                if !shipped.folder {
                    path = at;
                }
            }
            paths.push(path);
        }
        self.shrink();
        Ok(paths)
    }

    /// Places one file at `at`.
    async fn place(&self, farm: &Farm, file: &ShippedFile, at: &Path) -> Result<(), FarmError> {
        let kept = self.folder.join("files").join(&file.sha256);
        let fail = FarmError::file(kept.display());
        fs::create_dir_all(self.folder.join("files")).map_err(&fail)?;
        if !is_intact(&kept, file).await {
            let most = usize::try_from(file.length).unwrap_or(usize::MAX);
            let bytes = farm.object(&file.sha256, most).await?;
            let (path, sum) = (kept.clone(), file.sha256.clone());
            let stored = blocking(move || match bytes.filter(|bytes| sha256(bytes) == sum) {
                Some(bytes) => gammond_base::journal::write_whole(&path, &bytes).map(|()| true),
                None => Ok(false),
            });
            if !stored.await.map_err(&fail)? {
                let text = format!(
                    "a file of the job (sha256 {}) is missing or damaged on the server; submit the job again",
                    file.sha256.get(..12).unwrap_or_default()
                );
                return Err(FarmError::Other(text));
            }
        }
        // Time of the last use.
        if let Ok(opened) = fs::File::options().append(true).open(&kept) {
            let _ = opened.set_modified(SystemTime::now());
        }
        if !is_intact(at, file).await {
            let (kept, placed) = (kept.clone(), at.to_owned());
            let placing = blocking(move || {
                let _ = fs::remove_file(&placed);
                match fs::hard_link(&kept, &placed) {
                    Ok(()) => Ok(0),
                    Err(_) => fs::copy(&kept, &placed),
                }
            });
            placing.await.map_err(FarmError::file(at.display()))?;
        }
        Ok(())
    }

    /// Removes the placed files of a job, and its scratch folder.
    pub(super) fn forget(&self, job: &str) {
        for folder in ["jobs", "scratch"] {
            let _ = fs::remove_dir_all(self.folder.join(folder).join(job));
        }
    }

    /// Removes the least recently used files until the rest is small enough.
    fn shrink(&self) {
        let Ok(entries) = fs::read_dir(self.folder.join("files")) else {
            return;
        };
        let mut all: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let data = entry.metadata().ok()?;
                Some((data.modified().ok()?, data.len(), entry.path()))
            })
            .collect();
        all.sort();
        let mut sum: u64 = all.iter().map(|one| one.1).sum();
        for (_, length, path) in all {
            if sum <= self.bytes_max {
                break;
            }
            // A file that a job uses has a second name and stays there.
            if fs::remove_file(&path).is_ok() {
                sum -= length;
            }
        }
    }
}

/// Runs work on whole files, which may have gigabytes, beside the threads of sockets.
async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> io::Result<R> + Send + 'static,
) -> io::Result<R> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}

async fn is_intact(path: &Path, file: &ShippedFile) -> bool {
    let Ok(opened) = files::open(path) else {
        return false;
    };
    let length = opened.metadata().map(|data| data.len());
    length.is_ok_and(|length| length == file.length)
        && (blocking(move || sha256_of(opened)).await).is_ok_and(|sum| sum == file.sha256)
}
