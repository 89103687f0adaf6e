//! Rollout queries and their answers.

use super::{CubeAnswer, Equities, MoveFilter, Settings};
use gammond_game::{MatchState, Play, Position, Roll};

/// Subject of a rollout.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RolloutSubject {
    /// The position itself, before the roll; no double at the first turn.
    Position,
    /// The positions after these plays, the opponent on roll; he may double first.
    Plays(Vec<(Play, Position)>),
    /// The best plays of this roll, as many as given.
    Best(Roll, usize),
    /// Not doubling, and a double that is taken.
    Cube,
}

/// Truncation of games: the point at which a game is cut off and evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Truncation {
    /// Games are played to their end.
    Never,
    /// Cut off at positions whose exact value a table has: the two-sided one for cubeful money, all tables for values
    /// without a cube.
    #[default]
    Table,
    /// Cut off also as soon as there is no contact.
    Race,
    /// Cut off also after this number of turns.
    Turns(u32),
}

/// Settings of one side's play.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RolloutSide {
    /// Look-ahead when a play is chosen.
    pub plies: u8,
    /// Look-ahead when the cube is considered.
    pub cube_plies: u8,
    /// Filter of the plays that are searched more deeply; `None` as the searches of [`RolloutSettings::search`].
    pub filter: Option<MoveFilter>,
}

/// Settings of a rollout.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RolloutSettings {
    /// Games of each candidate.
    pub trials: u32,
    /// Seed of the dice.
    pub seed: u64,
    /// Play of the side on roll at the question, and of the other side.
    pub sides: [RolloutSide; 2],
    /// Turn from which both sides use other settings, and these settings.
    pub late: Option<(u32, RolloutSide)>,
    /// Look-ahead where a game is cut off.
    pub leaf_plies: u8,
    /// Number of one-sided rollouts (OSR) where a game is cut off in a race that no table covers, instead of look-ahead.
    pub leaf_osr: Option<u32>,
    /// True if the cube is in play.
    pub cubeful: bool,
    /// True to remove the luck of the dice, as far as one ply of look-ahead shows it (variance reduction).
    pub variance_reduction: bool,
    /// Truncation of games.
    pub truncate: Truncation,
    /// Stop when the standard errors of all candidates' equities are at most this.
    pub error: Option<f64>,
    /// Skip a candidate that is this number of joint standard errors behind the best; stop when none is left.
    pub lead: Option<f64>,
    /// Stop after this number of milliseconds.
    pub time_ms: Option<u64>,
    /// Filters, pruning and the like of the searches inside.
    pub search: Settings,
}

impl Default for RolloutSettings {
    /// Returns 1,296 games, all decisions at 0 plies, cubeful, luck taken out, cut off at exact tables.
    fn default() -> RolloutSettings {
        RolloutSettings {
            trials: 1296,
            seed: 1,
            sides: [RolloutSide::default(); 2],
            late: None,
            leaf_plies: 0,
            leaf_osr: None,
            cubeful: true,
            variance_reduction: true,
            truncate: Truncation::default(),
            error: None,
            lead: None,
            time_ms: None,
            search: Settings::default(),
        }
    }
}

impl RolloutSettings {
    /// The most games of one candidate.
    pub const TRIALS_MAX: u32 = 1 << 24;
    /// The most turns after which a game is cut off on demand.
    pub const TURNS_MAX: u32 = 1000;
    /// The most one-sided rollouts of a race.
    pub const OSR_MAX: u32 = 12_960;
    /// Maximum of `error` and of `lead`: standard errors and joint standard errors.
    pub const ERROR_MAX: f64 = 1000.0;
    /// The most candidates.
    pub const CANDIDATES_MAX: usize = 64;
}

/// A rollout query: the value of a position, of plays or of a double, by playing the game many times.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutQuery {
    /// The position, before the plays.
    pub position: Position,
    /// Cube, score, rules, before a double.
    pub state: MatchState,
    /// Subject of the rollout.
    pub subject: RolloutSubject,
}

/// An alternative that a result belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Candidate {
    /// The position.
    Position,
    /// A play, and the position after it.
    Play(Play, Position),
    /// The cube is left alone.
    NoDouble,
    /// The cube is turned and taken.
    DoubleTake,
}

/// Results of the games of one candidate, seen by the player on roll at the question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RolledOut {
    /// The candidate.
    pub candidate: Candidate,
    /// Games played.
    pub trials: u32,
    /// Win, won gammon, won backgammon, lost gammon, lost backgammon; each within 0..=1.
    pub chances: [f64; 5],
    /// One standard error of each; infinite with fewer than two games, like the errors below.
    pub chance_errors: [f64; 5],
    /// Equities without the cube.
    pub cubeless: Equities,
    /// One standard error of it.
    pub cubeless_error: Equities,
    /// Equities with the cube, when it was in play. A taken double counts in units of the undoubled cube.
    pub cubeful: Option<Equities>,
    /// One standard error of it.
    pub cubeful_error: Option<Equities>,
}

/// Games of a candidate below which answers have no standard errors.
const ERROR_TRIALS_MIN: u32 = 72;

impl RolledOut {
    /// Returns these results as answers have them: with infinite errors below 72 games (RO-07).
    #[must_use]
    pub fn reported(&self) -> RolledOut {
        if self.trials >= ERROR_TRIALS_MIN {
            return self.clone();
        }
        let unknown = |value: Equities| Equities {
            equity: f64::INFINITY,
            mwc: value.mwc.map(|_| f64::INFINITY),
        };
        RolledOut {
            chance_errors: [f64::INFINITY; 5],
            cubeless_error: unknown(self.cubeless_error),
            cubeful_error: self.cubeful_error.map(unknown),
            ..self.clone()
        }
    }

    /// Returns the cubeful value if there is one, else the cubeless one; with its error.
    #[must_use]
    pub fn value(&self) -> (Equities, Equities) {
        match (self.cubeful, self.cubeful_error) {
            (Some(value), Some(error)) => (value, error),
            _ => (self.cubeless, self.cubeless_error),
        }
    }
}

/// Reason for the end of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RolloutEnd {
    /// All games were played.
    Trials,
    /// The errors are small enough.
    Error,
    /// One candidate leads clearly.
    Lead,
    /// The time is over.
    Time,
    /// The rollout was stopped.
    Stopped,
}

impl RolloutEnd {
    /// Returns the name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RolloutEnd::Trials => "trials",
            RolloutEnd::Error => "se",
            RolloutEnd::Lead => "jsd",
            RolloutEnd::Time => "time",
            RolloutEnd::Stopped => "stopped",
        }
    }
}

/// The answer to a [`RolloutQuery`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RolloutAnswer {
    /// Plays best first; no double before double, take.
    pub candidates: Vec<RolledOut>,
    /// Reason for the end.
    pub ended: RolloutEnd,
    /// Cube decision, if the query was for one.
    pub cube: Option<CubeAnswer>,
}

/// A rollout request: query and settings.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutTask {
    /// The query.
    pub query: RolloutQuery,
    /// Settings of the rollout.
    pub settings: RolloutSettings,
    /// The roll whose plays are rolled out, to be repeated in the answer.
    pub roll: Option<Roll>,
    /// True if the client requested intermediate results.
    pub progress: bool,
}
