//! Journals of shares, put together.

use super::{Difference, Header};
use gammond_base::journal::{self, JournalError, Record};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An error while merging journals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// One of the files.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal of something else than a job.
    #[error("{}: not the journal of a job", .0.display())]
    NoJob(PathBuf),
    /// Shares of different jobs.
    #[error("{}: {difference}", path.display())]
    Changed {
        /// The one that differs from the first.
        path: PathBuf,
        /// The setting that differs.
        difference: Difference,
    },
    /// Two shares have different bytes of a part.
    #[error("{}: part {number} differs from that of another share", path.display())]
    Conflict {
        /// The one read later.
        path: PathBuf,
        /// The part.
        number: u64,
    },
    /// No journal holds the part, though later ones are there.
    #[error("part {number} is missing: run share {share} to its end first")]
    Missing {
        /// The part.
        number: u64,
        /// The share that the part belongs to, such as `2/5`, if known.
        share: String,
    },
    /// A journal that is there already lacks parts of the shares, or has different bytes of one.
    #[error("{}: does not hold part {number} of the journals to merge; remove it, or merge nothing", path.display())]
    NotMerged {
        /// The journal that was there.
        path: PathBuf,
        /// The first such part.
        number: u64,
    },
    /// There is nothing to merge.
    #[error("no journals to merge")]
    Nothing,
}

/// Writes the parts of all `shares` as one journal to `out`, which must not exist: the same bytes
/// as those of a single run, in whatever order the shares are given and if parts are repeated.
/// Returns how many parts there are.
///
/// # Errors
/// [`MergeError`].
pub fn merge(out: &Path, shares: &[PathBuf]) -> Result<u64, MergeError> {
    let (header, records) = merged(shares)?;
    journal::write(out, &header.text(), &records)?;
    Ok(records.len() as u64)
}

/// Checks that the journal at `path`, which may hold more parts, has the header and all parts of `shares`: that
/// [`merge`] wrote it, or a run that computed the same.
///
/// # Errors
/// [`MergeError`].
pub fn check_merged(path: &Path, shares: &[PathBuf]) -> Result<(), MergeError> {
    let (wanted, records) = merged(shares)?;
    let contents = journal::read(path)?;
    let header = Header::parse(&contents.header);
    let header = header.ok_or_else(|| MergeError::NoJob(path.to_owned()))?;
    if let Some(difference) = wanted.difference(&header) {
        return Err(MergeError::Changed {
            path: path.to_owned(),
            difference,
        });
    }
    let held: BTreeMap<u64, Vec<u8>> = (contents.records.into_iter())
        .map(|record| (record.number, record.bytes))
        .collect();
    let missing = |record: &&Record| held.get(&record.number) != Some(&record.bytes);
    match records.iter().find(missing) {
        None => Ok(()),
        Some(record) => Err(MergeError::NotMerged {
            path: path.to_owned(),
            number: record.number,
        }),
    }
}

/// Returns the header and the parts of all `shares`, without gaps.
fn merged(shares: &[PathBuf]) -> Result<(Header, Vec<Record>), MergeError> {
    let mut first: Option<Header> = None;
    let mut of = None;
    let mut parts: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for path in shares {
        let contents = journal::read(path)?;
        let header = Header::parse(&contents.header);
        let header = header.ok_or_else(|| MergeError::NoJob(path.clone()))?;
        let (header, share) = header.without_share();
        if let Some((_, count)) = share.as_deref().and_then(|share| share.split_once('/')) {
            of = count.parse::<u64>().ok();
        }
        if let Some(difference) = first.as_ref().and_then(|first| first.difference(&header)) {
            return Err(MergeError::Changed {
                path: path.clone(),
                difference,
            });
        }
        first = Some(header);
        for Record { number, bytes } in contents.records {
            if parts.get(&number).is_some_and(|before| *before != bytes) {
                return Err(MergeError::Conflict {
                    path: path.clone(),
                    number,
                });
            }
            parts.insert(number, bytes);
        }
    }
    let header = first.ok_or(MergeError::Nothing)?;
    if let Some((number, _)) = (0..).zip(parts.keys()).find(|(n, key)| n != *key) {
        let share = of
            .and_then(|of: u64| {
                number
                    .checked_rem(of)
                    .map(|index| format!("{}/{of}", index + 1))
            })
            .unwrap_or_else(|| "that has it".to_owned());
        return Err(MergeError::Missing { number, share });
    }
    let records: Vec<Record> = (parts.into_iter())
        .map(|(number, bytes)| Record { number, bytes })
        .collect();
    Ok((header, records))
}
