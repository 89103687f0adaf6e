//! Players: our engine, the classical players, other programs, all behind the trait [`Player`].
//!
//! A [`PlayerSpec`] is the notation of a player (`gammond:plies=2`, `pubeval`, `ubgi:COMMAND`); opening it gives the
//! player itself. Duels, tournaments and benchmarks use players by the trait alone.

mod answer;
pub mod classic;
mod expectiminimax;
mod linear;
mod ours;
mod parts;
mod portable;
mod program;
mod pubeval;
mod random;
mod spec;

pub use answer::{best_answer, may_turn_again};
pub use linear::Linear;
pub use ours::Ours;
pub use portable::{
    Never, PortableBearoff, PortableEngine, PortableNets, PortablePlayer, PortableValue, Ported,
};
pub use program::ProgramError;
pub use pubeval::pubeval_score;
pub use spec::{ClassicKind, Defaults, Here, Naming, PartsSpec, PlayerSpec};

use gammond_base::rng::ChaCha8Rng;
use gammond_engine::engine::{Engine, EngineBuilder, EngineError};
use gammond_game::{Act, Chances, MatchState, Position, Roll, Side, Variant, generate_plays};
use std::path::{Path, PathBuf};

/// Returns a builder of engines that open classic nets beside the engine's own kinds.
#[must_use]
pub fn engine_builder() -> EngineBuilder {
    Engine::builder().net_opener(classic::open_nets)
}

/// Chooses plays in cubeless money games; with the cube too, if it supports it. The same for all threads of a duel.
pub trait Player: Send + Sync {
    /// Returns the player's name, as it was requested.
    fn name(&self) -> String;

    /// Returns everything that decides its plays, in words and checksums. Long work resumes only with a player of the
    /// same identity.
    ///
    /// # Errors
    /// When its files can no longer be read.
    fn identity(&self) -> Result<String, PlayerError> {
        Ok(self.name())
    }

    /// Returns the position after the chosen play of `roll`, the opponent on roll; when nothing can move, the position
    /// turned round. `chance` is for players that throw coins.
    ///
    /// # Errors
    /// When the player has no answer or an illegal one.
    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError>;

    /// Returns a remark for people on how it played, on one line.
    fn note(&self) -> Option<String> {
        None
    }

    /// Returns the player's static chances for the player on roll, if it has such.
    fn chances(&self, position: &Position) -> Option<Chances> {
        let _ = position;
        None
    }

    /// Checks that it can play a variant.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        let _ = variant;
        Ok(())
    }

    /// Returns the same player in games with the cube; `None` when it plays only cubeless ones.
    fn with_cube(&self) -> Option<&dyn CubePlayer> {
        None
    }
}

/// A player in games with the cube, for money or in matches. Positions and states are seen by the player on roll.
pub trait CubePlayer: Player {
    /// Returns everything that decides its cube actions beside its [`Player::identity`], in words and checksums.
    ///
    /// # Errors
    /// When its files can no longer be read.
    fn cube_identity(&self) -> Result<String, PlayerError> {
        Ok(String::new())
    }

    /// Chooses a play as [`Player::play`], at this score and with this cube.
    ///
    /// # Errors
    /// As [`Player::play`].
    fn play_in(
        &self,
        position: &Position,
        state: &MatchState,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError>;

    /// Returns true if this player, who is on roll, doubles before the roll. Called only if the rules allow a double.
    /// `chance` is that of [`Player::play`].
    ///
    /// # Errors
    /// When the player has no answer.
    fn doubles(
        &self,
        position: &Position,
        state: &MatchState,
        chance: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError>;

    /// Returns true if this player takes a double of the player on roll; `state` is the one before the double.
    ///
    /// # Errors
    /// When the player has no answer.
    fn takes(
        &self,
        position: &Position,
        state: &MatchState,
        chance: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError>;

    /// Answers a cube that was turned `turns` times in a row, 1 being a double of the player on roll: [`Act::Take`],
    /// [`Act::Pass`], or [`Act::Beaver`] if [`may_turn_again`] allows it. `state` is the one before the double. Players
    /// that know no beavers take what follows their double.
    ///
    /// # Errors
    /// When the player has no answer.
    fn answers(
        &self,
        position: &Position,
        state: &MatchState,
        turns: u8,
        chance: &mut ChaCha8Rng,
    ) -> Result<Act, PlayerError> {
        let takes = turns > 1 || self.takes(position, state, chance)?;
        Ok(if takes { Act::Take } else { Act::Pass })
    }
}

/// Returns an error for a variant of fewer checkers than the fifteen by which a player values ends of games.
fn check_fifteen(player: &dyn Player, variant: Variant) -> Result<(), PlayerError> {
    match variant.checkers() {
        Side::CHECKERS => Ok(()),
        checkers => Err(PlayerError::Spec {
            text: player.name(),
            reason: format!(
                "knows games of {} checkers a side alone, and {variant} has {checkers}; expected gammond, pubeval or random",
                Side::CHECKERS
            ),
        }),
    }
}

/// Returns the play of a player that evaluates positions only: the first of those after which `worth` is greatest,
/// the opponent on roll there; the position turned round when nothing can move.
pub fn best_by(position: &Position, roll: Roll, worth: impl Fn(&Position) -> f32) -> Position {
    let mut plays = Vec::new();
    generate_plays(position, roll, &mut plays);
    let mut best = (f32::NEG_INFINITY, position.swapped());
    for after in plays {
        let worth = worth(&after);
        if worth > best.0 {
            best = (worth, after);
        }
    }
    best.1
}

/// An error of a player that cannot be opened or does not play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The text names no player.
    #[error("player {text:?}: {reason}")]
    Spec {
        /// Text of the request.
        text: String,
        /// Description of the fault.
        reason: String,
    },
    /// A file that the player is made of is missing or damaged.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Description of the fault, with the line if there is one.
        reason: String,
    },
    /// Its engine cannot be built or does not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The program behind a pipe does not start or does not answer.
    #[error("player {name}: {source}")]
    Program {
        /// The player.
        name: String,
        /// Error of the program.
        source: ProgramError,
    },
}

impl PlayerError {
    /// Returns the error of this file of a player.
    pub(crate) fn in_file(path: &Path, reason: impl ToString) -> PlayerError {
        PlayerError::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
