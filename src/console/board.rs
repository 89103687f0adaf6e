//! The board as the original draws it, and as one line of FIBS.

use super::table::{Seat, Table, TablePhase, points};
use gammond_game::{BAR, Side};
use std::fmt::Write as _;

/// Checkers of a column before a number stands for the rest.
const ROWS: u8 = 5;
const UPPER: &str = "+13-14-15-16-17-18------19-20-21-22-23-24-+";
const LOWER: &str = "+12-11-10--9--8--7-------6--5--4--3--2--1-+";

/// Returns the sides of the top and the bottom seat.
fn sides(table: &Table) -> [Side; 2] {
    let (me, other) = (table.position.me(), table.position.opponent());
    match table.on_roll {
        Seat::Top => [me, other],
        Seat::Bottom => [other, me],
    }
}

/// Draws the board and an empty line after it.
pub(super) fn drawn(table: &Table, names: &[String; 2]) -> String {
    drawing(table, names) + "\n"
}

/// Draws the board.
pub(super) fn drawing(table: &Table, names: &[String; 2]) -> String {
    let [top, bottom] = sides(table);
    let (first, last, mark) = match table.on_roll {
        Seat::Bottom => (UPPER, LOWER, 'v'),
        Seat::Top => (LOWER, UPPER, '^'),
    };
    let mut text = format!(
        " GNU Backgammon  Position ID: {}\n                 Match ID   : {}\n",
        table.position_id(),
        table.match_id()
    );
    let _ = writeln!(text, " {first}     O: {}", name(table, names, Seat::Top));
    for row in 1..=ROWS {
        line(&mut text, [top, bottom], row, true);
        let note = note(table, Seat::Top, row);
        off(&mut text, table.variant.off(top), row, 'O');
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(
        text,
        "{mark}|                  |BAR|                  |     {}",
        middle(table)
    );
    for row in (1..=ROWS).rev() {
        line(&mut text, [top, bottom], row, false);
        let note = note(table, Seat::Bottom, row);
        off(&mut text, table.variant.off(bottom), row, 'X');
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, " {last}     X: {}", name(table, names, Seat::Bottom));
    text
}

fn name(table: &Table, names: &[String; 2], seat: Seat) -> String {
    let name = seat.of(names);
    match table.owner == Some(seat) && !table.doubled {
        true => format!("{name} (Cube: {})", table.cube),
        false => name.clone(),
    }
}

/// Returns the text in the middle: the match length and a centred cube.
fn middle(table: &Table) -> String {
    let mut text = match table.score.length() {
        0 => String::new(),
        length => format!("{} match", points(length)),
    };
    if table.doubled || table.owner.is_some() {
        // An offered cube is shown beside the player who answers, without the match.
        return if table.doubled { String::new() } else { text };
    }
    if table.score.length() > 0 {
        if table.score.is_crawford() {
            return text + " (Crawford game)";
        }
        if table.score.length() == 1 {
            return text;
        }
        text.push(' ');
    }
    let _ = write!(text, "(Cube: {})", table.cube);
    text
}

/// Returns the text beside a row of a seat's half. Rows next to the middle have one blank less.
fn note(table: &Table, seat: Seat, row: u8) -> String {
    match row {
        1 => format!(" {}", points(*seat.of(&table.score.points()))),
        2 => format!(" {}", turn(table, seat)),
        ROWS => String::new(),
        _ => " ".to_owned(),
    }
}

fn turn(table: &Table, seat: Seat) -> String {
    if table.doubled {
        return match table.decides == seat {
            true => format!("Cube offered at {}", table.cube.saturating_mul(2)),
            false => String::new(),
        };
    }
    if table.phase == TablePhase::Over || table.on_roll != seat {
        return String::new();
    }
    let mut text = match table.dice {
        Some([first, second]) => format!("Rolled {first}{second}"),
        None if table.position.is_over() => return String::new(),
        None => "On roll".to_owned(),
    };
    if let Some(word) = resignation(table.resigned) {
        let _ = write!(text, ", resigns {word}");
    }
    text
}

/// Names a resignation of 1 to 3 games.
pub(super) fn resignation(games: u8) -> Option<&'static str> {
    match games {
        1 => Some("single game"),
        2 => Some("gammon"),
        3 => Some("backgammon"),
        _ => None,
    }
}

/// Draws a row of twelve points and the bar. Row 1 lies at the edge.
fn line(text: &mut String, [top, bottom]: [Side; 2], row: u8, upper: bool) {
    text.push_str(" |");
    for column in 0..12 {
        if column == 6 {
            let (side, letter) = if upper { (top, 'O') } else { (bottom, 'X') };
            let _ = write!(
                text,
                "|{}|",
                cell(side.count(BAR), letter, row, row == ROWS)
            );
        }
        // By the numbers of the one at the bottom.
        let index = if upper { 12 + column } else { 11 - column };
        let (x, o) = (bottom.count(index), top.count(23 - index));
        let (count, letter) = if x > 0 { (x, 'X') } else { (o, 'O') };
        text.push_str(&cell(count, letter, row, row == ROWS));
    }
    text.push('|');
}

/// Returns three characters: a checker, blanks, or the count of a point that is too tall.
fn cell(count: u8, letter: char, row: u8, middle: bool) -> String {
    match count {
        _ if middle && count > ROWS => format!(" {} ", digit(count)),
        _ if row > count => "   ".to_owned(),
        _ => format!(" {letter} "),
    }
}

/// Returns the count as one character; `A` is 10.
fn digit(count: u8) -> char {
    char::from_digit(count.into(), 16).map_or('?', |digit| digit.to_ascii_uppercase())
}

/// Draws checkers borne off in three columns, each filled from the edge.
fn off(text: &mut String, off: u8, row: u8, letter: char) {
    text.push(' ');
    for column in 0..3 {
        let here = off.saturating_sub(column * ROWS) >= row;
        text.push(if here { letter } else { ' ' });
    }
}

/// Returns the board as a FIBS line, seen by the bottom player.
pub(super) fn raw(table: &Table, names: &[String; 2]) -> String {
    let [top, bottom] = sides(table);
    let [top_name, bottom_name] = names;
    let [top_score, bottom_score] = table.score.points();
    let mut text = format!(
        "board:{bottom_name}:{top_name}:{}:{bottom_score}:{top_score}",
        table.score.length()
    );
    let _ = write!(text, ":{}", -i32::from(top.count(BAR)));
    for index in 0..24 {
        let count = i32::from(bottom.count(index)) - i32::from(top.count(23 - index));
        let _ = write!(text, ":{count}");
    }
    let turn = if table.decides == Seat::Bottom { 1 } else { -1 };
    let [first, second] = table.dice.unwrap_or_default();
    let may = |seat: Seat| i32::from(table.owner.is_none_or(|owner| owner == seat));
    let doubled = match (table.doubled, table.decides) {
        (false, _) => 0,
        (true, Seat::Bottom) => 1,
        (true, Seat::Top) => -1,
    };
    let _ = write!(
        text,
        ":{}:{turn}:{first}:{second}:{first}:{second}:{}:{}:{}:{doubled}:1:-1:0:25:{}:{}:0:0:0:0:{}:{}",
        bottom.count(BAR),
        table.cube,
        may(Seat::Bottom),
        may(Seat::Top),
        table.variant.off(bottom),
        table.variant.off(top),
        u8::from(table.score.is_post_crawford()),
        u8::from(!table.score.is_crawford())
    );
    text + "\n"
}
