//! The bytes of a database: part of the program, made in memory, or a mapped file.
#![allow(unsafe_code, reason = "mapping a file is unsafe by nature")]

use memmap2::Mmap;
use std::fs::File;
use std::ops::Deref;
use std::path::Path;

/// Bytes that stay where they are. Shared freely between threads.
pub(super) enum Bytes {
    /// In the program itself: read from disk only where they are looked at.
    Static(&'static [u8]),
    /// Made by us.
    Owned(Vec<u8>),
    /// A file, read only where it is looked at.
    Mapped(Mmap),
}

impl Bytes {
    /// Maps a whole file. An empty file gives no bytes.
    pub(super) fn open(path: &Path) -> std::io::Result<Bytes> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::Static(&[]));
        }
        // SAFETY: the map is private and read-only, and nothing but `&[u8]` is ever made of it:
        // every bit pattern is valid, and all readers check indices against its length. What
        // remains is another program changing the file while it is mapped; that may change
        // answers, and cutting the file short ends the program with a signal. Databases are
        // installed once and not edited; the manual page says to replace them by renaming.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Bytes::Mapped(map))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Static(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self {
            Bytes::Static(_) => "built in",
            Bytes::Owned(_) => "made",
            Bytes::Mapped(_) => "mapped",
        };
        write!(f, "{kind}, {} bytes", self.len())
    }
}
