//! The positions of one side with up to three checkers, and their numbers.

use gammond_game::{POINTS, Side};

/// Most checkers of a side.
pub(super) const CHECKERS_MAX: usize = 3;
/// Places of a checker: off, 24 points and the bar.
const PLACES: usize = POINTS + 1;

/// All positions of one side with at most so many checkers, in the order of the file (`HYPER-02`).
#[derive(Debug)]
pub(super) struct Sides {
    checkers: usize,
    all: Vec<Side>,
    /// Number of the side whose checkers stand on these places, in any order; those that are off have place 0.
    numbers: Vec<u16>,
}

impl Sides {
    /// Numbers the positions with up to `checkers` checkers, 1..=3.
    pub(super) fn new(checkers: usize) -> Sides {
        let mut found = Vec::new();
        for third in 0..PLACES {
            for second in third..PLACES {
                for first in second..PLACES {
                    let places = [first, second, third];
                    if places[checkers..].iter().all(|&place| place == 0) {
                        found.push(places);
                    }
                }
            }
        }
        // The more checkers on a place or behind it the larger, the nearest place first.
        let behind = |places: &[usize; CHECKERS_MAX]| -> [u8; POINTS] {
            std::array::from_fn(|index| places.iter().filter(|&&place| place > index).count() as u8)
        };
        found.sort_by_cached_key(behind);
        let mut sides = Sides {
            checkers,
            all: Vec::with_capacity(found.len()),
            numbers: vec![0; PLACES.pow(CHECKERS_MAX as u32)],
        };
        for (number, places) in found.into_iter().enumerate() {
            let mut counts = [0; POINTS];
            for place in places.into_iter().filter(|&place| place > 0) {
                counts[place - 1] += 1;
            }
            sides.all.extend(Side::from_counts(&counts));
            let [a, b, c] = places;
            for places in [
                [a, b, c],
                [a, c, b],
                [b, a, c],
                [b, c, a],
                [c, a, b],
                [c, b, a],
            ] {
                sides.numbers[slot(places)] = number as u16;
            }
        }
        sides
    }

    /// Most checkers of a side.
    pub(super) const fn checkers(&self) -> usize {
        self.checkers
    }

    /// All positions, by number; the first is the empty one.
    pub(super) fn all(&self) -> &[Side] {
        &self.all
    }

    /// Returns the number of a side; `None` if it has more checkers.
    #[inline]
    pub(super) fn number(&self, side: Side) -> Option<usize> {
        // Four bits for each point, in two halves: shorter words are faster here.
        let packed = side.packed() & ((1 << (4 * POINTS)) - 1);
        let mut places = [0; CHECKERS_MAX];
        let mut used = 0;
        for (mut half, first) in [(packed as u64, 1), ((packed >> 64) as u64, 17)] {
            while half != 0 {
                if used == self.checkers {
                    return None;
                }
                let index = half.trailing_zeros() as usize / 4;
                places[used] = first + index;
                half -= 1 << (4 * index);
                used += 1;
            }
        }
        Some(self.numbers[slot(places)].into())
    }
}

#[inline]
const fn slot([first, second, third]: [usize; CHECKERS_MAX]) -> usize {
    (first * PLACES + second) * PLACES + third
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::Numbering;

    /// HYPER-02: on the points that bearoff databases cover the numbers are theirs (BEAR-02).
    #[test]
    fn numbers_are_those_of_bearoff_databases() {
        for (checkers, positions) in [(1, 26), (2, 351), (3, 3276)] {
            let sides = Sides::new(checkers);
            assert_eq!(sides.all().len(), positions);
            for (number, &side) in sides.all().iter().enumerate() {
                assert_eq!(sides.number(side), Some(number));
            }
            // With one point fewer in front the sums behind it are the same.
            let numbering = Numbering::new(18, checkers).unwrap();
            let order: Vec<usize> = (0..numbering.positions())
                .map(|index| {
                    let mut counts = [0; POINTS];
                    counts[7..].copy_from_slice(&numbering.counts(index));
                    sides.number(Side::from_counts(&counts).unwrap()).unwrap()
                })
                .collect();
            assert!(order.is_sorted(), "{checkers}");
        }
        assert_eq!(
            Sides::new(2).number(Side::from_counts(&[1; POINTS].map(|_| 0)).unwrap()),
            Some(0)
        );
    }
}
