//! Levels by error rate: whether people of a rate lose what was asked for.

use super::declaration::{Claim, Expected, Experiment, SEEDS, SeedResult, half};
use super::kit::ExperimentContext;
use crate::lab::LabError;
use crate::training::people::{Opponent, measured};
use gammond_engine::Engine;
use gammond_engine::people::People;
use gammond_job::Control;

/// Matches of a seed at each rate: five seeds have a thousand games and more.
const MATCHES: usize = 40;
const RATES: [f64; 7] = [1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 20.0];

const LEVELS: Experiment = Experiment {
    name: "levels",
    claim: Some(Claim {
        text: "in matches against itself the model of people loses within half a point of the error rate (PR) that was asked for",
        source: "gammond's promise, LV-09 of protocol-specs/levels.md",
    }),
    question: "Do opponents of an error rate play at it?",
    conditions: "40 matches to 7 points at each rate, judged at two plies with the filter swift; expected losses of all \
                 choices of the model; PR",
    measures: &["1", "2", "4", "6", "8", "12", "20"],
    rule: &[
        half("1", &[(1.0, "1")], Expected::Within(0.5, 1.5)),
        half("2", &[(1.0, "2")], Expected::Within(1.5, 2.5)),
        half("4", &[(1.0, "4")], Expected::Within(3.5, 4.5)),
        half("6", &[(1.0, "6")], Expected::Within(5.5, 6.5)),
        half("8", &[(1.0, "8")], Expected::Within(7.5, 8.5)),
        half("12", &[(1.0, "12")], Expected::Within(11.5, 12.5)),
        half("20", &[(1.0, "20")], Expected::Within(19.5, 20.5)),
    ],
    seeds: SEEDS,
    cost: 600,
    before: "open",
    axes: ["asked for", "PR"],
    work: |lab_context, control| levels(Opponent::Itself, lab_context, control),
};

pub(super) const ALL: &[Experiment] = &[
    LEVELS,
    Experiment {
        name: "levels-static",
        claim: Some(Claim {
            text: "in matches against the engine without look-ahead the model of people loses within half a point of the error \
                   rate (PR) that was asked for",
            source: "gammond's promise, LV-09 of protocol-specs/levels.md",
        }),
        work: |lab_context, control| levels(Opponent::Static, lab_context, control),
        ..LEVELS
    },
];

fn levels(
    opponent: Opponent,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let matches = (MATCHES, lab_context.seed);
    let one = |pr| measured(People::built_in(), pr, opponent, matches, &engine, control);
    let rates: Option<Vec<f64>> = RATES.into_iter().map(one).collect();
    Ok(rates.map(SeedResult::from))
}
