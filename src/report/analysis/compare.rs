//! Our analysis beside the file's own (ANA-23 of `protocol-specs/analysis.md`).

use super::analyse::{Analysis, JudgedDecision};
use super::replay::Action;
use crate::render::signed;
use gammond_base::escape::Terminal;
use gammond_engine::query::CubeAnswer;
use gammond_game::notation::{FileAnalysis, FileCube, FilePlay, MatchReading, play_text};
use gammond_game::{Position, find_play};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Our analysis of a match beside that of the program that wrote the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The decisions that both analysed, in order.
    pub decisions: Vec<ComparedDecision>,
    /// Depth of our analysis, in words.
    pub level: String,
    names: [String; 2],
}

/// One decision in both analyses. Equities are those of the player who decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedDecision {
    /// The game, from 1.
    pub game: usize,
    /// The move, from 1: a turn of both players.
    pub turn: u32,
    /// Index of the player who decides.
    pub player: usize,
    /// The roll, or nothing for a cube decision.
    pub roll: String,
    /// Search depth of the file's program, in its own words.
    pub level: String,
    /// The best action by the file, and by us.
    pub best: [String; 2],
    /// The equity of that action, each by its own analysis.
    pub equity: [f64; 2],
    /// Loss of the action taken by the file, and by us; `None` where one of them did not value it.
    pub loss: Option<[f64; 2]>,
    /// The values that both analyses have: candidates, or the answers of a cube decision; the file's first.
    pub values: Vec<[f64; 2]>,
}

/// The means over all decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Means {
    values: usize,
    /// The file's value less ours.
    difference: f64,
    distance: f64,
    same: usize,
    decisions: usize,
    loss: [f64; 2],
}

impl Analysis {
    /// Compares with the analysis in the file that was read.
    #[must_use]
    pub fn compared(&self, reading: &MatchReading) -> Comparison {
        let mut comparison = Comparison {
            decisions: Vec::new(),
            level: self.level.clone(),
            names: self.shown_names(),
        };
        for (number, (game, analyses)) in (1..).zip(self.games.iter().zip(&reading.analyses)) {
            for judged in &game.decisions {
                if let Some(theirs) = analyses.get(&judged.decision.number) {
                    comparison.add(number, judged, theirs);
                }
            }
        }
        comparison
    }
}

impl Comparison {
    fn add(&mut self, game: usize, judged: &JudgedDecision, theirs: &FileAnalysis) {
        let decision = &judged.decision;
        let ours = &judged.judgement;
        let begun = |level: &str, roll: String| ComparedDecision {
            game,
            turn: decision.turn,
            player: decision.player.index(),
            roll,
            level: level.to_owned(),
            ..ComparedDecision::default()
        };
        if let (Some(cube), Some(our_cube)) = (&theirs.cube, &ours.cube) {
            let row = compared_cube(
                begun(&cube.level, String::new()),
                decision.action,
                cube,
                our_cube,
            );
            self.decisions.extend(row);
        }
        let roll = match decision.action {
            Action::Play { roll, after, .. } => Some((roll, Some(after))),
            Action::Unknown { roll, .. } => Some((roll, None)),
            _ => None,
        };
        if let (Some((roll, after)), Some(plays)) = (roll, &ours.plays) {
            let best = theirs
                .plays
                .iter()
                .max_by(|one, other| one.equity.total_cmp(&other.equity));
            let (Some(best), Some(our_best)) = (best, plays.best.first()) else {
                return;
            };
            let mut row = begun(&best.level, roll.to_string());
            let name = |after: &Position| {
                let play = find_play(&decision.position, roll, after);
                play.map_or_else(String::new, |play| play_text(&decision.position, &play))
            };
            row.best = [name(&best.after), name(&our_best.position)];
            row.equity = [best.equity, our_best.value.equity];
            let value = |play: &FilePlay| {
                let known = plays.best.iter().chain([&plays.played]);
                let mut known = known.filter(|ours| ours.position == play.after);
                known.next().map(|ours| [play.equity, ours.value.equity])
            };
            row.values = theirs.plays.iter().filter_map(value).collect();
            let played = theirs.plays.iter().find(|play| Some(play.after) == after);
            row.loss = played.map(|played| {
                let ours = ours.loss.unwrap_or(0.0);
                [(best.equity - played.equity).max(0.0), ours]
            });
            self.decisions.push(row);
        }
    }

    fn means(&self) -> Means {
        let mut means = Means {
            decisions: self.decisions.len(),
            ..Means::default()
        };
        for row in &self.decisions {
            for [theirs, ours] in &row.values {
                means.values += 1;
                means.difference += theirs - ours;
                means.distance += (theirs - ours).abs();
            }
            let [theirs, ours] = &row.best;
            means.same += usize::from(theirs == ours);
            for (sum, loss) in means.loss.iter_mut().zip(row.loss.unwrap_or_default()) {
                *sum += loss;
            }
        }
        let count = means.values.max(1) as f64;
        means.difference /= count;
        means.distance /= count;
        means
    }

    /// Returns the means in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.decisions.is_empty() {
            return "the file has no analysis to compare with".to_owned();
        }
        let means = self.means();
        let [theirs, ours] = means.loss;
        format!(
            "file and {}: same best action in {} of {} decisions; {} values differ by {} on average (file less ours), \
             {:.4} apart; losses {theirs:.4} by the file, {ours:.4} by ours",
            self.level,
            means.same,
            means.decisions,
            means.values,
            signed(means.difference, 4),
            means.distance
        )
    }

    /// Formats every decision on a line, and the means.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.decisions.is_empty() {
            text.push_str("The file's own analysis beside ours:\n");
        }
        for row in &self.decisions {
            let name = self.names.get(row.player).map_or("", String::as_str);
            let what = if row.roll.is_empty() {
                "cube"
            } else {
                &row.roll
            };
            let [theirs, ours] = &row.best;
            let [their_equity, our_equity] = row.equity;
            let _ = write!(
                text,
                "  game {} move {}, {name}: {what}: file {theirs} {} ({}), ours {ours} {}",
                row.game,
                row.turn,
                signed(their_equity, 4),
                Terminal::new(&row.level),
                signed(our_equity, 4)
            );
            if let Some([theirs, ours]) = row.loss {
                let _ = write!(text, "; loses {theirs:.4} by the file, {ours:.4} by ours");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// Returns the comparison as one object; `file` is the name of the match.
    #[must_use]
    pub fn json(&self, file: &str) -> Value {
        let number = |value: f64| json!((value * 1e6).round() / 1e6 + 0.0);
        let pair = |[theirs, ours]: [f64; 2]| json!({"file": number(theirs), "ours": number(ours)});
        let rows = self.decisions.iter().map(|row| {
            let [theirs, ours] = &row.best;
            json!({
                "game": row.game,
                "move": row.turn,
                "player": row.player,
                "kind": if row.roll.is_empty() { "cube" } else { "play" },
                "roll": (!row.roll.is_empty()).then_some(&row.roll),
                "level": row.level,
                "best": {"file": theirs, "ours": ours},
                "equity": pair(row.equity),
                "loss": row.loss.map(pair),
                "values": row.values.iter().copied().map(pair).collect::<Vec<_>>(),
            })
        });
        let rows: Vec<Value> = rows.collect();
        let means = self.means();
        let some = means.values > 0;
        json!({
            "type": "comparison",
            "file": file,
            "level": self.level,
            "decisions": rows,
            "same_best": means.same,
            "values": means.values,
            "mean_difference": some.then(|| number(means.difference)),
            "mean_distance": some.then(|| number(means.distance)),
            "losses": pair(means.loss),
        })
    }
}

/// Returns the action that three equities advise.
fn advice([no_double, take, pass]: [f64; 3], answers: bool) -> &'static str {
    let accepted = take <= pass;
    match (answers, no_double < take.min(pass), accepted) {
        (true, _, true) => "take",
        (true, _, false) => "pass",
        (false, true, true) => "double, take",
        (false, true, false) => "double, pass",
        (false, false, _) => "no double",
    }
}

fn compared_cube(
    row: ComparedDecision,
    action: Action,
    theirs: &FileCube,
    ours: &CubeAnswer,
) -> Option<ComparedDecision> {
    let theirs = [theirs.no_double, theirs.double_take, theirs.double_pass];
    let ours = [ours.no_double, ours.double_take, ours.double_pass].map(|value| value.equity);
    let answers = matches!(action, Action::Take | Action::Drop);
    // The value of the best action, and the loss of the chosen one.
    let judged = |[no_double, take, pass]: [f64; 3]| {
        let double = take.min(pass);
        match action {
            Action::Take => (-double, take - double),
            Action::Drop => (-double, pass - double),
            Action::Double => (no_double.max(double), no_double.max(double) - double),
            _ => (no_double.max(double), no_double.max(double) - no_double),
        }
    };
    if matches!(
        action,
        Action::Beaver { .. } | Action::BeaverAnswer { .. } | Action::Resign { .. }
    ) {
        return None;
    }
    let [(their_equity, their_loss), (our_equity, our_loss)] = [theirs, ours].map(judged);
    // The pass is worth one cube in both.
    let values = theirs
        .into_iter()
        .zip(ours)
        .take(if answers { 0 } else { 2 });
    Some(ComparedDecision {
        best: [theirs, ours].map(|values| advice(values, answers).to_owned()),
        equity: [their_equity, our_equity],
        loss: (!matches!(action, Action::Open | Action::Unknown { .. }))
            .then_some([their_loss, our_loss]),
        values: values.map(|(theirs, ours)| [theirs, ours]).collect(),
        ..row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_of_three_equities() {
        for (values, answers, words) in [
            ([0.5, 0.7, 1.0], false, "double, take"),
            ([0.5, 1.2, 1.0], false, "double, pass"),
            ([1.1, 1.2, 1.0], false, "no double"),
            ([0.5, 0.4, 1.0], false, "no double"),
            ([0.5, 0.7, 1.0], true, "take"),
            ([0.5, 1.2, 1.0], true, "pass"),
        ] {
            assert_eq!(advice(values, answers), words);
        }
    }

    #[test]
    fn means_of_values_and_losses() {
        let row = |values: Vec<[f64; 2]>, best: [&str; 2]| ComparedDecision {
            best: best.map(str::to_owned),
            loss: Some([0.1, 0.3]),
            values,
            ..ComparedDecision::default()
        };
        let comparison = Comparison {
            decisions: vec![
                row(vec![[0.5, 0.4], [0.1, 0.2]], ["a", "a"]),
                row(vec![[0.0, 0.3]], ["a", "b"]),
            ],
            ..Comparison::default()
        };
        let means = comparison.means();
        assert_eq!((means.values, means.same, means.decisions), (3, 1, 2));
        assert!((means.difference + 0.1).abs() < 1e-12);
        assert!((means.distance - 0.5 / 3.0).abs() < 1e-12);
        assert!((means.loss[0] - 0.2).abs() < 1e-12 && (means.loss[1] - 0.6).abs() < 1e-12);
        assert!(Comparison::default().summary().contains("no analysis"));
    }
}
