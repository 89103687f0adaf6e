//! The cube and resignations: offers and answers.

use super::Command;
use super::play::RESIGNATION_WAITS;
use crate::Console;
use crate::board::resignation;
use crate::host::ConsoleHost;
use crate::record::apply;
use crate::table::{TablePhase, points};
use crate::words::Words;
use gammond_game::ActRefusal;
use gammond_game::notation::MatAction;

const LARGEST_CUBE: &str = "The cube is as high as it goes.";

/// The command `double`.
pub(super) static DOUBLE: Command = Command {
    name: "double",
    help: &[("", "", "Offer the cube to the opponent")],
    run: |console, _, _, _| console.double(),
    ..Command::BARE
};

/// The command `take`.
pub(super) static TAKE: Command = Command {
    name: "take",
    help: &[("", "", "Take a double")],
    run: |console, _, _, _| console.take(),
    ..Command::BARE
};

/// The command `drop`.
pub(super) static DROP: Command = Command {
    name: "drop",
    help: &[("", "", "Pass a double")],
    run: |console, _, _, host| console.drop_cube(host),
    ..Command::BARE
};

/// The command `pass`.
pub(super) static PASS: Command = Command {
    name: "pass",
    help: &[("", "", "Pass a double, or a roll without a legal play")],
    run: |console, _, _, host| console.drop_cube(host),
    ..Command::BARE
};

/// The command `redouble`.
pub(super) static REDOUBLE: Command = Command {
    name: "redouble",
    help: &[("", "", "Turn the cube once more in answer to a double")],
    run: |console, _, _, _| console.redouble(),
    ..Command::BARE
};

/// The command `beaver`.
pub(super) static BEAVER: Command = Command {
    name: "beaver",
    help: &[("", "", "Take a double, turn the cube once more and keep it")],
    run: |console, _, _, _| console.redouble(),
    ..Command::BARE
};

/// The command `resign`.
pub(super) static RESIGN: Command = Command {
    name: "resign",
    help: &[("", "<normal|gammon|backgammon>", "Offer to resign the game")],
    run: |console, _, words, _| console.resign(words),
    ..Command::BARE
};

/// The command `agree`.
pub(super) static AGREE: Command = Command {
    name: "agree",
    help: &[("", "", "Accept the resignation that is offered")],
    run: |console, _, _, host| {
        if console.in_game() {
            console.agree(host);
        }
    },
    ..Command::BARE
};

/// The command `decline`.
pub(super) static DECLINE: Command = Command {
    name: "decline",
    help: &[("", "", "Decline the resignation that is offered")],
    run: |console, _, _, _| {
        if console.in_game() {
            console.decline();
        }
    },
    ..Command::BARE
};

/// The command `accept`.
pub(super) static ACCEPT: Command = Command {
    name: "accept",
    help: &[("", "", "Accept the resignation that is offered")],
    run: |console, _, _, host| match (
        console.table.resigned > 0,
        console.table.doubled && console.table.playing(),
    ) {
        (true, _) if console.in_game() => console.agree(host),
        (true, _) => {}
        (_, true) => console.take(),
        _ => {
            console.say("You can only accept if the cube or a resignation has been offered.");
        }
    },
    ..Command::BARE
};

/// The command `reject`.
pub(super) static REJECT: Command = Command {
    name: "reject",
    help: &[(
        "",
        "",
        "Decline the resignation or the double that is offered",
    )],
    run: |console, _, _, host| match (
        console.table.resigned > 0,
        console.table.doubled && console.table.playing(),
    ) {
        (true, _) if console.in_game() => console.decline(),
        (true, _) => {}
        (_, true) => console.drop_cube(host),
        _ => {
            console.say("You can only reject if the cube or a resignation has been offered.");
        }
    },
    ..Command::BARE
};

impl Console {
    pub(crate) fn double(&mut self) {
        if !self.in_game() {
            return;
        }
        let table = &self.table;
        if table.doubled {
            self.say("The `double' command is for offering the cube, not accepting it.  Use\n`redouble' to immediately offer the cube back at a higher value.");
            return;
        }
        if table.resigned > 0 || table.decides != table.on_roll {
            self.say("You are only allowed to double if you are on roll.");
            return;
        }
        if table.dice.is_some() {
            self.say("You can't double after rolling the dice -- wait until your next turn.");
            return;
        }
        let Some(refusal) = table.double_refusal() else {
            self.offer();
            return;
        };
        self.say(match refusal {
            ActRefusal::CrawfordGame => {
                "Doubling is forbidden by the Crawford rule (see `help set crawford')."
            }
            ActRefusal::NoCube => "The doubling cube has been disabled (see `help set cube use').",
            ActRefusal::OpponentsCube => "You do not own the cube.",
            ActRefusal::LargestCube => LARGEST_CUBE,
            _ => "The cube is dead; you can't double any more.",
        });
    }

    /// Offers a double by the player on roll.
    pub(crate) fn offer(&mut self) {
        let seat = self.table.on_roll;
        let value = self.table.cube.saturating_mul(2);
        self.note_action(seat, MatAction::Double(value));
        self.table.doubled = true;
        self.table.decides = seat.other();
        self.forget_hint();
        if self.shows_turns() {
            let text = format!("{} doubles.", seat.of(&self.names));
            self.say(&text);
        }
        self.due = true;
    }

    /// Returns whether a double waits for an answer, and reports it if not.
    fn is_doubled(&mut self, what: &str) -> bool {
        let waits = self.table.playing() && self.table.doubled;
        if !waits {
            self.say(&format!(
                "The cube must have been offered before you can {what} it."
            ));
        }
        if waits && self.table.resigned > 0 {
            self.say(RESIGNATION_WAITS);
            return false;
        }
        waits
    }

    pub(crate) fn take(&mut self) {
        if !self.is_doubled("take") {
            return;
        }
        let seat = self.table.decides;
        self.note_action(seat, MatAction::Take);
        apply(&mut self.table, seat, MatAction::Take);
        self.forget_hint();
        if self.shows_turns() {
            let text = format!(
                "{} accepts the cube at {}.",
                seat.of(&self.names),
                self.table.cube
            );
            self.say(&text);
        }
        self.due = true;
    }

    pub(crate) fn drop_cube(&mut self, _host: &mut dyn ConsoleHost) {
        if !self.is_doubled("drop") {
            return;
        }
        let seat = self.table.decides;
        self.note_action(seat, MatAction::Drop);
        if self.shows_turns() {
            let text = format!(
                "{} refuses the cube and gives up {}.",
                seat.of(&self.names),
                points(self.table.cube)
            );
            self.say(&text);
        }
        self.table.doubled = false;
        self.won(TablePhase::Dropped, seat.other(), 1);
    }

    pub(crate) fn redouble(&mut self) {
        if !self.is_doubled("redouble") {
            return;
        }
        let state = self.table.state(self.beavers > 0);
        let refusal = match state.and_then(|state| state.beaver_refusal(1)) {
            Some(ActRefusal::MatchBeaver) => {
                Some("Beavers and Raccoons are not permitted during match play.".to_owned())
            }
            Some(ActRefusal::NoBeavers) => {
                Some("Beavers are disabled (see `help set beavers').".to_owned())
            }
            _ if self.table.beavers >= self.beavers => Some(format!(
                "Only {} beavers/raccoons are permitted (see `help set beavers').",
                self.beavers
            )),
            refusal => refusal.map(|_| LARGEST_CUBE.to_owned()),
        };
        if let Some(text) = refusal {
            self.say(&text);
            return;
        }
        let seat = self.table.decides;
        let value = self.table.cube.saturating_mul(4);
        self.note_action(seat, MatAction::Beaver(value));
        apply(&mut self.table, seat, MatAction::Beaver(value));
        self.forget_hint();
        let text = format!(
            "{} accepts and immediately redoubles to {value}.",
            seat.of(&self.names)
        );
        self.say(&text);
        self.due = true;
    }

    pub(crate) fn resign(&mut self, words: &mut Words<'_>) {
        if !self.table.playing() {
            self.say("You must be playing a game if you want to resign it.");
            return;
        }
        let word = words.next().unwrap_or("").to_ascii_lowercase();
        let is = |name: &str| !word.is_empty() && name.starts_with(&word);
        let games: u8 = match word.as_str() {
            "" => 0,
            _ if word == "1" || is("normal") || is("single") => 1,
            _ if word == "2" || is("gammon") => 2,
            _ if word == "3" || is("backgammon") => 3,
            _ => 0,
        };
        if games == 0 {
            self.say(&match word.as_str() {
                "" => "You must specify whether to resign a normal game, gammon or backgammon."
                    .to_owned(),
                _ => format!("Unknown keyword `{word}' (see `help resign')."),
            });
            return;
        }
        let seat = self.table.decides;
        let word = resignation(games).unwrap_or("single game");
        let other = seat.other().of(&self.names).clone();
        if games <= self.table.declined {
            let word = resignation(self.table.declined).unwrap_or(word);
            self.say(&format!(
                "{other} has already declined your offer of a {word}."
            ));
            return;
        }
        self.offer_resignation(games);
    }

    /// Offers a resignation of this many games.
    pub(crate) fn offer_resignation(&mut self, games: u8) {
        let seat = self.table.decides;
        self.table.resigned = games;
        self.table.decides = seat.other();
        self.forget_hint();
        let word = resignation(games).unwrap_or("single game");
        let text = format!("{} offers to resign a {word}.", seat.of(&self.names));
        if self.shows_turns() {
            self.say(&text);
        }
        self.due = true;
    }

    pub(crate) fn agree(&mut self, _host: &mut dyn ConsoleHost) {
        if self.table.resigned == 0 {
            self.say("No resignation was offered.");
            return;
        }
        let seat = self.table.decides;
        let games = self.table.resigned;
        let word = resignation(games).unwrap_or("single game");
        if self.shows_turns() {
            let text = format!("{} accepts and wins a {word}.", seat.of(&self.names));
            self.say(&text);
        }
        self.won(TablePhase::Resigned, seat, games.into());
    }

    pub(crate) fn decline(&mut self) {
        if self.table.resigned == 0 {
            self.say("No resignation was offered.");
            return;
        }
        let seat = self.table.decides;
        let word = resignation(self.table.resigned).unwrap_or("single game");
        if self.shows_turns() {
            let text = format!("{} declines the {word}.", seat.of(&self.names));
            self.say(&text);
        }
        self.table.declined = self.table.resigned;
        self.table.resigned = 0;
        self.table.decides = seat.other();
        self.due = true;
    }
}
