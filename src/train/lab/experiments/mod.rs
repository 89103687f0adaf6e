//! Experiments of the literature by name: the claims, and their results here.

mod additions;
mod climbing;
mod cycles;
mod declaration;
mod games;
mod kit;
mod levels;
mod own_nets;
mod programme;
mod races;
mod runner;
mod teaching;
mod temporal;
mod traps;

pub use declaration::{
    Claim, Expected, Experiment, Figure, GUARD, Half, JudgedHalf, LabVerdict, SeedResult, figure,
};
pub use kit::ExperimentContext;
pub use runner::{LabFinding, LabRun};

use crate::lab::LabError;
use crate::training::people::Opponent;
use declaration::parse_experiments;
use gammond_game::Class;
use gammond_job::Control;
use std::sync::LazyLock;

/// Function that runs one seed; returns `None` if it was stopped.
type Work = fn(&ExperimentContext<'_>, &mut Control<'_>) -> Result<Option<SeedResult>, LabError>;

/// The work of each experiment of `experiments.toml`, by name.
const WORKS: [(&str, Work); 34] = [
    ("random-even", games::random_even),
    ("expectiminimax-1", |context, control| {
        games::expectiminimax(1, context, control)
    }),
    ("expectiminimax-2", |context, control| {
        games::expectiminimax(2, context, control)
    }),
    ("expectiminimax-10000", games::expectiminimax_many),
    ("expectiminimax-gnubg", games::expectiminimax_gnubg),
    ("td0", |context, control| {
        temporal::td(0.0, context, control)
    }),
    ("td-lambda", |context, control| {
        temporal::td(0.7, context, control)
    }),
    ("representations", temporal::representations),
    ("learning-rates", temporal::rates),
    ("td-or-monte-carlo", temporal::monte_carlo),
    ("contact-inputs", temporal::representations),
    ("swap-sides", temporal::swap_sides),
    ("hillclimb", |context, control| {
        climbing::rounds([1_000, 0], 0.1, context, control)
    }),
    ("hillclimb-10000", |context, control| {
        climbing::rounds([10_000, 200], 0.0, context, control)
    }),
    ("hillclimb-100000", |context, control| {
        climbing::rounds([100_000, 200], 0.0, context, control)
    }),
    ("curriculum", climbing::curriculum),
    ("borne-off", races::borne_off),
    ("race-epochs", races::epochs),
    ("borne-off-worth", races::worth),
    ("race-gain", races::gain),
    ("race-disagreements", races::race_disagreements),
    ("crashed-labels", programme::crashed_labels),
    ("disagreements", programme::disagreements),
    ("alpha-30-to-1", programme::alphas),
    ("cube-disagreements", additions::cube_disagreements),
    ("more-data", additions::more_data),
    ("late-races", traps::late_races),
    ("behind-a-prime", traps::behind_a_prime),
    ("disagreement-cycles", |context, control| {
        cycles::cycles(Class::Contact, context, control)
    }),
    ("disagreement-cycles-crashed", |context, control| {
        cycles::cycles(Class::Crashed, context, control)
    }),
    ("recipe-twice", own_nets::recipe_twice),
    ("activations", own_nets::activations),
    ("levels", |context, control| {
        levels::levels(Opponent::Itself, context, control)
    }),
    ("levels-static", |context, control| {
        levels::levels(Opponent::Static, context, control)
    }),
];

/// Returns the work of the experiment with this name.
fn work(name: &str) -> Option<Work> {
    let found = WORKS.iter().find(|(own, _)| *own == name);
    found.map(|(_, work)| *work)
}

/// Returns all experiments, in the order of their declarations.
#[must_use]
pub fn all() -> &'static [Experiment] {
    static ALL: LazyLock<Vec<Experiment>> =
        LazyLock::new(
            || match parse_experiments(include_str!("experiments.toml")) {
                Ok(all) => all,
                Err(error) => unreachable!("a test parses the file: {error}"),
            },
        );
    &ALL
}

/// Returns the experiment with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Experiment> {
    all().iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_whole() {
        let names: Vec<&str> = all().iter().map(|one| one.name.as_str()).collect();
        // In the same order, so that none lacks its work and no work its declaration.
        assert_eq!(names, WORKS.map(|(name, _)| name));
        for (number, one) in all().iter().enumerate() {
            assert!(!names[..number].contains(&names[number]), "{one:?}");
            for (_, measure) in one.rule.iter().flat_map(|half| &half.sum) {
                assert!(one.measures.contains(measure), "{}: {measure}", one.name);
            }
            // A claim needs a rule, and fewer seeds than five a cost of over 20 minutes.
            let rule = one.rule.iter().any(|half| !half.beside);
            assert!(one.claim.is_none() || rule, "{}", one.name);
            assert!(
                one.seeds >= 5 || (one.seeds >= 3 && one.cost > 1_200),
                "{}",
                one.name
            );
        }
        assert!(named("none").is_none() && work("none").is_none());
    }
}
