//! One layer of a float net whose hidden units are rectified (ReLU), written once for all CPU levels.
//!
//! A sum starts at the bias and takes the inputs that are not zero in rising order; products are rounded before they
//! are added. Most rectified units are zero, so each layer passes a list of the others on to the next.

use super::float::add_rows;
use super::operations::Active;
use super::wide::{Line, Wide, WideKernel};

/// A layer's numbers in the kernel's layout.
#[derive(Debug, Clone)]
pub(in crate::nn) struct Layer {
    /// Lines of sixteen units that are summed together: 4 or 1.
    pub(in crate::nn) block_lines: usize,
    pub(in crate::nn) inputs: usize,
    /// Block, input, line of the block.
    pub(in crate::nn) weights: Vec<Line>,
    /// One line for sixteen units.
    pub(in crate::nn) biases: Vec<Line>,
}

/// Many inputs of one layer.
pub(in crate::nn) struct Pass<'a> {
    pub(in crate::nn) layer: &'a Layer,
    /// True for a hidden layer: its units are rectified, and those at zero are left out of `outputs`.
    pub(in crate::nn) hidden: bool,
    pub(in crate::nn) inputs: &'a [Vec<Active>],
    /// Lists of the outputs, as many as `inputs`; they are replaced.
    pub(in crate::nn) outputs: &'a mut [Vec<Active>],
}

impl WideKernel for Pass<'_> {
    #[inline(always)]
    fn run<W: Wide>(mut self) {
        let blocks = self.layer.biases.len() / self.layer.block_lines;
        match self.layer.block_lines {
            4 if W::MANY && blocks.is_multiple_of(2) => self.blocks::<W, 4, 2>(),
            4 => self.blocks::<W, 4, 1>(),
            _ => self.blocks::<W, 1, 1>(),
        }
    }
}

impl Pass<'_> {
    /// Works on `BLOCKS` blocks of units at a time, whose weights stay in a near cache for all inputs.
    #[inline(always)]
    fn blocks<W: Wide, const LINES: usize, const BLOCKS: usize>(&mut self) {
        let layer = self.layer;
        let weights = (layer.weights).chunks_exact(layer.inputs * LINES * BLOCKS);
        let biases = layer.biases.chunks_exact(LINES * BLOCKS);
        self.outputs.iter_mut().for_each(Vec::clear);
        let mut unit = 0;
        for (weights, biases) in weights.zip(biases) {
            let (rows, _) = weights.as_chunks::<LINES>();
            let blocks: [&[[Line; LINES]]; BLOCKS] =
                std::array::from_fn(|block| &rows[block * layer.inputs..][..layer.inputs]);
            for (input, output) in self.inputs.iter().zip(self.outputs.iter_mut()) {
                let mut sums = [[W::splat(0.0); LINES]; BLOCKS];
                for (sum, bias) in sums.as_flattened_mut().iter_mut().zip(biases) {
                    *sum = W::load(bias);
                }
                add_rows(&mut sums, &blocks, input);
                for (sum, first) in sums.as_flattened().iter().zip((unit..).step_by(16)) {
                    list(*sum, self.hidden, first, output);
                }
            }
            unit += 16 * (LINES * BLOCKS) as u32;
        }
    }
}

/// Adds sixteen units to a list; hidden ones rectified, and only those above zero.
#[inline(always)]
fn list<W: Wide>(sums: W, hidden: bool, first: u32, output: &mut Vec<Active>) {
    let (zero, mut line) = (W::splat(0.0), Line::ZERO);
    let values = if hidden {
        sums.where_negative(zero, sums)
    } else {
        sums
    };
    let mut left = if hidden { values.nonzero() } else { 0xffff };
    values.store(&mut line);
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left - 1;
        output.push(Active {
            row: first + lane,
            value: line.0[lane as usize & 15],
        });
    }
}
