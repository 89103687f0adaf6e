//! The order of positions in a race table: by pips, then from the rearmost point down.
//!
//! Every roll takes a side to fewer pips, so that a table grows pip count by pip count, each a level of positions
//! that do not depend on one another, and depends on at most 24 pips before it.

use super::super::numbering::{Counts, Numbering};

/// The order of the positions of a [`Numbering`] in a race table.
#[derive(Debug, Clone)]
pub(super) struct Order {
    numbering: Numbering,
    /// `ways[p][n][s]`: placements of at most `n` checkers on the first `p` points with `s` pips.
    ways: Vec<u32>,
}

impl Order {
    /// Prepares the order of these positions: well under a millisecond.
    pub(super) fn new(numbering: Numbering) -> Order {
        let (points, checkers) = (numbering.points(), numbering.checkers());
        let mut order = Order {
            numbering,
            ways: vec![0; (points + 1) * (checkers + 1) * (points * checkers + 1)],
        };
        for n in 0..=checkers {
            let at = order.at(0, n, 0);
            order.ways[at] = 1;
        }
        for p in 1..=points {
            for n in 0..=checkers {
                for s in 0..=points * checkers {
                    let mut ways = order.ways(p - 1, n, s);
                    if n > 0 && s >= p {
                        ways += order.ways(p, n - 1, s - p);
                    }
                    let at = order.at(p, n, s);
                    order.ways[at] = ways;
                }
            }
        }
        order
    }

    /// Returns the positions that are ordered.
    pub(super) fn numbering(&self) -> Numbering {
        self.numbering
    }

    #[inline]
    fn at(&self, p: usize, n: usize, s: usize) -> usize {
        let (points, checkers) = (self.numbering.points(), self.numbering.checkers());
        (p * (checkers + 1) + n) * (points * checkers + 1) + s
    }

    #[inline]
    fn ways(&self, p: usize, n: usize, s: usize) -> u32 {
        self.ways[self.at(p, n, s)]
    }

    /// Returns the number of levels: one for each pip count, including 0.
    pub(super) fn levels(&self) -> usize {
        self.numbering.points() * self.numbering.checkers() + 1
    }

    /// Returns the number of positions with this pip count.
    pub(super) fn level(&self, pips: usize) -> usize {
        self.ways(self.numbering.points(), self.numbering.checkers(), pips) as usize
    }

    /// Returns the pips of a position and its number among those that have as many.
    #[inline]
    pub(super) fn place(&self, counts: &Counts) -> (usize, usize) {
        let points = self.numbering.points();
        let pips = (1..)
            .zip(&counts[..points])
            .map(|(p, &n)| p * usize::from(n))
            .sum();
        let (mut left, mut rest, mut rank) = (self.numbering.checkers(), pips, 0);
        for p in (1..=points).rev() {
            let count = usize::from(counts[p - 1]);
            if count > 0 {
                rank += self.ways(p, left, rest);
                left -= count;
                rest -= count * p;
                rank -= self.ways(p, left, rest);
            }
        }
        (pips, rank as usize)
    }

    /// Visits the positions with so many pips from number `from` on, in order, until `found` returns false.
    pub(super) fn each(&self, pips: usize, from: usize, found: &mut dyn FnMut(&Counts) -> bool) {
        let mut counts = Counts::default();
        let (points, checkers) = (self.numbering.points(), self.numbering.checkers());
        let mut skip = from;
        self.descend(points, checkers, pips, &mut skip, &mut counts, found);
    }

    fn descend(
        &self,
        p: usize,
        left: usize,
        rest: usize,
        skip: &mut usize,
        counts: &mut Counts,
        found: &mut dyn FnMut(&Counts) -> bool,
    ) -> bool {
        let all = self.ways(p, left, rest) as usize;
        if *skip >= all {
            *skip -= all;
            return true;
        }
        if p == 0 {
            return found(counts);
        }
        for count in 0..=left.min(rest / p) {
            counts[p - 1] = count as u8;
            if !self.descend(p - 1, left - count, rest - count * p, skip, counts, found) {
                return false;
            }
        }
        counts[p - 1] = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RACE-02.
    #[test]
    fn every_position_has_its_own_place() {
        for (points, checkers) in [(1, 15), (6, 5), (9, 4), (15, 2)] {
            let numbering = Numbering::new(points, checkers).unwrap();
            let order = Order::new(numbering);
            let mut seen = vec![false; numbering.positions()];
            for pips in 0..order.levels() {
                let mut rank = 0;
                order.each(pips, 0, &mut |counts| {
                    assert_eq!(order.place(counts), (pips, rank));
                    seen[numbering.index(*counts).unwrap()] = true;
                    rank += 1;
                    true
                });
                assert_eq!(rank, order.level(pips));
                // From the middle on, up to the limit.
                let (mut found, from) = (Vec::new(), rank / 2);
                order.each(pips, from, &mut |counts| {
                    found.push(order.place(counts).1);
                    found.len() < 3
                });
                let wanted: Vec<usize> = (from..rank.min(from + 3)).collect();
                assert_eq!(found, wanted);
            }
            assert!(seen.into_iter().all(|one| one));
        }
    }
}
