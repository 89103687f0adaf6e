//! Nets as PyTorch saves them (`.pt`): a ZIP archive of stored entries (NF-40, NF-41 of `protocol-specs/net-file.md`).
//!
//! Entries `data/0`, `data/1`, ... are the weights and biases of the layers in turn, raw float32. `data.pkl`, a pickle, is
//! a program and is never run; texts behind known keys are searched for in its bytes.

use crate::nn::{DenseLayer, LAYERS_MAX};

/// The first bytes of a ZIP archive.
pub const MAGIC: [u8; 4] = *b"PK\x03\x04";
/// First bytes of an entry of the central directory.
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// First bytes of the record at the end of an archive.
const END: [u8; 4] = *b"PK\x05\x06";
/// Length of the record at the end without its comment.
const END_BYTES: usize = 22;
/// Longest comment of an archive.
const COMMENT_MAX: usize = 0xffff;
/// Maximum number of entries of an archive: two a layer, and PyTorch's own.
const ENTRIES_MAX: usize = 2 * LAYERS_MAX + 16;
/// Longest name of a net.
const NAME_MAX: usize = 64;

/// An error in a file of PyTorch: offset and reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct PyTorchError {
    /// Offset in the file.
    pub at: usize,
    /// Description of the error.
    pub reason: String,
}

fn fail<T>(at: usize, reason: impl Into<String>) -> Result<T, PyTorchError> {
    Err(PyTorchError {
        at,
        reason: reason.into(),
    })
}

/// A net as the archive holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct PyTorchNet {
    /// Name of the archive's folder: that of the file when it was saved.
    pub name: String,
    /// The layers, the output layer last.
    pub layers: Vec<DenseLayer>,
    pickle: Vec<u8>,
}

impl PyTorchNet {
    /// Returns the text that the saved dictionary has for this key, if it is one.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        // Each is BINUNICODE: `X`, the length in 32 bits, UTF-8; BINPUT (`q` and a byte) stands between them.
        let mut written = vec![b'X'];
        written.extend(u32::try_from(key.len()).ok()?.to_le_bytes());
        written.extend(key.bytes());
        let at = (self.pickle.windows(written.len())).position(|bytes| bytes == written)?;
        let rest = self.pickle.get(at + written.len()..)?;
        let rest = match rest {
            [b'q', _, b'X', rest @ ..] => rest,
            _ => return None,
        };
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let text = rest.get(..usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        std::str::from_utf8(text).ok()
    }
}

/// Returns true if these bytes begin like an archive.
#[must_use]
pub fn looks_like_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a net.
///
/// # Errors
/// See [`PyTorchError`].
pub fn read(bytes: &[u8]) -> Result<PyTorchNet, PyTorchError> {
    let archive = Archive::read(bytes)?;
    let Some(folder) = (archive.entries.iter()).find_map(|it| it.name.strip_suffix("/data.pkl"))
    else {
        return fail(0, "a ZIP archive without data.pkl, expected one of PyTorch");
    };
    let known = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if folder.is_empty() || folder.len() > NAME_MAX || !folder.chars().all(known) {
        let reason =
            format!("folder of the archive: expected 1 to {NAME_MAX} letters, digits, _-.");
        return fail(0, reason);
    }
    let entry = |name: &str| archive.entry(&format!("{folder}/{name}"));
    if let Some(order) = entry("byteorder")
        && order.data != b"little"
    {
        return fail(order.at, "byteorder is not little");
    }
    let mut layers: Vec<DenseLayer> = Vec::new();
    while let (number @ ..LAYERS_MAX, Some(weights)) =
        (layers.len(), entry(&format!("data/{}", 2 * layers.len())))
    {
        let name = format!("data/{}", 2 * number + 1);
        let Some(biases) = entry(&name) else {
            return fail(weights.at, format!("weights without {name}, their biases"));
        };
        layers.push(layer(weights, biases)?);
    }
    if let Some(more) = entry(&format!("data/{}", 2 * LAYERS_MAX)) {
        return fail(more.at, format!("more than {LAYERS_MAX} layers"));
    }
    let pickle = entry("data.pkl").map(|entry| entry.data.to_vec());
    Ok(PyTorchNet {
        name: folder.to_owned(),
        layers,
        pickle: pickle.unwrap_or_default(),
    })
}

/// Returns a layer; its shape follows from the lengths of both arrays.
fn layer(weights: &Entry<'_>, biases: &Entry<'_>) -> Result<DenseLayer, PyTorchError> {
    let (weights, biases) = (weights.floats()?, (biases.at, biases.floats()?));
    let (at, biases) = biases;
    if biases.is_empty() || weights.is_empty() || !weights.len().is_multiple_of(biases.len()) {
        let reason = format!("{} biases beside {} weights", biases.len(), weights.len());
        return fail(at, reason);
    }
    Ok(DenseLayer {
        inputs: weights.len() / biases.len(),
        weights,
        biases,
    })
}

/// A stored entry of an archive.
#[derive(Debug)]
struct Entry<'a> {
    name: &'a str,
    /// Offset of the data.
    at: usize,
    data: &'a [u8],
}

impl Entry<'_> {
    fn floats(&self) -> Result<Vec<f32>, PyTorchError> {
        let (words, []) = self.data.as_chunks::<4>() else {
            let reason = format!("{}: {} bytes of float32", self.name, self.data.len());
            return fail(self.at, reason);
        };
        let values: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => {
                let reason = format!("{}: element {index} is {}", self.name, values[index]);
                fail(self.at + 4 * index, reason)
            }
            None => Ok(values),
        }
    }
}

/// The entries of a ZIP archive.
struct Archive<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Archive<'a> {
    fn entry(&self, name: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Reads the central directory and verifies each entry.
    fn read(bytes: &'a [u8]) -> Result<Archive<'a>, PyTorchError> {
        let Some((entries, mut at)) = end_record(bytes) else {
            return fail(bytes.len(), "no end record of a ZIP archive");
        };
        if entries > ENTRIES_MAX {
            let reason = format!("{entries} entries in the ZIP archive, at most {ENTRIES_MAX}");
            return fail(at, reason);
        }
        let mut archive = Archive {
            entries: Vec::with_capacity(entries),
        };
        for _ in 0..entries {
            let (entry, length) = central_entry(bytes, at)?;
            if archive.entry(entry.name).is_some() {
                return fail(at, format!("a second entry {:?}", entry.name));
            }
            archive.entries.push(entry);
            at += length;
        }
        Ok(archive)
    }
}

/// Returns the number of entries and the offset of the central directory, from the last end record.
fn end_record(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = bytes.len().saturating_sub(END_BYTES + COMMENT_MAX);
    let ends = (first..bytes.len()).rev();
    let record = ends
        .filter_map(|at| bytes.get(at..)?.first_chunk::<END_BYTES>())
        .find(|record| record.starts_with(&END))?;
    Some((number16(record, 10), number32(record, 16)))
}

/// Returns the entry that the central directory describes at this offset, and the length of that description.
fn central_entry(bytes: &[u8], at: usize) -> Result<(Entry<'_>, usize), PyTorchError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some(header) = (rest.first_chunk::<46>()).filter(|header| header.starts_with(&CENTRAL))
    else {
        return fail(at, "expected an entry of the ZIP archive's directory");
    };
    let (name, extra, comment) = (
        number16(header, 28),
        number16(header, 30),
        number16(header, 32),
    );
    let Some(name) = (rest.get(46..46 + name)).and_then(|name| std::str::from_utf8(name).ok())
    else {
        return fail(
            at,
            "the name of an entry ends beyond the file or is not UTF-8",
        );
    };
    let (method, encrypted) = (number16(header, 10), number16(header, 8) & 1 == 1);
    if method != 0 || encrypted {
        return fail(
            at,
            format!("{name:?} is compressed or encrypted, expected a stored entry"),
        );
    }
    let local_at = number32(header, 42);
    let data = local_data(bytes, local_at, number32(header, 24));
    let Some((data_at, data)) = data.filter(|_| number32(header, 20) == number32(header, 24))
    else {
        return fail(local_at, format!("{name:?} does not lie in the file"));
    };
    let expected = number32(header, 16);
    let found = crc32fast::hash(data);
    if usize::try_from(found) != Ok(expected) {
        let reason = format!("{name:?}: CRC-32 {found:08x}, expected {expected:08x}");
        return fail(data_at, reason);
    }
    let entry = Entry {
        name,
        at: data_at,
        data,
    };
    Ok((entry, 46 + name.len() + extra + comment))
}

/// Returns the data behind a local header, and their offset.
fn local_data(bytes: &[u8], at: usize, length: usize) -> Option<(usize, &[u8])> {
    let header = bytes.get(at..)?.first_chunk::<30>()?;
    if !header.starts_with(&MAGIC) {
        return None;
    }
    let at = at + 30 + number16(header, 26) + number16(header, 28);
    Some((at, bytes.get(at..at.checked_add(length)?)?))
}

/// Returns the 16-bit number at an offset of a header; 0 beyond it.
fn number16(header: &[u8], at: usize) -> usize {
    let bytes = header.get(at..).and_then(|rest| rest.first_chunk::<2>());
    bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes).into())
}

/// Returns the 32-bit number at an offset of a header; 0 beyond it.
fn number32(header: &[u8], at: usize) -> usize {
    let bytes = header.get(at..).and_then(|rest| rest.first_chunk::<4>());
    let number = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
    usize::try_from(number).unwrap_or(usize::MAX)
}
