//! Statistics by the part of the game and by the class of the position (ANA-20).

use super::analyse::{Analysis, JudgedDecision, book};
use super::replay::Decision;
use super::totals::Totals;
use gammond_game::Class;

/// Moves of each player that are the opening.
const OPENING: u32 = 3;
/// The parts of a game.
pub(super) const PHASES: [&str; 3] = ["opening", "middle game", "endgame"];
/// The classes of positions.
pub(super) const CLASSES: [&str; 4] = ["contact", "crashed", "race", "bearoff"];

/// A group of decisions: its name, and the statistics of both players.
pub type BookGroup = (&'static str, [Totals; 2]);

/// Returns the part of the game: the first moves, contact, no contact.
#[must_use]
pub fn phase(decision: &Decision) -> &'static str {
    let [opening, middle, end] = PHASES;
    match class(decision) {
        "contact" | "crashed" if decision.turn <= OPENING => opening,
        "contact" | "crashed" => middle,
        _ => end,
    }
}

/// Returns the class of the position, in GNU Backgammon's sense; all bearoff tables are one.
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

/// The running statistics of both players by groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    phases: [[Totals; 2]; 3],
    classes: [[Totals; 2]; 4],
}

impl Groups {
    /// Adds a decision to its groups.
    pub(super) fn book(&mut self, judged: &JudgedDecision, marks: &[f64; 3]) {
        let place = |names: &[&str], name| names.iter().position(|one| *one == name);
        let phase = place(&PHASES, phase(&judged.decision));
        let class = place(&CLASSES, class(&judged.decision));
        let phase = phase.and_then(|place| self.phases.get_mut(place));
        let class = class.and_then(|place| self.classes.get_mut(place));
        for totals in phase.into_iter().chain(class) {
            book(totals, judged, marks);
        }
    }

    /// Returns the groups by parts of the game and by classes of positions.
    pub(super) fn named(&self) -> [Vec<BookGroup>; 2] {
        let phases = PHASES.into_iter().zip(self.phases);
        let classes = CLASSES.into_iter().zip(self.classes);
        [phases.collect(), classes.collect()]
    }
}

impl Analysis {
    /// Returns the statistics by parts of the game.
    #[must_use]
    pub fn by_phase(&self) -> Vec<BookGroup> {
        let [phases, _] = self.grouped().named();
        phases
    }

    /// Returns the statistics by classes of positions.
    #[must_use]
    pub fn by_class(&self) -> Vec<BookGroup> {
        let [_, classes] = self.grouped().named();
        classes
    }

    pub(super) fn grouped(&self) -> Groups {
        let mut groups = Groups::default();
        for judged in self.games.iter().flat_map(|game| &game.decisions) {
            groups.book(judged, &self.marks);
        }
        groups
    }
}
