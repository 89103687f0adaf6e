//! Change of the values of positions with each ply, by group.
//!
//! A search plays by its leaves, so a value that a ply more changes on average is wrong at one of the two depths. The
//! mean of the differences in a class shows a bias, their root mean square the noise.

use gammond_base::stats::Running;
use gammond_engine::Engine;
use gammond_engine::engine::EngineError;
use gammond_engine::query::{EvalQuery, Settings};
use gammond_engine::search::{self, Stopped};
use gammond_game::{Group, MatchState, Position, Rules};
use gammond_job::{Control, Progress};
use rayon::prelude::*;

/// Differences of the equities at two depths, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthTally {
    /// Value at `n` plies less that at `n + 1`, for the player on roll.
    pub differences: Running,
    /// Squares of the differences.
    pub squares: Running,
}

impl DepthTally {
    /// Returns the root of the mean square.
    #[must_use]
    pub fn root(&self) -> f64 {
        self.squares.mean().sqrt()
    }
}

/// A group that has positions, and a tally for each step from `n` to `n + 1` plies.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupDepths {
    /// The group.
    pub group: Group,
    /// Changes from 0 to 1 ply, from 1 to 2, and so on.
    pub steps: Vec<DepthTally>,
}

/// Positions between two calls for progress.
const STRETCH: usize = 64;

/// Returns the cubeless equities for money at 0 to `deepest` plies of each position. Of the first positions when it was
/// stopped.
///
/// # Errors
/// [`EngineError::Stopped`] when it was stopped before the first were ready.
pub fn equities(
    engine: &Engine,
    settings: &Settings,
    positions: &[Position],
    deepest: u8,
    control: &mut Control<'_>,
) -> Result<Vec<Vec<f64>>, EngineError> {
    let mut all = Vec::with_capacity(positions.len());
    let total = Some(positions.len() as u64);
    for stretch in positions.chunks(STRETCH) {
        control.report_progress(Progress::new("positions", all.len() as u64, total), false);
        let stop = &control.stop;
        let equity = |position: &Position, plies| {
            let query = EvalQuery::new(*position, MatchState::money(Rules::default()));
            let settings = Settings {
                plies,
                ..settings.clone()
            };
            let found = search::evaluate(engine.context(stop), &query, &settings)?;
            Ok(f64::from(found.chances.equity()))
        };
        let of_one = |position| (0..=deepest).map(|plies| equity(position, plies)).collect();
        let found: Result<Vec<Vec<f64>>, Stopped> = stretch.par_iter().map(of_one).collect();
        match found {
            Ok(found) => all.extend(found),
            Err(Stopped) if all.is_empty() => return Err(EngineError::Stopped),
            Err(Stopped) => break,
        }
    }
    control.report_progress(Progress::new("positions", all.len() as u64, total), true);
    Ok(all)
}

/// Returns the tallies of the groups that have positions; `equities` are those of [`equities`], position by position.
#[must_use]
pub fn by_group(positions: &[Position], equities: &[Vec<f64>]) -> Vec<GroupDepths> {
    let row = |group: Group| {
        let mut steps: Vec<DepthTally> = Vec::new();
        for (_, values) in (positions.iter().zip(equities)).filter(|(p, _)| group.holds(p)) {
            steps.resize(values.len().saturating_sub(1), DepthTally::default());
            for (tally, pair) in steps.iter_mut().zip(values.windows(2)) {
                let difference = pair[0] - pair[1];
                tally.differences.add(difference);
                tally.squares.add(difference * difference);
            }
        }
        GroupDepths { group, steps }
    };
    let mut rows: Vec<GroupDepths> = Group::ALL.into_iter().map(row).collect();
    rows.retain(|row| !row.steps.is_empty());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Class;

    #[test]
    fn steps_are_differences_of_neighbouring_depths() {
        let positions = [Position::start(); 2];
        let values = [vec![0.1, 0.3, 0.2], vec![0.1, 0.1, 0.4]];
        let rows = by_group(&positions, &values);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].group, Group::Class(Class::Contact));
        let means: Vec<f64> = (rows[0].steps.iter())
            .map(|step| step.differences.mean())
            .collect();
        assert!((means[0] + 0.1).abs() < 1e-12 && (means[1] + 0.1).abs() < 1e-12);
        assert!((rows[0].steps[0].root() - 0.02f64.sqrt()).abs() < 1e-12);
        assert!((rows[0].steps[1].root() - 0.05f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn depths_of_an_engine_are_those_of_its_evaluations() {
        let (plies, cubeless) = (Settings::plies, |plies| {
            Settings::plies(plies).with_cubeful(false)
        });
        let engine = Engine::builder().threads(1).build().unwrap();
        let start = [Position::start()];
        let settings = plies(0).with_cubeful(false);
        let found = equities(&engine, &settings, &start, 1, &mut Control::quiet()).unwrap();
        let query = EvalQuery::new(start[0], MatchState::money(Rules::default()));
        for (plies, &found) in (0..).zip(&found[0]) {
            let stop = gammond_engine::query::Stop::never();
            let value = engine.evaluate(&query, &cubeless(plies), &stop).unwrap();
            assert_eq!(found, f64::from(value.chances.equity()), "{plies}");
        }
    }
}
