//! The settings of a session, which a request may change for itself. `setting` declares each of them.

use super::analysis::analysis_settings;
use super::setting::{SETTINGS, Setting};
use gammond_engine::query::{MoveFilter, RolloutSettings, RolloutSide, Settings, Truncation};
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
    /// True if the look-ahead was set: an analysis of a match has another one without.
    pub plies_set: bool,
    /// True if the filter was set, likewise.
    pub filter_set: bool,
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
        want: String,
    },
    /// A key that requests with this verb do not take.
    #[error("setting '{key}' is not for {verb}, expected one of {}", names_of(.verb))]
    Verb {
        /// The key.
        key: &'static str,
        /// The verb.
        verb: String,
    },
}

/// Returns the names of the settings that requests with a verb take.
fn names_of(verb: &str) -> String {
    let settings = SETTINGS.iter().filter(|setting| setting.scope.is_of(verb));
    let names: Vec<&str> = settings.map(|setting| setting.name).collect();
    names.join(", ")
}

impl SessionSettings {
    /// Sets one key.
    ///
    /// # Errors
    /// [`SettingError`] names the key and what it wants; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let setting = Setting::named(key).ok_or_else(|| SettingError::Key(shortened(key)))?;
        let found = setting.read(value);
        let done = found.and_then(|found| setting.set(self, found));
        done.ok_or_else(|| SettingError::Value {
            key: setting.name,
            found: shortened(value),
            want: setting.want(),
        })
    }

    /// Returns the settings of the analysis of a match.
    #[must_use]
    pub fn of_analysis(&self) -> Settings {
        let search = &self.search;
        Settings {
            level: search.level,
            prune: search.prune,
            noise: search.noise,
            time_ms: search.time_ms,
            ..analysis_settings(
                self.plies_set.then_some(search.plies),
                self.filter_set.then_some(search.filter),
            )
        }
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

/// Returns the name that may have been meant, when one is near.
pub(super) fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = shortened(word).to_ascii_lowercase();
    let far = |name: &&'a str| strsim::damerau_levenshtein(&word, name);
    let near = |name: &&'a str| far(name) <= name.len() / 3;
    names.filter(near).min_by_key(far)
}

/// Returns a value made fit for a message: at most 24 characters.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 24;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::query::Level;

    #[test]
    fn every_key_of_the_table_can_be_set() {
        let values = [
            "2", "Roller+", "off", "large", "no", "0.05", "3", "100", "7", "3:5", "on", "off",
            "off", "2", "opp", "1296", "11", "1", "2", "0", "tiny", "2", "576", "5:0", "off",
            "0.01", "2.33", "9", "1", "text", "bulk", "-9", "ready",
        ];
        assert_eq!(values.len(), SETTINGS.len());
        let mut settings = SessionSettings::default();
        for (Setting { name: key, .. }, value) in SETTINGS.iter().zip(values) {
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
