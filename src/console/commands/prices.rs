//! `eq2mwc`, `mwc2eq`, `show gammonvalues`: points at a match score.

use super::Command;
use super::play::NO_GAME;
use crate::Console;
use crate::host::ConsoleHost;
use crate::market::{self, rates};
use crate::table::Seat;
use crate::words::Words;
use gammond_engine::query::{EngineAnswer, EvalQuery, Question};

/// The command `eq2mwc`.
pub(super) static EQ2MWC: Command = Command {
    name: "eq2mwc",
    help: &[("", "[equity]", "Convert an equity to match winning chances")],
    run: |console, _, words, host| console.mwc_of_equity(words, host),
    ..Command::BARE
};

/// The command `mwc2eq`.
pub(super) static MWC2EQ: Command = Command {
    name: "mwc2eq",
    help: &[("", "[mwc]", "Convert match winning chances to an equity")],
    run: |console, _, words, host| console.equity_of_mwc(words, host),
    ..Command::BARE
};

impl Console {
    /// Returns the match winning chances of a plain loss and a plain win, and reports missing conditions.
    fn plain_results(&mut self, host: &mut dyn ConsoleHost) -> Option<[f64; 2]> {
        if self.table.score.length() == 0 {
            self.say("Command only valid in match play");
            return None;
        }
        let state = self.state()?;
        Some(host.stakes(&state).chances)
    }

    pub(crate) fn mwc_of_equity(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let equity = words.real().unwrap_or(0.0);
        let Some([lost, won]) = self.plain_results(host) else {
            return;
        };
        let mwc = lost + (equity + 1.0) / 2.0 * (won - lost);
        let style = self.style;
        let line = |equity: f64, mwc: f64| {
            format!("MWC for equity = {equity:+.3}: {}\n", style.chance(mwc))
        };
        let text =
            line(-1.0, lost) + &line(1.0, won) + "By linear interpolation:\n" + &line(equity, mwc);
        self.out.push_str(&text);
    }

    pub(crate) fn equity_of_mwc(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let wanted = words.real();
        let Some([lost, won]) = self.plain_results(host) else {
            return;
        };
        // A number above one is a percentage.
        let mwc = match wanted {
            None => (lost + won) / 2.0,
            Some(mwc) if mwc > 1.0 => mwc / 100.0,
            Some(mwc) => mwc,
        };
        let equity = 2.0 * (mwc - lost) / (won - lost) - 1.0;
        let style = self.style;
        let line = |mwc: f64, equity: f64| {
            format!("Equity for MWC = {}: {equity:+.3}\n", style.chance(mwc))
        };
        let text =
            line(lost, -1.0) + &line(won, 1.0) + "By linear interpolation:\n" + &line(mwc, equity);
        self.out.push_str(&text);
    }

    /// Shows the cube points of both players: in a money session those of Janowski (1993) with a dead and with a live
    /// cube, in a match the windows of the score.
    fn show_market_window(&mut self, host: &mut dyn ConsoleHost) -> Result<(), String> {
        let Some(state) = self.state() else {
            return Ok(());
        };
        let question = Question::Value(EvalQuery::new(self.table.position, state));
        let EngineAnswer::Value(found) = host.answer(question, &self.hints.cubes())? else {
            return Err("the engine has no answer".to_owned());
        };
        let on_roll = rates(&found.chances);
        let other = rates(&found.chances.inverted());
        let rates = match self.table.on_roll {
            Seat::Top => [on_roll, other],
            Seat::Bottom => [other, on_roll],
        };
        let mut text = String::new();
        for (name, [gammon, backgammon]) in self.names.iter().zip(rates) {
            text += &format!(
                "Player {name:<25}: gammon rate {:6.2}%, bg rate {:6.2}%\n",
                100.0 * gammon,
                100.0 * backgammon
            );
        }
        if self.table.score.length() > 0 {
            let score = match self.table.on_roll {
                Seat::Top => state.score,
                Seat::Bottom => state.score.swapped(),
            };
            text += &market::windows(score, self.table.cube, rates, &self.names, host);
            self.out.push_str(&text);
            return Ok(());
        }
        let [top, bottom] = rates.map(|[gammon, backgammon]| 1.0 + gammon + 2.0 * backgammon);
        for (name, [won, lost]) in self.names.iter().zip([[top, bottom], [bottom, top]]) {
            text += &format!(
                "\nPlayer {name} cube parameters:\n\n\
                 Cube parameter               Dead Cube      Live Cube\n"
            );
            for (point, dead, live) in cube_points(won, lost, self.table.jacoby) {
                text += &format!("{point:<27}{:9.3}%{:12.3}%\n", 100.0 * dead, 100.0 * live);
            }
        }
        self.out.push_str(&text);
        Ok(())
    }

    pub(crate) fn show_prices(&mut self, path: &[&'static str], host: &mut dyn ConsoleHost) {
        if !self.table.playing() {
            self.say(NO_GAME);
            return;
        }
        match path {
            // The original has them in its windows alone.
            ["rolls" | "temperaturemap" | "scoremap"] => {
                self.say("That command is not yet implemented.");
                return;
            }
            ["marketwindow"] => {
                if let Err(reason) = self.show_market_window(host) {
                    self.complain(&format!("gammond: show marketwindow: {reason}"));
                }
                return;
            }
            _ => {}
        }
        let Some(state) = self.state() else { return };
        let [mine, theirs] = host.stakes(&state).prices;
        let prices = match self.table.on_roll {
            Seat::Top => [mine, theirs],
            Seat::Bottom => [theirs, mine],
        };
        self.say("Player           Gammon value    Backgammon value");
        for (name, [gammon, backgammon]) in self.names.clone().into_iter().zip(prices) {
            self.say(&format!(
                "{name:<17}{:<16.5}{:.5}",
                gammon / 2.0,
                (gammon + backgammon) / 2.0
            ));
        }
    }
}

/// Returns the cube points with a dead and with a live cube, as chances to win, by Janowski's formulas (1993). `won` and
/// `lost` are the mean points of a win and of a loss at cube 1.
fn cube_points(won: f64, lost: f64, jacoby: bool) -> [(&'static str, f64, f64); 7] {
    let (dead, live) = (won + lost, won + lost + 0.5);
    let initial = match jacoby {
        true => (lost - 0.25) / (dead - 0.5),
        false => lost / dead,
    };
    let cash = (lost + 1.0) / live;
    [
        ("Take Point (TP)", (lost - 0.5) / dead, (lost - 0.5) / live),
        ("Beaver Point (BP)", lost / dead, lost / live),
        ("Raccoon Point (RP)", lost / dead, (lost + 0.5) / live),
        ("Initial Double Point (IDP)", initial, cash),
        ("Redouble Point (RDP)", lost / dead, cash),
        ("Cash Point (CP)", (lost + 0.5) / dead, cash),
        ("Too good Point (TGP)", (lost + 1.0) / dead, cash),
    ]
}
