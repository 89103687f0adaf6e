//! The forty handcrafted inputs: small integers that a player would count.
//!
//! Twenty for the player on roll, then the same twenty as the opponent counts them. Defined in
//! `protocol-specs/net-inputs.md` (`NI-` rules); everything is computed from bit masks of 24
//! points, bit `i` for point `i` of the side in question.

use gammond_game::{BAR, Position, Side};

/// Number of handcrafted inputs of one side.
pub const HAND_OF_SIDE: usize = 20;
/// Number of handcrafted inputs of both sides.
pub const HAND: usize = 2 * HAND_OF_SIDE;

/// A value that no side packs to.
pub(super) const NEITHER: [u128; 2] = [u128::MAX; 2];

pub(super) const BOARD: u32 = 0xff_ffff;
const HOME: u32 = 0x3f;
const FAR_HOME: u32 = 0xfc_0000;
const MIDDLE: u32 = 0x7fc0;

/// Returns the forty integers of a position; each is at most 63. Meant for positions with contact; a side without
/// checkers counts as standing on its ace point.
#[must_use]
pub fn handcrafted(position: &Position) -> [u8; HAND] {
    let mut values = [0; HAND];
    visit(position, NEITHER, |index, value| {
        values[index] = value as u8;
    });
    values
}

/// Calls `put` with the number and the value of the forty integers; of a side that is the same as in `old` only those
/// that depend on the other side too. (Values that are passed on at once stay in registers; an array of bytes would
/// be written and read again.)
#[inline(always)]
pub(super) fn visit(position: &Position, old: [u128; 2], mut put: impl FnMut(usize, u32)) {
    let me = Half::of(position.me());
    let opponent = Half::of(position.opponent());
    if position.me().packed() != old[0] {
        count_own(&me, &mut put);
    }
    count_both(&me, &opponent, &mut put);
    if position.opponent().packed() != old[1] {
        count_own(&opponent, |index, value| put(HAND_OF_SIDE + index, value));
    }
    count_both(&opponent, &me, |index, value| {
        put(HAND_OF_SIDE + index, value);
    });
}

/// One side's checkers as masks, in its own numbering and in the other's.
pub(super) struct Half {
    side: Side,
    pub(super) points: u32,
    pub(super) made: u32,
    pub(super) bar: u32,
    /// Location of the rearmost checker, 24 on the bar.
    rear: i32,
    /// Location of the second, -1 if there is none.
    second: i32,
    pub(super) made_seen: u32,
    pub(super) blots_seen: u32,
}

impl Half {
    #[inline(always)]
    pub(super) fn of(side: Side) -> Half {
        let (occupied, made) = (side.occupied(), side.made());
        let rear = 31 - (occupied | 1).leading_zeros();
        let rest = occupied & !(1 << rear);
        let below = 31 - rest.leading_zeros() as i32;
        let paired = side.count(rear as usize) > 1;
        let (points, made) = (occupied & BOARD, made & BOARD);
        Half {
            side,
            points,
            made,
            bar: u32::from(side.count(BAR)),
            rear: rear as i32,
            second: if paired { rear as i32 } else { below },
            made_seen: mirrored(made),
            blots_seen: mirrored(points & !made),
        }
    }
}

/// Returns the same points in the other side's numbering.
#[inline(always)]
fn mirrored(mask: u32) -> u32 {
    mask.reverse_bits() >> 8
}

/// Counts the integers, of the twenty, that depend on one side alone.
#[inline(always)]
fn count_own(me: &Half, mut put: impl FnMut(usize, u32)) {
    let (points, made) = (me.points, me.made);
    let blots = points & !made;
    let anchors = made & FAR_HOME;
    let packed = me.side.packed();
    put(1, (made & HOME).count_ones());
    put(2, longest_run(made));
    put(7, sum_of_nibbles((packed >> 72) as u32 & 0xfff_ffff));
    put(9, anchors.count_ones());
    let deepest = anchors.leading_zeros().wrapping_sub(7);
    put(10, if anchors == 0 { 0 } else { deepest });
    put(11, (blots & HOME).count_ones());
    put(12, blots.count_ones());
    put(13, sum_of_nibbles(packed as u32 & 0xfff));
    put(15, u32::from(me.bar > 1));
    put(17, escapes(24, me.made_seen));
    let apart = (me.rear - me.second) as u32;
    put(18, if me.second < 0 { 0 } else { apart });
    put(19, (made & MIDDLE).count_ones());
}

/// Counts the others of the twenty: `me` against `other`.
#[inline(always)]
fn count_both(me: &Half, other: &Half, mut put: impl FnMut(usize, u32)) {
    let blocks = other.made_seen;
    // Points in front of the enemy's rearmost checker, which stands on 23 - rear of mine.
    let front = me.made >> (24 - other.rear);
    put(0, shots(me, other));
    put(3, u32::from(RUNS[(front & 0xff) as usize]));
    put(4, (front & HOME).count_ones());
    put(5, escapes(me.rear, blocks));
    let second = escapes(me.second.max(0), blocks);
    put(6, if me.second < 0 { 36 } else { second });
    put(8, (me.rear + other.rear - 22).max(0) as u32);
    let shut = 1 + (blocks & FAR_HOME).count_ones();
    put(14, if me.bar == 0 { 0 } else { shut });
    let mut mobility = 0;
    for die in 1..=6 {
        mobility += ((me.points >> die) & !blocks).count_ones();
    }
    put(16, mobility.min(63));
}

/// Returns the sum of the seven lowest groups of four bits; at most 15.
#[inline(always)]
fn sum_of_nibbles(word: u32) -> u32 {
    let pairs = (word & 0x0f0f_0f0f) + ((word >> 4) & 0x0f0f_0f0f);
    pairs.wrapping_mul(0x0101_0101) >> 24
}

/// Returns the length of the longest run of ones; fifteen checkers make at most seven points.
#[inline(always)]
fn longest_run(mask: u32) -> u32 {
    let mut rest = mask;
    let mut length = 0;
    for _ in 0..7 {
        length += u32::from(rest != 0);
        rest &= rest >> 1;
    }
    length
}

/// [`longest_run`] of eight bits.
static RUNS: [u8; 256] = {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut rest = mask;
        while rest != 0 {
            table[mask] += 1;
            rest &= rest >> 1;
        }
        mask += 1;
    }
    table
};

/// Returns the number of rolls, of 36, that take a lone checker at `from` seven or more pips ahead past `blocks`.
#[inline(always)]
fn escapes(from: i32, blocks: u32) -> u32 {
    // Bit 12 - d of the pattern is the point at distance d; points beyond the ace are free.
    let pattern = ((u64::from(blocks) << 12) >> from) & 0xfff;
    u32::from(ESCAPES[pattern as usize])
}

static ESCAPES: [u8; 4096] = {
    let mut table = [0; 4096];
    let mut pattern = 0;
    while pattern < 4096 {
        table[pattern] = escapes_past(pattern as u32);
        pattern += 1;
    }
    table
};

const fn escapes_past(pattern: u32) -> u8 {
    let mut rolls = 0;
    let mut a = 1;
    while a <= 6 {
        let mut b = a + 1;
        while b <= 6 {
            let reached = is_free(pattern, a + b) && (is_free(pattern, a) || is_free(pattern, b));
            if reached && a + b >= 7 {
                rolls += 2;
            }
            b += 1;
        }
        let mut steps = 1;
        let mut reached = false;
        while steps <= 4 && is_free(pattern, steps * a) {
            reached = reached || steps * a >= 7;
            steps += 1;
        }
        if reached {
            rolls += 1;
        }
        a += 1;
    }
    rolls
}

const fn is_free(pattern: u32, distance: u32) -> bool {
    distance > 12 || (pattern >> (12 - distance)) & 1 == 0
}

/// The fifteen pairs of different dice, and one that reaches nothing.
const LOW: [u32; 16] = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 31];
const HIGH: [u32; 16] = [2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6, 31];
/// The six dice, and two that reach nothing.
const DICE: [u32; 8] = [1, 2, 3, 4, 5, 6, 31, 31];

/// Returns the number of rolls, of 36, that hit an enemy blot, by the rule of `NI-20`.
///
/// Pairs and doubles are worked out side by side in fixed arrays, without branches: the compiler
/// makes vector code of them.
#[inline(always)]
fn shots(me: &Half, other: &Half) -> u32 {
    let targets = other.blots_seen;
    if targets == 0 {
        return 0;
    }
    let free = !other.made_seen;
    let (points, bar) = (me.points, me.bar);
    let sources = if bar > 0 { 1 << BAR } else { points };
    // The other checkers, where one on the bar leaves a die for them.
    let others = if bar == 1 { points } else { 0 };
    let mut direct = 0u32;
    for die in 1..=6 {
        direct |= u32::from((sources >> die) & free & targets != 0) << die;
    }
    let missing = 6 - direct.count_ones();
    if missing == 0 {
        return 36;
    }
    let mut pairs = 0;
    for i in 0..16 {
        let (a, b) = (LOW[i], HIGH[i]);
        let (by_a, by_b) = ((sources >> a) & free, (sources >> b) & free);
        let rest_a = if by_a == 0 { 0 } else { others >> b };
        let rest_b = if by_b == 0 { 0 } else { others >> a };
        let reached = ((by_a >> b) | (by_b >> a) | rest_a | rest_b) & targets;
        let is_direct = ((direct >> a) | (direct >> b)) & 1;
        pairs += u32::from(reached != 0) & !is_direct;
    }
    let steps = if bar == 0 {
        4
    } else {
        5u32.saturating_sub(bar).min(4)
    };
    let mut doubles = 0;
    for die in DICE {
        let mut at = (sources >> die) & free;
        at |= if at == 0 { 0 } else { others };
        let mut reached = 0;
        for step in 1..4 {
            at = (at >> die) & free;
            reached |= if step < steps { at } else { 0 };
        }
        doubles += u32::from(reached & targets != 0) & !(direct >> die) & 1;
    }
    let pairs = if bar <= 1 { pairs } else { 0 };
    36 - missing * missing + 2 * pairs + doubles
}
