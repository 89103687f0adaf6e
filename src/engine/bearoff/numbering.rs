//! The numbers of one side's positions in a bearoff database, both ways.
//!
//! Uses no other module, because the build script, which makes the default tables, includes this file as well.
//!
//! Rules `BEAR-01`, `BEAR-02`.
//!
//! With counts `c_1 ..= c_P` on the first `P` points and `s_k = c_k + ... + c_P`, the index is the
//! sum over `k` of `binomial(s_k + P - k, P - k + 1)`: positions with few checkers come first, and
//! every step of a checker leads to a smaller index.

/// Most points a database may have. A race has no contact, so its two sides share 24 points.
pub const MAX_POINTS: usize = 18;
/// Most checkers a database may have.
pub const MAX_CHECKERS: usize = 15;

/// Largest argument needed: hypergammon's 25 places and 3 checkers, or 18 points and 15 checkers.
const ROWS: usize = MAX_POINTS + MAX_CHECKERS + 1;

/// `BINOMIAL[n][r]`; the largest value needed, binomial(33, 18), is below 2^31.
const BINOMIAL: [[u32; MAX_POINTS + 1]; ROWS] = {
    let mut table = [[0; MAX_POINTS + 1]; ROWS];
    let mut n = 0;
    while n < ROWS {
        table[n][0] = 1;
        let mut r = 1;
        while r <= n && r <= MAX_POINTS {
            table[n][r] = table[n - 1][r - 1] + table[n - 1][r];
            r += 1;
        }
        n += 1;
    }
    table
};

/// Returns the binomial coefficient for `n` up to 33 and `r` up to 18.
#[must_use]
pub(crate) const fn binomial(n: usize, r: usize) -> u32 {
    BINOMIAL[n][r]
}

/// `SIX[k][s]` is the term of point `k + 1` of six in the index when `s` checkers stand on it or behind it.
const SIX: [[u32; 16]; 6] = {
    let mut table = [[0; 16]; 6];
    let mut k = 0;
    while k < 6 {
        let mut s = 0;
        while s < 16 {
            table[k][s] = binomial(s + 5 - k, 6 - k);
            s += 1;
        }
        k += 1;
    }
    table
};

/// Returns the index of a side that has all its remaining checkers on its first six points, given as six counts of four
/// bits, the ace point lowest. At most 15 checkers.
#[inline(always)]
#[must_use]
pub(crate) const fn index_of_six(nibbles: u32) -> u32 {
    // Nibble `k` of the product counts the checkers on the points up to `k`: no sum exceeds 15.
    let up_to = nibbles.wrapping_mul(0x0011_1111);
    let total = up_to >> 20 & 15;
    SIX[0][total as usize]
        + SIX[1][(total - (up_to & 15)) as usize & 15]
        + SIX[2][(total - (up_to >> 4 & 15)) as usize & 15]
        + SIX[3][(total - (up_to >> 8 & 15)) as usize & 15]
        + SIX[4][(total - (up_to >> 12 & 15)) as usize & 15]
        + SIX[5][(total - (up_to >> 16 & 15)) as usize & 15]
}

/// Counts by point, the ace point first; what lies beyond the database's points is 0.
pub type Counts = [u8; MAX_POINTS];

/// Number of points and checkers that a database covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbering {
    points: usize,
    checkers: usize,
}

impl Numbering {
    /// Returns a numbering of 1 to 18 points and 1 to 15 checkers, else `None`.
    #[must_use]
    pub const fn new(points: usize, checkers: usize) -> Option<Numbering> {
        if points == 0 || points > MAX_POINTS || checkers == 0 || checkers > MAX_CHECKERS {
            return None;
        }
        Some(Numbering { points, checkers })
    }

    /// Returns the number of points covered, 1..=18.
    #[must_use]
    pub const fn points(self) -> usize {
        self.points
    }

    /// Returns the largest number of checkers covered, 1..=15.
    #[must_use]
    pub const fn checkers(self) -> usize {
        self.checkers
    }

    /// Returns the number of positions of one side, including the empty one.
    #[must_use]
    pub const fn positions(self) -> usize {
        binomial(self.points + self.checkers, self.points) as usize
    }

    /// Returns the first index of the positions with `checkers` checkers.
    #[must_use]
    pub const fn first_with(self, checkers: usize) -> usize {
        if checkers == 0 {
            0
        } else {
            binomial(self.points + checkers - 1, self.points) as usize
        }
    }

    /// Returns the index of a position; counts beyond the points covered are ignored. `None` when it has more
    /// checkers than covered.
    #[must_use]
    pub fn index(self, counts: Counts) -> Option<usize> {
        let mut behind = 0;
        let mut index = 0;
        for k in (0..self.points).rev() {
            behind += usize::from(counts[k]);
            if behind > self.checkers {
                return None;
            }
            index += binomial(behind + self.points - 1 - k, self.points - k);
        }
        Some(index as usize)
    }

    /// Returns the counts of the position with this index, which must be below [`Numbering::positions`].
    #[must_use]
    pub fn counts(self, index: usize) -> Counts {
        let mut counts = [0; MAX_POINTS];
        let mut rest = index as u32;
        let mut here_and_behind = self.checkers;
        for k in 0..self.points {
            while binomial(here_and_behind + self.points - 1 - k, self.points - k) > rest {
                here_and_behind -= 1;
            }
            rest -= binomial(here_and_behind + self.points - 1 - k, self.points - k);
            counts[k] = here_and_behind as u8;
            if k > 0 {
                counts[k - 1] -= counts[k];
            }
        }
        counts
    }
}

/// One position and how the index falls when a checker of it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    index: u32,
    rearmost: usize,
    occupied: u32,
    /// True if every sufficiently large die takes a checker off, wherever the others stand.
    free: bool,
    /// `fall[p]`: how much the index falls when a checker of point `p` (from 1) is borne off. A
    /// step from `p` to `q` makes it fall by `fall[p] - fall[q]`.
    fall: [u32; MAX_POINTS + 1],
}

impl Steps {
    /// Prepares the position with this index, to be borne off by the rules.
    #[must_use]
    pub(crate) fn of(numbering: Numbering, index: usize) -> Steps {
        Self::with(numbering, index, false)
    }

    /// Prepares the position with this index for checkers that only have to get past the last
    /// point, so that a die may take off any checker that it is large enough for.
    #[must_use]
    pub(crate) fn leaving(numbering: Numbering, index: usize) -> Steps {
        Self::with(numbering, index, true)
    }

    fn with(numbering: Numbering, index: usize, free: bool) -> Steps {
        let counts = numbering.counts(index);
        let points = numbering.points;
        let mut steps = Steps {
            index: index as u32,
            rearmost: 0,
            occupied: 0,
            free,
            fall: [0; MAX_POINTS + 1],
        };
        let mut behind: usize = counts.iter().map(|&n| usize::from(n)).sum();
        for p in 1..=points {
            if behind == 0 {
                break;
            }
            steps.fall[p] = steps.fall[p - 1] + binomial(behind + points - p - 1, points - p);
            if counts[p - 1] > 0 {
                steps.rearmost = p;
                steps.occupied |= 1 << p;
                behind -= usize::from(counts[p - 1]);
            }
        }
        steps
    }

    /// Visits the indices after one checker has moved by `die`, the rearmost checker first. With no opponent in the
    /// way every die can be played until all checkers are off.
    #[inline]
    pub(crate) fn each(&self, die: usize, mut found: impl FnMut(u32)) {
        let mut left = self.occupied;
        while left != 0 {
            let p = left.ilog2() as usize;
            left ^= 1 << p;
            if p > die {
                found(self.index - self.fall[p] + self.fall[p - die]);
            } else if self.free || (self.rearmost <= 6 && (p == die || p == self.rearmost)) {
                found(self.index - self.fall[p]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(six: [u8; 6]) -> Counts {
        let mut counts = [0; MAX_POINTS];
        counts[..6].copy_from_slice(&six);
        counts
    }

    fn nibbles(counts: &Counts) -> u32 {
        (0..6).map(|k| u32::from(counts[k]) << (4 * k)).sum()
    }

    /// BEAR-02.
    #[test]
    fn numbering_matches_known_indices() {
        let check = |six: [u8; 6], index| {
            let numbering = Numbering::new(6, 15).unwrap();
            assert_eq!(numbering.index(counts(six)), Some(index));
            assert_eq!(numbering.counts(index), counts(six));
            assert_eq!(index_of_six(nibbles(&counts(six))) as usize, index);
        };
        check([0; 6], 0);
        check([1, 0, 0, 0, 0, 0], 1);
        check([0, 1, 0, 0, 0, 0], 2);
        check([0, 0, 0, 0, 0, 1], 6);
        check([2, 0, 0, 0, 0, 0], 7);
        check([0, 0, 0, 0, 0, 6], 923);
        check([1, 1, 1, 1, 1, 1], 637);
        check([2, 2, 2, 3, 3, 3], 46138);
        check([3, 3, 3, 2, 2, 2], 43691);
        check([15, 0, 0, 0, 0, 0], 38760);
        check([0, 0, 0, 0, 0, 15], 54263);
    }

    #[test]
    fn every_index_round_trips() {
        for (points, checkers) in [(6, 15), (6, 6), (7, 7), (10, 4), (18, 3), (1, 15)] {
            let numbering = Numbering::new(points, checkers).unwrap();
            for index in 0..numbering.positions() {
                let counts = numbering.counts(index);
                assert_eq!(numbering.index(counts), Some(index));
                if points == 6 {
                    assert_eq!(index_of_six(nibbles(&counts)) as usize, index);
                }
            }
        }
    }

    #[test]
    fn too_many_checkers_or_points_are_refused() {
        let numbering = Numbering::new(6, 6).unwrap();
        assert_eq!(numbering.index(counts([7, 0, 0, 0, 0, 0])), None);
        assert_eq!(Numbering::new(0, 6), None);
        assert_eq!(Numbering::new(19, 6), None);
        assert_eq!(Numbering::new(6, 0), None);
        assert_eq!(Numbering::new(6, 16), None);
    }

    #[test]
    fn steps_agree_with_moving_checkers() {
        for (points, checkers) in [(6, 7), (9, 4)] {
            let numbering = Numbering::new(points, checkers).unwrap();
            for index in 0..numbering.positions() {
                let before = numbering.counts(index);
                let rearmost = before.iter().rposition(|&n| n > 0).map_or(0, |k| k + 1);
                for die in 1..=6 {
                    let mut expected = Vec::new();
                    for p in (1..=points).rev().filter(|&p| before[p - 1] > 0) {
                        let mut after = before;
                        after[p - 1] -= 1;
                        if p > die {
                            after[p - die - 1] += 1;
                        } else if rearmost > 6 || (p < die && p < rearmost) {
                            continue;
                        }
                        expected.push(numbering.index(after).unwrap() as u32);
                    }
                    let mut found = Vec::new();
                    Steps::of(numbering, index).each(die, |after| found.push(after));
                    assert_eq!(found, expected, "{before:?} die {die}");
                }
            }
        }
    }
}
