//! The kernels of integer nets for AVX2 and AVX-512 with VNNI.
//!
//! [`Registers`] names the operations; the work on them is in `integer_registers`.
#![allow(unsafe_code)]

use super::integer_registers::{PAIRS_MAX, PairList, Registers, accumulate, second};
use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, OutputHead, Sums};
use super::level::{CpuLevel, InstructionSet};
use super::x86::without_zeros;
use crate::nn::activation::SQUARE_SHIFT;
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
