//! Sums over the games of one candidate, in the order of their numbers.

use gammond_base::stats::Running;

/// Games of each candidate between two checks of the stopping rules; they spread the throws of each turn evenly.
pub const ROUND: u32 = 36;
/// Number of rounds from which on their means give the scatter of the results; before, the games do.
const ROUNDS_BELIEVED: u64 = 36;

/// Value of one game, or the mean over all games, to the player on roll at the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The five chances. With the luck taken out they may leave 0..=1.
    pub(super) chances: [f64; 5],
    /// Points per unit of the question's cube, or match winning chance.
    pub(super) cubeful: f64,
}

/// A result of one game after the other, and its standard error.
///
/// The throws of a round of games are spread evenly at each turn, so that the means of rounds scatter less than those of as
/// many independent games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    games: Running,
    /// The games of the round that is not complete.
    round: Running,
    rounds: Running,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.games.add(value);
        self.round.add(value);
        if self.round.count() == u64::from(ROUND) {
            self.rounds.add(self.round.mean());
            self.round = Running::default();
        }
    }

    /// Returns the mean over all games.
    pub(super) const fn mean(&self) -> f64 {
        self.games.mean()
    }

    /// Returns the standard error of the mean: from the means of rounds when there are many, else as if games were
    /// independent. One game has none: it is infinite then.
    pub(super) fn standard_error(&self) -> f64 {
        if self.games.count() < 2 {
            return f64::INFINITY;
        }
        if self.rounds.count() < ROUNDS_BELIEVED {
            return self.games.standard_error();
        }
        let played = self.games.count() as f64 / f64::from(ROUND);
        (self.rounds.variance() / played).sqrt()
    }
}

/// The results of a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) chances: [Spread; 5],
    pub(super) cubeless: Spread,
    pub(super) cubeful: Spread,
}

impl Tally {
    /// Adds the next game; `cubeless` is what its chances are worth without the cube.
    pub(super) fn add(&mut self, sample: &Sample, cubeless: f64) {
        for (running, &chance) in self.chances.iter_mut().zip(&sample.chances) {
            running.add(chance);
        }
        self.cubeless.add(cubeless);
        self.cubeful.add(sample.cubeful);
    }

    /// Returns the number of games counted.
    pub(super) fn games(&self) -> u32 {
        u32::try_from(self.cubeless.games.count()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_spread_the_throws_have_a_smaller_error() {
        let (mut even, mut chance) = (Spread::default(), Spread::default());
        for game in 0..36 * 36_u64 {
            // The share of the throw, once in every round; and a share that no throw explains, the same for every 6
            // games.
            let small = ((game / 6) % 7) as f64 / 100.0;
            even.add((game % 36) as f64 + small);
            // The same results with the throws of each round alike: nothing is spread.
            chance.add((game / 36) as f64 + small);
            // One game has no error.
            if (1..36 * 36 - 1).contains(&game) {
                assert!(even.standard_error() == even.games.standard_error());
            }
        }
        assert!((even.mean() - chance.mean()).abs() < 1e-9);
        let plain = even.games.standard_error();
        assert!(even.standard_error() < 0.01 * plain, "{even:?}");
        assert!(chance.standard_error() > 5.0 * plain, "{chance:?}");
    }
}
