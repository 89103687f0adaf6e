//! Matches as files: what people keep their games in.
//!
//! Rules MAT-01 to MAT-44 of `protocol-specs/match-files.md`. [`MatchFile`] prints itself as `.mat`, the
//! form of Jellyfish that most programs import, and is read from that form with all its dialects and from
//! GNU Backgammon's `.sgf`, and from what FIBS answers to `oldmoves`. It also prints itself as `.sgf`. Reading plays the games over: a play that is not legal is found where it
//! stands. One fault costs one game: the others are read. Two binary forms are read as well: OGXM, which is also written
//! ([`MatchFile::ogxm`]), and eXtreme Gammon's `.xg`.

mod bytes;
mod cells;
mod fibs_log;
mod logged;
mod mat;
mod ogxm;
mod ogxm_write;
mod oldmoves;
mod record;
mod recorder;
mod sgf;
mod sgf_write;
mod snowie;
mod write;
mod xg;

pub use ogxm_write::NotOgxm;
pub use record::{FileFault, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp};
pub use sgf_write::SgfNote;

use super::{Code, NotationError, Reason};
use recorder::Recorder;
use std::borrow::Cow;
use std::str::FromStr;

/// Longest file that is read.
pub const MATCH_FILE_BYTES_MAX: usize = 16 << 20;

impl MatchFile {
    /// Reads a match file that must be without fault.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` that says at which byte of the file.
    pub fn parse(text: &[u8]) -> Result<MatchFile, NotationError> {
        let reading = MatchFile::read(text)?;
        match reading.faults.into_iter().next() {
            Some(fault) => Err(fault.error),
            None => Ok(reading.file),
        }
    }

    /// Reads as much of a match file as there is to read. Where several matches stand in it, the second one is a fault of
    /// the first.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` when it is none: no match in it at all.
    pub fn read(text: &[u8]) -> Result<MatchReading, NotationError> {
        let mut all = MatchFile::read_all(text)?.into_iter();
        let mut first = all.next().unwrap_or_default();
        if let Some(second) = all.next() {
            let why = Reason::Other("begins behind another one; only the first one is read here");
            let error = NotationError::new(Code::BadMatchFile, "match", why, second.at);
            let (line, game) = (second.line, first.file.games.len());
            first.faults.push(FileFault { line, game, error });
        }
        Ok(first)
    }

    /// Reads as much as there is to read of all matches of a file, in the order in which they begin; at least one.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` when there is no match in it at all.
    pub fn read_all(text: &[u8]) -> Result<Vec<MatchReading>, NotationError> {
        if text.len() > MATCH_FILE_BYTES_MAX {
            let reason = Reason::Other("is longer than 16 MiB");
            return Err(wrong("match file", reason, MATCH_FILE_BYTES_MAX));
        }
        let mut recorder = Recorder::default();
        if MatchFile::is_binary(text) {
            match ogxm::is_ogxm(text) {
                true => ogxm::read(text, &mut recorder)?,
                false => xg::read(text, &mut recorder)?,
            }
            return Ok(recorder.finish());
        }
        let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let skipped = text.len() - bytes.len();
        let decoded = decoded(bytes);
        let read = if sgf::is_sgf(decoded.as_bytes()) {
            sgf::read(decoded.as_bytes(), &mut recorder)
        } else if oldmoves::is_oldmoves(&decoded) {
            oldmoves::read(&decoded, &mut recorder)
        } else if fibs_log::is_fibs_log(&decoded) {
            // Cut into lines by its bytes, as the bot does it: places are those of the file.
            return fibs_log::read(text);
        } else {
            mat::read(&decoded, &mut recorder)
        };
        // Letters of Latin-1 have grown: no place beyond the end.
        let place = |error: NotationError| {
            let at = (error.at() + skipped).min(text.len());
            wrong(error.field(), error.reason().clone(), at)
        };
        read.map_err(place)?;
        let mut readings = recorder.finish();
        for reading in &mut readings {
            reading.at = (reading.at + skipped).min(text.len());
            for fault in &mut reading.faults {
                fault.error = place(fault.error.clone());
            }
        }
        Ok(readings)
    }
}

impl MatchFile {
    /// Whether a file is of a form whose places are bytes, not lines.
    #[must_use]
    pub fn is_binary(file: &[u8]) -> bool {
        ogxm::is_ogxm(file) || xg::is_xg(file)
    }

    /// Whether a file is the log of a client of FIBS, which grows from match to match.
    #[must_use]
    pub fn is_log(file: &[u8]) -> bool {
        !MatchFile::is_binary(file)
            && !sgf::is_sgf(file)
            && fibs_log::is_fibs_log(&String::from_utf8_lossy(file))
    }
}

impl FromStr for MatchFile {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MatchFile::parse(text.as_bytes())
    }
}

/// UTF-8, or else Latin-1, of which every byte is a letter.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

fn wrong(field: &'static str, reason: Reason, at: usize) -> NotationError {
    NotationError::new(Code::BadMatchFile, field, reason, at)
}
