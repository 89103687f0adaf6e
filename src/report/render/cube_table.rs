//! A position, or the plays of a roll, with the cube in each place, as a table for a terminal.

use super::score_table::spelled;
use super::screen::ScreenStyle;
use super::signed;
use gammond_engine::query::{CubePlace, CubesAnswer, Language, RankedPlays};
use gammond_game::{Cube, CubeOwner};
use std::fmt::Write as _;

/// Returns a line for each place of the cube with the decision; with a roll a line for each play that is best in one of the
/// places, and a column for each place.
#[must_use]
pub fn cubes(found: &CubesAnswer, style: ScreenStyle) -> String {
    let ranked: Vec<&RankedPlays> = (found.places.iter())
        .filter_map(|place| place.plays.as_ref())
        .collect();
    let mut text = match ranked.first() {
        Some(first) => plays(found, (first, &ranked), style),
        None => decisions(found, style),
    };
    let _ = writeln!(text, "\n{}; {}-ply", changes(found), found.plies);
    text
}

/// Returns a text about the changes from cube to cube.
pub(super) fn changes(found: &CubesAnswer) -> &'static str {
    match (found.changes(), found.roll.is_some()) {
        (true, true) => "the best play depends on the cube",
        (false, true) => "the same play is best with each cube",
        (true, false) => "the decision depends on the cube",
        (false, false) => "the same decision with each cube that may be turned",
    }
}

/// Returns the action with the cube in a place.
pub(super) fn action(place: &CubePlace) -> &'static str {
    match &place.decision {
        Some(cube) => cube.verdict.text(),
        None if place.cube.owner() == CubeOwner::Opponent => "no double: their cube",
        None => "no double: dead cube",
    }
}

/// Returns the cube in words.
fn name(cube: Cube) -> String {
    match cube.owner() {
        CubeOwner::Centred => "centred".to_owned(),
        CubeOwner::Me => format!("yours {}", cube.value()),
        CubeOwner::Opponent => format!("theirs {}", cube.value()),
    }
}

fn decisions(found: &CubesAnswer, style: ScreenStyle) -> String {
    let mut text = String::from("cube        equity  action\n");
    for place in &found.places {
        let value = signed(place.value.equity, 3);
        let _ = writeln!(
            text,
            "{:<10} {value:>7}  {}",
            name(place.cube),
            style.strong(action(place))
        );
    }
    text
}

fn plays(
    found: &CubesAnswer,
    (first, ranked): (&RankedPlays, &[&RankedPlays]),
    style: ScreenStyle,
) -> String {
    let words = |play| spelled(&found.position, play, Language::English);
    let widest = first
        .plays
        .iter()
        .map(|play| words(play).len())
        .max()
        .unwrap_or(0);
    let mut text = format!("{:<widest$}", "play");
    for CubePlace { cube, .. } in &found.places {
        let _ = write!(text, " {:>9}", name(*cube));
    }
    text.push('\n');
    for play in &first.plays {
        let _ = write!(text, "{:<widest$}", words(play));
        for plays in ranked {
            let one = plays.plays.iter().find(|one| one.position == play.position);
            let value = one.map_or_else(String::new, |one| signed(one.value.equity, 3));
            let value = format!(" {value:>9}");
            match plays.best().position == play.position {
                true => text += &style.strong(&value),
                false => text += &value,
            }
        }
        text.push('\n');
    }
    text
}
