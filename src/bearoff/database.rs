//! A database file of whatever kind, and how one is written.

use super::header::{HEADER_BYTES, Kind};
use super::map::Bytes;
use super::{BearoffError, OneSided, TwoSided, file_kind};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// What a database file holds.
#[derive(Debug)]
pub enum Database {
    /// Rolls needed by one side alone.
    OneSided(OneSided),
    /// Equities of both sides' endings.
    TwoSided(TwoSided),
    /// Games of so many checkers, 1 to 3: recognised, not used.
    Hypergammon(u8),
}

impl Database {
    /// Maps a `.bd` file.
    ///
    /// # Errors
    /// [`BearoffError`] when it cannot be read or does not hold together.
    pub fn open(path: &Path) -> Result<Database, BearoffError> {
        let bytes = Bytes::open(path).map_err(|source| BearoffError::io(path, source))?;
        Database::from_bytes(bytes).map_err(|(at, reason)| BearoffError::damaged(path, at, reason))
    }

    fn from_bytes(bytes: Bytes) -> Result<Database, (usize, String)> {
        Ok(match file_kind(&bytes)? {
            Kind::OneSided { .. } => Database::OneSided(OneSided::from_bytes(bytes)?),
            Kind::TwoSided { .. } => Database::TwoSided(TwoSided::from_bytes(bytes)?),
            Kind::Hypergammon(checkers) => {
                // 24 points and the bar hold up to so many checkers.
                let sides: usize = [1, 26, 351, 3276][usize::from(checkers)];
                let wanted = HEADER_BYTES + 28 * sides * sides;
                if bytes.len() != wanted {
                    return Err((bytes.len(), format!("{} bytes, want {wanted}", bytes.len())));
                }
                Database::Hypergammon(checkers)
            }
        })
    }
}

/// Writes a file whole or not at all: under another name in the same folder, then renamed.
///
/// # Errors
/// [`BearoffError::Io`]. What was written is removed; a killed program may leave a file that ends
/// in `.part`.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), BearoffError> {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|source| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&part);
        BearoffError::io(path, source)
    })
}
