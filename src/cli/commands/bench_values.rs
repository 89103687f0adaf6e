//! `gammond bench values`: static equities beside labels.

use crate::{Common, Failure, Format, Measured, Output, ProgressArgs, shown_path, stopped};
use gammond_arena::benchmark::values::{GroupErrors, LabelledPosition, by_group, read, valued};
use gammond_arena::player::Player;
use gammond_base::escape::CsvCell;
use gammond_base::stats::Running;
use gammond_game::notation::PositionChances;
use gammond_report::render::signed;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// First line of comma-separated values.
const CSV_HEAD: &str = "file,group,player,labels,root_mean_square,mean_error,difference,standard_error,\
                        mean_difference,mean_standard_error\n";

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Files of training lines (`KEY p0 p1 p2 p3 p4`, as `gammond label` writes them).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Labels of the same positions by other dice: squares of errors become products of those beside either label,
    /// which takes the labels' noise away.
    #[arg(long, value_name = "FILE")]
    twin: Option<PathBuf>,
    /// Comma-separated values instead of a table.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    players: Measured,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let players = args.players.open(common)?;
    let mut out = Output::new();
    let mut control = args.progress.control()?;
    let (mut damaged, mut unread) = (false, false);
    let mut head = CSV_HEAD;
    for path in &args.files {
        let labels = match labels_of(args, path, &mut damaged) {
            Ok(labels) => labels,
            // The other files are read (EXIT-04).
            Err(Failure::File(cause)) => {
                stderr_line!("gammond: {cause}");
                unread = true;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        control.task = path.display().to_string();
        let (rows, done) = by_group(&labels, &players, &mut control).map_err(Failure::usage)?;
        let text = if args.csv {
            format!(
                "{}{}",
                std::mem::take(&mut head),
                separated(path, &rows, &players)
            )
        } else if common.format == Some(Format::Json) {
            json(path, &rows, &players)
        } else {
            text_report(path, &rows, &players)
        };
        out.print(text.as_bytes())?;
        out.flush()?;
        if done < labels.len() {
            drop(control);
            let text = format!(
                "the last figures are those of the first {done} labels; the same command starts again"
            );
            return Ok(stopped(None, &text));
        }
    }
    Ok(ExitCode::from(match unread {
        true => Failure::FILE,
        false => u8::from(damaged),
    }))
}

/// Returns the labels of a file beside their twins, if there are any.
fn labels_of(
    args: &Args,
    path: &Path,
    damaged: &mut bool,
) -> Result<Vec<LabelledPosition>, Failure> {
    let labels = open(path, damaged)?;
    let twins = (args.twin.as_deref()).map(|twin| open(twin, damaged));
    let labels = valued(&labels, twins.transpose()?.as_deref()).ok_or_else(|| {
        let twin = args.twin.as_deref().unwrap_or(path).display();
        Failure::file(format!("{twin}: not the positions of {}", path.display()))
    })?;
    if labels.is_empty() {
        return Err(Failure::in_file(path)("contains no label"));
    }
    Ok(labels)
}

/// Returns the labels of a file; lines that are wrong are named and left out.
fn open(path: &Path, damaged: &mut bool) -> Result<Vec<PositionChances>, Failure> {
    let mut input =
        BufReader::new(gammond_base::files::open(path).map_err(Failure::in_file(path))?);
    let (labels, wrong) = read(&mut input).map_err(Failure::in_file(path))?;
    for (number, reason) in &wrong {
        stderr_line!("gammond: {}: line {number}: {reason}", path.display());
        *damaged = true;
    }
    Ok(labels)
}

fn text_report(path: &Path, rows: &[GroupErrors], players: &[Box<dyn Player>]) -> String {
    let mut text = format!("{}\n", shown_path(path));
    for (index, player) in players.iter().enumerate() {
        text.push_str(&format!("{}: {}\n", index + 1, player.name()));
    }
    text.push_str(
        "Root mean square and mean error of the equity in thousandths of a point; difference: squares of the\n\
         first less those of the second, in millionths, with its 99 % interval; then mean errors of the first\n\
         less those of the second, in thousandths (noise of the labels makes differences smaller).\n",
    );
    for row in rows {
        let count = row.tallies.first().map_or(0, |tally| tally.squares.count());
        text.push_str(&format!("{:<20} {count:>6}", row.group.to_string()));
        for tally in &row.tallies {
            let (root, mean) = (1000.0 * tally.root(), 1000.0 * tally.sizes.mean());
            text.push_str(&format!("  {root:>6.1} {mean:>6.1}"));
        }
        if let Some(difference) = &row.difference {
            for (running, unit, decimals) in
                [(&difference.squares, 1e6, 0), (&difference.sizes, 1e3, 2)]
            {
                let mean = unit * running.mean();
                let interval = match running.known_interval99() {
                    Some([low, high]) => {
                        format!(
                            "{}, {}",
                            signed(unit * low, decimals),
                            signed(unit * high, decimals)
                        )
                    }
                    None => "unknown".to_owned(),
                };
                text.push_str(&format!("  {} [{interval}]", signed(mean, decimals)));
            }
        }
        text.push('\n');
    }
    text
}

fn separated(path: &Path, rows: &[GroupErrors], players: &[Box<dyn Player>]) -> String {
    let mut text = String::new();
    for row in rows {
        for (player, tally) in players.iter().zip(&row.tallies) {
            let cells = |running: Option<Running>| {
                let mean = running.map(|one| format!("{:.4e}", one.mean()));
                let error = running.and_then(|one| one.known_error());
                let error = error.map(|error| format!("{error:.2e}"));
                format!("{},{}", mean.unwrap_or_default(), error.unwrap_or_default())
            };
            let squares = cells(row.difference.map(|both| both.squares));
            let sizes = cells(row.difference.map(|both| both.sizes));
            text.push_str(&format!(
                "{},{},{},{},{:.6},{:.6},{squares},{sizes}\n",
                CsvCell::text(&path.display().to_string()),
                row.group,
                CsvCell::text(&player.name()),
                tally.squares.count(),
                tally.root(),
                tally.sizes.mean()
            ));
        }
    }
    text
}

fn json(path: &Path, rows: &[GroupErrors], players: &[Box<dyn Player>]) -> String {
    let groups: Vec<_> = rows
        .iter()
        .map(|row| {
            let players: Vec<_> = (row.tallies.iter())
                .map(|tally| {
                    serde_json::json!({
                        "labels": tally.squares.count(), "root_mean_square": tally.root(),
                        "mean_error": tally.sizes.mean(),
                    })
                })
                .collect();
            let difference = row.difference.map(|difference| {
                let of = |d: &Running| {
                    serde_json::json!({
                        "mean": d.mean(), "standard_error": d.known_error(), "interval99": d.known_interval99(),
                    })
                };
                let mut told = of(&difference.squares);
                told["mean_error"] = of(&difference.sizes);
                told
            });
            serde_json::json!({
                "name": row.group.to_string(), "players": players, "difference": difference,
            })
        })
        .collect();
    let names: Vec<String> = players.iter().map(|player| player.name()).collect();
    let value = serde_json::json!({
        "file": path.display().to_string(), "players": names, "groups": groups,
    });
    format!("{value}\n")
}
