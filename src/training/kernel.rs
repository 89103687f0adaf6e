//! The float loops of training and of the float judge, compiled for AVX2 with FMA where the CPU
//! has them.
//!
//! The plain bodies are what the SIMD versions are compiled from; they may fuse a multiplication
//! with its addition, so results agree between CPU levels to rounding only.
#![allow(unsafe_code)]

/// Width of the blocks in which first layers are worked on; first layers are multiples of it.
pub(super) const BLOCK: usize = 64;

macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $fast:ident, $body:ident, <const $h:ident: usize>, ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub(super) fn $name<const $h: usize>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the CPU has AVX2 and FMA, checked on the line above.
                return unsafe { $fast::<$h>($($arg),*) };
            }
            $body::<$h, false>($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $fast<const $h: usize>($($arg: $ty),*) $(-> $ret)? {
            $body::<$h, true>($($arg),*)
        }
    };
}

dispatched!(
    /// `out = base + sum of coefficient x row`, then clipped to 0..=1 when `CLIP` is 1. Rows are
    /// offsets into `table`; every slice length is a multiple of [`BLOCK`].
    accumulate, accumulate_fast, accumulate_body, <const CLIP: usize>,
    (base: &[f32], table: &[f32], rows: &[(u32, f32)], out: &mut [f32])
);

dispatched!(
    /// `out = bias + sum over units i of a1[i] x weights[i]`, clipped to 0..=1; `weights` holds
    /// `H` values a unit.
    second_layer, second_layer_fast, second_layer_body, <const H: usize>,
    (a1: &[f32], weights: &[f32], bias: &[f32; H]) -> [f32; H]
);

dispatched!(
    /// Backward through the second layer: `weights_gradient[i] += a1[i] x d2` and
    /// `d1[i] = weights[i] . d2` where unit `i` is neither 0 nor 1 (else 0).
    second_layer_back, second_layer_back_fast, second_layer_back_body, <const H: usize>,
    (a1: &[f32], weights: &[f32], d2: &[f32; H], weights_gradient: &mut [f32], d1: &mut [f32])
);

dispatched!(
    /// `table[row] += coefficient x d1` for each row.
    scatter, scatter_fast, scatter_body, <const UNUSED: usize>,
    (d1: &[f32], rows: &[(u32, f32)], table: &mut [f32])
);

dispatched!(
    /// One step of Adam over a slice: `rate` is already corrected for the start of the moments.
    adam, adam_fast, adam_body, <const UNUSED: usize>,
    (values: &mut [f32], gradient: &[&[f32]], m: &mut [f32], v: &mut [f32], mean: &mut [f32], how: [f32; 4])
);

#[inline(always)]
fn fma<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn accumulate_body<const CLIP: usize, const FUSED: bool>(
    base: &[f32],
    table: &[f32],
    rows: &[(u32, f32)],
    out: &mut [f32],
) {
    let (bases, _) = base.as_chunks::<BLOCK>();
    let (outs, _) = out.as_chunks_mut::<BLOCK>();
    for (block, (base, out)) in bases.iter().zip(outs).enumerate() {
        let mut sum = *base;
        for &(row, coefficient) in rows {
            let from = row as usize + block * BLOCK;
            if let Some(weights) = table[from..].first_chunk::<BLOCK>() {
                for k in 0..BLOCK {
                    sum[k] = fma::<FUSED>(coefficient, weights[k], sum[k]);
                }
            }
        }
        if CLIP == 1 {
            for value in &mut sum {
                *value = value.clamp(0.0, 1.0);
            }
        }
        *out = sum;
    }
}

#[inline(always)]
fn second_layer_body<const H: usize, const FUSED: bool>(
    a1: &[f32],
    weights: &[f32],
    bias: &[f32; H],
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
        even[j] = (even[j] + odd[j]).clamp(0.0, 1.0);
    }
    even
}

#[inline(always)]
fn second_layer_back_body<const H: usize, const FUSED: bool>(
    a1: &[f32],
    weights: &[f32],
    d2: &[f32; H],
    weights_gradient: &mut [f32],
    d1: &mut [f32],
) {
    let (weights, _) = weights.as_chunks::<H>();
    let (gradients, _) = weights_gradient.as_chunks_mut::<H>();
    for (((&a, w), g), d) in a1.iter().zip(weights).zip(gradients).zip(d1) {
        *d = 0.0;
        if a == 0.0 {
            continue;
        }
        for j in 0..H {
            g[j] = fma::<FUSED>(a, d2[j], g[j]);
        }
        if a < 1.0 {
            let mut lanes = [0.0; 8];
            for j in 0..H {
                lanes[j % 8] = fma::<FUSED>(w[j], d2[j], lanes[j % 8]);
            }
            *d = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
                + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
        }
    }
}

#[inline(always)]
fn scatter_body<const UNUSED: usize, const FUSED: bool>(
    d1: &[f32],
    rows: &[(u32, f32)],
    table: &mut [f32],
) {
    let (blocks, _) = d1.as_chunks::<BLOCK>();
    for (block, d) in blocks.iter().enumerate() {
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
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        values[i] -= rate * m[i] / (v[i].sqrt() * root_correction + 1e-8);
        mean[i] += (1.0 - keep) * (values[i] - mean[i]);
    }
}
