//! What follows when the queue of a job is empty.

use super::FarmError;
use super::ask::{is_complete, post_missing};
use super::store::Farm;
use super::task::{Commands, Task};

/// State of a job whose queue is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobProgress {
    /// Answers of the current stage are missing.
    Open,
    /// All stages before this one have their answers; it has not begun.
    StageDue(u32),
    /// All stages have their answers.
    Complete,
}

/// Returns the progress of a job, and posts batches that have neither an answer nor a message, unless some were
/// abandoned.
pub(super) async fn progress<C: Commands>(
    farm: &Farm,
    task: &Task<C>,
) -> Result<JobProgress, FarmError> {
    let job = task.name();
    let mut last = None;
    for number in 0..task.stages() {
        match farm.stage(&job, number).await? {
            Some(stage) => last = Some((number, stage)),
            None => break,
        }
    }
    let Some((number, stage)) = last else {
        return Ok(JobProgress::Open);
    };
    if !is_complete(farm, (task, number, &stage)).await? {
        if farm.count("dead", &format!("{job}.>")).await? == 0 {
            post_missing(farm, (task, number, &stage)).await?;
        }
        return Ok(JobProgress::Open);
    }
    match number + 1 < task.stages() {
        true => Ok(JobProgress::StageDue(number + 1)),
        false => Ok(JobProgress::Complete),
    }
}
