//! The tools and resources of MCP: a question, its answer, and the model's text (MCP-20 to MCP-42).

use crate::http::ask::drawing::{DrawingOptions, PNG, SVG, TEXT};
use crate::http::ask::submission::{self, Answer};
use crate::http::paths::mcp::arguments;
use crate::http::paths::mcp::message::{INVALID_PARAMS, RpcError, member, text};
use crate::http::paths::mcp::summary::summary;
use crate::http::paths::mcp::{Context, HELP, Progress, arguments_of, refused};
use crate::http::wire::problem::Problem;
use axum::body::to_bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use gammond_engine::query::{Options, SETTINGS, Scope, Setting};
use gammond_protocol::json::Json;
use gammond_protocol::message::match_inquiry;
use gammond_protocol::verbs::{
    CONVERT, CUBE, CUBES, EVAL, EXPLAIN, MOVE, OPENING, REPLY, ROLLOUT, ROLLS, SCORES, SHOW, Verb,
};
use gammond_protocol::{ErrorCode, ReportForm};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

const DEPTH: (&str, &str) = ("plies", "2");
/// Largest picture in bytes.
const PICTURE_BYTES_MAX: usize = 4 << 20;
/// Decisions of an analysis in an answer.
const DECISIONS: usize = 20;
const DECISIONS_MAX: u64 = 200;

/// Returns the notations, and the settings of the tools with their values.
fn help_text() -> String {
    let settings = SETTINGS.iter().filter(|setting| {
        matches!(setting.scope, Scope::State | Scope::Rules | Scope::Choice)
            || matches!(setting.name, "plies" | "level")
    });
    let settings: Vec<String> = settings
        .map(|setting| format!("{} ({})", setting.name, setting.want()))
        .collect();
    format!(
        "Positions: GNUbg Position ID (4HPwATDgc/ABMA), GNUbg ID, XGID, OGID, FIBS board line, position key, or the \
         argument `board` with lists of points.\nRolls: [3,1] or \"31\". Plays: \"8/5 6/5\", \"bar/20*\", \
         \"6/off(2)\".\nSettings, pairs as lists such as [3,5]: {}.\nEquities are points for the player on roll in \
         money play, and normalized to the cube in matches.\n",
        settings.join("; ")
    )
}

/// Runs a tool.
///
/// # Errors
/// An unknown tool; a bad argument is a result (MCP-21).
pub(in crate::http) async fn call(
    context: &Context,
    name: &str,
    arguments: &Json,
    progress: Option<Progress>,
) -> Result<Value, RpcError> {
    let Some(known) = arguments_of(name) else {
        let message = format!("unknown tool {name:.64?}");
        return Err(RpcError::new(INVALID_PARAMS, message));
    };
    let known = known.as_slice();
    let done = match name {
        "evaluate" => question(context, &EVAL, arguments, known, &[DEPTH]).await,
        "best_plays" => question(context, &MOVE, arguments, known, &[DEPTH, ("top", "5")]).await,
        "cube_decision" => question(context, &CUBE, arguments, known, &[DEPTH]).await,
        "all_rolls" => question(context, &ROLLS, arguments, known, &[DEPTH]).await,
        "all_scores" => question(context, &SCORES, arguments, known, &[DEPTH]).await,
        "all_cubes" => question(context, &CUBES, arguments, known, &[DEPTH]).await,
        "explain_decision" => question(context, &EXPLAIN, arguments, known, &[DEPTH]).await,
        "opening_book" => {
            let is_reply = member(arguments, "opening").is_some();
            let verb = if is_reply { &REPLY } else { &OPENING };
            question(context, verb, arguments, known, &[DEPTH]).await
        }
        "rollout" => rollout(context, arguments, known, progress).await,
        "convert_position" => question(context, &CONVERT, arguments, known, &[]).await,
        "show_position" => show(context, arguments, known).await,
        _ => analyse(context, arguments, known).await,
    };
    Ok(done.unwrap_or_else(|problem| refused(&problem)))
}

/// Returns an answer of the line protocol as the result of a tool.
fn structured(answer: Value) -> Value {
    let text = summary(&answer);
    json!({"content": [{"type": "text", "text": text}], "structuredContent": answer, "isError": false})
}

fn parsed(bytes: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}

async fn question(
    context: &Context,
    verb: &'static Verb,
    arguments: &Json,
    known: &[&str],
    defaults: &[(&str, &str)],
) -> Result<Value, Problem> {
    let question = arguments::read(verb, arguments, known, defaults)?;
    let answer = submission::ask(&context.shared, context.origin, &question).await?;
    Ok(structured(parsed(&Answer::collect(answer).await)?))
}

async fn rollout(
    context: &Context,
    arguments: &Json,
    known: &[&str],
    progress: Option<Progress>,
) -> Result<Value, Problem> {
    let mut defaults = vec![("top", "3"), ("time", "45000")];
    if progress.is_some() {
        defaults.push(("progress", "1"));
    }
    let question = arguments::read(&ROLLOUT, arguments, known, &defaults)?;
    let mut answer = submission::ask(&context.shared, context.origin, &question).await?;
    let trials = match member(arguments, "trials") {
        Some(Json::Number(number)) => number.as_f64().unwrap_or(1296.0),
        _ => 1296.0,
    };
    let (mut rest, mut last, mut reported) = (Vec::new(), Vec::new(), 0.0);
    while let Some(Ok(frame)) = answer.frame().await {
        let Ok(bytes) = frame.into_data() else {
            continue;
        };
        rest.extend_from_slice(&bytes);
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            if let (Some(progress), false) = (&progress, last.is_empty()) {
                report(progress, &last, trials, &mut reported);
            }
            last = rest.drain(..=end).collect();
        }
    }
    let value = parsed(&last)?;
    if value.get("type").and_then(Value::as_str) == Some("error") {
        return Err(Problem::of_answer(&last));
    }
    Ok(structured(value))
}

/// Reports a line of progress; the numbers only grow (MCP-40).
fn report(progress: &Progress, line: &[u8], trials: f64, reported: &mut f64) {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let candidates = value.get("candidates").and_then(Value::as_array);
    let best = candidates.and_then(|candidates| candidates.first());
    let done = best
        .and_then(|best| best.get("trials"))
        .and_then(Value::as_f64);
    if let Some(done) = done.filter(|done| *done > *reported) {
        *reported = done;
        progress.report(done, trials, &format!("{done} of {trials} games"));
    }
}

async fn show(context: &Context, arguments: &Json, known: &[&str]) -> Result<Value, Problem> {
    let Json::Object(members) = arguments else {
        return Err(Problem::new(
            ErrorCode::BadRequest,
            "arguments must be an object",
        ));
    };
    let mut wanted: Vec<(&str, String)> = Vec::new();
    let mut question = Vec::new();
    let mut kind = TEXT;
    for (name, value) in members {
        match (name.as_str(), value) {
            ("format", Json::Text(format)) => {
                kind = match format.as_str() {
                    "text" => TEXT,
                    "png" => PNG,
                    "svg" => SVG,
                    _ => {
                        let message = format!("format is {format:.32?}, expected text, png or svg");
                        return Err(Problem::new(ErrorCode::BadSetting, message));
                    }
                };
            }
            ("play", Json::Text(play)) => {
                wanted.push(("play", play.clone()));
            }
            ("width", Json::Number(width)) => {
                wanted.push(("width", width.to_string()));
            }
            ("format" | "play" | "width", value) => {
                let message = format!("{name} is {}, expected a string or a number", value.kind());
                return Err(Problem::new(ErrorCode::BadRequest, message));
            }
            _ => question.push((name.clone(), value.clone())),
        }
    }
    let question = arguments::read(&SHOW, &Json::Object(question), known, &[])?;
    let query = Serializer::new(String::new()).extend_pairs(wanted).finish();
    let (wishes, _) = DrawingOptions::read(&query, &SHOW)?;
    let drawn = wishes
        .draw(&context.shared, context.unread.as_deref(), &question, kind)
        .await?;
    let bytes = to_bytes(drawn.into_body(), PICTURE_BYTES_MAX).await;
    let bytes = bytes.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    let content = match kind {
        PNG => json!({"type": "image", "data": STANDARD.encode(&bytes), "mimeType": PNG}),
        _ => json!({"type": "text", "text": String::from_utf8_lossy(&bytes)}),
    };
    Ok(json!({"content": [content], "isError": false}))
}

async fn analyse(context: &Context, arguments: &Json, known: &[&str]) -> Result<Value, Problem> {
    let bad = |message: String| Problem::new(ErrorCode::BadRequest, message);
    let Json::Object(members) = arguments else {
        return Err(bad("arguments must be an object".to_owned()));
    };
    if let Some((name, _)) = members
        .iter()
        .find(|(name, _)| !known.contains(&name.as_str()))
    {
        let names = known.join(", ");
        return Err(bad(format!(
            "argument {name:.64?} is not known, expected one of {names}"
        )));
    }
    let file = text(arguments, "match")
        .ok_or_else(|| bad("match is missing, expected a match file".to_owned()))?;
    let file = match text(arguments, "encoding").unwrap_or("text") {
        "text" => file.as_bytes().to_vec(),
        "base64" => STANDARD
            .decode(file.trim())
            .map_err(|error| bad(format!("match is no base64: {error}")))?,
        other => {
            return Err(bad(format!(
                "encoding is {other:.32?}, expected text or base64"
            )));
        }
    };
    let wanted = text(arguments, "decisions").unwrap_or("worst");
    if !["worst", "all", "none"].contains(&wanted) {
        return Err(bad(format!(
            "decisions is {wanted:.32?}, expected worst, all or none"
        )));
    }
    let limit = match crate::http::paths::mcp::message::member(arguments, "limit") {
        None => DECISIONS,
        Some(Json::Number(number)) => {
            let limit = number.as_u64().filter(|&limit| limit <= DECISIONS_MAX);
            let limit = limit.and_then(|limit| usize::try_from(limit).ok());
            limit.ok_or_else(|| bad(format!("limit is {number}, expected 0 to {DECISIONS_MAX}")))?
        }
        Some(value) => return Err(bad(format!("limit is {}, expected a number", value.kind()))),
    };
    let mut options = Options::default();
    for (name, value) in members
        .iter()
        .filter(|(name, _)| Setting::named(name).is_some())
    {
        let set = options.set_json(name, &value.plain());
        set.map_err(|error| Problem::new(ErrorCode::BadSetting, error.to_string()))?;
    }
    let words = options.canonical(" ");
    let session = context.shared.defaults().session;
    let inquiry = match_inquiry(&words, file, ReportForm::Json, &session);
    let inquiry = inquiry.map_err(|error| Problem::new(error.code, error.message))?;
    let answer = submission::compute(&context.shared, context.origin, inquiry).await?;
    let mut report = parsed(&answer.collect().await)?;
    cut(&mut report, wanted, limit);
    Ok(structured(report))
}

/// Keeps the requested decisions and counts the others in `cut` (MCP-23).
fn cut(report: &mut Value, wanted: &str, limit: usize) {
    let Some(report) = report.as_object_mut() else {
        return;
    };
    for part in ["games", "classes", "phases"] {
        report.remove(part);
    }
    let Some(decisions) = report.get_mut("decisions").and_then(Value::as_array_mut) else {
        return;
    };
    let before = decisions.len();
    let loss = |one: &Value| {
        one.pointer("/loss/emg")
            .and_then(Value::as_f64)
            .unwrap_or(0.0)
    };
    match wanted {
        "none" => decisions.clear(),
        "worst" => {
            decisions.retain(|one| loss(one) > 0.0);
            decisions.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
        }
        _ => {}
    }
    decisions.truncate(limit);
    let cut = before - decisions.len();
    report.insert("cut".into(), cut.into());
}

/// Reads a resource (MCP-30).
///
/// # Errors
/// An unknown resource, and an invalid position.
pub(in crate::http) async fn resource(context: &Context, uri: &str) -> Result<Value, RpcError> {
    if uri == HELP {
        return Ok(json!({"contents": [{"uri": uri, "mimeType": TEXT, "text": help_text()}]}));
    }
    let unknown = || RpcError::new(INVALID_PARAMS, format!("there is no resource {uri:.128?}"));
    let name = uri
        .strip_prefix("gammond://position/")
        .ok_or_else(unknown)?;
    let (id, kind) = match name.rsplit_once('.') {
        Some((id, "svg")) => (id, SVG),
        Some((id, "png")) => (id, PNG),
        Some((id, "json")) => (id, "application/json"),
        _ => (name, TEXT),
    };
    // A query whose name is the whole text decodes it.
    let id = id.replace('+', "%2B").replace(['&', '='], "");
    let decoded = form_urlencoded::parse(id.as_bytes()).next();
    let id = decoded.map(|(id, _)| id.into_owned()).ok_or_else(unknown)?;
    let arguments = Json::Object(vec![("position".to_owned(), Json::Text(id))]);
    let failed = |problem: Problem| RpcError::new(INVALID_PARAMS, problem.message);
    let question = arguments::read(&CONVERT, &arguments, &["position"], &[]).map_err(failed)?;
    let bytes = if kind == "application/json" {
        let asked = submission::ask(&context.shared, context.origin, &question).await;
        Answer::collect(asked.map_err(failed)?).await
    } else {
        let drawn = DrawingOptions::default()
            .draw(&context.shared, context.unread.as_deref(), &question, kind)
            .await;
        let body = drawn.map_err(failed)?.into_body();
        let bytes = to_bytes(body, PICTURE_BYTES_MAX).await;
        bytes.map_err(|_| unknown())?.to_vec()
    };
    let content = match kind {
        PNG => json!({"uri": uri, "mimeType": kind, "blob": STANDARD.encode(&bytes)}),
        _ => json!({"uri": uri, "mimeType": kind, "text": String::from_utf8_lossy(&bytes)}),
    };
    Ok(json!({"contents": [content]}))
}
