//! Queries and their settings.

use super::Level;
use gammond_game::{MatchState, Position, Roll};

/// Settings of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Look-ahead in GNU Backgammon's numbering; 0 is the static evaluation. At most 4.
    pub plies: u8,
    /// A small rollout after a search at two plies, in place of `plies`.
    pub level: Option<Level>,
    /// True to take the cube into account when plays are ranked and positions valued.
    pub cubeful: bool,
    /// Selection of the plays that are searched more deeply.
    pub filter: MoveFilter,
    /// True if inner nodes choose replies with the help of the small pruning nets.
    pub prune: bool,
    /// Largest equity by which a reply may trail the best one at the pruning net and still be considered; `None` for the
    /// default of the nets. Infinite: as GNU Backgammon prunes.
    pub prune_margin: Option<f32>,
    /// Maximum number of replies that the pruning net lets pass; `None` for the default of the nets.
    pub prune_keep: Option<u8>,
    /// Standard deviation of the noise added to evaluations; 0 for none.
    pub noise: f32,
    /// True to give that noise the bias of GNU Backgammon's usual build (for comparisons only).
    pub noise_as_gnubg: bool,
    /// Number of ranked plays to report; `None` for all.
    pub top: Option<usize>,
    /// Deepen until this many milliseconds have passed, instead of to `plies`.
    pub time_ms: Option<u64>,
    /// The deepest look-ahead within that time.
    pub deepest: u8,
    /// Error rate (PR) of the people whose plays and cube actions are chosen, 0.5 to 40; `None` for the best ones.
    pub pr: Option<f64>,
    /// Seed of these choices.
    pub seed: u64,
    /// True to search the best play to the full depth even if the ranking is decided before (PLY-16). Evaluators that follow
    /// GNU Backgammon do not.
    pub value_best: bool,
}

impl Default for Settings {
    /// Returns 0-ply, cubeful, filter Normal, pruning on.
    fn default() -> Self {
        Settings {
            plies: 0,
            level: None,
            cubeful: true,
            filter: MoveFilter::NORMAL,
            prune: true,
            prune_margin: None,
            prune_keep: None,
            noise: 0.0,
            noise_as_gnubg: false,
            top: None,
            time_ms: None,
            deepest: Settings::PLIES_MAX,
            pr: None,
            seed: 0,
            value_best: false,
        }
    }
}

impl Settings {
    /// The largest look-ahead offered.
    pub const PLIES_MAX: u8 = 4;
    /// Maximum of `time_ms`, in milliseconds.
    pub const TIME_MS_MAX: u64 = 600_000;

    /// Returns the default settings with this look-ahead.
    #[must_use]
    pub fn plies(plies: u8) -> Settings {
        Settings {
            plies,
            ..Settings::default()
        }
    }

    /// Returns the settings for the analysis of matches, for every interface (ANA-01): 2 plies with the filter
    /// `swift` unless a look-ahead is given, and with that the filter `large`, unless another one is given.
    #[must_use]
    pub fn for_analysis(plies: Option<u8>, filter: Option<MoveFilter>) -> Settings {
        let usual = match plies {
            // As GNU Backgammon analyses: up to 16 plays within 0.32 without look-ahead.
            Some(_) => MoveFilter::LARGE,
            None => MoveFilter::SWIFT,
        };
        Settings {
            filter: filter.unwrap_or(usual),
            ..Settings::plies(plies.unwrap_or(2))
        }
    }

    /// Sets a small rollout after a search at two plies.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Settings {
        self.level = Some(level);
        self
    }

    /// Sets whether the cube is taken into account.
    #[must_use]
    pub fn with_cubeful(mut self, cubeful: bool) -> Settings {
        self.cubeful = cubeful;
        self
    }

    /// Sets the choice of plays that are searched more deeply.
    #[must_use]
    pub fn with_filter(mut self, filter: MoveFilter) -> Settings {
        self.filter = filter;
        self
    }

    /// Sets whether pruning nets are used at inner nodes.
    #[must_use]
    pub fn with_pruning(mut self, prune: bool) -> Settings {
        self.prune = prune;
        self
    }

    /// Sets noise of this standard deviation on every evaluation; 0 for none.
    #[must_use]
    pub fn with_noise(mut self, deviation: f32) -> Settings {
        self.noise = deviation;
        self
    }

    /// Sets the error rate (PR) of the people whose choices are made, and the seed of these choices; and at least the
    /// look-ahead by which people are measured, with its filter (LV-05).
    #[must_use]
    pub fn with_people(self, pr: f64, seed: u64) -> Settings {
        Settings {
            plies: self.plies.max(2),
            filter: MoveFilter::SWIFT,
            pr: Some(pr),
            seed,
            ..self
        }
    }

    /// Returns the settings with at most `plays` ranked plays reported.
    #[must_use]
    pub fn with_top(mut self, plays: usize) -> Settings {
        self.top = Some(plays);
        self
    }

    /// Returns the settings with the best play searched to the full depth in any case.
    #[must_use]
    pub fn with_value_of_best(mut self) -> Settings {
        self.value_best = true;
        self
    }

    /// Returns the settings with deepening until `milliseconds` have passed, instead of to a given depth.
    #[must_use]
    pub fn with_time_ms(mut self, milliseconds: u64) -> Settings {
        self.time_ms = Some(milliseconds);
        self
    }
}

impl Settings {
    /// Returns true if a search considers more plays than the usual filter and pruning leave: this takes ten times as
    /// long.
    pub(super) fn looks_wide(&self) -> bool {
        let usual = [
            MoveFilter::AUTO,
            MoveFilter::SWIFT,
            MoveFilter::TINY,
            MoveFilter::NARROW,
            MoveFilter::NORMAL,
        ];
        let prunes = self.prune && self.prune_margin.is_none() && self.prune_keep.is_none();
        !prunes || !usual.contains(&self.filter)
    }
}

/// One level of a move filter: after ranking at this level keep `accept` plays, then up to
/// `extra` more within `threshold` of the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterLevel {
    /// Plays always kept; negative: this level is skipped.
    pub accept: i8,
    /// Further plays kept when close enough.
    pub extra: u8,
    /// Largest difference to the best play, in equity.
    pub threshold: f32,
}

/// A selection of the plays that survive to the next deeper ranking. `levels[p - 1][i]` is level `i` of a `p`-ply search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveFilter {
    /// A row per depth, a level per ply below it.
    pub levels: [[FilterLevel; 4]; 4],
    /// The way in which plays are searched more deeply.
    pub method: FilterMethod,
}

/// The way in which a [`MoveFilter`] selects plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterMethod {
    /// The plays that `levels` leaves are searched after all rolls.
    Levels,
    /// Instead of `levels`: plays are searched roll by roll and pruned when they have fallen behind (PLY-12).
    ByRolls,
    /// Roll by roll where only the best play is asked for (`top` is 1), else by `levels` (PLY-15).
    Auto,
}

impl MoveFilter {
    /// Returns GNU Backgammon's filter of this shape: level 0 and (from 3 plies) level 2 prune.
    #[must_use]
    pub const fn gnubg(extra0: u8, threshold0: f32, extra2: u8, threshold2: f32) -> MoveFilter {
        const SKIP: FilterLevel = FilterLevel {
            accept: -1,
            extra: 0,
            threshold: 0.0,
        };
        let zero = FilterLevel {
            accept: 0,
            extra: extra0,
            threshold: threshold0,
        };
        let two = FilterLevel {
            accept: 0,
            extra: extra2,
            threshold: threshold2,
        };
        MoveFilter {
            levels: [
                [zero, SKIP, SKIP, SKIP],
                [zero, SKIP, SKIP, SKIP],
                [zero, SKIP, two, SKIP],
                [zero, SKIP, two, SKIP],
            ],
            method: FilterMethod::Levels,
        }
    }

    /// At most 5 plays within 0.08.
    pub const TINY: MoveFilter = MoveFilter::gnubg(5, 0.08, 2, 0.02);
    /// At most 8 plays within 0.12.
    pub const NARROW: MoveFilter = MoveFilter::gnubg(8, 0.12, 2, 0.03);
    /// At most 8 plays within 0.16: the default.
    pub const NORMAL: MoveFilter = MoveFilter::gnubg(8, 0.16, 2, 0.04);
    /// At most 16 plays within 0.32.
    pub const LARGE: MoveFilter = MoveFilter::gnubg(16, 0.32, 4, 0.08);
    /// At most 20 plays within 0.44.
    pub const HUGE: MoveFilter = MoveFilter::gnubg(20, 0.44, 6, 0.11);
    /// Roll by roll: the best play in a fourth to a fifth of the time.
    pub const SWIFT: MoveFilter = MoveFilter {
        method: FilterMethod::ByRolls,
        ..MoveFilter::NORMAL
    };
    /// [`MoveFilter::SWIFT`] where only the best play is asked for, [`MoveFilter::NORMAL`] for a list.
    pub const AUTO: MoveFilter = MoveFilter {
        method: FilterMethod::Auto,
        ..MoveFilter::NORMAL
    };
    /// The names that [`MoveFilter::named`] accepts.
    pub const NAMES: [&str; 7] = ["auto", "swift", "tiny", "narrow", "normal", "large", "huge"];
    /// The names in words.
    pub const WANT: &str = "auto, swift, tiny, narrow, normal, large or huge";

    /// Returns the filter with this name (one of [`MoveFilter::NAMES`]), in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<MoveFilter> {
        match name.to_ascii_lowercase().as_str() {
            "auto" => Some(MoveFilter::AUTO),
            "swift" => Some(MoveFilter::SWIFT),
            "tiny" => Some(MoveFilter::TINY),
            "narrow" => Some(MoveFilter::NARROW),
            "normal" => Some(MoveFilter::NORMAL),
            "large" => Some(MoveFilter::LARGE),
            "huge" => Some(MoveFilter::HUGE),
            _ => None,
        }
    }

    /// Returns the name of this filter, if it is one of [`MoveFilter::NAMES`].
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let is_self = |name: &&str| MoveFilter::named(name).as_ref() == Some(self);
        MoveFilter::NAMES.into_iter().find(is_self)
    }
}

/// A query for the value of a position for the player on roll, before the dice.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalQuery {
    /// The position.
    pub position: Position,
    /// Cube, score, rules.
    pub state: MatchState,
}

impl EvalQuery {
    /// Returns the question.
    #[must_use]
    pub const fn new(position: Position, state: MatchState) -> EvalQuery {
        EvalQuery { position, state }
    }
}

/// A query for the best play of a roll.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayQuery {
    /// The position, the player to move on roll.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
    /// Cube, score, rules.
    pub state: MatchState,
}

impl PlayQuery {
    /// Returns the question.
    #[must_use]
    pub const fn new(position: Position, roll: Roll, state: MatchState) -> PlayQuery {
        PlayQuery {
            position,
            roll,
            state,
        }
    }
}

/// Should the player on roll double, and should the other take?
#[derive(Clone, Debug, PartialEq)]
pub struct CubeQuery {
    /// The position, before the roll.
    pub position: Position,
    /// Cube, score, rules: before the double.
    pub state: MatchState,
}

impl CubeQuery {
    /// Returns the question.
    #[must_use]
    pub const fn new(position: Position, state: MatchState) -> CubeQuery {
        CubeQuery { position, state }
    }
}
