//! Integer nets: the inference path of our own nets.
//!
//! The arithmetic (NF-10 to NF-14 of `protocol-specs/net-file.md`), the same bits on every CPU and in
//! every order of work:
//!
//! 1. First layer: `acc = bias + sum of value * row` in 16-bit integers that wrap; the values are small integers. A
//!    sound bound, computed when the net is quantised, shows that no reachable sum leaves 16 bits. Sums of a reference
//!    input are reused: [`IntegerNet::accumulate`] and [`IntegerNet::results`] begin with the sums of one input and add
//!    *changes*.
//! 2. Clip: `a = (acc >> shift)` limited to 0..=255; 255 stands for 1. A net whose first layer is squared
//!    squares the sum before it loses bits: `a` is 0..=1016 with the limit 1, 0..=4064 with the limit 2, and 1016 1/64
//!    stands for 1.
//! 3. Second layer: 32-bit sums of `a * weight`, weights of 8 or 13 bits with a scale per neuron.
//!    No sum can leave 32 bits (checked when a net is made).
//! 4. The output head in float32, each operation rounded by itself in one written order.

use super::activation::Passes;
use super::float_net::RESULTS;
use super::kernel::layout::{self, Accumulator, Aligned, InputDelta};
use super::kernel::{CpuLevel, integer};
use super::parts::{IntegerNetError, Parts};

/// Inputs worked on together.
const BATCH: usize = 32;
/// Working space of [`IntegerNet::results`].
#[derive(Debug, Clone)]
pub struct Workspace([layout::Sums; BATCH]);

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace([layout::Sums::ZERO; BATCH])
    }
}

/// A net ready to run on one level of CPU.
#[derive(Debug, Clone)]
pub struct IntegerNet {
    parts: Parts,
    level: CpuLevel,
    rows: Aligned,
    bias: Accumulator,
    second: Aligned,
    head: layout::OutputHead,
    width: usize,
}

impl IntegerNet {
    /// Arranges the parts for the best level of this CPU.
    ///
    /// # Errors
    /// See [`IntegerNetError`].
    pub fn new(parts: Parts) -> Result<IntegerNet, IntegerNetError> {
        parts.check()?;
        let (inner, width) = (parts.shape.width, layout::padded_width(parts.shape.width));
        let rows = Aligned::from_rows(&parts.rows, inner, width);
        let bias = Aligned::from_rows(&parts.bias, inner, width);
        let second = layout::pairs(&parts.second, parts.shape, width);
        let head = layout::OutputHead::new(&parts);
        Ok(IntegerNet {
            level: CpuLevel::detect(),
            rows,
            bias,
            second,
            head,
            width,
            parts,
        })
    }

    /// Returns the same net on another level of this CPU, for tests and measurements.
    #[must_use]
    pub fn at(mut self, level: CpuLevel) -> IntegerNet {
        self.level = level;
        self
    }

    /// Returns the level that runs.
    #[must_use]
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// Returns the parts that the net was built from.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the number of sums of the first layer, a multiple of 128 not below the width.
    #[must_use]
    pub fn sums(&self) -> usize {
        self.width
    }

    /// Returns the sums of the input in which everything is 0.
    #[must_use]
    pub fn empty(&self) -> Accumulator {
        self.bias.clone()
    }

    /// Sums `from` with `changes` into `to`; both have [`IntegerNet::sums`] numbers.
    ///
    /// # Panics
    /// When the lengths are wrong or a change names an input that is not there.
    pub fn accumulate(&self, from: &Accumulator, changes: &[InputDelta], to: &mut Accumulator) {
        self.check(from, changes);
        assert_eq!(to.len(), self.width, "sums of another net");
        integer::accumulate(self.level, &self.rows, from, changes, to);
    }

    /// Writes the five probabilities of many inputs to `out`. The sums of input `n` are `from` with the changes from
    /// `ends[n - 1]` (0 for the first) to `ends[n]`. The result of an input does not depend on the others.
    ///
    /// # Panics
    /// When a length is wrong, `ends` does not ascend or a change names an input that is not
    /// there.
    pub fn results(
        &self,
        from: &Accumulator,
        changes: &[InputDelta],
        ends: &[u32],
        workspace: &mut Workspace,
        out: &mut [[f32; RESULTS]],
    ) {
        self.check(from, changes);
        assert_eq!(ends.len(), out.len(), "as many results as inputs");
        let net = layout::Net {
            rows: &self.rows,
            second: &self.second,
            head: &self.head,
            shift: self.parts.shift,
            passes: Passes::of(self.parts.activation, self.parts.limits),
        };
        let mut start = 0;
        for (ends, out) in ends.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let end = ends.last().map_or(start, |&end| end as usize);
            let mut local = [0; BATCH];
            for (local, end) in local.iter_mut().zip(ends) {
                *local = end - start as u32;
            }
            let batch = layout::Batch {
                from,
                changes: &changes[start..end],
                ends: &local[..ends.len()],
            };
            integer::results(self.level, &net, batch, &mut workspace.0[..ends.len()], out);
            start = end;
        }
    }

    #[inline(always)]
    fn check(&self, from: &Accumulator, changes: &[InputDelta]) {
        assert_eq!(from.len(), self.width, "sums of another net");
        let inputs = self.parts.shape.inputs;
        // Not `all`: without an exit compilers vectorise it.
        let row = changes.iter().fold(0, |most, change| change.row.max(most));
        assert!(
            usize::from(row) < inputs,
            "an input that the net does not have"
        );
    }
}
