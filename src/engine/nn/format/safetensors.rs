//! Float nets as safetensors files (NF-20): a little-endian length, a JSON header, then tensors.
//!
//! Tensors, all `F32`, row-major, with their shapes: `w_NAME` `[inputs, width]` for each group of inputs,
//! in the order in which they lie in the file; `b1` `[width]`, `w2` `[second, width]`, `b2` `[second]`,
//! `w3` `[5, second]`, `b3` `[5]`. Other tensors are ignored.

use crate::nn::Activation;
use crate::nn::activation::Limits;
use crate::nn::float_net::{FloatNet, InputGroup, RESULTS, Shape};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Key of the metadata that names the first layer's activation when it is not the clipped one.
const ACTIVATION: &str = "first_layer";
/// ... the first layer's limit when it is not 1.
const FIRST_LIMIT: &str = "first_limit";
/// ... the second layer's activation when it is not the clipped one.
const SECOND: &str = "second_layer";
/// A second layer that is only kept from being negative.
const RELU: &str = "relu";
/// Keys of the metadata without effect on the arithmetic.
const TEXTS: [&str; 4] = ["format", "name", "net", "recipe"];
/// Metadata that other writers add to nets with default values.
const DEFAULTS: [(&str, &str); 2] = [("activation", "clip01"), ("output", "sigmoid")];
/// Longest header.
const HEADER_MAX: usize = 1 << 20;

/// An error in a float net file: offset and reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct SafetensorsError {
    /// Offset in the file.
    pub at: usize,
    /// Description of the error.
    pub reason: String,
}

/// Returns true if a file that begins so is one of tensors: after the length of the header comes its JSON.
#[must_use]
pub fn looks_like_one(start: &[u8]) -> bool {
    let header = start
        .first_chunk::<8>()
        .map(|&length| u64::from_le_bytes(length));
    header.is_some_and(|length| length <= HEADER_MAX as u64) && start.get(8) == Some(&b'{')
}

fn fail<T>(at: usize, reason: impl Into<String>) -> Result<T, SafetensorsError> {
    Err(SafetensorsError {
        at,
        reason: reason.into(),
    })
}

#[derive(Debug)]
struct Tensor {
    shape: Vec<usize>,
    begin: usize,
    end: usize,
}

/// Reads a float net.
///
/// # Errors
/// See [`SafetensorsError`].
pub fn read(bytes: &[u8]) -> Result<FloatNet, SafetensorsError> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return fail(bytes.len(), "ends within the header's length");
    };
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > HEADER_MAX {
        return fail(0, format!("header of {length} bytes, at most {HEADER_MAX}"));
    }
    let Some((header, data)) = rest.split_at_checked(length) else {
        return fail(
            bytes.len(),
            format!("ends within the header of {length} bytes"),
        );
    };
    let header: Map<String, Value> = serde_json::from_slice(header).or_else(|error| {
        fail(
            8 + error.column().saturating_sub(1),
            format!("header: {error}"),
        )
    })?;
    let mut tensors = BTreeMap::new();
    let mut metadata = BTreeMap::new();
    for (name, value) in header {
        if name == "__metadata__" {
            metadata = texts(&value)?;
        } else {
            let tensor = tensor(&name, &value, data.len())?;
            tensors.insert(name, tensor);
        }
    }
    let file = File {
        base: 8 + length,
        data,
        tensors,
    };
    file.net(metadata)
}

/// Returns the metadata. An unknown key could change the net's results, so it is refused.
fn texts(value: &Value) -> Result<BTreeMap<String, String>, SafetensorsError> {
    let Some(object) = value.as_object() else {
        return fail(8, format!("metadata: {value}, expected texts by name"));
    };
    let text_entry = |(key, value): (&String, &Value)| {
        let Some(text) = value.as_str() else {
            return fail(8, format!("metadata {key}: {value}, expected a text"));
        };
        let known = [ACTIVATION, FIRST_LIMIT, SECOND].contains(&key.as_str())
            || TEXTS.contains(&key.as_str())
            || DEFAULTS.contains(&(key.as_str(), text));
        if known {
            Ok((key.clone(), text.to_owned()))
        } else {
            fail(8, format!("metadata {key} = {text}: not known"))
        }
    };
    object.iter().map(text_entry).collect()
}

fn tensor(name: &str, value: &Value, data: usize) -> Result<Tensor, SafetensorsError> {
    let numbers = |key: &str| -> Option<Vec<usize>> {
        let list = value.get(key)?.as_array()?;
        list.iter()
            .map(|number| usize::try_from(number.as_u64()?).ok())
            .collect()
    };
    if value.get("dtype").and_then(Value::as_str) != Some("F32") {
        return fail(8, format!("{name}: dtype is not F32"));
    }
    let (Some(shape), Some(offsets)) = (numbers("shape"), numbers("data_offsets")) else {
        return fail(8, format!("{name}: no shape or offsets"));
    };
    let &[begin, end] = offsets.as_slice() else {
        return fail(
            8,
            format!("tensor {name}: data_offsets: expected two numbers"),
        );
    };
    let count = shape
        .iter()
        .try_fold(4usize, |count, &side| count.checked_mul(side));
    if end > data || begin > end || Some(end - begin) != count {
        let reason = format!("{name}: bytes {begin}..{end} of {data} do not hold {shape:?}");
        return fail(8, reason);
    }
    Ok(Tensor { shape, begin, end })
}

struct File<'a> {
    base: usize,
    data: &'a [u8],
    tensors: BTreeMap<String, Tensor>,
}

impl File<'_> {
    fn net(&self, mut metadata: BTreeMap<String, String>) -> Result<FloatNet, SafetensorsError> {
        let activation = match metadata.remove(ACTIVATION) {
            None => Activation::Crelu,
            Some(name) => (Activation::ALL.into_iter())
                .find(|activation| activation.name() == name)
                .map_or_else(|| fail(8, format!("first_layer {name}: not known")), Ok)?,
        };
        let limits = limits(&mut metadata)?;
        if let Some(fault) = limits.fault(activation) {
            return fail(8, fault);
        }
        let Some(bias) = self.tensors.get("b1") else {
            return fail(8, "no tensor b1");
        };
        let width = bias.shape.iter().product();
        let mut first: Vec<(&String, &Tensor)> = (self.tensors.iter())
            .filter(|(name, _)| name.starts_with("w_"))
            .collect();
        first.sort_by_key(|(_, tensor)| tensor.begin);
        let (mut groups, mut w1) = (Vec::new(), Vec::new());
        for (name, tensor) in first {
            let inputs = match tensor.shape.as_slice() {
                &[inputs, columns] if columns == width => inputs,
                shape => return fail(8, format!("{name}: shape {shape:?}, expected [_, {width}]")),
            };
            w1.extend(self.values(name, &[inputs, width])?);
            groups.push(InputGroup {
                name: name.trim_start_matches("w_").to_owned(),
                inputs,
            });
        }
        let second = match self.tensors.get("b2") {
            Some(tensor) => tensor.shape.iter().product(),
            None => return fail(8, "no tensor b2"),
        };
        let shape = Shape {
            inputs: groups.iter().map(|group| group.inputs).sum(),
            width,
            second,
        };
        if let Some(fault) = shape.fault() {
            return fail(8, fault);
        }
        let mut b3 = [0.0; RESULTS];
        b3.copy_from_slice(&self.values("b3", &[RESULTS])?);
        Ok(FloatNet {
            shape,
            activation,
            limits,
            groups,
            w1,
            b1: self.values("b1", &[width])?,
            w2: self.values("w2", &[second, width])?,
            b2: self.values("b2", &[second])?,
            w3: self.values("w3", &[RESULTS, second])?,
            b3,
            metadata,
        })
    }

    fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, SafetensorsError> {
        let Some(tensor) = self.tensors.get(name) else {
            return fail(8, format!("no tensor {name}"));
        };
        if tensor.shape != shape {
            let reason = format!("{name}: shape {:?}, expected {shape:?}", tensor.shape);
            return fail(8, reason);
        }
        let bytes = self.data.get(tensor.begin..tensor.end).unwrap_or_default();
        let mut values = Vec::with_capacity(bytes.len() / 4);
        for (index, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
            let value = f32::from_le_bytes(*word);
            if !value.is_finite() {
                let at = self.base + tensor.begin + 4 * index;
                return fail(at, format!("{name}: element {index} is {value}"));
            }
            values.push(value);
        }
        Ok(values)
    }
}

/// Removes the limits from the metadata and parses them.
fn limits(metadata: &mut BTreeMap<String, String>) -> Result<Limits, SafetensorsError> {
    let first = match metadata.remove(FIRST_LIMIT).as_deref() {
        None | Some("1") => 1,
        Some("2") => 2,
        Some(other) => return fail(8, format!("{FIRST_LIMIT} {other}, expected 1 or 2")),
    };
    let second = match metadata.remove(SECOND).as_deref() {
        None | Some("clipped") => true,
        Some(RELU) => false,
        Some(other) => return fail(8, format!("{SECOND} {other}, expected clipped or {RELU}")),
    };
    Ok(Limits { first, second })
}

/// Writes a float net; [`read`] gives it back.
#[must_use]
pub fn write(net: &FloatNet) -> Vec<u8> {
    let Shape { width, second, .. } = net.shape;
    let mut tensors: Vec<(String, Vec<usize>, &[f32])> = Vec::new();
    let mut rest = net.w1.as_slice();
    for group in &net.groups {
        let (rows, later) = rest.split_at(group.inputs * width);
        rest = later;
        tensors.push((format!("w_{}", group.name), vec![group.inputs, width], rows));
    }
    tensors.push(("b1".into(), vec![width], &net.b1));
    tensors.push(("w2".into(), vec![second, width], &net.w2));
    tensors.push(("b2".into(), vec![second], &net.b2));
    tensors.push(("w3".into(), vec![RESULTS, second], &net.w3));
    tensors.push(("b3".into(), vec![RESULTS], &net.b3));
    let mut header = Map::new();
    let mut metadata = net.metadata.clone();
    if net.activation != Activation::Crelu {
        metadata.insert(ACTIVATION.into(), net.activation.name().into());
    }
    if net.limits.first != 1 {
        metadata.insert(FIRST_LIMIT.into(), net.limits.first.to_string());
    }
    if !net.limits.second {
        metadata.insert(SECOND.into(), RELU.into());
    }
    if !metadata.is_empty() {
        header.insert("__metadata__".into(), json!(metadata));
    }
    let mut data = Vec::new();
    for (name, shape, values) in tensors {
        let begin = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        header.insert(name, entry);
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.append(&mut header);
    file.append(&mut data);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> FloatNet {
        let group = |name: &str, inputs| InputGroup {
            name: name.into(),
            inputs,
        };
        let mut net = FloatNet::zeros(vec![group("zoo", 3), group("ape", 2)], 4, 2);
        let mut next = 0.0f32;
        for values in [
            &mut net.w1,
            &mut net.b1,
            &mut net.w2,
            &mut net.b2,
            &mut net.w3,
        ] {
            for value in values {
                next += 0.25;
                *value = next;
            }
        }
        net.b3 = [1.0, 2.0, 3.0, 4.0, 5.0];
        net.metadata.insert("recipe".into(), "none".into());
        net
    }

    #[test]
    fn written_bytes_are_read_back() {
        for activation in Activation::ALL {
            let net = FloatNet {
                activation,
                ..sample()
            };
            assert_eq!(read(&write(&net)), Ok(net));
        }
        let net = FloatNet {
            activation: Activation::Screlu,
            limits: Limits::WIDE,
            ..sample()
        };
        assert_eq!(read(&write(&net)), Ok(net.clone()));
        let clipped = FloatNet {
            activation: Activation::Crelu,
            ..net
        };
        assert!(read(&write(&clipped)).is_err());
        let mut odd = sample();
        odd.metadata.insert(ACTIVATION.into(), "cubed".into());
        let error = read(&write(&odd)).unwrap_err();
        assert_eq!(error.reason, "first_layer cubed: not known");
    }

    #[test]
    fn metadata_that_is_not_known_is_refused() {
        let mut odd = sample();
        odd.metadata.insert("activation".into(), "squared".into());
        let error = read(&write(&odd)).unwrap_err();
        assert_eq!(error.reason, "metadata activation = squared: not known");
        odd.metadata.insert("activation".into(), "clip01".into());
        assert!(read(&write(&odd)).is_ok());
    }

    #[test]
    fn every_truncation_is_refused() {
        let file = write(&sample());
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_are_refused_with_their_place() {
        let mut file = write(&sample());
        let length = file.len();
        file[length - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        let error = read(&file).unwrap_err();
        assert_eq!(error.at, length - 4);
        assert_eq!(error.reason, "b3: element 4 is NaN");
    }
}
