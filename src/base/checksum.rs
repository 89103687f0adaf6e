//! SHA-256 of files and texts.

use sha2::{Digest as _, Sha256};
use std::io;

/// Returns the SHA-256 of bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 of all bytes of a reader, of any length.
///
/// # Errors
/// The reader's error.
pub fn sha256_of(mut reader: impl io::Read) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(&sum.finalize())),
            Ok(count) => sum.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_has_the_sum_of_its_bytes() {
        let bytes: Vec<u8> = (0..200_000_u32)
            .map(|n| (n.wrapping_mul(n) >> 8) as u8)
            .collect();
        for length in [0, 1, 65_536, 65_537, bytes.len()] {
            let some = &bytes[..length];
            assert_eq!(sha256_of(some).unwrap(), sha256(some), "{length}");
        }
    }
}
