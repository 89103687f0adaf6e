//! Declarations of experiments: the claim, the conditions and the rule of the verdict, before anything runs.

use crate::training::curve::Series;
use gammond_base::stats::{Running, student95};
use gammond_base::toml::parse_toml;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabVerdict {
    /// All halves of the claim hold.
    Reproduced,
    /// A half of the claim does not hold.
    Refuted,
    /// The figures do not decide it.
    Open,
    /// No claim was made; the result is figures.
    Extended,
}

impl LabVerdict {
    /// Returns its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LabVerdict::Reproduced => "reproduced",
            LabVerdict::Refuted => "refuted",
            LabVerdict::Open => "open",
            LabVerdict::Extended => "extended",
        }
    }
}

/// Measures of one seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedResult {
    /// A number for each declared measure.
    pub measures: Vec<f64>,
    /// Learning curves by name: position on the horizontal axis and value.
    pub curves: Vec<(String, Vec<[f64; 2]>)>,
}

impl From<Vec<f64>> for SeedResult {
    fn from(measures: Vec<f64>) -> Self {
        SeedResult {
            measures,
            curves: Vec::new(),
        }
    }
}

/// The range in which a figure is expected.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// Above this number.
    Above(f64),
    /// Below this number.
    Below(f64),
    /// Between these numbers.
    Within(f64, f64),
}

/// One half of a claim: a sum of measures, and where it is expected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Half {
    /// The half in words.
    pub text: String,
    /// Measures with their factors; differences are paired, as both measures are of one seed.
    pub sum: Vec<(f64, String)>,
    /// Range in which the sum is expected.
    pub expected: Expected,
    /// True for a figure beside the claim, which has no part in the verdict.
    #[serde(default)]
    pub beside: bool,
}

/// A published claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Text of the claim.
    pub text: String,
    /// Author and work, with year and page if known.
    pub source: String,
}

/// An experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Published claim; none where nothing was claimed.
    pub claim: Option<Claim>,
    /// Question that the measures answer.
    pub question: String,
    /// Conditions: nets, sizes, opponents.
    pub conditions: String,
    /// Names of the measures, with their units.
    pub measures: Vec<String>,
    /// Rule of the verdict.
    pub rule: Vec<Half>,
    /// Number of seeds.
    pub seeds: u64,
    /// CPU seconds of one seed, measured once; decides the order and what fits a budget.
    pub cost: u32,
    /// Verdict of 2026-11-23, from one seed.
    pub before: String,
    /// Axes of its learning curves.
    pub axes: [String; 2],
}

/// The file of declarations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentsFile {
    defaults: Map<String, Value>,
    sources: BTreeMap<String, String>,
    experiment: Vec<Map<String, Value>>,
}

/// Parses declarations; the comment at the top of `experiments.toml` describes their keys.
///
/// # Errors
/// A message with the name of the wrong experiment.
pub(super) fn parse_experiments(text: &str) -> Result<Vec<Experiment>, String> {
    let file: ExperimentsFile = parse_toml(text).map_err(|error| error.to_string())?;
    let mut wholes: Vec<Map<String, Value>> = Vec::new();
    let mut experiments = Vec::new();
    for mut own in file.experiment {
        let name = own.get("name").cloned().unwrap_or_default();
        let mut whole = match own.remove("like") {
            None => file.defaults.clone(),
            Some(like) => (wholes.iter().find(|one| one.get("name") == Some(&like)))
                .ok_or_else(|| format!("experiment {name}: no experiment {like} above it"))?
                .clone(),
        };
        whole.extend(own);
        wholes.push(whole.clone());
        let mut experiment: Experiment = serde_json::from_value(Value::Object(whole))
            .map_err(|error| format!("experiment {name}: {error}"))?;
        if let Some(Claim { source, .. }) = &mut experiment.claim {
            let text = file.sources.get(source).cloned();
            *source = text.ok_or_else(|| format!("experiment {name}: no source '{source}'"))?;
        }
        experiments.push(experiment);
    }
    Ok(experiments)
}

/// Mean over seeds and half of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Mean over the seeds.
    pub mean: f64,
    /// Half of the interval: Student's t times the standard error over the seeds.
    pub reach: f64,
}

/// Returns the mean of one number for each seed with its interval; infinite for one seed.
#[must_use]
pub fn figure(values: &[f64]) -> Figure {
    let seen: Running = values.iter().copied().collect();
    Figure {
        mean: seen.mean(),
        reach: match seen.count() {
            0 | 1 => f64::INFINITY,
            count => student95(count - 1) * seen.standard_error(),
        },
    }
}

/// A half decides only if its threshold lies outside of this many intervals, so that other seeds keep the verdict.
pub const GUARD: f64 = 1.5;

/// A half with its figure.
#[derive(Clone, Debug)]
pub struct JudgedHalf {
    /// The half.
    pub half: Half,
    /// Its sum over the seeds.
    pub figure: Figure,
    /// True if it holds, false if it does not; `None` if the interval does not decide it.
    pub holds: Option<bool>,
}

impl JudgedHalf {
    /// Returns "holds", "fails" or "open".
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self.holds {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "open",
        }
    }
}

impl Expected {
    /// Returns whether all of `low..=high` is as expected, or none of it.
    fn decided(self, [low, high]: [f64; 2]) -> Option<bool> {
        let (least, most) = match self {
            Expected::Above(least) => (least, f64::INFINITY),
            Expected::Below(most) => (f64::NEG_INFINITY, most),
            Expected::Within(least, most) => (least, most),
        };
        if low > least && high < most {
            Some(true)
        } else if high < least || low > most {
            Some(false)
        } else {
            None
        }
    }
}

impl Experiment {
    /// Returns the values of a measure, one for each seed.
    #[must_use]
    pub fn values(&self, measure: &str, seeds: &[SeedResult]) -> Vec<f64> {
        let place = self.measures.iter().position(|name| name == measure);
        let of = |seed: &SeedResult| place.and_then(|at| seed.measures.get(at)).copied();
        seeds.iter().filter_map(of).collect()
    }

    /// Decides each half of the claim over the seeds.
    #[must_use]
    pub fn judged(&self, seeds: &[SeedResult]) -> Vec<JudgedHalf> {
        let judge = |half: &Half| {
            let mut sums = vec![0.0; seeds.len()];
            for (factor, measure) in &half.sum {
                let values = self.values(measure, seeds);
                (sums.iter_mut().zip(values)).for_each(|(sum, value)| *sum += factor * value);
            }
            let figure = figure(&sums);
            let Figure { mean, reach } = figure;
            let guarded = [mean - GUARD * reach, mean + GUARD * reach];
            JudgedHalf {
                half: half.clone(),
                figure,
                holds: half.expected.decided(guarded),
            }
        };
        self.rule.iter().map(judge).collect()
    }

    /// Returns the verdict: the claim holds if all of its halves do, and fails if one of them fails.
    #[must_use]
    pub fn verdict(&self, judged: &[JudgedHalf]) -> LabVerdict {
        let mut own = judged.iter().filter(|one| !one.half.beside).peekable();
        if self.claim.is_none() || own.peek().is_none() {
            return LabVerdict::Extended;
        }
        let own: Vec<Option<bool>> = own.map(|one| one.holds).collect();
        if own.contains(&Some(false)) {
            LabVerdict::Refuted
        } else if own.contains(&None) {
            LabVerdict::Open
        } else {
            LabVerdict::Reproduced
        }
    }

    /// Returns the mean curves over the seeds; the error of a point is that of the mean over seeds.
    #[must_use]
    pub fn bands(&self, seeds: &[SeedResult]) -> Vec<Series> {
        let Some(first) = seeds.first() else {
            return Vec::new();
        };
        let band = |(at, (name, curve)): (usize, &(String, Vec<[f64; 2]>))| {
            let curves: Vec<&[[f64; 2]]> = (seeds.iter())
                .filter_map(|seed| seed.curves.get(at).map(|curve| &curve.1[..]))
                .collect();
            let steps = curves.iter().map(|curve| curve.len()).min().unwrap_or(0);
            let point = |(step, &[x, _]): (usize, &[f64; 2])| {
                let seen: Running = curves.iter().map(|curve| curve[step][1]).collect();
                crate::training::curve::Point {
                    x,
                    y: seen.mean(),
                    error: seen.standard_error(),
                }
            };
            let points = curve.iter().take(steps).enumerate().map(point).collect();
            (name.clone(), points)
        };
        first.curves.iter().enumerate().map(band).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Expected::{Above, Within};

    fn half(measures: &[(f64, &str)], expected: Expected) -> Half {
        let named = |&(factor, measure): &(f64, &str)| (factor, measure.to_owned());
        Half {
            text: String::new(),
            sum: measures.iter().map(named).collect(),
            expected,
            beside: false,
        }
    }

    fn declared(rule: &[Half]) -> Experiment {
        Experiment {
            name: "x".to_owned(),
            claim: Some(Claim {
                text: String::new(),
                source: String::new(),
            }),
            question: String::new(),
            conditions: String::new(),
            measures: ["a", "b"].map(str::to_owned).to_vec(),
            rule: rule.to_vec(),
            seeds: 3,
            cost: 1,
            before: String::new(),
            axes: Default::default(),
        }
    }

    fn seeds(values: &[[f64; 2]]) -> Vec<SeedResult> {
        values.iter().map(|one| one.to_vec().into()).collect()
    }

    #[test]
    fn interval_is_over_seeds_and_paired() {
        // Both measures scatter by 10, their difference by 1: 4.303 / sqrt(3).
        let experiment = declared(&[half(&[(1.0, "a"), (-1.0, "b")], Above(1.0))]);
        let far = seeds(&[[10.0, 1.0], [20.0, 10.0], [30.0, 19.0]]);
        let judged = experiment.judged(&far);
        assert!((judged[0].figure.mean - 10.0).abs() < 1e-12);
        assert!((judged[0].figure.reach - 2.484).abs() < 0.001);
        assert_eq!(experiment.verdict(&judged), LabVerdict::Reproduced);
        // The interval of 5 +- 2.5 excludes 1.5, but not with the guard.
        let near = seeds(&[[5.0, 1.0], [15.0, 10.0], [25.0, 19.0]]);
        let near = experiment.judged(&near);
        assert_eq!(experiment.verdict(&near), LabVerdict::Reproduced);
        let touching = seeds(&[[4.5, 1.0], [14.5, 10.0], [24.5, 19.0]]);
        let touching = experiment.judged(&touching);
        assert_eq!(
            (touching[0].word(), experiment.verdict(&touching)),
            ("open", LabVerdict::Open)
        );
    }

    #[test]
    fn one_failing_half_refutes_and_figures_beside_do_not() {
        let [a, b] = [("a", Above(0.0)), ("b", Within(-1.0, 1.0))]
            .map(|(measure, expected)| half(&[(1.0, measure)], expected));
        let beside = Half {
            beside: true,
            ..half(&[(1.0, "b")], Above(0.0))
        };
        let (both, one) = (declared(&[a.clone(), b]), declared(&[a, beside]));
        let same = |a, b| seeds(&[[a, b]; 3]);
        let verdict = |experiment: &Experiment, a, b| {
            experiment.verdict(&experiment.judged(&same(a, b))).name()
        };
        assert_eq!(verdict(&both, 2.0, 0.0), "reproduced");
        assert_eq!(verdict(&both, 2.0, 3.0), "refuted");
        assert_eq!(verdict(&both, 0.0, 0.0), "open");
        assert_eq!(verdict(&one, 2.0, -3.0), "reproduced");
        let unclaimed = Experiment { claim: None, ..one };
        assert_eq!(verdict(&unclaimed, 2.0, -3.0), "extended");
        assert_eq!(figure(&[1.0]).reach, f64::INFINITY);
    }

    #[test]
    fn declarations_inherit_and_faults_name_their_experiment() {
        const FIRST: &str = r#"
            [defaults]
            seeds = 3
            axes = ["x", "y"]
            [sources]
            book = "A. Author, 1990"
            [[experiment]]
            name = "a"
            claim = { text = "t", source = "book" }
            question = ""
            conditions = ""
            measures = ["m"]
            cost = 7
            before = "open"
            rule = []
        "#;
        let parse =
            |more: &str| parse_experiments(&format!("{FIRST}[[experiment]]\nname = \"b\"\n{more}"));
        let both = parse("like = \"a\"\nseeds = 9").unwrap();
        let [first, second] = &both[..] else {
            panic!("{both:?}")
        };
        assert_eq!((first.seeds, second.seeds, second.cost), (3, 9, 7));
        assert_eq!(second.claim.as_ref().unwrap().source, "A. Author, 1990");
        let fault = |more: &str| parse(more).unwrap_err();
        assert_eq!(
            fault(r#"like = "c""#),
            r#"experiment "b": no experiment "c" above it"#
        );
        let source = r#"claim = { text = "t", source = "A" }"#;
        assert_eq!(
            fault(&format!("like = \"a\"\n{source}")),
            r#"experiment "b": no source 'A'"#
        );
        assert!(fault("like = \"a\"\nseed = 9").contains("unknown field `seed`"));
        assert!(fault("").contains("missing field"));
    }
}
