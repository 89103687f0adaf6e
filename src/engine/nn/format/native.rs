//! gammond's net files: one integer net a file, `protocol-specs/net-file.md` (NF-01 to NF-05).
//!
//! A fixed header of 128 bytes, the tensors, a CRC-32 of everything before it. All numbers are
//! little-endian. A damaged file is refused with the place and the reason.

use crate::nn::Activation;
use crate::nn::activation::Limits;
use crate::nn::float_net::{RESULTS, Shape};
use crate::nn::parts::{Parts, SecondBits};

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"GAMMNET\n";
/// The version written and read.
pub const VERSION: u32 = 1;
/// Bytes before the tensors.
pub const HEADER_BYTES: usize = 128;

/// Offset of the activation; then the first layer's limit, then a flag that the second layer has none.
const ACTIVATION_AT: usize = 124;
/// Offset of the class.
const CLASS_AT: usize = 44 + 32 + 32;

/// Texts in a net file. ASCII without control characters, at most 32 bytes (class: 16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Name of the net, such as `contact-1`.
    pub name: String,
    /// Name of its set of inputs.
    pub inputs: String,
    /// Class of the positions for which the net is meant.
    pub class: String,
}

/// An error in the bytes of a net file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct NetFileError {
    /// Offset in the file.
    pub at: usize,
    /// Description of the error.
    pub reason: String,
}

fn fail<T>(at: usize, reason: impl Into<String>) -> Result<T, NetFileError> {
    Err(NetFileError {
        at,
        reason: reason.into(),
    })
}

/// Returns true if these bytes begin like a net file.
#[must_use]
pub fn looks_like_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns the checksum at the end of a file.
#[must_use]
pub fn checksum(bytes: &[u8]) -> Option<u32> {
    bytes.last_chunk::<4>().map(|end| u32::from_le_bytes(*end))
}

/// Returns the class that a net file names, without parsing the rest.
#[must_use]
pub fn class(bytes: &[u8]) -> Option<&[u8]> {
    let field = bytes.get(CLASS_AT..CLASS_AT + 16)?;
    let length = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    looks_like_one(bytes).then(|| &field[..length])
}

/// Writes a net file. Texts are cut to their fields.
#[must_use]
pub fn write(label: &Label, parts: &Parts) -> Vec<u8> {
    let Shape {
        inputs,
        width,
        second,
    } = parts.shape;
    let length = file_length(parts.shape, parts.bits);
    let mut file = Vec::with_capacity(length);
    file.extend(MAGIC);
    let bits = second_code(parts.bits);
    for number in [
        VERSION,
        inputs as u32,
        width as u32,
        second as u32,
        RESULTS as u32,
        parts.shift,
        bits,
    ] {
        file.extend(number.to_le_bytes());
    }
    file.extend((length as u64).to_le_bytes());
    for (text, field) in [(&label.name, 32), (&label.inputs, 32), (&label.class, 16)] {
        let start = file.len();
        file.extend(text.bytes().take(field));
        file.resize(start + field, 0);
    }
    let activation = parts.activation.code();
    // As all bytes were once: 0 means limit 1.
    let first = if parts.limits.first == 1 {
        0
    } else {
        parts.limits.first
    };
    file.extend([activation, first, u8::from(!parts.limits.second), 0]);
    for values in [&parts.rows, &parts.bias] {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
    match parts.bits {
        SecondBits::Eight => file.extend(parts.second.iter().map(|&value| value as u8)),
        SecondBits::Thirteen => {
            file.extend(parts.second.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    for values in [
        &parts.scales[..],
        &parts.second_bias,
        &parts.results,
        &parts.results_bias,
    ] {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
    let crc = crc32fast::hash(&file);
    file.extend(crc.to_le_bytes());
    file
}

/// Reads a net file.
///
/// # Errors
/// See [`NetFileError`].
pub fn read(bytes: &[u8]) -> Result<(Label, Parts), NetFileError> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take::<8>("magic")? != MAGIC {
        return fail(0, "not a gammond net file");
    }
    let version = reader.number("version")?;
    if version != VERSION {
        return fail(8, format!("version {version}, expected {VERSION}"));
    }
    let shape = Shape {
        inputs: reader.number("inputs")? as usize,
        width: reader.number("width")? as usize,
        second: reader.number("second layer")? as usize,
    };
    if let Some(fault) = shape.fault() {
        return fail(12, fault);
    }
    let results = reader.number("results")?;
    if results as usize != RESULTS {
        return fail(24, format!("{results} results, expected {RESULTS}"));
    }
    let shift = reader.number("shift")?;
    let bits = match reader.number("bits")? {
        8 => SecondBits::Eight,
        13 => SecondBits::Thirteen,
        other => return fail(32, format!("second layer: {other} bits, expected 8 or 13")),
    };
    let length = u64::from_le_bytes(reader.take("length")?);
    let want = file_length(shape, bits);
    if length != want as u64 {
        return fail(36, format!("length {length}, the shape needs {want}"));
    }
    if bytes.len() != want {
        let at = bytes.len().min(want);
        return fail(
            at,
            format!("{} bytes, expected {want} by the header", bytes.len()),
        );
    }
    let (body, crc) = bytes.split_at(want - 4);
    let (found, said) = (crc32fast::hash(body), checksum(crc).unwrap_or_default());
    if found != said {
        let reason = format!("checksum {said:08x}, the contents have {found:08x}");
        return fail(want - 4, reason);
    }
    let label = Label {
        name: reader.text(32)?,
        inputs: reader.text(32)?,
        class: reader.text(16)?,
    };
    let [activation, first, second, zero] = reader.take("activation")?;
    let known = (Activation::ALL.into_iter()).find(|known| known.code() == activation);
    let Some(activation) = known else {
        let reason = format!("activation {activation}, expected 0 or 1");
        return fail(ACTIVATION_AT, reason);
    };
    let limits = Limits {
        first: first.max(1),
        second: second == 0,
    };
    if let Some(fault) = limits.fault(activation) {
        return fail(ACTIVATION_AT + 1, fault);
    }
    if second > 1 || zero != 0 {
        let reason = format!("second layer {second} {zero}, expected 0 or 1, then 0");
        return fail(ACTIVATION_AT + 2, reason);
    }
    let parts = reader.parts(shape, (activation, limits), shift, bits)?;
    Ok((label, parts))
}

fn second_code(bits: SecondBits) -> u32 {
    match bits {
        SecondBits::Eight => 8,
        SecondBits::Thirteen => 13,
    }
}

fn file_length(shape: Shape, bits: SecondBits) -> usize {
    let Shape {
        inputs,
        width,
        second,
    } = shape;
    let weight = match bits {
        SecondBits::Eight => 1,
        SecondBits::Thirteen => 2,
    };
    let floats = 2 * second + RESULTS * second + RESULTS;
    HEADER_BYTES + 2 * (inputs + 1) * width + weight * second * width + 4 * floats + 4
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], NetFileError> {
        let Some(chunk) = self.bytes.get(self.at..).and_then(|b| b.first_chunk::<N>()) else {
            return fail(self.bytes.len(), format!("ends within the {what}"));
        };
        self.at += N;
        Ok(*chunk)
    }

    fn number(&mut self, what: &str) -> Result<u32, NetFileError> {
        Ok(u32::from_le_bytes(self.take(what)?))
    }

    fn text(&mut self, field: usize) -> Result<String, NetFileError> {
        let start = self.at;
        let raw = self.bytes.get(start..start + field).unwrap_or_default();
        self.at += field;
        let length = raw.iter().position(|&b| b == 0).unwrap_or(raw.len());
        let (text, padding) = raw.split_at(length);
        if let Some(n) = text.iter().position(|b| !(0x20..0x7f).contains(b)) {
            return fail(start + n, "text is not printable ASCII");
        }
        if let Some(n) = padding.iter().position(|&b| b != 0) {
            return fail(start + length + n, "text goes on after its end");
        }
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn integers(&mut self, count: usize) -> Result<Vec<i16>, NetFileError> {
        (0..count)
            .map(|_| Ok(i16::from_le_bytes(self.take("weights")?)))
            .collect()
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, NetFileError> {
        (0..count)
            .map(|_| Ok(f32::from_le_bytes(self.take("weights")?)))
            .collect()
    }

    /// Returns the tensors; `bytes` was found long enough for the shape.
    fn parts(
        &mut self,
        shape: Shape,
        (activation, limits): (Activation, Limits),
        shift: u32,
        bits: SecondBits,
    ) -> Result<Parts, NetFileError> {
        let Shape {
            inputs,
            width,
            second,
        } = shape;
        let rows = self.integers(inputs * width)?;
        let bias = self.integers(width)?;
        let weights = match bits {
            SecondBits::Eight => (0..second * width)
                .map(|_| Ok(i16::from(self.take::<1>("weights")?[0] as i8)))
                .collect::<Result<_, _>>()?,
            SecondBits::Thirteen => self.integers(second * width)?,
        };
        let scales = self.floats(second)?;
        let second_bias = self.floats(second)?;
        let results = self.floats(RESULTS * second)?;
        let mut results_bias = [0.0; RESULTS];
        results_bias.copy_from_slice(&self.floats(RESULTS)?);
        Ok(Parts {
            shape,
            activation,
            limits,
            shift,
            bits,
            rows,
            bias,
            second: weights,
            scales,
            second_bias,
            results,
            results_bias,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::IntegerNet;

    fn sample(bits: SecondBits) -> (Label, Parts) {
        let label = Label {
            name: "small".into(),
            inputs: "three".into(),
            class: "race".into(),
        };
        let shape = Shape {
            inputs: 3,
            width: 4,
            second: 2,
        };
        let parts = Parts {
            shape,
            activation: Activation::Screlu,
            limits: Limits::WIDE,
            shift: 2,
            bits,
            rows: (-6..6).collect(),
            bias: vec![7, -7, 300, -300],
            second: vec![-127, 127, 0, 1, 2, 3, 4, 5],
            scales: vec![0.5, 0.25],
            second_bias: vec![0.0, -1.0],
            results: (0..10).map(|n| n as f32).collect(),
            results_bias: [1.0, 2.0, 3.0, 4.0, 5.0],
        };
        (label, parts)
    }

    /// NF-04.
    #[test]
    fn written_bytes_are_read_back() {
        for bits in [SecondBits::Eight, SecondBits::Thirteen] {
            let (label, parts) = sample(bits);
            for limits in [Limits::WIDE, Limits::default()] {
                let parts = Parts {
                    limits,
                    ..parts.clone()
                };
                let file = write(&label, &parts);
                assert_eq!(read(&file), Ok((label.clone(), parts)));
            }
        }
    }

    /// NF-01, NF-02, NF-03, NF-05.
    #[test]
    fn every_truncation_and_every_flipped_byte_is_refused() {
        let (label, parts) = sample(SecondBits::Eight);
        let file = write(&label, &parts);
        for length in 0..file.len() {
            let error = read(&file[..length]).unwrap_err();
            assert!(error.at <= length, "{error}");
        }
        for at in 0..file.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= flip;
                let error = read(&damaged).unwrap_err();
                assert!(!error.reason.is_empty() && error.at <= file.len());
            }
        }
        let mut longer = file.clone();
        longer.push(0);
        assert!(read(&longer).is_err());
    }

    /// NF-06.
    #[test]
    fn weights_that_cannot_be_are_refused_when_the_net_is_made() {
        let (_, good) = sample(SecondBits::Eight);
        assert!(IntegerNet::new(good.clone()).is_ok());
        let mut parts = good.clone();
        parts.second[3] = 128;
        let error = IntegerNet::new(parts).unwrap_err();
        assert_eq!(
            error.to_string(),
            "second weight 3: 128, at most 127 in size"
        );
        let mut parts = good.clone();
        parts.scales[1] = f32::INFINITY;
        let error = IntegerNet::new(parts).unwrap_err();
        assert_eq!(error.to_string(), "scale 1: inf is not a number");
        let mut parts = good.clone();
        parts.second_bias[0] = -1.1e6;
        let error = IntegerNet::new(parts).unwrap_err();
        assert_eq!(
            error.to_string(),
            "second bias 0: -1100000 is beyond 1048576"
        );
        let mut parts = good.clone();
        parts.activation = Activation::Crelu;
        assert!(IntegerNet::new(parts).is_err());
        let mut parts = good;
        parts.rows.pop();
        let error = IntegerNet::new(parts).unwrap_err();
        assert_eq!(error.to_string(), "rows: 11 numbers, expected 12");
    }
}
