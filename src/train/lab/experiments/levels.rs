//! Levels by error rate: whether people of a rate lose what was asked for.

use super::declaration::SeedResult;
use super::kit::ExperimentContext;
use crate::lab::LabError;
use crate::training::people::{Opponent, measured};
use gammond_engine::Engine;
use gammond_engine::people::People;
use gammond_job::Control;

/// Matches of a seed at each rate: five seeds have a thousand games and more.
const MATCHES: usize = 40;
pub(super) fn levels(
    opponent: Opponent,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let matches = (MATCHES, lab_context.seed);
    let one = |pr| measured(People::built_in(), pr, opponent, matches, &engine, control);
    let asked = lab_context.measures.iter().filter_map(|pr| pr.parse().ok());
    let rates: Option<Vec<f64>> = asked.map(one).collect();
    Ok(rates.map(SeedResult::from))
}

#[cfg(test)]
mod tests {
    #[test]
    fn measures_are_error_rates() {
        for name in ["levels", "levels-static"] {
            let measures = &super::super::named(name).unwrap().measures;
            assert!(measures.iter().all(|pr| pr.parse::<f64>().is_ok()));
        }
    }
}
