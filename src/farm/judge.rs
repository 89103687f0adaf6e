//! Answers that differ: deciding which one is right, and quarantining machines.
//!
//! Parts are the same to the bit on every machine, so two answers to one batch are equal or one machine is broken. If
//! two differ, a third machine computes the batch. The machine that stands alone is quarantined; its answers, to this
//! batch and others, are computed again when they are fetched.

use super::FarmError;
use super::answers::{AnswerInfo, Submission, SubmissionOutcome};
use super::store::Farm;
use super::task::PartBatch;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of copies of a batch.
pub(super) const COPIES_MAX: u32 = 6;

/// Processes an answer to a batch that has one already: a different one is stored as a further copy and compared.
pub(super) async fn late(farm: &Farm, submissions: Submission) -> Result<(), FarmError> {
    let sum = gammond_base::checksum::sha256(&submissions.bytes);
    let Some((first, _)) = farm.answer(&submissions.batch).await? else {
        // The stored answer was invalid and has been removed, so this one may take its place.
        return farm.submit(vec![submissions]).await.map(drop);
    };
    if first.sum == sum || first.worker == submissions.by.0 {
        return Ok(());
    }
    let batch = submissions.batch.clone();
    for copy in 1..COPIES_MAX {
        let again = Submission {
            batch: batch.copy(copy),
            ..submissions.clone()
        };
        if farm.submit(vec![again]).await?.first() == Some(&SubmissionOutcome::First) {
            break;
        }
    }
    judge(farm, &batch).await
}

/// Returns true if two machines gave the same answer to a batch and none gave another one.
pub(super) async fn is_agreed(farm: &Farm, batch: &PartBatch) -> Result<bool, FarmError> {
    let (mut sums, mut workers) = (BTreeSet::new(), BTreeSet::new());
    for copy in 0..COPIES_MAX {
        if let Some((known, _)) = farm.answer(&batch.copy(copy)).await? {
            sums.insert(known.sum);
            workers.insert(known.worker);
        }
    }
    Ok(sums.len() == 1 && workers.len() > 1)
}

/// Compares the answers to a batch, and quarantines machines that two others contradict.
pub(super) async fn judge(farm: &Farm, batch: &PartBatch) -> Result<(), FarmError> {
    let mut all: Vec<(AnswerInfo, Vec<u8>)> = Vec::new();
    let mut free = COPIES_MAX;
    for copy in 0..COPIES_MAX {
        match farm.answer(&batch.copy(copy)).await? {
            Some(answer) => all.push(answer),
            None => free = free.min(copy),
        }
    }
    let mut sums: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (known, _) in &all {
        let workers = sums.entry(known.sum.as_str()).or_default();
        workers.insert(known.worker.as_str());
    }
    // One checksum means agreement or a single answer: neither contradicts a machine.
    if sums.len() < 2 {
        return ask_another_machine(farm, &all).await;
    }
    let believed = sums.iter().find(|(_, workers)| workers.len() >= 2);
    let Some((&sum, _)) = believed else {
        tracing::warn!(
            batch = batch.subject(),
            "two answers differ: a third machine computes the batch"
        );
        if (1..COPIES_MAX).contains(&free) {
            farm.post(&[batch.copy(free)], "").await?;
        }
        return Ok(());
    };
    for (other, workers) in sums.iter().filter(|(other, _)| **other != sum) {
        for worker in workers {
            let why = format!(
                "its answer to {} (sha256 {}) is not that of two others ({})",
                batch.subject(),
                other.get(..12).unwrap_or(other),
                sum.get(..12).unwrap_or(sum)
            );
            tracing::error!(worker, "quarantined: {why}");
            farm.quarantine(worker, &why).await?;
        }
    }
    settle(farm, batch, &all, sum).await
}

/// Where one machine has given all answers, removes those after the first, which prove nothing, and posts them for another
/// machine. It may come to that where the first copy is delivered again after the second was answered.
async fn ask_another_machine(farm: &Farm, all: &[(AnswerInfo, Vec<u8>)]) -> Result<(), FarmError> {
    let Some(((first, _), rest)) = all.split_first() else {
        return Ok(());
    };
    if first.batch.copy > 0 || rest.iter().any(|(one, _)| one.worker != first.worker) {
        return Ok(());
    }
    for (known, _) in rest {
        farm.remove_answer(&known.batch, known.sequence).await?;
        // Machines that notice at once use the same message ID, so the server drops the duplicate.
        let again = format!(".own{}", known.sequence);
        farm.post(std::slice::from_ref(&known.batch), &again)
            .await?;
    }
    Ok(())
}

/// Removes all answers but those with the agreed checksum, and fills the first two copies.
async fn settle(
    farm: &Farm,
    batch: &PartBatch,
    all: &[(AnswerInfo, Vec<u8>)],
    sum: &str,
) -> Result<(), FarmError> {
    let good: Vec<&(AnswerInfo, Vec<u8>)> = all.iter().filter(|one| one.0.sum == sum).collect();
    for (known, _) in all.iter().filter(|one| one.0.sum != sum) {
        farm.remove_answer(&known.batch, known.sequence).await?;
    }
    let taken: Vec<u32> = good.iter().map(|one| one.0.batch.copy).collect();
    let mut spare = good.iter().filter(|one| one.0.batch.copy > 1);
    for copy in (0..2).filter(|copy| !taken.contains(copy)) {
        let Some((known, bytes)) = spare.next().map(|one| (&one.0, &one.1)) else {
            // No spare answer is left, so a worker computes this copy again.
            let again = format!(".{}", sum.get(..12).unwrap_or(sum));
            farm.post(&[batch.copy(copy)], &again).await?;
            continue;
        };
        farm.submit(vec![Submission {
            batch: batch.copy(copy),
            by: (known.worker.clone(), known.instance.clone()),
            busy: std::time::Duration::from_millis(known.busy_ms),
            parts: known.parts,
            bytes: bytes.clone(),
        }])
        .await?;
    }
    Ok(())
}
