//! Players that are other programs: asked over a pipe, in UBGI, or over gnubg's external protocol.

use super::player::{Player, PlayerError};
use crate::game::{MatchState, Position, Roll, Rules, generate_plays};
use crate::notation::{BoardLine, PositionId, parse_position};
use crate::protocol::external::{Reading, read_play};
use crate::rng::ChaCha8Rng;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// Longest answer that is read.
const LINE_BYTES_MAX: u64 = 4096;
/// What is said of a program that is gone.
const ENDED: &str = "it ended without an answer";
/// Most lines that a UBGI engine says before the one that was waited for.
const LINES_MAX: usize = 10_000;
/// How long an answer over the network is waited for.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// How a program is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// `POSITIONID D1 D2` in, the Position ID after its play out; the text is a command.
    Ids,
    /// UBGI on standard input and output; the text is a command.
    Ubgi,
    /// gnubg's external protocol; the text is `HOST:PORT`.
    External,
}

impl Speech {
    const fn name(self) -> &'static str {
        match self {
            Speech::Ids => "pipe",
            Speech::Ubgi => "ubgi",
            Speech::External => "external",
        }
    }
}

/// One running program, or a connection to one.
struct Program {
    child: Option<Child>,
    input: Box<dyn Write + Send>,
    output: BufReader<Box<dyn Read + Send>>,
}

/// Programs started from one command, one for each thread that may ask at a time.
pub(super) struct PipePlayer {
    name: String,
    speech: Speech,
    idle: Mutex<Vec<Program>>,
    target: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Nothing can be done about a program that is gone already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl PipePlayer {
    /// Starts the first program, to see that it starts; others are started when needed.
    pub(super) fn start(speech: Speech, target: &str) -> Result<PipePlayer, PlayerError> {
        let player = PipePlayer {
            name: format!("{}:{target}", speech.name()),
            speech,
            idle: Mutex::new(Vec::new()),
            target: target.to_owned(),
        };
        let first = player.begin()?;
        player.give_back(first);
        Ok(player)
    }

    fn fail(&self, reason: impl std::fmt::Display) -> PlayerError {
        PlayerError::Program {
            name: self.name.clone(),
            reason: reason.to_string(),
        }
    }

    fn begin(&self) -> Result<Program, PlayerError> {
        if self.speech == Speech::External {
            return self.connect().map_err(|e| self.fail(e));
        }
        let mut child = Command::new("sh")
            .args(["-c", &self.target])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| self.fail(e))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(self.fail("no pipe to it"));
        };
        let mut program = Program {
            child: Some(child),
            input: Box::new(input),
            output: BufReader::new(Box::new(output)),
        };
        if self.speech == Speech::Ubgi {
            self.say(&mut program, "ubgi\n")?;
            self.hear_from(&mut program, "ubgiok")?;
            // A new game is money without Jacoby, judged cubeless (UBGI-16).
            self.say(&mut program, "newgame\n")?;
        }
        Ok(program)
    }

    fn connect(&self) -> std::io::Result<Program> {
        let stream = TcpStream::connect(&self.target)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_TIME))?;
        Ok(Program {
            child: None,
            input: Box::new(stream.try_clone()?),
            output: BufReader::new(Box::new(stream)),
        })
    }

    fn give_back(&self, program: Program) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(program);
        }
    }

    fn say(&self, program: &mut Program, text: &str) -> Result<(), PlayerError> {
        let said = program.input.write_all(text.as_bytes());
        said.and_then(|()| program.input.flush())
            .map_err(|error| match error.kind() {
                // A program that ended is told in one way, whether it is heard or spoken to.
                ErrorKind::BrokenPipe => self.fail(ENDED),
                _ => self.fail(error),
            })
    }

    fn hear(&self, program: &mut Program) -> Result<String, PlayerError> {
        let mut answer = String::new();
        let read = (&mut program.output)
            .take(LINE_BYTES_MAX)
            .read_line(&mut answer)
            .map_err(|e| self.fail(e))?;
        if read == 0 {
            return Err(self.fail(ENDED));
        }
        Ok(answer.trim().to_owned())
    }

    /// What follows the word `wanted` in the first line that begins with it; other lines are passed over, except
    /// errors.
    fn hear_from(&self, program: &mut Program, wanted: &str) -> Result<String, PlayerError> {
        for _ in 0..LINES_MAX {
            let line = self.hear(program)?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            if word == wanted {
                return Ok(rest.to_owned());
            }
            if word == "error" {
                return Err(self.fail(line));
            }
        }
        Err(self.fail(format!("no {wanted} in {LINES_MAX} lines")))
    }

    /// Asks for a play and says what was asked and answered, and the position that it leads to.
    fn ask(
        &self,
        program: &mut Program,
        position: &Position,
        roll: Roll,
    ) -> Result<(String, String, Option<Position>), PlayerError> {
        let [first, second] = roll.dice();
        let id = PositionId::from(*position);
        let (question, answer) = match self.speech {
            Speech::Ids => {
                let question = format!("{id} {first} {second}\n");
                self.say(program, &question)?;
                let answer = self.hear(program)?;
                let after = parse_position(answer.as_bytes())
                    .map_err(|e| self.fail(format!("{answer:?}: {e}")))?;
                return Ok((question, answer, Some(after.position)));
            }
            Speech::Ubgi => {
                let question =
                    format!("position gnubgid {id}\ndice {first} {second}\ngo chequer\n");
                self.say(program, &question)?;
                (question, self.hear_from(program, "bestmove")?)
            }
            Speech::External => {
                let state = MatchState::money(Rules::default());
                let line = BoardLine::external(["me", "you"], position, &state, Some(roll), None);
                let question = format!("{line}\n");
                self.say(program, &question)?;
                (question, self.hear(program)?)
            }
        };
        let after = match read_play(position, roll, &answer) {
            Reading::Played(after) => Some(after),
            Reading::Forfeit | Reading::Unreadable => None,
        };
        Ok((question, answer, after))
    }
}

impl Player for PipePlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let mut legal = Vec::new();
        generate_plays(position, roll, &mut legal);
        if legal.is_empty() {
            return Ok(position.swapped());
        }
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut program = match idle {
            Some(program) => program,
            None => self.begin()?,
        };
        let (question, answer, after) = self.ask(&mut program, position, roll)?;
        self.give_back(program);
        match after.filter(|after| legal.contains(after)) {
            Some(after) => Ok(after),
            None => {
                let question = question.trim();
                Err(self.fail(format!("{answer} is no legal result of {question}")))
            }
        }
    }
}
