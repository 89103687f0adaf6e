//! Experiments of the literature by name: what was claimed, and what comes out here.

mod additions;
mod climbing;
mod cycles;
mod games;
mod kit;
mod own_nets;
mod programme;
mod races;
mod teaching;
mod temporal;
mod traps;

pub use kit::{Experiment, ExperimentContext, LabFinding, LabVerdict};

/// All experiments.
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
    ]
    .concat()
}

/// The one with this name.
#[must_use]
pub fn named(name: &str) -> Option<Experiment> {
    all().into_iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_one_experiment_each() {
        let mut names = Vec::new();
        for one in all() {
            assert!(!names.contains(&one.name), "{}", one.name);
            names.push(one.name);
            assert_eq!(named(one.name).unwrap().claim, one.claim);
            assert!(!one.claim.contains("  ") && !one.claim.contains('\n'));
        }
        assert!(named("none").is_none());
    }
}
