//! `show …`: the state in words.

use super::Command;
use crate::Console;
use crate::grammar::{self, FIRST};
use crate::host::ConsoleHost;
use crate::table::TablePhase;
use crate::words::Words;
use gammond_game::{Position, RaceCounts};

/// The command `show`.
pub(super) static COMMAND: Command = Command {
    name: "show",
    grammar: &[
        "show: aliases analysis autosave automatic beavers bearoff board buildinfo browser calibration cheat clockwise \
            commands confirm copying crawford credits cube cubeefficiency delay dice display engine evaluation fullboard \
            gammonvalues export geometry isight jacoby 8912 keith kleinman lang manual=show-manual marketwindow \
            matchequitytable matchinfo matchlength matchresult met onesidedrollout output panels pipcount player \
            postcrawford prompt ratingoffset rng rollout rolls score scoresheet seed sound statistics=show-statistics \
            temperaturemap scoremap threads thorp turn version tutor variation warning warranty",
        "show-manual: about web",
        "show-statistics: game match session",
    ],
    run: |console, path, words, host| {
        if let [_, what @ ..] = path {
            console.show(what, words, host);
        }
    },
    ..Command::BARE
};

impl Console {
    pub(crate) fn show(
        &mut self,
        path: &[&'static str],
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        match path {
            ["board" | "fullboard"] => self.show_position(words),
            ["score"] => self.say_score(),
            ["pipcount"] => self.pip_counts(words),
            ["turn"] => self.show_turn(),
            ["dice"] => self.show_dice(),
            ["cube"] => self.show_cube(),
            ["statistics", what] => self.show_statistics(what, host),
            ["evaluation" | "analysis" | "rollout" | "player" | "output" | "automatic"] => self.show_settings(path),
            ["jacoby"] => self.show_jacoby(),
            ["beavers"] => {
                let text = match self.beavers {
                    0 => "No beavers allowed in money sessions.".to_owned(),
                    1 => "1 beaver allowed in money sessions.".to_owned(),
                    count => format!("{count} beavers/raccoons allowed in money sessions."),
                };
                self.say(&text);
            }
            ["crawford"] => self.show_crawford(),
            ["postcrawford"] => self.show_post_crawford(),
            ["matchlength"] => {
                let text = format!("New matches default to {} points.", self.match_length);
                self.say(&text);
            }
            ["rng"] => {
                let text = format!("You are using the {} generator.", self.rng);
                self.say(&text);
            }
            ["display"] => {
                let not = if self.display { "" } else { "not " };
                self.say(&format!("GNU Backgammon will {not}display boards for computer moves."));
            }
            ["thorp" | "keith" | "kleinman"] => self.race_count(path, words),
            ["gammonvalues" | "marketwindow" | "rolls" | "temperaturemap"] => self.show_prices(path, host),
            ["version" | "credits" | "buildinfo"] => {
                let version = env!("CARGO_PKG_VERSION");
                self.say(&format!("gammond {version}, in the place of GNU Backgammon's text console"));
            }
            ["warranty" | "copying"] => {
                self.say("gammond comes without any warranty, under the Apache License 2.0 or the MIT license.");
            }
            ["commands"] => {
                let names = grammar::names(FIRST);
                self.say(&names.join("\n"));
            }
            ["confirm"] => self.say(
                "GNU Backgammon will ask for confirmation.\n\
                 GNU Backgammon will ask for confirmation before aborting games in progress.\n\
                 GNU Backgammon will ask for confirmation before overwriting existing files.",
            ),
            ["prompt"] => self.say("The prompt is set to `(\\p) '."),
            ["lang"] => self.say("Your language preference is set to system."),
            ["tutor"] => self.say("No warnings are given for chequer moves.\nNo warnings are given for cube decisions."),
            ["threads"] => self.say("1 calculation thread."),
            ["variation"] => self.show_variation(),
            ["delay"] => self.say("The delay is set to 300 ms."),
            ["matchequitytable" | "met"] => self.show_match_equities(host),
            [word, ..] => self.refuse(&format!("show {word}")),
            [] => {}
        }
    }

    fn show_position(&mut self, words: &mut Words<'_>) {
        if words.peek().is_some() {
            match self.read_board(words) {
                Ok(position) => {
                    let before = std::mem::replace(&mut self.table.position, position);
                    self.show_board();
                    self.table.position = before;
                }
                Err(fault) => {
                    let fault = fault.unwrap_or_else(|| "Illegal position.".to_owned());
                    self.say(&fault);
                }
            }
            return;
        }
        if self.table.phase == TablePhase::None {
            self.say("No position specified and no game in progress.");
            return;
        }
        self.show_board();
        let text = self.place_text();
        self.out.push_str(&text);
    }

    /// Returns the position in a command's arguments, or the current one.
    fn position(&mut self, words: &mut Words<'_>) -> Option<Position> {
        if words.peek().is_some() {
            return match self.read_board(words) {
                Ok(position) => Some(position),
                Err(fault) => {
                    let fault = fault.unwrap_or_else(|| "Illegal position.".to_owned());
                    self.say(&fault);
                    None
                }
            };
        }
        if !self.table.playing() {
            self.say("No position specified and no game in progress.");
            return None;
        }
        Some(self.table.position)
    }

    fn pip_counts(&mut self, words: &mut Words<'_>) {
        let Some(position) = self.position(words) else {
            return;
        };
        let (mine, theirs) = (position.me().pips(), position.opponent().pips());
        let seat = self.table.on_roll;
        let (me, other) = (seat.of(&self.names), seat.other().of(&self.names));
        self.say(&format!(
            "The pip counts are: {me} {mine}, {other} {theirs}."
        ));
    }

    fn show_turn(&mut self) {
        if !self.table.playing() {
            self.say("No game is being played.");
            return;
        }
        let name = self.table.on_roll.of(&self.names).clone();
        let action = if self.table.dice.is_some() {
            "move"
        } else {
            "roll"
        };
        let on = if self.options.strict {
            "in on"
        } else {
            "is on"
        };
        self.say(&format!("{name} {on} {action}."));
        if self.table.resigned > 0 {
            let word = crate::board::resignation(self.table.resigned).unwrap_or("single game");
            // The original always names the player on roll.
            let resigner = match self.options.strict {
                true => self.table.on_roll,
                false => self.table.decides.other(),
            };
            let other = resigner.of(&self.names).clone();
            self.say(&format!("{other} has offered to resign a {word}."));
        }
    }

    fn show_dice(&mut self) {
        let name = self.table.on_roll.of(&self.names).clone();
        let text = match (self.table.playing(), self.table.dice) {
            (false, _) => "The dice will not be rolled until a game is started.".to_owned(),
            (true, None) => format!("{name} has not yet rolled the dice."),
            (true, Some([first, second])) => format!("{name} has rolled {first} and {second}."),
        };
        self.say(&text);
    }

    fn show_cube(&mut self) {
        if !self.table.playing() {
            self.say("There is no game in progress.");
            return;
        }
        if self.table.score.is_crawford() {
            self.say("The cube is disabled during the Crawford game.");
            return;
        }
        if !self.table.cube_use {
            self.say("The doubling cube is disabled.");
            return;
        }
        let value = self.table.cube;
        let text = match self.table.owner {
            None => format!("The cube is at {value}, and is centred."),
            Some(seat) => format!(
                "The cube is at {value}, and is owned by {}.",
                seat.of(&self.names)
            ),
        };
        self.fault(&text);
    }

    fn show_jacoby(&mut self) {
        let with = |on| if on { "with" } else { "without" };
        if self.table.score.length() == 0 {
            let text = format!(
                "This money session is played {} the Jacoby rule.",
                with(self.table.jacoby)
            );
            self.say(&text);
        }
        let text = format!(
            "New money sessions are played {} the Jacoby rule.",
            with(self.jacoby)
        );
        self.say(&text);
    }

    fn show_crawford(&mut self) {
        if self.table.score.length() == 0 {
            self.say("Crawford rule is not used in money sessions.");
        } else if self.table.score.is_crawford() {
            self.say("This game is the Crawford game.");
        } else {
            self.say("This game is not the Crawford game");
        }
    }

    fn show_post_crawford(&mut self) {
        if self.table.score.length() == 0 {
            self.say("Crawford rule is not used in money sessions.");
        } else {
            let not = if self.table.score.is_post_crawford() {
                ""
            } else {
                "not "
            };
            self.say(&format!("This is {not}post-Crawford play."));
        }
    }

    fn race_count(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        let Some(position) = self.position(words) else {
            return;
        };
        let Some(counts) = RaceCounts::of(&position) else {
            self.say("The count is for races only: there is contact.");
            return;
        };
        // The reasons name the limits of each count in its own words.
        let verdict = |advice: gammond_game::RaceAdvice, reasons: [&str; 3]| {
            let [wait, take, pass] = reasons;
            match (advice.double, advice.take) {
                (false, _) => format!("No Double, Take (since L > {wait})"),
                (true, true) => format!("Double, Take (since L <= {take})"),
                (true, false) => format!("Double, Drop (since L <= {pass})"),
            }
        };
        let text = match path {
            ["thorp"] => {
                let [mine, theirs] = counts.thorp;
                let plain = if mine > 33.0 { mine / 1.1 } else { mine };
                format!(
                    "Thorp Count Leader            : {plain:.0}\nThorp Count Leader(+1/10)    L: {mine:.1}\nThorp Count Trailer          T: {theirs:.0}\n\n{}",
                    verdict(counts.by_thorp(), ["T + 2", "T + 2", "T - 2"])
                )
            }
            ["keith"] => {
                let [mine, theirs] = counts.keith;
                format!(
                    "Keith Count Leader            : {:.0}\nKeith Count Leader(+1/7)     L: {mine:.1}\n\
                     Keith Count Trailer          T: {theirs:.0}\n\n{}",
                    mine * 7.0 / 8.0,
                    verdict(counts.by_keith(), ["T + 4", "T + 4", "T+2"])
                )
            }
            _ => {
                let (mine, theirs) = (position.me().pips(), position.opponent().pips());
                let (sum, lead) = (mine + theirs, i64::from(theirs) - i64::from(mine));
                let root = 2.0 * (f64::from(sum) - 4.0).max(1.0).sqrt();
                #[expect(clippy::cast_precision_loss, reason = "pips are few")]
                let k = (lead as f64 + 4.0) / root;
                format!(
                    "Leader Pip Count : {mine}\nTrailer Pip Count: {theirs}\n\nsum              : {sum}\n\
                     diff             : {lead}\n\nK = (diff+4)/(2 sqrt(sum-4)) = {k:8.4}\n\
                     Cubeless Winning Chance: {:.4}\n",
                    (1.0 + error_function(k)) / 2.0
                )
            }
        };
        match path {
            ["keith"] => self.fault(&text),
            _ => self.say(&text),
        }
    }
}

/// Returns erf(x) to 2e-7 (Abramowitz and Stegun 7.1.26).
fn error_function(x: f64) -> f64 {
    const TERMS: [f64; 5] = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let sum = TERMS.iter().fold(0.0, |sum, term| (sum + term) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}
