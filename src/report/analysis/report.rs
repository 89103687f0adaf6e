//! Short statistics: for the comments of a match file, and for the opponent.

use super::analyse::Analysis;
use super::totals::{Totals, rating_word};
use crate::render::signed;
use gammond_game::notation::{MatPlayer, MatchFile};

fn text(totals: &Totals) -> String {
    let each = totals.rate().unwrap_or(0.0);
    format!(
        "{} decisions, {each:.4} lost by each, luck {}",
        totals.decisions(),
        signed(totals.luck.emg, 3)
    )
}

/// Returns one line for each game with all its plays, and one for the whole match.
#[must_use]
pub fn comments(analysis: &Analysis, file: &MatchFile) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, (game, told)) in (1..).zip(analysis.games.iter().zip(&file.games)) {
        if !told.actions.is_empty() {
            lines.push(line(&format!("game {number}"), file, &game.totals()));
        }
    }
    lines.push(line("match", file, &analysis.totals));
    lines
}

fn line(what: &str, file: &MatchFile, [one, other]: &[Totals; 2]) -> String {
    let [first, second] = &file.names;
    format!(" {what}, {first}: {}; {second}: {}", text(one), text(other))
}

impl Analysis {
    /// Returns the summary that `me` sends to the opponent: score, both players' figures, the opponent's worst
    /// mistake. Empty if no decision of the opponent was analysed.
    #[must_use]
    pub fn lines_for_opponent(&self, me: MatPlayer) -> Vec<String> {
        let (mine, theirs) = (me.of([0, 1]), me.of([1, 0]));
        let (Some(own), Some(other)) = (self.totals.get(mine), self.totals.get(theirs)) else {
            return Vec::new();
        };
        if other.decisions() == 0 {
            return Vec::new();
        }
        let of = |side: usize| self.score.get(side).copied().unwrap_or_default();
        let kind = match self.length {
            0 => "unlimited match".to_owned(),
            length => format!("{length}-point match"),
        };
        let figures = |totals: &Totals| {
            let rate = 1000.0 * totals.rate().unwrap_or(0.0);
            let performance = totals.performance().unwrap_or(0.0);
            let word = rating_word(totals.rate());
            format!(
                "{} decisions, error rate {rate:.2} ({word}), PR {performance:.2}, luck {}",
                totals.decisions(),
                signed(totals.luck.emg, 3)
            )
        };
        let mut lines = vec![
            format!(
                "Our {kind}: you {}, I {}, analysed at {}.",
                of(theirs),
                of(mine),
                self.level
            ),
            format!("You: {}", figures(other)),
            format!("I: {}", figures(own)),
        ];
        if let Some(worst) = self
            .worst()
            .into_iter()
            .find(|row| row.player == me.other())
        {
            let roll = worst.roll.map_or(String::new(), |roll| format!("{roll} "));
            lines.push(format!(
                "Your worst: game {} move {}, {roll}{} lost {:.3}, best {}",
                worst.game,
                worst.turn,
                worst.played,
                worst.loss.unwrap_or(0.0),
                worst.best
            ));
        }
        lines
    }
}
