//! Limits of the numbers in files that people write: what no training can work with is refused by name.

/// Contents of a TOML file whose numbers are checked against limits.
pub trait Checked {
    /// Returns the first number beyond its limits, with the limits.
    fn fault(&self) -> Option<String>;
}

/// Most labels or games of a step.
pub(super) const BATCH_MAX: f64 = 1e6;
/// Most labels or games of a round.
pub(super) const LABELS_MAX: f64 = 2e9;
/// Most passes over the labels.
pub(super) const PASSES_MAX: f64 = 10_000.0;
/// Most repetitions of a round, and most rounds whose labels are trained on.
pub(super) const TIMES_MAX: f64 = 10_000.0;
/// Greatest weight of a part of the loss.
pub(super) const WEIGHT_MAX: f64 = 1e6;
/// Greatest factor on a learning rate from one round to the next.
pub(super) const FACTOR_MAX: f64 = 10.0;
/// Greatest alpha.
pub(super) const ALPHA_MAX: f64 = 1000.0;
/// Greatest difference of two equities.
pub(super) const MARGIN_MAX: f64 = 6.0;
/// Most plays that are searched more closely: no roll has more.
pub(super) const PLAYS_MAX: f64 = 3000.0;

/// Returns a message if a value does not lie from `low` to `high`.
pub(super) fn within(name: &str, value: f64, low: f64, high: f64) -> Option<String> {
    // NaN is within nothing.
    (!(low..=high).contains(&value)).then(|| format!("{name}: {value}, expected {low} to {high}"))
}

/// Returns a message for the first of these shares or chances that does not lie from 0 to 1.
pub(super) fn shares(all: &[(&str, f64)]) -> Option<String> {
    let share_error = |&(name, value): &(&str, f64)| within(name, value, 0.0, 1.0);
    all.iter().find_map(share_error)
}
