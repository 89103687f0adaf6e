//! Experiments with additions to the positions that a net learns from: disputed cube actions, and additions that may do
//! harm.

use super::declaration::SeedResult;
use super::kit::ExperimentContext;
use super::teaching::{
    PLIES, TrainingData, asked, labelled, mean, positions, teach, training_data, valued,
};
use crate::lab::LabError;
use crate::training::disagree::cube_differs;
use gammond_arena::benchmark::cube::cube_loss;
use gammond_arena::player::Player;
use gammond_game::notation::PositionChances;
use gammond_game::{Chances, Class, Position};
use gammond_job::Control;

/// Positions that are learned from at first, and the most that are added.
const CUBE: [usize; 2] = [6_000, 2_000];
/// Positions on which cube actions are evaluated.
const ACTIONS: usize = 2_000;

/// Positions with their chances at two plies.
type Valued = (Vec<Position>, Vec<Chances>);

/// Returns the mean cube measure of a net at 31 scores, in thousandths.
fn measured(net: &dyn Player, (positions, truth): &Valued, training_data: &TrainingData) -> f64 {
    let pairs = positions.iter().zip(truth);
    let each = pairs.filter_map(|(position, truth)| {
        let loss = cube_loss(
            position,
            &net.chances(position)?,
            truth,
            training_data.engine.met(),
        );
        Some(1000.0 * loss.measure / gammond_arena::benchmark::cube::SCORES.len() as f64)
    });
    mean(&each.collect::<Vec<f64>>())
}

pub(super) fn cube_disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
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
    let measures = (players.iter()).map(|net| measured(&**net, &judged, &training_data));
    let mut all = vec![disputed.len() as f64];
    all.extend(measures);
    let lost = training_data.mean_losses(&nets, control)?;
    Ok(lost.map(|lost| [all, lost].concat().into()))
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

pub(super) fn more_data(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
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
    let lost = training_data.mean_losses(&nets, control)?;
    Ok(lost.map(SeedResult::from))
}
