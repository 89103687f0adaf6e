//! The laws of leaving the opponent's home, for races with a backgammon at stake.

use super::make::best_play::{BestPlayDistributions, RollDistribution};
use super::numbering::{Counts, MAX_POINTS, Numbering, Steps};
use std::sync::OnceLock;

/// Numbers of rolls: 1 to 32. Fifteen checkers with five pips each need 25 of the smallest rolls but doubles.
pub const LEAVING_ROLLS: usize = 32;
/// Points of the opponent's home that a race leaves open: its ace point holds a checker, or the race is over.
const POINTS: usize = 5;
/// Number of checkers that most positions do not exceed: a table of 462 rows is made in well under a millisecond.
const FEW: usize = 6;

/// `self.0[n]` is the chance that the last checker leaves with roll `n + 1`.
#[derive(Clone, Copy)]
struct Rolls([f64; LEAVING_ROLLS]);

impl RollDistribution for Rolls {
    /// Without a roll, before the first one.
    const REACHED: Rolls = Rolls([0.0; LEAVING_ROLLS]);

    fn before(after: &[(u32, Rolls); 21]) -> Rolls {
        let mut law = [0.0; LEAVING_ROLLS];
        for (weight, Rolls(later)) in after {
            let share = f64::from(*weight) / 36.0;
            // The share that is not left for a later roll ends with this one.
            law[0] += share * (1.0 - later.iter().sum::<f64>());
            for (chance, later) in law[1..].iter_mut().zip(later) {
                *chance += share * later;
            }
        }
        Rolls(law)
    }

    fn mean(&self) -> u64 {
        let terms = (1..).zip(self.0).map(|(n, chance)| f64::from(n) * chance);
        (terms.sum::<f64>() * (1_u64 << 40) as f64) as u64
    }
}

/// Distributions of the rolls that up to fifteen checkers, alone on the board, need to leave the opponent's home, with
/// the play that needs the fewest on average.
#[derive(Debug)]
pub struct LeavingDistributions {
    numbering: Numbering,
    /// The chance that all have left after 1, 2 and more rolls.
    distributions: Vec<[f32; LEAVING_ROLLS]>,
}

impl LeavingDistributions {
    fn made(checkers: usize) -> Option<LeavingDistributions> {
        let numbering = Numbering::new(POINTS, checkers)?;
        let mut table = BestPlayDistributions::<Rolls>::new(1, numbering.positions());
        for index in 0..numbering.positions() {
            table.add(&Steps::leaving(numbering, index), index);
        }
        let up_to = |index| {
            let mut sum = 0.0;
            table.roll_distribution(index).0.map(|chance| {
                sum += chance;
                sum as f32
            })
        };
        let distributions = (0..numbering.positions()).map(up_to).collect();
        Some(LeavingDistributions {
            numbering,
            distributions,
        })
    }

    /// Returns the chances that all checkers have left after 1, 2 and more rolls; `distances` counts those that
    /// are 1 to 5 pips from leaving. `None` for more than fifteen, or none. The table of more than six checkers is
    /// made at first use.
    #[must_use]
    pub fn of(distances: [u8; 5]) -> Option<&'static [f32; LEAVING_ROLLS]> {
        static TABLES: [OnceLock<Option<LeavingDistributions>>; 2] = [const { OnceLock::new() }; 2];
        let checkers: usize = distances.iter().map(|&n| usize::from(n)).sum();
        let (table, most) = if checkers <= FEW { (0, FEW) } else { (1, 15) };
        if checkers == 0 {
            return None;
        }
        let table = TABLES[table]
            .get_or_init(|| LeavingDistributions::made(most))
            .as_ref()?;
        let mut counts: Counts = [0; MAX_POINTS];
        counts[..POINTS].copy_from_slice(&distances);
        table.distributions.get(table.numbering.index(counts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::LeavingHome;

    /// BEAR-52.
    #[test]
    fn leaving_laws_agree_with_the_exact_counts() {
        let exact = LeavingHome::made();
        for distances in [
            [0, 0, 6, 0, 0],
            [1, 0, 3, 0, 0],
            [0, 0, 0, 4, 0],
            [1, 0, 0, 0, 0],
            [1, 1, 1, 1, 2],
        ] {
            let wanted = exact.probabilities(distances).unwrap();
            let found = LeavingDistributions::of(distances).unwrap();
            let mut sum = 0.0;
            for (found, wanted) in found[..4].iter().zip(wanted) {
                sum += wanted;
                assert!((found - sum).abs() < 1e-6, "{distances:?}: {found} {sum}");
            }
        }
    }

    #[test]
    fn leaving_laws_of_many_checkers_continue_those_of_few() {
        let few = LeavingDistributions::made(FEW).unwrap();
        let many = LeavingDistributions::made(15).unwrap();
        for index in 0..few.numbering.positions() {
            let at = many.numbering.index(few.numbering.counts(index)).unwrap();
            assert_eq!(few.distributions[index], many.distributions[at]);
        }
        let last = LeavingDistributions::of([0, 0, 0, 0, 15]).unwrap();
        assert!(
            last[2] < 1e-12 && last[3] > 0.0 && last[31] > 0.9999,
            "{last:?}"
        );
        assert_eq!(LeavingDistributions::of([0; 5]), None);
        assert_eq!(LeavingDistributions::of([15, 1, 0, 0, 0]), None);
    }
}
