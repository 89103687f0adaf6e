//! `POST /v1/analyse`: a match file as the body, its report in the requested form (HTTP-60 to HTTP-62).

use crate::core::Core;
use crate::http::ask::describe::{
    OF_BODIES, analysis_parameters, match_files, names, reports, responses,
};
use crate::http::ask::events::{self, EVENTS};
use crate::http::ask::match_files::{
    JSON_BYTES_MAX, REPORT_BYTES_MAX, chosen, direct_forms, files, inquiry,
};
use crate::http::ask::question;
use crate::http::ask::question_schemas::in_query;
use crate::http::ask::state::HttpState;
use crate::http::ask::submission;
use crate::http::wire::headers::report_headers;
use crate::http::wire::methods::only_post;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::Problem;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use gammond_protocol::ErrorCode;
use gammond_protocol::ReportForm;
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new().route("/v1/analyse", any(analyse))
}

/// Analyses the match in the body.
async fn analyse(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    only_post(&parts.method)?;
    let query = parts.uri.query().unwrap_or_default();
    let (mut settings, wanted) = question::settings_of_query(query, "format")?;
    let (kind, form) = chosen(wanted, &parts.headers, &direct_forms())?;
    let streams = kind == EVENTS;
    if let Some(ended) = events::ended(&parts.headers).filter(|_| streams) {
        return Ok(ended);
    }
    let max = match form {
        ReportForm::Json => JSON_BYTES_MAX,
        _ => REPORT_BYTES_MAX,
    };
    let (files, fields, weight) = files(&shared, &parts.headers, body, max).await?;
    let [text]: [Bytes; 1] = files.try_into().map_err(|_| {
        let message =
            "the form has more than one file: send a request for each, or a job with all of them";
        Problem::new(ErrorCode::BadRequest, message)
    })?;
    settings.extend(fields);
    if streams {
        question::with_progress(&mut settings);
    }
    let words = question::settings_of_pairs(&settings)?;
    let inquiry = inquiry(&shared, &words, text.into(), form)?;
    if streams {
        let answer = submission::start(&shared, peer.origin, inquiry, false)?;
        return Ok(events::send(answer.holding(weight), |problem| problem));
    }
    let answer = submission::compute(&shared, peer.origin, inquiry).await?;
    let mut response = Body::new(answer.holding(weight)).into_response();
    report_headers(response.headers_mut(), kind);
    Ok(response)
}

/// Returns the descriptions of the paths.
pub(in crate::http) fn description() -> Vec<(String, Value)> {
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
    let analyse = json!({"post": {
        "operationId": "analyse", "summary": "Analyses a match file", "tags": ["matches"],
        "description": "Analyses every decision of a match. Settings are in the query, or in the fields of a form.",
        "parameters": parameters,
        "requestBody": match_files(1),
        "responses": responses(good, &bad),
    }});
    vec![("/v1/analyse".to_owned(), analyse)]
}
