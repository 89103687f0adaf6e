//! Experiments with hill climbing.

use super::kit::{
    Experiment, ExperimentContext, LabFinding, LabVerdict, above, described, player, points, score,
    scores, small, test_seed,
};
use crate::lab::hillclimb::{HillPlan, HillState, Teacher};
use crate::lab::{LabError, Tests};
use crate::player::Player;
use crate::player::classic::{Representation, Sides};
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "hillclimb",
        claim: "hill climbing wins more than 60 % against random plays; published precedents reach 40 to 45 % against PubEval after \
                100,000 rounds",
        here: "196-20-1, 1,000 rounds of best of three, 1,000 test games against each",
        work: |lab_context, control| rounds("hillclimb", 1_000, lab_context, control),
    },
    Experiment {
        name: "hillclimb-10000",
        claim: "after 10,000 rounds hill climbing wins more than 60 % against random plays",
        here: "196-20-1 from weights of 0, best of three, 1,000 test games against each",
        work: |lab_context, control| rounds("hillclimb-10000", 10_000, lab_context, control),
    },
    Experiment {
        name: "hillclimb-100000",
        claim: "after 100,000 rounds hill climbing wins 40 to 45 % against PubEval",
        here: "196-20-1 from weights of 0, best of three, 1,000 test games against each",
        work: hundred_thousand,
    },
    Experiment {
        name: "curriculum",
        claim: "taught by expectiminimax at first and guarded by it later, a climber wins more than half of 1,000 games against it",
        here: "10,000 rounds at one ply, the first 5,000 taught, then a guard of two games; beside 10,000 rounds without",
        work: curriculum,
    },
];

/// The scheme of the literature.
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

/// Climbs, tested on the way against PubEval where it is long.
fn climbed(
    name: &str,
    plan: HillPlan<'_>,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<HillState>, LabError> {
    let every = plan.every;
    let end = lab_context.train(control, &[(name.to_owned(), plan)])?;
    let Some(state) = end.and_then(|mut states| states.pop()) else {
        return Ok(None);
    };
    if !state.curve.is_empty() {
        let series = [(name.to_owned(), points(&state.curve, every))];
        let axes = ["rounds", "points per game against PubEval"];
        lab_context.keep_curves(name, axes, &series)?;
    }
    Ok(Some(state))
}

fn rounds(
    name: &str,
    rounds: u64,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    // The first experiment is as it was first done.
    let range = if rounds > 1_000 { 0.0 } else { 0.1 };
    let plan = plan(lab_context.seed, range, rounds)?;
    let Some(state) = climbed(name, plan, lab_context, control)? else {
        return Ok(None);
    };
    Ok(scores(&state.net, lab_context, control)?.map(|scores| described(&scores, 0.6)))
}

fn hundred_thousand(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let pubeval = player("pubeval")?;
    let plan = HillPlan {
        tests: Some(Tests {
            opponent: &*pubeval,
            games: 400,
            seed: test_seed(lab_context.seed),
        }),
        ..plan(lab_context.seed, 0.0, 100_000)?
    };
    let Some(state) = climbed("hillclimb-100000", plan, lab_context, control)? else {
        return Ok(None);
    };
    let Some(scores) = scores(&state.net, lab_context, control)? else {
        return Ok(None);
    };
    let verdict = above(&scores[1], 0.4);
    Ok(Some(LabFinding {
        verdict,
        ..described(&scores, 0.6)
    }))
}

fn curriculum(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    const TEACHER: &str = "expectiminimax:depth=1";
    let teacher: Box<dyn Player> = player(TEACHER)?;
    let plain = plan(lab_context.seed, 0.0, 10_000)?;
    let taught = HillPlan {
        teacher: Some(Teacher {
            player: &*teacher,
            curriculum: 5_000,
            guard: 2,
        }),
        ..plain.clone()
    };
    let runs = [
        ("curriculum-taught".to_owned(), taught),
        ("curriculum-plain".to_owned(), plain),
    ];
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let mut parts = Vec::new();
    let mut verdict = LabVerdict::Open;
    for (state, name) in states.iter().zip(["taught", "not taught"]) {
        let of = |opponent: &str| score(&state.net, (opponent, 1_000), lab_context, control);
        let (Some(teacher), Some(pubeval)) = (of(TEACHER)?, of("pubeval")?) else {
            return Ok(None);
        };
        if parts.is_empty() {
            verdict = above(&teacher, 0.5);
        }
        parts.push(format!(
            "{name}, {} challengers won: against expectiminimax {teacher}; against PubEval {pubeval}",
            state.moved
        ));
    }
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict,
    }))
}
