//! Experiments with additions to the positions that a net learns from: disputed cube actions, and additions that may do
//! harm.

use super::kit::{Experiment, ExperimentContext, LabFinding, LabVerdict};
use super::teaching::{
    PLIES, TrainingData, apart, asked, described, labelled, positions, running, teach,
    training_data, valued, verdict,
};
use crate::benchmark::cube::cube_loss;
use crate::lab::LabError;
use crate::player::Player;
use crate::training::disagree::cube_differs;
use gammond_game::notation::PositionChances;
use gammond_game::{Chances, Class, Position};
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "cube-disagreements",
        claim: "positions whose cube action at 0 plies is not that at 2 plies, added to the training, lower the cube measure",
        here: "198-64-5, 80 epochs on 6,000 crashed positions with values of two plies; the same with up to 2,000 positions added, those \
               whose cube action differs at one of four scores, or ordinary ones; cube measure of 31 scores on 2,000 others beside two plies",
        work: cube_disagreements,
    },
    Experiment {
        name: "more-data",
        claim: "adding data to what a net learns from can make it worse",
        here: "198-64-5, 60 epochs on 4,000 crashed positions with values of two plies, and on these with 4,000 added: crashed ones, \
               contact, races, or crashed ones whose values are those of the net itself; 1,000 other crashed decisions at two plies",
        work: more_data,
    },
];

/// Positions that are learned from at first, and the most that are added.
const CUBE: [usize; 2] = [6_000, 2_000];
/// Positions on which cube actions are judged.
const ACTIONS: usize = 2_000;

/// Positions with what two plies say of them.
type Valued = (Vec<Position>, Vec<Chances>);

/// The cube measure of a net, position by position, in thousandths, and how many of the decisions at 31 scores are wrong.
fn measured(
    net: &dyn Player,
    (positions, truth): &Valued,
    training_data: &TrainingData,
) -> (Vec<f64>, u32) {
    let mut wrong = 0;
    let pairs = positions.iter().zip(truth);
    let each = pairs.filter_map(|(position, truth)| {
        let loss = cube_loss(
            position,
            &net.chances(position)?,
            truth,
            training_data.engine.met(),
        );
        wrong += loss.errors;
        Some(1000.0 * loss.measure / crate::benchmark::cube::SCORES.len() as f64)
    });
    (each.collect(), wrong)
}

fn cube_disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    const EPOCHS: (&str, u64) = ("cube-disagreements", 80);
    let [base, most] = CUBE;
    let Some(training_data) =
        training_data((Class::Crashed, base + 4 * most), lab_context, control)?
    else {
        return Ok(None);
    };
    let engine = &training_data.engine;
    let Some(chances) = valued(engine, &training_data.learned, PLIES, control) else {
        return Ok(None);
    };
    let labels = labelled(&training_data.learned, &chances);
    let (base, rest) = labels.split_at(base);
    let Some(mut nets) = teach(&[("base", base.to_vec())], EPOCHS, lab_context, control)? else {
        return Ok(None);
    };
    let first = asked(&nets).remove(0);
    let disputed: Vec<PositionChances> = (rest.iter())
        .filter(|one| {
            let own = first.chances(&one.position);
            own.is_some_and(|own| cube_differs(engine, &one.position, &own, &one.chances))
        })
        .take(most)
        .copied()
        .collect();
    let ordinary = &rest[..disputed.len().min(rest.len())];
    let sets = [
        ("disputed", [base, &disputed].concat()),
        ("ordinary", [base, ordinary].concat()),
    ];
    let Some(more) = teach(&sets, EPOCHS, lab_context, control)? else {
        return Ok(None);
    };
    nets.extend(more);
    let others = training_data.others[..ACTIONS.min(training_data.others.len())].to_vec();
    let Some(truth) = valued(engine, &others, PLIES, control) else {
        return Ok(None);
    };
    let judged = (others, truth);
    let players = asked(&nets);
    let found = players
        .iter()
        .map(|net| measured(&**net, &judged, &training_data));
    let (measures, wrong): (Vec<_>, Vec<_>) = found.unzip();
    let lost = training_data.lost(&nets, control)?;
    let (Some(lost), [before, disputes, ordinary]) = (lost, &measures[..]) else {
        return Ok(None);
    };
    let rows = ["before", "disputed added", "ordinary added"];
    let parts: Vec<String> = (rows.iter().zip(&measures).zip(&wrong).zip(&lost))
        .map(|(((name, measure), wrong), lost)| {
            let seen = running(measure.iter().copied());
            let (mean, error) = (seen.mean(), seen.standard_error());
            format!(
                "{name} {mean:.3} +- {error:.3} ({wrong} wrong; plays {})",
                described(lost)
            )
        })
        .collect();
    Ok(Some(LabFinding {
        result: format!(
            "cube measure in thousandths, {} positions added: {}; disputed against ordinary {:+.1} standard errors",
            disputed.len(),
            parts.join("; "),
            apart(ordinary, disputes)
        ),
        verdict: verdict(apart(before, disputes)),
    }))
}

/// Positions that are learned from at first, and that are added.
const FEW: usize = 4_000;

/// Returns 2-ply labels of the crashed positions, and of as many contact and race positions as are added; `None` if it
/// was stopped.
fn of_classes(
    training_data: &TrainingData,
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Option<Vec<Vec<PositionChances>>> {
    let engine = &training_data.engine;
    let mut all = vec![training_data.learned.clone()];
    for class in [Class::Contact, Class::Race] {
        let own = |position: &Position| Class::of(position) == class;
        all.push(positions(
            engine,
            (FEW, &own),
            lab_context.seed ^ 1,
            control,
        )?);
    }
    let valued = |positions: &Vec<Position>| {
        let chances = valued(engine, positions, PLIES, control)?;
        Some(labelled(positions, &chances))
    };
    all.iter().map(valued).collect()
}

fn more_data(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    const EPOCHS: (&str, u64) = ("more-data", 60);
    let Some(training_data) = training_data((Class::Crashed, 3 * FEW), lab_context, control)?
    else {
        return Ok(None);
    };
    let Some(labels) = of_classes(&training_data, lab_context, control) else {
        return Ok(None);
    };
    let (base, rest) = labels[0].split_at(FEW);
    let Some(mut nets) = teach(&[("base", base.to_vec())], EPOCHS, lab_context, control)? else {
        return Ok(None);
    };
    let first = asked(&nets).remove(0);
    let own = rest[FEW..].iter().filter_map(|one| {
        let chances = first.chances(&one.position)?;
        Some(PositionChances { chances, ..*one })
    });
    let own: Vec<PositionChances> = own.collect();
    let with = |more: &[PositionChances]| [base, more].concat();
    let sets = [
        ("crashed", with(&rest[..FEW])),
        ("contact", with(&labels[1])),
        ("races", with(&labels[2])),
        ("own", with(&own)),
    ];
    let Some(more) = teach(&sets, EPOCHS, lab_context, control)? else {
        return Ok(None);
    };
    nets.extend(more);
    let Some(lost) = training_data.lost(&nets, control)? else {
        return Ok(None);
    };
    let names = [
        "nothing",
        "crashed",
        "contact",
        "races",
        "crashed by its own values",
    ];
    let parts: Vec<String> = (names.iter().zip(&lost))
        .map(|(name, lost)| format!("{name} {}", described(lost)))
        .collect();
    let harms = lost
        .iter()
        .skip(1)
        .any(|worse| apart(worse, &lost[0]) >= 1.96);
    let helps = lost
        .iter()
        .skip(1)
        .all(|better| apart(&lost[0], better) >= 1.96);
    Ok(Some(LabFinding {
        result: format!(
            "thousandths of a point, by what was added: {}",
            parts.join("; ")
        ),
        verdict: match (harms, helps) {
            (true, _) => LabVerdict::Reproduced,
            (_, true) => LabVerdict::Refuted,
            _ => LabVerdict::Open,
        },
    }))
}
