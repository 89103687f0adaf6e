//! Cubes that a search keeps apart, level by level (PLY-02).
//!
//! A tree is walked once for all cubes that can arise in it. Which ones these are depends on the
//! depth only, not on the positions, so they are listed beforehand: at each level the cubes asked
//! for, and how their values follow from those one level deeper.

use crate::equity::{CubeState, Leaf, Stakes, Valuer};

/// More cubes than this never differ at one level: one centred, and two owners for each value
/// that five doublings give.
pub(super) const SLOTS_MAX: usize = 16;

/// Values of the cubes of one level, in their order.
pub(super) type Slots = [f64; SLOTS_MAX];

/// One level: the player on roll there is the root's when the level is even.
#[derive(Debug, Clone)]
pub(super) struct SearchLevel {
    /// The cubes whose values are wanted, seen by the player on roll.
    pub(super) wanted: Vec<RequestedCube>,
    /// The cubes in play once he has doubled or not, each once, seen by him.
    expanded: Vec<CubeState>,
}

/// A cube whose value is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedCube {
    /// The slot of the same cube after no double.
    same: usize,
    /// The slot of the doubled cube, when it may be doubled.
    doubled: Option<usize>,
    /// Value of the opponent's pass.
    cash: f64,
}

/// All levels of a search and what is at stake for the two players.
#[derive(Debug)]
pub(super) struct SlotPlan {
    levels: Vec<SearchLevel>,
    is_money: bool,
}

impl SlotPlan {
    /// Plans for `plies` below these cubes of the root. With `no_double_first` the player on roll at
    /// the root may not double any more (his decision is what is asked). `stakes` are those of the
    /// root's player and of the other.
    pub(super) fn new(
        stakes: &[Stakes; 2],
        root: &[CubeState],
        no_double_first: bool,
        plies: usize,
    ) -> SlotPlan {
        let is_money = stakes[0].is_money();
        let mut levels = Vec::with_capacity(plies + 1);
        let mut states: Vec<CubeState> = root.to_vec();
        for level in 0..=plies {
            let stakes = &stakes[level % 2];
            let mut expanded: Vec<CubeState> = Vec::new();
            let mut slot = |state: CubeState| {
                // In money play values are per unit of the cube: only its owner counts.
                let doublings = if is_money { 0 } else { state.doublings };
                let state = CubeState { doublings, ..state };
                let found = expanded.iter().position(|&other| other == state);
                found.unwrap_or_else(|| {
                    expanded.push(state);
                    expanded.len() - 1
                })
            };
            let wanted = states.iter().map(|&state| {
                let may = stakes.may_double(state) && !(no_double_first && level == 0);
                RequestedCube {
                    same: slot(state),
                    doubled: may.then(|| slot(state.doubled())),
                    cash: stakes.cash(state),
                }
            });
            let wanted: Vec<RequestedCube> = wanted.collect();
            assert!(expanded.len() <= SLOTS_MAX, "too many cubes in a search");
            states = expanded.iter().map(|state| state.swapped()).collect();
            levels.push(SearchLevel { wanted, expanded });
        }
        SlotPlan { levels, is_money }
    }

    /// Values of the cubes wanted at `level`, from those of the cubes one level deeper, already
    /// seen by the player on roll at this level.
    pub(super) fn combine(&self, level: usize, below: &Slots) -> Slots {
        let mut values = [0.0; SLOTS_MAX];
        for (value, wanted) in values.iter_mut().zip(&self.levels[level].wanted) {
            let none = below[wanted.same];
            *value = match wanted.doubled {
                None => none,
                Some(slot) => {
                    let take = if self.is_money {
                        2.0 * below[slot]
                    } else {
                        below[slot]
                    };
                    if take >= none && wanted.cash >= none {
                        take.min(wanted.cash)
                    } else {
                        none
                    }
                }
            };
        }
        values
    }

    /// Values of the cubes wanted at `level` for a position that is not looked beyond.
    pub(super) fn leaf(&self, level: usize, stakes: &Stakes, leaf: Leaf) -> Slots {
        let valuer = Valuer::new(stakes, leaf);
        let mut below = [0.0; SLOTS_MAX];
        for (value, &state) in below.iter_mut().zip(&self.levels[level].expanded) {
            *value = valuer.value(state);
        }
        self.combine(level, &below)
    }

    /// Returns the values seen by the other player.
    pub(super) fn swapped(&self, level: usize, values: &Slots) -> Slots {
        let mut swapped = [0.0; SLOTS_MAX];
        for slot in 0..self.levels[level].wanted.len() {
            swapped[slot] = if self.is_money {
                -values[slot]
            } else {
                1.0 - values[slot]
            };
        }
        swapped
    }

    /// Returns the number of cubes needed at a level.
    pub(super) fn width(&self, level: usize) -> usize {
        self.levels[level].wanted.len()
    }
}

/// Returns the cube of the root as it chooses plays at each side: never turned.
pub(super) fn selection(root: CubeState) -> [CubeState; 2] {
    [root, root.swapped()]
}
