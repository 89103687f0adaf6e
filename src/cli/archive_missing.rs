//! The archive in a program that was built without it: none can be opened.

use super::{ArchiveKey, Failure, Played};
use gammond_base::escape::Untrusted;
use gammond_report::analysis::{Analysis, JudgedMatch, PlayerSums};
use gammond_server::http::{ArchiveFilter, ArchiveScope, ArchivedMatch, MatchArchive};
use serde_json::Value;
use std::path::Path;

/// The archive of a program without one: a type without values.
#[derive(Debug)]
pub(crate) enum Archive {}

impl Archive {
    /// Refuses to open an archive or to make a new one.
    pub(crate) fn open(path: &Path) -> Result<Archive, Failure> {
        Err(Failure::usage(format!(
            "{}: this gammond was built without the archive; build it with default features",
            path.display()
        )))
    }

    /// Refuses to open an archive.
    pub(crate) fn existing(path: &Path) -> Result<Archive, Failure> {
        Archive::open(path)
    }

    /// Is never called.
    pub(crate) fn has(&self, _: &ArchiveKey) -> Result<bool, Failure> {
        match *self {}
    }

    /// Is never called.
    pub(crate) fn add(&self, _: &str, _: &ArchiveKey, _: &Analysis) -> Result<(), Failure> {
        match *self {}
    }

    /// Is never called.
    pub(crate) fn players(&self) -> Result<Vec<(Untrusted, PlayerSums)>, Failure> {
        match *self {}
    }

    /// Is never called.
    pub(crate) fn history(&self, _: &str) -> Result<Vec<Played>, Failure> {
        match *self {}
    }
}

impl MatchArchive for Archive {
    fn matches(&self, _: &ArchiveFilter) -> Result<Vec<ArchivedMatch>, String> {
        match *self {}
    }

    fn analysis(&self, _: i64, _: &ArchiveScope) -> Result<Option<Value>, String> {
        match *self {}
    }

    fn add(&self, _: &str, _: &[u8], _: &[JudgedMatch]) -> Result<(), String> {
        match *self {}
    }
}
