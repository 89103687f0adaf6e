//! Nets as the first programs had them: a board representation, one or two hidden layers of sigmoids, plain text files.
//!
//! A net sees a board with a white and a black player and returns white's chances. [`Sides`] is the way in which such
//! a net plays for both: with the board turned round, so that the player who moves is always white, or as black, by 1
//! minus its chance.

mod evaluator;
mod net;
mod representation;
mod text;

pub use evaluator::open_nets;
pub use net::{ClassicNet, ClassicScratch, ClassicShape, HIDDEN_MAX, ShapeError};
pub use representation::Representation;
pub use text::{ClassicFault, ClassicFile};

use super::{Player, PlayerError, best_by, check_fifteen};
use gammond_base::checksum::sha256;
use gammond_base::rng::ChaCha8Rng;
use gammond_game::{Chances, Position, Roll, Variant};
use gammond_job::Header;
use std::cell::RefCell;
use std::path::Path;

/// View of the board under which a net with white's chances plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sides {
    /// The board is turned round: the player who has moved is white.
    #[default]
    Swap,
    /// The player who has moved is black, and has 1 minus white's chance.
    Invert,
}

impl Sides {
    /// Both.
    pub const ALL: [Sides; 2] = [Sides::Swap, Sides::Invert];

    /// Returns the name as written: `swap` or `invert`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sides::Swap => "swap",
            Sides::Invert => "invert",
        }
    }

    /// Returns the one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Sides> {
        Sides::ALL.into_iter().find(|sides| sides.name() == name)
    }
}

/// Returns the view of the board that a net was made for, if its file names one.
fn made_sides(file: &ClassicFile) -> Option<Sides> {
    let made = Header::parse(file.made.as_deref()?)?;
    Sides::named(made.get("sides")?)
}

/// Returns the chances of the player who has just moved; the opponent is on roll in `after`.
#[must_use]
pub fn mover_chances(
    net: &ClassicNet,
    sides: Sides,
    after: &Position,
    scratch: &mut ClassicScratch,
) -> Chances {
    if let Some(outcome) = after.outcome() {
        return outcome.swapped().chances();
    }
    let (mover, other) = (after.opponent(), after.me());
    match sides {
        Sides::Swap => {
            let outputs = net.run([mover, other], false, scratch);
            net.chances(outputs, [mover, other])
        }
        Sides::Invert => {
            let outputs = net.run([other, mover], true, scratch);
            net.chances(outputs, [other, mover]).inverted()
        }
    }
}

thread_local! {
    /// The layers of one evaluation.
    static SCRATCH: RefCell<ClassicScratch> = RefCell::default();
}

/// A classic net that plays.
#[derive(Clone, Debug)]
pub struct ClassicPlayer {
    name: String,
    net: ClassicNet,
    sides: Sides,
}

impl ClassicPlayer {
    /// Returns a player with this net.
    #[must_use]
    pub fn new(name: &str, net: ClassicNet, sides: Sides) -> ClassicPlayer {
        ClassicPlayer {
            name: name.to_owned(),
            net,
            sides,
        }
    }

    /// Opens a file. Without `sides` the net plays as the work that made it let it play.
    pub(super) fn open(kind: &str, path: &Path, sides: Option<Sides>) -> Result<Self, PlayerError> {
        let file = ClassicFile::load(path).map_err(|fault| PlayerError::in_file(path, fault))?;
        let sides = sides.or_else(|| made_sides(&file)).unwrap_or_default();
        let side = match sides {
            Sides::Swap => String::new(),
            Sides::Invert => format!(":sides={}", sides.name()),
        };
        let name = format!("{kind}:{}{side}", path.display());
        Ok(ClassicPlayer::new(&name, file.net, sides))
    }

    fn of_mover(&self, after: &Position) -> Chances {
        SCRATCH.with_borrow_mut(|scratch| mover_chances(&self.net, self.sides, after, scratch))
    }
}

impl Player for ClassicPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn identity(&self) -> Result<String, PlayerError> {
        let sum = sha256(ClassicFile::of(self.net.clone()).text().as_bytes());
        let sides = self.sides.name();
        Ok(format!("classic net, sides {sides}, sha256 {sum}"))
    }

    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        check_fifteen(self, variant)
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        Ok(best_by(position, roll, |after| {
            self.of_mover(after).equity()
        }))
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        Some(self.of_mover(position).inverted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::rng::stream;

    fn net(outputs: usize) -> ClassicNet {
        let shape = ClassicShape::new(Representation::TdGammon198, &[20], outputs).unwrap();
        ClassicNet::random(shape, 0.5, &mut stream(5, 0))
    }

    /// Whoever sees the board turned round sees the same game.
    #[test]
    fn turned_boards_are_worth_the_same() {
        let mut scratch = ClassicScratch::default();
        let mut counts = Position::start().me().counts();
        counts[5] -= 1;
        counts[3] += 1;
        let position = Position::new(&Position::start().opponent().counts(), &counts).unwrap();
        for outputs in [1, 4, 5] {
            let net = net(outputs);
            // White has moved, and black has moved on the turned board.
            let white = [position.opponent(), position.me()];
            let seen = net.run(white, false, &mut scratch).to_vec();
            let turned = position.swapped();
            let black = [turned.me(), turned.opponent()];
            assert_eq!(seen, net.run(black, false, &mut scratch));
            let [swap, invert] =
                Sides::ALL.map(|sides| mover_chances(&net, sides, &position, &mut scratch));
            assert_ne!(swap, invert, "the two ways of playing are different");
            for chances in [swap, invert] {
                let all = chances.to_array();
                assert!(
                    all.iter().all(|&chance| (0.0..=1.0).contains(&chance)),
                    "{all:?}"
                );
            }
        }
    }

    #[test]
    fn a_game_that_is_over_is_certain() {
        let won = Position::new(&[0; 25], &Position::start().me().counts()).unwrap();
        let after = won.swapped();
        let mut scratch = ClassicScratch::default();
        for sides in Sides::ALL {
            let chances = mover_chances(&net(1), sides, &after, &mut scratch);
            assert_eq!(
                chances.equity(),
                3.0,
                "fifteen checkers, two of them in the home board"
            );
        }
    }
}
