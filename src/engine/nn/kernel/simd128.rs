//! The operations of [`Wide`] and [`Integers`] for WebAssembly with `simd128`, which a module is compiled for
//! as a whole: no detection is possible or needed.
//!
//! Its instructions are safe functions; only loads and stores take pointers. Relaxed SIMD is not used: its dot product takes
//! 7-bit numbers, where a squared first layer passes on up to 4064, and a fused product would round otherwise than the other
//! levels.
#![allow(unsafe_code)]

use super::layout::InputDelta;
use super::operations::{ActiveList, Integers, PACKED, ROW_WIDTH, ROWS, Row, SPREAD_ROOM};
use super::wide::{Line, Wide, list_differences_plainly, list_plainly};
use std::arch::wasm32::*;

/// Sixteen numbers: four registers of four float32.
#[derive(Clone, Copy)]
pub(super) struct Simd128([v128; 4]);

/// Types whose values are sixteen bytes of numbers, in any bits.
trait Sixteen {}
impl Sixteen for [f32; 4] {}
impl Sixteen for [i16; 8] {}
impl Sixteen for [u32; 4] {}
impl Sixteen for [u8; 16] {}

#[inline(always)]
fn load<T: Sixteen>(place: &T) -> v128 {
    // SAFETY: a `Sixteen` has sixteen bytes.
    unsafe { v128_load(std::ptr::from_ref(place).cast()) }
}

#[inline(always)]
fn store<T: Sixteen>(value: v128, place: &mut T) {
    // SAFETY: a `Sixteen` has sixteen bytes, and any bits are one.
    unsafe { v128_store(std::ptr::from_mut(place).cast(), value) }
}

/// Returns eight bytes as numbers of 16 bits.
#[inline(always)]
fn widened(bytes: &[u8; 8]) -> v128 {
    // SAFETY: eight bytes are there.
    unsafe { u16x8_load_extend_u8x8(bytes.as_ptr()) }
}

impl Simd128 {
    /// Applies an operation to each register of two values.
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(v128, v128) -> v128) -> Self {
        Simd128(std::array::from_fn(|n| operation(self.0[n], other.0[n])))
    }
}

impl Wide for Simd128 {
    type Half = [v128; 2];
    const MANY: bool = false;

    #[inline(always)]
    fn load(line: &Line) -> Self {
        let (fours, _) = line.0.as_chunks::<4>();
        Simd128(std::array::from_fn(|n| load(&fours[n])))
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Simd128([f32x4_splat(value); 4])
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        let (fours, _) = line.0.as_chunks_mut::<4>();
        for (value, four) in self.0.into_iter().zip(fours) {
            store(value, four);
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_add(a, b))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_sub(a, b))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_mul(a, b))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_div(a, b))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Simd128(self.0.map(|lanes| f32x4_abs(lanes)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // Not `f32x4_min`, which has another rule for NaN: `a` where it is less than `b`.
        self.each(other, |a, b| f32x4_pmin(b, a))
    }
    #[inline(always)]
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self) {
        let whole = self.0.map(|lanes| i32x4_trunc_sat_f32x4(lanes));
        let found = whole.map(|lanes| {
            let mut places = [0_u32; 4];
            store(lanes, &mut places);
            load(&places.map(|place| table[place as usize & 127]))
        });
        let whole = whole.map(|lanes| f32x4_convert_i32x4(lanes));
        (Simd128(whole), Simd128(found))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        let zero = f32x4_splat(0.0);
        let masks = self.0.map(|lanes| i32x4_bitmask(f32x4_ne(lanes, zero)));
        let masks = masks.into_iter().enumerate();
        masks.fold(0, |all, (n, mask)| all | u32::from(mask) << (4 * n))
    }
    #[inline(always)]
    fn where_negative(self, negative: Self, other: Self) -> Self {
        let zero = f32x4_splat(0.0);
        Simd128(std::array::from_fn(|n| {
            v128_bitselect(negative.0[n], other.0[n], f32x4_lt(self.0[n], zero))
        }))
    }

    #[inline(always)]
    fn half_zero() -> [v128; 2] {
        [f32x4_splat(0.0); 2]
    }
    #[inline(always)]
    fn half_step(sum: [v128; 2], four: &[f32; 4], weights: &[f32; 8]) -> [v128; 2] {
        let (four, (weights, _)) = (load(four), weights.as_chunks::<4>());
        std::array::from_fn(|n| f32x4_add(sum[n], f32x4_mul(four, load(&weights[n]))))
    }
    #[inline(always)]
    fn half_store(half: [v128; 2]) -> [f32; 8] {
        let mut lanes = [0.0; 8];
        let (fours, _) = lanes.as_chunks_mut::<4>();
        for (value, four) in half.into_iter().zip(fours) {
            store(value, four);
        }
        lanes
    }
    #[inline(always)]
    fn half_load(half: &[f32; 8]) -> [v128; 2] {
        let (fours, _) = half.as_chunks::<4>();
        std::array::from_fn(|n| load(&fours[n]))
    }
}

/// Moves the lanes of 32 bits of `value` whose lane of `some` is not 0 to the front; returns their number.
#[inline(always)]
pub(super) fn without_zeros(value: v128, some: v128) -> (v128, usize) {
    let set = i32x4_bitmask(i32x4_ne(some, i32x4_splat(0)));
    let packed = i8x16_swizzle(value, load(&PACKED[usize::from(set) & 15]));
    (packed, set.count_ones() as usize)
}

/// Shifts right and limits to 0..=255.
#[inline(always)]
pub(super) fn clip(numbers: v128, shift: u32) -> v128 {
    let right = i16x8_shr(numbers, shift);
    i16x8_min(i16x8_max(right, i16x8_splat(0)), i16x8_splat(255))
}

/// Returns the sum of the four lanes.
#[inline(always)]
fn sum(lanes: v128) -> i32 {
    let halves = i32x4_add(lanes, i64x2_shuffle::<1, 0>(lanes, lanes));
    i32x4_extract_lane::<0>(halves).wrapping_add(i32x4_extract_lane::<1>(halves))
}

impl Integers for Simd128 {
    #[inline(always)]
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32 {
        let ((a, _), (b, _)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        let mut total = i32x4_splat(0);
        for (a, b) in a.iter().zip(b) {
            total = i32x4_add(total, i32x4_dot_i16x8(load(a), load(b)));
        }
        sum(total)
    }
    #[inline(always)]
    fn nibbles(packed: u128) -> [i16; 32] {
        let mut nibbles = [0; 32];
        let bytes = packed.to_le_bytes();
        let ((eights, _), (places, _)) = (bytes.as_chunks::<8>(), nibbles.as_chunks_mut::<16>());
        for (eight, place) in eights.iter().zip(places) {
            let bytes = widened(eight);
            let (even, odd) = (v128_and(bytes, i16x8_splat(15)), u16x8_shr(bytes, 4));
            let (places, _) = place.as_chunks_mut::<8>();
            let low = i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(even, odd);
            let high = i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(even, odd);
            for (value, place) in [low, high].into_iter().zip(places) {
                store(value, place);
            }
        }
        nibbles
    }
    #[inline(always)]
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize {
        list_plainly(counts, start, list, length)
    }
    #[inline(always)]
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]) {
        const BITS: v128 = u8x16(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128);
        // All bits of a lane where the bit of eight is set; the upper eight lanes are those of the lower ones again.
        let all = |bits: u64, place: usize| {
            let eight = u8x16_splat((bits >> place) as u8);
            u8x16_eq(v128_and(eight, BITS), BITS)
        };
        let (eights, _) = to.as_chunks_mut::<8>();
        let mut write = |value: v128, eight: usize| {
            eights[eight] = u64x2_extract_lane::<0>(value).to_le_bytes();
        };
        for side in 0..2 {
            for eight in 0..3 {
                let place = 32 * side + 8 * eight;
                let mut number = u8x16_splat(0);
                for (digit, &bits) in digits.iter().enumerate() {
                    let bit = v128_and(all(bits, place), u8x16_splat(1 << digit));
                    number = v128_or(number, bit);
                }
                let half = u8x16_avgr(number, u8x16_splat(0));
                let hit = all(hits, place);
                write(v128_and(half, hit), 6 * side + eight);
                write(v128_andnot(half, hit), 6 * side + 3 + eight);
            }
        }
        write(u8x16_splat(0), 12);
    }
    #[inline(always)]
    fn list_differences<const SIZE: usize>(
        old: &[u8; SIZE],
        new: &[u8; SIZE],
        first: usize,
        list: &mut [InputDelta],
        mut length: usize,
    ) -> usize {
        if !SIZE.is_multiple_of(8) || list.len() < length + SIZE {
            return list_differences_plainly(old, new, first, list, length);
        }
        let ((olds, _), (news, _)) = (old.as_chunks::<8>(), new.as_chunks::<8>());
        let mut rows = u32x4_add(u32x4_splat(first as u32), u32x4(0, 1, 2, 3));
        for (old, new) in olds.iter().zip(news) {
            // The sign of the lowest eight bits of the difference.
            let factors = i16x8_sub(widened(new), widened(old));
            let factors = i16x8_shr(i16x8_shl(factors, 8), 8);
            for half in [
                i32x4_extend_low_i16x8(factors),
                i32x4_extend_high_i16x8(factors),
            ] {
                // The row in the low half of a lane, the factor in the high one.
                let entry = v128_or(rows, i32x4_shl(half, 16));
                let (entry, count) = without_zeros(entry, half);
                // SAFETY: four entries are written from a place that is at most `SIZE - 4` beyond the first `length`, for
                // which there is room.
                unsafe { v128_store(list.as_mut_ptr().add(length).cast(), entry) };
                length += count;
                rows = u32x4_add(rows, u32x4_splat(4));
            }
        }
        length
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
        const REGISTERS: usize = ROW_WIDTH / 8;
        #[inline(always)]
        fn loaded(row: &Row) -> [v128; REGISTERS] {
            let (eights, _) = row.0.as_chunks::<8>();
            std::array::from_fn(|n| load(&eights[n]))
        }
        let mut sums = loaded(start);
        for &[add, sub] in steps {
            let add = loaded(&rows[usize::from(add) % ROWS]);
            let sub = loaded(&rows[usize::from(sub) % ROWS]);
            for (n, sum) in sums.iter_mut().enumerate() {
                *sum = i16x8_sub(i16x8_add(*sum, add[n]), sub[n]);
            }
        }
        let clipped = sums.map(|sum| clip(sum, shift));
        for (number, weights) in weights.iter().enumerate() {
            let mut total = i32x4_splat(0);
            for (value, weights) in clipped.into_iter().zip(loaded(weights)) {
                total = i32x4_add(total, i32x4_dot_i16x8(value, weights));
            }
            found(number, sum(total));
        }
    }
}
