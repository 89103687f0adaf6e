//! Float nets of several rectified (ReLU) layers and a linear output layer, such as PureTD's.

use super::float_net::{INPUTS_MAX, WIDTH_MAX};
use super::kernel::relu::{Layer, Pass};
use super::kernel::wide::Line;
use super::kernel::{Active, CpuLevel};
use super::mlp::SparseInput;
use std::cell::RefCell;

/// Most layers, the output layer among them.
pub const LAYERS_MAX: usize = 16;
/// Inputs that go through a layer together; they share each block of its weights while that is in a near cache.
const BATCH: usize = 32;

/// Largest input in size.
const INPUT_MAX: f64 = 16.0;
/// Largest sum in size that a layer may reach.
const SUM_MAX: f64 = 1e30;

/// A layer as a file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseLayer {
    /// Number of inputs.
    pub inputs: usize,
    /// Weights from input `i` to unit `j` at `j * inputs + i`.
    pub weights: Vec<f32>,
    /// One a unit.
    pub biases: Vec<f32>,
}

/// Layers that do not make a net.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("layer {layer}: {reason}")]
pub struct ReluNetError {
    /// Number of the layer, from 0.
    pub layer: usize,
    /// Description of the error.
    pub reason: String,
}

/// A net in the layout of the kernels. About as large as its file.
#[derive(Debug, Clone)]
pub struct ReluNet {
    widths: Vec<usize>,
    layers: Vec<Layer>,
}

impl ReluNet {
    /// Lays out a net: hidden layers, then the output layer.
    ///
    /// # Errors
    /// [`ReluNetError`] when the layers do not fit one another, or are too many or too wide.
    pub fn new(layers: &[DenseLayer]) -> Result<ReluNet, ReluNetError> {
        let fail = |layer, reason| Err(ReluNetError { layer, reason });
        if layers.is_empty() || layers.len() > LAYERS_MAX {
            let reason = format!("{} layers, expected 1 to {LAYERS_MAX}", layers.len());
            return fail(0, reason);
        }
        let mut widths = vec![layers[0].inputs];
        let mut most = INPUT_MAX;
        for (number, layer) in layers.iter().enumerate() {
            let (inputs, units) = (layer.inputs, layer.biases.len());
            let room = if number == 0 { INPUTS_MAX } else { WIDTH_MAX };
            if inputs == 0 || inputs > room || widths.last() != Some(&inputs) {
                let reason = format!("{inputs} inputs behind {:?} units", widths.last());
                return fail(number, reason);
            }
            if units == 0 || units > WIDTH_MAX || layer.weights.len() != inputs * units {
                let reason = format!("{units} units and {} weights", layer.weights.len());
                return fail(number, reason);
            }
            most = largest_sum(layer, most);
            if most > SUM_MAX {
                return fail(number, "sums may leave float32".to_owned());
            }
            widths.push(units);
        }
        let layers = layers.iter().map(laid_out).collect();
        Ok(ReluNet { widths, layers })
    }

    /// Returns the number of inputs, then of the units of each layer.
    #[must_use]
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// Returns the number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.widths.last().copied().unwrap_or_default()
    }

    /// Writes the outputs of each input, one after the other. Inputs are at most 16 in size; tails of inputs do not
    /// count. Bits depend neither on the
    /// level nor on the neighbours.
    ///
    /// # Panics
    /// When `outputs` is shorter than that, or an input's row is beyond the net's.
    pub fn forward(&self, level: CpuLevel, inputs: &[SparseInput], outputs: &mut [f32]) {
        thread_local! {
            static LISTS: RefCell<[Vec<Vec<Active>>; 2]> = const { RefCell::new([vec![], vec![]]) };
        }
        let width = self.outputs();
        assert!(inputs.len() * width <= outputs.len(), "too few outputs");
        LISTS.with_borrow_mut(|lists| {
            for list in lists.iter_mut() {
                list.resize(BATCH, Vec::new());
            }
            let [from, to] = lists;
            let all = outputs.chunks_mut(BATCH * width);
            for (inputs, outputs) in inputs.chunks(BATCH).zip(all) {
                let (from, to) = (&mut from[..inputs.len()], &mut to[..inputs.len()]);
                for (list, input) in from.iter_mut().zip(inputs) {
                    list.clear();
                    list.extend_from_slice(input.listed());
                }
                self.through_layers(level, from, to);
                for (output, list) in outputs.chunks_exact_mut(width).zip(&*from) {
                    for (value, active) in output.iter_mut().zip(list) {
                        *value = active.value;
                    }
                }
            }
        });
    }

    /// Passes a batch through all layers; the last one's units are in `batch` at the end.
    fn through_layers(&self, level: CpuLevel, batch: &mut [Vec<Active>], next: &mut [Vec<Active>]) {
        for (number, layer) in self.layers.iter().enumerate() {
            level.run_wide(Pass {
                layer,
                hidden: number + 1 < self.layers.len(),
                inputs: batch,
                outputs: next,
            });
            batch.swap_with_slice(next);
        }
    }
}

/// Returns the largest size of a sum of this layer when its inputs are at most `most` in size.
fn largest_sum(layer: &DenseLayer, most: f64) -> f64 {
    let rows = layer.weights.chunks_exact(layer.inputs).zip(&layer.biases);
    let size = |row: &[f32]| -> f64 { row.iter().map(|&weight| f64::from(weight.abs())).sum() };
    rows.map(|(row, bias)| f64::from(bias.abs()) + size(row) * most)
        .fold(0.0, f64::max)
}

/// Pads units to a multiple of sixteen with zero weights; rectified, those are zero and go no further.
fn laid_out(dense: &DenseLayer) -> Layer {
    let (inputs, units) = (dense.inputs, dense.biases.len());
    let block_lines = if units.div_ceil(16).is_multiple_of(4) {
        4
    } else {
        1
    };
    let padded = units.next_multiple_of(16 * block_lines);
    let mut weights = vec![Line::ZERO; inputs * padded / 16];
    let mut biases = vec![Line::ZERO; padded / 16];
    for (unit, row) in dense.weights.chunks_exact(inputs).enumerate() {
        let (line, lane) = (unit / 16, unit % 16);
        let (block, within) = (line / block_lines, line % block_lines);
        biases[line].0[lane] = dense.biases[unit];
        for (input, &weight) in row.iter().enumerate() {
            weights[(block * inputs + input) * block_lines + within].0[lane] = weight;
        }
    }
    Layer {
        block_lines,
        inputs,
        weights,
        biases,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> f32 {
        *seed = (seed.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn layers(widths: &[usize], seed: &mut u64) -> Vec<DenseLayer> {
        let mut many = |count| (0..count).map(|_| noise(seed)).collect::<Vec<f32>>();
        let pairs = widths.windows(2);
        let one = |pair: &[usize]| DenseLayer {
            inputs: pair[0],
            weights: many(pair[0] * pair[1]),
            biases: many(pair[1]),
        };
        pairs.map(one).collect()
    }

    /// The formula of `protocol-specs/net-file.md` (NF-43) from lists of all numbers.
    fn slowly(layers: &[DenseLayer], input: &SparseInput) -> Vec<f32> {
        let mut values = input.to_dense(layers[0].inputs);
        for (number, layer) in layers.iter().enumerate() {
            let units = layer.weights.chunks_exact(layer.inputs).zip(&layer.biases);
            let sum = |(row, bias): (&[f32], &f32)| {
                let used = row.iter().zip(&values).filter(|(_, value)| **value != 0.0);
                let sum = used.fold(*bias, |sum, (weight, value)| sum + weight * value);
                if number + 1 < layers.len() {
                    sum.max(0.0)
                } else {
                    sum
                }
            };
            values = units.map(sum).collect();
        }
        values
    }

    #[test]
    fn levels_and_batches_give_the_bits_of_the_formula() {
        let mut seed = 5;
        for widths in [
            &[196, 128, 64, 5][..],
            &[20, 130, 1],
            &[196, 64, 17, 40, 5],
            &[3, 2],
        ] {
            let layers = layers(widths, &mut seed);
            let net = ReluNet::new(&layers).unwrap();
            assert_eq!(net.widths(), widths);
            let mut inputs = vec![SparseInput::default(); 70];
            for input in &mut inputs {
                for row in 0..widths[0] {
                    if noise(&mut seed) > 0.7 {
                        input.push(row, noise(&mut seed));
                    }
                }
            }
            let want: Vec<f32> = inputs.iter().flat_map(|it| slowly(&layers, it)).collect();
            for level in CpuLevel::available() {
                let mut found = vec![0.0; want.len()];
                net.forward(level, &inputs, &mut found);
                assert_eq!(found, want, "{} {widths:?}", level.name());
            }
        }
    }

    #[test]
    fn layers_that_do_not_fit_are_refused() {
        let good = layers(&[4, 3, 2], &mut 1);
        assert!(ReluNet::new(&good).is_ok());
        assert!(ReluNet::new(&[]).is_err());
        assert!(ReluNet::new(&[good[0].clone(), good[0].clone()]).is_err());
        let mut short = good;
        short[1].weights.pop();
        let error = ReluNet::new(&short).unwrap_err().to_string();
        assert_eq!(error, "layer 1: 2 units and 5 weights");
        let mut large = layers(&[4, 3, 2], &mut 1);
        large[0].weights[0] = 1e30;
        let error = ReluNet::new(&large).unwrap_err().to_string();
        assert_eq!(error, "layer 0: sums may leave float32");
    }
}
