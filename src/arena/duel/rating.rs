//! Conversion of a share of wins to the scales of rating lists: Elo (1978), FIBS.

/// Returns the difference in Elo points at which the stronger player wins this share of games (0 to 1): a tenfold
/// chance for 400 points. Infinite when one side won all.
#[must_use]
pub fn elo(won: f64) -> f64 {
    400.0 * (won / (1.0 - won)).log10()
}

/// Returns the difference in FIBS rating at which the stronger player wins this share (0 to 1) of matches to `length`
/// points: P = 1 / (10^(-D sqrt(length) / 2000) + 1). Infinite when one side won all.
#[must_use]
pub fn fibs(won: f64, length: u8) -> f64 {
    2000.0 / f64::from(length).sqrt() * (won / (1.0 - won)).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences whose chances are known: even, tenfold, and FIBS's own example of 200 points over five.
    #[test]
    fn known_differences() {
        assert_eq!([elo(0.5), fibs(0.5, 7)], [0.0, 0.0]);
        assert!((elo(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert!((fibs(10.0 / 11.0, 1) - 2000.0).abs() < 1e-9);
        let won = 1.0 / (10f64.powf(-200.0 * 5f64.sqrt() / 2000.0) + 1.0);
        assert!((fibs(won, 5) - 200.0).abs() < 1e-9 && (won - 0.6259).abs() < 1e-3);
        assert!(elo(1.0).is_infinite() && fibs(0.0, 1) == f64::NEG_INFINITY);
    }
}
