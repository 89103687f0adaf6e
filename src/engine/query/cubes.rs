//! A position, or the plays of a roll, with the cube in each place.

use super::{CubeAnswer, Equities, RankedPlays};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll};

/// A query for a position with the cube in each place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubesQuery {
    /// The position.
    pub position: Position,
    /// Score and rules; its cube is not used.
    pub state: MatchState,
    /// The dice, for the plays.
    pub roll: Option<Roll>,
}

impl CubesQuery {
    /// Largest cube of a match.
    pub const CUBE_MAX: u32 = 8;

    /// Returns the states: the cube in the middle, then each player's cubes, those of the player on roll first. For money a
    /// player's cube is at 2, because values are per unit of the cube; in a match it is at 2, 4 and 8 as far as a player
    /// needs more points than half of it. In the Crawford game there is no other cube than that in the middle.
    #[must_use]
    pub fn states(&self) -> Vec<MatchState> {
        let score = self.state.score;
        let most = match score.is_money() {
            true => 2,
            false if score.is_crawford() => 1,
            false => {
                let needed = score.my_away().max(score.opponent_away());
                (2 * needed).saturating_sub(1).min(CubesQuery::CUBE_MAX)
            }
        };
        let values: Vec<u32> = [2, 4, 8]
            .into_iter()
            .filter(|&value| value <= most)
            .collect();
        let turned = [CubeOwner::Me, CubeOwner::Opponent].into_iter();
        let turned = turned.flat_map(|owner| values.iter().map(move |&value| (value, owner)));
        let cubes = std::iter::once((1, CubeOwner::Centred)).chain(turned);
        let state = |(value, owner)| {
            let cube = Cube::new(value, owner).ok()?;
            Some(MatchState { cube, ..self.state })
        };
        cubes.filter_map(state).collect()
    }
}

/// A position, or the plays of a roll, with the cube in one place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CubePlace {
    /// The cube.
    pub cube: Cube,
    /// Value of the best action, for the player on roll.
    pub value: Equities,
    /// The decision about the cube; `None` where the player may not double, and with a roll.
    pub decision: Option<CubeAnswer>,
    /// With a roll: each play that is best with the cube in one of the places, all to the full depth.
    pub plays: Option<RankedPlays>,
}

/// A position, or the plays of a roll, with the cube in each place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CubesAnswer {
    /// The position.
    pub position: Position,
    /// The dice.
    pub roll: Option<Roll>,
    /// The places, in the order of [`CubesQuery::states`].
    pub places: Vec<CubePlace>,
    /// Plies of look-ahead.
    pub plies: u8,
}

impl CubesAnswer {
    /// Returns true if the best play, or the decision, is not the same with the cube in all places where there is one.
    #[must_use]
    pub fn changes(&self) -> bool {
        let mut plays = self.places.iter().filter_map(|place| place.plays.as_ref());
        let first = plays.next().map(|plays| plays.best().position);
        let mut cubes = self
            .places
            .iter()
            .filter_map(|place| place.decision.as_ref());
        let action = |cube: &CubeAnswer| (cube.double, cube.take);
        let decision = cubes.next().map(action);
        plays.any(|plays| Some(plays.best().position) != first)
            || cubes.any(|cube| Some(action(cube)) != decision)
    }
}
