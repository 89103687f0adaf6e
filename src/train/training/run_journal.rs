//! Journal of a training run, `run.journal` in its folder: one record for each finished round, with the round's
//! settings, the checksums of its files and its lines of the log. The journal is locked, so no two programs run in one
//! folder.

use super::error::{RunError, in_file};
use super::plan::{Origin, Plan, Round};
use gammond_base::journal::{Journal, JournalError, write_whole};
use gammond_engine::eval::nets::Role;
use gammond_job::{Difference, Header};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const NAME: &str = "run.journal";
const LOG: &str = "log.jsonl";

pub(super) fn net_path(folder: &Path, round: usize, kind: &str) -> PathBuf {
    folder.join(format!("round-{round}-{kind}.net"))
}

pub(super) fn labels_path(folder: &Path, round: usize) -> PathBuf {
    folder.join(format!("round-{round}.labels"))
}

/// One finished round.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FinishedRound {
    /// Its settings, as a [`Header`].
    settings: String,
    /// Checksums of the files that it left, by name.
    files: BTreeMap<String, String>,
    /// Its lines of the log.
    log: Vec<String>,
}

/// The journal of a run, and the folder that it has for itself.
#[derive(Debug)]
pub(super) struct RunJournal {
    folder: PathBuf,
    journal: Journal,
    rounds: Vec<FinishedRound>,
}

fn changed(path: &Path, difference: &Difference) -> RunError {
    RunError::Plan {
        path: path.to_owned(),
        reason: difference.to_string(),
    }
}

/// Returns the key of a role's net in a plan.
fn key(role: Role) -> &'static str {
    match role {
        Role::Ahead => "ahead",
        Role::Behind => "behind",
        Role::Fast => "quick",
        _ => role.name(),
    }
}

/// Returns everything that decides a run, beside its rounds.
fn header(plan: &Plan) -> Result<Header, RunError> {
    let mut rest = plan.clone();
    rest.round.clear();
    let mut header = Header::new("training run", 1).settings("plan", &rest);
    for (role, origin) in plan.origins() {
        if let Origin::File(path) | Origin::Changed { from: path, .. } = origin {
            let name = format!("contents of {}", key(role));
            header = header.file(&name, path).map_err(in_file(path))?;
        }
    }
    if let Some(path) = &plan.pruning {
        let added = header.file("contents of pruning", path);
        header = added.map_err(in_file(path))?;
    }
    for (place, folder) in plan.earlier.iter().enumerate() {
        let mut found = false;
        for (round, path) in earlier_labels(folder) {
            found = true;
            let name = format!("contents of earlier {} round {round}", place + 1);
            header = header.file(&name, &path).map_err(in_file(&path))?;
        }
        if !found {
            return Err(RunError::Plan {
                path: folder.clone(),
                reason: "earlier: no round-N.labels in it".to_owned(),
            });
        }
    }
    Ok(header)
}

/// Returns the labels of an earlier run, by round.
pub(super) fn earlier_labels(folder: &Path) -> impl Iterator<Item = (usize, PathBuf)> {
    let paths = (1..1000).map(|round| (round, labels_path(folder, round)));
    paths.filter(|(_, path)| path.exists())
}

/// Returns the settings that decide a round. The number of repetitions is not among them: each is a round of its own.
fn settings(round: &Round) -> Header {
    let round = Round {
        times: 1,
        rate_factor: 1.0,
        ..round.clone()
    };
    Header::new("round", 1).settings("round", &round)
}

impl RunJournal {
    /// Opens the ledger of the run in `folder` and compares it with the plan.
    ///
    /// # Errors
    /// When it is in use, belongs to another plan, or cannot be written.
    pub(super) fn open(
        plan: &Plan,
        rounds: &[Round],
        folder: &Path,
    ) -> Result<RunJournal, RunError> {
        let path = folder.join(NAME);
        let wanted = header(plan)?;
        if !path.exists() && folder.join("round-1-contact.net").exists() {
            return Err(RunError::Plan {
                path,
                reason: "there are rounds in the folder, but no record of the plan that made them; take another folder"
                    .to_owned(),
            });
        }
        let opened = Journal::open(&path, &wanted.text());
        let (journal, records) = opened.map_err(|error| match &error {
            JournalError::Other { found, .. } => {
                let found = Header::parse(found);
                match found.and_then(|found| wanted.difference(&found)) {
                    Some(difference) => changed(&path, &difference),
                    None => error.into(),
                }
            }
            _ => error.into(),
        })?;
        let mut run_journal = RunJournal {
            folder: folder.to_owned(),
            journal,
            rounds: Vec::new(),
        };
        for (record, number) in records.iter().zip(1..) {
            let finished: Option<FinishedRound> = serde_json::from_slice(&record.bytes).ok();
            let finished = finished.filter(|_| record.number == number);
            let finished = finished.ok_or_else(|| RunError::Plan {
                path: path.clone(),
                reason: format!("round {number}: not a record of a training run"),
            })?;
            let found = Header::parse(&finished.settings);
            let round = rounds.get(run_journal.rounds.len()).map(settings);
            if let (Some(found), Some(wanted)) = (found, round)
                && let Some(mut difference) = wanted.difference(&found)
            {
                difference.field = format!("{} (round {number})", difference.field);
                return Err(changed(&path, &difference));
            }
            run_journal.rounds.push(finished);
        }
        run_journal.write_log()?;
        Ok(run_journal)
    }

    /// Returns the number of finished rounds.
    pub(super) fn done(&self) -> usize {
        self.rounds.len()
    }

    /// Checks that the files of a finished round whose names begin with `prefix` are unchanged.
    ///
    /// # Errors
    /// If one has changed; the error names it.
    pub(super) fn check(&self, round: usize, prefix: &str) -> Result<(), RunError> {
        let Some(finished) = round.checked_sub(1).and_then(|i| self.rounds.get(i)) else {
            return Ok(());
        };
        for (name, sum) in finished
            .files
            .iter()
            .filter(|(name, _)| name.starts_with(prefix))
        {
            if checksum(&self.folder.join(name))?.as_ref() != Some(sum) {
                return Err(RunError::Plan {
                    path: self.folder.join(name),
                    reason: "not as the run left it; restore it, or begin in another folder"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Keeps a finished round: the files that it left, by name, and its lines of the log.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn finish(
        &mut self,
        round: &Round,
        names: Vec<String>,
        log: Vec<String>,
    ) -> Result<(), RunError> {
        let mut files = BTreeMap::new();
        for name in names {
            if let Some(sum) = checksum(&self.folder.join(&name))? {
                files.insert(name, sum);
            }
        }
        let finished = FinishedRound {
            settings: settings(round).text(),
            files,
            log,
        };
        let number = self.rounds.len() as u64 + 1;
        let bytes = serde_json::to_vec(&finished).unwrap_or_default();
        self.journal.append(number, &bytes)?;
        self.journal.sync()?;
        self.rounds.push(finished);
        self.write_log()
    }

    fn write_log(&self) -> Result<(), RunError> {
        let lines = self.rounds.iter().flat_map(|round| &round.log);
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let path = self.folder.join(LOG);
        write_whole(&path, text.as_bytes()).map_err(in_file(&path))
    }
}

/// Returns the checksum of a file, if there is such a file.
fn checksum(path: &Path) -> Result<Option<String>, RunError> {
    if !path.exists() {
        return Ok(None);
    }
    let header = Header::new("file", 1).file("contents", path);
    let header = header.map_err(in_file(path))?;
    Ok(header.get("contents").map(str::to_owned))
}
