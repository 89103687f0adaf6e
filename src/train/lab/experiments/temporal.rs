//! Experiments with temporal differences.

use super::kit::{
    Experiment, ExperimentContext, LabFinding, LabVerdict, described, player, points, scores,
    small, test_seed,
};
use crate::lab::td::{TdPlan, TdState};
use crate::lab::{LabError, TestScore, Tests};
use crate::player::Player;
use crate::player::classic::{ClassicPlayer, Representation, Sides};
use crate::training::curve::Point;
use gammond_base::stats::Running;
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "td0",
        claim: "TD(0) with TDG-Board wins more than 90 % against random plays after training",
        here: "20 neurons, alpha 0.1, 10,000 games, 1,000 test games",
        work: |lab_context, control| td(0.0, lab_context, control),
    },
    Experiment {
        name: "td-lambda",
        claim: "TD(0.7) with TDG-Board wins more than 90 % against random plays after training",
        here: "20 neurons, alpha 0.1, 10,000 games, 1,000 test games",
        work: |lab_context, control| td(0.7, lab_context, control),
    },
    Experiment {
        name: "representations",
        claim: "TDG-BoardAug is as good as TDG-Board or better, and both are better than Quack, QuackAug and QuackNorm",
        here: "TD(0), 20 neurons, alpha 0.1, 10,000 games, three seeds each; points per game in 1,000 test games against PubEval",
        work: representations,
    },
    Experiment {
        name: "learning-rates",
        claim: "play improves with alpha up to a limit, then it is erratic; alpha that falls exponentially tames that and costs nothing",
        here: "TD(0) with TDG-Board, 20 neurons, 10,000 games, three seeds each, alpha fixed or halved every 2,000 games; 400 test games \
               against PubEval every 500 games, mean and scatter of the last third of the curve",
        work: rates,
    },
    Experiment {
        name: "td-or-monte-carlo",
        claim: "none: temporal differences learn after each turn, Monte Carlo after each game",
        here: "lambda 0, 0.7 and 1 with TDG-Board, 20 neurons, alpha 0.1, 10,000 games, three seeds each; 400 test games against PubEval \
               every 500 games",
        work: monte_carlo,
    },
    Experiment {
        name: "swap-sides",
        claim: "a net for one colour plays the other better with the board turned round than by what is left of 1",
        here: "TD(0), TD-Gammon's 196 inputs, 20 neurons, alpha 0.1, 10,000 games of play with the board turned round and as many by what \
               is left of 1; each net plays 2,000 games against itself, one way against the other",
        work: swap_sides,
    },
];

/// Seeds of each setting where several are compared.
const SEEDS: u64 = 3;
/// Two-sided 95 % point of Student's distribution with few degrees of freedom, from one on; beyond, 2.
const STUDENT: [f64; 12] = [
    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18,
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
) -> Result<Option<LabFinding>, LabError> {
    let plan = TdPlan {
        sides: Sides::Invert,
        lambda,
        ..plan(lab_context.seed)?
    };
    let runs = [(control.task.clone(), plan)];
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let Some(state) = states.first() else {
        return Ok(None);
    };
    Ok(scores(&state.net, lab_context, control)?.map(|scores| described(&scores, 0.9)))
}

/// One way to train, with several seeds.
struct Setting<'a> {
    name: String,
    plan: TdPlan<'a>,
}

/// Trains each setting with several seeds, and keeps the curves: for each setting the states of its seeds.
fn trained(
    settings: &[Setting<'_>],
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<Vec<Vec<TdState>>>, LabError> {
    let name = control.task.clone();
    let runs: Vec<(String, TdPlan<'_>)> = (settings.iter())
        .flat_map(|setting| {
            let name = &name;
            (0..SEEDS).map(move |number| {
                let plan = TdPlan {
                    seed: lab_context.seed + number,
                    ..setting.plan.clone()
                };
                (format!("{name}-{}-{number}", setting.name), plan)
            })
        })
        .collect();
    let Some(states) = lab_context.train(control, &runs)? else {
        return Ok(None);
    };
    let grouped: Vec<Vec<TdState>> = states
        .chunks(SEEDS as usize)
        .map(<[TdState]>::to_vec)
        .collect();
    let series: Vec<(String, Vec<Point>)> = (settings.iter().zip(&grouped))
        .map(|(setting, states)| (setting.name.clone(), band(states, setting.plan.every)))
        .collect();
    let axes = ["games", "points per game against PubEval"];
    lab_context.keep_curves(&name, axes, &series)?;
    Ok(Some(grouped))
}

/// The mean curve of several seeds; the error is that of the mean over seeds.
fn band(states: &[TdState], every: u64) -> Vec<Point> {
    let curves: Vec<Vec<Point>> = (states.iter())
        .map(|state| points(&state.curve, every))
        .collect();
    let steps = curves.iter().map(Vec::len).min().unwrap_or(0);
    (0..steps)
        .map(|step| {
            let mut seen = Running::default();
            curves.iter().for_each(|curve| seen.add(curve[step].y));
            Point {
                x: curves[0][step].x,
                y: seen.mean(),
                error: seen.standard_error(),
            }
        })
        .collect()
}

/// Results of several seeds of each setting: their means, and the distance from which two means count as different. The
/// scatter of seeds is assumed to be the same in all settings.
struct Compared {
    means: Vec<f64>,
    apart: f64,
}

fn compared(values: &[Vec<f64>]) -> Compared {
    let (mut square, mut free) = (0.0, 0);
    let mut means = Vec::new();
    for values in values {
        let mut seen = Running::default();
        values.iter().for_each(|&value| seen.add(value));
        square += seen.variance() * (values.len() as f64 - 1.0);
        free += values.len() - 1;
        means.push(seen.mean());
    }
    let point = STUDENT.get(free.max(1) - 1).copied().unwrap_or(2.1);
    let spread = (square / free.max(1) as f64).sqrt();
    let apart = point * spread * (2.0 / SEEDS as f64).sqrt();
    Compared { means, apart }
}

impl Compared {
    fn described(&self, settings: &[Setting<'_>]) -> String {
        let each = settings.iter().zip(&self.means);
        let each: Vec<String> = each
            .map(|(setting, mean)| format!("{} {mean:+.3}", setting.name))
            .collect();
        format!(
            "{}; means differ with 95 % from {:.3} on",
            each.join(", "),
            self.apart
        )
    }
}

fn representations(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let pubeval = player("pubeval")?;
    let seen = [
        Representation::Quack,
        Representation::QuackAug,
        Representation::QuackNorm,
        Representation::TdgBoard,
        Representation::TdgBoardAug,
    ];
    let mut settings = Vec::new();
    for representation in seen {
        let plan = TdPlan {
            shape: small(representation)?,
            every: 1_000,
            tests: Some(tests(&*pubeval, 1_000, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = representation.name().to_owned();
        settings.push(Setting { name, plan });
    }
    let Some(states) = trained(&settings, lab_context, control)? else {
        return Ok(None);
    };
    let last = |state: &TdState| state.curve.last().map_or(0.0, |score| score.points[0]);
    let values: Vec<Vec<f64>> = (states.iter())
        .map(|states| states.iter().map(last).collect())
        .collect();
    let found = compared(&values);
    let &[quack, with_off, norm, board, wide] = &found.means[..] else {
        return Ok(None);
    };
    let quacks = quack.max(with_off).max(norm);
    let verdict = if board - quacks > found.apart && wide - board > -found.apart {
        LabVerdict::Reproduced
    } else if quacks - board > found.apart || board - wide > found.apart {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    };
    Ok(Some(LabFinding {
        result: format!("at the end: {}", found.described(&settings)),
        verdict,
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

/// Mean of the last third of a curve, and the standard deviation around it.
fn last_third(curve: &[TestScore]) -> (f64, f64) {
    let mut seen = Running::default();
    let from = curve.len() - curve.len() / 3;
    curve[from..]
        .iter()
        .for_each(|score| seen.add(score.points[0]));
    (seen.mean(), seen.variance().sqrt())
}

fn rates(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    const ALPHAS: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 1.0];
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for half_life in [None, Some(2_000.0)] {
        for alpha in ALPHAS {
            let how = if half_life.is_some() {
                "falling"
            } else {
                "fixed"
            };
            let plan = TdPlan {
                alpha,
                half_life,
                tests: Some(tests(&*pubeval, 400, lab_context)),
                ..plan(lab_context.seed)?
            };
            settings.push(Setting {
                name: format!("{alpha} {how}"),
                plan,
            });
        }
    }
    let Some(states) = trained(&settings, lab_context, control)? else {
        return Ok(None);
    };
    let mut means = Vec::new();
    let mut scatters = Vec::new();
    for states in &states {
        let ends = states.iter().map(|state| last_third(&state.curve));
        let (own, scatter): (Vec<f64>, Vec<f64>) = ends.unzip();
        scatters.push(scatter.iter().sum::<f64>() / scatter.len().max(1) as f64);
        means.push(own);
    }
    let found = compared(&means);
    let (fixed, falling) = found.means.split_at(ALPHAS.len());
    let (wild, tame) = scatters.split_at(ALPHAS.len());
    let best = (0..ALPHAS.len()).max_by(|&a, &b| fixed[a].total_cmp(&fixed[b]));
    let best = best.unwrap_or(0);
    let highest = falling.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A limit: the best alpha is not the largest. Erratic beyond: the largest scatters more than the best. Tamed: less
    // with an alpha that falls, and the best that falls is not behind.
    let last = ALPHAS.len() - 1;
    let limit = fixed[best] - fixed[last] > found.apart;
    let erratic = wild[last] > wild[best];
    let tamed = tame[last] < wild[last] && fixed[best] - highest < found.apart;
    let verdict = match (limit, erratic, tamed) {
        (true, true, true) => LabVerdict::Reproduced,
        (false, _, _) => LabVerdict::Open,
        _ => LabVerdict::Refuted,
    };
    let scatters: Vec<String> = scatters.iter().map(|one| format!("{one:.3}")).collect();
    Ok(Some(LabFinding {
        result: format!(
            "last third of the games: {}; scatter in the same order {}",
            found.described(&settings),
            scatters.join(", ")
        ),
        verdict,
    }))
}

fn monte_carlo(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    /// Points per game against PubEval above which a net counts as having learned something.
    const LEARNED: f64 = -1.0;
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for lambda in [0.0, 0.7, 1.0] {
        let plan = TdPlan {
            lambda,
            tests: Some(tests(&*pubeval, 400, lab_context)),
            ..plan(lab_context.seed)?
        };
        settings.push(Setting {
            name: format!("lambda {lambda}"),
            plan,
        });
    }
    let Some(states) = trained(&settings, lab_context, control)? else {
        return Ok(None);
    };
    let values: Vec<Vec<f64>> = (states.iter())
        .map(|states| states.iter().map(|one| last_third(&one.curve).0).collect())
        .collect();
    let mut speeds = Vec::new();
    for (setting, states) in settings.iter().zip(&states) {
        let every = setting.plan.every;
        let first = |state: &TdState| {
            let learned = (state.curve.iter()).position(|score| score.points[0] > LEARNED);
            learned.map_or("never".to_owned(), |at| {
                ((at as u64 + 1) * every).to_string()
            })
        };
        let first: Vec<String> = states.iter().map(first).collect();
        speeds.push(format!("{} {}", setting.name, first.join(" ")));
    }
    Ok(Some(LabFinding {
        result: format!(
            "last third of the games: {}; games until better than {LEARNED}: {}",
            compared(&values).described(&settings),
            speeds.join(", ")
        ),
        verdict: LabVerdict::Extended,
    }))
}

fn swap_sides(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
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
    let (mut parts, mut lows, mut highs) = (Vec::new(), Vec::new(), Vec::new());
    for (state, sides) in states.iter().zip(Sides::ALL) {
        let [swap, invert] =
            Sides::ALL.map(|how| ClassicPlayer::new(how.name(), state.net.clone(), how));
        let Some(score) = tests(&invert, 2_000, lab_context).of(&swap, &control.stop)? else {
            return Ok(None);
        };
        parts.push(format!("net trained with {}: {score}", sides.name()));
        lows.push(score.share() - score.reach());
        highs.push(score.share() + score.reach());
    }
    let verdict = if lows.iter().all(|&low| low > 0.5) {
        LabVerdict::Reproduced
    } else if highs.iter().all(|&high| high < 0.5) {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    };
    Ok(Some(LabFinding {
        result: format!(
            "the board turned round against what is left of 1, {}",
            parts.join("; ")
        ),
        verdict,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_of_means_follows_the_spread_of_seeds() {
        // Three seeds each, a spread of 1 in both: 2.78 * sqrt(2 / 3).
        let found = compared(&[vec![0.0, 1.0, 2.0], vec![10.0, 11.0, 12.0]]);
        assert_eq!(found.means, [1.0, 11.0]);
        assert!((found.apart - 2.27).abs() < 0.01, "{}", found.apart);
    }

    #[test]
    fn the_last_third_of_a_curve() {
        let curve: Vec<TestScore> = (0..9)
            .map(|at| TestScore {
                points: [f64::from(at), 0.1],
                ..TestScore::default()
            })
            .collect();
        assert_eq!(last_third(&curve), (7.0, 1.0));
    }
}
