//! `show …`: the state in words.

use super::Command;
use crate::Console;
use crate::grammar::{self, FIRST};
use crate::host::ConsoleHost;
use crate::table::TablePhase;
use crate::words::Words;
use gammond_engine::equity::CubeEfficiency;
use gammond_game::Position;

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
            ["matchinfo"] => self.show_match_info(host),
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
            ["thorp" | "keith" | "kleinman" | "isight" | "8912"] => self.race_count(path, words),
            ["onesidedrollout"] => self.one_sided(words, host),
            ["gammonvalues" | "marketwindow" | "rolls" | "temperaturemap" | "scoremap"] => self.show_prices(path, host),
            ["cubeefficiency"] => self.show_efficiency(),
            ["cheat"] => self.say("Manipulation with dice is disabled."),
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
    pub(super) fn position(&mut self, words: &mut Words<'_>) -> Option<Position> {
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

    fn show_efficiency(&mut self) {
        let of = CubeEfficiency::GNUBG;
        self.say(&format!(
            "Parameters for cube evaluations:\nCube efficiency for crashed positions : {:.4}\n\
             Cube efficiency for contact positions : {:.4}\nCube efficiency for one sided bearoff positions : {:.4}\n\
             Cube efficiency for race: x = pips * {:.5} + {:.5}\n(min value {:.4}, max value {:.4})",
            of.crashed,
            of.contact,
            of.bearoff,
            of.race_per_pip,
            of.race_base,
            of.race_min,
            of.race_max
        ));
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
}
