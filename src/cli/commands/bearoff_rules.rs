//! `gammond bearoff rules`: how often the usual counts for races are wrong.

use super::bearoff_score::position_of;
use crate::{Common, Failure, Output, shown_path, within};
use gammond_arena::benchmark::RECORD_LINE_BYTES_MAX;
use gammond_engine::bearoff::{EFFECTIVE_PIPS_A_ROLL, Tables};
use gammond_engine::engine::Engine;
use gammond_engine::query::{CubeAnswer, CubeQuery, Settings, Stop};
use gammond_game::notation::BenchmarkRecord;
use gammond_game::{Cube, CubeOwner, MatchState, Position, RaceAdvice, RaceCounts, Rules, Side};
use rayon::prelude::*;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Positions, one a line in any form, or a benchmark file (its `o` records). Only those count in which the tables
    /// give the side on roll 50 to 95 % of the games, where a double is possible.
    file: PathBuf,
}

/// Chances to win between which a double may be thought of.
const WINDOW: [f32; 2] = [0.5, 0.95];
/// Decisions: a cube in the middle, one's own, the take.
const DECISIONS: [&str; 3] = ["double", "redouble", "take"];
/// The rules, as they are called.
const RULES: [&str; 6] = [
    "pips, 8-9-12 %",
    "effective pips, 8-9-12 %",
    "Thorp",
    "Keith",
    "Kleinman",
    "Kleinman, effective pips",
];

/// For each rule and decision the number of errors and their loss.
type Tally = [[(u64, f64); DECISIONS.len()]; RULES.len()];

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let (engine, tables) = (common.engine()?, common.tables()?);
    let positions: Vec<Position> = (read(&args.file)?.into_iter())
        .filter(|position| {
            let win = tables.chances(position).map(|chances| chances.win);
            win.is_some_and(|win| (WINDOW[0]..=WINDOW[1]).contains(&win))
        })
        .collect();
    let settings = Settings::plies(common.plies());
    let judged: Option<Vec<Tally>> = engine.pool().install(|| {
        let each = positions.par_iter();
        each.map(|position| judge(&engine, &tables, &settings, position))
            .collect()
    });
    let Some(judged) = judged else {
        return Err(Failure::work("a position could not be evaluated"));
    };
    let count = judged.len();
    let mut text = format!(
        "{}: {count} races, cube decisions for money at {} plies\n{:<26}",
        shown_path(&args.file),
        common.plies(),
        "wrong %, mEq lost"
    );
    for decision in DECISIONS {
        text.push_str(&format!("{decision:>18}"));
    }
    text.push('\n');
    for (at, rule) in RULES.iter().enumerate() {
        text.push_str(&format!("{rule:<26}"));
        for decision in 0..DECISIONS.len() {
            let each = judged.iter().map(|tally| tally[at][decision]);
            let (wrong, lost) = each.fold((0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let mean = |sum: f64| sum / count.max(1) as f64;
            let percent = 100.0 * mean(wrong as f64);
            text.push_str(&format!("{percent:>9.2} {:>8.3}", 1000.0 * mean(lost)));
        }
        text.push('\n');
    }
    let mut out = Output::new();
    out.print(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the positions of a file.
fn read(path: &Path) -> Result<Vec<Position>, Failure> {
    let mut input =
        BufReader::new(gammond_base::files::open(path).map_err(Failure::in_file(path))?);
    let (mut positions, mut line) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        let mut bounded = (&mut input).take(RECORD_LINE_BYTES_MAX as u64 + 1);
        if bounded
            .read_until(b'\n', &mut line)
            .map_err(Failure::in_file(path))?
            == 0
        {
            break;
        }
        if line.len() > RECORD_LINE_BYTES_MAX {
            let reason = format!("line {number} is longer than {RECORD_LINE_BYTES_MAX} bytes");
            return Err(Failure::in_file(path)(reason));
        }
        let found = match BenchmarkRecord::parse(line.trim_ascii_end()) {
            Ok(BenchmarkRecord::Position(one)) => Ok(Some(one.position)),
            Ok(BenchmarkRecord::Other(text)) if !text.trim().is_empty() => {
                position_of(text.as_bytes()).map(Some)
            }
            Ok(_) => Ok(None),
            Err(error) => Err(error.into()),
        };
        positions
            .extend(found.map_err(|error| {
                Failure::in_file(path)(within(format!("line {number}"), error))
            })?);
    }
    Ok(positions)
}

/// Counts the errors of each rule in a position, with their losses.
fn judge(
    engine: &Engine,
    tables: &Tables,
    settings: &Settings,
    position: &Position,
) -> Option<Tally> {
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let answer = |cube| {
        let state = MatchState {
            cube,
            ..MatchState::money(rules)
        };
        let query = CubeQuery::new(*position, state);
        engine.cube_action(&query, settings, &Stop::never()).ok()
    };
    let centred = answer(Cube::CENTRED)?;
    let owned = answer(Cube::new(2, CubeOwner::Me).ok()?)?;
    let mut tally = Tally::default();
    for (row, advice) in tally.iter_mut().zip(advices(tables, position)?) {
        row[0] = double_lost(&centred, advice.double);
        row[1] = double_lost(&owned, advice.redouble);
        let lost = centred.double_take.equity - centred.double_pass.equity;
        let wrong = (lost < 0.0) != advice.take && lost != 0.0;
        row[2] = (u64::from(wrong), if wrong { lost.abs() } else { 0.0 });
    }
    Some(tally)
}

/// Returns 1 if the decision to double or not is wrong, else 0, and its loss.
fn double_lost(answer: &CubeAnswer, doubles: bool) -> (u64, f64) {
    let doubled = answer.double_take.equity.min(answer.double_pass.equity);
    let gain = doubled - answer.no_double.equity;
    let wrong = if doubles { gain < 0.0 } else { gain > 0.0 };
    (u64::from(wrong), if wrong { gain.abs() } else { 0.0 })
}

/// Returns the advice of the rules, in the order of their names.
fn advices(tables: &Tables, position: &Position) -> Option<[RaceAdvice; RULES.len()]> {
    let counts = RaceCounts::of(position)?;
    let effective = |side: Side| {
        let rolls = tables.distribution(side)?.expected_rolls();
        Some(f64::from(rolls * EFFECTIVE_PIPS_A_ROLL))
    };
    let [me, opponent] = [position.me(), position.opponent()];
    let pips = [me, opponent].map(|side| f64::from(side.pips()));
    let wasted = [effective(me)?, effective(opponent)?];
    Some([
        RaceAdvice::by_lead(pips),
        RaceAdvice::by_lead(wasted),
        counts.by_thorp(),
        counts.by_keith(),
        counts.by_kleinman(),
        RaceAdvice::by_kleinman(wasted),
    ])
}
