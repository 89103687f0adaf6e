//! A setting as a row of the table that `options` declares: its name, its values, its scope and its help. From the table
//! come the reader of `key=value`, the check of JSON, the text of `help`, and the schemas of OpenAPI and MCP.
//!
//! Rules S-01 to S-06 of `protocol-specs/request-protocol.md`.

use super::Options;
use serde_json::{Number, Value as Json, json};
use std::fmt;

/// A value of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i128),
    /// A finite number.
    Real(f64),
    /// On or off.
    Switch(bool),
    /// One of the setting's words, as the table spells it.
    Word(&'static str),
    /// Two whole numbers.
    Pair(u64, u64),
}

impl Value {
    pub(in crate::query) fn whole<T: TryFrom<i128>>(self) -> Option<T> {
        match self {
            Value::Whole(number) => T::try_from(number).ok(),
            _ => None,
        }
    }

    pub(in crate::query) fn real(self) -> Option<f64> {
        match self {
            Value::Real(number) => Some(number),
            _ => None,
        }
    }

    pub(in crate::query) fn switch(self) -> Option<bool> {
        match self {
            Value::Switch(on) => Some(on),
            _ => None,
        }
    }

    pub(in crate::query) fn word(self) -> Option<&'static str> {
        match self {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl Value {
    /// Returns the value as JSON has it; pairs are texts such as `3:5`.
    #[must_use]
    pub fn json(self) -> Json {
        match self {
            // No setting has a whole number that is none of these.
            Value::Whole(number) => match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => json!(number),
                (_, Ok(number)) => json!(number),
                _ => Json::Null,
            },
            Value::Real(number) => json!(number),
            Value::Switch(on) => json!(on),
            Value::Word(word) => json!(word),
            Value::Pair(..) => json!(self.to_string()),
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value as `key=value` has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(number) => write!(f, "{number}"),
            Value::Real(number) => write!(f, "{number}"),
            Value::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
            Value::Word(word) => f.write_str(word),
            Value::Pair(one, two) => write!(f, "{one}:{two}"),
        }
    }
}

/// Requests that take a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Depth of every decision: all that look ahead, and the analysis of a match.
    Depth,
    /// Method of a decision: all that look ahead but the analysis of a match, which has its own.
    Method,
    /// Number of plays: requests that list or roll out plays.
    Plays,
    /// Scores: requests about many of them.
    Scores,
    /// Rolls: requests about all of them.
    Rolls,
    /// Cube and score: all requests with a position.
    State,
    /// Rules of money games: all requests with a position, and the analysis of a match.
    Rules,
    /// Choices as people make them: plays and cube actions.
    Choice,
    /// Seed of what is drawn: rollouts, and the choices of people.
    Seed,
    /// Rollouts.
    Rollout,
    /// Long work.
    Progress,
    /// Order of work: all that look ahead but the analysis of a match.
    Queue,
    /// Sentences: requests that answer with some.
    Sentences,
    /// A session of lines.
    Session,
}

impl Scope {
    /// Returns true if our engine as a player takes settings of this scope: those of every decision.
    #[must_use]
    pub fn is_of_player(self) -> bool {
        matches!(self, Scope::Depth | Scope::Choice | Scope::Seed)
    }
}

/// The values that a setting has, beside its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// Whole numbers from the first to the second.
    Whole(i128, i128),
    /// Numbers from the first to the second.
    Real(f64, f64),
    /// Numbers above 0, up to this one.
    Above(f64),
    /// On or off.
    Switch,
    /// A setting without values: its words are all.
    Word,
    /// Powers of two from 1 to this one.
    PowerOfTwo(u16),
    /// Two whole numbers up to this one, with a colon between.
    Pair(u64),
    /// A number of turns and a number of plies up to these, with a colon between.
    TurnPlies(u64, u64),
}

impl SettingKind {
    fn read(self, text: &str) -> Option<Value> {
        match self {
            SettingKind::Whole(min, max) => {
                let digits = match text.strip_prefix('-') {
                    Some(digits) if min < 0 => digits,
                    _ => text,
                };
                let value = is_digits(digits).then(|| text.parse().ok())??;
                (min..=max).contains(&value).then_some(Value::Whole(value))
            }
            SettingKind::Real(..) | SettingKind::Above(_) => {
                // Rust's own reader takes "inf" and "nan" too.
                let plain = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
                let value = text.bytes().all(plain).then(|| text.parse().ok())??;
                self.has(value).then_some(Value::Real(value))
            }
            SettingKind::Switch => switch(text).map(Value::Switch),
            SettingKind::Word => None,
            SettingKind::PowerOfTwo(max) => {
                let value: u16 = number(text, max.into())?;
                let fits = value.is_power_of_two();
                fits.then_some(Value::Whole(value.into()))
            }
            SettingKind::Pair(max) => {
                let (one, two) = text.split_once([':', '-', ','])?;
                Some(Value::Pair(number(one, max)?, number(two, max)?))
            }
            SettingKind::TurnPlies(turns, plies) => {
                let (one, two) = text.split_once(':')?;
                Some(Value::Pair(number(one, turns)?, number(two, plies)?))
            }
        }
    }

    fn has(self, value: f64) -> bool {
        match self {
            SettingKind::Real(min, max) => (min..=max).contains(&value),
            SettingKind::Above(max) => value > 0.0 && value <= max,
            _ => false,
        }
    }

    /// Returns the values in words; nothing for words alone.
    fn want(self) -> String {
        match self {
            SettingKind::Whole(min, max) => format!("{min} to {max}"),
            SettingKind::Real(min, max) => format!("{min} to {max}"),
            SettingKind::Above(max) => format!("a number above 0, at most {max}"),
            SettingKind::Switch => "on or off".to_owned(),
            SettingKind::Word => String::new(),
            SettingKind::PowerOfTwo(max) => format!("a power of two, 1 to {max}"),
            SettingKind::Pair(_) => "N:N, the points of the player on roll first".to_owned(),
            SettingKind::TurnPlies(..) => "TURN:PLIES, such as 5:0".to_owned(),
        }
    }

    /// Returns the JSON Schema of the values; `None` for words alone.
    fn schema(self) -> Option<Json> {
        Some(match self {
            // JSON has no integers above these.
            SettingKind::Whole(min, max) => match (i64::try_from(min), u64::try_from(max)) {
                (Ok(min), Ok(max)) => json!({"type": "integer", "minimum": min, "maximum": max}),
                _ => json!({"type": "integer"}),
            },
            SettingKind::Real(min, max) => {
                json!({"type": "number", "minimum": min, "maximum": max})
            }
            SettingKind::Above(max) => {
                json!({"type": "number", "exclusiveMinimum": 0, "maximum": max})
            }
            SettingKind::Switch => json!({"type": "boolean"}),
            SettingKind::Word => return None,
            SettingKind::PowerOfTwo(max) => {
                let powers = (0..u16::BITS).map(|bit| 1_u16 << bit);
                let powers: Vec<u16> = powers.take_while(|power| *power <= max).collect();
                json!({"type": "integer", "enum": powers})
            }
            SettingKind::Pair(max) => {
                let item = json!({"type": "integer", "minimum": 0, "maximum": max});
                json!({"type": "array", "items": item, "minItems": 2, "maxItems": 2})
            }
            SettingKind::TurnPlies(turns, plies) => {
                let turns = up_to_power_of_ten(turns);
                json!({"type": "string", "pattern": format!("^{turns}:[0-{plies}]$")})
            }
        })
    }

    /// Returns a value of JSON as one of these.
    fn of_json(self, json: &Json) -> Option<Value> {
        match (self, json) {
            (SettingKind::Whole(min, max), Json::Number(number)) => {
                let value = whole(number)?;
                (min..=max).contains(&value).then_some(Value::Whole(value))
            }
            (SettingKind::Real(..) | SettingKind::Above(_), Json::Number(number)) => {
                let value = number.as_f64()?;
                self.has(value).then_some(Value::Real(value))
            }
            (SettingKind::Switch, Json::Bool(on)) => Some(Value::Switch(*on)),
            (SettingKind::PowerOfTwo(_), Json::Number(number)) => {
                self.read(&whole(number)?.to_string())
            }
            (SettingKind::Pair(_), Json::Array(list)) => match list.as_slice() {
                [Json::Number(one), Json::Number(two)] => {
                    self.read(&format!("{}:{}", whole(one)?, whole(two)?))
                }
                _ => None,
            },
            (SettingKind::TurnPlies(..), Json::String(text)) => self.read(text),
            _ => None,
        }
    }
}

/// Returns a regular expression for the whole numbers up to a power of ten: for 1000 `(1000|[0-9]{1,3})`.
fn up_to_power_of_ten(max: u64) -> String {
    let zeros = max.to_string().len() - 1;
    format!("({max}|[0-9]{{1,{zeros}}})")
}

/// Returns a number of JSON that has no fraction: 1.0 and 1e0 are 1.
fn whole(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // The text of such a number is its digits.
    let text = format!("{value:.0}");
    (value.fract() == 0.0).then(|| text.parse().ok())?
}

/// A setting.
#[derive(Debug)]
#[non_exhaustive]
pub struct Setting {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Requests that take it.
    pub scope: Scope,
    /// Its values.
    pub kind: SettingKind,
    /// Words that are values too.
    pub words: &'static [&'static str],
    /// Other spellings of words, each with the word.
    pub(in crate::query) also: &'static [(&'static str, &'static str)],
    /// The word, among `words`, for a setting that is not set.
    pub(in crate::query) unset: Option<&'static str>,
    /// The meaning of 0 in words, if it is a special one.
    pub(in crate::query) zero: Option<&'static str>,
    /// The value where nothing is set; `None` if other settings or the position decide it.
    pub default: Option<Value>,
    /// One line about it.
    pub help: &'static str,
    pub(in crate::query) set: fn(&mut Options, Option<Value>) -> Option<()>,
    pub(in crate::query) get: fn(&Options) -> Option<Value>,
}

impl Setting {
    /// Returns the setting with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Setting> {
        super::SETTINGS
            .iter()
            .find(|setting| setting.name.eq_ignore_ascii_case(name))
    }

    /// Reads a value as `key=value` has it.
    #[must_use]
    pub fn read(&self, text: &str) -> Option<Value> {
        self.word(text).or_else(|| self.kind.read(text))
    }

    fn word(&self, text: &str) -> Option<Value> {
        let also = self.also.iter().map(|(other, word)| (*other, *word));
        let mut words = self.words.iter().map(|word| (*word, *word)).chain(also);
        let found = words.find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, word)| Value::Word(word))
    }

    /// Reads a value of JSON, of exactly the type that [`Setting::schema`] describes.
    #[must_use]
    pub fn of_json(&self, json: &Json) -> Option<Value> {
        let exact = |text: &&&str| matches!(json, Json::String(given) if given == **text);
        let word = self.words.iter().find(exact);
        word.map(|word| Value::Word(word))
            .or_else(|| self.kind.of_json(json))
    }

    /// Sets it, or removes it where the value is its word for that. Returns `None` for a value that it does not have;
    /// nothing is changed then.
    pub(in crate::query) fn set(&self, options: &mut Options, value: Value) -> Option<()> {
        let unset = matches!(value, Value::Word(word) if self.unset == Some(word));
        (self.set)(options, (!unset).then_some(value))
    }

    /// Returns the value among these options; `None` if it is not set.
    #[must_use]
    pub fn get(&self, options: &Options) -> Option<Value> {
        (self.get)(options)
    }

    /// Returns the values in words: `1 to 1000, race, table or never`.
    #[must_use]
    pub fn want(&self) -> String {
        let mut want = self.kind.want();
        if let Some(zero) = self.zero {
            want = format!("{want}, 0 {zero}");
        }
        match self.words.split_last() {
            None => want,
            Some((only, [])) => format!("{want}, or {only}"),
            Some((last, first)) => {
                let begin = if want.is_empty() { "" } else { ", " };
                format!("{want}{begin}{} or {last}", first.join(", "))
            }
        }
    }

    /// Returns the name of its values in the help of a command: `N`, `ON|OFF`, or its own name.
    #[must_use]
    pub fn value_name(&self) -> String {
        match self.kind {
            SettingKind::Word => self.name.to_uppercase(),
            SettingKind::Switch => "ON|OFF".to_owned(),
            SettingKind::Pair(_) => "N:N".to_owned(),
            _ => "N".to_owned(),
        }
    }

    /// Returns the help, and the meaning of 0.
    #[must_use]
    pub fn about(&self) -> String {
        match self.zero {
            Some(zero) => format!("{}; 0 {zero}", self.help),
            None => self.help.to_owned(),
        }
    }

    /// Returns the JSON Schema of its values in JSON.
    #[must_use]
    pub fn schema(&self) -> Json {
        let words = || {
            let mut schema = json!({"type": "string", "enum": self.words});
            // Signs make no names of constants.
            let names = self.words.iter().map(|word| word.replace('+', "_plus"));
            if self.words.iter().any(|word| word.contains('+'))
                && let Some(schema) = schema.as_object_mut()
            {
                schema.insert("x-enum-varnames".into(), names.collect());
            }
            schema
        };
        match self.kind.schema() {
            Some(schema) if self.words.is_empty() => schema,
            Some(schema) => json!({"anyOf": [schema, words()]}),
            None => words(),
        }
    }
}

/// Returns a value made fit for a message: at most 24 characters.
pub(in crate::query) fn shortened(text: &str) -> String {
    const LONGEST: usize = 24;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a number of digits only, at most `max`.
fn number<T: TryFrom<u64>>(text: &str, max: u64) -> Option<T> {
    let value: u64 = is_digits(text).then(|| text.parse().ok())??;
    (value <= max).then(|| T::try_from(value).ok())?
}

/// Returns the value of on, yes, true, 1 or off, no, false, 0, in any case.
#[must_use]
pub fn switch(text: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(["on", "yes", "true", "1"]) {
        Some(true)
    } else if is(["off", "no", "false", "0"]) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    /// S-02: the text of a value is the value, and so is its JSON.
    #[test]
    fn values_are_read_as_they_are_written() {
        for (name, text, value, of_json) in [
            ("plies", "2", Value::Whole(2), "2"),
            ("plies", "2", Value::Whole(2), "2.0"),
            ("priority", "-9", Value::Whole(-9), "-9"),
            ("noise", "1e-7", Value::Real(1e-7), "1e-7"),
            ("noise", "0.05", Value::Real(0.05), "0.05"),
            ("noise", "1", Value::Real(1.0), "1"),
            ("se", "off", Value::Word("off"), "\"off\""),
            ("se", "1000", Value::Real(1000.0), "1000"),
            ("cubeful", "Yes", Value::Switch(true), "true"),
            ("level", "Roller+", Value::Word("roller+"), "\"roller+\""),
            ("owner", "opp", Value::Word("opponent"), "\"opponent\""),
            ("cube", "4096", Value::Whole(4096), "4096"),
            ("score", "3:5", Value::Pair(3, 5), "[3,5]"),
            ("late", "5:0", Value::Pair(5, 0), "\"5:0\""),
            ("truncate", "1000", Value::Whole(1000), "1000"),
            ("truncate", "Never", Value::Word("never"), "\"never\""),
            (
                "seed",
                "18446744073709551615",
                Value::Whole(u64::MAX.into()),
                "18446744073709551615",
            ),
        ] {
            let setting = Setting::named(name).unwrap();
            assert_eq!(setting.read(text), Some(value), "{name}={text}");
            assert_eq!(
                setting.of_json(&json(of_json)),
                Some(value),
                "{name} {of_json}"
            );
            assert_eq!(setting.read(&value.to_string()), Some(value), "{value}");
        }
    }

    /// HTTP-140: JSON of another type is refused, also where its text would be a value.
    #[test]
    fn json_of_another_type_is_refused() {
        for (name, texts) in [
            (
                "plies",
                &["\"2\"", "true", "null", "[2]", "2.5", "5", "-1", "1e300"][..],
            ),
            ("noise", &["\"0\"", "1.01", "-0.1", "false"]),
            ("se", &["0", "\"Off\"", "1000.1", "\"1\""]),
            ("cubeful", &["1", "0", "\"on\"", "null"]),
            ("cube", &["3", "0", "8192", "\"2\"", "-2"]),
            (
                "score",
                &[
                    "[3]",
                    "[3,5,7]",
                    "\"3:5\"",
                    "[256,0]",
                    "[-1,0]",
                    "[\"3\",5]",
                    "[0.5,1]",
                ],
            ),
            ("late", &["[5,0]", "\"5:5\"", "\"1001:0\"", "5"]),
            ("owner", &["\"Me\"", "\"mine\"", "0"]),
            ("truncate", &["0", "1001", "\"5\"", "\"x\""]),
            ("seed", &["18446744073709551616", "-1"]),
        ] {
            let setting = Setting::named(name).unwrap();
            for text in texts {
                assert_eq!(setting.of_json(&json(text)), None, "{name} {text}");
            }
        }
    }

    /// The pattern of a turn allows the turns that the parser accepts.
    #[test]
    fn pattern_of_turns_is_the_range() {
        let schema = Setting::named("late").unwrap().schema();
        assert_eq!(schema["anyOf"][0]["pattern"], "^(1000|[0-9]{1,3}):[0-4]$");
        let kind = Setting::named("late").unwrap();
        for (text, good) in [
            ("1000:4", true),
            ("999:0", true),
            ("1001:0", false),
            ("5:5", false),
        ] {
            assert_eq!(kind.read(text).is_some(), good, "{text}");
        }
    }

    #[test]
    fn names_are_unique_and_in_lower_case() {
        for (at, setting) in crate::query::SETTINGS.iter().enumerate() {
            assert_eq!(setting.name, setting.name.to_ascii_lowercase());
            let mut before = crate::query::SETTINGS.iter().take(at);
            assert!(before.all(|other| other.name != setting.name));
            assert!(!setting.want().is_empty() && !setting.help.is_empty());
        }
    }
}
