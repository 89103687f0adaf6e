//! Blots that a roll can reach: for each point the number of rolls, of 36, that hit an enemy blot there or cover one's
//! own.
//!
//! The number of hitting rolls is one of the handcrafted integers. *Which* blot they hit matters as much, and so does
//! which of the player's own blots will be covered. Defined in `protocol-specs/net-inputs.md` (`NI-30`, `NI-31`);
//! everything is computed from bit masks of 24 points, without branches on what stands there.

use super::handcrafted::{BOARD, Half};
use crate::nn::{Integers, SPREAD_ROOM};
use gammond_game::{BAR, Position};

/// Points of a side.
pub(super) const POINTS: usize = 24;
/// Integers of one side: for each point rolls that hit, then rolls that cover.
pub(super) const REACH_OF_SIDE: usize = 2 * POINTS;
/// Number of integers of both sides.
pub(super) const REACH: usize = 2 * REACH_OF_SIDE;

/// Writes the integers of both sides, in pairs of rolls: a half would cost more in rounding than it adds. First those of
/// the player on roll; each side's hits before its covers.
#[inline(always)]
pub(super) fn write_reach<I: Integers>(position: &Position, to: &mut [u8; SPREAD_ROOM]) {
    let me = Half::of(position.me());
    let opponent = Half::of(position.opponent());
    // The player on roll in the lower 32 bits of each word, the opponent in the upper.
    let points = lanes(me.points, opponent.points);
    let free = lanes(free(&opponent), free(&me));
    let hits = lanes(opponent.blots_seen, me.blots_seen);
    let blots = hits | (points & !lanes(me.made, opponent.made));
    let masks = if me.bar + opponent.bar == 0 {
        Masks::of_both(points, free)
    } else {
        let (mine, theirs) = (Masks::of(&me, &opponent), Masks::of(&opponent, &me));
        mine.beside(&theirs)
    };
    I::spread(&masks.rolls().map(|digit| digit & blots), hits, to);
}

const fn lanes(mine: u32, theirs: u32) -> u64 {
    mine as u64 | (theirs as u64) << 32
}

/// Returns the points on which the other side may land.
#[inline(always)]
fn free(of: &Half) -> u32 {
    BOARD & !of.made_seen
}

/// Sums of ones for each bit, a binary digit in each word.
type Sums<const DIGITS: usize> = [u64; DIGITS];

/// Counts for each bit how many of three masks have it.
#[inline(always)]
const fn three(a: u64, b: u64, c: u64) -> Sums<2> {
    let ab = a ^ b;
    [ab ^ c, (a & b) | (ab & c)]
}

/// Counts for each bit how many of seven masks have it.
#[inline(always)]
const fn seven(m: [u64; 7]) -> Sums<3> {
    let [a, p] = three(m[0], m[1], m[2]);
    let [b, q] = three(m[3], m[4], m[5]);
    let [one, r] = three(a, b, m[6]);
    let [two, four] = three(p, q, r);
    [one, two, four]
}

/// Counts for each bit how many of fifteen masks have it.
#[inline(always)]
const fn fifteen(m: [u64; 15]) -> Sums<4> {
    let [a0, a1, a2] = seven([m[0], m[1], m[2], m[3], m[4], m[5], m[6]]);
    let [b0, b1, b2] = seven([m[7], m[8], m[9], m[10], m[11], m[12], m[13]]);
    let [one, p] = three(a0, b0, m[14]);
    let [two, q] = three(a1, b1, p);
    let [four, eight] = three(a2, b2, q);
    [one, two, four, eight]
}

/// Places in a list of six dice of the fifteen rolls of two different ones.
const LOW: [usize; 15] = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4];
const HIGH: [usize; 15] = [1, 2, 3, 4, 5, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5];

/// The points that each roll reaches.
struct Masks {
    pairs: [u64; 15],
    doubles: [u64; 6],
}

impl Masks {
    /// Returns the masks of both sides at once, with no checker on the bar. Bits that a shift moves from one side to
    /// the other end beyond its points.
    #[inline(always)]
    fn of_both(points: u64, free: u64) -> Masks {
        let by_die: [u64; 6] = std::array::from_fn(|die| (points >> (die + 1)) & free);
        let pairs = std::array::from_fn(|number| {
            let (a, b) = (LOW[number], HIGH[number]);
            let further = (by_die[a] >> (b + 1)) | (by_die[b] >> (a + 1));
            by_die[a] | by_die[b] | (further & free)
        });
        let doubles = std::array::from_fn(|die| {
            let step = |from: u64| (from >> (die + 1)) & free;
            let (one, two) = (by_die[die], step(by_die[die]));
            let far = step(two);
            one | two | far | step(far)
        });
        Masks { pairs, doubles }
    }

    /// Returns the masks of one side, in the lower half.
    fn of(me: &Half, other: &Half) -> Masks {
        let free = free(other);
        let sources = if me.bar > 0 { 1 << BAR } else { me.points };
        let by_die: [u32; 6] = std::array::from_fn(|die| (sources >> (die + 1)) & free);
        // The other checkers, where one on the bar leaves a die for them.
        let others = if me.bar == 1 { me.points } else { 0 };
        let further = if me.bar < 2 { free } else { 0 };
        let pairs = std::array::from_fn(|number| {
            let (a, b) = (LOW[number], HIGH[number]);
            let (by_a, by_b) = (by_die[a], by_die[b]);
            let rest_a = if by_a == 0 { 0 } else { others };
            let rest_b = if by_b == 0 { 0 } else { others };
            let more = ((by_a | rest_a) >> (b + 1)) | ((by_b | rest_b) >> (a + 1));
            u64::from(by_a | by_b | (more & further))
        });
        // Steps after those that enter, and who makes them beside the checkers that have entered.
        let (steps, rest) = match me.bar {
            0 => (3, 0),
            bar @ 1..=3 => (4 - bar, me.points),
            _ => (0, 0),
        };
        let doubles = std::array::from_fn(|die| {
            let first = by_die[die];
            let mut at = if first == 0 { 0 } else { first | rest };
            let mut reached = first;
            for _ in 0..steps {
                at = (at >> (die + 1)) & free;
                reached |= at;
            }
            u64::from(reached)
        });
        Masks { pairs, doubles }
    }

    fn beside(&self, other: &Masks) -> Masks {
        Masks {
            pairs: std::array::from_fn(|k| self.pairs[k] | other.pairs[k] << 32),
            doubles: std::array::from_fn(|k| self.doubles[k] | other.doubles[k] << 32),
        }
    }

    /// Returns the number of rolls of 36 for each point: two for a pair, one for a double.
    #[inline(always)]
    fn rolls(&self) -> Sums<6> {
        let [p0, p1, p2, p3] = fifteen(self.pairs);
        let [a, b, c, d, e, f] = self.doubles;
        let [one, d1, d2] = seven([a, b, c, d, e, f, 0]);
        let (two, more) = (p0 ^ d1, p0 & d1);
        let [four, more] = three(p1, d2, more);
        let (eight, more) = (p2 ^ more, p2 & more);
        [one, two, four, eight, p3 ^ more, p3 & more]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::{CpuLevel, Kernel};
    use gammond_game::{Roll as Dice, Side, generate_plays};

    struct Written(Position);

    impl Kernel for Written {
        type Output = [u8; SPREAD_ROOM];
        fn run<I: Integers>(self) -> Self::Output {
            let mut to = [1; SPREAD_ROOM];
            write_reach::<I>(&self.0, &mut to);
            to
        }
    }

    /// Computes the same as the masks, point by point and roll by roll.
    fn slowly(me: Side, other: Side) -> [u8; REACH_OF_SIDE] {
        let mut values = [0_u8; REACH_OF_SIDE];
        let (bar, blot) = (me.count(BAR), |i: i32| {
            i < 24 && other.count(23 - i as usize) == 1
        });
        let free = |i: i32| (0..24).contains(&i) && other.count(23 - i as usize) < 2;
        let mine = |i: i32| (0..24).contains(&i) && me.count(i as usize) > 0;
        let two = |i: i32| (0..24).contains(&i) && me.count(i as usize) > 1;
        let source = |i: i32| if bar > 0 { i == 24 } else { mine(i) };
        let first = |i: i32, die: i32| free(i) && source(i + die);
        let enters = |die: i32| (0..24).any(|i| first(i, die));
        for (high, low) in (1..=6).flat_map(|a| (1..=a).map(move |b| (a, b))) {
            let reaches = |i: i32| -> bool {
                if high == low {
                    let die = high;
                    let steps = match bar {
                        0 | 1 => 3,
                        2 => 2,
                        3 => 1,
                        _ => 0,
                    };
                    let rest = |j: i32| (1..=3).contains(&bar) && enters(die) && mine(j);
                    let from = |j: i32| first(j, die) || rest(j);
                    return first(i, die)
                        || (1..=steps)
                            .any(|n| (0..n).all(|k| free(i + k * die)) && from(i + n * die));
                }
                let after = |one: i32, then: i32| {
                    let rest = bar == 1 && enters(one) && mine(i + then);
                    bar < 2 && free(i) && (first(i + then, one) || rest)
                };
                first(i, high) || first(i, low) || after(high, low) || after(low, high)
            };
            let weight = if high == low { 1 } else { 2 };
            for i in 0..24 {
                let at = i as usize;
                if reaches(i) && blot(i) {
                    values[at] += weight;
                } else if reaches(i) && mine(i) && !two(i) {
                    values[POINTS + at] += weight;
                }
            }
        }
        values.map(|rolls| rolls.div_ceil(2))
    }

    /// NI-30, NI-31: over positions of random play, the bar and blots of both sides among them.
    #[test]
    fn masks_agree_with_the_rules() {
        let mut rng = gammond_base::rng::stream(5, 0);
        let mut position = Position::start();
        let mut entered = [0; 3];
        for _ in 0..5_000 {
            let mut after = Vec::new();
            generate_plays(&position, Dice::thrown(&mut rng), &mut after);
            position = match after.len() {
                0 => position.swapped(),
                many => after[gammond_base::rng::below(&mut rng, many as u32) as usize],
            };
            if !position.has_contact() {
                position = Position::start();
            }
            entered[usize::from(position.me().count(BAR).min(2))] += 1;
            let values = CpuLevel::SCALAR.run(Written(position));
            for level in CpuLevel::available() {
                assert_eq!(level.run(Written(position)), values, "{}", level.name());
            }
            let (mine, theirs) = values[..REACH].split_at(REACH_OF_SIDE);
            let text = gammond_game::notation::PositionId::from(position);
            assert_eq!(mine, slowly(position.me(), position.opponent()), "{text}");
            assert_eq!(theirs, slowly(position.opponent(), position.me()), "{text}");
        }
        assert!(entered.iter().all(|&times| times > 50), "{entered:?}");
    }
}
