//! The score from game to game of a match or money session.

use crate::{Game, GameEnd, MatchState, MatchStateError, Rules, Score};

/// The score of a match, or of a money session, between its games: the points of sides 0 and 1, and whether the next game
/// is the Crawford game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchScore {
    /// Points to play to; 0 for money.
    length: u32,
    points: [u32; 2],
    /// True if the next game is the Crawford game.
    crawford: bool,
    /// True if a side has needed one point before a game.
    reached: bool,
    /// True if the match has a Crawford game.
    crawford_rule: bool,
}

impl MatchScore {
    /// Returns the score before the first game of a match to `length` points; 0 is money.
    #[must_use]
    pub const fn new(length: u32) -> MatchScore {
        MatchScore {
            length,
            points: [0; 2],
            crawford: false,
            reached: length == 1,
            crawford_rule: true,
        }
    }

    /// Returns the score of a match at these points before its next game, with the flag of [`MatchScore::follow`].
    #[must_use]
    pub fn at(length: u32, points: [u32; 2], crawford: Option<bool>) -> MatchScore {
        let mut score = MatchScore::new(length);
        score.follow(points, crawford);
        score
    }

    /// Returns the score of a match that has a Crawford game or none; without this it has one.
    #[must_use]
    pub const fn with_crawford_rule(self, crawford_rule: bool) -> MatchScore {
        MatchScore {
            crawford_rule,
            ..self
        }
    }

    /// Returns the points to play to; 0 for money.
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Returns the points of both sides.
    #[must_use]
    pub const fn points(&self) -> [u32; 2] {
        self.points
    }

    /// Returns true if the next game is the Crawford game.
    #[must_use]
    pub const fn is_crawford(&self) -> bool {
        self.crawford
    }

    /// Returns true if a side needs one point and the next game is not the Crawford game.
    #[must_use]
    pub const fn is_post_crawford(&self) -> bool {
        self.reached && !self.crawford
    }

    /// Returns for each side whether it needs one point.
    #[must_use]
    pub fn needs_one(&self) -> [bool; 2] {
        let last = self.length.checked_sub(1);
        self.points.map(|points| Some(points) == last)
    }

    /// Returns the score with the sides swapped.
    #[must_use]
    pub const fn swapped(self) -> MatchScore {
        let [first, second] = self.points;
        MatchScore {
            points: [second, first],
            ..self
        }
    }

    /// Returns the side that has won the match; a money session has no winner.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        (self.points.iter()).position(|&points| self.length > 0 && points >= self.length)
    }

    /// Returns the score of the next game, seen by `side`.
    ///
    /// # Errors
    /// [`MatchStateError`] if the match is won already, or longer than [`Score::LENGTH_MAX`].
    pub fn score(&self, side: usize) -> Result<Score, MatchStateError> {
        let [first, second] = self.points;
        let (me, opponent) = match side {
            0 => (first, second),
            _ => (second, first),
        };
        match self.length {
            0 => Ok(Score::MONEY),
            length => Score::lenient(length, me, opponent, self.crawford),
        }
    }

    /// Returns cube, score and rules at the beginning of the next game, seen by `side`. A match without a next game has those
    /// of money.
    #[must_use]
    pub fn state(&self, side: usize, rules: Rules) -> MatchState {
        MatchState {
            score: self.score(side).unwrap_or(Score::MONEY),
            ..MatchState::money(rules)
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

    /// Adds the points that `side` (0 or 1) won in a game. A match that is won keeps the flags of its last game.
    pub fn add(&mut self, side: usize, points: u32) {
        let mut sums = self.points;
        if let Some(sum) = sums.get_mut(side) {
            *sum = sum.saturating_add(points);
        }
        let flags = (self.crawford, self.reached);
        self.follow(sums, None);
        if self.winner().is_some() {
            (self.crawford, self.reached) = flags;
        }
    }

    /// Sets the points before a game, and whether it is the Crawford game, from a file or another program. Without a
    /// flag that is the first game in which one side alone needs one point; a flag where no side needs one has no
    /// effect.
    pub fn follow(&mut self, points: [u32; 2], crawford: Option<bool>) {
        self.points = points;
        let [first, second] = self.needs_one();
        let usual = first != second && !self.reached;
        let possible = self.crawford_rule && (first || second);
        self.crawford = possible && crawford.unwrap_or(usual);
        self.reached |= first || second;
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

    /// A file may mark that the Crawford game was before, or that there is none; the one after it is none in any
    /// case.
    #[test]
    fn crawford_flag_of_a_file_is_followed() {
        let mut score = MatchScore::new(5);
        score.follow([4, 2], Some(false));
        assert!(!score.is_crawford() && score.is_post_crawford());
        score.follow([4, 3], None);
        assert!(!score.is_crawford());
        score.follow([4, 3], Some(true));
        assert!(score.is_crawford() && !score.is_post_crawford());
        score.follow([2, 3], Some(true));
        assert!(!score.is_crawford());
        let mut level = MatchScore::new(5);
        level.follow([4, 4], None);
        assert!(!level.is_crawford() && level.is_post_crawford());
        let mut without = MatchScore::new(5).with_crawford_rule(false);
        without.follow([4, 2], None);
        assert!(!without.is_crawford() && without.is_post_crawford());
        without.add(0, 1);
        assert!(without.score(0).is_err());
        assert!(MatchScore::new(256).score(0).is_err());
    }
}
