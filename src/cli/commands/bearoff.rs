//! `gammond bearoff`: bearoff databases are made, asked and described.

use super::{bearoff_hyper, bearoff_score};
use crate::{Common, Failure, Format, ProgressArgs, data_folders, print, stopped};
use gammond_base::files::create_folder;
use gammond_base::journal::check_writable;
use gammond_engine::bearoff::{
    BearoffError, Database, Distribution, EFFECTIVE_PIPS_A_ROLL, Layout, MADE_POINTS_MAX,
    MAX_CHECKERS, MAX_POINTS, Numbering, OneSided, ROLLS_MAX, TwoSided, make, make_race_table,
    make_two_sided, part_of, save,
};
use gammond_game::Side;
use gammond_game::notation::{PositionId, parse_position};
use gammond_job::{Control, Progress};
use gammond_protocol::answer::{chances_value, number_value};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Positions of one side in a one-sided database that we make, at most: 10 points, 15 checkers.
const ONE_SIDED_MAX: usize = 3_300_000;
/// Pairs of positions in a two-sided one, at most: 6 points and 10 checkers.
const TWO_SIDED_MAX: usize = 65_000_000;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Make a database: GNU Backgammon's (*.bd) or, one-sided, a race table of ours (*.race).
    #[command(after_help = "Example: gammond bearoff make gnubg_os.bd --points 8")]
    Make(Make),
    /// Look up a position in the databases.
    #[command(after_help = "Example: gammond bearoff probe d1cBAODuKgAAAA")]
    Probe {
        /// The position in any form.
        position: String,
        /// Ask the table of hypergammon with so many checkers.
        #[arg(long, value_name = "CHECKERS", value_parser = clap::value_parser!(u8).range(1..=3))]
        hyper: Option<u8>,
    },
    /// Write a benchmark file with the exact equities of the tables, or make one of race positions.
    #[command(after_help = "Example: gammond bearoff score race.bm > exact.bm")]
    Score(bearoff_score::Args),
    /// Describe a file; without a file, the tables in the program.
    #[command(after_help = "Example: gammond bearoff info gnubg_os.bd")]
    Info {
        /// The database.
        file: Option<PathBuf>,
    },
}

#[derive(clap::Args, Debug)]
struct Make {
    /// The file to write: *.race for a race table of ours, which holds up to 15 points in three
    /// quarters of the space. An existing file is replaced only if it is the same database. Without a file the
    /// database goes where the program finds it. Without any argument the tables that gain most in one
    /// gigabyte are made there, unless they exist: a race table of 12 points, and the endings of six
    /// points with ten checkers a side. It takes some minutes.
    file: Option<PathBuf>,
    /// The rolls that one side needs: the default without --two-sided.
    #[arg(long, conflicts_with = "two_sided")]
    one_sided: bool,
    /// Both sides' endings, instead of the rolls that one side needs.
    #[arg(long)]
    two_sided: bool,
    /// The table of hypergammon with so many checkers, in GNU Backgammon's format: all positions solved, with the cube.
    /// 3 checkers take 300 MB, 390 MB more until it is complete, and half an hour of a core.
    #[arg(long, value_name = "CHECKERS", value_parser = clap::value_parser!(u8).range(1..=3),
        conflicts_with_all = ["one_sided", "two_sided", "points", "checkers", "no_gammons", "no_compress"])]
    hyper: Option<u8>,
    /// Points covered; default 6, for a race table 12.
    #[arg(long, value_name = "N")]
    points: Option<usize>,
    /// Most checkers of a side; default 15, with --two-sided 6.
    #[arg(long, value_name = "N")]
    checkers: Option<usize>,
    /// Without rolls to the first checker off.
    #[arg(long, conflicts_with = "two_sided")]
    no_gammons: bool,
    /// All values, zeros as well.
    #[arg(long, conflicts_with = "two_sided")]
    no_compress: bool,
    /// Without equities for the places of the cube.
    #[arg(long, requires = "two_sided")]
    no_cube: bool,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let answer = match &args.command {
        Command::Make(make) => match run_make(common, make)? {
            MakeOutcome::All(answer) => answer,
            MakeOutcome::Stopped(code) => return Ok(code),
        },
        Command::Probe { position, hyper } => probe(common, position, *hyper)?,
        Command::Score(score) => return bearoff_score::run(common, score),
        Command::Info { file: Some(file) } => info(&Database::open(file)?, Some(file)),
        Command::Info { file: None } => json!({
            "type": "bearoff-info",
            "tables": [
                info(&Database::OneSided(OneSided::built_in()), None),
                info(&Database::TwoSided(TwoSided::built_in()), None),
            ],
        }),
    };
    let text = match common.format {
        Some(Format::Json) => answer.to_string(),
        None if !stdout().is_terminal() => answer.to_string(),
        _ => text_report(&answer),
    };
    print(format!("{}\n", text.trim_end()).as_bytes())
}

impl From<BearoffError> for Failure {
    fn from(error: BearoffError) -> Self {
        Failure::file(error)
    }
}

/// Format of a database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    OneSided,
    TwoSided,
    /// One-sided, in our own format.
    Race,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::OneSided => "one-sided",
            Form::TwoSided => "two-sided",
            Form::Race => "race table",
        }
    }

    /// Returns true if a database of this number of points can be made, at least with one checker.
    fn fits_points(self, points: usize) -> bool {
        Numbering::new(points, 1).is_some_and(|numbering| self.fits(numbering))
    }

    /// Returns true if a database of this size can be made.
    fn fits(self, numbering: Numbering) -> bool {
        let positions = numbering.positions();
        match self {
            Form::OneSided => positions <= ONE_SIDED_MAX,
            Form::TwoSided => positions.saturating_mul(positions) <= TWO_SIDED_MAX,
            Form::Race => numbering.points() <= MADE_POINTS_MAX,
        }
    }
}

/// Databases that are made by default: form, points, checkers. 521 and 513 MB.
const DEFAULT_SET: [(Form, usize, usize); 2] = [(Form::Race, 12, 15), (Form::TwoSided, 6, 10)];

impl Make {
    /// Returns true if no option names a database.
    fn is_bare(&self) -> bool {
        let numbers = self.points.is_some() || self.checkers.is_some();
        let forms = self.one_sided || self.two_sided || self.no_gammons || self.no_compress;
        self.file.is_none() && !numbers && !forms && self.hyper.is_none()
    }
}

/// Result of making databases.
enum MakeOutcome {
    /// Description of the databases.
    All(Value),
    /// The computation was stopped, and the way to resume it was printed.
    Stopped(ExitCode),
}

/// Makes the tables that pay most, those that are not there yet.
fn make_set(common: &Common, mut control: Control<'_>) -> Result<MakeOutcome, Failure> {
    let mut tables = Vec::new();
    for (form, points, checkers) in DEFAULT_SET {
        let numbering = numbering(points, checkers, form)?;
        let file = where_found(numbering, form)?;
        only_over_its_like(&file, |found| is_like(found, numbering, form))?;
        if !file.exists() {
            check_writable(&file).map_err(Failure::in_file(&file))?;
            let name = file.file_name().unwrap_or_default();
            control.task = name.to_string_lossy().into_owned();
            let complete = match form {
                Form::Race => make_race(common, &file, numbering, &mut control)?,
                _ => make_pairs(&file, numbering, true, &mut control)?,
            };
            if !complete {
                return Ok(ended(control, &file, form != Form::OneSided));
            }
        }
        tables.push(info(&Database::open(&file)?, Some(&file)));
    }
    Ok(MakeOutcome::All(
        json!({"type": "bearoff-info", "tables": tables}),
    ))
}

/// Reports the progress of the work, and ends it when it is to stop.
fn watching<'a>(
    control: &'a mut Control<'_>,
    unit: &'static str,
) -> impl FnMut(usize, usize) -> bool + 'a {
    move |done, all| {
        let progress = Progress::new(unit, done as u64, Some(all as u64));
        control.report_progress(progress, done >= all);
        !control.stop.is_triggered()
    }
}

/// Writes a database that was made to its end.
fn saved(file: &Path, bytes: Option<Vec<u8>>) -> Result<bool, Failure> {
    match bytes {
        Some(bytes) => Ok(save(file, &bytes).map(|()| true)?),
        None => Ok(false),
    }
}

/// Makes a table of hypergammon.
fn make_hyper(
    common: &Common,
    make: &Make,
    checkers: u8,
    mut control: Control<'_>,
) -> Result<MakeOutcome, Failure> {
    let file = match &make.file {
        Some(file) => file.clone(),
        None => found_folder()?.join(bearoff_hyper::file_name(checkers)),
    };
    if file.extension().is_some_and(|it| it == "race") {
        let text = "--hyper is for GNU Backgammon's format (*.bd), as in hyper3.bd";
        return Err(Failure::usage(text));
    }
    only_over_its_like(&file, |found| bearoff_hyper::is_like(found, checkers))?;
    check_writable(&file).map_err(Failure::in_file(&file))?;
    warn_of_the_partial_file(&file);
    if !bearoff_hyper::make(common, &file, checkers, &mut control)? {
        return Ok(ended(control, &file, true));
    }
    drop(control);
    Ok(MakeOutcome::All(info(&Database::open(&file)?, Some(&file))))
}

/// Prints how to resume after a stop; what is `kept` stands in the partial file.
fn ended(control: Control<'_>, file: &Path, kept: bool) -> MakeOutcome {
    // Takes the bar off the screen.
    drop(control);
    MakeOutcome::Stopped(match kept {
        true => stopped(Some(&part_of(file)), ""),
        false => stopped(None, "nothing was written; the same command starts again"),
    })
}

fn run_make(common: &Common, make: &Make) -> Result<MakeOutcome, Failure> {
    let mut control = make.progress.control()?;
    if make.is_bare() {
        return make_set(common, control);
    }
    if let Some(file) = &make.file
        && !file
            .extension()
            .is_some_and(|it| it == "bd" || it == "race")
        && file.symlink_metadata().is_err()
    {
        let text = format!(
            "'{}' ends neither with .bd (GNU Backgammon's format) nor with .race (gammond's); points are set with --points",
            file.display()
        );
        return Err(Failure::usage(text));
    }
    if let Some(checkers) = make.hyper {
        return make_hyper(common, make, checkers, control);
    }
    let is_race = |file: &PathBuf| file.extension().is_some_and(|it| it == "race");
    let form = match &make.file {
        _ if make.two_sided => Form::TwoSided,
        Some(file) if !is_race(file) => Form::OneSided,
        _ => Form::Race,
    };
    let race = form == Form::Race;
    let checkers = make.checkers.unwrap_or(if make.two_sided { 6 } else { 15 });
    let points = make.points.unwrap_or(if race { 12 } else { 6 });
    let numbering = numbering(points, checkers, form)?;
    if race && (make.no_gammons || make.no_compress) {
        let text = "--no-gammons and --no-compress are for GNU Backgammon's format (*.bd)";
        return Err(Failure::usage(text));
    }
    let file = match &make.file {
        Some(file) => file.clone(),
        None => where_found(numbering, form)?,
    };
    only_over_its_like(&file, |found| is_like(found, numbering, form))?;
    check_writable(&file).map_err(Failure::in_file(&file))?;
    let complete = match form {
        Form::Race => make_race(common, &file, numbering, &mut control)?,
        Form::TwoSided => make_pairs(&file, numbering, !make.no_cube, &mut control)?,
        Form::OneSided if make.no_gammons && points > 6 => {
            let text = "--no-gammons is for up to six points: no program can use more";
            return Err(Failure::usage(text));
        }
        Form::OneSided => {
            let (gammons, compressed) = (!make.no_gammons, !make.no_compress);
            let mut watch = watching(&mut control, "positions");
            let bytes = make::one_sided_watched(numbering, gammons, compressed, &mut watch);
            saved(&file, bytes)?
        }
    };
    if !complete {
        return Ok(ended(control, &file, form != Form::OneSided));
    }
    let database = Database::open(&file)?;
    warn_of_cut_tails(&database);
    Ok(MakeOutcome::All(info(&database, Some(&file))))
}

/// Warns when positions need more rolls than GNU Backgammon's layout can hold.
fn warn_of_cut_tails(database: &Database) {
    let Database::OneSided(table) = database else {
        return;
    };
    let (cut, most) = (table.cut_tails(), ROLLS_MAX - 1);
    if cut > 0 {
        stderr_line!(
            "gammond: {cut} positions may need {most} rolls: this format ends there, and rolls beyond it were cut off; \
             a race table (*.race) holds them"
        );
    }
}

/// Returns the folder where databases are searched.
fn found_folder() -> Result<PathBuf, Failure> {
    let Some(folder) = data_folders().next() else {
        let text = "no home folder; name the file to write";
        return Err(Failure::usage(text));
    };
    let folder = folder.join("gammond/bearoff");
    create_folder(&folder).map_err(Failure::in_file(&folder))?;
    Ok(folder)
}

/// Returns a path in that folder.
fn where_found(numbering: Numbering, form: Form) -> Result<PathBuf, Failure> {
    let folder = found_folder()?;
    let (points, checkers) = (numbering.points(), numbering.checkers());
    Ok(folder.join(match form {
        Form::Race => format!("{points}x{checkers}.race"),
        Form::OneSided => format!("os-{points}x{checkers}.bd"),
        Form::TwoSided => format!("ts-{points}x{checkers}.bd"),
    }))
}

/// Makes a race table, or resumes one. Returns true when it is done.
fn make_race(
    common: &Common,
    file: &Path,
    numbering: Numbering,
    control: &mut Control<'_>,
) -> Result<bool, Failure> {
    common.start_threads();
    warn_of_the_partial_file(file);
    let mut watch = watching(control, "positions");
    Ok(make_race_table(file, numbering, &mut watch)?)
}

/// Makes a two-sided database, or resumes one. Returns true when it is done.
fn make_pairs(
    file: &Path,
    numbering: Numbering,
    cubeful: bool,
    control: &mut Control<'_>,
) -> Result<bool, Failure> {
    warn_of_the_partial_file(file);
    let mut watch = watching(control, "pairs");
    Ok(make_two_sided(file, numbering, cubeful, &mut watch)?)
}

fn warn_of_the_partial_file(file: &Path) {
    if part_of(file).exists() {
        stderr_line!("gammond: going on with {}", part_of(file).display());
    }
}

/// Returns the positions to be covered, or an error if no such database can be made.
fn numbering(points: usize, checkers: usize, form: Form) -> Result<Numbering, Failure> {
    if !(1..=MAX_CHECKERS).contains(&checkers) {
        let text = format!("--checkers {checkers}, expected 1 to {MAX_CHECKERS}");
        return Err(Failure::usage(text));
    }
    let fits = |points: usize| {
        let numbering = Numbering::new(points, checkers)?;
        form.fits(numbering).then_some(numbering)
    };
    fits(points).ok_or_else(|| {
        // One point is always within reach.
        let most = (1..=MAX_POINTS).rfind(|&points| fits(points).is_some());
        let (most, kind) = (most.unwrap_or(1), form.name());
        let mut text =
            format!("--points {points}, expected 1 to {most} ({kind} with {checkers} checkers)");
        if form == Form::OneSided && Form::Race.fits_points(points) {
            text.push_str("; a race table (*.race) can hold them");
        }
        Failure::usage(text)
    })
}

/// Returns an error unless nothing or the same database is at the path.
fn only_over_its_like(path: &Path, is_same: impl FnOnce(&Database) -> bool) -> Result<(), Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let kind = match Database::open(path) {
        Ok(found) if is_same(&found) => return Ok(()),
        Ok(_) => "another bearoff database",
        Err(_) => "not a complete bearoff database",
    };
    let text = format!(
        "{}: exists and is {kind}; nothing was written",
        path.display()
    );
    Err(Failure::file(text))
}

/// Returns true for a database of this form and size.
fn is_like(database: &Database, numbering: Numbering, form: Form) -> bool {
    let found = match database {
        Database::OneSided(table) => (Form::OneSided, table.numbering()),
        Database::TwoSided(table) => (Form::TwoSided, table.numbering()),
        Database::Race(table) => (Form::Race, table.numbering()),
        Database::Hypergammon(_) => return false,
    };
    found == (form, numbering)
}

fn info(database: &Database, file: Option<&Path>) -> Value {
    let mut answer = match database {
        Database::OneSided(table) => json!({
            "kind": "one-sided",
            "points": table.numbering().points(),
            "checkers": table.numbering().checkers(),
            "positions": table.numbering().positions(),
            "gammons": table.has_gammons(),
            "layout": match table.layout() {
                Layout::Plain => "plain",
                Layout::Compressed => "compressed",
                Layout::Normal => "normal laws",
            },
            "bytes": table.file_bytes(),
        }),
        Database::Race(table) => json!({
            "kind": "race table",
            "points": table.numbering().points(),
            "checkers": table.numbering().checkers(),
            "positions": table.numbering().positions(),
            "gammons": true,
            "bytes": table.file_bytes(),
        }),
        Database::TwoSided(table) => json!({
            "kind": "two-sided",
            "points": table.numbering().points(),
            "checkers": table.numbering().checkers(),
            "positions": table.numbering().positions(),
            "cubeful": table.is_cubeful(),
            "bytes": table.file_bytes(),
        }),
        Database::Hypergammon(table) => bearoff_hyper::info(table),
    };
    answer["source"] = file.map_or_else(|| json!("built in"), |file| json!(file));
    answer
}

fn probe(common: &Common, text: &str, hyper: Option<u8>) -> Result<Value, Failure> {
    let position = parse_position(text.as_bytes())
        .map_err(Failure::work)?
        .position;
    let tables = common.tables()?;
    if let Some(checkers) = hyper {
        return bearoff_hyper::probe(&tables, &position, checkers);
    }
    let mut answer = json!({
        "type": "bearoff",
        "position": PositionId::from(position).to_string(),
        "class": tables.class(&position).to_string(),
    });
    if let Some(chances) = tables.chances(&position) {
        answer["probabilities"] = chances_value(&chances);
        answer["equity"] = json!({"cubeless": number_value(chances.equity())});
    }
    if let Some([owned, centred, opponent_owns]) = tables.exact_cubeful(&position) {
        answer["equity"]["i_own"] = number_value(owned);
        answer["equity"]["centred"] = number_value(centred);
        answer["equity"]["opponent_owns"] = number_value(opponent_owns);
    }
    for (name, side) in [("me", position.me()), ("opponent", position.opponent())] {
        if let Some(distribution) = tables.distribution(side) {
            answer["rolls"][name] = rolls(side, &distribution);
        }
    }
    if answer.get("rolls").is_none() && answer.get("probabilities").is_none() {
        return Err(Failure::work(
            "no database covers this position or one of its sides",
        ));
    }
    Ok(answer)
}

/// Returns the mean and probabilities of numbers of rolls, from 0 to the last that is possible.
fn rolls(side: Side, distribution: &Distribution) -> Value {
    let list = |values: &[u16]| -> Value {
        let end = values.iter().rposition(|&value| value > 0).unwrap_or(0) + 1;
        let shares = values[..end]
            .iter()
            .map(|&value| f64::from(value) / 65535.0);
        json!(shares.collect::<Vec<f64>>())
    };
    let effective = distribution.expected_rolls() * EFFECTIVE_PIPS_A_ROLL;
    let mut answer = json!({
        "mean": distribution.expected_rolls(),
        "effective_pips": effective,
        "wastage": effective - side.pips() as f32,
        "all_off": list(&distribution.win),
    });
    if side.off() == 0 {
        answer["first_off"] = list(&distribution.gammon);
    }
    answer
}

/// Returns the answer for people: a line for each value, lists of chances as percentages.
fn text_report(answer: &Value) -> String {
    fn add(text: &mut String, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (field, value) in fields.iter().filter(|(field, _)| *field != "type") {
                    let whole = [name, field].join(if name.is_empty() { "" } else { " " });
                    add(text, &whole, value);
                }
            }
            Value::Array(values) if values.iter().all(Value::is_number) => {
                let _ = write!(text, "{name}:");
                for (rolls, share) in values.iter().enumerate() {
                    if let Some(share) = share.as_f64().filter(|&share| share > 0.0) {
                        let _ = write!(text, " {rolls}: {:.3}%", 100.0 * share);
                    }
                }
                text.push('\n');
            }
            Value::Array(values) => {
                for value in values {
                    add(text, name, value);
                    text.push('\n');
                }
            }
            Value::String(value) => {
                let _ = writeln!(text, "{name}: {value}");
            }
            other => {
                let _ = writeln!(text, "{name}: {other}");
            }
        }
    }
    let mut text = String::new();
    add(&mut text, "", answer);
    text.replace('_', " ")
}
