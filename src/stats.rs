//! Running mean and variance, confidence intervals, and a sequential test.

/// Mean and variance of numbers that come one by one (Welford's recurrence).
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

    /// How many numbers.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 when there are none.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Variance of the numbers, estimated from the sample; 0 below two numbers.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            self.squares / (self.count - 1) as f64
        }
    }

    /// Standard error of the mean; 0 below two numbers.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.variance() / self.count as f64).sqrt()
        }
    }

    /// The same of the numbers `offset + factor * number`.
    #[must_use]
    pub fn scaled(&self, factor: f64, offset: f64) -> Running {
        Running {
            count: self.count,
            mean: offset + factor * self.mean,
            squares: factor * factor * self.squares,
        }
    }

    /// The interval that holds the true mean with about 99 % probability.
    #[must_use]
    pub fn interval99(&self) -> [f64; 2] {
        let reach = 2.575_829 * self.standard_error();
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

/// What a sequential test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// Not decided.
    Open,
    /// The mean is below the middle of the two hypotheses.
    Lower,
    /// The mean is above it.
    Higher,
}

/// Sequential test of a mean against two hypotheses, `lower` and `higher`, with error
/// probabilities of 5 % each: Wald's log-likelihood ratio with the normal law and the variance
/// seen so far (at least 100 numbers).
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
