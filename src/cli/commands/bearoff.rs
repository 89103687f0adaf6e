//! `gammond bearoff`: bearoff databases are made, asked and described.

use crate::bearoff::{
    BearoffError, Database, Distribution, Layout, Numbering, OneSided, Tables, TwoSided, make, save,
};
use crate::cli::{Common, Failure, Format};
use crate::game::Side;
use crate::notation::{PositionId, parse_position};
use crate::protocol::answer::{chances_value, number_value};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write, stdout};
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
    /// Make a database in GNU Backgammon's format.
    Make(Make),
    /// What the databases know about a position.
    Probe {
        /// The position in any form.
        position: String,
    },
    /// What a file holds; without a file, the tables in the program.
    Info {
        /// The database.
        file: Option<PathBuf>,
    },
}

#[derive(clap::Args, Debug)]
struct Make {
    /// The file to write; an existing one is replaced when all is done.
    file: PathBuf,
    /// Both sides' endings, instead of the rolls that one side needs.
    #[arg(long)]
    two_sided: bool,
    /// Points covered.
    #[arg(long, value_name = "N", default_value_t = 6)]
    points: usize,
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
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let answer = match &args.command {
        Command::Make(make) => run_make(make)?,
        Command::Probe { position } => probe(common, position)?,
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
        _ => people(&answer),
    };
    // Whoever closed the pipe does not want to know.
    let _ = writeln!(stdout().lock(), "{}", text.trim_end());
    Ok(ExitCode::SUCCESS)
}

impl From<BearoffError> for Failure {
    fn from(error: BearoffError) -> Self {
        Failure::File(error.to_string())
    }
}

fn run_make(make: &Make) -> Result<Value, Failure> {
    let checkers = make.checkers.unwrap_or(if make.two_sided { 6 } else { 15 });
    let numbering = Numbering::new(make.points, checkers)
        .ok_or_else(|| Failure::Usage("--points is 1 to 18, --checkers 1 to 15".into()))?;
    let positions = numbering.positions();
    let bytes = if make.two_sided {
        if positions.saturating_mul(positions) > TWO_SIDED_MAX {
            return Err(Failure::Usage(format!(
                "{positions} positions a side are too many for a two-sided database, at most 8062"
            )));
        }
        make::two_sided(numbering, !make.no_cube)
    } else {
        if positions > ONE_SIDED_MAX {
            return Err(Failure::Usage(format!(
                "{positions} positions are too many, at most {ONE_SIDED_MAX}"
            )));
        }
        if make.no_gammons && make.points > 6 {
            return Err(Failure::Usage(
                "--no-gammons is for up to six points: no program can use more".into(),
            ));
        }
        make::one_sided(numbering, !make.no_gammons, !make.no_compress)
    };
    save(&make.file, &bytes)?;
    Ok(info(&Database::open(&make.file)?, Some(&make.file)))
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
            "bytes": table.as_bytes().len(),
        }),
        Database::TwoSided(table) => json!({
            "kind": "two-sided",
            "points": table.numbering().points(),
            "checkers": table.numbering().checkers(),
            "positions": table.numbering().positions(),
            "cubeful": table.is_cubeful(),
            "bytes": table.as_bytes().len(),
        }),
        Database::Hypergammon(checkers) => json!({"kind": "hypergammon", "checkers": checkers}),
    };
    answer["source"] = file.map_or_else(|| json!("built in"), |file| json!(file));
    answer
}

fn probe(common: &Common, text: &str) -> Result<Value, Failure> {
    let position = parse_position(text.as_bytes())
        .map_err(|error| Failure::Work(error.to_string()))?
        .position;
    let opened;
    let tables = match &common.bearoff {
        Some(folder) => {
            opened = Tables::open(folder)?;
            &opened
        }
        None => Tables::shared(),
    };
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
        return Err(Failure::Work(
            "no database covers this position or one of its sides".into(),
        ));
    }
    Ok(answer)
}

/// Mean and probabilities of numbers of rolls, from 0 to the last that is possible.
fn rolls(side: Side, distribution: &Distribution) -> Value {
    let list = |values: &[u16]| -> Value {
        let end = values.iter().rposition(|&value| value > 0).unwrap_or(0) + 1;
        let shares = values[..end]
            .iter()
            .map(|&value| f64::from(value) / 65535.0);
        json!(shares.collect::<Vec<f64>>())
    };
    let mut answer = json!({
        "mean": distribution.expected_rolls(),
        "all_off": list(&distribution.win),
    });
    if side.off() == 0 {
        answer["first_off"] = list(&distribution.gammon);
    }
    answer
}

/// The answer for people: a line for each value, lists of chances as percentages.
fn people(answer: &Value) -> String {
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
