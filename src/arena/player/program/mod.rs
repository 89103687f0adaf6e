//! Players that are other programs, queried over a pipe, in UBGI, or over gnubg's external protocol.
//!
//! One program (or connection) serves one question at a time; more are started when more threads have questions.
//! The threads share the connections of a server that limits them, as gnubg does to one. Every wait has a limit, and a
//! program is ended with all that it started when it fails or the player is dropped.

mod link;
mod pool;

use super::{CubePlayer, Player, PlayerError, may_turn_again};
use gammond_base::rng::ChaCha8Rng;
use gammond_game::notation::external_play::{Reading, read_play};
use gammond_game::notation::{BoardLine, Offer, PositionId, parse_position};
use gammond_game::{Act, MatchState, POINTS, Position, Roll, Rules, generate_plays};
pub use link::ProgramError;

use link::Link;
use pool::{Pool, PoolTurn};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Timeout for a program to start and identify itself.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// Default timeout of one answer.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(60);
/// Timeout for another connection's answer to a request with one legal play: a server that serves one connection at a
/// time may leave it waiting.
const PROBE_TIME: Duration = Duration::from_secs(5);
/// Times the answer time that a thread waits for a connection that others use.
const WAIT_SHARES: u32 = 10;
/// Number of times that one question is sent to a player that answers with a resignation.
const ATTEMPTS_MAX: usize = 3;

/// Protocol spoken with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramProtocol {
    /// `POSITIONID D1 D2` in, the Position ID after its play out; the text is a command.
    Ids,
    /// UBGI on standard input and output; the text is a command.
    Ubgi,
    /// gnubg's external protocol; the text is `HOST:PORT`.
    External,
}

impl ProgramProtocol {
    const fn name(self) -> &'static str {
        match self {
            ProgramProtocol::Ids => "pipe",
            ProgramProtocol::Ubgi => "ubgi",
            ProgramProtocol::External => "external",
        }
    }
}

/// The generations of UBGI, distinguished by the handshake of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UbgiVersion {
    /// Options, if any, are declared as `option name …`.
    #[default]
    First,
    /// The program sends `proto 0.2` or declares a `key`.
    Second,
}

impl UbgiVersion {
    /// Returns the command that requests a play.
    const fn go(self) -> &'static str {
        match self {
            UbgiVersion::First => "go role chequer",
            UbgiVersion::Second => "go chequer",
        }
    }
}

/// A running program, and its form of questions.
struct Program {
    link: Link,
    ubgi: UbgiVersion,
}

/// Programs started from one command, one for each concurrent thread.
pub(super) struct ProgramPlayer {
    name: String,
    speech: ProgramProtocol,
    pool: Pool<Program>,
    target: String,
    answer_time: Duration,
    /// Remark for people, on one line.
    note: Mutex<Option<String>>,
}

/// A program in use. Unless it is given back, it is gone.
struct Lease<'a> {
    pool: &'a Pool<Program>,
    program: Option<Program>,
}

impl Lease<'_> {
    fn give_back(mut self) {
        if let Some(program) = self.program.take() {
            self.pool.give_back(program);
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if self.program.is_some() {
            self.pool.lost();
        }
    }
}

impl ProgramPlayer {
    /// Starts the first program, to see that it starts; others are started when needed.
    pub(super) fn start(
        speech: ProgramProtocol,
        target: &str,
        answer_time: Duration,
    ) -> Result<ProgramPlayer, PlayerError> {
        let player = ProgramPlayer {
            name: format!("{}:{target}", speech.name()),
            speech,
            pool: Pool::new(),
            target: target.to_owned(),
            answer_time,
            note: Mutex::new(None),
        };
        let first = player.begin()?;
        player.pool.opened();
        player.pool.give_back(first);
        Ok(player)
    }

    fn fail(&self, source: impl Into<ProgramError>) -> PlayerError {
        PlayerError::Program {
            name: self.name.clone(),
            source: source.into(),
        }
    }

    fn begin(&self) -> Result<Program, PlayerError> {
        let time = START_TIME_MAX.min(self.answer_time);
        let link = match self.speech {
            ProgramProtocol::External => Link::connect(&self.target, time),
            ProgramProtocol::Ids | ProgramProtocol::Ubgi => Link::start(&self.target),
        };
        let mut program = Program {
            link: link.map_err(|error| self.fail(error))?,
            ubgi: UbgiVersion::default(),
        };
        if self.speech == ProgramProtocol::Ubgi {
            self.shake_hands(&mut program, time)?;
        }
        Ok(program)
    }

    /// Learns the generation and begins a game: a new one is money without Jacoby for most programs. Programs with
    /// other rules get a command for them; programs that know no rules answer `error`, which does no harm.
    fn shake_hands(&self, program: &mut Program, time: Duration) -> Result<(), PlayerError> {
        let until = Instant::now() + time;
        let hear = |program: &Program| program.link.receive(until, time).map_err(|e| self.fail(e));
        self.say(program, "ubgi\n")?;
        let mut cubeless = "";
        loop {
            let line = hear(program)?;
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("ubgiok" | "readyok"), _) => break,
                (Some("error"), _) => return Err(self.fail(ProgramError::Refused(line))),
                (Some("proto"), Some(version)) if version != "0.1" => {
                    program.ubgi = UbgiVersion::Second;
                }
                (Some("key"), name) => {
                    program.ubgi = UbgiVersion::Second;
                    if name == Some("engine.eval_mode") {
                        cubeless = "set engine.eval_mode cubeless\n";
                    }
                }
                _ => {}
            }
        }
        let rules = format!("newgame\nnewsession type money jacoby off\n{cubeless}isready\n");
        self.say(program, &rules)?;
        while hear(program)? != "readyok" {}
        Ok(())
    }

    fn say(&self, program: &mut Program, text: &str) -> Result<(), PlayerError> {
        program.link.say(text).map_err(|error| self.fail(error))
    }

    /// Requests a play; returns the request, the answer, and the position that the play leads to.
    fn ask(
        &self,
        program: &mut Program,
        position: &Position,
        state: &MatchState,
        roll: Roll,
    ) -> Result<(String, String, Option<Position>), PlayerError> {
        let id = PositionId::from(*position);
        let [first, second] = roll.dice();
        let question = match self.speech {
            ProgramProtocol::Ids => format!("{id} {first} {second}\n"),
            ProgramProtocol::Ubgi => {
                let (high, low, go) = (roll.high(), roll.low(), program.ubgi.go());
                format!("position gnubgid {id}\ndice {high} {low}\n{go}\n")
            }
            ProgramProtocol::External => board_question(position, state, Some(roll), None),
        };
        let answer = self.answer(program, &question)?;
        let after = match self.speech {
            ProgramProtocol::Ids => {
                let after = parse_position(answer.as_bytes()).map_err(|source| {
                    let answer = answer.clone();
                    self.fail(ProgramError::Unreadable { answer, source })
                })?;
                Some(after.position)
            }
            ProgramProtocol::Ubgi | ProgramProtocol::External => {
                match read_play(position, roll, &answer) {
                    Reading::Played(after) => Some(after),
                    Reading::Forfeit | Reading::Unreadable => None,
                }
            }
        };
        Ok((question, answer, after))
    }

    /// Returns the answer to a question. Games are played to their end: a resignation is declined by repeating the
    /// question.
    fn answer(&self, program: &mut Program, question: &str) -> Result<String, PlayerError> {
        let until = Instant::now() + self.answer_time;
        for _ in 0..ATTEMPTS_MAX {
            self.say(program, question)?;
            let answer = loop {
                let line = program.link.receive(until, self.answer_time);
                let line = line.map_err(|error| self.fail(error))?;
                if self.speech != ProgramProtocol::Ubgi {
                    break line;
                }
                let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
                match word {
                    "bestmove" => break rest.to_owned(),
                    "error" if !rest.starts_with("unknown_command") => {
                        return Err(self.fail(ProgramError::Refused(line)));
                    }
                    _ => {}
                }
            };
            let resigns = self.speech == ProgramProtocol::External && answer.starts_with("resign");
            if !resigns {
                return Ok(answer);
            }
        }
        Err(self.fail(ProgramError::Resigns(question.trim().to_owned())))
    }
}

impl Player for ProgramPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        self.legal_play(position, &MatchState::money(Rules::default()), roll)
    }

    fn note(&self) -> Option<String> {
        self.note.lock().ok().and_then(|note| note.clone())
    }

    fn with_cube(&self) -> Option<&dyn CubePlayer> {
        match self.speech {
            ProgramProtocol::External => Some(self),
            ProgramProtocol::Ids | ProgramProtocol::Ubgi => None,
        }
    }
}

/// Over gnubg's external protocol, which carries the score and the cube, but not whether Jacoby's rule holds.
impl CubePlayer for ProgramPlayer {
    fn play_in(
        &self,
        position: &Position,
        state: &MatchState,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        self.legal_play(position, state, roll)
    }

    fn doubles(
        &self,
        position: &Position,
        state: &MatchState,
        _: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError> {
        let question = board_question(position, state, None, None);
        self.says(
            &question,
            &[("double", true), ("redouble", true), ("roll", false)],
        )
    }

    fn takes(
        &self,
        position: &Position,
        state: &MatchState,
        _: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError> {
        Ok(self.answer_to_double(position, state)? != Act::Pass)
    }

    /// A beaver has no question: its line would have to say whose cube it was, and the seat of a connection that both
    /// sides of all games share.
    fn answers(
        &self,
        position: &Position,
        state: &MatchState,
        turns: u8,
        _: &mut ChaCha8Rng,
    ) -> Result<Act, PlayerError> {
        if turns > 1 {
            return Ok(Act::Take);
        }
        let answer = self.answer_to_double(position, state)?;
        // A player who would beaver takes where beavers are not allowed.
        let may_beaver = answer != Act::Beaver || may_turn_again(state, turns);
        Ok(if may_beaver { answer } else { Act::Take })
    }
}

impl ProgramPlayer {
    fn answer_to_double(
        &self,
        position: &Position,
        state: &MatchState,
    ) -> Result<Act, PlayerError> {
        let question = board_question(position, state, None, Some(Offer::Double));
        let answers = [
            ("take", Act::Take),
            ("accept", Act::Take),
            ("beaver", Act::Beaver),
            ("drop", Act::Pass),
            ("pass", Act::Pass),
            ("reject", Act::Pass),
        ];
        self.says(&question, &answers)
    }
}

/// Returns a question of gnubg's external protocol with one legal play: both players have a checker left.
fn easy_question() -> String {
    let mut last = [0; POINTS];
    last[0] = 1;
    let position = Position::new(&last, &last).unwrap_or_else(|_| Position::start());
    let state = MatchState::money(Rules::default());
    board_question(&position, &state, Roll::new(6, 5).ok(), None)
}

/// Returns a line of gnubg's external protocol.
fn board_question(
    position: &Position,
    state: &MatchState,
    roll: Option<Roll>,
    offer: Option<Offer>,
) -> String {
    let line = BoardLine::external(["me", "you"], position, state, roll, offer);
    format!("{line}\n")
}

impl ProgramPlayer {
    /// Returns an idle program, or starts one. Where the server takes no further connection, waits
    /// until another thread gives one back.
    fn free(&self) -> Result<Lease<'_>, PlayerError> {
        let time = self.answer_time * WAIT_SHARES;
        loop {
            let program = match self.pool.turn(time) {
                PoolTurn::Use(program) => program,
                PoolTurn::TimedOut => return Err(self.fail(ProgramError::Silent(time))),
                PoolTurn::Open(open) => match self.open_beside(open) {
                    Ok(program) => {
                        self.pool.opened();
                        program
                    }
                    Err(_) if self.speech == ProgramProtocol::External && open > 0 => {
                        self.share();
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            return Ok(Lease {
                pool: &self.pool,
                program: Some(program),
            });
        }
    }

    /// Starts a program, or opens a connection beside `open` others, and checks that it is served.
    fn open_beside(&self, open: usize) -> Result<Program, PlayerError> {
        let mut program = self.begin()?;
        if self.speech == ProgramProtocol::External && open > 0 {
            let question = easy_question();
            self.say(&mut program, &question)?;
            let time = PROBE_TIME.min(self.answer_time);
            let heard = program.link.receive(Instant::now() + time, time);
            heard.map_err(|error| self.fail(error))?;
        }
        Ok(program)
    }

    /// Keeps to the connections that the server has taken.
    fn share(&self) {
        let (open, news) = self.pool.limit();
        if let (true, Ok(mut note)) = (news, self.note.lock()) {
            let connections = if open == 1 {
                "connection"
            } else {
                "connections"
            };
            *note = Some(format!(
                "{} takes {open} {connections} at a time; all threads share what it takes",
                self.name
            ));
        }
    }

    /// Uses a program, and keeps it unless that fails.
    fn with_program<T>(
        &self,
        exchange: impl FnOnce(&mut Program) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        let mut lease = self.free()?;
        let Some(program) = &mut lease.program else {
            return Err(self.fail(ProgramError::Ended));
        };
        let done = exchange(program)?;
        lease.give_back();
        Ok(done)
    }

    /// Returns the program's play, when it is legal.
    fn legal_play(
        &self,
        position: &Position,
        state: &MatchState,
        roll: Roll,
    ) -> Result<Position, PlayerError> {
        let mut legal = Vec::new();
        generate_plays(position, roll, &mut legal);
        if legal.is_empty() {
            return Ok(position.swapped());
        }
        let (question, answer, after) =
            self.with_program(|program| self.ask(program, position, state, roll))?;
        match after.filter(|after| legal.contains(after)) {
            Some(after) => Ok(after),
            None => {
                let question = question.trim().to_owned();
                Err(self.fail(ProgramError::Illegal { answer, question }))
            }
        }
    }

    /// Sends a question about the cube; returns the meaning of the answer, which its first word decides.
    fn says<T: Copy>(&self, question: &str, answers: &[(&str, T)]) -> Result<T, PlayerError> {
        let answer = self.with_program(|program| self.answer(program, question))?;
        let word = answer.split_whitespace().next().unwrap_or_default();
        let found = answers
            .iter()
            .find(|(known, _)| word.eq_ignore_ascii_case(known));
        match found {
            Some(&(_, meaning)) => Ok(meaning),
            None => {
                let question = question.trim().to_owned();
                Err(self.fail(ProgramError::Illegal { answer, question }))
            }
        }
    }
}
