//! The first layer of one of our nets as a picture.

use std::fmt::Write as _;

const CELL: usize = 5;
const LOCATIONS: usize = 26;
const STEPS: usize = 7;
const PANELS_PER_ROW: usize = 6;

/// An SVG with a panel for each of the `neurons` neurons whose base weights are largest.
///
/// A panel has 26 columns, points 1 to 24, bar and off, and two bands of seven rows, the player on
/// roll above and the opponent (in the opponent's own numbering) below: the weight of the first
/// to the sixth checker there, and of those above six. Red lifts the neuron, blue lowers it.
/// `rows` holds a row of `width` weights per input, the 364 base inputs first.
#[must_use]
pub fn svg(name: &str, rows: &[i16], width: usize, neurons: usize) -> String {
    let base = 2 * LOCATIONS * STEPS;
    let weight = |input: usize, neuron: usize| {
        let value = rows.get(input * width + neuron).copied();
        f32::from(value.unwrap_or_default())
    };
    let size =
        |neuron: usize| -> f32 { (0..base).map(|input| weight(input, neuron).powi(2)).sum() };
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    order.truncate(neurons);
    let (across, down) = (LOCATIONS * CELL + 12, 2 * STEPS * CELL + 24);
    let panels = order.len().div_ceil(PANELS_PER_ROW);
    let (total_width, total_height) = (PANELS_PER_ROW * across + 12, panels * down + 34);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total_width} {total_height}\" \
         font-family=\"sans-serif\" font-size=\"8\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"12\" y=\"18\" font-size=\"12\">{}: first layer, neurons by size; \
         columns points 1 to 24, bar, off; above the player on roll, below the opponent</text>\n",
        escaped(name)
    );
    for (panel, &neuron) in order.iter().enumerate() {
        let x = 12 + panel % PANELS_PER_ROW * across;
        let y = 34 + panel / PANELS_PER_ROW * down;
        let most = (0..base).fold(1.0f32, |most, input| most.max(weight(input, neuron).abs()));
        let _ = writeln!(
            out,
            "<g transform=\"translate({x},{y})\"><text y=\"-2\">{neuron}</text>"
        );
        for input in 0..base {
            let (location, step) = (input / STEPS % LOCATIONS, input % STEPS);
            let side = input / (LOCATIONS * STEPS);
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{}\"/>",
                location * CELL,
                (side * STEPS + step) * CELL + side * 2,
                colour(weight(input, neuron) / most)
            );
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// White at 0, red at 1, blue at -1.
fn colour(value: f32) -> String {
    let fade = (255.0 * (1.0 - value.abs().min(1.0))) as u8;
    if value >= 0.0 {
        format!("#ff{fade:02x}{fade:02x}")
    } else {
        format!("#{fade:02x}{fade:02x}ff")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_for_each_neuron_and_a_cell_for_each_weight() {
        let width = 3;
        let rows: Vec<i16> = (0..364 * width as i16).collect();
        let picture = svg("a<b", &rows, width, 2);
        assert_eq!(picture.matches("<g ").count(), 2);
        assert_eq!(picture.matches("<rect ").count(), 1 + 2 * 364);
        assert!(picture.contains("a&lt;b") && picture.ends_with("</svg>\n"));
        assert_eq!(colour(-1.0), "#0000ff");
    }
}
