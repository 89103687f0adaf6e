//! A training run: rounds of sampling and training that follow one TOML file.
//!
//! All files of the run are in its folder: `round-N.labels` (a journal), `round-N-KIND.net` (float nets after each
//! round), `log.jsonl`, and `run.journal` with the checksums of all of them. A killed run resumes with the same
//! command: whole records of the labels are kept, the round that was being trained is trained again from its start,
//! and the results are the same as without the kill. A folder of another plan or with changed files is refused.

pub use super::error::RunError;
use super::error::in_file;
use super::net::Net;
use super::plan::origin;
pub use super::plan::{BadWeight, Origin, Plan, Round, Weights};
pub(crate) use super::round_training::TRAINED;
use super::round_training::{RoundTraining, TrainedNet};
use super::run_journal::{RunJournal, earlier_labels, labels_path, net_path};
use super::sample::{SampleJob, fill};
use super::shard::{Label, at_horizon, unpack};
use super::starts::Starts;
use gammond_base::checksum::sha256;
use gammond_base::files::{self, create_folder};
use gammond_engine::eval::nets::{NetEvaluator, Role};
use gammond_game::{Group, Position};
use gammond_job::{Control, Header, Runner};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The nets of a run between two rounds.
#[derive(Clone, Debug)]
pub struct RunNets {
    /// Nets of the plan.
    nets: BTreeMap<Role, Net>,
    /// Pruning net that the plan names: its path and the contents of the file.
    pruning: Option<(PathBuf, Vec<u8>)>,
}

/// Returns the nets after `round` rounds of the run in `folder`, if they are all there.
///
/// # Errors
/// When the plan's own nets cannot be read.
pub fn nets(plan: &Plan, folder: &Path, round: usize) -> Result<Option<RunNets>, RunError> {
    let mut nets = BTreeMap::new();
    for role in TRAINED.into_iter().chain([Role::Fast]) {
        let Some((from, seed)) = plan.origin(role) else {
            continue;
        };
        // The fast net is not trained.
        let net = if round == 0 || role == Role::Fast {
            origin(from, seed)?
        } else {
            match Net::load(&net_path(folder, round, role.name())) {
                Ok(net) => net,
                // A required net is missing: the round is not finished.
                Err(_) => return Ok(None),
            }
        };
        nets.insert(role, net);
    }
    let pruning = match &plan.pruning {
        None => None,
        Some(path) => {
            let bytes = files::read(path, gammond_engine::nn::format::FILE_BYTES_MAX);
            Some((path.clone(), bytes.map_err(in_file(path))?))
        }
    };
    Ok(Some(RunNets { nets, pruning }))
}

impl RunNets {
    /// Returns the nets rounded to integers, with the exact tables.
    ///
    /// # Errors
    /// When weights have grown out of the integers' range.
    pub fn evaluator(&self, name: &str) -> Result<NetEvaluator, RunError> {
        let evaluator = NetEvaluator::from_files(&self.files(name)?)?;
        Ok(match &self.pruning {
            None => evaluator,
            Some((path, bytes)) => evaluator.with_pruning(&path.display().to_string(), bytes)?,
        })
    }

    /// Returns a checksum of what [`RunNets::evaluator`] is made of.
    fn checksum(&self) -> Result<String, RunError> {
        let files = self.files("candidate")?;
        let pruning = self.pruning.iter().map(|(_, bytes)| bytes);
        let bytes = files.iter().map(|(_, bytes)| bytes).chain(pruning);
        let bytes: Vec<&[u8]> = bytes.map(Vec::as_slice).collect();
        Ok(sha256(&bytes.concat()))
    }

    fn files(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, RunError> {
        let named = |(role, bytes): (Role, Vec<u8>)| (format!("{name} {}", role.name()), bytes);
        Ok(self.integers(name)?.into_iter().map(named).collect())
    }

    /// Returns the files of the nets rounded to integers.
    pub(super) fn integers(&self, name: &str) -> Result<Vec<(Role, Vec<u8>)>, RunError> {
        let rounded = |(role, net): (&Role, &Net)| Ok((*role, net.to_integer(name, role.name())?));
        self.nets.iter().map(rounded).collect()
    }
}

/// Runs or resumes all rounds of `plan` in `folder`; returns false if `control` stopped it before the end. `report`
/// receives the lines of the log.
///
/// # Errors
/// [`RunError`].
pub fn run(
    plan: &Plan,
    folder: &Path,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    create_folder(folder).map_err(in_file(folder))?;
    let rounds = plan.rounds();
    let mut run_journal = RunJournal::open(plan, &rounds, folder)?;
    let done = run_journal.done();
    run_journal.check(done, "")?;
    // A farm counts the jobs of a command: those of finished rounds begin too.
    let first = if control.remote.is_some() { 0 } else { done };
    for (index, round) in rounds.iter().enumerate().skip(first) {
        let number = index + 1;
        let Some(nets) = nets(plan, folder, index)? else {
            return Err(RunError::Plan {
                path: folder.to_owned(),
                reason: format!("the nets of round {index} are missing or damaged"),
            });
        };
        if !sample(plan, folder, number, round, &nets, control)? {
            return Ok(false);
        }
        let pool = pool(plan, &run_journal, folder, number, round)?;
        let Some(log) = train(plan, folder, number, round, nets, &pool, control)? else {
            return Ok(false);
        };
        if index < done {
            continue;
        }
        log.iter().for_each(|line| report(line));
        let mut names: Vec<PathBuf> = (TRAINED.iter())
            .map(|role| net_path(Path::new(""), number, role.name()))
            .collect();
        names.push(labels_path(Path::new(""), number));
        let names = names.iter().map(|name| name.display().to_string());
        run_journal.finish(round, names.collect(), log)?;
        if control.stop.is_triggered() && number < rounds.len() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Plays until the round has its labels; false when it was stopped before.
fn sample(
    plan: &Plan,
    folder: &Path,
    number: usize,
    round: &Round,
    nets: &RunNets,
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    if round.labels == 0 {
        return Ok(true);
    }
    let job = SampleJob {
        header: Header::new("labels", 3)
            .field("round", number)
            .field("nets", nets.checksum()?),
        seed: plan.seed.wrapping_mul(1_000_003) + number as u64,
        labels: round.labels,
        games: round.games,
        starts: starts(plan, round)?,
    };
    let evaluator = nets.evaluator("candidate")?;
    control.task = format!("round {number}: games");
    let path = labels_path(folder, number);
    Ok(fill(&path, &job, &evaluator, control)?.complete)
}

/// Most positions of a group that games begin with.
const STARTS_MAX: usize = 200_000;

/// Returns the positions of earlier labels that games of a round begin with: of each group the first ones, none twice.
fn starts(plan: &Plan, round: &Round) -> Result<Starts, RunError> {
    let mut starts = Starts::default();
    let mut sets: Vec<(Group, f32, Vec<Position>)> = (round.starts.groups().iter())
        .map(|&(group, share)| (group, share, Vec::new()))
        .collect();
    if sets.is_empty() {
        return Ok(starts);
    }
    let mut known = HashSet::new();
    for (_, path) in plan.earlier.iter().flat_map(|run| earlier_labels(run)) {
        for record in gammond_base::journal::read_records(&path)? {
            for label in unpack(&record) {
                let position = label.position;
                for (group, _, positions) in &mut sets {
                    let is_wanted = positions.len() < STARTS_MAX && group.holds(&position);
                    if is_wanted && known.insert((*group, position)) {
                        positions.push(position);
                    }
                }
            }
        }
    }
    for (group, share, positions) in sets {
        if positions.is_empty() {
            return Err(RunError::Plan {
                path: plan.earlier.first().cloned().unwrap_or_default(),
                reason: format!("starts: no position of the group {group} among its labels"),
            });
        }
        starts = starts.with(share.into(), positions);
    }
    Ok(starts)
}

/// Returns the labels of the last `rounds` rounds up to `number`, and of the earlier runs.
fn pool(
    plan: &Plan,
    run_journal: &RunJournal,
    folder: &Path,
    number: usize,
    round: &Round,
) -> Result<Vec<Label>, RunError> {
    let rounds = round.pool;
    let mut pool = Vec::new();
    let mut read = |path: &Path| -> Result<(), RunError> {
        for record in gammond_base::journal::read_records(path)? {
            pool.append(&mut at_horizon(unpack(&record), round.horizon));
        }
        Ok(())
    };
    if rounds > number {
        for earlier in &plan.earlier {
            for (_, path) in earlier_labels(earlier) {
                read(&path)?;
            }
        }
    }
    for round in (number + 1).saturating_sub(rounds).max(1)..=number {
        let path = labels_path(folder, round);
        // Those of this round were checked when they were made.
        run_journal.check(
            round,
            &labels_path(Path::new(""), round).display().to_string(),
        )?;
        if path.exists() {
            read(&path)?;
        }
    }
    Ok(pool)
}

/// Trains the nets of a round, rounds their first layers, and returns the lines of the log; none when it was stopped before.
fn train(
    plan: &Plan,
    folder: &Path,
    number: usize,
    round: &Round,
    nets: RunNets,
    pool: &[Label],
    control: &mut Control<'_>,
) -> Result<Option<Vec<String>>, RunError> {
    let nets = nets.nets;
    let training = RoundTraining {
        plan,
        number,
        round,
        nets,
        pool,
    };
    let roles = training.roles();
    let mut log = Vec::new();
    let mut keep = |role: Role, TrainedNet { net, line }: TrainedNet| {
        let path = net_path(folder, number, role.name());
        log.extend(line);
        net.save(&path).map_err(in_file(&path))
    };
    if control.remote.is_some() {
        control.task = format!("round {number}: training");
        let end = Runner::new().run(&training, control)?;
        if !end.complete {
            return Ok(None);
        }
        for (role, trained) in roles.into_iter().zip(end.sum) {
            keep(role, trained)?;
        }
        return Ok(Some(log));
    }
    for role in roles {
        // A task of its own: its steps are counted and timed from its own beginning.
        control.task = format!("round {number}: training {}", role.name());
        match training.trained(role, control) {
            Some(trained) => keep(role, trained)?,
            None => return Ok(None),
        }
    }
    Ok(Some(log))
}
