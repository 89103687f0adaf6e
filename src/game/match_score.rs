//! The score from game to game of a match or money session.

use crate::{Cube, Game, GameEnd, MatchState, Rules, Score};

/// The score of a match, or of a money session, between its games: the points of sides 0 and 1, and whether the next game
/// is the Crawford game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchScore {
    /// Points to play to; 0 for money.
    length: u8,
    points: [u32; 2],
    /// The next game is the Crawford game.
    crawford: bool,
    /// The Crawford game has been played.
    crawford_over: bool,
}

impl MatchScore {
    /// Returns the score before the first game of a match to `length` points; 0 is money.
    #[must_use]
    pub const fn new(length: u8) -> MatchScore {
        MatchScore {
            length,
            points: [0; 2],
            crawford: false,
            crawford_over: false,
        }
    }

    /// Returns the points of both sides.
    #[must_use]
    pub const fn points(&self) -> [u32; 2] {
        self.points
    }

    /// Returns the side that has won the match; a money session has no winner.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        let length = u32::from(self.length);
        (self.points.iter()).position(|&points| length > 0 && points >= length)
    }

    /// Returns cube, score and rules at the beginning of the next game, seen by `side`.
    #[must_use]
    pub fn state(&self, side: usize, rules: Rules) -> MatchState {
        let [first, second] = self.points;
        let (me, opponent) = if side == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let score = match self.length {
            0 => Ok(Score::MONEY),
            length => Score::new(length.into(), me, opponent, self.crawford),
        };
        MatchState {
            cube: Cube::CENTRED,
            // A match that is won has no next game.
            score: score.unwrap_or(Score::MONEY),
            rules,
        }
    }

    /// Begins the next game.
    #[must_use]
    pub fn game(&self, rules: Rules, with_cube: bool) -> Game {
        Game::new(self.state(0, rules), with_cube)
    }

    /// Adds the points of a game.
    pub fn finished(&mut self, end: GameEnd) {
        self.add(end.winner, end.points);
    }

    /// Adds the points that `side` (0 or 1) won in a game.
    pub fn add(&mut self, side: usize, points: u32) {
        if let Some(sum) = self.points.get_mut(side) {
            *sum = sum.saturating_add(points);
        }
        let last = u32::from(self.length)
            .checked_sub(1)
            .filter(|&last| last > 0);
        self.crawford_over |= self.crawford;
        self.crawford = !self.crawford_over && last.is_some_and(|last| self.points.contains(&last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Crawford game is the first one in which a side needs one point, and only that one.
    #[test]
    fn crawford_game_is_played_once() {
        let mut score = MatchScore::new(3);
        let crawford = |score: &MatchScore| score.state(1, Rules::default()).score.is_crawford();
        assert!(!crawford(&score));
        score.add(0, 2);
        assert!(crawford(&score));
        assert_eq!(score.state(1, Rules::default()).score.opponent(), 2);
        score.add(1, 1);
        assert!(!crawford(&score));
        score.add(1, 1);
        assert!(!crawford(&score));
        assert_eq!((score.points(), score.winner()), ([2, 2], None));
        score.add(1, 2);
        assert_eq!(score.winner(), Some(1));
    }

    /// Neither a match to one point nor money has a Crawford game; money has no winner.
    #[test]
    fn short_matches_and_money_have_no_crawford_game() {
        for length in [0, 1] {
            let mut score = MatchScore::new(length);
            assert!(!score.state(0, Rules::default()).score.is_crawford());
            score.add(1, 4);
            assert_eq!(score.winner(), (length == 1).then_some(1));
            assert!(!score.state(0, Rules::default()).score.is_crawford());
        }
    }
}
