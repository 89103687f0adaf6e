//! An analysis inside the match file: marks, luck and remarks at each action, totals at the head.

use super::analyse::Analysis;
use super::replay::{Decision, Terms, replay_from};
use super::rows::{DecisionKind, Row};
use super::totals::mark;
use gammond_game::Rules;
use gammond_game::notation::{MatGame, MatchFile, MatchFormat, MatchNotes, NotWritable, SgfNote};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Notes of actions, by game and action from 0; a resignation is the action after the last one.
pub type ActionNotes = BTreeMap<(usize, usize), SgfNote>;

/// Returns whether a match that was written as text reads back with the same decisions. After damage it may not: a
/// fault that the reader tolerates in one form can have another meaning in another.
#[must_use]
pub fn reads_back(file: &MatchFile, text: &[u8]) -> bool {
    let decisions = |file: &MatchFile| -> Vec<Vec<_>> {
        let terms = Terms::of(file, Rules::default());
        let of_game = |(game, terms): (&MatGame, &Terms)| {
            let decisions = replay_from(game, terms).decisions.into_iter();
            let told = |one: Decision| {
                let Decision {
                    player,
                    position,
                    state,
                    action,
                    ..
                } = one;
                (player, position, state.cube, state.score, action)
            };
            decisions.map(told).collect()
        };
        file.games.iter().zip(&terms).map(of_game).collect()
    };
    MatchFile::read(text).is_ok_and(|again| {
        again.file.length == file.length && decisions(&again.file) == decisions(file)
    })
}

impl Analysis {
    /// Returns the match as a file of this format. Formats that hold notes get the level and the totals, the luck of
    /// each roll, marks and a line for each decision that is marked, as far as they have a place for them.
    ///
    /// # Errors
    /// [`NotWritable`] if the format has no form for something in the match.
    pub fn write(&self, file: &MatchFile, format: MatchFormat) -> Result<Vec<u8>, NotWritable> {
        if !format.has_notes() {
            return file.write(format, None);
        }
        let mut notes = ActionNotes::new();
        self.add_notes(&mut notes, Some);
        let crawford: Vec<bool> = self.games.iter().map(|game| game.crawford).collect();
        let notes = MatchNotes {
            crawford: &crawford,
            level: Some(&self.level),
            head: &self.notes(),
            at: &|game, action| notes.get(&(game, action)).cloned(),
        };
        file.write(format, Some(&notes))
    }

    /// Adds the notes of the actions: luck, marks and a line for each decision that is marked. `keep` chooses the rows,
    /// and may take something out of them.
    pub fn add_notes<'a>(
        &'a self,
        notes: &mut ActionNotes,
        keep: impl Fn(Row<'a>) -> Option<Row<'a>>,
    ) {
        let names = self.shown_names();
        for row in self.rows().filter_map(keep) {
            let note = notes.entry((row.game - 1, row.number)).or_default();
            if let Some(luck) = row.luck {
                let _ = write!(note.properties, "LU[{luck:.5}]");
            }
            let marked = row.loss.and_then(|loss| mark(loss, &row.marks));
            if let Some(mark) = marked {
                note.properties.push_str(property(&row, mark));
                let line = self.line(&row, &names);
                if !note.comment.is_empty() {
                    note.comment.push('\n');
                }
                note.comment.push_str(&line);
            }
        }
    }
}

/// Returns GNU Backgammon's property for a mark.
fn property(row: &Row<'_>, mark: usize) -> &'static str {
    match (row.kind, mark) {
        (DecisionKind::Play, 0) => "DO[]",
        (DecisionKind::Play, 1) => "BM[1]",
        (DecisionKind::Play, _) => "BM[2]",
        (DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver, 0) => "DC[]",
        (DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver, 1) => "BC[1]",
        (DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver, _) => "BC[2]",
        _ => "",
    }
}
