//! The books by the part of the game and by the class of the position (ANA-20).

use super::analyse::{Analysis, JudgedDecision, books};
use super::replay::Decision;
use super::totals::Totals;
use crate::game::Class;

/// Moves of each player that are the opening.
const OPENING: u32 = 3;
/// The parts of a game.
pub(super) const PHASES: [&str; 3] = ["opening", "middle game", "endgame"];
/// The classes of positions.
pub(super) const CLASSES: [&str; 4] = ["contact", "crashed", "race", "bearoff"];

/// A group of decisions: its name, and the books of both players.
pub type BookGroup = (&'static str, [Totals; 2]);

/// The part of the game: the first moves, what has contact, what has none.
#[must_use]
pub fn phase(decision: &Decision) -> &'static str {
    let [opening, middle, end] = PHASES;
    match class(decision) {
        "contact" | "crashed" if decision.turn <= OPENING => opening,
        "contact" | "crashed" => middle,
        _ => end,
    }
}

/// The class of the position, in GNU Backgammon's sense; all bearoff tables are one.
#[must_use]
pub fn class(decision: &Decision) -> &'static str {
    let [contact, crashed, race, bearoff] = CLASSES;
    match Class::of(&decision.position) {
        Class::Contact => contact,
        Class::Crashed => crashed,
        Class::Race => race,
        _ => bearoff,
    }
}

impl Analysis {
    /// The books by parts of the game.
    #[must_use]
    pub fn by_phase(&self) -> Vec<BookGroup> {
        self.grouped(&PHASES, phase)
    }

    /// The books by classes of positions.
    #[must_use]
    pub fn by_class(&self) -> Vec<BookGroup> {
        self.grouped(&CLASSES, class)
    }

    fn grouped(&self, names: &[&'static str], of: fn(&Decision) -> &'static str) -> Vec<BookGroup> {
        let all = || self.games.iter().flat_map(|game| &game.decisions);
        let group = |&name: &&'static str| {
            let these = all().filter(|judged: &&JudgedDecision| of(&judged.decision) == name);
            (name, books(these, &self.marks))
        };
        names.iter().map(group).collect()
    }
}
