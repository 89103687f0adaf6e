//! A cross table of players as a picture.

use super::signed;
use super::weights::colour;
use gammond_base::escape::Markup;
use std::fmt::Write as _;

const CELL: [usize; 2] = [86, 34];
const LEFT: usize = 20;
const TOP: usize = 64;

/// Results of players against each other.
#[derive(Debug, Clone, Copy)]
pub struct CrossTable<'a> {
    /// Title: the meaning of the numbers.
    pub title: &'a str,
    /// Players, best first.
    pub names: &'a [String],
    /// Mean result of the row's player against the column's, and its standard error; the diagonal means nothing.
    pub results: &'a [Vec<[f64; 2]>],
    /// Mean of each player over the others.
    pub means: &'a [f64],
    /// The result of two equal players.
    pub even: f64,
    /// Digits behind the point.
    pub digits: usize,
}

/// Returns an SVG: a row for each player and a column for each opponent by rank; green above even, red below,
/// strongest where the difference is largest; the mean comes first.
#[must_use]
pub fn svg(table: &CrossTable<'_>) -> String {
    let count = table.names.len();
    let longest = table.names.iter().map(|name| name.chars().count()).max();
    let names = 7 * longest.unwrap_or(0).min(60) + 40;
    let (width, height) = (
        LEFT + names + (count + 1) * CELL[0] + 20,
        TOP + count * CELL[1] + 20,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"24\" \
         font-size=\"14\">{}</text>\n",
        Markup::new(table.title)
    );
    let most = (table.results.iter().enumerate())
        .flat_map(|(row, results)| results.iter().enumerate().filter(move |(at, _)| *at != row))
        .fold(f64::MIN_POSITIVE, |most, (_, result)| {
            most.max((result[0] - table.even).abs())
        });
    let column = |at: usize| LEFT + names + at * CELL[0];
    let middle = |at: usize| column(at) + CELL[0] / 2;
    for at in 0..=count {
        let head = match at {
            0 => "mean".to_owned(),
            rank => rank.to_string(),
        };
        let x = middle(at);
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{head}</text>",
            TOP - 8
        );
    }
    let digits = table.digits;
    for (row, (name, results)) in table.names.iter().zip(table.results).enumerate() {
        let y = TOP + row * CELL[1];
        let _ = writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"{}\">{} {}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" \
             font-weight=\"bold\">{}</text>",
            y + 21,
            row + 1,
            Markup::new(name).at_most(60),
            middle(0),
            y + 21,
            signed(table.means.get(row).copied().unwrap_or_default(), digits),
        );
        for (at, &[mean, error]) in results.iter().enumerate().filter(|(at, _)| *at != row) {
            let strength = (mean - table.even) / most;
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n<text x=\"{}\" y=\"{}\" \
                 text-anchor=\"middle\">{}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" \
                 font-size=\"9\">\u{b1} {error:.digits$}</text>",
                column(at + 1),
                CELL[0] - 2,
                CELL[1] - 2,
                // Half as strong, so that black can be read on it.
                colour((strength / 2.0) as f32),
                middle(at + 1),
                y + 15,
                signed(mean, digits),
                middle(at + 1),
                y + 27,
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
    fn a_cell_for_each_pair_and_none_on_the_diagonal() {
        let names = ["a<b".to_owned(), "c".to_owned(), "d".to_owned()];
        let results = vec![vec![[0.0, 0.0], [0.5, 0.1], [0.25, 0.1]]; 3];
        let table = CrossTable {
            title: "points & more",
            names: &names,
            results: &results,
            means: &[0.3, 0.0, -0.3],
            even: 0.0,
            digits: 3,
        };
        let picture = svg(&table);
        assert_eq!(picture.matches("<rect").count(), 1 + 6);
        assert!(picture.contains("a&lt;b") && picture.contains("points &amp; more"));
        assert!(picture.contains("+0.250") && picture.contains("\u{b1} 0.100"));
    }
}
