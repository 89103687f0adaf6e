//! Running mean and variance, confidence intervals, and a sequential test.

/// Fewest numbers from which an interval is shown.
pub(crate) const INTERVAL_COUNT_MIN: u64 = 5;
/// Standard errors on either side of a 99 % interval.
const Z99: f64 = 2.575_829;
/// Rule of three at 99 %: a result that did not occur in `n` trials has a chance of at most this by `n`, `-ln 0.01`.
const UNSEEN99: f64 = 4.605_170;

/// Two-sided 95 % points of Student's distribution for 1, 2, 3, ... degrees of freedom.
const STUDENT95: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Returns the two-sided 95 % point of Student's distribution: standard errors on either side of the mean of
/// `degrees + 1` numbers. Infinite for none; beyond the table an expansion that is right to 0.001.
#[must_use]
pub fn student95(degrees: u64) -> f64 {
    let Some(place) = degrees.checked_sub(1) else {
        return f64::INFINITY;
    };
    let known = usize::try_from(place).ok().and_then(|at| STUDENT95.get(at));
    known.copied().unwrap_or_else(|| {
        const Z95: f64 = 1.959_964;
        Z95 + (Z95.powi(3) + Z95) / (4.0 * degrees as f64)
    })
}

/// Returns the middle and half width of Wilson's score interval (1927) of a share of so many trials, `z` standard
/// errors wide.
#[must_use]
pub fn wilson(share: f64, trials: f64, z: f64) -> (f64, f64) {
    let share = share.clamp(0.0, 1.0);
    let scale = 1.0 + z * z / trials;
    let middle = (share + z * z / (2.0 * trials)) / scale;
    let spread = share * (1.0 - share) / trials + z * z / (4.0 * trials * trials);
    (middle, z * spread.sqrt() / scale)
}

/// Mean and variance of numbers that come one by one (Welford 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Running {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Running {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; 0 when there are no numbers.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the variance of the numbers, estimated from the sample; 0 below two numbers.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            self.squares / (self.count - 1) as f64
        }
    }

    /// Returns the standard error of the mean; 0 below two numbers.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.variance() / self.count as f64).sqrt()
        }
    }

    /// Returns the statistics of the numbers `offset + factor * number`.
    #[must_use]
    pub fn scaled(&self, factor: f64, offset: f64) -> Running {
        Running {
            count: self.count,
            mean: offset + factor * self.mean,
            squares: factor * factor * self.squares,
        }
    }

    /// Returns the 99 % interval to be shown to people; `None` for fewer than five numbers. However alike the numbers
    /// are, it is no narrower than the rule of three allows for an unseen result a point away.
    #[must_use]
    pub fn shown_interval99(&self) -> Option<[f64; 2]> {
        if self.count < INTERVAL_COUNT_MIN {
            return None;
        }
        let reach = Z99 * self.standard_error();
        let reach = reach.max(UNSEEN99 / self.count as f64);
        Some([self.mean - reach, self.mean + reach])
    }

    /// Returns the interval like [`Running::shown_interval99`], for shares from 0 to 1: Wilson's score interval.
    #[must_use]
    pub fn share_interval99(&self) -> Option<[f64; 2]> {
        (self.count >= INTERVAL_COUNT_MIN).then(|| {
            let (middle, reach) = wilson(self.mean, self.independent(), Z99);
            [(middle - reach).max(0.0), (middle + reach).min(1.0)]
        })
    }

    /// Returns the standard error of a share: half of Wilson's interval of one standard error, which is never 0.
    #[must_use]
    pub fn share_error(&self) -> f64 {
        match self.count {
            0 => f64::INFINITY,
            _ => wilson(self.mean, self.independent(), 1.0).1,
        }
    }

    /// Returns the independent trials that would scatter as these numbers, which are shares themselves; at least as
    /// many as there are numbers.
    fn independent(&self) -> f64 {
        let count = self.count as f64;
        let spread = self.variance() / count;
        let share = self.mean.clamp(0.0, 1.0);
        if spread > 0.0 {
            (share * (1.0 - share) / spread).max(count)
        } else {
            count
        }
    }

    /// Returns the interval like [`Running::interval99`]; `None` for fewer than five numbers, whose scatter is too
    /// uncertain. For numbers without a least difference, which need none of the rule of three.
    #[must_use]
    pub fn known_interval99(&self) -> Option<[f64; 2]> {
        (self.count >= INTERVAL_COUNT_MIN).then(|| self.interval99())
    }

    /// Returns the standard error of the mean; `None` below two numbers.
    #[must_use]
    pub fn known_error(&self) -> Option<f64> {
        (self.count >= 2).then(|| self.standard_error())
    }

    /// Returns the interval that holds the true mean with about 99 % probability.
    #[must_use]
    pub fn interval99(&self) -> [f64; 2] {
        let reach = Z99 * self.standard_error();
        [self.mean - reach, self.mean + reach]
    }
}

impl Extend<f64> for Running {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, values: T) {
        for value in values {
            self.add(value);
        }
    }
}

impl FromIterator<f64> for Running {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Running {
        let mut running = Running::default();
        running.extend(values);
        running
    }
}

/// Current verdict of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// The test is not decided.
    Open,
    /// The mean is below the middle of the two hypotheses.
    Lower,
    /// The mean is above it.
    Higher,
}

/// Tests a mean sequentially against two hypotheses, `lower` and `higher`, with error probabilities of 5 % each:
/// Wald's log-likelihood ratio (1945) with the normal law and the variance seen so far (at least 100 numbers).
#[must_use]
pub fn sequential(seen: &Running, lower: f64, higher: f64) -> (f64, SprtVerdict) {
    if seen.count() < 100 || seen.variance() == 0.0 {
        return (0.0, SprtVerdict::Open);
    }
    let gap = higher - lower;
    let middle = (higher + lower) / 2.0;
    let ratio = seen.count() as f64 * gap * (seen.mean() - middle) / seen.variance();
    // ln(0.95 / 0.05)
    let bound = 2.944_439;
    let verdict = if ratio >= bound {
        SprtVerdict::Higher
    } else if ratio <= -bound {
        SprtVerdict::Lower
    } else {
        SprtVerdict::Open
    };
    (ratio, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_points_fall_to_those_of_the_normal_distribution() {
        assert_eq!(student95(0), f64::INFINITY);
        assert_eq!([student95(1), student95(4)], [12.706, 2.776]);
        assert!((student95(60) - 2.000).abs() < 0.001, "{}", student95(60));
        let falls = (1..1000).all(|degrees| student95(degrees + 1) < student95(degrees));
        assert!(falls && student95(u64::MAX) > 1.95);
    }

    /// Wilson's interval of 20 wins in 20 games, by the textbook: 1 / (1 + z^2 / n).
    #[test]
    fn share_interval_of_extreme_results_is_one_sided() {
        let all = |value: f64, count: usize| std::iter::repeat_n(value, count).collect::<Running>();
        let [low, high] = all(1.0, 20).share_interval99().unwrap();
        assert!(
            (low - 1.0 / (1.0 + Z99 * Z99 / 20.0)).abs() < 1e-12,
            "{low}"
        );
        assert_eq!(high, 1.0);
        let [low, high] = all(0.0, 20).share_interval99().unwrap();
        assert_eq!(low, 0.0);
        assert!(high > 0.2 && high < 0.3, "{high}");
        assert!(all(1.0, 100).share_error() > 0.004);
        assert_eq!(all(1.0, 4).share_interval99(), None);
        // In the middle it is the normal one, nearly.
        let even: Running = (0..400).map(|number| f64::from(number % 2)).collect();
        let [low, high] = even.share_interval99().unwrap();
        let [near_low, near_high] = even.interval99();
        assert!((low - near_low).abs() < 2e-3 && (high - near_high).abs() < 2e-3);
    }

    /// Equal results leave room for an unseen result.
    #[test]
    fn shown_interval_of_equal_results_has_a_width() {
        let all = |count: usize| std::iter::repeat_n(1.0, count).collect::<Running>();
        assert_eq!(all(2).shown_interval99(), None);
        let [low, high] = all(100).shown_interval99().unwrap();
        assert!((high - low - 2.0 * 0.04605).abs() < 1e-4);
        let wide: Running = (0..100).map(f64::from).collect();
        assert_eq!(wide.shown_interval99(), Some(wide.interval99()));
    }

    #[test]
    fn mean_and_error_of_a_small_sample() {
        let running: Running = [1.0, 2.0, 3.0, 4.0].into_iter().collect();
        assert_eq!(running.mean(), 2.5);
        assert!((running.variance() - 5.0 / 3.0).abs() < 1e-12);
        assert!((running.standard_error() - (5.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(Running::default().standard_error(), 0.0);
        let turned: Running = [9.0, 8.0, 7.0, 6.0].into_iter().collect();
        assert_eq!(running.scaled(-1.0, 10.0), turned);
    }

    #[test]
    fn sequential_test_decides_both_ways() {
        let steps = |offset: f64| -> Running {
            (0..4000)
                .map(|i| offset + if i % 2 == 0 { 1.0 } else { -1.0 })
                .collect()
        };
        assert_eq!(sequential(&steps(0.1), 0.0, 0.1).1, SprtVerdict::Higher);
        assert_eq!(sequential(&steps(0.0), 0.0, 0.1).1, SprtVerdict::Lower);
        assert_eq!(sequential(&steps(0.05), 0.0, 0.1).1, SprtVerdict::Open);
    }
}
