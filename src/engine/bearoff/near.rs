//! Money equities just above the two-sided table: a roll of each side leads into it (`BEAR-45`).

use super::make::ROLLS;
use super::make::two_sided::Plays;
use super::numbering::Numbering;
use super::{OneSided, TwoSided, index_of};
use gammond_game::{Position, Side};

/// 6 points, 8 checkers: two checkers more than the table.
const SIX_EIGHT: Numbering = match Numbering::new(6, 8) {
    Some(numbering) => numbering,
    None => unreachable!(),
};

/// Values a pair of sides beyond the table: chance to win of the player on roll and mean numbers of rolls of both, to
/// money equities with the cube owned, centred and lent.
pub type BeyondTable<'a> = &'a dyn Fn(f64, [f32; 2]) -> [f64; 3];

/// The plays by which a side bears off fastest.
#[derive(Debug)]
pub(super) struct FastPlays {
    /// For each index and roll of [`ROLLS`] the index after the play that leaves the fewest rolls on average.
    best: Vec<[u16; ROLLS.len()]>,
    sides: Vec<Side>,
}

/// Results of a roll, each once: index and number of the 36 throws.
struct Results {
    list: [(usize, u32); ROLLS.len()],
    count: usize,
}

impl FastPlays {
    /// Finds them; `None` when the table does not have these positions.
    pub(super) fn made(one_sided: &OneSided) -> Option<FastPlays> {
        let plays = Plays::all(SIX_EIGHT);
        let rolls = |index: &u32| one_sided.mean_rolls(*index as usize);
        let mut best = Vec::with_capacity(SIX_EIGHT.positions());
        let mut sides = Vec::with_capacity(SIX_EIGHT.positions());
        for index in 0..SIX_EIGHT.positions() {
            let mut after = [0; ROLLS.len()];
            for (roll, after) in after.iter_mut().enumerate() {
                let mut fastest = (f32::INFINITY, 0);
                for play in plays.of(index, roll) {
                    let left = rolls(play)?;
                    if left < fastest.0 {
                        fastest = (left, *play as u16);
                    }
                }
                *after = fastest.1;
            }
            best.push(after);
            let mut counts = [0; 25];
            counts[..6].copy_from_slice(&SIX_EIGHT.counts(index)[..6]);
            sides.push(Side::from_counts(&counts)?);
        }
        Some(FastPlays { best, sides })
    }

    fn results(&self, index: usize) -> Results {
        let mut results = Results {
            list: [(0, 0); ROLLS.len()],
            count: 0,
        };
        for (&after, (_, _, weight)) in self.best[index].iter().zip(ROLLS) {
            let known = &mut results.list[..results.count];
            match known.iter_mut().find(|one| one.0 == usize::from(after)) {
                Some(one) => one.1 += weight,
                None => {
                    results.list[results.count] = (after.into(), weight);
                    results.count += 1;
                }
            }
        }
        results
    }

    /// Returns the money equities of the player on roll with the cube owned, centred and lent, in units of the cube,
    /// without Jacoby rule and beavers. `None` when a side has more than 8 checkers or one beyond 6 points.
    pub(super) fn cubeful(
        &self,
        (one_sided, two_sided): (&OneSided, &TwoSided),
        position: &Position,
        beyond: BeyondTable<'_>,
    ) -> Option<[f32; 3]> {
        let mine = index_of(SIX_EIGHT, position.me())?;
        let theirs = index_of(SIX_EIGHT, position.opponent())?;
        let replies = self.results(theirs);
        let mut sums = [0.0; 3];
        for &(me, weight) in self.results(mine).iter() {
            let mut after = [0.0; 3];
            for &(opponent, weight) in replies.iter().filter(|_| me > 0) {
                let value = self.value((one_sided, two_sided), [me, opponent], beyond)?;
                add(&mut after, weight, value);
            }
            // A side that is off has won at each place of the cube.
            let value = if me == 0 { [1.0; 3] } else { reply(after) };
            add(&mut sums, weight, value);
        }
        Some(sums.map(|sum| sum as f32))
    }

    /// Returns the worth of a position to the side that is not on roll, by the place of the cube as that side sees
    /// it.
    fn value(
        &self,
        (one_sided, two_sided): (&OneSided, &TwoSided),
        [me, opponent]: [usize; 2],
        beyond: BeyondTable<'_>,
    ) -> Option<[f64; 3]> {
        if opponent == 0 {
            return Some([1.0; 3]);
        }
        let position = Position::from_sides(self.sides[me], self.sides[opponent]);
        let on_roll = match two_sided.probe(&position) {
            Some([_, owned, centred, lent]) => [owned, centred, lent].map(f64::from),
            None => {
                let win = one_sided.chances(&position)?.win;
                let rolls = [one_sided.mean_rolls(me)?, one_sided.mean_rolls(opponent)?];
                beyond(win.into(), rolls)
            }
        };
        Some(reply(on_roll))
    }
}

impl Results {
    fn iter(&self) -> std::slice::Iter<'_, (usize, u32)> {
        self.list[..self.count].iter()
    }
}

fn add(sums: &mut [f64; 3], weight: u32, values: [f64; 3]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += f64::from(weight) / 36.0 * value;
    }
}

/// Returns the worth to the other of equities of the player on roll, by the place of the cube (`BEAR-32`, `BEAR-33`).
fn reply([owned, centred, lent]: [f64; 3]) -> [f64; 3] {
    let doubled = (2.0 * lent).min(1.0);
    [-lent, -centred.max(doubled), -owned.max(doubled)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::Tables;

    /// BEAR-45: within the table the fastest plays cost next to nothing, so that two rolls give its values again.
    #[test]
    fn two_rolls_into_the_table_agree_with_it() {
        let tables = Tables::shared();
        let plays = FastPlays::made(&tables.one_sided).unwrap();
        let both = (&*tables.one_sided, &*tables.two_sided);
        let (mut sum, mut count) = (0.0, 0);
        for (me, opponent) in (0..924).step_by(29).zip((0..924).rev().step_by(31)) {
            let position = Position::from_sides(plays.sides[me], plays.sides[opponent]);
            let Some([_, owned, centred, lent]) = tables.two_sided.probe(&position) else {
                continue;
            };
            let found = plays
                .cubeful(both, &position, &|_, _| [f64::NAN; 3])
                .unwrap();
            for (found, exact) in found.into_iter().zip([owned, centred, lent]) {
                assert!((found - exact).abs() < 0.02, "{position:?} {found} {exact}");
                sum += (found - exact).abs();
                count += 1;
            }
        }
        assert!(count > 60 && sum / (count as f32) < 0.002, "{count} {sum}");
    }

    #[test]
    fn more_checkers_or_points_have_no_value() {
        let tables = Tables::shared();
        let plays = FastPlays::made(&tables.one_sided).unwrap();
        let both = (&*tables.one_sided, &*tables.two_sided);
        let position = |mine: &[u8], theirs: &[u8]| {
            let side = |six: &[u8]| {
                let mut counts = [0; 25];
                counts[..six.len()].copy_from_slice(six);
                Side::from_counts(&counts).unwrap()
            };
            Position::from_sides(side(mine), side(theirs))
        };
        let value = |position: &Position| plays.cubeful(both, position, &|_, _| [0.5, 0.5, 0.5]);
        assert!(value(&position(&[8], &[8])).is_some());
        assert!(value(&position(&[9], &[8])).is_none());
        assert!(value(&position(&[0, 0, 0, 0, 0, 0, 1], &[8])).is_none());
    }
}
