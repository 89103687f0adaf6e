//! The neurons of a net's first layer as a picture: weights of all inputs, biases, weights into the next layer.

use gammond_base::escape::Markup;
use std::fmt::Write as _;

const CELL: usize = 5;
const PANELS_PER_ROW: usize = 6;
/// Height of the space above the panels.
const TOP: usize = 57;
/// Room between two bands of a panel.
const GAP: usize = 2;

/// The weights of a first layer, and the inputs that describe where checkers stand.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// Name of the net.
    pub name: &'a str,
    /// A row of `width` weights per input.
    pub rows: &'a [f32],
    /// Neurons.
    pub width: usize,
    /// Owners of the checkers drawn above and below.
    pub who: [&'a str; 2],
    /// First input of each side's checkers.
    pub sides: [usize; 2],
    /// Places of a side: points 1 to 24, then bar and off if they are there.
    pub places: usize,
    /// Inputs of a place, one after the other.
    pub steps: usize,
    /// Inputs from one place to the next.
    pub stride: usize,
    /// Names of the inputs that stand at no place, in their order.
    pub rest: &'a str,
    /// Bias of each neuron.
    pub biases: &'a [f32],
    /// Weights into the next layer: a row of `width` weights for each neuron or output there.
    pub next: &'a [f32],
    /// Bias of each neuron or output of the next layer.
    pub next_biases: &'a [f32],
}

impl Layer<'_> {
    /// Returns the inputs drawn, with side, place and step.
    fn cells(self) -> impl Iterator<Item = (usize, [usize; 3])> {
        let cells = self.places * self.steps;
        (0..2 * cells).map(move |cell| {
            let (side, within) = (cell / cells, cell % cells);
            let place = [side, within / self.steps, within % self.steps];
            let input = self.sides[side] + place[1] * self.stride + place[2];
            (input, place)
        })
    }

    /// Returns the inputs that are at no place.
    fn rest(self) -> Vec<usize> {
        let mut placed = vec![false; self.rows.len() / self.width.max(1)];
        for (input, _) in self.cells() {
            if let Some(one) = placed.get_mut(input) {
                *one = true;
            }
        }
        (0..placed.len()).filter(|&input| !placed[input]).collect()
    }

    fn weight(&self, input: usize, neuron: usize) -> f32 {
        self.rows
            .get(input * self.width + neuron)
            .copied()
            .unwrap_or_default()
    }
}

/// Cells one after the other, in lines of a panel's width.
struct Strip<'a> {
    out: &'a mut String,
    columns: usize,
    /// Upper edge.
    top: usize,
}

impl Strip<'_> {
    /// Returns the number of lines that so many cells take.
    fn lines(columns: usize, cells: usize) -> usize {
        cells.div_ceil(columns.max(1))
    }

    /// Draws values as shares of `most`; the next strip is below.
    fn draw(&mut self, most: f32, values: impl ExactSizeIterator<Item = f32>) {
        let lines = Strip::lines(self.columns, values.len());
        for (index, value) in values.enumerate() {
            let (column, line) = (index % self.columns.max(1), index / self.columns.max(1));
            cell(
                self.out,
                column * CELL,
                self.top + line * CELL,
                value / most,
            );
        }
        self.top += lines * CELL + GAP;
    }
}

fn cell(out: &mut String, x: usize, y: usize, share: f32) {
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{}\"/>",
        colour(share)
    );
}

/// Returns the largest absolute value, more than 0.
fn greatest(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()))
}

/// Returns the beginning of the picture, with its caption.
fn head(layer: &Layer<'_>, [total_width, total_height]: [usize; 2]) -> String {
    let beyond = match layer.places {
        ..25 => "",
        25 => ", bar",
        _ => ", bar, off",
    };
    let [above, below] = layer.who;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total_width} {total_height}\" \
         font-family=\"sans-serif\" font-size=\"8\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"12\" y=\"16\" font-size=\"12\">{}: first layer, neurons by size</text>\n\
         <text x=\"12\" y=\"29\" font-size=\"9\">columns points 1 to 24{beyond}; above {above}, below {below}; \
         green positive, red negative</text>\n<text x=\"12\" y=\"41\" font-size=\"9\">then {}; then the bias; then \
         the weights into the next layer. Last panel: biases of the next layer</text>\n",
        Markup::new(layer.name),
        layer.rest
    )
}

/// Returns an SVG with a panel for each of the `neurons` neurons whose weights are largest, and one for the biases of
/// the next layer.
///
/// A panel has a column for each place, points 1 to 24, bar and off, and two bands of rows, one side above and the other
/// below: a weight for each input of the place. Below are the other inputs, the bias, and the weights into the next
/// layer. Green lifts the neuron, red lowers it.
#[must_use]
pub fn svg(layer: &Layer<'_>, neurons: usize) -> String {
    let size = |neuron: usize| -> f32 {
        (layer.cells())
            .map(|(input, _)| layer.weight(input, neuron).powi(2))
            .sum()
    };
    let mut order: Vec<(f32, usize)> = (0..layer.width).map(|n| (size(n), n)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(neurons);
    let (rest, into) = (layer.rest(), layer.next.len() / layer.width.max(1));
    let strips = [rest.len(), 1, into].map(|cells| Strip::lines(layer.places, cells) * CELL + GAP);
    let bands = 2 * layer.steps * CELL + 2 * GAP;
    let across = layer.places * CELL + 12;
    let down = bands + strips.iter().sum::<usize>() + 16;
    let panels = (order.len() + 1).div_ceil(PANELS_PER_ROW);
    let (total_width, total_height) = (PANELS_PER_ROW * across + 12, panels * down + TOP);
    let panel_at = |panel: usize| {
        let (column, row) = (panel % PANELS_PER_ROW, panel / PANELS_PER_ROW);
        (12 + column * across, TOP + row * down)
    };
    let mut out = head(layer, [total_width, total_height]);
    let largest_next = greatest(layer.next.iter().copied());
    for (panel, &(_, neuron)) in order.iter().enumerate() {
        let (x, y) = panel_at(panel);
        let most = greatest((layer.cells()).map(|(input, _)| layer.weight(input, neuron)));
        let _ = writeln!(
            out,
            "<g transform=\"translate({x},{y})\"><text y=\"-2\">{neuron}</text>"
        );
        for (input, [side, place, step]) in layer.cells() {
            let y = (side * layer.steps + step) * CELL + side * GAP;
            cell(
                &mut out,
                place * CELL,
                y,
                layer.weight(input, neuron) / most,
            );
        }
        let mut strip = Strip {
            out: &mut out,
            columns: layer.places,
            top: bands,
        };
        strip.draw(most, rest.iter().map(|&input| layer.weight(input, neuron)));
        strip.draw(most, layer.biases.iter().skip(neuron).take(1).copied());
        let rows = layer.next.chunks_exact(layer.width.max(1));
        strip.draw(largest_next, rows.map(|row| row[neuron]));
        out.push_str("</g>\n");
    }
    let (x, y) = panel_at(order.len());
    let _ = writeln!(
        out,
        "<g transform=\"translate({x},{y})\"><text y=\"-2\">biases</text>"
    );
    let mut strip = Strip {
        out: &mut out,
        columns: layer.places,
        top: 0,
    };
    let biases = layer.next_biases.iter().copied();
    strip.draw(greatest(biases.clone()), biases);
    out.push_str("</g>\n</svg>\n");
    out
}

/// Returns white at 0, green at 1, red at -1.
pub(super) fn colour(value: f32) -> String {
    let fade = (255.0 * (1.0 - value.abs().min(1.0))) as u8;
    if value >= 0.0 {
        // Full green is too light to be read beside full red.
        let green = 128 + fade / 2;
        format!("#{fade:02x}{green:02x}{fade:02x}")
    } else {
        format!("#ff{fade:02x}{fade:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_for_each_neuron_and_a_cell_for_each_weight() {
        let rows: Vec<f32> = (0..364 * 3).map(|n| n as f32).collect();
        let ours = Layer {
            name: "a<b",
            rows: &rows,
            width: 3,
            who: ["me", "you"],
            sides: [0, 182],
            places: 26,
            steps: 7,
            stride: 7,
            rest: "nothing",
            biases: &[0.0; 3],
            next: &[0.0; 6],
            next_biases: &[0.0; 2],
        };
        let picture = svg(&ours, 2);
        // The last panel has the biases of the next layer.
        assert_eq!(picture.matches("<g ").count(), 2 + 1);
        // Each neuron has its bias and two weights into the next layer.
        assert_eq!(picture.matches("<rect ").count(), 1 + 2 * (364 + 1 + 2) + 2);
        assert!(picture.contains("a&lt;b") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("bar, off; above me, below you"));
        // The sides of a point stand together: the first point of both, then the second.
        let pairs = Layer {
            sides: [0, 1],
            places: 2,
            steps: 1,
            stride: 2,
            ..ours
        };
        let cells: Vec<usize> = pairs.cells().map(|cell| cell.0).collect();
        assert_eq!(cells, [0, 2, 1, 3]);
    }

    /// Red is negative, green positive; the side named first stands above.
    #[test]
    fn colours_and_sides() {
        assert_eq!(
            [colour(0.0), colour(-1.0), colour(1.0)],
            ["#ffffff", "#ff0000", "#008000"]
        );
        let layer = Layer {
            name: "x",
            rows: &[1.0, 0.0, -1.0, 0.5, -0.5],
            width: 1,
            who: ["me", "you"],
            sides: [2, 0],
            places: 2,
            steps: 1,
            stride: 1,
            rest: "turn",
            biases: &[1.0],
            next: &[-4.0],
            next_biases: &[2.0],
        };
        let picture = svg(&layer, 1);
        let fills: Vec<&str> = picture
            .split("fill=\"#")
            .skip(1)
            .map(|rest| &rest[..6])
            .collect();
        assert_eq!(
            fills,
            [
                "ff0000", "7fbf7f", "008000", "ffffff", "ff7f7f", "008000", "ff0000", "008000"
            ]
        );
    }
}
