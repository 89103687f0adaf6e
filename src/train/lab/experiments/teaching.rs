//! Nets trained on values of the built-in nets, and their losses in decisions evaluated by those.

use super::kit::ExperimentContext;
use crate::lab::LabError;
use crate::lab::supervised::{Rates, SupervisedPlan, TextDatabase};
use crate::training::game_settings::GameSettings;
use crate::training::games::play;
use crate::training::one_ply::OnePlyEvaluator;
use crate::training::starts::Starts;
use gammond_arena::benchmark::regret::{FreshDecision, decisions};
use gammond_arena::player::Player;
use gammond_arena::player::classic::{
    ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides,
};
use gammond_base::rng::stream;
use gammond_base::stats::Running;
use gammond_engine::engine::Engine;
use gammond_engine::query::{EvalQuery, PlayQuery, Settings};
use gammond_engine::search::{self, Scratch};
use gammond_game::notation::PositionChances;
use gammond_game::{Chances, Class, MatchState, Position, Rules};
use gammond_job::Control;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Number of test decisions.
pub(super) const TEST_DECISIONS: usize = 1_000;
/// The look-ahead that labels and evaluates.
pub(super) const PLIES: u8 = 2;

/// Returns positions of games of the built-in nets from odd beginnings that `wanted` accepts, each once; `None` when
/// it was stopped.
pub(super) fn positions(
    engine: &Engine,
    (count, wanted): (usize, &dyn Fn(&Position) -> bool),
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
        let judges = OnePlyEvaluator::new(&**engine.evaluator());
        let mut rng = stream(seed ^ 0x6372_6173, game);
        play(
            judges,
            &settings,
            &Starts::default(),
            &mut rng,
            &mut room,
            &mut labels,
        );
        for label in labels.drain(..) {
            if wanted(&label.position) && known.insert(label.position) {
                found.push(label.position);
                if found.len() == count {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Evaluates positions at `plies` plies, cubeless; `None` if it was stopped.
pub(super) fn valued(
    engine: &Engine,
    positions: &[Position],
    plies: u8,
    control: &Control<'_>,
) -> Option<Vec<Chances>> {
    let settings = Settings::plies(plies).with_cubeful(false);
    let stop = &control.stop;
    let evaluate_position = |&position: &Position| {
        if let Some(outcome) = position.outcome() {
            return Some(outcome.chances());
        }
        let query = EvalQuery {
            position,
            state: MatchState::money(Rules::default()),
        };
        let found = search::evaluate(engine.context(stop), &query, &settings).ok();
        found.map(|found| found.chances)
    };
    positions.par_iter().map(evaluate_position).collect()
}

/// Returns the labels of positions.
pub(super) fn labelled(positions: &[Position], chances: &[Chances]) -> Vec<PositionChances> {
    let pairs = positions.iter().zip(chances);
    pairs
        .map(|(&position, &chances)| PositionChances { position, chances })
        .collect()
}

/// Returns the nets that are taught: 198 - 64 - 5.
pub(super) fn shape() -> Result<ClassicShape, LabError> {
    ClassicShape::new(Representation::TdGammon198, &[64], 5).map_err(LabError::Shape)
}

/// Returns the training plan of these nets.
pub(super) fn plan<'a>(
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

/// Returns the nets as players.
pub(super) fn asked(nets: &[ClassicNet]) -> Vec<Box<dyn Player>> {
    let player = |net: &ClassicNet| -> Box<dyn Player> {
        Box::new(ClassicPlayer::new("net", net.clone(), Sides::Swap))
    };
    nets.iter().map(player).collect()
}

/// Returns the position after the best play of the built-in nets at `plies` plies; `None` if nothing can move.
pub(super) fn favourite(
    engine: &Engine,
    decision: &FreshDecision,
    plies: u8,
    control: &Control<'_>,
) -> Result<Option<Position>, LabError> {
    let mut settings = Settings::plies(plies).with_cubeful(false);
    settings.top = Some(1);
    let query = PlayQuery {
        position: decision.position,
        roll: decision.roll,
        state: MatchState::money(Rules::default()),
    };
    let ranked = engine.rank_plays(&query, &settings, &control.stop);
    let ranked = ranked.map_err(LabError::Engine)?;
    Ok(ranked.plays.first().map(|play| play.position))
}

/// Plays that players chose, and their losses.
pub(super) struct ChosenPlays {
    /// The positions after each player's plays, and last those that are liked best without a player.
    pub chosen: Vec<Vec<Position>>,
    /// Thousandths of a point lost, a player a row.
    pub lost: Vec<Vec<f64>>,
}

/// Returns the losses of players in `decisions`, evaluated at `plies` plies. The best of the players' plays and of
/// the favourite at `favourites` plies costs nothing. `None` if it was stopped.
pub(super) fn losses(
    engine: &Engine,
    players: &[Box<dyn Player>],
    decisions: &[FreshDecision],
    [favourites, plies]: [u8; 2],
    control: &Control<'_>,
) -> Result<Option<ChosenPlays>, LabError> {
    let mut chosen = vec![Vec::with_capacity(decisions.len()); players.len() + 1];
    for decision in decisions {
        if control.stop.is_triggered() {
            return Ok(None);
        }
        for (player, chosen) in players.iter().zip(&mut chosen) {
            let mut chance = stream(0, 0);
            chosen.push(player.play(&decision.position, decision.roll, &mut chance)?);
        }
        let best = favourite(engine, decision, favourites, control)?;
        if let Some(last) = chosen.last_mut() {
            last.push(best.unwrap_or_else(|| decision.position.swapped()));
        }
    }
    let mut asked: Vec<Position> = chosen.concat();
    asked.sort_unstable_by_key(|position| (position.me().packed(), position.opponent().packed()));
    asked.dedup();
    let Some(values) = valued(engine, &asked, plies, control) else {
        return Ok(None);
    };
    let worth = |chances: &Chances| -f64::from(chances.equity());
    let known: HashMap<Position, f64> = asked.into_iter().zip(values.iter().map(worth)).collect();
    let worth: Vec<Vec<f64>> = (chosen.iter())
        .map(|row| {
            row.iter()
                .map(|one| known.get(one).copied().unwrap_or_default())
                .collect()
        })
        .collect();
    let mut lost = vec![Vec::with_capacity(decisions.len()); players.len()];
    for number in 0..decisions.len() {
        let values = worth.iter().filter_map(|row| row.get(number));
        let best = values.copied().fold(f64::NEG_INFINITY, f64::max);
        for (lost, row) in lost.iter_mut().zip(&worth) {
            lost.extend(row.get(number).map(|value| 1000.0 * (best - value)));
        }
    }
    Ok(Some(ChosenPlays { chosen, lost }))
}

/// Returns the mean of values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().copied().collect::<Running>().mean()
}

/// Positions to learn from and test decisions.
pub(super) struct TrainingData {
    /// The built-in nets.
    pub engine: Engine,
    /// Positions to learn from.
    pub learned: Vec<Position>,
    /// Decisions of others.
    pub decisions: Vec<FreshDecision>,
    /// Positions that are not learned from.
    pub others: Vec<Position>,
}

/// Returns positions after plays of the net and of two plies where these differ, at most so many.
pub(super) fn disputed(
    engine: &Engine,
    net: &ClassicNet,
    (from, most): (&[FreshDecision], usize),
    control: &Control<'_>,
) -> Result<Option<Vec<Position>>, LabError> {
    let player = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for decision in from {
        if control.stop.is_triggered() {
            return Ok(None);
        }
        let own = player.play(&decision.position, decision.roll, &mut stream(0, 0))?;
        let Some(best) = favourite(engine, decision, PLIES, control)? else {
            continue;
        };
        if own != best {
            let both = [own, best].into_iter();
            found.extend(both.filter(|one| one.outcome().is_none() && known.insert(*one)));
        }
        if found.len() >= most {
            found.truncate(most);
            break;
        }
    }
    Ok(Some(found))
}

/// Trains one net on each set of labels.
pub(super) fn teach(
    sets: &[(impl AsRef<str>, Vec<PositionChances>)],
    (name, epochs): (&str, u64),
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<Vec<ClassicNet>>, LabError> {
    let data: Vec<TextDatabase> = (sets.iter())
        .map(|(_, labels)| TextDatabase::new(labels.clone()))
        .collect();
    let mut runs = Vec::new();
    for ((own, _), data) in sets.iter().zip(&data) {
        runs.push((
            format!("{name}-{}", own.as_ref()),
            plan(lab_context.seed, data, epochs)?,
        ));
    }
    let states = lab_context.train(control, &runs)?;
    Ok(states.map(|states| states.into_iter().map(|state| state.net).collect()))
}

impl TrainingData {
    /// Returns the losses of nets in the decisions, one row per net, in thousandths of a point, evaluated at two
    /// plies; `None` if it was stopped.
    pub(super) fn lost(
        &self,
        nets: &[ClassicNet],
        control: &Control<'_>,
    ) -> Result<Option<Vec<Vec<f64>>>, LabError> {
        let plies = [0, PLIES];
        let judged = losses(&self.engine, &asked(nets), &self.decisions, plies, control)?;
        Ok(judged.map(|judged| judged.lost))
    }

    /// Returns the mean losses of nets in the decisions, in thousandths of a point; `None` if it was stopped.
    pub(super) fn mean_losses(
        &self,
        nets: &[ClassicNet],
        control: &Control<'_>,
    ) -> Result<Option<Vec<f64>>, LabError> {
        let lost = self.lost(nets, control)?;
        Ok(lost.map(|lost| lost.iter().map(|row| mean(row)).collect()))
    }
}

/// Returns the positions of a class, so many to learn from; none when it was stopped.
pub(super) fn training_data(
    (class, count): (Class, usize),
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<TrainingData>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let own = |position: &Position| Class::of(position) == class;
    let wanted = (
        count + 3 * TEST_DECISIONS,
        &own as &dyn Fn(&Position) -> bool,
    );
    let Some(mut learned) = positions(&engine, wanted, lab_context.seed, control) else {
        return Ok(None);
    };
    let others = learned.split_off(count);
    Ok(Some(TrainingData {
        decisions: decisions(&others, TEST_DECISIONS, lab_context.seed),
        engine,
        learned,
        others,
    }))
}
