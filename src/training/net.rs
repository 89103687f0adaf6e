//! The float net that is trained: its shape, parameters and file.

use super::encode::{BASE, HAND};
use std::io::{self, Read, Write};
use std::path::Path;

/// A net of `inputs` - `first` - `second` - 5 with clipped ReLU and sigmoid outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Whether the 40 hand-made inputs are used.
    pub with_hand: bool,
    /// Width of the first hidden layer.
    pub first: usize,
    /// Width of the second hidden layer.
    pub second: usize,
    /// All parameters in the order of [`Layout`].
    pub values: Vec<f32>,
}

/// Where each group of parameters begins in [`Net::values`].
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Input rows of `first` values each: base inputs, then hand-made ones.
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

impl Net {
    /// Number of inputs.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        if self.with_hand { BASE + HAND } else { BASE }
    }

    /// Where the parameters are.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::of(self.inputs(), self.first, self.second)
    }

    /// A net with random weights, uniform within the usual bounds of each layer.
    #[must_use]
    pub fn random(with_hand: bool, first: usize, second: usize, seed: u64) -> Net {
        let inputs = if with_hand { BASE + HAND } else { BASE };
        let layout = Layout::of(inputs, first, second);
        let mut rng = crate::rng::stream(seed, 0);
        let mut values = vec![0.0; layout.end];
        let mut fill = |range: std::ops::Range<usize>, bound: f64| {
            for value in &mut values[range] {
                *value = ((crate::rng::unit(&mut rng) * 2.0 - 1.0) * bound) as f32;
            }
        };
        fill(layout.rows..layout.bias1, 0.12);
        fill(layout.bias1..layout.weights2, 0.1);
        fill(layout.weights2..layout.bias2, (3.0 / first as f64).sqrt());
        fill(layout.bias2..layout.weights3, 0.1);
        fill(layout.weights3..layout.bias3, (1.0 / second as f64).sqrt());
        Net {
            with_hand,
            first,
            second,
            values,
        }
    }

    fn tensors(&self) -> Vec<(&'static str, Vec<usize>, Vec<f32>)> {
        let l = self.layout();
        let v = &self.values;
        let (h1, h2) = (self.first, self.second);
        let mut w2 = vec![0.0; h1 * h2];
        for i in 0..h1 {
            for j in 0..h2 {
                w2[j * h1 + i] = v[l.weights2 + i * h2 + j];
            }
        }
        let base = l.rows + BASE * h1;
        let mut all = vec![("w_base", vec![BASE, h1], v[l.rows..base].to_vec())];
        all.push(("b1", vec![h1], v[l.bias1..l.weights2].to_vec()));
        if self.with_hand {
            all.push(("w_hand", vec![HAND, h1], v[base..l.bias1].to_vec()));
        }
        all.push(("w2", vec![h2, h1], w2));
        all.push(("b2", vec![h2], v[l.bias2..l.weights3].to_vec()));
        all.push(("w3", vec![5, h2], v[l.weights3..l.bias3].to_vec()));
        all.push(("b3", vec![5], v[l.bias3..l.end].to_vec()));
        all
    }

    /// Writes the net in the safetensors form (float32), through a temporary file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut header = serde_json::Map::new();
        let mut bytes = Vec::new();
        for (name, shape, values) in self.tensors() {
            let start = bytes.len();
            for value in values {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            header.insert(
                name.to_owned(),
                serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [start, bytes.len()]}),
            );
        }
        let header = serde_json::Value::Object(header).to_string();
        let partial = path.with_extension("partial");
        let mut file = std::fs::File::create(&partial)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::rename(partial, path)
    }

    /// Reads a net from the safetensors form.
    ///
    /// # Errors
    /// When the file cannot be read or is not such a net.
    pub fn load(path: &Path) -> io::Result<Net> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.read_to_end(&mut bytes)?;
        Net::parse(&bytes).ok_or_else(|| {
            let text = format!("{}: not a float net in safetensors form", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        })
    }

    fn parse(bytes: &[u8]) -> Option<Net> {
        let length = usize::try_from(u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?)).ok()?;
        let header: serde_json::Value =
            serde_json::from_slice(bytes.get(8..)?.get(..length)?).ok()?;
        let data = bytes.get(8 + length..)?;
        let tensor = |name: &str, len: usize| -> Option<Vec<f32>> {
            let offsets = header.get(name)?.get("data_offsets")?;
            let from = usize::try_from(offsets.get(0)?.as_u64()?).ok()?;
            let to = usize::try_from(offsets.get(1)?.as_u64()?).ok()?;
            let raw = data.get(from..to)?;
            let floats = raw
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect::<Vec<f32>>();
            (floats.len() == len).then_some(floats)
        };
        let size = |name: &str, axis: usize| -> Option<usize> {
            let size = header.get(name)?.get("shape")?.get(axis)?.as_u64()?;
            (size <= 1 << 16).then_some(size as usize)
        };
        let (first, second) = (size("b1", 0)?, size("b2", 0)?);
        let with_hand = header.get("w_hand").is_some();
        let mut values = tensor("w_base", BASE * first)?;
        if with_hand {
            values.extend(tensor("w_hand", HAND * first)?);
        }
        values.extend(tensor("b1", first)?);
        let w2 = tensor("w2", first * second)?;
        for i in 0..first {
            values.extend((0..second).map(|j| w2[j * first + i]));
        }
        values.extend(tensor("b2", second)?);
        values.extend(tensor("w3", 5 * second)?);
        values.extend(tensor("b3", 5)?);
        Some(Net {
            with_hand,
            first,
            second,
            values,
        })
    }
}
