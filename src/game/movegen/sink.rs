//! Collections of generated plays: positions only, or positions with their steps.

use crate::{LegalPlay, OFF, Play, Position, Step};

/// A record of the steps of a play: nothing (`()`), or a [`Play`].
pub(super) trait MoveHistory: Copy + Default {
    fn then(self, from: usize, die: usize) -> Self;
}

impl MoveHistory for () {
    #[inline(always)]
    fn then(self, _: usize, _: usize) {}
}

impl MoveHistory for Play {
    #[inline(always)]
    fn then(self, from: usize, die: usize) -> Play {
        let to = from.checked_sub(die).unwrap_or(OFF);
        self.with(Step {
            from: from as u8,
            to: to as u8,
        })
    }
}

/// A collection that receives generated plays.
pub(super) trait Sink {
    type MoveHistory: MoveHistory;
    fn put(&mut self, after: Position, history: Self::MoveHistory);
    fn has(&self, after: &Position) -> bool;
    fn has_any(&self) -> bool;
}

impl Sink for Vec<Position> {
    type MoveHistory = ();

    #[inline(always)]
    fn put(&mut self, after: Position, (): ()) {
        self.push(after);
    }

    #[inline(always)]
    fn has(&self, after: &Position) -> bool {
        self.contains(after)
    }

    #[inline(always)]
    fn has_any(&self) -> bool {
        !self.is_empty()
    }
}

impl Sink for Vec<LegalPlay> {
    type MoveHistory = Play;

    #[inline(always)]
    fn put(&mut self, after: Position, play: Play) {
        self.push(LegalPlay { play, after });
    }

    #[inline(always)]
    fn has(&self, after: &Position) -> bool {
        self.iter().any(|play| play.after == *after)
    }

    #[inline(always)]
    fn has_any(&self) -> bool {
        !self.is_empty()
    }
}
