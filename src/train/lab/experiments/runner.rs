//! Runs an experiment: its seeds are the parts of a job, so it resumes after a kill and can be shared among machines.

use super::declaration::{Experiment, JudgedHalf, LabVerdict, SeedResult};
use super::kit::ExperimentContext;
use super::{Work, work};
use crate::lab::LabError;
use crate::platform;
use crate::training::curve;
use gammond_base::journal::write_whole;
use gammond_base::stop::Stop;
use gammond_job::{BadPart, Control, Header, Job, Progress, Runner};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Seeds of one `--seed N` begin at `N` times this.
const SEED_STRIDE: u64 = 100;

/// Settings of a run of experiments.
#[derive(Clone, Copy, Debug)]
pub struct LabRun<'a> {
    /// Folder of journals and curves.
    pub folder: &'a Path,
    /// Weights of gnubg's, for experiments that need them.
    pub gnubg: Option<&'a Path>,
    /// Number of the set of seeds.
    pub seed: u64,
    /// Number of seeds; the declared number if none.
    pub seeds: Option<u64>,
}

/// Result of an experiment.
#[derive(Clone, Debug)]
pub struct LabFinding {
    /// Measures of each seed.
    pub seeds: Vec<SeedResult>,
    /// The halves of the claim with their figures.
    pub judged: Vec<JudgedHalf>,
    /// Verdict on the claim.
    pub verdict: LabVerdict,
    /// CPU seconds of all runs of this experiment; none where the system has no such count.
    pub cpu_seconds: Option<f64>,
}

/// CPU time of an experiment, over stops and kills.
struct CostMeter {
    path: PathBuf,
    /// Seconds so far, and the reading of the process's clock at which they were counted.
    counted: Mutex<(f64, Option<f64>)>,
}

impl CostMeter {
    fn open(path: PathBuf) -> CostMeter {
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let known = known.trim().parse().unwrap_or(0.0);
        CostMeter {
            path,
            counted: Mutex::new((known, platform::cpu_seconds())),
        }
    }

    /// Counts the time since the last count, and keeps the sum.
    fn count(&self) -> Result<Option<f64>, LabError> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let now = platform::cpu_seconds();
        let (Some(now), Some(last)) = (now, counted.1) else {
            return Ok(None);
        };
        *counted = (counted.0 + (now - last), Some(now));
        let text = format!("{:.1}\n", counted.0);
        write_whole(&self.path, text.as_bytes()).map_err(LabError::in_file(&self.path))?;
        Ok(Some(counted.0))
    }
}

/// An experiment as a job: a part is a seed.
struct Seeds<'a> {
    experiment: &'a Experiment,
    work: Work,
    run: &'a LabRun<'a>,
    cost: CostMeter,
}

impl Seeds<'_> {
    fn count(&self) -> u64 {
        let count = self.run.seeds.unwrap_or(self.experiment.seeds);
        count.min(SEED_STRIDE)
    }
}

impl Job for Seeds<'_> {
    type Sum = Vec<SeedResult>;
    type Error = LabError;

    fn header(&self) -> Header {
        let gnubg = self.run.gnubg.map(|path| path.display().to_string());
        Header::new("lab-experiment", 1)
            .field("experiment", &self.experiment.name)
            .field("conditions", &self.experiment.conditions)
            .field("measures", self.experiment.measures.join("; "))
            .field("gnubg", gnubg.unwrap_or_default())
            .field("seed", self.run.seed)
    }

    fn start(&self) -> Vec<SeedResult> {
        Vec::new()
    }

    fn parts(&self) -> Option<u64> {
        Some(self.count())
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, LabError> {
        let lab_context = ExperimentContext {
            folder: self.run.folder,
            gnubg: self.run.gnubg,
            measures: &self.experiment.measures,
            seed: SEED_STRIDE.saturating_mul(self.run.seed) + number,
        };
        let mut control = Control::new(stop.clone(), |_| {});
        self.experiment.name.clone_into(&mut control.task);
        let found = (self.work)(&lab_context, &mut control)?;
        self.cost.count()?;
        // Numbers only: this cannot fail.
        Ok(found.and_then(|found| serde_json::to_vec(&found).ok()))
    }

    fn merge(&self, sum: &mut Vec<SeedResult>, _: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let found: SeedResult = serde_json::from_slice(bytes).map_err(|_| BadPart)?;
        if found.measures.len() != self.experiment.measures.len() {
            return Err(BadPart);
        }
        sum.push(found);
        Ok(())
    }

    fn progress(&self, _: &Vec<SeedResult>, parts: u64) -> Progress {
        Progress::new("seeds", parts, self.parts())
    }
}

impl Experiment {
    /// Returns the path of a file of this experiment and set of seeds.
    fn file(&self, run: &LabRun<'_>, ending: &str) -> PathBuf {
        run.folder
            .join(format!("{}.seeds-{}.{ending}", self.name, run.seed))
    }

    /// Runs all seeds, or resumes them; `None` if it was stopped.
    ///
    /// # Errors
    /// [`LabError`]. Seeds that are done are in the journal.
    pub fn run(
        &self,
        run: &LabRun<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<LabFinding>, LabError> {
        match work(&self.name) {
            Some(work) => self.run_work(work, run, control),
            None => unreachable!("a test finds the work of each experiment"),
        }
    }

    fn run_work(
        &self,
        work: Work,
        run: &LabRun<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<LabFinding>, LabError> {
        self.name.clone_into(&mut control.task);
        let job = Seeds {
            experiment: self,
            work,
            run,
            cost: CostMeter::open(self.file(run, "cost")),
        };
        let journal = self.file(run, "journal");
        let end = Runner::new().journal(Some(&journal)).run(&job, control);
        let end = end.map_err(|error| LabError::Seeds(Box::new(error)))?;
        let cpu_seconds = job.cost.count()?;
        if !end.complete {
            return Ok(None);
        }
        let mut seeds = end.sum;
        seeds.truncate(job.count() as usize);
        let bands = self.bands(&seeds);
        if !bands.is_empty() {
            let path = self.file(run, "csv");
            let text = curve::csv(self.axes.each_ref().map(String::as_str), &bands);
            write_whole(&path, text.as_bytes()).map_err(LabError::in_file(&path))?;
        }
        let judged = self.judged(&seeds);
        Ok(Some(LabFinding {
            verdict: self.verdict(&judged),
            seeds,
            judged,
            cpu_seconds,
        }))
    }

    /// Returns the CPU seconds that the declared seeds are expected to cost.
    #[must_use]
    pub fn expected_cost(&self, run: &LabRun<'_>) -> u64 {
        u64::from(self.cost) * run.seeds.unwrap_or(self.seeds)
    }

    /// Returns the expected cost less what earlier runs have used, in CPU seconds.
    #[must_use]
    pub fn remaining_cost(&self, run: &LabRun<'_>) -> f64 {
        let cost = CostMeter::open(self.file(run, "cost"));
        let used = cost
            .counted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        (self.expected_cost(run) as f64 - used).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::declaration::{Claim, Expected, Half};
    use super::*;

    fn counted() -> Experiment {
        Experiment {
            name: "counted".to_owned(),
            claim: Some(Claim {
                text: "seeds are numbers above 100".to_owned(),
                source: "none".to_owned(),
            }),
            question: String::new(),
            conditions: String::new(),
            measures: ["seed", "double"].map(str::to_owned).to_vec(),
            rule: vec![Half {
                text: "above".to_owned(),
                sum: vec![(1.0, "seed".to_owned())],
                expected: Expected::Above(100.0),
                beside: false,
            }],
            seeds: 3,
            cost: 1,
            before: String::new(),
            axes: ["games", "points"].map(str::to_owned),
        }
    }

    const COUNT: Work = |lab_context, _| {
        let seed = lab_context.seed as f64;
        Ok(Some(SeedResult {
            measures: vec![seed, 2.0 * seed],
            curves: vec![("a".to_owned(), vec![[1.0, seed]])],
        }))
    };
    const FAIL: Work = |_, _| Err(LabError::NoWeights);

    #[test]
    fn seeds_are_parts_that_a_second_run_takes_from_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let run = LabRun {
            folder: folder.path(),
            gnubg: None,
            seed: 2,
            seeds: None,
        };
        let tried = |experiment: &Experiment, work, run: &LabRun<'_>| {
            experiment.run_work(work, run, &mut Control::quiet())
        };
        let found = tried(&counted(), COUNT, &run).unwrap().unwrap();
        let numbers: Vec<f64> = found.seeds.iter().map(|one| one.measures[0]).collect();
        assert_eq!(
            (numbers, found.verdict),
            (vec![200.0, 201.0, 202.0], LabVerdict::Reproduced)
        );
        let csv = folder.path().join("counted.seeds-2.csv");
        let text = std::fs::read_to_string(csv).unwrap();
        assert_eq!(text.lines().nth(1), Some("1,201.0000,0.5774,a"));
        // A run of other conditions computes nothing: seeds that are not in the journal would fail.
        assert!(tried(&counted(), FAIL, &run).unwrap().is_some());
        let more = LabRun {
            seeds: Some(5),
            ..run
        };
        assert!(tried(&counted(), FAIL, &more).is_err());
        let found = tried(&counted(), COUNT, &more).unwrap().unwrap();
        assert_eq!(found.seeds.len(), 5);
        let others = Experiment {
            conditions: "others".to_owned(),
            ..counted()
        };
        assert!(tried(&others, COUNT, &run).is_err());
    }
}
