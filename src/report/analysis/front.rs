//! The first page of a report of several matches: the players, the matches, the worst mistakes of all.

use super::analyse::Analysis;
use super::mistake::{file_name, mistake};
use super::players::PlayerList;
use super::text::{NAME, shown};
use crate::render::signed;
use gammond_base::packed::PackedText;
use std::fmt::Write as _;

/// Maximum number of mistakes of all matches that are shown with their boards.
const BOARDS_MAX: usize = 12;

/// The rows that the matches so far bring to the first page.
#[derive(Debug, Default)]
pub(super) struct FrontPage {
    players: PlayerList,
    /// Rows of the table of matches.
    matches: PackedText,
    /// Losses and mistakes in HTML, the worst first.
    worst: Vec<(f64, String)>,
}

impl FrontPage {
    /// Adds a match, counted from 1.
    pub(super) fn add(&mut self, number: usize, file: &str, analysis: &Analysis) {
        self.players.add(analysis);
        let names = analysis
            .names
            .each_ref()
            .map(|name| name.markup().at_most(NAME));
        let [one, other] = &names;
        let [first, second] = analysis.score;
        let [own, theirs] = &analysis.totals;
        let mut row = String::new();
        let _ = write!(
            row,
            "<tr><td><a href=\"#m{number}\">{one} {first} – {second} {other}</a></td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            match analysis.length {
                0 => "money".to_owned(),
                length => format!("to {length}"),
            },
            shown(own.performance(), 2),
            shown(theirs.performance(), 2),
            signed(own.luck.emg, 3),
            signed(theirs.luck.emg, 3),
            file_name(file)
        );
        self.matches.push_str(&row);
        for row in analysis.worst() {
            let loss = row.loss.unwrap_or(0.0);
            let place = self.worst.partition_point(|(other, _)| *other >= loss);
            if place >= BOARDS_MAX {
                break;
            }
            let link = format!("<a href=\"#m{number}\">{one} – {other}</a> ");
            let mut text = String::new();
            mistake(&mut text, &row, &names, &link);
            self.worst.insert(place, (loss, text));
            self.worst.truncate(BOARDS_MAX);
        }
    }

    /// Writes the page about this number of matches.
    pub(super) fn finish(self, count: usize) -> PackedText {
        let mut text = PackedText::default();
        text.push_str(&format!(
            "<h1>{count} matches</h1><h2>Players</h2><div class=\"w\"><table class=\"n\"><tr><th></th><th>matches</th><th>won</th>\
             <th>decisions</th><th>error rate</th><th>PR</th><th>luck</th></tr>"
        ));
        for (name, sums) in self.players.into_sums() {
            text.push_str(&format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                name.markup().at_most(NAME),
                sums.matches,
                sums.won,
                sums.decisions,
                shown(sums.rate(), 2),
                shown(sums.performance(), 2),
                signed(sums.luck, 2)
            ));
        }
        text.push_str("</table></div>");
        if !self.worst.is_empty() {
            text.push_str("<h2>The worst mistakes of all</h2><div class=\"g\">");
            for (_, mistake) in &self.worst {
                text.push_str(mistake);
            }
            text.push_str("</div>");
        }
        text.push_str(
            "<h2>Matches</h2><div class=\"w\"><table class=\"n\"><tr><th></th><th></th><th colspan=\"2\">PR</th><th colspan=\"2\">luck</th>\
             <th>file</th></tr>",
        );
        text.append(self.matches);
        text.push_str("</table></div>");
        text
    }
}
