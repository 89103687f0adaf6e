//! A float net rounded to integers.

use super::activation::ONE;
use super::float_net::FloatNet;
use super::parts::{IntegerNetError, Parts, SHIFT_MAX, SecondBits};

/// Properties of the inputs that quantising needs.
pub struct InputUnits {
    /// Value of one unit of each input's integer as float.
    pub units: Vec<f32>,
    /// A usual value of each input's integer: what rounding a row does there goes into the bias.
    pub typical: Vec<f32>,
    /// Bounds of a sum, given the term of one unit of each input: the least and the greatest sum of inputs that can
    /// occur.
    pub reach: Box<dyn Fn(&[f64]) -> (f64, f64)>,
}

impl std::fmt::Debug for InputUnits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputUnits")
            .field("units", &self.units)
            .field("typical", &self.typical)
            .finish_non_exhaustive()
    }
}

/// Rounds a float net to integers: the first layer with the greatest shift (up to `shift_max`) at
/// which no sum can leave 16 bits.
///
/// # Errors
/// When the float net is not finite, or its first layer does not fit even unshifted.
pub fn quantise(
    net: &FloatNet,
    inputs: &InputUnits,
    bits: SecondBits,
    shift_max: u32,
) -> Result<Parts, IntegerNetError> {
    let shape = net.shape;
    if inputs.units.len() != shape.inputs || inputs.typical.len() != shape.inputs {
        let text = format!("{} inputs, expected {}", shape.inputs, inputs.units.len());
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

/// Returns the integer that a sum of 1 in the first layer becomes when [`quantise`] rounds the net: weights and biases are
/// rounded to multiples of its reciprocal, weights per unit of their input.
///
/// # Errors
/// When the first layer does not fit even unshifted.
pub fn first_layer_scale(
    net: &FloatNet,
    inputs: &InputUnits,
    shift_max: u32,
) -> Result<f64, IntegerNetError> {
    let shift = best_shift(net, inputs, shift_max.min(SHIFT_MAX))?;
    Ok(f64::from(ONE << shift))
}

fn best_shift(net: &FloatNet, inputs: &InputUnits, shift_max: u32) -> Result<u32, IntegerNetError> {
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
                "sums reach {:.1}, expected at most {:.1}",
                widest.0,
                room / 255.0
            ),
        })
}

fn quantise_first(net: &FloatNet, inputs: &InputUnits, shift: u32) -> (Vec<i16>, Vec<i16>) {
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
    let half = net.activation.rounding(shift);
    let bias = bias.iter().map(|value| value.round() as i16 + half);
    (rows, bias.collect())
}

fn quantise_second(net: &FloatNet, bits: SecondBits) -> (Vec<i16>, Vec<f32>) {
    let largest = f64::from(bits.largest());
    let one = net.activation.one();
    // The largest sum of a row's weights in size, rounding included, at which no sum leaves 32 bits.
    let greatest = net.activation.greatest(net.limits) as f64;
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
