//! Running mean and variance, confidence intervals, sequential tests.
