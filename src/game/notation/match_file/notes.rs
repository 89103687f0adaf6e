//! Notes of an analysis in a match file.

use std::fmt;

/// Annotations of an action: properties as they are written, and a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SgfNote {
    /// Properties, such as `LU[0.123]BM[1]`.
    pub properties: String,
    /// A remark for people.
    pub comment: String,
}

/// Notes that are written into a match file.
#[derive(Clone, Copy)]
pub struct MatchNotes<'a> {
    /// The Crawford flag of each game.
    pub crawford: &'a [bool],
    /// The level of the analysis, if there is one.
    pub level: Option<&'a str>,
    /// Remarks on the whole match.
    pub head: &'a [String],
    /// Returns the annotation of an action: game and action from 0, the action after the last one for a resignation.
    pub at: &'a dyn Fn(usize, usize) -> Option<SgfNote>,
}

impl fmt::Debug for MatchNotes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchNotes")
            .field("level", &self.level)
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}
