//! The float net that is trained: its shape, parameters and file.

use super::kernel::BLOCK;
use gammond_base::files;
use gammond_base::journal::write_whole;
use gammond_base::rng::ChaCha8Rng;
use gammond_engine::eval::nets::InputSet;
use gammond_engine::nn::format::FILE_BYTES_MAX;
use gammond_engine::nn::format::native::{self, Label};
use gammond_engine::nn::format::safetensors;
use gammond_engine::nn::{
    Activation, FloatNet, InputGroup, IntegerNetError, Limits, RESULTS, SecondBits,
    first_layer_scale, quantise,
};
use std::io;
use std::path::Path;

/// Output layers of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// A second layer, then five sigmoid outputs: chances.
    Sigmoid,
    /// Five linear outputs in place of the second layer and nothing behind them: they can only be compared, between
    /// the plays of a roll (NF-30).
    Linear,
    /// The same outputs, each with its own target (NF-33).
    Values,
}

impl Head {
    /// Returns true if the five outputs replace the second layer.
    pub(super) const fn is_linear(self) -> bool {
        !matches!(self, Head::Sigmoid)
    }
}

/// A net of `inputs` - `first` - `second` - 5 with clipped ReLU (squared in the first layer if wanted) and
/// sigmoid outputs, or of `inputs` - `first` - 5 that ranks plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Set of inputs.
    pub set: InputSet,
    /// Activation of the first layer.
    pub activation: Activation,
    /// Limits at which the hidden layers clip.
    pub limits: Limits,
    /// Layers after the first one.
    pub head: Head,
    /// Width of the first hidden layer.
    pub first: usize,
    /// Width of the second hidden layer; 5 with a linear head.
    pub second: usize,
    /// All parameters in the order of [`Layout`].
    pub values: Vec<f32>,
}

/// Offsets of the groups of parameters in [`Net::values`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Input rows of `first` values each: base inputs, then handcrafted ones.
    pub rows: usize,
    /// Biases of the first layer.
    pub bias1: usize,
    /// Second layer, `second` values for each unit of the first layer (transposed).
    pub weights2: usize,
    /// Biases of the second layer.
    pub bias2: usize,
    /// Output layer, `second` values for each of the five outputs.
    pub weights3: usize,
    /// Biases of the outputs.
    pub bias3: usize,
    /// Number of parameters.
    pub end: usize,
}

impl Layout {
    fn of(inputs: usize, first: usize, second: usize) -> Layout {
        let bias1 = inputs * first;
        let weights2 = bias1 + first;
        let bias2 = weights2 + first * second;
        let weights3 = bias2 + second;
        let bias3 = weights3 + 5 * second;
        Layout {
            rows: 0,
            bias1,
            weights2,
            bias2,
            weights3,
            bias3,
            end: bias3 + 5,
        }
    }
}

/// Block size of the first layer: its units are a multiple of this.
pub(super) const UNITS: usize = 64;
/// Bound of the random weights of the first layer, on both sides of 0.
const RANDOM_ROWS: f64 = 0.12;
/// Random biases of the first layer likewise.
const RANDOM_BIAS: f64 = 0.1;

/// Fills with random numbers up to `bound` on both sides of 0.
fn fill(values: &mut [f32], bound: f64, rng: &mut ChaCha8Rng) {
    for value in values {
        *value = ((gammond_base::rng::unit(rng) * 2.0 - 1.0) * bound) as f32;
    }
}

impl Net {
    /// Returns the number of inputs.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.set.inputs()
    }

    /// Returns the greatest value that the first layer passes on.
    pub(super) fn most_passed_on(&self) -> f32 {
        self.activation.most(self.limits)
    }

    /// Returns the offsets of the parameters.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::of(self.inputs(), self.first, self.second)
    }

    /// Returns a net with random weights, uniform within the usual bounds of each layer.
    #[must_use]
    pub fn random(set: InputSet, first: usize, second: usize, seed: u64) -> Net {
        let mut net = Net::zeros(set, Head::Sigmoid, first, second);
        let (l, v) = (net.layout(), &mut net.values);
        let rng = &mut gammond_base::rng::stream(seed, 0);
        fill(&mut v[l.rows..l.bias1], RANDOM_ROWS, rng);
        fill(&mut v[l.bias1..l.weights2], RANDOM_BIAS, rng);
        fill(
            &mut v[l.weights2..l.bias2],
            (3.0 / first as f64).sqrt(),
            rng,
        );
        fill(&mut v[l.bias2..l.weights3], 0.1, rng);
        fill(
            &mut v[l.weights3..l.bias3],
            (1.0 / second as f64).sqrt(),
            rng,
        );
        net
    }

    /// Returns a small net with random weights and a linear head, every unit in the middle of its range.
    #[must_use]
    pub(crate) fn random_small(head: Head, first: usize, rng: &mut ChaCha8Rng) -> Net {
        let mut net = Net::zeros(InputSet::COUNTS, head, first, RESULTS);
        let (l, v) = (net.layout(), &mut net.values);
        fill(&mut v[l.rows..l.bias1], 0.15, rng);
        fill(&mut v[l.weights2..l.bias2], 0.15, rng);
        v[l.bias1..l.weights2].fill(0.5);
        net
    }

    fn zeros(set: InputSet, head: Head, first: usize, second: usize) -> Net {
        Net {
            set,
            activation: Activation::Crelu,
            limits: Limits::default(),
            head,
            first,
            second,
            values: vec![0.0; Layout::of(set.inputs(), first, second).end],
        }
    }

    /// Returns the net with the inputs of `set`, which must begin with its own; it answers the same, as the new ones
    /// have no weight yet.
    #[must_use]
    pub(crate) fn with_inputs(&self, set: InputSet) -> Option<Net> {
        if !set.begins_with(self.set) {
            return None;
        }
        let mut values = self.values.clone();
        let at = self.layout().bias1;
        let more = (set.inputs() - self.inputs()) * self.first;
        values.splice(at..at, std::iter::repeat_n(0.0, more));
        Some(Net {
            set,
            values,
            ..self.clone()
        })
    }

    /// Returns the net with a wider first layer that answers the same, or nearly. Where there is room for whole copies
    /// of the units, each unit's copies share its weights to the second layer unevenly and differ by a few per cent, so
    /// that they can part. Units beyond those copies have random inputs, and weight zero in the next layer. `None` when
    /// `first` is less than the present width, or no multiple of 64.
    #[must_use]
    pub(crate) fn widened(&self, first: usize, seed: u64) -> Option<Net> {
        let copies = first / self.first;
        if copies == 0 || !first.is_multiple_of(UNITS) {
            return None;
        }
        let fresh = first - copies * self.first;
        let (l, v) = (self.layout(), &self.values);
        let rng = &mut gammond_base::rng::stream(seed, 1);
        let mut values = Vec::with_capacity(Layout::of(self.inputs(), first, self.second).end);
        for (number, row) in v[..l.weights2].chunks_exact(self.first).enumerate() {
            for _ in 0..copies {
                values.extend(row.iter().map(|&value| match copies {
                    1 => value,
                    _ => value * (1.0 + ((gammond_base::rng::unit(rng) - 0.5) * 0.04) as f32),
                }));
            }
            let bound = if number == self.inputs() {
                RANDOM_BIAS
            } else {
                RANDOM_ROWS
            };
            let at = values.len();
            values.resize(at + fresh, 0.0);
            fill(&mut values[at..], bound, rng);
        }
        let mut rng = gammond_base::rng::stream(seed, 2);
        let shares: Vec<Vec<f32>> = (0..self.first)
            .map(|_| {
                let parts: Vec<f64> = (0..copies)
                    .map(|_| 0.5 + gammond_base::rng::unit(&mut rng))
                    .collect();
                let sum: f64 = parts.iter().sum();
                parts.iter().map(|part| (part / sum) as f32).collect()
            })
            .collect();
        for copy in 0..copies {
            for (unit, weights) in v[l.weights2..l.bias2].chunks_exact(self.second).enumerate() {
                values.extend(weights.iter().map(|w| w * shares[unit][copy]));
            }
        }
        values.resize(values.len() + fresh * self.second, 0.0);
        values.extend_from_slice(&v[l.bias2..]);
        Some(Net {
            first,
            values,
            ..self.clone()
        })
    }

    /// Returns the net in the form of float net files.
    #[must_use]
    pub(crate) fn to_float(&self) -> FloatNet {
        let (l, v) = (self.layout(), &self.values);
        let (h1, h2) = (self.first, self.second);
        let group = |name: &str, inputs| InputGroup {
            name: name.into(),
            inputs,
        };
        let groups = self.set.tensors().map(|(name, inputs)| group(name, inputs));
        let groups = groups.collect();
        let mut net = FloatNet::zeros(groups, h1, h2);
        (net.activation, net.limits) = (self.activation, self.limits);
        net.w1.copy_from_slice(&v[l.rows..l.bias1]);
        net.b1.copy_from_slice(&v[l.bias1..l.weights2]);
        for i in 0..h1 {
            for j in 0..h2 {
                net.w2[j * h1 + i] = v[l.weights2 + i * h2 + j];
            }
        }
        net.b2.copy_from_slice(&v[l.bias2..l.weights3]);
        net.w3.copy_from_slice(&v[l.weights3..l.bias3]);
        net.b3.copy_from_slice(&v[l.bias3..l.end]);
        net
    }

    /// Returns a net to train from the form of float net files; `None` when it has other inputs or widths than the
    /// trainer supports (first layer a multiple of 64, second 16, 32 or 64).
    #[must_use]
    pub(crate) fn from_float(net: &FloatNet) -> Option<Net> {
        let (h1, h2) = (net.shape.width, net.shape.second);
        let set = InputSet::of_size(net.shape.inputs)?;
        if h1 % BLOCK != 0 || ![16, 32, 64].contains(&h2) {
            return None;
        }
        let mut values = net.w1.clone();
        values.extend_from_slice(&net.b1);
        for i in 0..h1 {
            values.extend((0..h2).map(|j| net.w2[j * h1 + i]));
        }
        values.extend_from_slice(&net.b2);
        values.extend_from_slice(&net.w3);
        values.extend_from_slice(&net.b3);
        Some(Net {
            set,
            activation: net.activation,
            limits: net.limits,
            head: Head::Sigmoid,
            first: h1,
            second: h2,
            values,
        })
    }

    /// Returns the net rounded to integers, as the bytes of a net file.
    ///
    /// # Errors
    /// When the weights do not fit; see [`quantise`].
    pub fn to_integer(&self, name: &str, class: &str) -> Result<Vec<u8>, IntegerNetError> {
        let set = self.set;
        let bits = SecondBits::Thirteen;
        let parts = quantise(&self.to_float(), &set.units(), bits, self.shift_max())?;
        let label = Label {
            name: name.into(),
            inputs: set.name(),
            class: class.into(),
        };
        Ok(native::write(&label, &parts))
    }

    /// Returns the greatest shift of the first layer's integers.
    const fn shift_max(&self) -> u32 {
        match self.head {
            Head::Sigmoid => 4,
            Head::Linear | Head::Values => 3,
        }
    }

    /// Returns the integer that a sum of 1 in the first layer becomes in [`to_integer`](Net::to_integer).
    ///
    /// # Errors
    /// When the weights do not fit.
    pub(super) fn first_layer_scale(&self) -> Result<f64, IntegerNetError> {
        first_layer_scale(&self.to_float(), &self.set.units(), self.shift_max())
    }

    /// Writes the net in the safetensors form (float32), whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_bytes())
    }

    /// Returns the contents of the safetensors form.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        safetensors::write(&self.to_float())
    }

    /// Reads a net from the safetensors form.
    ///
    /// # Errors
    /// When the file cannot be read or is not such a net.
    pub fn load(path: &Path) -> io::Result<Net> {
        Net::from_bytes(&files::read(path, FILE_BYTES_MAX)?)
    }

    /// Reads the contents of the safetensors form.
    pub(super) fn from_bytes(bytes: &[u8]) -> io::Result<Net> {
        let invalid = io::ErrorKind::InvalidData;
        let net = safetensors::read(bytes).map_err(|error| io::Error::new(invalid, error))?;
        Net::from_float(&net)
            .ok_or_else(|| io::Error::new(invalid, "not a shape that can be trained"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_form_and_back() {
        let mut net = Net::random(InputSet::COUNTS_HAND, 64, 16, 5);
        net.activation = Activation::Screlu;
        net.limits = Limits::WIDE;
        assert_eq!(Net::from_float(&net.to_float()), Some(net.clone()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.net");
        net.save(&path).unwrap();
        assert_eq!(Net::load(&path).unwrap(), net);
        assert!(net.to_integer("a", "contact").unwrap().len() > 1000);
    }

    #[test]
    fn a_widened_net_answers_nearly_the_same() {
        use crate::training::{shard::Label, step::Trainer};
        let net = Net::random(InputSet::COUNTS_HAND, 64, 16, 5);
        let wide = net.widened(192, 9).unwrap();
        assert_eq!((wide.first, wide.values.len()), (192, wide.layout().end));
        let start = gammond_game::Position::start();
        let label = [Label::new(start, 0, [0.6, 0.2, 0.1, 0.2, 0.1])];
        let (one, two) = (
            Trainer::new(net.clone()).loss(&label),
            Trainer::new(wide).loss(&label),
        );
        assert!(
            (one - two).abs() < 0.02 && (one - two).abs() > 0.0,
            "{one} {two}"
        );
        assert_eq!(net.widened(100, 9), None);
        // Half as many again, with weight zero in the next layer.
        let net = Net::random(InputSet::COUNTS_HAND, 128, 16, 5);
        let loss = |net: Net| Trainer::new(net).loss(&label);
        let more = loss(net.widened(192, 9).unwrap());
        assert!((more - loss(net.clone())).abs() < 1e-7, "{more}");
        assert_eq!(net.widened(64, 9), None);
    }

    #[test]
    fn inputs_are_added_without_weight() {
        use crate::training::{shard::Label, step::Trainer};
        let net = Net::random(InputSet::COUNTS, 64, 16, 5);
        let more = net.with_inputs(InputSet::COUNTS_OFF).unwrap();
        assert_eq!(more.values.len(), more.layout().end);
        assert_eq!(Net::from_float(&more.to_float()), Some(more.clone()));
        let mut counts = [0; 25];
        counts[6] = 3;
        let race = gammond_game::Position::new(&counts, &counts).unwrap();
        let label = [Label::new(race, 1, [0.6, 0.2, 0.1, 0.2, 0.1])];
        let mut trainers = [net, more.clone()].map(Trainer::new);
        let [one, two] = [0, 1].map(|i| trainers[i].loss(&label));
        assert_eq!(one, two);
        assert_eq!(more.with_inputs(InputSet::COUNTS_HAND), None);
    }
}
