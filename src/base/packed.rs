//! Long text that is kept compressed until it is written: answers that are many times as long as their requests.
//!
//! Text is compressed block by block while it is made and restored block by block while it is written, so that
//! neither side ever holds the whole of it.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Bytes of text that are compressed together.
const BLOCK_BYTES: usize = 64 << 10;
/// The fastest level: JSON of analyses shrinks to a seventh already.
const LEVEL: u8 = 1;

/// Text in compressed blocks. Short text stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedText {
    /// Each with the length of its text.
    blocks: Vec<(usize, Box<[u8]>)>,
    /// Text after the blocks, not compressed yet.
    open: String,
    bytes: usize,
}

impl PackedText {
    /// Appends text.
    pub fn push_str(&mut self, text: &str) {
        self.open.push_str(text);
        self.bytes += text.len();
        if self.open.len() >= BLOCK_BYTES {
            self.seal();
        }
    }

    /// Appends other text without restoring it.
    pub fn append(&mut self, other: PackedText) {
        if other.blocks.is_empty() {
            return self.push_str(&other.open);
        }
        self.seal();
        self.bytes += other.bytes;
        self.blocks.extend(other.blocks);
        self.open = other.open;
    }

    fn seal(&mut self) {
        if !self.open.is_empty() {
            let packed = compress_to_vec(self.open.as_bytes(), LEVEL);
            self.blocks
                .push((self.open.len(), packed.into_boxed_slice()));
            self.open.clear();
        }
    }

    /// Returns the bytes of the text when it is written.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes
    }

    /// Returns true if there is no text.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns the bytes that are held.
    #[must_use]
    pub fn held(&self) -> usize {
        let blocks = self.blocks.iter().map(|(_, packed)| packed.len());
        blocks.sum::<usize>() + self.open.capacity()
    }

    /// Restores the text block by block; each block is released when it has been given out.
    pub fn into_chunks(self) -> impl Iterator<Item = Vec<u8>> + Send + Sync {
        let open = (!self.open.is_empty()).then(|| self.open.into_bytes());
        self.blocks.into_iter().map(restored).chain(open)
    }

    /// Returns the whole text.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the blocks were text")]
    pub fn into_string(self) -> String {
        let mut out = Vec::with_capacity(self.bytes);
        self.write_to(&mut out);
        String::from_utf8(out).expect("blocks of text")
    }

    /// Appends the whole text to `out`.
    pub fn write_to(self, out: &mut Vec<u8>) {
        self.into_chunks().for_each(|chunk| out.extend(chunk));
    }
}

#[expect(clippy::expect_used, reason = "the blocks are our own")]
fn restored((length, packed): (usize, Box<[u8]>)) -> Vec<u8> {
    decompress_to_vec_with_limit(&packed, length).expect("a block that was packed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: usize) -> String {
        (0..lines)
            .map(|line| format!("{{\"line\":{line},\"more\":\"é\"}}\n"))
            .collect()
    }

    /// text comes back as it was, however it was cut, and takes a fraction of its length.
    #[test]
    fn text_comes_back_and_takes_a_fraction() {
        for lines in [0, 1, 100, 50_000] {
            let whole = text(lines);
            let mut packed = PackedText::default();
            whole
                .split_inclusive('\n')
                .for_each(|line| packed.push_str(line));
            assert_eq!(packed.len(), whole.len());
            assert_eq!(packed.is_empty(), lines == 0);
            assert!(packed.held() <= whole.len() / 4 + 2 * BLOCK_BYTES);
            let mut longest = 0;
            let mut out = Vec::new();
            for chunk in packed.clone().into_chunks() {
                longest = longest.max(chunk.len());
                out.extend(chunk);
            }
            assert!(longest <= BLOCK_BYTES + 100, "{longest}");
            assert_eq!(out, whole.as_bytes());
            let mut twice = PackedText::default();
            twice.push_str("x");
            twice.append(packed.clone());
            twice.append(packed);
            assert_eq!(twice.len(), 1 + 2 * whole.len());
            let mut out = Vec::new();
            twice.write_to(&mut out);
            assert_eq!(out, format!("x{whole}{whole}").as_bytes());
        }
    }
}
