//! The commands of gnubg's own `external` server (part B), line by line.
//!
//! Rules EXT-40 to EXT-52. Keywords are read in any case; the wording after `syntax error` is
//! ours, its shape gnubg's.

use gammond_engine::query::Level;
use gammond_engine::query::switch;
use gammond_game::notation::BoardLine;

/// A line that was understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Version,
    Help,
    Debug(bool),
    Interface(bool),
    Prompt,
    Exit,
    Empty,
    Board(BoardLine, Options),
    Evaluation(BoardLine, Options),
}

/// The options behind a board; `None` was not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Options {
    pub(super) jacoby: Option<bool>,
    pub(super) crawford: Option<bool>,
    pub(super) beavers: Option<bool>,
    pub(super) resignation: u8,
    pub(super) fibs_order: bool,
    pub(super) plies: Option<u8>,
    pub(super) level: Option<Level>,
    pub(super) cubeful: Option<bool>,
    pub(super) prune: Option<bool>,
    pub(super) noise: Option<f32>,
    /// True if any option was given.
    pub(super) any: bool,
}

/// The text of an error answer, without LF.
pub(super) type ErrorText = String;

fn syntax(what: impl std::fmt::Display) -> ErrorText {
    format!("Error: syntax error, {what}")
}

/// A line's words; quoted ones are single words.
struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0.trim_ascii_start();
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

fn lower(word: &[u8]) -> String {
    String::from_utf8_lossy(word).to_ascii_lowercase()
}

/// Returns a word as it may stand in an error.
fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    let printable = |c: char| if c.is_control() { '?' } else { c };
    text.chars().take(24).map(printable).collect()
}

/// Returns true if a first line can only belong to gnubg's server language.
pub(super) fn is_server_command(line: &[u8]) -> bool {
    let mut words = Words(line);
    let first = words.next().map(lower).unwrap_or_default();
    let second = words.next().map(lower).unwrap_or_default();
    match first.as_str() {
        "evaluation" => true,
        "set" => matches!(second.as_str(), "debug" | "interface" | "prompt"),
        _ => false,
    }
}

/// Reads one line without NULs and line end.
pub(super) fn parse(line: &[u8]) -> Result<Command, ErrorText> {
    let line = line.trim_ascii();
    if starts_with_board(line) {
        let (board, options) = board(line, false)?;
        return Ok(Command::Board(board, options));
    }
    let mut words = Words(line);
    let Some(first) = words.next() else {
        return Ok(Command::Empty);
    };
    let command = match lower(first).as_str() {
        "version" => Command::Version,
        "help" => Command::Help,
        "exit" | "quit" => Command::Exit,
        "set" => set(&mut words)?,
        "evaluation" => return evaluation(words.0),
        _ => return Err(syntax(format_args!("unexpected '{}'", shown(first)))),
    };
    match words.next() {
        None => Ok(command),
        Some(word) => Err(syntax(format_args!(
            "unexpected '{}', expecting EOL",
            shown(word)
        ))),
    }
}

fn starts_with_board(line: &[u8]) -> bool {
    line.get(..6)
        .is_some_and(|front| front.eq_ignore_ascii_case(b"board:"))
}

fn set(words: &mut Words<'_>) -> Result<Command, ErrorText> {
    let name = words.next().map(lower).unwrap_or_default();
    match name.as_str() {
        "debug" => Ok(Command::Debug(boolean(words.next())?)),
        "interface" => match words.next().map(lower).as_deref() {
            Some("new") => Ok(Command::Interface(true)),
            Some("old") => Ok(Command::Interface(false)),
            Some(_) => Err(syntax("expecting NEW or OLD")),
            None => Err(syntax("unexpected EOL, expecting NEW or OLD")),
        },
        "prompt" => {
            // The prompt is one quoted text, whose contents do not matter.
            words.0 = b"";
            Ok(Command::Prompt)
        }
        "" => Err(syntax("unexpected EOL")),
        other => Err(syntax(format_args!(
            "unexpected '{}'",
            shown(other.as_bytes())
        ))),
    }
}

fn boolean(word: Option<&[u8]>) -> Result<bool, ErrorText> {
    let Some(word) = word else {
        return Err(syntax("unexpected EOL, expecting E_BOOLEAN"));
    };
    if word.iter().all(u8::is_ascii_digit) {
        return Err(syntax("unexpected E_INTEGER, expecting E_BOOLEAN"));
    }
    let text = lower(word);
    switch(&text).ok_or_else(|| syntax("unexpected E_CHARACTER, expecting E_BOOLEAN"))
}

fn evaluation(rest: &[u8]) -> Result<Command, ErrorText> {
    let mut words = Words(rest);
    match words.next() {
        Some(word) if word.eq_ignore_ascii_case(b"fibsboard") => {}
        Some(_) => return Err(syntax("unexpected E_STRING, expecting FIBSBOARD")),
        None => return Err(syntax("unexpected EOL, expecting FIBSBOARD")),
    }
    let text = words.0.trim_ascii_start();
    if !starts_with_board(text) {
        return Err(syntax("expecting a board"));
    }
    let (board, options) = board(text, true)?;
    Ok(Command::Evaluation(board, options))
}

/// BOARD { option }
fn board(line: &[u8], evaluation: bool) -> Result<(BoardLine, Options), ErrorText> {
    let (board, length) = BoardLine::parse_prefix(line)
        .map_err(|error| format!("Error: badly formed board ({error}, byte {})", error.at()))?;
    let mut options = Options::default();
    let rest = line.get(length..).unwrap_or_default();
    if rest.first().is_some_and(|byte| *byte == b':') {
        return Err("Error: Invalid board. Maximum number of elements is 52".into());
    }
    if rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return Err(syntax("unexpected E_CHARACTER, expecting EOL"));
    }
    let mut words = Words(rest);
    while let Some(word) = words.next() {
        options.any = true;
        option(&lower(word), &mut words, evaluation, &mut options)?;
    }
    Ok((board, options))
}

fn option(
    name: &str,
    words: &mut Words<'_>,
    evaluation: bool,
    options: &mut Options,
) -> Result<(), ErrorText> {
    match name {
        "jacobyrule" => options.jacoby = Some(boolean(words.next())?),
        "crawfordrule" => options.crawford = Some(boolean(words.next())?),
        "beavers" => options.beavers = Some(boolean(words.next())?),
        "fibsorder" => options.fibs_order = boolean(words.next())?,
        "resignation" => options.resignation = integer(words.next(), "resignation", 3)?,
        "plies" | "level" | "cubeful" | "cubeless" | "cube" | "prune" | "noise"
        | "deterministic"
            if !evaluation =>
        {
            let name = name.to_ascii_uppercase();
            return Err(syntax(format_args!("unexpected {name}, expecting EOL")));
        }
        "plies" => {
            let most = gammond_engine::query::Settings::PLIES_MAX;
            options.plies = Some(integer(words.next(), "plies", most)?);
        }
        "level" => options.level = Some(level(words.next())?),
        "cubeful" => options.cubeful = Some(true),
        "cubeless" => options.cubeful = Some(false),
        "cube" => options.cubeful = Some(boolean(words.next())?),
        "prune" => options.prune = Some(optional_boolean(words)),
        "deterministic" => {
            optional_boolean(words);
        }
        "noise" => options.noise = Some(noise(words.next())?),
        other => {
            let other = shown(other.as_bytes());
            return Err(syntax(format_args!("unexpected '{other}', expecting EOL")));
        }
    }
    Ok(())
}

/// Returns a level of play, which gnubg does not have (RO-10).
fn level(word: Option<&[u8]>) -> Result<Level, ErrorText> {
    let name = word.map(lower).unwrap_or_default();
    Level::named(&name).ok_or_else(|| {
        let (found, names) = (shown(name.as_bytes()), Level::names());
        syntax(format_args!("level '{found}', expecting {names}"))
    })
}

/// Parses a switch that may stand alone.
fn optional_boolean(words: &mut Words<'_>) -> bool {
    let mut ahead = Words(words.0);
    let value = ahead.next().map(lower).and_then(|word| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        (!digits).then(|| switch(&word)).flatten()
    });
    if value.is_some() {
        words.0 = ahead.0;
    }
    value.unwrap_or(true)
}

fn integer(word: Option<&[u8]>, name: &str, most: u8) -> Result<u8, ErrorText> {
    let Some(word) = word else {
        return Err(syntax("unexpected EOL, expecting E_INTEGER"));
    };
    let text = lower(word);
    let number: i64 = text
        .parse()
        .map_err(|_| syntax("unexpected E_CHARACTER, expecting E_INTEGER"))?;
    let fits = u8::try_from(number).ok().filter(|&number| number <= most);
    fits.ok_or_else(|| format!("Error: {name} is {number}, expected 0 to {most}"))
}

/// Parses the noise: with a point it is as written, without in units of 1/10000.
fn noise(word: Option<&[u8]>) -> Result<f32, ErrorText> {
    let text = word.map(lower).unwrap_or_default();
    let plain = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = if plain {
        text.parse::<f32>().ok()
    } else {
        None
    };
    let number = number.ok_or_else(|| syntax("expecting a number"))?;
    let noise = if text.contains('.') {
        number
    } else {
        number / 10_000.0
    };
    if (0.0..=1.0).contains(&noise) {
        Ok(noise)
    } else {
        Err("Error: noise is out of range, expected 0 to 1".into())
    }
}
