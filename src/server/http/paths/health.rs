//! Paths for supervisors and Prometheus, and the descriptions of the paths about the server itself.

use crate::core::Core;
use crate::core::shutdown::ShutdownPhase;
use crate::http::ask::describe::responses;
use crate::http::wire::methods::only_get;
use crate::http::wire::unread::fixed;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRef, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns the routes; they need the server's core alone.
pub(in crate::http) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S>
where
    Arc<Core>: FromRef<S>,
{
    Router::new()
        .route("/metrics", any(metrics))
        .route("/healthz", any(healthz))
        .route("/readyz", any(readyz))
}

pub(in crate::http) async fn metrics(method: Method, State(shared): State<Arc<Core>>) -> Response {
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(CONTENT_TYPE, kind)], shared.prometheus()).into_response()
}

async fn healthz(method: Method) -> Response {
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    answer(StatusCode::OK, "{\"status\":\"ok\"}\n")
}

async fn readyz(method: Method, State(shared): State<Arc<Core>>) -> Response {
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    match *shared.phase.borrow() {
        ShutdownPhase::Run => answer(StatusCode::OK, "{\"status\":\"ready\"}\n"),
        _ => answer(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"ends\"}\n"),
    }
}

fn answer(status: StatusCode, text: &'static str) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let text = fixed(&Bytes::from_static(text.as_bytes()));
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}

/// Returns the paths about the server itself.
pub(in crate::http) fn description() -> Vec<(String, Value)> {
    let paths = [
        (
            "version",
            "/v1/version",
            "Program, nets, processor",
            "Version",
            &[400][..],
        ),
        ("stats", "/v1/stats", "Counters", "Stats", &[400]),
        (
            "errors",
            "/v1/errors",
            "The codes of errors, their meanings and statuses",
            "ErrorCodes",
            &[406],
        ),
        (
            "healthz",
            "/healthz",
            "200 while the process lives",
            "Health",
            &[],
        ),
        (
            "readyz",
            "/readyz",
            "503 while the process ends",
            "Health",
            &[],
        ),
    ];
    let described = paths.map(|(id, path, summary, schema, bad)| {
        let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
        let mut content = Map::new();
        content.insert("application/json".into(), json!({ "schema": schema }));
        if id == "errors" {
            for kind in ["text/plain", "text/html"] {
                content.insert(kind.into(), json!({"schema": {"type": "string"}}));
            }
        }
        let content = Value::Object(content);
        let mut responses = responses(
            json!({"200": {"description": "What it says", "content": content}}),
            bad,
        );
        if let (Some(responses), "readyz") = (responses.as_object_mut(), id) {
            let ends = json!({"description": "The process ends", "content": content});
            responses.insert("503".into(), ends);
        }
        let operation = json!({"operationId": id, "summary": summary, "tags": ["server"],
            "description": format!("{summary}."), "responses": responses});
        (path.to_owned(), json!({ "get": operation }))
    });
    described.into()
}
