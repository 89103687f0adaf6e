//! Float master of an [`IntegerNet`](super::IntegerNet): what training makes and quantising reads.

use super::activation::{Activation, Limits};
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
