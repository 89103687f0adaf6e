//! The plays of a roll as the opening book has them, else as the engine ranks them.

use super::{PlayQuery, RankedPlays, Settings};
use gammond_game::{Cube, Play, Position};

/// A play of the opening book: the result of a rollout. Values are those of the player who moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BookPlay {
    /// The play.
    pub play: Play,
    /// The position after it; the opponent is on roll.
    pub position: Position,
    /// Number of games.
    pub trials: u32,
    /// Cubeful equity in points.
    pub equity: f64,
    /// Standard error of the equity.
    pub error: f64,
    /// Cubeless equity in points.
    pub cubeless: f64,
    /// Chance to win.
    pub win: f64,
    /// Chance to win a gammon or backgammon.
    pub win_gammon: f64,
    /// Chance to lose a gammon or backgammon.
    pub lose_gammon: f64,
}

impl BookPlay {
    /// The nets that played and ended the games.
    pub const NETS: &str = "contact-9";
    /// Look-ahead of plays and cube decisions in the games.
    pub const PLIES: u8 = 0;
    /// Turns of a game; then the nets evaluate the position.
    pub const TURNS: u32 = 10;
    /// Seed of the dice.
    pub const SEED: u64 = 1;

    /// Returns the equity lost against `best`, and its standard error: the errors of both are taken as independent.
    #[must_use]
    pub fn loss(&self, best: &BookPlay) -> (f64, f64) {
        match self == best {
            true => (0.0, 0.0),
            false => (best.equity - self.equity, best.error.hypot(self.error)),
        }
    }
}

/// The result of a question to the opening book.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OpeningAnswer {
    /// The book has the plays: the best ones, best first; never empty.
    Book(Vec<BookPlay>),
    /// The book has none, and the engine ranked all.
    Ranked(RankedPlays),
}

impl PlayQuery {
    /// Returns true for the terms on which the opening book's plays were rolled out: money with Jacoby's rule, and a cube
    /// that has not been turned. All variants with fifteen checkers are played by the same rules.
    #[must_use]
    pub fn is_on_terms_of_book(&self, settings: &Settings) -> bool {
        let state = &self.state;
        state.score.is_money()
            && state.rules.jacoby
            && state.cube == Cube::CENTRED
            && settings.cubeful
    }
}
