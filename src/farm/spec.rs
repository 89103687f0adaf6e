//! The work of a farm as data: one struct for each command, with its players, files and settings.
//!
//! A [`JobSpec`] is deserialized from untrusted bytes, with limits on every number and text. It has no field for a path,
//! a program or a socket: files are numbers among those that travel with the job ([`FileNumber`]), players are
//! [`PortablePlayer`]s, and an [`OutputName`] is a name in the worker's scratch folder. The command line is never
//! parsed again.

use gammond_train::player::{
    FileNumber, NotPortable, PortableBearoff, PortableNets, PortablePlayer,
};
use serde::{Deserialize, Serialize};

/// Maximum of any count in a job: games, positions, records.
const COUNT_MAX: u64 = 1_000_000_000;
/// Maximum number of words, players, files or quotas of a job.
const LIST_MAX: usize = 256;
/// Maximum size of a word in bytes.
const WORD_BYTES_MAX: usize = 1024;

/// A whole number from `MIN` to `MAX`; other numbers are not deserialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> TryFrom<u64> for Whole<MIN, MAX> {
    type Error = NotPortable;

    fn try_from(number: u64) -> Result<Self, NotPortable> {
        match (MIN..=MAX).contains(&number) {
            true => Ok(Whole(number)),
            false => Err(NotPortable(format!(
                "{number} in a job: expected {MIN} to {MAX}"
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
                "{number} in a job: expected {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: i32, const MAX: i32> From<Real<MIN, MAX>> for f64 {
    fn from(number: Real<MIN, MAX>) -> f64 {
        number.0
    }
}

/// A number of games, positions or records.
pub type Count = Whole<1, COUNT_MAX>;
/// Points per game.
pub type Points = Real<-10, 10>;

/// A list of at most 256 items.
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
                "a list of {} in a job: expected at most {LIST_MAX}",
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
                "a word of a job: expected at most {WORD_BYTES_MAX} bytes and no control characters"
            ))),
        }
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.0
    }
}

/// The name of an output file as given at submission. On a worker only its last component counts, in the scratch folder of the
/// job.
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
    /// Built-in table.
    Named(Word),
    /// File that travels with the job.
    File(FileNumber),
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatSpec {
    /// JSON, for programs.
    Json,
    /// Text, for people.
    Text,
    /// Comma-separated values.
    Csv,
}

/// Options of `rollout`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutSpec {
    /// Request, or settings of a file.
    pub request: List<Word>,
    /// Nets of the other side.
    pub other_nets: Option<PortableNets>,
    /// Benchmark file to generate.
    pub file: Option<RolloutFileSpec>,
}

/// Options of a benchmark file that is made by rollouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutFileSpec {
    /// Files with positions.
    pub bm_in: List<FileNumber>,
    /// File whose candidates are rolled out again.
    pub again: Option<FileNumber>,
    /// Output file.
    pub out: OutputName,
    /// Number of candidates of each roll.
    pub best: Whole<2, 64>,
    /// True if every play is a candidate.
    pub full: bool,
    /// Rolls that become records.
    pub only: OnlySpec,
    /// Error of a loss as a share of it.
    pub error_share: Real<0, 1>,
    /// Quotas as `GROUP=N`.
    pub quota: List<Word>,
    /// True if positions without a roll become `o` records.
    pub before_roll: bool,
}

/// The rolls that become records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnlySpec {
    /// All rolls.
    All,
    /// Rolls whose best plays differ.
    Decided,
    /// Rolls on which searches disagree.
    Disputed,
}

/// Options of `label`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSpec {
    /// File of positions.
    pub input: FileNumber,
    /// Output file.
    pub output: OutputName,
    /// Number of games from each position, instead of a search.
    pub games: Option<Whole<1, 16_777_216>>,
}

/// Options of `sample`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleSpec {
    /// Output file.
    pub file: OutputName,
    /// Number of positions.
    pub positions: Count,
    /// Settings of the games.
    pub games: Option<FileNumber>,
    /// Plies of the deeper search.
    pub disagreements: Option<Whole<1, 2>>,
    /// Positions at which games begin.
    pub from: Option<FileNumber>,
}

/// The players whose decisions are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSpec {
    /// First player.
    pub player: PortablePlayer,
    /// Second player.
    pub against: Option<PortablePlayer>,
}

/// Options of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchSpec {
    /// Benchmark files.
    pub files: List<FileNumber>,
    /// True if choices that are not listed are left out.
    pub skip_outside: bool,
    /// True if records without a real decision are left out.
    pub interesting: bool,
    /// Groups of races.
    pub by_range: List<Whole<1, 24>>,
    /// True if the output is comma-separated values.
    pub csv: bool,
    /// Output file of a drawing.
    pub svg: Option<OutputName>,
    /// True if the output has one line for each record.
    pub records: bool,
    /// Journal file.
    pub journal: Option<OutputName>,
    /// Players whose decisions are scored.
    pub players: MeasuredSpec,
}

/// Options of `bench regret`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegretSpec {
    /// File of positions.
    pub file: FileNumber,
    /// Number of decisions.
    pub decisions: Whole<1, 10_000_000>,
    /// Players that evaluate the plays: this program's engines.
    pub judges: List<PortablePlayer>,
    /// Number of plays evaluated in addition to those chosen.
    pub candidates: Whole<0, 100>,
    /// Journal file.
    pub journal: Option<OutputName>,
    /// Players whose decisions are scored.
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
        /// True if gammons count only after the cube has been turned.
        jacoby: bool,
    },
    /// Matches to this number of points.
    Match(Whole<1, 255>),
}

/// The handling of games in which a player fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailuresSpec {
    /// End of the duel.
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
    /// First player.
    pub a: PortablePlayer,
    /// Second player.
    pub b: PortablePlayer,
    /// Number of games.
    pub games: Count,
    /// Points per game of the sequential test against 0 that ends the duel early.
    pub decide: Option<Points>,
    /// Journal file.
    pub journal: Option<OutputName>,
    /// Nets of the luck adjustment.
    pub luck_adjusted: Option<PortableNets>,
    /// True if each game has dice of its own.
    pub independent_dice: bool,
    /// Stakes of the games.
    pub terms: TermsSpec,
    /// Handling of failures.
    pub failures: FailuresSpec,
}

/// Options of `gate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSpec {
    /// Candidate.
    pub candidate: PortablePlayer,
    /// Players that it must beat.
    pub against: List<PortablePlayer>,
    /// Number of games of each duel.
    pub games: Count,
    /// Minimum lead in points per game.
    pub lead: Points,
    /// Benchmark files.
    pub bench: List<FileNumber>,
    /// Folder that the nets are copied to.
    pub install: Option<OutputName>,
    /// Journal file.
    pub journal: Option<OutputName>,
}

/// Options of `tournament`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSpec {
    /// Players of the tournament.
    pub players: List<PortablePlayer>,
    /// Number of games of each pair.
    pub games: Count,
    /// Stakes of the games.
    pub terms: TermsSpec,
    /// Handling of failures.
    pub failures: FailuresSpec,
    /// Output file of a drawing.
    pub svg: Option<OutputName>,
    /// Journal file.
    pub journal: Option<OutputName>,
}
