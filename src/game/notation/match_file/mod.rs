//! Matches as files: what people keep their games in.
//!
//! Rules MAT-01 to MAT-52 of `protocol-specs/match-files.md`. The formats stand in one table, `FORMATS`: the first whose
//! `is` recognises a file reads it, and `.mat` with its dialects reads what is left. [`MatchFile`] prints itself as
//! `.mat`, the form of Jellyfish that most programs import, as `.sgf` and as OGXM. Reading plays the games over: a play
//! that is not legal is found where it stands. One fault costs one game: the others are read.

mod bytes;
mod cells;
mod fibs_log;
mod file_analysis;
mod gnubg_text;
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
mod xg_archive;

pub use file_analysis::{FileAnalysis, FileCube, FilePlay};
pub use ogxm_write::NotOgxm;
pub use record::{FileFault, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp};
pub use sgf_write::SgfNote;

use super::{Code, NotationError, Reason};
use recorder::Recorder;
use std::borrow::Cow;
use std::str::FromStr;

/// Longest file that is read.
pub const MATCH_FILE_BYTES_MAX: usize = 16 << 20;

/// A format of match files.
struct Format {
    /// Endings of the names of such files.
    endings: &'static [&'static str],
    /// Returns true if the file is of this format.
    is: fn(&[u8]) -> bool,
    read: Read,
}

/// A reader of a format.
enum Read {
    /// Reader of bytes; faults name bytes.
    Binary(fn(&[u8], &mut Recorder) -> Result<(), NotationError>),
    /// Reader of UTF-8 text; faults name lines.
    Text(fn(&str, &mut Recorder) -> Result<(), NotationError>),
    /// Reader of a log's lines; the log grows from match to match.
    Log(fn(&[u8]) -> Result<Vec<MatchReading>, NotationError>),
}

static FORMATS: [Format; 7] = [
    Format {
        endings: &["ogxm", "ogxms"],
        is: ogxm::is_ogxm,
        read: Read::Binary(ogxm::read),
    },
    Format {
        endings: &["xg", "xgp"],
        is: xg::is_xg,
        read: Read::Binary(xg::read),
    },
    Format {
        endings: &["sgf"],
        is: sgf::is_sgf,
        read: Read::Text(sgf::read),
    },
    Format {
        endings: &[],
        is: oldmoves::is_oldmoves,
        read: Read::Text(oldmoves::read),
    },
    Format {
        endings: &[],
        is: gnubg_text::is_gnubg_text,
        read: Read::Text(gnubg_text::read),
    },
    Format {
        endings: &["log"],
        is: fibs_log::is_fibs_log,
        read: Read::Log(fibs_log::read),
    },
    MAT,
];

/// Reads what no other format recognises.
const MAT: Format = Format {
    endings: &["mat", "txt"],
    is: |_| true,
    read: Read::Text(mat::read),
};

/// The format of a file.
fn format_of(file: &[u8]) -> &'static Format {
    let text = file.strip_prefix(MARK).unwrap_or(file);
    let found = FORMATS.iter().find(|format| match format.read {
        Read::Binary(_) => (format.is)(file),
        _ => (format.is)(text),
    });
    found.unwrap_or(const { &MAT })
}

/// The mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
        let bytes = text.strip_prefix(MARK).unwrap_or(text);
        let skipped = text.len() - bytes.len();
        let read = match format_of(text).read {
            Read::Binary(read) => {
                read(text, &mut recorder)?;
                return Ok(recorder.finish());
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
    /// Returns true if faults in a file of this format name bytes, not lines.
    #[must_use]
    pub fn is_binary(file: &[u8]) -> bool {
        matches!(format_of(file).read, Read::Binary(_))
    }

    /// Returns true if a file is the log of a FIBS client, which grows from match to match.
    #[must_use]
    pub fn is_log(file: &[u8]) -> bool {
        matches!(format_of(file).read, Read::Log(_))
    }

    /// Returns true if a file with this name ending and contents is a match file, not a list of positions. Board
    /// lines stand in both logs and lists of positions, so the ending decides.
    #[must_use]
    pub fn is_meant(ending: Option<&str>, file: &[u8]) -> bool {
        let ending = ending.unwrap_or_default().to_ascii_lowercase();
        let format = format_of(file);
        let told = ending != "txt" && MatchFile::endings().any(|one| one == ending);
        told || match format.read {
            Read::Log(_) => false,
            Read::Binary(_) => true,
            Read::Text(_) => {
                let is_last = FORMATS
                    .last()
                    .is_some_and(|last| std::ptr::eq(format, last));
                !is_last || mat::is_mat(file)
            }
        }
    }

    /// Endings of the names of files that are read.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().flat_map(|format| format.endings).copied()
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
