//! The forward pass of a float net with one hidden layer, written once for all CPU levels.
//!
//! The order of every addition is GNU Backgammon's (GE-10): a hidden sum starts at the bias and takes the
//! inputs in the order given; an output sum is four partial sums over hidden units j mod 4, then
//! (s0 + s1) + (s2 + s3), then the bias. Products are rounded before they are added.

use super::operations::Active;
use super::wide::{Line, Wide, WideKernel};

/// Positions that go through a net together; reuses each block of weights while it is in the
/// nearest cache.
pub(in crate::nn) const BATCH: usize = 16;
/// Outputs of every net.
pub const OUTPUTS: usize = 5;

/// The inputs for one position: a list, then consecutive ones from row `tail_start` on.
#[derive(Clone, Copy, Debug)]
pub(in crate::nn) struct Input<'a> {
    pub(in crate::nn) active: &'a [Active],
    pub(in crate::nn) tail_start: usize,
    /// Empty, or four lines.
    pub(in crate::nn) tail: &'a [Line],
}

impl Input<'_> {
    pub(in crate::nn) const NONE: Self = Input {
        active: &[],
        tail_start: 0,
        tail: &[],
    };
}

/// A net's numbers in the kernels' layout.
#[derive(Debug, Clone, Copy)]
pub(in crate::nn) struct Net<'a> {
    /// Lines of sixteen hidden units that are summed together: 4 or 1.
    pub(in crate::nn) block_lines: usize,
    pub(in crate::nn) inputs: usize,
    /// Block, input, line of the block.
    pub(in crate::nn) hidden_weights: &'a [Line],
    /// One line for sixteen hidden units.
    pub(in crate::nn) hidden_biases: &'a [Line],
    /// For each four hidden units their four weights to each of the five outputs, and four zeros.
    pub(in crate::nn) output_weights: &'a [[[f32; 8]; 3]],
    pub(in crate::nn) output_biases: [f32; OUTPUTS],
    pub(in crate::nn) hidden_slope: f32,
    pub(in crate::nn) output_slope: f32,
    pub(in crate::nn) sigmoid: &'a Sigmoid,
}

/// At most [`BATCH`] inputs and as many outputs.
#[derive(Debug)]
pub(in crate::nn) struct Batch<'a> {
    pub(in crate::nn) inputs: &'a [Input<'a>],
    pub(in crate::nn) outputs: &'a mut [[f32; OUTPUTS]],
}

/// The table of GNU Backgammon's sigmoid: exp(n/10)/10 for n = 0..=99, then the last one again.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(in crate::nn) struct Sigmoid([f32; 128]);

impl Sigmoid {
    /// Fills the table. The exponential is a sum of exact steps, the same on every CPU.
    pub(in crate::nn) fn new() -> Sigmoid {
        let mut table = [0.0; 128];
        for (n, entry) in table.iter_mut().enumerate() {
            *entry = (exponential(n.min(99) as f64 / 10.0) / 10.0) as f32;
        }
        Sigmoid(table)
    }
}

/// Returns e^x for x in 0..10 by the power series of x/16, squared four times; good to about 1e-15.
fn exponential(x: f64) -> f64 {
    let small = x / 16.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..30 {
        term *= small / f64::from(n);
        sum += term;
    }
    for _ in 0..4 {
        sum *= sum;
    }
    sum
}

/// Returns `1 / (1 + e^t)` with e^|t| replaced by its tangent at the last tenth, |t| at most 10 (GE-11).
#[inline(always)]
fn sigmoid<W: Wide>(t: W, table: &Sigmoid) -> W {
    let one = W::splat(1.0);
    let ten = W::splat(10.0);
    let tenths = t.abs().min(ten).mul(ten);
    let (whole, exponential) = tenths.whole_and_lookup(&table.0);
    let growth = exponential.mul(ten.add(tenths.sub(whole)));
    let small = one.div(one.add(growth));
    t.where_negative(one.sub(small), small)
}

/// The forward pass of a batch.
pub(in crate::nn) struct Forward<'a>(pub(in crate::nn) &'a Net<'a>, pub(in crate::nn) Batch<'a>);

impl WideKernel for Forward<'_> {
    #[inline(always)]
    fn run<W: Wide>(mut self) {
        forward::<W>(self.0, &mut self.1);
    }
}

/// Computes the outputs of all inputs of the batch.
#[inline(always)]
fn forward<W: Wide>(net: &Net<'_>, batch: &mut Batch<'_>) {
    assert!(batch.inputs.len() <= BATCH && batch.inputs.len() == batch.outputs.len());
    let mut sums = [[[0.0f32; 8]; 3]; BATCH];
    let blocks = net.hidden_biases.len() / net.block_lines;
    match net.block_lines {
        // Two blocks at once only where the registers suffice, otherwise the sums would spill to memory.
        4 if W::MANY && blocks.is_multiple_of(2) => {
            hidden_blocks::<W, 4, 2>(net, batch.inputs, &mut sums);
        }
        4 => hidden_blocks::<W, 4, 1>(net, batch.inputs, &mut sums),
        _ => hidden_blocks::<W, 1, 1>(net, batch.inputs, &mut sums),
    }
    finish::<W>(net, &sums, batch.outputs);
}

/// Adds every block of hidden units to the partial output sums, `BLOCKS` of them at a time: the sums
/// of one block would wait for each other.
#[inline(always)]
fn hidden_blocks<W: Wide, const LINES: usize, const BLOCKS: usize>(
    net: &Net<'_>,
    inputs: &[Input<'_>],
    sums: &mut [[[f32; 8]; 3]; BATCH],
) {
    let block_weights = net.hidden_weights.chunks_exact(net.inputs * LINES * BLOCKS);
    let block_biases = net.hidden_biases.chunks_exact(LINES * BLOCKS);
    let block_outputs = net.output_weights.chunks_exact(4 * LINES * BLOCKS);
    for ((weights, biases), outputs) in block_weights.zip(block_biases).zip(block_outputs) {
        let (rows, _) = weights.as_chunks::<LINES>();
        let blocks: [&[[Line; LINES]]; BLOCKS] =
            std::array::from_fn(|block| &rows[block * net.inputs..][..net.inputs]);
        for (input, sums) in inputs.iter().zip(sums.iter_mut()) {
            let mut hidden = [[W::splat(0.0); LINES]; BLOCKS];
            for (sum, bias) in hidden.as_flattened_mut().iter_mut().zip(biases) {
                *sum = W::load(bias);
            }
            add_rows(&mut hidden, &blocks, input.active);
            for (tail, first) in input.tail.iter().zip((input.tail_start..).step_by(16)) {
                let mut left = W::load(tail).nonzero();
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    for (hidden, rows) in hidden.iter_mut().zip(blocks) {
                        add_row::<W, LINES>(hidden, &rows[first + lane], tail.0[lane & 15]);
                    }
                }
            }
            let slope = W::splat(-net.hidden_slope);
            let mut activations = [[Line::ZERO; LINES]; BLOCKS];
            let hidden = hidden.as_flattened();
            for (hidden, line) in hidden.iter().zip(activations.as_flattened_mut()) {
                sigmoid(hidden.mul(slope), net.sigmoid).store(line);
            }
            let mut partial = [W::half_zero(); 3];
            for (half, sum) in partial.iter_mut().zip(&*sums) {
                *half = W::half_load(sum);
            }
            let activations = activations.as_flattened();
            let fours = activations
                .iter()
                .flat_map(|line| line.0.as_chunks::<4>().0);
            for (four, weights) in fours.zip(outputs) {
                for (half, weights) in partial.iter_mut().zip(weights) {
                    *half = W::half_step(*half, four, weights);
                }
            }
            for (sum, half) in sums.iter_mut().zip(partial) {
                *sum = W::half_store(half);
            }
        }
    }
}

/// Adds every input times its weights to the sums of all blocks.
#[inline(always)]
pub(super) fn add_rows<W: Wide, const LINES: usize, const BLOCKS: usize>(
    sums: &mut [[W; LINES]; BLOCKS],
    blocks: &[&[[Line; LINES]]; BLOCKS],
    inputs: &[Active],
) {
    for active in inputs {
        for (sums, rows) in sums.iter_mut().zip(blocks) {
            add_row::<W, LINES>(sums, &rows[active.row as usize], active.value);
        }
    }
}

/// Adds an input times its weights to sixteen hidden sums a line.
#[inline(always)]
fn add_row<W: Wide, const LINES: usize>(hidden: &mut [W; LINES], row: &[Line; LINES], value: f32) {
    let value = W::splat(value);
    for (sum, weights) in hidden.iter_mut().zip(row) {
        *sum = sum.add(value.mul(W::load(weights)));
    }
}

/// Computes outputs from partial sums.
#[inline(always)]
fn finish<W: Wide>(net: &Net<'_>, sums: &[[[f32; 8]; 3]; BATCH], outputs: &mut [[f32; OUTPUTS]]) {
    let mut flat = [Line::ZERO; OUTPUTS * BATCH / 16];
    for (position, sums) in sums.iter().enumerate().take(outputs.len()) {
        for output in 0..OUTPUTS {
            let [s0, s1, s2, s3] = sums.as_flattened().as_chunks::<4>().0[output];
            let at = position * OUTPUTS + output;
            // This order of additions is fixed, because another one would change the last bit against gnubg (GE-10).
            flat[at / 16].0[at % 16] = ((s0 + s1) + (s2 + s3)) + net.output_biases[output];
        }
    }
    let slope = W::splat(-net.output_slope);
    for line in &mut flat {
        sigmoid(W::load(line).mul(slope), net.sigmoid).store(line);
    }
    for (position, output) in outputs.iter_mut().enumerate() {
        for (k, value) in output.iter_mut().enumerate() {
            let at = position * OUTPUTS + k;
            *value = flat[at / 16].0[at % 16];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wide::Plain;
    use super::*;

    fn sigmoid_of(t: f32) -> f32 {
        let mut line = Line([t; 16]);
        sigmoid(Plain::load(&line), &Sigmoid::new()).store(&mut line);
        line.0[3]
    }

    #[test]
    fn sigmoid_has_the_published_values() {
        for (t, want) in [
            (0.0, 0.5),
            (0.05, 0.487805),
            (0.0999, 0.476213),
            (0.1, 0.475021),
            (1.0, 0.268941),
            (-1.0, 0.731059),
            (5.0, 0.00669285),
            (9.99, 4.60297e-5),
            (10.0, 5.01722e-5),
            (1e9, 5.01722e-5),
        ] {
            let found = sigmoid_of(t);
            assert!((found / want - 1.0).abs() < 2e-6, "s({t}) = {found}");
        }
        assert!((sigmoid_of(f32::NAN) - 5.01722e-5).abs() < 1e-9);
    }

    #[test]
    fn exponential_table_is_right() {
        for n in 0..100 {
            let x = f64::from(n) / 10.0;
            // The system library may differ in the last digit; both round to the same float32.
            let want = (x.exp() / 10.0) as f32;
            assert_eq!(Sigmoid::new().0[n as usize], want, "{n}");
        }
    }
}
