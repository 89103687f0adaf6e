//! Arithmetic of integer nets: plain Rust, and the choice of level.

use super::layout::{Accumulator, Aligned, Batch, InputDelta, Net, Sums};
use super::level::{CpuLevel, InstructionSet};
use crate::nn::float_net::RESULTS;

/// Computes `to = from + changes`.
#[inline]
pub(in crate::nn) fn accumulate(
    level: CpuLevel,
    rows: &Aligned,
    from: &Accumulator,
    changes: &[InputDelta],
    to: &mut Accumulator,
) {
    match level.0 {
        InstructionSet::Scalar => scalar::accumulate(rows, from, changes, to),
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => super::integer_neon::accumulate_neon(rows, from, changes, to),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        InstructionSet::Simd128 => {
            super::integer_simd128::accumulate_simd128(rows, from, changes, to)
        }
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => {
            super::integer_x86::accumulate_avx2(level, rows, from, changes, to)
        }
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Vnni => super::integer_x86::accumulate_vnni(level, rows, from, changes, to),
    }
}

/// The forward pass of every input of a batch into `out`, with `sums` as working space; both are
/// as long as the batch.
#[inline]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    expect(unused_variables, reason = "the scalar twin needs no working space")
)]
pub(in crate::nn) fn results(
    level: CpuLevel,
    net: &Net<'_>,
    batch: Batch<'_>,
    sums: &mut [Sums],
    out: &mut [[f32; RESULTS]],
) {
    match level.0 {
        InstructionSet::Scalar => scalar::results(net, batch, out),
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => super::integer_neon::results_neon(net, batch, sums, out),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        InstructionSet::Simd128 => super::integer_simd128::results_simd128(net, batch, sums, out),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => {
            super::integer_x86::results_avx2(level, net, batch, sums, out)
        }
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Vnni => super::integer_x86::results_vnni(level, net, batch, sums, out),
    }
}

/// The slow, obvious twin of the kernels.
mod scalar {
    use crate::nn::float_net::RESULTS;
    use crate::nn::kernel::layout::{Accumulator, Aligned, Batch, InputDelta, Net, Sums, TILE};

    fn tile(
        rows: &Aligned,
        from: &[i16],
        at: usize,
        width: usize,
        changes: &[InputDelta],
    ) -> [i16; TILE] {
        let mut sums = [0; TILE];
        sums.copy_from_slice(&from[at..at + TILE]);
        for change in changes {
            let row = &rows.as_slice()[usize::from(change.row) * width + at..][..TILE];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(weight.wrapping_mul(change.factor));
            }
        }
        sums
    }

    pub(super) fn accumulate(
        rows: &Aligned,
        from: &Accumulator,
        changes: &[InputDelta],
        to: &mut Accumulator,
    ) {
        let width = from.len();
        for at in (0..width).step_by(TILE) {
            let sums = tile(rows, from.as_slice(), at, width, changes);
            to.as_mut_slice()[at..at + TILE].copy_from_slice(&sums);
        }
    }

    pub(super) fn results(net: &Net<'_>, batch: Batch<'_>, out: &mut [[f32; RESULTS]]) {
        for (changes, out) in batch.lists().zip(out) {
            *out = one(net, batch.from, changes);
        }
    }

    fn one(net: &Net<'_>, from: &Accumulator, changes: &[InputDelta]) -> [f32; RESULTS] {
        let (width, second) = (from.len(), net.head.neurons());
        let mut sums = Sums::ZERO;
        for at in (0..width).step_by(TILE) {
            let tile = tile(net.rows, from.as_slice(), at, width, changes);
            let weights = &net.second.as_slice()[at * second..][..TILE * second];
            for (pair, weights) in (tile.chunks_exact(2)).zip(weights.chunks_exact(2 * second)) {
                let (a, b) = (
                    net.passes.on(pair[0], net.shift),
                    net.passes.on(pair[1], net.shift),
                );
                if (a, b) == (0, 0) {
                    continue;
                }
                for (sum, weights) in sums.0.iter_mut().zip(weights.chunks_exact(2)) {
                    *sum += a * i32::from(weights[0]) + b * i32::from(weights[1]);
                }
            }
        }
        net.head.results(&sums)
    }
}
