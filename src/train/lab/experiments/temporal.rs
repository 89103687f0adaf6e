//! Experiments with temporal differences.

use super::declaration::{
    AXES, Claim, Expected, Experiment, Half, SEEDS, SeedResult, beside, half,
};
use super::kit::{ExperimentContext, percent, player, points, small, strength, test_seed};
use crate::lab::td::{TdPlan, TdState};
use crate::lab::{LabError, TestScore, Tests};
use gammond_arena::player::Player;
use gammond_arena::player::classic::{ClassicPlayer, Representation, Sides};
use gammond_base::stats::Running;
use gammond_job::Control;

const POSTER: &str =
    "Ladefoged, Madsen and Munch-Hansen, poster on TD(0) backgammon; no year or page known";

const STRENGTH: &[&str] = &[
    "against random, %",
    "against PubEval, %",
    "against PubEval, points",
];
const BEATS_RANDOM: &[Half] = &[half(
    "more than 90 % won against random",
    &[(1.0, "against random, %")],
    Expected::Above(90.0),
)];

const TEMPORAL: Experiment = Experiment {
    name: "",
    claim: None,
    question: "Does self-play from random weights beat random plays?",
    conditions: "TDG-Board, 20 neurons, alpha 0.1, 10,000 games, black sees what is left of 1, 1,000 test games",
    measures: STRENGTH,
    rule: BEATS_RANDOM,
    seeds: SEEDS,
    cost: 0,
    before: "reproduced",
    axes: AXES,
    work: representations,
};

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "td0",
        claim: Some(Claim {
            text: "TD(0) self-play wins > 90 % against random after training",
            source: POSTER,
        }),
        cost: 60,
        work: |lab_context, control| td(0.0, lab_context, control),
        ..TEMPORAL
    },
    Experiment {
        name: "td-lambda",
        claim: Some(Claim {
            text: "self-play wins > 90 % against random after training (of TD(0); here lambda is 0.7)",
            source: POSTER,
        }),
        cost: 120,
        work: |lab_context, control| td(0.7, lab_context, control),
        ..TEMPORAL
    },
    Experiment {
        name: "representations",
        claim: Some(Claim {
            text: "TDG-BoardAug >= TDG-Board > every Quack variant",
            source: POSTER,
        }),
        question: "Which representation of the board learns most from self-play?",
        conditions: "TD(0), 20 neurons, alpha 0.1, 10,000 games; 400 test games against PubEval every 500 games; mean of \
                     the last third of the curve in points per game; >= means not more than 0.1 behind",
        measures: &[
            "quack",
            "quack-aug",
            "quack-norm",
            "tdg-board",
            "tdg-board-aug",
        ],
        rule: &[
            half(
                "TDG-BoardAug not more than 0.1 behind TDG-Board",
                &[(1.0, "tdg-board-aug"), (-1.0, "tdg-board")],
                Expected::Above(-0.1),
            ),
            half(
                "TDG-Board better than Quack",
                &[(1.0, "tdg-board"), (-1.0, "quack")],
                Expected::Above(0.0),
            ),
            half(
                "TDG-Board better than QuackAug",
                &[(1.0, "tdg-board"), (-1.0, "quack-aug")],
                Expected::Above(0.0),
            ),
            half(
                "TDG-Board better than QuackNorm",
                &[(1.0, "tdg-board"), (-1.0, "quack-norm")],
                Expected::Above(0.0),
            ),
        ],
        cost: 250,
        work: representations,
        ..TEMPORAL
    },
    Experiment {
        name: "learning-rates",
        claim: Some(Claim {
            text: "evaluation improves with alpha up to a limit, then erratic; exponential decay tames it at no loss",
            source: POSTER,
        }),
        question: "Which learning rates does self-play bear?",
        conditions: "TD(0) with TDG-Board, 20 neurons, 6,000 games in place of 10,000, alpha 0.01 to 10 fixed or halved \
                     every 1,200 games; 200 test games against PubEval every 500 games; mean and standard deviation \
                     of the last third of the curve in points per game; at no loss means not more than 0.1 behind",
        measures: RATE_MEASURES,
        rule: &[
            half(
                "improves with alpha: 0.3 better than 0.03",
                &[(1.0, "0.3 fixed"), (-1.0, "0.03 fixed")],
                Expected::Above(0.0),
            ),
            half(
                "up to a limit: 10 worse than 0.3",
                &[(1.0, "0.3 fixed"), (-1.0, "10 fixed")],
                Expected::Above(0.0),
            ),
            half(
                "then erratic: 3 and 10 scatter more than 0.3",
                &[
                    (0.5, "3 fixed, scatter"),
                    (0.5, "10 fixed, scatter"),
                    (-1.0, "0.3 fixed, scatter"),
                ],
                Expected::Above(0.0),
            ),
            half(
                "decay tames: 3 and 10 scatter less when they fall",
                &[
                    (0.5, "3 fixed, scatter"),
                    (0.5, "10 fixed, scatter"),
                    (-0.5, "3 falling, scatter"),
                    (-0.5, "10 falling, scatter"),
                ],
                Expected::Above(0.0),
            ),
            half(
                "at no loss: falling 3 not more than 0.1 behind fixed 3",
                &[(1.0, "3 falling"), (-1.0, "3 fixed")],
                Expected::Above(-0.1),
            ),
        ],
        cost: 450,
        before: "open",
        work: rates,
        ..TEMPORAL
    },
    Experiment {
        name: "td-or-monte-carlo",
        claim: Some(Claim {
            text: "Lambda 0.7 is better than both extremes",
            source: "this project's measurements of 2026-11-23; the poster only names both methods (MC updates after the \
                     game, TD after each step)",
        }),
        question: "Do temporal differences learn more than Monte Carlo?",
        conditions: "lambda 0, 0.7 and 1 with TDG-Board, 20 neurons, alpha 0.1, 10,000 games; 400 test games against PubEval \
                     every 500 games; mean of the last third of the curve in points per game",
        measures: &["lambda 0", "lambda 0.7", "lambda 1"],
        rule: &[
            half(
                "0.7 better than 0",
                &[(1.0, "lambda 0.7"), (-1.0, "lambda 0")],
                Expected::Above(0.0),
            ),
            half(
                "0.7 better than 1",
                &[(1.0, "lambda 0.7"), (-1.0, "lambda 1")],
                Expected::Above(0.0),
            ),
        ],
        cost: 150,
        before: "extended",
        work: monte_carlo,
        ..TEMPORAL
    },
    Experiment {
        name: "contact-inputs",
        question: "Player 2.4's contact inputs were Tesauro's, Berliner's prime and hitting shots (M. Higgins): what do \
                   the latter add to self-play?",
        conditions: "TD(0), 20 neurons, alpha 0.1, 10,000 games; 400 test games against PubEval every 500 games; mean of the \
                     last third of the curve in points per game",
        measures: &["td-gammon", "td-gammon-contact"],
        rule: &[beside(
            "better with contact inputs",
            &[(1.0, "td-gammon-contact"), (-1.0, "td-gammon")],
            Expected::Above(0.0),
        )],
        cost: 120,
        before: "none",
        work: |lab_context, control| {
            let seen = [Representation::TdGammon198, Representation::TdGammonContact];
            represented(&seen, lab_context, control)
        },
        ..TEMPORAL
    },
    Experiment {
        name: "swap-sides",
        claim: Some(Claim {
            text: "Playing White with a Black net: permute the inputs (swap sides) rather than 1 - p; duel of \"swap\" \
                   against \"1 - p\" is won by \"swap\"",
            source: "COMP440 assignment on expectiminimax and hill climbing; no year or page known",
        }),
        question: "How does a net for one colour play the other?",
        conditions: "TD(0), TD-Gammon's 196 inputs, 20 neurons, alpha 0.1, 10,000 games of play with the board turned round \
                     and as many by what is left of 1; each net plays 2,000 games against itself, one way against \
                     the other",
        measures: &["net of swap: swap wins, %", "net of 1 - p: swap wins, %"],
        rule: &[
            half(
                "won by swap, with a net trained that way",
                &[(1.0, "net of swap: swap wins, %")],
                Expected::Above(50.0),
            ),
            half(
                "won by swap, with a net trained by 1 - p",
                &[(1.0, "net of 1 - p: swap wins, %")],
                Expected::Above(50.0),
            ),
        ],
        cost: 25,
        before: "open",
        work: swap_sides,
        ..TEMPORAL
    },
];

fn plan(seed: u64) -> Result<TdPlan<'static>, LabError> {
    Ok(TdPlan {
        shape: small(Representation::TdgBoard)?,
        range: 0.1,
        seed,
        alpha: 0.1,
        half_life: None,
        lambda: 0.0,
        sides: Sides::Swap,
        episodes: 10_000,
        every: 500,
        tests: None,
    })
}

fn td(
    lambda: f32,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let plan = TdPlan {
        sides: Sides::Invert,
        lambda,
        ..plan(lab_context.seed)?
    };
    let runs = [(control.task.clone(), plan)];
    let states = lab_context.train(control, &runs)?;
    let Some(state) = states.and_then(|mut states| states.pop()) else {
        return Ok(None);
    };
    let strength = strength(&state.net, lab_context, control)?;
    Ok(strength.map(|strength| strength.to_vec().into()))
}

/// One way to train.
struct Setting<'a> {
    name: String,
    plan: TdPlan<'a>,
}

/// Trains each setting, and measures each curve; `None` if it was stopped.
fn trained(
    settings: Vec<Setting<'_>>,
    measured: impl Fn(&TdState) -> Vec<f64>,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let task = control.task.clone();
    let runs: Vec<(String, TdPlan<'_>)> = (settings.iter())
        .map(|setting| (format!("{task}-{}", setting.name), setting.plan.clone()))
        .collect();
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let curve = |(setting, state): (Setting<'_>, &TdState)| {
        (setting.name, points(&state.curve, setting.plan.every))
    };
    Ok(Some(SeedResult {
        measures: states.iter().flat_map(measured).collect(),
        curves: settings.into_iter().zip(&states).map(curve).collect(),
    }))
}

fn tests<'a>(
    opponent: &'a dyn Player,
    games: u64,
    lab_context: &ExperimentContext<'_>,
) -> Tests<'a> {
    Tests {
        opponent,
        games,
        seed: test_seed(lab_context.seed),
    }
}

/// Returns the mean of the last third of a curve, and the standard deviation around it.
fn last_third(curve: &[TestScore]) -> [f64; 2] {
    let from = curve.len() - curve.len() / 3;
    let seen: Running = curve[from..].iter().map(|score| score.points[0]).collect();
    [seen.mean(), seen.variance().sqrt()]
}

fn representations(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let seen = [
        Representation::Quack,
        Representation::QuackAug,
        Representation::QuackNorm,
        Representation::TdgBoard,
        Representation::TdgBoardAug,
    ];
    represented(&seen, lab_context, control)
}

/// Trains a net of each representation.
fn represented(
    seen: &[Representation],
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for &representation in seen {
        let plan = TdPlan {
            shape: small(representation)?,
            tests: Some(tests(&*pubeval, 400, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = representation.name().to_owned();
        settings.push(Setting { name, plan });
    }
    let measured = |state: &TdState| vec![last_third(&state.curve)[0]];
    trained(settings, measured, lab_context, control)
}

const ALPHAS: [f64; 7] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];
/// Mean and scatter of each alpha, fixed and falling.
const RATE_MEASURES: &[&str] = &[
    "0.01 fixed",
    "0.01 fixed, scatter",
    "0.03 fixed",
    "0.03 fixed, scatter",
    "0.1 fixed",
    "0.1 fixed, scatter",
    "0.3 fixed",
    "0.3 fixed, scatter",
    "1 fixed",
    "1 fixed, scatter",
    "3 fixed",
    "3 fixed, scatter",
    "10 fixed",
    "10 fixed, scatter",
    "0.01 falling",
    "0.01 falling, scatter",
    "0.03 falling",
    "0.03 falling, scatter",
    "0.1 falling",
    "0.1 falling, scatter",
    "0.3 falling",
    "0.3 falling, scatter",
    "1 falling",
    "1 falling, scatter",
    "3 falling",
    "3 falling, scatter",
    "10 falling",
    "10 falling, scatter",
];

fn rates(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for (how, half_life) in [("fixed", None), ("falling", Some(1_200.0))] {
        for alpha in ALPHAS {
            let plan = TdPlan {
                alpha,
                half_life,
                episodes: 6_000,
                tests: Some(tests(&*pubeval, 200, lab_context)),
                ..plan(lab_context.seed)?
            };
            let name = format!("{alpha} {how}");
            settings.push(Setting { name, plan });
        }
    }
    let measured = |state: &TdState| last_third(&state.curve).to_vec();
    trained(settings, measured, lab_context, control)
}

fn monte_carlo(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for lambda in [0.0, 0.7, 1.0] {
        let plan = TdPlan {
            lambda,
            tests: Some(tests(&*pubeval, 400, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = format!("lambda {lambda}");
        settings.push(Setting { name, plan });
    }
    let measured = |state: &TdState| vec![last_third(&state.curve)[0]];
    trained(settings, measured, lab_context, control)
}

fn swap_sides(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let mut runs = Vec::new();
    for sides in Sides::ALL {
        let plan = TdPlan {
            shape: small(Representation::TdGammon196)?,
            sides,
            every: 1_000,
            ..plan(lab_context.seed)?
        };
        runs.push((format!("swap-sides-{}", sides.name()), plan));
    }
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let mut won = Vec::new();
    for state in &states {
        let [swap, invert] =
            Sides::ALL.map(|how| ClassicPlayer::new(how.name(), state.net.clone(), how));
        match tests(&invert, 2_000, lab_context).of(&swap, &control.stop)? {
            Some(score) => won.push(percent(&score)),
            None => return Ok(None),
        }
    }
    Ok(Some(won.into()))
}

#[cfg(test)]
mod tests_of_curves {
    use super::*;

    #[test]
    fn the_last_third_of_a_curve() {
        let curve: Vec<TestScore> = (0..9)
            .map(|at| TestScore {
                points: [f64::from(at), 0.1],
                ..TestScore::default()
            })
            .collect();
        assert_eq!(last_third(&curve), [7.0, 1.0]);
    }

    #[test]
    fn learning_rates_have_a_measure_for_each_setting() {
        let names = ["fixed", "falling"].iter().flat_map(|how| {
            let named = move |alpha| [format!("{alpha} {how}"), format!("{alpha} {how}, scatter")];
            ALPHAS.into_iter().flat_map(named)
        });
        assert_eq!(names.collect::<Vec<_>>(), RATE_MEASURES);
    }
}
