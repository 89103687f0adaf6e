//! Building blocks of experiments.

use crate::lab::{LabError, TestScore, Tests, TrainingLoop, run_training};
use crate::player::classic::{ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides};
use crate::player::{Player, PlayerSpec};
use crate::training::curve::{self, Point};
use gammond_base::journal::write_whole;
use gammond_job::{Control, Progress};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Verdict on a published claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabVerdict {
    /// It holds here.
    Reproduced,
    /// It does not.
    Refuted,
    /// The figures do not decide it.
    Open,
    /// No figure was published; here is one.
    Extended,
}

impl LabVerdict {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LabVerdict::Reproduced => "reproduced",
            LabVerdict::Refuted => "refuted",
            LabVerdict::Open => "open",
            LabVerdict::Extended => "extended",
        }
    }

    pub(super) const fn of(holds: bool) -> LabVerdict {
        match holds {
            true => LabVerdict::Reproduced,
            false => LabVerdict::Refuted,
        }
    }
}

/// Result of an experiment.
#[derive(Clone, Debug)]
pub struct LabFinding {
    /// The figures, on one line.
    pub result: String,
    /// Verdict of the figures on the claim.
    pub verdict: LabVerdict,
}

/// Context in which an experiment runs.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentContext<'a> {
    /// The folder in which its training is kept, so that it goes on after a kill, and its curves.
    pub folder: &'a Path,
    /// Weights of gnubg's, for experiments that want them.
    pub gnubg: Option<&'a Path>,
    /// Seed of all random numbers in it.
    pub seed: u64,
}

/// Function that runs an experiment; returns `None` if it was stopped.
pub(super) type Work =
    fn(&ExperimentContext<'_>, &mut Control<'_>) -> Result<Option<LabFinding>, LabError>;

/// An experiment.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Its name.
    pub name: &'static str,
    /// Published claim.
    pub claim: &'static str,
    /// Description of the experiment as done here.
    pub here: &'static str,
    pub(super) work: Work,
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Experiment {
    /// Does it; none when it was stopped.
    ///
    /// # Errors
    /// [`LabError`].
    pub fn run(
        &self,
        lab_context: &ExperimentContext<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<LabFinding>, LabError> {
        control.task = self.name.to_owned();
        (self.work)(lab_context, control)
    }
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

    /// Keeps learning curves as a file that `gammond train curve` draws. A file of another program is left as it is.
    pub(super) fn keep_curves(
        &self,
        name: &str,
        axes: [&str; 2],
        series: &[(String, Vec<Point>)],
    ) -> Result<(), LabError> {
        let path = self.folder.join(format!("{name}-{}.csv", self.seed));
        let text = curve::csv(axes, series);
        let head = text.lines().next().unwrap_or_default();
        if let Ok(there) = gammond_base::files::read(&path, gammond_base::files::TEXT_BYTES_MAX)
            && !there.starts_with(head.as_bytes())
        {
            return Err(LabError::Target {
                path,
                found: "no learning curve of this work".to_owned(),
            });
        }
        write_whole(&path, text.as_bytes()).map_err(LabError::in_file(&path))
    }
}

pub(super) fn player(text: &str) -> Result<Box<dyn Player>, LabError> {
    Ok(text.parse::<PlayerSpec>()?.open()?)
}

/// Not the dice of the games that nets learn from.
pub(super) const fn test_seed(seed: u64) -> u64 {
    seed ^ 0x7465_7374
}

/// So many games of a net against a player.
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

/// 1,000 games against random plays and 1,000 against PubEval.
pub(super) fn scores(
    net: &ClassicNet,
    lab_context: &ExperimentContext<'_>,
    control: &Control<'_>,
) -> Result<Option<[TestScore; 2]>, LabError> {
    let random = score(net, ("random", 1_000), lab_context, control)?;
    let pubeval = score(net, ("pubeval", 1_000), lab_context, control)?;
    Ok(random
        .zip(pubeval)
        .map(|(random, pubeval)| [random, pubeval]))
}

/// Returns the verdict on a claimed share of wins: whether the 95 % interval lies above it, below it, or contains it.
pub(super) fn above(score: &TestScore, claim: f64) -> LabVerdict {
    if score.share() - score.reach() > claim {
        LabVerdict::Reproduced
    } else if score.share() + score.reach() < claim {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    }
}

pub(super) fn described([random, pubeval]: &[TestScore; 2], claim: f64) -> LabFinding {
    LabFinding {
        result: format!("against random: {random}; against PubEval: {pubeval}"),
        verdict: above(random, claim),
    }
}

/// A net with one hidden layer of 20 neurons and one output.
pub(super) fn small(representation: Representation) -> Result<ClassicShape, LabError> {
    ClassicShape::new(representation, &[20], 1).map_err(LabError::Shape)
}

/// Scores after each of so many games or rounds as the points of a curve.
pub(super) fn points(scores: &[TestScore], every: u64) -> Vec<Point> {
    let at = |(step, score): (u64, &TestScore)| Point {
        x: (step * every) as f64,
        y: score.points[0],
        error: score.points[1],
    };
    (1..).zip(scores).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_written_over_curves_only() {
        let folder = tempfile::tempdir().unwrap();
        let lab_context = ExperimentContext {
            folder: folder.path(),
            gnubg: None,
            seed: 3,
        };
        let point = Point {
            x: 1.0,
            y: 0.5,
            error: 0.1,
        };
        let series = [("a".to_owned(), vec![point])];
        let keep = || lab_context.keep_curves("x", ["games", "points"], &series);
        keep().unwrap();
        keep().unwrap();
        let path = folder.path().join("x-3.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "games,points,standard error,name\n1,0.5000,0.1000,a\n"
        );
        std::fs::write(&path, "my thesis\n").unwrap();
        assert!(keep().unwrap_err().to_string().contains("left unchanged"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my thesis\n");
    }

    #[test]
    fn verdicts_need_the_whole_interval() {
        let score = |wins| TestScore {
            games: 1000,
            wins,
            points: [0.0; 2],
        };
        let verdicts = [930, 905, 850].map(|wins| above(&score(wins), 0.9));
        let wanted = [
            LabVerdict::Reproduced,
            LabVerdict::Open,
            LabVerdict::Refuted,
        ];
        assert_eq!(verdicts, wanted);
    }
}
