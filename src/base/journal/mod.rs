//! Files that survive a kill at any moment: record files that grow, and whole files that are
//! replaced at once.
//!
//! A [`Journal`] begins with a magic line and a header that names its job. Records follow, each numbered and with
//! checksums. After a kill the last record may be torn: opening cuts it off and the work resumes from the whole
//! records. A file that does not begin with the magic belongs to another program: it is refused and not touched. A
//! flipped bit is refused as well. The file is locked while it is open for writing, so two programs never mix in one
//! file.
//!
//! [`write_whole`] and [`create_whole`] write aside, sync and rename.
//!
//! ```
//! use gammond_base::journal::{Journal, read};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("squares.journal");
//! let (mut journal, kept) = Journal::open(&path, "squares")?;
//! assert!(kept.is_empty());
//! journal.append(0, b"0")?;
//! journal.append(1, b"1")?;
//! drop(journal);
//! assert_eq!(read(&path)?.records[1].bytes, b"1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod format;
mod lock;
mod whole;

pub use file::{Journal, read, read_records, write};
pub use format::{Contents, MAGIC, RECORD_BYTES_MAX, Record};
pub use lock::{FolderLock, WorkLock};
pub use whole::{check_writable, create_whole, write_whole, write_whole_by};

use std::io;
use std::path::PathBuf;

/// An error while using a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The journal.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: not a file of gammond's; left unchanged", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// An earlier version wrote the file; it can be read, but not be continued.
    #[error(
        "{}: written by an earlier version of gammond: it can be read but not continued; choose another file",
        path.display()
    )]
    Old {
        /// The file.
        path: PathBuf,
    },
    /// The file ends in the middle of a record, or holds none.
    #[error(
        "{}: cut off after {records} whole records; the command that writes it resumes from there, or restore a copy",
        path.display()
    )]
    Torn {
        /// The file.
        path: PathBuf,
        /// Number of whole records.
        records: usize,
    },
    /// Another program is writing the file.
    #[error("{}: another gammond is using it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Bytes have changed since they were written.
    #[error(
        "{}: damaged at byte {at} ({what}); remove the file to start again, or restore a copy",
        path.display()
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Byte offset of the damaged part.
        at: u64,
        /// Description of the damage.
        what: &'static str,
    },
    /// Two records have the same number and different contents.
    #[error("{}: record {number} is there twice, with different contents", path.display())]
    Twice {
        /// The journal.
        path: PathBuf,
        /// The number.
        number: u64,
    },
    /// The journal belongs to something else.
    #[error("{}: it belongs to other work: {found:?}, this is {wanted:?}", path.display())]
    Other {
        /// The journal.
        path: PathBuf,
        /// Its header.
        found: String,
        /// The header that was expected.
        wanted: String,
    },
    /// The record is longer than [`RECORD_BYTES_MAX`].
    #[error("a record of {0} bytes, at most 64 MiB")]
    Record(usize),
}
