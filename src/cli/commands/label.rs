//! `gammond label`.

use crate::cli::{Common, Failure};
use crate::engine::Engine;
use crate::game::{MatchState, Position, Rules};
use crate::notation::{PositionChances, parse_position, parse_training_line};
use crate::query::{EvalQuery, Settings, Stop};
use crate::training::games::{GameSettings, Judges, Room, by_games};
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Positions labelled between two writes.
const GROUP: usize = 256;
/// Longest line that is read.
const LINE_BYTES_MAX: u64 = 4096;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Positions, one a line: any position text, or lines of a training file.
    input: PathBuf,
    /// Training file to write, one line for each position; the same command goes on where the
    /// file ends.
    output: PathBuf,
    /// Label with the mean luck-adjusted return of this many games of static play from each
    /// position, instead of a search.
    #[arg(long, value_name = "N", conflicts_with = "plies")]
    games: Option<u32>,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let engine = common.engine()?;
    let mut settings = Settings::plies(common.plies);
    settings.cubeful = false;
    let fail = |path: &Path| {
        let path = path.display().to_string();
        move |e: std::io::Error| Failure::File(format!("{path}: {e}"))
    };
    let (mut output, done) = whole_lines(&args.output).map_err(fail(&args.output))?;
    let input = File::open(&args.input).map_err(fail(&args.input))?;
    let mut positions = Vec::new();
    let mut skip = done;
    let mut failed = false;
    let mut lines = Lines {
        input: BufReader::new(input),
        number: 0,
    };
    loop {
        let line = lines.next().map_err(fail(&args.input))?;
        if let Some((number, text)) = &line {
            match position(text) {
                Ok(None) => {}
                Ok(Some(_)) if skip > 0 => skip -= 1,
                Ok(Some(position)) => positions.push(position),
                Err(reason) => {
                    eprintln!("gammond: {}: line {number}: {reason}", args.input.display());
                    failed = true;
                }
            }
        }
        if positions.len() == GROUP || (line.is_none() && !positions.is_empty()) {
            let text = match args.games {
                Some(games) => played(&engine, &positions, games, common.seed),
                None => labels(&engine, &positions, &settings)?,
            };
            positions.clear();
            output
                .write_all(text.as_bytes())
                .map_err(fail(&args.output))?;
        }
        if line.is_none() {
            break;
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

struct Lines {
    input: BufReader<File>,
    number: u64,
}

impl Lines {
    fn next(&mut self) -> std::io::Result<Option<(u64, Vec<u8>)>> {
        let mut line = Vec::new();
        let read = (&mut self.input)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)?;
        self.number += 1;
        Ok((read > 0).then_some((self.number, line)))
    }
}

/// The position of a line, none for comments and empty lines.
fn position(line: &[u8]) -> Result<Option<Position>, String> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(None);
    }
    if line.contains(&b' ') {
        let record = parse_training_line(line).map_err(|e| e.to_string())?;
        return Ok(record.map(|record| record.position));
    }
    let parsed = parse_position(line).map_err(|e| e.to_string())?;
    Ok(Some(parsed.position))
}

/// All positions of a file; a line that is none is an error.
pub(super) fn read_positions(path: &Path) -> Result<Vec<Position>, Failure> {
    let fail = |reason: String| Failure::File(format!("{}: {reason}", path.display()));
    let input = File::open(path).map_err(|e| fail(e.to_string()))?;
    let mut lines = Lines {
        input: BufReader::new(input),
        number: 0,
    };
    let mut positions = Vec::new();
    while let Some((number, text)) = lines.next().map_err(|e| fail(e.to_string()))? {
        let found = position(&text).map_err(|e| fail(format!("line {number}: {e}")))?;
        positions.extend(found.filter(|position| !position.is_over()));
    }
    if positions.is_empty() {
        return Err(fail("no position".to_owned()));
    }
    Ok(positions)
}

/// Opens the output for appending after its last whole line, and counts those.
fn whole_lines(path: &Path) -> std::io::Result<(File, usize)> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let (mut end, mut at, mut lines) = (0, 0, 0);
    for byte in BufReader::new(&file).bytes() {
        at += 1;
        if byte? == b'\n' {
            (end, lines) = (at, lines + 1);
        }
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((file, lines))
}

fn labels(engine: &Engine, positions: &[Position], settings: &Settings) -> Result<String, Failure> {
    let lines: Result<Vec<String>, crate::engine::EngineError> = engine.pool().install(|| {
        positions
            .par_iter()
            .map(|&position| {
                let query = EvalQuery {
                    position,
                    state: MatchState::money(Rules::default()),
                };
                let answer = engine.evaluate(&query, settings, &Stop::never())?;
                let record = PositionChances {
                    position,
                    chances: answer.chances,
                };
                Ok(format!("{}\n", record.training_line()))
            })
            .collect()
    });
    Ok(lines?.concat())
}

/// Labels by whole games of static play, the luck of the dice taken out.
fn played(engine: &Engine, positions: &[Position], games: u32, seed: u64) -> String {
    let settings = GameSettings {
        lambda: 1.0,
        ..GameSettings::default()
    };
    let judges = Judges::new(engine.evaluator().as_ref());
    let lines: Vec<String> = engine.pool().install(|| {
        positions
            .par_iter()
            .map_init(Room::default, |room, &position| {
                let chances = by_games(judges, &position, &settings, (games, seed), room);
                let record = PositionChances { position, chances };
                format!("{}\n", record.training_line())
            })
            .collect()
    });
    lines.concat()
}
