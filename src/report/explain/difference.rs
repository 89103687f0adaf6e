//! The facts in which two plays differ, weighed.

use gammond_engine::query::{ExplainedPlay, ExplainedPlays};
use gammond_game::{BoardFacts, Prime};

/// A fact in which two plays differ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FactDifference {
    /// Name of the fact.
    pub fact: &'static str,
    /// The rule of its sentence.
    pub rule: &'static str,
    /// Its value after the best play.
    pub best: f64,
    /// Its value after the other play.
    pub other: f64,
    /// The difference, as a multiple of the least one that matters for this fact.
    pub weight: f64,
    digits: usize,
}

impl FactDifference {
    /// Returns a value of the fact as text.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        format!("{value:.*}", self.digits)
    }
}

/// A fact: its name, its rule, the least difference that matters, its digits, and its value after a play.
struct Measure {
    fact: &'static str,
    rule: &'static str,
    scale: f64,
    digits: usize,
    value: fn(&BoardFacts, &ExplainedPlay) -> Option<f64>,
}

const fn whole(
    fact: &'static str,
    rule: &'static str,
    scale: f64,
    value: fn(&BoardFacts, &ExplainedPlay) -> Option<f64>,
) -> Measure {
    Measure {
        fact,
        rule,
        scale,
        digits: 0,
        value,
    }
}

/// The facts; of equal weights the earlier one comes first.
const MEASURES: [Measure; 11] = [
    whole("shots", "differ.shots", 4.0, |_, play| {
        contact(play, f64::from(play.facts.after.me.shots.number()))
    }),
    whole("hits", "differ.hits", 1.0, |_, play| {
        Some(f64::from(play.facts.hits))
    }),
    whole("home", "differ.home", 1.0, |_, play| {
        contact(play, count(play.facts.after.me.home_points()))
    }),
    whole("prime", "differ.prime", 1.0, |_, play| {
        let length = play
            .facts
            .after
            .me
            .prime
            .map_or(1, |prime| Prime::length(&prime));
        contact(play, f64::from(length))
    }),
    whole("anchors", "differ.anchors", 1.0, |_, play| {
        contact(play, count(play.facts.after.me.anchors.len()))
    }),
    whole("back", "differ.back", 1.0, |_, play| {
        Some(f64::from(play.facts.after.me.back))
    }),
    whole("blots", "differ.blots", 1.0, |_, play| {
        contact(play, count(play.facts.after.me.blots.len()))
    }),
    whole("points", "differ.points", 1.0, |_, play| {
        contact(play, count(play.facts.after.me.points.len()))
    }),
    whole("stacked", "differ.stacked", 2.0, |_, play| {
        contact(play, f64::from(play.facts.after.me.stacked()))
    }),
    whole("off", "differ.off", 1.0, |before, play| {
        let off = play.facts.after.me.off.saturating_sub(before.me.off);
        Some(f64::from(off))
    }),
    Measure {
        fact: "effective",
        rule: "differ.effective",
        scale: 0.25,
        digits: 2,
        value: |_, play| play.race?.effective.first().copied()?,
    },
];

/// Returns a value if there is contact after the play: points and blots have no meaning in a race.
fn contact(play: &ExplainedPlay, value: f64) -> Option<f64> {
    play.ranked.position.has_contact().then_some(value)
}

fn count(number: usize) -> f64 {
    number as f64
}

/// Returns the facts in which the best play and the other one differ, those first whose difference is the largest multiple
/// of the least one that matters.
#[must_use]
pub fn differences(before: &BoardFacts, plays: &ExplainedPlays) -> Vec<FactDifference> {
    let Some(other) = &plays.other else {
        return Vec::new();
    };
    let difference = |measure: &Measure| {
        let value = |play| (measure.value)(before, play);
        let (best, other) = (value(&plays.best)?, value(other)?);
        let weight = (best - other).abs() / measure.scale;
        (weight > 0.0).then_some(FactDifference {
            fact: measure.fact,
            rule: measure.rule,
            best,
            other,
            weight,
            digits: measure.digits,
        })
    };
    let mut found: Vec<FactDifference> = MEASURES.iter().filter_map(difference).collect();
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    found
}
