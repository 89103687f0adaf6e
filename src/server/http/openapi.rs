//! The description of the paths as OpenAPI 3.1 (HTTP-102, HTTP-140): settings come from the table of the line protocol. A
//! test runs every example, and schemathesis (`.ci/run http`) compares the description with the answers.

use super::answer_schemas;
use super::jobs::{KEY_LENGTH_MAX, WAIT_SECONDS_MAX};
use super::list::ITEMS_MAX;
use super::matches::{direct_forms, job_forms};
use super::multipart::FILES_MAX;
use super::problem::Problem;
use super::question_schemas::{self, in_query};
use super::verbs;
use axum::http::StatusCode;
use gammond_protocol::ErrorCode;
use gammond_protocol::ReportForm;
use gammond_protocol::verbs::schema::described;
use gammond_protocol::verbs::{ROLLOUT, SHOW, VERBS, Verb};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Statuses that every path may have: of the server as a whole, and of the client.
const COMMON: [u16; 7] = [401, 403, 421, 429, 431, 500, 503];
/// Statuses of requests with a body.
const OF_BODIES: [u16; 3] = [408, 413, 415];

/// Returns the document with a line end.
pub(super) fn document() -> String {
    let mut paths = Map::new();
    for verb in VERBS {
        paths.insert(format!("/v1/{}", verb.name), verb_item(verb));
    }
    paths.insert("/v1/analyse".to_owned(), analyse());
    paths.extend(jobs());
    paths.extend(archive());
    paths.extend(server());
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

fn title(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error")
}

/// Returns the name of a status's response: `NotFound`.
fn response_name(status: u16) -> String {
    title(status).replace(' ', "")
}

/// Returns the responses of an operation: these of success, and the problems that it may have, with those of every path.
fn responses(good: Value, bad: &[u16]) -> Value {
    let mut responses = good.as_object().cloned().unwrap_or_default();
    for status in COMMON.iter().chain(bad) {
        let response = match status {
            // Sent before a request is read.
            431 => json!({"description": "The head of the request is too large; there is no body"}),
            status => json!({"$ref": format!("#/components/responses/{}", response_name(*status))}),
        };
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

fn verb_item(verb: &Verb) -> Value {
    let answered = |json: &Value, about: &str| {
        let mut content = Map::new();
        for kind in verbs::offered(verb) {
            let schema = match *kind {
                "application/json" => json.clone(),
                "text/event-stream" => event_reference(),
                "image/png" => json!({"type": "string", "format": "binary"}),
                _ => json!({"type": "string"}),
            };
            content.insert((*kind).to_owned(), json!({ "schema": schema }));
        }
        json!({"description": about, "content": content})
    };
    let answer = answer_schemas::reference(verb);
    let one = answered(&answer, "The answer");
    let item = json!({"anyOf": [answer, {"$ref": "#/components/schemas/Problem"}]});
    let answers = json!({"type": "array", "items": item});
    let some = answered(
        &json!({"anyOf": [answer, answers]}),
        "The answer; for an array the answers in its order, with problems in the places of those that have none",
    );
    let mut good = json!({"200": one});
    if let Some(good) = good.as_object_mut()
        && verb.lasts
    {
        let held = json!({"description": "The tag of If-None-Match still holds"});
        good.insert("304".into(), held);
    }
    let stream = |good: &mut Value| {
        if let Some(good) = good.as_object_mut()
            && verb.has_progress()
        {
            let ended = json!({"description": "The stream had ended (Last-Event-ID)"});
            good.insert("204".into(), ended);
        }
    };
    stream(&mut good);
    let get = json!({"operationId": verb.name, "summary": verb.summary, "tags": ["positions"],
        "description": format!("Answers as the line `{}` of the line protocol.", verb.name),
        "parameters": question_schemas::parameters(verb), "responses": responses(good, &[400, 406, 422])});
    let question = question_schemas::reference(verb);
    let body =
        json!({"anyOf": [question, {"type": "array", "maxItems": ITEMS_MAX, "items": question}]});
    let mut good = json!({"200": some});
    stream(&mut good);
    let bad = [&[400, 406, 422], &OF_BODIES[..]].concat();
    let mut post = json!({"operationId": format!("{}Posted", verb.name), "summary": format!("{}; an array for many at once", verb.summary),
        "tags": ["positions"],
        "description": "One question, or an array of them. An array with a question that does not match its schema is refused as a whole.",
        "requestBody": {"required": true, "description": "A question, or an array of questions",
            "content": {"application/json": {"schema": body, "example": (verb.example)()}}},
        "responses": responses(good, &bad)});
    if let Some(post) = post.as_object_mut()
        && verb == &SHOW
    {
        post.insert("parameters".into(), question_schemas::drawing().into());
    }
    json!({"get": get, "post": post})
}

fn event_reference() -> Value {
    json!({"$ref": "#/components/schemas/Event"})
}

/// Returns a body of one match file, or of a form with up to `files` of them.
fn match_files(files: usize) -> Value {
    let mut fields = Map::new();
    let file = json!({"type": "string", "format": "binary"});
    let (file, about) = match files {
        1 => (file, "The match file"),
        _ => (
            json!({"type": "array", "minItems": 1, "maxItems": files, "items": file}),
            "The match files, each in a field of this name",
        ),
    };
    fields.insert("file".into(), described(file, about));
    for (name, about, schema) in question_schemas::analysis() {
        fields.insert(name, described(schema, &about));
    }
    let form = json!({"type": "object", "required": ["file"], "additionalProperties": false, "properties": fields});
    let raw = json!({"type": "string", "format": "binary"});
    json!({"required": true, "description": "A match file in any form that `gammond analyse` reads, or a form with it",
        "content": {"application/octet-stream": {"schema": raw}, "multipart/form-data": {"schema": form}}})
}

/// Returns the settings of an analysis as parameters.
fn analysis_parameters() -> Vec<Value> {
    let all = question_schemas::analysis().into_iter();
    all.map(|(name, about, schema)| in_query(&name, false, &about, &schema))
        .collect()
}

/// Returns the content of reports by their kinds.
fn reports(forms: Vec<super::matches::Report>, json: &Value) -> Map<String, Value> {
    let mut content = Map::new();
    for (_, kind, form) in forms {
        let schema = match form {
            _ if kind == "text/event-stream" => event_reference(),
            ReportForm::Json => json.clone(),
            ReportForm::File(format) if format.is_binary() => {
                json!({"type": "string", "format": "binary"})
            }
            _ => json!({"type": "string"}),
        };
        content.insert(kind.to_owned(), json!({ "schema": schema }));
    }
    content
}

fn names(forms: &[super::matches::Report]) -> Vec<&'static str> {
    forms.iter().map(|(name, ..)| *name).collect()
}

fn analyse() -> Value {
    let forms = direct_forms();
    let format = json!({"type": "string", "enum": names(&forms)});
    let mut parameters = vec![in_query(
        "format",
        false,
        "The report; without it `Accept` chooses",
        &format,
    )];
    parameters.extend(analysis_parameters());
    let content = reports(forms, &json!({"$ref": "#/components/schemas/Analysis"}));
    let good = json!({"200": {"description": "The report", "content": content},
        "204": {"description": "The stream had ended (Last-Event-ID)"}});
    let bad = [&[400, 406, 422], &OF_BODIES[..]].concat();
    json!({"post": {
        "operationId": "analyse", "summary": "Analyses a match file", "tags": ["matches"],
        "description": "Analyses every decision of a match. Settings are in the query, or in the fields of a form.",
        "parameters": parameters,
        "requestBody": match_files(1),
        "responses": responses(good, &bad),
    }})
}

/// Returns links from an answer with a job to what there is about it.
fn job_links(id: &str) -> Value {
    let to = |operation: &str, about: &str| json!({"operationId": operation, "description": about, "parameters": {"id": id}});
    json!({
        "job": to("job", "Its state"),
        "jobResult": to("jobResult", "Its answer"),
        "jobEvents": to("jobEvents", "Its progress and its end"),
        "jobDeleted": to("jobDeleted", "Ends and forgets it"),
        "archive": {"operationId": "archive", "description": "The archive, where a job with `archive=true` files its matches"},
    })
}

/// Returns the paths of jobs (HTTP-50 to HTTP-54).
#[expect(clippy::too_many_lines, reason = "one table of paths")]
fn jobs() -> [(String, Value); 6] {
    let id = json!({"name": "id", "in": "path", "required": true, "description": "The `id` of the job",
        "schema": {"type": "string", "pattern": "^[a-z2-7]{26}$"}});
    let job = |about: &str| {
        json!({"description": about, "links": job_links("$response.body#/id"), "content":
            {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}}})
    };
    let key = json!({"name": "Idempotency-Key", "in": "header", "required": false,
        "schema": {"type": "string", "pattern": format!("^[!-~]{{1,{KEY_LENGTH_MAX}}}$")},
        "description": "The same request with the same key is the same job"});
    let archive = in_query(
        "archive",
        false,
        "True to file the analysis in the server's archive; 404 without one",
        &json!({"type": "boolean"}),
    );
    let posted = |id: &str, (summary, about): (&str, &str), body: Value, parameters: Vec<Value>| {
        let mut accepted = job("The job that begins");
        if let Some(accepted) = accepted.as_object_mut() {
            let location = json!({"Location": {"description": "The path of the job", "schema": {"type": "string"}}});
            accepted.insert("headers".into(), location);
        }
        let bad = [&[400, 404, 409, 422], &OF_BODIES[..]].concat();
        json!({"post": {"operationId": id, "summary": summary, "description": about, "tags": ["jobs"],
            "parameters": parameters, "requestBody": body, "responses": responses(json!({"202": accepted}), &bad)}})
    };
    let rollout = json!({"required": true, "description": "A question of `rollout`", "content": {"application/json":
        {"schema": question_schemas::reference(&ROLLOUT), "example": (ROLLOUT.example)()}}});
    let mut settings = vec![key.clone(), archive];
    settings.extend(analysis_parameters());
    let seconds =
        json!({"type": "integer", "minimum": 0, "maximum": WAIT_SECONDS_MAX, "examples": [1]});
    let wait = in_query("wait", false, "Seconds to wait for the end", &seconds);
    let one = json!({
        "parameters": [id],
        "get": {"operationId": "job", "summary": "The state of a job", "tags": ["jobs"], "parameters": [wait],
            "description": "Returns the job at once, or with `wait` when it ends.",
            "responses": responses(json!({"200": job("The job")}), &[400, 404])},
        "delete": {"operationId": "jobDeleted", "summary": "Ends a job and forgets it", "tags": ["jobs"],
            "description": "Stops the work of a job that has not ended, and removes its result.",
            "responses": responses(json!({"204": {"description": "It is gone"}}), &[404])},
    });
    let forms = job_forms();
    let format = json!({"type": "string", "enum": names(&forms)});
    let format = in_query(
        "format",
        false,
        "The report of an analysis; without it `Accept` chooses. A rollout has `json` alone",
        &format,
    );
    let schemas = ["RolloutAnswer", "Analysis", "Analyses"]
        .map(|name| json!({"$ref": format!("#/components/schemas/{name}")}));
    let content = reports(forms, &json!({"anyOf": schemas}));
    let result = json!({"parameters": [id], "get": {"operationId": "jobResult", "summary": "The answer of a job", "tags": ["jobs"],
        "description": "Returns the answer of the direct path, or the problem of a job that failed; 409 before the end.",
        "parameters": [format],
        "responses": responses(json!({"200": {"description": "The answer", "content": content}}), &[400, 404, 406, 409, 422])}});
    let events = json!({"parameters": [id], "get": {"operationId": "jobEvents", "tags": ["jobs"],
        "summary": "Progress and end of a job as server-sent events",
        "description": "Begins with the present state and ends with `result` or `problem`.",
        "responses": responses(json!({"200": {"description": "The events", "content":
            {"text/event-stream": {"schema": event_reference()}}},
            "204": {"description": "The stream had ended (Last-Event-ID)"}}), &[404, 406])}});
    let listed = json!({"description": "The jobs", "links": job_links("$response.body#/0/id"),
        "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}}}}});
    let list = json!({"get": {"operationId": "jobs", "summary": "The jobs of a client with a token", "tags": ["jobs"],
        "description": "Returns the jobs of the token; 403 for clients without one.",
        "responses": responses(json!({"200": listed}), &[])}});
    [
        (
            "/v1/jobs/rollout",
            posted(
                "jobRollout",
                ("Begins a rollout", "Answers at once; the rollout continues without the connection."),
                rollout,
                vec![key],
            ),
        ),
        (
            "/v1/jobs/analyse",
            posted(
                "jobAnalyse",
                (
                    "Begins the analysis of match files",
                    "Answers at once; the analysis continues without the connection. Settings are in the query, or in the fields of a form.",
                ),
                match_files(FILES_MAX),
                settings,
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
    let text = json!({"type": "string"});
    let day = json!({"type": "string", "format": "date", "examples": ["2026-11-21"]});
    let whole = |min: u64, max: u64| json!({"type": "integer", "minimum": min, "maximum": max});
    let parameters: Vec<Value> = [
        ("player", "Part of a player's name, in any case", text),
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
            {"application/json": {"schema": {"$ref": "#/components/schemas/ArchivedAnalysis"}}}}}), &[404])}});
    [
        ("/v1/archive/matches", list),
        ("/v1/archive/matches/{id}", one),
    ]
    .map(|(path, item)| (path.to_owned(), item))
}

/// Returns the paths about the server itself.
fn server() -> Vec<(String, Value)> {
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

fn schemas() -> Value {
    let mut schemas = answer_schemas::schemas();
    schemas.extend(question_schemas::schemas(&VERBS));
    Value::Object(schemas)
}

/// Methods of paths in the document; the other members of a path are about all of them.
const METHODS: [&str; 3] = ["get", "post", "delete"];

/// Returns a page about the paths, which loads nothing.
pub(super) fn page() -> String {
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
