//! Experiments with temporal differences.

use super::declaration::SeedResult;
use super::kit::{ExperimentContext, percent, player, points, small, strength, test_seed};
use crate::lab::td::{TdPlan, TdState};
use crate::lab::{LabError, TestScore, Tests};
use gammond_arena::player::Player;
use gammond_arena::player::classic::{ClassicPlayer, Representation, Sides};
use gammond_base::stats::Running;
use gammond_job::Control;

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

pub(super) fn td(
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

/// Trains a net of each representation: the measures are their names.
pub(super) fn representations(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for name in lab_context.measures {
        let Some(representation) = Representation::named(name) else {
            continue;
        };
        let plan = TdPlan {
            shape: small(representation)?,
            tests: Some(tests(&*pubeval, 400, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = name.clone();
        settings.push(Setting { name, plan });
    }
    let measured = |state: &TdState| vec![last_third(&state.curve)[0]];
    trained(settings, measured, lab_context, control)
}

/// Returns the alpha that a measure names, and its half-life if it falls; `None` for a measure of scatter.
fn rate(measure: &str) -> Option<(f64, Option<f64>)> {
    let (alpha, schedule) = measure.split_once(' ')?;
    let half_life = match schedule {
        "fixed" => None,
        "falling" => Some(1_200.0),
        _ => return None,
    };
    Some((alpha.parse().ok()?, half_life))
}

pub(super) fn rates(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for name in lab_context.measures {
        let Some((alpha, half_life)) = rate(name) else {
            continue;
        };
        let plan = TdPlan {
            alpha,
            half_life,
            episodes: 6_000,
            tests: Some(tests(&*pubeval, 200, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = name.clone();
        settings.push(Setting { name, plan });
    }
    let measured = |state: &TdState| last_third(&state.curve).to_vec();
    trained(settings, measured, lab_context, control)
}

/// Returns the lambda that a measure names.
fn lambda(measure: &str) -> Option<f32> {
    measure.strip_prefix("lambda ")?.parse().ok()
}

pub(super) fn monte_carlo(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let pubeval = player("pubeval")?;
    let mut settings = Vec::new();
    for name in lab_context.measures {
        let Some(lambda) = lambda(name) else {
            continue;
        };
        let plan = TdPlan {
            lambda,
            tests: Some(tests(&*pubeval, 400, lab_context)),
            ..plan(lab_context.seed)?
        };
        let name = name.clone();
        settings.push(Setting { name, plan });
    }
    let measured = |state: &TdState| vec![last_third(&state.curve)[0]];
    trained(settings, measured, lab_context, control)
}

pub(super) fn swap_sides(
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
    fn measures_name_their_settings() {
        let measures = |name| &super::super::named(name).unwrap().measures;
        for name in ["representations", "contact-inputs"] {
            let mut seen = measures(name).iter();
            assert!(seen.all(|one| Representation::named(one).is_some()));
        }
        let mut lambdas = measures("td-or-monte-carlo").iter();
        assert!(lambdas.all(|one| lambda(one).is_some()));
        // Each alpha has its mean and then its scatter.
        for pair in measures("learning-rates").chunks(2) {
            assert!(rate(&pair[0]).is_some() && rate(&pair[1]).is_none());
            assert_eq!(pair[1], format!("{}, scatter", pair[0]));
        }
        assert_eq!(rate("0.3 falling"), Some((0.3, Some(1_200.0))));
    }
}
