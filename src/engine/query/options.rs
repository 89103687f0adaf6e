//! The settings of a request, each declared once, and the settings made from them: those of a search, of a rollout
//! and of an analysis, a state of the match.

pub(in crate::query) mod setting;

use super::{Level, MoveFilter, RolloutSettings, RolloutSide, ScoresQuery, Settings, Truncation};
use crate::people::People;
use gammond_game::{Cube, CubeOwner, MatchState, MatchStateError, Rules, Score, Variant};
use setting::{Scope, Setting, SettingKind, Value, shortened};

/// A type that a setting can have.
trait Held: Copy {
    /// Returns the parsed value; `None` if the value has no meaning here.
    fn held(value: Value) -> Option<Self>;

    /// Returns it as a value.
    fn value(self) -> Value;
}

/// Whole numbers.
macro_rules! whole {
    ($($number:ty)*) => {$(
        impl Held for $number {
            fn held(value: Value) -> Option<$number> {
                value.whole()
            }

            fn value(self) -> Value {
                Value::Whole(self.into())
            }
        }
    )*};
}
whole!(i8 u8 u16 u32 u64);

impl Held for f64 {
    fn held(value: Value) -> Option<f64> {
        value.real()
    }

    fn value(self) -> Value {
        Value::Real(self)
    }
}

impl Held for bool {
    fn held(value: Value) -> Option<bool> {
        value.switch()
    }

    fn value(self) -> Value {
        Value::Switch(self)
    }
}

impl<A, B> Held for (A, B)
where
    A: Copy + TryFrom<u64> + Into<u64>,
    B: Copy + TryFrom<u64> + Into<u64>,
{
    fn held(value: Value) -> Option<(A, B)> {
        match value {
            Value::Pair(one, two) => Some((one.try_into().ok()?, two.try_into().ok()?)),
            _ => None,
        }
    }

    fn value(self) -> Value {
        Value::Pair(self.0.into(), self.1.into())
    }
}

impl Held for Truncation {
    fn held(value: Value) -> Option<Truncation> {
        Some(match value {
            Value::Word("race") => Truncation::Race,
            Value::Word("table") => Truncation::Table,
            Value::Word(_) => Truncation::Never,
            turns => Truncation::Turns(turns.whole()?),
        })
    }

    fn value(self) -> Value {
        match self {
            Truncation::Never => Value::Word("never"),
            Truncation::Table => Value::Word("table"),
            Truncation::Race => Value::Word("race"),
            Truncation::Turns(turns) => Value::Whole(turns.into()),
        }
    }
}

/// Types whose values are words: each with the function that reads one and the one that names it.
macro_rules! words {
    ($($word:ty: $named:expr, $name:expr;)*) => {$(
        impl Held for $word {
            fn held(value: Value) -> Option<$word> {
                value.word().and_then($named)
            }

            fn value(self) -> Value {
                Value::Word($name(&self))
            }
        }
    )*};
}
words! {
    Level: Level::named, |level: &Level| level.name();
    // No other filter comes out of a word.
    MoveFilter: MoveFilter::named, |filter: &MoveFilter| filter.name().unwrap_or_default();
    CubeOwner: owner_named, |owner: &CubeOwner| owner_name(*owner);
    AnswerStyle: AnswerStyle::named, |style: &AnswerStyle| style.name();
    Queue: Queue::named, |queue: &Queue| queue.name();
    AnswerOrder: AnswerOrder::named, |order: &AnswerOrder| order.name();
    Language: Language::named, |language: &Language| language.name();
    Variant: Variant::named, |variant: &Variant| variant.word();
}

fn owner_named(name: &str) -> Option<CubeOwner> {
    [CubeOwner::Me, CubeOwner::Opponent, CubeOwner::Centred]
        .into_iter()
        .find(|&owner| owner_name(owner) == name)
}

const fn owner_name(owner: CubeOwner) -> &'static str {
    match owner {
        CubeOwner::Me => "me",
        CubeOwner::Opponent => "opponent",
        CubeOwner::Centred => "centred",
    }
}

/// Format of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerStyle {
    /// One JSON object a line.
    #[default]
    Json,
    /// One compact line for people.
    Text,
    /// The Position ID after the best play alone.
    Position,
}

impl AnswerStyle {
    /// Returns the word that chooses the style.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AnswerStyle::Json => "json",
            AnswerStyle::Text => "text",
            AnswerStyle::Position => "position",
        }
    }

    /// Returns the style with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<AnswerStyle> {
        [AnswerStyle::Json, AnswerStyle::Text, AnswerStyle::Position]
            .into_iter()
            .find(|style| style.name() == name)
    }
}

/// The server's queue in which a request waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Queue {
    /// Goes first.
    #[default]
    Interactive,
    /// Waits while anything interactive does.
    Bulk,
}

impl Queue {
    /// Returns the word that chooses the queue.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Queue::Interactive => "interactive",
            Queue::Bulk => "bulk",
        }
    }

    fn named(name: &str) -> Option<Queue> {
        [Queue::Interactive, Queue::Bulk]
            .into_iter()
            .find(|queue| queue.name() == name)
    }
}

/// Language of sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Japanese.
    Japanese,
}

impl Language {
    /// All languages, in the order of the tables.
    pub const ALL: [Language; 4] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Japanese,
    ];

    /// Returns its code by ISO 639.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::French => "fr",
            Language::Japanese => "ja",
        }
    }

    /// Returns a language by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL
            .into_iter()
            .find(|language| language.name() == name)
    }
}

/// The order in which a connection's answers are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerOrder {
    /// The form of lines.
    #[default]
    Lines,
    /// Each answer as soon as it is ready.
    Ready,
}

impl AnswerOrder {
    const fn name(self) -> &'static str {
        match self {
            AnswerOrder::Lines => "lines",
            AnswerOrder::Ready => "ready",
        }
    }

    fn named(name: &str) -> Option<AnswerOrder> {
        [AnswerOrder::Lines, AnswerOrder::Ready]
            .into_iter()
            .find(|order| order.name() == name)
    }
}

/// Declares [`Options`] and [`SETTINGS`], a setting each: its help, its name, its type, its scope and its values; then,
/// where there are such, its words, their other spellings, the word for "not set", the meaning of 0, and the value where
/// nothing is set.
macro_rules! settings {
    ($($help:literal $name:ident: $type:ty [$scope:ident] $kind:expr
        $(, words $words:expr)? $(, also $also:expr)? $(, unset $unset:literal)? $(, zero $zero:literal)?
        $(, default $default:expr)?;)*) => {
        /// Settings of a request, of a session or of a player; `None` is not set.
        ///
        /// A new setting is one line of the table in `engine/query/options.rs`, and its use in one of the functions here.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct Options {
            $(#[doc = concat!("Setting `", stringify!($name), "`: ", $help, ".")] pub $name: Option<$type>,)*
        }

        /// All settings, in the order of `help`.
        pub static SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            scope: Scope::$scope,
            kind: $kind,
            words: one_or!(&[] $(, $words)?),
            also: one_or!(&[] $(, $also)?),
            unset: one_or!(None $(, Some($unset))?),
            zero: one_or!(None $(, Some($zero))?),
            default: one_or!(None $(, Some($default))?),
            help: $help,
            set: |options, value| {
                options.$name = match value {
                    Some(value) => Some(<$type>::held(value)?),
                    None => None,
                };
                Some(())
            },
            get: |options| options.$name.map(Held::value),
        }),*];
    };
}

/// The second where there is one, else the first.
macro_rules! one_or {
    ($first:expr) => {
        $first
    };
    ($first:expr, $second:expr) => {
        $second
    };
}

const PLIES: SettingKind = SettingKind::Whole(0, Settings::PLIES_MAX as i128);
const POSITIVE: SettingKind = SettingKind::Above(RolloutSettings::ERROR_MAX);
const OWNERS: &[(&str, &str)] = &[
    ("mine", "me"),
    ("opp", "opponent"),
    ("centered", "centred"),
    ("centre", "centred"),
    ("center", "centred"),
    ("none", "centred"),
];

settings! {
    "look-ahead in gnubg's numbering"
    plies: u8 [Depth] PLIES, default Value::Whole(0);

    "a small rollout after two plies, in the place of plies"
    level: Level [Depth] SettingKind::Word, words &Level::WORDS, unset "off",
        default Value::Word("off");

    "take the cube into account"
    cubeful: bool [Method] SettingKind::Switch, default Value::Switch(true);

    "plays searched more deeply"
    filter: MoveFilter [Depth] SettingKind::Word, words &MoveFilter::NAMES, default Value::Word("normal");

    "small nets choose replies inside a search"
    prune: bool [Depth] SettingKind::Switch, default Value::Switch(true);

    "standard deviation of noise"
    noise: f64 [Depth] SettingKind::Real(0.0, 1.0), default Value::Real(0.0);

    "error rate (PR) of the people whose choices are played"
    pr: f64 [Choice] SettingKind::Real(People::PR_MIN, People::PR_MAX), words &["off"], unset "off",
        default Value::Word("off");

    "rating of the people whose choices are played, by FIBS's formula"
    elo: u32 [Choice] SettingKind::Whole(People::ELO_MIN as i128, People::ELO_MAX as i128), words &["off"], unset "off",
        default Value::Word("off");

    "plays to report"
    top: u16 [Plays] SettingKind::Whole(0, u16::MAX as i128), zero "for all", default Value::Whole(0);

    "points away up to which scores are listed"
    away: u8 [Scores] SettingKind::Whole(ScoresQuery::AWAY_MIN as i128, ScoresQuery::AWAY_MAX as i128),
        default Value::Whole(ScoresQuery::AWAY as i128);

    "rolls of an answer: 1 the player's, 2 those of the opponent after them too"
    turns: u8 [Rolls] SettingKind::Whole(1, 2), default Value::Whole(1);

    "milliseconds to deepen"
    time: u64 [Depth] SettingKind::Whole(0, Settings::TIME_MS_MAX as i128), zero "for none",
        default Value::Whole(0);

    "match length"
    length: u32 [State] SettingKind::Whole(0, Score::LENGTH_MAX as i128), zero "for money";

    "points of the player on roll and of the opponent"
    score: (u32, u32) [State] SettingKind::Pair(Score::LENGTH_MAX as u64);

    "whether this is the Crawford game"
    crawford: bool [State] SettingKind::Switch;

    "Jacoby rule (money)"
    jacoby: bool [Rules] SettingKind::Switch;

    "beavers (money)"
    beavers: bool [Rules] SettingKind::Switch;

    "cube value"
    cube: u32 [State] SettingKind::PowerOfTwo(Cube::MAX);

    "cube owner"
    owner: CubeOwner [State] SettingKind::Word, words &["me", "opponent", "centred"], also OWNERS;

    "variant of the game"
    variant: Variant [State] SettingKind::Word, words &Variant::WORDS, also Variant::SYNONYMS;

    "games of a rollout"
    trials: u32 [Rollout] SettingKind::Whole(1, RolloutSettings::TRIALS_MAX as i128);

    "where a rollout's games are cut off"
    truncate: Truncation [Rollout] SettingKind::Whole(1, RolloutSettings::TURNS_MAX as i128),
        words &["race", "table", "never"];

    "look-ahead for the cube in a rollout"
    cubeplies: u8 [Rollout] PLIES;

    "look-ahead of the other side in a rollout"
    otherplies: u8 [Rollout] PLIES;

    "look-ahead of the other side for the cube in a rollout"
    othercubeplies: u8 [Rollout] PLIES;

    "plays that the other side looks at more deeply in a rollout"
    otherfilter: MoveFilter [Rollout] SettingKind::Word, words &MoveFilter::NAMES;

    "look-ahead where a rollout's game is cut off"
    leafplies: u8 [Rollout] PLIES;

    "one-sided rollouts of the races where a rollout's games are cut off"
    osr: u32 [Rollout] SettingKind::Whole(1, RolloutSettings::OSR_MAX as i128), words &["off"], unset "off";

    "another look-ahead from a turn on in a rollout"
    late: (u32, u8) [Rollout] SettingKind::TurnPlies(RolloutSettings::TURNS_MAX as u64, Settings::PLIES_MAX as u64),
        words &["off"], unset "off";

    "take the luck of the dice out of a rollout"
    vr: bool [Rollout] SettingKind::Switch;

    "standard error at which a rollout ends"
    se: f64 [Rollout] POSITIVE, words &["off"], unset "off";

    "joint standard errors after which a candidate is left alone"
    jsd: f64 [Rollout] POSITIVE, words &["off"], unset "off";

    "seed of a rollout, and of the choices of people"
    seed: u64 [Seed] SettingKind::Whole(0, u64::MAX as i128);

    "lines of type progress during a rollout or an analysis (sockets)"
    progress: bool [Progress] SettingKind::Switch, default Value::Switch(false);

    "style of answers"
    answer: AnswerStyle [Session] SettingKind::Word, words &["json", "text", "position"], default Value::Word("json");

    "language of sentences"
    language: Language [Sentences] SettingKind::Word, words &["en", "de", "fr", "ja"], default Value::Word("en");

    "which queue requests wait in"
    queue: Queue [Queue] SettingKind::Word, words &["interactive", "bulk", "auto"], unset "auto",
        default Value::Word("auto");

    "which of the waiting requests of this client are first: higher ones"
    priority: i8 [Queue] SettingKind::Whole(-9, 9), default Value::Whole(0);

    "answers in the order of the lines, or each as soon as it is ready (sockets)"
    order: AnswerOrder [Session] SettingKind::Word, words &["lines", "ready"], default Value::Word("lines");
}

impl Options {
    /// Sets one setting from its text.
    ///
    /// # Errors
    /// [`SettingError`] names the setting and the expected value; nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        let setting = Setting::named(name).ok_or_else(|| SettingError::Key(shortened(name)))?;
        let found = setting.read(text);
        let done = found.and_then(|found| setting.set(self, found));
        done.ok_or_else(|| SettingError::Value {
            key: setting.name,
            found: shortened(text),
            want: setting.want(),
        })
    }

    /// Sets one setting from JSON, of exactly the type that its schema describes.
    ///
    /// # Errors
    /// As [`Options::set`].
    pub fn set_json(&mut self, name: &str, json: &serde_json::Value) -> Result<(), SettingError> {
        let setting = Setting::named(name).ok_or_else(|| SettingError::Key(shortened(name)))?;
        let found = setting.of_json(json);
        let done = found.and_then(|found| setting.set(self, found));
        done.ok_or_else(|| SettingError::Value {
            key: setting.name,
            found: shortened(json.to_string().trim_matches('"')),
            want: setting.want(),
        })
    }

    /// Returns the settings that are set, each with its value, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Setting, Value)> {
        let value = |setting: &'static Setting| Some((setting, setting.get(self)?));
        SETTINGS.iter().filter_map(value)
    }

    /// Returns the settings that are set, as `name=value` with the separator between, in the order of the table.
    #[must_use]
    pub fn canonical(&self, separator: &str) -> String {
        let pair = |(setting, value): (&Setting, Value)| format!("{}={value}", setting.name);
        self.iter().map(pair).collect::<Vec<_>>().join(separator)
    }

    /// Returns these options, and of the others what these leave open.
    #[must_use]
    pub fn or(&self, others: &Options) -> Options {
        let mut all = self.clone();
        for (setting, value) in others.iter() {
            if setting.get(self).is_none() {
                // A value that one has is one for the other.
                let _ = setting.set(&mut all, value);
            }
        }
        all
    }

    /// Returns the settings of a search.
    #[must_use]
    pub fn search(&self) -> Settings {
        self.over(Settings::default())
    }

    /// Returns the settings of the analysis of a match (ANA-01).
    #[must_use]
    pub fn analysis(&self) -> Settings {
        let usual = Settings::for_analysis(self.plies, self.filter);
        // Its methods are its own.
        Settings {
            cubeful: usual.cubeful,
            top: usual.top,
            ..self.over(usual)
        }
    }

    /// Returns what settings of a search are as options; a filter without a name is left out.
    #[must_use]
    pub fn of(settings: &Settings) -> Options {
        Options {
            plies: Some(settings.plies),
            level: settings.level,
            cubeful: Some(settings.cubeful),
            filter: Some(settings.filter).filter(|filter| filter.name().is_some()),
            prune: Some(settings.prune),
            noise: Some(shortest(settings.noise)),
            pr: settings.pr,
            seed: settings.pr.map(|_| settings.seed),
            top: settings
                .top
                .map(|top| u16::try_from(top).unwrap_or(u16::MAX)),
            time: settings.time_ms,
            ..Options::default()
        }
    }

    /// Returns these options without those that are equal in `others`.
    #[must_use]
    pub fn beyond(&self, others: &Options) -> Options {
        let mut beyond = Options::default();
        for (setting, value) in self.iter() {
            if setting.get(others) != Some(value) {
                // Its value has been one already.
                let _ = setting.set(&mut beyond, value);
            }
        }
        beyond
    }

    /// Returns settings of a search with those that are set here in their place.
    #[must_use]
    pub fn over(&self, base: Settings) -> Settings {
        let pr = (self.pr.or(self.elo.map(People::pr_of_elo))).or(base.pr);
        let base = match (pr, base.pr) {
            (Some(pr), None) => base.with_people(pr, 0),
            _ => base,
        };
        Settings {
            plies: self.plies.unwrap_or(base.plies),
            level: self.level.or(base.level),
            cubeful: self.cubeful.unwrap_or(base.cubeful),
            filter: self.filter.unwrap_or(base.filter),
            prune: self.prune.unwrap_or(base.prune),
            noise: self.noise.map_or(base.noise, nearest),
            pr,
            seed: self.seed.unwrap_or(base.seed),
            top: match self.top {
                Some(top) => Some(top.into()).filter(|&top| top > 0),
                None => base.top,
            },
            time_ms: match self.time {
                Some(time) => Some(time).filter(|&time| time > 0),
                None => base.time_ms,
            },
            ..base
        }
    }

    /// Returns the settings of a rollout with this search inside. A level replaces its plies, and gives what these
    /// options leave open (RO-14).
    #[must_use]
    pub fn rollout(&self, search: &Settings) -> RolloutSettings {
        let mut settings = match search.level {
            Some(level) => RolloutSettings::at_level(level, search),
            None => RolloutSettings::default(),
        };
        let [
            RolloutSide {
                plies, cube_plies, ..
            },
            _,
        ] = settings.sides;
        let plies = if search.level.is_some() {
            plies
        } else {
            search.plies
        };
        let side = |plies| RolloutSide {
            plies,
            cube_plies: self.cubeplies.unwrap_or(cube_plies),
            filter: None,
        };
        let other = RolloutSide {
            plies: self.otherplies.unwrap_or(plies),
            cube_plies: (self.othercubeplies.or(self.cubeplies)).unwrap_or(cube_plies),
            filter: self.otherfilter,
        };
        settings.trials = self.trials.unwrap_or(settings.trials);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.sides = [side(plies), other];
        settings.late = self.late.map(|(turn, plies)| (turn, side(plies)));
        settings.leaf_plies = self.leafplies.unwrap_or(settings.leaf_plies);
        settings.leaf_osr = self.osr;
        settings.cubeful = search.cubeful;
        settings.variance_reduction = self.vr.unwrap_or(true);
        settings.truncate = self.truncate.unwrap_or(settings.truncate);
        settings.error = self.se;
        settings.lead = self.jsd;
        settings.time_ms = search.time_ms;
        settings.search = search.clone();
        settings
    }

    /// Returns `base` with the cube, the score, the rules and the variant that are set. A new length or score removes an old Crawford
    /// flag.
    ///
    /// # Errors
    /// [`MatchStateError`] when cube and score do not fit each other.
    pub fn state(&self, base: MatchState) -> Result<MatchState, MatchStateError> {
        let cube = Cube::new(
            self.cube.unwrap_or(base.cube.value()),
            self.owner.unwrap_or(base.cube.owner()),
        )?;
        let score = self.state_score(base.score)?;
        if score.is_crawford() && cube != Cube::CENTRED {
            return Err(MatchStateError::CrawfordCube);
        }
        // A match has no rules of money, so it leaves none behind.
        let rules = match score.is_money() && !base.score.is_money() {
            true => Rules::default(),
            false => base.rules,
        };
        Ok(MatchState {
            cube,
            score,
            rules: Rules {
                jacoby: self.jacoby.unwrap_or(rules.jacoby),
                beavers: self.beavers.unwrap_or(rules.beavers),
            },
            variant: self.variant.unwrap_or(base.variant),
        })
    }

    fn state_score(&self, base: Score) -> Result<Score, MatchStateError> {
        let new_score = self.length.is_some() || self.score.is_some();
        if !new_score && self.crawford.is_none() {
            return Ok(base);
        }
        let length = self.length.unwrap_or(base.length());
        let kept = if length == base.length() {
            (base.me(), base.opponent())
        } else {
            (0, 0)
        };
        let (me, opponent) = self.score.unwrap_or(kept);
        let crawford = self.crawford.unwrap_or(!new_score && base.is_crawford());
        Score::new(length, me, opponent, crawford)
    }

    /// Returns these options without cube, score, rules and variant.
    #[must_use]
    pub fn without_state(&self) -> Options {
        Options {
            length: None,
            score: None,
            crawford: None,
            jacoby: None,
            beavers: None,
            cube: None,
            owner: None,
            variant: None,
            ..self.clone()
        }
    }

    /// Returns true if cube, score, a rule or the variant is set.
    #[must_use]
    pub fn has_state(&self) -> bool {
        *self != self.without_state()
    }

    /// Returns these options with the cube, the score and the rules of `earlier` ones below their own. A new length
    /// removes an old score, and a new length or score an old Crawford flag (S-04).
    #[must_use]
    pub fn with_state_below(self, earlier: &Options) -> Options {
        let new_length = self.length.is_some() && self.length != earlier.length;
        let new_score = self.length.is_some() || self.score.is_some();
        Options {
            length: self.length.or(earlier.length),
            score: self.score.or(earlier.score.filter(|_| !new_length)),
            crawford: self.crawford.or(earlier.crawford.filter(|_| !new_score)),
            jacoby: self.jacoby.or(earlier.jacoby),
            beavers: self.beavers.or(earlier.beavers),
            cube: self.cube.or(earlier.cube),
            owner: self.owner.or(earlier.owner),
            variant: self.variant.or(earlier.variant),
            ..self
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the nearest value: noise is no exact number"
)]
fn nearest(value: f64) -> f32 {
    value as f32
}

/// Returns the number whose digits are the fewest for this one: 0.05, not 0.05000000074505806.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

/// An error in a `key=value`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The key is unknown.
    #[error("setting '{0}' is not known{hint}", hint = meant(.0))]
    Key(String),
    /// A value the key cannot have.
    #[error("setting '{key}' is '{found}', expected {want}")]
    Value {
        /// The key.
        key: &'static str,
        /// The value as given.
        found: String,
        /// The values allowed.
        want: String,
    },
    /// A key that requests with this verb do not take.
    #[error("setting '{key}' is not for {verb}, expected one of {names}")]
    Verb {
        /// The key.
        key: &'static str,
        /// The verb.
        verb: String,
        /// Names of the settings that it takes.
        names: String,
    },
}

/// Common synonyms of some keys.
const SYNONYMS: [(&str, &str); 7] = [
    ("rating", "elo"),
    ("ply", "plies"),
    ("depth", "plies"),
    ("games", "trials"),
    ("points", "length"),
    ("match", "length"),
    ("best", "top"),
];

/// Returns a known key that is spelt nearly so, or means so, as a question; otherwise empty.
fn meant(key: &str) -> String {
    let key = key.to_ascii_lowercase();
    if key == "plays" {
        return " here, only in move, explain and rollout with a roll, such as move 4HPwATDgc/ABMA 31 plays=\"8/5 6/5\"".to_owned();
    }
    if let Some((_, name)) = SYNONYMS.iter().find(|(word, _)| *word == key) {
        return format!("; did you mean {name}?");
    }
    let near = SETTINGS
        .iter()
        .map(|setting| {
            (
                strsim::damerau_levenshtein(&key, setting.name),
                setting.name,
            )
        })
        .min();
    match near {
        Some((1..=2, name)) if key.len() > 2 => format!("; did you mean {name}?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_can_be_set() {
        let values = [
            "2", "Roller+", "off", "large", "no", "0.05", "8", "1800", "3", "12", "2", "100", "7",
            "3:5", "on", "off", "off", "2", "opp", "standard", "1296", "11", "1", "2", "0", "tiny",
            "2", "576", "5:0", "off", "0.01", "2.33", "9", "1", "text", "de", "bulk", "-9",
            "ready",
        ];
        assert_eq!(values.len(), SETTINGS.len());
        let mut settings = Options::default();
        for (Setting { name: key, .. }, value) in SETTINGS.iter().zip(values) {
            let before = settings.clone();
            settings.set(key, value).unwrap();
            assert_ne!(before, settings, "{key}");
        }
    }

    /// The longest match is accepted, and no longer one.
    #[test]
    fn match_length_at_its_limit_is_accepted() {
        let mut settings = Options::default();
        settings.set("length", "255").unwrap();
        assert_eq!(settings.length, Some(255));
        assert!(settings.set("length", "256").is_err());
        assert_eq!(settings.length, Some(255));
    }

    /// RO-14: a level gives the options of a rollout that are left open.
    #[test]
    fn level_gives_settings_of_rollout() {
        let settings = |pairs: &[(&str, &str)]| {
            let mut session = Options::default();
            for (key, value) in pairs {
                session.set(key, value).unwrap();
            }
            session.rollout(&session.search())
        };
        let plain = settings(&[("plies", "2")]);
        assert_eq!((plain.trials, plain.sides[1].plies), (1296, 2));
        let level = settings(&[("plies", "2"), ("level", "roller++")]);
        let known = RolloutSettings::at_level(Level::RollerPlusPlus, &level.search);
        assert_eq!((level.trials, level.sides), (known.trials, known.sides));
        assert_eq!(level.truncate, known.truncate);
        assert_eq!(level.leaf_plies, known.leaf_plies);
        let own = settings(&[("level", "roller"), ("trials", "72"), ("truncate", "never")]);
        assert_eq!((own.trials, own.truncate), (72, Truncation::Never));
    }

    /// S-04: a new length or score clears the Crawford flag, and a new length the score.
    #[test]
    fn later_length_or_score_clears_crawford_flag() {
        let options = |pairs: &[(&str, &str)]| {
            let mut settings = Options::default();
            for (key, value) in pairs {
                settings.set(key, value).unwrap();
            }
            settings
        };
        let crawford = options(&[("length", "7"), ("score", "6:3"), ("crawford", "on")]);
        for (later, length, score, flag) in [
            (vec![("cube", "1")], 7, (6, 3), true),
            (vec![("score", "3:6")], 7, (3, 6), false),
            (vec![("score", "6:6")], 7, (6, 6), false),
            (vec![("score", "3:6"), ("crawford", "on")], 7, (3, 6), true),
            (vec![("length", "7")], 7, (6, 3), false),
            (vec![("length", "9")], 9, (0, 0), false),
            (vec![("length", "0")], 0, (0, 0), false),
        ] {
            let state = options(&later).with_state_below(&crawford);
            let state = state.state(MatchState::default()).unwrap().score;
            assert_eq!(
                (state.length(), (state.me(), state.opponent())),
                (length, score),
                "{later:?}"
            );
            assert_eq!(state.is_crawford(), flag, "{later:?}");
        }
    }

    #[test]
    fn bad_values_are_named_and_change_nothing() {
        let bad = [
            ("plies", "5"),
            ("plies", "-1"),
            ("plies", ""),
            ("plies", "99999999999999999999999"),
            ("level", "rollers"),
            ("cubeful", "maybe"),
            ("filter", "wide"),
            ("noise", "nan"),
            ("noise", "1.5"),
            ("noise", "1e1"),
            ("top", "x"),
            ("time", "600001"),
            ("length", "256"),
            ("score", "3"),
            ("score", "3:x"),
            ("cube", "3"),
            ("cube", "0"),
            ("cube", "8192"),
            ("owner", "you"),
            ("trials", "0"),
            ("trials", "-1"),
            ("trials", "1e18"),
            ("truncate", "0"),
            ("truncate", "1001"),
            ("truncate", "x"),
            ("late", "5"),
            ("late", "5:9"),
            ("se", "0"),
            ("se", "1000.1"),
            ("jsd", "nan"),
            ("seed", "18446744073709551616"),
            ("progress", "2"),
            ("answer", "xml"),
            ("queue", "fast"),
            ("priority", "10"),
            ("priority", "-10"),
        ];
        for (key, value) in bad {
            let mut settings = Options::default();
            let error = settings.set(key, value).unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
            assert_eq!(settings, Options::default());
        }
        let mut settings = Options::default();
        assert_eq!(
            settings.set("depth", "1"),
            Err(SettingError::Key("depth".into()))
        );
        for (typed, said) in [
            (
                "lenght",
                "setting 'lenght' is not known; did you mean length?",
            ),
            ("Ply", "setting 'Ply' is not known; did you mean plies?"),
            ("colour", "setting 'colour' is not known"),
        ] {
            assert_eq!(settings.set(typed, "1").unwrap_err().to_string(), said);
        }
    }

    /// The table's default is the value of options without settings.
    #[test]
    fn defaults_of_the_table_are_those_of_a_search() {
        let mut spelt = Options::default();
        for setting in SETTINGS {
            if let Some(value) = setting.default {
                spelt.set(setting.name, &value.to_string()).unwrap();
            }
        }
        assert_eq!(spelt.search(), Options::default().search());
        assert_eq!(spelt.search(), Settings::default());
        assert_eq!(spelt.answer, Some(AnswerStyle::default()));
        assert_eq!(spelt.order, Some(AnswerOrder::default()));
    }

    /// Settings of a search give the options again that made them, beside those of the defaults.
    #[test]
    fn settings_of_a_search_are_options_again() {
        let mut some = Options::default();
        for (name, text) in [
            ("plies", "2"),
            ("level", "roller+"),
            ("filter", "swift"),
            ("prune", "off"),
            ("noise", "0.05"),
            ("top", "3"),
            ("time", "500"),
        ] {
            some.set(name, text).unwrap();
        }
        let usual = Options::of(&Settings::default());
        assert_eq!(Options::of(&some.search()).beyond(&usual), some);
        assert_eq!(usual.beyond(&usual), Options::default());
    }

    /// Their text gives the options again, and options fill only what others leave open.
    #[test]
    fn canonical_text_is_read_back() {
        let mut all = Options::default();
        for (name, text) in [
            ("plies", "2"),
            ("noise", "0.05"),
            ("score", "3:5"),
            ("truncate", "11"),
            ("owner", "opp"),
            ("queue", "bulk"),
            ("late", "5:0"),
        ] {
            all.set(name, text).unwrap();
        }
        let text = all.canonical(" ");
        assert_eq!(
            text,
            "plies=2 noise=0.05 score=3:5 owner=opponent truncate=11 late=5:0 queue=bulk"
        );
        let mut again = Options::default();
        for pair in text.split(' ') {
            let (name, value) = pair.split_once('=').unwrap();
            again.set(name, value).unwrap();
        }
        assert_eq!(all, again);
        let mut own = Options::default();
        own.set("plies", "1").unwrap();
        assert_eq!(
            own.or(&all).canonical(" "),
            text.replace("plies=2", "plies=1")
        );
    }
}
