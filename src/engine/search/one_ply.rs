//! One play ahead: the best plays of every roll and their mean, cubeless. Training and luck need it millions of
//! times; an interactive query uses the tree of [`super`]. Replies are found as there ([`super::replies`]).

use super::choice::{Choice, Chooser, Pruning};
use super::leaves::LeafEvaluator;
use super::replies::{Evaluated, JudgedReply, Scratch};
use crate::equity::{CubeEfficiency, CubeState, Stakes};
use crate::eval::Evaluator;
use gammond_game::{Cube, Position, Roll};

/// A filter of the plays that the strong net evaluates: those that a quicker net ranks high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Maximum number of plays.
    pub plays: usize,
    /// ... within this equity of the best.
    pub margin: f32,
    /// The net that ranks the plays.
    pub by: Chooser,
}

impl Filter {
    /// No filter.
    pub const NONE: Filter = Filter {
        plays: usize::MAX,
        margin: f32::INFINITY,
        by: Chooser::Nobody,
    };

    /// Returns the pruning of plays; `None` if all plays are evaluated.
    fn pruning(&self) -> Option<Pruning> {
        (self.by != Chooser::Nobody).then(|| Pruning {
            margin: self.margin.into(),
            keep: Some(self.plays),
            by: Some(self.by),
        })
    }

    /// Five plays of the pruning net's, within 0.12: for means, not for playing on. In back games the losses of games
    /// played by it add up to hundredths of a point in a game.
    pub const PRUNING: Filter = Filter {
        plays: 5,
        margin: 0.12,
        by: Chooser::Pruning,
    };
}

/// Result of a one-ply search of a position.
#[derive(Clone, Debug)]
pub struct OnePlyResult {
    /// Mean over the rolls of the best play's chances, for the player on roll.
    pub mean: [f32; 5],
    /// Share of the requested roll in that mean: the chances, for the player on roll, of its best play among those
    /// that the filter leaves. Less the mean they are the luck of the roll.
    pub drawn: [f32; 5],
    /// All plays of that roll, best first. The first may be better than those that the filter leaves.
    pub ranked: Vec<JudgedReply>,
}

/// Looks one play ahead with an evaluator, cubeless money.
#[derive(Debug)]
pub struct OnePly<'a> {
    choice: Choice<'a>,
}

impl<'a> OnePly<'a> {
    /// Evaluates with `evaluator` the plays that `filter` leaves.
    #[must_use]
    pub fn new(evaluator: &'a dyn Evaluator, filter: Filter) -> OnePly<'a> {
        let stakes = Stakes::money(false);
        OnePly {
            choice: Choice::new(
                LeafEvaluator::plain(evaluator, &CubeEfficiency::GNUBG),
                [stakes.clone(), stakes],
                &[CubeState::from(Cube::CENTRED)],
                false,
                filter.pruning(),
            ),
        }
    }

    /// Returns the mean over the 21 rolls of the best play's chances, for the player on roll.
    #[must_use]
    pub fn mean(&self, position: &Position, scratch: &mut Scratch) -> [f32; 5] {
        self.mean_with(Evaluated::Kept, position, scratch)
    }

    fn mean_with(
        &self,
        evaluated: Evaluated,
        position: &Position,
        scratch: &mut Scratch,
    ) -> [f32; 5] {
        scratch.evaluate(&self.choice, 0, position, &Roll::ALL, evaluated);
        let mut sum = [0.0; 5];
        for (index, roll) in Roll::ALL.iter().enumerate() {
            let weight = roll.weight() as f32 / 36.0;
            let best = scratch.best_play(index).chances.inverted().to_array();
            for (sum, value) in sum.iter_mut().zip(best) {
                *sum += weight * value;
            }
        }
        sum
    }

    /// Returns the standard deviation over the 21 rolls of the winning chance of the player on roll, the best play
    /// made.
    #[must_use]
    pub fn volatility(&self, position: &Position, scratch: &mut Scratch) -> f64 {
        scratch.evaluate(&self.choice, 0, position, &Roll::ALL, Evaluated::Kept);
        let (mut sum, mut squares) = (0.0, 0.0);
        for (index, roll) in Roll::ALL.iter().enumerate() {
            let weight = f64::from(roll.weight()) / 36.0;
            let win = f64::from(scratch.best_play(index).chances.inverted().win);
            sum += weight * win;
            squares += weight * win * win;
        }
        (squares - sum * sum).max(0.0).sqrt()
    }

    /// Returns the mean over all rolls, and the share of `roll` in it, as in [`OnePlyResult`].
    #[must_use]
    pub fn mean_and_drawn(
        &self,
        position: &Position,
        roll: Roll,
        scratch: &mut Scratch,
    ) -> ([f32; 5], [f32; 5]) {
        let mean = self.mean(position, scratch);
        let best = scratch.best_play(number_of(roll));
        (mean, best.chances.inverted().to_array())
    }

    /// Returns the mean over all rolls, and the plays of `roll`.
    #[must_use]
    pub fn ahead(&self, position: &Position, roll: Roll, scratch: &mut Scratch) -> OnePlyResult {
        let number = number_of(roll);
        let mean = self.mean_with(Evaluated::KeptAndWhole(number), position, scratch);
        OnePlyResult {
            mean,
            drawn: scratch.best_play(number).chances.inverted().to_array(),
            ranked: scratch.ranked(Roll::ALL.len()),
        }
    }

    /// Returns all plays of a roll by their static chances, best first.
    #[must_use]
    pub fn ranked(
        &self,
        position: &Position,
        roll: Roll,
        scratch: &mut Scratch,
    ) -> Vec<JudgedReply> {
        scratch.evaluate(&self.choice, 0, position, &[roll], Evaluated::All);
        scratch.ranked(0)
    }

    /// Returns the best play of a roll and its static chances for the mover.
    #[must_use]
    pub fn best(&self, position: &Position, roll: Roll, scratch: &mut Scratch) -> JudgedReply {
        scratch.evaluate(&self.choice, 0, position, &[roll], Evaluated::Kept);
        let best = scratch.best_play(0);
        JudgedReply {
            after: best.after,
            chances: best.chances.inverted(),
        }
    }
}

/// Returns the place of a roll in [`Roll::ALL`].
fn number_of(roll: Roll) -> usize {
    let number = Roll::ALL.iter().position(|each| *each == roll);
    number.unwrap_or_default()
}
