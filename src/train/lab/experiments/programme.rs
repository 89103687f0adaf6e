//! Experiments of the programme that trained GNU Backgammon's nets: what nets learn from labels of two plies, and from the
//! plays that they get wrong.

use super::kit::{Experiment, Ground, LabFinding};
use super::teaching::{
    JUDGED, Material, PLIES, apart, disputed, labelled, material, plan, running, shape, told,
    valued, verdict,
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
        told(deep),
        told(flat),
        told(games)
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
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(material) = material((Class::Crashed, LEARNED), ground, control)? else {
        return Ok(None);
    };
    let Material {
        engine, learned, ..
    } = &material;
    let mut nets = Vec::new();
    for plies in [PLIES, 0] {
        let Some(chances) = valued(engine, learned, plies, control) else {
            return Ok(None);
        };
        let data = TextDatabase::new(labelled(learned, &chances));
        let runs = [(
            format!("crashed-labels-{plies}"),
            plan(ground.seed, &data, 60)?,
        )];
        let Some(states) = ground.train(control, &runs)? else {
            return Ok(None);
        };
        nets.extend(states.into_iter().map(|state| state.net));
    }
    let games = TdPlan {
        shape: shape()?,
        range: 0.1,
        seed: ground.seed,
        alpha: 0.1,
        half_life: None,
        lambda: 0.7,
        sides: Sides::Swap,
        episodes: 10_000,
        every: 500,
        tests: None,
    };
    let Some(states) = ground.train(control, &[("crashed-labels-td".to_owned(), games)])? else {
        return Ok(None);
    };
    nets.extend(states.into_iter().map(|state| state.net));
    let Some(lost) = material.lost(&nets, control)? else {
        return Ok(None);
    };
    let [deep, flat, games] = &lost[..] else {
        return Ok(None);
    };
    let parts = by_category([deep, flat, games], &material.decisions);
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict: verdict(apart(games, deep)),
    }))
}

/// The net of the first positions, and those of the first and disputed ones, the first and ordinary ones, disputed ones alone;
/// and how many were disputed.
fn taught(
    material: &Material,
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<(Vec<ClassicNet>, usize)>, LabError> {
    const EPOCHS: u64 = 80;
    let Material {
        engine, learned, ..
    } = material;
    let (base, rest) = learned.split_at(BASE);
    let Some(chances) = valued(engine, base, PLIES, control) else {
        return Ok(None);
    };
    let base = labelled(base, &chances);
    let data = TextDatabase::new(base.clone());
    let runs = [(
        "disagreements-base".to_owned(),
        plan(ground.seed, &data, EPOCHS)?,
    )];
    let Some(mut states) = ground.train(control, &runs)? else {
        return Ok(None);
    };
    let turns = decisions(rest, rest.len(), ground.seed);
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
        let plan = plan(ground.seed, data, EPOCHS)?;
        runs.push((format!("disagreements-{name}"), plan));
    }
    let Some(more) = ground.train(control, &runs)? else {
        return Ok(None);
    };
    states.extend(more);
    let nets = states.into_iter().map(|state| state.net).collect();
    Ok(Some((nets, disputed.len())))
}

fn disagreements(
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(material) = material((Class::Crashed, BASE + 3 * ADDED), ground, control)? else {
        return Ok(None);
    };
    let Some((nets, disputed)) = taught(&material, ground, control)? else {
        return Ok(None);
    };
    let engine = &material.engine;
    let Some(lost) = material.lost(&nets, control)? else {
        return Ok(None);
    };
    let others = &material.others[..JUDGED.min(material.others.len())];
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
                told(lost),
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
