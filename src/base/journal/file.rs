//! Journals as files.

use super::format::{Contents, ParsedFile, RECORD_BYTES_MAX, Record, beginning, frame, parse};
use super::{JournalError, create_whole, lock};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A journal open for appending, and locked.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    end: u64,
}

/// Opens a file that can be read from its beginning to its end.
fn regular(options: &OpenOptions, path: &Path) -> Result<File, JournalError> {
    let fail = |source| JournalError::File {
        path: path.to_owned(),
        source,
    };
    // A FIFO would wait for a writer, a device might never end.
    if let Ok(data) = std::fs::metadata(path)
        && !data.is_file()
    {
        return Err(fail(io::Error::other("not a regular file")));
    }
    options.open(path).map_err(fail)
}

fn contents(file: &File, path: &Path) -> Result<Option<Contents>, JournalError> {
    let path = path.to_owned();
    match parse(&mut BufReader::with_capacity(1 << 16, file)) {
        Ok(ParsedFile::Journal(contents)) => Ok(Some(contents)),
        Ok(ParsedFile::Nothing) => Ok(None),
        Ok(ParsedFile::NotOurs) => Err(JournalError::NotOurs { path }),
        Ok(ParsedFile::Damaged(at, what)) => Err(JournalError::Damaged { path, at, what }),
        Ok(ParsedFile::Twice(number)) => Err(JournalError::Twice { path, number }),
        Err(source) => Err(JournalError::File { path, source }),
    }
}

impl Journal {
    /// Opens or begins the journal of the work that `header` describes, locks it, and returns the
    /// records that it already holds, in the order of their numbers. A torn end is cut off.
    ///
    /// # Errors
    /// [`JournalError`]; then the file is as it was.
    pub fn open(path: &Path, header: &str) -> Result<(Journal, Vec<Record>), JournalError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = regular(&options, path)?;
        lock::lock(&file, path)?;
        let mut journal = Journal {
            file,
            path: path.to_owned(),
            end: 0,
        };
        let Some(found) = contents(&journal.file, path)? else {
            journal.cut()?;
            journal.write(&beginning(header))?;
            return Ok((journal, Vec::new()));
        };
        if found.old {
            return Err(JournalError::Old { path: journal.path });
        }
        if found.header != header {
            return Err(JournalError::Other {
                path: journal.path,
                found: found.header,
                wanted: header.to_owned(),
            });
        }
        journal.end = found.end;
        journal.cut()?;
        Ok((journal, found.records))
    }

    /// Appends one record and passes it to the system. When that fails the file ends as before.
    ///
    /// # Errors
    /// When the record is too long or cannot be written.
    pub fn append(&mut self, number: u64, record: &[u8]) -> Result<(), JournalError> {
        if record.len() > RECORD_BYTES_MAX {
            return Err(JournalError::Record(record.len()));
        }
        self.write(&frame(number, record))
    }

    /// Flushes all records to the disk.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.fail(source))
    }

    /// Returns the path of the journal.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn fail(&self, source: io::Error) -> JournalError {
        JournalError::File {
            path: self.path.clone(),
            source,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        if let Err(source) = self.file.write_all(bytes) {
            // The first error is the one to report; the next opening cuts off a torn end.
            let _ = self.cut();
            return Err(self.fail(source));
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Ends the file after the last whole record.
    fn cut(&mut self) -> Result<(), JournalError> {
        (self.file.set_len(self.end))
            .and_then(|()| self.file.seek(SeekFrom::Start(self.end)))
            .map(drop)
            .map_err(|source| self.fail(source))
    }
}

/// Reads the contents of a journal without locking or changing it. Another process may have it open.
///
/// # Errors
/// [`JournalError`]: the file cannot be read, belongs to another program, or is damaged.
pub fn read(path: &Path) -> Result<Contents, JournalError> {
    let file = regular(OpenOptions::new().read(true), path)?;
    contents(&file, path)?.ok_or_else(|| JournalError::NotOurs {
        path: path.to_owned(),
    })
}

/// Returns the contents of a finished journal's records, in the order of their numbers.
///
/// # Errors
/// As [`read`], and for a journal that ends in the middle of a record or holds none.
pub fn read_records(path: &Path) -> Result<Vec<Vec<u8>>, JournalError> {
    let found = read(path)?;
    if found.torn || found.records.is_empty() {
        return Err(JournalError::Torn {
            path: path.to_owned(),
            records: found.records.len(),
        });
    }
    Ok((found.records.into_iter())
        .map(|record| record.bytes)
        .collect())
}

/// Writes a whole journal at once; an existing file is not replaced.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn write(path: &Path, header: &str, records: &[Record]) -> Result<(), JournalError> {
    let mut bytes = beginning(header);
    for record in records {
        if record.bytes.len() > RECORD_BYTES_MAX {
            return Err(JournalError::Record(record.bytes.len()));
        }
        bytes.extend(frame(record.number, &record.bytes));
    }
    create_whole(path, &bytes).map_err(|source| JournalError::File {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::super::MAGIC;
    use super::*;

    const HEADER: &str = "{\"job\":\"test\"}";

    fn sample(path: &Path) -> Vec<u8> {
        let (mut journal, records) = Journal::open(path, HEADER).unwrap();
        assert!(records.is_empty());
        journal.append(0, b"zero").unwrap();
        journal.append(1, b"").unwrap();
        journal.append(2, b"two").unwrap();
        drop(journal);
        std::fs::read(path).unwrap()
    }

    const RECORDS: [&[u8]; 3] = [b"zero", b"", b"two"];

    /// A cut-off copy of a finished journal is refused.
    #[test]
    fn finished_journals_that_are_cut_off_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let whole = sample(&path);
        assert_eq!(read_records(&path).unwrap(), RECORDS);
        let (mut refused, mut shorter) = (0, 0);
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            match read_records(&path) {
                // An end between two records cannot be distinguished from the end of a shorter journal.
                Ok(records) => {
                    shorter += 1;
                    assert!(records.len() < 3, "{length}");
                }
                Err(_) => refused += 1,
            }
        }
        assert_eq!((refused, shorter), (whole.len() - 2, 2));
    }

    /// JR-03: a torn end is removed, wherever it begins.
    #[test]
    fn goes_on_after_a_cut_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let whole = sample(&path);
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            if (1..=8).contains(&length) {
                // So few bytes may belong to any file.
                assert!(matches!(
                    Journal::open(&path, HEADER),
                    Err(JournalError::NotOurs { .. })
                ));
                assert_eq!(std::fs::read(&path).unwrap(), &whole[..length]);
                continue;
            }
            let (mut journal, kept) = Journal::open(&path, HEADER).unwrap();
            for (number, bytes) in (0..).zip(RECORDS).skip(kept.len()) {
                journal.append(number, bytes).unwrap();
            }
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
        }
    }

    /// JR-03. Every bit flipped: the file is refused and left alone, or the torn end is made again.
    #[test]
    fn a_flipped_bit_never_passes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let whole = sample(&path);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                std::fs::write(&path, &damaged).unwrap();
                let error = Journal::open(&path, HEADER).map(|(_, records)| records);
                assert!(error.is_err(), "byte {at} bit {bit}: {error:?}");
                assert_eq!(std::fs::read(&path).unwrap(), damaged);
                assert!(read(&path).is_err());
            }
        }
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs");
        let long = vec![b'x'; 200_000];
        let theirs: [&[u8]; 7] = [
            b"{\"a\": 1}",
            b"gammond journal 1\nx",
            b"gammond",
            b"\n",
            b"dear diary\n",
            &[0; 40],
            &long,
        ];
        for bytes in theirs {
            std::fs::write(&path, bytes).unwrap();
            let error = Journal::open(&path, HEADER).unwrap_err();
            assert!(matches!(error, JournalError::NotOurs { .. }), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
        assert!(Journal::open(folder.path(), HEADER).is_err());
        assert!(Journal::open(Path::new("/dev/null"), HEADER).is_err());
    }

    #[test]
    fn other_work_and_a_second_writer_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let whole = sample(&path);
        let other = Journal::open(&path, "other").unwrap_err();
        assert!(matches!(other, JournalError::Other { .. }));
        let first = Journal::open(&path, HEADER).unwrap();
        let second = Journal::open(&path, HEADER).unwrap_err();
        assert!(matches!(second, JournalError::Busy { .. }));
        // Reading is free.
        assert_eq!(read(&path).unwrap().records.len(), 3);
        drop(first);
        assert!(Journal::open(&path, HEADER).is_ok());
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    /// JR-02: the four fields of the head, then the contents.
    #[test]
    fn a_record_has_a_head_of_four_fields() {
        let folder = tempfile::tempdir().unwrap();
        let whole = sample(&folder.path().join("job"));
        let mut head = 2_u64.to_le_bytes().to_vec();
        head.extend(3_u32.to_le_bytes());
        head.extend(crc32fast::hash(b"two").to_le_bytes());
        head.extend(crc32fast::hash(&head).to_le_bytes());
        head.extend(b"two");
        assert!(whole.ends_with(&head), "{whole:?}");
    }

    /// JR-02.
    #[test]
    fn a_repeated_record_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        sample(&path);
        let (mut journal, _) = Journal::open(&path, HEADER).unwrap();
        journal.append(0, b"zero").unwrap();
        drop(journal);
        let (mut journal, records) = Journal::open(&path, HEADER).unwrap();
        assert_eq!(records.len(), 3);
        journal.append(0, b"one").unwrap();
        drop(journal);
        let error = Journal::open(&path, HEADER).unwrap_err();
        assert!(matches!(error, JournalError::Twice { number: 0, .. }));
    }

    #[test]
    fn earlier_journals_can_be_read_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.labels");
        let mut bytes = b"gammond labels 1 seed 4\n".to_vec();
        for record in [&b"one"[..], b"two"] {
            bytes.extend((record.len() as u32).to_le_bytes());
            bytes.extend(crc32fast::hash(record).to_le_bytes());
            bytes.extend(record);
        }
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read_records(&path).unwrap(), [b"one", b"two"]);
        let error = Journal::open(&path, HEADER).unwrap_err();
        assert!(matches!(error, JournalError::Old { .. }));
        let damaged = bytes.len() - 12;
        bytes[damaged] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(read_records(&path).is_err());
    }

    /// After a loss of power a file may end in zeros.
    #[test]
    fn zeros_at_the_end_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let whole = sample(&path);
        for zeros in [1, 19, 20, 21, 5000] {
            let mut longer = whole.clone();
            longer.resize(whole.len() + zeros, 0);
            std::fs::write(&path, &longer).unwrap();
            assert_eq!(Journal::open(&path, HEADER).unwrap().1.len(), 3);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        assert!(whole.starts_with(MAGIC));
    }
}
