//! An analysis for people.

use super::analyse::Analysis;
use super::rows::Row;
use super::totals::{LUCK_MARKS, Sum, Totals, luck_word, rating_word};
use crate::render::signed;
use gammond_base::escape::Terminal;
use gammond_engine::people::People;
use gammond_game::notation::MatPlayer;
use std::fmt::Write as _;

/// A mistake for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstMistake {
    /// The decision, the better choice and the loss, on one line.
    pub line: String,
    /// The position.
    pub position: String,
    /// The shares of the people who find the best choice, in words.
    pub found_by: Option<String>,
}

/// Number of mistakes listed by default.
const WORST_SHOWN: usize = 10;
/// Width of a column of the table.
const COLUMN: usize = 30;
/// Longest name in the table.
pub(super) const NAME: usize = 24;
/// Longest name in [`Analysis::match_line`].
const SHORT_NAME: usize = 12;

/// Returns the titles of the columns of [`Analysis::match_line`].
#[must_use]
pub fn match_line_head() -> String {
    format!(
        "{:<38} {:>13} {:>13}  {:<32} file",
        "match", "PR of each", "luck of each", "worst mistake"
    )
}

impl Analysis {
    /// Formats the tables and the worst mistakes; every decision if `all`.
    #[must_use]
    pub fn text(&self, file: Terminal<'_>, all: bool) -> String {
        let mut text = String::new();
        let names = self.shown_names();
        let [first, second] = self.score;
        let kind = match self.length {
            0 => "money session".to_owned(),
            1 => "1-point match".to_owned(),
            length => format!("{length}-point match"),
        };
        let [one, other] = &names;
        let _ = writeln!(
            text,
            "{file}: {kind}{}, {one} {first}, {other} {second}, analysed at {}",
            self.of_variant(),
            self.level
        );
        for fault in &self.faults {
            let _ = writeln!(text, "  fault: {}", Terminal::new(&fault.to_string()));
        }
        text.push('\n');
        self.table(&mut text, &names);
        self.by_game(&mut text, &names);
        self.by_group(&mut text, &names);
        for row in self.rows().filter(Row::is_open) {
            let _ = writeln!(text, "\nOpen: {}", self.line(&row, &names));
            let _ = writeln!(text, "      {}", row.position());
        }
        let worst = self.worst();
        if !worst.is_empty() {
            let shown = worst.len().min(WORST_SHOWN);
            let _ = writeln!(text, "\nThe worst {shown} of {} mistakes:", worst.len());
            for row in worst.iter().take(WORST_SHOWN) {
                let _ = writeln!(text, "  {}", self.line(row, &names));
                let _ = writeln!(text, "      {}", row.position());
            }
        }
        if all {
            text.push_str("\nEvery decision:\n");
            for row in self.rows() {
                let _ = writeln!(text, "  {}", self.line(&row, &names));
            }
        }
        text
    }

    /// Returns the score and totals in one line.
    #[must_use]
    pub fn one_line(&self) -> String {
        let [first, second] = self.score;
        let [one, other] = self.shown_names();
        let to = match self.length {
            0 => "money".to_owned(),
            length => format!("to {length}"),
        };
        let faults = match self.faults.len() {
            0 => String::new(),
            count => format!(
                "; {count} faults, the first {}",
                self.faults
                    .first()
                    .map_or(String::new(), |fault| Terminal::new(&fault.to_string())
                        .to_string())
            ),
        };
        let books = |totals: &Totals| {
            let rate = totals.rate().map(|rate| 1000.0 * rate);
            format!(
                "{} error rate, {} PR, luck {}",
                shown(rate, 2),
                shown(totals.performance(), 2),
                signed(totals.luck.emg, 3)
            )
        };
        let [mine, theirs] = &self.totals;
        format!(
            "{one} {first}, {other} {second} {to}; {one}: {}; {other}: {}{faults}",
            books(mine),
            books(theirs)
        )
    }

    /// Returns score, performance ratings, luck and the worst mistake as a row of a table of matches.
    #[must_use]
    pub fn match_line(&self, file: Terminal<'_>) -> String {
        let [one, other] =
            (self.names.each_ref()).map(|name| name.terminal().at_most(SHORT_NAME).to_string());
        let [first, second] = self.score;
        let to = match self.length {
            0 => "money".to_owned(),
            length => format!("to {length}"),
        };
        let [own, theirs] = self
            .totals
            .each_ref()
            .map(|totals| (shown(totals.performance(), 2), signed(totals.luck.emg, 2)));
        let worst = self.worst();
        let worst = worst.first().map_or_else(String::new, |row| {
            let name = row.player.of([&one, &other]);
            format!(
                "{:.3} {name}, game {} move {}",
                row.loss.unwrap_or(0.0),
                row.game,
                row.turn
            )
        });
        let faults = match self.faults.len() {
            0 => String::new(),
            1 => "; 1 fault".to_owned(),
            count => format!("; {count} faults"),
        };
        let players = format!("{one} {first}, {other} {second} {to}");
        format!(
            "{players:<38} {:>6} {:>6} {:>6} {:>6}  {worst:<32} {file}{faults}",
            own.0, theirs.0, own.1, theirs.1
        )
    }

    /// Returns the worst mistakes of a player, at most so many.
    #[must_use]
    pub fn worst_of(&self, player: MatPlayer, most: usize) -> Vec<WorstMistake> {
        let names = self.shown_names();
        let worst = self.worst().into_iter();
        let own = worst.filter(|row| row.player == player).take(most);
        own.map(|row| WorstMistake {
            line: self.line(&row, &names),
            position: row.position(),
            found_by: row.found_by().map(found_by),
        })
        .collect()
    }

    /// Returns the names, short and escaped.
    pub(super) fn shown_names(&self) -> [String; 2] {
        let [first, second] = &self.names;
        [first, second].map(|name| name.terminal().at_most(NAME).to_string())
    }

    pub(super) fn line(&self, row: &Row<'_>, names: &[String; 2]) -> String {
        let name = match row.player {
            MatPlayer::First => &names[0],
            MatPlayer::Second => &names[1],
        };
        let roll = row.roll.map_or(String::new(), |roll| format!("{roll}: "));
        let played = if row.forced && row.played.is_empty() {
            "no play"
        } else {
            &row.played
        };
        let mut line = format!(
            "game {} move {}, {name}: {roll}{played}",
            row.game, row.turn
        );
        if row.is_open() {
            let _ = write!(line, "best {}", row.best);
        }
        if let Some(loss) = row.loss.filter(|loss| *loss > 0.0) {
            let _ = write!(line, " loses {loss:.4}");
            if let Some(mwc) = row.loss_mwc {
                let _ = write!(line, " ({:.2} %)", 100.0 * mwc);
            }
            let _ = write!(line, ", best {}", row.best);
        }
        if let Some(mark) = row.mark() {
            let _ = write!(line, " [{mark}]");
        }
        if let Some(cube) = row.cube_line() {
            let _ = write!(line, " ({cube})");
        }
        if let Some(luck) = row.luck {
            let _ = write!(line, "; luck {}", signed(luck, 3));
        }
        line
    }

    fn table(&self, text: &mut String, names: &[String; 2]) {
        for (label, [first, second]) in self.figures() {
            if second.is_empty() && first.is_empty() {
                let [one, other] = if label.is_empty() {
                    ["", ""].map(str::to_owned)
                } else {
                    names.clone()
                };
                let _ = writeln!(text, "{label:<32}{one:<COLUMN$}{other}");
            } else {
                let _ = writeln!(text, "  {label:<30}{first:<COLUMN$}{second}");
            }
        }
    }

    /// Returns the figures of both players in words; a label without figures is a heading.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, [String; 2])> {
        let mut table = vec![("Plays", Figures::HEADING)];
        let figures = Figures { analysis: self };
        figures.plays(&mut table);
        table.push(("Cube", Figures::HEADING));
        figures.cube(&mut table);
        table.push(("Overall", Figures::HEADING));
        figures.overall(&mut table);
        table
    }

    fn by_game(&self, text: &mut String, names: &[String; 2]) {
        if self.games.len() < 2 {
            return;
        }
        text.push_str("\nGame  score    result      error rate and luck of each\n");
        for (number, game) in (1..).zip(&self.games) {
            let [first, second] = game.scores;
            let score = format!("{first}-{second}{}", if game.crawford { " C" } else { "" });
            let result = match game.result {
                None => "unfinished".to_owned(),
                Some((winner, points)) => {
                    let side = if winner == MatPlayer::First { '<' } else { '>' };
                    format!("{side} {points}")
                }
            };
            let [one, other] = &game.totals();
            let each = |own: &Totals| match own.rate() {
                Some(rate) => format!("{:6.2} {}", 1000.0 * rate, signed(own.luck.emg, 3)),
                None => format!("   n/a {}", signed(own.luck.emg, 3)),
            };
            let [first, second] = names;
            let _ = writeln!(
                text,
                "{number:4}  {score:<8} {result:<11} {first} {}   {second} {}",
                each(one),
                each(other)
            );
        }
    }

    fn by_group(&self, text: &mut String, names: &[String; 2]) {
        let [first, second] = names;
        text.push_str("\nPart         decisions, error rate and loss of each\n");
        for (name, totals) in self.by_phase().into_iter().chain(self.by_class()) {
            let [one, other] = &totals;
            if one.decisions() + other.decisions() == 0 {
                continue;
            }
            let each = |own: &Totals| {
                let rate = own.rate().map(|rate| 1000.0 * rate);
                let [loss, _] = own.loss();
                format!(
                    "{:4} {:>7} {}",
                    own.decisions(),
                    shown(rate, 2),
                    signed(-loss, 3)
                )
            };
            let _ = writeln!(
                text,
                "{name:<12} {first} {}   {second} {}",
                each(one),
                each(other)
            );
        }
    }

    /// Returns the remarks for a match file: every marked decision with the best choice, and rolls that were very
    /// lucky. Programs take lines of comment at the head only.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let names = self.shown_names();
        let mut notes = Vec::new();
        for row in self.rows() {
            let lucky = (row.luck).is_some_and(|luck| luck.abs() >= LUCK_MARKS[1]);
            if row.mark().is_some() || lucky {
                notes.push(format!(" {}", self.line(&row, &names)));
            }
        }
        notes
    }
}

/// A line of the table: its name, and both players' figures.
type Line = (&'static str, [String; 2]);

/// Figures in words.
struct Figures<'a> {
    analysis: &'a Analysis,
}

impl Figures<'_> {
    const HEADING: [String; 2] = [String::new(), String::new()];

    fn both(&self, show: impl Fn(&Totals, &Totals) -> String) -> [String; 2] {
        let [first, second] = &self.analysis.totals;
        [show(first, second), show(second, first)]
    }

    /// Returns an equity, with its cost.
    fn cost(&self, emg: f64, cost: f64) -> String {
        let emg = signed(emg, 4);
        match self.analysis.length {
            0 => format!("{emg} ({} points)", signed(cost, 3)),
            _ => format!("{emg} ({} %)", signed(100.0 * cost, 3)),
        }
    }

    fn count(&self, of: impl Fn(&Totals) -> u32) -> [String; 2] {
        self.both(|own, _| of(own).to_string())
    }

    fn sum(&self, of: impl Fn(&Totals) -> Sum) -> [String; 2] {
        self.both(|own, _| match of(own) {
            Sum { count: 0, .. } => "0".to_owned(),
            sum => format!("{} ({})", sum.count, self.cost(-sum.emg, -sum.cost)),
        })
    }

    fn marks(&self, of: impl Fn(&Totals) -> [u32; 3]) -> [String; 2] {
        self.both(|own, _| of(own).map(|count| count.to_string()).join(", "))
    }

    fn rate(&self, of: impl Fn(&Totals) -> Option<f64>) -> [String; 2] {
        self.both(|own, _| {
            let rate = of(own);
            let word = rating_word(rate);
            rate.map_or("n/a".to_owned(), |each| {
                format!("{:.2} {word}", 1000.0 * each)
            })
        })
    }

    fn plays(&self, table: &mut Vec<Line>) {
        let luck = |one: usize, other: usize| {
            self.both(|own, _| {
                let count = |at: usize| own.luck_marks.get(at).copied().unwrap_or_default();
                format!("{}, {}", count(one), count(other))
            })
        };
        table.extend([
            ("moves", self.count(|own| own.plays.count)),
            ("unforced", self.count(|own| own.unforced)),
            ("doubtful, bad, very bad", self.marks(|own| own.play_marks)),
            (
                "loss",
                self.both(|own, _| self.cost(-own.plays.emg, -own.plays.cost)),
            ),
            ("error rate (milli-EMG)", self.rate(Totals::play_rate)),
            ("Luck", Figures::HEADING),
            ("very lucky, lucky", luck(0, 1)),
            ("unlucky, very unlucky", luck(2, 3)),
            (
                "luck",
                self.both(|own, _| self.cost(own.luck.emg, own.luck.cost)),
            ),
        ]);
        let rate = self.both(|own, _| {
            let rate = own.luck_rate();
            let milli = rate.map(|rate| 1000.0 * rate);
            format!("{} {}", shown(milli, 2), luck_word(rate))
        });
        table.push(("luck rate (milli-EMG)", rate));
    }

    fn cube(&self, table: &mut Vec<Line>) {
        let turned =
            |own: &Totals, _: &Totals| format!("{}, {}, {}", own.doubles, own.takes, own.passes);
        let [below, above] = [0, 1]
            .map(|at: usize| self.sum(move |own| own.missed.get(at).copied().unwrap_or_default()));
        let [early, late] = [0, 1].map(|at: usize| {
            self.sum(move |own| own.wrong_doubles.get(at).copied().unwrap_or_default())
        });
        table.extend([
            ("decisions", self.count(|own| own.cube.count)),
            ("close or made", self.count(|own| own.close)),
            ("doubles, takes, passes", self.both(turned)),
            ("missed doubles below cash", below),
            ("missed doubles above cash", above),
            ("wrong doubles, too early", early),
            ("wrong doubles, too good", late),
            ("wrong takes", self.sum(|own| own.wrong_takes)),
            ("wrong passes", self.sum(|own| own.wrong_passes)),
        ]);
        let beavers = |own: &Totals| own.missed_beavers.count + own.wrong_beavers.count;
        if self.analysis.totals.iter().any(|own| beavers(own) > 0) {
            table.extend([
                ("missed beavers", self.sum(|own| own.missed_beavers)),
                ("wrong beavers", self.sum(|own| own.wrong_beavers)),
            ]);
        }
        table.extend([
            ("doubtful, bad, very bad", self.marks(|own| own.cube_marks)),
            (
                "loss",
                self.both(|own, _| self.cost(-own.cube.emg, -own.cube.cost)),
            ),
            ("error rate (milli-EMG)", self.rate(Totals::cube_rate)),
        ]);
    }

    fn overall(&self, table: &mut Vec<Line>) {
        let loss = |own: &Totals, _: &Totals| {
            let [emg, cost] = own.loss();
            self.cost(-emg, -cost)
        };
        let snowie = |own: &Totals, other: &Totals| {
            shown(own.snowie_rate(other).map(|rate| 1000.0 * rate), 2)
        };
        table.extend([
            ("loss", self.both(loss)),
            ("error rate, GNU Backgammon's", self.rate(Totals::rate)),
            ("error rate, Snowie's", self.both(snowie)),
            ("decisions, GNU Backgammon's", self.count(Totals::decisions)),
            ("decisions that matter, XG's", self.count(|own| own.counted)),
            (
                "performance rating, XG's",
                self.both(|own, _| shown(own.performance(), 2)),
            ),
        ]);
        let analysis = self.analysis;
        let players = [MatPlayer::First, MatPlayer::Second];
        let result = |value: f64| match analysis.length {
            0 => format!("{} points", signed(value, 2)),
            _ => format!("{} %", signed(100.0 * value, 2)),
        };
        let plain = [result(analysis.result), result(-analysis.result)];
        let adjusted = players.map(|player| result(analysis.luck_adjusted(player)));
        table.extend([("result", plain), ("result without luck", adjusted)]);
        if analysis.length > 0 {
            let rating = players.map(|player| shown(analysis.fibs_rating(player), 1));
            let difference = players.map(|player| shown(analysis.fibs_difference(player), 1));
            table.extend([
                ("FIBS rating by errors", rating),
                ("FIBS difference by luck", difference),
            ]);
        }
    }
}

/// Returns the words for the shares of people who find the best choice.
fn found_by(shares: [f64; 3]) -> String {
    let share = |(pr, share): (&f64, f64)| format!("{:.0} % of players of PR {pr}", 100.0 * share);
    let shares: Vec<String> = People::COACHED.iter().zip(shares).map(share).collect();
    format!("the best choice is found by {}", shares.join(", "))
}

pub(super) fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or("n/a".to_owned(), |value| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest words for luck leave room between the columns of the players.
    #[test]
    fn columns_do_not_touch() {
        let words = [-0.05, -0.16, 0.16].map(|rate| luck_word(Some(rate)));
        for word in words {
            assert!(format!("{} {word}", shown(Some(-159.19), 2)).len() < COLUMN);
        }
    }
}
