//! The description of the paths as OpenAPI 3.1 (HTTP-102, HTTP-140), for programs and for people: settings come from the
//! table of the line protocol. A test runs every example, and schemathesis (`.ci/run http`) compares the description with
//! the answers.

use crate::http::ask::answer_schemas;
use crate::http::ask::describe::{response_name, title};
use crate::http::ask::question_schemas;
use crate::http::ask::state::HttpState;
use crate::http::paths::PATHS;
use crate::http::wire::document::{SELF_CONTAINED, document_of};
use crate::http::wire::methods::only_get;
use crate::http::wire::problem::Problem;
use crate::http::wire::unread::fixed;
use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use gammond_protocol::ErrorCode;
use gammond_protocol::verbs::VERBS;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/openapi.json", any(description))
        .route("/docs", any(docs))
}

/// Returns the paths, for programs (HTTP-102).
async fn description(method: Method) -> Response {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().into());
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], fixed(&DOCUMENT)).into_response()
}

/// Returns the paths, for people.
async fn docs(method: Method) -> Response {
    static PAGE: LazyLock<Bytes> = LazyLock::new(|| page().into());
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(SELF_CONTAINED),
        ),
    ];
    (headers, fixed(&PAGE)).into_response()
}

/// Returns the document with a line end.
fn document() -> String {
    let described = PATHS.iter().flat_map(|paths| (paths.description)());
    let paths: Map<String, Value> = described.collect();
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gammond",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A GNU Backgammon-compatible backgammon engine",
            "description": "Answers are those of the line protocol. A request that this description allows is refused only by the \
                rules of backgammon: an invalid position, an illegal play, a score beyond the match. \
                The paths of other programs (bgweb-api, wildbg, Nodots) have descriptions of their own.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "This server"},
            {"url": "http://127.0.0.1:8080", "description": "gammond serve --http 127.0.0.1:8080"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer",
                "description": "A token of the file of --http-tokens; a server without the option wants none"}},
            "responses": problems(),
            "schemas": schemas(),
        },
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the responses of problems by their statuses, each with its codes.
fn problems() -> Map<String, Value> {
    let mut codes: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in ErrorCode::ALL {
        let status = Problem::new(*code, "").status().as_u16();
        codes.entry(status).or_default().push(code.as_str());
    }
    let mut responses = Map::new();
    // No operation here has another method, or parts that are missing.
    codes.retain(|status, _| ![405, 501].contains(status));
    for (status, codes) in codes {
        let about = format!("{}: {}", title(status), codes.join(", "));
        responses.insert(
            response_name(status),
            json!({"description": about, "content":
            {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}),
        );
    }
    responses
}

fn schemas() -> Value {
    let mut schemas = answer_schemas::schemas();
    schemas.extend(question_schemas::schemas(&VERBS));
    Value::Object(schemas)
}

/// Methods of paths in the document; the other members of a path are about all of them.
const METHODS: [&str; 3] = ["get", "post", "delete"];

/// Returns a page about the paths, which loads nothing.
fn page() -> String {
    let document: Value = serde_json::from_str(&document()).unwrap_or_default();
    let mut rows = String::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten() {
        let operations = item.as_object().into_iter().flatten();
        for (method, operation) in operations.filter(|(name, _)| METHODS.contains(&name.as_str())) {
            let summary = operation
                .get("summary")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let method = method.to_ascii_uppercase();
            rows.push_str(&format!(
                "<tr><td>{method}</td><td><code>{path}</code></td><td>{summary}</td></tr>"
            ));
        }
    }
    document_of(&format!(
        "<h1>gammond {}</h1>\
         <p>The description for programs is <a href=\"/openapi.json\">/openapi.json</a>. An example: \
         <a href=\"/v1/move?position=4HPwATDgc/ABMA&amp;roll=31&amp;top=2\">the best plays of an opening 31</a>, \
         and <a href=\"/v1/eval?position=4HPwATDgc/ABMA\">the value of the start</a>.</p>\
         <table>{rows}</table>",
        env!("CARGO_PKG_VERSION")
    ))
}
