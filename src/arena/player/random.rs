//! The player that throws coins.

use super::{Player, PlayerError};
use gammond_base::rng::{ChaCha8Rng, below};
use gammond_game::{Position, Roll, generate_plays};

/// Any legal play.
pub(super) struct Random;

impl Player for Random {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let mut after = Vec::new();
        generate_plays(position, roll, &mut after);
        if after.is_empty() {
            return Ok(position.swapped());
        }
        Ok(after[below(chance, after.len() as u32) as usize])
    }
}
