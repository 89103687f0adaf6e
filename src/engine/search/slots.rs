//! Cubes that a search keeps apart, level by level (PLY-02).
//!
//! A tree is walked once for all cubes that can arise in it. Which ones these are depends on the depth only, not on
//! the positions, so they are listed beforehand: at each level the requested cubes, and the way from their values to
//! those one level deeper.

use crate::equity::{CubeState, Leaf, LeafColumns, Stakes, Valuer};

/// Maximum number of cubes that differ at one level: one centred, and two owners for each value that five doublings
/// give; the doubled branch of a decision has no centred one and a doubling less.
pub(super) const SLOTS_MAX: usize = 20;

/// Most [`RootCube::branch`]es of a search.
pub(super) const BRANCHES: usize = 2;

/// Branches whose values are wanted, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Branches(u8);

impl Branches {
    /// The first branch alone.
    pub(super) const FIRST: Branches = Branches(1);

    /// Returns the first `count` branches.
    pub(super) const fn first(count: usize) -> Branches {
        Branches((1 << count) - 1)
    }

    /// Returns the branches in which a reply with these weights is chosen.
    pub(super) fn of(weights: &[f64; BRANCHES]) -> Branches {
        let bits = weights.iter().enumerate();
        Branches(bits.fold(0, |bits, (branch, &weight)| {
            bits | u8::from(weight > 0.0) << branch
        }))
    }

    /// Returns the numbers of these branches, in their order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..BRANCHES).filter(move |branch| self.0 >> branch & 1 == 1)
    }
}

/// A cube whose value is wanted at the root.
#[derive(Debug, Clone, Copy)]
pub(super) struct RootCube {
    /// The cube, seen by the player on roll.
    pub(super) cube: CubeState,
    /// Plays below it are chosen for the cube of this branch (PLY-03).
    pub(super) branch: usize,
}

/// Values of the cubes of one level, in their order.
pub(super) type Slots = [f64; SLOTS_MAX];

/// One level: the player on roll there is the root's when the level is even.
#[derive(Debug, Clone)]
pub(super) struct SearchLevel {
    /// The cubes whose values are wanted, seen by the player on roll.
    pub(super) wanted: Vec<RequestedCube>,
    /// The cubes in play once he has doubled or not, each once in a branch, seen by him.
    expanded: Vec<RootCube>,
    /// True if the value of one of them needs the chances after the next roll, where a table has them (CUBE-13, CUBE-14).
    needs_next: bool,
}

/// A cube whose value is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedCube {
    /// Its branch.
    pub(super) branch: usize,
    /// The slot of the same cube after no double.
    same: usize,
    /// The slot of the doubled cube, when it may be doubled.
    doubled: Option<usize>,
    /// Value of the opponent's pass.
    cash: f64,
}

impl RequestedCube {
    /// Returns the better one of not doubling and doubling, which the opponent takes or passes.
    #[inline]
    fn better(&self, none: f64, take: f64) -> f64 {
        if take >= none && self.cash >= none {
            take.min(self.cash)
        } else {
            none
        }
    }
}

/// Values of many leaves, a column for each cube, and room to compute them.
#[derive(Debug, Default)]
pub(super) struct SlotColumns {
    below: Vec<Vec<f64>>,
    pub(super) values: Vec<Vec<f64>>,
}

impl SlotColumns {
    /// Returns the values of one leaf.
    pub(super) fn slots(&self, leaf: usize) -> Slots {
        let mut slots = [0.0; SLOTS_MAX];
        for (slot, values) in slots.iter_mut().zip(&self.values) {
            *slot = values[leaf];
        }
        slots
    }
}

/// All levels of a search and the stakes of the two players.
#[derive(Debug)]
pub(super) struct SlotPlan {
    levels: Vec<SearchLevel>,
    is_money: bool,
}

impl SlotPlan {
    /// Plans for `plies` below these cubes of the root. With `no_double_first` the player on roll at the root may not
    /// double again (the query is about that decision). `stakes` are those of the root's player and of the other.
    pub(super) fn new(
        stakes: &[Stakes; 2],
        root: &[RootCube],
        no_double_first: bool,
        plies: usize,
    ) -> SlotPlan {
        let is_money = stakes[0].is_money();
        let mut levels = Vec::with_capacity(plies + 1);
        let mut states: Vec<RootCube> = root.to_vec();
        for level in 0..=plies {
            let stakes = &stakes[level % 2];
            let mut expanded: Vec<RootCube> = Vec::new();
            let mut slot = |cube: CubeState, branch: usize| {
                // In money play values are per unit of the cube: only its owner counts.
                let doublings = if is_money { 0 } else { cube.doublings };
                let cube = CubeState { doublings, ..cube };
                let same = |other: &RootCube| other.cube == cube && other.branch == branch;
                expanded.iter().position(same).unwrap_or_else(|| {
                    expanded.push(RootCube { cube, branch });
                    expanded.len() - 1
                })
            };
            let wanted = states.iter().map(|&RootCube { cube, branch }| {
                let may = stakes.may_double(cube) && !(no_double_first && level == 0);
                RequestedCube {
                    branch,
                    same: slot(cube, branch),
                    doubled: may.then(|| slot(cube.doubled(), branch)),
                    cash: stakes.cash(cube),
                }
            });
            let wanted: Vec<RequestedCube> = wanted.collect();
            assert!(expanded.len() <= SLOTS_MAX, "too many cubes in a search");
            let swapped = |&RootCube { cube, branch }: &RootCube| RootCube {
                cube: cube.swapped(),
                branch,
            };
            states = expanded.iter().map(swapped).collect();
            let by_rolls = |it: &RootCube| stakes.is_known_after_rolls(it.cube);
            let needs_next = expanded.iter().any(by_rolls);
            levels.push(SearchLevel {
                wanted,
                expanded,
                needs_next,
            });
        }
        SlotPlan { levels, is_money }
    }

    /// Returns the values of the cubes wanted at `level`, from those of the cubes one level deeper, already seen by
    /// the player on roll at this level.
    pub(super) fn combine(&self, level: usize, below: &Slots) -> Slots {
        let mut values = [0.0; SLOTS_MAX];
        for (value, wanted) in values.iter_mut().zip(&self.levels[level].wanted) {
            let none = below[wanted.same];
            *value = match wanted.doubled {
                None => none,
                Some(slot) if self.is_money => wanted.better(none, 2.0 * below[slot]),
                Some(slot) => wanted.better(none, below[slot]),
            };
        }
        values
    }

    /// Writes the values of the cubes wanted at `level` for positions that end a search in a match, as [`SlotPlan::leaf`]
    /// does for each: a column for each cube.
    pub(super) fn leaves(
        &self,
        level: usize,
        stakes: &Stakes,
        leaves: &mut LeafColumns,
        columns: &mut SlotColumns,
    ) {
        let SlotColumns { below, values } = columns;
        let SearchLevel {
            wanted, expanded, ..
        } = &self.levels[level];
        let cubes = expanded.iter().map(|slot| slot.cube);
        leaves.values(stakes, cubes, below);
        values.resize(wanted.len(), Vec::new());
        for (values, wanted) in values.iter_mut().zip(wanted) {
            values.clear();
            let none = &below[wanted.same];
            match wanted.doubled {
                None => values.extend_from_slice(none),
                Some(slot) => {
                    let both = none.iter().zip(&below[slot]);
                    values.extend(both.map(|(&none, &take)| wanted.better(none, take)));
                }
            }
        }
    }

    /// Returns the values of the cubes wanted at `level` for a position that ends the search.
    pub(super) fn leaf(&self, level: usize, stakes: &Stakes, leaf: Leaf) -> Slots {
        let valuer = Valuer::new(stakes, leaf);
        let mut below = [0.0; SLOTS_MAX];
        for (value, wanted) in below.iter_mut().zip(&self.levels[level].expanded) {
            *value = valuer.value(wanted.cube);
        }
        self.combine(level, &below)
    }

    /// Returns true if a value at this level needs the chances after the next roll, where a table has them (CUBE-13,
    /// CUBE-14).
    pub(super) fn needs_next(&self, level: usize) -> bool {
        self.levels[level].needs_next
    }

    /// Returns the branch of each cube wanted at a level.
    pub(super) fn branches(&self, level: usize) -> impl Iterator<Item = usize> {
        self.levels[level].wanted.iter().map(|wanted| wanted.branch)
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
