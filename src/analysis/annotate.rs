//! An analysis inside the match: GNU Backgammon's `.sgf` with marks, luck and remarks at each action.

use super::analyse::Analysis;
use super::rows::{Kind, Row};
use super::totals::mark;
use crate::notation::{MatchFile, SgfNote};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl Analysis {
    /// The match as `.sgf`: the luck of each roll, GNU Backgammon's marks, and a line for each decision that is marked.
    #[must_use]
    pub fn sgf(&self, file: &MatchFile) -> String {
        let names = self.shown_names();
        let mut notes: BTreeMap<(usize, usize), SgfNote> = BTreeMap::new();
        for row in self.rows() {
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
        let crawford: Vec<bool> = self.games.iter().map(|game| game.crawford).collect();
        file.sgf(&crawford, &|game, action| {
            notes.get(&(game, action)).cloned()
        })
    }
}

/// GNU Backgammon's property for a mark.
fn property(row: &Row<'_>, mark: usize) -> &'static str {
    match (row.kind, mark) {
        (Kind::Play, 0) => "DO[]",
        (Kind::Play, 1) => "BM[1]",
        (Kind::Play, _) => "BM[2]",
        (Kind::Double | Kind::Take, 0) => "DC[]",
        (Kind::Double | Kind::Take, 1) => "BC[1]",
        (Kind::Double | Kind::Take, _) => "BC[2]",
        _ => "",
    }
}
