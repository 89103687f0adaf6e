//! The line protocol as a machine: one session of `gammond pipe` or of a connection.
//!
//! A request becomes an inquiry with the settings that hold when its line is read; `set`, `get`,
//! `help`, `ping` and `quit` are answered here, so that they have one shape everywhere.

use super::answer::{self, Addressee};
use super::block::Block;
use super::dialect::{Cancel, Dialect, Inquiry, LineAction};
use super::external::{self, External, ExternalSettings};
use super::reply::{RequestKind, RequestReply};
use super::request::{Line, Request};
use super::request_error::RequestError;
use super::request_line::{asks_nothing, parse_line};
use super::task::{InquiryTask, MatchTask, ReportForm};
use super::verbs::Work;
use crate::verbs::VERBS;
use gammond_base::lines::FramedLine;
use gammond_engine::query::SETTINGS;
use gammond_engine::query::{AnswerOrder, EvalQuery, Options, PlayQuery, Question, Settings};
use gammond_game::MatchState;
use gammond_game::notation;
use serde_json::{Value, json};

/// The machine of one session.
#[derive(Clone, Debug, Default)]
pub struct Session {
    settings: Options,
    /// The number of the last line, where lines are counted.
    number: Option<u64>,
    /// A match whose lines come.
    block: Option<Block>,
}

impl Session {
    /// Returns a session with these settings.
    #[must_use]
    pub fn new(settings: Options) -> Session {
        Session {
            settings,
            number: None,
            block: None,
        }
    }

    /// Returns a session whose errors give the number of their line, as on a pipe.
    #[must_use]
    pub fn counting(settings: Options) -> Session {
        Session {
            settings,
            number: Some(0),
            block: None,
        }
    }

    /// Returns the settings that hold for the next line.
    #[must_use]
    pub fn settings(&self) -> &Options {
        &self.settings
    }

    /// Returns true if a line needs no answer.
    #[must_use]
    pub fn passes_over(line: &[u8]) -> bool {
        asks_nothing(line)
    }

    /// Takes a line that was understood.
    pub fn request(&mut self, line: Line) -> LineAction {
        let Line {
            id,
            style,
            place,
            warning,
            request,
        } = line;
        let to = Addressee {
            id: id.as_deref(),
            style,
            warning,
        };
        if let Request::Position(request) = &request
            && let Work::Write(write) = &request.verb.work
        {
            let mut out = Vec::new();
            write(to, request, &mut out);
            return LineAction::Say(text(out));
        }
        match request {
            Request::Set(changed) => {
                let said = said(to, "set", &answer::settings_value(&changed), "set");
                self.settings = *changed;
                LineAction::Say(said)
            }
            Request::Get => {
                let settings = answer::settings_value(&self.settings);
                LineAction::Say(said(to, "get", &settings, &settings.to_string()))
            }
            Request::Help => {
                let lines = help_lines();
                let plain = lines.join("; ");
                LineAction::Say(said(to, "help", &json!({ "help": lines }), &plain))
            }
            Request::Cancel(targets) => LineAction::Cancel(Box::new(Cancel { id, style, targets })),
            Request::Ping => LineAction::Say(said(to, "pong", &json!({}), "pong")),
            Request::Quit => LineAction::Close(said(to, "quit", &json!({}), "quit")),
            Request::Board(ref board) => self.board(to, board),
            Request::Analyse(wanted) => {
                self.block = Some(Block::new(id, (style, place), self.number, *wanted));
                LineAction::Silence
            }
            asked => {
                let (asked, question, settings) = inquiry(asked);
                let name = id.clone();
                let reply = RequestReply {
                    id,
                    style,
                    number: self.number,
                    warning,
                    asked,
                };
                let mut inquiry = Inquiry::new(question, settings, reply);
                inquiry.place = place;
                inquiry.id = name;
                LineAction::Ask(Box::new(inquiry))
            }
        }
    }

    fn refuse(&self, to: Addressee<'_>, error: &RequestError) -> LineAction {
        refuse(to, error, self.number)
    }

    /// Adds the next line of a match; after the last one the match is analysed.
    fn gather(&mut self, mut block: Block, cut: FramedLine<'_>) -> LineAction {
        if !block.take(cut) {
            self.block = Some(block);
            return LineAction::Silence;
        }
        let (wanted, text) = match block.finish() {
            Ok(found) => found,
            Err(error) => return block_refused(&block, &error),
        };
        let Block {
            id,
            style,
            place,
            number,
            ..
        } = block;
        let name = id.clone();
        let reply = RequestReply {
            id,
            style,
            number,
            warning: None,
            asked: RequestKind::Match,
        };
        let rules = wanted.rules;
        let question = InquiryTask::Match(Box::new(MatchTask {
            text,
            rules,
            form: ReportForm::Json,
            progress: wanted.progress,
            part: wanted.part,
        }));
        let mut inquiry = Inquiry::new(question, wanted.settings, reply);
        inquiry.place = place;
        inquiry.id = name;
        LineAction::Ask(Box::new(inquiry))
    }

    /// Returns a board line among requests: a machine of gnubg's protocol without memory. One that cannot be
    /// read is refused as a request is.
    fn board(&self, to: Addressee<'_>, board: &[u8]) -> LineAction {
        if let Err(error) = notation::parse_position(board) {
            return self.refuse(to, &error.into());
        }
        let mut rules = ExternalSettings::default();
        rules.settings = self.settings.search();
        rules.variant = self.settings.variant.unwrap_or(rules.variant);
        rules.jacoby = self.settings.jacoby.unwrap_or(rules.jacoby);
        if self.settings.beavers == Some(false) {
            rules.beavers = 0;
        }
        External::new(rules)
            .line(board)
            .map(|question: external::Question| question.into())
    }
}

fn refuse(to: Addressee<'_>, error: &RequestError, number: Option<u64>) -> LineAction {
    let mut out = Vec::new();
    answer::error(to, error, number, &mut out);
    LineAction::Refuse(text(out))
}

fn block_refused(block: &Block, error: &RequestError) -> LineAction {
    let to = Addressee {
        id: block.id.as_deref(),
        style: block.style,
        warning: None,
    };
    refuse(to, error, block.number)
}

/// Returns the task of an ordinary request; requests of the session itself have none.
fn inquiry(request: Request) -> (RequestKind, InquiryTask, Settings) {
    let state = MatchState::default();
    let (asked, question, settings) = match request {
        Request::Position(request) => {
            // Those without a question have been answered.
            let question = request.question.clone();
            let question = question.unwrap_or(Question::Class(request.shown.position));
            let settings = request.settings.clone();
            (RequestKind::Position(request), question, settings)
        }
        Request::PlayRecord(record, settings) => {
            let (position, roll) = (record.position, record.roll);
            let question = Question::Choice(PlayQuery {
                position,
                roll,
                state,
            });
            (RequestKind::PlayRecord(record), question, settings)
        }
        Request::PositionRecord(record, settings) => {
            let position = record.position;
            let question = Question::Value(EvalQuery { position, state });
            (RequestKind::PositionRecord(record), question, settings)
        }
        Request::Version => {
            return (
                RequestKind::Version,
                InquiryTask::About,
                Settings::default(),
            );
        }
        _ => return (RequestKind::Stats, InquiryTask::About, Settings::default()),
    };
    (asked, question.into(), settings)
}

fn said(to: Addressee<'_>, kind: &'static str, body: &Value, plain: &str) -> String {
    let mut out = Vec::new();
    answer::values(to, kind, body, plain, &mut out);
    text(out)
}

/// Answers are made of texts, so they are one.
fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_default()
}

impl Dialect for Session {
    fn line(&mut self, line: FramedLine<'_>) -> LineAction {
        if let Some(number) = &mut self.number {
            *number += 1;
        }
        if let Some(block) = self.block.take() {
            return self.gather(block, line);
        }
        let here = Addressee {
            id: None,
            style: self.settings.answer.unwrap_or_default(),
            warning: None,
        };
        let FramedLine::Line(line) = line else {
            return self.refuse(here, &RequestError::too_long());
        };
        #[cfg(all(debug_assertions, not(fuzzing)))]
        if line.ends_with(b"show panic") {
            return LineAction::Ask(Box::new(super::reply::fault(line)));
        }
        match parse_line(line, &self.settings) {
            None => LineAction::Silence,
            Some(Ok(line)) => self.request(line),
            Some(Err(mut refusal)) => match refusal.match_end.take() {
                Some(end) => {
                    self.block = Some(Block::refused(refusal, end, self.number));
                    LineAction::Silence
                }
                None => self.refuse(Addressee::from(&refusal), &refusal.error),
            },
        }
    }

    fn trouble(&self, error: &RequestError) -> String {
        let mut out = Vec::new();
        let to = Addressee {
            id: None,
            style: self.settings.answer.unwrap_or_default(),
            warning: None,
        };
        answer::error(to, error, None, &mut out);
        text(out)
    }

    fn cancels(&self, line: &[u8]) -> Option<Vec<String>> {
        if self.block.is_some() {
            return None;
        }
        match parse_line(line, &self.settings)?.ok()?.request {
            Request::Cancel(targets) => Some(targets),
            _ => None,
        }
    }

    fn answers_when_ready(&self) -> bool {
        self.settings.order == Some(AnswerOrder::Ready)
    }

    fn pipelines(&self) -> bool {
        true
    }

    fn finish(&mut self) -> LineAction {
        match self.block.take() {
            Some(block) => block_refused(&block, &block.unfinished()),
            None => LineAction::Silence,
        }
    }

    fn gathered(&self) -> Option<usize> {
        self.block.as_ref().map(Block::held)
    }

    fn give_up(&mut self, why: &RequestError) {
        if let Some(block) = &mut self.block {
            block.give_up(why.clone());
        }
    }
}

/// Returns the text of `help`: requests and keys, one a line.
#[must_use]
fn help_lines() -> Vec<String> {
    let verbs = VERBS.iter().map(|verb| verb.usage);
    let requests = [
        "analyse [end=WORD] [key=value…]: the match in the lines that follow, up to one that is `.` (or WORD)",
        "POSITION [ROLL]: move with a roll, else eval; a line of a .bm file; a board: line",
        "set key=value…, get, help, version, stats, ping, quit",
        "cancel ID…, cancel all: stops earlier requests of the connection",
        "POSITION is a Position ID, ID:MatchID, 20-letter key, XGID=…, OGID or board:…; ROLL is 31, 3-1, 3,1 or 3 1",
        "#id in front of a request comes back in its answer",
    ];
    let keys = SETTINGS.iter().map(|setting| {
        let (name, want, help) = (setting.name, setting.want(), setting.help);
        format!("{name}={want}: {help}")
    });
    let requests = verbs.chain(requests).map(str::to_owned);
    requests.chain(keys).collect()
}
