//! Automatic actions of the console, and dice that it waits for from a person.

/// The automatic actions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Automatic {
    pub(super) game: bool,
    pub(super) roll: bool,
    pub(super) play: bool,
    pub(super) bearoff: bool,
    pub(super) crawford: bool,
    pub(super) doubles: u32,
}

impl Default for Automatic {
    fn default() -> Automatic {
        Automatic {
            game: true,
            roll: true,
            play: false,
            bearoff: false,
            crawford: true,
            doubles: 0,
        }
    }
}

/// The purpose of dice that are entered by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    Opening,
    Roll,
}
