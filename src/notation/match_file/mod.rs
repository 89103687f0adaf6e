//! Matches as files: what people keep their games in.
//!
//! Rules MAT-01 to MAT-29 of `protocol-specs/match-files.md`. [`MatchFile`] prints itself as `.mat`, the
//! form of Jellyfish that most programs import, and is read from that form with all its dialects and from
//! GNU Backgammon's `.sgf`. Reading plays the games over: a play that is not legal is found where it
//! stands. One fault costs one game: the others are read.

mod cells;
mod mat;
mod recorder;
mod sgf;
mod write;

use super::{Code, NotationError, Reason};
use crate::game::{BAR, POINTS, Play, Position, Roll};
use recorder::Recorder;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Longest file that is read.
pub const MATCH_FILE_BYTES_MAX: usize = 16 << 20;
/// Faults of a file that are kept.
const FAULTS_MAX: usize = 100;

/// Whose action or result it is: `First` stands in the left-hand column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatPlayer {
    /// The player on the left.
    First,
    /// The player on the right.
    Second,
}

impl MatPlayer {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> MatPlayer {
        match self {
            MatPlayer::First => MatPlayer::Second,
            MatPlayer::Second => MatPlayer::First,
        }
    }

    /// The place in a pair: 0 or 1.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            MatPlayer::First => 0,
            MatPlayer::Second => 1,
        }
    }

    /// This player's part of a pair.
    #[must_use]
    pub fn of<T: Copy>(self, [first, second]: [T; 2]) -> T {
        match self {
            MatPlayer::First => first,
            MatPlayer::Second => second,
        }
    }
}

/// What a player does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatAction {
    /// Rolls and plays; the play may be a pass.
    Play {
        /// The roll.
        roll: Roll,
        /// The play, by the player's own index.
        play: Play,
    },
    /// Rolls; what was played is not told, and the board stays as it is.
    Rolled(Roll),
    /// Doubles, to this value.
    Double(u32),
    /// Takes and doubles at once, to this value, keeping the cube; a raccoon is such an answer to a beaver.
    Beaver(u32),
    /// Takes.
    Take,
    /// Passes the double.
    Drop,
}

/// A game from the first roll on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatGame {
    /// Points of the first and the second player before the game.
    pub scores: [u32; 2],
    /// What happened, in order.
    pub actions: Vec<(MatPlayer, MatAction)>,
    /// Who won how many points; `None` for a game that was not finished. When neither the board nor a
    /// pass ended the game, the other player resigned.
    pub result: Option<(MatPlayer, u32)>,
}

/// A match or money session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchFile {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// The players' names. Colons, control characters and double blanks do not survive.
    pub names: [String; 2],
    /// Comment lines before the match, without the `;`. Control characters and blanks at the end do
    /// not survive. Those of the form ` [Key "Value"]` are headers.
    pub comments: Vec<String>,
    /// The games.
    pub games: Vec<MatGame>,
}

/// What is wrong in a file, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFault {
    /// The line, counted from 1.
    pub line: usize,
    /// The game, counted from 1 in the file's order; 0 before the first one.
    pub game: usize,
    /// What it is, with the byte of the text.
    pub error: NotationError,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if self.game > 0 {
            write!(f, ", game {}", self.game)?;
        }
        write!(f, ": {}", self.error)
    }
}

/// A file that was read, with what is wrong in it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MatchReading {
    /// What could be read. A game with a fault ends where it stands, unless the board could be followed.
    pub file: MatchFile,
    /// What is wrong, in the file's order; the first hundred.
    pub faults: Vec<FileFault>,
    /// For each game the lines on which its actions stand.
    pub lines: Vec<Vec<usize>>,
}

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

    /// Reads as much of a match file as there is to read.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` when it is none: no match in it at all.
    pub fn read(text: &[u8]) -> Result<MatchReading, NotationError> {
        if text.len() > MATCH_FILE_BYTES_MAX {
            let reason = Reason::Other("is longer than 16 MiB");
            return Err(wrong("match file", reason, MATCH_FILE_BYTES_MAX));
        }
        let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let skipped = text.len() - bytes.len();
        let decoded = decoded(bytes);
        let mut recorder = Recorder::default();
        let read = if sgf::is_sgf(decoded.as_bytes()) {
            sgf::read(decoded.as_bytes(), &mut recorder)
        } else {
            mat::read(&decoded, &mut recorder)
        };
        // Letters of Latin-1 have grown: no place beyond the end.
        let place = |error: NotationError| {
            let at = (error.at() + skipped).min(text.len());
            wrong(error.field(), error.reason().clone(), at)
        };
        read.map_err(place)?;
        let mut reading = recorder.finish();
        for fault in &mut reading.faults {
            fault.error = place(fault.error.clone());
        }
        Ok(reading)
    }

    /// The value of a header ` [Key "Value"]`.
    #[must_use]
    pub fn header(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|comment| {
            let inside = comment.trim().strip_prefix('[')?.strip_suffix(']')?;
            let (name, value) = inside.split_once('"')?;
            let same = name.trim().eq_ignore_ascii_case(key);
            same.then(|| value.trim_end().trim_end_matches('"'))
        })
    }

    /// A header that is on or off.
    #[must_use]
    pub fn switch(&self, key: &str) -> Option<bool> {
        let value = self.header(key)?;
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        (is("On") || is("Off")).then(|| is("On"))
    }

    /// The position from which each game starts; `None` for a variation that is not known here.
    #[must_use]
    pub fn start(&self) -> Option<Position> {
        match self.header("Variation") {
            None => Some(Position::start()),
            Some(name) if name.eq_ignore_ascii_case("Backgammon") => Some(Position::start()),
            Some(name) if name.eq_ignore_ascii_case("NackGammon") => nackgammon(),
            Some(_) => None,
        }
    }
}

/// Two of the thirteens and sixes of the usual start stand behind.
fn nackgammon() -> Option<Position> {
    let mut counts = [0; POINTS];
    for (index, count) in [(23, 2), (22, 2), (12, 4), (7, 3), (5, 4)] {
        *counts.get_mut(index)? = count;
    }
    debug_assert!(counts.get(BAR) == Some(&0));
    Position::new(&counts, &counts).ok()
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
