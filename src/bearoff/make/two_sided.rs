//! Two-sided databases: exact equities of endings in which both sides bear off, with the cube.
//!
//! A record depends on records of the other side on roll in which the first side has moved on, so
//! any order works in which both indices grow. The inner loop is the elementwise largest of four
//! 16-bit values over the successors; what the owner of the cube does is put into the record once,
//! when it is made, not once for each play that leads to it.

use super::super::numbering::{Numbering, Steps};
use super::{ROLLS, header};

/// Equities from -32768 (lost) to 32767 (won): cubeless, I own the cube, centred, opponent owns.
type Record = [i16; 4];

const WON: Record = [i16::MAX; 4];
const LOST: Record = [i16::MIN; 4];

/// A database file of GNU Backgammon's two-sided kind, with equities for each place of the cube
/// when `cubeful`, else cubeless only.
///
/// All wins are single. The cube is at 1, money, without Jacoby rule and beavers. Needs 16 bytes
/// of memory a pair of positions while it works.
#[must_use]
pub fn two_sided(numbering: Numbering, cubeful: bool) -> Vec<u8> {
    let positions = numbering.positions();
    let successors = Successors::new(numbering);
    let mut table = Table {
        positions,
        records: vec![LOST; positions * positions],
        replies: vec![LOST; positions * positions],
    };
    for larger in 0..positions {
        for other in 0..larger {
            table.fill(&successors, larger, other);
        }
        for me in 0..=larger {
            table.fill(&successors, me, larger);
        }
    }
    let mut file = header(&format!(
        "gnubg-TS-{:02}-{:02}-{}",
        numbering.points(),
        numbering.checkers(),
        u8::from(cubeful),
    ));
    let kept = if cubeful { 4 } else { 1 };
    file.reserve(table.records.len() * kept * 2);
    for record in &table.records {
        for value in &record[..kept] {
            file.extend((*value as u16 ^ 0x8000).to_le_bytes());
        }
    }
    file
}

struct Table {
    positions: usize,
    records: Vec<Record>,
    /// The records as the side sees them that has just played and waits.
    replies: Vec<Record>,
}

impl Table {
    fn fill(&mut self, successors: &Successors, me: usize, opponent: usize) {
        let record = if me == 0 {
            WON
        } else if opponent == 0 {
            LOST
        } else {
            let row = &self.replies[opponent * self.positions..][..self.positions];
            mean_of_best(successors, me, row)
        };
        let at = me * self.positions + opponent;
        self.records[at] = record;
        self.replies[at] = reply(record);
    }
}

/// `BEAR-31`: for each roll the best reply for each place of the cube, then the mean, cut toward
/// zero.
fn mean_of_best(successors: &Successors, me: usize, row: &[Record]) -> Record {
    let mut totals = [0_i32; 4];
    for (roll, (_, _, weight)) in ROLLS.iter().enumerate() {
        let mut best = LOST;
        for &after in successors.of(me, roll) {
            let candidate = row[after as usize];
            for (best, value) in best.iter_mut().zip(candidate) {
                *best = (*best).max(value);
            }
        }
        for (total, value) in totals.iter_mut().zip(best) {
            *total += *weight as i32 * i32::from(value);
        }
    }
    totals.map(|total| (total / 36) as i16)
}

/// `BEAR-32`: what a record of the opponent on roll is worth to me, by the place of the cube.
fn reply([cubeless, owned, centred, lent]: Record) -> Record {
    [
        !cubeless,
        !lent,
        !after_doubling(centred, lent),
        !after_doubling(owned, lent),
    ]
}

/// `BEAR-33`.
/// The equity of a side that may double: `kept` without doubling, and twice `turned` (or the
/// point, when the other side passes) if it doubles.
fn after_doubling(kept: i16, turned: i16) -> i16 {
    if turned < kept / 2 {
        kept
    } else if turned >= 16383 {
        i16::MAX
    } else {
        turned * 2
    }
}

/// All results of each roll for each position, without repetition.
struct Successors {
    starts: Vec<u32>,
    indices: Vec<u32>,
}

impl Successors {
    fn new(numbering: Numbering) -> Successors {
        let mut one_step: Vec<[Vec<u32>; 6]> = Vec::with_capacity(numbering.positions());
        for index in 0..numbering.positions() {
            let steps = Steps::of(numbering, index);
            one_step.push(std::array::from_fn(|die| {
                let mut after = Vec::new();
                steps.each(die + 1, |index| after.push(index));
                if after.is_empty() {
                    after.push(index as u32);
                }
                after
            }));
        }
        let mut successors = Successors {
            starts: vec![0],
            indices: Vec::new(),
        };
        let play = |from: &[u32], die: usize| {
            let mut after: Vec<u32> = from
                .iter()
                .flat_map(|&index| &one_step[index as usize][die - 1])
                .copied()
                .collect();
            after.sort_unstable();
            after.dedup();
            after
        };
        for index in 0..numbering.positions() as u32 {
            for (high, low, _) in ROLLS {
                let mut after = play(&play(&[index], high), low);
                if high == low {
                    after = play(&play(&after, high), high);
                } else {
                    after.extend(play(&play(&[index], low), high));
                    after.sort_unstable();
                    after.dedup();
                }
                successors.indices.append(&mut after);
                successors.starts.push(successors.indices.len() as u32);
            }
        }
        successors
    }

    fn of(&self, index: usize, roll: usize) -> &[u32] {
        let at = index * ROLLS.len() + roll;
        &self.indices[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
