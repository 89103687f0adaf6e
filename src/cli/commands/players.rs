//! `gammond players`.

use crate::{Archive, Common, Failure, Format, Played, Sums, json_line, print};
use gammond_base::escape::{Terminal, Untrusted};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The archive that `gammond analyse --db` made.
    #[arg(long, value_name = "FILE")]
    db: PathBuf,
    /// Only this player, match by match.
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Longest bar of the chart, for an error rate of [`RATE_MAX`].
const BAR: f64 = 40.0;
const RATE_MAX: f64 = 40.0;

impl Sums {
    fn rate(&self) -> Option<f64> {
        (self.decisions > 0).then(|| 1000.0 * self.loss / self.decisions as f64)
    }

    fn performance(&self) -> Option<f64> {
        (self.counted > 0).then(|| 500.0 * self.loss / self.counted as f64)
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let archive = Archive::existing(&args.db)?;
    let as_json = common.format == Some(Format::Json);
    if let Some(name) = &args.name {
        let matches = archive.history(name)?;
        if matches.is_empty() {
            let none = format!("{}: no player is called '{name}'", args.db.display());
            return Err(Failure::work(none));
        }
        return print(history(name, &matches, as_json).as_bytes());
    }
    let players = archive.players()?;
    if players.is_empty() {
        return Err(Failure::in_file(&args.db)("contains no match"));
    }
    print(all(&players, as_json).as_bytes())
}

fn shown(value: Option<f64>) -> String {
    value.map_or("n/a".to_owned(), |value| format!("{value:.2}"))
}

/// Most characters of a name in a column.
const NAME: usize = 24;

fn all(players: &[(Untrusted, Sums)], as_json: bool) -> String {
    let mut text = String::new();
    if !as_json {
        text.push_str(
            "player                    matches  won  decisions  error rate     PR     luck\n",
        );
    }
    for (name, sums) in players {
        text.push_str(&if as_json {
            let value = json!({"type": "player", "name": name, "matches": sums.matches, "won": sums.won,
                "decisions": sums.decisions, "error_rate": {"gnubg": sums.rate(), "pr": sums.performance()},
                "luck": {"emg": sums.luck}});
            json_line(&value)
        } else {
            format!(
                "{:<24}  {:7}  {:3}  {:9}  {:>10}  {:>5}  {:+7.2}\n",
                name.terminal().at_most(NAME),
                sums.matches,
                sums.won,
                sums.decisions,
                shown(sums.rate()),
                shown(sums.performance()),
                sums.luck
            )
        });
    }
    text
}

fn history(name: &str, matches: &[Played], as_json: bool) -> String {
    let mut text = String::new();
    if !as_json {
        let _ = std::fmt::Write::write_fmt(
            &mut text,
            format_args!(
                "{}: {}; error rate in thousandths, luck in points, a bar of {BAR} signs for a rate of {RATE_MAX}\n",
                Terminal::new(name).at_most(NAME),
                match matches.len() {
                    1 => "1 match".to_owned(),
                    count => format!("{count} matches"),
                }
            ),
        );
    }
    for played in matches {
        let one = &played.sums;
        let rate = one.rate();
        let [mine, theirs] = played.score;
        text.push_str(&if as_json {
            let value = json!({"type": "match", "file": played.file, "against": played.against, "length": played.length,
                "score": played.score, "result": played.result, "decisions": one.decisions,
                "error_rate": {"gnubg": rate, "pr": one.performance()}, "luck": {"emg": one.luck}});
            json_line(&value)
        } else {
            let file = played.file.raw().rsplit('/').next().unwrap_or_default();
            let length = (rate.unwrap_or(0.0) / RATE_MAX * BAR).clamp(0.0, BAR);
            format!(
                "{:>7} {:+6.2} {:<40}  {mine}-{theirs} {} against {}, {}\n",
                shown(rate),
                one.luck,
                "#".repeat(length as usize),
                match played.length {
                    0 => "for money".to_owned(),
                    length => format!("to {length}"),
                },
                played.against.terminal().at_most(NAME),
                Terminal::new(file).at_most(NAME)
            )
        });
    }
    text
}
