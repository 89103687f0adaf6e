//! The kernels of integer nets for NEON. [`Registers`] names the operations; the work on them is in `integer_registers`.
//!
//! The dot products of four 8-bit numbers that newer processors have (`sdot`) do not fit: a squared first layer passes on
//! up to 4064, and weights have up to 13 bits. Products of 16-bit numbers are added in 32 bits, exactly.
#![allow(unsafe_code)]

use super::integer_registers::{PAIRS_MAX, PairList, Registers, accumulate, second};
use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, OutputHead, Sums};
use super::neon::{registers, without_zeros};
use crate::nn::activation::SQUARE_SHIFT;
use crate::nn::float_net::{RESULTS, SECOND_MAX};
use std::arch::aarch64::*;

pub(super) fn accumulate_neon(
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    accumulate::<Neon, 8>(rows, from, changes, to);
}

pub(super) fn results_neon(
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    match net.head.neurons() {
        16 => second::<Neon, 8, 2>(net, batch, sums),
        32 => second::<Neon, 8, 4>(net, batch, sums),
        _ => second::<Neon, 8, 8>(net, batch, sums),
    }
    for (sums, out) in sums.iter().zip(out) {
        *out = head(net.head, sums);
    }
}

/// Two registers of eight 16-bit numbers, or of four 32-bit numbers.
struct Neon;

/// Applies an operation to each of two registers.
#[inline(always)]
fn each(all: int16x8x2_t, operation: impl Fn(int16x8_t) -> int16x8_t) -> int16x8x2_t {
    int16x8x2_t(operation(all.0), operation(all.1))
}

impl Registers for Neon {
    type R = int16x8x2_t;
    const LANES: usize = 16;

    #[inline(always)]
    fn zero() -> int16x8x2_t {
        registers!(int16x8x2_t(vdupq_n_s16(0), vdupq_n_s16(0)))
    }
    #[inline(always)]
    unsafe fn load(place: *const i16) -> int16x8x2_t {
        // SAFETY: the caller's contract.
        unsafe { vld1q_s16_x2(place) }
    }
    #[inline(always)]
    unsafe fn store(value: int16x8x2_t, place: *mut i16) {
        // SAFETY: the caller's contract.
        unsafe { vst1q_s16_x2(place, value) }
    }
    #[inline(always)]
    fn add_product(sum: int16x8x2_t, weights: int16x8x2_t, factor: i16) -> int16x8x2_t {
        registers!(int16x8x2_t(
            vmlaq_n_s16(sum.0, weights.0, factor),
            vmlaq_n_s16(sum.1, weights.1, factor),
        ))
    }
    #[inline(always)]
    fn clip(sum: int16x8x2_t, shift: u32) -> int16x8x2_t {
        registers! {
            // A shift to the left by a negative number of bits is one to the right.
            let right = vdupq_n_s16(-(shift as i16));
            let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(255));
            each(sum, |sum| vminq_s16(vmaxq_s16(vshlq_s16(sum, right), zero), one))
        }
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: int16x8x2_t, shift: u32) -> int16x8x2_t {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        registers! {
        let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(limit << shift));
        let left = vdupq_n_s16((8 - less - shift) as i16);
        each(sum, |sum| {
            let value = vshlq_s16(vminq_s16(vmaxq_s16(sum, zero), one), left);
            let value = vreinterpretq_u16_s16(value);
            let low = vmull_u16(vget_low_u16(value), vget_low_u16(value));
            let high = vmull_high_u16(value, value);
            // The upper halves of the squares, then shifted with rounding; no sum exceeds 16 bits.
            let upper = vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
            vreinterpretq_s16_u16(if TO_TWO {
                vrshrq_n_u16::<{ SQUARE_SHIFT as i32 - 2 }>(upper)
            } else {
                vrshrq_n_u16::<{ SQUARE_SHIFT as i32 }>(upper)
            })
        })
        }
    }
    #[inline(always)]
    fn list(pairs: int16x8x2_t, first: usize, list: &mut PairList, mut length: usize) -> usize {
        const FOUR: [u32; 4] = [0, 1, 2, 3];
        assert!(length <= PAIRS_MAX);
        for (four, pairs) in [pairs.0, pairs.1].into_iter().enumerate() {
            let pairs = registers!(vreinterpretq_u32_s16(pairs));
            // SAFETY: `FOUR` is a register; the lists have room for `PAIRS_MAX` pairs and sixteen more, of which the two
            // turns write at most eight.
            unsafe {
                let numbers = vdupq_n_u32((first + 4 * four) as u32);
                let numbers = vaddq_u32(numbers, vld1q_u32(FOUR.as_ptr()));
                let (values, count) = without_zeros(pairs, pairs);
                vst1q_u32(list.values.as_mut_ptr().add(length).cast(), values);
                let (numbers, _) = without_zeros(numbers, pairs);
                vst1q_u32(list.numbers.as_mut_ptr().add(length), numbers);
                length += count;
            }
        }
        length
    }
    #[inline(always)]
    fn dot(total: int16x8x2_t, pair: i32, weights: int16x8x2_t) -> int16x8x2_t {
        let (first, second) = (pair as i16, (pair >> 16) as i16);
        registers! {
        // The weights of the first and of the second of the pair, for eight neurons.
        let firsts = vuzp1q_s16(weights.0, weights.1);
        let seconds = vuzp2q_s16(weights.0, weights.1);
        let low = vreinterpretq_s32_s16(total.0);
        let low = vmlal_n_s16(low, vget_low_s16(firsts), first);
        let low = vmlal_n_s16(low, vget_low_s16(seconds), second);
        let high = vreinterpretq_s32_s16(total.1);
        let high = vmlal_high_n_s16(high, firsts, first);
        let high = vmlal_high_n_s16(high, seconds, second);
        int16x8x2_t(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high))
        }
    }
    #[inline(always)]
    fn add(a: int16x8x2_t, b: int16x8x2_t) -> int16x8x2_t {
        let add = |a, b| {
            registers! {
                let sum = vaddq_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b));
                vreinterpretq_s16_s32(sum)
            }
        };
        int16x8x2_t(add(a.0, b.0), add(a.1, b.1))
    }
}

/// Computes [`OutputHead::results`] with two registers for each partial sum. Products are rounded before they are added.
#[inline(always)]
fn head(head: &OutputHead, sums: &Sums) -> [f32; RESULTS] {
    let mut total = [0.0f32; 8];
    // SAFETY: eight numbers are read at `start`, at most `SECOND_MAX - 8`, of arrays of `SECOND_MAX`, and written to
    // arrays of eight.
    unsafe {
        let (zero, most) = (vdupq_n_f32(0.0), vdupq_n_f32(head.most));
        let mut partial = [[zero; 2]; 4];
        for start in (0..head.neurons().min(SECOND_MAX)).step_by(8) {
            let mut hidden = [0.0f32; 8];
            for at in [0, 4] {
                let place = start + at;
                let sum = vcvtq_f32_s32(vld1q_s32(sums.0.as_ptr().add(place)));
                let scaled = vmulq_f32(sum, vld1q_f32(head.scales.as_ptr().add(place)));
                let value = vaddq_f32(scaled, vld1q_f32(head.bias.as_ptr().add(place)));
                let value = vminq_f32(vmaxq_f32(value, zero), most);
                vst1q_f32(hidden.as_mut_ptr().add(at), value);
            }
            for (j, hidden) in hidden.iter().enumerate() {
                let weights = vld1q_f32_x2(head.weights[start + j].as_ptr());
                for (sum, weights) in partial[j % 4].iter_mut().zip([weights.0, weights.1]) {
                    *sum = vaddq_f32(*sum, vmulq_n_f32(weights, *hidden));
                }
            }
        }
        let [p0, p1, p2, p3] = partial;
        for half in 0..2 {
            let sum = vaddq_f32(vaddq_f32(p0[half], p1[half]), vaddq_f32(p2[half], p3[half]));
            vst1q_f32(total.as_mut_ptr().add(4 * half), sum);
        }
    }
    head.chances(total)
}
