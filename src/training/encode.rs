//! A position as net inputs: 364 thermometer inputs and 40 small hand-made integers.
//!
//! The definitions are those of `protocol-specs/net-inputs.md`. The trainer wants the few inputs
//! that are not zero ([`active`]); the inference code wants whole counts and integers ([`hand`]).

use crate::game::{BAR, Position, Side};
use std::sync::LazyLock;

/// Thermometer inputs: 2 sides, 26 places, 7 inputs each.
pub const BASE: usize = 2 * 26 * 7;
/// Hand-made inputs: 20 for the player on roll, 20 for the opponent.
pub const HAND: usize = 40;

const BOARD: u32 = 0xff_ffff;
const HOME: u32 = 0x3f;

/// Of the 36 rolls, those with which a lone checker gets 7 or more pips ahead past these blocks;
/// bit d - 1 of the index is set when the point d pips ahead is blocked.
static ESCAPES: LazyLock<Box<[u8; 4096]>> = LazyLock::new(|| {
    let mut table = Box::new([0; 4096]);
    for (blocks, entry) in table.iter_mut().enumerate() {
        *entry = escaping_rolls(blocks as u32);
    }
    table
});

fn escaping_rolls(blocks: u32) -> u8 {
    let free = |distance: u32| distance > 12 || blocks >> (distance - 1) & 1 == 0;
    let mut rolls = 0;
    for a in 1..=6u32 {
        for b in 1..a {
            if a + b >= 7 && free(a + b) && (free(a) || free(b)) {
                rolls += 2;
            }
        }
        let mut reached = 0;
        while reached < 4 * a && free(reached + a) {
            reached += a;
        }
        if reached >= 7 {
            rolls += 1;
        }
    }
    rolls
}

/// The points of one side seen in the other side's numbering.
const fn turned(points: u32) -> u32 {
    (points & BOARD).reverse_bits() >> 8
}

/// What the twenty inputs of one side are computed from.
struct View {
    side: Side,
    /// Points 0..24 with a checker; the bar is not among them.
    points: u32,
    made: u32,
    bar: u32,
    enemy_made: u32,
    enemy_blots: u32,
    /// The enemy's made points in the enemy's numbering.
    enemy_made_own: u32,
    enemy_rearmost: u32,
}

impl View {
    fn of(side: Side, enemy: Side) -> View {
        let enemy_made_own = enemy.made() & BOARD;
        View {
            side,
            points: side.occupied() & BOARD,
            made: side.made() & BOARD,
            bar: u32::from(side.count(BAR)),
            enemy_made: turned(enemy_made_own),
            enemy_blots: turned(enemy.occupied() & BOARD & !enemy_made_own),
            enemy_made_own,
            enemy_rearmost: enemy.rearmost().unwrap_or(0) as u32,
        }
    }

    fn escapes(&self, from: u32) -> u8 {
        ESCAPES[(self.enemy_made_own >> (24 - from) & 0xfff) as usize]
    }

    fn shots(&self) -> u32 {
        if self.enemy_blots == 0 {
            return 0;
        }
        let from = if self.bar > 0 { 1 << BAR } else { self.points };
        let one: [u32; 7] = std::array::from_fn(|d| from >> d & !self.enemy_made & BOARD);
        let direct = |d: usize| one[d] & self.enemy_blots != 0;
        let count = (1..=6).filter(|&d| direct(d)).count() as u32;
        let mut rolls = 36 - (6 - count) * (6 - count);
        for a in 1..=6 {
            if direct(a) {
                continue;
            }
            rolls += u32::from(self.double_hits(a as u32, one[a]));
            if self.bar > 1 {
                continue;
            }
            for b in 1..a {
                if direct(b) {
                    continue;
                }
                let mut reached = one[a] >> b | one[b] >> a;
                if self.bar == 1 {
                    if one[a] != 0 {
                        reached |= self.points >> b;
                    }
                    if one[b] != 0 {
                        reached |= self.points >> a;
                    }
                }
                if reached & self.enemy_blots != 0 {
                    rolls += 2;
                }
            }
        }
        rolls
    }

    fn double_hits(&self, die: u32, first: u32) -> bool {
        let steps = if self.bar == 0 {
            4
        } else {
            5u32.saturating_sub(self.bar).min(4)
        };
        let mut reached = first;
        if self.bar == 1 && reached != 0 {
            reached |= self.points;
        }
        for _ in 1..steps {
            reached = reached >> die & !self.enemy_made;
            if reached & self.enemy_blots != 0 {
                return true;
            }
        }
        false
    }

    fn integers(&self, out: &mut [u8]) {
        let side = self.side;
        let ones = |mask: u32| mask.count_ones() as u8;
        let rear = side.rearmost().map(|r| r as u32);
        let second = rear.and_then(|r| {
            if side.count(r as usize) > 1 {
                Some(r)
            } else {
                let below = (self.points | self.bar.min(1) << BAR) & ((1 << r) - 1);
                below.checked_ilog2()
            }
        });
        let ahead = self.made >> (24 - self.enemy_rearmost);
        let blots = self.points & !self.made;
        let anchors = self.made >> 18;
        out[0] = self.shots() as u8;
        out[1] = ones(self.made & HOME);
        out[2] = longest_run(self.made);
        out[3] = longest_run(ahead & 0xff);
        out[4] = ones(ahead & HOME);
        out[5] = rear.map_or(36, |r| self.escapes(r));
        out[6] = second.map_or(36, |r| self.escapes(r));
        out[7] = (18..=24).map(|i| side.count(i)).sum();
        out[8] = (rear.unwrap_or(0) + self.enemy_rearmost).saturating_sub(22) as u8;
        out[9] = ones(anchors);
        out[10] = anchors.checked_ilog2().map_or(0, |high| 6 - high as u8);
        out[11] = ones(blots & HOME);
        out[12] = ones(blots);
        out[13] = side.count(0) + side.count(1) + side.count(2);
        out[14] = if self.bar == 0 {
            0
        } else {
            1 + ones(self.enemy_made >> 18)
        };
        out[15] = u8::from(self.bar > 1);
        let moves: u32 = (1..=6)
            .map(|d| (self.points >> d & !self.enemy_made).count_ones())
            .sum();
        out[16] = moves.min(63) as u8;
        out[17] = ESCAPES[(self.made & 0xfff) as usize];
        out[18] = match (rear, second) {
            (Some(a), Some(b)) => (a - b) as u8,
            _ => 0,
        };
        out[19] = ones(self.made >> 6 & 0x1ff);
    }
}

fn longest_run(mut mask: u32) -> u8 {
    let mut length = 0;
    while mask != 0 {
        mask &= mask << 1;
        length += 1;
    }
    length
}

/// The forty hand-made integers.
#[must_use]
pub fn hand(position: &Position) -> [u8; HAND] {
    let mut out = [0; HAND];
    let (me, opponent) = (position.me(), position.opponent());
    View::of(me, opponent).integers(&mut out[..20]);
    View::of(opponent, me).integers(&mut out[20..]);
    out
}

/// The value with which hand-made integer `value` of input `index` (0..40) enters the net.
#[must_use]
pub fn hand_value(index: usize, value: u8) -> f32 {
    let v = f32::from(value);
    match index % 20 {
        0 | 5 | 6 | 16 | 17 => v / 36.0,
        1..=4 | 10 => v / 6.0,
        7 => v / 4.0,
        8 => v / 24.0,
        9 | 11 | 19 => v / 3.0,
        12 => v / 5.0,
        13 => (v - 2.0).max(0.0) / 6.0,
        14 if value == 0 => 0.0,
        14 => ((v - 1.0) / 6.0) * ((v - 1.0) / 6.0),
        18 => v / 12.0,
        _ => v,
    }
}

/// Appends the inputs that are not zero, as (row, value); hand-made ones follow at row
/// [`BASE`] when `with_hand`.
pub fn active(position: &Position, with_hand: bool, out: &mut Vec<(u16, f32)>) {
    for (side, who) in [position.me(), position.opponent()].into_iter().enumerate() {
        for place in 0..26 {
            let count = who.count(place);
            let first = ((side * 26 + place) * 7) as u16;
            for k in 0..count.min(6) {
                out.push((first + u16::from(k), 1.0));
            }
            if count > 6 {
                out.push((first + 6, f32::from(count - 6) / 4.0));
            }
        }
    }
    if with_hand {
        for (index, &value) in hand(position).iter().enumerate() {
            let value = hand_value(index, value);
            if value != 0.0 {
                out.push(((BASE + index) as u16, value));
            }
        }
    }
}
