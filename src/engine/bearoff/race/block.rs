//! Blocks of a race table: so many positions together, packed and with a checksum.

use super::super::one_sided::DISTRIBUTION_ROLLS;

/// Positions in a block.
pub(super) const BLOCK: usize = 16;
/// Number of rolls that a law may have, 0 to 63.
pub(super) const ROLLS: usize = DISTRIBUTION_ROLLS;
/// Sum of the values of a distribution.
pub(super) const WHOLE: u32 = 65535;
/// Number of bytes around a packed block: its length before it and its checksum after it.
pub(super) const FRAME_BYTES: usize = 6;
/// Bytes of the longest block.
pub(super) const BLOCK_BYTES_MAX: usize = FRAME_BYTES + BLOCK * 2 * (2 + 3 * ROLLS);

/// 65535 times the probability of each number of rolls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RollDistribution {
    /// Number of rolls that the first value stands for.
    pub(super) first: u8,
    /// Number of values; the rest of `values` is meaningless.
    pub(super) count: u8,
    values: [u16; ROLLS],
}

impl RollDistribution {
    /// The law of a goal that is reached.
    pub const REACHED: RollDistribution = {
        let mut values = [0; ROLLS];
        values[0] = WHOLE as u16;
        RollDistribution {
            first: 0,
            count: 1,
            values,
        }
    };
    /// No law.
    pub const NONE: RollDistribution = RollDistribution {
        first: 0,
        count: 0,
        values: [0; ROLLS],
    };

    /// Returns the law whose values are thirty-sixths of these (RACE-04): the distribution function is rounded,
    /// so that no error grows and the values add up.
    pub(super) fn of_sums(sums: &[u32; ROLLS]) -> RollDistribution {
        let mut roll_distribution = RollDistribution::NONE;
        let (mut sum, mut before) = (0, 0);
        let mut end = 0;
        for (rolls, &value) in sums.iter().enumerate() {
            sum += value;
            let now = (sum + 18) / 36;
            roll_distribution.values[rolls] = (now - before) as u16;
            if now > before {
                if before == 0 {
                    roll_distribution.first = rolls as u8;
                }
                end = rolls + 1;
            }
            before = now;
        }
        roll_distribution.count = end as u8 - roll_distribution.first;
        roll_distribution
    }

    /// Returns the values from `first` on.
    #[inline]
    pub(super) fn run(&self) -> &[u16] {
        &self.values[usize::from(self.first)..][..usize::from(self.count)]
    }

    /// Returns the values for 0 to 63 rolls.
    #[must_use]
    pub fn whole(&self) -> [u16; DISTRIBUTION_ROLLS] {
        let mut values = [0; ROLLS];
        let from = usize::from(self.first);
        values[from..][..self.run().len()].copy_from_slice(self.run());
        values
    }

    /// Returns 65535 times the mean number of rolls.
    #[must_use]
    pub fn mean(&self) -> u32 {
        (u32::from(self.first)..)
            .zip(self.run())
            .map(|(n, &v)| n * u32::from(v))
            .sum()
    }
}

/// Appends a block of at most [`BLOCK`] positions: for each the rolls to bear off all checkers, and
/// those to bear off the first of fifteen or [`RollDistribution::NONE`].
pub(super) fn pack(distributions: &[[RollDistribution; 2]], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; 2]);
    let mut before = [RollDistribution::NONE; 2];
    for pair in distributions {
        for roll_distribution in pair {
            out.extend([roll_distribution.first, roll_distribution.count]);
        }
        for (roll_distribution, before) in pair.iter().zip(&mut before) {
            if roll_distribution.count == 0 {
                continue;
            }
            let at = usize::from(roll_distribution.first);
            for (value, old) in roll_distribution.run().iter().zip(&before.values[at..]) {
                let difference = i32::from(*value) - i32::from(*old);
                let mut number = ((difference << 1) ^ (difference >> 31)) as u32;
                while number >= 128 {
                    out.push(number as u8 | 128);
                    number >>= 7;
                }
                out.push(number as u8);
            }
            *before = *roll_distribution;
        }
    }
    let length = (out.len() - start - 2) as u16;
    out[start..start + 2].copy_from_slice(&length.to_le_bytes());
    let crc = crc32fast::hash(&out[start..]);
    out.extend(crc.to_le_bytes());
}

/// Returns the length of the block that begins here, frame included.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.first_chunk::<2>()?;
    Some(usize::from(u16::from_le_bytes(*length)) + FRAME_BYTES)
}

/// Returns the laws of position `number` of a whole block; `None` when it is damaged or has none such.
pub(super) fn unpack(block: &[u8], number: usize) -> Option<[RollDistribution; 2]> {
    let mut distributions = [RollDistribution::NONE; 2];
    let mut left = number + 1;
    each(block, |found| {
        distributions = *found;
        left -= 1;
        left > 0
    })?;
    (left == 0).then_some(distributions)
}

/// Reads the laws of a block one after the other until `found` returns false; `None` when it is damaged.
pub(super) fn each(
    block: &[u8],
    mut found: impl FnMut(&[RollDistribution; 2]) -> bool,
) -> Option<()> {
    let (body, crc) = block.split_last_chunk::<4>()?;
    if length(block)? != block.len() || crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return None;
    }
    let mut bytes = &body[2..];
    let mut distributions = [RollDistribution::NONE; 2];
    while !bytes.is_empty() {
        let (spans, mut rest) = bytes.split_first_chunk::<4>()?;
        for (roll_distribution, span) in distributions.iter_mut().zip(spans.as_chunks::<2>().0) {
            let [first, count] = *span;
            // Values of the last position beyond these rolls are no part of this one.
            let (from, to) = (usize::from(first), usize::from(first) + usize::from(count));
            if to > ROLLS {
                return None;
            }
            if count > 0 {
                roll_distribution.values[..from].fill(0);
                roll_distribution.values[to..].fill(0);
            }
            (roll_distribution.first, roll_distribution.count) = (first, count);
            for value in &mut roll_distribution.values[from..to] {
                let (&byte, after) = rest.split_first()?;
                rest = after;
                let mut number = u32::from(byte & 127);
                let (mut more, mut shift) = (byte, 7);
                while more >= 128 {
                    let (&byte, after) = rest.split_first()?;
                    rest = after;
                    number |= u32::from(byte & 127).checked_shl(shift)?;
                    (more, shift) = (byte, shift + 7);
                }
                let difference = (number >> 1) as i32 ^ -((number & 1) as i32);
                *value = value.wrapping_add(difference as u16);
            }
        }
        bytes = rest;
        if !found(&distributions) {
            return Some(());
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roll_distribution(first: usize, parts: &[u32]) -> RollDistribution {
        let mut sums = [0; ROLLS];
        sums[first..first + parts.len()].copy_from_slice(parts);
        RollDistribution::of_sums(&sums)
    }

    /// RACE-04.
    #[test]
    fn rounding_keeps_the_whole_and_the_distribution_function() {
        let parts = [7, 2_359_260 - 7 - 11 - 400_000, 400_000, 11];
        let rounded = roll_distribution(3, &parts);
        assert_eq!(
            rounded.run().iter().map(|&v| u32::from(v)).sum::<u32>(),
            WHOLE
        );
        let (mut exact, mut ours) = (0, 0);
        for (rolls, value) in rounded.whole().into_iter().enumerate() {
            exact += rolls
                .checked_sub(3)
                .and_then(|k| parts.get(k))
                .unwrap_or(&0);
            ours += u32::from(value);
            assert!((36 * ours).abs_diff(exact) <= 18);
        }
    }

    /// RACE-05, RACE-08.
    #[test]
    fn blocks_return_what_was_packed_and_damage_is_seen() {
        let one = 2_359_260;
        let distributions = [
            [RollDistribution::REACHED, RollDistribution::NONE],
            [
                roll_distribution(2, &[one / 2, one / 2]),
                RollDistribution::NONE,
            ],
            [
                roll_distribution(1, &[one / 3, one / 3, one / 3]),
                roll_distribution(1, &[one]),
            ],
            [
                roll_distribution(9, &[one / 4, one / 2, one / 4]),
                RollDistribution::NONE,
            ],
            [
                roll_distribution(8, &[one / 4, one / 4, one / 2]),
                roll_distribution(2, &[1, one - 1]),
            ],
            [
                roll_distribution(60, &[one / 4, one / 4, one / 4, one / 4]),
                roll_distribution(0, &[one]),
            ],
        ];
        let mut bytes = Vec::new();
        pack(&distributions, &mut bytes);
        assert_eq!(length(&bytes), Some(bytes.len()));
        for (number, pair) in distributions.iter().enumerate() {
            let found = unpack(&bytes, number).unwrap();
            for (found, roll_distribution) in found.iter().zip(pair) {
                assert_eq!(
                    (found.first, found.run()),
                    (roll_distribution.first, roll_distribution.run())
                );
                assert_eq!(found.whole(), roll_distribution.whole());
            }
        }
        assert_eq!(unpack(&bytes, distributions.len()), None);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(unpack(&changed, 0), None);
            }
            assert_eq!(unpack(&bytes[..at], 0), None);
        }
    }
}
