//! Arithmetic of integer nets: memory layout, plain Rust, and the choice of level.
//!
//! The layers are laid out once for all levels. First layer: rows of 16-bit weights, the width
//! padded with zeros to a multiple of [`TILE`]. Second layer: for each *pair* of neighbouring
//! inputs, for each neuron, the two weights side by side, so that one 32-bit lane of a register
//! multiplies a pair and adds the two products exactly; pairs of zeros are passed over.

use super::{CpuLevel, Level};
use crate::nn::float_net::{RESULTS, SECOND_MAX, Shape};
use crate::nn::integer::Parts;
use crate::nn::sigmoid::sigmoid;

/// First-layer sums worked on at a time: eight AVX2 registers.
pub(in crate::nn) const TILE: usize = 128;

/// What the squares of the first layer are shifted right by, after their lower 16 bits have gone.
pub(in crate::nn) const SQUARE_SHIFT: u32 = 6;

/// `factor` more of one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InputDelta {
    /// Which input.
    pub row: u16,
    /// By how much its integer rises.
    pub factor: i16,
}

/// 32 numbers, a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
struct Line([i16; 32]);

/// 16-bit numbers that begin at a cache line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines(Vec<Line>);

impl Lines {
    /// This many zeros, a multiple of 32.
    #[must_use]
    pub fn zeros(length: usize) -> Lines {
        Lines(vec![Line([0; 32]); length / 32])
    }

    /// Rows of `inner` numbers, each padded with zeros to `width`, a multiple of 32.
    pub(in crate::nn) fn from_rows(rows: &[i16], inner: usize, width: usize) -> Lines {
        let mut lines = Lines::zeros(rows.len() / inner * width);
        for (row, padded) in rows
            .chunks_exact(inner)
            .zip(lines.as_mut_slice().chunks_exact_mut(width))
        {
            padded[..inner].copy_from_slice(row);
        }
        lines
    }

    /// Changes the length to a multiple of 32; what is new is 0. Keeps the memory it has.
    pub fn resize(&mut self, length: usize) {
        self.0.resize(length / 32, Line([0; 32]));
    }

    /// How many numbers.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() * 32
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers.
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> &[i16] {
        flat(&self.0)
    }

    /// The numbers, to be changed.
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

/// The width with padding.
pub(in crate::nn) fn padded_width(width: usize) -> usize {
    width.next_multiple_of(TILE)
}

/// Neurons of the second layer with padding: 16, 32 or 64.
pub(in crate::nn) fn padded_second(second: usize) -> usize {
    second.next_power_of_two().clamp(16, SECOND_MAX)
}

/// The second layer, by pairs of inputs.
pub(in crate::nn) fn pairs(weights: &[i16], shape: Shape, width: usize) -> Lines {
    let second = padded_second(shape.second);
    let mut lines = Lines::zeros(width * second);
    let slots = lines.as_mut_slice();
    for (neuron, row) in weights.chunks_exact(shape.width).enumerate() {
        for (input, &weight) in row.iter().enumerate() {
            slots[(input / 2 * second + neuron) * 2 + input % 2] = weight;
        }
    }
    lines
}

/// The layers that a forward pass reads.
#[derive(Debug)]
pub(in crate::nn) struct Net<'a> {
    pub(in crate::nn) rows: &'a Lines,
    pub(in crate::nn) second: &'a Lines,
    pub(in crate::nn) head: &'a OutputHead,
    pub(in crate::nn) shift: u32,
    pub(in crate::nn) passes: Passes,
}

/// What the first layer passes on of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::nn) enum Passes {
    /// Limited to 1.
    Clipped,
    /// The square, of a sum limited to 1.
    Squared,
    /// The square, of a sum limited to 2: a bit less before squaring, two more are kept after it.
    SquaredToTwo,
}

/// Sums of the second layer of one input.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::nn) struct Sums(pub(super) [i32; SECOND_MAX]);

impl Sums {
    pub(in crate::nn) const ZERO: Sums = Sums([0; SECOND_MAX]);
}

/// Inputs near to one whose first-layer sums are known.
#[derive(Debug, Clone, Copy)]
pub(in crate::nn) struct Batch<'a> {
    /// First-layer sums of the known input.
    pub(in crate::nn) from: &'a Lines,
    /// What changes for the first input, then for the second ...
    pub(in crate::nn) changes: &'a [InputDelta],
    /// Where each input's changes end; ascending.
    pub(in crate::nn) ends: &'a [u32],
}

impl<'a> Batch<'a> {
    /// The changes of each input.
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

/// A tile of the first layer, clipped, and a pair that is always zero.
#[repr(C, align(64))]
pub(super) struct Clipped(pub(super) [i16; TILE + 2]);

impl Clipped {
    pub(super) const ZERO: Clipped = Clipped([0; TILE + 2]);
}

/// The float part of a net.
#[derive(Debug, Clone)]
pub(in crate::nn) struct OutputHead {
    neurons: usize,
    scales: [f32; SECOND_MAX],
    bias: [f32; SECOND_MAX],
    /// A row of results per neuron, padded to eight lanes.
    weights: [[f32; 8]; SECOND_MAX],
    results_bias: [f32; 8],
    /// The greatest value that a neuron passes on.
    most: f32,
}

impl OutputHead {
    pub(in crate::nn) fn new(parts: &Parts) -> OutputHead {
        let second = parts.shape.second;
        let mut rest = OutputHead {
            neurons: padded_second(second),
            scales: [0.0; SECOND_MAX],
            bias: [0.0; SECOND_MAX],
            weights: [[0.0; 8]; SECOND_MAX],
            results_bias: [0.0; 8],
            most: parts.limits.second_most(),
        };
        rest.scales[..second].copy_from_slice(&parts.scales);
        rest.bias[..second].copy_from_slice(&parts.second_bias);
        rest.results_bias[..RESULTS].copy_from_slice(&parts.results_bias);
        for (result, row) in parts.results.chunks_exact(second).enumerate() {
            for (weights, &weight) in rest.weights.iter_mut().zip(row) {
                weights[result] = weight;
            }
        }
        rest
    }

    /// Padded number of neurons.
    #[inline(always)]
    pub(super) fn neurons(&self) -> usize {
        self.neurons
    }

    /// From the sums of the second layer to probabilities. Four partial sums, neuron `j` in
    /// number `j % 4`, added as (0 + 1) + (2 + 3), then the bias: the lanes are results, so a
    /// vector unit rounds just as plain code does. Never fused.
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
        let mut results = [0.0f32; 8];
        for k in 0..8 {
            let sum = (partial[0][k] + partial[1][k]) + (partial[2][k] + partial[3][k]);
            results[k] = sigmoid(sum + self.results_bias[k]);
        }
        [results[0], results[1], results[2], results[3], results[4]]
    }
}

/// `to = from + changes`.
#[inline]
pub(in crate::nn) fn accumulate(
    level: CpuLevel,
    rows: &Lines,
    from: &Lines,
    changes: &[InputDelta],
    to: &mut Lines,
) {
    match level.0 {
        Level::Scalar => scalar::accumulate(rows, from, changes, to),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            super::integer_x86::accumulate_avx2(level, rows, from, changes, to)
        }
        #[cfg(target_arch = "x86_64")]
        Level::Vnni => super::integer_x86::accumulate_vnni(level, rows, from, changes, to),
    }
}

/// The forward pass of every input of a batch into `out`, with `sums` as working space; both are
/// as long as the batch.
#[inline]
pub(in crate::nn) fn results(
    level: CpuLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    match level.0 {
        Level::Scalar => scalar::results(net, batch, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            super::integer_x86::results_avx2(level, net, batch, sums, out)
        }
        #[cfg(target_arch = "x86_64")]
        Level::Vnni => super::integer_x86::results_vnni(level, net, batch, sums, out),
    }
}

/// The slow, obvious twin of the kernels.
mod scalar {
    use super::{Batch, InputDelta, Lines, Net, Passes, SQUARE_SHIFT, Sums, TILE};
    use crate::nn::float_net::RESULTS;

    fn tile(
        rows: &Lines,
        from: &[i16],
        at: usize,
        width: usize,
        changes: &[InputDelta],
    ) -> [i16; TILE] {
        let mut sums = [0; TILE];
        sums.copy_from_slice(&from[at..at + TILE]);
        for change in changes {
            let row = &rows.as_slice()[usize::from(change.row) * width + at..][..TILE];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(weight.wrapping_mul(change.factor));
            }
        }
        sums
    }

    pub(super) fn accumulate(rows: &Lines, from: &Lines, changes: &[InputDelta], to: &mut Lines) {
        let width = from.len();
        for at in (0..width).step_by(TILE) {
            let sums = tile(rows, from.as_slice(), at, width, changes);
            to.as_mut_slice()[at..at + TILE].copy_from_slice(&sums);
        }
    }

    pub(super) fn results(net: &Net<'_>, batch: Batch<'_>, out: &mut [[f32; RESULTS]]) {
        for (changes, out) in batch.lists().zip(out) {
            *out = one(net, batch.from, changes);
        }
    }

    /// What a neuron of the first layer passes on of its sum.
    fn passed_on(net: &Net<'_>, sum: i16) -> i32 {
        let (limit, last) = match net.passes {
            Passes::Clipped => return i32::from(sum >> net.shift).clamp(0, 255),
            Passes::Squared => (1, SQUARE_SHIFT),
            Passes::SquaredToTwo => (2, SQUARE_SHIFT - 2),
        };
        let x = (i64::from(sum).clamp(0, (255 * limit) << net.shift) << (8 - net.shift)) / limit;
        ((((x * x) >> 16) + (1 << (last - 1))) >> last) as i32
    }

    fn one(net: &Net<'_>, from: &Lines, changes: &[InputDelta]) -> [f32; RESULTS] {
        let (width, second) = (from.len(), net.head.neurons());
        let mut sums = Sums::ZERO;
        for at in (0..width).step_by(TILE) {
            let tile = tile(net.rows, from.as_slice(), at, width, changes);
            let weights = &net.second.as_slice()[at * second..][..TILE * second];
            for (pair, weights) in (tile.chunks_exact(2)).zip(weights.chunks_exact(2 * second)) {
                let (a, b) = (passed_on(net, pair[0]), passed_on(net, pair[1]));
                if (a, b) == (0, 0) {
                    continue;
                }
                for (sum, weights) in sums.0.iter_mut().zip(weights.chunks_exact(2)) {
                    *sum += a * i32::from(weights[0]) + b * i32::from(weights[1]);
                }
            }
        }
        net.head.results(&sums)
    }
}
