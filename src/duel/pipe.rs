//! A player behind a pipe: another program that reads `POSITIONID D1 D2` lines and answers each
//! with the Position ID after its play, the opponent on roll.

use super::player::{Player, PlayerError};
use crate::game::{Position, Roll, generate_plays};
use crate::notation::{PositionId, parse_position};
use crate::rng::ChaCha8Rng;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// Longest answer that is read.
const LINE_BYTES_MAX: u64 = 4096;

/// One running program.
struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Programs started from one command, one for each thread that may ask at a time.
pub(super) struct PipePlayer {
    name: String,
    idle: Mutex<Vec<Program>>,
    command: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        // Nothing can be done about a program that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl PipePlayer {
    /// Starts the first program, to see that it starts; others are started when needed.
    pub(super) fn start(command: &str, _threads: usize) -> Result<PipePlayer, PlayerError> {
        let player = PipePlayer {
            name: format!("pipe:{command}"),
            idle: Mutex::new(Vec::new()),
            command: command.to_owned(),
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
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| self.fail(e))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Program {
                child,
                input,
                output: BufReader::new(output),
            }),
            _ => Err(self.fail("no pipe to it")),
        }
    }

    fn give_back(&self, program: Program) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(program);
        }
    }

    fn ask(&self, program: &mut Program, question: &str) -> Result<String, PlayerError> {
        program
            .input
            .write_all(question.as_bytes())
            .and_then(|()| program.input.flush())
            .map_err(|e| self.fail(e))?;
        let mut answer = String::new();
        let read = (&mut program.output)
            .take(LINE_BYTES_MAX)
            .read_line(&mut answer)
            .map_err(|e| self.fail(e))?;
        if read == 0 {
            return Err(self.fail("it ended without an answer"));
        }
        Ok(answer.trim().to_owned())
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
        let [first, second] = roll.dice();
        let question = format!("{} {first} {second}\n", PositionId::from(*position));
        let answer = self.ask(&mut program, &question)?;
        let after = parse_position(answer.as_bytes())
            .map_err(|e| self.fail(format!("{answer:?}: {e}")))?
            .position;
        self.give_back(program);
        if legal.contains(&after) {
            Ok(after)
        } else {
            let question = question.trim();
            Err(self.fail(format!("{answer} is no legal result of {question}")))
        }
    }
}
