//! Text and ids to and from `game` types: position id and key, match id, XGID, play text, FIBS
//! board line, benchmark lines, match files. One form a file; all parsers are nom over bytes.
//!
//! The input is untrusted. A parser answers every sequence of bytes with a value or with one [`NotationError`] that
//! names the field, the reason and the byte. A value that was read is legal: positions are checked here, once. Raw
//! forms ([`MatchId`], [`Xgid`], [`BoardLine`]) hold all fields of the text, even those that no game can reach; their
//! conversions to `game` types refuse that.
//!
//! ```
//! use gammond_game::notation::parse_position;
//! let parsed = parse_position(b"4HPwATDgc/ABMA:8Al3AAAAEAAE")?;
//! assert_eq!(parsed.roll.map(|roll| roll.to_string()).as_deref(), Some("65"));
//! assert!(parsed.state.is_some_and(|state| state.score.is_crawford()));
//! # Ok::<(), gammond_game::notation::NotationError>(())
//! ```
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

mod any_position;
mod benchmark_line;
mod board_line;
mod board_view;
mod copied_text;
mod error;
pub mod external_play;
pub mod fibs;
mod foreign;
mod free_text;
mod gnubg_id;
mod key;
mod match_file;
mod match_id;
mod number;
mod offer;
mod ogid;
mod play_text;
mod played;
mod position_id;
mod position_text;
mod roll_text;
mod syntax;
mod xgid;

/// Longest line, without its end, where a line is a question, an answer or a position: requests, other programs,
/// FIBS, files of positions (Q-03, FIBS-03). Records of benchmark files may be longer.
pub const LINE_BYTES_MAX: usize = 4096;

pub use any_position::parse_position;
pub use benchmark_line::{
    BenchmarkRecord, BestRecord, CubeAction, CubeRecord, ListedPlay, PlayRecord, PositionChances,
    parse_position_line, parse_training_line,
};
pub use board_line::BoardLine;
pub use board_view::{BoardDialect, BoardView};
pub use copied_text::{CopiedPosition, copied_positions, without_board};
pub use error::{Code, NotationError, Reason};
pub use foreign::ForeignKind;
pub use gnubg_id::GnubgId;
pub use key::PositionKey;
pub use match_file::{
    FileAnalysis, FileCube, FileFault, FilePlay, MATCH_FILE_BYTES_MAX, MatAction, MatGame,
    MatPlayer, MatchFile, MatchFormat, MatchNotes, MatchReading, NotWritable, SetUp, SgfNote,
};
pub use match_id::{MatchFields, MatchId, MatchView, PlayerNumber};
pub use offer::Offer;
pub use ogid::{Ogid, OgidAction, OgidColour, OgidMark, OgidOwner, OgidView};
pub use play_text::{fibs_play_text, parse_play, plain_play_text, play_text};
pub use played::{position_after, steps_made};
pub use position_id::PositionId;
pub use position_text::{Form, ParsedPosition, split_position};
pub use roll_text::parse_roll;
pub use xgid::{Seat, Xgid, XgidDice, XgidView};
