//! Part of a match that is analysed.

/// Part of a match, by games from 1 and moves from 1 as people count them, both ends included. The default is all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchPart {
    /// Game and move of the first decisions.
    pub from: Option<(u32, u32)>,
    /// Game and move of the last decisions.
    pub to: Option<(u32, u32)>,
    /// The player whose decisions are analysed: 0 for the first one of the file, 1 for the second.
    pub player: Option<usize>,
}

impl MatchPart {
    /// Returns true if it is the whole match.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == MatchPart::default()
    }

    /// Returns true if it has a decision of this player in this game and move.
    #[must_use]
    pub fn has(&self, place: (u32, u32), player: usize) -> bool {
        self.from.is_none_or(|from| from <= place)
            && self.to.is_none_or(|to| place <= to)
            && self.player.is_none_or(|one| one == player)
    }
}
