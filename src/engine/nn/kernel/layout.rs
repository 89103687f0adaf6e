//! The numbers of integer nets as the kernels read them.
//!
//! The layers are laid out once for all levels. First layer: rows of 16-bit weights, the width
//! padded with zeros to a multiple of [`TILE`]. Second layer: for each *pair* of neighbouring
//! inputs, for each neuron, the two weights side by side, so that one 32-bit lane of a register
//! multiplies a pair and adds the two products exactly; pairs of zeros are passed over.

use crate::nn::activation::Passes;
use crate::nn::float_net::{RESULTS, SECOND_MAX, Shape};
use crate::nn::parts::Parts;
use crate::nn::sigmoid::sigmoid;

/// First-layer sums worked on at a time: eight AVX2 registers.
pub(in crate::nn) const TILE: usize = 128;

/// A change of one input: `factor` more of its integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct InputDelta {
    /// Index of the input.
    pub row: u16,
    /// Factor of the row: the change of its integer.
    pub factor: i16,
}

/// 32 numbers, a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
struct Line([i16; 32]);

/// 16-bit numbers that begin at a cache line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aligned(Vec<Line>);

/// The first-layer sums of an input.
pub type Accumulator = Aligned;

impl Aligned {
    /// Returns this many zeros, a multiple of 32.
    #[must_use]
    pub fn zeros(length: usize) -> Aligned {
        Aligned(vec![Line([0; 32]); length / 32])
    }

    /// Creates rows of `inner` numbers, each padded with zeros to `width`, a multiple of 32.
    pub(in crate::nn) fn from_rows(rows: &[i16], inner: usize, width: usize) -> Aligned {
        let mut aligned = Aligned::zeros(rows.len() / inner * width);
        for (row, padded) in rows
            .chunks_exact(inner)
            .zip(aligned.as_mut_slice().chunks_exact_mut(width))
        {
            padded[..inner].copy_from_slice(row);
        }
        aligned
    }

    /// Changes the length to a multiple of 32; new numbers are 0. Keeps the memory it has.
    pub fn resize(&mut self, length: usize) {
        self.0.resize(length / 32, Line([0; 32]));
    }

    /// Returns the number of 16-bit numbers.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() * 32
    }

    /// Returns true if there are no numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the numbers.
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> &[i16] {
        flat(&self.0)
    }

    /// Returns the numbers, to be changed.
    #[inline(always)]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [i16] {
        flat_mut(&mut self.0)
    }
}

#[allow(unsafe_code)]
#[inline(always)]
fn flat(lines: &[Line]) -> &[i16] {
    // SAFETY: a `Line` is exactly 32 numbers without padding (`repr(C)`, 64 bytes), any bits are
    // valid numbers, and the result borrows `lines`.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * 32) }
}

#[allow(unsafe_code)]
#[inline(always)]
fn flat_mut(lines: &mut [Line]) -> &mut [i16] {
    // SAFETY: as in `flat`; the result borrows `lines` exclusively.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * 32) }
}

/// Returns the width with padding.
pub(in crate::nn) fn padded_width(width: usize) -> usize {
    width.next_multiple_of(TILE)
}

/// Returns the number of neurons of the second layer with padding: 16, 32 or 64.
pub(in crate::nn) fn padded_second(second: usize) -> usize {
    second.next_power_of_two().clamp(16, SECOND_MAX)
}

/// Returns the second layer, by pairs of inputs.
pub(in crate::nn) fn pairs(weights: &[i16], shape: Shape, width: usize) -> Aligned {
    let second = padded_second(shape.second);
    let mut aligned = Aligned::zeros(width * second);
    let slots = aligned.as_mut_slice();
    for (neuron, row) in weights.chunks_exact(shape.width).enumerate() {
        for (input, &weight) in row.iter().enumerate() {
            slots[(input / 2 * second + neuron) * 2 + input % 2] = weight;
        }
    }
    aligned
}

/// The layers that a forward pass reads.
#[derive(Debug)]
pub(in crate::nn) struct Net<'a> {
    pub(in crate::nn) rows: &'a Aligned,
    pub(in crate::nn) second: &'a Aligned,
    pub(in crate::nn) head: &'a OutputHead,
    pub(in crate::nn) shift: u32,
    pub(in crate::nn) passes: Passes,
}

/// Sums of the second layer of one input.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::nn) struct Sums(pub(super) [i32; SECOND_MAX]);

impl Sums {
    pub(in crate::nn) const ZERO: Sums = Sums([0; SECOND_MAX]);
}

/// Inputs that differ little from a reference, whose first-layer sums are known.
#[derive(Debug, Clone, Copy)]
pub(in crate::nn) struct Batch<'a> {
    /// First-layer sums of the reference.
    pub(in crate::nn) from: &'a Accumulator,
    /// Changes for the first input, then for the second ...
    pub(in crate::nn) changes: &'a [InputDelta],
    /// End of each input's changes; ascending.
    pub(in crate::nn) ends: &'a [u32],
}

impl<'a> Batch<'a> {
    /// Returns the changes of each input.
    #[inline(always)]
    pub(super) fn lists(self) -> impl Iterator<Item = &'a [InputDelta]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.changes[start..end as usize];
            start = end as usize;
            list
        })
    }
}

/// The float part of a net.
#[derive(Debug, Clone)]
pub(in crate::nn) struct OutputHead {
    neurons: usize,
    pub(super) scales: [f32; SECOND_MAX],
    pub(super) bias: [f32; SECOND_MAX],
    /// A row of results per neuron, padded to eight lanes.
    pub(super) weights: [[f32; 8]; SECOND_MAX],
    results_bias: [f32; 8],
    /// The greatest value that a neuron passes on.
    pub(super) most: f32,
}

impl OutputHead {
    pub(in crate::nn) fn new(parts: &Parts) -> OutputHead {
        let second = parts.shape.second;
        let mut head = OutputHead {
            neurons: padded_second(second),
            scales: [0.0; SECOND_MAX],
            bias: [0.0; SECOND_MAX],
            weights: [[0.0; 8]; SECOND_MAX],
            results_bias: [0.0; 8],
            most: parts.limits.second_most(),
        };
        head.scales[..second].copy_from_slice(&parts.scales);
        head.bias[..second].copy_from_slice(&parts.second_bias);
        head.results_bias[..RESULTS].copy_from_slice(&parts.results_bias);
        for (result, row) in parts.results.chunks_exact(second).enumerate() {
            for (weights, &weight) in head.weights.iter_mut().zip(row) {
                weights[result] = weight;
            }
        }
        head
    }

    /// Returns the padded number of neurons.
    #[inline(always)]
    pub(super) fn neurons(&self) -> usize {
        self.neurons
    }

    /// Computes probabilities from the sums of the second layer. Four partial sums, neuron `j` in number `j % 4`,
    /// added as (0 + 1) + (2 + 3), then the bias: the lanes are results, so a vector unit rounds just as plain code
    /// does. Never fused.
    #[inline(always)]
    pub(super) fn results(&self, sums: &Sums) -> [f32; RESULTS] {
        let mut partial = [[0.0f32; 8]; 4];
        for start in (0..self.neurons).step_by(8) {
            let mut hidden = [0.0f32; 8];
            for (j, hidden) in hidden.iter_mut().enumerate() {
                let sum = sums.0[start + j] as f32 * self.scales[start + j];
                let value = sum + self.bias[start + j];
                // No NaN can be here: sums are integers, weights are bounded.
                let value = if value > 0.0 { value } else { 0.0 };
                *hidden = if value < self.most { value } else { self.most };
            }
            for (j, hidden) in hidden.into_iter().enumerate() {
                let weights = &self.weights[start + j];
                for (sum, weight) in partial[j % 4].iter_mut().zip(weights) {
                    *sum += hidden * weight;
                }
            }
        }
        let [p0, p1, p2, p3] = partial;
        self.chances(std::array::from_fn(|k| (p0[k] + p1[k]) + (p2[k] + p3[k])))
    }

    /// Returns the probabilities from the sums of the results, without their biases.
    #[inline(always)]
    pub(super) fn chances(&self, sums: [f32; 8]) -> [f32; RESULTS] {
        let mut results = [0.0f32; 8];
        for k in 0..8 {
            results[k] = sigmoid(sums[k] + self.results_bias[k]);
        }
        [results[0], results[1], results[2], results[3], results[4]]
    }
}
