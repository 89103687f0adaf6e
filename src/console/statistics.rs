//! The statistics of both players in the original's table.

use super::host::{PlayerStatistics, StatisticsSum};

/// Widths of the three columns.
const WIDTHS: [usize; 3] = [41, 24, 23];

/// The extent of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatisticsScope {
    Game,
    Match,
}

/// Appends a line of the table.
fn row(text: &mut String, label: &str, [first, second]: [String; 2]) {
    let [a, b, c] = WIDTHS;
    *text += &format!("{label:<a$}{first:<b$}{second:<c$}\n");
}

struct StatisticsTable<'a> {
    books: &'a [PlayerStatistics; 2],
    money: bool,
    factor: f64,
}

impl StatisticsTable<'_> {
    fn both(&self, show: impl Fn(&PlayerStatistics) -> String) -> [String; 2] {
        let [first, second] = self.books;
        [show(first), show(second)]
    }

    fn count(&self, of: impl Fn(&PlayerStatistics) -> u32) -> [String; 2] {
        self.both(|own| format!("{:3}", of(own)))
    }

    fn cost(&self, cost: f64) -> String {
        match self.money {
            true => format!("{cost:+7.3}"),
            false => format!("{:+7.3}%", 100.0 * cost),
        }
    }

    /// Formats a sum as equity and cost; errors are negative.
    fn sum(&self, sign: f64, of: impl Fn(&PlayerStatistics) -> [f64; 2]) -> [String; 2] {
        self.both(|own| {
            let [emg, cost] = of(own);
            format!("{:+11.3} ({})", sign * emg, self.cost(sign * cost))
        })
    }

    /// Formats a sum divided by the number of decisions.
    fn rate(&self, sign: f64, of: impl Fn(&PlayerStatistics) -> ([f64; 2], u32)) -> [String; 2] {
        self.both(|own| {
            let ([emg, cost], count) = of(own);
            let each = |sum: f64| {
                if count > 0 {
                    sum / f64::from(count)
                } else {
                    0.0
                }
            };
            let emg = sign * each(emg) * self.factor;
            format!("{emg:+9.1}   ({})", self.cost(sign * each(cost)))
        })
    }

    fn fault(&self, at: usize) -> [String; 2] {
        self.both(|own| match own.faults.get(at) {
            Some(StatisticsSum { count, emg, cost }) if *count > 0 => {
                format!("{count:3} ({:+6.3} ({}))", -emg, self.cost(-cost))
            }
            _ => format!("{:3}", 0),
        })
    }

    fn word(&self, at: usize) -> [String; 2] {
        self.both(|own| own.words.get(at).copied().unwrap_or("n/a").to_owned())
    }
}

/// Returns the whole table.
pub(super) fn table(
    books: Option<&[PlayerStatistics; 2]>,
    names: &[String; 2],
    length: u32,
    extent: StatisticsScope,
    factor: f64,
) -> String {
    let mut text = String::new();
    row(&mut text, "Player", names.clone());
    text.push('\n');
    let Some(books) = books else {
        return text + "Overall statistics\n\n\n\n\n";
    };
    let sheet = StatisticsTable {
        books,
        money: length == 0,
        factor,
    };
    let kind = if length == 0 { "Points" } else { "MWC" };
    plays(&mut text, &sheet, kind);
    luck(&mut text, &sheet, kind);
    cube(&mut text, &sheet, kind);
    overall(&mut text, &sheet, kind, extent);
    text + "\n\n\n"
}

fn plays(text: &mut String, sheet: &StatisticsTable<'_>, kind: &str) {
    *text += "Chequerplay statistics\n\n";
    let sum = |own: &PlayerStatistics| [own.plays.emg, own.plays.cost];
    row(text, "Total moves", sheet.count(|own| own.plays.count));
    row(text, "Unforced moves", sheet.count(|own| own.unforced));
    let marked = |own: &PlayerStatistics| own.play_marks.iter().sum::<u32>();
    row(
        text,
        "Unmarked moves",
        sheet.count(|own| own.plays.count.saturating_sub(marked(own))),
    );
    for (at, name) in ["doubtful", "bad", "very bad"].into_iter().enumerate() {
        let count = |own: &PlayerStatistics| own.play_marks.get(at).copied().unwrap_or(0);
        row(text, &format!("Moves marked {name}"), sheet.count(count));
    }
    row(
        text,
        &format!("Error total EMG ({kind})"),
        sheet.sum(-1.0, sum),
    );
    row(
        text,
        &format!("Error rate mEMG ({kind})"),
        sheet.rate(-1.0, |own| (sum(own), own.unforced)),
    );
    row(text, "Chequerplay rating", sheet.word(0));
}

fn luck(text: &mut String, sheet: &StatisticsTable<'_>, kind: &str) {
    *text += "\n\nLuck statistics\n\n";
    let names = [
        "marked very lucky",
        "marked lucky",
        "unmarked",
        "marked unlucky",
        "marked very unlucky",
    ];
    for (at, name) in names.into_iter().enumerate() {
        let count = |own: &PlayerStatistics| own.rolls.get(at).copied().unwrap_or(0);
        row(text, &format!("Rolls {name}"), sheet.count(count));
    }
    let sum = |own: &PlayerStatistics| [own.luck.emg, own.luck.cost];
    row(
        text,
        &format!("Luck total EMG ({kind})"),
        sheet.sum(1.0, sum),
    );
    let [first, second] = sheet.rate(1.0, |own| (sum(own), own.luck.count));
    let [one, other] = sheet.books;
    let known = |own: &PlayerStatistics, text: String| {
        if own.plays.count > 0 {
            text
        } else {
            "n/a".to_owned()
        }
    };
    row(
        text,
        &format!("Luck rate mEMG ({kind})"),
        [known(one, first), known(other, second)],
    );
    row(text, "Luck rating", sheet.word(1));
}

fn cube(text: &mut String, sheet: &StatisticsTable<'_>, kind: &str) {
    *text += "\n\nCube statistics\n\n";
    let sum = |own: &PlayerStatistics| [own.cube.emg, own.cube.cost];
    row(
        text,
        "Total cube decisions",
        sheet.count(|own| own.cube.count),
    );
    row(
        text,
        "Close or actual cube decisions",
        sheet.count(|own| own.close),
    );
    for (at, name) in ["Doubles", "Takes", "Passes"].into_iter().enumerate() {
        row(
            text,
            name,
            sheet.count(|own| own.turned.get(at).copied().unwrap_or(0)),
        );
    }
    let faults = [
        "Missed doubles below CP",
        "Missed doubles above CP",
        "Wrong doubles below DP",
        "Wrong doubles above TG",
        "Wrong takes",
        "Wrong passes",
    ];
    for (at, name) in faults.into_iter().enumerate() {
        row(text, &format!("{name} (EMG ({kind}))"), sheet.fault(at));
    }
    row(
        text,
        &format!("Error total EMG ({kind})"),
        sheet.sum(-1.0, sum),
    );
    row(
        text,
        &format!("Error rate mEMG ({kind})"),
        sheet.rate(-1.0, |own| (sum(own), own.close)),
    );
    row(text, "Cube decision rating", sheet.word(2));
}

fn overall(text: &mut String, sheet: &StatisticsTable<'_>, kind: &str, extent: StatisticsScope) {
    *text += "\n\nOverall statistics\n\n";
    let sum =
        |own: &PlayerStatistics| [own.plays.emg + own.cube.emg, own.plays.cost + own.cube.cost];
    row(
        text,
        &format!("Error total EMG ({kind})"),
        sheet.sum(-1.0, sum),
    );
    let decisions = |own: &PlayerStatistics| own.unforced + own.close;
    row(
        text,
        &format!("Error rate mEMG ({kind})"),
        sheet.rate(-1.0, |own| (sum(own), decisions(own))),
    );
    // The bracket has no meaning; programs read it all the same.
    let nothing = sheet.cost(0.0);
    let snowie = |own: &PlayerStatistics| {
        let rate = -own.snowie.unwrap_or(0.0) * sheet.factor;
        format!("{rate:+9.1}   ({nothing})")
    };
    row(text, "Snowie error rate", sheet.both(snowie));
    row(text, "Overall rating", sheet.word(3));
    let [first, _] = sheet.books;
    // As the original: without an actual result it leaves out the luck-adjusted one.
    let finished = first.results.first().is_some_and(|result| *result != 0.0);
    let result = |at: usize| {
        sheet.both(|own| {
            let value = own.results.get(at).copied().unwrap_or(0.0);
            match sheet.money {
                true => format!("{value:+7.3}"),
                false => format!("{:+7.2}%", 100.0 * value),
            }
        })
    };
    if finished {
        row(text, "Actual result", result(0));
        row(text, "Luck adjusted result", result(1));
    }
    if sheet.money {
        if extent == StatisticsScope::Match {
            advantage(text, sheet);
        }
        return;
    }
    if finished {
        let shown = first
            .fibs_difference
            .map_or("n/a".to_owned(), |value| format!("{value:+7.2}"));
        row(text, "Luck based FIBS rating diff.", [shown, String::new()]);
    }
    let loss = |at: usize, own: &PlayerStatistics| own.rating_loss.get(at).copied().flatten();
    let rating = |own: &PlayerStatistics| {
        let [plays, cube] = [0, 1].map(|at| loss(at, own));
        let rating = plays.map(|plays| 2050.0 - plays - cube.unwrap_or(0.0));
        rating.map_or("n/a".to_owned(), |rating| format!("{rating:6.1}"))
    };
    row(text, "Error based abs. FIBS rating", sheet.both(rating));
    let lost = |at: usize| {
        sheet.both(|own| loss(at, own).map_or("n/a".to_owned(), |lost| format!("{lost:6.1}")))
    };
    row(text, "Chequerplay errors rating loss", lost(0));
    row(text, "Cube errors rating loss", lost(1));
}

/// Appends points per game with the original's interval, which lies around the sum and not around the mean.
fn advantage(text: &mut String, sheet: &StatisticsTable<'_>) {
    let [first, second] = sheet.books;
    let names = [
        "Advantage (actual) in ppg",
        "Advantage (luck adjusted) in ppg",
    ];
    for ((name, one), other) in names.into_iter().zip(first.per_game).zip(second.per_game) {
        row(
            text,
            name,
            [format!("{:+6.3}", one.mean), format!("{:+6.3}", other.mean)],
        );
        let interval = |own: super::host::PerGame| {
            format!(
                "[{:6.3},{:6.3}]",
                own.sum - own.half_width,
                own.sum + own.half_width
            )
        };
        row(
            text,
            "95% confidence interval (ppg)",
            [interval(one), interval(other)],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PerGame;

    /// As the original prints a money session: intervals in columns, no result line for an actual result of 0.
    #[test]
    fn table_of_money_session_is_the_originals() {
        let per_game = PerGame {
            sum: 0.0,
            mean: 0.0,
            half_width: 0.591,
        };
        let own = |adjusted: f64| PlayerStatistics {
            results: [0.0, adjusted],
            per_game: [per_game; 2],
            ..PlayerStatistics::default()
        };
        let names = ["A", "B"].map(str::to_owned);
        let books = [own(1.5), own(-1.5)];
        let text = table(Some(&books), &names, 0, StatisticsScope::Match, 1000.0);
        assert!(
            text.contains(
                "Advantage (actual) in ppg                +0.000                  +0.000"
            )
        );
        assert!(
            text.contains("[-0.591, 0.591]         [-0.591, 0.591]"),
            "{text}"
        );
        assert!(!text.contains("result"), "{text}");
    }
}
