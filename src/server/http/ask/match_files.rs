//! Match files in requests, and the forms of their reports.

use crate::core::Core;
use crate::core::faults::catch_panics;
use crate::core::match_memory::MatchMemory;
use crate::http::ask::events::EVENTS;
use crate::http::wire::accept;
use crate::http::wire::body;
use crate::http::wire::multipart;
use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use gammond_game::Rules;
use gammond_game::notation::MatchFormat;
use gammond_protocol::ErrorCode;
use gammond_protocol::Inquiry;
use gammond_protocol::message::match_inquiry;
use gammond_protocol::{InquiryTask, ReportForm};
use std::sync::Arc;

/// Longest match file whose report is JSON: it is written while it is made.
pub(in crate::http) const JSON_BYTES_MAX: usize = 1 << 20;
/// Limit for other reports, which hold all decisions at once.
pub(in crate::http) const REPORT_BYTES_MAX: usize = 256 << 10;
/// A report: its name, its kind and its form.
pub(in crate::http) type Report = (&'static str, &'static str, ReportForm);
const JSON: Report = ("json", "application/json", ReportForm::Json);
const HTML: Report = ("html", "text/html", ReportForm::Html);
const CSV: Report = ("csv", "text/csv", ReportForm::Csv);

fn files_of(formats: impl Iterator<Item = MatchFormat>) -> impl Iterator<Item = Report> {
    formats.map(|format| (format.name(), format.media_type(), ReportForm::File(format)))
}

/// Returns the reports of the direct path.
pub(in crate::http) fn direct_forms() -> Vec<Report> {
    let files = files_of(MatchFormat::written().filter(|format| format.has_notes()));
    let events = ("events", EVENTS, ReportForm::Json);
    [JSON, HTML, CSV]
        .into_iter()
        .chain(files)
        .chain([events])
        .collect()
}

/// Returns the reports of a job, in the order in which they are stored. Formats without notes come last: they hold the
/// match alone, so that no analysis is needed for them.
pub(in crate::http) fn job_forms() -> Vec<Report> {
    let files = files_of(MatchFormat::written());
    [JSON, HTML, CSV].into_iter().chain(files).collect()
}

/// Returns the match files in a body or in a form, one at least, with the fields of the form.
///
/// # Errors
/// [`Problem`]s of the body.
pub(in crate::http) async fn files(
    core: &Arc<Core>,
    headers: &HeaderMap,
    body: Body,
    max: usize,
) -> Result<(Vec<Bytes>, Vec<(String, String)>, MatchMemory), Problem> {
    let sent = headers.get(CONTENT_TYPE);
    let sent = sent.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = multipart::boundary(headers);
    // JSON and forms without files are no match files: their sender means another path.
    for other in [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/",
    ] {
        if boundary.is_none() && sent.to_ascii_lowercase().starts_with(other) {
            let message =
                "Content-Type is not that of a match file: send it as application/octet-stream";
            return Err(Problem::new(ErrorCode::UnsupportedMedia, message));
        }
    }
    body::uncoded(headers)?;
    let (text, weight) = body::collect(core, body, max).await?;
    let Some(boundary) = boundary else {
        return Ok((vec![text], Vec::new(), weight));
    };
    let form = multipart::read(boundary, text).await?;
    Ok((form.files, form.fields, weight))
}

/// Returns the form of a job's report: all of them, or JSON alone for a long file.
pub(in crate::http) const fn all_forms(bytes: usize) -> ReportForm {
    match bytes > REPORT_BYTES_MAX {
        true => ReportForm::Json,
        false => ReportForm::All,
    }
}

/// Returns true if an archive takes this analysis: its key has neither rules of money games nor a part of a match.
pub(in crate::http) fn is_archivable(inquiry: &Inquiry) -> bool {
    match &inquiry.task {
        InquiryTask::Match(task) => task.rules == Rules::default() && task.part.is_all(),
        _ => false,
    }
}

/// Returns the question about a match; `words` are its settings.
///
/// # Errors
/// [`Problem`]s of the settings.
pub(in crate::http) fn inquiry(
    core: &Core,
    words: &str,
    text: Vec<u8>,
    form: ReportForm,
) -> Result<Inquiry, Problem> {
    let session = core.defaults().session;
    let read = || match_inquiry(words, text, form, &session);
    let inquiry = catch_panics(&core.counters, read).and_then(|inquiry| inquiry);
    inquiry.map_err(|error| {
        let problem = Problem::new(error.code, error.message);
        Problem {
            field: Some(error.field.into()),
            ..problem
        }
    })
}

/// Returns the form that a parameter names, else that `Accept` likes best.
pub(in crate::http) fn chosen(
    wanted: Option<String>,
    headers: &HeaderMap,
    offered: &[Report],
) -> Result<(&'static str, ReportForm), Problem> {
    let &(_, kind, form) = match wanted {
        Some(name) => {
            let found = offered.iter().find(|(known, ..)| *known == name);
            found.ok_or_else(|| {
                let names: Vec<_> = offered.iter().map(|(name, ..)| *name).collect();
                let names = names.join(", ");
                let message = format!("format is {name:.64?}, expected one of {names}");
                Problem::new(ErrorCode::BadSetting, message)
                    .at(ErrorLocation::Parameter("format".to_owned()))
            })?
        }
        None => {
            let kinds: Vec<_> = offered.iter().map(|(_, kind, _)| *kind).collect();
            let kind = accept::chosen(headers, &kinds)?;
            let found = offered.iter().find(|(_, known, _)| *known == kind);
            found.unwrap_or(&JSON)
        }
    };
    Ok((kind, form))
}
