//! One request line to one request: the language of `gammond pipe` and `gammond serve`.
//!
//! Rules Q-01 to Q-28 of `protocol-specs/request-protocol.md`. What a line asks for is resolved
//! here completely: the position's own cube, score and dice, the session's settings and the
//! request's settings are already one query when [`parse_line`] returns.

use super::block::{match_part, part_value};
use super::json_request::words_of_line;
use super::lines::LINE_BYTES_MAX;
use super::request::{ID_BYTES_MAX, Line, MatchHeader, Refusal, Request, RequestError};
use super::settings::{AnswerStyle, QueuePlace, SessionSettings, StateOptions, closest};
use crate::ErrorCode;
use gammond_engine::query::{
    CubeQuery, EvalQuery, MatchPart, PlayQuery, RolloutQuery, RolloutSettings, RolloutSubject,
    RolloutTask, Settings,
};
use gammond_game::notation::{
    BenchmarkRecord, Form, ParsedPosition, parse_play, parse_position, parse_roll, split_position,
};
use gammond_game::{CubeOwner, MatchState, MatchStateError, Play, Position, Roll};
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
pub fn parse_line(line: &[u8], session: &SessionSettings) -> Option<Result<Line, Refusal>> {
    if line.len() <= LINE_BYTES_MAX && asks_nothing(line) {
        return None;
    }
    let mut head = Head {
        id: None,
        style: session.style,
        place: session.queue_place(),
        warning: None,
    };
    let parsed = parse(line, session, &mut head);
    let Head {
        id,
        style,
        place,
        warning,
    } = head;
    Some(match parsed {
        Ok(request) => Ok(Line {
            id,
            style,
            place,
            warning,
            request,
        }),
        Err(error) => Err(Refusal { id, style, error }),
    })
}

/// The head of a line, known even if the rest of the line is wrong.
struct Head {
    id: Option<String>,
    style: AnswerStyle,
    place: QueuePlace,
    warning: Option<&'static str>,
}

fn parse(line: &[u8], session: &SessionSettings, head: &mut Head) -> Result<Request, RequestError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(RequestError::too_long());
    }
    let text = trimmed(line);
    // `trimmed` takes bytes from both ends; what it took in front counts for places.
    let skipped = line.len() - trimmed_front(line).len();
    if text.starts_with(b"{") {
        let words = words_of_line(text).map_err(|(id, mut error)| {
            head.id = id;
            error.at += skipped;
            error
        })?;
        // A place in the words is none in the line.
        return id_and_body(words.as_bytes(), session, head).map_err(|fault| fault.error);
    }
    let place = |rest: &[u8]| skipped + text.len() - rest.len().min(text.len());
    id_and_body(text, session, head).map_err(|fault| {
        let mut error = fault.error;
        error.at += place(fault.rest);
        error
    })
}

/// line = [ "#" id SP ] request
fn id_and_body<'a>(
    input: &'a [u8],
    session: &SessionSettings,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    let (rest, id) = request_id(input)?;
    head.id = id;
    body(rest, session, head)
}

/// A failure inside the parser: the rest of the line there, and the error, whose `at` counts from
/// that place.
#[derive(Debug)]
struct Fault<'a> {
    rest: &'a [u8],
    error: RequestError,
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

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank)(input)
}

/// word = 1*( any byte but a blank ), with the blanks after it passed over
fn word(input: &[u8]) -> Parsed<'_, &[u8]> {
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

/// Action of a verb on a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Eval,
    Move,
    Cube,
    Rollout,
    /// `rollout cube`.
    RolloutCube,
    Show,
    Convert,
    /// No verb: move if there is a roll, else eval.
    Bare,
}

const VERBS: [(&str, Verb); 6] = [
    ("eval", Verb::Eval),
    ("move", Verb::Move),
    ("cube", Verb::Cube),
    ("rollout", Verb::Rollout),
    ("show", Verb::Show),
    ("convert", Verb::Convert),
];
const SESSION_WORDS: [&str; 10] = [
    "analyse", "set", "get", "help", "version", "stats", "ping", "cancel", "quit", "exit",
];

/// Returns the words that begin requests which mean the same without a session: not those that change or end one.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    let alone = |word: &&str| !matches!(*word, "set" | "get" | "cancel" | "quit" | "exit");
    (VERBS.iter().map(|&(name, _)| name)).chain(SESSION_WORDS.into_iter().filter(alone))
}

fn verb(word: &[u8]) -> Option<Verb> {
    let found = VERBS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|&(_, verb)| verb)
}

fn body<'a>(
    input: &'a [u8],
    session: &SessionSettings,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
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
    if let Some(verb) = verb(first) {
        if verb == Verb::Rollout
            && let Ok((after, next)) = word(rest)
            && next.eq_ignore_ascii_case(b"cube")
        {
            return ask(Verb::RolloutCube, after, session, head);
        }
        return ask(verb, rest, session, head);
    }
    if input.starts_with(b"board:") {
        return Ok(Request::Board(input.to_vec()));
    }
    match first {
        b"m" | b"o" => return record(input, session),
        _ if first.eq_ignore_ascii_case(b"set") => return set(rest, session),
        _ if first.eq_ignore_ascii_case(b"cancel") => return cancel(rest),
        _ if [&b"analyse"[..], b"analyze"]
            .iter()
            .any(|verb| first.eq_ignore_ascii_case(verb)) =>
        {
            return analyse(rest, session, head);
        }
        _ => {}
    }
    if let Some(request) = session_word(first) {
        return if rest.is_empty() {
            Ok(request)
        } else {
            Err(unexpected(rest))
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
    ask(Verb::Bare, input, session, head)
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
fn record<'a>(input: &'a [u8], session: &SessionSettings) -> Result<Request, Fault<'a>> {
    let record = BenchmarkRecord::parse(input).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    let settings = Settings {
        cubeful: false,
        top: None,
        ..session.search.clone()
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

fn unexpected(rest: &[u8]) -> Fault<'_> {
    let (_, word) = split_word(rest);
    let shown: String = String::from_utf8_lossy(word).chars().take(24).collect();
    let message = format!("request is followed by '{shown}', expected key=value");
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
fn set<'a>(input: &'a [u8], session: &SessionSettings) -> Result<Request, Fault<'a>> {
    if input.is_empty() {
        let message = "set needs key=value, see `help`";
        return Err(fault(input, ErrorCode::BadSetting, "setting", message));
    }
    let mut changed = session.clone();
    settings(input, &mut changed)?;
    let state = changed.state.apply(MatchState::default());
    state.map_err(|error| state_fault(input, error))?;
    Ok(Request::Set(Box::new(changed)))
}

/// "analyse" *( key "=" value | "end=" word ): the lines that follow are a match (Q-70).
fn analyse<'a>(
    input: &'a [u8],
    session: &SessionSettings,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    let mut own = session.clone();
    let mut end = BLOCK_END.to_owned();
    let mut part = MatchPart::default();
    let mut rest = input;
    while !rest.is_empty() {
        let here = rest;
        let (after, pair) = word(rest)?;
        if let Some((field, want)) = match_part(pair, &mut part) {
            let message = format!("setting '{field}' is wrong, expected {want}");
            return Err(fault(here, ErrorCode::BadSetting, field, message));
        }
        let key = pair.get(..4);
        if key.is_some_and(|key| key.eq_ignore_ascii_case(b"end=")) {
            let wanted = pair.get(4..).unwrap_or_default();
            if wanted.is_empty() || wanted.len() > ID_BYTES_MAX {
                let message = "setting 'end' needs 1 to 64 characters";
                return Err(fault(here, ErrorCode::BadSetting, "end", message));
            }
            end = String::from_utf8_lossy(wanted).into_owned();
        } else if part_value(pair).is_none() {
            settings(pair, &mut own).map_err(|mut fault| {
                fault.rest = here;
                fault
            })?;
        }
        rest = after;
    }
    if part.from.zip(part.to).is_some_and(|(from, to)| to < from) {
        let message = "setting 'to' is before 'from'";
        return Err(fault(input, ErrorCode::BadSetting, "to", message));
    }
    head.style = own.style;
    head.place = own.queue_place();
    let rules = gammond_game::Rules::default();
    Ok(Request::Analyse(Box::new(MatchHeader {
        settings: own.search,
        rules: gammond_game::Rules {
            jacoby: own.state.jacoby.unwrap_or(rules.jacoby),
            beavers: own.state.beavers.unwrap_or(rules.beavers),
        },
        end,
        progress: own.rollout.progress,
        part,
    })))
}

/// Most ids of one request to cancel.
const CANCELLED_MAX: usize = 64;
/// The line that ends a block unless the request says another one.
const BLOCK_END: &str = ".";

/// Settings that do not fit each other (S-05).
fn state_fault(rest: &[u8], error: MatchStateError) -> Fault<'_> {
    let (code, field) = match error {
        MatchStateError::CubeValue(_) | MatchStateError::CrawfordCube => {
            (ErrorCode::BadCube, "cube")
        }
        _ => (ErrorCode::BadScore, "score"),
    };
    fault(rest, code, field, error.to_string())
}

/// Applies every `key=value` to `target`.
fn settings<'a>(input: &'a [u8], target: &mut SessionSettings) -> Result<(), Fault<'a>> {
    let mut rest = input;
    while !rest.is_empty() {
        let here = rest;
        let (after, pair) = word(rest)?;
        let text = String::from_utf8_lossy(pair);
        let Some((key, value)) = text.split_once('=') else {
            return Err(unexpected(here));
        };
        target.set(key, value).map_err(|error| Fault {
            rest: here,
            error: error.into(),
        })?;
        rest = after;
    }
    Ok(())
}

/// POSITION [ROLL] *( key "=" value )
fn ask<'a>(
    verb: Verb,
    input: &'a [u8],
    session: &SessionSettings,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    if input.is_empty() {
        return Err(fault(
            input,
            ErrorCode::MissingPosition,
            "position",
            "position is missing",
        ));
    }
    let (text, rest) = split_position(input);
    let parsed = parse_position(text).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    let (rest, _) = blanks(rest)?;
    let before_roll = rest;
    let (rest, roll) = roll(rest)?;
    let (rest, plays) = match verb {
        Verb::Rollout => plays(rest)?,
        _ => (rest, None),
    };
    let mut own = SessionSettings {
        state: StateOptions::default(),
        ..session.clone()
    };
    own.search.cubeful &= !parsed.no_cube;
    settings(rest, &mut own)?;
    head.style = own.style;
    head.place = own.queue_place();
    head.warning = parsed.warning;
    match_goes_on(verb, &parsed, &own.state)
        .map_err(|message| fault(input, ErrorCode::GameOver, "position", message))?;
    let state = state_of(&parsed, session, &own.state).map_err(|error| state_fault(rest, error))?;
    let wanted = PositionRequest {
        stray_roll: roll.map(|_| before_roll),
        roll: roll.or(parsed.roll),
        parsed,
        state,
        own,
    };
    if matches!(verb, Verb::Rollout | Verb::RolloutCube) {
        return wanted.into_rollout(verb, plays, rest);
    }
    wanted.into_request(verb, rest)
}

/// Returns the ID of a match that is over can be converted; there is no state to answer about, or to change.
fn match_goes_on(verb: Verb, parsed: &ParsedPosition, wishes: &StateOptions) -> Result<(), String> {
    let (Some([me, opponent]), Some(id)) = (parsed.final_score, parsed.match_id) else {
        return Ok(());
    };
    if verb == Verb::Convert && *wishes == StateOptions::default() {
        return Ok(());
    }
    let length = id.length();
    Err(format!(
        "position is of a match that is over: {me}-{opponent}, seen by the player on roll, in a match to {length}; \
         only convert takes it, as it is"
    ))
}

/// plays = `plays="` play *( ";" play ) `"`, before all other settings
fn plays(input: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault<'_>> {
    const KEY: &[u8] = b"plays=\"";
    let Some(text) = (input.get(..KEY.len()))
        .filter(|key| key.eq_ignore_ascii_case(KEY))
        .and_then(|_| input.get(KEY.len()..))
    else {
        return Ok((input, None));
    };
    let end = text.iter().position(|&byte| byte == b'"');
    let Some((found, after)) = end.and_then(|end| text.split_at_checked(end)) else {
        let message = "setting 'plays' has no second quotation mark";
        return Err(fault(input, ErrorCode::BadSetting, "plays", message));
    };
    let (rest, _) = blanks(after.get(1..).unwrap_or_default())?;
    Ok((rest, Some(found)))
}

/// Returns the state in the form, else the session's, with the request's settings on top (Q-22).
fn state_of(
    parsed: &ParsedPosition,
    session: &SessionSettings,
    wishes: &StateOptions,
) -> Result<MatchState, MatchStateError> {
    let Some(mut state) = parsed.state else {
        return session.state.with(wishes).apply(MatchState::default());
    };
    // No Match ID carries beavers; no board line and no OGID carries Jacoby either.
    let open = matches!(parsed.form, Form::BoardLine | Form::Ogid);
    if (open || parsed.form == Form::GnubgId) && state.score.is_money() {
        state.rules.beavers = session.state.beavers.unwrap_or(state.rules.beavers);
    }
    if open && state.score.is_money() {
        state.rules.jacoby = session.state.jacoby.unwrap_or(state.rules.jacoby);
    }
    wishes.apply(state)
}

/// All parts of a request with a position.
struct PositionRequest<'a> {
    parsed: ParsedPosition,
    roll: Option<Roll>,
    /// The input at a roll given beside the position, if there is one.
    stray_roll: Option<&'a [u8]>,
    state: MatchState,
    own: SessionSettings,
}

impl<'a> PositionRequest<'a> {
    fn into_request(self, verb: Verb, rest: &'a [u8]) -> Result<Request, Fault<'a>> {
        let PositionRequest {
            mut parsed,
            roll,
            stray_roll,
            state,
            own,
        } = self;
        let position = parsed.position;
        let verb = match (verb, roll) {
            (Verb::Bare, Some(_)) => Verb::Move,
            (Verb::Bare, None) => Verb::Eval,
            (verb, _) => verb,
        };
        let decides = matches!(verb, Verb::Move | Verb::Cube);
        if decides && position.is_over() {
            let message = "position is not one to decide in: the game is over";
            return Err(fault(rest, ErrorCode::GameOver, "position", message));
        }
        if let (Verb::Eval | Verb::Cube, Some(here)) = (verb, stray_roll) {
            let message = "roll has no place here: eval and cube are about the position before \
                           the dice, use move";
            return Err(fault(here, ErrorCode::BadRequest, "roll", message));
        }
        if verb == Verb::Cube && state.cube.owner() == CubeOwner::Opponent {
            let message = "the opponent owns the cube, so there is no cube decision";
            return Err(fault(rest, ErrorCode::BadCube, "cube", message));
        }
        Ok(match verb {
            Verb::Move => {
                let roll = roll.ok_or_else(|| {
                    fault(rest, ErrorCode::MissingRoll, "roll", "roll is missing")
                })?;
                let query = PlayQuery {
                    position,
                    roll,
                    state,
                };
                Request::Move(query, own.search)
            }
            Verb::Cube => Request::Cube(CubeQuery { position, state }, own.search),
            Verb::Eval | Verb::Bare | Verb::Rollout | Verb::RolloutCube => {
                Request::Eval(EvalQuery { position, state }, own.search)
            }
            Verb::Show | Verb::Convert => {
                parsed.roll = roll;
                let parsed = Box::new(parsed);
                match verb {
                    Verb::Show => Request::Show(parsed, state),
                    _ => Request::Convert(parsed, state),
                }
            }
        })
    }
}

impl<'a> PositionRequest<'a> {
    /// Returns a rollout of the position, of plays of the roll, or of a cube decision.
    fn into_rollout(
        self,
        verb: Verb,
        plays: Option<&[u8]>,
        rest: &'a [u8],
    ) -> Result<Request, Fault<'a>> {
        let (position, state) = (self.parsed.position, self.state);
        if position.is_over() {
            let message = "position is not one to roll out: the game is over";
            return Err(fault(rest, ErrorCode::GameOver, "position", message));
        }
        if let (Verb::RolloutCube, Some(here)) = (verb, self.stray_roll) {
            let message = "roll has no place here: the cube is decided before the dice";
            return Err(fault(here, ErrorCode::BadRequest, "roll", message));
        }
        let bad = |message: String| fault(rest, ErrorCode::BadSetting, "plays", message);
        let subject = match (verb, self.roll, plays) {
            (Verb::RolloutCube, ..) => RolloutSubject::Cube,
            (_, None, Some(_)) => return Err(bad("setting 'plays' needs a roll".to_owned())),
            (_, None, None) => RolloutSubject::Position,
            (_, Some(roll), None) => {
                let most = RolloutSettings::CANDIDATES_MAX;
                let top = self.own.search.top.unwrap_or(BEST_PLAYS).min(most);
                RolloutSubject::Best(roll, top)
            }
            (_, Some(roll), Some(text)) => {
                RolloutSubject::Plays(listed_plays(&position, roll, text).map_err(bad)?)
            }
        };
        let settings = self.own.rollout.settings(&self.own.search);
        Ok(Request::Rollout(Box::new(RolloutTask {
            query: RolloutQuery {
                position,
                state,
                subject,
            },
            settings,
            roll: self.roll.filter(|_| verb == Verb::Rollout),
            progress: self.own.rollout.progress,
        })))
    }
}

/// Default number of plays to roll out.
const BEST_PLAYS: usize = 5;

/// Reads plays with semicolons between, each once.
fn listed_plays(
    position: &Position,
    roll: Roll,
    text: &[u8],
) -> Result<Vec<(Play, Position)>, String> {
    let mut found: Vec<(Play, Position)> = Vec::new();
    for one in text.split(|&byte| byte == b';').map(<[u8]>::trim_ascii) {
        let shown = String::from_utf8_lossy(one);
        let play = parse_play(one, position, roll)
            .map_err(|error| format!("setting 'plays' has '{shown}': {error}"))?;
        if found.iter().all(|other| other.1 != play.after) {
            found.push((play.play, play.after));
        }
    }
    let most = RolloutSettings::CANDIDATES_MAX;
    if found.len() > most {
        return Err(format!(
            "setting 'plays' has {} plays, at most {most}",
            found.len()
        ));
    }
    Ok(found)
}

/// ROLL = two dice, together or with a blank, "-" or "," between; starts with a digit
fn roll(input: &[u8]) -> Result<(&[u8], Option<Roll>), Fault<'_>> {
    if !input.first().is_some_and(u8::is_ascii_digit) {
        return Ok((input, None));
    }
    let (rest, first) = word(input)?;
    let (rest, second) = match (first.len(), rest.first()) {
        (1, Some(byte)) if byte.is_ascii_digit() => word(rest)?,
        _ => (rest, &b""[..]),
    };
    let text = match second {
        b"" => first.to_vec(),
        _ => [first, b" ", second].concat(),
    };
    let roll = parse_roll(&text).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    Ok((rest, Some(roll)))
}
