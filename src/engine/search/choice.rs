//! Rules by which a search chooses plays: the same at each of its nodes.

use super::leaves::LeafEvaluator;
use super::slots::{Branches, RootCube, SlotPlan, selection};
use crate::equity::{CubeState, Stakes};
use crate::eval::Evaluator;
use crate::query::Settings;

/// Rules by which the players of a search choose plays. Side 0 is the player on roll at the root.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) leaves: LeafEvaluator<'a>,
    pub(super) stakes: [Stakes; 2],
    /// Selections for each branch and side.
    selection: Vec<[Selection; 2]>,
    pub(super) pruning: Option<Pruning>,
}

impl<'a> Choice<'a> {
    /// Creates the rules with a branch for each cube of `cubes`, at least one.
    pub(super) fn new(
        leaves: LeafEvaluator<'a>,
        stakes: [Stakes; 2],
        cubes: &[CubeState],
        cubeful: bool,
        pruning: Option<Pruning>,
    ) -> Choice<'a> {
        let select = |cube: CubeState, side: usize| {
            let sides = [stakes[side].clone(), stakes[1 - side].clone()];
            let root = RootCube { cube, branch: 0 };
            Selection {
                cube,
                slopes: stakes[side].cubeless_prices(cube).slopes(),
                plan: cubeful.then(|| SlotPlan::new(&sides, &[root], false, 0)),
            }
        };
        let both = |&cube: &CubeState| {
            let [mine, theirs] = selection(cube);
            [select(mine, 0), select(theirs, 1)]
        };
        Choice {
            selection: cubes.iter().map(both).collect(),
            pruning,
            leaves,
            stakes,
        }
    }

    /// Returns the cube for which a side chooses plays in a branch.
    #[inline]
    pub(super) fn selection(&self, branch: usize, side: usize) -> &Selection {
        &self.selection[branch][side]
    }

    /// Returns all branches.
    pub(super) fn branches(&self) -> Branches {
        Branches::first(self.selection.len())
    }
}

/// Cube for choosing plays inside the tree: that of the branch, never turned (PLY-03).
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) cube: CubeState,
    /// Worth of the five chances without the cube.
    pub(super) slopes: [f32; 5],
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
    /// No net selects: all plays are evaluated.
    Nobody,
    /// The quick net ([`Shortcuts::evaluate_quickly`](crate::eval::Shortcuts::evaluate_quickly)).
    Quick,
    /// The pruning net ([`Shortcuts::rank_quickly`](crate::eval::Shortcuts::rank_quickly)): as good a choice for a third of the time.
    Pruning,
}
