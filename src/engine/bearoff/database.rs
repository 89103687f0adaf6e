//! A database file of any kind, and how it is written.

use super::bytes::Bytes;
use super::header::{HEADER_BYTES, Kind};
use super::{
    BearoffError, MEMORY_BYTES_MAX, OneSided, RaceTable, TwoSided, file_kind, open_as, race,
};
use gammond_base::journal::write_whole;
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
    /// Games of so many checkers, 1 to 3: recognised, not used.
    Hypergammon(u8),
}

impl Database {
    /// Opens a `.bd` or `.race` file.
    ///
    /// # Errors
    /// [`BearoffError`] when it cannot be read or does not hold together.
    pub fn open(path: &Path) -> Result<Database, BearoffError> {
        Database::open_within(path, MEMORY_BYTES_MAX)
    }

    /// Opens a `.bd` or `.race` file, which is left on disk if it has more than `most` bytes.
    pub(super) fn open_within(path: &Path, most: u64) -> Result<Database, BearoffError> {
        open_as(path, most, Database::from_bytes)
    }

    fn from_bytes(bytes: Bytes) -> Result<Database, (usize, String)> {
        if race::is_one(&bytes) {
            return Ok(Database::Race(RaceTable::from_bytes(bytes)?));
        }
        Ok(match file_kind(&bytes)? {
            Kind::OneSided { .. } => Database::OneSided(OneSided::from_bytes(bytes)?),
            Kind::TwoSided { .. } => Database::TwoSided(TwoSided::from_bytes(bytes)?),
            Kind::Hypergammon(checkers) => {
                // 24 points and the bar hold up to so many checkers.
                let sides: usize = [1, 26, 351, 3276][usize::from(checkers)];
                let wanted = HEADER_BYTES + 28 * sides * sides;
                if bytes.len() != wanted {
                    return Err((
                        bytes.len(),
                        format!("{} bytes, expected {wanted}", bytes.len()),
                    ));
                }
                Database::Hypergammon(checkers)
            }
        })
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// [`BearoffError::Io`].
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), BearoffError> {
    write_whole(path, bytes).map_err(|source| BearoffError::io(path, source))
}
