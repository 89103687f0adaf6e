//! The slow, obvious generator of legal plays: the reference that the fast one is held against.
//!
//! The order and the choice among step sequences that lead to the same position follow
//! `protocol-specs/play-notation.md`.

use super::{BAR, LegalPlay, OFF, Play, Position, Roll, Side, Step};

/// Returns all legal plays of `roll`, one for each position that can result, in the order found.
///
/// Empty when no checker can move. [`legal_plays`](super::legal_plays) gives the same, faster.
#[must_use]
pub fn reference_plays(position: &Position, roll: Roll) -> Vec<LegalPlay> {
    let double = roll.is_double();
    let mut search = Search {
        double,
        best_steps: 0,
        best_pips: 0,
        found: Vec::new(),
    };
    let [first, second] = roll.dice();
    let start = Partial {
        position: *position,
        play: Play::PASS,
        pips: 0,
    };
    if double {
        search.explore(&start, &[first; 4], BAR);
    } else {
        search.explore(&start, &[first, second], BAR);
        search.explore(&start, &[second, first], BAR);
    }
    search.found
}

#[derive(Clone, Copy)]
struct Partial {
    position: Position,
    play: Play,
    pips: u32,
}

struct Search {
    double: bool,
    best_steps: usize,
    best_pips: u32,
    found: Vec<LegalPlay>,
}

impl Search {
    /// Plays `dice` in order from `partial`; no source above `highest` (doubles only).
    fn explore(&mut self, partial: &Partial, dice: &[u8], highest: usize) {
        let mut moved = false;
        if let Some((&die, rest)) = dice.split_first() {
            for from in (0..=highest).rev() {
                let Some(to) = destination(&partial.position, from, die) else {
                    continue;
                };
                moved = true;
                let next = Partial {
                    position: apply(&partial.position, from, to),
                    play: partial.play.with(Step {
                        from: from as u8,
                        to: to as u8,
                    }),
                    pips: partial.pips + u32::from(die),
                };
                let limit = if self.double && from != BAR {
                    from
                } else {
                    BAR
                };
                self.explore(&next, rest, limit);
            }
        }
        if !moved {
            self.finish(partial);
        }
    }

    fn finish(&mut self, partial: &Partial) {
        let steps = partial.play.steps().len();
        if steps == 0 || steps < self.best_steps || partial.pips < self.best_pips {
            return;
        }
        if steps > self.best_steps || partial.pips > self.best_pips {
            self.found.clear();
            self.best_steps = steps;
            self.best_pips = partial.pips;
        }
        let after = partial.position.swapped();
        if self.found.iter().all(|other| other.after != after) {
            self.found.push(LegalPlay {
                play: partial.play,
                after,
            });
        }
    }
}

/// Returns the destination of a checker at `from` with `die`, if that step is legal.
fn destination(position: &Position, from: usize, die: u8) -> Option<usize> {
    let me = position.me();
    if me.count(from) == 0 || (from != BAR && me.count(BAR) > 0) {
        return None;
    }
    match from.checked_sub(usize::from(die)) {
        Some(to) => (position.opponent().count(23 - to) < 2).then_some(to),
        None => {
            let rearmost = me.rearmost()?;
            let exact = from + 1 == usize::from(die);
            (rearmost <= 5 && (exact || from == rearmost)).then_some(OFF)
        }
    }
}

/// Returns the position after one legal step, hitting where a blot stands, still seen by the mover.
fn apply(position: &Position, from: usize, to: usize) -> Position {
    let me: Side = position.me().moved(from, to);
    let hits = to != OFF && position.opponent().count(23 - to) == 1;
    let opponent = position.opponent();
    let opponent = if hits {
        opponent.moved(23 - to, BAR)
    } else {
        opponent
    };
    Position::from_sides(me, opponent)
}
