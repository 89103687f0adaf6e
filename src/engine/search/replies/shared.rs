//! The replies of several searches at one node: the searches differ only in what results are worth, as those of one
//! position at several scores do.
//!
//! Plays are generated and evaluated once; each search prunes and chooses for itself, as it does alone.

use super::{BRANCHES, Branches, Choice, Evaluated, KeptPlays, Needs, Reply, Scratch, least};
use crate::equity::GammonPrices;
use gammond_game::{Chances, Position, Roll};

/// The replies of several searches, equal ones once.
#[derive(Debug, Default)]
pub(in crate::search) struct SharedReplies {
    /// The positions after the replies, and their static chances where they were needed.
    pub(in crate::search) positions: Vec<(Position, Option<Chances>)>,
    /// For each search its replies, with their places in `positions`.
    pub(in crate::search) of_each: Vec<Vec<(usize, Reply)>>,
}

impl Scratch {
    /// Chooses the replies to all rolls for the player on roll (`side`) at `position`, for each search in its branches.
    pub(in crate::search) fn choose_shared(
        &mut self,
        searches: &[(&Choice<'_>, Branches)],
        side: usize,
        position: &Position,
        evaluated: Evaluated,
    ) -> SharedReplies {
        let Some((first, _)) = searches.first() else {
            return SharedReplies::default();
        };
        let (kept, kept_of) = self.keep_shared(searches, side, position, evaluated);
        let reference = position.swapped();
        (first.leaves).chances(
            Some(&reference),
            &self.batch,
            &mut self.misses,
            &mut self.full,
        );
        self.fill_leaves(searches, 1 - side);
        let mut shared = SharedReplies::default();
        let mut place_of: Vec<usize> = vec![0; self.unique.positions.len()];
        for (&(choice, branches), kept_of) in searches.iter().zip(&kept_of) {
            let mut best = [[0; Roll::ALL.len()]; BRANCHES];
            for branch in branches.iter() {
                let plays = &kept[kept_of[branch]];
                self.best_of_each(plays, (choice, branch, 1 - side), &mut best[branch]);
            }
            let mut replies: Vec<(u32, usize, Reply)> = Vec::with_capacity(Roll::ALL.len());
            for (index, roll) in Roll::ALL.iter().enumerate() {
                for branch in branches.iter() {
                    let best = best[branch][index];
                    let known = replies.iter().position(|(play, ..)| *play == best);
                    let at = known.unwrap_or_else(|| {
                        let reply = self.reply(best);
                        let place = &mut place_of[best as usize];
                        if *place == 0 {
                            shared.positions.push((reply.position, reply.chances));
                            *place = shared.positions.len();
                        }
                        replies.push((best, *place - 1, reply));
                        replies.len() - 1
                    });
                    let (.., reply) = &mut replies[at];
                    reply.weights[branch] += f64::from(roll.weight());
                    reply.rolls |= 1 << index;
                }
            }
            let replies = replies.into_iter().map(|(_, place, reply)| (place, reply));
            shared.of_each.push(replies.collect());
        }
        shared
    }

    /// Generates the plays and keeps those that may be best, for each different worth of the results once. Returns also
    /// which of them each branch of each search has.
    fn keep_shared(
        &mut self,
        searches: &[(&Choice<'_>, Branches)],
        side: usize,
        position: &Position,
        evaluated: Evaluated,
    ) -> (Vec<KeptPlays>, Vec<[usize; BRANCHES]>) {
        self.gather(position, &Roll::ALL);
        self.forget_kept();
        let reference = position.swapped();
        // The different prices, each with the first branch that has them.
        let mut different: Vec<(GammonPrices, &Choice<'_>, usize)> = Vec::new();
        let mut kept_of = Vec::with_capacity(searches.len());
        for &(choice, branches) in searches {
            let mut of = [0; BRANCHES];
            for branch in branches.iter() {
                let cube = choice.selection(branch, 1 - side).cube;
                let prices = choice.stakes[1 - side].cubeless_prices(cube);
                let known = different.iter().position(|(known, ..)| *known == prices);
                of[branch] = known.unwrap_or_else(|| {
                    different.push((prices, choice, branch));
                    different.len() - 1
                });
            }
            kept_of.push(of);
        }
        if let Some((_, choice, _)) = different.first()
            && let Some(pruning) = &choice.pruning
        {
            let slopes = |&(_, choice, branch): &(GammonPrices, &Choice<'_>, usize)| {
                choice.selection(branch, 1 - side).slopes
            };
            let slopes: Vec<[f32; 5]> = different.iter().map(slopes).collect();
            self.rank_all(choice, pruning, &slopes, &reference);
        }
        let mut kept = Vec::with_capacity(different.len());
        for (number, &(_, choice, branch)) in different.iter().enumerate() {
            match &choice.pruning {
                Some(pruning) => {
                    let of = (side, branch);
                    self.score_for_pruning(choice, pruning, of, number, &reference);
                }
                None => self.leave_unjudged(branch),
            }
            self.choose_evaluated(choice, branch, choice.pruning.as_ref(), evaluated);
            kept.push(std::mem::take(&mut self.kept[branch]));
        }
        (kept, kept_of)
    }

    /// Prepares the evaluated positions for their values to the player on roll in them (`side`).
    fn fill_leaves(&mut self, searches: &[(&Choice<'_>, Branches)], side: usize) {
        let plan = |(choice, branch): (&Choice<'_>, usize)| {
            let plan = choice.selection(branch, side).plan.as_ref();
            plan.map(|plan| plan.needs_next(0))
        };
        let plans = searches.iter().flat_map(|&(choice, branches)| {
            branches
                .iter()
                .filter_map(move |branch| plan((choice, branch)))
        });
        // No search has the cube, or one of them needs what the next roll brings.
        let Some(next) = plans.reduce(|one, other| one || other) else {
            return;
        };
        let needs = Needs { next, near: false };
        let choice = searches[0].0;
        let positions = self.batch.iter().zip(&self.full);
        let leaf = |(position, &chances)| choice.leaves.leaf(position, chances, needs);
        self.leaves.fill(positions.map(leaf));
    }

    /// Writes the best play of each roll in a branch, of those that it keeps, as numbers in `unique`.
    fn best_of_each(
        &mut self,
        kept: &KeptPlays,
        (choice, branch, side): (&Choice<'_>, usize, usize),
        best: &mut [u32],
    ) {
        let (stakes, selection) = (&choice.stakes[side], choice.selection(branch, side));
        let prices = stakes.cubeless_prices(selection.cube);
        if let Some(plan) = &selection.plan {
            plan.leaves(0, stakes, &mut self.leaves, &mut self.columns);
        }
        let place = |play: u32| (self.place[play as usize] as usize).checked_sub(1);
        let cubeless = |place: usize| prices.utility(&self.full[place]);
        let values = selection.plan.as_ref().map(|_| &self.columns.values[0]);
        let value = |place| values.map_or_else(|| cubeless(place), |values| values[place]);
        for (roll, best) in best.iter_mut().enumerate() {
            *best = least(kept.of_roll(roll), place, value, cubeless);
        }
    }

    /// Returns a reply without weights.
    fn reply(&self, number: u32) -> Reply {
        let place = self.place[number as usize] as usize;
        Reply {
            position: self.unique.positions[number as usize],
            chances: (place > 0).then(|| self.full[place - 1]),
            weights: [0.0; BRANCHES],
            rolls: 0,
        }
    }
}
