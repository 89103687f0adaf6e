//! Distributions of the number of rolls that one side needs to bear off, and winning chances from two of them.

use super::bytes::Bytes;
use super::header::{HEADER_BYTES, Kind, Layout};
use super::numbering::Numbering;
use super::small::SavingGammon;
use super::{built_in, file_kind, index_of};
use gammond_game::{Chances, Position, Side};
use std::sync::OnceLock;

/// Numbers of rolls in a distribution of GNU Backgammon's: 0 to 31.
pub const ROLLS_MAX: usize = 32;

/// Sum of the values of a distribution.
const WHOLE: u16 = 65535;

/// Numbers of rolls in a distribution of any table: 0 to 63.
pub const DISTRIBUTION_ROLLS: usize = 64;

/// Average value of a roll in pips, less the pips that are wasted.
pub const EFFECTIVE_PIPS_A_ROLL: f32 = 49.0 / 6.0;

/// Distribution of the number of rolls that a side needs: `win[n]` is 65535 times the probability of bearing off the last
/// checker with roll `n`, `gammon[n]` the same for the first of fifteen. With fewer than fifteen left, that is done:
/// `gammon[0]` is 65535.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distribution {
    /// Rolls to bear off all checkers.
    pub win: [u16; DISTRIBUTION_ROLLS],
    /// Rolls to bear off the first checker.
    pub gammon: [u16; DISTRIBUTION_ROLLS],
}

impl Distribution {
    /// Returns the mean number of rolls to bear off all checkers.
    #[must_use]
    pub fn expected_rolls(&self) -> f32 {
        let sum: u32 = (0..)
            .zip(self.win)
            .map(|(rolls, value)| rolls * u32::from(value))
            .sum();
        sum as f32 / f32::from(WHOLE)
    }
}

/// A one-sided database.
#[derive(Debug)]
pub struct OneSided {
    bytes: Bytes,
    numbering: Numbering,
    gammons: bool,
    layout: Layout,
    /// Computed when a database without gammon distributions is first used for gammons.
    saving: OnceLock<SavingGammon>,
    /// Mean number of rolls of each position, computed at first use; not a number where a record is damaged.
    means: OnceLock<Vec<f32>>,
}

/// Bytes of the longest record.
const RECORD_BYTES_MAX: usize = 4 * ROLLS_MAX;
/// Space for a record that comes from a file.
type Record = [u8; RECORD_BYTES_MAX];

/// Largest accepted difference between the sum of a distribution's values and [`WHOLE`]: the rounding error of all
/// values.
const SUM_SLACK: u32 = ROLLS_MAX as u32;

/// The values of one distribution as stored: the first is for `first` rolls.
#[derive(Clone, Copy)]
struct Run<'a> {
    first: usize,
    values: &'a [[u8; 2]],
}

impl OneSided {
    /// Returns the table in the program: 6 points, 15 checkers, with gammons.
    #[must_use]
    pub fn built_in() -> OneSided {
        OneSided {
            bytes: built_in::one_sided(),
            numbering: built_in::ONE_SIDED,
            gammons: true,
            layout: Layout::Compressed,
            saving: OnceLock::new(),
            means: OnceLock::new(),
        }
    }

    /// Creates the table; [`super::make::one_sided`] gives the cost.
    #[must_use]
    pub fn made(numbering: Numbering) -> OneSided {
        OneSided {
            bytes: Bytes::Owned(super::make::one_sided(numbering, true, true)),
            numbering,
            gammons: true,
            layout: Layout::Compressed,
            saving: OnceLock::new(),
            means: OnceLock::new(),
        }
    }

    pub(crate) fn from_bytes(bytes: Bytes) -> Result<OneSided, (usize, String)> {
        let Kind::OneSided {
            numbering,
            gammons,
            layout,
        } = file_kind(&bytes)?
        else {
            return Err((6, "not a one-sided database (`OS`)".into()));
        };
        let database = OneSided {
            bytes,
            numbering,
            gammons,
            layout,
            saving: OnceLock::new(),
            means: OnceLock::new(),
        };
        database.check()?;
        Ok(database)
    }

    /// Returns the length of an index entry or record in bytes.
    const fn entry_bytes(&self) -> usize {
        match (self.layout, self.gammons) {
            (Layout::Compressed, false) => 6,
            (Layout::Compressed, true) => 8,
            (Layout::Plain, false) => 64,
            (Layout::Plain, true) => 128,
            (Layout::Normal, _) => 16,
        }
    }

    /// Returns the offset at which the values of a compressed database begin, or any other database ends.
    const fn index_end(&self) -> usize {
        HEADER_BYTES + self.entry_bytes() * self.numbering.positions()
    }

    /// Checks a database in memory to its last value (`BEAR-18`, `BEAR-19`); one left in a file is checked record by
    /// record as it is read.
    fn check(&self) -> Result<(), (usize, String)> {
        if !self.gammons && self.layout != Layout::Normal && self.numbering.points() > 6 {
            let reason = "beyond six points gammon distributions are needed (`1` here)";
            return Err((15, reason.into()));
        }
        let length = self.bytes.len();
        let end = self.index_end();
        if length < end || (self.layout != Layout::Compressed && length > end) {
            return Err((length, format!("{length} bytes, expected {end}")));
        }
        if self.bytes.in_memory().is_none() {
            return Ok(());
        }
        let mut used = end;
        for index in 0..self.numbering.positions() {
            let at = HEADER_BYTES + index * self.entry_bytes();
            if self.layout == Layout::Compressed {
                let reached = self
                    .entry(index)
                    .and_then(|entry| entry.end(end))
                    .ok_or_else(|| {
                        (at, format!("index entry {index} counts more than 32 rolls"))
                    })?;
                if reached > length {
                    let reason = format!("index entry {index} leads to byte {reached} of {length}");
                    return Err((at, reason));
                }
                used = used.max(reached);
            }
            let sane = match self.layout {
                Layout::Normal => self.densities(index).is_some(),
                _ => {
                    let mut space = [0; RECORD_BYTES_MAX];
                    let runs = self.runs(index, &mut space);
                    runs.is_some_and(|(win, gammon)| win.is_sane() && gammon.is_sane())
                }
            };
            if !sane {
                return Err((at, format!("position {index} has no distribution of rolls")));
            }
        }
        if self.layout == Layout::Compressed && used < length {
            return Err((used, format!("{} bytes too many", length - used)));
        }
        Ok(())
    }

    /// Returns the whole database as a file of GNU Backgammon's; `None` when it is left in a long file.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.bytes.in_memory()
    }

    /// Its length in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Points and checkers covered.
    #[must_use]
    pub const fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// Returns true if it holds rolls to the first checker off.
    #[must_use]
    pub const fn has_gammons(&self) -> bool {
        self.gammons
    }

    /// Returns the storage layout of the distributions.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns true if the position is in the table: not over, no contact, and both sides covered.
    #[must_use]
    pub fn covers(&self, position: &Position) -> bool {
        self.indices(position).is_some()
    }

    /// Returns the distributions of one side; `None` when it is not covered. A database without gammon distributions
    /// gives 0 rolls; one of normal laws gives their densities, which need not add up to 65535.
    #[must_use]
    pub fn distribution(&self, side: Side) -> Option<Distribution> {
        let index = index_of(self.numbering, side)?;
        if self.layout == Layout::Normal {
            let densities = self.densities(index)?;
            let [win, gammon] = densities.map(|law| {
                let mut values = [0; DISTRIBUTION_ROLLS];
                for (value, p) in values.iter_mut().zip(law) {
                    *value = (p * 65535.0).clamp(0.0, 65535.0) as u16;
                }
                values
            });
            return Some(Distribution { win, gammon });
        }
        let mut distribution = Distribution {
            win: [0; DISTRIBUTION_ROLLS],
            gammon: [0; DISTRIBUTION_ROLLS],
        };
        let mut space = [0; RECORD_BYTES_MAX];
        let (win, gammon) = self.sane_runs(index, &mut space)?;
        win.fill(&mut distribution.win);
        gammon.fill(&mut distribution.gammon);
        Some(distribution)
    }

    /// Returns the mean number of rolls that the position with this index needs. `None` beyond the table and for a
    /// damaged record. The first call reads the whole table.
    #[must_use]
    pub(super) fn mean_rolls(&self, index: usize) -> Option<f32> {
        let mean = |index| {
            let rolls = self.probabilities(index).map(|[win, _]| win);
            let parts = (0..).zip(rolls?).map(|(number, part)| number as f32 * part);
            Some(parts.sum())
        };
        let all = || (0..self.numbering.positions()).map(|index| mean(index).unwrap_or(f32::NAN));
        let means = self.means.get_or_init(|| all().collect());
        means.get(index).copied().filter(|mean| mean.is_finite())
    }

    /// Returns the mean numbers of rolls of the player on roll and of the other. `None` when the position is not covered.
    #[must_use]
    pub(super) fn mean_rolls_of(&self, position: &Position) -> Option<[f32; 2]> {
        let (mine, theirs) = self.indices(position)?;
        Some([self.mean_rolls(mine)?, self.mean_rolls(theirs)?])
    }

    /// Returns the largest number of rolls that a side may need to bear off: the last that is not 0 in its
    /// distribution. 0 with no checkers left; `None` when the side is not covered.
    #[inline]
    #[must_use]
    pub fn most_rolls(&self, side: Side) -> Option<usize> {
        let index = index_of(self.numbering, side)?;
        if self.layout == Layout::Normal {
            return self
                .distribution(side)?
                .win
                .iter()
                .rposition(|&value| value > 0);
        }
        let mut space = [0; RECORD_BYTES_MAX];
        let (win, _) = self.sane_runs(index, &mut space)?;
        let last = win.values.iter().rposition(|&value| value != [0, 0])?;
        Some(win.first + last)
    }

    /// Returns the number of positions with a distribution that reaches the last number of rolls of this layout. The
    /// tails of these, and of positions that lead to them, were cut off when the database was made. Our own format keeps
    /// all tails.
    #[must_use]
    pub fn cut_tails(&self) -> usize {
        if self.layout == Layout::Normal {
            return 0;
        }
        let mut space = [0; RECORD_BYTES_MAX];
        let mut reaches_the_end = |index| {
            let runs = self.sane_runs(index, &mut space);
            runs.is_some_and(|(win, gammon)| win.reaches_the_end() || gammon.reaches_the_end())
        };
        (0..self.numbering.positions())
            .filter(|&index| reaches_the_end(index))
            .count()
    }

    /// Returns the probability that a side has borne off within `rolls` rolls: used for backgammons in races. `None`
    /// when the side is not covered.
    #[must_use]
    pub fn off_within(&self, side: Side, rolls: usize) -> Option<f32> {
        let distribution = self.distribution(side)?;
        let sum: u32 = distribution
            .win
            .iter()
            .take(rolls + 1)
            .map(|&value| u32::from(value))
            .sum();
        Some(sum as f32 / f32::from(WHOLE))
    }

    /// Returns the chances of a position in which each side plays for itself alone. `None` when it is not covered.
    ///
    /// `BEAR-41`.
    /// I win when I need no more rolls than the opponent; I win a gammon when the opponent, with
    /// all fifteen left, has not borne off one by then; and likewise for losses, where the
    /// opponent has had one roll fewer. Sums are of integers: exact, whatever their order.
    #[inline]
    #[must_use]
    pub fn chances(&self, position: &Position) -> Option<Chances> {
        let (mine, theirs) = self.indices(position)?;
        if self.layout == Layout::Normal || !self.gammons {
            return self.chances_without_gammons(position, mine, theirs);
        }
        let mut spaces = [[0; RECORD_BYTES_MAX]; 2];
        let [my_space, their_space] = &mut spaces;
        let (my_win, my_gammon) = self.sane_runs(mine, my_space)?;
        let (their_win, their_gammon) = self.sane_runs(theirs, their_space)?;
        let all_left = |side: Side| side.off() == 0;
        Some(Chances {
            win: my_win.no_later_than(their_win),
            win_gammon: if all_left(position.opponent()) {
                my_win.no_later_than(their_gammon)
            } else {
                0.0
            },
            lose_gammon: if all_left(position.me()) {
                their_win.earlier_than(my_gammon)
            } else {
                0.0
            },
            ..Chances::default()
        })
    }

    /// Returns the chances by normal laws, or with the chances to save the gammon taken from the small table
    /// (`BEAR-42`).
    #[cold]
    fn chances_without_gammons(
        &self,
        position: &Position,
        mine: usize,
        theirs: usize,
    ) -> Option<Chances> {
        let ([p, my_gammon], [q, their_gammon]) =
            (self.probabilities(mine)?, self.probabilities(theirs)?);
        // Densities at whole numbers do not add up to exactly 1.
        let win = no_later(&p, &q, 0).min(1.0);
        let mut chances = Chances {
            win,
            ..Chances::default()
        };
        for (side, gammon, winner, behind, place) in [
            (
                position.opponent(),
                &their_gammon,
                &p,
                0,
                &mut chances.win_gammon,
            ),
            (position.me(), &my_gammon, &q, 1, &mut chances.lose_gammon),
        ] {
            if side.off() > 0 {
                continue;
            }
            *place = if self.gammons {
                no_later(winner, gammon, behind)
            } else {
                self.gammon_by_rule(side, winner, behind)
            };
        }
        chances.win_gammon = chances.win_gammon.min(chances.win);
        chances.lose_gammon = chances.lose_gammon.min(1.0 - chances.win);
        Some(chances)
    }

    /// Returns the chance that the winner is off before `loser` has borne off one checker; the loser has had one
    /// roll fewer than the winner, or as many when `behind` is 1.
    fn gammon_by_rule(&self, loser: Side, winner: &[f32; ROLLS_MAX], behind: usize) -> f32 {
        let saving = self.saving.get_or_init(SavingGammon::made);
        // Such a database has six points at most, so all fifteen are at home.
        let saved = saving.probabilities(loser).unwrap_or_default();
        let mut left = 1.0;
        let mut sum = 0.0;
        for k in 0..=3 {
            if k > 0 {
                left -= saved[k - 1];
            }
            // With `k` rolls of the loser the winner has had `k + 1`, or `k` when it rolls second.
            if let Some(rolls) = (k + 1).checked_sub(behind) {
                sum += left * winner[rolls];
            }
        }
        sum
    }

    /// Returns the distributions as probabilities.
    fn probabilities(&self, index: usize) -> Option<[[f32; ROLLS_MAX]; 2]> {
        if self.layout == Layout::Normal {
            return self.densities(index);
        }
        let mut space = [0; RECORD_BYTES_MAX];
        let (win, gammon) = self.sane_runs(index, &mut space)?;
        Some([win, gammon].map(|run| {
            let mut values = [0; ROLLS_MAX];
            run.fill(&mut values);
            values.map(|value| f32::from(value) / f32::from(WHOLE))
        }))
    }

    /// Returns the indices of both sides of a covered position.
    #[inline]
    fn indices(&self, position: &Position) -> Option<(usize, usize)> {
        let mine = index_of(self.numbering, position.me())?;
        let theirs = index_of(self.numbering, position.opponent())?;
        if mine == 0 || theirs == 0 || (self.numbering.points() > 12 && position.has_contact()) {
            return None;
        }
        Some((mine, theirs))
    }

    /// Returns the stored values, checked where they come from a file that was not.
    #[inline]
    fn sane_runs<'a>(&'a self, index: usize, space: &'a mut Record) -> Option<(Run<'a>, Run<'a>)> {
        let in_memory = self.bytes.in_memory().is_some();
        let (win, gammon) = self.runs(index, space)?;
        (in_memory || (win.is_sane() && gammon.is_sane())).then_some((win, gammon))
    }

    /// Returns the stored values for bearing off all checkers and the first one (`BEAR-14`, `BEAR-16`).
    #[inline]
    fn runs<'a>(&'a self, index: usize, space: &'a mut Record) -> Option<(Run<'a>, Run<'a>)> {
        const REACHED: Run<'_> = Run {
            first: 0,
            values: &[WHOLE.to_le_bytes()],
        };
        if self.layout == Layout::Compressed {
            let entry = self.entry(index)?;
            let at = self.index_end() + 2 * entry.offset;
            let length = entry.end(self.index_end())? - at;
            let (values, []) = self.bytes.get(at, length, space)?.as_chunks::<2>() else {
                return None;
            };
            let (win, gammon) = values.split_at_checked(entry.win.1)?;
            let win = Run {
                first: entry.win.0,
                values: win,
            };
            let gammon = match entry.gammon {
                Some((first, _)) => Run {
                    first,
                    values: gammon,
                },
                None => REACHED,
            };
            return Some((win, gammon));
        }
        let at = HEADER_BYTES + index * self.entry_bytes();
        let record = self.bytes.get(at, self.entry_bytes(), space)?;
        let (win, gammon) = record.as_chunks::<2>().0.split_at_checked(ROLLS_MAX)?;
        let win = Run {
            first: 0,
            values: win,
        };
        let gammon = if self.gammons {
            Run {
                first: 0,
                values: gammon,
            }
        } else {
            REACHED
        };
        Some((win, gammon))
    }

    /// Returns the entry in the index of a compressed database (`BEAR-15`).
    #[inline]
    fn entry(&self, index: usize) -> Option<Entry> {
        let at = HEADER_BYTES + index * self.entry_bytes();
        let mut space = [0; 8];
        let bytes = self.bytes.get(at, self.entry_bytes(), &mut space)?;
        let (offset, rest) = bytes.split_first_chunk::<4>()?;
        let byte = |k: usize| rest.get(k).copied().map(usize::from);
        Some(Entry {
            offset: u32::from_le_bytes(*offset) as usize,
            win: (byte(1)?, byte(0)?),
            gammon: if self.gammons {
                Some((byte(3)?, byte(2)?))
            } else {
                None
            },
        })
    }

    /// Returns the densities of the normal laws of one position at 0 to 31 rolls (`BEAR-17`); `None` when its numbers
    /// are no means and deviations of rolls.
    fn densities(&self, index: usize) -> Option<[[f32; ROLLS_MAX]; 2]> {
        let at = HEADER_BYTES + index * self.entry_bytes();
        let mut space = [0; 16];
        let (numbers, []) = self.bytes.get(at, 16, &mut space)?.as_chunks::<4>() else {
            return None;
        };
        let number = |k: usize| {
            let number = numbers.get(k).map(|bytes| f32::from_le_bytes(*bytes));
            number.filter(|number| (0.0..=ROLLS_MAX as f32).contains(number))
        };
        Some([
            density(number(0)?, number(1)?),
            density(number(2)?, number(3)?),
        ])
    }
}

/// An index entry: where the values begin (in values), and first roll and number of values.
struct Entry {
    offset: usize,
    win: (usize, usize),
    gammon: Option<(usize, usize)>,
}

impl Entry {
    /// Returns the byte after the last value; `None` when a distribution goes beyond 31 rolls.
    #[inline]
    fn end(&self, area: usize) -> Option<usize> {
        let (first, count) = self.gammon.unwrap_or((0, 0));
        if self.win.0 + self.win.1 > ROLLS_MAX || first + count > ROLLS_MAX {
            return None;
        }
        Some(area + 2 * (self.offset + self.win.1 + count))
    }
}

impl Run<'_> {
    /// Returns true if the values are a distribution.
    fn is_sane(self) -> bool {
        let values = self.values.iter();
        let sum: u32 = values.map(|v| u32::from(u16::from_le_bytes(*v))).sum();
        sum.abs_diff(u32::from(WHOLE)) <= SUM_SLACK
    }

    /// Returns true if the largest number of rolls has a nonzero probability.
    fn reaches_the_end(&self) -> bool {
        let last = (ROLLS_MAX - 1).checked_sub(self.first);
        (last.and_then(|last| self.values.get(last))).is_some_and(|value| *value != [0, 0])
    }

    fn fill(self, values: &mut [u16]) {
        for (place, bytes) in values.iter_mut().skip(self.first).zip(self.values) {
            *place = u16::from_le_bytes(*bytes);
        }
    }

    /// Returns the probability that this number of rolls is at most the other.
    #[inline]
    fn no_later_than(self, other: Run<'_>) -> f32 {
        self.before(other, 0)
    }

    /// Returns the probability that this number of rolls is below the other.
    #[inline]
    fn earlier_than(self, other: Run<'_>) -> f32 {
        self.before(other, 1)
    }

    /// Returns the probability that this number of rolls plus `behind` is at most the other.
    #[inline]
    fn before(self, other: Run<'_>, behind: usize) -> f32 {
        no_later_by(behind, self.rolls(), other.rolls())
    }

    #[inline]
    fn rolls(self) -> Rolls<impl Iterator<Item = u16> + Clone> {
        Rolls {
            first: self.first,
            values: self.values.iter().map(|bytes| u16::from_le_bytes(*bytes)),
        }
    }
}

/// Values of a distribution, the first of them for `first` rolls.
pub(super) struct Rolls<I> {
    pub(super) first: usize,
    pub(super) values: I,
}

/// Returns the probability that one number of rolls plus `behind` is at most another.
#[inline]
pub(super) fn no_later_by(
    behind: usize,
    this: Rolls<impl Iterator<Item = u16>>,
    other: Rolls<impl Iterator<Item = u16> + Clone>,
) -> f32 {
    // The share of the other that is left before its roll number `next`.
    let mut left: u64 = other.values.clone().map(u64::from).sum();
    let mut next = other.first;
    let mut others = other.values;
    let mut sum = 0;
    for (rolls, value) in (this.first + behind..).zip(this.values) {
        while next < rolls {
            let Some(value) = others.next() else { break };
            left -= u64::from(value);
            next += 1;
        }
        sum += u64::from(value) * left;
    }
    ((sum as f64 / (65535.0 * 65535.0)) as f32).min(1.0)
}

/// Returns the probability that a number of rolls plus `behind` is at most another.
fn no_later(this: &[f32; ROLLS_MAX], other: &[f32; ROLLS_MAX], behind: usize) -> f32 {
    let mut left = 0.0;
    let mut sum = 0.0;
    for rolls in (0..ROLLS_MAX).rev() {
        left += other[rolls];
        if let Some(mine) = rolls.checked_sub(behind) {
            sum += this[mine] * left;
        }
    }
    sum
}

/// Returns the density of a normal law at 0 to 31; a deviation below 1e-7 means that it is a point.
fn density(mean: f32, deviation: f32) -> [f32; ROLLS_MAX] {
    std::array::from_fn(|rolls| {
        let distance = rolls as f32 - mean;
        if deviation < 1e-7 {
            return f32::from(u8::from(distance.abs() < 0.5));
        }
        let z = distance / deviation;
        (-0.5 * z * z).exp() / (deviation * (2.0 * std::f32::consts::PI).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::make::one_sided;

    fn open(bytes: &[u8]) -> Result<OneSided, (usize, String)> {
        OneSided::from_bytes(Bytes::Owned(bytes.to_vec()))
    }

    fn side(six: &[u8]) -> Side {
        let mut counts = [0; 25];
        counts[..six.len()].copy_from_slice(six);
        Side::from_counts(&counts).unwrap()
    }

    #[test]
    fn all_layouts_give_the_same_distributions() {
        let numbering = Numbering::new(3, 15).unwrap();
        let reference = open(&one_sided(numbering, true, true)).unwrap();
        for (gammons, compressed) in [(true, false), (false, true), (false, false)] {
            let other = open(&one_sided(numbering, gammons, compressed)).unwrap();
            for index in 0..numbering.positions() {
                let counts = numbering.counts(index);
                let side = side(&counts);
                let (a, b) = (reference.distribution(side), other.distribution(side));
                let (a, b) = (a.unwrap(), b.unwrap());
                assert_eq!(a.win, b.win);
                assert!(!gammons || a.gammon == b.gammon);
                assert_eq!(reference.most_rolls(side), other.most_rolls(side));
                assert_eq!(a.win.iter().map(|&n| u32::from(n)).sum::<u32>(), 65535);
            }
        }
        assert_eq!(reference.distribution(side(&[0, 0, 0, 1])), None);
    }

    /// Chances that GNU Backgammon gave with a database of `makebearoff -o 6 -g`.
    ///
    /// BEAR-42.
    #[test]
    fn gammons_without_gammon_distributions() {
        let numbering = Numbering::new(6, 15).unwrap();
        let table = open(&one_sided(numbering, false, true)).unwrap();
        let check = |me: [u8; 6], opponent: [u8; 6], lose_gammon: f32| {
            let position = Position::from_sides(side(&me), side(&opponent));
            let chances = table.chances(&position).unwrap();
            assert!((chances.lose_gammon - lose_gammon).abs() < 3e-7);
        };
        check([3, 2, 3, 0, 4, 3], [0, 0, 1, 1, 0, 0], 0.013_117_248);
        check([2, 1, 6, 0, 2, 4], [2, 0, 0, 2, 0, 0], 0.002_314_709);
    }

    /// Percentages that `bearoffdump` shows for the last position of `makebearoff -o 6 -n`.
    ///
    /// BEAR-17.
    #[test]
    fn normal_laws() {
        let check = |law: [f32; ROLLS_MAX], rolls: usize, percent: f32| {
            assert!((100.0 * law[rolls] - percent).abs() < 6e-4, "{rolls}");
        };
        let win = density(12.266_188, 1.512_500_8);
        check(win, 6, 0.005);
        check(win, 11, 18.579);
        check(win, 12, 25.971);
        check(win, 14, 13.673);
        let gammon = density(1.616_134_6, 0.660_712_54);
        check(gammon, 0, 3.032);
        check(gammon, 2, 51.004);
        let point = density(1.0, 0.0);
        assert_eq!((point[0], point[1], point[2]), (0.0, 1.0, 0.0));
    }

    #[test]
    fn a_file_of_normal_laws_is_read() {
        let numbering = Numbering::new(1, 2).unwrap();
        let mut file = b"gnubg-OS-01-02-1-0-1xxxxxxxxxxxxxxxxxxx\n".to_vec();
        for law in [[0.0_f32; 4], [1.0, 0.0, 0.0, 0.0], [1.5, 0.5, 0.0, 0.0]] {
            file.extend(law.iter().flat_map(|number| number.to_le_bytes()));
        }
        let table = open(&file).unwrap();
        assert_eq!(table.numbering(), numbering);
        assert_eq!(table.most_rolls(side(&[1])), Some(1));
        let chances = table.chances(&Position::from_sides(side(&[1]), side(&[2])));
        assert!(chances.unwrap().win > 0.9);
    }

    /// BEAR-14.
    #[test]
    fn tails_that_were_cut_are_counted() {
        let numbering = Numbering::new(1, 3).unwrap();
        for compressed in [true, false] {
            let file = one_sided(numbering, true, compressed);
            assert_eq!(open(&file).unwrap().cut_tails(), 0);
        }
        let mut file = one_sided(numbering, true, false);
        // The second position may need 31 rolls, as likely as one.
        let at = HEADER_BYTES + 128;
        assert_eq!(file[at + 2..at + 4], WHOLE.to_le_bytes());
        file[at + 2..at + 4].copy_from_slice(&(WHOLE / 2).to_le_bytes());
        file[at + 62..at + 64].copy_from_slice(&(WHOLE / 2 + 1).to_le_bytes());
        assert_eq!(open(&file).unwrap().cut_tails(), 1);
    }

    /// BEAR-19.
    #[test]
    fn beyond_six_points_gammon_distributions_are_needed() {
        let numbering = Numbering::new(7, 2).unwrap();
        assert_eq!(open(&one_sided(numbering, false, true)).unwrap_err().0, 15);
        assert!(open(&one_sided(numbering, true, true)).is_ok());
    }

    /// BEAR-18.
    #[test]
    fn every_truncation_and_every_byte_too_many_is_refused() {
        let numbering = Numbering::new(2, 3).unwrap();
        for (gammons, compressed) in [(true, true), (false, true), (true, false), (false, false)] {
            let file = one_sided(numbering, gammons, compressed);
            for length in 0..file.len() {
                let (at, reason) = open(&file[..length]).unwrap_err();
                assert!(at <= length, "{at} {reason}");
            }
            let mut longer = file.clone();
            longer.push(0);
            assert!(open(&longer).is_err());
        }
    }

    #[test]
    fn lying_bytes_are_refused_or_harmless() {
        let numbering = Numbering::new(2, 3).unwrap();
        let file = one_sided(numbering, true, true);
        let mut refused = 0;
        for at in 0..file.len() {
            for value in [0, 1, 31, 32, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] = value;
                let Ok(table) = open(&changed) else {
                    refused += 1;
                    continue;
                };
                for index in 0..numbering.positions() {
                    let me = side(&numbering.counts(index));
                    let position = Position::from_sides(me, side(&[1, 1]));
                    let _ = (table.distribution(me), table.most_rolls(me));
                    let _ = table.chances(&position);
                }
            }
        }
        assert!(refused > 200, "{refused}");
    }
}
