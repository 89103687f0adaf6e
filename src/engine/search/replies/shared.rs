//! The replies of several searches at one node: the searches differ only in what results are worth, as those of one
//! position at several scores do.
//!
//! Plays are generated and evaluated once; each search prunes and chooses for itself, as it does alone.

use super::{BRANCHES, Branches, Choice, Evaluated, KeptPlays, Needs, Reply, Scratch, least};
use crate::equity::{GammonPrices, Leaf};
use gammond_game::{Chances, Position, Roll};

/// The replies of several searches, equal ones once.
#[derive(Debug, Default)]
pub(in crate::search) struct SharedReplies {
    /// The positions after the replies, and their static chances where they were needed.
    pub(in crate::search) positions: Vec<(Position, Option<Chances>)>,
    /// For each search its replies, with their places in `positions`.
    pub(in crate::search) of_each: Vec<Vec<(usize, Reply)>>,
}

/// The plays that searches with these prices keep.
struct KeptAt {
    prices: GammonPrices,
    plays: KeptPlays,
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
        let mut leaves: Vec<Option<Leaf>> = vec![None; self.batch.len()];
        let next =
            (searches.iter()).any(|(choice, branches)| needs_next(choice, *branches, 1 - side));
        let mut shared = SharedReplies::default();
        let mut place_of: Vec<usize> = vec![0; self.unique.positions.len()];
        for (&(choice, branches), kept_of) in searches.iter().zip(&kept_of) {
            let mut best = [[0; Roll::ALL.len()]; BRANCHES];
            for branch in branches.iter() {
                let plays = &kept[kept_of[branch]].plays;
                let needs = [next, needs_next(choice, branches, 1 - side)];
                let values = self.values_of((choice, branch, 1 - side), plays, &mut leaves, needs);
                for (roll, best) in best[branch].iter_mut().enumerate() {
                    *best = least(plays.of_roll(roll), |play| values[play as usize]);
                }
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
    ) -> (Vec<KeptAt>, Vec<[usize; BRANCHES]>) {
        self.gather(position, &Roll::ALL);
        self.unique.clear();
        self.place.clear();
        self.batch.clear();
        let reference = position.swapped();
        let mut kept: Vec<KeptAt> = Vec::new();
        let mut kept_of = Vec::with_capacity(searches.len());
        for &(choice, branches) in searches {
            let mut of = [0; BRANCHES];
            for branch in branches.iter() {
                let cube = choice.selection(branch, 1 - side).cube;
                let prices = choice.stakes[1 - side].cubeless_prices(cube);
                let known = kept.iter().position(|known| known.prices == prices);
                of[branch] = known.unwrap_or_else(|| {
                    self.quick[branch].clear();
                    self.quick[branch].resize(self.all.len(), None);
                    let pruning = choice.pruning.as_ref();
                    if let Some(pruning) = pruning {
                        self.score_for_pruning(choice, pruning, (side, branch), &reference);
                    }
                    self.choose_evaluated(choice, branch, pruning, evaluated);
                    let plays = std::mem::take(&mut self.kept[branch]);
                    kept.push(KeptAt { prices, plays });
                    kept.len() - 1
                });
            }
            kept_of.push(of);
        }
        (kept, kept_of)
    }

    /// Returns the value of each evaluated play that a branch keeps, to the player on roll after it, with the cube and
    /// without, by its number in `unique`.
    fn values_of(
        &self,
        (choice, branch, side): (&Choice<'_>, usize, usize),
        kept: &KeptPlays,
        leaves: &mut [Option<Leaf>],
        [any_needs_next, needs_next]: [bool; 2],
    ) -> Vec<Option<(f64, f64)>> {
        let (stakes, selection) = (&choice.stakes[side], choice.selection(branch, side));
        let mut values = vec![None; self.unique.positions.len()];
        for &play in &kept.plays {
            let place = self.place[play as usize] as usize;
            let value = &mut values[play as usize];
            if place == 0 || value.is_some() {
                continue;
            }
            let chances = self.full[place - 1];
            let cubeless = stakes.cubeless(selection.cube, &chances);
            let first = match &selection.plan {
                None => cubeless,
                Some(plan) => {
                    let leaf = leaves[place - 1].get_or_insert_with(|| {
                        let needs = Needs {
                            next: any_needs_next,
                            near: false,
                        };
                        (choice.leaves).leaf(&self.batch[place - 1], chances, needs)
                    });
                    plan.leaf(0, stakes, leaf.with_next(needs_next))[0]
                }
            };
            *value = Some((first, cubeless));
        }
        values
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

/// Returns true if a value of the player on this side needs the chances after the next roll in one of the branches.
fn needs_next(choice: &Choice<'_>, branches: Branches, side: usize) -> bool {
    branches.iter().any(|branch| {
        let plan = choice.selection(branch, side).plan.as_ref();
        plan.is_some_and(|plan| plan.needs_next(0))
    })
}
