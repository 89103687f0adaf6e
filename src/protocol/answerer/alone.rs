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

/// An answer without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageAnswer {
    /// False if the text is an error.
    pub good: bool,
    /// One line of JSON, or a report in its form.
    pub text: Vec<u8>,
}

impl Answerer<'_> {
    /// Answers a request line, a request in JSON or the lines of a match (Q-01, Q-70), in JSON, with the initial settings of a
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
            Err(error) => Err((
                ErrorCode::BadRequest,
                format!("request is not JSON: {error}"),
            )),
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
        match body {
            // A report ends as its file does.
            Some(body) => {
                body.write_to(&mut text);
                MessageAnswer { good, text }
            }
            None => said(good, text),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::Engine;

    const MATCH: &str =
        "1 point match\n\n Game 1\n Ann : 0    Bob : 0\n  1) 31: 8/5 6/5    52: 13/8 24/22\n";

    fn engine() -> Engine {
        Engine::builder().threads(1).cache_mb(0).build().unwrap()
    }

    fn text(answer: &MessageAnswer) -> &str {
        std::str::from_utf8(&answer.text).unwrap()
    }

    /// WA-01: a line, an object and a match are requests; settings do not last; an error is an answer in JSON.
    #[test]
    fn messages_are_answered_alone() {
        let engine = engine();
        let answerer = Answerer::new(&engine);
        let ask = |request: &str| {
            answerer.answer_message(request.as_bytes(), &Stop::never(), &mut |_| {})
        };
        let line = ask("move 4HPwATDgc/ABMA 31 plies=0 top=1");
        assert!(line.good && text(&line).contains("\"play\":\"8/5 6/5\""));
        let object = r#"{"verb":"move","position":"4HPwATDgc/ABMA","roll":[3,1],"settings":{"plies":0,"top":1}}"#;
        assert_eq!(ask(object), line);
        assert!(ask("set plies=1").good);
        assert_eq!(ask("move 4HPwATDgc/ABMA 31 top=1"), line);
        let judged = ask(&format!("analyse plies=0\n{MATCH}.\n"));
        assert!(judged.good && text(&judged).starts_with('{') && text(&judged).ends_with('}'));
        assert!(ask("ping").good && ask("cancel 7").good && ask("quit").good);
        for wrong in [
            "",
            "\n",
            "move",
            "move 4HPwATDgc/ABMA 77",
            "{",
            "{}",
            "\u{0}",
            "ping\nping",
            "analyse\nx",
        ] {
            let error = ask(wrong);
            assert!(!error.good, "{wrong:?}");
            let found: serde_json::Value = serde_json::from_slice(&error.text).unwrap();
            assert!(
                found["code"].is_string() && found["message"].is_string(),
                "{wrong:?}"
            );
        }
    }

    /// WA-02: the report has the form that is named.
    #[test]
    fn matches_have_a_report_of_each_form() {
        let engine = engine();
        let answerer = Answerer::new(&engine);
        let judge = |form: &str| {
            let file = MATCH.as_bytes().to_vec();
            answerer.answer_match(("plies=0", form), file, &Stop::never(), &mut |_| {})
        };
        let json: serde_json::Value = serde_json::from_slice(&judge("json").text).unwrap();
        assert_eq!(json["players"][0], "Ann");
        assert!(text(&judge("html")).starts_with("<!DOCTYPE html>"));
        assert!(text(&judge("csv")).starts_with("file,game,"));
        for format in MatchFormat::written() {
            let file = judge(format.name());
            let again = MatchFile::read(&file.text).unwrap();
            assert!(
                file.good && again.file.games.len() == 1,
                "{}",
                format.name()
            );
        }
        for wrong in ["", "pdf", "JSON"] {
            let error = judge(wrong);
            assert!(
                !error.good && text(&error).contains("json, html, csv"),
                "{wrong}"
            );
        }
        let wrong =
            answerer.answer_match(("plies=9", "json"), Vec::new(), &Stop::never(), &mut |_| {});
        assert!(!wrong.good && text(&wrong).contains("plies"));
        let empty = answerer.answer_match(
            ("", "ogxm"),
            b"no match".to_vec(),
            &Stop::never(),
            &mut |_| {},
        );
        assert!(!empty.good);
    }

    /// WA-03: progress comes as lines, and a stop ends the work.
    #[test]
    fn progress_may_end_the_work() {
        fn clock() -> std::time::Duration {
            use std::sync::atomic::{AtomicU64, Ordering};
            static SECONDS: AtomicU64 = AtomicU64::new(0);
            std::time::Duration::from_secs(SECONDS.fetch_add(1, Ordering::Relaxed))
        }
        let engine = Engine::builder().threads(1).clock(clock).build().unwrap();
        let stop = Stop::new();
        let mut lines = Vec::new();
        let request = b"rollout 4HPwATDgc/ABMA trials=46656 progress=true";
        let answer = Answerer::new(&engine).answer_message(request, &stop, &mut |line| {
            lines.push(String::from_utf8(line.to_vec()).unwrap());
            stop.trigger();
        });
        assert!(lines[0].starts_with("{\"type\":\"progress\""), "{lines:?}");
        let found: serde_json::Value = serde_json::from_slice(&answer.text).unwrap();
        let trials = found["candidates"][0]["trials"].as_u64();
        assert!(trials.is_none_or(|trials| trials < 46656), "{found}");
    }

    /// WA-04.
    #[test]
    fn bgweb_has_its_answer() {
        let engine = engine();
        let answerer = Answerer::new(&engine);
        let body =
            br#"{"board":{"x":{"1":1},"o":{"2":1}},"dice":[6,1],"player":"x","score-moves":false}"#;
        let answer = answerer.answer_bgweb(body, &Stop::never());
        assert!(answer.good);
        assert_eq!(text(&answer), r#"[{"play":[{"from":"1","to":"off"}]}]"#);
        for wrong in [&b"{}"[..], b"", b"[", b"\xff"] {
            let error = answerer.answer_bgweb(wrong, &Stop::never());
            assert!(!error.good && error.text.starts_with(b"{"));
        }
    }
}
