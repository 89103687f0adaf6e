//! The float loops of training, compiled for AVX-512 or AVX2 with FMA, or NEON, where the CPU has them.
//!
//! The plain bodies are what the SIMD versions are compiled from; they may fuse a multiplication
//! with its addition, so results agree between CPU levels to rounding only.
//!
//! The first layer is worked on for a group of labels at once, block by block: the rows of a block fit
//! into the second-level cache, those of the whole layer and of its gradient do not.
#![allow(unsafe_code)]

use gammond_engine::nn::Activation;

/// Width of the blocks in which first layers are worked on; first layers are multiples of it.
pub(super) const BLOCK: usize = 64;

/// The first layer passes on what it is limited to.
const CLIPPED: usize = 0;
/// ... its square.
const SQUARED: usize = 1;
/// Like [`CLIPPED`], but the clipped part keeps a small slope in the backward pass, so that no unit is stuck for good.
pub(super) const LEAKY: usize = 2;
/// Slope of the clipped part.
const LEAK: f32 = 0.02;

/// The rows of a group of labels: for each label, from where the last one ends to its own end, offsets into
/// the table of the first layer and coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) list: &'a [(u32, f32)],
    pub(super) ends: &'a [usize],
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = &'a [(u32, f32)]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let rows = &self.list[start..end];
            start = end;
            rows
        })
    }
}

macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $wide:ident, $fast:ident, $body:ident, <const $h:ident: usize>, ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub(super) fn $name<const $h: usize>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                if std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the CPU has AVX2, FMA and AVX-512F, checked on the lines above.
                    return unsafe { $wide::<$h>($($arg),*) };
                }
                // SAFETY: the CPU has AVX2 and FMA, checked above.
                return unsafe { $fast::<$h>($($arg),*) };
            }
            // Every 64-bit ARM processor fuses as well; the compiler uses NEON there without a switch.
            #[cfg(target_arch = "aarch64")]
            return $body::<$h, true>($($arg),*);
            #[cfg(not(target_arch = "aarch64"))]
            $body::<$h, false>($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn $wide<const $h: usize>($($arg: $ty),*) $(-> $ret)? {
            $body::<$h, true>($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $fast<const $h: usize>($($arg: $ty),*) $(-> $ret)? {
            $body::<$h, true>($($arg),*)
        }
    };
}

dispatched!(
    /// For each label `base + sum of coefficient x row`, limited to 0..=`limit`, squared when `FORM` is [`SQUARED`],
    /// into `width` numbers of `out`. Slice lengths are multiples of [`BLOCK`].
    accumulate, accumulate_wide, accumulate_fast, accumulate_body, <const FORM: usize>,
    (base: &[f32], table: &[f32], rows: Rows<'_>, limit: f32, out: &mut [f32])
);

dispatched!(
    /// `out = bias + sum over units i of a1[i] x weights[i]`, limited to 0..=`most`; `weights` holds
    /// `H` values a unit.
    second_layer, second_layer_wide, second_layer_fast, second_layer_body, <const H: usize>,
    (a1: &[f32], weights: &[f32], bias: &[f32; H], most: f32) -> [f32; H]
);

dispatched!(
    /// Backward through the second layer, for each label of a group: `d1[i] = sum over j of d2[j] x transposed[j][i]` where
    /// unit `i` passes on neither 0 nor `most` (else 0, or a little of it when `FORM` is [`LEAKY`]), times twice the root of
    /// what it passes on when `FORM` is [`SQUARED`]. `a1` and `d1` hold `width` numbers a label, `d2` as many as
    /// `transposed` has rows.
    second_layer_back, second_layer_back_wide, second_layer_back_fast, second_layer_back_body, <const FORM: usize>,
    (a1: &[f32], width: usize, transposed: &[f32], d2: &[f32], most: f32, d1: &mut [f32])
);

dispatched!(
    /// `gradient[i] += a1[i] x d2` for each unit `i`, over all labels of a group; `a1` holds `width` numbers a label, `d2`
    /// and a row of `gradient` hold `H`.
    outer, outer_wide, outer_fast, outer_body, <const H: usize>,
    (a1: &[f32], width: usize, d2: &[f32], gradient: &mut [f32])
);

dispatched!(
    /// `table[row] += coefficient x d1` for each row of each label; `d1` holds `width` numbers a label.
    scatter, scatter_wide, scatter_fast, scatter_body, <const UNUSED: usize>,
    (d1: &[f32], width: usize, rows: Rows<'_>, table: &mut [f32])
);

dispatched!(
    /// One step of Adam over a slice: `rate` is already corrected for the start of the moments.
    adam, adam_wide, adam_fast, adam_body, <const UNUSED: usize>,
    (values: &mut [f32], gradient: &[&[f32]], m: &mut [f32], v: &mut [f32], mean: &mut [f32], how: [f32; 4])
);

#[inline(always)]
fn fma<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Form of [`accumulate`].
type Accumulate = fn(&[f32], &[f32], Rows<'_>, f32, &mut [f32]);
/// Form of [`second_layer_back`].
type SecondLayerBack = fn(&[f32], usize, &[f32], &[f32], f32, &mut [f32]);

/// Returns the forward pass of a first layer.
pub(super) fn accumulate_of(activation: Activation) -> Accumulate {
    match activation {
        Activation::Crelu => accumulate::<CLIPPED>,
        Activation::Screlu => accumulate::<SQUARED>,
    }
}

/// Returns the backward pass through a second layer.
pub(super) fn second_layer_back_of(activation: Activation) -> SecondLayerBack {
    match activation {
        Activation::Crelu => second_layer_back::<CLIPPED>,
        Activation::Screlu => second_layer_back::<SQUARED>,
    }
}

#[inline(always)]
fn accumulate_body<const FORM: usize, const FUSED: bool>(
    base: &[f32],
    table: &[f32],
    rows: Rows<'_>,
    limit: f32,
    out: &mut [f32],
) {
    let width = base.len();
    let (bases, _) = base.as_chunks::<BLOCK>();
    for (block, base) in bases.iter().enumerate() {
        for (rows, out) in rows.each().zip(out.chunks_exact_mut(width)) {
            // Two sums in turn: one would wait for itself.
            let (mut even, mut odd) = (*base, [0.0; BLOCK]);
            let (twos, last) = rows.as_chunks::<2>();
            for &[(row, coefficient), (other, by)] in twos {
                let (from, to) = (row as usize + block * BLOCK, other as usize + block * BLOCK);
                let weights = table[from..].first_chunk::<BLOCK>();
                if let (Some(weights), Some(others)) = (weights, table[to..].first_chunk::<BLOCK>())
                {
                    for k in 0..BLOCK {
                        even[k] = fma::<FUSED>(coefficient, weights[k], even[k]);
                    }
                    for k in 0..BLOCK {
                        odd[k] = fma::<FUSED>(by, others[k], odd[k]);
                    }
                }
            }
            for &(row, coefficient) in last {
                let from = row as usize + block * BLOCK;
                if let Some(weights) = table[from..].first_chunk::<BLOCK>() {
                    for k in 0..BLOCK {
                        even[k] = fma::<FUSED>(coefficient, weights[k], even[k]);
                    }
                }
            }
            for k in 0..BLOCK {
                let value = (even[k] + odd[k]).clamp(0.0, limit);
                even[k] = if FORM == SQUARED {
                    value * value
                } else {
                    value
                };
            }
            if let Some(out) = out[block * BLOCK..].first_chunk_mut::<BLOCK>() {
                *out = even;
            }
        }
    }
}

#[inline(always)]
fn second_layer_body<const H: usize, const FUSED: bool>(
    a1: &[f32],
    weights: &[f32],
    bias: &[f32; H],
    most: f32,
) -> [f32; H] {
    let mut even = *bias;
    let mut odd = [0.0; H];
    let (pairs, _) = a1.as_chunks::<2>();
    let (weights, _) = weights.as_chunks::<H>();
    let (weights, _) = weights.as_chunks::<2>();
    for (a, w) in pairs.iter().zip(weights) {
        for j in 0..H {
            even[j] = fma::<FUSED>(a[0], w[0][j], even[j]);
        }
        for j in 0..H {
            odd[j] = fma::<FUSED>(a[1], w[1][j], odd[j]);
        }
    }
    for j in 0..H {
        even[j] = (even[j] + odd[j]).clamp(0.0, most);
    }
    even
}

#[inline(always)]
fn second_layer_back_body<const FORM: usize, const FUSED: bool>(
    a1: &[f32],
    width: usize,
    transposed: &[f32],
    d2: &[f32],
    most: f32,
    d1: &mut [f32],
) {
    let second = transposed.len() / width;
    let labels = a1.chunks_exact(width).zip(d2.chunks_exact(second));
    for block in (0..width).step_by(BLOCK) {
        for ((a1, d2), d1) in labels.clone().zip(d1.chunks_exact_mut(width)) {
            let (mut even, mut odd) = ([0.0; BLOCK], [0.0; BLOCK]);
            let (twos, odd_one) = d2.as_chunks::<2>();
            for (&[one, two], rows) in twos.iter().zip(transposed.chunks_exact(2 * width)) {
                let other = rows[width + block..].first_chunk::<BLOCK>();
                if let (Some(row), Some(other)) = (rows[block..].first_chunk::<BLOCK>(), other) {
                    for k in 0..BLOCK {
                        even[k] = fma::<FUSED>(one, row[k], even[k]);
                    }
                    for k in 0..BLOCK {
                        odd[k] = fma::<FUSED>(two, other[k], odd[k]);
                    }
                }
            }
            for (one, row) in odd_one
                .iter()
                .zip(transposed.chunks_exact(width).skip(2 * twos.len()))
            {
                if let Some(row) = row[block..].first_chunk::<BLOCK>() {
                    for k in 0..BLOCK {
                        even[k] = fma::<FUSED>(*one, row[k], even[k]);
                    }
                }
            }
            let out = d1[block..].first_chunk_mut::<BLOCK>();
            if let (Some(a), Some(out)) = (a1[block..].first_chunk::<BLOCK>(), out) {
                for k in 0..BLOCK {
                    let slope = if FORM == SQUARED {
                        2.0 * a[k].sqrt()
                    } else {
                        1.0
                    };
                    let alive = a[k] > 0.0 && a[k] < most;
                    out[k] = if alive {
                        (even[k] + odd[k]) * slope
                    } else if FORM == LEAKY {
                        (even[k] + odd[k]) * LEAK
                    } else {
                        0.0
                    };
                }
            }
        }
    }
}

#[inline(always)]
fn outer_body<const H: usize, const FUSED: bool>(
    a1: &[f32],
    width: usize,
    d2: &[f32],
    gradient: &mut [f32],
) {
    let (gradients, _) = gradient.as_chunks_mut::<H>();
    let (d2, _) = d2.as_chunks::<H>();
    for (unit, gradient) in gradients.iter_mut().enumerate().take(width) {
        let (mut even, mut odd) = (*gradient, [0.0; H]);
        for (a1, d2) in a1.chunks_exact(2 * width).zip(d2.chunks_exact(2)) {
            let (a, b) = (a1[unit], a1[width + unit]);
            for j in 0..H {
                even[j] = fma::<FUSED>(a, d2[0][j], even[j]);
            }
            for j in 0..H {
                odd[j] = fma::<FUSED>(b, d2[1][j], odd[j]);
            }
        }
        if let (1, Some(d2)) = (d2.len() % 2, d2.last()) {
            let a = a1[(a1.len() / width - 1) * width + unit];
            for j in 0..H {
                even[j] = fma::<FUSED>(a, d2[j], even[j]);
            }
        }
        for j in 0..H {
            gradient[j] = even[j] + odd[j];
        }
    }
}

#[inline(always)]
fn scatter_body<const UNUSED: usize, const FUSED: bool>(
    d1: &[f32],
    width: usize,
    rows: Rows<'_>,
    table: &mut [f32],
) {
    for block in 0..width / BLOCK {
        for (rows, d1) in rows.each().zip(d1.chunks_exact(width)) {
            let Some(d) = d1[block * BLOCK..].first_chunk::<BLOCK>() else {
                continue;
            };
            for &(row, coefficient) in rows {
                let from = row as usize + block * BLOCK;
                if let Some(out) = table[from..].first_chunk_mut::<BLOCK>() {
                    for k in 0..BLOCK {
                        out[k] = fma::<FUSED>(coefficient, d[k], out[k]);
                    }
                }
            }
        }
    }
}

/// Bound below which first moments count as 0: with the smallest denominator (1e-8) and a rate of 1e-3 they would
/// move a weight by less than 1e-25.
const SMALLEST_MOMENT: f32 = 1e-30;

#[inline(always)]
fn adam_body<const UNUSED: usize, const FUSED: bool>(
    values: &mut [f32],
    gradient: &[&[f32]],
    m: &mut [f32],
    v: &mut [f32],
    mean: &mut [f32],
    how: [f32; 4],
) {
    let [rate, scale, root_correction, keep] = how;
    for i in 0..values.len() {
        let mut g = 0.0;
        for part in gradient {
            g += part[i];
        }
        g *= scale;
        // The moment of a weight without gradients (a unit that a class of positions never uses) would end as a
        // denormal number for ever: those are a hundred times as slow.
        let moment = 0.9 * m[i] + 0.1 * g;
        m[i] = if moment.abs() < SMALLEST_MOMENT {
            0.0
        } else {
            moment
        };
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        values[i] -= rate * m[i] / (v[i].sqrt() * root_correction + 1e-8);
        mean[i] += (1.0 - keep) * (values[i] - mean[i]);
    }
}
