//! Playing: rolls, plays, the cube, resignations, the ends of games.

use super::Console;
use super::board::resignation;
use super::host::Host;
use super::place::read_dice;
use super::table::{CUBE_MAX, Phase, Seat, points};
use super::words::Words;
use crate::game::{LegalPlay, Margin, Play, Position, Roll, legal_plays};
use crate::notation::{MatAction, parse_play};

/// Opening rolls that are thrown until the dice differ.
const OPENING_ROLLS_MAX: usize = 256;

/// What the dice that a person enters are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    Opening,
    Roll,
}

pub(super) const NO_GAME: &str = "No game in progress (type `new game' to start one).";

impl Console {
    /// Commands of play.
    pub(super) fn game_command(
        &mut self,
        path: &[&'static str],
        words: &mut Words<'_>,
        host: &mut dyn Host,
    ) {
        match path {
            ["new", what] => self.new_one(what, words, host),
            ["roll"] => self.roll(host),
            ["move"] => match words.trimmed() {
                "" if !self.must_move() => {}
                "" => self.move_without_words(host),
                text => self.play_move(text, host),
            },
            ["double"] => self.double(),
            ["take"] => self.take(),
            ["drop" | "pass"] => self.drop_cube(host),
            ["redouble" | "beaver"] => self.redouble(),
            ["accept"] => match (
                self.table.resigned > 0,
                self.table.doubled && self.table.playing(),
            ) {
                (true, _) => self.agree(host),
                (_, true) => self.take(),
                _ => self.say("You can only accept if the cube or a resignation has been offered."),
            },
            ["reject"] => match (
                self.table.resigned > 0,
                self.table.doubled && self.table.playing(),
            ) {
                (true, _) => self.decline(),
                (_, true) => self.drop_cube(host),
                _ => self.say("You can only reject if the cube or a resignation has been offered."),
            },
            ["agree"] if self.in_game() => self.agree(host),
            ["decline"] if self.in_game() => self.decline(),
            ["resign"] => self.resign(words),
            ["play"] if self.in_game() => self.play_computer(host),
            ["end", _] if self.in_game() => self.end_game(host),
            _ => {}
        }
    }

    /// Whether a game goes on; says so when not.
    fn in_game(&mut self) -> bool {
        if !self.table.playing() {
            self.say(NO_GAME);
        }
        self.table.playing()
    }

    fn new_one(&mut self, what: &str, words: &mut Words<'_>, host: &mut dyn Host) {
        match what {
            "match" => {
                let length = match words.peek() {
                    None => Some(i64::from(self.match_length)),
                    Some(_) => words.number(),
                };
                let length = length.filter(|length| (1..=64).contains(length));
                let Some(length) = length.and_then(|length| u32::try_from(length).ok()) else {
                    self.say("GNU Backgammon is compiled with support only for matches of length 64\nand below");
                    return;
                };
                self.new_match(length);
                self.say(&format!("A new {} match has been started.", points(length)));
            }
            "session" => {
                self.new_match(0);
                self.say("A new session has been started.");
            }
            _ => {
                if self.table.match_winner().is_some() {
                    self.say("The match is already over.");
                    return;
                }
                if self.table.phase == Phase::None && self.record.file.games.is_empty() {
                    self.new_match(0);
                }
            }
        }
        self.begin_game(host);
    }

    fn new_match(&mut self, length: u32) {
        if let Some(names) = self.new_names.take() {
            self.names = names;
        }
        let cube_use = self.table.cube_use;
        self.table = super::table::Table {
            length,
            jacoby: self.jacoby,
            post_crawford: length == 1,
            cube_use,
            ..super::table::Table::default()
        };
        self.judged = None;
        self.record.begin(length, &self.names);
    }

    pub(super) fn begin_game(&mut self, host: &mut dyn Host) {
        self.table.begin();
        self.forget_hint();
        self.judged = None;
        self.record.file.length = self.table.length;
        self.record.begin_game(self.table.score);
        if self.manual_dice {
            self.ask_dice(Waiting::Opening);
            return;
        }
        let mut doubles = 0;
        for _ in 0..OPENING_ROLLS_MAX {
            let (top, bottom) = (host.die().clamp(1, 6), host.die().clamp(1, 6));
            if self.shows_turns() {
                let [one, other] = &self.names;
                let text = format!("{one} rolls {top}, {other} rolls {bottom}.");
                self.say(&text);
            }
            if top != bottom {
                self.opening(top, bottom);
                return;
            }
            if self.table.length == 0
                && doubles < self.automatic.doubles
                && self.table.cube < CUBE_MAX
            {
                doubles += 1;
                self.table.cube *= 2;
                let text = format!("The cube is now at {}.", self.table.cube);
                self.say(&text);
            }
        }
        // Dice that never differ are none.
        self.opening(2, 1);
    }

    fn opening(&mut self, top: u8, bottom: u8) {
        let seat = if top > bottom {
            Seat::Top
        } else {
            Seat::Bottom
        };
        (self.table.on_roll, self.table.decides) = (seat, seat);
        self.table.dice = Some([top.max(bottom), top.min(bottom)]);
        if self.shows_turns() {
            self.show_board();
        }
        (self.due, self.fresh) = (true, true);
    }

    /// Whether the turns of computers are shown.
    pub(super) fn shows_turns(&self) -> bool {
        self.display || self.players.iter().any(|player| player.human)
    }

    fn ask_dice(&mut self, waiting: Waiting) {
        self.out.push_str("Enter dice: ");
        self.waiting = Some(waiting);
    }

    /// The line that answers the question for dice.
    pub(super) fn dice_line(&mut self, line: &str, waiting: Waiting, host: &mut dyn Host) {
        let Some([first, second]) = read_dice(line) else {
            if let "quit" | "exit" = line.trim() {
                self.ending = true;
                return;
            }
            self.say("You must enter two numbers between 1 and 6.");
            self.ask_dice(waiting);
            return;
        };
        match waiting {
            Waiting::Opening => {
                let [top, bottom] = &self.names;
                let text = format!("{top} rolls {first}, {bottom} rolls {second}.");
                self.say(&text);
                match first == second {
                    true => self.ask_dice(waiting),
                    false => self.opening(first, second),
                }
            }
            Waiting::Roll => self.rolled([first, second], host),
        }
    }

    pub(super) fn roll(&mut self, host: &mut dyn Host) {
        if self.table.resigned > 0 && self.table.playing() {
            self.say("Please resolve the resignation first.");
            return;
        }
        if !self.in_game() {
            return;
        }
        if self.table.doubled {
            let name = self.table.decides.other().of(&self.names).clone();
            self.say(&format!("Please wait for {name} to consider the cube."));
            return;
        }
        if self.table.dice.is_some() {
            self.say("You have already rolled the dice.");
            return;
        }
        self.throw(host);
    }

    /// Throws the dice of the one on roll.
    pub(super) fn throw(&mut self, host: &mut dyn Host) {
        if self.manual_dice {
            self.ask_dice(Waiting::Roll);
            return;
        }
        let dice = [host.die().clamp(1, 6), host.die().clamp(1, 6)];
        self.rolled(dice, host);
    }

    fn rolled(&mut self, dice: [u8; 2], _host: &mut dyn Host) {
        self.table.dice = Some(dice);
        self.forget_hint();
        if self.display || self.human() {
            self.show_board();
        }
        if self.human() && self.plays().is_empty() {
            let name = self.table.on_roll.of(&self.names);
            let text = format!("{name} cannot move.");
            self.say(&text);
            self.make(Play::default(), self.table.position.swapped());
        }
    }

    /// Whether a person has to decide.
    pub(super) fn human(&self) -> bool {
        self.table.decides.of(&self.players).human
    }

    /// The legal plays of the roll; none for a forced pass.
    pub(super) fn plays(&self) -> Vec<LegalPlay> {
        let roll = self.table.roll();
        let plays = roll.map(|roll| legal_plays(&self.table.position, roll));
        let mut plays = plays.unwrap_or_default();
        plays.retain(|legal| !legal.play.is_pass());
        plays
    }

    /// Whether a play is due; says what is missing.
    fn must_move(&mut self) -> bool {
        if !self.in_game() {
            return false;
        }
        if self.table.dice.is_none() {
            self.say("You must roll the dice before you can move.");
            return false;
        }
        true
    }

    fn move_without_words(&mut self, host: &mut dyn Host) {
        match self.plays().as_slice() {
            [] => {
                let name = self.table.on_roll.of(&self.names);
                let text = format!("{name} cannot move.");
                self.say(&text);
                self.make(Play::default(), self.table.position.swapped());
            }
            _ => {
                let _ = host;
                self.say("You must specify a move (type `help move' for instructions).");
            }
        }
    }

    /// A play in words.
    pub(super) fn play_move(&mut self, text: &str, _host: &mut dyn Host) {
        if !self.must_move() {
            return;
        }
        let found = self.table.roll().and_then(|roll| self.find(text, roll));
        match found {
            Some((play, after)) => self.make(play, after),
            None => self.complain("Illegal or unparsable move."),
        }
    }

    fn find(&self, text: &str, roll: Roll) -> Option<(Play, Position)> {
        let meant = parse_play(text, &self.table.position, roll).ok()?;
        Some((meant.play, meant.after))
    }

    /// Makes a play: the turn goes to the other one, or the game ends.
    pub(super) fn make(&mut self, play: Play, after: Position) {
        let seat = self.table.on_roll;
        if let Some(roll) = self.table.roll() {
            let table = self.table;
            self.record
                .push(&table, seat, MatAction::Play { roll, play });
        }
        self.forget_hint();
        self.table.pass_on(after);
        self.due = true;
        if let Some(outcome) = after.outcome() {
            let margin = match self.table.jacoby
                && self.table.length == 0
                && self.table.owner.is_none()
                && self.table.cube_use
            {
                true => Margin::Single,
                false => outcome.margin,
            };
            self.won(Phase::Over, seat, margin as u32);
        }
    }

    /// A seat wins so many games at the cube as it stands.
    pub(super) fn won(&mut self, phase: Phase, winner: Seat, games: u32) {
        let count = games.saturating_mul(self.table.cube);
        self.table
            .finish(phase, winner, count, self.automatic.crawford);
        self.record.finish(winner, count);
        self.forget_hint();
        self.judged = None;
        (self.due, self.fresh) = (false, false);
        let name = winner.of(&self.names).clone();
        let word = resignation(u8::try_from(games).unwrap_or(3)).unwrap_or("single game");
        self.say(&format!("{name} wins a {word} and {}.", points(count)));
        self.say_score();
        match self.table.match_winner() {
            Some(winner) => {
                let text = format!("{} has won the match.", winner.of(&self.names));
                self.say(&text);
                self.show_board();
            }
            // The next game begins before the next line is read.
            None => self.due = self.automatic.game,
        }
    }

    fn double(&mut self) {
        if !self.in_game() {
            return;
        }
        let table = &self.table;
        if table.doubled {
            self.say("The `double' command is for offering the cube, not accepting it.  Use\n`redouble' to immediately offer the cube back at a higher value.");
            return;
        }
        if table.dice.is_some() {
            self.say("You can't double after rolling the dice -- wait until your next turn.");
            return;
        }
        if table.crawford {
            self.say("Doubling is forbidden by the Crawford rule (see `help set crawford').");
            return;
        }
        if !table.cube_use {
            self.say("The doubling cube has been disabled (see `help set cube use').");
            return;
        }
        if table.owner.is_some_and(|owner| owner != table.on_roll) {
            self.say("You do not own the cube.");
            return;
        }
        if table.cube >= CUBE_MAX {
            self.say("The cube is as high as it goes.");
            return;
        }
        self.offer();
    }

    /// The one on roll doubles.
    pub(super) fn offer(&mut self) {
        let seat = self.table.on_roll;
        let table = self.table;
        self.record.push(
            &table,
            seat,
            MatAction::Double(table.cube.saturating_mul(2)),
        );
        self.table.doubled = true;
        self.table.decides = seat.other();
        self.forget_hint();
        if self.shows_turns() {
            let text = format!("{} doubles.", seat.of(&self.names));
            self.say(&text);
        }
        self.due = true;
    }

    /// Whether a double waits; says so when not.
    fn is_doubled(&mut self, what: &str) -> bool {
        let waits = self.table.playing() && self.table.doubled;
        if !waits {
            self.say(&format!(
                "The cube must have been offered before you can {what} it."
            ));
        }
        waits
    }

    pub(super) fn take(&mut self) {
        if !self.is_doubled("take") {
            return;
        }
        let seat = self.table.decides;
        let table = self.table;
        self.record.push(&table, seat, MatAction::Take);
        super::record::apply(&mut self.table, seat, MatAction::Take);
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

    pub(super) fn drop_cube(&mut self, _host: &mut dyn Host) {
        if !self.is_doubled("drop") {
            return;
        }
        let seat = self.table.decides;
        let table = self.table;
        self.record.push(&table, seat, MatAction::Drop);
        if self.shows_turns() {
            let text = format!(
                "{} refuses the cube and gives up {}.",
                seat.of(&self.names),
                points(self.table.cube)
            );
            self.say(&text);
        }
        self.table.doubled = false;
        self.won(Phase::Dropped, seat.other(), 1);
    }

    pub(super) fn redouble(&mut self) {
        if !self.is_doubled("redouble") {
            return;
        }
        if self.table.length > 0 {
            self.say("Beavers and Raccoons are not permitted during match play.");
            return;
        }
        if self.beavers == 0 {
            self.say("Beavers are disabled (see `help set beavers').");
            return;
        }
        if self.table.beavers >= self.beavers {
            self.say(&format!(
                "Only {} beavers/raccoons are permitted (see `help set beavers').",
                self.beavers
            ));
            return;
        }
        if self.table.cube.saturating_mul(4) > CUBE_MAX {
            self.say("The cube is as high as it goes.");
            return;
        }
        let seat = self.table.decides;
        let table = self.table;
        let value = table.cube.saturating_mul(4);
        self.record.push(&table, seat, MatAction::Beaver(value));
        super::record::apply(&mut self.table, seat, MatAction::Beaver(value));
        self.forget_hint();
        let text = format!(
            "{} accepts and immediately redoubles to {value}.",
            seat.of(&self.names)
        );
        self.say(&text);
        self.due = true;
    }

    fn resign(&mut self, words: &mut Words<'_>) {
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
        let name = seat.of(&self.names).clone();
        let other = seat.other().of(&self.names).clone();
        if games <= self.table.declined {
            self.say(&format!(
                "{other} has already declined your offer of a {word}."
            ));
            return;
        }
        self.table.resigned = games;
        self.table.decides = seat.other();
        self.forget_hint();
        self.say(&format!("{name} offers to resign a {word}."));
        self.due = true;
    }

    pub(super) fn agree(&mut self, _host: &mut dyn Host) {
        if self.table.resigned == 0 {
            self.say("No resignation was offered.");
            return;
        }
        let seat = self.table.decides;
        let games = self.table.resigned;
        let word = resignation(games).unwrap_or("single game");
        let text = format!("{} accepts and wins a {word}.", seat.of(&self.names));
        self.say(&text);
        self.won(Phase::Resigned, seat, games.into());
    }

    pub(super) fn decline(&mut self) {
        if self.table.resigned == 0 {
            self.say("No resignation was offered.");
            return;
        }
        let seat = self.table.decides;
        let word = resignation(self.table.resigned).unwrap_or("single game");
        let text = format!("{} declines the {word}.", seat.of(&self.names));
        self.say(&text);
        self.table.declined = self.table.resigned;
        self.table.resigned = 0;
        self.table.decides = seat.other();
        self.due = true;
    }
}
