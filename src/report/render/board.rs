//! A board drawn with letters, as in GNU Backgammon.

use gammond_game::{BAR, CubeOwner, MatchState, Position, Roll, Side};
use std::fmt::Write;

/// Checkers drawn on a point before a number replaces the rest.
const ROWS: u8 = 5;

/// Draws the position as the player on roll sees it: that player is `X`, moves from 24 to 1 and
/// has the home board at the lower right. `roll` is shown when given. Ends with a newline.
#[must_use]
pub fn board(position: &Position, state: &MatchState, roll: Option<Roll>) -> String {
    let (me, opponent) = (position.me(), position.opponent());
    let mut text = String::new();
    text.push_str(" +13-14-15-16-17-18------19-20-21-22-23-24-+  O: opponent\n");
    for row in 1..=ROWS {
        line(&mut text, position, row, true);
        let note = match row {
            1 => format!("     {}", side_note(opponent, state)),
            2 if state.cube.owner() == CubeOwner::Opponent => format!("     {}", cube(state)),
            _ => String::new(),
        };
        finish(&mut text, &note);
    }
    let middle = match state.cube.owner() {
        CubeOwner::Centred => cube(state),
        _ => String::new(),
    };
    text.push_str("v|                  |BAR|                  |");
    finish(
        &mut text,
        &format!("     {}", join(&[&middle, &score(state)])),
    );
    for row in (1..=ROWS).rev() {
        line(&mut text, position, row, false);
        let note = match (row, roll) {
            (1, _) => format!("     {}", side_note(me, state)),
            (2, _) if state.cube.owner() == CubeOwner::Me => format!("     {}", cube(state)),
            (3, Some(roll)) => format!("     rolled {roll}"),
            (3, None) => "     on roll".to_owned(),
            _ => String::new(),
        };
        finish(&mut text, &note);
    }
    text.push_str(" +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: player on roll\n");
    text
}

fn finish(text: &mut String, note: &str) {
    let note = note.trim_end();
    text.push_str(note);
    text.push('\n');
}

fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("  ")
}

fn side_note(side: Side, state: &MatchState) -> String {
    match state.variant.off(side) {
        0 => format!("pips {}", side.pips()),
        off => format!("pips {}, {off} off", side.pips()),
    }
}

fn cube(state: &MatchState) -> String {
    format!("[cube {}]", state.cube.value())
}

fn score(state: &MatchState) -> String {
    let score = state.score;
    if score.is_money() {
        let jacoby = if state.rules.jacoby { ", Jacoby" } else { "" };
        return format!("money game{jacoby}");
    }
    let kind = match (score.is_crawford(), score.is_post_crawford()) {
        // Its only game is neither.
        _ if score.length() == 1 => "",
        (true, _) => ", Crawford game",
        // A match to one point is decided by one game: no Crawford rule to speak of.
        (_, true) if score.length() > 1 => ", post-Crawford",
        _ => "",
    };
    format!(
        "X {} - O {} to {}{kind}",
        score.me(),
        score.opponent(),
        score.length()
    )
}

/// Draws one row of twelve points and the bar between them; row 1 lies at the edge.
fn line(text: &mut String, position: &Position, row: u8, upper: bool) {
    text.push_str(" |");
    for column in 0..12 {
        // Points are numbered 1 to 24 by the player on roll; index = number - 1.
        let index = if upper { 12 + column } else { 11 - column };
        if column == 6 {
            let bar = if upper {
                position.me()
            } else {
                position.opponent()
            };
            let letter = if upper { 'X' } else { 'O' };
            let _ = write!(text, "|{}|", cell(bar.count(BAR), letter, row, true));
        }
        let mine = position.me().count(index);
        let theirs = position.opponent().count(23 - index);
        let (count, letter) = if mine > 0 { (mine, 'X') } else { (theirs, 'O') };
        text.push_str(&cell(count, letter, row, false));
    }
    text.push('|');
}

/// Returns three characters: a checker, a number for checkers beyond the rows, or blanks.
fn cell(count: u8, letter: char, row: u8, bar: bool) -> String {
    // The bar's checkers stand by the middle of the board.
    let row = if bar { ROWS + 1 - row } else { row };
    match count {
        _ if row > count => "   ".to_owned(),
        _ if row == ROWS && count > ROWS => format!("{count:^3}"),
        _ => format!(" {letter} "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{Cube, POINTS, Rules, Score};

    #[test]
    fn start_position_looks_as_it_should() {
        let drawn = board(
            &Position::start(),
            &MatchState::money(Rules::default()),
            None,
        );
        let expected = " +13-14-15-16-17-18------19-20-21-22-23-24-+  O: opponent
 | X           O    |   | O              X |     pips 167
 | X           O    |   | O              X |
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
v|                  |BAR|                  |     [cube 1]  money game, Jacoby
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |     on roll
 | O           X    |   | X              O |
 | O           X    |   | X              O |     pips 167
 +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: player on roll
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn tall_points_bar_and_cube_are_shown() {
        let mut me = [0; POINTS];
        me[0] = 12;
        me[BAR] = 2;
        let mut opponent = [0; POINTS];
        opponent[4] = 1;
        let position = Position::new(&me, &opponent).unwrap();
        let state = MatchState {
            cube: Cube::new(4, CubeOwner::Me).unwrap(),
            score: Score::new(7, 3, 2, false).unwrap(),
            ..MatchState::default()
        };
        let drawn = board(&position, &state, Some(Roll::new(3, 1).unwrap()));
        assert!(drawn.contains("12 "), "{drawn}");
        assert!(drawn.contains("| X |"), "{drawn}");
        assert!(drawn.contains("[cube 4]"), "{drawn}");
        assert!(drawn.contains("X 3 - O 2 to 7"), "{drawn}");
        assert!(drawn.contains("rolled 31"), "{drawn}");
    }
}
