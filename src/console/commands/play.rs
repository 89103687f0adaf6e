//! Playing: rolls, plays, the cube, resignations, the ends of games.

use super::Command;
use crate::Console;
use crate::automatic::Waiting;
use crate::board::resignation;
use crate::host::ConsoleHost;
use crate::table::{CUBE_MAX, LENGTH_MAX, Seat, TablePhase, points};
use crate::words::{Words, read_dice};
use gammond_game::notation::{MatAction, parse_play};
use gammond_game::{LegalPlay, MatchScore, Play, Position, Roll, legal_plays};

/// Maximum number of opening rolls that are thrown until the dice differ.
const OPENING_ROLLS_MAX: usize = 256;

pub(crate) const NO_GAME: &str = "No game in progress (type `new game' to start one).";
pub(crate) const MATCH_OVER: &str = "The match is already over.";
pub(crate) const RESIGNATION_WAITS: &str = "Please resolve the resignation first.";

/// The command `new`.
pub(super) static NEW: Command = Command {
    name: "new",
    grammar: &["new: game match session"],
    help: &[
        ("game", "", "Start a game"),
        ("match", "[points]", "Start a match"),
        ("session", "", "Start money play"),
    ],
    run: |console, path, words, host| {
        if let [_, what] = path {
            console.new_one(what, words, host);
        }
    },
    ..Command::BARE
};

/// The command `roll`.
pub(super) static ROLL: Command = Command {
    name: "roll",
    alias: "r",
    help: &[("", "", "Throw the dice")],
    run: |console, _, _, host| console.roll(host),
    ..Command::BARE
};

/// The command `move`.
pub(super) static MOVE: Command = Command {
    name: "move",
    help: &[("", "<from> <to> ...", "Play the roll")],
    run: |console, _, words, host| match words.trimmed() {
        "" if !console.must_move() => {}
        "" => console.move_without_words(),
        text => console.play_move(text, host),
    },
    ..Command::BARE
};

/// The command `play`.
pub(super) static PLAY: Command = Command {
    name: "play",
    help: &[("", "", "Let the player on roll play, if it is a computer")],
    run: |console, _, _, host| {
        if console.in_game() {
            console.play_computer(host);
        }
    },
    ..Command::BARE
};

/// The command `end`.
pub(super) static END: Command = Command {
    name: "end",
    grammar: &["end: game"],
    help: &[(
        "game",
        "",
        "Play the game to its end with the dice of both players",
    )],
    run: |console, _, _, host| {
        if console.in_game() {
            console.end_game(host);
        }
    },
    ..Command::BARE
};

impl Console {
    /// Returns whether a game is in progress, and reports it if not.
    pub(crate) fn in_game(&mut self) -> bool {
        if !self.table.playing() {
            self.say(NO_GAME);
        }
        self.table.playing()
    }

    fn new_one(&mut self, what: &str, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        match what {
            "match" => {
                let length = match words.peek() {
                    None => Some(i64::from(self.match_length)),
                    Some(_) => words.number(),
                };
                let length = length.and_then(|length| u32::try_from(length).ok());
                let Some(length) = length.filter(|length| *length <= LENGTH_MAX) else {
                    self.say("GNU Backgammon is compiled with support only for matches of length 64\nand below");
                    return;
                };
                self.start_match(length);
            }
            "session" => self.start_match(0),
            _ => {
                if self.table.match_winner().is_some() {
                    self.say(MATCH_OVER);
                    return;
                }
                if self.table.phase == TablePhase::None && self.record.file.games.is_empty() {
                    self.new_match(0);
                }
            }
        }
        self.begin_game(host);
    }

    /// Starts a match, or a session if its length is 0, and reports it.
    fn start_match(&mut self, length: u32) {
        self.new_match(length);
        match length {
            0 => self.say("A new session has been started."),
            _ => self.say(&format!("A new {} match has been started.", points(length))),
        }
    }

    fn new_match(&mut self, length: u32) {
        if let Some(names) = self.new_names.take() {
            self.names = names;
        }
        let cube_use = self.table.cube_use;
        self.table = crate::table::Table {
            score: MatchScore::new(length),
            jacoby: self.jacoby,
            cube_use,
            variant: self.variant,
            ..crate::table::Table::default()
        };
        self.begin_record();
    }

    /// Starts a record of the match on the table, without games and analysis.
    pub(crate) fn begin_record(&mut self) {
        self.judged = None;
        self.record
            .begin(self.table.score.length(), &self.names, self.table.variant);
    }

    pub(crate) fn begin_game(&mut self, host: &mut dyn ConsoleHost) {
        let finished = !matches!(self.table.phase, TablePhase::Playing | TablePhase::None);
        self.table.begin();
        self.forget_hint();
        self.judged = None;
        self.record.file.length = self.table.score.length();
        self.record.begin_game(&self.table, finished);
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
                // The record begins with the cube that automatic doubles have left.
                self.record.set_up = doubles > 0;
                self.opening(top, bottom);
                return;
            }
            if self.table.score.length() == 0
                && doubles < self.automatic.doubles
                && self.table.cube < CUBE_MAX
            {
                doubles += 1;
                self.table.cube *= 2;
                let text = format!("The cube is now at {}.", self.table.cube);
                self.say(&text);
            }
        }
        // Dice that never differ are rejected.
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

    /// Returns whether the turns of computers are shown.
    pub(crate) fn shows_turns(&self) -> bool {
        self.display || self.players.iter().any(|player| player.human)
    }

    fn ask_dice(&mut self, waiting: Waiting) {
        self.out.push_str("Enter dice: ");
        self.waiting = Some(waiting);
    }

    /// Handles a line with requested dice.
    pub(crate) fn dice_line(&mut self, line: &str, waiting: Waiting, host: &mut dyn ConsoleHost) {
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

    pub(crate) fn roll(&mut self, host: &mut dyn ConsoleHost) {
        if self.table.resigned > 0 && self.table.playing() {
            self.say(RESIGNATION_WAITS);
            return;
        }
        if !self.in_game() {
            return;
        }
        if self.table.doubled {
            let name = self.table.decides.of(&self.names);
            let text = format!("Please wait for {name} to consider the cube before moving.");
            self.say(&text);
            return;
        }
        if self.table.dice.is_some() {
            self.say("You have already rolled the dice.");
            return;
        }
        self.throw(host);
    }

    /// Throws the dice of the player on roll.
    pub(crate) fn throw(&mut self, host: &mut dyn ConsoleHost) {
        if self.manual_dice {
            self.ask_dice(Waiting::Roll);
            return;
        }
        let mut dice = [host.die().clamp(1, 6), host.die().clamp(1, 6)];
        // The original shows a person's higher die first, and a computer's dice as they fell.
        if self.human() {
            dice.sort_unstable_by(|one, other| other.cmp(one));
        }
        self.rolled(dice, host);
    }

    fn rolled(&mut self, dice: [u8; 2], _host: &mut dyn ConsoleHost) {
        self.table.dice = Some(dice);
        self.forget_hint();
        if self.display || self.human() {
            self.show_board();
        }
        if !self.human() {
            return;
        }
        if self.plays().is_empty() {
            let name = self.table.on_roll.of(&self.names);
            let text = format!("{name} cannot move.");
            self.say(&text);
            self.make(Play::default(), self.table.position.swapped());
            return;
        }
        self.play_automatically();
    }

    /// Returns whether a human has to decide.
    pub(crate) fn human(&self) -> bool {
        self.table.decides.of(&self.players).human
    }

    /// Returns the legal plays of the roll; none for a forced pass.
    pub(crate) fn plays(&self) -> Vec<LegalPlay> {
        let roll = self.table.roll();
        let plays = roll.map(|roll| legal_plays(&self.table.position, roll));
        let mut plays = plays.unwrap_or_default();
        plays.retain(|legal| !legal.play.is_pass());
        plays
    }

    /// Returns true if a play is due, and reports missing conditions.
    fn must_move(&mut self) -> bool {
        if !self.in_game() {
            return false;
        }
        if self.table.dice.is_none() {
            self.say("You must roll the dice before you can move.");
            return false;
        }
        if self.table.resigned > 0 {
            let name = self.table.decides.of(&self.names);
            let text = format!("Please wait for {name} to consider the resignation before moving.");
            self.say(&text);
            return false;
        }
        true
    }

    fn move_without_words(&mut self) {
        match self.plays().as_slice() {
            [] => {
                let name = self.table.on_roll.of(&self.names);
                let text = format!("{name} cannot move.");
                self.say(&text);
                self.make(Play::default(), self.table.position.swapped());
            }
            _ => self.say("You must specify a move (type `help move' for instructions)."),
        }
    }

    /// Makes a play given as text.
    pub(crate) fn play_move(&mut self, text: &str, _host: &mut dyn ConsoleHost) {
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

    /// Records an action and drops the analysis of those that it replaces.
    pub(crate) fn note_action(&mut self, seat: Seat, action: MatAction) {
        let (game, at) = (self.record.game, self.record.at);
        if self.record.has_more()
            && let Some(judged) = &mut self.judged
        {
            judged.games.truncate(game.saturating_add(1));
            if let Some(actions) = judged.games.get_mut(game) {
                actions.retain(|action| action.number < at);
            }
            judged.notes.retain(|&place, _| place < (game, at));
            judged.books.clear();
        }
        let table = self.table;
        self.record.push(&table, seat, action);
    }

    /// Makes a play: the turn passes, or the game ends.
    pub(crate) fn make(&mut self, play: Play, after: Position) {
        let seat = self.table.on_roll;
        if let Some(roll) = self.table.roll() {
            self.note_action(seat, MatAction::Play { roll, play });
        }
        self.forget_hint();
        self.table.pass_on(after);
        self.due = true;
        if let Some(outcome) = self.table.variant.outcome(&after) {
            let games = self.table.games(outcome);
            self.won(TablePhase::Over, seat, games);
        }
    }

    /// Ends the game: a seat wins this many times the cube.
    pub(crate) fn won(&mut self, phase: TablePhase, winner: Seat, games: u32) {
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
}
