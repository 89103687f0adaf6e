//! The cube decisions at all scores, as a table for a terminal.

use super::screen::ScreenStyle;
use gammond_engine::query::{CubeAnswer, ScoreCell, ScoresAnswer};
use std::fmt::Write as _;

/// An error of the money action from here on is marked.
const ERROR_MARKED: f64 = 0.02;

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
        let is_marked = cell.double_error.max(cell.take_error) >= ERROR_MARKED;
        let mark = if is_marked { '*' } else { ' ' };
        let action = format!("{:>4}{mark}", short(&cell.cube));
        match is_marked {
            true => text += &style.strong(&action),
            false => text += &action,
        }
    }
    // The mark's column is blank at the end of most rows.
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let worst = found
        .cells
        .iter()
        .map(|cell| cell.double_error.max(cell.take_error));
    let worst = worst.fold(0.0, f64::max);
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

/// Returns the action in two letters.
fn short(cube: &CubeAnswer) -> &'static str {
    match (cube.double, cube.take) {
        (true, true) => "DT",
        (true, false) => "DP",
        (false, true) => "ND",
        (false, false) => "TG",
    }
}
