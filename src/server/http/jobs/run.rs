//! One job, computed through the queues of all other requests.

use super::table::{Job, Jobs};
use super::{Kind, State};
use crate::http::matches;
use crate::http::problem::Problem;
use crate::http::submission::{self, Answer, Read};
use crate::shutdown::{Phase, reached};
use crate::tcp::match_memory::MatchMemory;
use crate::tcp::shared::Shared;
use axum::body::Bytes;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Time until a job is tried again after the workers refused it.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time for the analysis of a match in a job.
const MATCH_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Reports and their sizes.
type Outcome = Result<(Vec<usize>, Bytes), Problem>;

/// Computes a job to its end, unless it is removed or the server ends: then it stays as it is.
pub(super) async fn run(shared: &Arc<Shared>, jobs: &Arc<Jobs>, job: &Arc<Job>) {
    let mut phase = shared.phase.subscribe();
    let mut cancelled = job.cancelled.subscribe();
    let outcome = tokio::select! {
        biased;
        () = reached(&mut phase, Phase::Drain) => return,
        _ = cancelled.wait_for(|cancelled| *cancelled) => return,
        outcome = compute(shared, jobs, job) => outcome,
    };
    jobs.finish(job, outcome).await;
}

async fn compute(shared: &Arc<Shared>, jobs: &Arc<Jobs>, job: &Arc<Job>) -> Outcome {
    let input = input(jobs, job).await?;
    let mut answer = loop {
        match start(shared, job, &input) {
            Ok(answer) => break answer,
            Err(problem) if matches!(&*problem.code, "busy" | "too-many-requests") => {
                sleep(RETRY_INTERVAL).await;
            }
            Err(problem) => return Err(problem),
        }
    };
    drop(input);
    let mut whole = Vec::new();
    while let Some(piece) = answer.next().await {
        if !piece.good {
            return Err(Problem::of_answer(&piece.bytes));
        }
        if piece.progress {
            job.change(|view| {
                view.state = State::Running;
                view.progress = Some(piece.bytes);
            });
        } else {
            whole.extend_from_slice(&piece.bytes);
        }
    }
    match job.meta.kind {
        Kind::Rollout => {
            let whole = without_time(whole);
            Ok((vec![whole.len()], whole.into()))
        }
        Kind::Analyse => in_parts(whole.into()),
    }
}

async fn input(jobs: &Arc<Jobs>, job: &Job) -> Result<Bytes, Problem> {
    let held = {
        let input = job.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.clone()
    };
    if let Some(input) = held {
        return Ok(input);
    }
    let (jobs, id) = (Arc::clone(jobs), job.meta.id.clone());
    let read = spawn_blocking(move || jobs.store.input(&id)).await;
    read.unwrap_or_else(|error| Err(error.to_string()))
        .map_err(|error| {
            tracing::warn!(%error, "a job cannot be read");
            Problem::new("internal", "the job's file cannot be read")
        })
}

/// Queues the job's question.
fn start(shared: &Arc<Shared>, job: &Job, input: &Bytes) -> Result<Answer, Problem> {
    let words = job.meta.words.as_str();
    match job.meta.kind {
        Kind::Rollout => match submission::read(shared, "rollout", words.as_bytes())? {
            Read::Inquiry(inquiry) => submission::start(shared, job.origin, *inquiry, true),
            Read::Text(_) => Err(Problem::new("internal", "the job is no rollout")),
        },
        Kind::Analyse => {
            let mut weight = MatchMemory::new(Arc::clone(shared));
            if weight.gathered(Some(input.len())) {
                return Err(Problem::new("busy", "busy: too many matches wait"));
            }
            let form = matches::all_forms(input.len());
            let mut inquiry = matches::inquiry(shared, words, input.to_vec(), form)?;
            let limit = u64::try_from(MATCH_TIME.as_millis()).unwrap_or(u64::MAX);
            inquiry.settings.time_ms.get_or_insert(limit);
            let answer = submission::start(shared, job.origin, inquiry, true)?;
            Ok(answer.holding(weight))
        }
    }
}

/// The answer of a rollout without its duration, so that the same request has the same bytes.
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

/// The reports of an analysis: their sizes stand in the first line, unless JSON is the only one.
fn in_parts(whole: Bytes) -> Outcome {
    if whole.first() == Some(&b'{') {
        return Ok((vec![whole.len()], whole));
    }
    let wrong = || Problem::new("internal", "the reports of the match cannot be told apart");
    let end = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .ok_or_else(wrong)?;
    let sizes: Vec<usize> =
        serde_json::from_slice(whole.get(..end).unwrap_or_default()).map_err(|_| wrong())?;
    let reports = whole.slice(end + 1..);
    match sizes.iter().sum::<usize>() == reports.len() {
        true => Ok((sizes, reports)),
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
        let (sizes, reports) = in_parts(whole).unwrap();
        assert_eq!((sizes, &reports[..]), (vec![2, 3], &b"{}abc"[..]));
        for wrong in [&b""[..], b"[2,3]\n{}ab", b"[2,3]", b"x\n"] {
            assert!(in_parts(Bytes::from_static(wrong)).is_err());
        }
    }
}
