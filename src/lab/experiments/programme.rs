//! Experiments of the programme that trained GNU Backgammon's nets: what nets learn from labels of two plies, and from the
//! plays that they get wrong.

use super::kit::{Experiment, Ground, LabFinding, LabVerdict};
use crate::benchmark::regret::{FreshDecision, decisions};
use crate::engine::Engine;
use crate::game::{Category, Chances, MatchState, Position, Rules};
use crate::job::Control;
use crate::lab::LabError;
use crate::lab::supervised::{Rates, SupervisedPlan, TextDatabase};
use crate::lab::td::TdPlan;
use crate::notation::PositionChances;
use crate::player::Player;
use crate::player::classic::{ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides};
use crate::query::{EvalQuery, PlayQuery, Settings};
use crate::rng::stream;
use crate::search::{self, Scratch};
use crate::stats::Running;
use crate::training::games::{GameSettings, Judges, play};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

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

/// Positions with values, decisions that judge, positions that absolute errors are taken of.
const LEARNED: usize = 8_000;
const BASE: usize = 6_000;
const ADDED: usize = 2_000;
const JUDGED: usize = 1_000;
const PLIES: u8 = 2;

/// Crashed positions of games of the built-in nets from odd beginnings, each once; none when it was stopped.
fn crashed(
    engine: &Engine,
    count: usize,
    seed: u64,
    control: &Control<'_>,
) -> Option<Vec<Position>> {
    let settings = GameSettings {
        odd_starts: 0.5,
        race_starts: 0.0,
        ..GameSettings::default()
    };
    let (mut room, mut labels) = (Scratch::default(), Vec::new());
    let (mut found, mut known) = (Vec::with_capacity(count), HashSet::new());
    for game in 0.. {
        if control.stop.is_triggered() {
            return None;
        }
        let judges = Judges::new(&**engine.evaluator());
        let mut rng = stream(seed ^ 0x6372_6173, game);
        play(judges, &settings, &[], &mut rng, &mut room, &mut labels);
        for label in labels.drain(..) {
            if label.kind == 2 && known.insert(label.position) {
                found.push(label.position);
                if found.len() == count {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// What so many plies say of positions, cubeless.
fn valued(
    engine: &Engine,
    positions: &[Position],
    plies: u8,
    control: &Control<'_>,
) -> Option<Vec<Chances>> {
    let settings = Settings::plies(plies).with_cubeful(false);
    let stop = &control.stop;
    let one = |&position: &Position| {
        let query = EvalQuery {
            position,
            state: MatchState::money(Rules::default()),
        };
        let found = search::evaluate(engine.context(stop), &query, &settings).ok();
        found.map(|found| found.chances)
    };
    positions.par_iter().map(one).collect()
}

fn labelled(positions: &[Position], chances: &[Chances]) -> Vec<PositionChances> {
    let pairs = positions.iter().zip(chances);
    pairs
        .map(|(&position, &chances)| PositionChances { position, chances })
        .collect()
}

fn shape() -> Result<ClassicShape, LabError> {
    ClassicShape::new(Representation::TdGammon198, &[64], 5).map_err(LabError::Shape)
}

fn plan<'a>(
    seed: u64,
    data: &'a TextDatabase,
    epochs: u64,
) -> Result<SupervisedPlan<'a>, LabError> {
    Ok(SupervisedPlan {
        shape: shape()?,
        range: 0.1,
        seed,
        rates: Rates::Fixed(0.1),
        unit: 1.0,
        data,
        epochs,
    })
}

/// What nets lose in decisions, in thousandths, judged at two plies: the best of the nets' plays and of the static
/// favourite costs nothing.
fn losses(
    engine: &Engine,
    nets: &[&ClassicNet],
    decisions: &[FreshDecision],
    control: &Control<'_>,
) -> Result<Option<Vec<Vec<f64>>>, LabError> {
    let players: Vec<ClassicPlayer> = (nets.iter())
        .map(|&net| ClassicPlayer::new("net", net.clone(), Sides::Swap))
        .collect();
    let mut choices = Vec::new();
    let mut asked: Vec<Position> = Vec::new();
    let mut settings = Settings::plies(0).with_cubeful(false);
    settings.top = Some(1);
    for decision in decisions {
        let mut chosen = Vec::with_capacity(players.len() + 1);
        for player in &players {
            let mut chance = stream(0, 0);
            chosen.push(player.play(&decision.position, decision.roll, &mut chance)?);
        }
        let query = PlayQuery {
            position: decision.position,
            roll: decision.roll,
            state: MatchState::money(Rules::default()),
        };
        let ranked = engine.rank_plays(&query, &settings, &control.stop);
        let ranked = ranked.map_err(LabError::Engine)?;
        chosen.extend(ranked.plays.first().map(|play| play.position));
        asked.extend(&chosen);
        choices.push(chosen);
    }
    asked.sort_unstable_by_key(|position| (position.me().packed(), position.opponent().packed()));
    asked.dedup();
    let Some(values) = valued(engine, &asked, PLIES, control) else {
        return Ok(None);
    };
    let worth = |chances: &Chances| -f64::from(chances.equity());
    let known: HashMap<Position, f64> = asked.into_iter().zip(values.iter().map(worth)).collect();
    let mut lost = vec![Vec::with_capacity(decisions.len()); nets.len()];
    for chosen in choices {
        let worth: Vec<f64> = (chosen.iter())
            .map(|position| known.get(position).copied().unwrap_or_default())
            .collect();
        let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (lost, worth) in lost.iter_mut().zip(worth) {
            lost.push(1000.0 * (best - worth));
        }
    }
    Ok(Some(lost))
}

fn running(values: impl Iterator<Item = f64>) -> Running {
    let mut seen = Running::default();
    values.for_each(|value| seen.add(value));
    seen
}

fn told(values: &[f64]) -> String {
    let seen = running(values.iter().copied());
    format!("{:.1} +- {:.1}", seen.mean(), seen.standard_error())
}

/// The first less the second, in standard errors of the paired difference.
fn apart(first: &[f64], second: &[f64]) -> f64 {
    let seen = running(first.iter().zip(second).map(|(a, b)| a - b));
    seen.mean() / seen.standard_error().max(f64::MIN_POSITIVE)
}

/// What the difference of two losses says of the claim that the first is the greater.
fn verdict(first: &[f64], second: &[f64]) -> LabVerdict {
    match apart(first, second) {
        1.96.. => LabVerdict::Reproduced,
        ..-1.96 => LabVerdict::Refuted,
        _ => LabVerdict::Open,
    }
}

/// Positions to learn from and decisions that judge.
struct Material {
    engine: Engine,
    learned: Vec<Position>,
    decisions: Vec<FreshDecision>,
    /// Positions that are not learned from.
    others: Vec<Position>,
}

fn material(
    count: usize,
    ground: &Ground<'_>,
    control: &Control<'_>,
) -> Result<Option<Material>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let Some(mut learned) = crashed(&engine, count + 3 * JUDGED, ground.seed, control) else {
        return Ok(None);
    };
    let others = learned.split_off(count);
    Ok(Some(Material {
        decisions: decisions(&others, JUDGED, ground.seed),
        engine,
        learned,
        others,
    }))
}

fn crashed_labels(
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(material) = material(LEARNED, ground, control)? else {
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
    let borrowed: Vec<&ClassicNet> = nets.iter().collect();
    let Some(lost) = losses(engine, &borrowed, &material.decisions, control)? else {
        return Ok(None);
    };
    let [deep, flat, games] = &lost[..] else {
        return Ok(None);
    };
    let mut parts = vec![format!(
        "thousandths of a point, two plies, static, self-play: all {}, {}, {}",
        told(deep),
        told(flat),
        told(games)
    )];
    for category in Category::ALL {
        let within = |lost: &[f64]| {
            let pairs = lost.iter().zip(&material.decisions);
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
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict: verdict(games, deep),
    }))
}

/// Positions after plays of the net's and of two plies where these differ, at most so many.
fn disputed(
    engine: &Engine,
    net: &ClassicNet,
    from: &[FreshDecision],
    control: &Control<'_>,
) -> Result<Option<Vec<Position>>, LabError> {
    let player = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let mut settings = Settings::plies(PLIES).with_cubeful(false);
    settings.top = Some(1);
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for decision in from {
        if control.stop.is_triggered() {
            return Ok(None);
        }
        let own = player.play(&decision.position, decision.roll, &mut stream(0, 0))?;
        let query = PlayQuery {
            position: decision.position,
            roll: decision.roll,
            state: MatchState::money(Rules::default()),
        };
        let ranked = engine.rank_plays(&query, &settings, &control.stop);
        let ranked = ranked.map_err(LabError::Engine)?;
        let Some(best) = ranked.plays.first().map(|play| play.position) else {
            continue;
        };
        if own != best {
            let both = [own, best].into_iter();
            found.extend(both.filter(|one| one.outcome().is_none() && known.insert(*one)));
        }
        if found.len() >= ADDED {
            found.truncate(ADDED);
            break;
        }
    }
    Ok(Some(found))
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
    let asked = decisions(rest, rest.len(), ground.seed);
    let Some(disputed) = disputed(engine, &states[0].net, &asked, control)? else {
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
    let Some(material) = material(BASE + 3 * ADDED, ground, control)? else {
        return Ok(None);
    };
    let Some((nets, disputed)) = taught(&material, ground, control)? else {
        return Ok(None);
    };
    let Material {
        engine, decisions, ..
    } = &material;
    let borrowed: Vec<&ClassicNet> = nets.iter().collect();
    let Some(lost) = losses(engine, &borrowed, decisions, control)? else {
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
        verdict: verdict(&lost[2], &lost[1]),
    }))
}
