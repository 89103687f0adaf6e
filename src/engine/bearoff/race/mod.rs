//! Race tables: one-sided databases of ours, small enough for 12 points and 15 checkers.
//!
//! They hold the data of GNU Backgammon's one-sided files, for more rolls than their 32 and in three quarters of the
//! space: neighbours in the order of [`Order`] differ little, and blocks of 16 positions hold differences only
//! (`protocol-specs/bearoff-databases.md`, RACE-01 to RACE-08). Each block has a checksum, so damage is always
//! detected. A table is made level by level, and a killed run is resumed.

#![cfg_attr(
    not(feature = "make"),
    allow(dead_code, reason = "what only a table in the making uses")
)]

mod block;
mod file;
#[cfg(feature = "make")]
mod make;
mod order;
mod recent;

pub use block::RollDistribution;
#[cfg(feature = "make")]
pub use make::{MADE_POINTS_MAX, make, part_of};

use self::block::{BLOCK, BLOCK_BYTES_MAX};
use self::file::{HEADER_BYTES, Header, MAGIC};
use self::order::Order;
use self::recent::TableNumber;
use super::bytes::Bytes;
use super::numbering::{Counts, MAX_POINTS, Numbering};
use super::one_sided::{Distribution, Rolls, no_later_by};
use gammond_game::{Chances, Position, Side};

/// A one-sided database in our own format.
#[derive(Debug)]
pub struct RaceTable {
    bytes: Bytes,
    order: Order,
    /// Offset of each level's first block in the file, and of the end of all.
    levels: Vec<u64>,
    /// The number of the first block of each level.
    firsts: Vec<u32>,
    /// Offset of each block within its level.
    blocks: Vec<u32>,
    number: TableNumber,
}

/// Returns true if these bytes begin like a race table.
pub(super) fn is_one(bytes: &Bytes) -> bool {
    bytes.start(&mut [0; MAGIC.len()]) == MAGIC
}

impl RaceTable {
    pub(super) fn from_bytes(bytes: Bytes) -> Result<RaceTable, (usize, String)> {
        let header = Header::parse(bytes.start(&mut [0; HEADER_BYTES]))?;
        let Some((at, crc)) = header.finished else {
            let reason = "the table is not finished; `gammond bearoff make` resumes it";
            return Err((12, reason.into()));
        };
        let order = Order::new(header.numbering);
        let mut firsts = vec![0_u32];
        for pips in 0..order.levels() {
            let blocks = order.level(pips).div_ceil(BLOCK) as u32;
            firsts.push(firsts[pips] + blocks);
        }
        let (levels, blocks) = file::read_index(&bytes, at, crc, &firsts)?;
        Ok(RaceTable {
            bytes,
            order,
            levels,
            firsts,
            blocks,
            number: TableNumber::next(),
        })
    }

    /// Returns the points and checkers covered.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        self.order.numbering()
    }

    /// Returns its length in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if the position is in the table: not over, no contact, and both sides covered.
    #[inline]
    #[must_use]
    pub fn covers(&self, position: &Position) -> bool {
        let sides = [position.me(), position.opponent()];
        sides
            .iter()
            .all(|side| self.holds(*side) && side.on_board() > 0)
            && (self.numbering().points() <= 12 || !position.has_contact())
    }

    /// Returns true if the side is covered.
    #[inline]
    fn holds(&self, side: Side) -> bool {
        let numbering = self.numbering();
        let beyond = |rear| rear >= numbering.points();
        !side.rearmost().is_some_and(beyond) && side.on_board() as usize <= numbering.checkers()
    }

    /// Returns the counts of a side that is covered.
    #[inline]
    fn counts(&self, side: Side) -> Option<Counts> {
        let mut counts: Counts = [0; MAX_POINTS];
        for (index, count) in counts.iter_mut().enumerate() {
            *count = side.count(index);
        }
        self.holds(side).then_some(counts)
    }

    /// Returns the rolls to bear off all checkers, and the first of fifteen. `None` when the side is not covered, or
    /// the table is damaged there.
    #[must_use]
    pub fn distributions(&self, side: Side) -> Option<[RollDistribution; 2]> {
        recent::distributions(&self.number, side, || self.distributions_in_file(side))
    }

    fn distributions_in_file(&self, side: Side) -> Option<[RollDistribution; 2]> {
        let (pips, rank) = self.order.place(&self.counts(side)?);
        let number = self.firsts[pips] as usize + rank / BLOCK;
        let level = *self.levels.get(pips)?;
        let start = level + u64::from(*self.blocks.get(number)?);
        let last = number + 1 == self.firsts[pips + 1] as usize;
        let end = if last {
            *self.levels.get(pips + 1)?
        } else {
            level + u64::from(*self.blocks.get(number + 1)?)
        };
        let length = usize::try_from(end.checked_sub(start)?).ok()?;
        let mut space = [0; BLOCK_BYTES_MAX];
        let block = self.bytes.get(start as usize, length, &mut space)?;
        block::unpack(block, rank % BLOCK)
    }

    /// Returns the same as a distribution.
    #[must_use]
    pub fn distribution(&self, side: Side) -> Option<Distribution> {
        let [win, gammon] = self.distributions(side)?;
        let gammon = if side.off() > 0 {
            RollDistribution::REACHED
        } else {
            gammon
        };
        Some(Distribution {
            win: win.whole(),
            gammon: gammon.whole(),
        })
    }

    /// Returns the chances of a position in which each side plays for itself alone (`BEAR-41`). `None` when it is not
    /// covered, or the table is damaged there.
    #[must_use]
    pub fn chances(&self, position: &Position) -> Option<Chances> {
        if !self.covers(position) {
            return None;
        }
        let [mine, my_first] = self.distributions(position.me())?;
        let [theirs, their_first] = self.distributions(position.opponent())?;
        let mut chances = Chances {
            win: no_later_by(0, mine.rolls(), theirs.rolls()),
            ..Chances::default()
        };
        if position.opponent().off() == 0 {
            chances.win_gammon = no_later_by(0, mine.rolls(), their_first.rolls());
        }
        if position.me().off() == 0 {
            chances.lose_gammon = no_later_by(1, theirs.rolls(), my_first.rolls());
        }
        // The laws are rounded each for itself.
        chances.win_gammon = chances.win_gammon.min(chances.win);
        chances.lose_gammon = chances.lose_gammon.min(1.0 - chances.win);
        Some(chances)
    }
}

impl RollDistribution {
    fn rolls(&self) -> Rolls<impl Iterator<Item = u16> + Clone> {
        Rolls {
            first: usize::from(self.first),
            values: self.run().iter().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::{BearoffError, Database, OneSided};
    use rand::Rng as _;
    use std::path::Path;

    fn numbering(points: usize, checkers: usize) -> Numbering {
        Numbering::new(points, checkers).unwrap()
    }

    fn made(path: &Path, numbering: Numbering) -> Vec<u8> {
        assert!(make(path, numbering, &mut |_, _| true).unwrap());
        std::fs::read(path).unwrap()
    }

    /// A build cancelled by the callback resumes to the same bytes.
    #[test]
    fn stopped_build_keeps_finished_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole) = (folder.path().join("a.race"), folder.path().join("b.race"));
        let numbering = numbering(6, 4);
        let half = numbering.positions() / 2;
        assert!(!make(&path, numbering, &mut |done, _| done < half).unwrap());
        assert!(!path.exists() && part_of(&path).exists());
        let mut first = None;
        let mut watch = |done, _| {
            first.get_or_insert(done);
            true
        };
        assert!(make(&path, numbering, &mut watch).unwrap());
        assert!(first >= Some(half), "{first:?}");
        assert_eq!(std::fs::read(&path).unwrap(), made(&whole, numbering));
    }

    fn opened(bytes: Vec<u8>) -> Result<RaceTable, (usize, String)> {
        RaceTable::from_bytes(Bytes::Owned(bytes))
    }

    fn side(counts: &Counts) -> Side {
        let mut all = [0; 25];
        all[..MAX_POINTS].copy_from_slice(counts);
        Side::from_counts(&all).unwrap()
    }

    /// The plays are the same but for ties of the mean, the rounding is finer.
    ///
    /// RACE-01, RACE-03, RACE-06.
    #[test]
    fn race_table_agrees_with_gnubg() {
        let folder = tempfile::tempdir().unwrap();
        for (points, checkers) in [(6, 15), (9, 5), (12, 3)] {
            let numbering = numbering(points, checkers);
            let path = folder.path().join(format!("{points}.race"));
            let ours = opened(made(&path, numbering)).unwrap();
            let theirs = OneSided::made(numbering);
            assert!(5 * ours.file_bytes() < 4 * theirs.file_bytes() || checkers < 15);
            let mean = |roll_distribution: &[u16]| -> i64 {
                let terms = (0..)
                    .zip(roll_distribution)
                    .map(|(n, &value)| n * i64::from(value));
                terms.sum()
            };
            for index in 0..numbering.positions() {
                let side = side(&numbering.counts(index));
                let (a, b) = (
                    ours.distribution(side).unwrap(),
                    theirs.distribution(side).unwrap(),
                );
                for (a, b) in [(a.win, b.win), (a.gammon, b.gammon)] {
                    assert_eq!(a.iter().map(|&v| u32::from(v)).sum::<u32>(), 65535);
                    let (a, b) = (mean(&a), mean(&b));
                    // In thousandths of a roll: far below what a play could matter.
                    assert!((a - b).abs() <= 32, "{side:?}: {a} and {b}");
                }
            }
            assert_eq!(ours.distributions(Side::START), None);
        }
    }

    #[test]
    fn chances_are_those_of_gnubgs_table() {
        let folder = tempfile::tempdir().unwrap();
        let numbering = numbering(7, 15);
        let ours = opened(made(&folder.path().join("x.race"), numbering)).unwrap();
        let theirs = OneSided::made(numbering);
        let mut rng = gammond_base::rng::stream(1, 1);
        let (mut sum, mut worst) = (0.0, 0.0_f32);
        for _ in 0..2000 {
            let mut draw = || {
                let index = 1 + rng.next_u32() as usize % (numbering.positions() - 1);
                side(&numbering.counts(index))
            };
            let position = Position::from_sides(draw(), draw());
            let (a, b) = (ours.chances(&position), theirs.chances(&position));
            let pairs = a.unwrap().to_array().into_iter().zip(b.unwrap().to_array());
            for (a, b) in pairs {
                sum += (a - b).abs();
                worst = worst.max((a - b).abs());
            }
        }
        assert!(sum / 2000.0 < 1e-4 && worst < 2e-3, "{sum} {worst}");
    }

    /// However much of it had been written when the program was killed.
    ///
    /// RACE-07.
    #[test]
    fn resumed_table_equals_one_made_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.race");
        let numbering = numbering(8, 4);
        let whole = made(&path, numbering);
        let blank = Header::unfinished(numbering).bytes();
        let begun = [&blank, &whole[HEADER_BYTES..]].concat();
        for length in (HEADER_BYTES..whole.len())
            .step_by(181)
            .chain([0, whole.len()])
        {
            std::fs::remove_file(&path).unwrap();
            std::fs::write(part_of(&path), &begun[..length]).unwrap();
            assert!(made(&path, numbering) == whole, "cut at {length}");
            assert!(!part_of(&path).exists());
        }
        // Damage in the middle: the levels behind it are made again.
        let mut damaged = begun;
        damaged[2000] ^= 4;
        std::fs::write(part_of(&path), &damaged).unwrap();
        assert!(made(&path, numbering) == whole);
    }

    #[test]
    fn resume_rejects_files_that_are_no_partial_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.race");
        let refused = |wanted: &str| {
            let error = make(&path, numbering(6, 3), &mut |_, _| true).unwrap_err();
            assert!(error.to_string().contains(wanted), "{error}");
            assert!(error.to_string().contains("x.race.part"), "{error}");
        };
        for text in ["my thesis", &"my thesis ".repeat(20)] {
            std::fs::write(part_of(&path), text).unwrap();
            refused("byte ");
            assert_eq!(std::fs::read_to_string(part_of(&path)).unwrap(), *text);
        }
        let other = Header::unfinished(numbering(6, 4)).bytes();
        std::fs::write(part_of(&path), other).unwrap();
        refused("of another size");
        std::fs::write(part_of(&path), "").unwrap();
        let held = std::fs::File::open(part_of(&path)).unwrap();
        held.lock().unwrap();
        refused("another program is making it");
    }

    /// RACE-08.
    #[test]
    fn damage_is_refused_or_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.race");
        let numbering = numbering(7, 3);
        let whole = made(&path, numbering);
        for length in 0..whole.len() {
            assert!(opened(whole[..length].to_vec()).is_err(), "{length}");
        }
        assert!(opened([&whole[..], &[0]].concat()).is_err());
        let good = opened(whole.clone()).unwrap();
        let sides: Vec<Side> = (0..numbering.positions())
            .map(|index| side(&numbering.counts(index)))
            .collect();
        let (mut refused, mut unseen) = (0, 0);
        let mut rng = gammond_base::rng::stream(2, 2);
        for _ in 0..1000 {
            let at = rng.next_u32() as usize % whole.len();
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (rng.next_u32() % 8);
            let Ok(table) = opened(bytes) else {
                refused += 1;
                continue;
            };
            let missing = sides
                .iter()
                .filter(|&&side| match table.distributions(side) {
                    None => true,
                    Some(distributions) => {
                        assert_eq!(
                            distributions.map(|roll_distribution| roll_distribution.whole()),
                            good.distributions(side)
                                .unwrap()
                                .map(|roll_distribution| roll_distribution.whole())
                        );
                        false
                    }
                });
            unseen += usize::from(missing.count() == 0);
        }
        assert!(
            refused > 0 && unseen == 0,
            "{refused} refused, {unseen} unseen"
        );
    }

    #[test]
    fn an_unfinished_table_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.race");
        std::fs::write(&path, Header::unfinished(numbering(7, 3)).bytes()).unwrap();
        let error: BearoffError = Database::open(&path).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("x.race: byte 12: the table is not finished")
        );
    }
}
