//! The operations of [`Wide`] for AVX2 and AVX-512, and the entries into code compiled for them.
//!
//! The vector types below are private to this file and used only inside functions compiled for
//! their level, which only a [`CpuLevel`] of that level can reach.
#![allow(unsafe_code)]

use super::layout::InputDelta;
use super::level::{CpuLevel, InstructionSet};
use super::operations::{
    ActiveList, Integers, Kernel, LENGTH_MAX, LISTED, ROW_WIDTH, ROWS, Row, SPREAD_ROOM,
};
use super::wide::{Line, Wide, WideKernel, list_differences_plainly, list_plainly};
use std::arch::x86_64::*;

/// Calls a function compiled for a level after checking that `$level` is that level.
macro_rules! enter {
    ($level:expr, $wanted:ident, $call:expr) => {{
        assert!($level.0 >= InstructionSet::$wanted);
        // SAFETY: a `CpuLevel` of this level or a better one is made only after its features were detected.
        unsafe { $call }
    }};
}

#[inline]
pub(super) fn run_avx2<K: Kernel>(level: CpuLevel, kernel: K) -> K::Output {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }
    enter!(level, Avx2, compiled(kernel))
}

#[inline]
pub(super) fn run_avx512<K: Kernel>(level: CpuLevel, kernel: K) -> K::Output {
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }
    enter!(level, Avx512, compiled(kernel))
}

pub(super) fn run_wide_avx2<K: WideKernel>(level: CpuLevel, kernel: K) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<K: WideKernel>(kernel: K) {
        kernel.run::<Avx2>();
    }
    enter!(level, Avx2, compiled(kernel));
}

pub(super) fn run_wide_avx512<K: WideKernel>(level: CpuLevel, kernel: K) {
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<K: WideKernel>(kernel: K) {
        kernel.run::<Avx512>();
    }
    enter!(level, Avx512, compiled(kernel));
}

/// Two registers of eight lanes.
#[derive(Clone, Copy)]
struct Avx2(__m256, __m256);

/// One register of sixteen lanes.
#[derive(Clone, Copy)]
struct Avx512(__m512);

/// An intrinsic on each of the two registers.
macro_rules! both {
    ($a:ident, $b:ident, $operation:ident) => {
        // SAFETY: used only in code compiled for AVX2 (see the top of the file).
        unsafe { Avx2($operation($a.0, $b.0), $operation($a.1, $b.1)) }
    };
}

/// One intrinsic on sixteen lanes.
macro_rules! whole {
    ($operation:ident($($argument:expr),*)) => {
        // SAFETY: used only in code compiled for AVX-512 (see the top of the file).
        Avx512(unsafe { $operation($($argument),*) })
    };
}

impl Wide for Avx2 {
    type Half = __m256;
    const MANY: bool = false;

    #[inline(always)]
    fn load(line: &Line) -> Self {
        let start = line.0.as_ptr();
        // SAFETY: both halves of a `Line` are 32 bytes inside it, aligned to 32.
        unsafe { Avx2(_mm256_load_ps(start), _mm256_load_ps(start.add(8))) }
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: only in code compiled for AVX2.
        let lanes = unsafe { _mm256_set1_ps(value) };
        Avx2(lanes, lanes)
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        let start = line.0.as_mut_ptr();
        // SAFETY: as in `load`.
        unsafe {
            _mm256_store_ps(start, self.0);
            _mm256_store_ps(start.add(8), self.1);
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        both!(self, other, _mm256_add_ps)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        both!(self, other, _mm256_sub_ps)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        both!(self, other, _mm256_mul_ps)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        both!(self, other, _mm256_div_ps)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = Self::splat(-0.0);
        both!(sign, self, _mm256_andnot_ps)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        both!(self, other, _mm256_min_ps)
    }
    #[inline(always)]
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self) {
        #[inline(always)]
        fn one(lanes: __m256, table: &[f32; 128]) -> (__m256, __m256) {
            // SAFETY: only in code compiled for AVX2; the mask keeps the index inside the table.
            unsafe {
                let whole = _mm256_cvttps_epi32(lanes);
                let index = _mm256_and_si256(whole, _mm256_set1_epi32(127));
                let found = _mm256_i32gather_ps::<4>(table.as_ptr(), index);
                (_mm256_cvtepi32_ps(whole), found)
            }
        }
        let (low, low_found) = one(self.0, table);
        let (high, high_found) = one(self.1, table);
        (Avx2(low, high), Avx2(low_found, high_found))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        // SAFETY: only in code compiled for AVX2.
        unsafe {
            let zero = _mm256_setzero_ps();
            let low = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0, zero));
            let high = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self.1, zero));
            (low | high << 8) as u32
        }
    }
    #[inline(always)]
    fn where_negative(self, negative: Self, other: Self) -> Self {
        // SAFETY: only in code compiled for AVX2.
        unsafe {
            let zero = _mm256_setzero_ps();
            let low = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, zero);
            let high = _mm256_cmp_ps::<_CMP_LT_OQ>(self.1, zero);
            Avx2(
                _mm256_blendv_ps(other.0, negative.0, low),
                _mm256_blendv_ps(other.1, negative.1, high),
            )
        }
    }

    #[inline(always)]
    fn half_zero() -> __m256 {
        // SAFETY: only in code compiled for AVX2.
        unsafe { _mm256_setzero_ps() }
    }
    #[inline(always)]
    fn half_step(sum: __m256, four: &[f32; 4], weights: &[f32; 8]) -> __m256 {
        // SAFETY: only in code compiled for AVX2; the loads are inside the arrays.
        unsafe {
            let four = _mm_loadu_ps(four.as_ptr());
            let twice = _mm256_set_m128(four, four);
            let weights = _mm256_loadu_ps(weights.as_ptr());
            _mm256_add_ps(sum, _mm256_mul_ps(twice, weights))
        }
    }
    #[inline(always)]
    fn half_store(half: __m256) -> [f32; 8] {
        let mut lanes = [0.0; 8];
        // SAFETY: only in code compiled for AVX2; eight lanes fit.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), half) };
        lanes
    }
    #[inline(always)]
    fn half_load(half: &[f32; 8]) -> __m256 {
        // SAFETY: only in code compiled for AVX2; eight lanes are there.
        unsafe { _mm256_loadu_ps(half.as_ptr()) }
    }
}

/// The lower 24 bits of both halves, which [`Integers::spread`] uses.
const POINTS: u64 = 0x00ff_ffff_00ff_ffff;

/// For each set of eight lanes the numbers of those in it, ascending, a byte each.
static PACKED: [[u8; 8]; 256] = {
    let mut packed = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                packed[set][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    packed
};

/// Moves the lanes of `value` whose lane of `some` is not 0 to the front; how many there are. For AVX2, which has no
/// instruction for it.
///
/// # Safety
/// Only in code compiled for AVX2.
#[inline(always)]
pub(super) unsafe fn without_zeros(value: __m256i, some: __m256i) -> (__m256i, usize) {
    // SAFETY: the caller's contract; the load is a whole entry.
    unsafe {
        // AVX2 compares for equality only, so that the mask of zero lanes is inverted.
        let none = _mm256_cmpeq_epi32(some, _mm256_setzero_si256());
        let set = !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u32 & 0xff;
        let lanes = _mm_loadl_epi64(PACKED[set as usize & 0xff].as_ptr().cast());
        let packed = _mm256_permutevar8x32_epi32(value, _mm256_cvtepu8_epi32(lanes));
        (packed, set.count_ones() as usize)
    }
}

impl Integers for Avx2 {
    #[inline(always)]
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32 {
        // SAFETY: only in code compiled for AVX2; each load reads 16 of the 32 numbers.
        unsafe {
            let half = |all: &[i16; 32], at: usize| _mm256_loadu_si256(all[at..].as_ptr().cast());
            let low = _mm256_madd_epi16(half(a, 0), half(b, 0));
            let high = _mm256_madd_epi16(half(a, 16), half(b, 16));
            sum_of_eight(_mm256_add_epi32(low, high))
        }
    }
    #[inline(always)]
    fn nibbles(packed: u128) -> [i16; 32] {
        let mut nibbles = [0; 32];
        // SAFETY: only in code compiled for AVX2; two stores of 16 numbers fill the array.
        unsafe {
            let bytes = _mm_set_epi64x((packed >> 64) as i64, packed as i64);
            let low = _mm_set1_epi8(15);
            let even = _mm_and_si128(bytes, low);
            let odd = _mm_and_si128(_mm_srli_epi16::<4>(bytes), low);
            let first = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(even, odd));
            let second = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(even, odd));
            let start: *mut i16 = nibbles.as_mut_ptr();
            _mm256_storeu_si256(start.cast(), first);
            _mm256_storeu_si256(start.add(16).cast(), second);
        }
        nibbles
    }
    #[inline(always)]
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize {
        list_plainly(counts, start, list, length)
    }
    #[inline(always)]
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]) {
        // SAFETY: only in code compiled for AVX2. Four stores write 32 bytes each, the last from place 72 on; each
        // writes eight zeros, over which the next one writes.
        unsafe {
            let bytes = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let all = |bits: u32| {
                let places = _mm256_setr_epi64x(
                    0,
                    0x0101_0101_0101_0101,
                    0x0202_0202_0202_0202,
                    0x0303_0303_0303_0303,
                );
                let own = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), places);
                _mm256_cmpeq_epi8(_mm256_and_si256(own, bytes), bytes)
            };
            for side in 0..2 {
                let mut number = _mm256_setzero_si256();
                for (place, digit) in digits.iter().enumerate() {
                    let value = _mm256_set1_epi8(1 << place);
                    let ones = _mm256_and_si256(all((digit >> (32 * side)) as u32), value);
                    number = _mm256_or_si256(number, ones);
                }
                let half = _mm256_avg_epu8(number, _mm256_setzero_si256());
                let half = _mm256_and_si256(half, all(POINTS as u32));
                let hit = all((hits >> (32 * side)) as u32);
                let start = to.as_mut_ptr().add(48 * side);
                _mm256_storeu_si256(start.cast(), _mm256_and_si256(hit, half));
                _mm256_storeu_si256(start.add(24).cast(), _mm256_andnot_si256(hit, half));
            }
        }
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
        // SAFETY: only in code compiled for AVX2. Eight bytes are read of `SIZE`, a multiple of that, and eight entries
        // written from a place that is at most `SIZE - 8` beyond the first `length`, for which there is room.
        unsafe {
            let mut rows = _mm256_add_epi32(
                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                _mm256_set1_epi32(first as i32),
            );
            for start in (0..SIZE).step_by(8) {
                let old = _mm_loadl_epi64(old.as_ptr().add(start).cast());
                let new = _mm_loadl_epi64(new.as_ptr().add(start).cast());
                let factors = _mm256_cvtepi8_epi32(_mm_sub_epi8(new, old));
                // The row in the low half of a lane, the factor in the high one.
                let entry = _mm256_or_si256(_mm256_slli_epi32::<16>(factors), rows);
                let (entry, count) = without_zeros(entry, factors);
                _mm256_storeu_si256(list.as_mut_ptr().add(length).cast(), entry);
                length += count;
                rows = _mm256_add_epi32(rows, _mm256_set1_epi32(8));
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
        const REGISTERS: usize = ROW_WIDTH / 16;
        // SAFETY: only in code compiled for AVX2; a `Row` is `REGISTERS` registers and aligned.
        unsafe {
            let part = |row: &Row, n: usize| _mm256_load_si256(row.0.as_ptr().add(16 * n).cast());
            let mut sums = [_mm256_setzero_si256(); REGISTERS];
            for (n, sum) in sums.iter_mut().enumerate() {
                *sum = part(start, n);
            }
            for &[add, sub] in steps {
                let add = &rows[usize::from(add) % ROWS];
                let sub = &rows[usize::from(sub) % ROWS];
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm256_add_epi16(*sum, part(add, n));
                    *sum = _mm256_sub_epi16(*sum, part(sub, n));
                }
            }
            let shift = _mm_cvtsi32_si128(shift as i32);
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
            for sum in &mut sums {
                let value = _mm256_sra_epi16(*sum, shift);
                *sum = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            }
            for (number, weights) in weights.iter().enumerate() {
                let mut total = zero;
                for (n, value) in sums.into_iter().enumerate() {
                    total = _mm256_add_epi32(total, _mm256_madd_epi16(value, part(weights, n)));
                }
                found(number, sum_of_eight(total));
            }
        }
    }
}

/// Returns the sum of eight lanes.
#[inline(always)]
fn sum_of_eight(eight: __m256i) -> i32 {
    // SAFETY: called only in code compiled for AVX2.
    unsafe {
        let upper = _mm256_extracti128_si256::<1>(eight);
        let four = _mm_add_epi32(_mm256_castsi256_si128(eight), upper);
        let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
        _mm_cvtsi128_si32(one)
    }
}

impl Integers for Avx512 {
    #[inline(always)]
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32 {
        Avx2::dot(a, b)
    }
    #[inline(always)]
    fn nibbles(packed: u128) -> [i16; 32] {
        Avx2::nibbles(packed)
    }
    #[inline(always)]
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, mut length: usize) -> usize {
        if length > LENGTH_MAX {
            return length;
        }
        // SAFETY: only in code compiled for AVX-512. The loads are whole tables. Four stores write eight
        // places each and begin at most eight places after one another, the first at `LENGTH_MAX` or
        // before: all inside the list.
        unsafe {
            let load = |table: &[u64; 8]| _mm512_loadu_si512(table.as_ptr().cast());
            let [low, high] = [load(&ENTRIES[0]), load(&ENTRIES[1])];
            let [low_above, high_above] = [load(&ENTRIES[2]), load(&ENTRIES[3])];
            let (fifteen, sixteen) = (_mm512_set1_epi64(15), _mm512_set1_epi64(16));
            // Four groups a register, two lanes each: one of the first rows, and the fourth.
            let mut shifts = _mm512_setr_epi64(0, 0, 4, 4, 8, 8, 12, 12);
            let mut rows = _mm512_add_epi64(
                _mm512_set1_epi64(start.into()),
                _mm512_setr_epi64(0, 3, 4, 7, 8, 11, 12, 15),
            );
            let least = _mm512_setr_epi64(1, 4, 1, 4, 1, 4, 1, 4);
            for _ in 0..4 {
                let count = _mm512_srlv_epi64(_mm512_set1_epi64(counts as i64), shifts);
                let count = _mm512_and_si512(count, fifteen);
                let first = _mm512_permutex2var_epi64(low, count, high);
                let above = _mm512_permutex2var_epi64(low_above, count, high_above);
                // The row in the low half of a lane, the value in the high one: no carry.
                let entry = _mm512_add_epi64(_mm512_mask_blend_epi64(0xaa, first, above), rows);
                let listed = _mm512_cmpge_epu64_mask(count, least);
                let place = list.0.as_mut_ptr().add(length);
                _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi64(listed, entry));
                length += listed.count_ones() as usize;
                // Four groups further: four bits and four rows each.
                shifts = _mm512_add_epi64(shifts, sixteen);
                rows = _mm512_add_epi64(rows, sixteen);
            }
            length
        }
    }
    #[inline(always)]
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]) {
        // SAFETY: only in code compiled for AVX-512. Four stores write 32 bytes each, the last from place 72 on; each
        // writes eight zeros, over which the next one writes.
        unsafe {
            let mut number = _mm512_setzero_si512();
            for (place, &digit) in digits.iter().enumerate() {
                number = _mm512_mask_add_epi8(number, digit, number, _mm512_set1_epi8(1 << place));
            }
            let half = _mm512_maskz_avg_epu8(POINTS, number, _mm512_setzero_si512());
            let (hit, other) = (
                _mm512_maskz_mov_epi8(hits, half),
                _mm512_maskz_mov_epi8(!hits, half),
            );
            let start = to.as_mut_ptr();
            _mm256_storeu_si256(start.cast(), _mm512_castsi512_si256(hit));
            _mm256_storeu_si256(start.add(24).cast(), _mm512_castsi512_si256(other));
            let (hit, other) = (
                _mm512_extracti64x4_epi64::<1>(hit),
                _mm512_extracti64x4_epi64::<1>(other),
            );
            _mm256_storeu_si256(start.add(48).cast(), hit);
            _mm256_storeu_si256(start.add(72).cast(), other);
        }
    }
    #[inline(always)]
    fn list_differences<const SIZE: usize>(
        old: &[u8; SIZE],
        new: &[u8; SIZE],
        first: usize,
        list: &mut [InputDelta],
        mut length: usize,
    ) -> usize {
        if !SIZE.is_multiple_of(16) || list.len() < length + SIZE {
            return list_differences_plainly(old, new, first, list, length);
        }
        // SAFETY: only in code compiled for AVX-512. Sixteen bytes are read of `SIZE`, a multiple of that, and sixteen
        // entries written from a place that is at most `SIZE - 16` beyond the first `length`, for which there is room.
        unsafe {
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let mut rows = _mm512_add_epi32(lanes, _mm512_set1_epi32(first as i32));
            for start in (0..SIZE).step_by(16) {
                let old = _mm_loadu_si128(old.as_ptr().add(start).cast());
                let new = _mm_loadu_si128(new.as_ptr().add(start).cast());
                let differ = _mm_cmpneq_epi8_mask(old, new);
                let factors = _mm512_cvtepi8_epi32(_mm_sub_epi8(new, old));
                // The row in the low half of a lane, the factor in the high one.
                let entry = _mm512_or_si512(_mm512_slli_epi32::<16>(factors), rows);
                let place = list.as_mut_ptr().add(length);
                _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi32(differ, entry));
                length += differ.count_ones() as usize;
                rows = _mm512_add_epi32(rows, _mm512_set1_epi32(16));
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
        // SAFETY: only in code compiled for AVX-512; a `Row` is two registers and aligned.
        unsafe {
            let low = |row: &Row| _mm512_load_si512(row.0.as_ptr().cast());
            let high = |row: &Row| _mm512_load_si512(row.0.as_ptr().add(32).cast());
            let (mut first, mut second) = (low(start), high(start));
            for &[add, sub] in steps {
                let add = &rows[usize::from(add) % ROWS];
                let sub = &rows[usize::from(sub) % ROWS];
                first = _mm512_add_epi16(first, _mm512_sub_epi16(low(add), low(sub)));
                second = _mm512_add_epi16(second, _mm512_sub_epi16(high(add), high(sub)));
            }
            let shift = _mm_cvtsi32_si128(shift as i32);
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
            let clip = |sum| {
                let value = _mm512_sra_epi16(sum, shift);
                _mm512_min_epi16(_mm512_max_epi16(value, zero), one)
            };
            let (first, second) = (clip(first), clip(second));
            for (number, weights) in weights.iter().enumerate() {
                let products = _mm512_add_epi32(
                    _mm512_madd_epi16(first, low(weights)),
                    _mm512_madd_epi16(second, high(weights)),
                );
                let upper = _mm512_extracti64x4_epi64::<1>(products);
                let sum = sum_of_eight(_mm256_add_epi32(_mm512_castsi512_si256(products), upper));
                found(number, sum);
            }
        }
    }
}

/// [`LISTED`] as pairs of row (low half) and value: for counts below 8 and above 7 one of the first rows, then
/// the same for the fourth.
static ENTRIES: [[u64; 8]; 4] = {
    let mut entries = [[0; 8]; 4];
    let mut count = 0;
    while count < 16 {
        let (first, above) = LISTED[count];
        entries[count / 8][count % 8] = first as u64 | (1.0f32.to_bits() as u64) << 32;
        entries[2 + count / 8][count % 8] = (above.to_bits() as u64) << 32;
        count += 1;
    }
    entries
};

impl Wide for Avx512 {
    type Half = __m256;
    const MANY: bool = true;

    #[inline(always)]
    fn load(line: &Line) -> Self {
        // A `Line` has 64 bytes and is aligned to 64.
        whole!(_mm512_load_ps(line.0.as_ptr()))
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        whole!(_mm512_set1_ps(value))
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        // SAFETY: only in code compiled for AVX-512; a `Line` has 64 bytes and is aligned to 64.
        unsafe { _mm512_store_ps(line.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        whole!(_mm512_add_ps(self.0, other.0))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        whole!(_mm512_sub_ps(self.0, other.0))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        whole!(_mm512_mul_ps(self.0, other.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        whole!(_mm512_div_ps(self.0, other.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        whole!(_mm512_abs_ps(self.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        whole!(_mm512_min_ps(self.0, other.0))
    }
    #[inline(always)]
    fn whole_and_lookup(self, table: &[f32; 128]) -> (Self, Self) {
        // SAFETY: only in code compiled for AVX-512; the four pairs of registers are the table.
        unsafe {
            let whole = _mm512_cvttps_epi32(self.0);
            // Bits 0 to 4 of the index choose among two registers, bits 5 and 6 among the pairs:
            // faster than sixteen loads.
            let pair = |n: usize| {
                let start = table.as_ptr().add(32 * n);
                let (low, high) = (_mm512_loadu_ps(start), _mm512_loadu_ps(start.add(16)));
                _mm512_permutex2var_ps(low, whole, high)
            };
            let by_32 = _mm512_test_epi32_mask(whole, _mm512_set1_epi32(32));
            let by_64 = _mm512_test_epi32_mask(whole, _mm512_set1_epi32(64));
            let low = _mm512_mask_blend_ps(by_32, pair(0), pair(1));
            let high = _mm512_mask_blend_ps(by_32, pair(2), pair(3));
            let found = _mm512_mask_blend_ps(by_64, low, high);
            (Avx512(_mm512_cvtepi32_ps(whole)), Avx512(found))
        }
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        // SAFETY: only in code compiled for AVX-512.
        unsafe {
            u32::from(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(
                self.0,
                _mm512_setzero_ps(),
            ))
        }
    }
    #[inline(always)]
    fn where_negative(self, negative: Self, other: Self) -> Self {
        // SAFETY: only in code compiled for AVX-512.
        unsafe {
            let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, _mm512_setzero_ps());
            Avx512(_mm512_mask_blend_ps(below, other.0, negative.0))
        }
    }

    #[inline(always)]
    fn half_zero() -> __m256 {
        Avx2::half_zero()
    }
    #[inline(always)]
    fn half_step(sum: __m256, four: &[f32; 4], weights: &[f32; 8]) -> __m256 {
        Avx2::half_step(sum, four, weights)
    }
    #[inline(always)]
    fn half_store(half: __m256) -> [f32; 8] {
        Avx2::half_store(half)
    }
    #[inline(always)]
    fn half_load(half: &[f32; 8]) -> __m256 {
        Avx2::half_load(half)
    }
}
