//! Float master of an [`IntegerNet`](super::IntegerNet): what training makes and quantising reads.

use super::activation::Activation;
use std::collections::BTreeMap;

/// Results of a net: five probabilities.
pub const RESULTS: usize = 5;
/// Widest first layer.
pub const WIDTH_MAX: usize = 1024;
/// Widest second layer.
pub const SECOND_MAX: usize = 64;
/// Most inputs.
pub const INPUTS_MAX: usize = 4096;

/// Numbers of inputs and neurons of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Inputs, at most [`INPUTS_MAX`].
    pub inputs: usize,
    /// Neurons of the first layer, at most [`WIDTH_MAX`].
    pub width: usize,
    /// Neurons of the second layer, at most [`SECOND_MAX`].
    pub second: usize,
}

impl Shape {
    /// Returns the reason why this shape is invalid; `None` if it is valid.
    pub(crate) fn fault(self) -> Option<String> {
        let Shape {
            inputs,
            width,
            second,
        } = self;
        for (what, value, most) in [
            ("inputs", inputs, INPUTS_MAX),
            ("first layer", width, WIDTH_MAX),
            ("second layer", second, SECOND_MAX),
        ] {
            if value == 0 || value > most {
                return Some(format!("{what}: {value}, expected 1 to {most}"));
            }
        }
        None
    }
}

/// Upper limits of the outputs of the two hidden layers. A unit at its limit learns nothing and no longer distinguishes
/// two plays, so limits are as wide as the integers allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Limit of the sums of the first layer: 1 or (only when they are squared) 2.
    pub first: u8,
    /// True if sums of the second layer are limited to 0..=1; else they are only kept from being negative.
    pub second: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            first: 1,
            second: true,
        }
    }
}

impl Limits {
    /// Limits with which nets train best: 2, and none in the second layer. For a squared first layer.
    pub const WIDE: Limits = Limits {
        first: 2,
        second: false,
    };

    /// Returns the reason why these limits are invalid with `activation`; `None` if they are valid.
    #[must_use]
    pub fn fault(self, activation: Activation) -> Option<String> {
        match self.first {
            first if (1..=activation.limit_max()).contains(&first) => None,
            2 => Some("first layer's limit 2, expected 1 where it is not squared".into()),
            first => Some(format!("first layer's limit {first}, expected 1 or 2")),
        }
    }

    /// Returns the greatest value that the second layer passes on.
    #[must_use]
    pub const fn second_most(self) -> f32 {
        if self.second { 1.0 } else { f32::MAX }
    }
}

/// A named group of inputs: tensor `w_NAME` of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputGroup {
    /// Name, such as `base` or `hand`.
    pub name: String,
    /// Number of inputs.
    pub inputs: usize,
}

/// Weights in float32.
///
/// With `clip(x)` = x limited by [`Limits`] the net is `a1 = clip(b1 + sum of value * row of w1)` (or its square),
/// `a2 = clip(b2 + w2 a1)`, results `sigmoid(b3 + w3 a2)`. Matrices are row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatNet {
    /// Sizes.
    pub shape: Shape,
    /// Activation of the first layer.
    pub activation: Activation,
    /// Limits of the hidden layers.
    pub limits: Limits,
    /// The groups of inputs, in order.
    pub groups: Vec<InputGroup>,
    /// First layer: a row of `width` weights per input.
    pub w1: Vec<f32>,
    /// First layer, bias.
    pub b1: Vec<f32>,
    /// Second layer: a row of `width` weights per neuron.
    pub w2: Vec<f32>,
    /// Second layer, bias.
    pub b2: Vec<f32>,
    /// Results: a row of `second` weights per result.
    pub w3: Vec<f32>,
    /// Results, bias.
    pub b3: [f32; RESULTS],
    /// Free text of the file's header.
    pub metadata: BTreeMap<String, String>,
}

impl FloatNet {
    /// Returns a net of this shape with all weights 0.
    #[must_use]
    pub fn zeros(groups: Vec<InputGroup>, width: usize, second: usize) -> FloatNet {
        let inputs = groups.iter().map(|group| group.inputs).sum();
        FloatNet {
            shape: Shape {
                inputs,
                width,
                second,
            },
            activation: Activation::Crelu,
            limits: Limits::default(),
            groups,
            w1: vec![0.0; inputs * width],
            b1: vec![0.0; width],
            w2: vec![0.0; second * width],
            b2: vec![0.0; second],
            w3: vec![0.0; RESULTS * second],
            b3: [0.0; RESULTS],
            metadata: BTreeMap::new(),
        }
    }

    /// Returns the forward pass in float64: slow, for tests and for judging quantisation. `inputs` are pairs of input
    /// number and value; the others are 0.
    #[must_use]
    pub fn results(&self, inputs: &[(usize, f64)]) -> [f64; RESULTS] {
        let width = self.shape.width;
        let mut first: Vec<f64> = self.b1.iter().map(|&b| f64::from(b)).collect();
        for &(input, value) in inputs {
            let row = &self.w1[input * width..][..width];
            for (sum, &weight) in first.iter_mut().zip(row) {
                *sum += value * f64::from(weight);
            }
        }
        for value in &mut first {
            *value = self.activation.of(*value, self.limits);
        }
        let most = f64::from(self.limits.second_most());
        let second: Vec<f64> = (self.w2.chunks_exact(width).zip(&self.b2))
            .map(|(row, &bias)| (dot(row, &first) + f64::from(bias)).clamp(0.0, most))
            .collect();
        std::array::from_fn(|k| {
            let row = &self.w3[k * second.len()..][..second.len()];
            let sum = f64::from(self.b3[k]) + dot(row, &second);
            f64::from(super::sigmoid::sigmoid(sum as f32))
        })
    }
}

fn dot(row: &[f32], values: &[f64]) -> f64 {
    row.iter()
        .zip(values)
        .map(|(&weight, &value)| f64::from(weight) * value)
        .sum()
}
