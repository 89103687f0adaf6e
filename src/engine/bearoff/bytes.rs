//! The bytes of a database: part of the program, in memory, or in a file.
//!
//! Files are not mapped: truncating a mapped file would kill the program with a signal, and changing it would change
//! answers that were checked. Files up to [`MEMORY_BYTES_MAX`] are read when they are opened. Records of longer ones are
//! read on demand, which takes about a microsecond more; records that cannot be read count as not covered.

use gammond_base::{files, platform};
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;

/// Largest size of a database that is held in memory: 10 points and 15 checkers take 117 MB.
pub const MEMORY_BYTES_MAX: u64 = 128 << 20;

/// Bytes that stay where they are. Shared freely between threads.
pub(super) enum Bytes {
    /// Bytes in the program itself: read from disk only where they are accessed.
    Static(&'static [u8]),
    /// Made by the program at first use.
    Made(&'static LazyLock<Vec<u8>>),
    /// Made by us, or read from a file.
    Owned(Vec<u8>),
    /// A long file, and the length it had when it was opened.
    File(File, usize),
}

impl Bytes {
    /// Opens a file, which is read if it has at most `most` bytes.
    pub(super) fn open_within(path: &Path, most: u64) -> std::io::Result<Bytes> {
        let file = files::open(path)?;
        let length = file.metadata()?.len();
        if length <= most {
            return Ok(Bytes::Owned(files::read(path, most)?));
        }
        let length = usize::try_from(length).map_err(std::io::Error::other)?;
        Ok(Bytes::File(file, length))
    }

    /// Returns the number of bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Bytes::Static(bytes) => bytes.len(),
            Bytes::Made(bytes) => bytes.len(),
            Bytes::Owned(bytes) => bytes.len(),
            Bytes::File(_, length) => *length,
        }
    }

    /// Returns all bytes, unless they are left in a file.
    #[inline]
    pub(super) fn in_memory(&self) -> Option<&[u8]> {
        match self {
            Bytes::Static(bytes) => Some(bytes),
            Bytes::Made(bytes) => Some(bytes),
            Bytes::Owned(bytes) => Some(bytes),
            Bytes::File(..) => None,
        }
    }

    /// Returns `length` bytes from `at`, in `space` if they come from a file. `None` when they are missing or do not
    /// fit into `space`.
    #[inline]
    pub(super) fn get<'a>(
        &'a self,
        at: usize,
        length: usize,
        space: &'a mut [u8],
    ) -> Option<&'a [u8]> {
        let end = at.checked_add(length)?;
        match self {
            Bytes::Static(bytes) => bytes.get(at..end),
            Bytes::Made(bytes) => bytes.get(at..end),
            Bytes::Owned(bytes) => bytes.get(at..end),
            Bytes::File(file, _) => {
                let space = space.get_mut(..length)?;
                platform::read_exact_at(file, space, at as u64).ok()?;
                Some(space)
            }
        }
    }

    /// Returns the first bytes, at most as many as `space` holds.
    pub(super) fn start<'a>(&'a self, space: &'a mut [u8]) -> &'a [u8] {
        let length = self.len().min(space.len());
        self.get(0, length, space).unwrap_or_default()
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self {
            Bytes::Static(_) => "built in",
            // Its length is not printed, because that would compute it.
            Bytes::Made(_) => return f.write_str("built in"),
            Bytes::Owned(_) => "in memory",
            Bytes::File(..) => "in a file",
        };
        write!(f, "{kind}, {} bytes", self.len())
    }
}
