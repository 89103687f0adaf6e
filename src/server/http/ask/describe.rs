//! Parts of the description of the paths that several of them need (HTTP-102).

use crate::http::ask::match_files::Report;
use crate::http::ask::question_schemas::{self, in_query};
use axum::http::StatusCode;
use gammond_protocol::ReportForm;
use gammond_protocol::verbs::schema::described;
use serde_json::{Map, Value, json};

/// Statuses that every path may have: of the server as a whole, and of the client.
const COMMON: [u16; 7] = [401, 403, 421, 429, 431, 500, 503];
/// Statuses of requests with a body.
pub(in crate::http) const OF_BODIES: [u16; 3] = [408, 413, 415];

/// Returns the standard text of a status.
pub(in crate::http) fn title(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error")
}

/// Returns the name of a status's response: `NotFound`.
pub(in crate::http) fn response_name(status: u16) -> String {
    title(status).replace(' ', "")
}

/// Returns the responses of an operation: these of success, and the problems that it may have, with those of every path.
pub(in crate::http) fn responses(good: Value, bad: &[u16]) -> Value {
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

/// Returns a reference to the schema of events.
pub(in crate::http) fn event_reference() -> Value {
    json!({"$ref": "#/components/schemas/Event"})
}

/// Returns a body of one match file, or of a form with up to `files` of them.
pub(in crate::http) fn match_files(files: usize) -> Value {
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
pub(in crate::http) fn analysis_parameters() -> Vec<Value> {
    let all = question_schemas::analysis().into_iter();
    all.map(|(name, about, schema)| in_query(&name, false, &about, &schema))
        .collect()
}

/// Returns the content of reports by their kinds.
pub(in crate::http) fn reports(forms: Vec<Report>, json: &Value) -> Map<String, Value> {
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

/// Returns the names of reports.
pub(in crate::http) fn names(forms: &[Report]) -> Vec<&'static str> {
    forms.iter().map(|(name, ..)| *name).collect()
}
