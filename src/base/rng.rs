//! Numbered, seekable random streams; nothing else in the crate makes chance.
//!
//! A job has one seed; trial `n` of it uses `stream(seed, n)`. The generator is ChaCha8 (Bernstein 2008), named
//! here so that results can be reproduced by any later version.

pub use rand::Rng;
use rand::SeedableRng;
pub use rand_chacha::ChaCha8Rng;

/// Returns the generator of trial `number` of the job with `seed`: independent of all other trials.
#[must_use]
pub fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// Returns a number in `0..bound`, without bias. `bound` must be above 0.
#[must_use]
pub fn below(rng: &mut impl Rng, bound: u32) -> u32 {
    // Lemire's multiplication with rejection.
    let threshold = bound.wrapping_neg() % bound.max(1);
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if (product as u32) >= threshold {
            return (product >> 32) as u32;
        }
    }
}

/// Returns a number in `[0, 1)` with 53 random bits.
#[must_use]
pub fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
