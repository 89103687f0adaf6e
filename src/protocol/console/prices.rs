//! `eq2mwc`, `mwc2eq`, `show gammonvalues`: what a score makes of points.

use super::Console;
use super::host::ConsoleHost;
use super::play::NO_GAME;
use super::table::Seat;
use super::words::Words;

impl Console {
    /// Returns the match winning chances of a plain loss and a plain win, and reports what is missing.
    fn plain_results(&mut self, host: &mut dyn ConsoleHost) -> Option<[f64; 2]> {
        if self.table.length == 0 {
            self.say("Command only valid in match play");
            return None;
        }
        let state = self.state()?;
        Some(host.stakes(&state).chances)
    }

    pub(super) fn mwc_of_equity(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
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

    pub(super) fn equity_of_mwc(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let wanted = words.real();
        let Some([lost, won]) = self.plain_results(host) else {
            return;
        };
        // What is above one is a percentage.
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

    pub(super) fn show_prices(&mut self, path: &[&'static str], host: &mut dyn ConsoleHost) {
        if !self.table.playing() {
            self.say(NO_GAME);
            return;
        }
        if let [word @ ("marketwindow" | "rolls" | "temperaturemap")] = path {
            self.refuse(&format!("show {word}"));
            return;
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
