//! The events of a job (HTTP-54).

use crate::core::Core;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::http::access::policy::AccessState;
use crate::http::ask::events::{self, EVENTS};
use crate::http::ask::jobs::Jobs;
use crate::http::ask::jobs::View;
use crate::http::ask::jobs::job::Job;
use crate::http::paths::jobs::{Name, report};
use crate::http::wire::accept;
use crate::http::wire::headers::fresh;
use crate::http::wire::methods::only_get;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::Problem;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use gammond_protocol::ErrorCode;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};

/// The id of the last event of a job.
const LAST_ID: &str = "end";

/// Returns the place of a client that waits.
pub(in crate::http) fn watcher(jobs: &Jobs) -> Result<OwnedSemaphorePermit, Problem> {
    let place = Arc::clone(&jobs.watchers).try_acquire_owned();
    place.map_err(|_| Problem::new(ErrorCode::Busy, "busy: too many clients wait for jobs"))
}

/// Returns the events of a job, from its present state to its end (HTTP-54).
pub(in crate::http) async fn watched(
    State(shared): State<Arc<Core>>,
    State(access_state): State<Arc<AccessState>>,
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    Name(id): Name,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let job = jobs.get(&id, &access_state.owner(peer.origin))?;
    accept::chosen(request.headers(), &[EVENTS])?;
    let seen = last_id(request.headers());
    if seen == Some(LAST_ID) {
        return Ok(fresh(StatusCode::NO_CONTENT.into_response()));
    }
    let place = watcher(&jobs)?;
    let watch = Watch {
        view: job.view.subscribe(),
        cancelled: job.cancelled.subscribe(),
        phase: shared.phase.subscribe(),
        seen: seen.and_then(|seen| seen.parse().ok()).unwrap_or(0),
        over: false,
        jobs,
        job,
        _place: place,
    };
    let body = stream::unfold(watch, async |mut watch| {
        let bytes = watch.next().await?;
        Some((Ok::<_, Infallible>(bytes), watch))
    });
    Ok(events::response(Body::from_stream(body)))
}

fn last_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id")?.to_str().ok()
}

/// A client that watches a job.
struct Watch {
    jobs: Arc<Jobs>,
    job: Arc<Job>,
    view: watch::Receiver<View>,
    cancelled: watch::Receiver<bool>,
    phase: watch::Receiver<ShutdownPhase>,
    /// Number of the last change that was sent.
    seen: u64,
    over: bool,
    _place: OwnedSemaphorePermit,
}

impl Watch {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        loop {
            let view = self.view.borrow_and_update().clone();
            if let Some(ended) = &view.ended {
                self.over = true;
                let problem = match ended.problem() {
                    Some(problem) => problem,
                    None => match report(&self.jobs, &self.job, 0).await {
                        Ok(report) => return Some(events::last("result", LAST_ID, &report)),
                        Err(problem) => problem,
                    },
                };
                return Some(events::last("problem", LAST_ID, problem.json().as_bytes()));
            }
            if *self.cancelled.borrow() {
                self.over = true;
                let problem = Problem::new(ErrorCode::Stopped, "the job was removed");
                return Some(events::last("problem", LAST_ID, problem.json().as_bytes()));
            }
            // Numbers of a server before this one may be higher.
            if view.number != self.seen {
                self.seen = view.number;
                let event = match &view.progress {
                    Some(line) => events::numbered("progress", view.number, line),
                    None => {
                        let line = format!("{}\n", json!({"type": "state", "state": view.state}));
                        events::numbered("state", view.number, line.as_bytes())
                    }
                };
                return Some(event);
            }
            tokio::select! {
                () = reached(&mut self.phase, ShutdownPhase::Drain) => return None,
                _ = self.view.changed() => {}
                _ = self.cancelled.changed() => {}
                () = tokio::time::sleep(events::KEEP_ALIVE_INTERVAL) => {
                    return Some(Bytes::from_static(events::KEEP_ALIVE));
                }
            }
        }
    }
}
