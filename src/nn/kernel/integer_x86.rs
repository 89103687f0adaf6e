//! The kernels of integer nets for AVX2 and AVX-512 with VNNI.
//!
//! All sums are exact integers, so the order of work is free and the bits are those of plain Rust.
//! A batch is worked off tile by tile of the first layer, all inputs for one tile, so that the
//! rows and weights of a tile stay in the nearest cache.
#![allow(unsafe_code)]

use super::integer::{Batch, Change, Clipped, IntegerLevel, Level, Lines, Net, Sums, TILE};
use crate::nn::float_net::{RESULTS, SECOND_MAX};
use std::arch::x86_64::*;

pub(super) fn has_avx2() -> bool {
    super::x86::has_avx2()
}

pub(super) fn has_vnni() -> bool {
    super::x86::has_avx512() && std::arch::is_x86_feature_detected!("avx512vnni")
}

/// Calls a function compiled for a level after checking that the level allows it.
macro_rules! enter {
    ($level:expr, $wanted:pat, $call:expr) => {{
        assert!(matches!($level.0, $wanted));
        // SAFETY: an `IntegerLevel` of this level is made only after its features were detected.
        unsafe { $call }
    }};
}

pub(super) fn accumulate_avx2(
    level: IntegerLevel,
    rows: &Lines,
    from: &Lines,
    changes: &[Change],
    to: &mut Lines,
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled(rows: &Lines, from: &Lines, changes: &[Change], to: &mut Lines) {
        assert_eq!(from.len(), to.len());
        for at in 0..from.len() / TILE {
            let sums = tile(rows, from, changes, at);
            let place = to.as_mut_slice()[at * TILE..][..TILE].as_mut_ptr();
            for (n, sum) in sums.into_iter().enumerate() {
                // SAFETY: `place` begins `TILE` = 8 * 16 numbers, by the slice above.
                unsafe { _mm256_storeu_si256(place.add(n * 16).cast(), sum) };
            }
        }
    }
    enter!(
        level,
        Level::Avx2 | Level::Vnni,
        compiled(rows, from, changes, to)
    );
}

pub(super) fn results_avx2(
    level: IntegerLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums], out: &mut [[f32; RESULTS]]) {
        match net.rest.neurons() {
            16 => second_avx2::<2>(net, batch, sums),
            32 => second_avx2::<4>(net, batch, sums),
            _ => second_avx2::<8>(net, batch, sums),
        }
        for (sums, out) in sums.iter().zip(out) {
            *out = net.rest.results(sums);
        }
    }
    enter!(level, Level::Avx2, compiled(net, batch, sums, out));
}

pub(super) fn results_vnni(
    level: IntegerLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    #[target_feature(
        enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
    fn compiled(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums], out: &mut [[f32; RESULTS]]) {
        match net.rest.neurons() {
            16 => second_vnni::<1>(net, batch, sums),
            32 => second_vnni::<2>(net, batch, sums),
            _ => second_vnni::<4>(net, batch, sums),
        }
        for (sums, out) in sums.iter().zip(out) {
            *out = net.rest.results(sums);
        }
    }
    enter!(level, Level::Vnni, compiled(net, batch, sums, out));
}

/// Tile `at` of the first layer: `from` plus the changes.
#[inline]
#[target_feature(enable = "avx2")]
fn tile(rows: &Lines, from: &Lines, changes: &[Change], at: usize) -> [__m256i; 8] {
    let width = from.len();
    let start = from.as_slice()[at * TILE..][..TILE].as_ptr();
    let mut sums = [_mm256_setzero_si256(); 8];
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `start` begins `TILE` = 8 * 16 numbers, by the slice above.
        *sum = unsafe { _mm256_loadu_si256(start.add(n * 16).cast()) };
    }
    for change in changes {
        let row = rows.as_slice()[usize::from(change.row) * width + at * TILE..][..TILE].as_ptr();
        let factor = _mm256_set1_epi16(change.factor);
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: `row` begins `TILE` = 8 * 16 numbers, by the slice above.
            let weights = unsafe { _mm256_loadu_si256(row.add(n * 16).cast()) };
            *sum = _mm256_add_epi16(*sum, _mm256_mullo_epi16(weights, factor));
        }
    }
    sums
}

/// Tile `at`, clipped, into `clipped`; bit `p` of the result is set where pair `p` of the tile is
/// not zero.
#[inline]
#[target_feature(enable = "avx2")]
fn clipped_tile(
    net: &Net<'_>,
    from: &Lines,
    changes: &[Change],
    at: usize,
    clipped: &mut Clipped,
) -> u64 {
    let shift = _mm_cvtsi32_si128(net.shift as i32);
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let place = clipped.0.as_mut_ptr();
    let mut empty = 0;
    for (n, sum) in tile(net.rows, from, changes, at).into_iter().enumerate() {
        let value = _mm256_sra_epi16(sum, shift);
        let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
        // SAFETY: `clipped` has `TILE` = 8 * 16 numbers.
        unsafe { _mm256_storeu_si256(place.add(n * 16).cast(), value) };
        let none = _mm256_castsi256_ps(_mm256_cmpeq_epi32(value, zero));
        empty |= u64::from(_mm256_movemask_ps(none) as u32) << (8 * n);
    }
    !empty
}

/// Sums of the second layer for `8 * REGISTERS` neurons of every input of a batch.
#[inline]
#[target_feature(enable = "avx2")]
fn second_avx2<const REGISTERS: usize>(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums]) {
    assert!(8 * REGISTERS <= SECOND_MAX);
    let size = 16 * REGISTERS;
    let mut clipped = Clipped([0; TILE]);
    sums.fill(Sums::ZERO);
    for at in 0..batch.from.len() / TILE {
        let weights = &net.second.as_slice()[at * TILE / 2 * size..][..TILE / 2 * size];
        for (changes, sums) in batch.lists().zip(sums.iter_mut()) {
            let mut pairs = clipped_tile(net, batch.from, changes, at, &mut clipped);
            let mut totals = [_mm256_setzero_si256(); REGISTERS];
            while pairs != 0 {
                let pair = pairs.trailing_zeros() as usize;
                pairs &= pairs - 1;
                // SAFETY: `pair` is below 64 = `TILE / 2`; `clipped` has `TILE` numbers and
                // `weights` has `size` = `16 * REGISTERS` for each pair, by the slice above.
                unsafe {
                    let value = clipped.0.as_ptr().add(2 * pair).cast::<i32>().read();
                    let value = _mm256_set1_epi32(value);
                    let place = weights.as_ptr().add(pair * size);
                    for (n, total) in totals.iter_mut().enumerate() {
                        let weight = _mm256_loadu_si256(place.add(n * 16).cast());
                        // Exact: two products of at most 255 * 4095 each.
                        *total = _mm256_add_epi32(*total, _mm256_madd_epi16(value, weight));
                    }
                }
            }
            let place = sums.0.as_mut_ptr();
            for (n, total) in totals.into_iter().enumerate() {
                // SAFETY: `sums` has at least `8 * REGISTERS` numbers, checked above.
                unsafe {
                    let place = place.add(n * 8).cast();
                    _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), total));
                }
            }
        }
    }
}

/// Sums of the second layer for `16 * REGISTERS` neurons, pair by pair with one instruction for
/// multiplying and adding. (Two-way 16-bit, not four-way 8-bit: the layout is that of the other
/// levels, weights may have 13 bits, and neither form can saturate.)
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2")]
fn second_vnni<const REGISTERS: usize>(net: &Net<'_>, batch: Batch<'_>, sums: &mut [Sums]) {
    assert!(16 * REGISTERS <= SECOND_MAX);
    let size = 32 * REGISTERS;
    let mut clipped = Clipped([0; TILE]);
    sums.fill(Sums::ZERO);
    for at in 0..batch.from.len() / TILE {
        let weights = &net.second.as_slice()[at * TILE / 2 * size..][..TILE / 2 * size];
        for (changes, sums) in batch.lists().zip(sums.iter_mut()) {
            let mut pairs = clipped_tile(net, batch.from, changes, at, &mut clipped);
            let mut totals = [_mm512_setzero_si512(); REGISTERS];
            while pairs != 0 {
                let pair = pairs.trailing_zeros() as usize;
                pairs &= pairs - 1;
                // SAFETY: `pair` is below 64 = `TILE / 2`; `clipped` has `TILE` numbers and
                // `weights` has `size` = `32 * REGISTERS` for each pair, by the slice above.
                unsafe {
                    let value = clipped.0.as_ptr().add(2 * pair).cast::<i32>().read();
                    let value = _mm512_set1_epi32(value);
                    let place = weights.as_ptr().add(pair * size);
                    for (n, total) in totals.iter_mut().enumerate() {
                        let weight = _mm512_loadu_si512(place.add(n * 32).cast());
                        *total = _mm512_dpwssd_epi32(*total, value, weight);
                    }
                }
            }
            let place = sums.0.as_mut_ptr();
            for (n, total) in totals.into_iter().enumerate() {
                // SAFETY: `sums` has at least `16 * REGISTERS` numbers, checked above.
                unsafe {
                    let place = place.add(n * 16).cast();
                    _mm512_storeu_si512(place, _mm512_add_epi32(_mm512_loadu_si512(place), total));
                }
            }
        }
    }
}
