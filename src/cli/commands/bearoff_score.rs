//! `gammond bearoff score`: benchmark files scored by the bearoff tables.

use crate::{Common, Failure, Output};
use gammond_arena::benchmark::RECORD_LINE_BYTES_MAX;
use gammond_arena::benchmark::exact::ExactPlay;
use gammond_arena::benchmark::make::STAMP;
use gammond_base::rng::{below, stream};
use gammond_engine::bearoff::Tables;
use gammond_game::notation::{BenchmarkRecord, PositionChances, parse_position_line};
use gammond_game::{Chances, Position, Roll};
use gammond_job::StampLine;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A benchmark file (`*.bm`), whose records are written again with exact equities and with all plays of
    /// the roll; or positions, one a line in any form, each of which makes a record of a roll drawn for it and
    /// one of its chances. `-` for standard input.
    file: PathBuf,
    /// Leave out the records that no table covers; otherwise they stay as they are.
    #[arg(long)]
    covered: bool,
}

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let tables = common.tables()?;
    let name = args.file.display();
    let mut input: Box<dyn std::io::BufRead> = if args.file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::new(
            gammond_base::files::open(&args.file).map_err(Failure::in_file(&args.file))?,
        ))
    };
    let mut out = Output::new();
    let mut names = vec!["one-sided-6x15".to_owned(), "two-sided-6x6".to_owned()];
    names.extend(tables.names().iter().map(|name| name.replace(' ', "-")));
    let mut scorer = Scorer {
        tables: &tables,
        seed: common.seed(),
        covered: args.covered,
        pending: Vec::new(),
        settings: Vec::new(),
        counts: [0; 3],
    };
    out.print(format!("s exact {}\n", names.join(",")).as_bytes())?;
    let mut line = Vec::new();
    let mut wrong = false;
    for number in 1.. {
        line.clear();
        let mut bounded = (&mut input).take(RECORD_LINE_BYTES_MAX as u64 + 1);
        if bounded
            .read_until(b'\n', &mut line)
            .map_err(Failure::in_file(&args.file))?
            == 0
            || out.is_closed()
        {
            break;
        }
        if line.len() > RECORD_LINE_BYTES_MAX {
            let reason = format!("line {number} is longer than {RECORD_LINE_BYTES_MAX} bytes");
            return Err(Failure::in_file(&args.file)(reason));
        }
        match scorer.line(line.trim_ascii_end(), number) {
            Ok(records) => {
                for record in records {
                    out.print(format!("{record}\n").as_bytes())?;
                }
            }
            Err(reason) => {
                stderr_line!("gammond: {name}: line {number}: {reason}");
                wrong = true;
            }
        }
    }
    for record in scorer.pending {
        out.print(format!("{record}\n").as_bytes())?;
    }
    out.flush()?;
    let [exact, beyond, no_choice] = scorer.counts;
    let fate = if args.covered {
        "left out"
    } else {
        "as it was"
    };
    stderr_line!(
        "gammond: {exact} records by the tables; {beyond} not covered ({fate}, positions left out), {no_choice} \
         positions without a choice of plays"
    );
    Ok(ExitCode::from(u8::from(wrong)))
}

struct Scorer<'a> {
    tables: &'a Tables,
    seed: u64,
    covered: bool,
    /// Lines that belong to the next record: its seed, and everything from there on.
    pending: Vec<BenchmarkRecord>,
    /// Settings of the rollouts of the records that follow. They are not those of exact records, but cube records
    /// depend on them.
    settings: Vec<BenchmarkRecord>,
    /// Records by the tables, not covered, positions whose roll leaves no choice.
    counts: [u64; 3],
}

impl Scorer<'_> {
    /// Converts a line to the records that replace it.
    fn line(&mut self, text: &[u8], number: u64) -> Result<Vec<BenchmarkRecord>, WrongLine> {
        let record = BenchmarkRecord::parse(text)?;
        let exact = match &record {
            BenchmarkRecord::Settings(_) => {
                self.settings = vec![record];
                return Ok(Vec::new());
            }
            BenchmarkRecord::Comment(text) if STAMP.line(&format!("#{text}")).is_some() => {
                // The checksum is that of other lines.
                if STAMP.line(&format!("#{text}")) == Some(StampLine::Settings) {
                    self.settings.push(record);
                }
                return Ok(Vec::new());
            }
            // A comment without a record is one of the file.
            BenchmarkRecord::Comment(_) if self.pending.is_empty() => return Ok(vec![record]),
            BenchmarkRecord::Seed(_) | BenchmarkRecord::Rolled(_) | BenchmarkRecord::Comment(_) => {
                self.pending.push(record);
                return Ok(Vec::new());
            }
            BenchmarkRecord::Cube(_) => {
                // No table has its cube: it stays, under its own settings.
                let settings = std::mem::take(&mut self.settings).into_iter();
                let before = std::mem::take(&mut self.pending);
                return Ok(settings.chain(before).chain([record]).collect());
            }
            BenchmarkRecord::Play(play) => self.play(&play.position, play.roll),
            BenchmarkRecord::Position(one) => self.position(&one.position).map(|one| vec![one]),
            BenchmarkRecord::Other(text) if text.trim().is_empty() => return Ok(Vec::new()),
            BenchmarkRecord::Other(text) => {
                let position = position_of(text.as_bytes())?;
                return Ok(self.drawn(&position, number));
            }
            _ => return Ok(vec![record]),
        };
        let before = std::mem::take(&mut self.pending);
        if let Some(exact) = exact {
            self.counts[0] += 1;
            let seeds = (before.into_iter()).filter(|one| matches!(one, BenchmarkRecord::Seed(_)));
            return Ok(seeds.chain(exact).collect());
        }
        self.counts[1] += 1;
        let kept = if self.covered { Vec::new() } else { before };
        Ok((kept.into_iter())
            .chain((!self.covered).then_some(record))
            .collect())
    }

    /// Records of a position with a roll of its own.
    fn drawn(&mut self, position: &Position, number: u64) -> Vec<BenchmarkRecord> {
        let mut chance = stream(self.seed, number);
        let mut die = || 1 + below(&mut chance, 6) as u8;
        let (Some(one), Ok(roll)) = (self.position(position), Roll::new(die(), die())) else {
            self.counts[1] += 1;
            return Vec::new();
        };
        let play = self.choice(position, roll);
        self.counts[0] += 1 + u64::from(play.is_some());
        self.counts[2] += u64::from(play.is_none());
        play.unwrap_or_default().into_iter().chain([one]).collect()
    }

    fn choice(&self, position: &Position, roll: Roll) -> Option<Vec<BenchmarkRecord>> {
        let play = ExactPlay::of(position, roll, &|after| self.known(after))?;
        play.is_choice().then(|| play.lines())
    }

    fn play(&self, position: &Position, roll: Roll) -> Option<Vec<BenchmarkRecord>> {
        // The plays of a position that is covered are; a position with contact may have some that are.
        self.known(position)?;
        ExactPlay::of(position, roll, &|after| self.known(after)).map(ExactPlay::lines)
    }

    fn position(&self, position: &Position) -> Option<BenchmarkRecord> {
        let (position, chances) = (*position, self.known(position)?);
        Some(BenchmarkRecord::Position(PositionChances {
            position,
            chances,
        }))
    }

    fn known(&self, position: &Position) -> Option<Chances> {
        self.tables.exactly(self.tables.class(position), position)
    }
}

/// Returns a position of a game that is not over, in any form, or from a line of a training file.
fn position_of(text: &[u8]) -> Result<Position, WrongLine> {
    match parse_position_line(text)? {
        Some(position) if !position.is_over() => Ok(position),
        Some(_) => Err("the game is over".into()),
        None => Err("no position".into()),
    }
}

/// An error in a line.
pub(super) type WrongLine = Box<dyn std::error::Error + Send + Sync>;
