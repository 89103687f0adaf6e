//! Experiments that are games alone: nothing is trained.

use super::declaration::{Claim, Expected, Experiment, SEEDS, SeedResult, beside, half};
use super::kit::{ExperimentContext, percent, player, test_seed};
use crate::lab::{LabError, TestScore, Tests};
use gammond_arena::duel::{DuelPlan, play_duel};
use gammond_job::Control;

const ASSIGNMENT: &str =
    "COMP440 assignment on expectiminimax and hill climbing; no year or page known";

/// Fields that these experiments share.
const GAMES: Experiment = Experiment {
    name: "",
    claim: None,
    question: "",
    conditions: "",
    measures: &[],
    rule: &[],
    seeds: SEEDS,
    cost: 0,
    before: "",
    axes: super::declaration::AXES,
    work: random_even,
};

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "random-even",
        claim: Some(Claim {
            text: "two random players: 50 % within 3 SE",
            source: ASSIGNMENT,
        }),
        question: "Are the dice fair to both sides?",
        conditions: "20,000 games with independent dice; the bound is three standard errors of 2,000 games, 3.35 %",
        measures: &["won, %"],
        rule: &[half(
            "won within 50 +- 3.35 %",
            &[(1.0, "won, %")],
            Expected::Within(46.65, 53.35),
        )],
        cost: 1,
        before: "reproduced",
        work: random_even,
        ..GAMES
    },
    Experiment {
        name: "expectiminimax-1",
        claim: Some(Claim {
            text: "1-ply against random, 100 games: expect >= 95 of 100 for any sane evaluator",
            source: ASSIGNMENT,
        }),
        question: "Does a linear evaluator at one ply beat random plays?",
        conditions: "the built-in linear evaluator, 100 games",
        measures: &["won of 100"],
        rule: &[half(
            "more than 95 of 100 won",
            &[(1.0, "won of 100")],
            Expected::Above(95.0),
        )],
        cost: 1,
        before: "reproduced",
        work: |lab_context, control| expectiminimax(1, lab_context, control),
        ..GAMES
    },
    Experiment {
        name: "expectiminimax-2",
        claim: Some(Claim {
            text: "2-ply against random, 100 games: expect >= 95 of 100 for any sane evaluator",
            source: ASSIGNMENT,
        }),
        question: "Does a linear evaluator at two plies beat random plays?",
        conditions: "the built-in linear evaluator, 100 games",
        measures: &["won of 100"],
        rule: &[half(
            "more than 95 of 100 won",
            &[(1.0, "won of 100")],
            Expected::Above(95.0),
        )],
        cost: 5,
        before: "reproduced",
        work: |lab_context, control| expectiminimax(2, lab_context, control),
        ..GAMES
    },
    Experiment {
        name: "expectiminimax-10000",
        question: "The assignment played 100 games; do two plies beat one in more?",
        conditions: "2,000 games of one ply and of two against random plays, and of two plies against one; 10,000 over \
                     five seeds",
        measures: &[
            "1 against random, %",
            "2 against random, %",
            "2 against 1, %",
        ],
        rule: &[beside(
            "two plies win more than half of the games against one",
            &[(1.0, "2 against 1, %")],
            Expected::Above(50.0),
        )],
        cost: 100,
        before: "extended",
        work: expectiminimax_many,
        ..GAMES
    },
    Experiment {
        name: "expectiminimax-gnubg",
        question: "100 games against gnubg were extra credit: how many are won?",
        conditions: "2,000 games of one ply and of two against gnubg's weights without look-ahead (--gnubg FILE)",
        measures: &["1 against gnubg, %", "2 against gnubg, %"],
        rule: &[beside(
            "two plies win more than one",
            &[(1.0, "2 against gnubg, %"), (-1.0, "1 against gnubg, %")],
            Expected::Above(0.0),
        )],
        cost: 80,
        before: "extended",
        work: expectiminimax_gnubg,
        ..GAMES
    },
];

fn random_even(
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

fn expectiminimax(
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

fn expectiminimax_many(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let [one, two] = [1, 2].map(looking);
    let matches = [[&*one, "random"], [&two, "random"], [&two, &one]];
    shares(&matches, lab_context, control)
}

fn expectiminimax_gnubg(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let weights = lab_context.gnubg.ok_or(LabError::NoWeights)?;
    let gnubg = format!("gammond:bearoff=none:nets={}", weights.display());
    let [one, two] = [1, 2].map(looking);
    shares(&[[&*one, &gnubg], [&two, &gnubg]], lab_context, control)
}
