//! Experiments that are games alone: nothing is trained.

use super::kit::{Experiment, ExperimentContext, LabFinding, LabVerdict, player, test_seed};
use crate::duel::{DuelPlan, Tally, play_duel};
use crate::lab::{LabError, TestScore, Tests};
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "random-even",
        claim: "two random players are even, within three standard errors",
        here: "2,000 games with independent dice",
        work: random_even,
    },
    Experiment {
        name: "expectiminimax-1",
        claim: "a sane evaluator at one ply wins at least 95 of 100 games against random plays",
        here: "the built-in linear evaluator, 100 games",
        work: |lab_context, control| expectiminimax(1, lab_context, control),
    },
    Experiment {
        name: "expectiminimax-2",
        claim: "a sane evaluator at two plies wins at least 95 of 100 games against random plays",
        here: "the built-in linear evaluator, 100 games",
        work: |lab_context, control| expectiminimax(2, lab_context, control),
    },
    Experiment {
        name: "expectiminimax-10000",
        claim: "none: the assignment played 100 games, where one ply and two differ by less than chance",
        here: "10,000 games of each against random plays, and of two plies against one",
        work: expectiminimax_many,
    },
    Experiment {
        name: "expectiminimax-gnubg",
        claim: "none: 100 games against gnubg were extra credit",
        here: "100 and 10,000 games of one ply and of two against gnubg's weights without look-ahead (--gnubg FILE)",
        work: expectiminimax_gnubg,
    },
];

fn random_even(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let (a, b) = (player("random")?, player("random")?);
    let plan = DuelPlan {
        seed: lab_context.seed,
        pairs: 1_000,
        independent: true,
        ..DuelPlan::default()
    };
    let end = play_duel(&plan, [&*a, &*b], None, control)?;
    Ok(end.complete.then(|| even(&end.sum)))
}

fn even(tally: &Tally) -> LabFinding {
    let games = tally.games() as f64;
    let share = tally.wins[0][0] as f64 / games;
    let error = (0.25 / games).sqrt();
    let (mean, points_error) = (tally.points.mean(), tally.points.standard_error());
    LabFinding {
        result: format!(
            "{:.2} % of {games} games won, standard error {:.2} %; {mean:+.4} +- {points_error:.4} points per game",
            100.0 * share,
            100.0 * error
        ),
        verdict: LabVerdict::of((share - 0.5).abs() < 3.0 * error),
    }
}

/// So many games of one player against another.
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

/// The built-in linear evaluator with this look-ahead.
fn looking(depth: u8) -> String {
    format!("expectiminimax:depth={depth}")
}

fn expectiminimax(
    depth: u8,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let score = games([&looking(depth), "random"], 100, lab_context, control)?;
    Ok(score.map(|score| LabFinding {
        result: format!("{} of {} games won; {score}", score.wins, score.games),
        verdict: LabVerdict::of(score.wins >= 95),
    }))
}

/// Several matches of two players, each with what is said of it.
fn described(
    matches: &[(&str, [&str; 2], u64)],
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let mut parts = Vec::new();
    for &(name, players, count) in matches {
        match games(players, count, lab_context, control)? {
            Some(score) => parts.push(format!("{name}, {count} games: {score}")),
            None => return Ok(None),
        }
    }
    Ok(Some(LabFinding {
        result: parts.join("; "),
        verdict: LabVerdict::Extended,
    }))
}

fn expectiminimax_many(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let [one, two] = [1, 2].map(looking);
    let matches = [
        ("one ply against random", [&*one, "random"], 10_000),
        ("two plies against random", [&two, "random"], 10_000),
        ("two plies against one", [&two, &one], 10_000),
    ];
    described(&matches, lab_context, control)
}

fn expectiminimax_gnubg(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let weights = lab_context.gnubg.ok_or(LabError::NoWeights)?;
    let gnubg = format!("gammond:bearoff=none:nets={}", weights.display());
    let [one, two] = [1, 2].map(looking);
    let matches = [
        ("one ply", [&*one, &gnubg], 100),
        ("one ply", [&one, &gnubg], 10_000),
        ("two plies", [&two, &gnubg], 100),
        ("two plies", [&two, &gnubg], 10_000),
    ];
    described(&matches, lab_context, control)
}
