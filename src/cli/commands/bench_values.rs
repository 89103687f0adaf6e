//! `gammond bench --values`: static equities beside labels.

use crate::benchmark::LINE_BYTES_MAX;
use crate::benchmark::values::{ValueTally, Valued, errors, paired, tally};
use crate::cli::{Common, Failure, Format, Output};
use crate::game::Group;
use crate::notation::{PositionChances, parse_training_line};
use crate::player::Player;
use crate::stats::Running;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Which labels, and how the errors are written.
pub(super) struct Labels<'a> {
    /// Files of training lines.
    pub(super) files: &'a [PathBuf],
    /// Labels of the same positions by other dice.
    pub(super) twin: Option<&'a Path>,
    /// Comma-separated values instead of a table.
    pub(super) csv: bool,
}

/// A group that has labels: what each player scored, and the difference of two.
struct Row {
    group: Group,
    tallies: Vec<ValueTally>,
    difference: Option<Running>,
}

pub(super) fn run(
    common: &Common,
    players: &[Box<dyn Player>],
    wanted: &Labels<'_>,
) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    let mut damaged = false;
    for path in wanted.files {
        let labels = match wanted.twin {
            None => open(path, &mut damaged)?.map(twice).collect(),
            Some(twin) => both(path, twin, &mut damaged)?,
        };
        let rows = rows(&labels, players)?;
        let text = if wanted.csv {
            separated(path, &rows, players)
        } else if common.format == Some(Format::Json) {
            json(path, &rows, players)
        } else {
            people(path, &rows, players)
        };
        out.print(text.as_bytes())?;
        out.flush()?;
    }
    Ok(ExitCode::from(u8::from(damaged)))
}

/// The labels of a file; lines that are wrong are named and left out.
fn open(
    path: &Path,
    damaged: &mut bool,
) -> Result<impl Iterator<Item = PositionChances> + use<>, Failure> {
    let fail = |error: std::io::Error| Failure::File(format!("{}: {error}", path.display()));
    let mut input = BufReader::new(crate::files::open(path).map_err(fail)?);
    let mut labels = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut bounded = (&mut input).take(LINE_BYTES_MAX as u64);
        if bounded.read_until(b'\n', &mut line).map_err(fail)? == 0 {
            break;
        }
        match parse_training_line(line.trim_ascii()) {
            Ok(label) => labels.extend(label),
            Err(reason) => {
                eprintln!("gammond: {}: line {number}: {reason}", path.display());
                *damaged = true;
            }
        }
    }
    Ok(labels.into_iter())
}

fn twice(label: PositionChances) -> Valued {
    Valued {
        position: label.position,
        equities: [f64::from(label.chances.equity()); 2],
    }
}

fn both(path: &Path, twin: &Path, damaged: &mut bool) -> Result<Vec<Valued>, Failure> {
    let others: Vec<PositionChances> = open(twin, damaged)?.collect();
    let mut labels: Vec<Valued> = open(path, damaged)?.map(twice).collect();
    let same = (labels.iter().zip(&others)).all(|(one, two)| one.position == two.position);
    if !same || labels.len() != others.len() {
        return Err(Failure::File(format!(
            "{}: not the positions of {}",
            twin.display(),
            path.display()
        )));
    }
    for (label, other) in labels.iter_mut().zip(&others) {
        label.equities[1] = f64::from(other.chances.equity());
    }
    Ok(labels)
}

fn rows(labels: &[Valued], players: &[Box<dyn Player>]) -> Result<Vec<Row>, Failure> {
    let mut all = Vec::new();
    for player in players {
        let found = errors(labels, &**player).ok_or_else(|| {
            Failure::Usage(format!("player {}: it has no static values", player.name()))
        })?;
        all.push(found);
    }
    let row = |group| Row {
        group,
        tallies: all.iter().map(|e| tally(labels, e, group)).collect(),
        difference: match &all[..] {
            [first, second] => Some(paired(labels, [first, second], group)),
            _ => None,
        },
    };
    let mut rows: Vec<Row> = Group::ALL.into_iter().map(row).collect();
    rows.retain(|row| row.tallies.iter().any(|tally| tally.squares.count() > 0));
    Ok(rows)
}

fn people(path: &Path, rows: &[Row], players: &[Box<dyn Player>]) -> String {
    let mut text = format!("{}\n", path.display());
    for (index, player) in players.iter().enumerate() {
        text.push_str(&format!("{}: {}\n", index + 1, player.name()));
    }
    text.push_str(
        "Root mean square and mean error of the equity in thousandths of a point; difference: squares of the\n\
         first less those of the second, in millionths, with its 99 % interval.\n",
    );
    for row in rows {
        let count = row.tallies.first().map_or(0, |tally| tally.squares.count());
        text.push_str(&format!("{:<20} {count:>6}", row.group.to_string()));
        for tally in &row.tallies {
            let (root, mean) = (1000.0 * tally.root(), 1000.0 * tally.sizes.mean());
            text.push_str(&format!("  {root:>6.1} {mean:>6.1}"));
        }
        if let Some(difference) = &row.difference {
            let [low, high] = difference.interval99().map(|value| 1e6 * value);
            let mean = 1e6 * difference.mean();
            text.push_str(&format!("  {mean:+.0} [{low:+.0}, {high:+.0}]"));
        }
        text.push('\n');
    }
    text
}

fn separated(path: &Path, rows: &[Row], players: &[Box<dyn Player>]) -> String {
    let mut text = String::from(
        "file,group,player,labels,root_mean_square,mean_error,difference,standard_error\n",
    );
    for row in rows {
        for (player, tally) in players.iter().zip(&row.tallies) {
            let [mean, error] = (row.difference)
                .as_ref()
                .map_or([0.0; 2], |d| [d.mean(), d.standard_error()]);
            text.push_str(&format!(
                "{},{},\"{}\",{},{:.6},{:.6},{mean:.4e},{error:.2e}\n",
                path.display(),
                row.group,
                player.name(),
                tally.squares.count(),
                tally.root(),
                tally.sizes.mean()
            ));
        }
    }
    text
}

fn json(path: &Path, rows: &[Row], players: &[Box<dyn Player>]) -> String {
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
            let difference = row.difference.as_ref().map(|d| {
                serde_json::json!({
                    "mean": d.mean(), "standard_error": d.standard_error(), "interval99": d.interval99(),
                })
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
