//! Experiments with nets like those that ship, by the small recipe.

use super::kit::{Experiment, ExperimentContext, LabFinding, LabVerdict};
use super::teaching::verdict;
use crate::lab::LabError;
use crate::training::plan_in;
use crate::training::recipe::{TrainingRecipe, compare, follow, player_of};
use gammond_job::Control;
use gammond_nets::SMALL_RECIPE;
use std::fmt::Write as _;
use std::path::Path;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "recipe-twice",
        claim: "the small recipe, followed twice with other seeds, ends with nets that play alike",
        here: "nets/small.toml with three seeds; static play, luck taken out, 4,000 games between any two",
        work: recipe_twice,
    },
    Experiment {
        name: "activations",
        claim: "nets whose first layer passes on squares learn more from the same labels than those with clipped sums, and most with a \
                limit of 2 in the first layer and none in the second",
        here: "404-128-32-5 from random weights on the labels of the small recipe's last stage, six passes; static play, luck taken out, \
               4,000 games",
        work: activations,
    },
];

/// Games between two nets.
const GAMES: u64 = 4_000;

/// The small recipe and what follows it, with seeds of its own; it measures nothing by itself.
fn small(more: &str, seed: u64) -> Result<TrainingRecipe, LabError> {
    let text = format!("{SMALL_RECIPE}\n{more}");
    let mut recipe: TrainingRecipe = plan_in(&text, Path::new("nets/small.toml"))?;
    for (number, stage) in (0..).zip(&mut recipe.stage) {
        stage.plan.seed = 1_000 * seed + number;
    }
    recipe.measure = None;
    Ok(recipe)
}

fn recipe_twice(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let mut folders = Vec::new();
    for seed in lab_context.seed..lab_context.seed + 3 {
        let folder = lab_context.folder.join(format!("recipe-twice-{seed}"));
        if !follow(&small("", seed)?, &folder, &mut |_| {}, control)? {
            return Ok(None);
        }
        folders.push((seed, folder.join("nets")));
    }
    let (mut parts, mut alike) = (Vec::new(), true);
    for [one, two] in [[0, 1], [0, 2], [1, 2]] {
        let [(a, one), (b, two)] = [&folders[one], &folders[two]];
        let dice = (GAMES, lab_context.seed);
        let Some([points, error]) = compare(one, &player_of(two), dice, control)? else {
            return Ok(None);
        };
        alike &= points.abs() < 2.58 * error;
        parts.push(format!(
            "seed {a} against seed {b}: {points:+.4} +- {error:.4}"
        ));
    }
    Ok(Some(LabFinding {
        result: format!("points per game: {}", parts.join("; ")),
        verdict: LabVerdict::of(alike),
    }))
}

/// Names of the nets, and what their first layers do.
const LAYERS: [(&str, &str); 3] = [
    ("clipped", ""),
    ("squares", ", squared = true"),
    ("wide", ", squared = true, wide = true"),
];

fn activations(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let mut more = String::new();
    for (name, layers) in LAYERS {
        let _ = write!(
            more,
            "[[stage]]\nname = \"{name}\"\n[stage.plan]\nseed = 1\ncontact = {{ first = 128, second = 32, hand = true{layers} }}\n\
             race = \"stage:pairs\"\nbatch = 256\nearlier = [\"stage:pairs\"]\n[[stage.plan.round]]\nlabels = 0\npool = 1000\n\
             rate = 2e-3\nrate_end = 0.02\npasses = 6\npairs = 16.0\n"
        );
    }
    let folder = lab_context
        .folder
        .join(format!("activations-{}", lab_context.seed));
    if !follow(
        &small(&more, lab_context.seed)?,
        &folder,
        &mut |_| {},
        control,
    )? {
        return Ok(None);
    }
    let nets = LAYERS.map(|(name, _)| folder.join(name).join("nets"));
    let (mut parts, mut least) = (Vec::new(), f64::INFINITY);
    for at in [0, 1] {
        let dice = (GAMES, lab_context.seed);
        let Some([points, error]) = compare(&nets[at + 1], &player_of(&nets[at]), dice, control)?
        else {
            return Ok(None);
        };
        least = least.min(points / error.max(f64::MIN_POSITIVE));
        parts.push(format!(
            "{} against {}: {points:+.4} +- {error:.4}",
            LAYERS[at + 1].0,
            LAYERS[at].0
        ));
    }
    Ok(Some(LabFinding {
        result: format!("points per game: {}", parts.join("; ")),
        verdict: verdict(least),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_recipe_has_the_stages_that_are_built_on() {
        let recipe = small("", 7).unwrap();
        assert_eq!(recipe.stage.last().unwrap().name, "pairs");
        assert_eq!(recipe.stage[1].plan.seed, 7_001);
        assert!(small("[[stage]]\nname = 3\n", 1).is_err());
    }
}
