//! gnubg's external-player protocol, both directions.
//!
//! Part A: gnubg queries an external player, one board line at a time. Part B: the language of gnubg's own `external`
//! server. [`External`] is the machine of one connection for both; it has no I/O and computes nothing: a line goes
//! in, and out comes a text or a [`Question`] whose answer is a text. Rules EXT-01 to EXT-52 of
//! `protocol-specs/gnubg-external.md`.
//!
//! ```
//! use gammond_protocol::external::{Ask, External, ExternalAction};
//! let board = "board:me:you:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:\
//!              3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1\n";
//! let mut machine = External::default();
//! let ExternalAction::Ask(question) = machine.line(board.as_bytes()) else { panic!("a question") };
//! assert!(matches!(question.ask, Ask::Play(query, _) if query.roll.to_string() == "31"));
//! ```

mod command;
mod question;
mod resign;
mod spelling;

pub use question::{Ask, Question};
pub(crate) use resign::lost_for_certain;
pub use spelling::{Spelling, spell};

use super::dialect::{self, Dialect, Inquiry};
use command::{Command, Options};
use gammond_base::lines::FramedLine;
use gammond_engine::query::{CubeQuery, EvalQuery, PlayQuery, Settings};
use gammond_game::notation::{BoardDialect, BoardLine, BoardView, PositionId};
use gammond_game::{Cube, CubeOwner, MatchState, Score, Variant};

/// Settings that the peer of an external player does not send.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExternalSettings {
    /// Variant of the games.
    pub variant: Variant,
    /// True if Jacoby holds in money play; gnubg's default is on.
    pub jacoby: bool,
    /// Number of beavers allowed in a row; gnubg's default is 3, 0 for none.
    pub beavers: u8,
    /// True if a game that cannot be won is resigned.
    pub resign: bool,
    /// Settings of the search.
    pub settings: Settings,
    /// Name of the engine in the answer to `version`.
    pub engine: String,
}

impl Default for ExternalSettings {
    fn default() -> Self {
        ExternalSettings {
            variant: Variant::Backgammon,
            jacoby: true,
            beavers: 3,
            resign: true,
            settings: Settings::default(),
            engine: "gammond".into(),
        }
    }
}

/// The action for a line; the reply to a question must be reported to [`External::replied`].
pub type ExternalAction = super::dialect::LineAction<Question>;

/// One connection's machine.
#[derive(Clone, Debug, Default)]
pub struct External {
    rules: ExternalSettings,
    /// The sign of our checkers, once a question has shown it; it never changes (EXT-12).
    seat: Option<i32>,
    /// True if the peer speaks the server language (part B), so answers look like gnubg's own.
    server: bool,
    debug: bool,
    /// The last board in question, and the reply.
    last: Option<(BoardLine, String)>,
    /// The last resignation and its game.
    resigned: Option<Resigned>,
}

/// A resignation, so that one that was declined is not offered again.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Resigned {
    games: u8,
    state: MatchState,
    /// Pips of the opponent, whose count only falls in the same game.
    pips: u32,
}

impl External {
    /// Returns a machine with these rules.
    #[must_use]
    pub fn new(rules: ExternalSettings) -> External {
        External {
            rules,
            ..External::default()
        }
    }

    /// Returns a machine whose peer speaks the server language (part B) from the start.
    #[must_use]
    pub fn server(rules: ExternalSettings) -> External {
        External {
            server: true,
            ..External::new(rules)
        }
    }

    /// Returns true if a connection that begins with this line belongs to this protocol.
    #[must_use]
    pub fn begins_with(line: &[u8]) -> bool {
        let line = clean(line);
        line.get(..6)
            .is_some_and(|front| front.eq_ignore_ascii_case(b"board:"))
            || command::is_server_command(line)
    }

    /// Takes one line, with or without its LF.
    pub fn line(&mut self, line: &[u8]) -> ExternalAction {
        let line = clean(line);
        self.server |= command::is_server_command(line);
        match command::parse(line) {
            Ok(command) => self.obey(command),
            Err(refused) => ExternalAction::Say(refused + "\n"),
        }
    }

    /// Stores the reply to the last question, without LF.
    pub fn replied(&mut self, reply: &str) {
        if let Some((_, last)) = &mut self.last {
            reply.clone_into(last);
        }
    }

    fn obey(&mut self, command: Command) -> ExternalAction {
        let on_off = |what: &str, on: bool| {
            ExternalAction::Say(format!("{what} {}\n", if on { "ON" } else { "OFF" }))
        };
        match command {
            Command::Empty if self.server => {
                ExternalAction::Say("Error: no command given\n".into())
            }
            Command::Empty => ExternalAction::Silence,
            Command::Version => ExternalAction::Say(format!(
                "Interface: 2\nRFBF: 0\nEngine: {}\nSoftware: gammond {}\n",
                self.rules.engine,
                env!("CARGO_PKG_VERSION")
            )),
            Command::Help => ExternalAction::Say("\tNo help information available\n".into()),
            Command::Debug(on) => {
                self.debug = on;
                on_off("Debug output", on)
            }
            Command::Interface(new) => on_off("New interface", new),
            Command::Prompt => {
                ExternalAction::Say("Error: set option 'prompt' not supported\n".into())
            }
            Command::Exit => ExternalAction::Close(String::new()),
            Command::Board(board, options) => self.board(board, &options),
            Command::Evaluation(board, options) => self.evaluation(&board, &options),
        }
    }

    fn board(&mut self, board: BoardLine, options: &Options) -> ExternalAction {
        let view = match self.view(&board, options) {
            Ok(view) => view,
            Err(refused) => return ExternalAction::Say(refused),
        };
        let ask = if options.resignation > 0 {
            let query = EvalQuery {
                position: view.position,
                state: view.state,
            };
            Ask::Resignation(query, options.resignation)
        } else if view.offer.is_some() {
            self.offer(&board, &view, options)
        } else {
            self.seat = Some(view.sign);
            match self.turn(&view, options) {
                Ok(ask) => ask,
                Err(reply) => {
                    self.last = Some((board, reply.clone()));
                    return ExternalAction::Say(reply + "\n");
                }
            }
        };
        let preface = self.preface(&board, &view);
        self.last = Some((board, String::new()));
        ExternalAction::Ask(Box::new(Question {
            ask,
            settings: self.rules.settings.clone(),
            preface,
        }))
    }

    /// Returns the board as the player on roll sees it, with the rules that the line does not carry.
    fn view(&self, board: &BoardLine, options: &Options) -> Result<BoardView, String> {
        let dialect = match options.fibs_order {
            true => BoardDialect::RawBoard,
            false => BoardDialect::External,
        };
        let mut view = board
            .view(dialect)
            .map_err(|error| format!("Error: badly formed board ({error})\n"))?;
        let state = &mut view.state;
        state.variant = self.rules.variant;
        if state.score.is_money() {
            state.rules.jacoby = options.jacoby.unwrap_or(self.rules.jacoby);
            state.rules.beavers = options.beavers.unwrap_or(self.rules.beavers > 0);
        }
        if options.crawford == Some(false) && state.score.is_crawford() {
            let (length, me, opponent) = (
                state.score.length(),
                state.score.me(),
                state.score.opponent(),
            );
            state.score = Score::new(length, me, opponent, false).unwrap_or(state.score);
        }
        Ok(view)
    }

    /// Handles the turn of the player on roll: a play, roll or double, or a reply that needs no engine.
    fn turn(&mut self, view: &BoardView, options: &Options) -> Result<Ask, String> {
        let (position, state) = (view.position, view.state);
        if position.is_over() {
            return Err("Error: badly formed board (the game is over)".into());
        }
        let server = self.server || options.any;
        let pips = position.opponent().pips();
        // Pips rise only in a new game, as no checker is hit where games are lost.
        self.resigned = self.resigned.filter(|before| pips <= before.pips);
        if self.rules.resign
            && !server
            && let Some(games) = lost_for_certain(&position, &state)
        {
            let offer = Resigned { games, state, pips };
            let words = ["normal", "gammon", "backgammon"];
            let word = words.get(usize::from(games) - 1);
            if let Some(word) = word.filter(|_| !self.was_declined(&offer)) {
                self.resigned = Some(offer);
                return Err(format!("resign {word}"));
            }
        }
        let spelling = if server {
            Spelling::Numbers
        } else {
            Spelling::Words
        };
        match view.roll {
            Some(roll) => {
                let query = PlayQuery {
                    position,
                    roll,
                    state,
                };
                Ok(Ask::Play(query, spelling))
            }
            None if may_double(&state) => Ok(Ask::RollOrDouble(CubeQuery { position, state })),
            None => Err("roll".into()),
        }
    }

    /// Returns true if as much was offered before in this game, with the same cube, and declined. Otherwise gnubg
    /// would get the same offer again and again (EXT-32).
    fn was_declined(&self, now: &Resigned) -> bool {
        self.resigned
            .as_ref()
            .is_some_and(|before| before.state == now.state && now.games <= before.games)
    }

    /// Answers a turned cube. The owner of the cube distinguishes a double from a beaver or raccoon (EXT-17).
    fn offer(&mut self, board: &BoardLine, view: &BoardView, options: &Options) -> Ask {
        let (position, state) = (view.position, view.state);
        if state.cube.owner() != CubeOwner::Opponent || self.server || options.any {
            self.seat = Some(-view.sign);
            let refused = self
                .last
                .as_ref()
                .is_some_and(|(last, reply)| last == board && reply == "beaver");
            let may_beaver = state.score.is_money()
                && state.rules.beavers
                && self.rules.beavers > 0
                && !refused
                && state.cube.value() * 4 <= u32::from(Cube::MAX);
            return Ask::Offer(CubeQuery { position, state }, may_beaver);
        }
        let on_roll = self.seat.is_none_or(|seat| seat == view.sign);
        let raised = Cube::new(state.cube.value() * 2, state.cube.owner());
        let cube = raised.unwrap_or(state.cube);
        let state = MatchState { cube, ..state };
        Ask::Raised(EvalQuery { position, state }, on_roll)
    }

    fn evaluation(&mut self, board: &BoardLine, options: &Options) -> ExternalAction {
        let view = match self.view(board, options) {
            Ok(view) => view,
            Err(refused) => return ExternalAction::Say(refused),
        };
        let mut query = EvalQuery {
            position: view.position,
            state: view.state,
        };
        // A pending double turns the question round (EXT-45).
        if view.offer.is_some() {
            query = EvalQuery {
                position: view.position.swapped(),
                state: view.state.swapped(),
            };
        }
        let settings = Settings {
            plies: options.plies.unwrap_or(0),
            level: options.level,
            cubeful: options.cubeful.unwrap_or(false),
            prune: options.prune.unwrap_or(false),
            noise: options.noise.unwrap_or(0.0),
            ..Settings::default()
        };
        ExternalAction::Ask(Box::new(Question {
            ask: Ask::Evaluation(query),
            settings,
            preface: self.preface(board, &view),
        }))
    }

    /// Returns the text that `set debug on` puts before an answer (EXT-52).
    fn preface(&self, board: &BoardLine, view: &BoardView) -> String {
        if !self.debug {
            return String::new();
        }
        let id = PositionId::from(view.position);
        let (beavers, jacoby) = (view.state.rules.beavers, view.state.rules.jacoby);
        let state = view.state;
        format!(
            "DBG: [\"beavers\" : {}, \"jacobyrule\" : {}]\nDBG: {board}\nDBG: Position ID: {id}\n\
             DBG: Match length {}, score {}-{}, cube {}\nDBG: \n",
            u8::from(beavers),
            u8::from(jacoby),
            state.score.length(),
            state.score.me(),
            state.score.opponent(),
            state.cube.value(),
        )
    }
}

impl Dialect for External {
    fn line(&mut self, line: FramedLine<'_>) -> dialect::LineAction {
        match line {
            FramedLine::Line(line) => External::line(self, line).map(Inquiry::from),
            FramedLine::TooLong => dialect::LineAction::Refuse("Error: line is too long\n".into()),
        }
    }

    fn answered(&mut self, reply: &[u8]) {
        // Debug lines precede the reply proper, which is the last line.
        let reply = String::from_utf8_lossy(reply);
        let reply = reply.trim_end_matches('\n');
        self.replied(reply.rsplit('\n').next().unwrap_or_default());
    }

    /// Returns true: gnubg keeps one connection for a whole session, however long its user takes.
    fn may_be_quiet(&self) -> bool {
        true
    }
}

/// Returns true if the player on roll may turn the cube (EXT-15).
fn may_double(state: &MatchState) -> bool {
    state.double_refusal().is_none()
}

/// Removes NULs, blanks and line ends at both ends.
fn clean(line: &[u8]) -> &[u8] {
    let nothing = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let start = line
        .iter()
        .position(|byte| !nothing(byte))
        .unwrap_or(line.len());
    let end = line
        .iter()
        .rposition(|byte| !nothing(byte))
        .map_or(start, |last| last + 1);
    line.get(start..end).unwrap_or_default()
}
