//! One job, computed through the queues of all other requests.

use crate::core::Core;
use crate::core::faults::catch_panics;
use crate::core::match_memory::MatchMemory;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::http::ask::archive::SharedArchive;
use crate::http::ask::jobs::job::Job;
use crate::http::ask::jobs::store::Store;
use crate::http::ask::jobs::{JobKind, JobState};
use crate::http::ask::match_files as matches;
use crate::http::ask::submission::{self, Answer, Read};
use crate::http::wire::problem::Problem;
use axum::body::Bytes;
use gammond_game::notation::{MatchFile, MatchFormat};
use gammond_protocol::ErrorCode;
use gammond_protocol::ReportForm;
use gammond_report::analysis::Collected;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Time until a job is tried again after the workers refused it.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time for the analysis of a match in a job.
const MATCH_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The reports of a job.
#[derive(Debug, Default, PartialEq)]
pub(in crate::http) struct Reports {
    /// Their sizes in bytes.
    pub(in crate::http) sizes: Vec<usize>,
    /// The reports, one behind the other.
    pub(in crate::http) bytes: Bytes,
    /// Number of matches of the job in the archive, if it was to be filed there.
    pub(in crate::http) archived: Option<usize>,
}

impl Reports {
    fn one(bytes: Vec<u8>) -> Reports {
        Reports {
            sizes: vec![bytes.len()],
            bytes: bytes.into(),
            archived: None,
        }
    }
}

/// Storage of jobs: their files, and the archive of their analyses.
#[derive(Debug)]
pub(in crate::http) struct JobStorage {
    pub(in crate::http) files: Store,
    /// The archive for analyses that ask for it.
    pub(in crate::http) archive: Option<SharedArchive>,
}

/// Computes a job to its end; `None` if it is removed or the server ends before: then it stays as it is.
pub(in crate::http) async fn run(
    core: &Arc<Core>,
    storage: &Arc<JobStorage>,
    job: &Arc<Job>,
) -> Option<Result<Reports, Problem>> {
    let mut phase = core.phase.subscribe();
    let mut cancelled = job.cancelled.subscribe();
    tokio::select! {
        biased;
        () = reached(&mut phase, ShutdownPhase::Drain) => None,
        _ = cancelled.wait_for(|cancelled| *cancelled) => None,
        outcome = compute(core, storage, job) => Some(outcome),
    }
}

async fn compute(
    core: &Arc<Core>,
    storage: &Arc<JobStorage>,
    job: &Arc<Job>,
) -> Result<Reports, Problem> {
    let input = input(storage, job).await?;
    match job.meta.kind {
        JobKind::Rollout => {
            let begin = || rollout(core, job);
            let whole = answered(job, b"", begin).await?;
            Ok(Reports::one(without_time(whole)))
        }
        JobKind::Analyse if job.meta.files.is_empty() => {
            let (whole, archived) = judged(core, storage, job, b"", input.clone()).await?;
            let mut reports = in_parts(whole.into())?;
            if reports.sizes.len() > 1 {
                for format in MatchFormat::written().filter(|format| !format.has_notes()) {
                    let bare = without_notes(core, input.clone(), format).await?;
                    reports.sizes.push(bare.len());
                    reports.bytes = [reports.bytes, bare.into()].concat().into();
                }
            }
            reports.archived = archived;
            Ok(reports)
        }
        JobKind::Analyse => several(core, storage, job, &input).await,
    }
}

/// Analyses several files one after the other; a problem takes the place of an invalid file.
async fn several(
    core: &Arc<Core>,
    storage: &Arc<JobStorage>,
    job: &Arc<Job>,
    input: &Bytes,
) -> Result<Reports, Problem> {
    let count = job.meta.files.len();
    let mut text = b"{\"type\":\"analyses\",\"files\":[".to_vec();
    let (mut from, mut archived) = (0, None);
    for (number, size) in (1..).zip(&job.meta.files) {
        let to = from + size;
        if to > input.len() {
            return Err(Problem::new(
                ErrorCode::Internal,
                "the job's files are cut off",
            ));
        }
        let file = input.slice(from..to);
        from = to;
        if number > 1 {
            text.push(b',');
        }
        let members = format!("\"file\":{number},\"files\":{count},");
        match judged(core, storage, job, members.as_bytes(), file).await {
            Ok((whole, added)) => {
                let reports = in_parts(whole.into())?;
                let json = reports.sizes.first().copied().unwrap_or(0);
                text.extend_from_slice(reports.bytes.slice(..json).trim_ascii_end());
                archived = added
                    .map(|added| added + archived.unwrap_or(0))
                    .or(archived);
            }
            Err(problem) => text.extend_from_slice(problem.json().trim_ascii_end().as_bytes()),
        }
    }
    text.extend_from_slice(b"]}\n");
    Ok(Reports {
        archived: archived.or(job.meta.archive.then_some(0)),
        ..Reports::one(text)
    })
}

/// Analyses one file and files it, if the job requests it. Returns the reports and the number of matches in the
/// archive.
async fn judged(
    core: &Arc<Core>,
    storage: &Arc<JobStorage>,
    job: &Arc<Job>,
    members: &[u8],
    file: Bytes,
) -> Result<(Vec<u8>, Option<usize>), Problem> {
    let collected = job.meta.archive.then(|| Arc::new(Collected::default()));
    let begin = || analysis(core, job, &file, collected.as_ref());
    let whole = answered(job, members, begin).await?;
    let Some(collected) = collected else {
        return Ok((whole, None));
    };
    let added = match &storage.archive {
        Some(archive) => archive.add(&job.meta.owner, file, collected.take()).await,
        None => 0,
    };
    Ok((whole, Some(added)))
}

/// Returns the whole answer to a question that `begin` queues. Progress is shown with `members` before those of its
/// line.
async fn answered(
    job: &Arc<Job>,
    members: &[u8],
    begin: impl Fn() -> Result<Answer, Problem>,
) -> Result<Vec<u8>, Problem> {
    let mut answer = loop {
        match begin() {
            Ok(answer) => break answer,
            Err(problem)
                if matches!(problem.code, ErrorCode::Busy | ErrorCode::TooManyRequests) =>
            {
                sleep(RETRY_INTERVAL).await;
            }
            Err(problem) => return Err(problem),
        }
    };
    let mut whole = Vec::new();
    while let Some(piece) = answer.next().await {
        if !piece.good {
            return Err(Problem::of_answer(&piece.bytes));
        }
        if piece.progress {
            let line = match piece.bytes.strip_prefix(b"{") {
                Some(rest) if !members.is_empty() => [b"{", members, rest].concat().into(),
                _ => piece.bytes,
            };
            job.change(|view| {
                view.state = JobState::Running;
                view.progress = Some(line);
            });
        } else {
            whole.extend_from_slice(&piece.bytes);
        }
    }
    Ok(whole)
}

async fn input(storage: &Arc<JobStorage>, job: &Job) -> Result<Bytes, Problem> {
    let held = {
        let input = job.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.clone()
    };
    if let Some(input) = held {
        return Ok(input);
    }
    let (storage, id) = (Arc::clone(storage), job.meta.id.clone());
    let read = spawn_blocking(move || storage.files.input(&id)).await;
    read.unwrap_or_else(|error| Err(error.to_string()))
        .map_err(|error| {
            tracing::warn!(%error, "a job cannot be read");
            Problem::new(ErrorCode::Internal, "the job's file cannot be read")
        })
}

/// Queues a rollout.
fn rollout(core: &Arc<Core>, job: &Job) -> Result<Answer, Problem> {
    match submission::read_line(core, "rollout", job.meta.words.as_bytes())? {
        Read::Inquiry(inquiry) => submission::start(core, job.origin, *inquiry, true),
        Read::Text(_) => Err(Problem::new(
            ErrorCode::Internal,
            "the job is not a rollout",
        )),
    }
}

/// Queues the analysis of a file.
fn analysis(
    core: &Arc<Core>,
    job: &Job,
    file: &Bytes,
    collected: Option<&Arc<Collected>>,
) -> Result<Answer, Problem> {
    let mut weight = MatchMemory::new(Arc::clone(core));
    if weight.gathered(Some(file.len())) {
        return Err(Problem::new(ErrorCode::Busy, "busy: too many matches wait"));
    }
    // With several files only JSON is kept, but an archive needs the decisions, which JSON alone does not hold.
    let form = match job.meta.files.is_empty() || collected.is_some() {
        true => matches::all_forms(file.len()),
        false => ReportForm::Json,
    };
    let mut inquiry = matches::inquiry(core, &job.meta.words, file.to_vec(), form)?;
    let limit = u64::try_from(MATCH_TIME.as_millis()).unwrap_or(u64::MAX);
    inquiry.settings.time_ms.get_or_insert(limit);
    inquiry.collected = collected.cloned();
    let answer = submission::start(core, job.origin, inquiry, true)?;
    Ok(answer.holding(weight))
}

/// Returns the matches of a file in a format, one behind the other; empty if one of them has no form in it.
async fn without_notes(
    core: &Arc<Core>,
    file: Bytes,
    format: MatchFormat,
) -> Result<Vec<u8>, Problem> {
    let core = Arc::clone(core);
    let written = spawn_blocking(move || {
        let write = || {
            let readings = MatchFile::read_all(&file).unwrap_or_default();
            let matches = readings
                .iter()
                .map(|reading| reading.file.write(format, None));
            let matches: Result<Vec<Vec<u8>>, _> = matches.collect();
            matches.unwrap_or_default().concat()
        };
        catch_panics(&core.counters, write)
    });
    match written.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(Problem::new(error.code, error.message)),
        Err(error) => Err(Problem::new(ErrorCode::Internal, error.to_string())),
    }
}

/// Returns the answer of a rollout without its duration, so that the same request has the same bytes.
fn without_time(mut answer: Vec<u8>) -> Vec<u8> {
    const KEY: &[u8] = b"\"elapsed_ms\":";
    let found = answer.windows(KEY.len()).position(|bytes| bytes == KEY);
    let Some(start) = found else {
        return answer;
    };
    let rest = answer.get(start + KEY.len()..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = start + KEY.len() + digits;
    let mut start = start;
    match (
        answer.get(end),
        start.checked_sub(1).and_then(|at| answer.get(at)),
    ) {
        (Some(b','), _) => end += 1,
        (_, Some(b',')) => start -= 1,
        _ => {}
    }
    answer.drain(start..end);
    answer
}

/// Returns the reports of an analysis: their sizes are in the first line, unless JSON is the only one.
fn in_parts(whole: Bytes) -> Result<Reports, Problem> {
    let archived = None;
    if whole.first() == Some(&b'{') {
        return Ok(Reports {
            sizes: vec![whole.len()],
            bytes: whole,
            archived,
        });
    }
    let wrong = || {
        Problem::new(
            ErrorCode::Internal,
            "the reports of the match cannot be separated",
        )
    };
    let end = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .ok_or_else(wrong)?;
    let sizes: Vec<usize> =
        serde_json::from_slice(whole.get(..end).unwrap_or_default()).map_err(|_| wrong())?;
    let bytes = whole.slice(end + 1..);
    match sizes.iter().sum::<usize>() == bytes.len() {
        true => Ok(Reports {
            sizes,
            bytes,
            archived,
        }),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-50: a rollout's duration is no part of a job's result.
    #[test]
    fn results_have_no_duration() {
        for (answer, want) in [
            ("{\"a\":1,\"elapsed_ms\":12,\"b\":2}", "{\"a\":1,\"b\":2}"),
            ("{\"a\":1,\"elapsed_ms\":12}", "{\"a\":1}"),
            ("{\"elapsed_ms\":12,\"b\":2}", "{\"b\":2}"),
            ("{\"b\":2}", "{\"b\":2}"),
        ] {
            assert_eq!(without_time(answer.into()), want.as_bytes());
        }
    }

    #[test]
    fn reports_are_told_apart() {
        let whole = Bytes::from_static(b"[2, 3]\n{}abc");
        let reports = in_parts(whole).unwrap();
        assert_eq!(
            (reports.sizes, &reports.bytes[..]),
            (vec![2, 3], &b"{}abc"[..])
        );
        for wrong in [&b""[..], b"[2,3]\n{}ab", b"[2,3]", b"x\n"] {
            assert!(in_parts(Bytes::from_static(wrong)).is_err());
        }
    }
}
