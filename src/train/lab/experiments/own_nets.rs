//! Experiments with nets like those that ship, by the small recipe.

use super::declaration::SeedResult;
use super::kit::ExperimentContext;
use crate::lab::LabError;
use crate::training::plan_in;
use crate::training::recipe::{TrainingRecipe, compare, follow, player_of};
use gammond_job::Control;
use gammond_nets::SMALL_RECIPE;
use std::fmt::Write as _;
use std::path::Path;

/// Games between two nets.
const GAMES: u64 = 4_000;

/// Returns the small recipe with further stages, with seeds of its own; it measures nothing by itself.
fn small(more: &str, seed: u64) -> Result<TrainingRecipe, LabError> {
    let text = format!("{SMALL_RECIPE}\n{more}");
    let mut recipe: TrainingRecipe = plan_in(&text, Path::new("nets/small.toml"))?;
    for (number, stage) in (0..).zip(&mut recipe.stage) {
        stage.plan.seed = 1_000 * seed + number;
    }
    recipe.measure = None;
    Ok(recipe)
}

pub(super) fn recipe_twice(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let mut nets = Vec::new();
    for twin in 0..2 {
        let name = format!("recipe-twice-{}-{twin}", lab_context.seed);
        let folder = lab_context.folder.join(name);
        let seed = 2 * lab_context.seed + twin;
        if !follow(&small("", seed)?, &folder, &mut |_| {}, control)? {
            return Ok(None);
        }
        nets.push(folder.join("nets"));
    }
    let dice = (GAMES, lab_context.seed);
    let found = compare(&nets[0], &player_of(&nets[1]), dice, control)?;
    Ok(found.map(|[points, _]| vec![points.abs()].into()))
}

/// Names of the nets, and what their first layers do.
const LAYERS: [(&str, &str); 3] = [
    ("clipped", ""),
    ("squares", ", squared = true"),
    ("wide", ", squared = true, wide = true"),
];

pub(super) fn activations(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let mut more = String::new();
    for (name, layers) in LAYERS {
        let _ = write!(
            more,
            "[[stage]]\nname = \"{name}\"\n[stage.plan]\nseed = 1\ncontact = {{ first = 128, second = 32, hand = true{layers} }}\n\
             race = \"stage:pairs\"\nbatch = 256\nearlier = [\"stage:pairs\"]\n[[stage.plan.round]]\nlabels = 0\npool = 1000\n\
             rate = 2e-3\nrate_end = 0.02\npasses = 2\npairs = 16.0\n"
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
    let mut measures = Vec::new();
    for at in [0, 1] {
        let dice = (GAMES, lab_context.seed);
        match compare(&nets[at + 1], &player_of(&nets[at]), dice, control)? {
            Some([points, _]) => measures.push(points),
            None => return Ok(None),
        }
    }
    Ok(Some(measures.into()))
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
