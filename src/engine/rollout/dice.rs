//! The dice of every game (RO-02): the same for all candidates, spread evenly over the first six turns.
//!
//! Game `t` throws, at turn `i`, the throw that six levels of permutations give: among any 36 games in a row each first
//! throw comes once, among any 1,296 each pair of first throws, and so on. Every single throw is fair and
//! independent of the others of its game. From turn 128 on the throws come from a stream of the game's own.

use gammond_base::rng::{ChaCha8Rng, below, stream};

/// Throws of two distinguishable dice.
const THROWS: usize = 36;
/// Number of turns whose throws are spread evenly.
const TURNS: usize = 128;
/// Levels of permutations.
const LEVELS: usize = 6;
/// Streams from here on belong to games; those below make permutations.
const FIRST_GAME_STREAM: u64 = 1 << 32;

/// The dice of a rollout.
#[derive(Debug)]
pub(super) struct Dice {
    seed: u64,
    permutations: Vec<[u8; THROWS]>,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        let permutation = |number: usize| {
            let mut rng = stream(seed, number as u64);
            let mut throws: [u8; THROWS] = std::array::from_fn(|throw| throw as u8);
            for at in (1..THROWS).rev() {
                let other = below(&mut rng, at as u32 + 1) as usize;
                throws.swap(at, other);
            }
            throws
        };
        Dice {
            seed,
            permutations: (0..LEVELS * TURNS).map(permutation).collect(),
        }
    }

    /// Returns the dice of one game.
    pub(super) fn game(&self, trial: u32) -> Game<'_> {
        Game {
            dice: self,
            trial,
            turn: 0,
            late: None,
        }
    }
}

/// The throws of one game, one after the other.
#[derive(Debug)]
pub(super) struct Game<'a> {
    dice: &'a Dice,
    trial: u32,
    turn: usize,
    late: Option<ChaCha8Rng>,
}

impl Game<'_> {
    /// Returns the next throw as a number among [`Roll::ALL`](gammond_game::Roll::ALL).
    pub(super) fn next(&mut self) -> usize {
        let turn = self.turn;
        self.turn += 1;
        let throw = if turn < TURNS {
            let mut block = self.trial as usize;
            let mut throw = 0;
            for level in 0..LEVELS.min(turn + 1) {
                let permutation = &self.dice.permutations[level * TURNS + turn];
                throw = usize::from(permutation[(block + throw) % THROWS]);
                block /= THROWS;
            }
            throw
        } else {
            let number = FIRST_GAME_STREAM + u64::from(self.trial);
            let late = self
                .late
                .get_or_insert_with(|| stream(self.dice.seed, number));
            below(late, THROWS as u32) as usize
        };
        number_of(throw / 6 + 1, throw % 6 + 1)
    }
}

/// Returns the place of a roll among [`Roll::ALL`](gammond_game::Roll::ALL).
pub(super) const fn number_of(first: usize, second: usize) -> usize {
    let (high, low) = if first > second {
        (first, second)
    } else {
        (second, first)
    };
    high * (high - 1) / 2 + low - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Roll;

    #[test]
    fn numbers_are_places_among_all_rolls() {
        for (number, roll) in Roll::ALL.iter().enumerate() {
            assert_eq!(number_of(roll.high().into(), roll.low().into()), number);
            assert_eq!(number_of(roll.low().into(), roll.high().into()), number);
        }
    }

    /// Among 36 games each first throw comes as often as it should, among 1,296 each pair.
    #[test]
    fn first_throws_are_spread_evenly() {
        let dice = Dice::new(5);
        let mut pairs = vec![[0; 21]; 21];
        for trial in 0..1296 {
            let mut game = dice.game(trial);
            let (first, second) = (game.next(), game.next());
            pairs[first][second] += 1;
        }
        for (a, row) in Roll::ALL.iter().zip(&pairs) {
            for (b, &count) in Roll::ALL.iter().zip(row) {
                assert_eq!(count, a.weight() * b.weight(), "{a} {b}");
            }
        }
    }

    /// Throws are independent, early or late in a game.
    #[test]
    fn throws_are_fair_and_independent() {
        let dice = Dice::new(6);
        let games = 7200;
        let mut later = [[0_u32; 21]; 4];
        let mut twice = [0_u32; 4];
        for trial in 0..games {
            let mut game = dice.game(trial);
            let throws: Vec<usize> = (0..140).map(|_| game.next()).collect();
            for (at, turn) in [3, 40, 127, 135].into_iter().enumerate() {
                later[at][throws[turn]] += 1;
                twice[at] += u32::from(throws[turn] == throws[turn - 1]);
            }
        }
        // Of 1,296 pairs of throws 66 are the same roll twice: 15 times 4, and 6.
        let expected = f64::from(games) * 66.0 / 1296.0;
        for (counts, twice) in later.iter().zip(twice) {
            assert!(
                (f64::from(twice) - expected).abs() < 5.0 * expected.sqrt(),
                "{twice}"
            );
            for (roll, &count) in Roll::ALL.iter().zip(counts) {
                let expected = f64::from(games * roll.weight()) / 36.0;
                assert!(
                    (f64::from(count) - expected).abs() < 5.0 * expected.sqrt(),
                    "{roll} {count}"
                );
            }
        }
    }
}
