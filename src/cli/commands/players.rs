//! `gammond players`.

use crate::cli::{ARCHIVE_BYTES_MAX, Common, Failure, Format, print};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

/// A player's part of one match.
struct Played {
    file: String,
    against: String,
    length: u64,
    score: [u64; 2],
    result: f64,
    decisions: f64,
    counted: f64,
    loss: f64,
    luck: f64,
}

/// Sums over matches.
#[derive(Default)]
struct Sums {
    matches: u64,
    won: u64,
    decisions: f64,
    counted: f64,
    loss: f64,
    luck: f64,
}

impl Sums {
    fn add(&mut self, played: &Played) {
        self.matches += 1;
        self.won += u64::from(played.result > 0.0);
        self.decisions += played.decisions;
        self.counted += played.counted;
        self.loss += played.loss;
        self.luck += played.luck;
    }

    fn rate(&self) -> Option<f64> {
        (self.decisions > 0.0).then(|| 1000.0 * self.loss / self.decisions)
    }

    fn performance(&self) -> Option<f64> {
        (self.counted > 0.0).then(|| 500.0 * self.loss / self.counted)
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let path = &args.db;
    let text = crate::files::read_text(path, ARCHIVE_BYTES_MAX).map_err(Failure::in_file(path))?;
    let mut players: BTreeMap<String, Vec<Played>> = BTreeMap::new();
    for line in text.lines() {
        // What a program that was killed left behind is passed over.
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        for player in [0, 1] {
            if let Some((name, played)) = part(&value, player) {
                players.entry(name).or_default().push(played);
            }
        }
    }
    if players.is_empty() {
        return Err(Failure::in_file(path)("has no match in it"));
    }
    let as_json = common.format == Some(Format::Json);
    let Some(name) = &args.name else {
        return print(all(&players, as_json).as_bytes());
    };
    let Some(matches) = players.get(name) else {
        return Err(Failure::work(format!(
            "{}: nobody is called '{name}'",
            path.display()
        )));
    };
    print(history(name, matches, as_json).as_bytes())
}

/// What one of the two did in a match of the archive.
fn part(value: &Value, player: usize) -> Option<(String, Played)> {
    let name = |player: usize| Some(value.get("players")?.get(player)?.as_str()?.to_owned());
    let totals = value.get("totals")?.get(player)?;
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let score = |player: usize| value.get("score")?.get(player)?.as_u64();
    let played = Played {
        file: value.get("file")?.as_str()?.to_owned(),
        against: name(1 - player)?,
        length: value.get("length")?.as_u64()?,
        score: [score(player)?, score(1 - player)?],
        result: number(totals.get("result"))?,
        decisions: number(totals.get("decisions"))?,
        counted: number(totals.get("counted"))?,
        loss: number(totals.get("loss")?.get("emg"))?,
        luck: number(totals.get("luck")?.get("emg"))?,
    };
    Some((name(player)?, played))
}

fn shown(value: Option<f64>) -> String {
    value.map_or("n/a".to_owned(), |value| format!("{value:.2}"))
}

/// A name that fits into a column.
fn short(name: &str) -> String {
    name.chars()
        .filter(|sign| !sign.is_control())
        .take(24)
        .collect()
}

fn all(players: &BTreeMap<String, Vec<Played>>, as_json: bool) -> String {
    let mut text = String::new();
    if !as_json {
        text.push_str(
            "player                    matches  won  decisions  error rate     PR     luck\n",
        );
    }
    for (name, matches) in players {
        let mut sums = Sums::default();
        matches.iter().for_each(|played| sums.add(played));
        text.push_str(&if as_json {
            let value = json!({"type": "player", "name": name, "matches": sums.matches, "won": sums.won,
                "decisions": sums.decisions, "error_rate": {"gnubg": sums.rate(), "pr": sums.performance()},
                "luck": {"emg": sums.luck}});
            format!("{value}\n")
        } else {
            format!(
                "{:<24}  {:7}  {:3}  {:9}  {:>10}  {:>5}  {:+7.2}\n",
                short(name),
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
                "{}: {} matches; a bar of {BAR} signs is an error rate of {RATE_MAX}\n",
                short(name),
                matches.len()
            ),
        );
    }
    for played in matches {
        let mut one = Sums::default();
        one.add(played);
        let rate = one.rate();
        let [mine, theirs] = played.score;
        text.push_str(&if as_json {
            let value = json!({"type": "match", "file": played.file, "against": played.against, "length": played.length,
                "score": played.score, "result": played.result, "decisions": played.decisions,
                "error_rate": {"gnubg": rate, "pr": one.performance()}, "luck": {"emg": played.luck}});
            format!("{value}\n")
        } else {
            let length = (rate.unwrap_or(0.0) / RATE_MAX * BAR).clamp(0.0, BAR);
            format!(
                "{:>7} {:+6.2} {:<40}  {mine}-{theirs} to {} against {}, {}\n",
                shown(rate),
                played.luck,
                "#".repeat(length as usize),
                played.length,
                short(&played.against),
                short(played.file.rsplit('/').next().unwrap_or_default())
            )
        });
    }
    text
}
