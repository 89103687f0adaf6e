//! A race table that is being made, level by level (RACE-03 to RACE-05).
//!
//! A level needs the laws of the 24 levels below it and nothing else, and those are read back from the file: a killed
//! run resumes from its file alone, and the end is the same to the byte.

use super::super::block::{self, BLOCK, ROLLS, RollDistribution, WHOLE};
use super::super::order::Order;
use crate::bearoff::make::ROLLS as DICE;
use crate::bearoff::numbering::{Numbering, Steps};

/// Pips that one roll plays at most: the number of levels that a level depends on.
pub(super) const REACH: usize = 24;
/// The same for one die.
pub(super) const STEP: usize = 6;
/// Positions that a thread takes at a time: whole blocks.
pub(super) const SHARE: usize = 64 * BLOCK;

/// `best[k][die - 1]`: where the best play of `k + 1` steps of `die` leads.
pub(super) type Best = [[u32; 6]; 3];

/// Results for the positions of a level under one goal, by their number in it.
#[derive(Default)]
pub(super) struct LevelResults {
    /// For each position the index of its first value, the number of rolls it stands for, and the number of values.
    spans: Vec<(u32, u8, u8)>,
    values: Vec<u16>,
    pub(super) best: Vec<Best>,
}

impl LevelResults {
    fn push(&mut self, roll_distribution: &RollDistribution) {
        let span = (
            self.values.len() as u32,
            roll_distribution.first,
            roll_distribution.count,
        );
        self.spans.push(span);
        self.values.extend(roll_distribution.run());
    }
}

/// A goal: to bear off all checkers, or the first of fifteen.
pub(super) struct Goal {
    /// First index of the positions that have not reached it.
    first: usize,
    /// Entries by index, from `first` on: the number in the level, and 65535 times the mean.
    slots: Vec<u32>,
    means: Vec<u32>,
    pub(super) levels: Vec<LevelResults>,
}

/// The best play so far: the smallest mean, and the first that has it.
struct Choice {
    mean: u32,
    index: u32,
}

impl Choice {
    const NONE: Choice = Choice {
        mean: u32::MAX,
        index: 0,
    };
}

/// Results of a thread for some positions of a level.
#[derive(Default)]
pub(super) struct Share {
    pub(super) blocks: Vec<u8>,
    pub(super) lengths: Vec<u32>,
    pub(super) indices: Vec<u32>,
    /// For each goal the positions that have not reached it, and their means.
    goals: [(LevelResults, Vec<u32>); 2],
}

impl Share {
    /// Adds the laws of the next position.
    pub(super) fn push(&mut self, firsts: [usize; 2], index: u32, pair: &[RollDistribution; 2]) {
        for ((first, (level, means)), roll_distribution) in
            firsts.iter().zip(&mut self.goals).zip(pair)
        {
            if index as usize >= *first {
                level.push(roll_distribution);
                means.push(roll_distribution.mean());
            }
        }
    }
}

/// A table that is being made.
pub(super) struct TableBuilder {
    pub(super) numbering: Numbering,
    pub(super) order: Order,
    /// Pips by index.
    pips: Vec<u8>,
    pub(super) goals: [Goal; 2],
}

impl TableBuilder {
    pub(super) fn new(numbering: Numbering) -> TableBuilder {
        let order = Order::new(numbering);
        let (positions, levels) = (numbering.positions(), order.levels());
        let saved = numbering.first_with(15).min(positions);
        let goal = |first| Goal {
            first,
            slots: vec![0; positions - first],
            means: vec![0; positions - first],
            levels: (0..levels).map(|_| LevelResults::default()).collect(),
        };
        TableBuilder {
            pips: vec![0; positions],
            goals: [1, saved].map(goal),
            numbering,
            order,
        }
    }

    /// Returns the index from which on each goal is still to be reached.
    pub(super) fn firsts(&self) -> [usize; 2] {
        [self.goals[0].first, self.goals[1].first]
    }

    #[inline]
    fn mean(goal: &Goal, index: u32) -> u32 {
        match (index as usize).checked_sub(goal.first) {
            Some(at) => goal.means[at],
            None => 0,
        }
    }

    /// Returns the index that the best play of `steps` more steps of `die` from `index` leads to.
    #[inline]
    fn further(&self, goal: &Goal, index: u32, steps: usize, die: usize) -> u32 {
        match (index as usize).checked_sub(goal.first) {
            Some(at) if steps > 0 => {
                let level = &goal.levels[usize::from(self.pips[index as usize])];
                // Missing only where a resumed table is not read.
                let best = level.best.get(goal.slots[at] as usize);
                best.map_or(index, |best| best[steps - 1][die - 1])
            }
            _ => index,
        }
    }

    /// Offers all steps of `die`, each followed by the best `more` steps of `then`.
    #[inline]
    fn offer(
        &self,
        goal: &Goal,
        choice: &mut Choice,
        steps: &Steps,
        (die, more, then): (usize, usize, usize),
    ) {
        steps.each(die, |after| {
            let index = self.further(goal, after, more, then);
            let mean = Self::mean(goal, index);
            if mean < choice.mean {
                *choice = Choice { mean, index };
            }
        });
    }

    /// Returns the indices that the best plays of one to three equal steps lead to.
    pub(super) fn best(&self, goal: &Goal, steps: &Steps) -> Best {
        let mut best = [[0; 6]; 3];
        for (more, row) in best.iter_mut().enumerate() {
            for (die, place) in (1..).zip(row) {
                let mut choice = Choice::NONE;
                self.offer(goal, &mut choice, steps, (die, more, die));
                *place = choice.index;
            }
        }
        best
    }

    /// Computes the distribution of the number of rolls (RACE-03).
    fn roll_distribution(&self, goal: &Goal, steps: &Steps) -> RollDistribution {
        let mut sums = [0_u32; ROLLS];
        for (high, low, weight) in DICE {
            let mut choice = Choice::NONE;
            if high == low {
                self.offer(goal, &mut choice, steps, (high, 3, high));
            } else {
                self.offer(goal, &mut choice, steps, (high, 1, low));
                self.offer(goal, &mut choice, steps, (low, 1, high));
            }
            let index = choice.index as usize;
            let Some(at) = index.checked_sub(goal.first) else {
                sums[1] += weight * WHOLE;
                continue;
            };
            let level = &goal.levels[usize::from(self.pips[index])];
            let (start, first, count) = level.spans[goal.slots[at] as usize];
            let values = &level.values[start as usize..][..usize::from(count)];
            let from = usize::from(first) + 1;
            for (sum, &value) in sums[from.min(ROLLS)..].iter_mut().zip(values) {
                *sum += weight * u32::from(value);
            }
            // Positions that need more rolls than there is room for count for the last.
            for &value in values.iter().skip(ROLLS.saturating_sub(from)) {
                sums[ROLLS - 1] += weight * u32::from(value);
            }
        }
        RollDistribution::of_sums(&sums)
    }

    /// Works out positions of a level from number `from` on.
    pub(super) fn share(&self, pips: usize, from: usize) -> Share {
        let mut left = (self.order.level(pips) - from).min(SHARE);
        let mut share = Share::default();
        let mut pairs: Vec<[RollDistribution; 2]> = Vec::with_capacity(BLOCK);
        self.order.each(pips, from, &mut |counts| {
            left -= 1;
            let index = self.numbering.index(*counts).unwrap_or_default();
            let steps = Steps::of(self.numbering, index);
            share.indices.push(index as u32);
            let mut pair = [RollDistribution::REACHED, RollDistribution::NONE];
            for (k, goal) in self.goals.iter().enumerate() {
                if index >= goal.first {
                    pair[k] = self.roll_distribution(goal, &steps);
                    share.goals[k].0.best.push(self.best(goal, &steps));
                }
            }
            share.push(self.firsts(), index as u32, &pair);
            pairs.push(pair);
            if pairs.len() == BLOCK || left == 0 {
                let before = share.blocks.len();
                block::pack(&pairs, &mut share.blocks);
                let length = share.blocks.len() - before;
                share.lengths.push(length as u32);
                pairs.clear();
            }
            left > 0
        });
        share
    }

    /// Enters the results of the next positions of a level into the tables.
    pub(super) fn take(&mut self, pips: usize, share: &Share) {
        for (goal, (found, means)) in self.goals.iter_mut().zip(&share.goals) {
            let level = &mut goal.levels[pips];
            let indices = share.indices.iter();
            let indices = indices.filter_map(|&index| (index as usize).checked_sub(goal.first));
            for ((at, &mean), slot) in indices.zip(means).zip(level.spans.len() as u32..) {
                goal.slots[at] = slot;
                goal.means[at] = mean;
            }
            let base = level.values.len() as u32;
            let spans = found.spans.iter();
            level
                .spans
                .extend(spans.map(|&(at, first, count)| (base + at, first, count)));
            level.values.extend(&found.values);
            level.best.extend(&found.best);
        }
        for &index in &share.indices {
            self.pips[index as usize] = pips as u8;
        }
    }

    /// Forgets data that the levels after `pips` do not need.
    pub(super) fn forget(&mut self, pips: usize) {
        for goal in &mut self.goals {
            if let Some(old) = pips.checked_sub(REACH) {
                goal.levels[old] = LevelResults::default();
            }
            if let Some(old) = pips.checked_sub(STEP) {
                goal.levels[old].best = Vec::new();
            }
        }
    }
}
