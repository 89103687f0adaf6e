//! `set xgid`, `set gnubgid`, `set matchid`, `set board`, `set turn`, `set dice`: the board.

use super::Console;
use super::table::{LENGTH_MAX, Seat, Table, TablePhase};
use super::words::{Words, read_dice};
use crate::commands::play::RESIGNATION_WAITS;
use gammond_game::notation::{MatchId, PositionId, PositionKey, Xgid, XgidDice};
use gammond_game::{BAR, MatchScore, POINTS, Position};

/// Digits of a Position ID.
const POSITION_ID_LENGTH: usize = 14;
/// Digits of a Match ID.
const MATCH_ID_LENGTH: usize = 12;
const NO_GAME_FOR_BOARD: &str = "There must be a game in progress to set the board.";
/// Numbers of `set board simple`.
const SIMPLE: usize = 26;

/// The content of an XGID, with the players at their seats.
struct Place {
    table: Table,
    beavers: bool,
    /// Position of the checkers; `None` if they make none.
    position: Option<Position>,
    offered: bool,
    on_top: bool,
}

impl Console {
    pub(super) fn set_xgid(&mut self, words: &mut Words<'_>) {
        let text = words.trimmed().replace('"', "");
        let Some(place) = self.read_xgid(&text) else {
            self.complain(&format!(
                "Not a valid XGID '{}'",
                words.trimmed().trim_matches('"')
            ));
            return;
        };
        let had_game = self.table.playing();
        if place.offered {
            self.step_back();
        }
        if place.table.score.length() == 0 {
            self.beavers = if place.beavers {
                self.beavers.max(3)
            } else {
                0
            };
        }
        self.put(place.table, had_game);
        match place.position {
            Some(position) => {
                self.put_position(position);
                self.show_board();
            }
            None => {
                self.say("Illegal position.");
                self.no_board = !self.options.strict;
            }
        }
        if place.on_top {
            self.swap_players();
        }
    }

    /// Reports that an offered double is taken back, because an id cannot hold it.
    fn step_back(&mut self) {
        self.say("SetMatchID cannot handle positions where a double has been offered.");
        self.fault("Stepping back to the offering of the cube. ");
    }

    /// Sets cube, score, dice and turn of a match id or XGID and keeps the board.
    fn put(&mut self, table: Table, had_game: bool) {
        let (variant, position) = match had_game {
            true => (self.table.variant, self.table.position),
            false => (self.variant, self.variant.start()),
        };
        self.table = Table {
            variant,
            position,
            cube_use: self.table.cube_use,
            games: 0,
            // A cube that is not in use stays as it is.
            cube: if self.table.cube_use { table.cube } else { 1 },
            ..table
        };
        self.begin_record();
        self.set_up();
        if let Some([first, second]) = self.table.dice {
            if self.table.playing() {
                self.say(&format!("The dice have been set to {first} and {second}."));
            } else {
                self.table.dice = None;
                self.say("There must be a game in progress to set the dice.");
            }
        }
        if self.table.cube > 1 {
            // A turned cube makes a game of an ID without one, as in the original.
            self.table.phase = TablePhase::Playing;
            self.say(&format!("The cube has been set to {}.", self.table.cube));
        }
        if had_game {
            match self.table.playing() {
                true => self.show_board(),
                false => self.say(NO_GAME_FOR_BOARD),
            }
        }
        match self.table.phase {
            TablePhase::None => self.say("No game in progress."),
            _ => self.show_board(),
        }
    }

    fn put_position(&mut self, position: Position) {
        self.table.position = position;
        // The original keeps a double open, although no answer to it has an effect.
        if !(self.options.strict && self.table.doubled) {
            self.table.withdraw_offer();
        }
        self.set_up();
    }

    /// Notes that the position was changed by hand.
    pub(super) fn set_up(&mut self) {
        self.forget_hint();
        self.record.set_up = true;
        self.due = false;
    }

    fn read_xgid(&self, text: &str) -> Option<Place> {
        let lower = text.to_ascii_lowercase();
        let start = lower.find("xgid=").unwrap_or(0);
        let word = text.get(start..)?.split_ascii_whitespace().next()?;
        let mut fields: Vec<&str> = word.split(':').collect();
        if fields.len() != 10 {
            return None;
        }
        let dice = *fields.get(4)?;
        let offered = dice.starts_with('D');
        *fields.get_mut(4)? = if offered { "00" } else { dice };
        // Any other player on roll than the one at the bottom is the one at the top.
        let on_top = *fields.get(3)? != "1";
        *fields.get_mut(3)? = if on_top { "-1" } else { "1" };
        // The limit of the cube is not checked here.
        let most = fields.get_mut(9)?;
        if most.bytes().all(|byte| byte.is_ascii_digit()) {
            *most = "10";
        }
        let xgid = Xgid::parse(fields.join(":").as_bytes()).ok()?;
        let roll = match xgid.dice {
            XgidDice::ToRoll => None,
            XgidDice::Roll(roll) => Some([roll.high(), roll.low()]),
            XgidDice::Offer(_) => return None,
        };
        let length = u32::from(xgid.length);
        let score = match length {
            0 => [0; 2],
            _ => [xgid.top_score, xgid.bottom_score].map(u32::from),
        };
        let score = MatchScore::at(length, score, Some(xgid.rules == 1));
        if length > LENGTH_MAX || score.winner().is_some() || xgid.cube_log > 12 {
            return None;
        }
        let seat = |seat| match seat {
            gammond_game::notation::Seat::Bottom => Seat::Bottom,
            gammond_game::notation::Seat::Top => Seat::Top,
        };
        let on_roll = if on_top { Seat::Top } else { Seat::Bottom };
        let table = Table {
            phase: TablePhase::Playing,
            score,
            jacoby: length == 0 && xgid.rules & 1 != 0,
            cube: 1 << xgid.cube_log,
            owner: xgid.owner.map(seat).filter(|_| xgid.cube_log > 0),
            on_roll,
            decides: on_roll,
            dice: roll,
            ..Table::default()
        };
        let bare = Xgid {
            cube_log: 0,
            owner: None,
            bottom_score: 0,
            top_score: 0,
            rules: 0,
            length: 0,
            ..xgid
        };
        Some(Place {
            table,
            beavers: length == 0 && xgid.rules & 2 != 0,
            position: bare.view().ok().map(|view| view.position),
            offered,
            on_top,
        })
    }

    pub(super) fn set_gnubg_id(&mut self, words: &mut Words<'_>) {
        let text = words.trimmed();
        let digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let runs = || text.split(|sign: char| !u8::try_from(sign).is_ok_and(digit));
        let run = |length| runs().find(|run| run.len() == length).unwrap_or("");
        let (position, id) = (run(14), run(12));
        if position.is_empty() && id.is_empty() {
            self.complain("No valid IDs found");
            return;
        }
        if !id.is_empty() {
            self.match_id(id);
        }
        if !position.is_empty() {
            if !self.table.playing() && !self.options.strict {
                // A position alone is one of money play.
                self.table = Table {
                    phase: TablePhase::Playing,
                    jacoby: self.jacoby,
                    ..Table::default()
                };
                self.begin_record();
            }
            self.board_text(position);
        }
        self.say(&format!("Setting GNUbg ID {position}:{id}"));
    }

    pub(super) fn set_match_id(&mut self, words: &mut Words<'_>) {
        match words.next() {
            Some(id) => self.match_id(id),
            None => self.say("Illegal match ID ''"),
        }
    }

    fn match_id(&mut self, text: &str) {
        // The original reads missing parts as zeros.
        let missing = match self.options.strict {
            true => "A".repeat(MATCH_ID_LENGTH.saturating_sub(text.len())),
            false => String::new(),
        };
        let found = MatchId::parse(format!("{text}{missing}").as_bytes()).ok();
        let Some((id, mut table)) = found.and_then(|id| Some((id, table_of(id)?))) else {
            self.say(&format!("Illegal match ID '{text}'"));
            return;
        };
        if id.doubled() {
            self.step_back();
        }
        if self.options.strict {
            table.phase = TablePhase::of_number(id.game_state());
        } else if id.game_state() == 0 {
            self.table = Table {
                phase: TablePhase::None,
                position: self.table.position,
                ..table
            };
            self.begin_record();
            self.forget_hint();
            return;
        }
        let had_game = self.table.playing();
        self.put(table, had_game);
    }

    pub(super) fn set_board(&mut self, words: &mut Words<'_>) {
        if !self.table.playing() {
            self.say(NO_GAME_FOR_BOARD);
            return;
        }
        match words.text() {
            "" => self.say("You must specify a position (see `help set board')."),
            text => self.board_text(text),
        }
    }

    /// Sets the board from one of the forms of `set board`.
    fn board_text(&mut self, text: &str) {
        if !self.table.playing() {
            self.say(NO_GAME_FOR_BOARD);
            return;
        }
        let mut words = Words::new(text);
        match self.read_board(&mut words) {
            Ok(position) => {
                self.put_position(position);
                self.show_board();
            }
            Err(Some(fault)) => self.say(&fault),
            Err(None) => {
                // The original keeps the position that was there, and a hint answers for it.
                if !self.options.strict {
                    self.say("Illegal position.");
                    self.forget_hint();
                    self.no_board = true;
                }
            }
        }
    }

    /// Parses a Position ID, a key of 20 letters, `simple` with 26 numbers, or `=N` of the last hint.
    ///
    /// # Errors
    /// The text of the error, or `None` for an impossible position.
    pub(super) fn read_board(&self, words: &mut Words<'_>) -> Result<Position, Option<String>> {
        let word = words.next().unwrap_or("");
        // The original reads `=N` as an ID, too.
        let number = word.strip_prefix('=').filter(|_| !self.options.strict);
        if let Some(number) = number {
            let index =
                super::words::integer(number).and_then(|number| usize::try_from(number).ok());
            let plays = self.hint.as_ref().and_then(Hint::plays);
            let play = plays
                .zip(index)
                .and_then(|(plays, index)| plays.get(index.checked_sub(1)?));
            return play.map(|play| play.position).ok_or(None);
        }
        if !word.is_empty() && "simple".starts_with(&word.to_ascii_lowercase()) {
            return self.simple(words);
        }
        let key = (word.len() == 20).then(|| PositionKey::parse(word.as_bytes()).ok());
        if let Some(Some(key)) = key {
            return Ok(key.position());
        }
        match PositionId::parse(word.as_bytes()) {
            Ok(id) => Ok(id.position()),
            Err(_) if self.options.strict => padded_position(word).ok_or(None),
            Err(_) => Err(None),
        }
    }

    fn simple(&self, words: &mut Words<'_>) -> Result<Position, Option<String>> {
        let mut numbers = [0_i64; SIMPLE];
        for (found, number) in numbers.iter_mut().enumerate() {
            let Some(read) = words.number() else {
                return Err(Some(format!(
                    "`simple' must be followed by 26 integers; found only {found}"
                )));
            };
            *number = read;
        }
        let [my_bar, points @ .., other_bar] = numbers;
        let (mut me, mut other) = ([0_u8; POINTS], [0_u8; POINTS]);
        let count = |number: i64| {
            u8::try_from(number.unsigned_abs())
                .unwrap_or(u8::MAX)
                .min(16)
        };
        for ((mine, theirs), number) in me
            .iter_mut()
            .zip(other.iter_mut().rev().skip(1))
            .zip(points)
        {
            *(if number > 0 { mine } else { theirs }) = count(number);
        }
        if let (Some(mine), Some(theirs)) = (me.get_mut(BAR), other.get_mut(BAR)) {
            (*mine, *theirs) = (count(my_bar), count(other_bar));
        }
        Position::new(&me, &other).map_err(|_| None)
    }

    pub(super) fn set_turn(&mut self, words: &mut Words<'_>) {
        if !self.table.playing() {
            self.say("There must be a game in progress to set a player on roll.");
            return;
        }
        let Some(word) = words.next() else {
            self.say("Which player do you want to set on roll?");
            return;
        };
        let Some(seat) = self.seat(word) else {
            self.say(&format!("Unknown player `{word}' (see `help set turn')."));
            return;
        };
        if self.table.resigned > 0 {
            self.say(RESIGNATION_WAITS);
            return;
        }
        let table = &mut self.table;
        let offered = table.doubled;
        // The checkers stay where they lie: the other player sees them from the other side.
        if table.on_roll != seat {
            table.position = table.position.swapped();
        }
        (table.on_roll, table.dice) = (seat, None);
        table.withdraw_offer();
        self.set_up();
        if offered && self.options.plays_on {
            self.show_board();
        }
        self.say(&format!("`{}' is now on roll.", seat.of(&self.names)));
    }

    pub(super) fn set_dice(&mut self, words: &mut Words<'_>) {
        if !self.table.playing() {
            self.say("There must be a game in progress to set the dice.");
            return;
        }
        let Some([first, second]) = read_dice(words.trimmed()) else {
            self.say("You must specify two numbers from 1 to 6 for the dice.");
            return;
        };
        if self.table.dice != Some([first, second]) {
            self.forget_hint();
        }
        self.table.withdraw_offer();
        self.table.dice = Some([first, second]);
        self.say(&format!("The dice have been set to {first} and {second}."));
    }

    /// Swaps the players' names and scores; the types of the seats stay.
    pub(super) fn swap_players(&mut self) {
        self.names.reverse();
        self.table.swap();
        self.record.swap();
        self.judged = None;
        if self.table.phase != TablePhase::None {
            self.show_board();
            self.show_board();
        }
    }
}

use super::hinted::Hint;

/// Reads a Position ID as the original does: a sign that is no digit of base 64 counts as the last digit, and missing
/// digits are zeros. `None` for an impossible position.
fn padded_position(word: &str) -> Option<Position> {
    let digit = |byte: u8| match byte.is_ascii_alphanumeric() || byte == b'+' {
        true => byte,
        false => b'/',
    };
    let digits = word.bytes().map(digit).chain(std::iter::repeat(b'A'));
    let id: Vec<u8> = digits.take(POSITION_ID_LENGTH).collect();
    PositionId::parse(&id).ok().map(|id| id.position())
}

/// Converts a Match ID; `None` if no game can have it.
fn table_of(id: MatchId) -> Option<Table> {
    let length = u32::from(id.length());
    let score = [
        gammond_game::notation::PlayerNumber::Zero,
        gammond_game::notation::PlayerNumber::One,
    ]
    .map(|player| u32::from(id.score(player)));
    let dice = id.dice();
    let over = length > 0 && score.iter().any(|points| *points > length);
    if length > LENGTH_MAX || over || id.cube_log() > 12 || dice.iter().any(|die| *die > 6) {
        return None;
    }
    let dice = dice.map(|die| u8::try_from(die).unwrap_or(0));
    // Before the double it was the doubler's turn.
    let on_roll = match id.doubled() {
        true => Seat::from_number(id.decides()).other(),
        false => Seat::from_number(id.on_roll()),
    };
    let score = MatchScore::at(length, score, Some(id.crawford()));
    Some(Table {
        phase: TablePhase::Playing,
        score,
        jacoby: id.jacoby(),
        idle_jacoby: length > 0 && id.jacoby(),
        cube: if score.is_crawford() {
            1
        } else {
            1 << id.cube_log()
        },
        owner: id.owner().map(Seat::from_number),
        on_roll,
        decides: on_roll,
        dice: Some(dice).filter(|dice| !dice.contains(&0)),
        ..Table::default()
    })
}
