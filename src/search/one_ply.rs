//! One play ahead, in batches: the best plays of every roll and their mean. What training, luck and rollouts ask
//! millions of times; an interactive question goes through the tree of [`super`].

use crate::eval::Evaluator;
use crate::game::{Chances, PlayGenerator, Position, Roll};

/// Which plays of a roll the strong net judges: those that a quicker one finds good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// At most so many.
    pub plays: usize,
    /// ... within this equity of the best.
    pub margin: f32,
    /// Who chooses.
    pub by: Chooser,
}

/// Who chooses the plays that the strong net judges. Without contact all are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// Nobody: all are judged.
    Nobody,
    /// The quick net ([`Evaluator::evaluate_quickly`]).
    Quick,
    /// The pruning net ([`Evaluator::rank_quickly`]): as good a choice for a third of the time.
    Pruning,
}

impl Filter {
    /// No filter.
    pub const NONE: Filter = Filter {
        plays: usize::MAX,
        margin: f32::INFINITY,
        by: Chooser::Nobody,
    };

    /// Equal in quality to no filter: five plays of the pruning net's, within 0.12.
    pub const PRUNING: Filter = Filter {
        plays: 5,
        margin: 0.12,
        by: Chooser::Pruning,
    };
}

/// A play's result: the position with the opponent on roll, and the **mover's** chances.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// After the play, the opponent on roll.
    pub after: Position,
    /// The chances of the player who moved.
    pub chances: Chances,
}

/// Working space of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    after: Vec<Position>,
    chances: Vec<Chances>,
    ranked: Vec<(f32, Position)>,
    scores: Vec<f64>,
    judged: Vec<Judged>,
    best: Vec<Judged>,
}

/// What is known of a position one play ahead.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// Mean over the rolls of the best play's chances, for the player on roll.
    pub mean: [f32; 5],
    /// The plays of the roll that was asked for, best first.
    pub ranked: Vec<Judged>,
}

/// What the five chances are worth in equity.
const MONEY: [f32; 5] = [2.0, 1.0, 1.0, -1.0, -1.0];

/// Looks one play ahead with an evaluator, cubeless money.
#[derive(Clone, Copy, Debug)]
pub struct OnePly<'a> {
    evaluator: &'a dyn Evaluator,
    filter: Filter,
}

impl<'a> OnePly<'a> {
    /// Judges with `evaluator` what `filter` leaves.
    #[must_use]
    pub fn new(evaluator: &'a dyn Evaluator, filter: Filter) -> OnePly<'a> {
        OnePly { evaluator, filter }
    }

    /// Every play of `roll` that may be best, best first, into `scratch.judged`. `reference` is the
    /// position turned round.
    fn rank(&self, plays: &PlayGenerator, reference: &Position, roll: Roll, scratch: &mut Scratch) {
        plays.plays(roll, &mut scratch.after);
        if scratch.after.is_empty() {
            scratch.after.push(*reference);
        }
        if scratch.after.len() > self.filter.plays && reference.has_contact() {
            self.keep_good(reference, scratch);
        }
        let Scratch {
            after,
            chances,
            judged,
            ..
        } = scratch;
        chances.resize(after.len(), Chances::default());
        self.evaluator.evaluate(Some(reference), after, chances);
        judged.clear();
        let pairs = after.iter().zip(chances);
        judged.extend(pairs.map(|(&after, chances)| Judged {
            after,
            chances: chances.inverted(),
        }));
        judged.sort_by(|a, b| b.chances.equity().total_cmp(&a.chances.equity()));
    }

    /// Keeps the plays that the filter's net finds good.
    fn keep_good(&self, reference: &Position, scratch: &mut Scratch) {
        let Scratch {
            after,
            chances,
            ranked,
            scores,
            ..
        } = scratch;
        ranked.clear();
        match self.filter.by {
            Chooser::Nobody => return,
            Chooser::Pruning => {
                scores.resize(after.len(), 0.0);
                if !(self.evaluator).rank_quickly(reference, after, &MONEY, scores) {
                    return;
                }
                let pairs = scores.iter().zip(&*after);
                ranked.extend(pairs.map(|(&score, &after)| (score as f32, after)));
            }
            Chooser::Quick => {
                chances.resize(after.len(), Chances::default());
                if !(self.evaluator).evaluate_quickly(Some(reference), after, chances) {
                    return;
                }
                let pairs = chances.iter().zip(&*after);
                ranked.extend(pairs.map(|(c, &after)| (c.equity(), after)));
            }
        }
        let last = self.filter.plays.max(1) - 1;
        ranked.select_nth_unstable_by(last, |a, b| a.0.total_cmp(&b.0));
        ranked.truncate(last + 1);
        let best = ranked.iter().fold(f32::MAX, |best, r| best.min(r.0));
        after.clear();
        let good = ranked.iter().filter(|r| r.0 <= best + self.filter.margin);
        after.extend(good.map(|r| r.1));
    }

    /// The mean over the 21 rolls of the value of the best play. The ranking for `roll` is left in
    /// `scratch.best`.
    fn mean_of_best(
        &self,
        position: &Position,
        roll: Option<Roll>,
        scratch: &mut Scratch,
    ) -> [f32; 5] {
        let mut sum = [0.0; 5];
        let (plays, reference) = (PlayGenerator::new(position), position.swapped());
        for each in Roll::ALL {
            self.rank(&plays, &reference, each, scratch);
            let weight = each.weight() as f32 / 36.0;
            if let Some(best) = scratch.judged.first() {
                for (sum, value) in sum.iter_mut().zip(best.chances.to_array()) {
                    *sum += weight * value;
                }
            }
            if roll == Some(each) {
                std::mem::swap(&mut scratch.best, &mut scratch.judged);
            }
        }
        sum
    }

    /// The mean over the 21 rolls of the best play's chances, for the player on roll.
    #[must_use]
    pub fn mean(&self, position: &Position, scratch: &mut Scratch) -> [f32; 5] {
        self.mean_of_best(position, None, scratch)
    }

    /// The mean and the plays of `roll`.
    #[must_use]
    pub fn ahead(&self, position: &Position, roll: Roll, scratch: &mut Scratch) -> Ahead {
        let mean = self.mean_of_best(position, Some(roll), scratch);
        Ahead {
            mean,
            ranked: std::mem::take(&mut scratch.best),
        }
    }

    /// The best play of a roll and its static chances for the mover.
    #[must_use]
    pub fn best(&self, position: &Position, roll: Roll, scratch: &mut Scratch) -> Option<Judged> {
        let (plays, reference) = (PlayGenerator::new(position), position.swapped());
        self.rank(&plays, &reference, roll, scratch);
        scratch.judged.first().copied()
    }
}
