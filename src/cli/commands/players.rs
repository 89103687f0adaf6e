//! `gammond players`.

use crate::{Archive, Common, Failure, Format, Played, json_line, print};
use gammond_base::escape::{CsvCell, Terminal, Untrusted, csv_line};
use gammond_report::analysis::PlayerSums;
use gammond_report::render::signed;
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

/// Longest bar of the chart.
const BAR: f64 = 30.0;
/// The error rate of the longest bar, unless a match has a higher one.
const RATE: f64 = 40.0;
/// Columns of the lists as comma-separated values.
const PLAYERS_HEAD: &str = "name,matches,won,decisions,error_rate,pr,luck\n";
const HISTORY_HEAD: &str =
    "date,filed,file,against,length,score,against_score,result,decisions,error_rate,pr,luck\n";

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let archive = Archive::existing(&args.db)?;
    let text = match &args.name {
        Some(name) => {
            let matches = archive.history(name)?;
            if matches.is_empty() {
                let none = format!("{}: no player is called '{name}'", args.db.display());
                return Err(Failure::work(none));
            }
            match common.format {
                Some(Format::Json) => matches.iter().map(match_json).collect(),
                Some(Format::Csv) => csv(HISTORY_HEAD, &matches, match_csv),
                _ => chart(name, &matches),
            }
        }
        None => {
            let players = archive.players()?;
            if players.is_empty() {
                return Err(Failure::in_file(&args.db)("contains no match"));
            }
            match common.format {
                Some(Format::Json) => players.iter().map(player_json).collect(),
                Some(Format::Csv) => csv(PLAYERS_HEAD, &players, player_csv),
                _ => table(&players),
            }
        }
    };
    print(text.as_bytes())
}

fn csv<T>(head: &str, rows: &[T], row: impl Fn(&T) -> String) -> String {
    let rows: String = rows.iter().map(row).collect();
    format!("{head}{rows}")
}

/// Returns a figure as a cell; an empty one if there is none.
fn figure(value: Option<f64>) -> CsvCell<'static> {
    let text = value.map_or_else(String::new, |value| format!("{value:.4}"));
    CsvCell::plain(text)
}

fn shown(value: Option<f64>) -> String {
    value.map_or("n/a".to_owned(), |value| format!("{value:.2}"))
}

/// Most characters of a name in a column.
const NAME: usize = 24;

fn player_json((name, sums): &(Untrusted, PlayerSums)) -> String {
    json_line(
        &json!({"type": "player", "name": name, "matches": sums.matches, "won": sums.won, "decisions": sums.decisions,
        "error_rate": {"gnubg": sums.rate(), "pr": sums.performance()}, "luck": {"emg": sums.luck}}),
    )
}

fn player_csv((name, sums): &(Untrusted, PlayerSums)) -> String {
    csv_line([
        name.csv(),
        CsvCell::plain(sums.matches),
        CsvCell::plain(sums.won),
        CsvCell::plain(sums.decisions),
        figure(sums.rate()),
        figure(sums.performance()),
        figure(Some(sums.luck)),
    ])
}

/// Returns a table of players with their sums.
pub(super) fn table(players: &[(Untrusted, PlayerSums)]) -> String {
    let mut text =
        "player                    matches  won  decisions  error rate     PR     luck\n"
            .to_owned();
    for (name, sums) in players {
        text.push_str(&format!(
            "{:<24}  {:7}  {:3}  {:9}  {:>10}  {:>5}  {:>7}\n",
            name.terminal().at_most(NAME).to_string(),
            sums.matches,
            sums.won,
            sums.decisions,
            shown(sums.rate()),
            shown(sums.performance()),
            signed(sums.luck, 2)
        ));
    }
    text
}

fn match_json(played: &Played) -> String {
    let one = &played.sums;
    json_line(
        &json!({"type": "match", "date": played.date, "filed": played.filed, "file": played.file,
        "against": played.against, "length": played.length, "score": played.score, "result": played.result,
        "decisions": one.decisions, "error_rate": {"gnubg": one.rate(), "pr": one.performance()},
        "luck": {"emg": one.luck}}),
    )
}

fn match_csv(played: &Played) -> String {
    let day = |day: &Option<String>| CsvCell::text(day.as_deref().unwrap_or_default());
    let one = &played.sums;
    let [mine, theirs] = played.score;
    csv_line([
        day(&played.date),
        day(&played.filed),
        played.file.csv(),
        played.against.csv(),
        CsvCell::plain(played.length),
        CsvCell::plain(mine),
        CsvCell::plain(theirs),
        figure(Some(played.result)),
        CsvCell::plain(one.decisions),
        figure(one.rate()),
        figure(one.performance()),
        figure(Some(one.luck)),
    ])
}

/// Draws a player's matches one below the other.
fn chart(name: &str, matches: &[Played]) -> String {
    let rates = matches.iter().filter_map(|played| played.sums.rate());
    // The longest bar is that of the worst match, so that no bar is cut.
    let most = (rates.fold(RATE, f64::max) / 10.0).ceil() * 10.0;
    let mut text = format!(
        "{}: {}; error rate in thousandths, luck in points, a bar of {BAR} signs for a rate of {most}; days in brackets are \
         those of filing\n",
        Terminal::new(name).at_most(NAME),
        match matches.len() {
            1 => "1 match".to_owned(),
            count => format!("{count} matches"),
        }
    );
    for played in matches {
        let one = &played.sums;
        let rate = one.rate();
        let [mine, theirs] = played.score;
        let day = match (&played.date, &played.filed) {
            (Some(day), _) => format!(" {}", Terminal::new(day)),
            (None, Some(day)) => format!("({})", Terminal::new(day)),
            (None, None) => " -".to_owned(),
        };
        let file = played.file.raw().rsplit('/').next().unwrap_or_default();
        let length = (rate.unwrap_or(0.0) / most * BAR).clamp(0.0, BAR);
        text.push_str(&format!(
            "{day:<12} {:>7} {:>6} {:<30}  {mine}-{theirs} {} against {}, {}\n",
            shown(rate),
            signed(one.luck, 2),
            "#".repeat(length as usize),
            match played.length {
                0 => "for money".to_owned(),
                length => format!("to {length}"),
            },
            played.against.terminal().at_most(NAME),
            Terminal::new(file).at_most(NAME)
        ));
    }
    text
}
