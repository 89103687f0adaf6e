//! Sixteen lanes of float32: the vocabulary of the float kernels, and its plain twin.

use super::layout::InputDelta;
use super::operations::{Active, ActiveList, Integers, LENGTH_MAX, LISTED, ROWS, Row, SPREAD_ROOM};

/// Sixteen numbers, aligned to a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::nn) struct Line(pub(in crate::nn) [f32; 16]);

impl Line {
    pub(in crate::nn) const ZERO: Line = Line([0.0; 16]);
}

/// Operations on sixteen lanes at once. Every operation is the IEEE one of each lane, so all
/// implementations give the same bits; none fuses a product with a sum.
pub(in crate::nn) trait Wide: Copy {
    /// Eight lanes, for the output layer.
    type Half: Copy;
    /// True if eight of these fit in the registers beside other values.
    const MANY: bool;

    fn load(line: &Line) -> Self;
    fn splat(value: f32) -> Self;
    fn store(self, line: &mut Line);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// Returns the smaller of each lane and `other`; `other` where the lane is not a number.
    fn min(self, other: Self) -> Self;
    /// Returns the whole part of lanes that are in 0..=127, and `table` at that index.
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self);
    /// Returns a mask whose bit `i` is set where lane `i` is not zero.
    fn nonzero(self) -> u32;
    /// Returns the lanes of `negative` where `self` is below zero, of `other` elsewhere.
    fn where_negative(self, negative: Self, other: Self) -> Self;

    fn half_zero() -> Self::Half;
    /// Returns `sum + four * weights`, with the four numbers in both halves of the eight lanes.
    fn half_step(sum: Self::Half, four: &[f32; 4], weights: &[f32; 8]) -> Self::Half;
    fn half_store(half: Self::Half) -> [f32; 8];
    fn half_load(half: &[f32; 8]) -> Self::Half;
}

/// Work on lanes of float32. As with [`super::Kernel`], `run` and the functions that it calls are
/// `#[inline(always)]`.
pub(in crate::nn) trait WideKernel {
    /// Does the work; `W` are the lanes of the level.
    fn run<W: Wide>(self);
}

/// The plain implementation, which the others must equal.
#[derive(Clone, Copy)]
pub(in crate::nn) struct Plain([f32; 16]);

#[inline(always)]
fn each(a: Plain, b: Plain, operation: impl Fn(f32, f32) -> f32) -> Plain {
    let mut out = a.0;
    for (x, y) in out.iter_mut().zip(b.0) {
        *x = operation(*x, y);
    }
    Plain(out)
}

impl Wide for Plain {
    type Half = [f32; 8];
    const MANY: bool = false;

    #[inline(always)]
    fn load(line: &Line) -> Self {
        Plain(line.0)
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Plain([value; 16])
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        line.0 = self.0;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each(self, other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each(self, other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        each(self, other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each(self, other, |a, b| a / b)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Plain(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // Not `f32::min`: this is the rule of the SIMD instruction for NaN, so that all levels give the same bits.
        each(self, other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self) {
        (
            Plain(self.0.map(|x| x as i32 as f32)),
            Plain(self.0.map(|x| table[x as usize & 127])),
        )
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        let bit = |(lane, value): (usize, &f32)| u32::from(*value != 0.0) << lane;
        self.0.iter().enumerate().map(bit).sum()
    }
    #[inline(always)]
    fn where_negative(self, negative: Self, other: Self) -> Self {
        let mut out = other.0;
        for ((x, sign), below) in out.iter_mut().zip(self.0).zip(negative.0) {
            if sign < 0.0 {
                *x = below;
            }
        }
        Plain(out)
    }

    #[inline(always)]
    fn half_zero() -> [f32; 8] {
        [0.0; 8]
    }
    #[inline(always)]
    fn half_step(mut sum: [f32; 8], four: &[f32; 4], weights: &[f32; 8]) -> [f32; 8] {
        for lane in 0..8 {
            sum[lane] += four[lane % 4] * weights[lane];
        }
        sum
    }
    #[inline(always)]
    fn half_store(half: [f32; 8]) -> [f32; 8] {
        half
    }
    #[inline(always)]
    fn half_load(half: &[f32; 8]) -> [f32; 8] {
        *half
    }
}

/// Lists as [`Integers::list_counts`], in plain Rust.
#[inline(always)]
pub(super) fn list_plainly(
    counts: u64,
    start: u32,
    list: &mut ActiveList,
    mut length: usize,
) -> usize {
    let mut left = (counts | counts >> 1 | counts >> 2 | counts >> 3) & 0x1111_1111_1111_1111;
    if length > LENGTH_MAX {
        return length;
    }
    while left != 0 {
        let at = left.trailing_zeros();
        left &= left - 1;
        // Four bits a group and four rows a group: the bit's number is the row's.
        let (first, above) = LISTED[(counts >> at) as usize & 15];
        list.0[length] = Active {
            row: start + at + first,
            value: 1.0,
        };
        list.0[length + 1] = Active {
            row: start + at + 3,
            value: above,
        };
        length += 1 + usize::from(above != 0.0);
    }
    length
}

/// Lists as [`Integers::list_differences`], for all levels without its instructions.
#[inline(always)]
pub(super) fn list_differences_plainly<const SIZE: usize>(
    old: &[u8; SIZE],
    new: &[u8; SIZE],
    first: usize,
    list: &mut [InputDelta],
    mut length: usize,
) -> usize {
    if list.len() < length + SIZE {
        return length;
    }
    // Without branches, as it cannot be foreseen which differ.
    for (place, (old, new)) in old.iter().zip(new).enumerate() {
        let factor = i16::from(*new) - i16::from(*old);
        let row = (first + place) as u16;
        list[length] = InputDelta { row, factor };
        length += usize::from(factor != 0);
    }
    length
}

impl Integers for Plain {
    #[inline(always)]
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32 {
        let products = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b));
        products.sum()
    }
    #[inline(always)]
    fn nibbles(packed: u128) -> [i16; 32] {
        let mut nibbles = [0; 32];
        for (pair, byte) in nibbles.chunks_exact_mut(2).zip(packed.to_le_bytes()) {
            pair[0] = i16::from(byte & 15);
            pair[1] = i16::from(byte >> 4);
        }
        nibbles
    }
    #[inline(always)]
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize {
        list_plainly(counts, start, list, length)
    }
    #[inline(always)]
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]) {
        *to = [0; SPREAD_ROOM];
        for (side, to) in to.chunks_exact_mut(48).enumerate() {
            for place in 0..24 {
                let bit = 32 * side + place;
                let digits = digits.iter().rev();
                let number = digits.fold(0, |number, digit| 2 * number + (digit >> bit & 1) as u8);
                let is_other = hits >> bit & 1 == 0;
                to[24 * usize::from(is_other) + place] = number.div_ceil(2);
            }
        }
    }
    #[inline(always)]
    fn list_differences<const SIZE: usize>(
        old: &[u8; SIZE],
        new: &[u8; SIZE],
        first: usize,
        list: &mut [InputDelta],
        length: usize,
    ) -> usize {
        list_differences_plainly(old, new, first, list, length)
    }
    #[inline(always)]
    fn clipped_dots(
        start: &Row,
        rows: &[Row; ROWS],
        steps: &[[u16; 2]],
        shift: u32,
        weights: &[Row],
        mut found: impl FnMut(usize, i32),
    ) {
        let mut sums = start.0;
        for &[add, sub] in steps {
            let (add, sub) = (
                &rows[usize::from(add) % ROWS],
                &rows[usize::from(sub) % ROWS],
            );
            for (sum, (add, sub)) in sums.iter_mut().zip(add.0.iter().zip(&sub.0)) {
                *sum = sum.wrapping_add(*add).wrapping_sub(*sub);
            }
        }
        let clipped = sums.map(|sum| i32::from(sum >> shift).clamp(0, 255));
        for (number, weights) in weights.iter().enumerate() {
            let products = clipped.iter().zip(weights.0);
            found(number, products.map(|(a, b)| a * i32::from(b)).sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::level::CpuLevel;
    use super::super::operations::{ACTIVE_ROOM, Kernel, ROW_WIDTH};
    use super::*;

    struct Both([i16; 32], u128);

    impl Kernel for Both {
        type Output = (i32, [i16; 32]);
        fn run<I: Integers>(self) -> Self::Output {
            let nibbles = I::nibbles(self.1);
            (I::dot(&self.0, &nibbles), nibbles)
        }
    }

    /// WA-06, where the tests run as WebAssembly.
    #[test]
    fn whole_numbers_are_the_same_on_all_levels() {
        let mut packed: u128 = 0x0123_4567_89ab_cdef_f00d_beef_1234_9876;
        for round in 0..1000_i16 {
            packed = packed.wrapping_mul(0x2545_f491_4f6c_dd1d_8f4b_3a21_55aa_1235) ^ 77;
            let weights = std::array::from_fn(|i| (i as i16 - 16) * round);
            let want = Both(weights, packed).run::<Plain>();
            assert_eq!(want.1[1], (packed >> 4 & 15) as i16);
            for level in CpuLevel::available() {
                assert_eq!(level.run(Both(weights, packed)), want, "{}", level.name());
            }
        }
    }

    struct Differences([u64; 6], u64, usize);

    impl Kernel for Differences {
        type Output = ([u8; SPREAD_ROOM], Vec<InputDelta>, usize);
        fn run<I: Integers>(self) -> Self::Output {
            let Differences(digits, hits, room) = self;
            let (mut old, mut new) = ([9; SPREAD_ROOM], [9; SPREAD_ROOM]);
            I::spread(&[hits, 0, 0, digits[1], digits[0], 0], digits[2], &mut old);
            I::spread(&digits, hits, &mut new);
            let mut list = vec![InputDelta::default(); room];
            let length = I::list_differences(&old, &new, 364, &mut list, 2);
            list.truncate(length);
            (new, list, length)
        }
    }

    #[test]
    fn differences_are_the_same_on_all_levels() {
        let mut seed: u64 = 3;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(99);
            seed ^ seed >> 29
        };
        let mut listed = 0;
        for round in 0..500 {
            let digits = std::array::from_fn(|_| next() & next());
            // Too little room for anything, or just enough.
            let room = if round % 5 == 0 {
                SPREAD_ROOM + 1
            } else {
                SPREAD_ROOM + 2
            };
            let hits = next();
            let want = Differences(digits, hits, room).run::<Plain>();
            let number = (0..6).fold(0, |sum, digit| sum | (digits[digit] >> 40 & 1) << digit);
            let place = if hits >> 40 & 1 == 1 { 48 + 8 } else { 72 + 8 };
            assert_eq!(u64::from(want.0[place]), number.div_ceil(2));
            assert_eq!(want.2 > 2, room > SPREAD_ROOM + 1);
            listed += want.2;
            for level in CpuLevel::available() {
                let found = level.run(Differences(digits, hits, room));
                assert_eq!(found, want, "{}", level.name());
            }
        }
        assert!(listed > 10_000);
    }

    struct Dot<'a>(&'a [Row; ROWS], &'a [[u16; 2]], u32);

    impl Kernel for Dot<'_> {
        type Output = [i32; 2];
        fn run<I: Integers>(self) -> [i32; 2] {
            let mut sums = [0; 2];
            let found = |number: usize, sum| sums[number] = sum;
            I::clipped_dots(&self.0[7], self.0, self.1, self.2, &self.0[9..11], found);
            sums
        }
    }

    #[test]
    fn clipped_sums_are_the_same_on_all_levels() {
        let mut seed: u64 = 5;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(99);
            (seed >> 40) as i16
        };
        let mut rows = vec![Row::ZERO; ROWS];
        for row in &mut rows {
            row.0 = std::array::from_fn(|_| next() >> 3);
        }
        let rows: &[Row; ROWS] = rows.first_chunk().unwrap();
        let mut slow = Vec::new();
        for round in 0..400 {
            let mut steps: Vec<[u16; 2]> = (0..round % 12)
                .map(|_| [next() as u16 % 1024, next() as u16 % 1024])
                .collect();
            if round % 7 == 0 {
                // Sums that leave 16 bits must wrap everywhere.
                steps.extend([[3, 4]; 40]);
            }
            let shift = round % 6;
            let mut want = [0; 2];
            for unit in 0..ROW_WIDTH {
                let mut sum = rows[7].0[unit];
                for [add, sub] in &steps {
                    sum = sum.wrapping_add(rows[usize::from(*add)].0[unit]);
                    sum = sum.wrapping_sub(rows[usize::from(*sub)].0[unit]);
                }
                for (want, weights) in want.iter_mut().zip(&rows[9..]) {
                    let value = i32::from((sum >> shift).clamp(0, 255));
                    *want += value * i32::from(weights.0[unit]);
                }
            }
            slow.push(want[0]);
            for level in CpuLevel::available() {
                assert_eq!(
                    level.run(Dot(rows, &steps, shift as u32)),
                    want,
                    "{}",
                    level.name()
                );
            }
        }
        assert!(slow.iter().any(|&sum| sum > 0) && slow.iter().any(|&sum| sum < 0));
    }

    struct List(u64, u32, usize);

    impl Kernel for List {
        type Output = Vec<(u32, u32)>;
        fn run<I: Integers>(self) -> Self::Output {
            let mut list = ActiveList([Active::default(); ACTIVE_ROOM]);
            let end = I::list_counts(self.0, self.1, &mut list, self.2);
            let listed = list.0[self.2.min(end)..end].iter();
            listed
                .map(|active| (active.row, active.value.to_bits()))
                .collect()
        }
    }

    #[test]
    fn listed_counts_are_the_same_on_all_levels() {
        let mut seed: u64 = 11;
        for round in 0..20_000_u32 {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            // Few and many groups, small and large counts.
            let mut counts = seed ^ seed >> 29;
            if round % 3 > 0 {
                counts &= seed.rotate_left(17);
            }
            if round % 3 == 2 {
                counts &= seed.rotate_left(40);
            }
            let length = round as usize % (LENGTH_MAX + 9);
            let mut want = Vec::new();
            for group in 0..16 {
                let count = counts >> (4 * group) & 15;
                let row = 100 + 4 * group;
                if count > 0 {
                    want.push((row + count.min(3) as u32 - 1, 1.0_f32.to_bits()));
                }
                if count > 3 {
                    want.push((row + 3, (0.5 * (count as f32 - 3.0)).to_bits()));
                }
            }
            for level in CpuLevel::available() {
                let found = level.run(List(counts, 100, length));
                let fits = length <= LENGTH_MAX;
                let want = if fits { &want[..] } else { &[] };
                assert_eq!(found, want, "{} {counts:x}", level.name());
            }
        }
    }
}
