//! The settings, each declared once: its name, its values, its scope and its help. From this table come the reader of
//! `key=value`, the check of JSON, the text of `help`, and the schemas of OpenAPI and MCP.
//!
//! Rules S-01 to S-06 of `protocol-specs/request-protocol.md`.

use super::json::Json;
use super::settings::{AnswerStyle, Queue, SessionSettings};
use gammond_engine::query::{Level, MoveFilter, RolloutSettings, Settings, Truncation};
use gammond_game::{Cube, CubeOwner, Score};
use serde_json::{Number, Value as JsonValue, json};
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
    fn whole<T: TryFrom<i128>>(self) -> Option<T> {
        match self {
            Value::Whole(number) => T::try_from(number).ok(),
            _ => None,
        }
    }

    fn real(self) -> Option<f64> {
        match self {
            Value::Real(number) => Some(number),
            _ => None,
        }
    }

    fn switch(self) -> Option<bool> {
        match self {
            Value::Switch(on) => Some(on),
            _ => None,
        }
    }

    fn word(self) -> Option<&'static str> {
        match self {
            Value::Word(word) => Some(word),
            _ => None,
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
    /// Cube and score: all requests with a position.
    State,
    /// Rules of money games: all requests with a position, and the analysis of a match.
    Rules,
    /// Rollouts.
    Rollout,
    /// Long work.
    Progress,
    /// Order of work: all that look ahead but the analysis of a match.
    Queue,
    /// A session of lines.
    Session,
}

impl Scope {
    /// Returns true if a request with this verb takes settings of this scope.
    #[must_use]
    pub fn is_of(self, verb: &str) -> bool {
        let looks_ahead = matches!(verb, "eval" | "move" | "cube" | "rollout");
        let has_position = looks_ahead || matches!(verb, "convert" | "show");
        let is_analysis = verb == "analyse";
        match self {
            Scope::Depth => looks_ahead || is_analysis,
            Scope::Method | Scope::Queue => looks_ahead,
            Scope::Plays => matches!(verb, "move" | "rollout"),
            Scope::State => has_position,
            Scope::Rules => has_position || is_analysis,
            Scope::Rollout => verb == "rollout",
            Scope::Progress => verb == "rollout" || is_analysis,
            Scope::Session => false,
        }
    }

    /// Returns true if a line with this verb takes settings of this scope: those of its session and of its queue too.
    #[must_use]
    pub fn is_of_line(self, verb: &str) -> bool {
        matches!(self, Scope::Session | Scope::Queue) || self.is_of(verb)
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
    /// None: the words are all.
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
    fn schema(self) -> Option<JsonValue> {
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
            (SettingKind::Pair(_), Json::List(list)) => match list.as_slice() {
                [Json::Number(one), Json::Number(two)] => {
                    self.read(&format!("{}:{}", whole(one)?, whole(two)?))
                }
                _ => None,
            },
            (SettingKind::TurnPlies(..), Json::Text(text)) => self.read(text),
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
    also: &'static [(&'static str, &'static str)],
    /// The meaning of 0 in words, if it is a special one.
    zero: Option<&'static str>,
    /// One line about it.
    pub help: &'static str,
    set: fn(&mut SessionSettings, Value) -> Option<()>,
}

impl Setting {
    /// Returns the setting with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Setting> {
        SETTINGS
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
        let exact = |text: &&&str| matches!(json, Json::Text(given) if given == **text);
        let word = self.words.iter().find(exact);
        word.map(|word| Value::Word(word))
            .or_else(|| self.kind.of_json(json))
    }

    /// Sets it. Returns `None` for a value that it does not have; nothing is changed then.
    pub(super) fn set(&self, settings: &mut SessionSettings, value: Value) -> Option<()> {
        (self.set)(settings, value)
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
    pub fn schema(&self) -> JsonValue {
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

const PLIES: SettingKind = SettingKind::Whole(0, Settings::PLIES_MAX as i128);
const POSITIVE: SettingKind = SettingKind::Above(RolloutSettings::ERROR_MAX);
const FILTERS: &[&str] = &MoveFilter::NAMES;
const OFF: &[&str] = &["off"];

const fn setting(
    name: &'static str,
    scope: Scope,
    kind: SettingKind,
    help: &'static str,
    set: fn(&mut SessionSettings, Value) -> Option<()>,
) -> Setting {
    Setting {
        name,
        scope,
        kind,
        words: &[],
        also: &[],
        zero: None,
        help,
        set,
    }
}

impl Setting {
    const fn words(self, words: &'static [&'static str]) -> Setting {
        Setting { words, ..self }
    }

    const fn also(self, also: &'static [(&'static str, &'static str)]) -> Setting {
        Setting { also, ..self }
    }

    const fn zero(self, zero: &'static str) -> Setting {
        let zero = Some(zero);
        Setting { zero, ..self }
    }
}

/// Sets a field to what follows, if that is a value of the setting.
macro_rules! sets {
    ($value:ident: $($field:ident).+ = $found:expr) => {
        |settings, $value| {
            settings.$($field).+ = $found;
            Some(())
        }
    };
}

/// All settings, in the order of `help`.
pub static SETTINGS: [Setting; 33] = [
    setting(
        "plies",
        Scope::Depth,
        PLIES,
        "look-ahead in gnubg's numbering",
        |settings, value| {
            settings.search.plies = value.whole()?;
            settings.plies_set = true;
            Some(())
        },
    ),
    setting(
        "level",
        Scope::Depth,
        SettingKind::Word,
        "a small rollout after two plies, in the place of plies",
        sets!(value: search.level = Level::named(value.word()?)),
    )
    .words(&["roller", "roller+", "roller++", "off"]),
    setting(
        "cubeful",
        Scope::Method,
        SettingKind::Switch,
        "take the cube into account",
        sets!(value: search.cubeful = value.switch()?),
    ),
    setting(
        "filter",
        Scope::Depth,
        SettingKind::Word,
        "plays looked at more deeply",
        |settings, value| {
            settings.search.filter = MoveFilter::named(value.word()?)?;
            settings.filter_set = true;
            Some(())
        },
    )
    .words(FILTERS),
    setting(
        "prune",
        Scope::Depth,
        SettingKind::Switch,
        "small nets choose replies inside a search",
        sets!(value: search.prune = value.switch()?),
    ),
    setting(
        "noise",
        Scope::Depth,
        SettingKind::Real(0.0, 1.0),
        "standard deviation of noise",
        sets!(value: search.noise = nearest(value.real()?)),
    ),
    setting(
        "top",
        Scope::Plays,
        SettingKind::Whole(0, 65_535),
        "plays to report",
        sets!(value: search.top = Some(value.whole()?).filter(|&top| top > 0)),
    )
    .zero("for all"),
    setting(
        "time",
        Scope::Depth,
        SettingKind::Whole(0, Settings::TIME_MS_MAX as i128),
        "milliseconds to deepen",
        sets!(value: search.time_ms = Some(value.whole()?).filter(|&time| time > 0)),
    )
    .zero("for none"),
    setting(
        "length",
        Scope::State,
        SettingKind::Whole(0, Score::LENGTH_MAX as i128),
        "match length",
        sets!(value: state.length = Some(value.whole()?)),
    )
    .zero("for money"),
    setting(
        "score",
        Scope::State,
        SettingKind::Pair(Score::LENGTH_MAX as u64),
        "points of the player on roll and of the opponent",
        |settings, value| {
            let Value::Pair(me, opponent) = value else {
                return None;
            };
            let score = (u32::try_from(me).ok()?, u32::try_from(opponent).ok()?);
            settings.state.score = Some(score);
            Some(())
        },
    ),
    setting(
        "crawford",
        Scope::State,
        SettingKind::Switch,
        "whether this is the Crawford game",
        sets!(value: state.crawford = Some(value.switch()?)),
    ),
    setting(
        "jacoby",
        Scope::Rules,
        SettingKind::Switch,
        "Jacoby rule (money)",
        sets!(value: state.jacoby = Some(value.switch()?)),
    ),
    setting(
        "beavers",
        Scope::Rules,
        SettingKind::Switch,
        "beavers (money)",
        sets!(value: state.beavers = Some(value.switch()?)),
    ),
    setting(
        "cube",
        Scope::State,
        SettingKind::PowerOfTwo(Cube::MAX),
        "cube value",
        sets!(value: state.cube = Some(value.whole()?)),
    ),
    setting(
        "owner",
        Scope::State,
        SettingKind::Word,
        "cube owner",
        sets!(value: state.owner = Some(match value.word()? {
            "me" => CubeOwner::Me,
            "opponent" => CubeOwner::Opponent,
            _ => CubeOwner::Centred,
        })),
    )
    .words(&["me", "opponent", "centred"])
    .also(&[
        ("mine", "me"),
        ("opp", "opponent"),
        ("centered", "centred"),
        ("centre", "centred"),
        ("center", "centred"),
        ("none", "centred"),
    ]),
    setting(
        "trials",
        Scope::Rollout,
        SettingKind::Whole(1, RolloutSettings::TRIALS_MAX as i128),
        "games of a rollout",
        sets!(value: rollout.trials = Some(value.whole()?)),
    ),
    setting(
        "truncate",
        Scope::Rollout,
        SettingKind::Whole(1, RolloutSettings::TURNS_MAX as i128),
        "where a rollout's games are cut off",
        sets!(value: rollout.truncate = Some(match value {
            Value::Word("race") => Truncation::Race,
            Value::Word("table") => Truncation::Table,
            Value::Word(_) => Truncation::Never,
            turns => Truncation::Turns(turns.whole()?),
        })),
    )
    .words(&["race", "table", "never"]),
    setting(
        "cubeplies",
        Scope::Rollout,
        PLIES,
        "look-ahead for the cube in a rollout",
        sets!(value: rollout.cube_plies = Some(value.whole()?)),
    ),
    setting(
        "otherplies",
        Scope::Rollout,
        PLIES,
        "look-ahead of the other side in a rollout",
        sets!(value: rollout.other_plies = Some(value.whole()?)),
    ),
    setting(
        "othercubeplies",
        Scope::Rollout,
        PLIES,
        "look-ahead of the other side for the cube in a rollout",
        sets!(value: rollout.other_cube_plies = Some(value.whole()?)),
    ),
    setting(
        "otherfilter",
        Scope::Rollout,
        SettingKind::Word,
        "plays that the other side looks at more deeply in a rollout",
        sets!(value: rollout.other_filter = Some(MoveFilter::named(value.word()?)?)),
    )
    .words(FILTERS),
    setting(
        "leafplies",
        Scope::Rollout,
        PLIES,
        "look-ahead where a rollout's game is cut off",
        sets!(value: rollout.leaf_plies = Some(value.whole()?)),
    ),
    setting(
        "osr",
        Scope::Rollout,
        SettingKind::Whole(1, RolloutSettings::OSR_MAX as i128),
        "one-sided rollouts of the races where a rollout's games are cut off",
        sets!(value: rollout.leaf_osr = unless_off(value, Value::whole)?),
    )
    .words(OFF),
    setting(
        "late",
        Scope::Rollout,
        SettingKind::TurnPlies(
            RolloutSettings::TURNS_MAX as u64,
            Settings::PLIES_MAX as u64,
        ),
        "another look-ahead from a turn on in a rollout",
        sets!(value: rollout.late = unless_off(value, |value| match value {
            Value::Pair(turn, plies) => Some((turn.try_into().ok()?, plies.try_into().ok()?)),
            _ => None,
        })?),
    )
    .words(OFF),
    setting(
        "vr",
        Scope::Rollout,
        SettingKind::Switch,
        "take the luck of the dice out of a rollout",
        sets!(value: rollout.variance_reduction = Some(value.switch()?)),
    ),
    setting(
        "se",
        Scope::Rollout,
        POSITIVE,
        "standard error at which a rollout ends",
        sets!(value: rollout.error = unless_off(value, Value::real)?),
    )
    .words(OFF),
    setting(
        "jsd",
        Scope::Rollout,
        POSITIVE,
        "joint standard errors after which a candidate is left alone",
        sets!(value: rollout.lead = unless_off(value, Value::real)?),
    )
    .words(OFF),
    setting(
        "seed",
        Scope::Rollout,
        SettingKind::Whole(0, u64::MAX as i128),
        "seed of a rollout",
        sets!(value: rollout.seed = Some(value.whole()?)),
    ),
    setting(
        "progress",
        Scope::Progress,
        SettingKind::Switch,
        "lines of type progress during a rollout or an analysis (sockets)",
        sets!(value: rollout.progress = value.switch()?),
    ),
    setting(
        "answer",
        Scope::Session,
        SettingKind::Word,
        "style of answers",
        sets!(value: style = AnswerStyle::named(value.word()?)?),
    )
    .words(&["json", "text", "position"]),
    setting(
        "queue",
        Scope::Queue,
        SettingKind::Word,
        "which queue requests wait in",
        sets!(value: queue = match value.word()? {
            "interactive" => Some(Queue::Interactive),
            "bulk" => Some(Queue::Bulk),
            _ => None,
        }),
    )
    .words(&["interactive", "bulk", "auto"]),
    setting(
        "priority",
        Scope::Queue,
        SettingKind::Whole(-9, 9),
        "which of the waiting requests of this client are first: higher ones",
        sets!(value: priority = value.whole()?),
    ),
    setting(
        "order",
        Scope::Session,
        SettingKind::Word,
        "answers in the order of the lines, or each as soon as it is ready (sockets)",
        sets!(value: when_ready = value.word()? == "ready"),
    )
    .words(&["lines", "ready"]),
];

/// Returns the value that a setting has; `Some(None)` for the word `off`.
fn unless_off<T>(value: Value, read: impl Fn(Value) -> Option<T>) -> Option<Option<T>> {
    match value {
        Value::Word(_) => Some(None),
        value => read(value).map(Some),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the nearest value: noise is no exact number"
)]
fn nearest(value: f64) -> f32 {
    value as f32
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a number of digits only, at most `max`.
fn number<T: TryFrom<u64>>(text: &str, max: u64) -> Option<T> {
    let value: u64 = is_digits(text).then(|| text.parse().ok())??;
    (value <= max).then(|| T::try_from(value).ok())?
}

/// on, yes, true, 1 or off, no, false, 0, in any case.
pub(super) fn switch(text: &str) -> Option<bool> {
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
        Json::parse(text.as_bytes()).unwrap()
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

    /// The pattern of a turn allows what the reader does.
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
        for (at, setting) in SETTINGS.iter().enumerate() {
            assert_eq!(setting.name, setting.name.to_ascii_lowercase());
            let mut before = SETTINGS.iter().take(at);
            assert!(before.all(|other| other.name != setting.name));
            assert!(!setting.want().is_empty() && !setting.help.is_empty());
        }
    }
}
