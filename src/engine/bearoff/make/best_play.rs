//! One side alone plays for a goal in as few rolls as possible on average.
//!
//! The table is made in index order, because every step leads to a smaller index. The positions that the four steps
//! of a double can reach are not listed: `best after k steps with this die` is kept for each position, so that a
//! double costs as little as any other roll. GNU Backgammon takes the first best play in its order of generation
//! (larger die first, then from the rear, depth first); the nested search visits results in that order, because of
//! the plays of equal steps to one result the one that moves the rear checkers first is legal whenever another is,
//! and comes first.

use super::super::numbering::Steps;
use super::ROLLS;

/// A probability distribution over the number of rolls, in some arithmetic.
pub(in super::super) trait RollDistribution: Copy {
    /// No further roll is needed.
    const REACHED: Self;
    /// Returns the law before a roll: the laws after each of the 21 rolls, with weights out of 36.
    fn before(after: &[(u32, Self); 21]) -> Self;
    /// Returns a value proportional to the mean number of rolls, for comparisons.
    fn mean(&self) -> u64;
}

/// The laws of a run of positions under best play.
pub(in super::super) struct BestPlayDistributions<L> {
    /// First index of the positions that have not reached the goal.
    first: usize,
    distributions: Vec<L>,
    means: Vec<u64>,
    /// `best[index][k][die - 1]`: where the best play of `k + 1` steps of `die` leads.
    best: Vec<[[u32; 6]; 3]>,
}

impl<L: RollDistribution> BestPlayDistributions<L> {
    /// Creates the laws; `reached` is the number of positions in which nothing is left to do; it counts at least the
    /// empty position.
    pub(in super::super) fn new(reached: usize, positions: usize) -> BestPlayDistributions<L> {
        let first = reached.max(1);
        let room = positions.saturating_sub(first);
        BestPlayDistributions {
            first,
            distributions: Vec::with_capacity(room),
            means: Vec::with_capacity(room),
            best: Vec::with_capacity(room),
        }
    }

    /// Returns the law of a position that has been added.
    pub(in super::super) fn roll_distribution(&self, index: usize) -> L {
        match index.checked_sub(self.first) {
            Some(at) => self.distributions[at],
            None => L::REACHED,
        }
    }

    /// Adds the next position, whose steps all lead to those added before.
    pub(in super::super) fn add(&mut self, steps: &Steps, index: usize) {
        if index < self.first {
            return;
        }
        let after = ROLLS.map(|(high, low, weight)| {
            let mut choice = Choice::new(self);
            if high == low {
                choice.offer(steps, high, 3, high);
            } else {
                choice.offer(steps, high, 1, low);
                choice.offer(steps, low, 1, high);
            }
            (weight, self.roll_distribution(choice.index as usize))
        });
        let mut best = [[0; 6]; 3];
        for (more, row) in best.iter_mut().enumerate() {
            for (die, place) in (1..).zip(row) {
                let mut choice = Choice::new(self);
                choice.offer(steps, die, more, die);
                *place = choice.index;
            }
        }
        let roll_distribution = L::before(&after);
        self.means.push(roll_distribution.mean());
        self.distributions.push(roll_distribution);
        self.best.push(best);
    }

    #[inline]
    fn mean(&self, index: u32) -> u64 {
        match (index as usize).checked_sub(self.first) {
            Some(at) => self.means[at],
            None => 0,
        }
    }

    /// Returns the index that the best play of `steps` more steps of `die` from `index` leads to.
    #[inline]
    fn further(&self, index: u32, steps: usize, die: usize) -> u32 {
        match (index as usize).checked_sub(self.first) {
            Some(at) if steps > 0 => self.best[at][steps - 1][die - 1],
            _ => index,
        }
    }
}

/// The first of the best results offered (`BEAR-21`).
struct Choice<'a, L> {
    table: &'a BestPlayDistributions<L>,
    mean: u64,
    index: u32,
}

impl<L: RollDistribution> Choice<'_, L> {
    fn new(table: &BestPlayDistributions<L>) -> Choice<'_, L> {
        Choice {
            table,
            mean: u64::MAX,
            index: 0,
        }
    }

    /// Offers all steps of `die`, each followed by the best `more` steps of `then`.
    #[inline]
    fn offer(&mut self, steps: &Steps, die: usize, more: usize, then: usize) {
        steps.each(die, |after| {
            let index = self.table.further(after, more, then);
            let mean = self.table.mean(index);
            if mean < self.mean {
                self.mean = mean;
                self.index = index;
            }
        });
    }
}
