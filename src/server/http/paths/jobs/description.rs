//! The description of the paths of jobs (HTTP-102).

use super::{KEY_LENGTH_MAX, WAIT_SECONDS_MAX};
use crate::http::ask::describe::{
    OF_BODIES, analysis_parameters, event_reference, match_files, names, reports, responses,
};
use crate::http::ask::match_files::job_forms;
use crate::http::ask::question_schemas::{self, in_query};
use crate::http::wire::multipart::FILES_MAX;
use gammond_protocol::verbs::ROLLOUT;
use serde_json::{Value, json};

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
pub(in crate::http) fn description() -> Vec<(String, Value)> {
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
    .into()
}
