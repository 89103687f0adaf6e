//! Results of finished games.

use super::{Chances, Position, Variant};

/// Margin by which a game is won.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Margin {
    /// The loser has borne off at least one checker.
    Single = 1,
    /// The loser has borne off none.
    Gammon = 2,
    /// The loser has borne off none and has a checker on the bar or in the winner's home board.
    Backgammon = 3,
}

/// The result of a finished game, seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// True if the player on roll has won. After a winning play it is the loser's turn.
    pub won: bool,
    /// By how much.
    pub margin: Margin,
}

impl Outcome {
    /// Returns the points that the player on roll gets with the cube at 1: -3 to 3, never 0.
    #[must_use]
    pub const fn points(self) -> i32 {
        let points = self.margin as i32;
        if self.won { points } else { -points }
    }

    /// Returns the same result seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> Outcome {
        Outcome {
            won: !self.won,
            margin: self.margin,
        }
    }

    /// Returns the result as certain chances.
    #[must_use]
    pub const fn chances(self) -> Chances {
        let gammon = if self.margin as u8 >= 2 { 1.0 } else { 0.0 };
        let backgammon = if self.margin as u8 >= 3 { 1.0 } else { 0.0 };
        if self.won {
            Chances::from_array([1.0, gammon, backgammon, 0.0, 0.0])
        } else {
            Chances::from_array([0.0, 0.0, 0.0, gammon, backgammon])
        }
    }
}

impl Position {
    /// Returns the result of a game with fifteen checkers a side, see [`Variant::outcome`]; `None` while both sides have
    /// checkers left.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        Variant::Backgammon.outcome(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BAR;

    fn check(loser: &[(usize, u8)], margin: Margin) {
        let mut counts = [0; 25];
        for &(index, count) in loser {
            counts[index] = count;
        }
        let position = Position::new(&counts, &[0; 25]).unwrap();
        let lost = position.outcome().unwrap();
        assert_eq!(lost, Outcome { won: false, margin });
        assert_eq!(lost.points(), -(margin as i32));
        assert_eq!(position.swapped().outcome(), Some(lost.swapped()));
        assert_eq!(lost.chances().equity(), lost.points() as f32);
        assert_eq!(lost.swapped().chances(), lost.chances().inverted());
    }

    #[test]
    fn single_gammon_backgammon() {
        check(&[(0, 1)], Margin::Single);
        check(&[(BAR, 14)], Margin::Single);
        check(&[(0, 15)], Margin::Gammon);
        check(&[(17, 15)], Margin::Gammon);
        check(&[(0, 14), (18, 1)], Margin::Backgammon);
        check(&[(0, 14), (BAR, 1)], Margin::Backgammon);
        assert_eq!(Position::start().outcome(), None);
    }
}
