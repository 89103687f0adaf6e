//! The archive of analysed matches, read over HTTP (HTTP-120 to HTTP-124). The program opens it; no request names a
//! file.

use super::access::AccessState;
use super::jobs::{fresh, only_get};
use super::problem::{ErrorLocation, Problem};
use super::question;
use super::router::Peer;
use crate::http::state::HttpState;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::any;
use gammond_protocol::ErrorCode;
use gammond_report::analysis::JudgedMatch;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum number of matches in one answer.
const LIMIT_MAX: usize = 100;
/// Number of matches in one answer, without `limit`.
const LIMIT: usize = 50;
/// Maximum number of requests that read the archive at a time.
const READERS_MAX: usize = 4;

/// An archive of analysed matches. All functions block.
pub trait MatchArchive: Debug + Send + Sync {
    /// Returns the matches that fit, the one that was filed last first, at most `filter.limit` of them.
    ///
    /// # Errors
    /// A message for the log.
    fn matches(&self, filter: &ArchiveFilter) -> Result<Vec<ArchivedMatch>, String>;

    /// Returns a match with its decisions as one JSON object; `None` if there is no such match in the scope.
    ///
    /// # Errors
    /// A message for the log.
    fn analysis(&self, id: i64, scope: &ArchiveScope) -> Result<Option<Value>, String>;

    /// Files the analysed matches of a file for an owner, each once; `file` is its contents. A match that is there
    /// already gets one more owner.
    ///
    /// # Errors
    /// A message for the log.
    fn add(&self, owner: &str, file: &[u8], judged: &[JudgedMatch]) -> Result<(), String>;
}

/// The matches that a client may see (HTTP-124).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveScope {
    /// All matches.
    All,
    /// The matches of these owners, and those that commands have filed, which have none.
    Owners(Vec<String>),
}

/// Conditions for the matches of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveFilter {
    /// Part of a player's name, in any case.
    pub player: Option<String>,
    /// First day, as `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Last day.
    pub to: Option<String>,
    /// Points to play to; 0 for money.
    pub length: Option<u32>,
    /// Only matches that were filed before the one with this id.
    pub before: Option<i64>,
    /// Maximum number of matches.
    pub limit: usize,
    /// Matches that the client may see.
    pub scope: ArchiveScope,
}

/// A match in a list; pairs are in the order of the players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArchivedMatch {
    /// Its number in the archive.
    pub id: i64,
    /// Names of the players.
    pub players: [String; 2],
    /// Day of the match as `YYYY-MM-DD`, if its file has it.
    pub date: Option<String>,
    /// Points to play to; 0 for money.
    pub length: i64,
    /// Points after the last game.
    pub score: [i64; 2],
    /// GNU Backgammon's error rates, in thousandths.
    pub error_rates: [Option<f64>; 2],
    /// Performance ratings.
    pub pr: [Option<f64>; 2],
    /// Luck in points.
    pub luck: [Option<f64>; 2],
    /// Level of the analysis, such as `2-ply`.
    pub judged: String,
    /// Number of games.
    pub games: i64,
    /// Name of the file without its folder.
    pub file: String,
    /// Number of faults of the file.
    pub fault_count: i64,
}

/// The archive of a server, and the places of its readers.
#[derive(Debug)]
pub(super) struct SharedArchive {
    archive: Arc<dyn MatchArchive>,
    places: Arc<Semaphore>,
}

impl SharedArchive {
    pub(super) fn new(archive: Arc<dyn MatchArchive>) -> SharedArchive {
        SharedArchive {
            archive,
            places: Arc::new(Semaphore::new(READERS_MAX)),
        }
    }

    /// Files the matches of a file on a thread that may block. Returns their number, 0 if that failed.
    pub(super) async fn add(&self, owner: &str, file: Bytes, judged: Vec<JudgedMatch>) -> usize {
        let owner = owner.to_owned();
        let archive = Arc::clone(&self.archive);
        let count = judged.len();
        let added = spawn_blocking(move || archive.add(&owner, &file, &judged));
        match added.await.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(()) => count,
            Err(error) => {
                tracing::error!(%error, "the archive cannot be written");
                0
            }
        }
    }

    /// Reads on a thread that may block.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn MatchArchive) -> Result<T, String> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| {
            Problem::new(ErrorCode::Busy, "busy: too many requests read the archive")
        })?;
        let archive = Arc::clone(&self.archive);
        let read = spawn_blocking(move || {
            let _place = place;
            read(&*archive)
        });
        let read = read.await.unwrap_or_else(|error| Err(error.to_string()));
        read.map_err(|error| {
            tracing::warn!(%error, "the archive cannot be read");
            Problem::new(
                ErrorCode::Internal,
                "the archive cannot be read; the log has the reason",
            )
        })
    }
}

/// Returns the routes.
pub(super) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/v1/archive/matches", any(list))
        .route("/v1/archive/matches/{id}", any(one))
}

fn archive(access_state: &AccessState) -> Result<&SharedArchive, Problem> {
    let message = "this server has no archive: start it with --db FILE";
    (access_state.jobs.archive.as_ref()).ok_or_else(|| Problem::new(ErrorCode::NotFound, message))
}

/// Answers `GET /v1/archive/matches`.
async fn list(
    State(access_state): State<Arc<AccessState>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let archive = archive(&access_state)?;
    let parameters = question::parameters(request.uri().query().unwrap_or_default())?;
    let mut filter = filter(&parameters)?;
    filter.scope = access_state.archive_scope(peer.origin);
    let limit = filter.limit;
    // One more shows whether there are more.
    filter.limit += 1;
    peer.unread.room().await;
    let mut matches = archive
        .read(move |archive| archive.matches(&filter))
        .await?;
    let more = matches.len() > limit;
    matches.truncate(limit);
    let last = matches.last().filter(|_| more);
    let next = last.map(|last| next_page(&parameters, last.id));
    Ok(answer(&json!({"matches": matches, "next": next})))
}

/// Returns the path of the page behind the match with this id.
fn next_page(parameters: &[(String, String)], last: i64) -> String {
    let kept = parameters.iter().filter(|(name, _)| name != "before");
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(kept)
        .append_pair("before", &last.to_string())
        .finish();
    format!("/v1/archive/matches?{query}")
}

/// Reads the parameters of a list; an empty one is none.
pub(super) fn filter(parameters: &[(String, String)]) -> Result<ArchiveFilter, Problem> {
    let mut filter = ArchiveFilter {
        player: None,
        from: None,
        to: None,
        length: None,
        before: None,
        limit: LIMIT,
        scope: ArchiveScope::All,
    };
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        let wrong = |want: &str| {
            let message = format!("{name} is {value:.64?}, expected {want}");
            let place = ErrorLocation::Parameter(name.clone());
            Problem::new(ErrorCode::BadSetting, message).at(place)
        };
        match name.as_str() {
            "player" => filter.player = Some(value.clone()),
            "from" | "to" => {
                let day = Some(value.clone()).filter(|value| is_day(value));
                let day = day.ok_or_else(|| wrong("a day such as 2026-11-21"))?;
                match name.as_str() {
                    "from" => filter.from = Some(day),
                    _ => filter.to = Some(day),
                }
            }
            "length" => {
                let length = value.parse().ok();
                filter.length =
                    Some(length.ok_or_else(|| wrong("points such as 7, or 0 for money"))?);
            }
            "before" => {
                let before = value.parse().ok().filter(|before: &i64| *before > 0);
                filter.before = Some(before.ok_or_else(|| wrong("the id of a match such as 17"))?);
            }
            "limit" => {
                let limit = value.parse().ok();
                let limit = limit.filter(|limit| (1..=LIMIT_MAX).contains(limit));
                filter.limit = limit.ok_or_else(|| wrong("1 to 100 matches, such as 50"))?;
            }
            _ => {
                let message = format!(
                    "parameter {name:.64?} is not known, expected player, from, to, length, before or limit"
                );
                let place = ErrorLocation::Parameter(name.clone());
                return Err(Problem::new(ErrorCode::BadSetting, message).at(place));
            }
        }
    }
    Ok(filter)
}

/// Returns true for a day of the calendar as `YYYY-MM-DD`.
fn is_day(text: &str) -> bool {
    let shape = text
        .bytes()
        .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    if !shape.eq(*b"0000-00-00") {
        return false;
    }
    let numbers: Vec<u16> = text.split('-').flat_map(str::parse).collect();
    let [year, month, day] = numbers[..] else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Answers `GET /v1/archive/matches/ID`.
async fn one(
    State(access_state): State<Arc<AccessState>>,
    Extension(peer): Extension<Peer>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let archive = archive(&access_state)?;
    let none = || Problem::new(ErrorCode::NotFound, "the archive has no match with this id");
    let id = path.ok().and_then(|Path(id)| id.parse().ok());
    let id: i64 = id.ok_or_else(none)?;
    let scope = access_state.archive_scope(peer.origin);
    peer.unread.room().await;
    let found = archive
        .read(move |archive| archive.analysis(id, &scope))
        .await?;
    Ok(answer(&found.ok_or_else(none)?))
}

fn answer(value: &Value) -> Response {
    let mut response = Response::new(Body::from(format!("{value}\n")));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    fresh(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-121.
    #[test]
    fn days_are_those_of_the_calendar() {
        for day in ["2026-11-21", "2024-02-29", "2000-02-29", "2026-12-31"] {
            assert!(is_day(day), "{day}");
        }
        for day in [
            "2026-99-99",
            "2026-00-01",
            "2026-01-00",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-1-1",
            "",
        ] {
            assert!(!is_day(day), "{day}");
        }
    }
}
