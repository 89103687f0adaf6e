//! Integer nets: the inference path of our own nets.
//!
//! The arithmetic (NF-10 to NF-14 of `protocol-specs/net-file.md`), the same bits on every CPU and in
//! every order of work:
//!
//! 1. First layer: `acc = bias + sum of value * row` in 16-bit integers that wrap; the values are
//!    small integers. A sound bound, computed when the net is quantised, says that no reachable
//!    sum leaves 16 bits. Sums of a near input are reused: [`IntegerNet::accumulate`] and
//!    [`IntegerNet::results`] begin with the sums of one input and add *changes*.
//! 2. Clip: `a = (acc >> shift)` limited to 0..=255; 255 stands for 1. A net whose first layer is squared
//!    squares the sum before it loses bits: `a` is 0..=1016 with the limit 1, 0..=4064 with the limit 2, and 1016 1/64
//!    stands for 1.
//! 3. Second layer: 32-bit sums of `a * weight`, weights of 8 or 13 bits with a scale per neuron.
//!    No sum can leave 32 bits (checked when a net is made).
//! 4. The small rest in float32, each operation rounded by itself in one written order.

use super::float_net::{Activation, FloatNet, Limits, RESULTS, Shape};
use super::kernel::CpuLevel;
pub use super::kernel::integer::InputDelta;
use super::kernel::integer::{self as kernel, Lines};

/// The value of the clipped first layer that stands for 1.
pub(crate) const ONE: i32 = 255;
/// The value of the squared first layer that stands for 1: `ONE << 8` squared, shifted right by 16 and by
/// [`kernel::SQUARE_SHIFT`]. With the limit 2 it is `ONE << 7`, and two bits less at the end.
const ONE_SQUARED: f64 = (ONE * ONE) as f64 / (1 << kernel::SQUARE_SHIFT) as f64;
/// Largest float of a net file: whatever is multiplied and added stays far inside float32.
const FLOAT_MAX: f32 = 1_048_576.0;
/// Inputs worked on together.
const BATCH: usize = 16;
/// Largest shift of the first layer.
pub(crate) const SHIFT_MAX: u32 = 6;

/// How many bits the weights of the second layer have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondBits {
    /// -127..=127.
    Eight,
    /// -4095..=4095.
    Thirteen,
}

impl SecondBits {
    /// The largest weight.
    #[must_use]
    pub const fn largest(self) -> i16 {
        match self {
            SecondBits::Eight => 127,
            SecondBits::Thirteen => 4095,
        }
    }
}

/// Working space of [`IntegerNet::results`].
#[derive(Debug, Clone)]
pub struct Workspace([kernel::Sums; BATCH]);

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace([kernel::Sums::ZERO; BATCH])
    }
}

/// The integers and floats that make an [`IntegerNet`], as they lie in a net file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Sizes.
    pub shape: Shape,
    /// What the first layer passes on.
    pub activation: Activation,
    /// Where the hidden layers cut off.
    pub limits: Limits,
    /// The first layer has the scale `255 << shift`.
    pub shift: u32,
    /// Bits of the second layer's weights.
    pub bits: SecondBits,
    /// First layer: a row of `width` weights per input.
    pub rows: Vec<i16>,
    /// First layer, bias, with half a unit of the result for rounding when the activation is
    /// clipped.
    pub bias: Vec<i16>,
    /// Second layer: a row of `width` weights per neuron.
    pub second: Vec<i16>,
    /// What a unit of each neuron's sum is worth.
    pub scales: Vec<f32>,
    /// Second layer, bias.
    pub second_bias: Vec<f32>,
    /// Results: a row of `second` weights per result.
    pub results: Vec<f32>,
    /// Results, bias.
    pub results_bias: [f32; RESULTS],
}

/// Why parts do not make a net, or a float net cannot be quantised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegerNetError {
    /// A size out of range or a tensor of the wrong length.
    #[error("{0}")]
    Shape(String),
    /// A weight that cannot be.
    #[error("{what} {index}: {reason}")]
    Weight {
        /// Which tensor.
        what: &'static str,
        /// Which element or neuron.
        index: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A net ready to run on one level of CPU.
#[derive(Debug, Clone)]
pub struct IntegerNet {
    parts: Parts,
    level: CpuLevel,
    rows: Lines,
    bias: Lines,
    second: Lines,
    head: kernel::OutputHead,
    width: usize,
}

impl IntegerNet {
    /// Arranges the parts for the best level of this CPU.
    ///
    /// # Errors
    /// See [`IntegerNetError`].
    pub fn new(parts: Parts) -> Result<IntegerNet, IntegerNetError> {
        parts.check()?;
        let (inner, width) = (parts.shape.width, kernel::padded_width(parts.shape.width));
        let rows = Lines::from_rows(&parts.rows, inner, width);
        let bias = Lines::from_rows(&parts.bias, inner, width);
        let second = kernel::pairs(&parts.second, parts.shape, width);
        let head = kernel::OutputHead::new(&parts);
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

    /// The same net on another level of this CPU, for tests and measurements.
    #[must_use]
    pub fn at(mut self, level: CpuLevel) -> IntegerNet {
        self.level = level;
        self
    }

    /// The level that runs.
    #[must_use]
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// What the net was made from.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// How many sums the first layer has, a multiple of 128 not below the width.
    #[must_use]
    pub fn sums(&self) -> usize {
        self.width
    }

    /// The sums of the input in which everything is 0.
    #[must_use]
    pub fn empty(&self) -> Lines {
        self.bias.clone()
    }

    /// Sums `from` with `changes` into `to`; both have [`IntegerNet::sums`] numbers.
    ///
    /// # Panics
    /// When the lengths are wrong or a change names an input that is not there.
    pub fn accumulate(&self, from: &Lines, changes: &[InputDelta], to: &mut Lines) {
        self.check(from, changes);
        assert_eq!(to.len(), self.width, "sums of another net");
        kernel::accumulate(self.level, &self.rows, from, changes, to);
    }

    /// The five probabilities of many inputs into `out`. The sums of input `n` are `from` with
    /// the changes from `ends[n - 1]` (0 for the first) to `ends[n]`. What comes out for an input
    /// does not depend on the others.
    ///
    /// # Panics
    /// When a length is wrong, `ends` does not ascend or a change names an input that is not
    /// there.
    pub fn results(
        &self,
        from: &Lines,
        changes: &[InputDelta],
        ends: &[u32],
        workspace: &mut Workspace,
        out: &mut [[f32; RESULTS]],
    ) {
        self.check(from, changes);
        assert_eq!(ends.len(), out.len(), "as many results as inputs");
        let net = kernel::Net {
            rows: &self.rows,
            second: &self.second,
            head: &self.head,
            shift: self.parts.shift,
            passes: match (self.parts.activation, self.parts.limits.first) {
                (Activation::Crelu, _) => kernel::Passes::Clipped,
                (Activation::Screlu, 1) => kernel::Passes::Squared,
                (Activation::Screlu, _) => kernel::Passes::SquaredToTwo,
            },
        };
        let mut start = 0;
        for (ends, out) in ends.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let end = ends.last().map_or(start, |&end| end as usize);
            let mut local = [0; BATCH];
            for (local, end) in local.iter_mut().zip(ends) {
                *local = end - start as u32;
            }
            let batch = kernel::Batch {
                from,
                changes: &changes[start..end],
                ends: &local[..ends.len()],
            };
            kernel::results(self.level, &net, batch, &mut workspace.0[..ends.len()], out);
            start = end;
        }
    }

    #[inline(always)]
    fn check(&self, from: &Lines, changes: &[InputDelta]) {
        assert_eq!(from.len(), self.width, "sums of another net");
        let inputs = self.parts.shape.inputs;
        assert!(
            changes
                .iter()
                .all(|change| usize::from(change.row) < inputs),
            "an input that the net does not have"
        );
    }
}

impl Parts {
    /// What [`IntegerNet::new`] refuses.
    pub(crate) fn check(&self) -> Result<(), IntegerNetError> {
        let fault = self.shape.fault();
        if let Some(fault) = fault.or_else(|| self.limits.fault(self.activation)) {
            return Err(IntegerNetError::Shape(fault));
        }
        let Shape {
            inputs,
            width,
            second,
        } = self.shape;
        for (what, length, want) in [
            ("rows", self.rows.len(), inputs * width),
            ("bias", self.bias.len(), width),
            ("second layer", self.second.len(), second * width),
            ("scales", self.scales.len(), second),
            ("second bias", self.second_bias.len(), second),
            ("results", self.results.len(), RESULTS * second),
        ] {
            if length != want {
                let text = format!("{what}: {length} numbers, want {want}");
                return Err(IntegerNetError::Shape(text));
            }
        }
        if self.shift > SHIFT_MAX {
            let text = format!("shift {}, at most {SHIFT_MAX}", self.shift);
            return Err(IntegerNetError::Shape(text));
        }
        self.check_second()?;
        for (what, values) in [
            ("scale", &self.scales),
            ("second bias", &self.second_bias),
            ("result weight", &self.results),
            ("result bias", &self.results_bias.to_vec()),
        ] {
            let fits = |value: &f32| value.abs() <= FLOAT_MAX;
            if let Some(index) = values.iter().position(|value| !fits(value)) {
                let reason = match values[index] {
                    value if value.is_finite() => format!("{value} is beyond {FLOAT_MAX}"),
                    value => format!("{value} is not a number"),
                };
                return Err(IntegerNetError::Weight {
                    what,
                    index,
                    reason,
                });
            }
        }
        Ok(())
    }

    fn check_second(&self) -> Result<(), IntegerNetError> {
        let largest = self.bits.largest();
        for (index, &weight) in self.second.iter().enumerate() {
            if weight > largest || weight < -largest {
                let reason = format!("{weight}, at most {largest} in size");
                return Err(IntegerNetError::Weight {
                    what: "second weight",
                    index,
                    reason,
                });
            }
        }
        // No order of adding may leave 32 bits.
        let greatest = greatest(self.activation, self.limits);
        for (index, row) in self.second.chunks_exact(self.shape.width).enumerate() {
            let reach: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
            if reach * greatest > i64::from(i32::MAX) {
                let reason = format!("sums reach {}, beyond 32 bits", reach * greatest);
                return Err(IntegerNetError::Weight {
                    what: "second layer, neuron",
                    index,
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// The greatest value that the first layer passes on.
fn greatest(activation: Activation, limits: Limits) -> i64 {
    let limit = i64::from(limits.first);
    match activation {
        Activation::Crelu => i64::from(ONE) * limit,
        Activation::Screlu => ONE_SQUARED.ceil() as i64 * limit * limit,
    }
}

/// What quantising must know of the inputs.
#[derive(Debug)]
pub struct InputUnits<'a> {
    /// What one unit of each input's integer is worth as float.
    pub units: &'a [f32],
    /// A usual value of each input's integer: what rounding a row does there goes into the bias.
    pub typical: &'a [f32],
    /// Given what one unit of each input adds to a sum: the least and the greatest that inputs
    /// which can occur add together.
    pub reach: fn(&[f64]) -> (f64, f64),
}

/// Rounds a float net to integers: the first layer with the greatest shift (up to `shift_max`) at
/// which no sum can leave 16 bits.
///
/// # Errors
/// When the float net is not finite, or its first layer does not fit even unshifted.
pub fn quantise(
    net: &FloatNet,
    inputs: &InputUnits<'_>,
    bits: SecondBits,
    shift_max: u32,
) -> Result<Parts, IntegerNetError> {
    let shape = net.shape;
    if inputs.units.len() != shape.inputs || inputs.typical.len() != shape.inputs {
        let text = format!("{} inputs, want {}", shape.inputs, inputs.units.len());
        return Err(IntegerNetError::Shape(text));
    }
    for (what, values) in [("w1", &net.w1), ("b1", &net.b1), ("w2", &net.w2)] {
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let reason = format!("{} is not a number", values[index]);
            return Err(IntegerNetError::Weight {
                what,
                index,
                reason,
            });
        }
    }
    let shift = best_shift(net, inputs, shift_max.min(SHIFT_MAX))?;
    let (rows, bias) = quantise_first(net, inputs, shift);
    let (second, scales) = quantise_second(net, bits);
    let parts = Parts {
        shape,
        activation: net.activation,
        limits: net.limits,
        shift,
        bits,
        rows,
        bias,
        second,
        scales,
        second_bias: net.b2.clone(),
        results: net.w3.clone(),
        results_bias: net.b3,
    };
    parts.check()?;
    Ok(parts)
}

fn best_shift(
    net: &FloatNet,
    inputs: &InputUnits<'_>,
    shift_max: u32,
) -> Result<u32, IntegerNetError> {
    let mut widest = (0.0f64, 0);
    let mut column = vec![0.0; net.shape.inputs];
    for neuron in 0..net.shape.width {
        for (input, value) in column.iter_mut().enumerate() {
            let weight = net.w1[input * net.shape.width + neuron];
            *value = f64::from(weight) * f64::from(inputs.units[input]);
        }
        let (low, high) = (inputs.reach)(&column);
        let bias = f64::from(net.b1[neuron]);
        let reach = (high + bias).max(-(low + bias)).max(0.0);
        widest = if reach > widest.0 {
            (reach, neuron)
        } else {
            widest
        };
    }
    // Rounding moves every row by up to half a unit a piece: allow 600 units for it.
    let room = f64::from(i16::MAX) - 600.0;
    (0..=shift_max)
        .rev()
        .find(|&shift| widest.0 * f64::from(ONE << shift) <= room)
        .ok_or_else(|| IntegerNetError::Weight {
            what: "first layer, neuron",
            index: widest.1,
            reason: format!(
                "sums reach {:.1}, want at most {:.1}",
                widest.0,
                room / 255.0
            ),
        })
}

fn quantise_first(net: &FloatNet, inputs: &InputUnits<'_>, shift: u32) -> (Vec<i16>, Vec<i16>) {
    let width = net.shape.width;
    let scale = f64::from(ONE << shift);
    let mut bias: Vec<f64> = net.b1.iter().map(|&b| f64::from(b) * scale).collect();
    let mut rows = Vec::with_capacity(net.w1.len());
    for (input, row) in net.w1.chunks_exact(width).enumerate() {
        let unit = f64::from(inputs.units[input]) * scale;
        let typical = f64::from(inputs.typical[input]);
        for (&weight, bias) in row.iter().zip(&mut bias) {
            let exact = f64::from(weight) * unit;
            let rounded = exact.round();
            *bias += (exact - rounded) * typical;
            rows.push(rounded as i16);
        }
    }
    let half = match net.activation {
        Activation::Crelu if shift > 0 => 1 << (shift - 1),
        // What is squared is not shifted before.
        _ => 0,
    };
    let bias = bias.iter().map(|value| value.round() as i16 + half);
    (rows, bias.collect())
}

fn quantise_second(net: &FloatNet, bits: SecondBits) -> (Vec<i16>, Vec<f32>) {
    let largest = f64::from(bits.largest());
    let one = match net.activation {
        Activation::Crelu => f64::from(ONE),
        Activation::Screlu => ONE_SQUARED,
    };
    // What a row's weights may add up to in size, rounding included, if no sum is to leave 32 bits.
    let greatest = greatest(net.activation, net.limits) as f64;
    let room = f64::from(i32::MAX) / greatest - net.shape.width as f64;
    let mut weights = Vec::with_capacity(net.w2.len());
    let mut scales = Vec::with_capacity(net.b2.len());
    for row in net.w2.chunks_exact(net.shape.width) {
        let most = row
            .iter()
            .fold(0.0f64, |most, &w| most.max(f64::from(w).abs()));
        let size: f64 = row.iter().map(|&w| f64::from(w).abs()).sum();
        let step = match most {
            0.0 => 1.0,
            most => (most / largest).max(size / room),
        };
        weights.extend(row.iter().map(|&w| (f64::from(w) / step).round() as i16));
        scales.push((step / one) as f32);
    }
    (weights, scales)
}
