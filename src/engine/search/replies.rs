//! The best reply to each roll, for all 21 rolls of a node at once (PLY-03, PLY-04).
//!
//! The plays of all rolls are gathered, each resulting position once; those that the quick net
//! finds poor are left out; the rest is evaluated in one batch.

mod shared;

pub(super) use shared::SharedReplies;

use super::cache::hash_of;
use super::choice::{Choice, Chooser, Pruning};
use super::leaves::{CacheMisses, Needs};
use super::slots::{BRANCHES, Branches, SlotColumns};
use crate::equity::LeafColumns;
use gammond_game::{Chances, Class, PlayGenerator, Position, Roll};

/// The position that one or several rolls lead to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply {
    /// The position after the reply, the other player on roll.
    pub(super) position: Position,
    /// Its static chances, where they were needed.
    pub(super) chances: Option<Chances>,
    /// Number of the 36 throws that lead here, for each branch.
    pub(super) weights: [f64; BRANCHES],
    /// The rolls of [`Roll::ALL`] that lead here, a bit each.
    pub(super) rolls: u32,
}

/// The best play of a roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestPlay {
    /// The position after it, the other player on roll.
    pub after: Position,
    /// Static chances of the other player there.
    pub chances: Chances,
    /// Value to the other player: with the cube, unless the settings are cubeless.
    pub value: f64,
}

/// A reply and the chances of the player who makes it.
#[derive(Clone, Copy, Debug)]
pub struct JudgedReply {
    /// The position after it, the other player on roll.
    pub after: Position,
    /// The chances of the player who moved.
    pub chances: Chances,
}

/// The replies to all rolls; equal ones are one.
#[derive(Debug)]
pub(super) struct Replies(pub(super) Vec<Reply>);

/// Room for the plays of one node, kept from node to node. One for each thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The plays of one roll.
    plays: Vec<Position>,
    /// The plays of all rolls, one roll after the other.
    all: Vec<Position>,
    /// Index in `all` of each roll's first play, and the end.
    starts: Vec<usize>,
    /// Value of each of `all` by the quick net, for each branch whose prices differ from the first one's.
    quick: [Vec<Option<f64>>; BRANCHES],
    /// Scores of `all` by the net that ranks, for each of the slopes one after the other; empty if there is no such net.
    scores: Vec<f64>,
    classes: Vec<Class>,
    group: Vec<u32>,
    /// The positions of `group`.
    group_positions: Vec<Position>,
    chances: Vec<Chances>,
    misses: CacheMisses,
    /// For each branch whose prices differ from the first one's.
    kept: [KeptPlays; BRANCHES],
    /// For each branch the number of its kept plays in `kept`.
    kept_of: [usize; BRANCHES],
    unique: Unique,
    /// For each of `all` its number in `unique` plus one, or 0 if it has none yet.
    numbers: Vec<u32>,
    /// For each unique position its place in `batch` plus one.
    place: Vec<u32>,
    /// Positions to evaluate.
    batch: Vec<Position>,
    full: Vec<Chances>,
    /// Values with and without the cube of the evaluated positions, for each branch.
    values: Vec<[(f64, f64); BRANCHES]>,
    ranked: Vec<(f64, u32)>,
    /// The evaluated positions, and their values, of several searches at once.
    pub(super) leaves: LeafColumns,
    pub(super) columns: SlotColumns,
}

/// The plays that a branch keeps.
#[derive(Debug, Default)]
struct KeptPlays {
    /// The plays of each roll that were kept, as numbers in `unique`, one roll after the other; behind them all plays
    /// of the roll that was requested whole.
    plays: Vec<u32>,
    /// Index of the first kept play of each roll and of the roll that was requested whole, and the end.
    starts: Vec<usize>,
}

impl KeptPlays {
    fn of_roll(&self, index: usize) -> &[u32] {
        &self.plays[self.starts[index]..self.starts[index + 1]]
    }
}

/// Keeps the plays of a roll that the quick net ranks best: at most `keep`, and none worse by more than the margin;
/// all if one was not evaluated. In order of generation, as ties of the evaluation go to the play found first.
fn keep_best(quick: &[Option<f64>], (keep, margin): (usize, f64), ranked: &mut Vec<(f64, u32)>) {
    ranked.clear();
    let mut least = f64::INFINITY;
    for &score in quick {
        least = score.unwrap_or(f64::NEG_INFINITY).min(least);
    }
    let all_judged = least > f64::NEG_INFINITY;
    let limit = if all_judged {
        least + margin
    } else {
        f64::INFINITY
    };
    for (play, score) in quick.iter().enumerate() {
        let score = score.unwrap_or_default();
        if score <= limit {
            ranked.push((score, play as u32));
        }
    }
    if !all_judged || ranked.len() <= keep {
        return;
    }
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    // A selection instead of a sort, because only the set of kept plays matters here.
    ranked.select_nth_unstable_by(keep - 1, order);
    ranked.truncate(keep);
    // Back in the order of generation, so that ties of the full evaluation do not depend on the quick net.
    ranked.sort_unstable_by_key(|play| play.1);
}

impl Replies {
    /// Chooses for the player on roll (`side`) at `position`, in each of `branches`. With [`Evaluated::Kept`] each
    /// reply has its static chances afterwards.
    pub(super) fn choose(
        choice: &Choice<'_>,
        branches: Branches,
        side: usize,
        position: &Position,
        evaluated: Evaluated,
        scratch: &mut Scratch,
    ) -> Replies {
        scratch.evaluate_branches(choice, branches, side, position, &Roll::ALL, evaluated);
        scratch.best(branches)
    }
}

/// The plays that are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluated {
    /// Those that pruning leaves, unless there is one only.
    Choices,
    /// Those that pruning leaves.
    Kept,
    /// Those that pruning leaves, and all plays of the roll of this number. These are the plays of a further roll, whose
    /// number is that of the rolls.
    KeptAndWhole(usize),
    /// All plays.
    All,
}

impl Scratch {
    /// Generates the plays of the rolls and evaluates those that may be best in the first branch.
    pub(super) fn evaluate(
        &mut self,
        choice: &Choice<'_>,
        side: usize,
        position: &Position,
        rolls: &[Roll],
        evaluated: Evaluated,
    ) {
        self.evaluate_branches(choice, Branches::FIRST, side, position, rolls, evaluated);
    }

    /// Generates the plays of the rolls and evaluates those that may be best in one of the branches.
    fn evaluate_branches(
        &mut self,
        choice: &Choice<'_>,
        branches: Branches,
        side: usize,
        position: &Position,
        rolls: &[Roll],
        evaluated: Evaluated,
    ) {
        self.gather(position, rolls);
        let reference = position.swapped();
        let pruning = choice.pruning.as_ref();
        let pruning = pruning.filter(|_| evaluated != Evaluated::All);
        self.forget_kept();
        // Pruning depends on the chances only, so that equal prices keep the same plays.
        let slopes = |branch| choice.selection(branch, 1 - side).slopes;
        let mut different: Vec<usize> = Vec::with_capacity(BRANCHES);
        for branch in branches.iter() {
            let same = |earlier: &&usize| slopes(**earlier) == slopes(branch);
            let earlier = different.iter().find(same).copied();
            self.kept_of[branch] = earlier.unwrap_or(branch);
            if earlier.is_none() {
                different.push(branch);
            }
        }
        if let Some(pruning) = pruning {
            let slopes: Vec<[f32; 5]> = different.iter().copied().map(slopes).collect();
            self.rank_all(choice, pruning, &slopes, &reference);
        }
        for (number, &branch) in different.iter().enumerate() {
            if let Some(pruning) = pruning {
                self.score_for_pruning(choice, pruning, (side, branch), number, &reference);
            } else {
                self.leave_unjudged(branch);
            }
            self.choose_evaluated(choice, branch, pruning, evaluated);
        }
        choice.leaves.chances(
            Some(&reference),
            &self.batch,
            &mut self.misses,
            &mut self.full,
        );
        self.score(choice, branches, 1 - side);
    }

    /// Begins with no play kept of those that were generated.
    fn forget_kept(&mut self) {
        self.unique.clear();
        self.numbers.clear();
        self.numbers.resize(self.all.len(), 0);
        self.place.clear();
        self.batch.clear();
    }

    /// Generates the plays of the rolls.
    fn gather(&mut self, position: &Position, rolls: &[Roll]) {
        let generator = PlayGenerator::new(position);
        self.all.clear();
        self.starts.clear();
        for &roll in rolls {
            self.starts.push(self.all.len());
            generator.plays(roll, &mut self.plays);
            // A dance counts as a play, so that every roll has a reply and the weights add up to 36.
            if self.plays.is_empty() {
                self.plays.push(position.swapped());
            }
            self.all.extend_from_slice(&self.plays);
        }
        self.starts.push(self.all.len());
    }

    /// Leaves all plays to the evaluator in a branch.
    fn leave_unjudged(&mut self, branch: usize) {
        self.quick[branch].clear();
        self.quick[branch].resize(self.all.len(), None);
    }

    /// Scores the plays by the net that prunes them, for the player on roll (side) in a branch, whose slopes have this number
    /// in [`Scratch::rank_all`].
    fn score_for_pruning(
        &mut self,
        choice: &Choice<'_>,
        pruning: &Pruning,
        of @ (_, branch): (usize, usize),
        number: usize,
        reference: &Position,
    ) {
        self.leave_unjudged(branch);
        match pruning.by {
            None => {
                if !self.rank(branch, number) {
                    self.quick_scores(choice, pruning, of, reference);
                }
            }
            Some(Chooser::Pruning) => {
                self.rank(branch, number);
                // Rolls with few plays are not pruned.
                for roll in 0..self.starts.len() - 1 {
                    let plays = self.starts[roll]..self.starts[roll + 1];
                    if !pruning.cuts(choice.leaves.evaluator, plays.len()) {
                        self.quick[branch][plays].fill(None);
                    }
                }
            }
            Some(Chooser::Quick) if reference.has_contact() => {
                self.group.clear();
                for roll in 0..self.starts.len() - 1 {
                    let plays = self.starts[roll]..self.starts[roll + 1];
                    if pruning.cuts(choice.leaves.evaluator, plays.len()) {
                        self.group.extend(plays.map(|play| play as u32));
                    }
                }
                self.score_group(choice, of, reference);
            }
            Some(_) => {}
        }
    }

    /// Scores all plays for each of these slopes, if the evaluator has a net that ranks.
    fn rank_all(
        &mut self,
        choice: &Choice<'_>,
        pruning: &Pruning,
        slopes: &[[f32; 5]],
        reference: &Position,
    ) {
        self.scores.clear();
        if !matches!(pruning.by, None | Some(Chooser::Pruning)) {
            return;
        }
        self.scores.resize(self.all.len() * slopes.len(), 0.0);
        let shortcuts = choice.leaves.evaluator.shortcuts();
        if !shortcuts.rank_quickly(reference, &self.all, slopes, &mut self.scores) {
            self.scores.clear();
        }
    }

    /// Takes the scores of the slopes with this number for a branch, if there are any.
    fn rank(&mut self, branch: usize, number: usize) -> bool {
        let scores = self.scores.chunks_exact(self.all.len().max(1)).nth(number);
        let Some(scores) = scores else {
            return false;
        };
        for (quick, &score) in self.quick[branch].iter_mut().zip(scores) {
            *quick = Some(score);
        }
        true
    }

    /// Scores the plays of those rolls that have many, one class at a time. Rolls whose plays lead
    /// to different classes, or to positions of a table, are not pruned.
    fn quick_scores(
        &mut self,
        choice: &Choice<'_>,
        pruning: &Pruning,
        of: (usize, usize),
        reference: &Position,
    ) {
        let evaluator = choice.leaves.evaluator;
        self.classes.clear();
        let classes = self.all.iter().map(|play| evaluator.class(play));
        self.classes.extend(classes);
        for class in [Class::Contact, Class::Crashed, Class::Race] {
            self.group.clear();
            for roll in 0..self.starts.len() - 1 {
                let plays = self.starts[roll]..self.starts[roll + 1];
                if pruning.cuts(evaluator, plays.len())
                    && self.classes[plays.clone()]
                        .iter()
                        .all(|&other| other == class)
                {
                    self.group.extend(plays.map(|play| play as u32));
                }
            }
            self.score_group(choice, of, reference);
        }
    }

    /// Scores the plays of `group` by the quick net.
    fn score_group(
        &mut self,
        choice: &Choice<'_>,
        (side, branch): (usize, usize),
        reference: &Position,
    ) {
        if self.group.is_empty() {
            return;
        }
        self.group_positions.clear();
        let positions = self.group.iter().map(|&play| self.all[play as usize]);
        self.group_positions.extend(positions);
        self.chances.clear();
        self.chances.resize(self.group.len(), Chances::default());
        let (positions, chances) = (&self.group_positions, &mut self.chances);
        let shortcuts = choice.leaves.evaluator.shortcuts();
        let known = shortcuts.evaluate_quickly(Some(reference), positions, chances);
        let cube = choice.selection(branch, 1 - side).cube;
        let stakes = &choice.stakes[1 - side];
        for (&play, chances) in self.group.iter().zip(&self.chances) {
            self.quick[branch][play as usize] = known.then(|| stakes.cubeless(cube, chances));
        }
    }

    /// Adds the positions that are to be evaluated for a branch, each once.
    fn choose_evaluated(
        &mut self,
        choice: &Choice<'_>,
        branch: usize,
        pruning: Option<&Pruning>,
        evaluated: Evaluated,
    ) {
        self.kept[branch].plays.clear();
        self.kept[branch].starts.clear();
        for roll in 0..self.starts.len() - 1 {
            let plays = self.starts[roll]..self.starts[roll + 1];
            let limits = match pruning {
                Some(pruning) => {
                    let keep = pruning.keep(choice.leaves.evaluator, plays.len());
                    (keep, pruning.margin)
                }
                None => (usize::MAX, f64::INFINITY),
            };
            keep_best(&self.quick[branch][plays.clone()], limits, &mut self.ranked);
            self.end_roll(branch);
            // A single play needs no evaluation, because its rank is certain.
            let alone = self.ranked.len() == 1 && evaluated == Evaluated::Choices;
            for index in 0..self.ranked.len() {
                let play = plays.start + self.ranked[index].1 as usize;
                self.keep(branch, play, !alone);
            }
        }
        self.end_roll(branch);
        if let Evaluated::KeptAndWhole(roll) = evaluated {
            for play in self.starts[roll]..self.starts[roll + 1] {
                self.keep(branch, play, true);
            }
            self.end_roll(branch);
        }
    }

    /// Notes that the plays kept so far are those of the rolls before.
    fn end_roll(&mut self, branch: usize) {
        let kept = &mut self.kept[branch];
        kept.starts.push(kept.plays.len());
    }

    /// Keeps a play, by its index in `all`, and lists its position for evaluation if it is wanted.
    fn keep(&mut self, branch: usize, play: usize, wanted: bool) {
        let position = self.all[play];
        let number = match self.numbers[play] {
            0 => {
                let number = self.unique.number(position);
                self.numbers[play] = number + 1;
                number
            }
            known => known - 1,
        };
        self.kept[branch].plays.push(number);
        self.place.resize(self.unique.positions.len(), 0);
        let place = &mut self.place[number as usize];
        if *place == 0 && wanted {
            self.batch.push(position);
            *place = self.batch.len() as u32;
        }
    }

    /// Computes the value of each evaluated position to the player on roll in it: with the cube, and without.
    fn score(&mut self, choice: &Choice<'_>, branches: Branches, side: usize) {
        let stakes = &choice.stakes[side];
        let next = branches.iter().any(|branch| {
            let plan = choice.selection(branch, side).plan.as_ref();
            plan.is_some_and(|plan| plan.needs_next(0))
        });
        // Plays differ by more than the nearly exact equities add, which take twenty times as long.
        let needs = Needs { next, near: false };
        self.values.clear();
        for (position, &chances) in self.batch.iter().zip(&self.full) {
            let mut leaf = None;
            let mut values = [(0.0, 0.0); BRANCHES];
            for branch in branches.iter() {
                let selection = choice.selection(branch, side);
                let cubeless = stakes.cubeless(selection.cube, &chances);
                let first = match &selection.plan {
                    None => cubeless,
                    Some(plan) => {
                        let leaf = leaf
                            .get_or_insert_with(|| choice.leaves.leaf(position, chances, needs));
                        plan.leaf(0, stakes, *leaf)[0]
                    }
                };
                values[branch] = (first, cubeless);
            }
            self.values.push(values);
        }
    }

    /// Returns the plays that a branch kept.
    fn kept(&self, branch: usize) -> &KeptPlays {
        &self.kept[self.kept_of[branch]]
    }

    /// Returns the best play of a roll in a branch, as a number in `unique`: the one that is worth least to the
    /// opponent.
    fn best_of(&self, branch: usize, index: usize) -> u32 {
        // Only the plays that this roll kept: a play that another roll wanted was still cut here.
        let place = |play: u32| (self.place[play as usize] as usize).checked_sub(1);
        let value = |place: usize| self.values[place][branch].0;
        let cubeless = |place: usize| self.values[place][branch].1;
        least(self.kept(branch).of_roll(index), place, value, cubeless)
    }

    /// Returns the best play of a roll, all kept ones evaluated.
    pub(super) fn best_play(&self, index: usize) -> BestPlay {
        let number = self.best_of(0, index) as usize;
        let place = (self.place[number] as usize).saturating_sub(1);
        BestPlay {
            after: self.unique.positions[number],
            chances: self.full[place],
            value: self.values[place][0].0,
        }
    }

    /// Returns the kept plays of a roll, best first, all of them evaluated.
    pub(super) fn ranked(&self, index: usize) -> Vec<JudgedReply> {
        let kept = self.kept(0).of_roll(index);
        let place = |number: u32| (self.place[number as usize] as usize).saturating_sub(1);
        let mut order = kept.to_vec();
        // As in `best_of`: of equal ones the first.
        order.sort_by(|&a, &b| {
            let (a, b) = (self.values[place(a)][0], self.values[place(b)][0]);
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let judged = |number: u32| JudgedReply {
            after: self.unique.positions[number as usize],
            chances: self.full[place(number)].inverted(),
        };
        order.into_iter().map(judged).collect()
    }

    /// Returns the best plays of all rolls in the branches, equal ones once.
    fn best(&self, branches: Branches) -> Replies {
        let mut replies: Vec<(u32, Reply)> = Vec::with_capacity(Roll::ALL.len());
        for (index, roll) in Roll::ALL.iter().enumerate() {
            for branch in branches.iter() {
                let best = self.best_of(branch, index);
                let known = replies.iter().position(|(play, _)| *play == best);
                let at = known.unwrap_or_else(|| {
                    let place = self.place[best as usize] as usize;
                    let reply = Reply {
                        position: self.unique.positions[best as usize],
                        chances: (place > 0).then(|| self.full[place - 1]),
                        weights: [0.0; BRANCHES],
                        rolls: 0,
                    };
                    replies.push((best, reply));
                    replies.len() - 1
                });
                let (_, reply) = &mut replies[at];
                reply.weights[branch] += f64::from(roll.weight());
                reply.rolls |= 1 << index;
            }
        }
        Replies(replies.into_iter().map(|(_, reply)| reply).collect())
    }
}

/// Returns the play that is worth least to the opponent, with the cube and then without; the first of equal ones, and where
/// none has a place among the evaluated ones.
fn least(
    plays: &[u32],
    place: impl Fn(u32) -> Option<usize>,
    value: impl Fn(usize) -> f64,
    cubeless: impl Fn(usize) -> f64,
) -> u32 {
    let mut best = plays[0];
    let mut least = (f64::INFINITY, usize::MAX);
    for &play in plays {
        let Some(place) = place(play) else {
            continue;
        };
        let worth = value(place);
        let is_less = worth < least.0
            || (worth == least.0 && least.1 != usize::MAX && cubeless(place) < cubeless(least.1));
        if is_less {
            (best, least) = (play, (worth, place));
        }
    }
    best
}

/// Numbers positions in the order of their first appearance.
#[derive(Debug, Default)]
struct Unique {
    positions: Vec<Position>,
    /// Open addressing: number plus one, 0 for free.
    table: Vec<u32>,
}

impl Unique {
    const SMALLEST: usize = 512;

    fn clear(&mut self) {
        self.positions.clear();
        if self.table.len() != Unique::SMALLEST {
            self.table = vec![0; Unique::SMALLEST];
        } else {
            self.table.fill(0);
        }
    }

    fn number(&mut self, position: Position) -> u32 {
        if 2 * self.positions.len() >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = hash_of(&position) as usize & mask;
        loop {
            match self.table[at] {
                0 => {
                    self.positions.push(position);
                    self.table[at] = self.positions.len() as u32;
                    return self.table[at] - 1;
                }
                number if self.positions[number as usize - 1] == position => return number - 1,
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let mask = 2 * self.table.len() - 1;
        self.table = vec![0; mask + 1];
        for (index, position) in self.positions.iter().enumerate() {
            let mut at = hash_of(position) as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = index as u32 + 1;
        }
    }
}
