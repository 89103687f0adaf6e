//! The paths of jobs below `/v1/jobs`.

mod description;
mod watch;

pub(in crate::http) use description::description;

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::http::access::policy::AccessState;
use crate::http::ask::jobs::Jobs;
use crate::http::ask::jobs::job::Job;
use crate::http::ask::jobs::{JobKind, JobState, NewJob};
use crate::http::ask::match_files::{self as matches, job_forms};
use crate::http::ask::question;
use crate::http::ask::state::HttpState;
use crate::http::ask::submission::{self, Read};
use crate::http::paths::jobs::watch::{watched, watcher};
use crate::http::wire::body;
use crate::http::wire::headers::{fresh, report_headers};
use crate::http::wire::methods::{only_get, only_post, wrong_method};
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, FromRequestParts, Path, Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use gammond_protocol::ErrorCode;
use gammond_protocol::verbs::ROLLOUT;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Longest `wait` for a change, in seconds.
pub(in crate::http) const WAIT_SECONDS_MAX: u64 = 60;
/// Longest `Idempotency-Key`, in bytes.
pub(in crate::http) const KEY_LENGTH_MAX: usize = 255;

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/v1/jobs", any(list))
        .route("/v1/jobs/{name}", any(one))
        .route("/v1/jobs/{id}/result", any(result))
        .route("/v1/jobs/{id}/events", any(watched))
}

/// The part of the path that names a job or a kind.
pub(in crate::http) struct Name(pub(in crate::http) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Name, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        // A path that is no UTF-8 is not ours either.
        let Path(name) =
            path.map_err(|_| Problem::new(ErrorCode::NotFound, "there is no such path"))?;
        Ok(Name(name))
    }
}

fn kind_of(response: &mut Response, kind: &str) {
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
}

/// Returns the jobs of a client with a token. Without tokens all programs of this machine are one client: then only
/// its owner knows a job's id.
async fn list(
    State(access_state): State<Arc<AccessState>>,
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    if !matches!(peer.origin, Origin::Token(_)) {
        let message = "jobs are listed for clients with a token only";
        return Err(Problem::new(ErrorCode::Forbidden, message));
    }
    let listed = jobs.list(&access_state.owner(peer.origin));
    let keep = jobs.limits.keep;
    let shown: Vec<Value> = listed.iter().map(|job| shown(job, keep)).collect();
    let mut response = Response::new(Body::from(format!("{}\n", Value::from(shown))));
    kind_of(&mut response, "application/json");
    Ok(fresh(response))
}

/// Answers `POST /v1/jobs/KIND`, and `GET` and `DELETE` of `/v1/jobs/ID`.
async fn one(
    State(shared): State<Arc<Core>>,
    State(access_state): State<Arc<AccessState>>,
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    Name(name): Name,
    request: Request,
) -> Result<Response, Problem> {
    let owner = access_state.owner(peer.origin);
    let keep = jobs.limits.keep;
    let kind = JobKind::ALL.into_iter().find(|kind| kind.name() == name);
    if let Some(kind) = kind {
        only_post(request.method())?;
        let key = idempotency_key(request.headers())?;
        let empty = NewJob {
            owner,
            origin: peer.origin,
            kind,
            words: String::new(),
            input: Bytes::new(),
            files: Vec::new(),
            archive: false,
            key,
        };
        let new = match kind {
            JobKind::Rollout => rollout(&shared, request, empty).await?,
            JobKind::Analyse => analysis(&shared, &jobs, request, empty).await?,
        };
        let job = jobs.add(&shared, new).await?;
        let mut response = job_response(&job, keep, StatusCode::ACCEPTED);
        let location = format!("/v1/jobs/{}", job.meta.id);
        if let Ok(location) = HeaderValue::from_str(&location) {
            response.headers_mut().insert(LOCATION, location);
        }
        return Ok(response);
    }
    let job = jobs.get(&name, &owner)?;
    if request.method() == Method::DELETE {
        jobs.remove(&job);
        return Ok(fresh(StatusCode::NO_CONTENT.into_response()));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(wrong_method("GET, HEAD, DELETE"));
    }
    if let Some(seconds) = wait(request.uri().query().unwrap_or_default())? {
        let _place = watcher(&jobs)?;
        let mut phase = shared.phase.subscribe();
        tokio::select! {
            () = reached(&mut phase, ShutdownPhase::Drain) => {}
            _ = timeout(Duration::from_secs(seconds), ended(&job)) => {}
        }
    }
    Ok(job_response(&job, keep, StatusCode::OK))
}

/// Waits until a job has ended or is removed.
async fn ended(job: &Job) {
    let mut view = job.view.subscribe();
    let mut cancelled = job.cancelled.subscribe();
    tokio::select! {
        _ = view.wait_for(|view| view.ended.is_some()) => {}
        _ = cancelled.wait_for(|cancelled| *cancelled) => {}
    }
}

/// Returns the value of the one parameter that a path has.
fn only_parameter(query: &str, name: &str) -> Result<Option<String>, Problem> {
    let mut found = None;
    for (key, value) in question::parameters(query)? {
        if key != name {
            let message = format!("parameter {key:?} is not known, expected {name}");
            let place = ErrorLocation::Parameter(key);
            return Err(Problem::new(ErrorCode::BadSetting, message).at(place));
        }
        found = Some(value);
    }
    Ok(found)
}

/// Returns the parameter `wait`.
fn wait(query: &str) -> Result<Option<u64>, Problem> {
    let wrong = || {
        let message = format!("want wait=0 to wait={WAIT_SECONDS_MAX}, in seconds");
        let place = ErrorLocation::Parameter("wait".to_owned());
        Problem::new(ErrorCode::BadSetting, message).at(place)
    };
    let Some(wait) = only_parameter(query, "wait")? else {
        return Ok(None);
    };
    let seconds = wait.parse().ok().filter(|wait| *wait <= WAIT_SECONDS_MAX);
    Ok(Some(seconds.ok_or_else(wrong)?))
}

/// Returns the key by which a client may repeat a request (HTTP-57).
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = key.to_str().ok().filter(|key| {
        let fits = (1..=KEY_LENGTH_MAX).contains(&key.len());
        fits && key.bytes().all(|byte| byte.is_ascii_graphic())
    });
    let message =
        "Idempotency-Key is not 1 to 255 printable characters, such as 8e03978e-40d5-43dd-bc93";
    let text = text.ok_or_else(|| Problem::new(ErrorCode::BadRequest, message))?;
    Ok(Some(text.to_owned()))
}

/// Reads the request for a rollout.
async fn rollout(shared: &Arc<Core>, request: Request, new: NewJob) -> Result<NewJob, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = body::json(shared, &parts.headers, body).await?;
    let query = parts.uri.query().unwrap_or_default();
    question::reject_parameters(query, question::BESIDE_BODY)?;
    let body = question::parse(&bytes)?;
    let question = question::from_json(&ROLLOUT, body)?.with_progress();
    match submission::read(shared, &submission::settings(shared), &question)? {
        Read::Inquiry(_) => Ok(NewJob {
            words: question.parts.line().unwrap_or_default(),
            ..new
        }),
        Read::Text(_) => Err(Problem::new(
            ErrorCode::BadRequest,
            "request is not a rollout",
        )),
    }
}

/// Reads the request for an analysis, and its match files.
async fn analysis(
    shared: &Arc<Core>,
    jobs: &Jobs,
    request: Request,
    new: NewJob,
) -> Result<NewJob, Problem> {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default();
    let (mut settings, archive) = question::settings_of_query(query, "archive")?;
    let wrong = |message: &str| {
        let place = ErrorLocation::Parameter("archive".to_owned());
        Problem::new(ErrorCode::BadSetting, message).at(place)
    };
    let archive = match archive.as_deref() {
        None | Some("false") => false,
        Some("true") if jobs.storage.archive.is_some() => true,
        Some("true") => {
            let message = "this server has no archive: start it with --db FILE";
            let place = ErrorLocation::Parameter("archive".to_owned());
            return Err(Problem::new(ErrorCode::NotFound, message).at(place));
        }
        Some(_) => return Err(wrong("archive is not true or false, such as archive=true")),
    };
    let max = matches::JSON_BYTES_MAX;
    let (files, fields, _weight) = matches::files(shared, &parts.headers, body, max).await?;
    settings.extend(fields);
    question::with_progress(&mut settings);
    let words = question::settings_of_pairs(&settings)?;
    let longest = files.iter().map(Bytes::len).max().unwrap_or(0);
    if archive && longest > matches::REPORT_BYTES_MAX {
        let message = format!(
            "a file of an archived analysis has at most {} bytes",
            matches::REPORT_BYTES_MAX
        );
        return Err(Problem::new(ErrorCode::TooLarge, message));
    }
    let inquiry = matches::inquiry(shared, &words, Vec::new(), matches::all_forms(longest))?;
    if archive && !matches::is_archivable(&inquiry) {
        let message = "archived analyses are those of whole matches by the rules of their files: leave out from, to, player, \
             jacoby and beavers";
        let place = ErrorLocation::Parameter("archive".to_owned());
        return Err(Problem::new(ErrorCode::BadCombination, message).at(place));
    }
    let (input, files) = match <[Bytes; 1]>::try_from(files) {
        Ok([file]) => (file, Vec::new()),
        Err(files) => {
            let sizes = files.iter().map(Bytes::len).collect();
            (files.concat().into(), sizes)
        }
    };
    Ok(NewJob {
        words,
        input,
        files,
        archive,
        ..new
    })
}

/// Returns a job as an object.
fn shown(job: &Job, keep: Duration) -> Value {
    let view = job.view.borrow().clone();
    let id = &job.meta.id;
    let progress = view
        .progress
        .as_deref()
        .map(serde_json::from_slice::<Value>);
    let finished = view.ended.as_ref().map(|ended| ended.finished);
    let problem = view.ended.as_ref().and_then(|ended| ended.problem());
    json!({
        "type": "job",
        "id": id,
        "kind": job.meta.kind,
        "state": view.state,
        "created": job.meta.created,
        "finished": finished,
        "archived": view.ended.as_ref().and_then(|ended| ended.archived),
        "expires": finished.map(|finished| finished.saturating_add(keep.as_secs())),
        "progress": progress.and_then(Result::ok),
        "problem": problem.map(|problem| problem.value()),
        "links": {
            "self": format!("/v1/jobs/{id}"),
            "events": format!("/v1/jobs/{id}/events"),
            "result": format!("/v1/jobs/{id}/result"),
        },
    })
}

fn job_response(job: &Job, keep: Duration, status: StatusCode) -> Response {
    let mut response = Response::new(Body::from(format!("{}\n", shown(job, keep))));
    *response.status_mut() = status;
    kind_of(&mut response, "application/json");
    if matches!(
        job.view.borrow().state,
        JobState::Queued | JobState::Running
    ) {
        let second = HeaderValue::from_static("1");
        response.headers_mut().insert(RETRY_AFTER, second);
    }
    fresh(response)
}

/// Returns the answer of a finished job, in the requested form.
async fn result(
    State(access_state): State<Arc<AccessState>>,
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    Name(id): Name,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let job = jobs.get(&id, &access_state.owner(peer.origin))?;
    let wanted = only_parameter(request.uri().query().unwrap_or_default(), "format")?;
    let forms = job_forms();
    if wanted.is_some() {
        // A form that no job has is wrong before the end of this one, too.
        matches::chosen(wanted.clone(), request.headers(), &forms)?;
    }
    let ended = job.view.borrow().ended.clone();
    let Some(ended) = ended else {
        let message = "the job has not ended: ask for its events, or again later";
        return Err(Problem::new(ErrorCode::NotReady, message));
    };
    if let Some(problem) = ended.problem() {
        return Err(problem);
    }
    // The existing reports come first in the list.
    let offered = forms.get(..ended.sizes.len()).unwrap_or_default();
    let is = |name: &str, forms: &[matches::Report]| forms.iter().any(|(known, ..)| *known == name);
    if let Some(name) = wanted.as_deref()
        && is(name, &forms)
        && !is(name, offered)
    {
        let names: Vec<_> = offered.iter().map(|(name, ..)| *name).collect();
        let message = format!("this job has no {name}, expected {}", names.join(", "));
        let place = ErrorLocation::Parameter("format".to_owned());
        return Err(Problem::new(ErrorCode::BadCombination, message).at(place));
    }
    let (kind, _) = matches::chosen(wanted, request.headers(), offered)?;
    let number = offered.iter().position(|(_, known, _)| *known == kind);
    peer.unread.room().await;
    let bytes = report(&jobs, &job, number.unwrap_or(0)).await?;
    if bytes.is_empty() {
        let message = "the match has no form in OGXM, which has none for some variants, beavers, rolls without plays and \
                       positions that were set up";
        return Err(Problem::new(ErrorCode::BadMatchFile, message));
    }
    let mut response = Response::new(Body::from(bytes));
    report_headers(response.headers_mut(), kind);
    Ok(fresh(response))
}

/// Returns the report with this number.
pub(in crate::http) async fn report(
    jobs: &Arc<Jobs>,
    job: &Arc<Job>,
    number: usize,
) -> Result<Bytes, Problem> {
    let ended = job.view.borrow().ended.clone();
    let sizes = ended.as_ref().map_or(&[][..], |ended| &ended.sizes);
    let from: usize = sizes.iter().take(number).sum();
    let size = sizes.get(number).copied().unwrap_or(0);
    let held = {
        let reports = job.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.clone()
    };
    if let Some(reports) = held {
        return match from + size <= reports.len() {
            true => Ok(reports.slice(from..from + size)),
            false => Err(Problem::new(
                ErrorCode::Internal,
                "the job has no such report",
            )),
        };
    }
    let (jobs, id) = (Arc::clone(jobs), job.meta.id.clone());
    let read = spawn_blocking(move || jobs.storage.files.report(&id, number as u64)).await;
    let read = read.unwrap_or_else(|error| Err(error.to_string()));
    read.map_err(|error| {
        tracing::warn!(%error, "a job's result cannot be read");
        Problem::new(ErrorCode::Internal, "the job's result cannot be read")
    })
}
