//! One-sided and two-sided bearoff databases: making, reading, probing.
//!
//! [`Tables`] is what evaluators use: the two default tables (6 points with 15 checkers a side, one-sided; 6 points
//! with 6 checkers, two-sided) and larger ones from files. The default tables are GNU Backgammon's bit for bit, yet
//! computed by us with the code of [`make`]. The build script writes the one-sided one, which the program includes:
//! it costs no time at start-up and no memory but the pages that are read. Of the two-sided one a release program
//! holds the plays that are ever the best, a hundredth of its size, and makes the table when it is first asked (0.07
//! s; with all plays and no file it would take 0.2 s).
//!
//! ```
//! use gammond_engine::bearoff::Tables;
//! use gammond_game::Position;
//! // I have a checker on my ace point, the opponent two on theirs.
//! let (mut me, mut opponent) = ([0; 25], [0; 25]);
//! me[0] = 1;
//! opponent[0] = 2;
//! let position = Position::new(&me, &opponent)?;
//! let [cubeless, ..] = Tables::shared().two_sided.probe(&position).unwrap_or_default();
//! assert_eq!(cubeless, 1.0);
//! # Ok::<(), gammond_game::PositionError>(())
//! ```

mod built_in;
pub(crate) mod bytes;
mod database;
mod header;
mod hyper;
mod leaving;
#[cfg(feature = "make")]
mod line_journal;
pub mod make;
mod near;
mod numbering;
mod one_sided;
mod race;
mod small;
mod tables;
mod two_sided;

pub use bytes::MEMORY_BYTES_MAX;
pub use database::Database;
pub use header::{HEADER_BYTES, Kind, Layout};
#[cfg(feature = "make")]
pub use hyper::{HyperStage, make_hyper};
pub use hyper::{HyperTable, HyperValue};
pub use leaving::{LEAVING_ROLLS, LeavingDistributions};
#[cfg(feature = "make")]
pub use line_journal::{make_two_sided, save};
pub use near::BeyondTable;
pub use numbering::{Counts, MAX_CHECKERS, MAX_POINTS, Numbering};
pub use one_sided::{DISTRIBUTION_ROLLS, Distribution, EFFECTIVE_PIPS_A_ROLL, OneSided, ROLLS_MAX};
#[cfg(feature = "make")]
pub use race::{MADE_POINTS_MAX, make as make_race_table, part_of};
pub use race::{RaceTable, RollDistribution};
pub use small::{LeavingHome, SavingGammon};
pub use tables::Tables;
pub use two_sided::TwoSided;

use bytes::Bytes;
use gammond_game::Side;
use std::path::{Path, PathBuf};

/// An error while opening or building a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BearoffError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file is damaged.
    #[error("{path}: byte {at}: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Byte offset in the file.
        at: usize,
        /// Description of the damage.
        reason: String,
    },
    /// The unfinished build cannot be resumed.
    #[error(transparent)]
    Journal(#[from] gammond_base::journal::JournalError),
}

impl BearoffError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> BearoffError {
        BearoffError::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn damaged(path: &Path, at: usize, reason: String) -> BearoffError {
        BearoffError::Damaged {
            path: path.to_owned(),
            at,
            reason,
        }
    }
}

/// Reads the header of a database; the error is an offset and a reason.
fn file_kind(bytes: &Bytes) -> Result<Kind, (usize, String)> {
    header::parse(bytes.start(&mut [0; HEADER_BYTES])).map_err(|error| (error.at, error.reason))
}

/// Returns the index of a side in a numbering; `None` when it has too many checkers or some too far back.
#[inline]
fn index_of(numbering: Numbering, side: Side) -> Option<usize> {
    const BOARD: u128 = (1 << 100) - 1;
    let points = numbering.points();
    let board = side.packed() & BOARD;
    if board >> (4 * points) != 0 || usize::from(side.on_board()) > numbering.checkers() {
        return None;
    }
    if points == 6 {
        return Some(numbering::index_of_six(board as u32) as usize);
    }
    let mut counts: Counts = [0; MAX_POINTS];
    for (index, count) in counts.iter_mut().enumerate() {
        *count = side.count(index);
    }
    numbering.index(counts)
}
