//! The parts of a request on a position, still as texts, and the part that an error is about.

use super::{PositionFrom, Verb};
use crate::ErrorCode;
use crate::request_error::RequestError;
use crate::words::{blanks, split_word, unexpected, word};
use gammond_game::notation::split_position;
use std::borrow::Cow;

/// The parts of a request: texts of a line, of JSON or of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts<'a> {
    /// True if the word `cube` comes before the position.
    pub(crate) cube: bool,
    pub(crate) position: Cow<'a, [u8]>,
    pub(crate) roll: Option<Cow<'a, [u8]>>,
    /// Settings and plays, in their order.
    pub(crate) items: Vec<Item<'a>>,
}

/// A setting of a request, or its plays.
#[derive(Clone, Debug)]
pub(crate) enum Item<'a> {
    /// Name and value of a setting.
    Setting(Cow<'a, str>, Cow<'a, str>),
    /// Plays with semicolons between.
    Plays(Cow<'a, [u8]>),
    /// The text is no form of a setting.
    Wrong(RequestError),
}

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    /// The request as a whole.
    Whole,
    /// The position.
    Position,
    /// The dice.
    Roll,
    /// The setting, or the plays, with this number from 0.
    Item(usize),
}

/// An error in a part of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct PartError {
    /// The part.
    pub part: RequestPart,
    /// The error; its byte counts from the beginning of the part.
    pub error: RequestError,
}

impl PartError {
    pub(crate) fn new(
        part: RequestPart,
        code: ErrorCode,
        field: &'static str,
        message: impl Into<String>,
    ) -> PartError {
        PartError {
            part,
            error: RequestError::new(code, field, message),
        }
    }
}

impl Parts<'_> {
    /// Returns the setting with the first of these names that is present; `plays` stands for the plays.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<RequestPart> {
        let place = |name: &&str| {
            let is_one = |item: &Item<'_>| match item {
                Item::Setting(known, _) => known.eq_ignore_ascii_case(name),
                Item::Plays(_) => *name == "plays",
                Item::Wrong(_) => false,
            };
            self.items.iter().position(is_one)
        };
        names.iter().find_map(place).map(RequestPart::Item)
    }
}

/// The parts of a line, and their places in it.
#[derive(Debug)]
pub(crate) struct LineParts<'a> {
    pub(crate) parts: Parts<'a>,
    input: &'a [u8],
    position: &'a [u8],
    /// The input at the roll, or where one could stand.
    roll: &'a [u8],
    items: Vec<&'a [u8]>,
}

impl<'a> LineParts<'a> {
    /// Splits the text behind a verb: [ "cube" ] POSITION [ ROLL ] *( key "=" value ). Without a verb there is only a
    /// position with its roll and settings. In place of a position there may be nothing, or an opening roll and its play.
    pub(crate) fn cut(verb: Option<&Verb>, input: &'a [u8]) -> LineParts<'a> {
        let takes = verb.map(|verb| verb.takes).unwrap_or_default();
        let mut rest = input;
        let mut cube = false;
        if takes.cube
            && let Some((after, first)) = word(input)
            && first.eq_ignore_ascii_case(b"cube")
        {
            cube = true;
            rest = after;
        }
        let at_position = rest;
        let (position, at_roll, (mut rest, roll)) = match takes.position {
            PositionFrom::Text => {
                let (position, rest) = split_position(rest);
                let at_roll = blanks(rest);
                (position, at_roll, roll(at_roll))
            }
            PositionFrom::Start => (&b""[..], rest, roll_or_word(rest)),
            PositionFrom::Opening => {
                let (opening, at_roll) = opening(rest);
                (opening, at_roll, roll(at_roll))
            }
        };
        let (mut items, mut places) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            places.push(rest);
            let cut = (takes.plays && !cube).then(|| plays(rest)).flatten();
            let (after, item) = cut.unwrap_or_else(|| setting(rest));
            items.push(item);
            rest = after;
        }
        LineParts {
            parts: Parts {
                cube,
                position: position.into(),
                roll,
                items,
            },
            input,
            position: at_position,
            roll: at_roll,
            items: places,
        }
    }

    /// Cuts the settings of a request without a position.
    pub(crate) fn of_settings(input: &'a [u8]) -> LineParts<'a> {
        let (mut rest, mut items, mut places) = (input, Vec::new(), Vec::new());
        while !rest.is_empty() {
            let (after, item) = setting(rest);
            items.push(item);
            places.push(rest);
            rest = after;
        }
        LineParts {
            parts: Parts {
                items,
                ..Parts::default()
            },
            input,
            position: input,
            roll: input,
            items: places,
        }
    }

    /// Returns the line from a part on.
    pub(crate) fn from(&self, part: RequestPart) -> &'a [u8] {
        match part {
            RequestPart::Whole => self.input,
            RequestPart::Position => self.position,
            RequestPart::Roll => self.roll,
            RequestPart::Item(number) => self.items.get(number).copied().unwrap_or(self.input),
        }
    }
}

/// Cuts `key=value`. Returns the input after it.
fn setting(input: &[u8]) -> (&[u8], Item<'_>) {
    let (rest, pair) = split_word(input);
    let item = match String::from_utf8_lossy(pair) {
        Cow::Borrowed(text) => text
            .split_once('=')
            .map(|(name, value)| Item::Setting(name.into(), value.into())),
        Cow::Owned(text) => text
            .split_once('=')
            .map(|(name, value)| Item::Setting(name.to_owned().into(), value.to_owned().into())),
    };
    let item = item.unwrap_or_else(|| Item::Wrong(unexpected(input, "key=value")));
    (blanks(rest), item)
}

/// plays = `plays="` play *( ";" play ) `"`. Returns the input after it; `None` if there is none here.
fn plays(input: &[u8]) -> Option<(&[u8], Item<'_>)> {
    const KEY: &[u8] = b"plays=";
    let (key, value) = input.split_at_checked(KEY.len())?;
    if !key.eq_ignore_ascii_case(KEY) {
        return None;
    }
    let quoted = value.strip_prefix(b"\"").and_then(|text| {
        let end = text.iter().position(|&byte| byte == b'"')?;
        text.split_at_checked(end)
    });
    Some(match quoted {
        Some((found, after)) => (
            blanks(after.get(1..).unwrap_or_default()),
            Item::Plays(found.into()),
        ),
        None => {
            let message =
                "setting 'plays' is not in quotation marks, expected such as \"8/5 6/5; 13/9\"";
            let error = RequestError::new(ErrorCode::BadSetting, "plays", message);
            (&b""[..], Item::Wrong(error))
        }
    })
}

/// Cuts the dice, or any word in their place that is no setting.
fn roll_or_word(input: &[u8]) -> (&[u8], Option<Cow<'_, [u8]>>) {
    match (roll(input), word(input)) {
        ((_, None), Some((rest, word))) if !word.contains(&b'=') => (rest, Some(word.into())),
        (cut, _) => cut,
    }
}

/// OPENING = ROLL play. Returns it, and the input at the dice of the reply or at the settings.
fn opening(input: &[u8]) -> (&[u8], &[u8]) {
    let (mut rest, mut last) = (input, None);
    while let Some((after, found)) = word(rest).filter(|(_, found)| !found.contains(&b'=')) {
        last = Some((rest, found)).filter(|_| rest.len() < input.len());
        rest = after;
    }
    // A play has a slash.
    let at_roll = match last {
        Some((at, found)) if found.len() <= 3 && !found.contains(&b'/') => at,
        _ => rest,
    };
    let (opening, _) = input.split_at(input.len() - at_roll.len());
    (opening.trim_ascii(), at_roll)
}

/// ROLL = two dice, together or with a blank, "-" or "," between; starts with a digit
fn roll(input: &[u8]) -> (&[u8], Option<Cow<'_, [u8]>>) {
    if !input.first().is_some_and(u8::is_ascii_digit) {
        return (input, None);
    }
    let (rest, first) = split_word(input);
    let rest = blanks(rest);
    match (first.len(), rest.first()) {
        (1, Some(byte)) if byte.is_ascii_digit() => {
            let (rest, second) = split_word(rest);
            (blanks(rest), Some([first, b" ", second].concat().into()))
        }
        _ => (rest, Some(first.into())),
    }
}
