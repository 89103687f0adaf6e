//! Inputs of our own nets as changes between two positions.
//!
//! Every input is a small integer, so a position is a list of (input, integer) and the difference of two positions is
//! a short list of [`InputDelta`]s. Base inputs: for each side, location (0..=23 points, 24 bar, 25 off) and k < 6
//! one input that is 1 when more than k checkers stand there, and a seventh that counts those above six. Then the
//! forty of [`handcrafted`](super::handcrafted::handcrafted), and where a net has them 48 a side for rolls that reach
//! blots (`Reach`); or for races eight more a side for checkers borne off.

use super::handcrafted::{HAND, HAND_OF_SIDE, visit};
use super::reach::{POINTS, REACH, REACH_OF_SIDE, write_reach};
use crate::nn::{CpuLevel, InputDelta, InputUnits, Integers, Kernel, SPREAD_ROOM};
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
/// Most inputs of a set.
const INPUTS: usize = BASE + HAND + REACH + OFF;

/// A group of inputs. Its writer is a branch of [`InputDeltas::between`], which is compiled into the kernels.
struct Group {
    /// Name in plans; in net files the width follows it.
    name: &'static str,
    /// Name of its tensor in float nets.
    tensor: &'static str,
    width: usize,
    /// The group without which it cannot be.
    needs: Option<usize>,
    /// The group with which it cannot be.
    excludes: Option<usize>,
    /// Returns the value of one unit of an input's integer in float32.
    unit: fn(usize) -> f32,
    /// Returns the mean of an input's integer over contact positions; 0 where rounding is not corrected.
    mean: fn(usize) -> f32,
    /// Adds the extremes of the group's inputs to the least and the greatest sum.
    extremes: fn(&[f64], &mut (f64, f64)),
}

const COUNTS_AT: usize = 0;
const HAND_AT: usize = 1;
const REACH_AT: usize = 2;
const OFF_AT: usize = 3;

/// The groups, in the order in which sets have them.
const GROUPS: [Group; 4] = [
    Group {
        name: "counts",
        tensor: "base",
        width: BASE,
        needs: None,
        excludes: None,
        unit: |input| if input % STEPS == 6 { 0.25 } else { 1.0 },
        mean: |_| 0.0,
        extremes: |_, _| {},
    },
    Group {
        name: "hand",
        tensor: "hand",
        width: HAND,
        needs: None,
        excludes: None,
        unit: |input| 1.0 / DIVISORS[input % HAND_OF_SIDE],
        mean: |input| MEANS[input % HAND_OF_SIDE],
        extremes: extremes_of_hand,
    },
    Group {
        name: "reach",
        tensor: "reach",
        width: REACH,
        needs: Some(HAND_AT),
        excludes: None,
        unit: |_| 1.0 / PAIRS,
        mean: |_| 0.0,
        // Counted with the checkers that are alone.
        extremes: |_, _| {},
    },
    Group {
        name: "off",
        tensor: "off",
        width: OFF,
        needs: None,
        excludes: Some(HAND_AT),
        unit: |_| 1.0,
        mean: |_| 0.0,
        extremes: extremes_of_off,
    },
];

/// Set of inputs of a net: some of the groups.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InputSet {
    /// Bit `i` is set if the set has group `i`.
    groups: u8,
    /// The first input of each group.
    starts: [u16; GROUPS.len()],
    inputs: u16,
}

impl std::fmt::Debug for InputSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("InputSet").field(&self.name()).finish()
    }
}

impl InputSet {
    /// The 364 base inputs.
    pub const COUNTS: InputSet = InputSet::with(1 << COUNTS_AT);
    /// The base inputs and the forty handcrafted ones.
    pub const COUNTS_HAND: InputSet = InputSet::with(1 << COUNTS_AT | 1 << HAND_AT);
    /// The inputs of `COUNTS_HAND`, and the rolls that reach each blot.
    pub const COUNTS_HAND_REACH: InputSet =
        InputSet::with(1 << COUNTS_AT | 1 << HAND_AT | 1 << REACH_AT);
    /// The base inputs and sixteen for the seventh to the fourteenth checker borne off; for races.
    pub const COUNTS_OFF: InputSet = InputSet::with(1 << COUNTS_AT | 1 << OFF_AT);

    const fn with(groups: u8) -> InputSet {
        let (mut starts, mut inputs, mut at) = ([0; GROUPS.len()], 0, 0);
        while at < GROUPS.len() {
            starts[at] = inputs;
            if groups >> at & 1 == 1 {
                inputs += GROUPS[at].width as u16;
            }
            at += 1;
        }
        InputSet {
            groups,
            starts,
            inputs,
        }
    }

    /// Returns all sets that can be, those of fewer groups before those that begin with them.
    fn all() -> impl Iterator<Item = InputSet> {
        let sets = (0..1 << GROUPS.len()).map(InputSet::with);
        sets.filter(|set| set.fault().is_none())
    }

    /// Returns the reason why a net cannot have these groups.
    fn fault(self) -> Option<String> {
        if !self.has(COUNTS_AT) {
            return Some(format!("inputs: {} is missing", GROUPS[COUNTS_AT].name));
        }
        (0..GROUPS.len()).filter(|&at| self.has(at)).find_map(|at| {
            let Group {
                name,
                needs,
                excludes,
                ..
            } = &GROUPS[at];
            let missing = needs.filter(|&other| !self.has(other));
            let unwanted = excludes.filter(|&other| self.has(other));
            let missing =
                missing.map(|other| format!("{name}: only together with {}", GROUPS[other].name));
            missing.or_else(|| {
                unwanted.map(|other| format!("{name}: not together with {}", GROUPS[other].name))
            })
        })
    }

    /// Returns the set of the groups of these names, in any order.
    ///
    /// # Errors
    /// An unknown name, or groups that exclude each other.
    pub fn of_groups<S: AsRef<str>>(names: &[S]) -> Result<InputSet, String> {
        let mut groups = 0;
        for name in names {
            let name = name.as_ref();
            let at = GROUPS.iter().position(|group| group.name == name);
            let at = at.ok_or_else(|| {
                let known = GROUPS.map(|group| group.name).join(", ");
                format!("inputs: {name:?}, expected some of {known}")
            })?;
            groups |= 1 << at;
        }
        let set = InputSet::with(groups);
        set.fault().map_or(Ok(set), Err)
    }

    /// Returns the set of this name in net files.
    #[must_use]
    pub fn named(name: &str) -> Option<InputSet> {
        InputSet::all().find(|set| set.name() == name)
    }

    /// Returns the set with this many inputs.
    #[must_use]
    pub fn of_size(inputs: usize) -> Option<InputSet> {
        InputSet::all().find(|set| set.inputs() == inputs)
    }

    /// Returns its name in net files.
    #[must_use]
    pub fn name(self) -> String {
        let names: Vec<String> = self
            .present()
            .map(|group| format!("{}-{}", group.name, group.width))
            .collect();
        names.join(" ")
    }

    /// Returns the names and sizes of the groups in float nets, in order.
    pub fn tensors(self) -> impl Iterator<Item = (&'static str, usize)> {
        self.present().map(|group| (group.tensor, group.width))
    }

    /// Returns the number of inputs.
    #[must_use]
    pub const fn inputs(self) -> usize {
        self.inputs as usize
    }

    /// Returns true if it has more inputs than `other`, and begins with those of `other`.
    #[must_use]
    pub fn begins_with(self, other: InputSet) -> bool {
        let (name, start) = (self.name(), other.name());
        name.len() > start.len() && name.starts_with(&start)
    }

    #[inline(always)]
    const fn has(self, at: usize) -> bool {
        self.groups >> at & 1 == 1
    }

    /// Returns the first input of a group.
    #[inline(always)]
    const fn start(self, at: usize) -> usize {
        self.starts[at] as usize
    }

    fn present(self) -> impl Iterator<Item = &'static Group> {
        const { &GROUPS }
            .iter()
            .enumerate()
            .filter(move |(at, _)| self.has(*at))
            .map(|(_, group)| group)
    }

    /// Returns the value of `of` for each input, by its number in its group.
    fn by_input(self, of: fn(&Group) -> fn(usize) -> f32) -> Vec<f32> {
        self.present()
            .flat_map(|group| (0..group.width).map(of(group)))
            .collect()
    }

    /// Returns the units that quantising needs; see [`InputUnits`].
    #[must_use]
    pub fn units(self) -> InputUnits {
        InputUnits {
            units: self.by_input(|group| group.unit),
            typical: self.by_input(|group| group.mean),
            reach: Box::new(move |column| self.extremes(column)),
        }
    }

    /// Returns the least and the greatest sum of inputs that can occur: base inputs of fifteen checkers a side,
    /// others within their ranges, given the term of a unit of each.
    fn extremes(self, column: &[f64]) -> (f64, f64) {
        let part = |at: usize| match self.has(at) {
            true => &column[self.start(at)..][..GROUPS[at].width],
            false => &[],
        };
        let reach = part(REACH_AT);
        let (mut low, mut high) = (0.0, 0.0);
        let sides = part(COUNTS_AT).chunks_exact(LOCATIONS * STEPS);
        for (number, side) in sides.enumerate() {
            high += most(side, 1.0, |point| of_blot(reach, number, point, 1.0));
            low -= most(side, -1.0, |point| of_blot(reach, number, point, -1.0));
        }
        let mut sums = (low, high);
        for (at, group) in GROUPS.iter().enumerate() {
            (group.extremes)(part(at), &mut sums);
        }
        sums
    }

    /// Returns the base inputs of the number of checkers that a side (0 the player on roll, 1 the opponent) has at a
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

    /// Returns the value of one unit of an input's integer.
    fn unit(self, input: usize) -> f32 {
        let mut at = input;
        for group in self.present() {
            if at < group.width {
                return (group.unit)(at);
            }
            at -= group.width;
        }
        0.0
    }

    /// Returns the inputs of a position as (input, float value), for float nets.
    #[must_use]
    pub fn values(self, position: &Position) -> Vec<(usize, f64)> {
        let mut changes = InputDeltas::for_positions(1);
        changes.of(position, self, CpuLevel::detect());
        changes
            .as_slice()
            .iter()
            .map(|change| {
                let input = usize::from(change.row);
                (
                    input,
                    f64::from(self.unit(input)) * f64::from(change.factor),
                )
            })
            .collect()
    }
}

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

/// Means of the handcrafted inputs over contact positions.
const MEANS: [f32; HAND_OF_SIDE] = [
    9.0, 3.0, 2.5, 2.0, 2.0, 17.0, 20.0, 2.5, 18.0, 0.7, 1.5, 0.7, 2.5, 1.0, 0.5, 0.0, 22.0, 13.0,
    3.0, 1.2,
];

fn extremes_of_hand(hand: &[f64], (low, high): &mut (f64, f64)) {
    for (i, &unit) in hand.iter().enumerate() {
        let reached = unit * f64::from(GREATEST[i % HAND_OF_SIDE]);
        *high += reached.max(0.0);
        *low += reached.min(0.0);
    }
}

/// Adds the extremes of the inputs of checkers borne off, of which each has those before it.
fn extremes_of_off(off: &[f64], (low, high): &mut (f64, f64)) {
    for side in off.chunks_exact(OFF_OF_SIDE) {
        let (mut sum, mut least, mut most) = (0.0f64, 0.0f64, 0.0f64);
        for unit in side {
            sum += unit;
            (least, most) = (least.min(sum), most.max(sum));
        }
        (*low, *high) = (*low + least, *high + most);
    }
}

/// Returns the most that the rolls which hit or cover a blot can add, each weight times `sign`. `reach` may be empty.
fn of_blot(reach: &[f64], side: usize, point: usize, sign: f64) -> f64 {
    if reach.is_empty() || point >= POINTS {
        return 0.0;
    }
    let hits = reach[REACH_OF_SIDE * (1 - side) + POINTS - 1 - point];
    let covers = reach[REACH_OF_SIDE * side + POINTS + point];
    18.0 * ((sign * covers).max(0.0) + (sign * hits).max(0.0))
}

/// Returns the most that fifteen checkers of one side add up to, each weight times `sign`: a knapsack over locations.
/// `alone` is what more a checker adds that is alone there.
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

/// Places of [`CountedPosition::small`]: the handcrafted inputs, those of the rolls that reach blots, and room to spare.
const SMALL: usize = HAND + SPREAD_ROOM;

/// A position as the nets see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedPosition {
    me: u128,
    opponent: u128,
    /// The inputs after the counts, those of `COUNTS_HAND_REACH`, as far as the set has them.
    small: [u8; SMALL],
}

impl CountedPosition {
    /// All inputs 0.
    pub(super) const NOTHING: CountedPosition = CountedPosition {
        me: 0,
        opponent: 0,
        small: [0; SMALL],
    };

    /// Counts what another set of checkers than in `old` may have changed.
    #[inline(always)]
    fn after<I: Integers>(old: &CountedPosition, new: &Position, set: InputSet) -> CountedPosition {
        let mut small = old.small;
        if set.has(HAND_AT) {
            visit(new, [old.me, old.opponent], |index, value| {
                small[index] = as_entered(index, value) as u8;
            });
        }
        if let (true, Some(reach)) = (set.has(REACH_AT), small.last_chunk_mut()) {
            write_reach::<I>(new, reach);
        }
        CountedPosition {
            me: new.me().packed(),
            opponent: new.opponent().packed(),
            small,
        }
    }
}

/// Returns an integer as it enters: number 13 counts above two, number 14 as a square.
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
        // Spare room: the last are written before it is clear whether they count.
        let list = vec![InputDelta::default(); count * INPUTS + SMALL];
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

    /// Replaces the list by all inputs of a position that are not 0; the position as the nets see it.
    pub(super) fn of(
        &mut self,
        position: &Position,
        set: InputSet,
        cpu: CpuLevel,
    ) -> CountedPosition {
        struct All<'a>(&'a mut InputDeltas, &'a Position, InputSet);
        impl Kernel for All<'_> {
            type Output = CountedPosition;
            #[inline(always)]
            fn run<I: Integers>(self) -> CountedPosition {
                (self.0).between::<I>(&CountedPosition::NOTHING, self.1, self.2)
            }
        }
        self.clear();
        cpu.run(All(self, position, set))
    }

    /// Adds what makes `new` out of `old`, as far as this set of inputs sees it; `new` as the nets see it.
    #[inline(always)]
    pub(super) fn between<I: Integers>(
        &mut self,
        old: &CountedPosition,
        new: &Position,
        set: InputSet,
    ) -> CountedPosition {
        let new = CountedPosition::after::<I>(old, new, set);
        self.counts(old, new.me, new.opponent);
        if set.has(HAND_AT) {
            let first = set.start(HAND_AT);
            self.length =
                I::list_differences(&old.small, &new.small, first, &mut self.list, self.length);
        }
        if set.has(OFF_AT) {
            self.off(set.start(OFF_AT), old, new.me, new.opponent);
        }
        new
    }

    /// Changes the inputs of the seventh to the fourteenth checker borne off.
    #[inline(always)]
    fn off(&mut self, first: usize, old: &CountedPosition, me: u128, opponent: u128) {
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
                self.push(first + OFF_OF_SIDE * side + step, sign);
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

    #[inline(always)]
    fn push(&mut self, row: usize, factor: i16) {
        let row = row as u16;
        self.list[self.length] = InputDelta { row, factor };
        self.length += 1;
    }
}

/// Returns a mask whose bit `i` is set where group `i` of four bits is not 0, for 26 groups.
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
