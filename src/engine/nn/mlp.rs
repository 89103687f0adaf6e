//! A float net with one hidden layer and five outputs, with GNU Backgammon's arithmetic.

use super::kernel::float::{BATCH, Batch, Forward, Input, Net, Sigmoid};
use super::kernel::wide::Line;
use super::kernel::{ACTIVE_ROOM, Active, ActiveList, CpuLevel, Integers, LENGTH_MAX};

pub use super::kernel::float::OUTPUTS;

/// Most inputs of one [`SparseInput`] that are not zero.
pub const ACTIVE_MAX: usize = LENGTH_MAX;

/// Consecutive inputs in the tail of a [`SparseInput`].
pub const TAIL: usize = 64;

/// The inputs of a net: a list of those that are not zero, in increasing order of their number,
/// then a tail of [`TAIL`] consecutive ones.
#[derive(Debug, Clone)]
pub struct SparseInput {
    active: ActiveList,
    length: usize,
    tail: Option<(usize, [Line; TAIL / 16])>,
}

impl Default for SparseInput {
    fn default() -> Self {
        SparseInput::EMPTY
    }
}

impl SparseInput {
    /// All inputs zero.
    pub const EMPTY: SparseInput = SparseInput {
        active: ActiveList([Active { row: 0, value: 0.0 }; ACTIVE_ROOM]),
        length: 0,
        tail: None,
    };

    /// Forgets all inputs.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.length = 0;
        self.tail = None;
    }

    /// Sets input `row` to `value` unless that is zero. Rows come in increasing order, at most [`ACTIVE_MAX`] - 1 of
    /// them; further ones are lost.
    #[inline(always)]
    pub fn push(&mut self, row: usize, value: f32) {
        let (row, place) = (row as u32, self.length.min(ACTIVE_MAX - 1));
        self.active.0[place] = Active { row, value };
        self.length = place + usize::from(value != 0.0);
    }

    /// Sets four inputs for each of the sixteen groups of four bits of `counts`, from row `start` on; see
    /// [`Integers::list_counts`].
    #[inline(always)]
    pub fn push_counts<I: Integers>(&mut self, counts: u64, start: usize) {
        self.length = I::list_counts(counts, start as u32, &mut self.active, self.length);
    }

    /// Sets the inputs from `start` on, all of them beyond those pushed. Values beyond the net's
    /// last input must be zero.
    #[inline(always)]
    pub fn set_tail(&mut self, start: usize, values: &[f32; TAIL]) {
        let (lines, _) = values.as_chunks::<16>();
        let mut tail = [Line::ZERO; TAIL / 16];
        for (line, values) in tail.iter_mut().zip(lines) {
            line.0 = *values;
        }
        self.tail = Some((start, tail));
    }

    /// Returns the listed inputs; those of the tail are not among them.
    pub(super) fn listed(&self) -> &[Active] {
        &self.active.0[..self.length]
    }

    /// Returns all `count` inputs, zeros included.
    #[must_use]
    pub fn to_dense(&self, count: usize) -> Vec<f32> {
        let mut dense = vec![0.0; count];
        for input in self.listed() {
            if let Some(place) = dense.get_mut(input.row as usize) {
                *place = input.value;
            }
        }
        if let Some((start, tail)) = &self.tail {
            let values = tail.iter().flat_map(|line| line.0);
            for (place, value) in dense.iter_mut().skip(*start).zip(values) {
                *place = value;
            }
        }
        dense
    }
}

/// A net as a file gives it: one hidden layer.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseNet {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of hidden units.
    pub hidden: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// The hidden layer's slope.
    pub hidden_slope: f32,
    /// The output layer's slope.
    pub output_slope: f32,
    /// Weights from input `i` to hidden unit `j` at `i * hidden + j`.
    pub hidden_weights: Vec<f32>,
    /// Weights from hidden unit `j` to output `k` at `k * hidden + j`.
    pub output_weights: Vec<f32>,
    /// One a hidden unit.
    pub hidden_biases: Vec<f32>,
    /// One an output.
    pub output_biases: Vec<f32>,
}

/// A net in the layout of the kernels. About as large as its file.
#[derive(Debug, Clone)]
pub struct Mlp {
    inputs: usize,
    block_lines: usize,
    hidden_weights: Vec<Line>,
    hidden_biases: Vec<Line>,
    output_weights: Vec<[[f32; 8]; 3]>,
    output_biases: [f32; OUTPUTS],
    hidden_slope: f32,
    output_slope: f32,
    sigmoid: Sigmoid,
}

/// A net whose numbers do not fit its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a net's numbers do not fit its shape ({inputs} inputs, {hidden} hidden units)")]
pub struct MlpError {
    inputs: usize,
    hidden: usize,
}

impl Mlp {
    /// Lays out a net. Hidden units are padded to a multiple of sixteen with zero weights, which
    /// adds zeros at the end of every sum.
    ///
    /// # Errors
    /// [`MlpError`] when the counts do not match, or there are not five outputs.
    pub fn new(net: &DenseNet) -> Result<Mlp, MlpError> {
        let (inputs, hidden) = (net.inputs, net.hidden);
        let error = MlpError { inputs, hidden };
        let output_biases: [f32; OUTPUTS] =
            net.output_biases.as_slice().try_into().map_err(|_| error)?;
        let fits = inputs > 0
            && hidden > 0
            && net.hidden_weights.len() == inputs * hidden
            && net.output_weights.len() == OUTPUTS * hidden
            && net.hidden_biases.len() == hidden;
        if !fits {
            return Err(error);
        }
        let block_lines = if hidden.div_ceil(16).is_multiple_of(4) {
            4
        } else {
            1
        };
        let padded = hidden.next_multiple_of(16 * block_lines);
        let mut hidden_weights = vec![Line::ZERO; inputs * padded / 16];
        let mut hidden_biases = vec![Line::ZERO; padded / 16];
        let mut output_weights = vec![[[0.0; 8]; 3]; padded / 4];
        for unit in 0..hidden {
            let (line, lane) = (unit / 16, unit % 16);
            let (block, within) = (line / block_lines, line % block_lines);
            hidden_biases[line].0[lane] = net.hidden_biases[unit];
            for input in 0..inputs {
                let place = (block * inputs + input) * block_lines + within;
                hidden_weights[place].0[lane] = net.hidden_weights[input * hidden + unit];
            }
            for output in 0..OUTPUTS {
                output_weights[unit / 4][output / 2][output % 2 * 4 + unit % 4] =
                    net.output_weights[output * hidden + unit];
            }
        }
        Ok(Mlp {
            inputs,
            block_lines,
            hidden_weights,
            hidden_biases,
            output_weights,
            output_biases,
            hidden_slope: net.hidden_slope,
            output_slope: net.output_slope,
            sigmoid: Sigmoid::new(),
        })
    }

    /// Returns the number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Computes the outputs of each input. Bits depend neither on the level nor on the neighbours.
    ///
    /// # Panics
    /// When there are more inputs than outputs, or an input's row is beyond the net's.
    pub fn forward(&self, level: CpuLevel, inputs: &[SparseInput], outputs: &mut [[f32; OUTPUTS]]) {
        assert!(inputs.len() <= outputs.len(), "too few outputs");
        let net = Net {
            block_lines: self.block_lines,
            inputs: self.inputs,
            hidden_weights: &self.hidden_weights,
            hidden_biases: &self.hidden_biases,
            output_weights: &self.output_weights,
            output_biases: self.output_biases,
            hidden_slope: self.hidden_slope,
            output_slope: self.output_slope,
            sigmoid: &self.sigmoid,
        };
        for (inputs, outputs) in inputs.chunks(BATCH).zip(outputs.chunks_mut(BATCH)) {
            let mut given = [Input::NONE; BATCH];
            for (slot, input) in given.iter_mut().zip(inputs) {
                slot.active = input.listed();
                if let Some((start, tail)) = &input.tail {
                    slot.tail_start = *start;
                    slot.tail = tail;
                }
            }
            let batch = Batch {
                inputs: &given[..inputs.len()],
                outputs: &mut outputs[..inputs.len()],
            };
            level.run_wide(Forward(&net, batch));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in -1..1 from a small generator.
    fn noise(seed: &mut u64) -> f32 {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn random_net(inputs: usize, hidden: usize, seed: &mut u64) -> DenseNet {
        let mut many = |count: usize, scale: f32| -> Vec<f32> {
            (0..count).map(|_| noise(seed) * scale).collect()
        };
        DenseNet {
            inputs,
            hidden,
            outputs: OUTPUTS,
            hidden_slope: 0.1,
            output_slope: 1.0,
            hidden_weights: many(inputs * hidden, 10.0),
            output_weights: many(OUTPUTS * hidden, 5.0),
            hidden_biases: many(hidden, 30.0),
            output_biases: many(OUTPUTS, 1.0),
        }
    }

    fn random_inputs(inputs: usize, count: usize, seed: &mut u64) -> Vec<SparseInput> {
        (0..count)
            .map(|_| {
                let mut sparse = SparseInput::default();
                for row in 0..inputs {
                    if noise(seed) > 0.6 && sparse.length < ACTIVE_MAX - 1 {
                        sparse.push(row, noise(seed) * 2.0);
                    }
                }
                if inputs > 100 {
                    // The tail takes the place of the last inputs.
                    let start = inputs - 50;
                    let end = sparse.active.0[..sparse.length]
                        .iter()
                        .position(|a| a.row >= start as u32);
                    sparse.length = end.unwrap_or(sparse.length);
                    let mut tail = [0.0; TAIL];
                    for value in &mut tail[..50] {
                        *value = noise(seed).max(0.0);
                    }
                    sparse.set_tail(start, &tail);
                }
                sparse
            })
            .collect()
    }

    #[test]
    fn levels_and_batches_give_the_same_bits() {
        let mut seed = 7;
        for (inputs, hidden) in [(250, 128), (200, 16), (200, 8), (30, 100), (10, 1), (5, 64)] {
            let net = Mlp::new(&random_net(inputs, hidden, &mut seed)).unwrap();
            let batch = random_inputs(inputs, 45, &mut seed);
            let mut want = vec![[0.0; OUTPUTS]; 45];
            for (input, output) in batch.iter().zip(&mut want) {
                let input = std::slice::from_ref(input);
                net.forward(CpuLevel::SCALAR, input, std::slice::from_mut(output));
            }
            for level in CpuLevel::available() {
                let mut found = vec![[0.0; OUTPUTS]; 45];
                net.forward(level, &batch, &mut found);
                let bits = |all: &[[f32; OUTPUTS]]| -> Vec<u32> {
                    all.as_flattened().iter().map(|x| x.to_bits()).collect()
                };
                assert_eq!(
                    bits(&found),
                    bits(&want),
                    "{} {inputs}-{hidden}",
                    level.name()
                );
            }
        }
    }

    #[test]
    fn sums_run_in_the_written_order() {
        // A slow forward pass, straight from the formula.
        let mut seed = 3;
        let dense = random_net(140, 20, &mut seed);
        let input = &random_inputs(140, 1, &mut seed)[0];
        let values = input.to_dense(140);
        let hidden: Vec<f32> = (0..20)
            .map(|j| {
                let mut sum = dense.hidden_biases[j];
                for (i, &x) in values.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    sum += dense.hidden_weights[i * 20 + j] * x;
                }
                slow_sigmoid(-0.1 * sum)
            })
            .collect();
        let mut found = [[0.0; OUTPUTS]];
        let net = Mlp::new(&dense).unwrap();
        net.forward(CpuLevel::SCALAR, std::slice::from_ref(input), &mut found);
        for k in 0..OUTPUTS {
            let mut sums = [0.0f32; 4];
            for j in 0..20 {
                sums[j % 4] += dense.output_weights[k * 20 + j] * hidden[j];
            }
            let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]) + dense.output_biases[k];
            assert_eq!(found[0][k].to_bits(), slow_sigmoid(-sum).to_bits());
        }
    }

    fn slow_sigmoid(t: f32) -> f32 {
        let tenths = 10.0 * t.abs().min(10.0);
        let whole = tenths.floor();
        // A test may use the system library.
        let e = ((f64::from(whole.min(99.0)) / 10.0).exp() / 10.0) as f32;
        let small = 1.0 / (1.0 + e * (10.0 + (tenths - whole)));
        if t < 0.0 { 1.0 - small } else { small }
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let mut net = random_net(4, 3, &mut 1);
        net.hidden_weights.pop();
        assert!(Mlp::new(&net).is_err());
        let mut net = random_net(4, 3, &mut 1);
        net.output_biases.push(0.0);
        assert!(Mlp::new(&net).is_err());
    }
}
