//! The cube decisions, or the best plays, at all scores, as a table for a terminal.

use super::screen::ScreenStyle;
use crate::texts::text;
use gammond_engine::query::{
    CubeAnswer, Language, RankedPlay, ScoreCell, ScorePlays, ScorePlaysAnswer, ScoresAnswer,
};
use gammond_game::notation::play_text;
use gammond_game::{Position, Score};
use std::fmt::Write as _;

/// An error of the money action from here on is marked.
pub(super) const ERROR_MARKED: f64 = 0.02;

/// Returns a table with a row for each number of points that the player on roll needs, and a column for each that the
/// opponent needs.
#[must_use]
pub fn scores(found: &ScoresAnswer, style: ScreenStyle) -> String {
    let away = |cell: &ScoreCell| cell.score.opponent_away();
    let most = found.cells.iter().map(away).max().unwrap_or(1);
    let mut text = String::from("          the opponent needs\n you need ");
    for theirs in 1..=most {
        let _ = write!(text, "{theirs:>5}");
    }
    for cell in &found.cells {
        if away(cell) == 1 {
            let _ = write!(text, "\n{:>9} ", cell.score.my_away());
        }
        let is_marked = error(cell) >= ERROR_MARKED;
        let mark = if is_marked { '*' } else { ' ' };
        let action = format!("{:>4}{mark}", short(&cell.cube));
        match is_marked {
            true => text += &style.strong(&action),
            false => text += &action,
        }
    }
    // The mark's column is blank at the end of most rows.
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let worst = found.cells.iter().map(error).fold(0.0, f64::max);
    format!(
        "{}\n\nmoney: {} ({}); * where that action loses {ERROR_MARKED} EMG or more, {worst:.3} at most\n\
         ND no double, DT double and take, DP double and pass, TG too good to double\n\
         1 point: past the Crawford game; {}-ply\n",
        text.join("\n"),
        short(&found.money),
        found.money.verdict.text(),
        found.plies
    )
}

/// Returns the larger error of the money action at a score.
pub(super) fn error(cell: &ScoreCell) -> f64 {
    cell.double_error.max(cell.take_error)
}

/// Signs of plays in a table, the first that of the best play for money.
const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the row and the column of a score: 0 for the player who needs one point in the Crawford game, else the number of
/// points.
pub(super) fn place(score: Score) -> (u32, u32) {
    let label = |away: u32| match away {
        1 if score.is_crawford() => 0,
        away => away,
    };
    (label(score.my_away()), label(score.opponent_away()))
}

/// The different best plays of a roll at all scores.
pub(super) struct PlayKinds<'a> {
    position: &'a Position,
    /// The plays, that for money first, and the number of scores at which each is best.
    kinds: Vec<(&'a RankedPlay, usize)>,
    /// The place among them of the best play at each score.
    pub(super) numbers: Vec<usize>,
}

impl PlayKinds<'_> {
    pub(super) fn of(found: &ScorePlaysAnswer) -> PlayKinds<'_> {
        let mut kinds: Vec<(&RankedPlay, usize)> = vec![(found.money.best(), 0)];
        let mut numbers = Vec::with_capacity(found.cells.len());
        for cell in &found.cells {
            let best = cell.plays.best();
            let is_it = |(kind, _): &(&RankedPlay, usize)| kind.position == best.position;
            let number = kinds.iter().position(is_it).unwrap_or_else(|| {
                kinds.push((best, 0));
                kinds.len() - 1
            });
            kinds[number].1 += 1;
            numbers.push(number);
        }
        PlayKinds {
            position: &found.position,
            kinds,
            numbers,
        }
    }

    /// Returns the sign of a play.
    pub(super) fn sign(number: usize) -> char {
        char::from(SIGNS.get(number).copied().unwrap_or(b'?'))
    }

    /// Returns a line for each play: its sign, the play, and the number of scores at which it is best.
    pub(super) fn legend(&self, language: Language) -> Vec<String> {
        let kinds = self.kinds.iter().enumerate();
        let line = |(number, (kind, count)): (usize, &(&RankedPlay, usize))| {
            let rule = match number {
                0 => "scores.best",
                _ => "scores.play",
            };
            let values = [
                ("sign", Self::sign(number).to_string()),
                ("play", spelled(self.position, kind, language)),
                ("count", count.to_string()),
            ];
            text(rule, &values, language).unwrap_or_default()
        };
        kinds.map(line).collect()
    }
}

/// Returns the name of a row or column.
pub(super) fn label_name(label: u32) -> String {
    match label {
        0 => "C".to_owned(),
        label => label.to_string(),
    }
}

/// Returns a table of the best plays, with a sign for each play; rows and columns as in [`scores`], and `C` for the player
/// who needs one point in the Crawford game.
#[must_use]
pub fn score_plays(found: &ScorePlaysAnswer, style: ScreenStyle) -> String {
    let kinds = PlayKinds::of(found);
    let places = || found.cells.iter().map(|cell| place(cell.score));
    let most = places().map(|(_, column)| column).max().unwrap_or(1);
    let first = places().map(|(row, _)| row).min().unwrap_or(1);
    let mut text = String::from("          the opponent needs\n you need ");
    for column in first..=most {
        let _ = write!(text, "{:>4} ", label_name(column));
    }
    for row in first..=most {
        let _ = write!(text, "\n{:>9} ", label_name(row));
        for column in first..=most {
            let cell = places().position(|place| place == (row, column));
            let shown = cell.map(|cell| (PlayKinds::sign(kinds.numbers[cell]), &found.cells[cell]));
            match shown {
                None => text += "     ",
                Some((sign, cell)) if is_marked(cell) => {
                    text += &style.strong(&format!("{sign:>4}*"));
                }
                Some((sign, _)) => {
                    let _ = write!(text, "{sign:>4} ");
                }
            }
        }
    }
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let worst = found.cells.iter().map(|cell| cell.money_error);
    format!(
        "{}\n\n{}\n* where the play for money loses {ERROR_MARKED} EMG or more, {:.3} at most\n\
         C: the Crawford game; 1 point: past it; {}-ply\n",
        text.join("\n"),
        kinds.legend(Language::English).join("\n"),
        worst.fold(0.0, f64::max),
        found.plies
    )
}

pub(super) fn is_marked(cell: &ScorePlays) -> bool {
    cell.money_error >= ERROR_MARKED
}

/// Returns a play as text.
pub(super) fn spelled(before: &Position, ranked: &RankedPlay, language: Language) -> String {
    match ranked.play.is_pass() {
        true => text("no play", &[], language).unwrap_or_default(),
        false => play_text(before, &ranked.play),
    }
}

/// Returns the action in two letters.
pub(super) fn short(cube: &CubeAnswer) -> &'static str {
    match (cube.double, cube.take) {
        (true, true) => "DT",
        (true, false) => "DP",
        (false, true) => "ND",
        (false, false) => "TG",
    }
}
