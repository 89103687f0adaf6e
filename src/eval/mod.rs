//! One position to chances: class, inputs, net choice, bearoff, cache, batches.
//!
//! [`Evaluator`] is what search, rollouts and training see: a static evaluation of many positions
//! at once. [`gnubg`] judges with GNU Backgammon's weight files, [`own`] with ours.

pub mod gnubg;
pub mod own;

use crate::game::{Chances, Class, Position};

/// Judges positions without looking ahead. All positions are seen by the player on roll.
pub trait Evaluator: Send + Sync + std::fmt::Debug {
    /// A short name for answers, such as `gnubg 1.00` or `gammond contact-3`.
    fn name(&self) -> &str;

    /// The class that decides which net or table answers.
    fn class(&self, position: &Position) -> Class;

    /// Static chances of each position into `out` (same length). The result for a position does
    /// not depend on its neighbours. `near` is a position that differs little from each of them
    /// (usually the position before the play, turned round); it can save work, never change bits.
    fn evaluate(&self, near: Option<&Position>, positions: &[Position], out: &mut [Chances]);

    /// A quicker, rougher judgement of the same positions, for choosing which deserve
    /// [`Evaluator::evaluate`]. `None` entries cannot happen; when the evaluator has no quick net
    /// for these positions it returns `false` and leaves `out` alone.
    fn evaluate_quickly(
        &self,
        near: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) -> bool {
        let _ = (near, positions, out);
        false
    }

    /// Ranks the positions after the plays of one position with contact roughly, in a fraction of
    /// the time of [`Evaluator::evaluate_quickly`]: `out` tells how much better one is than another
    /// for the player on roll there, when the five chances are worth `slopes`. Scores compare
    /// only with one another. When the evaluator has no net for this it returns `false`.
    fn rank_quickly(
        &self,
        near: &Position,
        positions: &[Position],
        slopes: &[f32; 5],
        out: &mut [f64],
    ) -> bool {
        let _ = (near, positions, slopes, out);
        false
    }

    /// How much worse than the best, in equity, a position may look to
    /// [`Evaluator::rank_quickly`] or [`Evaluator::evaluate_quickly`] and still deserve an evaluation.
    fn quick_margin(&self) -> f64 {
        f64::INFINITY
    }

    /// How many of so many positions (at least 2) are kept for evaluation, at most, when
    /// [`Evaluator::evaluate_quickly`] has judged them. GNU Backgammon's number unless an evaluator
    /// knows better.
    fn quick_keep(&self, positions: usize) -> usize {
        5 + positions.max(1).ilog2() as usize
    }

    /// Exact cubeful money equities (owned by me, centred, owned by the opponent; cube 1, no
    /// Jacoby) of a position covered by a two-sided database.
    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        let _ = position;
        None
    }
}
