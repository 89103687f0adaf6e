//! Experiments with nets like those that ship, by the small recipe.

use super::declaration::{AXES, Claim, Expected, Experiment, SEEDS, SeedResult, half};
use super::kit::ExperimentContext;
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
        claim: Some(Claim {
            text: "the small recipe, followed twice with other seeds, ends with nets that play alike",
            source: "this project's training recipes; nothing published",
        }),
        question: "Does a training recipe end with the same strength whatever its seed?",
        conditions: "nets/small.toml, followed twice with other seeds; static play of the two nets, luck taken out, 4,000 \
                     games; alike means no further apart than 0.01 points per game",
        measures: &["apart, points per game"],
        rule: &[half(
            "less than 0.01 points per game apart",
            &[(1.0, "apart, points per game")],
            Expected::Below(0.01),
        )],
        seeds: SEEDS,
        cost: 700,
        before: "refuted",
        axes: AXES,
        work: recipe_twice,
    },
    Experiment {
        name: "activations",
        claim: Some(Claim {
            text: "nets whose first layer passes on squares learn more from the same labels than those with clipped sums, and \
                   most with a limit of 2 in the first layer and none in the second",
            source: "this project's training notes; nothing published",
        }),
        question: "Which activations learn most from the same labels?",
        conditions: "404-128-32-5 from random weights on the labels of the small recipe's last stage, two passes in place of \
                     six; static play, luck taken out, 4,000 games; points per game",
        measures: &["squares against clipped", "wide against squares"],
        rule: &[
            half(
                "squares better than clipped sums",
                &[(1.0, "squares against clipped")],
                Expected::Above(0.0),
            ),
            half(
                "wide limits better than squares",
                &[(1.0, "wide against squares")],
                Expected::Above(0.0),
            ),
        ],
        seeds: SEEDS,
        cost: 800,
        before: "open",
        axes: AXES,
        work: activations,
    },
];

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

fn recipe_twice(
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

fn activations(
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
