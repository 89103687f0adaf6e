//! The values of many leaves at one score of a match: the same numbers as those of a [`Valuer`], several at a time in the
//! vectors of the CPU.

use super::cubeful::{Leaf, Shares, Valuer, cash_points, last_cash_points, live_match, slot};
use super::stakes::{CubeState, Stakes};
use crate::nn::{CpuLevel, Integers, Kernel};
use gammond_game::CubeOwner;

/// Leaves beside each other: a column for each of their numbers.
#[derive(Debug)]
pub(crate) struct LeafColumns {
    cpu: CpuLevel,
    chances: [Vec<f64>; 5],
    mine: [Vec<f64>; 3],
    theirs: [Vec<f64>; 3],
    efficiency: [Vec<f64>; 3],
    /// True if the cube model is our own, as [`Leaf::by_position`].
    by_position: bool,
    /// Leaves of which tables know more, with their places. Each is valued by itself.
    known: Vec<(usize, Leaf)>,
    /// The points at which I and the opponent cash.
    points: [Vec<f64>; 2],
}

impl Default for LeafColumns {
    fn default() -> LeafColumns {
        LeafColumns {
            cpu: CpuLevel::detect(),
            chances: Default::default(),
            mine: Default::default(),
            theirs: Default::default(),
            efficiency: Default::default(),
            by_position: false,
            known: Vec::new(),
            points: Default::default(),
        }
    }
}

impl LeafColumns {
    /// Holds these leaves instead of others.
    pub(crate) fn fill(&mut self, leaves: impl Iterator<Item = Leaf>) {
        self.known.clear();
        let columns = (self.chances.iter_mut())
            .chain(&mut self.mine)
            .chain(&mut self.theirs)
            .chain(&mut self.efficiency);
        columns.for_each(Vec::clear);
        for (at, leaf) in leaves.enumerate() {
            let of = &leaf.chances;
            push(&mut self.chances, of.to_array().map(f64::from));
            push(&mut self.mine, Shares::mine(of).0);
            push(&mut self.theirs, Shares::theirs(of).0);
            push(&mut self.efficiency, leaf.efficiency);
            self.by_position = leaf.by_position;
            if leaf.exact.is_some() || leaf.next.is_some() {
                self.known.push((at, leaf));
            }
        }
        let length = self.len();
        for points in &mut self.points {
            points.resize(length, 0.0);
        }
    }

    /// Returns the number of leaves.
    pub(crate) fn len(&self) -> usize {
        self.chances[0].len()
    }

    /// Writes the values of the leaves with each of these cubes at a score of a match, as [`Valuer::value`] of each leaf, a
    /// column for each cube.
    pub(crate) fn values(
        &mut self,
        stakes: &Stakes,
        cubes: impl Iterator<Item = CubeState> + Clone,
        values: &mut Vec<Vec<f64>>,
    ) {
        let count = cubes.clone().count();
        if values.len() < count {
            values.resize(count, Vec::new());
        }
        for column in values.iter_mut() {
            column.resize(self.len(), 0.0);
        }
        let cpu = self.cpu;
        cpu.run(ValueKernel {
            columns: self,
            stakes,
            cubes: cubes.clone(),
            values,
        });
        for &(at, leaf) in &self.known {
            let valuer = Valuer::new(stakes, leaf);
            for (cube, column) in cubes.clone().zip(values.iter_mut()) {
                column[at] = valuer.value(cube);
            }
        }
    }
}

fn push<const N: usize>(columns: &mut [Vec<f64>; N], numbers: [f64; N]) {
    for (column, number) in columns.iter_mut().zip(numbers) {
        column.push(number);
    }
}

/// Returns the columns as slices of one length, so that no index into them is checked.
#[inline(always)]
fn slices<const N: usize>(columns: &[Vec<f64>; N], length: usize) -> [&[f64]; N] {
    std::array::from_fn(|n| &columns[n][..length])
}

/// Returns the numbers of one leaf.
#[inline(always)]
fn at<const N: usize>(columns: &[&[f64]; N], leaf: usize) -> [f64; N] {
    std::array::from_fn(|n| columns[n][leaf])
}

struct ValueKernel<'a, C> {
    columns: &'a mut LeafColumns,
    stakes: &'a Stakes,
    cubes: C,
    values: &'a mut [Vec<f64>],
}

impl<C: Iterator<Item = CubeState> + Clone> Kernel for ValueKernel<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        let ValueKernel {
            columns,
            stakes,
            cubes,
            values,
        } = self;
        let (mut least, mut most) = (u8::MAX, 0);
        for cube in cubes.clone() {
            least = least.min(cube.doublings);
            most = most.max(cube.doublings);
        }
        while stakes.last_levels(most).is_none() {
            most += 1;
        }
        // The points of a cube follow from those of the doubled one.
        for doublings in (least..=most).rev() {
            columns.cash(stakes, doublings);
            for (cube, column) in cubes.clone().zip(&mut *values) {
                if cube.doublings == doublings {
                    match cube.owner {
                        CubeOwner::Me => columns.value(stakes, cube, CubeOwner::Me, column),
                        CubeOwner::Centred => {
                            columns.value(stakes, cube, CubeOwner::Centred, column);
                        }
                        CubeOwner::Opponent => {
                            columns.value(stakes, cube, CubeOwner::Opponent, column);
                        }
                    }
                }
            }
        }
    }
}

impl LeafColumns {
    /// Makes the points at which a cube is cashed of those of the doubled one.
    #[inline(always)]
    fn cash(&mut self, stakes: &Stakes, doublings: u8) {
        let length = self.len();
        let (mine, theirs) = (slices(&self.mine, length), slices(&self.theirs, length));
        let [my_points, their_points] = &mut self.points;
        let (my_points, their_points) = (&mut my_points[..length], &mut their_points[..length]);
        let now = stakes.level(doublings, 0);
        let sides = |leaf| [Shares(at(&mine, leaf)), Shares(at(&theirs, leaf))];
        match stakes.last_levels(doublings) {
            Some(levels) => {
                for leaf in 0..length {
                    (my_points[leaf], their_points[leaf]) =
                        last_cash_points(&sides(leaf), now, levels);
                }
            }
            None => {
                let doubled = stakes.level(doublings, 1);
                for leaf in 0..length {
                    let next = (my_points[leaf], their_points[leaf]);
                    (my_points[leaf], their_points[leaf]) =
                        cash_points(&sides(leaf), now, doubled, next);
                }
            }
        }
    }

    /// Writes the values with a cube of this owner, whose points are known.
    #[inline(always)]
    fn value(&self, stakes: &Stakes, cube: CubeState, owner: CubeOwner, values: &mut [f64]) {
        let length = self.len();
        let chances = slices(&self.chances, length);
        let (mine, theirs) = (slices(&self.mine, length), slices(&self.theirs, length));
        let [efficiency] = slices(std::array::from_ref(&self.efficiency[slot(owner)]), length);
        let points = slices(&self.points, length);
        let values = &mut values[..length];
        let level = stakes.level(cube.doublings, 0);
        let prices = level.prices;
        let dead = |leaf| level.mwc_of(prices.utility_of(&at(&chances, leaf)));
        if stakes.is_cube_useless(cube) {
            for leaf in 0..length {
                values[leaf] = dead(leaf);
            }
            return;
        }
        let is_live = self.by_position && stakes.is_turned_next(cube);
        for leaf in 0..length {
            let sides = [Shares(at(&mine, leaf)), Shares(at(&theirs, leaf))];
            let points = (points[0][leaf], points[1][leaf]);
            let live = live_match((owner, chances[0][leaf]), &sides, level, points);
            let (dead, efficiency) = (dead(leaf), efficiency[leaf]);
            values[leaf] = if efficiency <= 0.0 {
                dead
            } else if is_live {
                live
            } else {
                dead + efficiency * (live - dead)
            };
        }
    }
}
