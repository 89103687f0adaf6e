//! The integers and floats of an integer net, as they lie in a net file, and their invariants.

use super::activation::Activation;
use super::activation::Limits;
use super::float_net::{RESULTS, Shape};

/// Largest float of a net file: products and sums stay far inside float32.
const FLOAT_MAX: f32 = 1_048_576.0;
/// Largest shift of the first layer.
pub const SHIFT_MAX: u32 = 6;

/// Number of bits of the second layer's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondBits {
    /// -127..=127.
    Eight,
    /// -4095..=4095.
    Thirteen,
}

impl SecondBits {
    /// Returns the largest weight.
    #[must_use]
    pub const fn largest(self) -> i16 {
        match self {
            SecondBits::Eight => 127,
            SecondBits::Thirteen => 4095,
        }
    }
}

/// The integers and floats that make an [`super::IntegerNet`], as they lie in a net file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Sizes.
    pub shape: Shape,
    /// Activation of the first layer.
    pub activation: Activation,
    /// Limits of the hidden layers.
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
    /// Value of a unit of each neuron's sum.
    pub scales: Vec<f32>,
    /// Second layer, bias.
    pub second_bias: Vec<f32>,
    /// Results: a row of `second` weights per result.
    pub results: Vec<f32>,
    /// Results, bias.
    pub results_bias: [f32; RESULTS],
}

/// An error in the parts of a net, or in quantising a float net.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegerNetError {
    /// A size out of range or a tensor of the wrong length.
    #[error("{0}")]
    Shape(String),
    /// A weight that cannot be.
    #[error("{what} {index}: {reason}")]
    Weight {
        /// Name of the tensor.
        what: &'static str,
        /// Index of the element or neuron.
        index: usize,
        /// Description of the error.
        reason: String,
    },
}

impl Parts {
    /// Checks what [`super::IntegerNet::new`] refuses.
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
                let text = format!("{what}: {length} numbers, expected {want}");
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
        let greatest = self.activation.greatest(self.limits);
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
