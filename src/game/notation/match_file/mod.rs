//! Match files.
//!
//! Rules MAT-01 to MAT-52 of `protocol-specs/match-files.md`. All formats are rows of one table, `FORMATS`, with
//! [`MatchFormat`] as their public handle: the first whose `is` recognises a file reads it, and `.mat` with its
//! dialects reads the rest. All code that reads or writes match files uses that table. Reading replays the games: an
//! illegal play is found where it stands. One fault costs one game: the others are read.

mod bgf;
mod bgf_members;
mod bytes;
mod cells;
mod copied;
mod fibs_log;
mod file_analysis;
mod format;
mod game_end;
mod gnubg_text;
mod logged;
mod mat;
mod notes;
mod ogxm;
mod ogxm_write;
mod oldmoves;
mod record;
mod recorder;
mod sgf;
mod sgf_write;
pub(super) mod snowie;
mod write;
mod xg;
mod xg_archive;

pub use file_analysis::{FileAnalysis, FileCube, FilePlay};
pub use format::{MatchFormat, NotWritable};
pub use notes::{MatchNotes, SgfNote};
pub use record::{FileFault, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp};

use super::position_text::begins_with_position;
use super::{Code, ForeignKind, NotationError, Reason};
use format::{Format, MARK, Read, Write};
use recorder::Recorder;
use std::borrow::Cow;
use std::str::FromStr;

/// Longest file that is read.
pub const MATCH_FILE_BYTES_MAX: usize = 16 << 20;

/// The marks of UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The formats, in the order in which a file is tried.
static FORMATS: [Format; 9] = [
    Format {
        name: "ogxm",
        media_type: "application/octet-stream",
        endings: &["ogxm", "ogxms"],
        is: ogxm::is_ogxm,
        read: Read::Binary(ogxm::read),
        write: Some(Write::Bare(MatchFile::ogxm)),
    },
    Format {
        name: "xg",
        media_type: "application/octet-stream",
        endings: &["xg", "xgp"],
        is: xg::is_xg,
        read: Read::Binary(xg::read),
        write: None,
    },
    Format {
        name: "bgf",
        media_type: "application/octet-stream",
        endings: &["bgf"],
        is: bgf_members::is_bgf,
        read: Read::Binary(bgf::read),
        write: None,
    },
    Format {
        name: "sgf",
        media_type: "application/x-go-sgf",
        endings: &["sgf"],
        is: sgf::is_sgf,
        read: Read::Text(sgf::read),
        write: Some(Write::Annotated(sgf_write::annotated, sgf_write::is_ours)),
    },
    Format {
        name: "oldmoves",
        media_type: "text/plain",
        endings: &[],
        is: oldmoves::is_oldmoves,
        read: Read::Text(oldmoves::read),
        write: None,
    },
    Format {
        name: "gnubg-text",
        media_type: "text/plain",
        endings: &[],
        is: gnubg_text::is_gnubg_text,
        read: Read::Text(gnubg_text::read),
        write: None,
    },
    Format {
        name: "fibs-log",
        media_type: "text/plain",
        endings: &["log"],
        is: fibs_log::is_fibs_log,
        read: Read::Log(fibs_log::read),
        write: None,
    },
    Format {
        name: "position-text",
        media_type: "text/plain",
        endings: &[],
        is: copied::is_copied,
        read: Read::Text(copied::read),
        write: None,
    },
    MAT,
];

/// Reads what no other format recognises.
const MAT: Format = Format {
    name: "mat",
    media_type: "text/plain",
    endings: &["mat", "txt"],
    is: |_| true,
    read: Read::Text(mat::read),
    write: Some(Write::Annotated(write::annotated, write::is_ours)),
};

impl MatchFile {
    /// Reads a match file that must be without fault.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` and the byte of the file.
    pub fn parse(text: &[u8]) -> Result<MatchFile, NotationError> {
        let reading = MatchFile::read(text)?;
        match reading.faults.into_iter().next() {
            Some(fault) => Err(fault.error),
            None => Ok(reading.file),
        }
    }

    /// Reads as much of a match file as possible. If it has several matches, the second one is a fault of the first.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` when there is no match in it.
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

    /// Reads as much as possible of all matches of a file, in the order in which they begin; at least one.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` when there is no match in it.
    pub fn read_all(text: &[u8]) -> Result<Vec<MatchReading>, NotationError> {
        if text.len() > MATCH_FILE_BYTES_MAX {
            let reason = Reason::Other("is longer than 16 MiB");
            return Err(wrong("match file", reason, MATCH_FILE_BYTES_MAX));
        }
        if UTF_16.iter().any(|mark| text.starts_with(mark)) {
            let reason = Reason::Other("is UTF-16, expected UTF-8: save it as UTF-8");
            return Err(wrong("match file", reason, 0));
        }
        let readings = MatchFile::read_known(text);
        readings.map_err(|error| foreign(text).unwrap_or(error))
    }

    fn read_known(text: &[u8]) -> Result<Vec<MatchReading>, NotationError> {
        let mut recorder = Recorder::default();
        let bytes = text.strip_prefix(MARK).unwrap_or(text);
        let skipped = text.len() - bytes.len();
        let read = match MatchFormat::of(text).row().read {
            Read::Binary(read) => {
                read(text, &mut recorder)?;
                return with_games(recorder.finish(), text.len());
            }
            // Cut into lines by its bytes, as the bot does it: places are those of the file.
            Read::Log(read) => return read(text),
            Read::Text(read) => read(&decoded(bytes), &mut recorder),
        };
        // Letters of Latin-1 have grown: no place beyond the end.
        let place = |error: NotationError| {
            let at = (error.at() + skipped).min(text.len());
            wrong(error.field(), error.reason().clone(), at)
        };
        read.map_err(place)?;
        let mut readings = with_games(recorder.finish(), bytes.len()).map_err(place)?;
        for reading in &mut readings {
            reading.at = (reading.at + skipped).min(text.len());
            for fault in &mut reading.faults {
                fault.error = place(fault.error.clone());
            }
        }
        Ok(readings)
    }
}

impl FromStr for MatchFile {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MatchFile::parse(text.as_bytes())
    }
}

/// Returns the error for a file that no format recognises, if its kind is a known foreign one.
fn foreign(text: &[u8]) -> Option<NotationError> {
    if is_match_file(text) {
        return None;
    }
    let kind = ForeignKind::of_file(text).or_else(|| {
        let advice = "gammond show, move and cube read one, gammond pipe reads lines of them";
        begins_with_position(text).then_some(ForeignKind::new("a position, not a match", advice))
    });
    kind.map(|kind| wrong("match file", Reason::Foreign(kind), 0))
}

/// Returns true if a format recognises the text, or it begins as a `.mat` file.
pub(super) fn is_match_file(text: &[u8]) -> bool {
    MatchFormat::of(text) != MatchFormat::of(b"") || mat::is_mat(text)
}

/// Decodes UTF-8, or else Latin-1, of which every byte is a letter. Where no line but the last ends with LF, CR ends
/// lines.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let text: Cow<'_, str> = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    };
    let lines = text.trim_end_matches('\n');
    match lines.contains('\r') && !lines.contains('\n') {
        true => Cow::Owned(text.replace('\r', "\n")),
        false => text,
    }
}

/// Refuses a file without any game, because of its first fault if it has one.
fn with_games(
    readings: Vec<MatchReading>,
    length: usize,
) -> Result<Vec<MatchReading>, NotationError> {
    if readings.iter().any(|one| !one.file.games.is_empty()) {
        return Ok(readings);
    }
    let mut faults = readings.into_iter().flat_map(|one| one.faults);
    let first = faults.next().map(|fault| fault.error);
    Err(first.unwrap_or_else(|| wrong("match file", Reason::Other("has no game"), length)))
}

fn wrong(field: &'static str, reason: Reason, at: usize) -> NotationError {
    NotationError::new(Code::BadMatchFile, field, reason, at)
}
