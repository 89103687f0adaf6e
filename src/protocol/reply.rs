//! Answers to requests, made from the engine's results.

use super::answer::{self, Addressee, NotFinite};
use super::dialect::{About, Inquiry, Reply};
use super::request_error::RequestError;
use super::task::{InquiryTask, MatchProgress, MatchReport, TaskAnswer};
use super::verbs::{PositionRequest, Work, not_its_answer};
use crate::ErrorCode;
use gammond_engine::query::{
    AnswerStyle, EngineAnswer, Evaluation, Language, Question, RankedPlay, RankedPlays,
};
use gammond_game::notation::{self, Form, PlayRecord, PositionChances, PositionId};
use gammond_game::{Class, MatchState};
use gammond_report::render::{DrawingStyle, answer_svg};
use serde_json::{Value, json};
use std::time::Duration;

/// The format of the answer to one request.
#[derive(Clone, Debug)]
pub(super) struct RequestReply {
    pub(super) id: Option<String>,
    pub(super) style: AnswerStyle,
    /// The number of the line, where lines are counted.
    pub(super) number: Option<u64>,
    pub(super) warning: Option<&'static str>,
    pub(super) asked: RequestKind,
}

/// The request, with the parts that the answer repeats.
#[derive(Clone, Debug)]
pub(super) enum RequestKind {
    Position(Box<PositionRequest>),
    PlayRecord(Box<PlayRecord>),
    PositionRecord(Box<PositionChances>),
    Match,
    Version,
    Stats,
    #[cfg(all(debug_assertions, not(fuzzing)))]
    Fault,
}

/// Writes the answer as a picture; errors are written as in answers of the inquiry's own form.
#[derive(Debug)]
struct PictureReply {
    language: Language,
    style: DrawingStyle,
    errors: Box<dyn Reply>,
}

impl Reply for PictureReply {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        about: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let drawn = match found {
            Ok(TaskAnswer::Engine(found)) => answer_svg(found, self.language, self.style),
            Ok(_) => None,
            Err(error) => return self.errors.write(Err(error), about, out),
        };
        match drawn {
            Some(picture) => {
                out.extend_from_slice(picture.as_bytes());
                out.push(b'\n');
                true
            }
            None => self.errors.write(Err(&not_its_answer()), about, out),
        }
    }
}

impl Inquiry {
    /// Returns the inquiry with an SVG drawing as its answer. Without a language its texts have that of the sentences that
    /// the question asks for, else English.
    ///
    /// # Errors
    /// A question whose answers have no picture, and a language whose letters are not drawn as lines.
    pub fn drawn(
        self,
        style: DrawingStyle,
        language: Option<Language>,
    ) -> Result<Inquiry, RequestError> {
        let InquiryTask::Ask(question) = &self.task else {
            return Err(not_its_answer());
        };
        let language = language.unwrap_or(match question {
            Question::Explain(query) => query.language,
            _ => Language::default(),
        });
        if matches!(style, DrawingStyle::Outlines(_)) && language == Language::Japanese {
            let message = "setting 'language' is ja: a PNG has Latin letters only, expected en, de or fr, or an SVG";
            return Err(RequestError::new(
                ErrorCode::BadCombination,
                "language",
                message,
            ));
        }
        if let Question::Exchanges(_) = question {
            let message = "setting 'turns' is 2: a picture of rolls is of one turn, expected 1";
            let code = ErrorCode::BadCombination;
            return Err(RequestError::new(code, "turns", message));
        }
        let reply = PictureReply {
            language,
            style,
            errors: self.reply,
        };
        Ok(Inquiry {
            reply: Box::new(reply),
            ..self
        })
    }
}

impl From<NotFinite> for RequestError {
    fn from(error: NotFinite) -> Self {
        RequestError::new(ErrorCode::Internal, "answer", error.to_string())
    }
}

impl Reply for RequestReply {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        about: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let written = match found {
            Ok(found) => self.answer(found, about, out),
            Err(error) => Err(error.clone()),
        };
        if let Err(error) = &written {
            answer::error(self.to(), error, self.number, out);
        }
        written.is_ok()
    }

    fn continues(&self) -> bool {
        matches!(self.asked, RequestKind::Match) && self.style == AnswerStyle::Json
    }
}

impl RequestReply {
    fn to(&self) -> Addressee<'_> {
        Addressee {
            id: self.id.as_deref(),
            style: self.style,
            warning: self.warning,
        }
    }

    fn answer(
        &self,
        found: &TaskAnswer,
        about: &About<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        let to = self.to();
        match (&self.asked, found) {
            (RequestKind::Position(request), TaskAnswer::Engine(found)) => {
                let Work::Ask(asking) = &request.verb.work else {
                    return Err(not_its_answer());
                };
                (asking.write)(to, request, found, about, out)?;
            }
            (
                RequestKind::PlayRecord(record),
                TaskAnswer::Engine(EngineAnswer::Choice(plays, class)),
            ) => {
                play_record(to, record, plays, *class, out)?;
            }
            (
                RequestKind::PositionRecord(record),
                TaskAnswer::Engine(EngineAnswer::Value(value)),
            ) => {
                position_record(to, record, value, out)?;
            }
            (RequestKind::Match, TaskAnswer::Match(report)) => analysis(to, report, out),
            (RequestKind::Match, TaskAnswer::Judged(progress, took)) => {
                judged(to, progress, *took, out)
            }
            (RequestKind::Version, TaskAnswer::About) => version(to, about, out),
            (RequestKind::Stats, TaskAnswer::About) => stats(to, about, out),
            #[cfg(all(debug_assertions, not(fuzzing)))]
            (RequestKind::Fault, _) => inject_fault(),
            _ => return Err(not_its_answer()),
        }
        Ok(())
    }
}

/// Returns a request whose answer panics, to test that nothing else notices (SRV-13); in debug builds only.
#[cfg(all(debug_assertions, not(fuzzing)))]
pub(super) fn fault(line: &[u8]) -> super::dialect::Inquiry {
    let id = line.strip_prefix(b"#").map(|rest| {
        let word = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
        String::from_utf8_lossy(word).into_owned()
    });
    let reply = RequestReply {
        id,
        style: AnswerStyle::Json,
        number: None,
        warning: None,
        asked: RequestKind::Fault,
    };
    let question = gammond_engine::query::Question::Class(gammond_game::Position::start());
    super::dialect::Inquiry::new(question, gammond_engine::query::Settings::default(), reply)
}

#[cfg(all(debug_assertions, not(fuzzing)))]
fn inject_fault() {
    assert!(std::hint::black_box(false), "injected fault");
}

/// Returns the play in gnubg's notation.
fn play_text(ranking: &RankedPlays, play: &RankedPlay) -> String {
    notation::play_text(&ranking.position, &play.play)
}

/// Writes the progress of a match analysis.
pub(super) fn judged(
    to: Addressee<'_>,
    progress: &MatchProgress,
    took: Duration,
    out: &mut Vec<u8>,
) {
    let MatchProgress {
        matches,
        matches_done,
        games,
        games_done,
        decisions_done,
    } = progress;
    let body = json!({
        "matches": matches,
        "matches_done": matches_done,
        "games": games,
        "games_done": games_done,
        "decisions_done": decisions_done,
        "elapsed_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    });
    let plain = format!("{games_done} of {games} games, {decisions_done} decisions");
    answer::values(to, "progress", &body, &plain, out);
}

/// Writes the beginning of a match's analysis, or all of it in one line for people. The members of the object
/// follow: they are long, and kept compressed until they are sent.
fn analysis(to: Addressee<'_>, report: &MatchReport, out: &mut Vec<u8>) {
    match (to.style, to.id) {
        (AnswerStyle::Json, Some(id)) => {
            out.extend_from_slice(format!("{{\"id\":{},", Value::from(id)).as_bytes());
        }
        (AnswerStyle::Json, None) => out.push(b'{'),
        (_, id) => {
            out.extend(id.iter().flat_map(|id| format!("#{id} ").into_bytes()));
            out.extend_from_slice(report.line.as_bytes());
            out.push(b'\n');
        }
    }
}

fn version(to: Addressee<'_>, about: &About<'_>, out: &mut Vec<u8>) {
    let version = env!("CARGO_PKG_VERSION");
    let About {
        net, commit, cpu, ..
    } = about;
    let body = json!({ "name": "gammond", "version": version, "protocol": 1, "net": net,
        "bearoff": about.bearoff, "commit": commit, "cpu": cpu });
    let plain = format!("gammond {version} {net} (commit {commit}, {cpu})");
    answer::values(to, "version", &body, &plain, out);
}

fn stats(to: Addressee<'_>, about: &About<'_>, out: &mut Vec<u8>) {
    let About {
        net,
        bearoff,
        threads,
        counters,
        ..
    } = about;
    let mut body = serde_json::Map::new();
    for (name, count) in *counters {
        body.insert((*name).to_owned(), (*count).into());
    }
    body.insert("net".into(), (*net).into());
    body.insert("bearoff".into(), json!(bearoff));
    body.insert("threads".into(), (*threads).into());
    let body = Value::from(body);
    let plain = if counters.is_empty() {
        format!("threads {threads} net {net}")
    } else {
        body.to_string()
    };
    answer::values(to, "stats", &body, &plain, out);
}

/// Scores an `m` record: a play that is not listed costs as much as the worst listed.
fn play_record(
    to: Addressee<'_>,
    record: &PlayRecord,
    found: &RankedPlays,
    class: Class,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let Some(best) = found.plays.first() else {
        return Err(NotFinite.into());
    };
    let (rank, loss) = record.charge(&best.position);
    let state = MatchState::default();
    let loss = answer::number_value(loss);
    let body = json!({
        "class": class.to_string(),
        "choice": Form::Key.print(&best.position, &state, None, None),
        "play": play_text(found, best),
        "rank": rank.map(|rank| rank + 1),
        "listed": rank.is_some(),
        "loss": loss,
    });
    let plain = match to.style {
        AnswerStyle::Position => PositionId::from(best.position).to_string(),
        _ => format!("{} loss {loss}", play_text(found, best)),
    };
    answer::values(to, "m", &body, &plain, out);
    Ok(())
}

/// Values the position of an `o` record beside its own chances.
fn position_record(
    to: Addressee<'_>,
    record: &PositionChances,
    found: &Evaluation,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let equity = found.chances.equity();
    if !equity.is_finite() {
        return Err(NotFinite.into());
    }
    let loss = (equity - record.chances.equity()).abs();
    let body = json!({
        "class": found.class.to_string(),
        "position": PositionId::from(record.position).to_string(),
        "probabilities": answer::chances_value(&found.chances),
        "equity": answer::number_value(equity),
        "record": answer::chances_value(&record.chances),
        "record_equity": answer::number_value(record.chances.equity()),
        "difference": answer::number_value(loss),
    });
    let plain = match to.style {
        AnswerStyle::Position => PositionId::from(record.position).to_string(),
        _ => format!("{equity:+.4} record {:+.4}", record.chances.equity()),
    };
    answer::values(to, "o", &body, &plain, out);
    Ok(())
}
