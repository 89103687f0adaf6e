//! Bars with error bars as an SVG: losses of players by group of positions.

use gammond_base::escape::Markup;
use std::fmt::Write as _;

/// A bar: how long, and one standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Length of the bar.
    pub value: f64,
    /// One standard error of it.
    pub error: f64,
}

/// The bars of one group, one a player; none where a player has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the group.
    pub name: String,
    /// Bars in the order of the players.
    pub bars: Vec<Option<Bar>>,
}

const HEIGHT: usize = 12;
const LEFT: usize = 190;
const WIDTH: usize = 480;
const HEAD: usize = 22;
/// One for each player in turn.
const COLOURS: [&str; 4] = ["#3a6ea5", "#c86432", "#5a8f4e", "#8a5fa0"];

fn colour(player: usize) -> &'static str {
    COLOURS
        .get(player % COLOURS.len())
        .copied()
        .unwrap_or("black")
}

/// Returns the picture; `unit` describes the bars.
#[must_use]
pub fn svg(unit: &str, players: &[String], rows: &[Row]) -> String {
    let all = || rows.iter().flat_map(|row| row.bars.iter().flatten());
    let most = all().map(|bar| bar.value + 2.0 * bar.error);
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    let at = |value: f64| LEFT as f64 + WIDTH as f64 * (value / most).clamp(0.0, 1.0);
    let row_height = HEIGHT * players.len() + 8;
    let top = HEAD + 16 * players.len() + 8;
    let (width, height) = (LEFT + WIDTH + 90, top + row_height * rows.len() + 10);
    // Writing to a string cannot fail.
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"16\" font-size=\"12\">{}; lines are two standard errors</text>\n",
        Markup::new(unit)
    );
    for (number, player) in players.iter().enumerate() {
        let y = HEAD + 16 * number;
        let _ = writeln!(
            out,
            "<rect x=\"12\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"28\" y=\"{}\">{}</text>",
            colour(number),
            y + 9,
            Markup::new(player)
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let y = top + number * row_height;
        let name = Markup::new(&row.name);
        let _ = writeln!(out, "<text x=\"12\" y=\"{}\">{name}</text>", y + 10);
        for (player, bar) in row.bars.iter().enumerate() {
            let Some(bar) = bar else { continue };
            let y = y + HEIGHT * player;
            let [end, low, high] = [0.0, -2.0, 2.0].map(|times| at(bar.value + times * bar.error));
            let (middle, label) = (y + HEIGHT / 2 - 1, at(bar.value + 2.0 * bar.error) + 4.0);
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\"/>\
                 <path d=\"M{low:.1} {middle}H{high:.1}\" stroke=\"black\"/>\
                 <text x=\"{label:.1}\" y=\"{}\">{:.3}</text>",
                end - LEFT as f64,
                HEIGHT - 2,
                colour(player),
                y + 9,
                bar.value
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_drawn_for_every_player() {
        let bar = |value| Some(Bar { value, error: 0.5 });
        let rows = [
            Row {
                name: "all".to_owned(),
                bars: vec![bar(4.0), bar(8.0)],
            },
            Row {
                name: "race".to_owned(),
                bars: vec![bar(0.0), None],
            },
        ];
        let players = ["a<b".to_owned(), "c".to_owned()];
        let picture = svg("mEq", &players, &rows);
        assert!(picture.contains("a&lt;b") && picture.ends_with("</svg>\n"));
        // The background, a key for each player, three bars.
        assert_eq!(picture.matches("<rect").count(), 1 + 2 + 3);
        assert!(picture.contains(">8.000<") && !picture.contains("NaN"));
        assert!(!svg("mEq", &[], &[]).contains("NaN"));
    }
}
