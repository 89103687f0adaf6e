//! Settings as `key=value`: one table for `set` lines and for single requests.
//!
//! Rules S-01 to S-06 of `protocol-specs/request-protocol.md`.

use gammond_engine::query::{
    Level, MoveFilter, RolloutSettings, RolloutSide, Settings, Truncation,
};
use gammond_game::{Cube, CubeOwner, MatchState, MatchStateError, Rules, Score};

/// Format of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerStyle {
    /// One JSON object a line.
    #[default]
    Json,
    /// One compact line for people.
    Text,
    /// Only the Position ID after the best play.
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
        match name {
            "json" => Some(AnswerStyle::Json),
            "text" => Some(AnswerStyle::Text),
            "position" => Some(AnswerStyle::Position),
            _ => None,
        }
    }
}

/// The server's queue in which a request waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
}

/// The place that a client gives a request among those that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuePlace {
    /// True if all other requests may go first.
    pub bulk: bool,
    /// Priority among the waiting requests of the same client and cost, -9 to 9; higher ones first (SRV-22).
    pub priority: i8,
}

/// Requested changes of the cube, the score and the rules; `None` keeps the present value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateOptions {
    /// Points of the match, 0 for money.
    pub length: Option<u32>,
    /// Points of the player on roll and of the opponent.
    pub score: Option<(u32, u32)>,
    /// True in the Crawford game.
    pub crawford: Option<bool>,
    /// True if Jacoby holds (money).
    pub jacoby: Option<bool>,
    /// True if beavers are allowed (money).
    pub beavers: Option<bool>,
    /// The cube's value.
    pub cube: Option<u32>,
    /// The player who may turn the cube.
    pub owner: Option<CubeOwner>,
}

impl StateOptions {
    /// Returns `base` with these changes. A new length or score removes an old Crawford flag.
    ///
    /// # Errors
    /// [`MatchStateError`] when cube and score do not fit each other.
    pub fn apply(&self, base: MatchState) -> Result<MatchState, MatchStateError> {
        let cube = Cube::new(
            self.cube.unwrap_or(base.cube.value()),
            self.owner.unwrap_or(base.cube.owner()),
        )?;
        let score = self.apply_score(base.score)?;
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
        })
    }

    fn apply_score(&self, base: Score) -> Result<Score, MatchStateError> {
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

    /// Returns these changes with `later` ones on top. A new length removes an old score, and a new length or score an
    /// old Crawford flag (S-04).
    #[must_use]
    pub fn with(self, later: &StateOptions) -> StateOptions {
        let new_length = later.length.is_some() && later.length != self.length;
        let new_score = later.length.is_some() || later.score.is_some();
        StateOptions {
            length: later.length.or(self.length),
            score: later.score.or(self.score.filter(|_| !new_length)),
            crawford: later.crawford.or(self.crawford.filter(|_| !new_score)),
            jacoby: later.jacoby.or(self.jacoby),
            beavers: later.beavers.or(self.beavers),
            cube: later.cube.or(self.cube),
            owner: later.owner.or(self.owner),
        }
    }
}

/// Requested settings of a rollout.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RolloutOptions {
    /// Games of each candidate.
    pub trials: Option<u32>,
    /// Point at which a game is cut off.
    pub truncate: Option<Truncation>,
    /// Seed of the dice.
    pub seed: Option<u64>,
    /// Look-ahead for the cube.
    pub cube_plies: Option<u8>,
    /// Look-ahead of the side that is not on roll at the question; the same as the other's when it is not given.
    pub other_plies: Option<u8>,
    /// Its look-ahead for the cube.
    pub other_cube_plies: Option<u8>,
    /// Its filter.
    pub other_filter: Option<MoveFilter>,
    /// Look-ahead where a game is cut off.
    pub leaf_plies: Option<u8>,
    /// One-sided rollouts where a game is cut off in a race.
    pub leaf_osr: Option<u32>,
    /// First turn of the late game, and its look-ahead.
    pub late: Option<(u32, u8)>,
    /// True if the luck of the dice is removed (variance reduction).
    pub variance_reduction: Option<bool>,
    /// Standard error at which the rollout stops.
    pub error: Option<f64>,
    /// Lead over a candidate, in joint standard errors, at which the candidate is dropped.
    pub lead: Option<f64>,
    /// True to report intermediate results.
    pub progress: bool,
}

impl RolloutOptions {
    /// Returns the settings of a rollout for a client with these search settings. A level replaces their plies, and gives
    /// what these options leave open (RO-14).
    #[must_use]
    pub fn settings(&self, search: &Settings) -> RolloutSettings {
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
            cube_plies: self.cube_plies.unwrap_or(cube_plies),
            filter: None,
        };
        let other = RolloutSide {
            plies: self.other_plies.unwrap_or(plies),
            cube_plies: (self.other_cube_plies.or(self.cube_plies)).unwrap_or(cube_plies),
            filter: self.other_filter,
        };
        settings.trials = self.trials.unwrap_or(settings.trials);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.sides = [side(plies), other];
        settings.late = self.late.map(|(turn, plies)| (turn, side(plies)));
        settings.leaf_plies = self.leaf_plies.unwrap_or(settings.leaf_plies);
        settings.leaf_osr = self.leaf_osr;
        settings.cubeful = search.cubeful;
        settings.variance_reduction = self.variance_reduction.unwrap_or(true);
        settings.truncate = self.truncate.unwrap_or(settings.truncate);
        settings.error = self.error;
        settings.lead = self.lead;
        settings.time_ms = search.time_ms;
        settings.search = search.clone();
        settings
    }
}

/// Everything that a session can set; a request may change it for itself.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionSettings {
    /// Settings of the search.
    pub search: Settings,
    /// The state of positions that carry none.
    pub state: StateOptions,
    /// Settings of rollouts.
    pub rollout: RolloutOptions,
    /// Style of answers.
    pub style: AnswerStyle,
    /// Queue in which requests wait; `None` decides by the kind of request.
    pub queue: Option<Queue>,
    /// Priority among the waiting requests of the same client, -9 to 9.
    pub priority: i8,
    /// True if answers are sent when they are ready, in any order.
    pub when_ready: bool,
}

/// An error in a `key=value`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No such key.
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
        want: &'static str,
    },
}

/// The keys, what each wants, and what it does; the text of `help`.
pub(super) const KEYS: &[(&str, &str, &str)] = &[
    ("plies", "0 to 4", "look-ahead in gnubg's numbering"),
    (
        "level",
        "roller, roller+, roller++ or off",
        "a small rollout after two plies, in the place of plies",
    ),
    ("cubeful", "on or off", "take the cube into account"),
    ("filter", MoveFilter::WANT, "plays looked at more deeply"),
    (
        "prune",
        "on or off",
        "small nets choose replies inside a search",
    ),
    ("noise", "0 to 1", "standard deviation of noise"),
    ("top", "0 to 65535, 0 for all", "plays to report"),
    ("time", "0 to 600000, 0 for none", "milliseconds to deepen"),
    ("length", "0 (money) to 255", "match length"),
    (
        "score",
        "N:N, the points of the player on roll first",
        "score",
    ),
    ("crawford", "on or off", "whether this is the Crawford game"),
    ("jacoby", "on or off", "Jacoby rule (money)"),
    ("beavers", "on or off", "beavers (money)"),
    ("cube", "a power of two, 1 to 4096", "cube value"),
    ("owner", "me, opponent or centred", "cube owner"),
    ("trials", "1 to 16777216", "games of a rollout"),
    (
        "truncate",
        "1 to 1000, race, table or never",
        "where a rollout's games are cut off",
    ),
    (
        "cubeplies",
        "0 to 4",
        "look-ahead for the cube in a rollout",
    ),
    (
        "otherplies",
        "0 to 4",
        "look-ahead of the other side in a rollout",
    ),
    (
        "othercubeplies",
        "0 to 4",
        "look-ahead of the other side for the cube in a rollout",
    ),
    (
        "otherfilter",
        MoveFilter::WANT,
        "plays that the other side looks at more deeply in a rollout",
    ),
    (
        "leafplies",
        "0 to 4",
        "look-ahead where a rollout's game is cut off",
    ),
    (
        "osr",
        "1 to 12960, or off",
        "one-sided rollouts of the races where a rollout's games are cut off",
    ),
    (
        "late",
        "TURN:PLIES, such as 5:0, or off",
        "another look-ahead from a turn on in a rollout",
    ),
    (
        "vr",
        "on or off",
        "take the luck of the dice out of a rollout",
    ),
    (
        "se",
        "a number above 0, at most 1000, or off",
        "standard error at which a rollout ends",
    ),
    (
        "jsd",
        "a number above 0, at most 1000, or off",
        "joint standard errors after which a candidate is left alone",
    ),
    ("seed", "0 to 18446744073709551615", "seed of a rollout"),
    (
        "progress",
        "on or off",
        "lines of type progress during a rollout or an analysis (sockets)",
    ),
    ("answer", "json, text or position", "style of answers"),
    (
        "queue",
        "interactive, bulk or auto",
        "which queue requests wait in",
    ),
    (
        "priority",
        "-9 to 9",
        "which of the waiting requests of this client are first: higher ones",
    ),
    (
        "order",
        "lines or ready",
        "answers in the order of the lines, or each as soon as it is ready (sockets)",
    ),
];

impl SessionSettings {
    /// Sets one key.
    ///
    /// # Errors
    /// [`SettingError`] names the key and what it wants; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let Some(&(key, want, _)) = KEYS
            .iter()
            .find(|(name, ..)| name.eq_ignore_ascii_case(key))
        else {
            return Err(SettingError::Key(shortened(key)));
        };
        self.set_known(key, value)
            .ok_or_else(|| SettingError::Value {
                key,
                found: shortened(value),
                want,
            })
    }

    fn set_known(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "plies" => self.search.plies = number(value, u64::from(Settings::PLIES_MAX))?,
            "level" if value.eq_ignore_ascii_case("off") => self.search.level = None,
            "level" => self.search.level = Some(Level::named(value)?),
            "cubeful" => self.search.cubeful = switch(value)?,
            "filter" => self.search.filter = MoveFilter::named(value)?,
            "prune" => self.search.prune = switch(value)?,
            "noise" => self.search.noise = fraction(value)?,
            "top" => {
                let top: u16 = number(value, 65_535)?;
                self.search.top = (top > 0).then_some(usize::from(top));
            }
            "time" => {
                let time: u64 = number(value, Settings::TIME_MS_MAX)?;
                self.search.time_ms = (time > 0).then_some(time);
            }
            "length" => self.state.length = Some(number(value, u64::from(Score::LENGTH_MAX))?),
            "score" => self.state.score = Some(score(value)?),
            "crawford" => self.state.crawford = Some(switch(value)?),
            "jacoby" => self.state.jacoby = Some(switch(value)?),
            "beavers" => self.state.beavers = Some(switch(value)?),
            "cube" => {
                let cube: u32 = number(value, u64::from(Cube::MAX))?;
                self.state.cube = Some(cube.is_power_of_two().then_some(cube)?);
            }
            "owner" => self.state.owner = Some(owner(value)?),
            "seed" => self.rollout.seed = Some(number(value, u64::MAX)?),
            "trials" | "truncate" | "cubeplies" | "otherplies" | "othercubeplies"
            | "otherfilter" | "leafplies" | "osr" | "late" | "vr" | "se" | "jsd" | "progress" => {
                self.rollout.set(key, value)?;
            }
            "order" => {
                self.when_ready = match value.to_ascii_lowercase().as_str() {
                    "lines" => false,
                    "ready" => true,
                    _ => return None,
                }
            }
            "answer" => self.style = AnswerStyle::named(&value.to_ascii_lowercase())?,
            "queue" => {
                self.queue = match value.to_ascii_lowercase().as_str() {
                    "interactive" => Some(Queue::Interactive),
                    "bulk" => Some(Queue::Bulk),
                    "auto" => None,
                    _ => return None,
                }
            }
            "priority" => {
                let priority: i8 = value.parse().ok()?;
                self.priority = (-9..=9).contains(&priority).then_some(priority)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the place of a request with these settings among those that wait.
    #[must_use]
    pub(crate) fn queue_place(&self) -> QueuePlace {
        QueuePlace {
            bulk: self.queue == Some(Queue::Bulk),
            priority: self.priority,
        }
    }
}

/// Returns the keys, what each wants, and what it does.
pub fn setting_keys() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    KEYS.iter().copied()
}

/// Returns true if this is the key of a setting.
#[must_use]
pub fn is_setting(key: &str) -> bool {
    KEYS.iter().any(|(name, ..)| *name == key)
}

/// Common synonyms of some keys.
const SYNONYMS: [(&str, &str); 6] = [
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
        return " here, only in rollouts of a roll, such as rollout 4HPwATDgc/ABMA 31 plays=\"8/5 6/5\"".to_owned();
    }
    if let Some((_, name)) = SYNONYMS.iter().find(|(word, _)| *word == key) {
        return format!("; did you mean {name}?");
    }
    let near = KEYS
        .iter()
        .map(|(name, ..)| (strsim::damerau_levenshtein(&key, name), *name))
        .min();
    match near {
        Some((1..=2, name)) if key.len() > 2 => format!("; did you mean {name}?"),
        _ => String::new(),
    }
}

/// Returns the name that may have been meant, when one is near.
pub(super) fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = shortened(word).to_ascii_lowercase();
    let far = |name: &&'a str| strsim::damerau_levenshtein(&word, name);
    let near = |name: &&'a str| far(name) <= name.len() / 3;
    names.filter(near).min_by_key(far)
}

impl RolloutOptions {
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let plies = || number(value, u64::from(Settings::PLIES_MAX));
        let off = value.eq_ignore_ascii_case("off");
        match key {
            "trials" => {
                let trials: u32 = number(value, u64::from(RolloutSettings::TRIALS_MAX))?;
                self.trials = Some((trials > 0).then_some(trials)?);
            }
            "truncate" => self.truncate = Some(truncation(value)?),
            "cubeplies" => self.cube_plies = Some(plies()?),
            "otherplies" => self.other_plies = Some(plies()?),
            "othercubeplies" => self.other_cube_plies = Some(plies()?),
            "otherfilter" => self.other_filter = Some(MoveFilter::named(value)?),
            "leafplies" => self.leaf_plies = Some(plies()?),
            "osr" if off => self.leaf_osr = None,
            "osr" => {
                let games: u32 = number(value, u64::from(RolloutSettings::OSR_MAX))?;
                self.leaf_osr = Some((games > 0).then_some(games)?);
            }
            "vr" => self.variance_reduction = Some(switch(value)?),
            "progress" => self.progress = switch(value)?,
            "late" if off => self.late = None,
            "late" => {
                let (turn, plies) = value.split_once(':')?;
                let turn = number(turn, u64::from(RolloutSettings::TURNS_MAX))?;
                self.late = Some((turn, number(plies, u64::from(Settings::PLIES_MAX))?));
            }
            "se" => self.error = if off { None } else { Some(positive(value)?) },
            "jsd" => self.lead = if off { None } else { Some(positive(value)?) },
            _ => return None,
        }
        Some(())
    }
}

fn truncation(text: &str) -> Option<Truncation> {
    match text.to_ascii_lowercase().as_str() {
        "never" => Some(Truncation::Never),
        "race" => Some(Truncation::Race),
        "table" => Some(Truncation::Table),
        turns => number(turns, u64::from(RolloutSettings::TURNS_MAX))
            .filter(|&turns| turns > 0)
            .map(Truncation::Turns),
    }
}

/// Returns a plain decimal number above 0, of a rollout's errors.
fn positive(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = plain.then(|| text.parse().ok())??;
    (value > 0.0 && value <= RolloutSettings::ERROR_MAX).then_some(value)
}

/// Returns a value made fit for a message: at most 24 characters.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 24;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns a number of digits only, at most `max`.
fn number<T: TryFrom<u64>>(text: &str, max: u64) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value: u64 = digits.then(|| text.parse().ok())??;
    (value <= max).then(|| T::try_from(value).ok())?
}

fn fraction(text: &str) -> Option<f32> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f32 = plain.then(|| text.parse().ok())??;
    (0.0..=1.0).contains(&value).then_some(value)
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

/// `3:5`, `3-5` or `3,5`.
fn score(text: &str) -> Option<(u32, u32)> {
    let (me, opponent) = text.split_once([':', '-', ','])?;
    let max = u64::from(Score::LENGTH_MAX);
    Some((number(me, max)?, number(opponent, max)?))
}

fn owner(text: &str) -> Option<CubeOwner> {
    match text.to_ascii_lowercase().as_str() {
        "me" | "mine" => Some(CubeOwner::Me),
        "opponent" | "opp" => Some(CubeOwner::Opponent),
        "centred" | "centered" | "centre" | "center" | "none" => Some(CubeOwner::Centred),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_can_be_set() {
        let values = [
            "2", "Roller+", "off", "large", "no", "0.05", "3", "100", "7", "3:5", "on", "off",
            "off", "2", "opp", "1296", "11", "1", "2", "0", "tiny", "2", "576", "5:0", "off",
            "0.01", "2.33", "9", "1", "text", "bulk", "-9", "ready",
        ];
        assert_eq!(values.len(), KEYS.len());
        let mut settings = SessionSettings::default();
        for ((key, ..), value) in KEYS.iter().zip(values) {
            let before = settings.clone();
            settings.set(key, value).unwrap();
            assert_ne!(before, settings, "{key}");
        }
    }

    /// The longest match is accepted, and no longer one.
    #[test]
    fn match_length_at_its_limit_is_accepted() {
        let mut settings = SessionSettings::default();
        settings.set("length", "255").unwrap();
        assert_eq!(settings.state.length, Some(255));
        assert!(settings.set("length", "256").is_err());
        assert_eq!(settings.state.length, Some(255));
    }

    /// RO-14: a level gives what the options of a rollout leave open.
    #[test]
    fn level_gives_settings_of_rollout() {
        let settings = |pairs: &[(&str, &str)]| {
            let mut session = SessionSettings::default();
            for (key, value) in pairs {
                session.set(key, value).unwrap();
            }
            session.rollout.settings(&session.search)
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
            let mut settings = SessionSettings::default();
            for (key, value) in pairs {
                settings.set(key, value).unwrap();
            }
            settings.state
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
            let state = crawford.with(&options(&later));
            let state = state.apply(MatchState::default()).unwrap().score;
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
            let mut settings = SessionSettings::default();
            let error = settings.set(key, value).unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
            assert_eq!(settings, SessionSettings::default());
        }
        let mut settings = SessionSettings::default();
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
}
