//! Rollouts for people.

use super::signed;
use gammond_engine::query::{Equities, RolledOut, RolloutAnswer};
use std::fmt::Write as _;
use std::time::Duration;

/// Returns a rollout: each candidate with its value, standard errors and chances; `name` names a candidate.
#[must_use]
pub fn table(found: &RolloutAnswer, name: impl Fn(&RolledOut) -> String, took: Duration) -> String {
    let mut text = String::new();
    let best = found.candidates.first().map(|one| one.value().0.equity);
    for (rank, one) in found.candidates.iter().enumerate() {
        let one = &one.reported();
        let (mean, error) = one.value();
        let _ = write!(text, "{:>3}. {:<28} {}", rank + 1, name(one), value(mean));
        let _ = write!(text, " {}", error_text(error));
        let behind = mean.equity - best.unwrap_or_default();
        if rank > 0 {
            let _ = write!(text, " ({})", signed(behind, 4));
        }
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] = one.chances;
        let _ = writeln!(
            text,
            "\n       {win:.3} {gammon:.3} {backgammon:.3} - {:.3} {lose_gammon:.3} \
             {lose_backgammon:.3}  cubeless {} {}  {} trials",
            1.0 - win,
            value(one.cubeless),
            error_text(one.cubeless_error),
            one.trials
        );
    }
    if let Some(cube) = &found.cube {
        let _ = writeln!(text, "Proper cube action: {}", cube.verdict.text());
    }
    let _ = writeln!(
        text,
        "{:.1} s, ended by {}",
        took.as_secs_f64(),
        found.ended.name()
    );
    text
}

/// Returns the results so far of the best candidates of a rollout, in one line.
#[must_use]
pub fn figures(found: &RolloutAnswer, name: impl Fn(&RolledOut) -> String) -> String {
    let figures = found.candidates.iter().take(3).map(|one| {
        let (value, error) = one.reported().value();
        let name = name(one);
        format!("{name} {} {}", signed(value.equity, 4), error_text(error))
    });
    figures.collect::<Vec<_>>().join("; ")
}

/// Returns the standard error as `+- ERROR`; few games have none.
#[must_use]
pub fn error_text(error: Equities) -> String {
    match error.equity.is_finite() {
        true => format!("+- {:.4}", error.equity),
        false => "+- unknown".to_owned(),
    }
}

fn value(value: Equities) -> String {
    match value.mwc {
        Some(mwc) => format!("{} ({:.2}% MWC)", signed(value.equity, 4), mwc * 100.0),
        None => signed(value.equity, 4),
    }
}
