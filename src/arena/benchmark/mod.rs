//! Scoring players on GNUbg benchmark files.
//!
//! [`read()`] takes a `.bm` file apart into records that can be scored; `score_play` charges a
//! player's play with the loss that the file lists, [`cube::cube_loss`] compares cube decisions.
//! Rules BM- of `protocol-specs/benchmark-files.md`.

pub mod action;
pub mod cube;
pub mod depths;
pub mod exact;
pub mod make;
mod read;
pub mod regret;
pub mod scoring;
pub mod summary;
pub mod values;

pub use read::{
    BenchmarkFile, BenchmarkJudge, FAULTS_MAX, Generation, RECORD_LINE_BYTES_MAX, ReadError, read,
};

use crate::player::{Player, PlayerError};
use action::ActionRecord;
use gammond_base::rng::stream;
use gammond_game::notation::{PlayRecord, PositionChances};
use gammond_game::{Position, Roll};

/// A record that can be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Line in the file, from 1.
    pub line: u64,
    /// True if decisions can differ: not all rolled-out chances of the candidates are the same (or, if they are not in
    /// the file, not all losses are 0); for positions, true if the equity is not a whole number.
    pub interesting: bool,
    /// The record.
    pub record: ScorableRecord,
}

impl Item {
    /// Returns the decision that the record values: the position, with its roll or before it, with the kind of record.
    #[must_use]
    pub fn decision(&self) -> (Position, Option<Roll>, &'static str) {
        match &self.record {
            ScorableRecord::Play(play) => (play.position, Some(play.roll), "m"),
            ScorableRecord::Position(one) => (one.position, None, "o"),
            ScorableRecord::Action(action) => (action.record.position, None, "c"),
        }
    }

    /// Takes the worth of a pass from the match equity table of the measure, even if the file has it.
    pub fn forget_pass(&mut self) {
        if let ScorableRecord::Action(action) = &mut self.record {
            action.pass = None;
        }
    }
}

/// The kinds of records.
#[derive(Clone, Debug, PartialEq)]
pub enum ScorableRecord {
    /// An `m` line.
    Play(PlayRecord),
    /// An `o` line.
    Position(PositionChances),
    /// A `c` line.
    Action(ActionRecord),
}

/// Candidate that was chosen, and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayScore {
    /// Index in the list; `None` when the choice is not listed.
    pub listed: Option<usize>,
    /// Loss in points; the greatest that is listed when the choice is not.
    pub loss: f64,
}

/// Returns the charge for ending in `after`.
#[must_use]
pub fn charge(record: &PlayRecord, after: &Position) -> PlayScore {
    let (listed, loss) = record.charge(after);
    PlayScore { listed, loss }
}

/// Lets a player choose and charges it. `line` seeds players that throw coins.
///
/// # Errors
/// When the player fails.
pub(crate) fn score_play(
    record: &PlayRecord,
    player: &dyn Player,
    line: u64,
) -> Result<PlayScore, PlayerError> {
    let mut chance = stream(line, 0);
    let after = player.play(&record.position, record.roll, &mut chance)?;
    Ok(charge(record, &after))
}
