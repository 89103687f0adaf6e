//! The files of jobs: one for the request and one for the outcome, each written whole.

use crate::http::ask::jobs::{Ended, Meta};
use axum::body::Bytes;
use gammond_base::files::create_folder;
use gammond_base::journal::{self, FolderLock, JournalError, Record};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Ending of the file with the request.
const REQUEST: &str = "job";
/// Ending of the file with the outcome.
const OUTCOME: &str = "result";

/// The folder of the jobs; without one they live in memory.
#[derive(Debug)]
pub(in crate::http) struct Store {
    folder: Option<(PathBuf, FolderLock)>,
}

/// A job as its files have it.
#[derive(Debug)]
pub(in crate::http) struct StoredJob {
    pub(in crate::http) meta: Meta,
    pub(in crate::http) input_bytes: usize,
    pub(in crate::http) ended: Option<Ended>,
}

impl Store {
    /// Opens a folder, which is created if it does not exist.
    pub(in crate::http) fn open(folder: Option<&Path>) -> Result<Store, JournalError> {
        let Some(folder) = folder else {
            return Ok(Store { folder: None });
        };
        let path = folder.to_owned();
        create_folder(folder).map_err(|source| JournalError::File { path, source })?;
        let lock = FolderLock::take(folder)?;
        Ok(Store {
            folder: Some((folder.to_owned(), lock)),
        })
    }

    fn path(&self, id: &str, ending: &str) -> Option<PathBuf> {
        let (folder, _) = self.folder.as_ref()?;
        Some(folder.join(format!("{id}.{ending}")))
    }

    /// Reads all jobs; a damaged file is reported in the log and left as it is.
    pub(in crate::http) fn load(&self) -> Result<Vec<StoredJob>, io::Error> {
        let Some((folder, _)) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let id = path.file_stem().and_then(|stem| stem.to_str());
            let Some(id) = id.filter(|_| path.extension().is_some_and(|end| end == REQUEST)) else {
                continue;
            };
            match self.load_one(id) {
                Ok(job) => found.push(job),
                Err(error) => tracing::warn!(%error, "a job is left out"),
            }
        }
        Ok(found)
    }

    fn load_one(&self, id: &str) -> Result<StoredJob, String> {
        let (header, records) = self.read(id, REQUEST)?;
        let meta: Meta = serde_json::from_str(&header).map_err(|error| error.to_string())?;
        if meta.id != id {
            return Err(format!("{id}: the file has another name than its job"));
        }
        // A damaged outcome is computed again.
        let outcome = self.path(id, OUTCOME).filter(|path| path.exists());
        let ended = outcome.and_then(|path| match self.read(id, OUTCOME) {
            Ok((header, _)) => serde_json::from_str(&header).ok(),
            Err(error) => {
                tracing::warn!(%error, "a job's result is computed again");
                // It would be in the way of the new one.
                drop(fs::remove_file(path));
                None
            }
        });
        Ok(StoredJob {
            meta,
            input_bytes: records.first().map_or(0, |input| input.bytes.len()),
            ended,
        })
    }

    fn read(&self, id: &str, ending: &str) -> Result<(String, Vec<Record>), String> {
        let path = self.path(id, ending).ok_or("the folder is missing")?;
        let found = journal::read(&path).map_err(|error| error.to_string())?;
        match found.torn {
            true => Err(format!("{}: cut off", path.display())),
            false => Ok((found.header, found.records)),
        }
    }

    /// Stores a request. Returns the input if it must stay in memory.
    pub(in crate::http) fn put_request(
        &self,
        meta: &Meta,
        input: Bytes,
    ) -> Result<Option<Bytes>, JournalError> {
        let Some(path) = self.path(&meta.id, REQUEST) else {
            return Ok(Some(input));
        };
        let header = serde_json::to_string(meta).unwrap_or_default();
        let record = Record {
            number: 0,
            bytes: input.into(),
        };
        journal::write(&path, &header, &[record])?;
        Ok(None)
    }

    /// Stores an outcome. Returns the reports if they must stay in memory.
    pub(in crate::http) fn put_outcome(
        &self,
        id: &str,
        ended: &Ended,
        reports: Bytes,
    ) -> Result<Option<Bytes>, (JournalError, Bytes)> {
        let Some(path) = self.path(id, OUTCOME) else {
            return Ok(Some(reports));
        };
        let header = serde_json::to_string(ended).unwrap_or_default();
        let mut from = 0;
        let mut records = Vec::with_capacity(ended.sizes.len());
        for (number, size) in (0..).zip(&ended.sizes) {
            let bytes = reports.get(from..from + size).unwrap_or_default().to_vec();
            records.push(Record { number, bytes });
            from += size;
        }
        let written = journal::write(&path, &header, &records);
        written.map(|()| None).map_err(|error| (error, reports))
    }

    /// Reads the input of a job.
    pub(in crate::http) fn input(&self, id: &str) -> Result<Bytes, String> {
        self.record(id, REQUEST, 0)
    }

    /// Reads the report with this number.
    pub(in crate::http) fn report(&self, id: &str, number: u64) -> Result<Bytes, String> {
        self.record(id, OUTCOME, number)
    }

    fn record(&self, id: &str, ending: &str, number: u64) -> Result<Bytes, String> {
        let (_, records) = self.read(id, ending)?;
        let wanted = records.into_iter().find(|record| record.number == number);
        match wanted {
            Some(record) => Ok(record.bytes.into()),
            None => Err(format!("{id}: there is no record {number}")),
        }
    }

    /// Removes the files of a job; the request last, so that a kill leaves no outcome alone.
    pub(in crate::http) fn remove(&self, id: &str) {
        for ending in [OUTCOME, REQUEST] {
            if let Some(path) = self.path(id, ending)
                && let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, path = %path.display(), "a job's file stays");
            }
        }
    }
}
