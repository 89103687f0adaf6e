//! Building blocks of experiments.

use crate::lab::{LabError, TestScore, Tests, TrainingLoop, run_training};
use gammond_arena::player::classic::{
    ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides,
};
use gammond_arena::player::{Player, PlayerSpec};
use gammond_job::{Control, Progress};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Context in which one seed of an experiment runs.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentContext<'a> {
    /// The folder in which its training is kept, so that it resumes after a kill.
    pub folder: &'a Path,
    /// Weights of gnubg's, for experiments that need them.
    pub gnubg: Option<&'a Path>,
    /// Declared measures; some experiments have a setting for each.
    pub measures: &'a [String],
    /// Seed of all random numbers in it.
    pub seed: u64,
}

impl ExperimentContext<'_> {
    /// Returns the path of the journal of a net's training.
    pub(super) fn journal(&self, name: &str) -> PathBuf {
        let name = name.replace(' ', "-");
        self.folder.join(format!("{name}-{}.journal", self.seed))
    }

    /// Trains nets side by side, each with its name; none when they were stopped.
    pub(super) fn train<C>(
        &self,
        control: &mut Control<'_>,
        runs: &[(String, C)],
    ) -> Result<Option<Vec<C::State>>, LabError>
    where
        C: TrainingLoop + Sync,
        C::State: Send,
    {
        let stop = control.stop.clone();
        let described = Mutex::new((control, vec![Progress::default(); runs.len()]));
        let run_experiment = |(at, (name, course)): (usize, &(String, C))| {
            let watch = |event: &gammond_job::ProgressEvent| {
                let mut described = described.lock().unwrap_or_else(PoisonError::into_inner);
                let (control, parts) = &mut *described;
                parts[at] = event.progress.clone();
                let all = runs.iter().map(|(_, course)| course.steps()).sum::<u64>();
                let per_step = event.progress.total.unwrap_or(0) / course.steps().max(1);
                let done = parts.iter().map(|part| part.done).sum();
                let progress = Progress::new(event.progress.unit, done, Some(all * per_step));
                control.report_progress(progress, false);
            };
            let mut inner = Control::new(stop.clone(), watch);
            run_training(course, Some(&self.journal(name)), &mut inner)
        };
        let ends: Result<Vec<_>, LabError> =
            runs.par_iter().enumerate().map(run_experiment).collect();
        let ends = ends?;
        let complete = ends.iter().all(|end| end.complete);
        Ok(complete.then(|| ends.into_iter().map(|end| end.state).collect()))
    }
}

pub(super) fn player(text: &str) -> Result<Box<dyn Player>, LabError> {
    Ok(text.parse::<PlayerSpec>()?.open()?)
}

/// Returns a seed that differs from those of the games that nets learn from.
pub(super) const fn test_seed(seed: u64) -> u64 {
    seed ^ 0x7465_7374
}

/// Plays so many games of a net against a player.
pub(super) fn score(
    net: &ClassicNet,
    (opponent, games): (&str, u64),
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<TestScore>, LabError> {
    let own = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let opponent = player(opponent)?;
    let tests = Tests {
        opponent: &*opponent,
        games,
        seed: test_seed(lab_context.seed),
    };
    tests.of(&own, &control.stop)
}

/// Returns the share of wins of a net in 1,000 games against random plays, and in 1,000 against `PubEval`, in
/// percent, and its points per game in the latter.
pub(super) fn strength(
    net: &ClassicNet,
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<[f64; 3]>, LabError> {
    let random = score(net, ("random", 1_000), lab_context, control)?;
    let pubeval = score(net, ("pubeval", 1_000), lab_context, control)?;
    let [random, pubeval] = match [random, pubeval] {
        [Some(random), Some(pubeval)] => [random, pubeval],
        _ => return Ok(None),
    };
    Ok(Some([
        percent(&random),
        percent(&pubeval),
        pubeval.points[0],
    ]))
}

/// Returns the share of games won, in percent.
pub(super) fn percent(score: &TestScore) -> f64 {
    100.0 * score.share()
}

/// Returns a net with one hidden layer of 20 neurons and one output.
pub(super) fn small(representation: Representation) -> Result<ClassicShape, LabError> {
    ClassicShape::new(representation, &[20], 1).map_err(LabError::Shape)
}

/// Returns the points per game after each of so many games or rounds as a curve.
pub(super) fn points(scores: &[TestScore], every: u64) -> Vec<[f64; 2]> {
    let at = |(step, score): (u64, &TestScore)| [(step * every) as f64, score.points[0]];
    (1..).zip(scores).map(at).collect()
}
