//! The logistic function without the system's library, whose last digit depends on the CPU.

/// Magic number: adding it to a float32 below 2^22 in size rounds to an integer in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Returns 1 / (1 + e^-x), relative error below 3e-7. Only additions, multiplications and one division, each rounded
/// as in IEEE 754: the same bits on every CPU, alone or as one lane of many.
#[inline(always)]
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    // e^-x = 2^n * e^r with n = round(-x / ln 2) and |r| <= ln 2 / 2. Beyond 80 e^-x would
    // leave the range of float32; the result is 0 or 1 to all digits that matter.
    let y = -(x.clamp(-80.0, 80.0));
    let shifted = y * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    // ln 2 in two parts, the first exact in products with n.
    let r = (y - n * 0.693_359_4) - n * -2.121_944_4e-4;
    // Minimax polynomial of degree 6 (Cephes' coefficients for expf, published constants).
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    let e = (p * (r * r) + r) + 1.0;
    // The low bits of `shifted` hold n in two's complement.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
    1.0 / (1.0 + e * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_library() {
        for step in -20_000..20_000 {
            let x = step as f32 * 0.003;
            let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
            let error = (f64::from(sigmoid(x)) - exact).abs() / exact;
            assert!(error < 3e-7, "{x}: {error}");
        }
        assert_eq!(sigmoid(0.0), 0.5);
        assert!(sigmoid(-1e30) > 0.0 && sigmoid(-1e30) < 1e-30);
        assert_eq!(sigmoid(1e30), 1.0);
    }
}
