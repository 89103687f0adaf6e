//! The description of the paths as OpenAPI 3.1 (HTTP-102): settings come from the table of the line protocol, and a test
//! runs every example.

use super::answer_schemas;
use super::matches::{direct_forms, job_forms};
use super::verbs;
use gammond_engine::query::ReportForm;
use gammond_protocol::setting_keys;
use serde_json::{Map, Value, json};

const START: &str = "4HPwATDgc/ABMA";

/// Returns the document with a line end.
pub(super) fn document() -> String {
    let mut paths = Map::new();
    for (verb, summary) in [
        ("eval", "Values a position before the roll"),
        ("move", "Ranks the plays of a roll"),
        ("cube", "Double, take?"),
        ("rollout", "Plays a position out many times"),
        ("convert", "Writes a position in every notation"),
        ("show", "Draws a position"),
    ] {
        paths.insert(format!("/v1/{verb}"), verb_item(verb, summary));
    }
    paths.insert("/v1/analyse".to_owned(), analyse());
    paths.extend(jobs());
    paths.extend(archive());
    for (path, summary) in [
        ("/v1/version", "Program, nets, processor"),
        ("/v1/stats", "Counters"),
        (
            "/v1/errors",
            "The codes of errors, what they mean, their statuses",
        ),
        ("/healthz", "200 while the process lives"),
        ("/readyz", "503 while the process ends"),
    ] {
        let operation = json!({"operationId": path.trim_start_matches("/v1").replace('/', ""), "summary": summary,
            "responses": {"200": answer("An object", "application/json"), "default": problem()}});
        paths.insert(path.to_owned(), json!({ "get": operation }));
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gammond",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A GNU Backgammon-compatible backgammon engine",
            "description": "Answers are those of the line protocol. The paths of other programs (bgweb-api, wildbg, Nodots) have descriptions of their own.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8080", "description": "gammond serve --http 127.0.0.1:8080"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas(),
        },
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the question of the examples.
fn example(verb: &str) -> Value {
    match verb {
        "move" => json!({"position": START, "roll": [3, 1], "settings": {"plies": 0, "top": 2}}),
        "rollout" => json!({"position": START, "settings": {"trials": 36, "truncate": 3}}),
        _ => json!({ "position": START }),
    }
}

fn verb_item(verb: &str, summary: &str) -> Value {
    let described = |json: &Value| {
        let mut content = Map::new();
        for kind in verbs::offered(verb) {
            let schema = match *kind {
                "application/json" => json.clone(),
                "image/png" => json!({}),
                _ => json!({"type": "string"}),
            };
            content.insert((*kind).to_owned(), json!({ "schema": schema }));
        }
        json!({"description": "The line's answer", "content": content})
    };
    let answer = answer_schemas::reference(verb);
    let one = described(&answer);
    let item = json!({"anyOf": [answer, {"$ref": "#/components/schemas/Problem"}]});
    let some = described(&json!({"oneOf": [answer, {"type": "array", "items": item}]}));
    let text = |name: &str, required: bool, about: &str, example: Value| {
        let mut parameter = json!({"name": name, "in": "query", "required": required, "description": about,
            "schema": {"type": "string"}});
        if let (Some(parameter), false) = (parameter.as_object_mut(), example.is_null()) {
            parameter.insert("example".into(), example);
        }
        parameter
    };
    let position = "Position ID, GNUbg ID, XGID, OGID, key or board line";
    let mut parameters = vec![text("position", true, position, json!(START))];
    let wants_roll = verb == "move";
    let roll = if wants_roll { json!("31") } else { Value::Null };
    if !matches!(verb, "eval" | "cube") {
        parameters.push(text("roll", wants_roll, "Two dice", roll));
    }
    for (key, want, about) in setting_keys() {
        if !matches!(key, "answer" | "order") {
            parameters.push(text(key, false, &format!("{about}: {want}"), Value::Null));
        }
    }
    let get = json!({"operationId": verb, "summary": summary, "parameters": parameters,
        "responses": {"200": one, "304": {"description": "The tag of If-None-Match still holds"}, "default": problem()}});
    let body = json!({"oneOf": [{"$ref": "#/components/schemas/Question"},
        {"type": "array", "maxItems": 1000, "items": {"$ref": "#/components/schemas/Question"}}]});
    let post = json!({"operationId": format!("{verb}Posted"), "summary": format!("{summary}; an array for many at once"),
        "requestBody": {"required": true, "content": {"application/json": {"schema": body, "example": example(verb)}}},
        "responses": {"200": some, "default": problem()}});
    json!({"get": get, "post": post})
}

fn analyse() -> Value {
    let formats: Vec<_> = direct_forms().into_iter().map(|(name, ..)| name).collect();
    json!({"post": {
        "operationId": "analyse", "summary": "Analyses a match file",
        "parameters": [
            {"name": "format", "in": "query", "schema": {"enum": formats}, "description": "The report; Accept chooses it too"},
            {"name": "plies", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 4}, "description": "look-ahead"},
            {"name": "from", "in": "query", "schema": {"type": "string"}, "description": "GAME or GAME:MOVE where the analysis begins, such as 2:5"},
            {"name": "to", "in": "query", "schema": {"type": "string"}, "description": "GAME or GAME:MOVE where the analysis ends"},
            {"name": "player", "in": "query", "schema": {"enum": ["1", "2"]}, "description": "The player whose decisions are analysed"},
        ],
        "requestBody": {"required": true, "content": {"application/octet-stream": {"schema": {}}}},
        "responses": {"200": answer("The report", "application/json"), "default": problem()},
    }})
}

/// Returns the paths of jobs (HTTP-50 to HTTP-54).
fn jobs() -> [(String, Value); 6] {
    let parameter =
        json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
    let job = || {
        json!({"description": "The job", "content":
            {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}}})
    };
    let started = || json!({"202": job(), "default": problem()});
    let rollout =
        json!({"application/json": {"schema": {"$ref": "#/components/schemas/Question"}}});
    let file = json!({"type": "object", "required": ["file"], "properties": {"file": {"type": "array", "maxItems": 100, "items": {}}},
        "additionalProperties": {"type": "string"}});
    let files = json!({"application/octet-stream": {"schema": {}}, "multipart/form-data": {"schema": file}});
    let key = json!({"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 255},
        "description": "The same request with the same key is the same job"});
    let archive = json!({"name": "archive", "in": "query", "schema": {"type": "boolean"},
        "description": "File the analysis in the server's archive"});
    let posted = |id: &str, summary: &str, content: Value, parameters: Value| {
        json!({"post": {"operationId": id, "summary": summary, "parameters": parameters,
            "requestBody": {"required": true, "content": content}, "responses": started()}})
    };
    let mut reports = Map::new();
    for (_, kind, form) in job_forms() {
        let schema = match form {
            ReportForm::Json => json!({"type": "object"}),
            ReportForm::File(format) if format.is_binary() => json!({}),
            _ => json!({"type": "string"}),
        };
        reports.insert(kind.to_owned(), json!({ "schema": schema }));
    }
    let wait = json!({"name": "wait", "in": "query", "description": "Seconds to wait for the end",
        "schema": {"type": "integer", "minimum": 0, "maximum": 60}});
    let one = json!({
        "parameters": [parameter],
        "get": {"operationId": "job", "summary": "The state of a job", "parameters": [wait],
            "responses": {"200": job(), "default": problem()}},
        "delete": {"operationId": "jobDeleted", "summary": "Ends a job and forgets it",
            "responses": {"204": {"description": "It is gone"}, "default": problem()}},
    });
    let result = json!({"parameters": [parameter], "get": {"operationId": "jobResult", "summary": "The answer of a job",
        "responses": {"200": {"description": "The answer", "content": reports}, "default": problem()}}});
    let events = json!({"parameters": [parameter], "get": {"operationId": "jobEvents",
        "summary": "Progress and end of a job as server-sent events",
        "responses": {"200": {"description": "Events state, progress, result and problem", "content":
            {"text/event-stream": {"schema": {"type": "string"}}}}, "default": problem()}}});
    let list = json!({"get": {"operationId": "jobs", "summary": "The jobs of a client with a token",
        "responses": {"200": {"description": "The jobs", "content": {"application/json": {"schema":
            {"type": "array", "items": {"$ref": "#/components/schemas/Job"}}}}}, "default": problem()}}});
    [
        (
            "/v1/jobs/rollout",
            posted("jobRollout", "Begins a rollout", rollout, json!([key])),
        ),
        (
            "/v1/jobs/analyse",
            posted(
                "jobAnalyse",
                "Begins the analysis of match files",
                files,
                json!([key, archive]),
            ),
        ),
        ("/v1/jobs/{id}", one),
        ("/v1/jobs/{id}/result", result),
        ("/v1/jobs/{id}/events", events),
        ("/v1/jobs", list),
    ]
    .map(|(path, item)| (path.to_owned(), item))
}

/// Returns the paths of the archive (HTTP-121, HTTP-122).
fn archive() -> [(String, Value); 2] {
    let text = |name: &str, about: &str| json!({"name": name, "in": "query", "description": about, "schema": {"type": "string"}});
    let whole = |name: &str, about: &str| json!({"name": name, "in": "query", "description": about, "schema": {"type": "integer", "minimum": 0}});
    let parameters = [
        text("player", "Part of a player's name"),
        text("from", "First day, such as 2026-11-21"),
        text("to", "Last day"),
        whole("length", "Points to play to; 0 for money"),
        whole("limit", "Matches in the answer, at most 100"),
        whole(
            "before",
            "Only matches that were filed before the one with this id",
        ),
    ];
    let list = json!({"get": {"operationId": "archive", "summary": "The matches of the archive, the newest first",
        "parameters": parameters, "responses": {"200": answer("The matches, and the path of the next ones", "application/json"),
        "default": problem()}}});
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}});
    let one = json!({"parameters": [id], "get": {"operationId": "archivedMatch", "summary": "A match of the archive",
        "responses": {"200": answer("The analysis", "application/json"), "default": problem()}}});
    [
        ("/v1/archive/matches", list),
        ("/v1/archive/matches/{id}", one),
    ]
    .map(|(path, item)| (path.to_owned(), item))
}

fn answer(about: &str, kind: &str) -> Value {
    let mut content = Map::new();
    content.insert(kind.to_owned(), json!({"schema": {"type": "object"}}));
    json!({ "description": about, "content": content })
}

fn problem() -> Value {
    json!({"description": "What is wrong", "content":
        {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}})
}

fn schemas() -> Value {
    let mut settings = Map::new();
    for (key, want, about) in setting_keys() {
        if !matches!(key, "answer" | "order") {
            let schema = json!({"type": ["string", "number", "boolean", "array"], "description": format!("{about}: {want}")});
            settings.insert(key.to_owned(), schema);
        }
    }
    let mut schemas = answer_schemas::schemas();
    let others = json!({
        "Question": {
            "type": "object",
            "required": ["position"],
            "additionalProperties": false,
            "properties": {
                "position": {"type": "string", "maxLength": 2048, "examples": [START]},
                "roll": {"oneOf": [
                    {"type": "string"},
                    {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 1, "maximum": 6}},
                    {"type": "null"},
                ]},
                "settings": {"type": "object", "additionalProperties": false, "properties": settings},
                "plays": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                "cube": {"type": "boolean"},
                "id": {"type": ["string", "number"], "maxLength": 64},
            },
        },
        "Job": {
            "type": "object",
            "required": ["type", "id", "kind", "state", "created", "finished", "expires", "progress", "problem", "links"],
            "properties": {
                "type": {"const": "job"},
                "id": {"type": "string"},
                "kind": {"enum": ["rollout", "analyse"]},
                "state": {"enum": ["queued", "running", "done", "failed"]},
                "created": {"type": "integer", "description": "Unix time in seconds"},
                "finished": {"type": ["integer", "null"]},
                "archived": {"type": ["integer", "null"], "description": "Matches of the job in the archive"},
                "expires": {"type": ["integer", "null"]},
                "progress": {"type": ["object", "null"]},
                "problem": {"oneOf": [{"$ref": "#/components/schemas/Problem"}, {"type": "null"}]},
                "links": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "Answer": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"type": "string"}, "id": {"type": "string"}},
        },
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail", "code"],
            "properties": {
                "id": {"type": "string", "description": "That of the question"},
                "type": {"type": "string", "examples": ["/v1/errors/bad-roll"]},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "code": {"type": "string"},
                "field": {"type": "string"},
                "at": {"type": "integer", "description": "Byte of the position, from 0"},
                "pointer": {"type": "string", "description": "JSON Pointer into the body"},
                "parameter": {"type": "string"},
            },
        },
    });
    schemas.extend(others.as_object().cloned().unwrap_or_default());
    Value::Object(schemas)
}

/// Returns a page about the paths, which loads nothing.
pub(super) fn page() -> String {
    let document: Value = serde_json::from_str(&document()).unwrap_or_default();
    let mut rows = String::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
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

/// Content security policy of what loads nothing and has its style in itself.
pub(super) const SELF_CONTAINED: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Returns a page with this body that loads nothing.
pub(super) fn document_of(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>gammond</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <style>body{{font:16px system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}}\
         th{{text-align:left}}td,th{{padding:.2rem .8rem .2rem 0;vertical-align:top}}</style></head>\
         <body>{body}</body></html>\n"
    )
}
