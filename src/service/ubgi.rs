//! UBGI on a pair of streams, and the engine's part of its answers.

use crate::engine::{Engine, EngineError};
use crate::protocol::ubgi::{Question, Step, Ubgi};
use crate::query::{Settings, Stop};
use std::io::{self, BufRead, Read, Write};

/// Longest line read; the rest of a longer one is passed over.
const LINE_BYTES_MAX: u64 = 4096;

/// The line that answers a `go`, with its LF.
pub fn reply(engine: &Engine, question: &Question, stop: &Stop) -> String {
    found(engine, question, stop).unwrap_or_else(|error| match error {
        EngineError::Stopped => "error bad_state stopped\n".into(),
        error => format!("error bad_state internal {error}\n"),
    })
}

fn found(engine: &Engine, question: &Question, stop: &Stop) -> Result<String, EngineError> {
    let settings = &question.settings;
    let cube = match &question.cube {
        None => None,
        Some(query) => {
            let cubeful = Settings {
                cubeful: true,
                ..settings.clone()
            };
            Some(engine.cube_action(query, &cubeful, stop)?)
        }
    };
    let plays = match &question.play {
        None => None,
        Some(query) => {
            let best_only = Settings {
                top: Some(1),
                ..settings.clone()
            };
            Some(engine.rank_plays(query, &best_only, stop)?)
        }
    };
    Ok(question.reply(cube.as_ref(), plays.as_ref()))
}

/// Speaks UBGI until the input ends or says `quit`. `build` makes an engine of these nets and
/// threads when an option asks for another one.
///
/// # Errors
/// Reading or writing failed; a closed output is no error.
pub fn run(
    mut engine: Engine,
    mut machine: Ubgi,
    build: impl Fn(&str, usize) -> Result<Engine, String>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input)
            .take(LINE_BYTES_MAX + 1)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n") || read as u64 <= LINE_BYTES_MAX;
        let text = if whole {
            match machine.line(&line) {
                Step::Silence => continue,
                Step::Say(text) => text,
                Step::Ask(question) => reply(&engine, &question, &Stop::never()),
                Step::Rebuild { nets, threads } => match build(&nets, threads) {
                    Ok(built) => {
                        engine = built;
                        continue;
                    }
                    Err(reason) => format!("error bad_value {}\n", reason.replace('\n', " ")),
                },
                Step::Quit => return Ok(()),
            }
        } else {
            input.skip_until(b'\n')?;
            "error bad_command line_too_long\n".to_owned()
        };
        match output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
        {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
