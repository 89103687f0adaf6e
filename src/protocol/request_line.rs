//! One request line to one request: the language of `gammond pipe` and `gammond serve`.
//!
//! Rules Q-01 to Q-28 of `protocol-specs/request-protocol.md`. A request is resolved here completely: the position's
//! own cube, score and dice, the session's settings and the request's settings are already one query when
//! [`parse_line`] returns.

use super::block::match_part;
use super::request::{ID_BYTES_MAX, Line, MatchHeader, Refusal, Request};
use super::request_error::RequestError;
use super::verbs::{
    ANALYSE_SCOPES, AnswerOptions, Item, LineParts, PartError, Parts, RequestPart, VERBS, Verb,
    not_taken, request_of_json, resolve, state_error,
};
use super::words::{blanks, split_word, unexpected, word};
use crate::ErrorCode;
use gammond_base::closest::closest;
use gammond_engine::query::{Options, Scope, Setting, Settings};
use gammond_game::notation::{BenchmarkRecord, LINE_BYTES_MAX};
use gammond_game::{MatchState, Rules};
use gammond_report::analysis::MatchPart;

/// Returns true if a line needs no answer: blank, a comment, or a line of a benchmark file without a request (Q-04,
/// Q-05).
pub(super) fn asks_nothing(line: &[u8]) -> bool {
    let line = trimmed(line);
    let rest = match line.split_first() {
        None | Some((b';', _)) => return true,
        Some((b'#', rest)) => {
            let (after, id) = split_word(rest);
            let after = after.trim_ascii_start();
            let rolled_out = id == b"R" && split_word(after).1.len() == 20 && after.len() > 20;
            if id.is_empty() || rolled_out || (id == b"Resumed" && after.is_empty()) {
                return true;
            }
            after
        }
        Some(_) => line,
    };
    let (_, word) = split_word(rest);
    matches!(word, b"s" | b"r") && word.len() < rest.len()
}

/// Reads one line, without its LF. `None` when it needs no answer.
///
/// # Errors
/// [`Refusal`] with the error's code, field, message and place, and the id if there was one.
pub fn parse_line(line: &[u8], session: &Options) -> Option<Result<Line, Refusal>> {
    if line.len() <= LINE_BYTES_MAX && asks_nothing(line) {
        return None;
    }
    let mut head = Head {
        id: None,
        wishes: AnswerOptions::of(session),
        match_end: None,
    };
    let parsed = parse(line, session, &mut head);
    let Head {
        id,
        wishes,
        match_end,
    } = head;
    let AnswerOptions {
        style,
        place,
        warning,
    } = wishes;
    Some(match parsed {
        Ok(request) => Ok(Line {
            id,
            style,
            place,
            warning,
            request,
        }),
        Err(error) => Err(Refusal {
            id,
            style,
            error,
            match_end,
        }),
    })
}

/// The head of a line, valid even if the rest of the line is wrong.
pub(super) struct Head {
    pub(super) id: Option<String>,
    pub(super) wishes: AnswerOptions,
    /// The line that ends the match behind a wrong `analyse` line.
    pub(super) match_end: Option<String>,
}

fn parse(line: &[u8], session: &Options, head: &mut Head) -> Result<Request, RequestError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(RequestError::too_long());
    }
    let text = trimmed(line);
    // `trimmed` removes bytes at both ends; those in front count for places.
    let skipped = line.len() - trimmed_front(line).len();
    let parsed = match text.starts_with(b"{") {
        true => request_of_json(text, session, head),
        false => id_and_body(text, session, head).map_err(|fault| {
            head.match_end = match_end(text);
            let mut error = fault.error;
            error.at += text.len() - fault.rest.len().min(text.len());
            error
        }),
    };
    parsed.map_err(|mut error| {
        error.at += skipped;
        error
    })
}

/// line = [ "#" id SP ] request
fn id_and_body<'a>(
    input: &'a [u8],
    session: &Options,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    let mut rest = input;
    if let Some(after) = input.strip_prefix(b"#") {
        let (after, id) = word(after).ok_or_else(|| missing(after))?;
        let id = checked_id(id).map_err(|error| Fault { rest: input, error })?;
        head.id = Some(id);
        rest = after;
    }
    body(rest, session, head)
}

/// A failure: the rest of the line there, and the error, whose `at` counts from that place.
#[derive(Debug)]
struct Fault<'a> {
    rest: &'a [u8],
    error: RequestError,
}

fn fault<'a>(
    rest: &'a [u8],
    code: ErrorCode,
    field: &'static str,
    message: impl Into<String>,
) -> Fault<'a> {
    Fault {
        rest,
        error: RequestError::new(code, field, message),
    }
}

fn trimmed_front(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some((b'\0' | b' ' | b'\t', after)) = rest.split_first() {
        rest = after;
    }
    rest
}

/// Removes NULs and blanks in front (Q-02), a CR and blanks at the end (Q-01).
fn trimmed(line: &[u8]) -> &[u8] {
    trimmed_front(line).trim_ascii_end()
}

/// Returns an id as a text.
///
/// # Errors
/// It is too long, has a control character or is no UTF-8.
pub(super) fn checked_id(id: &[u8]) -> Result<String, RequestError> {
    let refuse = |reason: String| RequestError::new(ErrorCode::BadId, "id", format!("id {reason}"));
    if id.len() > ID_BYTES_MAX {
        return Err(refuse(format!(
            "has {} bytes, at most {ID_BYTES_MAX}",
            id.len()
        )));
    }
    match std::str::from_utf8(id) {
        Ok(text) if !text.chars().any(char::is_control) => Ok(text.to_owned()),
        Ok(_) => Err(refuse("has a control character".into())),
        Err(_) => Err(refuse("is not UTF-8".into())),
    }
}

/// Checks the bytes of a request: printable ASCII and blanks; names of a board line may have more (Q-08).
pub(super) fn printable(input: &[u8]) -> Result<(), RequestError> {
    let board = input.windows(6).any(|window| window == b"board:");
    let bad = |byte: &u8| match byte {
        b'\t' | 0x20..=0x7e => false,
        0x80.. => !board,
        _ => true,
    };
    match input.iter().enumerate().find(|(_, byte)| bad(byte)) {
        None => Ok(()),
        Some((at, byte)) => {
            let message = format!("line has byte 0x{byte:02x}, expected printable ASCII");
            let mut error = RequestError::new(ErrorCode::BadByte, "line", message);
            error.at = at;
            Err(error)
        }
    }
}

const SESSION_WORDS: [&str; 10] = [
    "analyse", "set", "get", "help", "version", "stats", "ping", "cancel", "quit", "exit",
];

/// Returns the words that begin requests which mean the same without a session: not those that change or end one.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    let alone = |word: &&str| !matches!(*word, "set" | "get" | "cancel" | "quit" | "exit");
    (VERBS.iter().map(|verb| verb.name)).chain(SESSION_WORDS.into_iter().filter(alone))
}

pub(super) fn is_analyse(word: &[u8]) -> bool {
    [&b"analyse"[..], b"analyze"]
        .iter()
        .any(|verb| word.eq_ignore_ascii_case(verb))
}

fn missing(rest: &[u8]) -> Fault<'_> {
    fault(rest, ErrorCode::BadRequest, "request", "request is missing")
}

fn body<'a>(input: &'a [u8], session: &Options, head: &mut Head) -> Result<Request, Fault<'a>> {
    printable(input).map_err(|error| Fault { rest: input, error })?;
    let (rest, first) = word(input).ok_or_else(|| missing(input))?;
    let name = String::from_utf8_lossy(first);
    if let Some(verb) = Verb::named(&name) {
        return position(Some(verb), rest, session, head);
    }
    if input.starts_with(b"board:") {
        return Ok(Request::Board(input.to_vec()));
    }
    if matches!(first, b"m" | b"o") {
        return record(input, session);
    }
    if first.eq_ignore_ascii_case(b"cancel") {
        return cancel_of_line(rest);
    }
    let is_set = first.eq_ignore_ascii_case(b"set");
    if is_set || is_analyse(first) {
        let line = LineParts::of_settings(rest);
        let request = match is_set {
            true => set(&line.parts, session),
            false => analyse(&line.parts, session, &mut head.wishes),
        };
        return request.map_err(|wrong| in_line(&line, wrong));
    }
    if let Some(request) = session_word(first) {
        return match rest {
            b"" => Ok(request),
            _ => Err(Fault {
                rest,
                error: unexpected(rest, "the end of the line"),
            }),
        };
    }
    let letters = first.iter().all(u8::is_ascii_lowercase);
    if letters && first.len() < 13 {
        return Err(Fault {
            rest: input,
            error: unknown_verb(&name),
        });
    }
    position(None, input, session, head)
}

/// Returns the error of a word that begins no request.
pub(super) fn unknown_verb(word: &str) -> RequestError {
    let names = VERBS.iter().map(|verb| verb.name).chain(SESSION_WORDS);
    let shown: String = word.chars().take(24).collect();
    let message = match closest(&shown, names) {
        Some(name) => format!("request '{shown}' is not known; did you mean {name}?"),
        None => format!("request '{shown}' is not known, see `help`"),
    };
    RequestError::new(ErrorCode::UnknownVerb, "request", message)
}

/// Reads a request on a position.
fn position<'a>(
    verb: Option<&'static Verb>,
    input: &'a [u8],
    session: &Options,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    let line = LineParts::cut(verb, input);
    match resolve(verb, &line.parts, session, &mut head.wishes) {
        Ok(request) => Ok(Request::Position(Box::new(request))),
        Err(wrong) => Err(in_line(&line, wrong)),
    }
}

/// Returns the place of a wrong part in its line.
fn in_line<'a>(line: &LineParts<'a>, PartError { part, error }: PartError) -> Fault<'a> {
    Fault {
        rest: line.from(part),
        error,
    }
}

pub(super) fn session_word(word: &[u8]) -> Option<Request> {
    let request = match word.to_ascii_lowercase().as_slice() {
        b"get" => Request::Get,
        b"help" => Request::Help,
        b"version" => Request::Version,
        b"stats" => Request::Stats,
        b"ping" => Request::Ping,
        b"quit" | b"exit" => Request::Quit,
        _ => return None,
    };
    Some(request)
}

/// Returns a benchmark record, scored by cubeless equity (Q-24).
fn record<'a>(input: &'a [u8], session: &Options) -> Result<Request, Fault<'a>> {
    let record = BenchmarkRecord::parse(input).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    let settings = Settings {
        cubeful: false,
        top: None,
        ..session.search()
    };
    match record {
        BenchmarkRecord::Play(record) if record.position.is_over() => {
            let message = "position of the record is one of a finished game";
            Err(fault(input, ErrorCode::GameOver, "position", message))
        }
        BenchmarkRecord::Play(record) => Ok(Request::PlayRecord(Box::new(record), settings)),
        BenchmarkRecord::Position(record) => {
            Ok(Request::PositionRecord(Box::new(record), settings))
        }
        _ => Err(fault(
            input,
            ErrorCode::BadRecord,
            "record",
            "record asks nothing",
        )),
    }
}

/// "cancel" ( "all" | 1*ID ): ids with or without "#" (Q-80).
fn cancel_of_line(input: &[u8]) -> Result<Request, Fault<'_>> {
    let (mut rest, mut ids, mut places) = (input, Vec::new(), Vec::new());
    while let Some((after, id)) = word(rest) {
        ids.push(id);
        places.push(rest);
        rest = after;
    }
    cancel(ids.into_iter()).map_err(|(number, error)| Fault {
        rest: places.get(number).copied().unwrap_or(input),
        error,
    })
}

/// Returns the request to cancel these ids.
///
/// # Errors
/// The number of a wrong id, and the error.
pub(super) fn cancel<'a>(
    ids: impl Iterator<Item = &'a [u8]>,
) -> Result<Request, (usize, RequestError)> {
    let mut targets = Vec::new();
    for (number, id) in ids.enumerate() {
        let id = id.strip_prefix(b"#").unwrap_or(id);
        if id.is_empty() || id.len() > ID_BYTES_MAX || number >= CANCELLED_MAX {
            let message =
                format!("ids have 1 to {ID_BYTES_MAX} characters, at most {CANCELLED_MAX}");
            return Err((number, RequestError::new(ErrorCode::BadId, "id", message)));
        }
        targets.push(String::from_utf8_lossy(id).into_owned());
    }
    match targets.as_slice() {
        [] => {
            let message =
                "cancel is not followed by ids, expected such as `cancel 7` or `cancel all`";
            Err((
                0,
                RequestError::new(ErrorCode::BadRequest, "request", message),
            ))
        }
        [all] if all == "all" => Ok(Request::Cancel(Vec::new())),
        _ => Ok(Request::Cancel(targets)),
    }
}

/// "set" 1*( key "=" value )
pub(super) fn set(parts: &Parts<'_>, session: &Options) -> Result<Request, PartError> {
    if parts.items.is_empty() {
        let message = "set needs key=value, see `help`";
        return Err(PartError::new(
            RequestPart::Whole,
            ErrorCode::BadSetting,
            "setting",
            message,
        ));
    }
    let mut changed = session.without_state();
    for (number, item) in parts.items.iter().enumerate() {
        apply(item, number, &mut changed)?;
    }
    let changed = changed.with_state_below(session);
    let state = changed.state(MatchState::default());
    state.map_err(|error| state_error(parts, error))?;
    Ok(Request::Set(Box::new(changed)))
}

/// Applies the setting with this number.
fn apply(item: &Item<'_>, number: usize, target: &mut Options) -> Result<(), PartError> {
    let applied = match item {
        Item::Setting(name, value) => target.set(name, value).map_err(RequestError::from),
        Item::Plays(text) => {
            let text = String::from_utf8_lossy(text);
            target.set("plays", &text).map_err(RequestError::from)
        }
        Item::Wrong(error) => Err(error.clone()),
    };
    applied.map_err(|error| PartError {
        part: RequestPart::Item(number),
        error,
    })
}

/// "analyse" *( key "=" value | "end=" word ): the lines that follow are a match (Q-70).
pub(super) fn analyse(
    parts: &Parts<'_>,
    session: &Options,
    wishes: &mut AnswerOptions,
) -> Result<Request, PartError> {
    let mut own = session.clone();
    let mut part = MatchPart::default();
    for (number, item) in parts.items.iter().enumerate() {
        let refuse = |error: RequestError| {
            Err(PartError {
                part: RequestPart::Item(number),
                error,
            })
        };
        if let Item::Setting(name, value) = item {
            match match_part(name, value, &mut part) {
                None => {}
                Some(Ok(())) => continue,
                Some(Err((field, want))) => {
                    let message = format!("setting '{field}' is wrong, expected {want}");
                    return refuse(RequestError::new(ErrorCode::BadSetting, field, message));
                }
            }
            if name.eq_ignore_ascii_case(END) {
                if is_end(value) {
                    continue;
                }
                let message = "setting 'end' needs 1 to 64 characters";
                return refuse(RequestError::new(ErrorCode::BadSetting, END, message));
            }
            if let Some(setting) = Setting::named(name).filter(|one| !is_of_analysis(one)) {
                return refuse(not_taken(setting, "analyse").into());
            }
        }
        apply(item, number, &mut own)?;
    }
    if part.from.zip(part.to).is_some_and(|(from, to)| to < from) {
        return Err(PartError::new(
            RequestPart::Whole,
            ErrorCode::BadCombination,
            "to",
            "setting 'to' is before 'from'",
        ));
    }
    *wishes = AnswerOptions::of(&own);
    let rules = Rules::default();
    Ok(Request::Analyse(Box::new(MatchHeader {
        settings: own.analysis(),
        rules: Rules {
            jacoby: own.jacoby.unwrap_or(rules.jacoby),
            beavers: own.beavers.unwrap_or(rules.beavers),
        },
        end: end_of(ends(parts)),
        progress: own.progress == Some(true),
        part,
    })))
}

/// Returns true if a line with `analyse` takes a setting: those of its session and of its queue too.
fn is_of_analysis(setting: &Setting) -> bool {
    matches!(setting.scope, Scope::Session | Scope::Queue)
        || ANALYSE_SCOPES.contains(&setting.scope)
}

fn is_end(end: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&end.len())
}

/// Returns the values of `end`.
fn ends<'a>(parts: &'a Parts<'_>) -> impl DoubleEndedIterator<Item = &'a str> {
    parts.items.iter().filter_map(|item| match item {
        Item::Setting(name, value) => name.eq_ignore_ascii_case(END).then_some(&**value),
        _ => None,
    })
}

/// Returns the line that ends a match, from the values of `end`.
pub(super) fn end_of<'a>(ends: impl DoubleEndedIterator<Item = &'a str>) -> String {
    let mut ends = ends;
    let end = ends.rfind(|end| is_end(end)).unwrap_or(BLOCK_END);
    end.to_owned()
}

/// Returns the line that ends the match behind an `analyse` line, even a wrong one; `None` for other requests.
fn match_end(line: &[u8]) -> Option<String> {
    let (mut rest, mut first) = split_word(line);
    if first.starts_with(b"#") {
        (rest, first) = split_word(rest.trim_ascii_start());
    }
    let settings = || LineParts::of_settings(blanks(rest)).parts;
    is_analyse(first).then(|| end_of(ends(&settings())))
}

/// Most ids of one request to cancel.
const CANCELLED_MAX: usize = 64;
/// The keyword for the line that ends a block, and that line by default.
const END: &str = "end";
const BLOCK_END: &str = ".";
