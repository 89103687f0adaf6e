//! A whole turn of checkers: up to four steps.

use super::{BAR, OFF, Position};

/// One checker moved by one die. `from` is 0..=24 (24 the bar), `to` 0..=23 or [`OFF`] (25), both
/// by the mover's own index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Step {
    /// Index the checker leaves.
    pub from: u8,
    /// Index it reaches, [`OFF`] when borne off.
    pub to: u8,
}

impl Step {
    /// Returns true if the checker enters from the bar.
    #[must_use]
    pub const fn enters(self) -> bool {
        self.from as usize == BAR
    }

    /// Returns true if the checker is borne off.
    #[must_use]
    pub const fn bears_off(self) -> bool {
        self.to as usize == OFF
    }
}

/// The steps of a play in the order in which they were found; none when the player cannot move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Play {
    steps: [Step; 4],
    length: u8,
}

impl Play {
    /// The play of a player who cannot move.
    pub const PASS: Play = Play {
        steps: [Step { from: 0, to: 0 }; 4],
        length: 0,
    };

    /// Returns the steps, at most four.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps[..usize::from(self.length)]
    }

    /// Returns true if nothing moves.
    #[must_use]
    pub const fn is_pass(&self) -> bool {
        self.length == 0
    }

    /// Returns this play with one more step; at most four.
    #[must_use]
    pub(crate) fn with(mut self, step: Step) -> Play {
        self.steps[usize::from(self.length)] = step;
        self.length += 1;
        self
    }

    /// Returns a play of these steps; `None` when there are more than four.
    #[must_use]
    pub fn from_steps(steps: &[Step]) -> Option<Play> {
        let mut play = Play::PASS;
        play.steps.get_mut(..steps.len())?.copy_from_slice(steps);
        play.length = steps.len() as u8;
        Some(play)
    }
}

/// A legal play and the position after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegalPlay {
    /// The steps, as GNU Backgammon would represent them.
    pub play: Play,
    /// The position after the play, **with the opponent on roll** (already turned round).
    pub after: Position,
}
