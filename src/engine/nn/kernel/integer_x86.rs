//! The kernels of integer nets for AVX2 and AVX-512 with VNNI.
//!
//! All sums are exact integers, so the order of work is free and the bits are those of plain Rust.
//! A batch is worked off tile by tile of the first layer, all inputs for one tile, so that the
//! rows and weights of a tile stay in the nearest cache. The work is written once over
//! [`Registers`].
#![allow(unsafe_code)]

use super::layout::{Accumulator, Aligned, Batch, Clipped, InputDelta, Net, Sums, TILE};
use super::level::{CpuLevel, InstructionSet};
use crate::nn::activation::{Passes, SQUARE_SHIFT};
use crate::nn::float_net::{RESULTS, SECOND_MAX};
use std::arch::x86_64::*;

/// Calls a function compiled for a level after checking that the level allows it.
macro_rules! enter {
    ($level:expr, $wanted:ident, $call:expr) => {{
        assert!($level.0 >= InstructionSet::$wanted);
        // SAFETY: a `CpuLevel` of this level is made only after its features were detected.
        unsafe { $call }
    }};
}

pub(super) fn accumulate_avx2(
    level: CpuLevel,
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled(rows: &Aligned, from: &Accumulator, changes: &[InputDelta], to: &mut Accumulator) {
        accumulate::<Avx2, 8>(rows, from, changes, to);
    }
    enter!(level, Avx2, compiled(rows, from, changes, to));
}

pub(super) fn accumulate_vnni(
    level: CpuLevel,
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    #[target_feature(
        enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
    fn compiled(rows: &Aligned, from: &Accumulator, changes: &[InputDelta], to: &mut Accumulator) {
        accumulate::<Vnni, 4>(rows, from, changes, to);
    }
    enter!(level, Vnni, compiled(rows, from, changes, to));
}

pub(super) fn results_avx2(
    level: CpuLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums], out: &mut [[f32; RESULTS]]) {
        match net.head.neurons() {
            16 => second::<Avx2, 8, 2>(net, batch, sums),
            32 => second::<Avx2, 8, 4>(net, batch, sums),
            _ => second::<Avx2, 8, 8>(net, batch, sums),
        }
        for (sums, out) in sums.iter().zip(out) {
            *out = net.head.results(sums);
        }
    }
    enter!(level, Avx2, compiled(net, batch, sums, out));
}

pub(super) fn results_vnni(
    level: CpuLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    #[target_feature(
        enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
    fn compiled(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums], out: &mut [[f32; RESULTS]]) {
        match net.head.neurons() {
            16 => second::<Vnni, 4, 1>(net, batch, sums),
            32 => second::<Vnni, 4, 2>(net, batch, sums),
            _ => second::<Vnni, 4, 4>(net, batch, sums),
        }
        for (sums, out) in sums.iter().zip(out) {
            *out = net.head.results(sums);
        }
    }
    enter!(level, Vnni, compiled(net, batch, sums, out));
}

/// A level's registers and what is done with them. All functions are called only in code compiled
/// for the level.
trait Registers {
    type R: Copy;
    /// 16-bit numbers in a register.
    const LANES: usize;
    fn zero() -> Self::R;
    /// # Safety
    /// `LANES` numbers can be read at `place`.
    unsafe fn load(place: *const i16) -> Self::R;
    /// # Safety
    /// `LANES` numbers can be written at `place`.
    unsafe fn store(value: Self::R, place: *mut i16);
    /// `sum + weights * factor` in 16 bits that wrap.
    fn add_product(sum: Self::R, weights: Self::R, factor: i16) -> Self::R;
    /// Shifted right and limited to 0..=255; bit `p` is set where pair `p` is not zero.
    fn clip(sum: Self::R, shift: u32) -> (Self::R, u64);
    /// Limited to 0..=`255 << shift` (twice that `TO_TWO`), shifted so that the limit is `255 << 8`, squared, the
    /// upper 16 bits shifted right by [`SQUARE_SHIFT`] (two less `TO_TWO`) with rounding; the pairs as in
    /// [`Registers::clip`].
    fn square<const TO_TWO: bool>(sum: Self::R, shift: u32) -> (Self::R, u64);
    /// In each 32-bit lane `total` plus the products of `pair` with the two weights there.
    fn dot(total: Self::R, pair: i32, weights: Self::R) -> Self::R;
    /// Sums of 32-bit lanes.
    fn add(a: Self::R, b: Self::R) -> Self::R;
}

struct Avx2;

impl Registers for Avx2 {
    type R = __m256i;
    const LANES: usize = 16;

    #[inline(always)]
    fn zero() -> __m256i {
        // SAFETY: only in code compiled for AVX2, as all below.
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn load(place: *const i16) -> __m256i {
        // SAFETY: what the caller promises.
        unsafe { _mm256_loadu_si256(place.cast()) }
    }
    #[inline(always)]
    unsafe fn store(value: __m256i, place: *mut i16) {
        // SAFETY: what the caller promises.
        unsafe { _mm256_storeu_si256(place.cast(), value) }
    }
    #[inline(always)]
    fn add_product(sum: __m256i, weights: __m256i, factor: i16) -> __m256i {
        // SAFETY: see `zero`.
        unsafe { _mm256_add_epi16(sum, _mm256_mullo_epi16(weights, _mm256_set1_epi16(factor))) }
    }
    #[inline(always)]
    fn clip(sum: __m256i, shift: u32) -> (__m256i, u64) {
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
            let value = _mm256_sra_epi16(sum, _mm_cvtsi32_si128(shift as i32));
            let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            // AVX2 compares for equality only, so that the mask of zero lanes is inverted.
            let none = _mm256_castsi256_ps(_mm256_cmpeq_epi32(value, zero));
            (value, u64::from(!_mm256_movemask_ps(none) as u32 & 0xff))
        }
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: __m256i, shift: u32) -> (__m256i, u64) {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        let last = SQUARE_SHIFT - 2 * less;
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(limit << shift));
            let value = _mm256_min_epi16(_mm256_max_epi16(sum, zero), one);
            let value = _mm256_sll_epi16(value, _mm_cvtsi32_si128((8 - less - shift) as i32));
            let half = _mm256_set1_epi16(1 << (last - 1));
            let value = _mm256_add_epi16(_mm256_mulhi_epu16(value, value), half);
            let value = if TO_TWO {
                _mm256_srli_epi16::<{ SQUARE_SHIFT as i32 - 2 }>(value)
            } else {
                _mm256_srli_epi16::<{ SQUARE_SHIFT as i32 }>(value)
            };
            let none = _mm256_castsi256_ps(_mm256_cmpeq_epi32(value, zero));
            (value, u64::from(!_mm256_movemask_ps(none) as u32 & 0xff))
        }
    }
    #[inline(always)]
    fn dot(total: __m256i, pair: i32, weights: __m256i) -> __m256i {
        // Exact: two products of at most 4064 * 4095 each.
        // SAFETY: see `zero`.
        unsafe {
            let products = _mm256_madd_epi16(_mm256_set1_epi32(pair), weights);
            _mm256_add_epi32(total, products)
        }
    }
    #[inline(always)]
    fn add(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see `zero`.
        unsafe { _mm256_add_epi32(a, b) }
    }
}

/// AVX-512 with VNNI: one instruction for multiplying and adding. (Two-way 16-bit, not four-way
/// 8-bit: weights may have 13 bits, and neither form can saturate.)
struct Vnni;

impl Registers for Vnni {
    type R = __m512i;
    const LANES: usize = 32;

    #[inline(always)]
    fn zero() -> __m512i {
        // SAFETY: only in code compiled for AVX-512 with VNNI, as all below.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn load(place: *const i16) -> __m512i {
        // SAFETY: what the caller promises.
        unsafe { _mm512_loadu_si512(place.cast()) }
    }
    #[inline(always)]
    unsafe fn store(value: __m512i, place: *mut i16) {
        // SAFETY: what the caller promises.
        unsafe { _mm512_storeu_si512(place.cast(), value) }
    }
    #[inline(always)]
    fn add_product(sum: __m512i, weights: __m512i, factor: i16) -> __m512i {
        // SAFETY: see `zero`.
        unsafe { _mm512_add_epi16(sum, _mm512_mullo_epi16(weights, _mm512_set1_epi16(factor))) }
    }
    #[inline(always)]
    fn clip(sum: __m512i, shift: u32) -> (__m512i, u64) {
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
            let value = _mm512_sra_epi16(sum, _mm_cvtsi32_si128(shift as i32));
            let value = _mm512_min_epi16(_mm512_max_epi16(value, zero), one);
            (value, u64::from(_mm512_test_epi32_mask(value, value)))
        }
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: __m512i, shift: u32) -> (__m512i, u64) {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        let last = SQUARE_SHIFT - 2 * less;
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(limit << shift));
            let value = _mm512_min_epi16(_mm512_max_epi16(sum, zero), one);
            let value = _mm512_sll_epi16(value, _mm_cvtsi32_si128((8 - less - shift) as i32));
            let half = _mm512_set1_epi16(1 << (last - 1));
            let value = _mm512_add_epi16(_mm512_mulhi_epu16(value, value), half);
            let value = if TO_TWO {
                _mm512_srli_epi16::<{ SQUARE_SHIFT - 2 }>(value)
            } else {
                _mm512_srli_epi16::<SQUARE_SHIFT>(value)
            };
            (value, u64::from(_mm512_test_epi32_mask(value, value)))
        }
    }
    #[inline(always)]
    fn dot(total: __m512i, pair: i32, weights: __m512i) -> __m512i {
        // SAFETY: see `zero`.
        unsafe { _mm512_dpwssd_epi32(total, _mm512_set1_epi32(pair), weights) }
    }
    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see `zero`.
        unsafe { _mm512_add_epi32(a, b) }
    }
}

/// Tile `at` of the first layer, `N` registers: `from` plus the changes.
#[inline(always)]
fn tile<U: Registers, const N: usize>(
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    at: usize,
) -> [U::R; N] {
    assert!(N * U::LANES == TILE);
    let width = from.len();
    let start = from.as_slice()[at * TILE..][..TILE].as_ptr();
    let mut sums = [U::zero(); N];
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `start` begins `TILE` numbers, `N` registers, by the slice above.
        *sum = unsafe { U::load(start.add(n * U::LANES)) };
    }
    for change in changes {
        let row = rows.as_slice()[usize::from(change.row) * width + at * TILE..][..TILE].as_ptr();
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: `row` begins `TILE` numbers, `N` registers, by the slice above.
            let weights = unsafe { U::load(row.add(n * U::LANES)) };
            *sum = U::add_product(*sum, weights, change.factor);
        }
    }
    sums
}

#[inline(always)]
fn accumulate<U: Registers, const N: usize>(
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    assert_eq!(from.len(), to.len());
    for at in 0..from.len() / TILE {
        let sums = tile::<U, N>(rows, from, changes, at);
        let place = to.as_mut_slice()[at * TILE..][..TILE].as_mut_ptr();
        for (n, sum) in sums.into_iter().enumerate() {
            // SAFETY: `place` begins `TILE` numbers, `N` registers, by the slice above.
            unsafe { U::store(sum, place.add(n * U::LANES)) };
        }
    }
}

/// Tile `at`, clipped, into `clipped`; bit `p` of the result is set where pair `p` of the tile is
/// not zero.
#[inline(always)]
fn clipped_tile<U: Registers, const N: usize>(
    net: &Net<'_>,
    from: &Accumulator,
    changes: &[InputDelta],
    at: usize,
    clipped: &mut Clipped,
) -> u64 {
    let place = clipped.0.as_mut_ptr();
    let mut pairs = 0;
    for (n, sum) in tile::<U, N>(net.rows, from, changes, at)
        .into_iter()
        .enumerate()
    {
        let (value, some) = match net.passes {
            Passes::Clipped => U::clip(sum, net.shift),
            Passes::Squared => U::square::<false>(sum, net.shift),
            Passes::SquaredToTwo => U::square::<true>(sum, net.shift),
        };
        // SAFETY: `clipped` has `TILE` numbers, `N` registers (asserted in `tile`).
        unsafe { U::store(value, place.add(n * U::LANES)) };
        pairs |= some << (n * U::LANES / 2);
    }
    pairs
}

/// Sums of the second layer for `TOTALS` registers of neurons of every input of a batch.
#[inline(always)]
fn second<U: Registers, const N: usize, const TOTALS: usize>(
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
) {
    let neurons = U::LANES / 2;
    assert!(neurons * TOTALS <= SECOND_MAX);
    let size = U::LANES * TOTALS;
    let mut clipped = Clipped::ZERO;
    sums.fill(Sums::ZERO);
    for at in 0..batch.from.len() / TILE {
        let weights = &net.second.as_slice()[at * TILE / 2 * size..][..TILE / 2 * size];
        for (changes, sums) in batch.lists().zip(sums.iter_mut()) {
            let pairs = clipped_tile::<U, N>(net, batch.from, changes, at, &mut clipped);
            // Two sums in turn: one would wait for itself. A pair too many is one that is zero.
            let (mut even, mut odd) = ([U::zero(); TOTALS], [U::zero(); TOTALS]);
            let mut left = pairs;
            while left != 0 {
                let first = left.trailing_zeros() as usize;
                left &= left - 1;
                let second = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                for (pair, totals) in [(first, &mut even), (second, &mut odd)] {
                    // SAFETY: `pair` is at most 64 = `TILE / 2`: `clipped` has a pair more than a tile,
                    // always zero, and `weights` has `size` = `TOTALS` registers for each pair
                    // below 64; the last one is read instead of one beyond.
                    unsafe {
                        let value = clipped.0.as_ptr().add(2 * pair).cast::<i32>().read();
                        let place = weights.as_ptr().add(pair.min(TILE / 2 - 1) * size);
                        for (n, total) in totals.iter_mut().enumerate() {
                            *total = U::dot(*total, value, U::load(place.add(n * U::LANES)));
                        }
                    }
                }
            }
            let place = sums.0.as_mut_ptr();
            for (n, (even, odd)) in even.into_iter().zip(odd).enumerate() {
                // SAFETY: `sums` has at least `neurons * TOTALS` numbers, checked above.
                unsafe {
                    let place = place.add(n * neurons).cast::<i16>();
                    let total = U::add(even, odd);
                    U::store(U::add(U::load(place), total), place);
                }
            }
        }
    }
}
