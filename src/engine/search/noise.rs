//! Noise for weaker levels (PLY-08): the same disturbance for the same position, every time.
//!
//! The deviate comes from an MD5 digest of the position, as in GNU Backgammon: the sum of its 16
//! bytes is close to a normal distribution with mean 2040 and deviation 295.6. GNU Backgammon's
//! usual build adds the bytes as signed numbers, which takes about seven deviations off every
//! output; [`Bias::Gnubg`] does the same for comparisons.

use crate::eval::possible;
use gammond_game::{Chances, POINTS, Position};

/// Bias of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bias {
    /// Mean zero.
    None,
    /// The bias of GNU Backgammon's usual build.
    Gnubg,
}

/// A kind and size of noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    pub(super) deviation: f32,
    pub(super) bias: Bias,
}

const FACTORS: [f32; 5] = [1.0, 0.25, 0.01, 0.25, 0.01];

impl Noise {
    /// Returns the chances of a position with noise added, and made consistent again.
    pub(super) fn disturb(&self, position: &Position, chances: Chances) -> Chances {
        if position.is_over() {
            return chances;
        }
        let mut bytes = [0; 2 * POINTS];
        let (mine, theirs) = (position.me().counts(), position.opponent().counts());
        for index in 0..POINTS {
            bytes[2 * index] = theirs[index];
            bytes[2 * index + 1] = mine[index];
        }
        let mut values = chances.to_array();
        for (value, factor) in values.iter_mut().zip(FACTORS) {
            let digest = md5::compute(bytes).0;
            let sum: i32 = match self.bias {
                Bias::None => digest.iter().map(|&byte| i32::from(byte)).sum(),
                Bias::Gnubg => digest.iter().map(|&byte| i32::from(byte as i8)).sum(),
            };
            let deviate = (sum - 2040) as f32 / 295.6;
            *value = (*value + deviate * self.deviation * factor).clamp(0.0, 1.0);
            bytes[0] += 1;
        }
        possible(values, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{Roll, legal_plays};

    #[test]
    fn fair_noise_has_mean_zero_and_the_other_does_not() {
        let mean = |bias| {
            let noise = Noise {
                deviation: 0.01,
                bias,
            };
            let base = Chances {
                win: 0.5,
                ..Chances::default()
            };
            let (mut sum, mut count) = (0.0, 0.0);
            for roll in Roll::ALL {
                for play in legal_plays(&Position::start(), roll) {
                    let disturbed = noise.disturb(&play.after, base);
                    assert_eq!(disturbed, noise.disturb(&play.after, base));
                    sum += f64::from(disturbed.win) - 0.5;
                    count += 1.0;
                }
            }
            sum / count / 0.01
        };
        assert!(mean(Bias::None).abs() < 0.2, "{}", mean(Bias::None));
        assert!(
            (mean(Bias::Gnubg) + 6.93).abs() < 0.3,
            "{}",
            mean(Bias::Gnubg)
        );
    }

    /// Measured with the reference program: -7.111 deviations for the start position.
    #[test]
    fn start_position_as_measured() {
        let noise = Noise {
            deviation: 0.01,
            bias: Bias::Gnubg,
        };
        let base = Chances {
            win: 0.5,
            ..Chances::default()
        };
        let win = noise.disturb(&Position::start(), base).win;
        assert!(((win - 0.5) / 0.01 + 7.111).abs() < 0.001, "{win}");
    }
}
