//! The board in the middle through a play, where sources are a bit mask and a step is one subtraction.

use super::sink::{MoveHistory, Sink};
use crate::{BAR, OFF, Position, Side};

/// The board in the middle through a play.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<T> {
    pub(super) me: u128,
    pub(super) opponent: u128,
    /// My places with checkers, by my index, bit 24 the bar.
    pub(super) occupied: u32,
    /// Points with exactly one checker of the opponent, by my index.
    pub(super) blots: u32,
    /// The steps so far.
    pub(super) history: T,
}

impl<T: MoveHistory> State<T> {
    /// Returns the mask of points from which `die` can be played. `bearing` is false when no checker can be borne off
    /// anyway.
    #[inline(always)]
    pub(super) fn sources(&self, free: u32, die: usize, bearing: bool) -> u32 {
        let mut movable = self.occupied;
        if movable >> BAR != 0 {
            movable = 1 << BAR;
        }
        let mut sources = movable & free << die;
        if bearing && movable != 0 && movable < 1 << 6 {
            let highest = movable.ilog2();
            sources |= movable & 1 << highest.min(die as u32 - 1);
        }
        sources
    }

    /// Returns the state after one legal step; `leaves` is true if the step empties `from`.
    #[inline(always)]
    pub(super) fn stepped(&self, from: usize, die: usize, leaves: bool) -> State<T> {
        let source = 1u32 << from;
        let landing = source >> die;
        let hit = self.blots & landing;
        State {
            me: self.me.wrapping_sub(STEPS[die][from]),
            opponent: if hit != 0 {
                self.opponent.wrapping_add(HITS[die][from])
            } else {
                self.opponent
            },
            occupied: (self.occupied & !(source * u32::from(leaves))) | landing,
            blots: self.blots & !landing,
            history: self.history.then(from, die),
        }
    }

    #[inline(always)]
    pub(super) fn count(&self, from: usize) -> u8 {
        Side::from_packed(self.me).count(from)
    }

    /// Returns the position after a last step, turned round.
    #[inline(always)]
    fn finished(&self, from: usize, die: usize) -> Position {
        let me = self.me.wrapping_sub(STEPS[die][from]);
        let opponent = if self.blots << die >> from & 1 != 0 {
            self.opponent.wrapping_add(HITS[die][from])
        } else {
            self.opponent
        };
        Position::from_sides(Side::from_packed(opponent), Side::from_packed(me))
    }

    /// Adds the positions after each last step from `sources`.
    #[inline(always)]
    pub(super) fn finish<S: Sink<MoveHistory = T>>(&self, sources: u32, die: usize, out: &mut S) {
        for from in descending(sources) {
            out.put(self.finished(from, die), self.history.then(from, die));
        }
    }

    /// Adds the positions after each last step from `sources`, except those that `out` has.
    #[inline(always)]
    pub(super) fn finish_new<S: Sink<MoveHistory = T>>(
        &self,
        sources: u32,
        die: usize,
        out: &mut S,
    ) {
        for from in descending(sources) {
            let position = self.finished(from, die);
            if !out.has(&position) {
                out.put(position, self.history.then(from, die));
            }
        }
    }
}

/// Decrease of a packed side by one step, by die and source, modulo 2^128.
static STEPS: [[u128; 25]; 7] = {
    let mut steps = [[0u128; 25]; 7];
    let mut die = 1;
    while die <= 6 {
        let mut from = 0;
        while from <= BAR {
            let to = if from >= die { from - die } else { OFF };
            steps[die][from] = (1u128 << (4 * from)).wrapping_sub(1 << (4 * to));
            from += 1;
        }
        die += 1;
    }
    steps
};

/// Increase of the opponent's packed side by a hit, by die and source of the step that hits.
static HITS: [[u128; 25]; 7] = {
    let mut hits = [[0u128; 25]; 7];
    let mut die = 1;
    while die <= 6 {
        let mut from = die;
        while from <= BAR {
            hits[die][from] = (1u128 << (4 * BAR)) - (1 << (4 * (23 - (from - die))));
            from += 1;
        }
        die += 1;
    }
    hits
};

/// Returns the set bits, highest first.
#[inline(always)]
pub(super) fn descending(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.checked_ilog2()?;
        mask ^= 1 << bit;
        Some(bit as usize)
    })
}
