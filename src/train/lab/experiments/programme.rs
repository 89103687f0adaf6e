//! Experiments of the programme that trained GNU Backgammon's nets: what nets learn from labels of two plies, and from the
//! plays that they get wrong.

use super::kit::{Experiment, ExperimentContext, LabFinding};
use super::teaching::{
    PLIES, TEST_DECISIONS, TrainingData, apart, described, disputed, labelled, plan, running,
    shape, training_data, valued, verdict,
};
use crate::benchmark::regret::{FreshDecision, decisions};
use crate::lab::LabError;
use crate::lab::supervised::TextDatabase;
use crate::lab::td::TdPlan;
use crate::player::Player as _;
use crate::player::classic::{ClassicNet, ClassicPlayer, Sides};
use gammond_game::{Category, Class};
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "crashed-labels",
        claim: "a crashed net taught by 2-ply values of random crashed positions is better than one of self-play (10.6 against 11.0 \
                thousandths)",
        here: "198-64-5: 8,000 crashed positions with values of two plies, the same with static values, 60 epochs, and 10,000 games of \
               TD(0.7); 1,000 other crashed decisions judged at two plies, by category",
        work: crashed_labels,
    },
    Experiment {
        name: "disagreements",
        claim: "positions where 0-ply and 2-ply choose other plays teach more than ordinary ones; training on them alone makes the \
                absolute error grow",
        here: "198-64-5, 80 epochs on 6,000 crashed positions with values of two plies; the same with 2,000 positions added, those after \
               plays of that net's and of two plies that differ, or ordinary ones; or on those alone; 1,000 other decisions at two plies",
        work: disagreements,
    },
];

/// Positions to learn from, those that are learned from at first, and those that are added.
const LEARNED: usize = 8_000;
const BASE: usize = 6_000;
const ADDED: usize = 2_000;

/// Formats the losses of three nets, in all and by category.
fn by_category([deep, flat, games]: [&Vec<f64>; 3], decisions: &[FreshDecision]) -> Vec<String> {
    let mut parts = vec![format!(
        "thousandths of a point, two plies, static, self-play: all {}, {}, {}",
        described(deep),
        described(flat),
        described(games)
    )];
    for category in Category::ALL {
        let within = |lost: &[f64]| {
            let pairs = lost.iter().zip(decisions);
            let own = pairs.filter(|(_, one)| Category::of(&one.position) == category);
            running(own.map(|(&lost, _)| lost))
        };
        let [deep, flat, games] = [deep, flat, games].map(|lost| within(lost));
        parts.push(format!(
            "{category} ({}) {:.1}, {:.1}, {:.1}",
            deep.count(),
            deep.mean(),
            flat.mean(),
            games.mean()
        ));
    }
    parts
}

fn crashed_labels(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
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
        episodes: 10_000,
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
    let parts = by_category([deep, flat, games], &training_data.decisions);
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict: verdict(apart(games, deep)),
    }))
}

/// The net of the first positions, and those of the first and disputed ones, the first and ordinary ones, disputed ones alone;
/// and how many were disputed.
fn taught(
    training_data: &TrainingData,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<(Vec<ClassicNet>, usize)>, LabError> {
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
    let nets = states.into_iter().map(|state| state.net).collect();
    Ok(Some((nets, disputed.len())))
}

fn disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(training_data) =
        training_data((Class::Crashed, BASE + 3 * ADDED), lab_context, control)?
    else {
        return Ok(None);
    };
    let Some((nets, disputed)) = taught(&training_data, lab_context, control)? else {
        return Ok(None);
    };
    let engine = &training_data.engine;
    let Some(lost) = training_data.lost(&nets, control)? else {
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
        running(off).mean()
    };
    let names = [
        "before",
        "disputed added",
        "ordinary added",
        "disputed alone",
    ];
    let parts: Vec<String> = (names.iter().zip(&nets).zip(&lost))
        .map(|((name, net), lost)| {
            format!(
                "{name} {} (absolute error {:.0})",
                described(lost),
                absolute(net)
            )
        })
        .collect();
    Ok(Some(LabFinding {
        result: format!(
            "thousandths of a point, {disputed} positions added: {}",
            parts.join("; ")
        ),
        verdict: verdict(apart(&lost[2], &lost[1])),
    }))
}
