//! Experiments with hill climbing.

use super::declaration::{
    AXES, Claim, Expected, Experiment, Half, SEEDS, SeedResult, beside, half,
};
use super::kit::{ExperimentContext, percent, player, points, score, small, strength, test_seed};
use crate::lab::hillclimb::{HillPlan, HillState, Teacher};
use crate::lab::{LabError, Tests, TrainingLoop as _};
use gammond_arena::player::Player;
use gammond_arena::player::classic::{Representation, Sides};
use gammond_job::Control;

const ASSIGNMENT: &str =
    "COMP440 assignment on expectiminimax and hill climbing; no year or page known";
const PRECEDENT: &str = "Pollack and Blair, as COMP440's notes name them; no year or page known";

/// Measures of a climber.
const STRENGTH: &[&str] = &[
    "before, against random, %",
    "against random, %",
    "against PubEval, %",
    "against PubEval, points",
];

/// The rule of the claim that the curve rises and ends above 60 %.
const LEARNS: &[Half] = &[
    half(
        "more won against random than before",
        &[
            (1.0, "against random, %"),
            (-1.0, "before, against random, %"),
        ],
        Expected::Above(0.0),
    ),
    half(
        "more than 60 % won against random",
        &[(1.0, "against random, %")],
        Expected::Above(60.0),
    ),
];

const CLIMBING: Experiment = Experiment {
    name: "",
    claim: None,
    question: "How strong does hill climbing become?",
    conditions: "",
    measures: STRENGTH,
    rule: &[],
    seeds: SEEDS,
    cost: 0,
    before: "reproduced",
    axes: ["rounds", AXES[1]],
    work: curriculum,
};

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "hillclimb",
        claim: Some(Claim {
            text: "learning curve against random rises; after 10,000 rounds wins > 60 %",
            source: ASSIGNMENT,
        }),
        conditions: "196-20-1 from weights within 0.1, 1,000 rounds of best of three in place of 10,000, 1,000 test games \
                     against each",
        rule: LEARNS,
        cost: 4,
        work: |lab_context, control| rounds([1_000, 0], 0.1, lab_context, control),
        ..CLIMBING
    },
    Experiment {
        name: "hillclimb-10000",
        claim: Some(Claim {
            text: "learning curve against random rises; after 10,000 rounds wins > 60 %",
            source: ASSIGNMENT,
        }),
        conditions: "196-20-1 from weights of 0, 10,000 rounds of best of three, 1,000 test games against each",
        rule: LEARNS,
        cost: 30,
        work: |lab_context, control| rounds([10_000, 200], 0.0, lab_context, control),
        ..CLIMBING
    },
    Experiment {
        name: "hillclimb-100000",
        claim: Some(Claim {
            text: "40-45 % against PubEval after 100,000 rounds with the same scheme",
            source: PRECEDENT,
        }),
        conditions: "196-20-1 from weights of 0, 100,000 rounds of best of three, 1,000 test games against each",
        rule: &[half(
            "40 to 45 % won against PubEval",
            &[(1.0, "against PubEval, %")],
            Expected::Within(40.0, 45.0),
        )],
        cost: 300,
        before: "refuted",
        work: |lab_context, control| rounds([100_000, 200], 0.0, lab_context, control),
        ..CLIMBING
    },
    Experiment {
        name: "curriculum",
        claim: Some(Claim {
            text: "train against expectiminimax first, then champion play with expectiminimax as guard; final hill climber \
                   beats the expectiminimax player in > 50 % of 1000 games",
            source: ASSIGNMENT,
        }),
        question: "Does a teacher at one ply make a climber that beats it?",
        conditions: "196-20-1 from weights of 0, 10,000 rounds: taught until the climber wins more than half of 400 games \
                     against expectiminimax at one ply (tested every 500 rounds), then a guard of two games; beside \
                     10,000 rounds without a teacher",
        measures: &[
            "rounds taught",
            "taught, against expectiminimax, %",
            "not taught, against expectiminimax, %",
            "taught, against PubEval, %",
            "not taught, against PubEval, %",
        ],
        rule: &[
            half(
                "taught: more than half won against expectiminimax",
                &[(1.0, "taught, against expectiminimax, %")],
                Expected::Above(50.0),
            ),
            beside(
                "taught: more won than without a teacher",
                &[
                    (1.0, "taught, against expectiminimax, %"),
                    (-1.0, "not taught, against expectiminimax, %"),
                ],
                Expected::Above(0.0),
            ),
        ],
        cost: 80,
        before: "refuted",
        work: curriculum,
        ..CLIMBING
    },
];

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
fn rounds(
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

fn curriculum(
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
