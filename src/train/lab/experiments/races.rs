//! Experiments with races: one count of checkers borne off against fourteen inputs (Player 3.1).

use super::kit::{Experiment, ExperimentContext, LabFinding, LabVerdict};
use super::teaching::{apart, running, verdict};
use crate::benchmark::regret::{FreshDecision, decisions};
use crate::duel::{DuelPlan, play_duel};
use crate::lab::supervised::{Rates, SupervisedPlan, SupervisedState, TextDatabase};
use crate::lab::{LabError, TrainingLoop as _, write_net};
use crate::player::classic::{ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides};
use crate::player::{Player, PlayerSpec};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_base::stats::Running;
use gammond_engine::engine::Engine;
use gammond_engine::eval::Evaluator;
use gammond_game::notation::PositionChances;
use gammond_game::{Class, Position, Roll, generate_plays};
use gammond_job::Control;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "borne-off",
        claim: "fourteen inputs for checkers borne off in place of one count bring a race net from 2.67 to 2.08 thousandths, by 20 % or more",
        here: "120 neurons, 200,000 races labelled by the built-in nets and tables, 110 epochs by Player 3.1's steps; 10,000 other races, \
               judged by the same",
        work: borne_off,
    },
    Experiment {
        name: "race-epochs",
        claim: "a race net is flat after about 20 of 110 epochs: its error after 20 is within 5 % of that at the end",
        here: "the nets of borne-off",
        work: epochs,
    },
    Experiment {
        name: "borne-off-worth",
        claim: "the fourteen inputs are worth about 0.004 points per game",
        here: "the nets of borne-off as race nets of one player, the built-in nets for contact; 20,000 games with the same dice",
        work: worth,
    },
    Experiment {
        name: "race-disagreements",
        claim: "none: the trainer could add races whose value at 1 ply is not that at 0 plies",
        here: "Player 3.1's net, 60 epochs on 20,000 races; then with 5,000 of 20,000 others added, those whose values at 0 and 1 plies differ \
               most, or ordinary ones; 10,000 other races, judged by the built-in nets and tables",
        work: race_disagreements,
    },
];

/// Races to learn from, and decisions to be judged by.
const LEARNED: usize = 200_000;
const TEST_DECISIONS: usize = 10_000;
/// Epochs, and those after which a net should be as good as done.
const EPOCHS: u64 = 110;
const FLAT: u64 = 20;
const SEEN: [Representation; 2] = [Representation::TdGammon198, Representation::Player31];

/// Races that come up when the built-in nets play themselves, each once.
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

/// The positions after the plays of a roll with their equities, seen by who has moved.
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
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<TrainingData>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let mut rng = stream(lab_context.seed, 0x7261_6365);
    let Some(races) = races(&engine, LEARNED + 2 * TEST_DECISIONS, &mut rng, control) else {
        return Ok(None);
    };
    let (learned, others) = races.split_at(LEARNED);
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

/// Player 3.1's way to train a net.
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

/// Returns the loss of a net in each decision, in thousandths of a point.
fn losses(training_data: &TrainingData, net: &ClassicNet) -> Result<Vec<f64>, LabError> {
    let player = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let evaluator = &**training_data.engine.evaluator();
    let mut chance = stream(0, 0);
    let mut lost = Vec::with_capacity(training_data.decisions.len());
    for decision in &training_data.decisions {
        let chosen = player.play(&decision.position, decision.roll, &mut chance)?;
        let plays = valued(evaluator, &decision.position, decision.roll);
        let best = plays
            .iter()
            .map(|play| play.1)
            .fold(f64::NEG_INFINITY, f64::max);
        let own = plays
            .iter()
            .find(|play| play.0 == chosen)
            .map_or(best, |play| play.1);
        lost.push(1000.0 * (best - own));
    }
    Ok(lost)
}

fn described(seen: &Running) -> String {
    format!("{:.3} +- {:.3}", seen.mean(), seen.standard_error())
}

fn borne_off(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(training_data) = training_data(lab_context, control)? else {
        return Ok(None);
    };
    let Some(states) = nets(EPOCHS, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let [one, fourteen] = &states[..] else {
        return Ok(None);
    };
    let (one, fourteen) = (
        losses(&training_data, &one.net)?,
        losses(&training_data, &fourteen.net)?,
    );
    let difference = running(one.iter().zip(&fourteen).map(|(one, other)| one - other));
    let (one, fourteen) = (running(one.into_iter()), running(fourteen.into_iter()));
    let gain = difference.mean() / one.mean();
    let reach = 1.96 * difference.standard_error() / one.mean();
    let verdict = if gain - reach > 0.2 {
        LabVerdict::Reproduced
    } else if gain + reach < 0.2 {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    };
    Ok(Some(LabFinding {
        result: format!(
            "thousandths of a point a decision: one count {}, fourteen inputs {}; {:.1} % +- {:.1} % less",
            described(&one),
            described(&fourteen),
            100.0 * gain,
            100.0 * reach
        ),
        verdict,
    }))
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

fn race_disagreements(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    const SET: usize = 20_000;
    const ADDED: usize = 5_000;
    const EPOCHS: u64 = 60;
    let Some(training_data) = training_data(lab_context, control)? else {
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
    let (least, mean) = (gaps[order[ADDED - 1]], running(gaps.iter().copied()).mean());
    let sets = vec![
        ("unsettled", [base, &unsettled].concat()),
        ("ordinary", [base, &rest[..ADDED]].concat()),
    ];
    let Some(more) = train(sets)? else {
        return Ok(None);
    };
    states.extend(more);
    let mut lost = Vec::new();
    for state in &states {
        lost.push(losses(&training_data, &state.net)?);
    }
    let described: Vec<String> = lost
        .iter()
        .map(|lost| described(&running(lost.iter().copied())))
        .collect();
    let apart = apart(&lost[2], &lost[1]);
    Ok(Some(LabFinding {
        result: format!(
            "values differ by {mean:.4} on the mean, by {least:.4} or more in those added; thousandths of a point a decision: before {}, with \
             them {}, with ordinary ones {}; {apart:+.1} standard errors apart",
            described[0], described[1], described[2]
        ),
        verdict: verdict(apart),
    }))
}

fn epochs(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(training_data) = training_data(lab_context, control)? else {
        return Ok(None);
    };
    let Some(early) = nets(FLAT, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let Some(late) = nets(EPOCHS, &training_data, lab_context, control)? else {
        return Ok(None);
    };
    let mut parts = Vec::new();
    let mut verdicts = Vec::new();
    for (at, representation) in SEEN.into_iter().enumerate() {
        let (then, now) = (
            losses(&training_data, &early[at].net)?,
            losses(&training_data, &late[at].net)?,
        );
        let difference = running(then.iter().zip(&now).map(|(then, now)| then - now));
        let (then, now) = (running(then.into_iter()), running(now.into_iter()));
        let (more, reach) = (
            difference.mean() / now.mean(),
            1.96 * difference.standard_error() / now.mean(),
        );
        verdicts.push((more + reach < 0.05, more - reach > 0.05));
        parts.push(format!(
            "{}: {} after {FLAT}, {} after {EPOCHS}, {:.0} % +- {:.0} % more",
            representation.name(),
            described(&then),
            described(&now),
            100.0 * more,
            100.0 * reach
        ));
    }
    let verdict = if verdicts.iter().all(|one| one.0) {
        LabVerdict::Reproduced
    } else if verdicts.iter().any(|one| one.1) {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    };
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict,
    }))
}

/// A player with this race net, the built-in nets elsewhere, from files in the folder.
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

fn worth(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(training_data) = training_data(lab_context, control)? else {
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
    let (mean, error) = (end.sum.points.mean(), end.sum.points.standard_error());
    let verdict = if (mean - 0.004).abs() < 1.96 * error {
        if mean > 1.96 * error {
            LabVerdict::Reproduced
        } else {
            LabVerdict::Open
        }
    } else {
        LabVerdict::Refuted
    };
    Ok(Some(LabFinding {
        result: format!(
            "fourteen inputs against one count, {} games: {mean:+.4} +- {error:.4} points per game",
            end.sum.games()
        ),
        verdict,
    }))
}
