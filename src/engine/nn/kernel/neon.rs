//! The operations of [`Wide`] and [`Integers`] for NEON, which every 64-bit ARM processor has: no detection is needed.
#![allow(unsafe_code)]

use super::layout::InputDelta;
use super::operations::{ActiveList, Integers, PACKED, ROW_WIDTH, ROWS, Row, SPREAD_ROOM};
use super::wide::{Line, Wide, list_differences_plainly, list_plainly};
use std::arch::aarch64::*;

/// Evaluates intrinsics on registers. Those that load and store are called in `unsafe` blocks of their own.
macro_rules! registers {
    ($($code:tt)*) => {{
        // SAFETY: NEON is a feature of the target, and these intrinsics need no more.
        unsafe { $($code)* }
    }};
}
pub(super) use registers;

/// Four registers of four lanes.
#[derive(Clone, Copy)]
pub(super) struct Neon([float32x4_t; 4]);

impl Neon {
    /// Applies an operation to each register of two values.
    #[inline(always)]
    fn each(
        self,
        other: Self,
        operation: impl Fn(float32x4_t, float32x4_t) -> float32x4_t,
    ) -> Self {
        let (a, b) = (self.0, other.0);
        Neon(std::array::from_fn(|n| operation(a[n], b[n])))
    }
}

#[inline(always)]
fn load_floats(place: &[f32; 4]) -> float32x4_t {
    // SAFETY: four numbers are there.
    unsafe { vld1q_f32(place.as_ptr()) }
}

#[inline(always)]
fn store_floats(value: float32x4_t, place: &mut [f32; 4]) {
    // SAFETY: four numbers fit.
    unsafe { vst1q_f32(place.as_mut_ptr(), value) }
}

#[inline(always)]
fn load_numbers(place: &[i16; 8]) -> int16x8_t {
    // SAFETY: eight numbers are there.
    unsafe { vld1q_s16(place.as_ptr()) }
}

#[inline(always)]
fn load_lanes(place: &[u32; 4]) -> uint32x4_t {
    // SAFETY: four numbers are there.
    unsafe { vld1q_u32(place.as_ptr()) }
}

#[inline(always)]
fn load_bytes(place: &[u8; 8]) -> uint8x8_t {
    // SAFETY: eight bytes are there.
    unsafe { vld1_u8(place.as_ptr()) }
}

impl Wide for Neon {
    type Half = [float32x4_t; 2];
    const MANY: bool = false;

    #[inline(always)]
    fn load(line: &Line) -> Self {
        let (fours, _) = line.0.as_chunks::<4>();
        Neon(std::array::from_fn(|n| load_floats(&fours[n])))
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        registers!(Neon([vdupq_n_f32(value); 4]))
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        let (fours, _) = line.0.as_chunks_mut::<4>();
        for (value, four) in self.0.into_iter().zip(fours) {
            store_floats(value, four);
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| registers!(vaddq_f32(a, b)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| registers!(vsubq_f32(a, b)))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| registers!(vmulq_f32(a, b)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |a, b| registers!(vdivq_f32(a, b)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        registers!(Neon(self.0.map(|lanes| vabsq_f32(lanes))))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // Not `fmin`, which has another rule for NaN.
        self.each(other, |a, b| registers!(vbslq_f32(vcltq_f32(a, b), a, b)))
    }
    #[inline(always)]
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self) {
        let whole = registers!(self.0.map(|lanes| vcvtq_s32_f32(lanes)));
        let found = whole.map(|lanes| {
            let mut places = [0; 4];
            // SAFETY: four numbers fit.
            unsafe { vst1q_s32(places.as_mut_ptr(), lanes) };
            load_floats(&places.map(|place| table[place as usize & 127]))
        });
        let whole = registers!(whole.map(|lanes| vcvtq_f32_s32(lanes)));
        (Neon(whole), Neon(found))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        let mut mask = 0;
        for (n, lanes) in self.0.into_iter().enumerate() {
            let four = registers!({
                let some = vmvnq_u32(vceqzq_f32(lanes));
                vaddvq_u32(vandq_u32(some, load_lanes(&LANE_BITS)))
            });
            mask |= four << (4 * n);
        }
        mask
    }
    #[inline(always)]
    fn where_negative(self, negative: Self, other: Self) -> Self {
        Neon(std::array::from_fn(|n| {
            registers!(vbslq_f32(vcltzq_f32(self.0[n]), negative.0[n], other.0[n]))
        }))
    }

    #[inline(always)]
    fn half_zero() -> [float32x4_t; 2] {
        registers!([vdupq_n_f32(0.0); 2])
    }
    #[inline(always)]
    fn half_step(sum: [float32x4_t; 2], four: &[f32; 4], weights: &[f32; 8]) -> [float32x4_t; 2] {
        let (four, (weights, _)) = (load_floats(four), weights.as_chunks::<4>());
        std::array::from_fn(|n| {
            registers!(vaddq_f32(sum[n], vmulq_f32(four, load_floats(&weights[n]))))
        })
    }
    #[inline(always)]
    fn half_store(half: [float32x4_t; 2]) -> [f32; 8] {
        let mut lanes = [0.0; 8];
        let (fours, _) = lanes.as_chunks_mut::<4>();
        for (value, four) in half.into_iter().zip(fours) {
            store_floats(value, four);
        }
        lanes
    }
    #[inline(always)]
    fn half_load(half: &[f32; 8]) -> [float32x4_t; 2] {
        let (fours, _) = half.as_chunks::<4>();
        std::array::from_fn(|n| load_floats(&fours[n]))
    }
}

/// Bits of the lanes in a set of four.
const LANE_BITS: [u32; 4] = [1, 2, 4, 8];
/// Bits of the lanes in a set of eight.
const BYTE_BITS: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Moves the lanes of `value` whose lane of `some` is not 0 to the front; returns their number.
#[inline(always)]
pub(super) fn without_zeros(value: uint32x4_t, some: uint32x4_t) -> (uint32x4_t, usize) {
    let lanes = load_lanes(&LANE_BITS);
    let set = registers!(vaddvq_u32(vandq_u32(vtstq_u32(some, some), lanes)));
    // SAFETY: an entry has sixteen bytes.
    let bytes = unsafe { vld1q_u8(PACKED[set as usize & 15].as_ptr()) };
    let packed = registers!(vqtbl1q_u8(vreinterpretq_u8_u32(value), bytes));
    (
        registers!(vreinterpretq_u32_u8(packed)),
        set.count_ones() as usize,
    )
}

/// Adds the products of eight 16-bit numbers to four sums.
#[inline(always)]
fn add_products(sum: int32x4_t, a: int16x8_t, b: int16x8_t) -> int32x4_t {
    registers! {
        let sum = vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b));
        vmlal_high_s16(sum, a, b)
    }
}

impl Integers for Neon {
    #[inline(always)]
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32 {
        let ((a, _), (b, _)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        let mut sum = registers!(vdupq_n_s32(0));
        for (a, b) in a.iter().zip(b) {
            sum = add_products(sum, load_numbers(a), load_numbers(b));
        }
        registers!(vaddvq_s32(sum))
    }
    #[inline(always)]
    fn nibbles(packed: u128) -> [i16; 32] {
        let mut nibbles = [0; 32];
        let bytes = packed.to_le_bytes();
        let ((eights, _), (places, _)) = (bytes.as_chunks::<8>(), nibbles.as_chunks_mut::<16>());
        for (eight, place) in eights.iter().zip(places) {
            let bytes = load_bytes(eight);
            let even = registers!(vmovl_u8(vand_u8(bytes, vdup_n_u8(15))));
            let odd = registers!(vmovl_u8(vshr_n_u8::<4>(bytes)));
            let pairs = uint16x8x2_t(even, odd);
            // SAFETY: two registers in turn are the sixteen numbers of `place`.
            unsafe { vst2q_u16(place.as_mut_ptr().cast(), pairs) };
        }
        nibbles
    }
    #[inline(always)]
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize {
        list_plainly(counts, start, list, length)
    }
    #[inline(always)]
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]) {
        let lanes = load_bytes(&BYTE_BITS);
        // All bits of a lane where the bit of eight is set.
        let all =
            |bits: u64, place: usize| registers!(vtst_u8(vdup_n_u8((bits >> place) as u8), lanes));
        let (eights, _) = to.as_chunks_mut::<8>();
        let mut write = |value: uint8x8_t, eight: usize| {
            // SAFETY: eight bytes fit.
            unsafe { vst1_u8(eights[eight].as_mut_ptr(), value) };
        };
        for side in 0..2 {
            for eight in 0..3 {
                let place = 32 * side + 8 * eight;
                let mut number = registers!(vdup_n_u8(0));
                for (digit, &bits) in digits.iter().enumerate() {
                    let bits = all(bits, place);
                    number = registers!(vorr_u8(number, vand_u8(bits, vdup_n_u8(1 << digit))));
                }
                let half = registers!(vrhadd_u8(number, vdup_n_u8(0)));
                let hit = all(hits, place);
                write(registers!(vand_u8(half, hit)), 6 * side + eight);
                write(registers!(vbic_u8(half, hit)), 6 * side + 3 + eight);
            }
        }
        write(registers!(vdup_n_u8(0)), 12);
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
        let mut rows = registers!(vaddq_u32(
            vdupq_n_u32(first as u32),
            load_lanes(&[0, 1, 2, 3])
        ));
        for (old, new) in olds.iter().zip(news) {
            let (old, new) = (load_bytes(old), load_bytes(new));
            let halves = registers!({
                let factors = vmovl_s8(vreinterpret_s8_u8(vsub_u8(new, old)));
                [vmovl_s16(vget_low_s16(factors)), vmovl_high_s16(factors)]
            });
            for half in halves {
                let half = registers!(vreinterpretq_u32_s32(half));
                // The row in the low half of a lane, the factor in the high one.
                let entry = registers!(vsliq_n_u32::<16>(rows, half));
                let (entry, count) = without_zeros(entry, half);
                // SAFETY: four entries are written from a place that is at most `SIZE - 4` beyond the first `length`, for
                // which there is room.
                unsafe { vst1q_u32(list.as_mut_ptr().add(length).cast(), entry) };
                length += count;
                rows = registers!(vaddq_u32(rows, vdupq_n_u32(4)));
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
        fn loaded(row: &Row) -> [int16x8_t; REGISTERS] {
            let (eights, _) = row.0.as_chunks::<8>();
            std::array::from_fn(|n| load_numbers(&eights[n]))
        }
        let mut sums = loaded(start);
        for &[add, sub] in steps {
            let add = loaded(&rows[usize::from(add) % ROWS]);
            let sub = loaded(&rows[usize::from(sub) % ROWS]);
            for (n, sum) in sums.iter_mut().enumerate() {
                *sum = registers!(vsubq_s16(vaddq_s16(*sum, add[n]), sub[n]));
            }
        }
        // A shift to the left by a negative number of bits is one to the right.
        let clipped = registers!({
            let right = vdupq_n_s16(-(shift as i16));
            let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(255));
            sums.map(|sum| vminq_s16(vmaxq_s16(vshlq_s16(sum, right), zero), one))
        });
        for (number, weights) in weights.iter().enumerate() {
            let mut total = registers!(vdupq_n_s32(0));
            for (value, weights) in clipped.into_iter().zip(loaded(weights)) {
                total = add_products(total, value, weights);
            }
            found(number, registers!(vaddvq_s32(total)));
        }
    }
}
