//! Experiments of the programme that trained GNU Backgammon's nets: what nets learn from labels of two plies, and from the
//! plays that they get wrong.

use super::declaration::SeedResult;
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

pub(super) fn alphas(
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

pub(super) fn crashed_labels(
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

pub(super) fn disagreements(
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
        let declared = super::super::named("crashed-labels").unwrap();
        assert_eq!(names.collect::<Vec<_>>(), declared.measures[3..]);
    }
}
