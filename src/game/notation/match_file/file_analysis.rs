//! The analysis that the writing program stored in a match file.

use crate::{Chances, Position};
use std::borrow::Cow;

/// The analysis of one action that stands in a match file. Equities are those of the player who decides, normalised to
/// the cube (EMG in matches).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileAnalysis {
    /// The cube decision: before the roll of a play, or of the double itself.
    pub cube: Option<FileCube>,
    /// The candidates of a roll, in the file's order.
    pub plays: Vec<FilePlay>,
}

/// A cube decision as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCube {
    /// Search depth in the program's own words, such as `XG Roller++`.
    pub level: Cow<'static, str>,
    /// Equity without a double.
    pub no_double: f64,
    /// Equity after a double and a take.
    pub double_take: f64,
    /// Equity after a double and a pass.
    pub double_pass: f64,
    /// Chances without a double.
    pub chances: Option<Chances>,
}

/// A candidate play as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePlay {
    /// Search depth in the program's own words.
    pub level: Cow<'static, str>,
    /// The board after the play, seen by the other player, who is on roll.
    pub after: Position,
    /// Equity of the play.
    pub equity: f64,
    /// Chances after the play, of the player who made it.
    pub chances: Option<Chances>,
}

impl FileAnalysis {
    /// Returns true if the file has no analysis.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cube.is_none() && self.plays.is_empty()
    }
}
