//! Experiments with hill climbing.

use super::declaration::SeedResult;
use super::kit::{ExperimentContext, percent, player, points, score, small, strength, test_seed};
use crate::lab::hillclimb::{HillPlan, HillState, Teacher};
use crate::lab::{LabError, Tests, TrainingLoop as _};
use gammond_arena::player::Player;
use gammond_arena::player::classic::{Representation, Sides};
use gammond_job::Control;

/// Returns the scheme of the literature.
fn plan(seed: u64, range: f32, rounds: u64) -> Result<HillPlan<'static>, LabError> {
    Ok(HillPlan {
        shape: small(Representation::TdGammon196)?,
        range,
        seed,
        mutation: 0.5,
        alpha: 0.05,
        best_of: 3,
        sides: Sides::Swap,
        teacher: None,
        rounds,
        every: (rounds / 20).max(50),
        tests: None,
    })
}

/// Climbs so many rounds, with so many games against `PubEval` for the points of the curve.
pub(super) fn rounds(
    [rounds, games]: [u64; 2],
    range: f32,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let tests = Tests {
        opponent: &*pubeval,
        games,
        seed: test_seed(lab_context.seed),
    };
    let plan = HillPlan {
        tests: (games > 0).then_some(tests),
        ..plan(lab_context.seed, range, rounds)?
    };
    let (every, start) = (plan.every, plan.start());
    let name = control.task.clone();
    let end = lab_context.train(control, &[(name.clone(), plan)])?;
    let Some(state) = end.and_then(|mut states| states.pop()) else {
        return Ok(None);
    };
    let before = score(&start.net, ("random", 1_000), lab_context, control)?;
    let after = strength(&state.net, lab_context, control)?;
    let (Some(before), Some(after)) = (before, after) else {
        return Ok(None);
    };
    let curve = points(&state.curve, every);
    Ok(Some(SeedResult {
        measures: [&[percent(&before)], &after[..]].concat(),
        curves: if curve.is_empty() {
            vec![]
        } else {
            vec![(name, curve)]
        },
    }))
}

const ROUNDS: u64 = 10_000;
const TEACHER: &str = "expectiminimax:depth=1";

/// Returns the climber that learns until it is better than its teacher, and the rounds until then.
fn taught(
    plain: &HillPlan<'_>,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<(HillState, u64)>, LabError> {
    let teacher: Box<dyn Player> = player(TEACHER)?;
    let until = |curriculum| HillPlan {
        teacher: Some(Teacher {
            player: &*teacher,
            curriculum,
            guard: 2,
        }),
        tests: Some(Tests {
            opponent: &*teacher,
            games: 400,
            seed: test_seed(lab_context.seed) ^ 1,
        }),
        ..plain.clone()
    };
    let mut train = |name: &str, plan| {
        let states = lab_context.train(control, &[(name.to_owned(), plan)])?;
        Ok::<_, LabError>(states.and_then(|mut states| states.pop()))
    };
    let Some(state) = train("curriculum-always", until(ROUNDS))? else {
        return Ok(None);
    };
    let better = state.curve.iter().position(|score| score.share() > 0.5);
    let Some(steps) = better else {
        return Ok(Some((state, ROUNDS)));
    };
    // The same seed: the rounds until then are the same.
    let switched = (steps as u64 + 1) * plain.every;
    let state = train("curriculum-switched", until(switched))?;
    Ok(state.map(|state| (state, switched)))
}

pub(super) fn curriculum(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let plain = plan(lab_context.seed, 0.0, ROUNDS)?;
    let Some((taught, switched)) = taught(&plain, lab_context, control)? else {
        return Ok(None);
    };
    let states = lab_context.train(control, &[("curriculum-plain".to_owned(), plain)])?;
    let Some(plain) = states.and_then(|mut states| states.pop()) else {
        return Ok(None);
    };
    let mut measures = vec![switched as f64];
    for opponent in [TEACHER, "pubeval"] {
        for state in [&taught, &plain] {
            match score(&state.net, (opponent, 1_000), lab_context, control)? {
                Some(score) => measures.push(percent(&score)),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(measures.into()))
}
