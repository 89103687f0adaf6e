//! `gammond label`.

use crate::{Common, Failure, InputFile, OutputFile, ProgressArgs, farmed, stopped};
use gammond_base::journal::{check_writable, create_whole, read_records, write_whole};
use gammond_engine::query::{RolloutSettings, Settings};
use gammond_game::Position;
use gammond_job::{Job as _, Runner, Whole};
use gammond_train::training::label::{Labelling, Method};
use gammond_train::training::positions;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    struct Args as Job {
        /// Positions, one a line: any position text, or lines of a training file.
        input: InputFile,
        /// Training file to write, one line for each position. Until it is complete, labels are kept
        /// in a journal beside it; the same command resumes from there.
        output: OutputFile,
        /// Label with the mean luck-adjusted return of this many games of static play from each
        /// position, instead of a search.
        #[arg(long, value_name = "N")]
        games: Option<Whole<1, { RolloutSettings::TRIALS_MAX as u64 }>>,
    }
    dropped {
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

/// Suffix of the journal's name.
const JOURNAL: &str = ".journal";

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let engine = common.engine()?;
    let method = match args.games {
        Some(games) => Method::Games(games.to(), common.seed()),
        None => {
            let mut settings = Settings::plies(common.plies());
            settings.cubeful = false;
            Method::Search(Box::new(settings))
        }
    };
    let (positions, damaged) = read_with_warnings(&args.input)?;
    if positions.is_empty() {
        return Err(Failure::in_file(&args.input)("contains no position"));
    }
    let done = ExitCode::from(u8::from(damaged));
    let job = Labelling::new(&engine, method, &positions)?;
    let output = &args.output;
    let empty = match std::fs::metadata(&args.output) {
        Ok(data) if data.is_file() && data.len() > 0 => {
            let text = std::fs::read_to_string(&args.output).map_err(Failure::in_file(output))?;
            let made = Labelling::STAMP.check(&job.header(), &text);
            return made.map(|()| done).map_err(Failure::in_file(output));
        }
        Ok(data) => data.is_file(),
        Err(_) => false,
    };
    check_writable(&args.output).map_err(Failure::in_file(output))?;
    let mut journal = args.output.as_os_str().to_owned();
    journal.push(JOURNAL);
    let journal = PathBuf::from(journal);
    let mut control = common.control(args.progress)?;
    let runner = Runner::new().pool(engine.pool()).journal(Some(&journal));
    let outcome = runner.run(&job, &mut control)?;
    drop(control);
    if !outcome.complete {
        return Ok(stopped(Some(&journal), ""));
    }
    let lines =
        String::from_utf8(read_records(&journal)?.concat()).map_err(Failure::in_file(output))?;
    let text = Labelling::STAMP.file(&job.header(), "", &lines);
    let write = if empty { write_whole } else { create_whole };
    write(&args.output, text.as_bytes()).map_err(Failure::in_file(output))?;
    std::fs::remove_file(&journal).map_err(Failure::in_file(output))?;
    args.progress
        .report_made(positions.len(), "labelled position", output);
    Ok(done)
}

fn read(path: &Path) -> Result<positions::Positions, Failure> {
    let input = gammond_base::files::open(path).map_err(Failure::in_file(path))?;
    positions::read(&mut BufReader::new(input)).map_err(Failure::in_file(path))
}

/// Returns the positions of a file, and whether lines were wrong; wrong lines are reported.
pub(super) fn read_with_warnings(path: &Path) -> Result<(Vec<Position>, bool), Failure> {
    let (positions, wrong) = read(path)?;
    for (line, reason) in &wrong {
        stderr_line!("gammond: {}: line {line}: {reason}", path.display());
    }
    Ok((positions, !wrong.is_empty()))
}

/// Reads all positions of a file in which a game can begin; any other line is an error.
pub(super) fn read_positions(path: &Path) -> Result<Vec<Position>, Failure> {
    let (mut positions, wrong) = read(path)?;
    let fail = Failure::in_file::<String>(path);
    if let Some((line, reason)) = wrong.first() {
        return Err(fail(format!("line {line}: {reason}")));
    }
    positions.retain(|position| !position.is_over());
    if positions.is_empty() {
        return Err(fail("no position".to_owned()));
    }
    Ok(positions)
}
