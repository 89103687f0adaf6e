//! The small nets that score what people may choose.

/// A net of one layer that scores a choice: `direct · x + out · max(0, hidden x + bias)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceNet {
    inputs: usize,
    width: usize,
    values: Vec<f32>,
}

impl ChoiceNet {
    /// Creates a net from its numbers: a row of `inputs` weights and a bias for each of the `width` units, the weights of
    /// the units, the direct weights of the inputs. `None` if their number is another one.
    #[must_use]
    pub fn new(inputs: usize, width: usize, values: Vec<f32>) -> Option<ChoiceNet> {
        (values.len() == ChoiceNet::size(inputs, width)).then_some(ChoiceNet {
            inputs,
            width,
            values,
        })
    }

    /// Returns the number of a net's numbers.
    #[must_use]
    pub const fn size(inputs: usize, width: usize) -> usize {
        (inputs + 1) * width + width + inputs
    }

    /// Returns the numbers, in the order of [`ChoiceNet::new`].
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the number of inputs.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of units.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns the score of a choice with these inputs, of which there are [`ChoiceNet::inputs`].
    #[must_use]
    pub fn score(&self, input: &[f32]) -> f32 {
        let (rows, rest) = self.values.split_at((self.inputs + 1) * self.width);
        let (out, direct) = rest.split_at(self.width);
        let units = rows.chunks_exact(self.inputs + 1).zip(out);
        let by_units = units.map(|(row, out)| {
            let (weights, bias) = row.split_at(self.inputs);
            out * (product(weights, input) + bias[0]).max(0.0)
        });
        product(direct, input) + by_units.sum::<f32>()
    }
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
