//! The result of `hint`, kept for exports and the record.

use super::evals::Context;
use gammond_engine::query::{CubeAnswer, RankedPlay};
use gammond_game::Position;

/// The result of a hint.
#[derive(Clone, Debug)]
pub(super) enum Hint {
    Plays {
        position: Position,
        plays: Vec<RankedPlay>,
        context: Context,
    },
    Cube(Box<CubeAnswer>),
}

impl Hint {
    /// Returns the plays of a hint about plays.
    pub(super) fn plays(&self) -> Option<&[RankedPlay]> {
        match self {
            Hint::Plays { plays, .. } => Some(plays),
            Hint::Cube(_) => None,
        }
    }
}
