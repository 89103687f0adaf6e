//! The work of integer nets on registers, written once for all processors over [`Registers`].
//!
//! All sums are exact integers, so the order of work is free and the bits are those of plain Rust.
//! A batch is worked off tile by tile of the first layer, all inputs for one tile, so that the
//! rows and weights of a tile stay in the nearest cache.
#![allow(unsafe_code)]

use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, Sums};
use crate::nn::activation::Passes;
use crate::nn::float_net::SECOND_MAX;

/// A level's registers and the operations on them. All functions are called only in code compiled for the level.
pub(super) trait Registers {
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
    /// shifts the upper 16 bits right by [`crate::nn::activation::SQUARE_SHIFT`] (two less `TO_TWO`) with rounding.
    fn square<const TO_TWO: bool>(sum: Self::R, shift: u32) -> Self::R;
    /// Adds the pairs that are not zero, the first of them number `first`, to a list of `length`; the new length.
    fn list(pairs: Self::R, first: usize, list: &mut PairList, length: usize) -> usize;
    /// Returns in each 32-bit lane `total` plus the products of `pair` with the two weights there.
    fn dot(total: Self::R, pair: i32, weights: Self::R) -> Self::R;
    /// Sums of 32-bit lanes.
    fn add(a: Self::R, b: Self::R) -> Self::R;
}

/// Pairs of first-layer results that are not zero.
#[repr(C, align(64))]
pub(super) struct PairList {
    pub(super) values: [i32; PAIRS_MAX + 16],
    pub(super) numbers: [u32; PAIRS_MAX + 16],
}

/// Most pairs of the first layer that are worked on at a time.
pub(super) const PAIRS_MAX: usize = 256;

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
pub(super) fn accumulate<U: Registers, const N: usize>(
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
pub(super) fn second<U: Registers, const N: usize, const TOTALS: usize>(
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
