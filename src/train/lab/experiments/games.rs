//! Experiments that are games alone: nothing is trained.

use super::declaration::SeedResult;
use super::kit::{ExperimentContext, percent, player, test_seed};
use crate::lab::{LabError, TestScore, Tests};
use gammond_arena::duel::{DuelPlan, play_duel};
use gammond_job::Control;

pub(super) fn random_even(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let (a, b) = (player("random")?, player("random")?);
    let plan = DuelPlan {
        seed: lab_context.seed,
        pairs: 10_000,
        independent: true,
        ..DuelPlan::default()
    };
    let end = play_duel(&plan, [&*a, &*b], None, control)?;
    let share = end.sum.wins[0][0] as f64 / end.sum.games().max(1) as f64;
    Ok(end.complete.then(|| vec![100.0 * share].into()))
}

/// Plays so many games of one player against another.
fn games(
    [own, other]: [&str; 2],
    games: u64,
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<TestScore>, LabError> {
    let (own, other) = (player(own)?, player(other)?);
    let tests = Tests {
        opponent: &*other,
        games,
        seed: test_seed(lab_context.seed),
    };
    tests.of(&*own, &control.stop)
}

/// Returns the built-in linear evaluator with this look-ahead.
fn looking(depth: u8) -> String {
    format!("expectiminimax:depth={depth}")
}

pub(super) fn expectiminimax(
    depth: u8,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let score = games([&looking(depth), "random"], 100, lab_context, control)?;
    Ok(score.map(|score| vec![percent(&score)].into()))
}

/// Shares of wins in several matches of two players, in percent.
fn shares(
    matches: &[[&str; 2]],
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let mut won = Vec::new();
    for &players in matches {
        match games(players, 2_000, lab_context, control)? {
            Some(score) => won.push(percent(&score)),
            None => return Ok(None),
        }
    }
    Ok(Some(won.into()))
}

pub(super) fn expectiminimax_many(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let [one, two] = [1, 2].map(looking);
    let matches = [[&*one, "random"], [&two, "random"], [&two, &one]];
    shares(&matches, lab_context, control)
}

pub(super) fn expectiminimax_gnubg(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let weights = lab_context.gnubg.ok_or(LabError::NoWeights)?;
    let gnubg = format!("gammond:bearoff=none:nets={}", weights.display());
    let [one, two] = [1, 2].map(looking);
    shares(&[[&*one, &gnubg], [&two, &gnubg]], lab_context, control)
}
