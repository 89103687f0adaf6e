//! The bytes of a database: part of the program, in memory, or in a file.
//!
//! Files are not mapped: truncating a mapped file would kill the program with a signal, and changing it would change
//! answers that were checked. Files up to [`MEMORY_BYTES_MAX`] are read when they are opened. Records of longer ones are
//! read on demand, which takes about a microsecond more; records that cannot be read count as not covered.

use std::sync::LazyLock;

/// Largest size of a database that is held in memory: 10 points and 15 checkers take 117 MB.
pub const MEMORY_BYTES_MAX: u64 = 128 << 20;

/// Bytes outside of memory: a long file.
pub(crate) trait ReadAt: Send + Sync {
    /// Returns the number of bytes that there were at first.
    fn len(&self) -> usize;

    /// Fills `space` with the bytes from `at` on; `None` when they are not there (any more).
    fn read(&self, at: usize, space: &mut [u8]) -> Option<()>;
}

/// Bytes that stay where they are. Shared freely between threads.
pub(crate) enum Bytes {
    /// Unpacked or made by the program at first use.
    Made(&'static LazyLock<Vec<u8>>),
    /// Made by us, or read from a file.
    Owned(Vec<u8>),
    /// A long file.
    #[cfg_attr(
        not(feature = "files"),
        expect(dead_code, reason = "without files all bytes are in memory")
    )]
    File(Box<dyn ReadAt>),
}

impl Bytes {
    /// Returns the number of bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Bytes::Made(bytes) => bytes.len(),
            Bytes::Owned(bytes) => bytes.len(),
            Bytes::File(file) => file.len(),
        }
    }

    /// Returns all bytes, unless they are left in a file.
    #[inline]
    pub(super) fn in_memory(&self) -> Option<&[u8]> {
        match self {
            Bytes::Made(bytes) => Some(bytes),
            Bytes::Owned(bytes) => Some(bytes),
            Bytes::File(_) => None,
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
            Bytes::Made(bytes) => bytes.get(at..end),
            Bytes::Owned(bytes) => bytes.get(at..end),
            Bytes::File(file) => {
                let space = space.get_mut(..length)?;
                file.read(at, space)?;
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
            // Its length is not printed, because that would compute it.
            Bytes::Made(_) => return f.write_str("built in"),
            Bytes::Owned(_) => "in memory",
            Bytes::File(_) => "in a file",
        };
        write!(f, "{kind}, {} bytes", self.len())
    }
}
