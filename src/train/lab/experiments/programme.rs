//! Experiments of the programme that trained GNU Backgammon's nets: what nets learn from labels of two plies, and from the
//! plays that they get wrong.

use super::declaration::{AXES, Claim, Expected, Experiment, SEEDS, SeedResult, beside, half};
use super::kit::ExperimentContext;
use super::teaching::{
    PLIES, TEST_DECISIONS, TrainingData, disputed, labelled, mean, plan, shape, training_data,
    valued,
};
use crate::lab::LabError;
use crate::lab::supervised::{Rates, SupervisedPlan, TextDatabase};
use crate::lab::td::TdPlan;
use crate::training::alpha::AlphaSettings;
use gammond_arena::benchmark::regret::{FreshDecision, decisions};
use gammond_arena::player::Player as _;
use gammond_arena::player::classic::{ClassicNet, ClassicPlayer, Sides};
use gammond_game::{Category, Class};
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "crashed-labels",
        claim: Some(Claim {
            text: "current crashed net 0.011004; net trained on 150,000 random crashed positions valued by 2-ply 0.010584",
            source: "J. Heled, the GNUbg Training Program page; no year or page known",
        }),
        question: "Is a crashed net taught by 2-ply values better than one of self-play?",
        conditions: "198-64-5: 8,000 crashed positions in place of 150,000 with values of two plies, the same with static \
                     values, 60 epochs, and 6,000 games of TD(0.7) in place of the programme's crashed net; 1,000 other \
                     crashed decisions judged at two plies; thousandths of a point",
        measures: CRASHED_MEASURES,
        rule: &[
            half(
                "two plies better than self-play",
                &[(1.0, "self-play"), (-1.0, "two plies")],
                Expected::Above(0.0),
            ),
            beside(
                "two plies better than static values",
                &[(1.0, "static"), (-1.0, "two plies")],
                Expected::Above(0.0),
            ),
        ],
        seeds: SEEDS,
        cost: 250,
        before: "reproduced",
        axes: AXES,
        work: crashed_labels,
    },
    Experiment {
        name: "disagreements",
        claim: Some(Claim {
            text: "where 2-ply's move differs from 0-ply's, add both resulting positions valued by 2-ply: lowers ER; adverse \
                   effect of move-only training: absolute error grows since only order matters",
            source: "J. Heled, the GNUbg Training Program page; no year or page known",
        }),
        question: "What do positions teach whose play 0-ply and 2-ply dispute?",
        conditions: "198-64-5, 80 epochs on 6,000 crashed positions with values of two plies; the same with 2,000 positions \
                     added, those after plays of that net's and of two plies that differ, or ordinary ones; or on those \
                     alone; 1,000 other decisions at two plies; thousandths of a point",
        measures: &[
            "before",
            "disputed added",
            "ordinary added",
            "disputed alone",
            "before, absolute",
            "disputed added, absolute",
            "ordinary added, absolute",
            "disputed alone, absolute",
        ],
        rule: &[
            half(
                "lower error than before",
                &[(1.0, "before"), (-1.0, "disputed added")],
                Expected::Above(0.0),
            ),
            half(
                "on those alone the absolute error grows",
                &[
                    (1.0, "disputed alone, absolute"),
                    (-1.0, "before, absolute"),
                ],
                Expected::Above(0.0),
            ),
            beside(
                "lower error than with as many ordinary ones",
                &[(1.0, "ordinary added"), (-1.0, "disputed added")],
                Expected::Above(0.0),
            ),
        ],
        seeds: SEEDS,
        cost: 250,
        before: "open",
        axes: AXES,
        work: disagreements,
    },
    ALPHA_30,
];

/// Alphas of the programme's loop, and of a fixed rate.
const ALPHA_30: Experiment = Experiment {
    name: "alpha-30-to-1",
    claim: None,
    question: "The programme's loop has alpha in 30 .. 1, alpha_start = 20, p = 0.5 %, alpha_min = 1 (J. Heled): is a start at \
               30 or 20 better than a fixed alpha?",
    conditions: "198-64-5, 60 epochs on 6,000 crashed positions with static values, one step of alpha is 0.05; 1,000 other \
                 crashed decisions at two plies; thousandths of a point",
    measures: &["30 to 1", "20 to 1", "fixed 2", "fixed 1"],
    rule: &[
        beside(
            "30 to 1 better than fixed 2",
            &[(1.0, "fixed 2"), (-1.0, "30 to 1")],
            Expected::Above(0.0),
        ),
        beside(
            "30 to 1 better than 20 to 1",
            &[(1.0, "20 to 1"), (-1.0, "30 to 1")],
            Expected::Above(0.0),
        ),
    ],
    seeds: SEEDS,
    cost: 60,
    before: "none",
    axes: AXES,
    work: alphas,
};

fn alphas(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) = training_data((Class::Crashed, BASE), lab_context, control)? else {
        return Ok(None);
    };
    let Some(chances) = valued(&training_data.engine, &training_data.learned, 0, control) else {
        return Ok(None);
    };
    let data = TextDatabase::new(labelled(&training_data.learned, &chances));
    let falling = |start| {
        Rates::Classical(AlphaSettings {
            start,
            least: 1.0,
            ..AlphaSettings::default()
        })
    };
    let ways = [
        falling(30.0),
        falling(20.0),
        Rates::Fixed(2.0),
        Rates::Fixed(1.0),
    ];
    let mut runs = Vec::new();
    for (name, rates) in ["30", "20", "fixed-2", "fixed-1"].into_iter().zip(ways) {
        let plan = SupervisedPlan {
            rates,
            unit: 0.05,
            ..plan(lab_context.seed, &data, 60)?
        };
        runs.push((format!("alpha-30-to-1-{name}"), plan));
    }
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let nets: Vec<ClassicNet> = states.into_iter().map(|state| state.net).collect();
    let lost = training_data.mean_losses(&nets, control)?;
    Ok(lost.map(SeedResult::from))
}

/// Losses in all, then shares of the categories in percent and in each the losses of two nets.
const CRASHED_MEASURES: &[&str] = &[
    "two plies",
    "static",
    "self-play",
    "roll-prime, %",
    "roll-prime, two plies",
    "roll-prime, self-play",
    "trapped, %",
    "trapped, two plies",
    "trapped, self-play",
    "contain, %",
    "contain, two plies",
    "contain, self-play",
    "escape, %",
    "escape, two plies",
    "escape, self-play",
    "scramble, %",
    "scramble, two plies",
    "scramble, self-play",
    "must-hit, %",
    "must-hit, two plies",
    "must-hit, self-play",
    "other, %",
    "other, two plies",
    "other, self-play",
];

/// Positions to learn from, those that are learned from at first, and those that are added.
const LEARNED: usize = 8_000;
const BASE: usize = 6_000;
const ADDED: usize = 2_000;

/// Returns the share of each category in percent, with the mean losses of two nets in it.
fn by_category(nets: [&[f64]; 2], decisions: &[FreshDecision]) -> Vec<f64> {
    let of = |category| {
        let within = |lost: &[f64]| -> Vec<f64> {
            let pairs = lost.iter().zip(decisions);
            let own = pairs.filter(|(_, one)| Category::of(&one.position) == category);
            own.map(|(&lost, _)| lost).collect()
        };
        let [one, other] = nets.map(within);
        let share = 100.0 * one.len() as f64 / decisions.len().max(1) as f64;
        [share, mean(&one), mean(&other)]
    };
    Category::ALL.into_iter().flat_map(of).collect()
}

fn crashed_labels(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) = training_data((Class::Crashed, LEARNED), lab_context, control)?
    else {
        return Ok(None);
    };
    let TrainingData {
        engine, learned, ..
    } = &training_data;
    let mut nets = Vec::new();
    for plies in [PLIES, 0] {
        let Some(chances) = valued(engine, learned, plies, control) else {
            return Ok(None);
        };
        let data = TextDatabase::new(labelled(learned, &chances));
        let runs = [(
            format!("crashed-labels-{plies}"),
            plan(lab_context.seed, &data, 60)?,
        )];
        let Some(states) = lab_context.train(control, &runs)? else {
            return Ok(None);
        };
        nets.extend(states.into_iter().map(|state| state.net));
    }
    let games = TdPlan {
        shape: shape()?,
        range: 0.1,
        seed: lab_context.seed,
        alpha: 0.1,
        half_life: None,
        lambda: 0.7,
        sides: Sides::Swap,
        episodes: 6_000,
        every: 500,
        tests: None,
    };
    let Some(states) = lab_context.train(control, &[("crashed-labels-td".to_owned(), games)])?
    else {
        return Ok(None);
    };
    nets.extend(states.into_iter().map(|state| state.net));
    let Some(lost) = training_data.lost(&nets, control)? else {
        return Ok(None);
    };
    let [deep, flat, games] = &lost[..] else {
        return Ok(None);
    };
    let mut measures = [deep, flat, games].map(|lost| mean(lost)).to_vec();
    measures.extend(by_category([deep, games], &training_data.decisions));
    Ok(Some(measures.into()))
}

/// Returns the net of the first positions, and those of the first and disputed ones, the first and ordinary ones,
/// disputed ones alone.
fn taught(
    training_data: &TrainingData,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<Vec<ClassicNet>>, LabError> {
    const EPOCHS: u64 = 80;
    let TrainingData {
        engine, learned, ..
    } = training_data;
    let (base, rest) = learned.split_at(BASE);
    let Some(chances) = valued(engine, base, PLIES, control) else {
        return Ok(None);
    };
    let base = labelled(base, &chances);
    let data = TextDatabase::new(base.clone());
    let runs = [(
        "disagreements-base".to_owned(),
        plan(lab_context.seed, &data, EPOCHS)?,
    )];
    let Some(mut states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let turns = decisions(rest, rest.len(), lab_context.seed);
    let Some(disputed) = disputed(engine, &states[0].net, (&turns, ADDED), control)? else {
        return Ok(None);
    };
    let ordinary = &rest[..disputed.len().min(rest.len())];
    let mut added = Vec::new();
    for positions in [&disputed[..], ordinary] {
        let Some(chances) = valued(engine, positions, PLIES, control) else {
            return Ok(None);
        };
        added.push(labelled(positions, &chances));
    }
    let sets = [
        ("disputed", [&base[..], &added[0]].concat()),
        ("ordinary", [&base[..], &added[1]].concat()),
        ("disputed-alone", added[0].clone()),
    ];
    let sets = sets.map(|(name, labels)| (name, TextDatabase::new(labels)));
    let mut runs = Vec::new();
    for (name, data) in &sets {
        let plan = plan(lab_context.seed, data, EPOCHS)?;
        runs.push((format!("disagreements-{name}"), plan));
    }
    let Some(more) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    states.extend(more);
    Ok(Some(states.into_iter().map(|state| state.net).collect()))
}

fn disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) =
        training_data((Class::Crashed, BASE + 3 * ADDED), lab_context, control)?
    else {
        return Ok(None);
    };
    let Some(nets) = taught(&training_data, lab_context, control)? else {
        return Ok(None);
    };
    let engine = &training_data.engine;
    let Some(mut lost) = training_data.mean_losses(&nets, control)? else {
        return Ok(None);
    };
    let others = &training_data.others[..TEST_DECISIONS.min(training_data.others.len())];
    let Some(truth) = valued(engine, others, PLIES, control) else {
        return Ok(None);
    };
    let absolute = |net: &ClassicNet| {
        let player = ClassicPlayer::new("net", net.clone(), Sides::Swap);
        let off = others.iter().zip(&truth).filter_map(|(position, truth)| {
            let said = player.chances(position)?;
            Some(1000.0 * f64::from((said.equity() - truth.equity()).abs()))
        });
        mean(&off.collect::<Vec<f64>>())
    };
    lost.extend(nets.iter().map(absolute));
    Ok(Some(lost.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_their_measures() {
        let names = Category::ALL.into_iter().flat_map(|category| {
            ["%", "two plies", "self-play"].map(|what| format!("{category}, {what}"))
        });
        assert_eq!(names.collect::<Vec<_>>(), CRASHED_MEASURES[3..]);
    }
}
