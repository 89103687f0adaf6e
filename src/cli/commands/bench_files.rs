//! The benchmark files of `gammond bench`, read.

use crate::{Failure, InputFile, shown_path};
use gammond_arena::benchmark::{BenchmarkFile, BenchmarkJudge, Generation, Item, read};
use gammond_base::checksum::sha256_of;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Judges whose records count.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judged {
    Ours,
    Other,
    Both,
}

impl Judged {
    /// Returns the judges, in the order in which they are reported.
    const fn judges(self) -> &'static [BenchmarkJudge] {
        match self {
            Judged::Ours => &[BenchmarkJudge::Ours],
            Judged::Other => &[BenchmarkJudge::Other],
            Judged::Both => &[BenchmarkJudge::Ours, BenchmarkJudge::Other],
        }
    }
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_it_is!(Judged);

/// Records that are reported together: those of a file, or all of a judge.
pub(super) struct RecordSet {
    /// The file, or the name of the judge.
    pub(super) path: PathBuf,
    pub(super) records: usize,
    /// The published file that it is, if any.
    pub(super) generation: Option<Generation>,
}

/// All files, read.
#[derive(Default)]
pub(super) struct Read {
    /// The records of all, one file after another.
    pub(super) items: Vec<Item>,
    pub(super) sets: Vec<RecordSet>,
    /// Checksums of the sources.
    pub(super) sources: Vec<String>,
    pub(super) damaged: bool,
    /// Number of files that cannot be read.
    pub(super) unread: usize,
}

impl Read {
    pub(super) fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let mut file = open(path)?;
        self.report_faults(path, &file);
        self.sources.push(checksum_of(path)?);
        self.sets.push(RecordSet {
            path: path.to_owned(),
            records: file.items.len(),
            generation: file.generation,
        });
        self.items.append(&mut file.items);
        Ok(())
    }

    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.unread > 0 {
            true => Failure::FILE,
            false => u8::from(self.damaged),
        })
    }

    /// Reports a file that cannot be read: the others are scored (EXIT-04).
    fn pass_over(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::File(cause) => {
                stderr_line!("gammond: {cause}");
                self.unread += 1;
                Ok(())
            }
            other => Err(other),
        }
    }

    fn report_faults(&mut self, path: &Path, file: &BenchmarkFile) {
        for (line, reason) in &file.wrong {
            stderr_line!("gammond: {}: line {line}: {reason}", path.display());
            self.damaged = true;
        }
    }

    /// Reads these files, all of them or those of some judges.
    pub(super) fn of(files: &[InputFile], judge: Option<Judged>) -> Result<Read, Failure> {
        let mut read = Read::default();
        let Some(judged) = judge else {
            for path in files {
                if let Err(failure) = read.add(path) {
                    read.pass_over(failure)?;
                }
            }
            return Ok(read);
        };
        let mut open_files = Vec::new();
        for path in files {
            match open(path) {
                Ok(file) => {
                    read.report_faults(path, &file);
                    open_files.push((path, file));
                }
                Err(failure) => read.pass_over(failure)?,
            }
        }
        if open_files.is_empty() {
            return Ok(read);
        }
        are_of_both(judged, &open_files)?;
        for judge in judged.judges() {
            let before = read.items.len();
            for (path, file) in open_files
                .iter_mut()
                .filter(|(_, file)| file.judge() == *judge)
            {
                read.sources.push(checksum_of(path)?);
                read.items.append(&mut file.items);
            }
            read.sets.push(RecordSet {
                path: judge.name().into(),
                records: read.items.len() - before,
                generation: None,
            });
        }
        Ok(read)
    }
}

/// Checks that each judge has records, and for both that they are of the same decisions.
fn are_of_both(judged: Judged, files: &[(&InputFile, BenchmarkFile)]) -> Result<(), Failure> {
    let of = |judge: BenchmarkJudge| files.iter().filter(move |(_, file)| file.judge() == judge);
    for judge in judged.judges() {
        if of(*judge).next().is_none() {
            let name = judge.name();
            return Err(Failure::usage(format!(
                "--judge {name}: no file is of this judge, expected one whose `s` line names its program (example: snake-1.bm \
                 for ours, snake-other-1.bm for other)"
            )));
        }
    }
    let [one, other] = judged.judges() else {
        return Ok(());
    };
    for [judge, twin] in [[*one, *other], [*other, *one]] {
        let known: HashSet<_> = of(twin)
            .flat_map(|(_, file)| file.items.iter().map(Item::decision))
            .collect();
        for (path, file) in of(judge) {
            let missing = file
                .items
                .iter()
                .find(|item| !known.contains(&item.decision()));
            if let Some(item) = missing {
                return Err(Failure::usage(format!(
                    "{}: line {}: no file of the judge \"{}\" has this decision, expected the files of both judges \
                     (example: snake-1.bm snake-other-1.bm)",
                    shown_path(path),
                    item.line,
                    twin.name()
                )));
            }
        }
    }
    Ok(())
}

fn checksum_of(path: &Path) -> Result<String, Failure> {
    let file = gammond_base::files::open(path).map_err(Failure::in_file(path))?;
    sha256_of(file).map_err(Failure::in_file(path))
}

/// Returns the records of a file and what could not be read.
pub(super) fn open(path: &Path) -> Result<BenchmarkFile, Failure> {
    let file = gammond_base::files::open(path).map_err(Failure::in_file(path))?;
    read(&mut BufReader::new(file)).map_err(Failure::in_file(path))
}
