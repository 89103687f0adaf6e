//! One request line to one request: the language of `gammond pipe` and `gammond serve`.
//!
//! Rules Q-01 to Q-28 of `protocol-specs/request-protocol.md`. What a line asks for is resolved
//! here completely: the position's own cube, score and dice, the session's settings and the
//! request's settings are already one query when [`parse_line`] returns.

use super::block::{match_part, part_value};
use super::closest::closest;
use super::json_request::words_of_line;
use super::lines::LINE_BYTES_MAX;
use super::position_request::{Action, Verb, ask};
use super::queue_place::QueuePlace;
use super::request::{ID_BYTES_MAX, Line, MatchHeader, Refusal, Request, RequestError};
use super::task::MatchPart;
use crate::ErrorCode;
use gammond_engine::query::{AnswerStyle, Options, Setting, SettingError, Settings};
use gammond_game::notation::BenchmarkRecord;
use gammond_game::{MatchState, MatchStateError};
use nom::IResult;
use nom::bytes::complete::{take_while, take_while1};
use nom::error::{ErrorKind, ParseError};

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
        style: session.answer.unwrap_or_default(),
        place: QueuePlace::of(session),
        warning: None,
        match_end: None,
    };
    let parsed = parse(line, session, &mut head);
    let Head {
        id,
        style,
        place,
        warning,
        match_end,
    } = head;
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

/// The head of a line, known even if the rest of the line is wrong.
pub(super) struct Head {
    id: Option<String>,
    pub(super) style: AnswerStyle,
    pub(super) place: QueuePlace,
    pub(super) warning: Option<&'static str>,
    /// The line that ends the match behind a wrong `analyse` line.
    match_end: Option<String>,
}

fn parse(line: &[u8], session: &Options, head: &mut Head) -> Result<Request, RequestError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(RequestError::too_long());
    }
    let text = trimmed(line);
    // `trimmed` takes bytes from both ends; what it took in front counts for places.
    let skipped = line.len() - trimmed_front(line).len();
    if text.starts_with(b"{") {
        let words = words_of_line(text).map_err(|wrong| {
            head.id = wrong.id;
            head.match_end = wrong.words.and_then(|words| match_end(words.as_bytes()));
            let mut error = wrong.error;
            error.at += skipped;
            error
        })?;
        // A place in the words is none in the line.
        return id_and_body(words.as_bytes(), session, head).map_err(|fault| {
            head.match_end = match_end(words.as_bytes());
            fault.error
        });
    }
    let place = |rest: &[u8]| skipped + text.len() - rest.len().min(text.len());
    id_and_body(text, session, head).map_err(|fault| {
        head.match_end = match_end(text);
        let mut error = fault.error;
        error.at += place(fault.rest);
        error
    })
}

/// line = [ "#" id SP ] request
fn id_and_body<'a>(
    input: &'a [u8],
    session: &Options,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    let (rest, id) = request_id(input)?;
    head.id = id;
    body(rest, session, head)
}

/// A failure inside the parser: the rest of the line there, and the error, whose `at` counts from
/// that place.
#[derive(Debug)]
pub(super) struct Fault<'a> {
    pub(super) rest: &'a [u8],
    pub(super) error: RequestError,
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(rest: &'a [u8], _: ErrorKind) -> Self {
        fault(
            rest,
            ErrorCode::BadRequest,
            "request",
            "request is not understood",
        )
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> From<nom::Err<Fault<'a>>> for Fault<'a> {
    fn from(error: nom::Err<Fault<'a>>) -> Self {
        match error {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => fault,
            // Only streaming parsers ask for more, and this room uses none.
            nom::Err::Incomplete(_) => {
                fault(b"", ErrorCode::BadRequest, "request", "line is incomplete")
            }
        }
    }
}

pub(super) fn fault<'a>(
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

type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trimmed_front(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some((b'\0' | b' ' | b'\t', after)) = rest.split_first() {
        rest = after;
    }
    rest
}

/// Without NULs and blanks in front (Q-02), without a CR and blanks at the end (Q-01).
fn trimmed(line: &[u8]) -> &[u8] {
    trimmed_front(line).trim_ascii_end()
}

fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| is_blank(byte));
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (rest, word)
}

pub(super) fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank)(input)
}

/// word = 1*( any byte but a blank ), with the blanks after it passed over
pub(super) fn word(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, word) = take_while1(|byte| !is_blank(byte))(input)?;
    let (rest, _) = blanks(rest)?;
    Ok((rest, word))
}

/// [ "#" id SP ]
fn request_id(input: &[u8]) -> Parsed<'_, Option<String>> {
    let Some(rest) = input.strip_prefix(b"#") else {
        return Ok((input, None));
    };
    let refuse = |reason: String| {
        nom::Err::Failure(fault(input, ErrorCode::BadId, "id", format!("id {reason}")))
    };
    let (rest, id) = word(rest)?;
    if id.len() > ID_BYTES_MAX {
        return Err(refuse(format!(
            "has {} bytes, at most {ID_BYTES_MAX}",
            id.len()
        )));
    }
    match std::str::from_utf8(id) {
        Ok(text) if !text.chars().any(char::is_control) => Ok((rest, Some(text.to_owned()))),
        Ok(_) => Err(refuse("has a control character".into())),
        Err(_) => Err(refuse("is not UTF-8".into())),
    }
}

/// Bytes that may stand in a request: printable ASCII and blanks; names of a board line may have
/// more (Q-08).
fn checked(input: &[u8]) -> Result<(), Fault<'_>> {
    let board = input.windows(6).any(|window| window == b"board:");
    let bad = |byte: u8| match byte {
        b'\t' | 0x20..=0x7e => false,
        0x80.. => !board,
        _ => true,
    };
    match input.iter().position(|&byte| bad(byte)) {
        None => Ok(()),
        Some(at) => {
            let rest = input.get(at..).unwrap_or_default();
            let byte = rest.first().copied().unwrap_or_default();
            let message = format!("line has byte 0x{byte:02x}, expected printable ASCII");
            Err(fault(rest, ErrorCode::BadByte, "line", message))
        }
    }
}

const VERBS: [(&str, Action); 6] = [
    ("eval", Action::Answer(Verb::Eval)),
    ("move", Action::Answer(Verb::Move)),
    ("cube", Action::Answer(Verb::Cube)),
    ("rollout", Action::Rollout { cube: false }),
    ("show", Action::Answer(Verb::Show)),
    ("convert", Action::Answer(Verb::Convert)),
];
const SESSION_WORDS: [&str; 10] = [
    "analyse", "set", "get", "help", "version", "stats", "ping", "cancel", "quit", "exit",
];

/// Returns the words that begin requests which mean the same without a session: not those that change or end one.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    let alone = |word: &&str| !matches!(*word, "set" | "get" | "cancel" | "quit" | "exit");
    (VERBS.iter().map(|&(name, _)| name)).chain(SESSION_WORDS.into_iter().filter(alone))
}

fn action(word: &[u8]) -> Option<Action> {
    let found = VERBS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|&(_, action)| action)
}

fn is_analyse(word: &[u8]) -> bool {
    [&b"analyse"[..], b"analyze"]
        .iter()
        .any(|verb| word.eq_ignore_ascii_case(verb))
}

fn body<'a>(input: &'a [u8], session: &Options, head: &mut Head) -> Result<Request, Fault<'a>> {
    checked(input)?;
    if input.is_empty() {
        return Err(fault(
            input,
            ErrorCode::BadRequest,
            "request",
            "request is missing",
        ));
    }
    let (rest, first) = word(input)?;
    if let Some(action) = action(first) {
        if action == (Action::Rollout { cube: false })
            && let Ok((after, next)) = word(rest)
            && next.eq_ignore_ascii_case(b"cube")
        {
            return ask(Action::Rollout { cube: true }, after, session, head);
        }
        return ask(action, rest, session, head);
    }
    if input.starts_with(b"board:") {
        return Ok(Request::Board(input.to_vec()));
    }
    match first {
        b"m" | b"o" => return record(input, session),
        _ if first.eq_ignore_ascii_case(b"set") => return set(rest, session),
        _ if first.eq_ignore_ascii_case(b"cancel") => return cancel(rest),
        _ if is_analyse(first) => return analyse(rest, session, head),
        _ => {}
    }
    if let Some(request) = session_word(first) {
        return if rest.is_empty() {
            Ok(request)
        } else {
            Err(unexpected(rest, "the end of the line"))
        };
    }
    let letters = first.iter().all(u8::is_ascii_lowercase);
    if letters && first.len() < 13 {
        let shown = String::from_utf8_lossy(first);
        let names = VERBS.iter().map(|&(name, _)| name).chain(SESSION_WORDS);
        let message = match closest(&shown, names) {
            Some(name) => format!("request '{shown}' is not known; did you mean {name}?"),
            None => format!("request '{shown}' is not known, see `help`"),
        };
        return Err(fault(input, ErrorCode::UnknownVerb, "request", message));
    }
    ask(Action::Bare, input, session, head)
}

fn session_word(word: &[u8]) -> Option<Request> {
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

fn unexpected<'a>(rest: &'a [u8], want: &str) -> Fault<'a> {
    let (_, word) = split_word(rest);
    let shown: String = String::from_utf8_lossy(word).chars().take(24).collect();
    let message = format!("request is followed by '{shown}', expected {want}");
    fault(rest, ErrorCode::BadRequest, "request", message)
}

/// "cancel" ( "all" | 1*ID ): ids with or without "#" (Q-80).
fn cancel(input: &[u8]) -> Result<Request, Fault<'_>> {
    let (mut rest, mut targets) = (input, Vec::new());
    while !rest.is_empty() {
        let (after, id) = split_word(rest);
        let id = id.strip_prefix(b"#").unwrap_or(id);
        if id.is_empty() || id.len() > ID_BYTES_MAX || targets.len() >= CANCELLED_MAX {
            let message =
                format!("ids have 1 to {ID_BYTES_MAX} characters, at most {CANCELLED_MAX}");
            return Err(fault(rest, ErrorCode::BadId, "id", message));
        }
        targets.push(String::from_utf8_lossy(id).into_owned());
        rest = after.trim_ascii_start();
    }
    match targets.as_slice() {
        [] => {
            let message =
                "cancel is not followed by ids, expected such as `cancel 7` or `cancel all`";
            Err(fault(input, ErrorCode::BadRequest, "request", message))
        }
        [all] if all == "all" => Ok(Request::Cancel(Vec::new())),
        _ => Ok(Request::Cancel(targets)),
    }
}

/// "set" 1*( key "=" value )
fn set<'a>(input: &'a [u8], session: &Options) -> Result<Request, Fault<'a>> {
    if input.is_empty() {
        let message = "set needs key=value, see `help`";
        return Err(fault(input, ErrorCode::BadSetting, "setting", message));
    }
    let mut changed = session.without_state();
    settings(input, &mut changed)?;
    let changed = changed.with_state_below(session);
    let state = changed.state(MatchState::default());
    state.map_err(|error| state_fault(input, input, error))?;
    Ok(Request::Set(Box::new(changed)))
}

/// "analyse" *( key "=" value | "end=" word ): the lines that follow are a match (Q-70).
fn analyse<'a>(input: &'a [u8], session: &Options, head: &mut Head) -> Result<Request, Fault<'a>> {
    let mut own = session.clone();
    let mut part = MatchPart::default();
    let mut rest = input;
    while !rest.is_empty() {
        let here = rest;
        let (after, pair) = word(rest)?;
        if let Some((field, want)) = match_part(pair, &mut part) {
            let message = format!("setting '{field}' is wrong, expected {want}");
            return Err(fault(here, ErrorCode::BadSetting, field, message));
        }
        if let Some(end) = end_value(pair) {
            if !is_end(end) {
                let message = "setting 'end' needs 1 to 64 characters";
                return Err(fault(here, ErrorCode::BadSetting, "end", message));
            }
        } else if part_value(pair).is_none() {
            let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
            match Setting::named(&String::from_utf8_lossy(name)) {
                Some(Setting { name, scope, .. }) if !scope.is_of_line("analyse") => {
                    let error = SettingError::Verb {
                        key: name,
                        verb: "analyse".to_owned(),
                    };
                    return Err(Fault {
                        rest: here,
                        error: error.into(),
                    });
                }
                _ => settings(pair, &mut own).map_err(|mut fault| {
                    fault.rest = here;
                    fault
                })?,
            }
        }
        rest = after;
    }
    if part.from.zip(part.to).is_some_and(|(from, to)| to < from) {
        let message = "setting 'to' is before 'from'";
        return Err(fault(input, ErrorCode::BadCombination, "to", message));
    }
    head.style = own.answer.unwrap_or_default();
    head.place = QueuePlace::of(&own);
    let rules = gammond_game::Rules::default();
    Ok(Request::Analyse(Box::new(MatchHeader {
        settings: own.analysis(),
        rules: gammond_game::Rules {
            jacoby: own.jacoby.unwrap_or(rules.jacoby),
            beavers: own.beavers.unwrap_or(rules.beavers),
        },
        end: end_in(input),
        progress: own.progress == Some(true),
        part,
    })))
}

/// Returns the value of an `end=` word.
fn end_value(pair: &[u8]) -> Option<&[u8]> {
    let (key, value) = pair.split_at_checked(4)?;
    key.eq_ignore_ascii_case(b"end=").then_some(value)
}

fn is_end(end: &[u8]) -> bool {
    (1..=ID_BYTES_MAX).contains(&end.len())
}

/// Returns the line that ends a match, from the words after `analyse`.
fn end_in(words: &[u8]) -> String {
    let mut ends = words.split(|&byte| is_blank(byte)).filter_map(end_value);
    let end = ends.rfind(|end| is_end(end)).unwrap_or(BLOCK_END);
    String::from_utf8_lossy(end).into_owned()
}

/// Returns the line that ends the match behind an `analyse` line, even a wrong one; `None` for other requests.
fn match_end(line: &[u8]) -> Option<String> {
    let (mut rest, mut first) = split_word(line);
    if first.starts_with(b"#") {
        (rest, first) = split_word(rest.trim_ascii_start());
    }
    is_analyse(first).then(|| end_in(rest))
}

/// Most ids of one request to cancel.
const CANCELLED_MAX: usize = 64;
/// The line that ends a block unless the request says another one.
const BLOCK_END: &[u8] = b".";

/// Returns the fault of settings that do not fit each other (S-05), at the first of them, else at `input`.
pub(super) fn state_fault<'a>(
    input: &'a [u8],
    settings: &'a [u8],
    error: MatchStateError,
) -> Fault<'a> {
    const CUBE: [&str; 2] = ["cube", "owner"];
    const SCORE: [&str; 3] = ["score", "length", "crawford"];
    let (code, field, keys) = match error {
        MatchStateError::CubeValue(_) => (ErrorCode::BadCube, "cube", &CUBE[..]),
        MatchStateError::CrawfordCube => (
            ErrorCode::BadCube,
            "cube",
            &["cube", "owner", "score", "length", "crawford"][..],
        ),
        _ => (ErrorCode::BadScore, "score", &SCORE[..]),
    };
    let rest = place_of(settings, keys).unwrap_or(input);
    fault(rest, code, field, error.to_string())
}

/// Returns the input at the first setting with one of these keys.
pub(super) fn place_of<'a>(settings: &'a [u8], keys: &[&str]) -> Option<&'a [u8]> {
    let mut rest = settings;
    while !rest.is_empty() {
        let (after, pair) = split_word(rest);
        let key = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
        if keys
            .iter()
            .any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
        {
            return Some(rest);
        }
        rest = after.trim_ascii_start();
    }
    None
}

/// Applies every `key=value` to `target`.
pub(super) fn settings<'a>(input: &'a [u8], target: &mut Options) -> Result<(), Fault<'a>> {
    let mut rest = input;
    while !rest.is_empty() {
        rest = setting(rest, target)?;
    }
    Ok(())
}

/// Applies the first `key=value` to `target`. Returns the input after it.
pub(super) fn setting<'a>(input: &'a [u8], target: &mut Options) -> Result<&'a [u8], Fault<'a>> {
    let (rest, pair) = word(input)?;
    let text = String::from_utf8_lossy(pair);
    let Some((key, value)) = text.split_once('=') else {
        return Err(unexpected(input, "key=value"));
    };
    target.set(key, value).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    Ok(rest)
}
