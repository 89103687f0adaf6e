//! One line in, one answer out: joins the request language to the engine.
//!
//! What `gammond pipe`, `gammond serve` and the one-shot commands share. Blocks while it computes;
//! sockets call it on the pool.

use super::external;
use crate::engine::{Engine, EngineError};
use crate::notation::{self, Form, ParsedPosition, PlayRecord, PositionChances, PositionId};
use crate::protocol::answer::{self, Addressee, NotFinite};
use crate::protocol::{AnswerStyle, Line, Request, RequestError, SessionSettings, parse_line};
use crate::query::{EvalQuery, PlayQuery, RankedPlay, RankedPlays, Settings, Stop};
use crate::render;
use serde_json::json;

/// What became of a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing was asked.
    Nothing,
    /// Answered.
    Answered,
    /// Refused with an error.
    Refused,
    /// Answered; these are the session's settings from now on.
    Changed(Box<SessionSettings>),
    /// Answered; the session is to end.
    Quit,
}

/// Answers one line, without its LF, into `out`; `number` is the line's number where lines are
/// counted, for error answers.
pub fn respond(
    engine: &Engine,
    line: &[u8],
    session: &SessionSettings,
    number: Option<u64>,
    stop: &Stop,
    out: &mut Vec<u8>,
) -> Outcome {
    inject_fault(line);
    match parse_line(line, session) {
        None => Outcome::Nothing,
        Some(Ok(line)) => answer_request(engine, &line, session, number, stop, out),
        Some(Err(refusal)) => {
            answer::error(Addressee::from(&refusal), &refusal.error, number, out);
            Outcome::Refused
        }
    }
}

/// A panic on demand, to test that nothing else notices (SRV-13).
fn inject_fault(line: &[u8]) {
    #[cfg(feature = "fault-injection")]
    {
        use std::hint::black_box;
        let wanted: &[u8] = b"show panic";
        assert!(!black_box(line).ends_with(wanted), "injected fault");
    }
    #[cfg(not(feature = "fault-injection"))]
    let _ = line;
}

/// Answers a request that was understood.
pub fn answer_request(
    engine: &Engine,
    line: &Line,
    session: &SessionSettings,
    number: Option<u64>,
    stop: &Stop,
    out: &mut Vec<u8>,
) -> Outcome {
    let to = Addressee::from(line);
    let result = match &line.request {
        Request::Set(changed) => {
            answer::values(to, "set", &answer::settings_value(changed), "set", out);
            return Outcome::Changed(changed.clone());
        }
        Request::Quit => {
            answer::values(to, "quit", &json!({}), "quit", out);
            return Outcome::Quit;
        }
        request => ask(engine, to, request, session, stop, out),
    };
    match result {
        Ok(()) => Outcome::Answered,
        Err(error) => {
            answer::error(to, &error, number, out);
            Outcome::Refused
        }
    }
}

impl From<NotFinite> for RequestError {
    fn from(error: NotFinite) -> Self {
        RequestError::new("internal", "answer", error.to_string())
    }
}

/// An engine's failure as the error of a request.
#[must_use]
pub fn engine_error(error: &EngineError) -> RequestError {
    let code = match error {
        EngineError::Stopped => "stopped",
        _ => "internal",
    };
    RequestError::new(code, "query", format!("query {error}"))
}

fn ask(
    engine: &Engine,
    to: Addressee<'_>,
    request: &Request,
    session: &SessionSettings,
    stop: &Stop,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let failed = |error: EngineError| engine_error(&error);
    match request {
        Request::Eval(query, settings) => {
            let found = engine.evaluate(query, settings, stop).map_err(failed)?;
            answer::evaluation(to, &query.position, &found, engine.net_name(), out)?;
        }
        Request::Move(query, settings) => {
            let found = engine.rank_plays(query, settings, stop).map_err(failed)?;
            answer::plays(to, &found, |play| play_text(&found, play), out)?;
        }
        Request::Cube(query, settings) => {
            let found = engine.cube_action(query, settings, stop).map_err(failed)?;
            answer::cube(to, &query.position, &found, found.verdict.text(), out)?;
        }
        Request::Rollout(_) => {
            let message = "rollout is not offered here";
            return Err(RequestError::new("unsupported", "request", message));
        }
        Request::Show(shown, state) => show(engine, to, shown, state, out),
        Request::Convert(shown, state) => convert(to, shown, state, out),
        Request::PlayRecord(record, settings) => {
            play_record(engine, to, record, settings, stop, out)?;
        }
        Request::PositionRecord(record, settings) => {
            position_record(engine, to, record, settings, stop, out)?;
        }
        Request::Board(board, session) => {
            // A socket that begins with a board line speaks gnubg's protocol from then on; a board
            // line among requests is refused as a request is.
            notation::parse_position(board)?;
            let text = external::single(engine, board, session, stop);
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        }
        Request::Set(_) | Request::Quit => {}
        Request::Get => answer::values(to, "get", &answer::settings_value(session), "get", out),
        Request::Help => {
            let lines = answer::help_lines();
            answer::values(
                to,
                "help",
                &json!({ "help": lines }),
                &lines.join("; "),
                out,
            );
        }
        Request::Version => version(engine, to, out),
        Request::Stats => stats(engine, to, out),
        Request::Ping => answer::values(to, "pong", &json!({}), "pong", out),
    }
    Ok(())
}

/// The play in gnubg's notation.
fn play_text(ranking: &RankedPlays, play: &RankedPlay) -> String {
    notation::play_text(&ranking.position, &play.play)
}

fn version(engine: &Engine, to: Addressee<'_>, out: &mut Vec<u8>) {
    let version = env!("CARGO_PKG_VERSION");
    let net = engine.net_name();
    let body = json!({ "name": "gammond", "version": version, "protocol": 1, "net": net });
    answer::values(
        to,
        "version",
        &body,
        &format!("gammond {version} {net}"),
        out,
    );
}

fn stats(engine: &Engine, to: Addressee<'_>, out: &mut Vec<u8>) {
    let threads = engine.pool().current_num_threads();
    let net = engine.net_name();
    let body = json!({ "net": net, "threads": threads });
    answer::values(
        to,
        "stats",
        &body,
        &format!("threads {threads} net {net}"),
        out,
    );
}

fn show(
    engine: &Engine,
    to: Addressee<'_>,
    shown: &ParsedPosition,
    state: &crate::game::MatchState,
    out: &mut Vec<u8>,
) {
    let position = &shown.position;
    let board = render::board(position, state, shown.roll);
    let lines: Vec<&str> = board.lines().collect();
    let body = json!({
        "position": PositionId::from(*position).to_string(),
        "class": engine.evaluator().class(position).to_string(),
        "roll": shown.roll.map(crate::game::Roll::dice),
        "pips": [position.me().pips(), position.opponent().pips()],
        "off": [position.me().off(), position.opponent().off()],
        "state": state_value(state),
        "board": lines,
    });
    let plain = match to.style {
        AnswerStyle::Position => PositionId::from(*position).to_string(),
        _ => format!(
            "{} pips {} {}",
            shown.form.print(position, state, shown.roll, shown.offer),
            position.me().pips(),
            position.opponent().pips()
        ),
    };
    answer::values(to, "show", &body, &plain, out);
}

fn state_value(state: &crate::game::MatchState) -> serde_json::Value {
    json!({
        "length": state.score.length(),
        "score": [state.score.me(), state.score.opponent()],
        "crawford": state.score.is_crawford(),
        "jacoby": state.rules.jacoby,
        "beavers": state.rules.beavers,
        "cube": state.cube.value(),
        "owner": state.cube.owner(),
    })
}

fn convert(
    to: Addressee<'_>,
    shown: &ParsedPosition,
    state: &crate::game::MatchState,
    out: &mut Vec<u8>,
) {
    let print = |form: Form| form.print(&shown.position, state, shown.roll, shown.offer);
    let gnubg_id = print(Form::GnubgId);
    let match_id = gnubg_id.split_once(':').map_or("", |(_, id)| id).to_owned();
    let body = json!({
        "position": print(Form::PositionId),
        "match": match_id,
        "gnubgid": gnubg_id,
        "key": print(Form::Key),
        "xgid": print(Form::Xgid),
        "board": print(Form::BoardLine),
        "roll": shown.roll.map(crate::game::Roll::dice),
    });
    let plain = match to.style {
        AnswerStyle::Position => print(Form::PositionId),
        _ => [gnubg_id, print(Form::Key), print(Form::Xgid)].join(" "),
    };
    answer::values(to, "convert", &body, &plain, out);
}

/// Scores an `m` record: what is not listed costs as much as the worst listed.
fn play_record(
    engine: &Engine,
    to: Addressee<'_>,
    record: &PlayRecord,
    settings: &Settings,
    stop: &Stop,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let query = PlayQuery {
        position: record.position,
        roll: record.roll,
        state: crate::game::MatchState::default(),
    };
    let found = engine.rank_plays(&query, settings, stop);
    let found = found.map_err(|error| engine_error(&error))?;
    let Some(best) = found.plays.first() else {
        return Err(NotFinite.into());
    };
    let candidates = &record.candidates;
    let rank = candidates
        .iter()
        .position(|one| one.position == best.position);
    let charged = match rank {
        Some(rank) => candidates.get(rank),
        None if candidates.len() > 1 => candidates.last(),
        None => None,
    };
    let body = json!({
        "class": engine.evaluator().class(&record.position).to_string(),
        "choice": Form::Key.print(&best.position, &query.state, None, None),
        "play": play_text(&found, best),
        "rank": rank.map(|rank| rank + 1),
        "listed": rank.is_some(),
        "loss": answer::number_value(charged.map_or(0.0, |candidate| candidate.loss)),
    });
    let plain = match to.style {
        AnswerStyle::Position => PositionId::from(best.position).to_string(),
        _ => format!("{} loss {}", play_text(&found, best), body["loss"]),
    };
    answer::values(to, "m", &body, &plain, out);
    Ok(())
}

/// Values the position of an `o` record beside its own chances.
fn position_record(
    engine: &Engine,
    to: Addressee<'_>,
    record: &PositionChances,
    settings: &Settings,
    stop: &Stop,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let query = EvalQuery {
        position: record.position,
        state: crate::game::MatchState::default(),
    };
    let found = engine.evaluate(&query, settings, stop);
    let found = found.map_err(|error| engine_error(&error))?;
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
