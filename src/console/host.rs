//! The services that a console needs from outside: an engine, dice, files. A test gives it none of them.

use gammond_engine::query::{CubeAnswer, EngineAnswer, EvalQuery, Question, RankedPlay, Settings};
use gammond_game::notation::MatchFile;
use gammond_game::{Rules, Score};
use gammond_report::analysis::ActionNotes;

/// The services that a console needs.
pub trait ConsoleHost {
    /// Queries the engine.
    ///
    /// # Errors
    /// The reason why there is no answer, in one line.
    fn answer(&mut self, question: Question, settings: &Settings) -> Result<EngineAnswer, String>;

    /// Returns the number of games that the player on roll may resign without loss, or as people of the error rate of the
    /// settings do; 0 for none.
    fn resigns(&mut self, query: &EvalQuery, settings: &Settings) -> u8;

    /// Throws a die: 1 to 6.
    fn die(&mut self) -> u8;

    /// Seeds the dice with a number of any length: words of 32 bits, the lowest first.
    fn seed(&mut self, seed: &[u32]);

    /// Reads a file.
    ///
    /// # Errors
    /// The reason for the failure, such as `No such file or directory`.
    fn read(&mut self, name: &str) -> Result<Vec<u8>, String>;

    /// Writes or overwrites a file.
    ///
    /// # Errors
    /// The reason for the failure.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), String>;

    /// Connects the external player of a seat (0 or 1), in place of an earlier one.
    ///
    /// # Errors
    /// The reason for the failure, such as `Connection refused`; the earlier connection stays then.
    fn connect(&mut self, seat: u8, address: &str) -> Result<(), String>;

    /// Closes the connection to the external player of a seat.
    fn disconnect(&mut self, seat: u8);

    /// Sends a line to the external player of a seat and returns its reply, without the line end.
    ///
    /// # Errors
    /// The reason why there is none, such as `External connection closed.`.
    fn ask_external(&mut self, seat: u8, line: &str) -> Result<String, String>;

    /// Analyses every decision of a match.
    ///
    /// # Errors
    /// The reason why there is no analysis.
    fn judge(&mut self, file: &MatchFile, how: &AnalysisRequest) -> Result<AnalysedMatch, String>;

    /// Returns the gammon prices and the match winning chances of a score.
    fn stakes(&mut self, state: &gammond_game::MatchState) -> ScoreValues;

    /// Returns the change of a player's match winning chance by a game that begins at this score, seen by that
    /// player; `wins` is true if the player wins the points.
    fn gain(&mut self, score: Score, wins: bool, points: u32) -> f64;

    /// Returns the name of the match equity table in use.
    fn match_equity_table(&self) -> String;

    /// Returns today's month, day and year.
    fn today(&self) -> [u32; 3];

    /// Returns the time, such as `Wed Nov 25 00:30:57 2026`.
    fn now(&self) -> String;
}

/// The settings of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisRequest {
    /// Plays.
    pub chequer: Settings,
    /// Settings for doubles, takes and passes.
    pub cube: Settings,
    /// Either of them, if no command has changed it.
    pub usual: Settings,
    /// Rules of money play that the file does not name.
    pub rules: Rules,
    /// Plays kept of each roll beside the one that was played.
    pub plays: usize,
    /// Losses from which on a decision is doubtful, bad, very bad.
    pub marks: [f64; 3],
    /// The decisions to analyse: players, and plays, cubes and rolls.
    pub what: AnalysedParts,
}

/// The parts of a match to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysedParts {
    /// The decisions of the first and of the second player.
    pub players: [bool; 2],
    /// Plays.
    pub plays: bool,
    /// Cube decisions.
    pub cubes: bool,
    /// The luck of the dice.
    pub luck: bool,
}

/// An analysed match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysedMatch {
    /// The decisions of each game.
    pub games: Vec<Vec<AnalysedAction>>,
    /// The statistics of each game, followed by those of the match.
    pub books: Vec<[PlayerStatistics; 2]>,
    /// The first player's result, and the same without luck: match winning chance above that at the first score, or
    /// points.
    pub results: [f64; 2],
    /// Luck, marks and remarks for the match file.
    pub notes: ActionNotes,
}

/// The analysis of one action of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysedAction {
    /// Its number in the game, from 0.
    pub number: usize,
    /// The double before it, or that it is or answers.
    pub cube: Option<CubeAnswer>,
    /// The best plays of the roll.
    pub plays: Vec<RankedPlay>,
    /// The play that was made, and its place from 1.
    pub played: Option<(RankedPlay, usize)>,
    /// The number of legal plays.
    pub legal: usize,
    /// The loss by not doubling.
    pub cube_loss: Option<[f64; 2]>,
    /// The loss by the play, double, take or pass, as equity and as match winning chance.
    pub loss: Option<[f64; 2]>,
    /// The luck of the roll, likewise.
    pub luck: Option<[f64; 2]>,
}

/// A sum: number, equity, and cost in points or match winning chances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StatisticsSum {
    /// The number of decisions.
    pub count: u32,
    /// Sum of equities at the cube as it stood.
    pub emg: f64,
    /// Cost in points, or as a match winning chance.
    pub cost: f64,
}

/// The statistics of a player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerStatistics {
    /// All plays.
    pub plays: StatisticsSum,
    /// Number of plays with a choice.
    pub unforced: u32,
    /// Plays that are doubtful, bad, very bad.
    pub play_marks: [u32; 3],
    /// Rolls: very lucky, lucky, unmarked, unlucky, very unlucky.
    pub rolls: [u32; 5],
    /// The luck.
    pub luck: StatisticsSum,
    /// Cube decisions.
    pub cube: StatisticsSum,
    /// Number of cube decisions that are close, or where the cube was turned.
    pub close: u32,
    /// Doubles, takes, passes.
    pub turned: [u32; 3],
    /// Doubles missed below and above the cash point, wrong doubles below and above the window, wrong takes, wrong
    /// passes.
    pub faults: [StatisticsSum; 6],
    /// Snowie's error rate.
    pub snowie: Option<f64>,
    /// The FIBS rating points lost by plays and by the cube; `None` in money play.
    pub rating_loss: [Option<f64>; 2],
    /// The difference of FIBS ratings that the result without luck shows.
    pub fibs_difference: Option<f64>,
    /// Names of the ratings for plays, luck, cube and overall.
    pub words: [&'static str; 4],
    /// The rates of plays, luck, cube, everything; nothing where nothing was decided.
    pub rates: [Option<f64>; 4],
    /// The result and the result without luck: match winning chance above that before the game or match, or points.
    pub results: [f64; 2],
    /// Both by game, in money sessions.
    pub per_game: [PerGame; 2],
}

/// A result by game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerGame {
    /// Points of all games.
    pub sum: f64,
    /// Points of each.
    pub mean: f64,
    /// Half of the 95 % interval.
    pub half_width: f64,
}

impl PerGame {
    /// Returns the figures of a player's results.
    #[must_use]
    pub fn of(results: &[f64]) -> PerGame {
        /// Half width of a 95 % confidence interval in standard deviations.
        const Z95: f64 = 1.959_963_984_540_054;
        #[expect(clippy::cast_precision_loss, reason = "a session has few games")]
        let games = results.len().max(1) as f64;
        let sum: f64 = results.iter().sum();
        let mean = sum / games;
        let squares: f64 = results
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum();
        let deviation = (squares / (games - 1.0).max(1.0)).sqrt();
        PerGame {
            sum,
            mean,
            half_width: Z95 * deviation / games.sqrt(),
        }
    }

    /// Returns the figures of the other player.
    #[must_use]
    pub fn swapped(self) -> PerGame {
        PerGame {
            // Nothing has no sign.
            sum: 0.0 - self.sum,
            mean: 0.0 - self.mean,
            ..self
        }
    }
}

/// The values that a score gives to points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreValues {
    /// Match winning chances after a plain loss and a plain win at the cube as it stands; the same for money.
    pub chances: [f64; 2],
    /// The gammon and the backgammon price of the one on roll, and those of the other.
    pub prices: [[f64; 2]; 2],
}
