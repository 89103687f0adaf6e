//! Experiments with additions to the positions that a net learns from: disputed cube actions, and additions that may do
//! harm.

use super::declaration::{AXES, Claim, Expected, Experiment, SEEDS, SeedResult, beside, half};
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

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "cube-disagreements",
        claim: Some(Claim {
            text: "positions whose 0-ply cube action differs from the 2-ply one, at -7,-7, then also (-2,-3), (-4,-7), \
                   (-25,-25), added to the training: the cube measure falls",
            source: "J. Heled, the GNUbg Training Program page; no year or page known",
        }),
        question: "Do disputed cube actions teach a net cube decisions?",
        conditions: "198-64-5, 80 epochs on 6,000 crashed positions with values of two plies; the same with up to 2,000 \
                     positions added, those whose cube action differs at one of four scores, or ordinary ones; cube \
                     measure of 31 scores on 2,000 others beside two plies, and 1,000 plays; thousandths",
        measures: &[
            "positions added",
            "before",
            "disputed added",
            "ordinary added",
            "before, plays",
            "disputed added, plays",
            "ordinary added, plays",
        ],
        rule: &[
            half(
                "lower cube measure than before",
                &[(1.0, "before"), (-1.0, "disputed added")],
                Expected::Above(0.0),
            ),
            beside(
                "lower cube measure than with as many ordinary ones",
                &[(1.0, "ordinary added"), (-1.0, "disputed added")],
                Expected::Above(0.0),
            ),
        ],
        seeds: SEEDS,
        cost: 120,
        before: "reproduced",
        axes: AXES,
        work: cube_disagreements,
    },
    Experiment {
        name: "more-data",
        claim: Some(Claim {
            text: "adding data to what a net learns from can make it worse",
            source: "no source known",
        }),
        question: "Which additions make a crashed net worse?",
        conditions: "198-64-5, 60 epochs on 4,000 crashed positions with values of two plies, and on these with 4,000 added: \
                     crashed ones, contact, races, or crashed ones whose values are those of the net itself; 1,000 \
                     other crashed decisions at two plies; thousandths of a point",
        measures: &[
            "nothing",
            "crashed",
            "contact",
            "races",
            "crashed by its own values",
        ],
        rule: &[
            half(
                "worse with races than with nothing added",
                &[(1.0, "races"), (-1.0, "nothing")],
                Expected::Above(0.0),
            ),
            beside(
                "worse with contact positions",
                &[(1.0, "contact"), (-1.0, "nothing")],
                Expected::Above(0.0),
            ),
            beside(
                "worse with its own values",
                &[(1.0, "crashed by its own values"), (-1.0, "nothing")],
                Expected::Above(0.0),
            ),
            beside(
                "better with more crashed positions",
                &[(1.0, "nothing"), (-1.0, "crashed")],
                Expected::Above(0.0),
            ),
        ],
        seeds: SEEDS,
        cost: 90,
        before: "reproduced",
        axes: AXES,
        work: more_data,
    },
];

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

fn cube_disagreements(
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

fn more_data(
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
