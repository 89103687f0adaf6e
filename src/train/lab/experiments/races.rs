//! Experiments with races: one count of checkers borne off against fourteen inputs (Player 3.1).

use super::declaration::SeedResult;
use super::kit::ExperimentContext;
use super::teaching::mean;
use crate::lab::supervised::{Rates, SupervisedPlan, SupervisedState, TextDatabase};
use crate::lab::{LabError, TrainingLoop as _, write_net};
use gammond_arena::benchmark::regret::{FreshDecision, decisions};
use gammond_arena::duel::{DuelPlan, play_duel};
use gammond_arena::player::classic::{
    ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides,
};
use gammond_arena::player::{Player, PlayerSpec};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_engine::engine::Engine;
use gammond_engine::eval::Evaluator;
use gammond_game::notation::PositionChances;
use gammond_game::{Class, Position, Roll, generate_plays};
use gammond_job::Control;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;

/// Races to learn from, and decisions to measure by.
const LEARNED: usize = 100_000;
const TEST_DECISIONS: usize = 10_000;
/// Epochs, and those after which a net should be as good as done.
const EPOCHS: u64 = 110;
const FLAT: u64 = 20;
const SEEN: [Representation; 2] = [Representation::TdGammon198, Representation::Player31];

/// Returns the races that come up when the built-in nets play themselves, each once.
fn races(
    engine: &Engine,
    count: usize,
    rng: &mut ChaCha8Rng,
    control: &Control<'_>,
) -> Option<Vec<Position>> {
    let evaluator = engine.evaluator();
    let mut found = Vec::with_capacity(count);
    let mut known = HashSet::new();
    while found.len() < count {
        if control.stop.is_triggered() {
            return None;
        }
        let mut position = Position::start();
        while position.outcome().is_none() {
            let class = Class::of(&position);
            let is_race = !position.has_contact() && class != Class::Over;
            if is_race && found.len() < count && known.insert(position) {
                found.push(position);
            }
            position = best(&**evaluator, &position, Roll::thrown(rng));
        }
    }
    Some(found)
}

/// The positions after the plays of a roll with their equities, seen by the player who has moved.
fn valued(evaluator: &dyn Evaluator, position: &Position, roll: Roll) -> Vec<(Position, f64)> {
    let mut plays = Vec::new();
    generate_plays(position, roll, &mut plays);
    if plays.is_empty() {
        plays.push(position.swapped());
    }
    let mut chances = vec![gammond_game::Chances::default(); plays.len()];
    evaluator.evaluate(Some(&position.swapped()), &plays, &mut chances);
    let value = |(after, chances): (Position, gammond_game::Chances)| match after.outcome() {
        Some(outcome) => (after, -f64::from(outcome.chances().equity())),
        None => (after, -f64::from(chances.equity())),
    };
    plays.into_iter().zip(chances).map(value).collect()
}

fn best(evaluator: &dyn Evaluator, position: &Position, roll: Roll) -> Position {
    let plays = valued(evaluator, position, roll);
    let best = plays.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or_else(|| position.swapped(), |best| best.0)
}

/// Training positions and test decisions: no position is in both.
struct TrainingData {
    engine: Engine,
    data: TextDatabase,
    decisions: Vec<FreshDecision>,
}

fn training_data(
    learned: usize,
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<TrainingData>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let mut rng = stream(lab_context.seed, 0x7261_6365);
    let Some(races) = races(&engine, learned + 2 * TEST_DECISIONS, &mut rng, control) else {
        return Ok(None);
    };
    let (learned, others) = races.split_at(learned);
    let mut chances = vec![gammond_game::Chances::default(); learned.len()];
    engine.evaluator().evaluate(None, learned, &mut chances);
    let labels = learned.iter().zip(chances);
    let labels = labels.map(|(&position, chances)| PositionChances { position, chances });
    Ok(Some(TrainingData {
        data: TextDatabase::new(labels.collect()),
        decisions: decisions(others, TEST_DECISIONS, lab_context.seed),
        engine,
    }))
}

/// Returns Player 3.1's way to train a net.
fn plan<'a>(
    representation: Representation,
    (data, epochs): (&'a TextDatabase, u64),
    lab_context: &ExperimentContext<'_>,
) -> Result<SupervisedPlan<'a>, LabError> {
    Ok(SupervisedPlan {
        shape: ClassicShape::new(representation, &[120], 5).map_err(LabError::Shape)?,
        range: 0.1,
        seed: lab_context.seed,
        rates: Rates::Steps,
        unit: 1.0,
        data,
        epochs,
    })
}

/// Trains both nets so far; none when it was stopped.
fn nets(
    epochs: u64,
    training_data: &TrainingData,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<Vec<SupervisedState>>, LabError> {
    let mut runs = Vec::new();
    for representation in SEEN {
        let plan = plan(representation, (&training_data.data, epochs), lab_context)?;
        runs.push((format!("borne-off-{}", representation.name()), plan));
    }
    lab_context.train(control, &runs)
}

/// Returns the mean loss of a net in the decisions, in thousandths of a point; it plays at 0 plies, or at 1 ply in the
/// first of them.
fn loss(
    training_data: &TrainingData,
    net: &ClassicNet,
    one_ply_decisions: Option<usize>,
) -> Result<f64, LabError> {
    let player = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let evaluator = &**training_data.engine.evaluator();
    let lost = |decision: &FreshDecision| {
        let chosen = match one_ply_decisions {
            None => player.play(&decision.position, decision.roll, &mut stream(0, 0))?,
            Some(_) => best_at_one_ply(&player, decision),
        };
        let plays = valued(evaluator, &decision.position, decision.roll);
        let best = (plays.iter()).fold(f64::NEG_INFINITY, |best, play| best.max(play.1));
        let own = plays.iter().find(|play| play.0 == chosen);
        Ok(1000.0 * (best - own.map_or(best, |play| play.1)))
    };
    let count = one_ply_decisions.unwrap_or(usize::MAX);
    let decisions = &training_data.decisions[..count.min(training_data.decisions.len())];
    let lost: Result<Vec<f64>, LabError> = decisions.par_iter().map(lost).collect();
    Ok(mean(&lost?))
}

/// Returns the position after the play whose value at 1 ply is best for the player who makes it.
fn best_at_one_ply(net: &ClassicPlayer, decision: &FreshDecision) -> Position {
    let (mut plays, mut replies) = (Vec::new(), Vec::new());
    generate_plays(&decision.position, decision.roll, &mut plays);
    let value = |after: &Position, replies: &mut Vec<Position>| match after.outcome() {
        Some(outcome) => -f64::from(outcome.chances().equity()),
        None => -one_ply(net, after, replies),
    };
    let values = plays
        .iter()
        .map(|after| (value(after, &mut replies), after));
    let best = values.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(|| decision.position.swapped(), |best| *best.1)
}

pub(super) fn borne_off(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) = training_data(LEARNED, lab_context, control)? else {
        return Ok(None);
    };
    let Some(states) = nets(EPOCHS, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let mut lost = Vec::new();
    for state in &states {
        lost.push(loss(&training_data, &state.net, None)?);
    }
    Ok(Some(lost.into()))
}

pub(super) fn gain(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    const BEFORE: usize = 20_000;
    let Some(training_data) = training_data(LEARNED, lab_context, control)? else {
        return Ok(None);
    };
    let few = TextDatabase::new(training_data.data.positions()[..BEFORE].to_vec());
    let own = Representation::Player31;
    let runs = [
        ("before", (&few, FLAT)),
        ("after", (&training_data.data, EPOCHS)),
    ];
    let runs: Result<Vec<_>, LabError> = (runs.into_iter())
        .map(|(name, how)| Ok((format!("race-gain-{name}"), plan(own, how, lab_context)?)))
        .collect();
    let Some(states) = lab_context.train(control, &runs?)? else {
        return Ok(None);
    };
    let lost: Result<Vec<f64>, LabError> = (states.iter())
        .map(|state| loss(&training_data, &state.net, None))
        .collect();
    Ok(Some(lost?.into()))
}

/// Returns the net's value of a position at 1 ply: the mean over the rolls of the best play, seen by the player on
/// roll.
fn one_ply(net: &ClassicPlayer, position: &Position, plays: &mut Vec<Position>) -> f64 {
    let worth = |after: &Position| match (after.outcome(), net.chances(after)) {
        (Some(outcome), _) => -f64::from(outcome.chances().equity()),
        (None, Some(chances)) => -f64::from(chances.equity()),
        (None, None) => 0.0,
    };
    let mut sum = 0.0;
    for roll in Roll::ALL {
        generate_plays(position, roll, plays);
        if plays.is_empty() {
            plays.push(position.swapped());
        }
        let best = plays.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
        sum += f64::from(roll.weight()) * best;
    }
    sum / 36.0
}

/// Returns the absolute differences between the net's values of races at 0 and at 1 ply.
fn unsettled(net: &ClassicNet, races: &[PositionChances]) -> Vec<f64> {
    let net = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let gap = |one: &PositionChances| {
        let mut plays = Vec::new();
        let now = net
            .chances(&one.position)
            .map_or(0.0, |chances| f64::from(chances.equity()));
        (one_ply(&net, &one.position, &mut plays) - now).abs()
    };
    races.par_iter().map(gap).collect()
}

pub(super) fn race_disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    const SET: usize = 20_000;
    const ADDED: usize = 5_000;
    const EPOCHS: u64 = 60;
    const ONE_PLY_DECISIONS: usize = 500;
    let Some(training_data) = training_data(2 * SET, lab_context, control)? else {
        return Ok(None);
    };
    let all = training_data.data.positions();
    let (base, rest) = all[..2 * SET].split_at(SET);
    let mut train = |sets: Vec<(&str, Vec<PositionChances>)>| {
        let data: Vec<_> = sets
            .iter()
            .map(|(_, labels)| TextDatabase::new(labels.clone()))
            .collect();
        let mut runs = Vec::new();
        for ((name, _), data) in sets.iter().zip(&data) {
            let plan = plan(Representation::Player31, (data, EPOCHS), lab_context)?;
            runs.push((format!("race-disagreements-{name}"), plan));
        }
        lab_context.train(control, &runs)
    };
    let Some(mut states) = train(vec![("base", base.to_vec())])? else {
        return Ok(None);
    };
    let gaps = unsettled(&states[0].net, rest);
    let mut order: Vec<usize> = (0..rest.len()).collect();
    order.sort_by(|&a, &b| gaps[b].total_cmp(&gaps[a]));
    let unsettled: Vec<_> = order[..ADDED].iter().map(|&at| rest[at]).collect();
    let sets = vec![
        ("unsettled", [base, &unsettled].concat()),
        ("ordinary", [base, &rest[..ADDED]].concat()),
    ];
    let Some(more) = train(sets)? else {
        return Ok(None);
    };
    states.extend(more);
    let mut lost = Vec::new();
    for decisions in [None, Some(ONE_PLY_DECISIONS)] {
        for state in &states {
            lost.push(loss(&training_data, &state.net, decisions)?);
        }
    }
    Ok(Some(lost.into()))
}

pub(super) fn epochs(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) = training_data(LEARNED, lab_context, control)? else {
        return Ok(None);
    };
    let Some(early) = nets(FLAT, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let Some(late) = nets(EPOCHS, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let mut lost = Vec::new();
    for (then, now) in early.iter().zip(&late) {
        for state in [then, now] {
            lost.push(loss(&training_data, &state.net, None)?);
        }
    }
    Ok(Some(lost.into()))
}

/// Returns a player with this race net, the built-in nets elsewhere, from files in the folder.
fn assembled(
    representation: Representation,
    state: &SupervisedState,
    plan: &gammond_job::Header,
    lab_context: &ExperimentContext<'_>,
) -> Result<Box<dyn Player>, LabError> {
    let name = format!("borne-off-{}-{}", representation.name(), lab_context.seed);
    let net = lab_context.folder.join(format!("{name}.net"));
    write_net(&net, &state.net, plan, EPOCHS)?;
    let parts: PathBuf = lab_context.folder.join(format!("{name}.toml"));
    let text = format!("name = \"{name}\"\ncontact = \"gammond\"\nrace = \"td:{name}.net\"\n");
    gammond_base::journal::write_whole(&parts, text.as_bytes())
        .map_err(LabError::in_file(&parts))?;
    let spec: PlayerSpec = format!("parts:{}", parts.display()).parse()?;
    Ok(spec.open()?)
}

pub(super) fn worth(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let Some(training_data) = training_data(LEARNED, lab_context, control)? else {
        return Ok(None);
    };
    let Some(states) = nets(EPOCHS, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let mut players = Vec::new();
    for (representation, state) in SEEN.into_iter().zip(&states) {
        let plan = SupervisedPlan {
            shape: state.net.shape().clone(),
            range: 0.1,
            seed: lab_context.seed,
            rates: Rates::Steps,
            unit: 1.0,
            data: &training_data.data,
            epochs: EPOCHS,
        };
        players.push(assembled(
            representation,
            state,
            &plan.header()?,
            lab_context,
        )?);
    }
    let [one, fourteen] = &players[..] else {
        return Ok(None);
    };
    let duel = DuelPlan {
        seed: lab_context.seed,
        pairs: 10_000,
        ..DuelPlan::default()
    };
    let end = play_duel(&duel, [&**fourteen, &**one], None, control)?;
    if !end.complete {
        return Ok(None);
    }
    Ok(Some(vec![end.sum.points.mean()].into()))
}
