//! Search of a play roll by roll, so that a worse play is pruned after a few rolls (PLY-12).
//!
//! The rolls searched so far show more than their own values: the mean error of the shallower search at these rolls
//! predicts its error at the others. That part of the error is nearly as large as the whole, as the same checkers are
//! misjudged after every roll.

use super::context::Stopped;
use super::replies::Reply;
use super::slots::{Branches, Slots};
use super::tree::{Tree, Value};
use crate::pool::prelude::*;
use gammond_game::{Position, Roll};

/// A share of the rolls, and their effect.
#[derive(Debug, Clone, Copy)]
pub(super) struct RollStep {
    /// High and low die of each roll.
    rolls: &'static [(u8, u8)],
    /// Margin to the best, for a play of spread 1 ([`ByRolls::spread`]): plays further behind are pruned after these
    /// rolls, at 2 plies as the last depth.
    margin: f64,
    /// Throws, of 36, that are left after these rolls.
    left: f64,
}

/// All rolls. Each step has those that predict the rest best. Its margin is the root mean square error that is left
/// in a difference of two plays, times 1.8 in the first step, falling to 0.5 in the last but one. Measured on 7,089
/// decisions of plain games with contact-9 (nets/history/look-ahead.md, "Fewer searches for the best play").
pub(super) const ROLL_STEPS: [RollStep; 9] = [
    step(&[(4, 1)], 0.0115, 34.0),
    step(&[(6, 3)], 0.0080, 32.0),
    step(&[(5, 2)], 0.0060, 30.0),
    step(&[(6, 4)], 0.0046, 28.0),
    step(&[(3, 2), (5, 1)], 0.0032, 24.0),
    step(&[(5, 3), (2, 1)], 0.0024, 20.0),
    step(&[(6, 5), (4, 3), (6, 2)], 0.0014, 14.0),
    step(&[(3, 1), (5, 4), (6, 1), (4, 2)], 0.0007, 6.0),
    step(&[(4, 4), (6, 6), (2, 2), (3, 3), (5, 5), (1, 1)], 0.0, 0.0),
];

/// Maximum number of plays kept after static values, and their largest distance to the best.
pub(super) const KEPT_STATIC: (usize, f64) = (8, 0.08);
/// The same after 1-ply values, for a play of spread 1 or more.
pub(super) const KEPT_ONE_PLY: (usize, f64) = (5, 0.03);
/// Extra margin of a play where deeper searches follow: one depth changes the difference of two plays by 0.0044 from 2
/// plies on (root mean square).
const MORE_BEFORE_THE_LAST: f64 = 0.02;
/// Factor of the errors from 3 plies on.
const DEEP: f64 = 0.5;
/// Spread of two plays whose values differ by the same after every roll.
const LEAST_SPREAD: f64 = 0.3;
/// Turns the fourth root of a standard deviation into a spread: 1 at 0.033 points.
const SPREAD_FACTOR: f64 = 2.35;
/// Throws, of 36, by which the mean error of the shallower search is shrunk towards none.
const DOUBT: f64 = 4.0;

/// Share of a change of the difference of two plays that may yet be undone, if all throws are left.
const UNDONE: f64 = 0.8;

const fn step(rolls: &'static [(u8, u8)], margin: f64, left: f64) -> RollStep {
    RollStep {
        rolls,
        margin,
        left,
    }
}

/// Size of the doubt between a play and the best one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    /// Result of [`ByRolls::spread`].
    pub(super) spread: f64,
    /// Amount by which the search of this depth has changed the distance so far, 0 or more.
    pub(super) change: f64,
}

impl RollStep {
    /// Returns the margin of a play that is searched `depth` of `plies` deep.
    pub(super) fn margin(&self, [depth, plies]: [u8; 2], doubt: Doubt) -> f64 {
        let more = if depth < plies {
            MORE_BEFORE_THE_LAST
        } else {
            0.0
        };
        let share = if depth > 2 { DEEP } else { 1.0 };
        more + share * self.margin * doubt.spread + UNDONE * self.left / 36.0 * doubt.change
    }

    /// Returns its rolls, a bit for each of [`Roll::ALL`].
    fn mask(&self) -> u32 {
        let is_mine = |roll: &Roll| self.rolls.contains(&(roll.high(), roll.low()));
        let bits = Roll::ALL.iter().enumerate();
        bits.map(|(index, roll)| u32::from(is_mine(roll)) << index)
            .sum()
    }
}

/// Values so far of the position after a play.
#[derive(Debug)]
pub(super) struct ByRolls {
    position: Position,
    replies: Vec<Reply>,
    /// Values after each reply, for the player who is on roll then, from the deepest search that was finished.
    known: Vec<Value>,
    /// Values of the plays after the deeper search.
    deeper: Vec<Option<Value>>,
    /// True after replies that end the search, so that their values are exact.
    exact: Vec<bool>,
    /// Cubeless equity after each of [`Roll::ALL`].
    by_roll: [f64; Roll::ALL.len()],
    /// Value of the play by the results so far.
    pub(super) before: f64,
}

/// Mean error of the shallower search over the replies that were searched deeper: weighted sums.
#[derive(Debug, Default)]
struct Shift {
    weight: f64,
    chances: [f64; 5],
    slots: Slots,
}

impl Shift {
    fn add(&mut self, weight: f64, known: &Value, deeper: &Value) {
        let add = |sums: &mut [f64], deeper: &[f64], known: &[f64]| {
            for ((sum, deeper), known) in sums.iter_mut().zip(deeper).zip(known) {
                *sum += weight * (deeper - known);
            }
        };
        self.weight += weight;
        add(&mut self.chances, &deeper.chances, &known.chances);
        add(&mut self.slots, &deeper.slots, &known.slots);
    }

    /// Estimates the result of a deeper search.
    fn of(&self, known: &Value) -> Value {
        let add = |values: &mut [f64], sums: &[f64]| {
            for (value, sum) in values.iter_mut().zip(sums) {
                *value += sum / (self.weight + DOUBT);
            }
        };
        let mut value = *known;
        add(&mut value.chances, &self.chances);
        add(&mut value.slots, &self.slots);
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] = &mut value.chances;
        *win = win.clamp(0.0, 1.0);
        *gammon = gammon.clamp(0.0, *win);
        *backgammon = backgammon.clamp(0.0, *gammon);
        *lose_gammon = lose_gammon.clamp(0.0, 1.0 - *win);
        *lose_backgammon = lose_backgammon.clamp(0.0, *lose_gammon);
        value
    }
}

impl ByRolls {
    /// Searches one ply; a final position has no replies.
    pub(super) fn new(tree: &Tree<'_>, position: &Position) -> Result<ByRolls, Stopped> {
        let replies = if tree.is_final(position) {
            Vec::new()
        } else {
            tree.replies((0, Branches::FIRST), position, true).0
        };
        let known = (replies.iter())
            .map(|reply| tree.value((1, Branches::FIRST), &reply.position, reply.chances, 0))
            .collect::<Result<Vec<_>, _>>()?;
        let mut rolls = ByRolls {
            position: *position,
            deeper: vec![None; replies.len()],
            exact: (replies.iter())
                .map(|reply| tree.is_final(&reply.position))
                .collect(),
            replies,
            known,
            by_roll: [0.0; Roll::ALL.len()],
            before: 0.0,
        };
        rolls.note_by_roll(tree);
        Ok(rolls)
    }

    fn note_by_roll(&mut self, tree: &Tree<'_>) {
        let stakes = &tree.choice.stakes[1];
        let cube = tree.choice.selection(0, 1).cube;
        for (reply, known) in self.replies.iter().zip(&self.known) {
            let equity = stakes.cubeless(cube, &known.chances());
            for (index, after) in self.by_roll.iter_mut().enumerate() {
                if reply.rolls >> index & 1 == 1 {
                    *after = equity;
                }
            }
        }
    }

    /// Returns how far the difference of two plays depends on the roll, 0.3 or more: deeper searches change the difference in
    /// proportion.
    pub(super) fn spread(&self, other: &ByRolls) -> f64 {
        let (mut sum, mut squares) = (0.0, 0.0);
        for ((roll, mine), its) in Roll::ALL.iter().zip(self.by_roll).zip(other.by_roll) {
            let (weight, difference) = (f64::from(roll.weight()) / 36.0, mine - its);
            sum += weight * difference;
            squares += weight * difference * difference;
        }
        let variance = (squares - sum * sum).max(0.0);
        // Square roots instead of a power, because those have the same bits everywhere.
        (SPREAD_FACTOR * variance.sqrt().sqrt().sqrt()).max(LEAST_SPREAD)
    }

    /// Searches `plies` below the replies to the rolls of `step` that have not been searched.
    pub(super) fn search_step(
        &mut self,
        tree: &Tree<'_>,
        step: &RollStep,
        plies: u8,
    ) -> Result<(), Stopped> {
        let mask = step.mask();
        let look = |(reply, deeper): (&Reply, &mut Option<Value>)| {
            if reply.rolls & mask != 0 && deeper.is_none() {
                *deeper = Some(tree.value(
                    (1, Branches::FIRST),
                    &reply.position,
                    reply.chances,
                    plies,
                )?);
            }
            Ok(())
        };
        (self.replies.par_iter())
            .zip(self.deeper.par_iter_mut())
            .try_for_each(look)
    }

    /// Returns the value of the position so far to the player on roll there.
    pub(super) fn value(&self, tree: &Tree<'_>) -> Result<Value, Stopped> {
        if self.replies.is_empty() {
            return tree.value((0, Branches::FIRST), &self.position, None, 0);
        }
        let mut shift = Shift::default();
        for (index, reply) in self.replies.iter().enumerate() {
            // Exact values do not change with the depth, so that they would hide the shift of the others.
            if let (Some(deeper), false) = (&self.deeper[index], self.exact[index]) {
                shift.add(reply.weights[0], &self.known[index], deeper);
            }
        }
        let value = |index: usize| match (self.deeper[index], self.exact[index]) {
            (Some(deeper), _) => deeper,
            (None, true) => self.known[index],
            // Rolls without a deeper value shift by the mean of those that have one, otherwise the depths would mix.
            (None, false) => shift.of(&self.known[index]),
        };
        let values: Vec<Value> = (0..self.replies.len()).map(value).collect();
        Ok(tree.average(0, &self.replies, &values))
    }

    /// Returns the 1-ply value, before any deeper search (PLY-11).
    pub(super) fn one_ply(&self, tree: &Tree<'_>) -> Result<Value, Stopped> {
        let ahead = self.value(tree)?;
        if self.replies.is_empty() {
            return Ok(ahead);
        }
        Ok(tree.with_static_share(&self.position, ahead))
    }

    /// Makes the values of this depth the base of the next one. Every reply must have been searched.
    pub(super) fn go_deeper(&mut self, tree: &Tree<'_>) {
        for (known, deeper) in self.known.iter_mut().zip(&mut self.deeper) {
            if let Some(value) = deeper.take() {
                *known = value;
            }
        }
        self.note_by_roll(tree);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::equity::{CubeEfficiency, MatchEquityTable};
    use crate::eval::nets::NetEvaluator;
    use crate::query::{Settings, Stop};
    use crate::search::{Context, leaves_of, tree::Ask};
    use gammond_game::MatchState;
    use gammond_game::notation::PositionId;

    #[test]
    fn each_roll_is_in_one_step() {
        let all = ROLL_STEPS.iter().fold(0, |seen, step| {
            assert_eq!(seen & step.mask(), 0);
            seen | step.mask()
        });
        assert_eq!(all, (1 << 21) - 1);
        assert!(ROLL_STEPS.is_sorted_by(|one, next| one.margin > next.margin));
        let mut left = 36;
        for step in &ROLL_STEPS {
            let mine = (Roll::ALL.iter().enumerate()).filter(|(at, _)| step.mask() >> at & 1 == 1);
            left -= mine.map(|(_, roll)| roll.weight()).sum::<u32>();
            assert_eq!(step.left, f64::from(left));
        }
    }

    /// PLY-12: after all steps no estimate is left: the same bits as a search that goes through all rolls at once.
    #[test]
    fn after_all_rolls_it_is_the_whole_search() {
        let evaluator = NetEvaluator::embedded().unwrap();
        let (met, efficiency) = (MatchEquityTable::default(), CubeEfficiency::GNUBG);
        let (stop, settings) = (Stop::never(), Settings::plies(3));
        let context = Context {
            evaluator: &evaluator,
            met: &met,
            efficiency: &efficiency,
            cache: None,
            stop: &stop,
            budget: None,
        };
        for id in ["4HPwATDgc/ABMA", "7LYbACC2uT0AAA", "AQAAAAAAAAAAAA"] {
            let position = id.parse::<PositionId>().unwrap().position();
            for (ask, state) in [
                (Ask::Value, MatchState::default()),
                (Ask::Chances, MatchState::default()),
            ] {
                let leaves = leaves_of(&context, &settings);
                let tree = Tree::new(&context, leaves, state, ask, &settings, 3);
                let mut rolls = ByRolls::new(&tree, &position).unwrap();
                let one = tree.root(&position, 1).unwrap();
                assert_eq!(rolls.one_ply(&tree).unwrap(), one, "{id}");
                for plies in [2, 3] {
                    let guessed = rolls.value(&tree).unwrap();
                    for step in &ROLL_STEPS {
                        rolls.search_step(&tree, step, plies - 1).unwrap();
                    }
                    let whole = tree
                        .value((0, Branches::FIRST), &position, None, plies)
                        .unwrap();
                    assert_eq!(rolls.value(&tree).unwrap(), whole, "{id}");
                    assert!(rolls.replies.is_empty() || guessed != whole, "{id}");
                    rolls.go_deeper(&tree);
                }
            }
        }
    }

    /// PLY-12: plays whose difference is the same after every roll have small margins, others larger ones.
    #[test]
    fn margins_follow_the_doubt() {
        let by_roll = |value: fn(&Roll) -> f64| ByRolls {
            position: Position::start(),
            replies: Vec::new(),
            known: Vec::new(),
            deeper: Vec::new(),
            exact: Vec::new(),
            by_roll: Roll::ALL.map(|roll| value(&roll)),
            before: 0.0,
        };
        let still = by_roll(|_| 0.1);
        assert_eq!(still.spread(&by_roll(|_| 0.3)), LEAST_SPREAD);
        // Doubles are a sixth of the throws: a deviation of 0.9 times the root of 5/36.
        let doubles = by_roll(|roll| if roll.is_double() { 1.0 } else { 0.1 });
        let expected = SPREAD_FACTOR * (0.9 * (5.0f64 / 36.0).sqrt()).powf(0.25);
        assert!((doubles.spread(&still) - expected).abs() < 1e-9);
        assert_eq!(doubles.spread(&still), still.spread(&doubles));
        let margin =
            |depths, spread, change| ROLL_STEPS[0].margin(depths, Doubt { spread, change });
        assert!(margin([2, 2], 0.5, 0.0) < margin([2, 2], 1.0, 0.0));
        assert!(margin([2, 2], 1.0, 0.0) < margin([2, 2], 1.0, 0.01));
        assert!(margin([3, 3], 1.0, 0.0) < margin([2, 2], 1.0, 0.0));
        assert!(margin([2, 2], 1.0, 0.0) < margin([2, 3], 1.0, 0.0));
    }

    /// Estimates for rolls that were not searched are possible chances: each gammon chance stays within its win chance.
    #[test]
    fn estimated_values_are_possible() {
        let value = |chances| Value {
            chances,
            slots: [0.0; crate::search::slots::SLOTS_MAX],
        };
        let mut shift = Shift::default();
        let (low, high) = (
            value([0.01, 0.0, 0.0, 0.5, 0.1]),
            value([0.99, 0.9, 0.8, 0.0, 0.0]),
        );
        shift.add(36.0, &low, &high);
        assert_eq!(shift.of(&high).chances, [1.0, 1.0, 1.0, 0.0, 0.0]);
        let share = 36.0 / (36.0 + DOUBT);
        for (k, value) in shift.of(&low).chances.into_iter().enumerate() {
            let expected = low.chances[k] + share * (high.chances[k] - low.chances[k]);
            assert!((value - expected).abs() < 1e-12);
        }
        assert_eq!(Shift::default().of(&low).chances, low.chances);
    }
}
