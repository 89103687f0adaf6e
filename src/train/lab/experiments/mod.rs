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
    Claim, Expected, Experiment, Figure, GUARD, Half, JudgedHalf, LabVerdict, SEEDS, SeedResult,
    figure,
};
pub use kit::ExperimentContext;
pub use runner::{LabFinding, LabRun};

/// Returns all experiments.
#[must_use]
pub fn all() -> Vec<Experiment> {
    [
        games::ALL,
        temporal::ALL,
        climbing::ALL,
        races::ALL,
        programme::ALL,
        additions::ALL,
        traps::ALL,
        cycles::ALL,
        own_nets::ALL,
        levels::ALL,
    ]
    .concat()
}

/// Returns the experiment with this name.
#[must_use]
pub fn named(name: &str) -> Option<Experiment> {
    all().into_iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_whole() {
        let mut names = Vec::new();
        for one in all() {
            assert!(!names.contains(&one.name), "{}", one.name);
            names.push(one.name);
            assert_eq!(
                named(one.name).map(|found| found.conditions),
                Some(one.conditions)
            );
            for measure in one.rule.iter().flat_map(|half| half.sum) {
                assert!(
                    one.measures.contains(&measure.1),
                    "{}: {}",
                    one.name,
                    measure.1
                );
            }
            // A claim needs a rule, and fewer seeds than five a cost of over 20 minutes.
            assert!(
                one.claim.is_none() || one.rule.iter().any(|half| !half.beside),
                "{}",
                one.name
            );
            assert!(
                one.seeds >= SEEDS || (one.seeds >= 3 && one.cost > 1_200),
                "{}",
                one.name
            );
            assert!(one.claim.is_none_or(|claim| !claim.source.is_empty()));
        }
        assert!(named("none").is_none());
    }
}
