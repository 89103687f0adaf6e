//! All exchanges of a position: a roll of each player.

use super::{CubeAnswer, Equities, RankedPlay};
use gammond_game::{Play, Position, Roll};

/// Both rolls of an exchange, played their best way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exchange {
    /// The player's roll.
    pub roll: Roll,
    /// Its best play.
    pub first: RankedPlay,
    /// The opponent's roll.
    pub reply: Roll,
    /// Its best play, from the position of [`Exchange::first`]; `None` if the player has won.
    pub second: Option<Play>,
    /// The position after both, the player on roll; after a win that of [`Exchange::first`].
    pub position: Position,
    /// Value for the player, with the best action where a double is allowed.
    pub value: Equities,
    /// The cube decision after both; `None` if the player may not double, or the game is over.
    pub decision: Option<CubeAnswer>,
}

impl Exchange {
    /// Returns the number of the 1,296 pairs of throws that give it.
    #[must_use]
    pub const fn weight(&self) -> u32 {
        self.roll.weight() * self.reply.weight()
    }

    /// Returns true if the opponent must pass a double after it, or the player has won.
    #[must_use]
    pub fn loses_market(&self) -> bool {
        let passes = self.decision.as_ref().is_some_and(|cube| !cube.take);
        passes || self.second.is_none()
    }
}

/// All exchanges of a position.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExchangesAnswer {
    /// The position before them.
    pub position: Position,
    /// The 441 exchanges, the best first.
    pub exchanges: Vec<Exchange>,
    /// Mean of the values over the 1,296 pairs of throws.
    pub mean: Equities,
    /// Standard deviation of the equity over them.
    pub deviation: f64,
    /// Share of the pairs after which the opponent must pass a double or the game is won; `None` if the player may not
    /// double, or no cube is in use.
    pub market_losers: Option<f64>,
    /// Plies of look-ahead of the first plays.
    pub plies: u8,
}
