//! Two small exact tables: leaving the opponent's home, and bearing off the first checker.

use super::index_of;
use super::make::best_play::{BestPlayDistributions, RollDistribution};
use super::numbering::{Counts, MAX_POINTS, Numbering, Steps};
use gammond_game::Side;

/// Rolls that [`Exact`] can hold, 0 to 11. Six checkers at 5 pips need at most 10, of 3 pips each.
const ROLLS_MAX: usize = 12;
const SCALE: u64 = 36_u64.pow(ROLLS_MAX as u32 - 1);

/// Counts of the 36^n sequences of exactly `n` rolls that reach the goal with the last.
#[derive(Clone, Copy)]
struct Exact([u64; ROLLS_MAX]);

impl RollDistribution for Exact {
    const REACHED: Exact = {
        let mut counts = [0; ROLLS_MAX];
        counts[0] = 1;
        Exact(counts)
    };

    fn before(after: &[(u32, Exact); 21]) -> Exact {
        let mut counts = [0; ROLLS_MAX];
        for (weight, Exact(later)) in after {
            for (count, later) in counts[1..].iter_mut().zip(later) {
                *count += u64::from(*weight) * later;
            }
        }
        Exact(counts)
    }

    fn mean(&self) -> u64 {
        let mut scale = SCALE;
        let mut mean = 0;
        for (rolls, count) in (1..).zip(&self.0[1..]) {
            scale /= 36;
            mean += rolls * count * scale;
        }
        mean
    }
}

impl Exact {
    /// Returns the first `N - 1` counts, of 36, 36^2 ..., and the rest, of 36^N.
    fn with_rest<const N: usize>(&self) -> [u64; N] {
        let mut counts = [0; N];
        let mut rest = 1;
        for (place, count) in counts[..N - 1].iter_mut().zip(&self.0[1..]) {
            *place = *count;
            rest = rest * 36 - count;
        }
        counts[N - 1] = rest * 36;
        counts
    }
}

/// Returns a count of 36^rolls as a probability.
fn probability(count: u64, rolls: u32) -> f32 {
    (count as f64 / 36_f64.powi(rolls as i32)) as f32
}

/// `BEAR-50`: how long up to six checkers need to leave the opponent's home, alone on the board.
///
/// GNU Backgammon's race evaluation takes backgammons from it. A checker is 1 to 5 pips from
/// leaving; a die moves any of them, and one leaves when the die is at least its distance.
#[derive(Debug, Clone)]
pub struct LeavingHome {
    counts: Vec<[u64; 5]>,
}

const LEAVING: Numbering = match Numbering::new(5, 6) {
    Some(numbering) => numbering,
    None => unreachable!(),
};

impl LeavingHome {
    /// Makes the table: 462 rows, well under a millisecond.
    #[must_use]
    pub fn made() -> LeavingHome {
        let mut table = BestPlayDistributions::<Exact>::new(1, LEAVING.positions());
        for index in 0..LEAVING.positions() {
            table.add(&Steps::leaving(LEAVING, index), index);
        }
        let counts =
            (0..LEAVING.positions()).map(|index| table.roll_distribution(index).with_rest());
        LeavingHome {
            counts: counts.collect(),
        }
    }

    /// Returns, for checkers at 1 to 5 pips from leaving, how many of 36^n sequences of `n` rolls see the last one
    /// leave with roll `n`, for `n` = 1 to 4, and how many of 36^5 need more than four. `None` for more than six
    /// checkers; none at all is all 0 and the rest.
    #[must_use]
    pub fn counts(&self, distances: [u8; 5]) -> Option<[u64; 5]> {
        let mut counts: Counts = [0; MAX_POINTS];
        counts[..5].copy_from_slice(&distances);
        self.counts.get(LEAVING.index(counts)?).copied()
    }

    /// Returns the probabilities of needing exactly 1, 2, 3, 4 and more than 4 rolls; see
    /// [`LeavingHome::counts`].
    #[must_use]
    pub fn probabilities(&self, distances: [u8; 5]) -> Option<[f32; 5]> {
        let counts = self.counts(distances)?;
        Some(std::array::from_fn(|n| {
            probability(counts[n], n as u32 + 1)
        }))
    }
}

/// `BEAR-51`: how long a side with all fifteen checkers at home needs to bear off the first one.
///
/// Stands in for gammon distributions where a database has none.
#[derive(Debug, Clone)]
pub struct SavingGammon {
    counts: Vec<[u64; 4]>,
}

const HOME: Numbering = match Numbering::new(6, 15) {
    Some(numbering) => numbering,
    None => unreachable!(),
};

impl SavingGammon {
    /// Makes the table: 15,504 rows, some tens of milliseconds.
    ///
    /// The play is the best there is. GNU Backgammon's own table differs in 104 rows, all with
    /// one or two points heavily stacked, by at most 1/36.
    #[must_use]
    pub fn made() -> SavingGammon {
        let first = HOME.first_with(15);
        let mut table = BestPlayDistributions::<Exact>::new(first, HOME.positions());
        for index in first..HOME.positions() {
            table.add(&Steps::of(HOME, index), index);
        }
        let counts =
            (first..HOME.positions()).map(|index| table.roll_distribution(index).with_rest());
        SavingGammon {
            counts: counts.collect(),
        }
    }

    /// Counts the sequences of `n` rolls, of 36^n, that bear off the first checker with roll `n`, for `n` = 1 to 3, and
    /// those of 36^4 that need more. `None` unless all 15 checkers are at home.
    #[must_use]
    pub fn counts(&self, side: Side) -> Option<[u64; 4]> {
        let at = index_of(HOME, side)?.checked_sub(HOME.first_with(15))?;
        self.counts.get(at).copied()
    }

    /// Returns the probabilities of bearing off the first checker with exactly roll 1, 2, 3; see
    /// [`SavingGammon::counts`].
    #[must_use]
    pub fn probabilities(&self, side: Side) -> Option<[f32; 3]> {
        let counts = self.counts(side)?;
        Some(std::array::from_fn(|n| {
            probability(counts[n], n as u32 + 1)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BEAR-50.
    #[test]
    fn leaving_home_has_the_known_counts() {
        let table = LeavingHome::made();
        let check = |distances, counts| assert_eq!(table.counts(distances), Some(counts));
        check([0, 0, 6, 0, 0], [0, 120, 11765, 983_521, 4_213_260]);
        check([1, 0, 3, 0, 0], [4, 739, 14860, 288, 0]);
        check([0, 0, 0, 4, 0], [3, 163, 30547, 225_808, 104_400]);
        check([1, 0, 0, 0, 0], [36, 0, 0, 0, 0]);
        assert_eq!(table.counts([7, 0, 0, 0, 0]), None);
    }

    #[test]
    fn every_sequence_of_rolls_is_counted() {
        let mut table = BestPlayDistributions::<Exact>::new(1, LEAVING.positions());
        for index in 0..LEAVING.positions() {
            table.add(&Steps::leaving(LEAVING, index), index);
            let whole: u64 = (0..ROLLS_MAX as u32)
                .zip(table.roll_distribution(index).0)
                .map(|(n, count)| count * 36_u64.pow(ROLLS_MAX as u32 - 1 - n))
                .sum();
            assert_eq!(whole, SCALE);
        }
    }

    /// BEAR-51.
    #[test]
    fn saving_the_gammon_has_the_known_counts() {
        let table = SavingGammon::made();
        let mut counts = [0; 25];
        counts[5] = 15;
        let side = Side::from_counts(&counts).unwrap();
        assert_eq!(table.counts(side), Some([17, 583, 3203, 15588]));
        assert_eq!(table.counts(Side::START), None);
    }
}
