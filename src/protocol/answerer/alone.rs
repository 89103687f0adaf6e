//! One message in, one answer out: for hosts without a queue, such as a library or a browser.

use super::{AnswerParts, Answerer};
use crate::ErrorCode;
use crate::dialect::{Inquiry, LineAction};
use crate::json::Json;
use crate::message;
use crate::request_error::RequestError;
use crate::task::ReportForm;
use crate::web::{WebError, WebRequest, bgweb};
use gammond_engine::query::{AnswerStyle, Options, Stop};
use gammond_game::notation::{MatchFile, MatchFormat};

/// An answer without the ends of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageAnswer {
    /// False if the text is an error.
    pub good: bool,
    /// One line of JSON, or a report in its form.
    pub text: Vec<u8>,
}

impl Answerer<'_> {
    /// Answers a request line, a request in JSON or the lines of a match, in JSON, with the initial settings of a
    /// session. `on_progress` receives lines of JSON at intervals, if the request asks for progress.
    pub fn answer_message(
        &self,
        request: &[u8],
        stop: &Stop,
        on_progress: &mut (dyn FnMut(&[u8]) + Send),
    ) -> MessageAnswer {
        match message::step(message::LINE, request, in_json()) {
            LineAction::Ask(inquiry) => self.alone(&inquiry, stop, on_progress),
            LineAction::Say(text) | LineAction::Close(text) => said(true, text.into_bytes()),
            LineAction::Refuse(text) => said(false, text.into_bytes()),
            LineAction::Cancel(cancel) => said(true, cancel.unknown().into_bytes()),
            // Of other dialects.
            LineAction::Silence | LineAction::Rebuild { .. } => said(true, Vec::new()),
        }
    }

    /// Analyses a match file of any format. `words` are the settings, as behind `analyse` in a line; `form` is `json`,
    /// `html`, `csv` or the name of a format of match files, of which those without notes hold the match alone. See
    /// [`Answerer::answer_message`].
    pub fn answer_match(
        &self,
        (words, form): (&str, &str),
        file: Vec<u8>,
        stop: &Stop,
        on_progress: &mut (dyn FnMut(&[u8]) + Send),
    ) -> MessageAnswer {
        let form = match form {
            "json" => ReportForm::Json,
            "html" => ReportForm::Html,
            "csv" => ReportForm::Csv,
            name => match MatchFormat::written().find(|format| format.name() == name) {
                Some(format) if format.has_notes() => ReportForm::File(format),
                Some(format) => return converted(&file, format),
                None => return refused(&unknown_form(name)),
            },
        };
        match message::match_inquiry(words, file, form, &in_json()) {
            Ok(inquiry) => self.alone(&inquiry, stop, on_progress),
            Err(error) => refused(&error),
        }
    }

    /// Answers the body of a request for plays to bgweb-api (BW-01), by two plies where it names no look-ahead.
    pub fn answer_bgweb(&self, body: &[u8], stop: &Stop) -> MessageAnswer {
        const PLIES: u8 = 2;
        let read = match Json::parse(body) {
            Ok(body) => bgweb::getmoves(body, PLIES)
                .map_err(|WebError { code, message, .. }| (code, message)),
            Err(error) => Err((ErrorCode::BadJson, format!("request is not JSON: {error}"))),
        };
        match read {
            Ok(WebRequest::Answer(text)) => said(true, text.into_bytes()),
            Ok(WebRequest::Question(inquiry)) => self.alone(&inquiry, stop, &mut |_| {}),
            Err((code, message)) => refused(&RequestError::new(code, "request", message)),
        }
    }

    fn alone(
        &self,
        inquiry: &Inquiry,
        stop: &Stop,
        on_progress: &mut (dyn FnMut(&[u8]) + Send),
    ) -> MessageAnswer {
        let mut text = Vec::new();
        let mut on_line = |line: Vec<u8>| on_progress(line.trim_ascii_end());
        let AnswerParts { good, body } =
            self.answer_in_parts(inquiry, stop, &mut text, &mut on_line, &|| None);
        if let Some(body) = body {
            body.write_to(&mut text);
        }
        said(good, text)
    }
}

/// Returns the settings of a session whose answers are JSON.
fn in_json() -> Options {
    let mut options = Options::default();
    options.answer = Some(AnswerStyle::Json);
    options
}

/// Returns the first match of a file in a format without notes.
fn converted(file: &[u8], format: MatchFormat) -> MessageAnswer {
    let reading = match MatchFile::read(file) {
        Ok(reading) => reading,
        Err(error) => return refused(&error.into()),
    };
    match reading.file.write(format, None) {
        Ok(text) => MessageAnswer { good: true, text },
        Err(error) => {
            let message = format!("match {error}");
            refused(&RequestError::new(
                ErrorCode::BadMatchFile,
                "match",
                message,
            ))
        }
    }
}

fn unknown_form(name: &str) -> RequestError {
    let formats = MatchFormat::written().map(MatchFormat::name);
    let names: Vec<&str> = ["json", "html", "csv"].into_iter().chain(formats).collect();
    let names = names.join(", ");
    let message = format!("format is {name:.64?}, expected one of {names}");
    RequestError::new(ErrorCode::BadSetting, "format", message)
}

fn refused(error: &RequestError) -> MessageAnswer {
    let to = crate::answer::Addressee {
        id: None,
        style: AnswerStyle::Json,
        warning: None,
    };
    let mut text = Vec::new();
    crate::answer::error(to, error, None, &mut text);
    said(false, text)
}

fn said(good: bool, mut text: Vec<u8>) -> MessageAnswer {
    while text.last() == Some(&b'\n') {
        text.pop();
    }
    MessageAnswer { good, text }
}
