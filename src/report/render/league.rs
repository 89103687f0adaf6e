//! A league of players as a page, a Markdown table and JSON: results with the luck taken out, losses by set of decisions,
//! microseconds a decision.

use super::signed;
use gammond_base::escape::Markup;
use serde::Serialize;
use std::fmt::Write as _;

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error, in the same unit.
    pub error: f64,
}

/// A player of a league.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeaguePlayer {
    /// Its notation.
    pub name: String,
    /// All that decides its plays: nets and files by their checksums, the version of another program.
    pub identity: String,
    /// Mean over its opponents, in the unit of the league.
    pub result: Estimate,
    /// Results against each player, in the order of the players; `None` for itself.
    pub against: Vec<Option<Estimate>>,
    /// Mean time of a decision, in microseconds.
    pub microseconds: f64,
}

/// A set of decisions with known values, such as a family of positions by one judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeagueSet {
    /// Name of its files.
    pub name: String,
    /// Checksums of its files (SHA-256).
    pub sha256: Vec<String>,
    /// Kind of its decisions: `plays` or `cube`.
    pub kind: &'static str,
    /// Number of decisions.
    pub decisions: u64,
    /// Performance rating of each player there (500 times the mean loss in points); `None` for one without a cube.
    pub ratings: Vec<Option<Estimate>>,
}

/// A league that was played: players best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct League {
    /// Version of gammond.
    pub version: String,
    /// The command, in words of a shell.
    pub command: String,
    /// Stakes and number of games between any two players.
    pub games: String,
    /// Unit of the results, such as `points a game`.
    pub unit: &'static str,
    /// The result of two equal players, in that unit.
    pub even: f64,
    /// Seed of all dice.
    pub seed: u64,
    /// Nets that judge the luck.
    pub judge: String,
    /// Names of the processor's vector units and number of threads: those of the times.
    pub machine: String,
    /// The players, best first.
    pub players: Vec<LeaguePlayer>,
    /// The sets of decisions.
    pub sets: Vec<LeagueSet>,
}

/// Name of the line with the command.
const COMMAND: &str = "Command";

/// A table: its title, the cells of its head, rows of cells. The second and later columns are numbers.
struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl League {
    const fn digits(&self) -> usize {
        if self.even == 0.0 { 4 } else { 2 }
    }

    fn estimate(&self, estimate: Estimate) -> String {
        let digits = self.digits();
        let Estimate { mean, error } = estimate;
        format!("{} ±\u{a0}{error:.digits$}", signed(mean, digits))
    }

    /// Returns the lines that name where the numbers come from.
    fn sources(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("Games", &self.games),
            ("Luck judged by", &self.judge),
            ("Times", &self.machine),
            ("Version", &self.version),
            (COMMAND, &self.command),
        ]
    }

    fn tables(&self) -> Vec<Table> {
        let mut standings = Table {
            title: format!(
                "Standings: {}, mean over the others ± standard error",
                self.unit
            ),
            head: ["", "player", self.unit, "µs a decision"]
                .map(String::from)
                .into(),
            rows: Vec::new(),
        };
        for (rank, player) in (1..).zip(&self.players) {
            let cells = [
                format!("{rank}"),
                player.name.clone(),
                self.estimate(player.result),
                microseconds(player.microseconds),
            ];
            standings.rows.push(cells.into());
        }
        let numbers = (1..=self.players.len()).map(|rank| rank.to_string());
        let mut cross = Table {
            title: format!("Each against each: {}", self.unit),
            head: [String::new(), "player".to_owned()]
                .into_iter()
                .chain(numbers)
                .collect(),
            rows: Vec::new(),
        };
        for (rank, player) in (1..).zip(&self.players) {
            let mut row = vec![format!("{rank}"), player.name.clone()];
            let cells = player.against.iter();
            row.extend(cells.map(|one| one.map_or_else(String::new, |one| self.estimate(one))));
            cross.rows.push(row);
        }
        let mut tables = vec![standings, cross];
        if !self.sets.is_empty() {
            tables.push(self.ratings());
        }
        tables
    }

    fn ratings(&self) -> Table {
        let numbers = (1..).zip(&self.players).map(|(rank, _)| rank.to_string());
        let row = |set: &LeagueSet| {
            let mut row = vec![
                set.name.clone(),
                set.kind.to_owned(),
                set.decisions.to_string(),
            ];
            row.extend(set.ratings.iter().map(|rating| match rating {
                Some(Estimate { mean, error }) => format!("{mean:.2} ±\u{a0}{error:.2}"),
                None => "–".to_owned(),
            }));
            row
        };
        Table {
            title: "Performance rating (PR) by set of decisions, the players by their rank; less is better".to_owned(),
            head: ["set", "kind", "decisions"].map(String::from).into_iter().chain(numbers).collect(),
            rows: self.sets.iter().map(row).collect(),
        }
    }

    /// Returns the league as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        // A name may not become a column, a tag or a link.
        let cell = |text: &String| {
            text.chars().fold(String::new(), |mut out, one| {
                if matches!(one, '|' | '\\' | '`' | '*' | '<' | '[' | '&') {
                    out.push('\\');
                }
                out.push(if one.is_control() { ' ' } else { one });
                out
            })
        };
        // Code has no escapes: a longer fence holds what has grave accents.
        let code = |text: &str| {
            let text = text.replace(char::is_control, " ");
            let longest = text
                .split(|one| one != '`')
                .map(str::len)
                .max()
                .unwrap_or(0);
            let fence = "`".repeat(longest + 1);
            match longest {
                0 => format!("{fence}{text}{fence}"),
                _ => format!("{fence} {text} {fence}"),
            }
        };
        let line = |cells: &[String]| {
            format!(
                "| {} |\n",
                cells.iter().map(cell).collect::<Vec<_>>().join(" | ")
            )
        };
        let mut out = "# League\n\n".to_owned();
        for (name, value) in self.sources() {
            let value = match name {
                COMMAND => code(value),
                _ => cell(&value.to_owned()),
            };
            let _ = writeln!(out, "- {name}: {value}");
        }
        for table in self.tables() {
            let _ = write!(out, "\n## {}\n\n{}", cell(&table.title), line(&table.head));
            let _ = writeln!(out, "|{}", "---|".repeat(table.head.len()));
            for row in &table.rows {
                out.push_str(&line(row));
            }
        }
        out.push_str("\n## Players\n\n");
        for (rank, player) in (1..).zip(&self.players) {
            let (name, identity) = (cell(&player.name), code(&player.identity));
            let _ = writeln!(out, "{rank}. {name}: {identity}");
        }
        out
    }

    /// Returns the league as a page of its own.
    #[must_use]
    pub fn html(&self) -> String {
        let cells = |tag: &str, row: &[String]| {
            let cells = row
                .iter()
                .map(|one| format!("<{tag}>{}</{tag}>", Markup::new(one)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let mut out = HEAD.to_owned();
        for (name, value) in self.sources() {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", Markup::new(value));
        }
        out.push_str("</dl>\n");
        for table in self.tables() {
            let _ = write!(
                out,
                "<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead>{}</thead>\n<tbody>\n",
                Markup::new(&table.title),
                cells("th", &table.head)
            );
            for row in &table.rows {
                out.push_str(&cells("td", row));
            }
            out.push_str("</tbody></table></div>\n");
        }
        out.push_str("<h2>Players</h2>\n<ol>\n");
        for player in &self.players {
            let (name, identity) = (Markup::new(&player.name), Markup::new(&player.identity));
            let _ = writeln!(out, "<li>{name}: <code>{identity}</code></li>");
        }
        out.push_str("</ol>\n</html>\n");
        out
    }
}

/// Formats microseconds with three digits that count.
fn microseconds(value: f64) -> String {
    let digits = match value {
        _ if value < 10.0 => 2,
        _ if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>League</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em }
h1, h2 { line-height: 1.2 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em }
dt { opacity: .75 }
dd { margin: 0; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25em .7em; border-bottom: 1px solid #8884; text-align: right; vertical-align: top }
td:nth-child(2) { overflow-wrap: anywhere; min-width: 7em }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
code { overflow-wrap: anywhere }
</style>
<h1>League</h1>
<dl>
";

#[cfg(test)]
mod tests {
    use super::*;

    fn league(name: &str) -> League {
        let estimate = |mean| Estimate { mean, error: 0.001 };
        let player = |name: &str, mean: f64, at: usize| LeaguePlayer {
            name: name.to_owned(),
            identity: format!("{name} 1.0"),
            result: estimate(mean),
            against: (0..2)
                .map(|other| (other != at).then(|| estimate(mean)))
                .collect(),
            microseconds: 1.234,
        };
        League {
            version: "0.1.0".to_owned(),
            command: "gammond league".to_owned(),
            games: "200 games".to_owned(),
            unit: "points a game",
            even: 0.0,
            seed: 1,
            judge: "embedded".to_owned(),
            machine: "one".to_owned(),
            players: vec![player(name, 0.25, 0), player("other", -0.25, 1)],
            sets: vec![LeagueSet {
                name: "contact".to_owned(),
                sha256: vec!["00".to_owned()],
                kind: "plays",
                decisions: 7,
                ratings: vec![
                    Some(Estimate {
                        mean: 1.5,
                        error: 0.25,
                    }),
                    None,
                ],
            }],
        }
    }

    #[test]
    fn every_form_has_the_numbers() {
        let league = league("first");
        let (text, page) = (league.markdown(), league.html());
        for part in [
            "+0.2500 ±\u{a0}0.0010",
            "-0.2500 ±\u{a0}0.0010",
            "1.23",
            "1.50 ±\u{a0}0.25",
            "other 1.0",
            "200 games",
        ] {
            assert!(text.contains(part), "{part}: {text}");
            assert!(page.contains(part), "{part}: {page}");
        }
        let value = serde_json::to_value(&league).unwrap();
        assert_eq!(value["players"][0]["against"][1]["mean"], 0.25);
        assert_eq!(value["players"][1]["against"][1], serde_json::Value::Null);
        assert_eq!(value["sets"][0]["ratings"][1], serde_json::Value::Null);
    }

    #[test]
    fn a_name_stays_a_name() {
        let league = league("a|b <script>*x*\n[y](z)");
        let (text, page) = (league.markdown(), league.html());
        assert!(text.contains("a\\|b \\<script>\\*x\\* \\[y](z)"), "{text}");
        assert!(!page.contains("<script"), "{page}");
    }

    #[test]
    fn times_have_three_digits() {
        let texts = [0.412, 9.99, 12.34, 123.4, 51234.0].map(microseconds);
        assert_eq!(texts, ["0.41", "9.99", "12.3", "123", "51234"]);
    }
}
