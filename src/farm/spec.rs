//! The work that a farm does, as data: one struct a command, with its players, files and settings.
//!
//! A [`JobSpec`] is read from strangers' bytes by serde, with limits on every number and text. It has no field for a path,
//! a program or a socket: files are numbers among those that travel with the job ([`FileNumber`]), players are
//! [`PortablePlayer`]s, and an [`OutputName`] is a name in the scratch folder of whoever computes. The command line is never
//! parsed again.

use gammond_train::player::{
    FileNumber, NotPortable, PortableBearoff, PortableNets, PortablePlayer,
};
use serde::{Deserialize, Serialize};

/// The most of anything that a job counts: games, positions, records.
const COUNT_MAX: u64 = 1_000_000_000;
/// The most words, players, files or quotas of a job.
const LIST_MAX: usize = 256;
/// Bytes of a word.
const WORD_BYTES_MAX: usize = 1024;

/// A whole number from `MIN` to `MAX`; others are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> TryFrom<u64> for Whole<MIN, MAX> {
    type Error = NotPortable;

    fn try_from(number: u64) -> Result<Self, NotPortable> {
        match (MIN..=MAX).contains(&number) {
            true => Ok(Whole(number)),
            false => Err(NotPortable(format!(
                "{number} in a job: want {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: u64, const MAX: u64> From<Whole<MIN, MAX>> for u64 {
    fn from(number: Whole<MIN, MAX>) -> u64 {
        number.0
    }
}

/// A finite number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Real<const MIN: i32, const MAX: i32>(f64);

impl<const MIN: i32, const MAX: i32> TryFrom<f64> for Real<MIN, MAX> {
    type Error = NotPortable;

    fn try_from(number: f64) -> Result<Self, NotPortable> {
        // NaN is within nothing.
        match (f64::from(MIN)..=f64::from(MAX)).contains(&number) {
            true => Ok(Real(number)),
            false => Err(NotPortable(format!(
                "{number} in a job: want {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: i32, const MAX: i32> From<Real<MIN, MAX>> for f64 {
    fn from(number: Real<MIN, MAX>) -> f64 {
        number.0
    }
}

/// How many of something.
pub type Count = Whole<1, COUNT_MAX>;
/// Points per game.
pub type Points = Real<-10, 10>;

/// A list of at most 256.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>", into = "Vec<T>")]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub struct List<T>(Vec<T>);

impl<T> TryFrom<Vec<T>> for List<T> {
    type Error = NotPortable;

    fn try_from(all: Vec<T>) -> Result<Self, NotPortable> {
        match all.len() <= LIST_MAX {
            true => Ok(List(all)),
            false => Err(NotPortable(format!(
                "a list of {} in a job: want at most {LIST_MAX}",
                all.len()
            ))),
        }
    }
}

impl<T> From<List<T>> for Vec<T> {
    fn from(list: List<T>) -> Vec<T> {
        list.0
    }
}

/// A word without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Word(String);

impl TryFrom<String> for Word {
    type Error = NotPortable;

    fn try_from(word: String) -> Result<Self, NotPortable> {
        match word.len() <= WORD_BYTES_MAX && !word.chars().any(char::is_control) {
            true => Ok(Word(word)),
            false => Err(NotPortable(format!(
                "a word of a job: want at most {WORD_BYTES_MAX} bytes and no control characters"
            ))),
        }
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.0
    }
}

/// The name of a file that a job writes, as whoever submitted it called it. On a machine that computes only its last
/// component counts, in the scratch folder of the job.
pub type OutputName = Word;

/// The work of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobSpec {
    /// `rollout`.
    Rollout(RolloutSpec),
    /// `label`.
    Label(LabelSpec),
    /// `sample`.
    Sample(SampleSpec),
    /// `bench`.
    Bench(BenchSpec),
    /// `bench regret`.
    Regret(RegretSpec),
    /// `duel`.
    Duel(DuelSpec),
    /// `gate`.
    Gate(GateSpec),
    /// `tournament`.
    Tournament(TournamentSpec),
}

impl JobSpec {
    /// Returns the word with which the name of the job begins.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            JobSpec::Rollout(_) => "rollout",
            JobSpec::Label(_) => "label",
            JobSpec::Sample(_) => "sample",
            JobSpec::Bench(_) | JobSpec::Regret(_) => "bench",
            JobSpec::Duel(_) => "duel",
            JobSpec::Gate(_) => "gate",
            JobSpec::Tournament(_) => "tournament",
        }
    }

    /// Returns how many jobs of the runner the command consists of, one after the other.
    #[must_use]
    pub const fn stages(&self) -> u32 {
        match self {
            // Candidates, then games.
            JobSpec::Rollout(RolloutSpec { file: Some(_), .. }) => 2,
            _ => 1,
        }
    }
}

/// The options that all commands have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// Nets.
    pub nets: PortableNets,
    /// Plies.
    pub plies: Whole<0, 4>,
    /// Bearoff databases; the player's own when left out.
    pub bearoff: Option<PortableBearoff>,
    /// Match equity table; the command's own default when left out.
    pub met: Option<MetSpec>,
    /// Seed.
    pub seed: u64,
    /// The output: `json`, `text` or `csv`.
    pub format: Option<FormatSpec>,
}

/// A match equity table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetSpec {
    /// One of the program's.
    Named(Word),
    /// A file that travels with the job.
    File(FileNumber),
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatSpec {
    /// For programs.
    Json,
    /// For people.
    Text,
    /// Comma-separated values.
    Csv,
}

/// Options of `rollout`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutSpec {
    /// The request, or the settings of a file.
    pub request: List<Word>,
    /// Nets of the other side.
    pub other_nets: Option<PortableNets>,
    /// The file that is made.
    pub file: Option<RolloutFileSpec>,
}

/// Options of a benchmark file that is made by rollouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutFileSpec {
    /// Files with positions.
    pub bm_in: List<FileNumber>,
    /// A file whose candidates are rolled out again.
    pub again: Option<FileNumber>,
    /// The file that is written.
    pub out: OutputName,
    /// Candidates of each roll.
    pub best: Whole<2, 64>,
    /// Whether every play is a candidate.
    pub full: bool,
    /// Which rolls.
    pub only: OnlySpec,
    /// The error of a loss as a share of it.
    pub error_share: Real<0, 1>,
    /// `GROUP=N`.
    pub quota: List<Word>,
    /// Whether positions without a roll become `o` records.
    pub before_roll: bool,
}

/// The rolls of which records are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnlySpec {
    /// All.
    All,
    /// Those whose best plays differ.
    Decided,
    /// Those at which searches disagree.
    Disputed,
}

/// Options of `label`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSpec {
    /// Positions.
    pub input: FileNumber,
    /// The file that is written.
    pub output: OutputName,
    /// Games from each position, in the place of a search.
    pub games: Option<Whole<1, 16_777_216>>,
}

/// Options of `sample`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleSpec {
    /// The file that is written.
    pub file: OutputName,
    /// How many positions.
    pub positions: Count,
    /// Settings of the games.
    pub games: Option<FileNumber>,
    /// Plies of the deeper search.
    pub disagreements: Option<Whole<1, 2>>,
    /// Positions at which games begin.
    pub from: Option<FileNumber>,
}

/// Whose decisions are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSpec {
    /// The player.
    pub player: PortablePlayer,
    /// A second one.
    pub against: Option<PortablePlayer>,
}

/// Options of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchSpec {
    /// Benchmark files.
    pub files: List<FileNumber>,
    /// Whether choices that are not listed are left out.
    pub skip_outside: bool,
    /// Whether records are left out in which nothing can be decided.
    pub interesting: bool,
    /// Groups of races.
    pub by_range: List<Whole<1, 24>>,
    /// Comma-separated values.
    pub csv: bool,
    /// A drawing that is written.
    pub svg: Option<OutputName>,
    /// One line a record.
    pub records: bool,
    /// The journal.
    pub journal: Option<OutputName>,
    /// Whose decisions.
    pub players: MeasuredSpec,
}

/// Options of `bench regret`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegretSpec {
    /// Positions.
    pub file: FileNumber,
    /// How many decisions.
    pub decisions: Whole<1, 10_000_000>,
    /// Players that judge: our engines.
    pub judges: List<PortablePlayer>,
    /// Plays that are judged beside those chosen.
    pub candidates: Whole<0, 100>,
    /// The journal.
    pub journal: Option<OutputName>,
    /// Whose decisions.
    pub players: MeasuredSpec,
}

/// The stakes of the games of a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermsSpec {
    /// Single games without a cube.
    Cubeless,
    /// Money games.
    Money {
        /// Whether gammons count only after a turn of the cube.
        jacoby: bool,
    },
    /// Matches to so many points.
    Match(Whole<1, 255>),
}

/// What becomes of games in which a player fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailuresSpec {
    /// The duel ends.
    End,
    /// The pair does not count.
    Void,
    /// The player loses the game.
    Forfeit,
}

/// Options of `duel`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelSpec {
    /// One player.
    pub a: PortablePlayer,
    /// The other.
    pub b: PortablePlayer,
    /// Games.
    pub games: Count,
    /// Points that decide earlier.
    pub decide: Option<Points>,
    /// The journal.
    pub journal: Option<OutputName>,
    /// Nets that take the luck out.
    pub luck_adjusted: Option<PortableNets>,
    /// Whether each game has dice of its own.
    pub independent_dice: bool,
    /// Stakes.
    pub terms: TermsSpec,
    /// Failures.
    pub failures: FailuresSpec,
}

/// Options of `gate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSpec {
    /// The candidate.
    pub candidate: PortablePlayer,
    /// Players that it must beat.
    pub against: List<PortablePlayer>,
    /// Games of each duel.
    pub games: Count,
    /// The least lead.
    pub lead: Points,
    /// Benchmark files.
    pub bench: List<FileNumber>,
    /// The folder that the nets are copied to.
    pub install: Option<OutputName>,
    /// The journal.
    pub journal: Option<OutputName>,
}

/// Options of `tournament`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSpec {
    /// The players.
    pub players: List<PortablePlayer>,
    /// Games between any two.
    pub games: Count,
    /// Stakes.
    pub terms: TermsSpec,
    /// Failures.
    pub failures: FailuresSpec,
    /// A drawing that is written.
    pub svg: Option<OutputName>,
    /// The journal.
    pub journal: Option<OutputName>,
}
