//! Append-only, checksummed record files that make a long job resumable.
//!
//! A journal begins with a header line that names its job. Records follow, each with its length
//! and CRC-32. After a kill the last record may be torn: opening cuts it off and the job goes on
//! from the records that are whole. A journal of another job is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longest record that is believed; a longer one is taken for a torn end.
pub const RECORD_BYTES_MAX: usize = 64 << 20;
const HEADER_BYTES_MAX: u64 = 64 << 10;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The journal belongs to another job.
    #[error("{path}: journal of another job: it says {found:?}, this job is {wanted:?}")]
    OtherJob {
        /// The journal.
        path: PathBuf,
        /// Its header.
        found: String,
        /// The header of this job.
        wanted: String,
    },
    /// The record is longer than [`RECORD_BYTES_MAX`].
    #[error("a record of {0} bytes, at most 64 MiB")]
    Record(usize),
}

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens or begins the journal of the job named by `header` (one line) and returns the records
    /// that it already holds. A torn end is cut off.
    ///
    /// # Errors
    /// [`JournalError`]: the file, or a journal of another job.
    pub fn open(path: &Path, header: &str) -> Result<(Journal, Vec<Vec<u8>>), JournalError> {
        let fail = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail)?;
        let (found, records, end) = read(&mut file).map_err(fail)?;
        match found {
            Some(found) if found != header => {
                return Err(JournalError::OtherJob {
                    path: path.to_owned(),
                    found,
                    wanted: header.to_owned(),
                });
            }
            Some(_) => {
                file.set_len(end).map_err(fail)?;
                file.seek(SeekFrom::Start(end)).map_err(fail)?;
            }
            None => {
                file.set_len(0).map_err(fail)?;
                file.seek(SeekFrom::Start(0)).map_err(fail)?;
                file.write_all(format!("{header}\n").as_bytes())
                    .map_err(fail)?;
            }
        }
        let journal = Journal {
            file,
            path: path.to_owned(),
        };
        Ok((journal, records))
    }

    /// Appends one record and hands it to the system.
    ///
    /// # Errors
    /// When it is too long or cannot be written.
    pub fn append(&mut self, record: &[u8]) -> Result<(), JournalError> {
        if record.len() > RECORD_BYTES_MAX {
            return Err(JournalError::Record(record.len()));
        }
        let mut bytes = Vec::with_capacity(record.len() + 8);
        bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(record).to_le_bytes());
        bytes.extend_from_slice(record);
        self.file
            .write_all(&bytes)
            .map_err(|source| JournalError::File {
                path: self.path.clone(),
                source,
            })
    }
}

/// The whole records of a journal that is only read.
///
/// # Errors
/// When the file cannot be read.
pub fn read_records(path: &Path) -> Result<Vec<Vec<u8>>, JournalError> {
    File::open(path)
        .and_then(|mut file| read(&mut file))
        .map(|(_, records, _)| records)
        .map_err(|source| JournalError::File {
            path: path.to_owned(),
            source,
        })
}

/// Header (none when the file holds no whole line), whole records, and where they end.
fn read(file: &mut File) -> io::Result<(Option<String>, Vec<Vec<u8>>, u64)> {
    let mut reader = BufReader::new(file);
    let mut header = Vec::new();
    loop {
        let mut byte = [0];
        if reader.read(&mut byte)? == 0 || header.len() as u64 > HEADER_BYTES_MAX {
            return Ok((None, Vec::new(), 0));
        }
        if byte[0] == b'\n' {
            break;
        }
        header.push(byte[0]);
    }
    let mut end = header.len() as u64 + 1;
    let mut records = Vec::new();
    let mut frame = [0; 8];
    while reader.read_exact(&mut frame).is_ok() {
        let [a, b, c, d, e, f, g, h] = frame;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > RECORD_BYTES_MAX {
            break;
        }
        let mut record = Vec::new();
        let got = (&mut reader).take(length as u64).read_to_end(&mut record)?;
        if got < length || crc32fast::hash(&record) != u32::from_le_bytes([e, f, g, h]) {
            break;
        }
        end += 8 + length as u64;
        records.push(record);
    }
    Ok((
        Some(String::from_utf8_lossy(&header).into_owned()),
        records,
        end,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_after_a_torn_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let (mut journal, records) = Journal::open(&path, "job 1").unwrap();
        assert!(records.is_empty());
        journal.append(b"one").unwrap();
        journal.append(b"two").unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, records) = Journal::open(&path, "job 1").unwrap();
            let kept = records.len();
            assert!(kept <= 1 || length == whole.len());
            for record in [&b"one"[..], b"two"].iter().skip(kept) {
                journal.append(record).unwrap();
            }
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        let mut damaged = whole.clone();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let (_, records) = Journal::open(&path, "job 1").unwrap();
        assert_eq!(records, [b"one"]);
        assert!(Journal::open(&path, "job 2").is_err());
    }
}
