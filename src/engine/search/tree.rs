//! The look-ahead: every roll, the best reply to each, and so on down to static evaluations
//! (PLY-01, PLY-05).

use super::cache::hash_of;
use super::choice::{Choice, Pruning};
use super::context::{Context, Stopped};
use super::leaves::{LeafEvaluator, Needs};
use super::replies::{Evaluated, Replies, Reply, Scratch};
use super::slots::{Branches, RootCube, SLOTS_MAX, SlotColumns, SlotPlan, Slots};
use crate::equity::{CubeState, Leaf, LeafColumns, MatchEquityTable, Stakes};
use crate::pool::prelude::*;
use crate::query::Settings;
use gammond_game::{Chances, MatchState, Position};
use std::collections::HashMap;
use std::sync::Mutex;

/// Value of a position to the player on roll there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Value {
    /// Averages of the five chances.
    pub(super) chances: [f64; 5],
    /// One value for each requested cube.
    pub(super) slots: Slots,
}

/// One search: a root state and what follows from it. Side 0 is the player on roll at the root.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) choice: Choice<'a>,
    plan: SlotPlan,
    /// True if two rolls into the two-sided table are deeper than the search (CUBE-15).
    needs_near: bool,
    pub(super) context: Context<'a>,
    scratch: Mutex<Vec<Scratch>>,
    /// Values of positions just above the leaves: the plays before and after the opponent's often come
    /// in another order. None where that cannot happen.
    known: Option<ValueTable>,
}

/// Values by level, branches and position, sharded so that threads rarely contend for a lock.
#[derive(Debug, Default)]
struct ValueTable([Mutex<HashMap<ValueKey, Value>>; VALUE_TABLE_SHARDS]);

type ValueKey = (usize, Branches, Position);

const VALUE_TABLE_SHARDS: usize = 16;
/// Maximum number of values in a shard; further values are recomputed.
const KNOWN_MAX: usize = 2048;
/// Searches shallower than this meet no position twice above the leaves.
const VALUE_TABLE_PLIES_MIN: u8 = 3;
/// Searches as deep as this reach the two-sided table themselves.
const NEAR_PLIES: u8 = 2;

impl ValueTable {
    fn part(&self, (_, _, position): &ValueKey) -> &Mutex<HashMap<ValueKey, Value>> {
        &self.0[hash_of(position) as usize % VALUE_TABLE_SHARDS]
    }

    fn get(&self, key: &ValueKey) -> Option<Value> {
        let part = self.part(key).lock().ok()?;
        part.get(key).copied()
    }

    fn put(&self, key: ValueKey, value: Value) {
        if let Ok(mut part) = self.part(&key).lock()
            && part.len() < KNOWN_MAX
        {
            part.insert(key, value);
        }
    }
}

/// Result requested at the root of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The chances only.
    Chances,
    /// The value with the root's cube, which the player on roll may turn first.
    Value,
    /// The values of not doubling and of a double that is taken.
    Decision,
}

impl<'a> Tree<'a> {
    /// Returns a tree of `plies` below a position with this state.
    pub(super) fn new(
        context: &Context<'a>,
        leaves: LeafEvaluator<'a>,
        state: MatchState,
        ask: Ask,
        settings: &Settings,
        plies: u8,
    ) -> Tree<'a> {
        let met: &MatchEquityTable = context.met;
        let stakes = [Stakes::new(state, met), Stakes::new(state.swapped(), met)];
        let cube = CubeState::from(state.cube);
        let root = |cube, branch| RootCube { cube, branch };
        let (cubes, root) = match ask {
            Ask::Chances => (vec![cube], Vec::new()),
            Ask::Value => (vec![cube], vec![root(cube, 0)]),
            // GNU Backgammon values both with the plays of the undoubled cube.
            Ask::Decision if leaves.evaluator.policy().as_gnubg => {
                (vec![cube], vec![root(cube, 0), root(cube.doubled(), 0)])
            }
            Ask::Decision => (
                vec![cube, cube.doubled()],
                vec![root(cube, 0), root(cube.doubled(), 1)],
            ),
        };
        let stakes_are_money = stakes[0].is_money();
        let plan = SlotPlan::new(&stakes, &root, ask == Ask::Decision, usize::from(plies));
        let cubeful = settings.cubeful && ask != Ask::Chances;
        let pruning = Pruning::of(settings, &leaves);
        Tree {
            choice: Choice::new(leaves, stakes, &cubes, cubeful, pruning),
            needs_near: plies < NEAR_PLIES && stakes_are_money,
            plan,
            context: *context,
            scratch: Mutex::new(Vec::new()),
            known: (plies >= VALUE_TABLE_PLIES_MIN).then(ValueTable::default),
        }
    }

    /// Returns the value of a position that ends the search, given its chances.
    pub(super) fn leaf(&self, level: usize, position: &Position, chances: Chances) -> Value {
        if !self.has_values(level) {
            return Value {
                chances: chances.to_array().map(f64::from),
                slots: [0.0; SLOTS_MAX],
            };
        }
        let needs = Needs {
            next: self.needs_next(level),
            near: self.needs_near,
        };
        self.value_of(level, self.choice.leaves.leaf(position, chances, needs))
    }

    /// Returns true if a leaf at this level has values beside the chances.
    pub(super) fn has_values(&self, level: usize) -> bool {
        self.plan.width(level) > 0
    }

    /// Returns true if a leaf at this level needs the chances after the next roll.
    pub(super) fn needs_next(&self, level: usize) -> bool {
        self.plan.needs_next(level)
    }

    /// Returns the value of a leaf.
    pub(super) fn value_of(&self, level: usize, leaf: Leaf) -> Value {
        Value {
            chances: leaf.chances.to_array().map(f64::from),
            slots: self.plan.leaf(level, &self.choice.stakes[level % 2], leaf),
        }
    }

    /// Computes the values of many leaves of a match.
    pub(super) fn leaves(&self, level: usize, leaves: &mut LeafColumns, columns: &mut SlotColumns) {
        let stakes = &self.choice.stakes[level % 2];
        self.plan.leaves(level, stakes, leaves, columns);
    }

    /// Returns the value of the root at `plies` plies: at 1 ply with the evaluator's share of the static value
    /// (PLY-11).
    pub(super) fn root(&self, position: &Position, plies: u8) -> Result<Value, Stopped> {
        let ahead = self.value((0, self.choice.branches()), position, None, plies)?;
        if plies != 1 || self.is_final(position) {
            return Ok(ahead);
        }
        Ok(self.with_static_share(position, ahead))
    }

    /// Returns a 1-ply value of the root with the evaluator's share of the static one (PLY-11).
    pub(super) fn with_static_share(&self, position: &Position, ahead: Value) -> Value {
        let share = self.static_share();
        if share == 0.0 {
            return ahead;
        }
        let still = self.leaf(0, position, self.choice.leaves.one(position));
        ahead.towards(&still, share)
    }

    /// Returns the share of the static value in a 1-ply value of the root (PLY-11). The net's error about the player on
    /// roll changes sign after one ply, so that a mean of both values is nearer.
    pub(super) fn static_share(&self) -> f64 {
        self.choice.leaves.evaluator.policy().static_share
    }

    /// Returns the value of a position at a level, `plies` deep, for the cubes of some branches; its chances if there
    /// are any. The chances are those of the first branch, if it is among them.
    pub(super) fn value(
        &self,
        (level, branches): (usize, Branches),
        position: &Position,
        known: Option<Chances>,
        plies: u8,
    ) -> Result<Value, Stopped> {
        if plies == 0 || self.is_final(position) {
            let chances = known.unwrap_or_else(|| self.choice.leaves.one(position));
            return Ok(self.leaf(level, position, chances));
        }
        if self.context.is_stopped() {
            return Err(Stopped);
        }
        // Only values just above the leaves repeat often enough, because transpositions of two plays end there.
        let known = self.known.as_ref().filter(|_| plies == 1);
        let key = (level, branches, *position);
        if let Some(value) = known.and_then(|known| known.get(&key)) {
            return Ok(value);
        }
        let replies = self.replies((level, branches), position, plies == 1);
        let below = |reply: &Reply| {
            let at = (level + 1, Branches::of(&reply.weights));
            self.value(at, &reply.position, reply.chances, plies - 1)
        };
        // The lowest level stays on one thread, because its leaves cost too little to be tasks of their own.
        let values: Vec<Value> = if plies == 1 {
            replies.0.iter().map(below).collect::<Result<_, _>>()?
        } else {
            replies.0.par_iter().map(below).collect::<Result<_, _>>()?
        };
        let value = self.average(level, &replies.0, &values);
        if let Some(known) = known {
            known.put(key, value);
        }
        Ok(value)
    }

    /// Returns the best reply to each roll in some branches; with `evaluated` with its static chances.
    pub(super) fn replies(
        &self,
        (level, branches): (usize, Branches),
        position: &Position,
        evaluated: bool,
    ) -> Replies {
        let mut scratch = self.take_scratch();
        let evaluated = match evaluated {
            true => Evaluated::Kept,
            false => Evaluated::Choices,
        };
        let (choice, side) = (&self.choice, level % 2);
        let replies = Replies::choose(choice, branches, side, position, evaluated, &mut scratch);
        self.return_scratch(scratch);
        replies
    }

    /// Returns true for positions that end the search: the game is over, or a table knows the cubeful money equity
    /// exactly.
    pub(super) fn is_final(&self, position: &Position) -> bool {
        position.is_over()
            || (self.choice.stakes[0].is_money()
                && (!position.has_contact() || self.context.evaluator.policy().exact_with_contact)
                && self.choice.leaves.exact(position).is_some())
    }

    /// Returns the value of a position at `level` whose replies have these values, each for the player who is on roll
    /// after it.
    pub(super) fn average(&self, level: usize, replies: &[Reply], values: &[Value]) -> Value {
        let mut chances = [0.0; 5];
        let mut slots = [0.0; SLOTS_MAX];
        for (reply, value) in replies.iter().zip(values) {
            for (sum, part) in chances.iter_mut().zip(value.chances) {
                *sum += reply.weights[0] * part;
            }
            let branches = self.plan.branches(level + 1);
            for ((sum, part), branch) in slots.iter_mut().zip(value.slots).zip(branches) {
                *sum += reply.weights[branch] * part;
            }
        }
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] = chances.map(|sum| sum / 36.0);
        let below = self.plan.swapped(level + 1, &slots.map(|sum| sum / 36.0));
        Value {
            chances: [1.0 - win, lose_gammon, lose_backgammon, gammon, backgammon],
            slots: self.plan.combine(level, &below),
        }
    }

    pub(super) fn take_scratch(&self) -> Scratch {
        let kept = self.scratch.lock().map(|mut kept| kept.pop());
        kept.ok().flatten().unwrap_or_default()
    }

    pub(super) fn return_scratch(&self, scratch: Scratch) {
        if let Ok(mut kept) = self.scratch.lock() {
            kept.push(scratch);
        }
    }
}

impl Value {
    /// Returns the mean with `other`, which has this share.
    pub(super) fn towards(mut self, other: &Value, share: f64) -> Value {
        let mix = |to: &mut [f64], from: &[f64]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to += share * (from - *to);
            }
        };
        mix(&mut self.chances, &other.chances);
        mix(&mut self.slots, &other.slots);
        self
    }

    /// Returns the averaged chances in single precision.
    pub(super) fn chances(&self) -> Chances {
        Chances::from_array(self.chances.map(|value| value as f32))
    }
}
