//! Rules by which a search chooses plays: the same at each of its nodes.

use super::leaves::LeafEvaluator;
use super::slots::{SlotPlan, selection};
use crate::equity::{CubeState, Stakes};
use crate::eval::Evaluator;
use crate::query::Settings;

/// Rules by which the players of a search choose plays. Side 0 is the player on roll at the root.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) leaves: LeafEvaluator<'a>,
    pub(super) stakes: [Stakes; 2],
    pub(super) selection: [Selection; 2],
    pub(super) pruning: Option<Pruning>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(
        leaves: LeafEvaluator<'a>,
        stakes: [Stakes; 2],
        cube: CubeState,
        cubeful: bool,
        pruning: Option<Pruning>,
    ) -> Choice<'a> {
        let cubes = selection(cube);
        let select = |side: usize| {
            let sides = [stakes[side].clone(), stakes[1 - side].clone()];
            Selection {
                cube: cubes[side],
                plan: cubeful.then(|| SlotPlan::new(&sides, &[cubes[side]], false, 0)),
            }
        };
        Choice {
            selection: [select(0), select(1)],
            pruning,
            leaves,
            stakes,
        }
    }
}

/// Cube for choosing plays inside the tree: the root's cube, never turned.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) cube: CubeState,
    /// Values the cube of the player on roll, his right to double included; none when the search
    /// is cubeless.
    pub(super) plan: Option<SlotPlan>,
}

/// Selection of the replies that are evaluated after a quick evaluation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pruning {
    /// Largest equity by which a play may trail the best one.
    pub(super) margin: f64,
    /// Number of replies kept; `None` for the evaluator's own number.
    pub(super) keep: Option<usize>,
    /// Quick evaluation for rolls with more plays than are kept; `None` for the evaluator's default.
    pub(super) by: Option<Chooser>,
}

impl Pruning {
    /// Returns the pruning of a search with these settings; `None` for no pruning.
    pub(super) fn of(settings: &Settings, leaves: &LeafEvaluator<'_>) -> Option<Pruning> {
        (settings.prune && !leaves.is_noisy()).then(|| Pruning {
            margin: (settings.prune_margin)
                .map_or_else(|| leaves.evaluator.policy().quick_margin, f64::from),
            keep: settings.prune_keep.map(usize::from),
            by: None,
        })
    }

    /// Returns true if a roll with this number of plays has more than are kept.
    pub(super) fn cuts(&self, evaluator: &dyn Evaluator, plays: usize) -> bool {
        plays > self.keep(evaluator, plays)
    }

    /// Returns the number of plays kept of `plays`.
    pub(super) fn keep(&self, evaluator: &dyn Evaluator, plays: usize) -> usize {
        self.keep
            .unwrap_or_else(|| evaluator.policy().quick_keep.of(plays))
            .max(1)
    }
}

/// The net that chooses the plays for the strong net. Without contact all plays are evaluated by the strong net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chooser {
    /// No net: all plays are evaluated.
    Nobody,
    /// The quick net ([`Shortcuts::evaluate_quickly`](crate::eval::Shortcuts::evaluate_quickly)).
    Quick,
    /// The pruning net ([`Shortcuts::rank_quickly`](crate::eval::Shortcuts::rank_quickly)): as good a choice for a third of the time.
    Pruning,
}
