//! The kernels of integer nets for WebAssembly with `simd128`. [`Registers`] names the operations; the work on them is in
//! `integer_registers`.
#![allow(unsafe_code)]

use super::integer_registers::{PAIRS_MAX, PairList, Registers, accumulate, second};
use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, Sums};
use super::simd128::{clip, without_zeros};
use crate::nn::activation::SQUARE_SHIFT;
use crate::nn::float_net::RESULTS;
use std::arch::wasm32::*;

pub(super) fn accumulate_simd128(
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    accumulate::<Eight, 8>(rows, from, changes, to);
}

pub(super) fn results_simd128(
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    match net.head.neurons() {
        16 => second::<Eight, 8, 4>(net, batch, sums),
        32 => second::<Eight, 8, 8>(net, batch, sums),
        _ => second::<Eight, 8, 16>(net, batch, sums),
    }
    for (sums, out) in sums.iter().zip(out) {
        *out = net.head.results(sums);
    }
}

/// A register of eight 16-bit numbers, or of four 32-bit numbers.
struct Eight;

impl Registers for Eight {
    type R = v128;
    const LANES: usize = 8;

    #[inline(always)]
    fn zero() -> v128 {
        i16x8_splat(0)
    }
    #[inline(always)]
    unsafe fn load(place: *const i16) -> v128 {
        // SAFETY: the caller's contract.
        unsafe { v128_load(place.cast()) }
    }
    #[inline(always)]
    unsafe fn store(value: v128, place: *mut i16) {
        // SAFETY: the caller's contract.
        unsafe { v128_store(place.cast(), value) }
    }
    #[inline(always)]
    fn add_product(sum: v128, weights: v128, factor: i16) -> v128 {
        i16x8_add(sum, i16x8_mul(weights, i16x8_splat(factor)))
    }
    #[inline(always)]
    fn clip(sum: v128, shift: u32) -> v128 {
        clip(sum, shift)
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: v128, shift: u32) -> v128 {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        let limited = i16x8_min(i16x8_max(sum, i16x8_splat(0)), i16x8_splat(limit << shift));
        let value = i16x8_shl(limited, 8 - less - shift);
        let (low, high) = (
            u32x4_extmul_low_u16x8(value, value),
            u32x4_extmul_high_u16x8(value, value),
        );
        // The upper halves of the squares, then shifted with rounding; no sum exceeds 16 bits.
        let upper = i16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(low, high);
        let right = SQUARE_SHIFT - if TO_TWO { 2 } else { 0 };
        u16x8_shr(i16x8_add(upper, i16x8_splat(1 << (right - 1))), right)
    }
    #[inline(always)]
    fn list(pairs: v128, first: usize, list: &mut PairList, length: usize) -> usize {
        assert!(length <= PAIRS_MAX);
        let numbers = u32x4_add(u32x4_splat(first as u32), u32x4(0, 1, 2, 3));
        let (values, count) = without_zeros(pairs, pairs);
        let (numbers, _) = without_zeros(numbers, pairs);
        // SAFETY: the lists have room for `PAIRS_MAX` pairs and sixteen more, of which four are written.
        unsafe {
            v128_store(list.values.as_mut_ptr().add(length).cast(), values);
            v128_store(list.numbers.as_mut_ptr().add(length).cast(), numbers);
        }
        length + count
    }
    #[inline(always)]
    fn dot(total: v128, pair: i32, weights: v128) -> v128 {
        i32x4_add(total, i32x4_dot_i16x8(weights, i32x4_splat(pair)))
    }
    #[inline(always)]
    fn add(a: v128, b: v128) -> v128 {
        i32x4_add(a, b)
    }
}
