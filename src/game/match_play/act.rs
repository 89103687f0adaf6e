//! The acts of a game, the reasons against them, and the right to double.

use crate::{Cube, CubeOwner, Margin, MatchState, Position, Roll, Score};

/// One step of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The dice. Of the first ones the first die is that of side 0; the larger one begins.
    Roll(Roll),
    /// A play, named by the position after it, seen by the other player.
    Play(Position),
    /// A double, or a redouble.
    Double,
    /// A double of the player who answers one: a beaver, or a raccoon as the answer to a beaver. The player who was
    /// doubled first keeps the cube.
    Beaver,
    /// The double is taken.
    Take,
    /// The double is passed, and the game with it.
    Pass,
    /// The player who acts next offers to lose by this margin.
    Resign(Margin),
    /// The resignation is accepted.
    Accept,
    /// The resignation is declined, and the game continues.
    Decline,
}

/// The act that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GamePhase {
    /// The first roll, which decides who begins.
    Opening,
    /// A double or a roll of the player on roll.
    Turn,
    /// A play of this roll.
    Play(Roll),
    /// The answer to a cube that was turned so often in a row: 1 is a double, 2 a beaver, 3 a raccoon.
    Answer(u8),
    /// The answer to a resignation by this margin.
    Resigned(Margin),
    /// None: the game is over.
    Over(GameEnd),
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameEnd {
    /// The side that has won: 0 or 1.
    pub winner: usize,
    /// Points won.
    pub points: u32,
    /// Margin by which the checkers have won, or the loser has resigned; `None` if a double was passed.
    pub margin: Option<Margin>,
}

impl GameEnd {
    /// Returns the points of side 0: negative if it has lost.
    #[must_use]
    pub fn signed_points(&self) -> i32 {
        let points = i32::try_from(self.points).unwrap_or(i32::MAX);
        if self.winner == 0 { points } else { -points }
    }
}

/// The reason why an act is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActRefusal {
    /// The other player may turn the cube.
    #[error("{}", self.reason())]
    OpponentsCube,
    /// The cube has reached [`Cube::MAX`].
    #[error("{}", self.reason())]
    LargestCube,
    /// The Crawford game has no cube.
    #[error("{}", self.reason())]
    CrawfordGame,
    /// The points of this cube are enough.
    #[error("{}", self.reason())]
    DeadCube,
    /// The game is played without a cube.
    #[error("{}", self.reason())]
    NoCube,
    /// Beavers belong to money games.
    #[error("{}", self.reason())]
    MatchBeaver,
    /// The players have agreed on no beavers.
    #[error("{}", self.reason())]
    NoBeavers,
    /// The first roll of a game allows no double.
    #[error("{}", self.reason())]
    OpeningCube,
    /// The first dice are those of a double.
    #[error("{}", self.reason())]
    OpeningDouble,
    /// The play is not legal for the roll.
    #[error("{}", self.reason())]
    IllegalPlay,
    /// There is no double to answer.
    #[error("{}", self.reason())]
    NoDouble,
    /// There is no resignation to answer.
    #[error("{}", self.reason())]
    NoResignation,
    /// The player who turned the cube answers.
    #[error("{}", self.reason())]
    OwnDouble,
    /// The other player acts next.
    #[error("{}", self.reason())]
    OthersTurn,
    /// Something else is to be done now.
    #[error("{}", self.reason())]
    NotNow(GamePhase),
}

impl ActRefusal {
    /// Returns the reason in words that begin or end a sentence.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            ActRefusal::OpponentsCube => "the opponent owns the cube",
            ActRefusal::LargestCube => "the cube is at 4096 and cannot be turned further",
            ActRefusal::CrawfordGame => "the cube may not be turned in the Crawford game",
            ActRefusal::DeadCube => "a win at this cube wins the match already",
            ActRefusal::NoCube => "no cube is in use",
            ActRefusal::MatchBeaver => "a match has no beavers",
            ActRefusal::NoBeavers => "the game is played without beavers",
            ActRefusal::OpeningCube => "the cube may not be turned before the first roll",
            ActRefusal::OpeningDouble => "the first roll of a game is no double",
            ActRefusal::IllegalPlay => "the play is not legal with this roll",
            ActRefusal::NoDouble => "there is no double to answer",
            ActRefusal::NoResignation => "there is no resignation to answer",
            ActRefusal::OwnDouble => "the double is the player's own",
            ActRefusal::OthersTurn => "it is the other player's turn",
            ActRefusal::NotNow(GamePhase::Opening) => "the first roll comes now",
            ActRefusal::NotNow(GamePhase::Turn) => "a double or a roll comes now",
            ActRefusal::NotNow(GamePhase::Play(_)) => "a play comes now",
            ActRefusal::NotNow(GamePhase::Answer(_)) => "the double is not answered",
            ActRefusal::NotNow(GamePhase::Resigned(_)) => "the resignation is not answered",
            ActRefusal::NotNow(GamePhase::Over(_)) => "the game is over already",
        }
    }
}

impl Score {
    /// Returns the reason why the player on roll may not double at a cube of 2 to the power `doublings`; `None` if that
    /// player may (CUBE-07). The leader after the Crawford game needs one point, which every cube brings.
    #[must_use]
    pub const fn double_refusal(self, doublings: u32, owner: CubeOwner) -> Option<ActRefusal> {
        if matches!(owner, CubeOwner::Opponent) {
            Some(ActRefusal::OpponentsCube)
        } else if doublings >= Cube::MAX.trailing_zeros() {
            Some(ActRefusal::LargestCube)
        } else if self.is_crawford() {
            Some(ActRefusal::CrawfordGame)
        } else if !self.is_money() && 1 << doublings >= self.my_away() {
            Some(ActRefusal::DeadCube)
        } else {
            None
        }
    }
}

impl MatchState {
    /// Returns the reason why the player on roll may not double; `None` if that player may.
    #[must_use]
    pub const fn double_refusal(&self) -> Option<ActRefusal> {
        let doublings = self.cube.value().trailing_zeros();
        self.score.double_refusal(doublings, self.cube.owner())
    }

    /// Returns the reason why a cube that was turned `turns` times in a row (1 is a double) may not be turned once more in
    /// answer; `None` if it may. The state is the one before the double.
    #[must_use]
    pub fn beaver_refusal(&self, turns: u8) -> Option<ActRefusal> {
        let doublings = self.cube.value().trailing_zeros() + u32::from(turns) + 1;
        if !self.score.is_money() {
            Some(ActRefusal::MatchBeaver)
        } else if !self.rules.beavers {
            Some(ActRefusal::NoBeavers)
        } else {
            (doublings > Cube::MAX.trailing_zeros()).then_some(ActRefusal::LargestCube)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CUBE-07.
    #[test]
    fn doubles_that_are_not_allowed_have_a_reason() {
        let match_score = Score::new(7, 3, 3, false).unwrap();
        let post_crawford = Score::new(7, 6, 3, false).unwrap();
        let crawford = Score::new(7, 3, 6, true).unwrap();
        let (centred, me) = (CubeOwner::Centred, CubeOwner::Me);
        for (score, doublings, owner, refusal) in [
            (Score::MONEY, 0, centred, None),
            (Score::MONEY, 11, me, None),
            (Score::MONEY, 12, me, Some(ActRefusal::LargestCube)),
            (
                Score::MONEY,
                1,
                CubeOwner::Opponent,
                Some(ActRefusal::OpponentsCube),
            ),
            (match_score, 1, me, None),
            (match_score, 2, me, Some(ActRefusal::DeadCube)),
            (crawford, 0, centred, Some(ActRefusal::CrawfordGame)),
            (post_crawford, 0, centred, Some(ActRefusal::DeadCube)),
            (post_crawford.swapped(), 0, centred, None),
        ] {
            let found = score.double_refusal(doublings, owner);
            assert_eq!(found, refusal, "{score:?} {doublings} {owner:?}");
        }
    }
}
