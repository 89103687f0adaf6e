//! The kernels of integer nets for AVX2 and AVX-512 with VNNI.
//!
//! All sums are exact integers, so the order of work is free and the bits are those of plain Rust.
//! A batch is worked off tile by tile of the first layer, all inputs for one tile, so that the
//! rows and weights of a tile stay in the nearest cache. The work is written once over
//! [`Registers`].
#![allow(unsafe_code)]

use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, OutputHead, Sums};
use super::level::{CpuLevel, InstructionSet};
use super::x86::without_zeros;
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
        match from.len() % 256 {
            0 => accumulate::<Vnni, 8>(rows, from, changes, to),
            _ => accumulate::<Vnni, 4>(rows, from, changes, to),
        }
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
            *out = head(net.head, sums);
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
        #[inline(always)]
        fn second_of<const N: usize>(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums]) {
            match net.head.neurons() {
                16 => second::<Vnni, N, 1>(net, batch, sums),
                32 => second::<Vnni, N, 2>(net, batch, sums),
                _ => second::<Vnni, N, 4>(net, batch, sums),
            }
        }
        // Longer tiles take fewer loops; more registers than eight bring no more.
        match batch.from.len() % 256 {
            0 => second_of::<8>(net, batch, sums),
            _ => second_of::<4>(net, batch, sums),
        }
        for (sums, out) in sums.iter().zip(out) {
            *out = head(net.head, sums);
        }
    }
    enter!(level, Vnni, compiled(net, batch, sums, out));
}

/// A level's registers and the operations on them. All functions are called only in code compiled for the level.
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
    /// Returns `sum + weights * factor` in 16 bits that wrap.
    fn add_product(sum: Self::R, weights: Self::R, factor: i16) -> Self::R;
    /// Shifts right and limits to 0..=255.
    fn clip(sum: Self::R, shift: u32) -> Self::R;
    /// Limits to 0..=`255 << shift` (twice that `TO_TWO`), shifts so that the limit is `255 << 8`, squares, and
    /// shifts the upper 16 bits right by [`SQUARE_SHIFT`] (two less `TO_TWO`) with rounding.
    fn square<const TO_TWO: bool>(sum: Self::R, shift: u32) -> Self::R;
    /// Adds the pairs that are not zero, the first of them number `first`, to a list of `length`; the new length.
    fn list(pairs: Self::R, first: usize, list: &mut PairList, length: usize) -> usize;
    /// Returns in each 32-bit lane `total` plus the products of `pair` with the two weights there.
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
        // SAFETY: the caller's contract.
        unsafe { _mm256_loadu_si256(place.cast()) }
    }
    #[inline(always)]
    unsafe fn store(value: __m256i, place: *mut i16) {
        // SAFETY: the caller's contract.
        unsafe { _mm256_storeu_si256(place.cast(), value) }
    }
    #[inline(always)]
    fn add_product(sum: __m256i, weights: __m256i, factor: i16) -> __m256i {
        // SAFETY: see `zero`.
        unsafe { _mm256_add_epi16(sum, _mm256_mullo_epi16(weights, _mm256_set1_epi16(factor))) }
    }
    #[inline(always)]
    fn clip(sum: __m256i, shift: u32) -> __m256i {
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
            let value = _mm256_sra_epi16(sum, _mm_cvtsi32_si128(shift as i32));
            _mm256_min_epi16(_mm256_max_epi16(value, zero), one)
        }
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: __m256i, shift: u32) -> __m256i {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        let last = SQUARE_SHIFT - 2 * less;
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(limit << shift));
            let value = _mm256_min_epi16(_mm256_max_epi16(sum, zero), one);
            let value = _mm256_sll_epi16(value, _mm_cvtsi32_si128((8 - less - shift) as i32));
            let half = _mm256_set1_epi16(1 << (last - 1));
            let value = _mm256_add_epi16(_mm256_mulhi_epu16(value, value), half);
            if TO_TWO {
                _mm256_srli_epi16::<{ SQUARE_SHIFT as i32 - 2 }>(value)
            } else {
                _mm256_srli_epi16::<{ SQUARE_SHIFT as i32 }>(value)
            }
        }
    }
    #[inline(always)]
    fn list(pairs: __m256i, first: usize, list: &mut PairList, length: usize) -> usize {
        assert!(length <= PAIRS_MAX);
        // SAFETY: see `zero`; the lists have room for `PAIRS_MAX` pairs and sixteen more.
        unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let numbers = _mm256_add_epi32(lanes, _mm256_set1_epi32(first as i32));
            let (values, count) = without_zeros(pairs, pairs);
            _mm256_storeu_si256(list.values.as_mut_ptr().add(length).cast(), values);
            let (numbers, _) = without_zeros(numbers, pairs);
            _mm256_storeu_si256(list.numbers.as_mut_ptr().add(length).cast(), numbers);
            length + count
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
        // SAFETY: the caller's contract.
        unsafe { _mm512_loadu_si512(place.cast()) }
    }
    #[inline(always)]
    unsafe fn store(value: __m512i, place: *mut i16) {
        // SAFETY: the caller's contract.
        unsafe { _mm512_storeu_si512(place.cast(), value) }
    }
    #[inline(always)]
    fn add_product(sum: __m512i, weights: __m512i, factor: i16) -> __m512i {
        // SAFETY: see `zero`.
        unsafe { _mm512_add_epi16(sum, _mm512_mullo_epi16(weights, _mm512_set1_epi16(factor))) }
    }
    #[inline(always)]
    fn clip(sum: __m512i, shift: u32) -> __m512i {
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
            let value = _mm512_sra_epi16(sum, _mm_cvtsi32_si128(shift as i32));
            _mm512_min_epi16(_mm512_max_epi16(value, zero), one)
        }
    }
    #[inline(always)]
    fn square<const TO_TWO: bool>(sum: __m512i, shift: u32) -> __m512i {
        let (limit, less) = if TO_TWO { (510, 1) } else { (255, 0) };
        let last = SQUARE_SHIFT - 2 * less;
        // SAFETY: see `zero`.
        unsafe {
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(limit << shift));
            let value = _mm512_min_epi16(_mm512_max_epi16(sum, zero), one);
            let value = _mm512_sll_epi16(value, _mm_cvtsi32_si128((8 - less - shift) as i32));
            let half = _mm512_set1_epi16(1 << (last - 1));
            let value = _mm512_add_epi16(_mm512_mulhi_epu16(value, value), half);
            if TO_TWO {
                _mm512_srli_epi16::<{ SQUARE_SHIFT - 2 }>(value)
            } else {
                _mm512_srli_epi16::<SQUARE_SHIFT>(value)
            }
        }
    }
    #[inline(always)]
    fn list(pairs: __m512i, first: usize, list: &mut PairList, length: usize) -> usize {
        assert!(length <= PAIRS_MAX);
        // SAFETY: see `zero`; the lists have room for `PAIRS_MAX` pairs and a register more.
        unsafe {
            let some = _mm512_test_epi32_mask(pairs, pairs);
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32(first as i32));
            let values = _mm512_maskz_compress_epi32(some, pairs);
            _mm512_storeu_si512(list.values.as_mut_ptr().add(length).cast(), values);
            let numbers = _mm512_maskz_compress_epi32(some, numbers);
            _mm512_storeu_si512(list.numbers.as_mut_ptr().add(length).cast(), numbers);
            length + some.count_ones() as usize
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

/// Pairs of first-layer results that are not zero.
#[repr(C, align(64))]
struct PairList {
    values: [i32; PAIRS_MAX + 16],
    numbers: [u32; PAIRS_MAX + 16],
}

/// Most pairs of the first layer that are worked on at a time.
const PAIRS_MAX: usize = 256;

/// Computes `N` registers of the first layer from number `at` on: `from` plus the changes.
#[inline(always)]
fn tile<U: Registers, const N: usize>(
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    at: usize,
) -> [U::R; N] {
    let (width, size) = (from.len(), N * U::LANES);
    let start = from.as_slice()[at..][..size].as_ptr();
    let mut sums = [U::zero(); N];
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `start` begins `size` numbers, `N` registers, by the slice above.
        *sum = unsafe { U::load(start.add(n * U::LANES)) };
    }
    for change in changes {
        let row = rows.as_slice()[usize::from(change.row) * width + at..][..size].as_ptr();
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: `row` begins `size` numbers, `N` registers, by the slice above.
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
    for at in (0..from.len()).step_by(N * U::LANES) {
        let sums = tile::<U, N>(rows, from, changes, at);
        let place = to.as_mut_slice()[at..][..N * U::LANES].as_mut_ptr();
        for (n, sum) in sums.into_iter().enumerate() {
            // SAFETY: `place` begins the numbers of `N` registers, by the slice above.
            unsafe { U::store(sum, place.add(n * U::LANES)) };
        }
    }
}

/// Sums of the second layer for `TOTALS` registers of neurons of every input of a batch, `N` registers of the first layer
/// at a time.
#[inline(always)]
fn second<U: Registers, const N: usize, const TOTALS: usize>(
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
) {
    let (neurons, span) = (U::LANES / 2, N * U::LANES);
    assert!(neurons * TOTALS <= SECOND_MAX && span / 2 <= PAIRS_MAX);
    let size = U::LANES * TOTALS;
    let mut list = PairList {
        values: [0; PAIRS_MAX + 16],
        numbers: [0; PAIRS_MAX + 16],
    };
    sums.fill(Sums::ZERO);
    for at in (0..batch.from.len()).step_by(span) {
        let weights = &net.second.as_slice()[at / 2 * size..][..span / 2 * size];
        for (changes, sums) in batch.lists().zip(sums.iter_mut()) {
            let mut length = 0;
            let tile = tile::<U, N>(net.rows, batch.from, changes, at);
            for (n, sum) in tile.into_iter().enumerate() {
                let pairs = match net.passes {
                    Passes::Clipped => U::clip(sum, net.shift),
                    Passes::Squared => U::square::<false>(sum, net.shift),
                    Passes::SquaredToTwo => U::square::<true>(sum, net.shift),
                };
                length = U::list(pairs, n * neurons, &mut list, length);
            }
            // Two sums in turn: one would wait for itself. A pair too many is one that is zero.
            (list.values[length], list.numbers[length]) = (0, 0);
            let (mut even, mut odd) = ([U::zero(); TOTALS], [U::zero(); TOTALS]);
            for k in (0..length).step_by(2) {
                for (k, totals) in [(k, &mut even), (k + 1, &mut odd)] {
                    // SAFETY: `list` begins `length` pairs and a zero one, numbers below `span / 2`, and `weights`
                    // has `size` = `TOTALS` registers for each of those.
                    unsafe {
                        let value = *list.values.get_unchecked(k);
                        let number = *list.numbers.get_unchecked(k) as usize;
                        let place = weights.as_ptr().add(number * size);
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

/// Computes [`OutputHead::results`] with a register for each partial sum, because compilers do not vectorise its
/// loops.
#[inline(always)]
fn head(head: &OutputHead, sums: &Sums) -> [f32; RESULTS] {
    let mut total = [0.0f32; 8];
    // SAFETY: only in code compiled for AVX2. Eight numbers are read at `start`, at most `SECOND_MAX - 8`, of arrays of
    // `SECOND_MAX`, and written to arrays of eight.
    unsafe {
        let (zero, most) = (_mm256_setzero_ps(), _mm256_set1_ps(head.most));
        let mut partial = [zero; 4];
        for start in (0..head.neurons().min(SECOND_MAX)).step_by(8) {
            let sum = _mm256_cvtepi32_ps(_mm256_loadu_si256(sums.0.as_ptr().add(start).cast()));
            let scaled = _mm256_mul_ps(sum, _mm256_loadu_ps(head.scales.as_ptr().add(start)));
            let value = _mm256_add_ps(scaled, _mm256_loadu_ps(head.bias.as_ptr().add(start)));
            let value = _mm256_min_ps(_mm256_max_ps(value, zero), most);
            let mut hidden = [0.0f32; 8];
            _mm256_storeu_ps(hidden.as_mut_ptr(), value);
            for (j, hidden) in hidden.iter().enumerate() {
                let weights = _mm256_loadu_ps(head.weights[start + j].as_ptr());
                let product = _mm256_mul_ps(_mm256_set1_ps(*hidden), weights);
                partial[j % 4] = _mm256_add_ps(partial[j % 4], product);
            }
        }
        let [p0, p1, p2, p3] = partial;
        let sum = _mm256_add_ps(_mm256_add_ps(p0, p1), _mm256_add_ps(p2, p3));
        _mm256_storeu_ps(total.as_mut_ptr(), sum);
    }
    head.chances(total)
}
