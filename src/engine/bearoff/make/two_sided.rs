//! Two-sided databases: exact equities of endings in which both sides bear off, with the cube.
//!
//! A record depends on records of the other side on roll in which the first side has moved on. So the
//! table grows by a row and a column at a time: those of one position against all that come after it.
//! A row is made for all opponents at once; the inner loop is the elementwise largest of 16-bit values.
//! What the owner of the cube does is put into the record once, when it is made, not once for each play
//! that leads to it.

use super::super::numbering::{Numbering, Steps};
use super::{ROLLS, Watch, header};

/// Equities from -32768 (lost) to 32767 (won): cubeless, I own the cube, centred, opponent owns.
type Record = [i16; 4];

const WON: Record = [i16::MAX; 4];
const LOST: Record = [i16::MIN; 4];

/// Returns a database file of GNU Backgammon's two-sided kind, with equities for each place of the cube when `cubeful`,
/// else cubeless only.
///
/// All wins are single. The cube is at 1, money, without Jacoby rule and beavers. Needs 16 bytes
/// of memory a pair of positions while it works.
#[must_use]
pub fn two_sided(numbering: Numbering, cubeful: bool) -> Vec<u8> {
    two_sided_kept(numbering, cubeful, &mut NoLineStore, &mut |_, _| true).unwrap_or_default()
}

/// Keeps the lines of a table in the making: what of a position is new against all that come after it.
pub trait LineStore {
    /// Returns the bytes of this line, when they were kept.
    fn known(&mut self, line: usize) -> Option<Vec<u8>>;
    /// Keeps a line that was made; `false` ends the work.
    fn keep(&mut self, line: usize, bytes: &[u8]) -> bool;
}

/// Keeps nothing.
struct NoLineStore;

impl LineStore for NoLineStore {
    fn known(&mut self, _: usize) -> Option<Vec<u8>> {
        None
    }

    fn keep(&mut self, _: usize, _: &[u8]) -> bool {
        true
    }
}

/// Builds the database like [`two_sided`]; `watch` receives the number of finished pairs and cancels with `false`. Lines
/// that `keeper` holds are not computed again.
pub fn two_sided_kept(
    numbering: Numbering,
    cubeful: bool,
    keeper: &mut dyn LineStore,
    watch: Watch<'_>,
) -> Option<Vec<u8>> {
    let plays = Plays::all(numbering);
    let table = TableInProgress::made(numbering.positions(), &plays, keeper, watch)?;
    let kept = if cubeful { 4 } else { 1 };
    let mut file = file_header(numbering, cubeful);
    file.reserve(table.records.len() * kept * 2);
    for record in &table.records {
        for value in &record[..kept] {
            file.extend((*value as u16 ^ 0x8000).to_le_bytes());
        }
    }
    Some(file)
}

fn file_header(numbering: Numbering, cubeful: bool) -> Vec<u8> {
    header(&format!(
        "gnubg-TS-{:02}-{:02}-{}",
        numbering.points(),
        numbering.checkers(),
        u8::from(cubeful),
    ))
}

/// Returns the plays from which [`two_sided_by`] makes the same database four times as fast: those that are the best
/// against some opponent at some place of the cube, a third of all. Two bytes a play.
#[must_use]
pub fn best_plays(numbering: Numbering) -> Vec<u8> {
    let all = Plays::all(numbering);
    let positions = numbering.positions();
    let mut bytes = Vec::new();
    let Some(table) = TableInProgress::made(positions, &all, &mut NoLineStore, &mut |_, _| true)
    else {
        return bytes;
    };
    let mut needed = Vec::new();
    for me in 0..positions {
        for roll in 0..ROLLS.len() {
            let plays = all.of(me, roll);
            needed.clear();
            for opponent in 1..positions {
                let worth = |play: u32, place: usize| {
                    table.waiting[play as usize * positions + opponent][place]
                };
                for place in 0..4 {
                    let most = plays.iter().map(|&play| worth(play, place)).max();
                    let is_best = |play: &&u32| Some(worth(**play, place)) == most;
                    if !needed.iter().any(|play| is_best(&play)) {
                        needed.extend(plays.iter().find(is_best));
                    }
                }
            }
            for (place, play) in (1..).zip(&needed) {
                let last = if place == needed.len() { LAST } else { 0 };
                bytes.extend((*play as u16 | last).to_le_bytes());
            }
        }
    }
    bytes
}

/// Marks the last play of a roll in [`best_plays`]. There are fewer positions than this.
const LAST: u16 = 0x8000;

/// Returns the cubeful database of [`two_sided`], by the plays of [`best_plays`].
#[must_use]
pub fn two_sided_by(numbering: Numbering, best: &[u8]) -> Vec<u8> {
    let mut plays = Plays::none();
    for bytes in best.as_chunks::<2>().0 {
        let play = u16::from_le_bytes(*bytes);
        plays.add(u32::from(play & !LAST));
        if play & LAST != 0 {
            plays.end();
        }
    }
    let mut file = file_header(numbering, true);
    let positions = numbering.positions();
    let Some(table) = TableInProgress::made(positions, &plays, &mut NoLineStore, &mut |_, _| true)
    else {
        return file;
    };
    file.reserve_exact(table.records.len() * 8);
    for value in table.records.as_flattened() {
        file.extend((*value as u16 ^ 0x8000).to_le_bytes());
    }
    file
}

struct TableInProgress {
    /// Records by the player on roll, then the opponent.
    records: Vec<Record>,
    /// Records by the side that has just played, then the opponent on roll: the worth to the first.
    waiting: Vec<Record>,
}

impl TableInProgress {
    /// Computes the database; `None` when `watch` or `keeper` ended it.
    fn made(
        positions: usize,
        plays: &Plays,
        keeper: &mut dyn LineStore,
        watch: Watch<'_>,
    ) -> Option<TableInProgress> {
        let pairs = positions * positions;
        let mut table = TableInProgress {
            records: vec![LOST; positions * positions],
            waiting: vec![LOST; positions * positions],
        };
        let TableInProgress { records, waiting } = &mut table;
        records[..positions].fill(WON);
        let mut scratch = Scratch {
            totals: vec![[0; 4]; positions],
            best: vec![LOST; positions],
        };
        let mut replies = vec![LOST; positions];
        let mut line = Vec::new();
        for this in 0..positions {
            if !watch(pairs - (positions - this).pow(2), pairs) {
                return None;
            }
            let known = keeper.known(this);
            if !known.is_some_and(|line| recall(records, (this, positions), &line)) {
                let row = &mut records[this * positions..][..positions];
                if this > 0 {
                    scratch.row(plays, this, waiting, row);
                }
                for (reply_to, record) in replies.iter_mut().zip(&*row) {
                    *reply_to = reply(*record);
                }
                for later in this + 1..positions {
                    let record = match this {
                        0 => LOST,
                        _ => mean_of_best(plays, later, &replies),
                    };
                    records[later * positions + this] = record;
                }
                line.clear();
                let places = places_of(this, positions).flat_map(|place| records[place]);
                line.extend(places.flat_map(i16::to_le_bytes));
                if !keeper.keep(this, &line) {
                    return None;
                }
            }
            for opponent in 0..positions {
                waiting[this * positions + opponent] = reply(records[opponent * positions + this]);
            }
        }
        Some(table)
    }
}

/// Returns the indices of the records of a line: from its position on in the row, then in the column.
fn places_of(this: usize, positions: usize) -> impl Iterator<Item = usize> {
    let row = (this..positions).map(move |later| this * positions + later);
    row.chain((this + 1..positions).map(move |later| later * positions + this))
}

/// Puts a line that was kept into its place; `false` when it has another length.
fn recall(records: &mut [Record], (this, positions): (usize, usize), line: &[u8]) -> bool {
    let (kept, rest) = line.as_chunks::<8>();
    if !rest.is_empty() || kept.len() != 2 * (positions - this) - 1 {
        return false;
    }
    for (place, bytes) in places_of(this, positions).zip(kept) {
        records[place] =
            std::array::from_fn(|k| i16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]));
    }
    true
}

/// Room for a row in the making.
struct Scratch {
    totals: Vec<[i32; 4]>,
    best: Vec<Record>,
}

impl Scratch {
    /// Computes [`mean_of_best`] for `me` against every opponent from `me` on.
    fn row(&mut self, plays: &Plays, me: usize, waiting: &[Record], row: &mut [Record]) {
        let positions = row.len();
        let after = |play: u32| &waiting[play as usize * positions..][me..positions];
        let (totals, best) = (&mut self.totals[me..], &mut self.best[me..]);
        totals.fill([0; 4]);
        for (roll, (_, _, weight)) in ROLLS.iter().enumerate() {
            let Some((first, others)) = plays.of(me, roll).split_first() else {
                continue;
            };
            best.copy_from_slice(after(*first));
            for other in others {
                let other = after(*other).as_flattened();
                for (best, value) in best.as_flattened_mut().iter_mut().zip(other) {
                    *best = (*best).max(*value);
                }
            }
            let sums = totals.as_flattened_mut().iter_mut();
            for (total, value) in sums.zip(best.as_flattened()) {
                *total += *weight as i32 * i32::from(*value);
            }
        }
        for (value, total) in row[me..].iter_mut().zip(totals) {
            *value = mean(*total);
        }
    }
}

/// Returns the mean, cut toward zero (`BEAR-31`).
fn mean(total: [i32; 4]) -> Record {
    total.map(|total| (total / 36) as i16)
}

/// Takes for each roll the best reply for each place of the cube, then the mean (`BEAR-31`).
fn mean_of_best(plays: &Plays, me: usize, row: &[Record]) -> Record {
    let mut totals = [0_i32; 4];
    for (roll, (_, _, weight)) in ROLLS.iter().enumerate() {
        let mut best = LOST;
        for &after in plays.of(me, roll) {
            let candidate = row[after as usize];
            for (best, value) in best.iter_mut().zip(candidate) {
                *best = (*best).max(value);
            }
        }
        for (total, value) in totals.iter_mut().zip(best) {
            *total += *weight as i32 * i32::from(value);
        }
    }
    mean(totals)
}

/// Returns the worth to me of a record of the opponent on roll, by the place of the cube (`BEAR-32`).
fn reply([cubeless, owned, centred, lent]: Record) -> Record {
    [
        !cubeless,
        !lent,
        !after_doubling(centred, lent),
        !after_doubling(owned, lent),
    ]
}

/// Returns the equity (`BEAR-33`) of a side that may double: `kept` without doubling, and twice `turned` (or the
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

/// Resulting positions of the plays of each roll from each position.
#[derive(Debug)]
pub(in super::super) struct Plays {
    starts: Vec<u32>,
    indices: Vec<u32>,
}

impl Plays {
    /// Creates an empty list.
    fn none() -> Plays {
        Plays {
            starts: vec![0],
            indices: Vec::new(),
        }
    }

    /// Adds a play of the current roll.
    fn add(&mut self, play: u32) {
        self.indices.push(play);
    }

    /// Ends the roll; the next play is of the next.
    fn end(&mut self) {
        self.starts.push(self.indices.len() as u32);
    }

    /// Returns all plays, without repetition.
    pub(in super::super) fn all(numbering: Numbering) -> Plays {
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
        let mut plays = Plays::none();
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
                plays.indices.append(&mut after);
                plays.end();
            }
        }
        plays
    }

    /// Returns the indices after the plays of the roll of this number in [`ROLLS`].
    pub(in super::super) fn of(&self, index: usize, roll: usize) -> &[u32] {
        let at = index * ROLLS.len() + roll;
        &self.indices[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program makes its own table this way (the build script makes sure of all of it); the plays
    /// that are left out are never missed.
    #[test]
    fn the_best_plays_make_the_same_database() {
        for (points, checkers) in [(2, 2), (4, 4), (6, 3)] {
            let numbering = Numbering::new(points, checkers).unwrap();
            let best = best_plays(numbering);
            let all = two_sided(numbering, true);
            assert!(two_sided_by(numbering, &best) == all, "{points} {checkers}");
            assert!(best.len() / 2 < Plays::all(numbering).indices.len());
        }
    }

    #[test]
    fn progress_callback_sees_every_step_and_can_cancel() {
        let numbering = Numbering::new(3, 3).unwrap();
        let (mut seen, pairs) = (Vec::new(), numbering.positions().pow(2));
        let all = two_sided_kept(numbering, true, &mut NoLineStore, &mut |done, of| {
            seen.push(done);
            of == pairs
        });
        assert_eq!(all, Some(two_sided(numbering, true)));
        assert!(seen.is_sorted() && seen[0] == 0 && seen.last() < Some(&pairs));
        assert_eq!(
            two_sided_kept(numbering, true, &mut NoLineStore, &mut |done, _| done
                < pairs / 2),
            None
        );
    }

    #[derive(Default)]
    struct StoredLines {
        lines: Vec<Vec<u8>>,
        asked: usize,
    }

    impl LineStore for StoredLines {
        fn known(&mut self, line: usize) -> Option<Vec<u8>> {
            self.asked += 1;
            self.lines.get(line).cloned()
        }

        fn keep(&mut self, line: usize, bytes: &[u8]) -> bool {
            assert_eq!(line, self.lines.len());
            self.lines.push(bytes.to_vec());
            true
        }
    }

    /// Computation resumes from the lines that were kept, wherever it ended.
    #[test]
    fn resume_skips_stored_lines() {
        let numbering = Numbering::new(4, 3).unwrap();
        let (all, positions) = (two_sided(numbering, true), numbering.positions());
        for end in 0..=positions {
            let mut kept = StoredLines::default();
            let mut left = end;
            let stopped = two_sided_kept(numbering, true, &mut kept, &mut |_, _| {
                left = left.wrapping_sub(1);
                left < positions
            });
            assert_eq!(stopped.is_some(), end == positions);
            assert_eq!(kept.lines.len(), end);
            // A line of another length is invalid.
            if let Some(line) = kept.lines.last_mut() {
                line.pop();
            }
            kept.lines.truncate(end);
            let mut counted = 0;
            let lines = kept.lines.len();
            let torn = kept.lines.pop();
            let again = two_sided_kept(numbering, true, &mut kept, &mut |_, _| {
                counted += 1;
                true
            });
            assert_eq!(again.as_ref(), Some(&all), "{end} of {positions}, {torn:?}");
            assert_eq!(
                (counted, kept.lines.len()),
                (positions, positions),
                "{lines}"
            );
        }
        assert!(!recall(&mut [LOST; 4], (0, 2), &[0; 17]));
    }
}
