//! `show keith`, `thorp`, `kleinman`, `isight`, `8912` and `onesidedrollout`: the counts of races, with gnubg's words.

use crate::Console;
use crate::host::ConsoleHost;
use crate::table::Seat;
use crate::words::Words;
use gammond_engine::bearoff::{EFFECTIVE_PIPS_A_ROLL, Tables};
use gammond_engine::query::{EngineAnswer, EvalQuery, Question};
use gammond_game::{MatchState, Position, RaceCounts};

/// Limits of a count above the opponent's, in single precision as gnubg compares them, and the words below each; the
/// last words are for what is above all.
struct Limits {
    below: [(f32, &'static str); 3],
    above: &'static str,
}

const THORP: Limits = Limits {
    below: [
        (-2.0, "Double, Drop (since L <= T - 2)"),
        (1.0, "Redouble, Take (since L <= T + 1 )"),
        (2.0, "Double, Take (since L <= T + 2)"),
    ],
    above: "No Double, Take (since L > T + 2)",
};

const KEITH: Limits = Limits {
    below: [
        (2.0, "Double, Drop (since L <= T+2)"),
        (3.0, "Redouble, Take (since L <= T+3)"),
        (4.0, "Double, Take (since L <= T + 4)"),
    ],
    above: "No Double, Take (since L > T + 4)",
};

impl Limits {
    /// Returns the words for a count and the opponent's.
    fn words(&self, mine: f32, theirs: f32) -> &'static str {
        let mut below = self.below.iter();
        let found = below.find(|(limit, _)| mine <= theirs + limit);
        found.map_or(self.above, |(_, words)| words)
    }
}

impl Console {
    pub(super) fn race_count(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        let Some(position) = self.position(words) else {
            return;
        };
        let counts = RaceCounts::of_any(&position);
        match path {
            // The original leaves this line without an end.
            ["keith"] => self.fault(&keith(&counts)),
            ["thorp"] => self.say(&thorp(&counts)),
            ["isight"] => self.say(&isight(&counts)),
            ["8912"] => self.say(&lead(&position)),
            _ => self.say(&kleinman(&position)),
        }
    }

    /// Shows chances and effective pip counts of a race whose sides are both in the one-sided table: exact ones, where gnubg
    /// rolls them out.
    pub(super) fn one_sided(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let Some(position) = self.position(words) else {
            return;
        };
        match self.one_sided_text(position, host) {
            Ok(text) => self.say(&text),
            Err(reason) => self.complain(&format!("gammond: show onesidedrollout: {reason}")),
        }
    }

    fn one_sided_text(
        &self,
        position: Position,
        host: &mut dyn ConsoleHost,
    ) -> Result<String, String> {
        let sides = [position.me(), position.opponent()];
        let tables = Tables::shared();
        let pips_of = |side| Some((tables.distribution(side)?.expected_rolls(), side.pips()));
        let [Some(mine), Some(theirs)] = sides.map(pips_of) else {
            return Err("only for positions with all checkers in the home boards".to_owned());
        };
        let question = Question::Value(EvalQuery::new(position, MatchState::default()));
        let EngineAnswer::Value(found) = host.answer(question, &self.hints.cubes())? else {
            return Err("the engine has no answer".to_owned());
        };
        let chances = &found.chances;
        let seat = self.table.on_roll;
        let mut text = format!(
            "One sided distributions ({} on roll):\n{:.3} {:.3} {:.3} - {:.3} {:.3} {:.3}\n\n\
             Effective pip count:\n                           EPC  Wastage\n",
            seat.of(&self.names),
            chances.win,
            chances.win_gammon,
            chances.win_backgammon,
            1.0 - chances.win,
            chances.lose_gammon,
            chances.lose_backgammon
        );
        let by_seat = match seat {
            Seat::Top => [mine, theirs],
            Seat::Bottom => [theirs, mine],
        };
        for (name, (rolls, pips)) in self.names.iter().zip(by_seat) {
            let effective = rolls * EFFECTIVE_PIPS_A_ROLL;
            let wastage = effective - pips as f32;
            text += &format!("{name:<20}{effective:10.3}{wastage:9.3}\n");
        }
        let a_roll = EFFECTIVE_PIPS_A_ROLL;
        Ok(text + &format!("\nEPC = Avg. rolls * {a_roll:.3}\nWastage = EPC - Pips\n"))
    }
}

fn keith(counts: &RaceCounts) -> String {
    let [raised, theirs] = counts.keith.map(|count| count as f32);
    let plain = (raised * 7.0 / 8.0).round();
    let mine = plain * (8.0 / 7.0);
    format!(
        "Keith Count Leader            : {plain:.0}\nKeith Count Leader(+1/7)     L: {mine:.1}\n\
         Keith Count Trailer          T: {theirs:.0}\n\n{}",
        KEITH.words(mine, theirs)
    )
}

fn thorp(counts: &RaceCounts) -> String {
    let [mine, theirs] = counts.thorp.map(|count| count as f32);
    let plain = if mine > 33.0 { mine / 1.1 } else { mine };
    format!(
        "Thorp Count Leader            : {plain:.0}\nThorp Count Leader(+1/10)    L: {mine:.1}\n\
         Thorp Count Trailer          T: {theirs:.0}\n\n{}",
        THORP.words(mine, theirs)
    )
}

fn isight(counts: &RaceCounts) -> String {
    let ([mine, theirs], chance) = (counts.isight, counts.isight_chance());
    let words = if chance < 68.0 {
        "No Double, Take (est. GWC < 68%)"
    } else if chance < 70.0 {
        "Double, Take (since 68% <= est. GWC <= 70%)"
    } else if chance <= 76.0 {
        "Redouble, Take (since 70% <= est. GWC <= 76%)"
    } else {
        "Double, Drop (since est. GWC > 76%)"
    };
    format!(
        "Isight Count Leader          L: {mine}\nIsight Count Trailer         T: {theirs}\n\n\
         Estimated GWC: {chance:.1}% (80 - L/3 + 2*(L-T))\n\n{words}"
    )
}

/// Returns the rule of 8, 9 and 12 percent, with gnubg's words.
fn lead(position: &Position) -> String {
    let [mine, theirs] = [position.me(), position.opponent()].map(|side| i64::from(side.pips()));
    let hundredfold = 100 * (theirs - mine);
    let words = if hundredfold <= 8 * mine {
        "NoDouble (8 percent > ahead)"
    } else if hundredfold <= 9 * mine {
        "Redouble, Take (12 percent > ahead > 8 percent)"
    } else if hundredfold <= 12 * mine {
        "Double, Take (12 percent > ahead > 9 percent)"
    } else {
        "Double, Drop (ahead > 12 percent)"
    };
    #[expect(clippy::cast_precision_loss, reason = "pips are few")]
    let percent = hundredfold as f64 / mine as f64;
    format!(
        "Leader Pip Count : {mine}\nTrailer Pip Count: {theirs}\n\n\
         Leader is {percent:.1} percent ahead\n{words}\n"
    )
}

fn kleinman(position: &Position) -> String {
    let (mine, theirs) = (position.me().pips(), position.opponent().pips());
    let (sum, lead) = (mine + theirs, i64::from(theirs) - i64::from(mine));
    let root = 2.0 * (f64::from(sum) - 4.0).max(1.0).sqrt();
    #[expect(clippy::cast_precision_loss, reason = "pips are few")]
    let k = (lead as f64 + 4.0) / root;
    format!(
        "Leader Pip Count : {mine}\nTrailer Pip Count: {theirs}\n\nsum              : {sum}\n\
         diff             : {lead}\n\nK = (diff+4)/(2 sqrt(sum-4)) = {:>8}\n\
         Cubeless Winning Chance: {:.4}\n",
        four_digits(k),
        (1.0 + error_function(k)) / 2.0
    )
}

/// Returns a number with four digits that count, without zeros at the end.
fn four_digits(number: f64) -> String {
    let above = number.abs().max(1e-4).log10().floor();
    let decimals = (3.0 - above).clamp(0.0, 7.0) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Returns erf(x), by a series whose terms are all positive.
fn error_function(x: f64) -> f64 {
    let y = x.abs().min(6.0);
    let (mut term, mut sum, mut odd) = (y, y, 1.0);
    while term > 1e-17 * sum {
        odd += 2.0;
        term *= 2.0 * y * y / odd;
        sum += term;
    }
    let found = std::f64::consts::FRAC_2_SQRT_PI * (-y * y).exp() * sum;
    found.min(1.0).copysign(x)
}
