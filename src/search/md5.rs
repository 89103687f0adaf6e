//! The MD5 digest (RFC 1321) of a text that fits into one block; for noise, not for secrets.

/// Left rotations, four for each of the four rounds.
const SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// The integer part of 2 to the 32nd times the sine of 1 … 64, without its sign.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// The digest of at most 55 bytes (what is beyond is cut off).
pub(super) fn digest_short(text: &[u8]) -> [u8; 16] {
    let text = &text[..text.len().min(55)];
    let mut block = [0; 64];
    block[..text.len()].copy_from_slice(text);
    block[text.len()] = 0x80;
    block[56..].copy_from_slice(&(text.len() as u64 * 8).to_le_bytes());
    let word = |index: usize| {
        let at = 4 * index;
        u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
    };
    let start = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let [mut a, mut b, mut c, mut d] = start;
    for (step, sine) in SINES.into_iter().enumerate() {
        let (mixed, at) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let turned = a
            .wrapping_add(mixed)
            .wrapping_add(sine)
            .wrapping_add(word(at))
            .rotate_left(SHIFTS[step / 16][step % 4]);
        (a, b, c, d) = (d, b.wrapping_add(turned), b, c);
    }
    let mut digest = [0; 16];
    for (bytes, (value, start)) in digest
        .chunks_mut(4)
        .zip([a, b, c, d].into_iter().zip(start))
    {
        bytes.copy_from_slice(&value.wrapping_add(start).to_le_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_the_standard() {
        let hex = |text: &str| -> String {
            let digest = digest_short(text.as_bytes());
            digest.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    }
}
