//! The table of match file formats: of each its name, how it is recognised, read and written.

use super::notes::MatchNotes;
use super::record::{MatchFile, MatchReading};
use super::recorder::Recorder;
use super::{FORMATS, MAT, mat};
use crate::notation::NotationError;
use std::fmt;

/// The mark of UTF-8.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// A row of the table of formats.
pub(super) struct Format {
    pub(super) name: &'static str,
    pub(super) media_type: &'static str,
    /// Endings of the names of such files.
    pub(super) endings: &'static [&'static str],
    /// Returns true if the file is of this format.
    pub(super) is: fn(&[u8]) -> bool,
    pub(super) read: Read,
    /// `None` if the format is only read.
    pub(super) write: Option<Write>,
}

/// A reader of a format.
pub(super) enum Read {
    /// Reader of bytes; faults name bytes.
    Binary(fn(&[u8], &mut Recorder) -> Result<(), NotationError>),
    /// Reader of UTF-8 text; faults name lines.
    Text(fn(&str, &mut Recorder) -> Result<(), NotationError>),
    /// Reader of a log's lines; the log grows from match to match.
    Log(fn(&[u8]) -> Result<Vec<MatchReading>, NotationError>),
}

/// A writer of a format.
pub(super) enum Write {
    /// Writer of text with the notes of an analysis, and the test for files that it wrote.
    Annotated(fn(&MatchFile, &MatchNotes<'_>) -> String, fn(&[u8]) -> bool),
    /// Writer of the match alone, as bytes.
    Bare(fn(&MatchFile) -> Result<Vec<u8>, NotWritable>),
}

/// Reason why a match cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what} cannot be written as {format}", of_game(*game))]
pub struct NotWritable {
    /// The game, from 1; 0 for the whole match.
    pub game: usize,
    /// The part that has no place in the format.
    pub what: &'static str,
    /// The format.
    pub format: &'static str,
}

/// Returns the name of a game in front of what is wrong with it; of the whole match, 0, nothing.
fn of_game(number: usize) -> String {
    match number {
        0 => String::new(),
        number => format!("game {number}: "),
    }
}

/// A format of match files.
///
/// ```
/// use gammond_game::notation::{MatchFile, MatchFormat};
/// let file: MatchFile = " 1 point match\n\n Game 1\n a : 0       b : 0\n".parse()?;
/// let sgf = MatchFormat::named("sgf").expect("a format of this name");
/// let bytes = file.write(sgf, None)?;
/// assert_eq!(MatchFormat::of(&bytes), sgf);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct MatchFormat(&'static Format);

impl fmt::Debug for MatchFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MatchFormat").field(&self.0.name).finish()
    }
}

impl PartialEq for MatchFormat {
    fn eq(&self, other: &MatchFormat) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for MatchFormat {}

impl MatchFormat {
    /// Returns all formats, in the order in which a file is tried.
    pub fn all() -> impl Iterator<Item = MatchFormat> {
        FORMATS.iter().map(MatchFormat)
    }

    /// Returns the formats in which matches are written, those that hold the notes of an analysis first.
    pub fn written() -> impl Iterator<Item = MatchFormat> {
        let written = |noted| {
            MatchFormat::all()
                .filter(move |format| format.is_written() && format.has_notes() == noted)
        };
        written(true).chain(written(false))
    }

    /// Returns the format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<MatchFormat> {
        MatchFormat::all().find(|format| format.name() == name)
    }

    /// Returns the format of a file. A file that nothing else recognises is read as `.mat`.
    #[must_use]
    pub fn of(file: &[u8]) -> MatchFormat {
        let text = file.strip_prefix(MARK).unwrap_or(file);
        let found = MatchFormat::all().find(|format| match format.0.read {
            Read::Binary(_) => (format.0.is)(file),
            _ => (format.0.is)(text),
        });
        found.unwrap_or(const { MatchFormat(&MAT) })
    }

    pub(super) const fn row(self) -> &'static Format {
        self.0
    }

    /// Returns the name, which is the ending of files that are written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the media type of such files.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        self.0.media_type
    }

    /// Returns the endings of the names of such files.
    #[must_use]
    pub const fn endings(self) -> &'static [&'static str] {
        self.0.endings
    }

    /// Returns true if faults in such a file name bytes, not lines.
    #[must_use]
    pub const fn is_binary(self) -> bool {
        matches!(self.0.read, Read::Binary(_))
    }

    /// Returns true if such a file is the log of a client, which grows from match to match.
    #[must_use]
    pub const fn is_log(self) -> bool {
        matches!(self.0.read, Read::Log(_))
    }

    /// Returns true if matches are written in this format.
    #[must_use]
    pub const fn is_written(self) -> bool {
        self.0.write.is_some()
    }

    /// Returns true if a match that is written holds the notes of an analysis.
    #[must_use]
    pub const fn has_notes(self) -> bool {
        matches!(self.0.write, Some(Write::Annotated(..)))
    }

    /// Returns true if this library wrote the file with the notes of an analysis.
    #[must_use]
    pub fn is_annotated_by_us(self, file: &[u8]) -> bool {
        match self.0.write {
            Some(Write::Annotated(_, is_ours)) => is_ours(file),
            _ => false,
        }
    }
}

impl MatchFile {
    /// Returns the match as a file of this format. Formats that hold no notes leave `notes` out.
    ///
    /// # Errors
    /// [`NotWritable`] if the format is only read, or has no form for something in the match.
    pub fn write(
        &self,
        format: MatchFormat,
        notes: Option<&MatchNotes<'_>>,
    ) -> Result<Vec<u8>, NotWritable> {
        match (&format.0.write, notes) {
            (Some(Write::Bare(write)), _) => write(self),
            (Some(Write::Annotated(write, _)), Some(notes)) => Ok(write(self, notes).into_bytes()),
            (Some(Write::Annotated(write, _)), None) => {
                let none = MatchNotes {
                    crawford: &self.crawford_games(),
                    level: None,
                    head: &[],
                    at: &|_, _| None,
                };
                Ok(write(self, &none).into_bytes())
            }
            (None, _) => Err(NotWritable {
                game: 0,
                what: "a match",
                format: format.name(),
            }),
        }
    }

    /// Returns true if a file with this name ending and contents is a match file, not a list of positions. Board
    /// lines occur in both logs and lists of positions, so the ending decides.
    #[must_use]
    pub fn is_meant(ending: Option<&str>, file: &[u8]) -> bool {
        let ending = ending.unwrap_or_default().to_ascii_lowercase();
        let format = MatchFormat::of(file);
        let is_named = ending != "txt" && MatchFile::endings().any(|one| one == ending);
        is_named
            || match format.0.read {
                Read::Log(_) => false,
                Read::Binary(_) => true,
                Read::Text(_) => format != MatchFormat(&MAT) || mat::is_mat(file),
            }
    }

    /// Returns the endings of the names of files that are read.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().flat_map(|format| format.endings).copied()
    }
}
