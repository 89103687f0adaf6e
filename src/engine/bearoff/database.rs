//! A database of whatever kind.

use super::bytes::Bytes;
use super::header::Kind;
use super::{BearoffError, HyperTable, OneSided, RaceTable, TwoSided, file_kind, race};
use std::path::Path;

/// The contents of a database file.
#[derive(Debug)]
pub enum Database {
    /// Rolls needed by one side alone.
    OneSided(OneSided),
    /// The same in our own format.
    Race(RaceTable),
    /// Equities of both sides' endings.
    TwoSided(TwoSided),
    /// Values of games with few checkers.
    Hypergammon(HyperTable),
}

impl Database {
    /// Reads the contents of a `.bd` or `.race` file; `name` is for errors.
    ///
    /// # Errors
    /// [`BearoffError::Damaged`] when they do not hold together.
    pub fn parse(name: &str, bytes: Vec<u8>) -> Result<Database, BearoffError> {
        let damaged = |(at, reason)| BearoffError::damaged(Path::new(name), at, reason);
        Database::from_bytes(Bytes::Owned(bytes)).map_err(damaged)
    }

    pub(crate) fn from_bytes(bytes: Bytes) -> Result<Database, (usize, String)> {
        if race::is_one(&bytes) {
            return Ok(Database::Race(RaceTable::from_bytes(bytes)?));
        }
        Ok(match file_kind(&bytes)? {
            Kind::OneSided { .. } => Database::OneSided(OneSided::from_bytes(bytes)?),
            Kind::TwoSided { .. } => Database::TwoSided(TwoSided::from_bytes(bytes)?),
            Kind::Hypergammon(_) => Database::Hypergammon(HyperTable::from_bytes(bytes)?),
        })
    }
}
