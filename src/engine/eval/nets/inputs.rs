//! Inputs of our own nets as changes between two positions.
//!
//! Every input is a small integer, so a position is a list of (input, integer) and what differs
//! between two positions is a short list of [`InputDelta`]s. Base inputs: for each side, location
//! (0..=23 points, 24 bar, 25 off) and k < 6 one input that is 1 when more than k checkers stand
//! there, and a seventh that counts those above six. Then the forty of [`handcrafted`](super::handcrafted::handcrafted), and where a net
//! has them 48 a side for rolls that reach blots (`Reach`); or for races eight more a side for checkers borne off.

use super::handcrafted::{HAND, HAND_OF_SIDE, NEITHER, visit};
use super::reach::{POINTS, REACH, REACH_OF_SIDE, Reach};
use crate::nn::{InputDelta, InputUnits};
use gammond_game::Position;

/// Locations of one side.
const LOCATIONS: usize = 26;
/// Inputs of a location.
const STEPS: usize = 7;
/// Base inputs.
const BASE: usize = 2 * LOCATIONS * STEPS;
/// Inputs of checkers borne off that are not among the base inputs, and those of one side.
const OFF: usize = 2 * OFF_OF_SIDE;
const OFF_OF_SIDE: usize = 8;

/// Set of inputs of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSet {
    /// The 364 base inputs.
    Counts,
    /// The base inputs and the forty handcrafted ones.
    CountsAndHand,
    /// The inputs of `CountsAndHand`, and the rolls that reach each blot.
    CountsHandAndReach,
    /// The base inputs and sixteen for the seventh to the fourteenth checker borne off; for races.
    CountsAndOff,
}

impl InputSet {
    const ALL: [InputSet; 4] = [
        InputSet::Counts,
        InputSet::CountsAndHand,
        InputSet::CountsHandAndReach,
        InputSet::CountsAndOff,
    ];

    /// The set of this name in net files.
    #[must_use]
    pub fn named(name: &str) -> Option<InputSet> {
        InputSet::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The set with this many inputs.
    #[must_use]
    pub fn of_size(inputs: usize) -> Option<InputSet> {
        InputSet::ALL.into_iter().find(|set| set.inputs() == inputs)
    }

    /// Its name in net files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            InputSet::Counts => "counts-364",
            InputSet::CountsAndHand => "counts-364 hand-40",
            InputSet::CountsHandAndReach => "counts-364 hand-40 reach-96",
            InputSet::CountsAndOff => "counts-364 off-16",
        }
    }

    /// Returns the number of inputs.
    #[must_use]
    pub const fn inputs(self) -> usize {
        match self {
            InputSet::Counts => BASE,
            InputSet::CountsAndHand => BASE + HAND,
            InputSet::CountsHandAndReach => BASE + HAND + REACH,
            InputSet::CountsAndOff => BASE + OFF,
        }
    }

    /// Returns true if it has more inputs than `other`, and begins with those of `other`.
    #[must_use]
    pub fn begins_with(self, other: InputSet) -> bool {
        let (name, start) = (self.name(), other.name());
        name.len() > start.len() && name.starts_with(start)
    }

    const fn has_hand(self) -> bool {
        matches!(self, InputSet::CountsAndHand | InputSet::CountsHandAndReach)
    }

    /// Returns the units that quantising needs; see [`InputUnits`].
    #[must_use]
    pub fn units(self) -> InputUnits<'static> {
        let (units, typical, reach): (&'static [f32], &'static [f32], fn(&[f64]) -> _) = match self
        {
            InputSet::CountsAndOff => (&UNITS_AND_OFF, &[0.0; BASE + OFF], reach_with_off),
            _ => (&UNITS, &TYPICAL, reach),
        };
        InputUnits {
            units: &units[..self.inputs()],
            typical: &typical[..self.inputs()],
            reach,
        }
    }

    /// The base inputs that say how many checkers a side (0 the player on roll, 1 the opponent) has at a
    /// location, with their integers.
    pub(super) fn of_count(
        self,
        side: usize,
        location: usize,
        count: usize,
    ) -> impl Iterator<Item = (usize, i16)> {
        let first = (side * LOCATIONS + location) * STEPS;
        let is_there = location < LOCATIONS && side < 2;
        let ones = if is_there { count.min(6) } else { 0 };
        let above = if is_there { count.saturating_sub(6) } else { 0 };
        (0..ones)
            .map(move |step| (first + step, 1))
            .chain((above > 0).then_some((first + 6, above as i16)))
    }

    /// Inputs of a position as (input, float value), for float nets.
    #[must_use]
    pub fn values(self, position: &Position) -> Vec<(usize, f64)> {
        let mut changes = InputDeltas::for_positions(1);
        changes.between(&CountedPosition::NOTHING, position, self);
        changes
            .as_slice()
            .iter()
            .map(|change| {
                let input = usize::from(change.row);
                let unit = f64::from(self.units().units[input]);
                (input, unit * f64::from(change.factor))
            })
            .collect()
    }
}

/// Value of one unit of an input's integer in float32.
static UNITS: [f32; BASE + HAND + REACH] = {
    let mut units = [1.0; BASE + HAND + REACH];
    let mut location = 0;
    while location < 2 * LOCATIONS {
        units[location * STEPS + 6] = 0.25;
        location += 1;
    }
    let mut i = 0;
    while i < HAND {
        units[BASE + i] = 1.0 / DIVISORS[i % HAND_OF_SIDE];
        i += 1;
    }
    while i < HAND + REACH {
        units[BASE + i] = 1.0 / PAIRS;
        i += 1;
    }
    units
};

/// Units of the base inputs and of the sixteen.
static UNITS_AND_OFF: [f32; BASE + OFF] = {
    let mut units = [1.0; BASE + OFF];
    let mut i = 0;
    while i < BASE {
        units[i] = UNITS[i];
        i += 1;
    }
    units
};

/// Pairs of rolls that reach a point enter in units of this many.
const PAIRS: f32 = 9.0;

const DIVISORS: [f32; HAND_OF_SIDE] = [
    36.0, 6.0, 6.0, 6.0, 6.0, 36.0, 36.0, 4.0, 24.0, 3.0, 6.0, 3.0, 5.0, 6.0, 36.0, 1.0, 36.0,
    36.0, 12.0, 3.0,
];

/// The greatest integers that the handcrafted inputs reach, after [`as_entered`].
const GREATEST: [u8; HAND_OF_SIDE] = [
    36, 6, 7, 7, 6, 36, 36, 15, 26, 6, 6, 6, 15, 13, 36, 1, 63, 36, 24, 7,
];

/// Means of the handcrafted inputs over contact positions; base inputs are not corrected.
static TYPICAL: [f32; BASE + HAND + REACH] = {
    let mut typical = [0.0; BASE + HAND + REACH];
    let mut i = 0;
    while i < HAND {
        typical[BASE + i] = MEANS[i % HAND_OF_SIDE];
        i += 1;
    }
    typical
};

const MEANS: [f32; HAND_OF_SIDE] = [
    9.0, 3.0, 2.5, 2.0, 2.0, 17.0, 20.0, 2.5, 18.0, 0.7, 1.5, 0.7, 2.5, 1.0, 0.5, 0.0, 22.0, 13.0,
    3.0, 1.2,
];

/// Extremes of what base inputs of fifteen checkers a side and handcrafted inputs within their
/// ranges can add up to, given what a unit of each adds.
fn reach(column: &[f64]) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 0.0);
    let (base, extra) = column.split_at(BASE);
    let (hand, reach) = extra.split_at(HAND.min(extra.len()));
    for (number, side) in base.chunks_exact(LOCATIONS * STEPS).enumerate() {
        high += most(side, 1.0, |point| of_blot(reach, number, point, 1.0));
        low -= most(side, -1.0, |point| of_blot(reach, number, point, -1.0));
    }
    for (i, &unit) in hand.iter().enumerate() {
        let reached = unit * f64::from(GREATEST[i % HAND_OF_SIDE]);
        high += reached.max(0.0);
        low += reached.min(0.0);
    }
    (low, high)
}

/// The same with the inputs of checkers borne off, which come one after the other.
fn reach_with_off(column: &[f64]) -> (f64, f64) {
    let (base, extra) = column.split_at(BASE);
    let (mut low, mut high) = reach(base);
    for side in extra.chunks_exact(OFF_OF_SIDE) {
        let (mut sum, mut least, mut most) = (0.0f64, 0.0f64, 0.0f64);
        for unit in side {
            sum += unit;
            (least, most) = (least.min(sum), most.max(sum));
        }
        (low, high) = (low + least, high + most);
    }
    (low, high)
}

/// The most that the rolls which hit or cover a blot can add, each weight times `sign`. `reach` may be empty.
fn of_blot(reach: &[f64], side: usize, point: usize, sign: f64) -> f64 {
    if reach.is_empty() || point >= POINTS {
        return 0.0;
    }
    let hits = reach[REACH_OF_SIDE * (1 - side) + POINTS - 1 - point];
    let covers = reach[REACH_OF_SIDE * side + POINTS + point];
    18.0 * ((sign * covers).max(0.0) + (sign * hits).max(0.0))
}

/// The most that fifteen checkers of one side add up to, each weight times `sign`: a knapsack
/// over locations. `alone` is what more a checker adds that is alone there.
fn most(side: &[f64], sign: f64, alone: impl Fn(usize) -> f64) -> f64 {
    let mut best = [f64::NEG_INFINITY; 16];
    best[0] = 0.0;
    for (location, weights) in side.chunks_exact(STEPS).enumerate() {
        let mut worth = [0.0; 16];
        for n in 1..16 {
            worth[n] = worth[n - 1] + sign * weights[(n - 1).min(STEPS - 1)];
        }
        worth[1] += alone(location);
        for total in (0..16).rev() {
            for here in 1..=total {
                best[total] = best[total].max(best[total - here] + worth[here]);
            }
        }
    }
    best[15]
}

/// A position as the nets see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedPosition {
    me: u128,
    opponent: u128,
    hand: [u8; HAND],
    reach: Reach,
}

impl CountedPosition {
    /// All inputs 0.
    pub(super) const NOTHING: CountedPosition = CountedPosition {
        me: 0,
        opponent: 0,
        hand: [0; HAND],
        reach: Reach::NOTHING,
    };

    pub(super) fn of(position: &Position, set: InputSet) -> CountedPosition {
        let mut hand = [0; HAND];
        if set.has_hand() {
            visit(position, NEITHER, |index, value| {
                hand[index] = as_entered(index, value) as u8
            });
        }
        let reach = match set {
            InputSet::CountsHandAndReach => Reach::of(position),
            _ => Reach::NOTHING,
        };
        CountedPosition {
            me: position.me().packed(),
            opponent: position.opponent().packed(),
            hand,
            reach,
        }
    }
}

/// An integer as it enters: number 13 counts above two, number 14 as a square.
#[inline(always)]
fn as_entered(index: usize, value: u32) -> u32 {
    match index % HAND_OF_SIDE {
        13 => value.saturating_sub(2),
        14 => value.saturating_sub(1).pow(2),
        _ => value,
    }
}

/// A list of changes with room for every input of some positions.
#[derive(Debug, Clone)]
pub(super) struct InputDeltas {
    list: Box<[InputDelta]>,
    length: usize,
}

impl InputDeltas {
    pub(super) fn for_positions(count: usize) -> InputDeltas {
        // Room to spare: the last forty are written before it is known whether they count.
        let list =
            vec![InputDelta::default(); count * (BASE + HAND + REACH) + HAND.next_power_of_two()];
        InputDeltas {
            list: list.into_boxed_slice(),
            length: 0,
        }
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[InputDelta] {
        &self.list[..self.length]
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Keeps the first `length` changes.
    #[inline(always)]
    pub(super) fn cut(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Adds what makes `new` out of `old`, as far as this set of inputs sees it.
    #[inline(always)]
    pub(super) fn between(&mut self, old: &CountedPosition, new: &Position, set: InputSet) {
        let (me, opponent) = (new.me().packed(), new.opponent().packed());
        self.counts(old, me, opponent);
        match set {
            InputSet::Counts => {}
            InputSet::CountsAndHand => self.hand(old, new),
            InputSet::CountsHandAndReach => {
                self.hand(old, new);
                self.reach(old, new);
            }
            InputSet::CountsAndOff => self.off(old, me, opponent),
        }
    }

    /// Inputs of the seventh to the fourteenth checker borne off.
    #[inline(always)]
    fn off(&mut self, old: &CountedPosition, me: u128, opponent: u128) {
        let beyond = |side: u128| {
            let off = (side >> (4 * (LOCATIONS - 1)) & 15) as usize;
            off.saturating_sub(STEPS - 1).min(OFF_OF_SIDE)
        };
        for (side, (old, new)) in [(old.me, me), (old.opponent, opponent)]
            .into_iter()
            .enumerate()
        {
            let (old, new) = (beyond(old), beyond(new));
            let sign = if old < new { 1 } else { -1 };
            for step in old.min(new)..old.max(new) {
                self.push(BASE + OFF_OF_SIDE * side + step, sign);
            }
        }
    }

    #[inline(always)]
    fn counts(&mut self, old: &CountedPosition, me: u128, opponent: u128) {
        // 32 places a side, of which 26 are used.
        let mut differ = places(old.me ^ me) | places(old.opponent ^ opponent) << 32;
        let words = |me: u128, opponent: u128| {
            let (high, far) = ((me >> 64) as u64, (opponent >> 64) as u64);
            [me as u64, high, opponent as u64, far]
        };
        let (old, new) = (words(old.me, old.opponent), words(me, opponent));
        while differ != 0 {
            let place = differ.trailing_zeros() as usize;
            differ &= differ - 1;
            let at = |words: &[u64; 4]| ((words[place / 16] >> (place % 16 * 4)) & 15) as i32;
            let location = place - place / 32 * (32 - LOCATIONS);
            self.location(location, at(&old), at(&new));
        }
    }

    #[inline(always)]
    fn location(&mut self, location: usize, old: i32, new: i32) {
        let first = location * STEPS;
        let (low, high) = (old.min(new) as usize, old.max(new) as usize);
        if high == low + 1 {
            self.push(first + low.min(6), (new - old) as i16);
            return;
        }
        let sign = if old < new { 1 } else { -1 };
        for step in low.min(6)..high.min(6) {
            self.push(first + step, sign);
        }
        let above = high.saturating_sub(6) - low.saturating_sub(6);
        if above > 0 {
            self.push(first + 6, sign * above as i16);
        }
    }

    /// The handcrafted inputs that differ; without branches, as it cannot be foreseen which do.
    #[inline(always)]
    fn hand(&mut self, old: &CountedPosition, new: &Position) {
        const ROOM: usize = HAND.next_power_of_two();
        let Some(room) = self.list.get_mut(self.length..self.length + ROOM) else {
            return;
        };
        let mut count = 0;
        visit(new, [old.me, old.opponent], |index, value| {
            let factor = as_entered(index, value) as i16 - i16::from(old.hand[index]);
            let row = (BASE + index) as u16;
            room[count % ROOM] = InputDelta { row, factor };
            count += usize::from(factor != 0);
        });
        self.length += count;
    }

    /// The rolls that reach blots, where they differ.
    #[inline(always)]
    fn reach(&mut self, old: &CountedPosition, new: &Position) {
        Reach::of(new).differences(&old.reach, |index, factor| {
            self.push(BASE + HAND + index, factor);
        });
    }

    #[inline(always)]
    fn push(&mut self, row: usize, factor: i16) {
        let row = row as u16;
        self.list[self.length] = InputDelta { row, factor };
        self.length += 1;
    }
}

/// Bit `i` is set where group `i` of four bits is not 0, for 26 groups.
#[inline(always)]
fn places(word: u128) -> u64 {
    const ONES: u64 = 0x1111_1111_1111_1111;
    let half = |word: u64| {
        let bits = (word | word >> 1 | word >> 2 | word >> 3) & ONES;
        let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
        let bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
        let bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
        (bits | bits >> 24) & 0xffff
    };
    half(word as u64) | half((word >> 64) as u64) << 16
}
