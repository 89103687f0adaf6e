//! GNU Backgammon's text console: commands in, boards, hints and statistics out, letter for letter where scripts read
//! them. Rules CON-01 to CON-30 of `protocol-specs/gnubg-console.md`.
//!
//! [`Console`] is the machine of one session, without I/O: a line goes in, and out come the bytes for standard output
//! and standard error. Answers, dice and files come from its [`ConsoleHost`].
//!
//! ```
//! use gammond_console::{Console, ConsoleOptions, NoHost};
//! let mut console = Console::new(ConsoleOptions::default());
//! let answer = console.line(b"sh sc", &mut NoHost);
//! assert!(answer.out.starts_with("The score (after 0 games) is: gnubg 0, user 0"));
//! assert_eq!(console.line(b"foo", &mut NoHost).err, "Unknown keyword `foo'.\n\n");
//! ```

mod accepted_settings;
mod automatic;
mod board;
mod commands;
mod computer;
mod evals;
mod export;
mod external;
mod grammar;
mod hinted;
mod host;
mod market;
mod match_info;
mod no_host;
mod options;
mod place;
mod record;
mod rollout_setup;
mod score;
mod set_evals;
mod set_rollout;
mod show_evals;
mod statistics;
mod style;
mod table;
mod words;

pub use host::{
    AnalysedAction, AnalysedMatch, AnalysedParts, AnalysisRequest, ConsoleHost, PerGame,
    PlayerStatistics, ScoreValues, StatisticsSum,
};
pub use no_host::NoHost;

use automatic::{Automatic, Waiting};
use commands::Command;
use evals::{Context, Evals};
use gammond_engine::query::MoveFilter;
use gammond_game::Variant;
use grammar::UnknownCommand;
use hinted::Hint;
use record::Record;
use rollout_setup::RolloutSetup;
use style::Style;
use table::{Seat, Table};
use words::Words;

/// Maximum length of a player's name; longer ones are cut.
const NAME_MAX: usize = 31;
/// Longest line.
pub const LINE_MAX: usize = gammond_game::notation::LINE_BYTES_MAX;

/// The options of a console session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleOptions {
    /// The name of the player at the bottom.
    pub user: String,
    /// `true` to continue with the turn before the next line is read, as the original does on standard input
    pub plays_on: bool,
    /// `true` to keep the original's faults: missing line ends, a hint that does not follow its settings.
    pub strict: bool,
    /// `true` to apply `set analysis …` to hints too.
    pub hint_follows_analysis: bool,
    /// `true` to print prompts.
    pub terminal: bool,
}

impl Default for ConsoleOptions {
    fn default() -> ConsoleOptions {
        ConsoleOptions {
            user: "user".to_owned(),
            plays_on: true,
            strict: false,
            hint_follows_analysis: false,
            terminal: false,
        }
    }
}

/// The answer to a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsoleAnswer {
    /// Text for standard output.
    pub out: String,
    /// Text for standard error.
    pub err: String,
    /// True if the session is over.
    pub ends: bool,
}

/// The player at a seat.
#[derive(Clone, Debug)]
struct Player {
    human: bool,
    /// Address of the program that plays; the engine plays without one.
    external: Option<String>,
    evals: Evals,
}

/// A session.
#[derive(Clone, Debug)]
pub struct Console {
    options: ConsoleOptions,
    table: Table,
    names: [String; 2],
    players: [Player; 2],
    automatic: Automatic,
    /// `true` if boards of a computer's turns are shown.
    display: bool,
    style: Style,
    /// Settings of `set evaluation`, for hints and `eval`.
    hints: Evals,
    /// `set analysis`.
    analysis: Evals,
    luck: Context,
    parts: AnalysedParts,
    marks: [f64; 3],
    rollout: RolloutSetup,
    /// The Jacoby rule of new sessions.
    jacoby: bool,
    /// Beavers allowed in money sessions.
    beavers: u32,
    /// The variant of new matches and sessions.
    variant: Variant,
    /// Points of `new match` alone.
    match_length: u32,
    manual_dice: bool,
    rng: &'static str,
    new_names: Option<[String; 2]>,
    /// Plays of a roll in an export.
    export_plays: usize,
    hint: Option<Hint>,
    /// True if a position was refused: there is none to give hints for.
    no_board: bool,
    record: Record,
    judged: Option<AnalysedMatch>,
    waiting: Option<Waiting>,
    /// True if the turn has advanced and has not been shown yet.
    due: bool,
    /// True if a game has just begun: its first turn is shown in any case.
    fresh: bool,
    ending: bool,
    /// Files of commands that are being run.
    files_deep: usize,
    out: String,
    err: String,
}

impl Console {
    /// Creates a session.
    #[must_use]
    pub fn new(options: ConsoleOptions) -> Console {
        let player = |human| Player {
            human,
            external: None,
            evals: Evals::of(MoveFilter::NORMAL),
        };
        let user = clean_name(&options.user);
        Console {
            names: ["gnubg".to_owned(), user],
            table: Table::default(),
            players: [player(false), player(true)],
            automatic: Automatic::default(),
            display: true,
            style: Style {
                strict: options.strict,
                ..Style::default()
            },
            hints: Evals::of(MoveFilter::NORMAL),
            analysis: Evals::analysis(),
            luck: Context {
                plies: 0,
                prune: false,
                ..Context::default()
            },
            parts: AnalysedParts {
                players: [true; 2],
                plays: true,
                cubes: true,
                luck: true,
            },
            marks: [0.03, 0.06, 0.12],
            rollout: RolloutSetup::default(),
            jacoby: true,
            beavers: 3,
            variant: Variant::Backgammon,
            match_length: 7,
            manual_dice: false,
            rng: "Mersenne Twister",
            new_names: None,
            export_plays: 5,
            hint: None,
            no_board: false,
            record: Record::default(),
            judged: None,
            waiting: None,
            due: false,
            fresh: false,
            ending: false,
            files_deep: 0,
            out: String::new(),
            err: String::new(),
            options,
        }
    }

    /// Returns the banner: as many lines as the original's, for scripts that count them.
    #[must_use]
    pub fn banner() -> String {
        format!(
            "gammond {}, in the place of GNU Backgammon's text console\n\n\
             Licensed under the Apache License 2.0 or the MIT license, as you like.\n\
             Commands and answers are those of GNU Backgammon 1.07; the engine is gammond's.\n\n\
             Documentation: protocol-specs/gnubg-console.md and protocol-specs/for-gnubg-users.md.\n\
             Type `help' for the commands.\n\n",
            env!("CARGO_PKG_VERSION")
        )
    }

    /// Returns the prompt for a terminal.
    #[must_use]
    pub fn prompt(&self) -> String {
        match (&self.waiting, self.table.playing()) {
            (Some(_), _) => String::new(),
            (None, false) => "(No game) ".to_owned(),
            (None, true) => format!("({}) ", self.table.decides.of(&self.names)),
        }
    }

    /// Takes a line, without its end.
    pub fn line(&mut self, line: &[u8], host: &mut dyn ConsoleHost) -> ConsoleAnswer {
        let text = String::from_utf8_lossy(line);
        match self.waiting.take() {
            Some(waiting) => self.dice_line(&text, waiting, host),
            None => self.obey(&text, host),
        }
        self.play_on(host);
        ConsoleAnswer {
            out: printable(std::mem::take(&mut self.out)),
            err: printable(std::mem::take(&mut self.err)),
            ends: self.ending,
        }
    }

    /// Answers a line over the limit.
    pub fn too_long(&mut self) -> ConsoleAnswer {
        ConsoleAnswer {
            err: format!("gammond: a line has more than {LINE_MAX} bytes and is passed over\n"),
            ..ConsoleAnswer::default()
        }
    }

    fn obey(&mut self, line: &str, host: &mut dyn ConsoleHost) {
        if line.starts_with('#') {
            return;
        }
        let mut words = Words::new(line);
        let Some(first) = words.peek() else { return };
        if first.starts_with([':', '>']) {
            if !self.options.strict {
                self.refuse("Python");
            }
            return;
        }
        if is_play(first) {
            self.play_move(words.trimmed(), host);
            return;
        }
        match grammar::read(grammar::FIRST, &mut words) {
            Ok(path) => {
                let command = path.first().and_then(|name| Command::named(name));
                if let Some(command) = command {
                    (command.run)(self, &path, &mut words, host);
                }
            }
            Err(misread) => self.report_unknown_command(&misread),
        }
    }

    fn report_unknown_command(&mut self, misread: &UnknownCommand<'_>) {
        match misread {
            UnknownCommand::Unknown(word) => self.complain(&format!("Unknown keyword `{word}'.\n")),
            UnknownCommand::Incomplete => self.say("Incomplete command."),
        }
    }

    /// Refuses a command by name.
    fn refuse(&mut self, what: &str) {
        self.complain(&format!("gammond: `{what}' is not supported"));
    }

    /// Appends a line to standard output.
    fn say(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Appends a line that the original leaves without an end.
    fn fault(&mut self, text: &str) {
        self.out.push_str(text);
        if !self.options.strict {
            self.out.push('\n');
        }
    }

    /// Appends a line to standard error.
    fn complain(&mut self, text: &str) {
        self.err.push_str(text);
        self.err.push('\n');
    }

    /// Appends the score, which the original ends with a line end in money sessions only.
    fn say_score(&mut self) {
        let text = self.table.score_line(&self.names);
        match self.table.score.length() {
            0 => self.say(&text),
            _ => self.fault(&text),
        }
    }

    fn show_board(&mut self) {
        let text = match self.style.raw_board {
            true => board::raw(&self.table, &self.names),
            false => board::drawn(&self.table, &self.names),
        };
        self.out.push_str(&text);
    }

    /// Finds the seat that a word names: 0, 1 or a player's name.
    fn seat(&self, word: &str) -> Option<Seat> {
        match word {
            "0" => Some(Seat::Top),
            "1" => Some(Seat::Bottom),
            _ => {
                let named = |seat: &Seat| seat.of(&self.names).eq_ignore_ascii_case(word);
                Seat::BOTH.into_iter().find(named)
            }
        }
    }

    /// Drops the last hint and the mark of a refused position.
    fn forget_hint(&mut self) {
        self.hint = None;
        self.no_board = false;
    }
}

/// Returns whether a line that begins with this word is a play.
fn is_play(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let begins = lower.starts_with(|sign: char| sign.is_ascii_digit())
        || lower.starts_with("bar/")
        || lower.starts_with("off/");
    begins && lower.contains('/')
}

/// Removes control characters from a name and cuts it.
fn clean_name(name: &str) -> String {
    let clean = name.chars().filter(|sign| !sign.is_control());
    let name: String = clean.take(NAME_MAX).collect();
    match name.trim() {
        "" => "user".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

/// Returns the text without signs that could move a terminal's cursor: answers repeat untrusted text.
fn printable(text: String) -> String {
    let moves = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
    match text.contains(moves) {
        true => text
            .chars()
            .map(|sign| if moves(sign) { '?' } else { sign })
            .collect(),
        false => text,
    }
}
