//! The archive of analysed matches, read over HTTP (HTTP-120 to HTTP-124). The program opens it; no request names a
//! file.

use crate::http::access::policy::AccessState;
use crate::http::ask::archive::{ArchiveFilter, ArchiveScope, SharedArchive};
use crate::http::ask::describe::responses;
use crate::http::ask::jobs::Jobs;
use crate::http::ask::question;
use crate::http::ask::question_schemas::in_query;
use crate::http::ask::state::HttpState;
use crate::http::wire::headers::fresh;
use crate::http::wire::methods::only_get;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::any;
use gammond_protocol::ErrorCode;
use serde_json::{Value, json};
use std::sync::Arc;

/// Maximum number of matches in one answer.
const LIMIT_MAX: usize = 100;
/// Number of matches in one answer, without `limit`.
const LIMIT: usize = 50;

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/v1/archive/matches", any(list))
        .route("/v1/archive/matches/{id}", any(one))
}

fn archive(jobs: &Jobs) -> Result<&SharedArchive, Problem> {
    let message = "this server has no archive: start it with --db FILE";
    (jobs.storage.archive.as_ref()).ok_or_else(|| Problem::new(ErrorCode::NotFound, message))
}

/// Answers `GET /v1/archive/matches`.
async fn list(
    State(access_state): State<Arc<AccessState>>,
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let archive = archive(&jobs)?;
    let parameters = question::parameters(request.uri().query().unwrap_or_default())?;
    let mut filter = filter(&parameters)?;
    filter.scope = ArchiveScope::of(access_state.owners_shown(peer.origin));
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
pub(in crate::http) fn filter(parameters: &[(String, String)]) -> Result<ArchiveFilter, Problem> {
    let mut filter = ArchiveFilter {
        player: None,
        text: None,
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
            "text" => filter.text = Some(value.clone()),
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
                return Err(unknown(
                    name,
                    "player, text, from, to, length, before or limit",
                ));
            }
        }
    }
    Ok(filter)
}

fn unknown(name: &str, want: &str) -> Problem {
    let message = format!("parameter {name:.64?} is not known, expected {want}");
    let place = ErrorLocation::Parameter(name.to_owned());
    Problem::new(ErrorCode::BadSetting, message).at(place)
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
    State(jobs): State<Arc<Jobs>>,
    Extension(peer): Extension<Peer>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    only_get(request.method())?;
    let archive = archive(&jobs)?;
    let parameters = question::parameters(request.uri().query().unwrap_or_default())?;
    if let Some((name, _)) = parameters.first() {
        return Err(unknown(name, "none"));
    }
    let none = || Problem::new(ErrorCode::NotFound, "the archive has no match with this id");
    let id = path.ok().and_then(|Path(id)| id.parse().ok());
    let id: i64 = id.ok_or_else(none)?;
    let scope = ArchiveScope::of(access_state.owners_shown(peer.origin));
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

/// Returns the descriptions of the paths (HTTP-121, HTTP-122).
pub(in crate::http) fn description() -> Vec<(String, Value)> {
    let text = json!({"type": "string"});
    let day = json!({"type": "string", "format": "date", "examples": ["2026-11-21"]});
    let whole = |min: u64, max: u64| json!({"type": "integer", "minimum": min, "maximum": max});
    let parameters: Vec<Value> = [
        (
            "player",
            "Part of a player's name, in any case",
            text.clone(),
        ),
        (
            "text",
            "Part of a player's name or of the file's, in any case",
            text,
        ),
        ("from", "First day", day.clone()),
        ("to", "Last day", day),
        (
            "length",
            "Points to play to; 0 for money",
            whole(0, u32::MAX.into()),
        ),
        (
            "limit",
            "Matches in the answer; 50 without it",
            whole(1, 100),
        ),
        (
            "before",
            "Only matches that were filed before the one with this id",
            whole(1, i64::MAX.unsigned_abs()),
        ),
    ]
    .into_iter()
    .map(|(name, about, schema)| {
        let mut parameter = in_query(name, false, about, &schema);
        if let Some(parameter) = parameter.as_object_mut() {
            // An empty one is none: a form sends all of its fields.
            parameter.insert("allowEmptyValue".into(), true.into());
        }
        parameter
    })
    .collect();
    let first = json!({"archivedMatch": {"operationId": "archivedMatch", "description": "The first of the matches",
        "parameters": {"id": "$response.body#/matches/0/id"}}});
    let listed = json!({"description": "The matches, and the path of the next ones", "links": first, "content":
        {"application/json": {"schema": {"$ref": "#/components/schemas/ArchivedMatches"}}}});
    let list = json!({"get": {"operationId": "archive", "summary": "The matches of the archive, the newest first", "tags": ["archive"],
        "description": "Returns a page of the matches that fit; 404 on a server without an archive.",
        "parameters": parameters, "responses": responses(json!({"200": listed}), &[400, 404])}});
    let id = json!({"name": "id", "in": "path", "required": true, "description": "The `id` of the match",
        "schema": whole(1, i64::MAX.unsigned_abs())});
    let one = json!({"parameters": [id], "get": {"operationId": "archivedMatch", "summary": "A match of the archive", "tags": ["archive"],
        "description": "Returns the analysis of a match.",
        "responses": responses(json!({"200": {"description": "The analysis", "content":
            {"application/json": {"schema": {"$ref": "#/components/schemas/ArchivedAnalysis"}}}}}), &[400, 404])}});
    [
        ("/v1/archive/matches", list),
        ("/v1/archive/matches/{id}", one),
    ]
    .map(|(path, item)| (path.to_owned(), item))
    .into()
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
