//! The facts behind a decision: about the cube, or about the best play beside another one.

use super::{CubeAnswer, Equities, Language, RankedPlay};
use crate::equity::{CubeUse, CubeWindow};
use gammond_game::{BoardFacts, Chances, MatchState, PlayFacts, Position, RaceCounts, Roll};

/// A query for the facts behind a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplainQuery {
    /// The position.
    pub position: Position,
    /// Cube, score and rules.
    pub state: MatchState,
    /// The dice; without them the decision is about the cube.
    pub roll: Option<Roll>,
    /// The position after the play to compare with the best one; `None` for the next best.
    pub play: Option<Position>,
    /// Language of the sentences that are made of the facts; the facts do not depend on it.
    pub language: Language,
}

/// The facts behind a decision.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainAnswer {
    /// The position.
    pub position: Position,
    /// Cube, score and rules.
    pub state: MatchState,
    /// Its board.
    pub board: BoardFacts,
    /// The race, if there is no contact.
    pub race: Option<RaceFacts>,
    /// The decision.
    pub decision: ExplainedDecision,
    /// Plies of look-ahead.
    pub plies: u8,
}

/// The decision that is explained.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplainedDecision {
    /// A play.
    Play(Box<ExplainedPlays>),
    /// The cube.
    Cube(Box<CubeFacts>),
}

/// The best play beside another one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedPlays {
    /// The dice.
    pub roll: Roll,
    /// The best play.
    pub best: ExplainedPlay,
    /// The play that was asked for, else the next best; `None` if there is no other.
    pub other: Option<ExplainedPlay>,
    /// Number of distinct legal plays.
    pub legal: usize,
}

/// A play with its facts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedPlay {
    /// Value and chances.
    pub ranked: RankedPlay,
    /// Facts of the board after it.
    pub facts: PlayFacts,
    /// The race after it, seen by the player who moves.
    pub race: Option<RaceFacts>,
}

/// The facts of a race, mine first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RaceFacts {
    /// Pip counts by formulas.
    pub counts: RaceCounts,
    /// Effective pip counts: 49/6 for each of the mean number of rolls to bear off, where a one-sided table has it.
    pub effective: [Option<f64>; 2],
}

/// The facts of a cube decision.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CubeFacts {
    /// Chances of the player on roll.
    pub chances: Chances,
    /// Value of the best action.
    pub value: Equities,
    /// The decision; `None` if the player may not double, or no cube is in use.
    pub decision: Option<CubeAnswer>,
    /// The doubling window for these chances; `None` without a decision, or where the cube changes nothing.
    pub window: Option<CubeWindow>,
    /// The opponent's use for the cube after a double; `None` without a decision.
    pub after_double: Option<CubeUse>,
    /// Value of the opponent's right to turn the doubled cube: the value of double and take with a cube that is not turned
    /// again, less that with one that may be, in points or EMG; `None` without a decision.
    pub recube_vig: Option<f64>,
    /// Share of exchanges after which the opponent must pass a double or the game is won, as
    /// [`RollsAnswer::market_losers`](super::RollsAnswer::market_losers); `None` without a decision.
    pub market_losers: Option<f64>,
    /// Gammon values of the player on roll and of the opponent at this cube (MET-10).
    pub gammon_values: [f64; 2],
}
