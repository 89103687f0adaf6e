//! The options of the UBGI engine: their names in both generations, and their values.

use gammond_engine::people::People;
use gammond_engine::query::{Level, MoveFilter};
use gammond_game::{Score, Variant};

/// Values that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Int(u64, u64),
    Bool,
    Enum(&'static [&'static str]),
    Text,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Its name in generation 0.2.
    pub(super) name: &'static str,
    /// Its name in generation 0.1.
    pub(super) old: &'static str,
    pub(super) domain: Domain,
    /// True if the option does not change the playing strength.
    pub(super) minor: bool,
    /// True if the option changes the engine itself, which a server does not let clients do.
    pub(super) engine: bool,
}

const fn key(name: &'static str, old: &'static str, domain: Domain) -> Key {
    Key {
        name,
        old,
        domain,
        minor: false,
        engine: false,
    }
}

/// The deepest look-ahead, in UBGI's numbering, where 1 is the static evaluation.
pub(super) const PLY_MAX: u64 = gammond_engine::query::Settings::PLIES_MAX as u64 + 1;

/// Names of the levels; the first is no level.
const LEVELS: [&str; 4] = [
    NO_LEVEL,
    Level::ALL[0].name(),
    Level::ALL[1].name(),
    Level::ALL[2].name(),
];
/// The word for none.
pub(super) const NO_LEVEL: &str = "off";

/// All options, in the order of the handshake.
pub(super) const KEYS: [Key; 15] = [
    key("game.variant", "Variant", Domain::Enum(&Variant::WORDS)),
    key("game.jacoby", "Jacoby", Domain::Bool),
    key(
        "game.length",
        "Length",
        Domain::Int(0, Score::LENGTH_MAX as u64),
    ),
    key("game.score", "Score", Domain::Text),
    key("game.crawford", "Crawford", Domain::Bool),
    key("engine.ply", "Ply", Domain::Int(1, PLY_MAX)),
    key("engine.level", "Level", Domain::Enum(&LEVELS)),
    key(
        "engine.eval_mode",
        "EvalMode",
        Domain::Enum(&["cubeless", "cubeful"]),
    ),
    key("engine.limit_strength", "UCI_LimitStrength", Domain::Bool),
    key(
        "engine.elo",
        "UCI_Elo",
        Domain::Int(People::ELO_MIN as u64, People::ELO_MAX as u64),
    ),
    key("engine.filter", "Filter", Domain::Enum(&MoveFilter::NAMES)),
    Key {
        minor: true,
        ..key("engine.seed", "Seed", Domain::Int(0, 4_294_967_295))
    },
    Key {
        minor: true,
        ..key(
            "engine.deterministic",
            "Deterministic",
            Domain::Enum(&["true"]),
        )
    },
    Key {
        minor: true,
        engine: true,
        ..key("engine.threads", "Threads", Domain::Int(1, 512))
    },
    Key {
        engine: true,
        ..key("engine.nets", "Nets", Domain::Text)
    },
];

impl Key {
    /// Returns the option with this name of generation 0.2.
    pub(super) fn named(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the option with this name of generation 0.1, in any case.
    pub(super) fn named_old(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.old.eq_ignore_ascii_case(name))
    }

    /// Formats `key NAME TYPE … DEFAULT [!]`
    pub(super) fn declaration(&self, value: &str) -> String {
        let domain = match self.domain {
            Domain::Int(least, most) => format!("int {least}..{most}"),
            Domain::Bool => "bool".into(),
            Domain::Enum(words) => format!("enum {}", words.join("|")),
            Domain::Text => "string *".into(),
        };
        let minor = if self.minor { " !" } else { "" };
        format!("key {} {domain} {value}{minor}\n", self.name)
    }

    /// Formats `option name NAME type …`
    pub(super) fn old_declaration(&self, value: &str) -> String {
        let kind = match self.domain {
            Domain::Int(least, most) => format!("spin default {value} min {least} max {most}"),
            Domain::Bool => format!("check default {value}"),
            Domain::Enum(words) => {
                format!("combo default {value} var {}", words.join(" var "))
            }
            Domain::Text => format!("string default {value}"),
        };
        format!("option name {} type {kind}\n", self.old)
    }

    /// Returns the value in its plain spelling, if the option can have it.
    pub(super) fn accept(&self, value: &str, old: bool) -> Option<String> {
        match self.domain {
            Domain::Int(least, most) => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number: u64 = digits.then(|| value.parse().ok())??;
                (least..=most).contains(&number).then(|| number.to_string())
            }
            Domain::Bool if old => {
                let on = gammond_engine::query::switch(value)?;
                Some(if on { "true" } else { "false" }.into())
            }
            Domain::Bool => matches!(value, "true" | "false").then(|| value.into()),
            Domain::Enum(words) => {
                let is =
                    |word: &&&str| **word == value || (old && word.eq_ignore_ascii_case(value));
                words.iter().find(is).map(|word| (*word).to_owned())
            }
            Domain::Text => (!value.is_empty()).then(|| value.to_owned()),
        }
    }
}
