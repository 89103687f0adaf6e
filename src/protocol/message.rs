//! One request as one message, over NATS or HTTP, to a step of the line protocol's machine.

use super::answer::{self, Addressee};
use super::dialect::{About, Dialect, Inquiry, LineAction, Reply};
use super::reply::{RequestKind, RequestReply, judged};
use super::request::Request;
use super::request_error::RequestError;
use super::request_line::{parse_line, verbs as verbs_of_requests};
use super::session::Session;
use super::task::{InquiryTask, MatchTask, ReportForm, TaskAnswer};
use crate::ErrorCode;
use gammond_base::lines::{FramedLine, LineCodec};
use gammond_engine::query::{AnswerStyle, Options};
use gammond_game::notation::LINE_BYTES_MAX;

/// The subject for whole lines, also those that begin with no verb: records and board lines.
pub const LINE: &str = "line";

/// Returns the last words of the subjects that are answered.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    verbs_of_requests().chain([LINE])
}

/// Returns the line, or the lines of a match, that a message on the subject of this verb means: the text behind the
/// verb, with the `#id` in front of it.
fn lines(verb: &str, payload: &[u8]) -> Vec<u8> {
    if verb == LINE {
        return payload.to_vec();
    }
    let blanks = payload
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    let payload = payload.get(blanks.count()..).unwrap_or_default();
    let end = payload.iter().position(u8::is_ascii_whitespace);
    let (id, rest) = match payload.first() {
        Some(b'#') => payload.split_at(end.unwrap_or(payload.len())),
        _ => (&b""[..], payload),
    };
    let mut lines = Vec::with_capacity(payload.len() + verb.len() + 2);
    lines.extend_from_slice(id);
    if !id.is_empty() {
        lines.push(b' ');
    }
    lines.extend_from_slice(verb.as_bytes());
    // A match begins behind the line end.
    if !rest.is_empty() && !rest.starts_with(b"\n") {
        lines.push(b' ');
    }
    lines.extend_from_slice(rest.strip_prefix(b" ").unwrap_or(rest));
    lines
}

/// Runs a message through the line protocol's machine: one request, with the initial settings of a session.
pub fn step(verb: &str, payload: &[u8], settings: Options) -> LineAction {
    let mut session = Session::new(settings);
    let mut codec = LineCodec::new(LINE_BYTES_MAX);
    codec.feed(&lines(verb, payload));
    codec.finish();
    let mut found = None;
    while let Some(cut) = codec.peek() {
        let asks = !matches!(cut, FramedLine::Line(line) if Session::passes_over(line));
        if found.is_some() && asks {
            let error = RequestError::new(
                ErrorCode::BadRequest,
                "request",
                "request has more than one line; send a message for each",
            );
            return LineAction::Refuse(session.trouble(&error));
        }
        if found.is_none() {
            found = Some(session.line(cut)).filter(|step| !matches!(step, LineAction::Silence));
        }
        codec.consume();
    }
    match found {
        Some(step) => step,
        None => match session.finish() {
            LineAction::Silence => {
                let error =
                    RequestError::new(ErrorCode::BadRequest, "request", "request is missing");
                LineAction::Refuse(session.trouble(&error))
            }
            step => step,
        },
    }
}

/// Returns the inquiry for a match file sent as one message, in any supported format; `words` are the words after
/// `analyse` in a line.
///
/// # Errors
/// Those of the line.
pub fn match_inquiry(
    words: &str,
    text: Vec<u8>,
    form: ReportForm,
    settings: &Options,
) -> Result<Inquiry, RequestError> {
    let line = format!("analyse {words}");
    let parsed = parse_line(line.trim_end().as_bytes(), settings).transpose();
    let parsed = parsed.map_err(|refusal| refusal.error)?;
    let Some(Request::Analyse(wanted)) = parsed.map(|line| line.request) else {
        let message = "request is not an analysis";
        return Err(RequestError::new(ErrorCode::BadRequest, "request", message));
    };
    let rules = wanted.rules;
    let question = InquiryTask::Match(Box::new(MatchTask {
        text,
        rules,
        form,
        progress: wanted.progress,
        part: wanted.part,
    }));
    if form != ReportForm::Json {
        return Ok(Inquiry::new(question, wanted.settings, Report));
    }
    let reply = RequestReply {
        id: None,
        style: AnswerStyle::Json,
        number: None,
        warning: None,
        asked: RequestKind::Match,
    };
    Ok(Inquiry::new(question, wanted.settings, reply))
}

/// A report of a match alone. Before those of [`ReportForm::All`] stands a line with their sizes, as an array of JSON.
#[derive(Debug)]
struct Report;

impl Reply for Report {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let to = Addressee {
            id: None,
            style: AnswerStyle::Json,
            warning: None,
        };
        match found {
            Ok(TaskAnswer::Judged(progress, took)) => judged(to, progress, *took, out),
            Ok(TaskAnswer::Match(report)) if !report.parts.is_empty() => {
                let sizes = report.parts.iter().map(|(_, size)| *size);
                out.extend_from_slice(format!("{:?}\n", sizes.collect::<Vec<_>>()).as_bytes());
            }
            Ok(_) => {}
            Err(error) => answer::error(to, error, None, out),
        }
        found.is_ok()
    }

    fn continues(&self) -> bool {
        true
    }
}
