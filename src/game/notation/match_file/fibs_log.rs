//! A FIBS log as saved by a telnet client or TinyFugue, of matches played or watched. The server's match lines stand
//! among all its other output. Saved matches that are loaded again continue from their last position. The sentences
//! are those that the bot reads ([`crate::notation::fibs`]); the user's own plays are read from the boards.

use super::logged::{LinePosition, Logged, YOU};
use super::mat;
use super::record::{LENGTH_MAX, MatchReading};
use super::recorder::MATCHES_MAX;
use crate::Position;
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::fibs::{
    LineReader, MatchTerms, Message, Piece, Watched, name_line, watched_line,
};
use crate::notation::{BoardDialect, BoardLine};
use std::collections::HashMap;

/// Line beginnings that only such a log has; a file without them is not a FIBS log.
const SIGNS: [&str; 5] = [
    "board:",
    "You're now watching ",
    "You are now watching ",
    "Starting a new game with ",
    "You are now playing ",
];

/// Returns true if a text is such a log. In a `.mat` file, which begins with the length of its match, such a sentence is
/// the name of a player.
pub(super) fn is_fibs_log(text: &[u8]) -> bool {
    !mat::is_mat(text) && has_sign(text)
}

/// Returns true if a line begins with one of the signs, behind prompts.
fn has_sign(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let prompt = |byte: &&u8| matches!(byte, b'>' | b' ');
        let begin = line.iter().take_while(prompt).count();
        let mut line = line.get(begin..).unwrap_or_default();
        while let Some(rest) = line.strip_prefix(b"** ") {
            line = rest;
        }
        SIGNS.iter().any(|sign| line.starts_with(sign.as_bytes()))
    })
}

/// Reads a whole log: its matches in the order in which they began.
pub(super) fn read(text: &[u8]) -> Result<Vec<MatchReading>, NotationError> {
    let mut log = Log::default();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let mut pieces = Vec::new();
        let mut reader = LineReader::default();
        reader.push(line, &mut pieces);
        reader.push(b"\n", &mut pieces);
        for piece in pieces {
            let Piece::Line(line) = piece else { continue };
            log.line((number, at), &line);
        }
        at += line.len() + 1;
    }
    let matches = log.finish();
    if matches.is_empty() {
        let reason = Reason::Other("has no game of a match in it");
        return Err(NotationError::new(
            Code::BadMatchFile,
            "FIBS log",
            reason,
            0,
        ));
    }
    Ok(matches)
}

/// A log on its way in.
#[derive(Default)]
struct Log {
    /// Name of the user who kept the log, once a line gives it.
    user: Option<String>,
    matches: Vec<Logged>,
    /// The current match.
    now: Option<usize>,
    /// The last match of each pair of players; the user is [`YOU`], others are in the order of their names.
    last: HashMap<[String; 2], usize>,
    /// Name of the player that the user watches.
    watched: Option<String>,
    /// True if the log has more matches than are read.
    too_many: bool,
}

impl Log {
    fn line(&mut self, place: LinePosition, line: &str) {
        if let Some(logged) = self.current().filter(|logged| logged.own) {
            logged.typed(line);
        }
        for message in name_line(line) {
            match message {
                // Rows of tables may begin with a number as well.
                Message::Welcome(_) if !is_welcome(line) => {}
                message => self.message(place, message),
            }
        }
        match watched_line(line) {
            Some(Watched::Begins(name)) => (self.now, self.watched) = (None, Some(name)),
            Some(Watched::Ends) => (self.now, self.watched) = (None, None),
            Some(Watched::Starts(names, length)) if self.watches(&names) => {
                // Some servers send it twice.
                let begins = |logged: &Logged| logged.has_no_game() && logged.is_between(&names);
                if !self.current().is_some_and(|logged| begins(logged)) {
                    self.begin(place, names.map(Some), false);
                }
                if let Some(logged) = self.current() {
                    logged.length = Some(length.min(LENGTH_MAX));
                }
            }
            Some(Watched::Resumes(names, length)) if self.watches(&names) => {
                let [first, second] = &names;
                match self.known(false, first, second) {
                    Some((known, logged)) if !logged.is_over() => self.now = Some(known),
                    _ => self.begin(place, names.map(Some), false),
                }
                if let Some(logged) = self.current() {
                    logged.length = logged.length.or(length);
                }
            }
            Some(Watched::Starts(..) | Watched::Resumes(..)) => {}
            Some(Watched::Line(message)) => {
                if let Some(logged) = self.current().filter(|logged| !logged.own) {
                    logged.handle(place, message);
                }
            }
            Some(Watched::OpeningRoll(rolls)) => {
                if let Some(logged) = self.current().filter(|logged| !logged.own) {
                    logged.opening_roll(place, &rolls);
                }
            }
            Some(Watched::WinsMatch([winner, loser])) => {
                let known = self.last.get(&pair(false, &winner, &loser)).copied();
                if let Some(logged) = known.and_then(|known| self.matches.get_mut(known)) {
                    (logged.over, logged.running) = (true, false);
                }
            }
            None => {}
        }
    }

    /// Returns true if the user watches one of these two players.
    fn watches(&self, names: &[String; 2]) -> bool {
        let watched = self.watched.as_ref();
        watched.is_some_and(|watched| names.contains(watched))
    }

    fn current(&mut self) -> Option<&mut Logged> {
        self.now.and_then(|now| self.matches.get_mut(now))
    }

    fn message(&mut self, place: LinePosition, message: Message) {
        match message {
            Message::Welcome(name) => self.user_is(name),
            Message::Own(own) => self.user_is(own.name),
            Message::Started { name, wanted } => self.started(place, name, wanted),
            Message::NewGame(name) => self.new_game(place, &name),
            Message::Board(board) => self.board(place, &board),
            // The next lines are of another match, or of this one when it is loaded again.
            Message::Saved { .. } => self.now = None,
            message => {
                if let Some(logged) = self.current() {
                    logged.handle(place, message);
                    let [own, _] = &logged.names;
                    let named = own.clone().filter(|own| logged.own && own != YOU);
                    self.user = self.user.take().or(named);
                }
            }
        }
    }

    fn user_is(&mut self, name: String) {
        // Logs of several users one after another.
        if self.user.as_ref().is_some_and(|known| *known != name) {
            self.now = None;
            self.last.clear();
        }
        if let Some(logged) = self.current().filter(|logged| logged.own) {
            logged.own_name(&name);
        }
        self.user = Some(name);
    }

    /// Begins another match.
    fn begin(&mut self, (line, at): LinePosition, names: [Option<String>; 2], own: bool) {
        if self.matches.len() >= MATCHES_MAX {
            let said = std::mem::replace(&mut self.too_many, true);
            if let Some(last) = self.matches.last_mut().filter(|_| !said) {
                let why = Reason::Other("has more than 10000 matches");
                last.recorder.note(line, at, ("FIBS log", why));
            }
            self.now = None;
            return;
        }
        self.now = Some(self.matches.len());
        if let [Some(first), Some(second)] = &names {
            let pair = pair(own, first, second);
            self.last.insert(pair, self.matches.len());
        }
        self.matches.push(Logged::new((line, at), names, own));
    }

    /// Begins a match of the user with this player.
    fn begin_own(&mut self, place: LinePosition, rival: &str) {
        let user = self.user.clone().unwrap_or_else(|| YOU.to_owned());
        self.begin(place, [Some(user), Some(rival.to_owned())], true);
    }

    /// Returns the last match of two players.
    fn known(&self, own: bool, first: &str, second: &str) -> Option<(usize, &Logged)> {
        let place = *self.last.get(&pair(own, first, second))?;
        Some((place, self.matches.get(place)?))
    }

    fn started(&mut self, place: LinePosition, name: String, wanted: MatchTerms) {
        if wanted == MatchTerms::Resume {
            match self.known(true, YOU, &name) {
                Some((known, logged)) if !logged.is_over() => self.now = Some(known),
                _ => self.begin_own(place, &name),
            }
            return;
        }
        let waits = |logged: &Logged| {
            let [_, rival] = &logged.names;
            logged.own && logged.has_no_game() && rival.as_ref() == Some(&name)
        };
        if !self.current().is_some_and(|logged| waits(logged)) {
            self.begin_own(place, &name);
        }
        if let Some(logged) = self.current() {
            logged.length = match wanted {
                MatchTerms::Points(points) => Some(points.min(LENGTH_MAX)),
                _ => Some(0),
            };
        }
    }

    fn new_game(&mut self, place: LinePosition, name: &str) {
        let goes_on = |logged: &Logged| {
            let [first, second] = logged.names.each_ref().map(Option::as_deref);
            let named = second == Some(name) || (first == Some(name) && !logged.own);
            named && !logged.is_over()
        };
        if !self.current().is_some_and(|logged| goes_on(logged)) {
            match self.known(true, YOU, name) {
                Some((known, logged)) if !logged.is_over() => self.now = Some(known),
                _ => self.begin_own(place, name),
            }
        }
        if let Some(logged) = self.current() {
            logged.new_game(place);
        }
    }

    /// Records a board in the match of the two players whose names it has.
    fn board(&mut self, place: LinePosition, board: &BoardLine) {
        let [first, second] = &board.names;
        // Some servers name the player on roll twice to those who watch.
        if board.turn == 0 || first == second {
            return;
        }
        let user = |name: &String| name == YOU || self.user.as_ref() == Some(name);
        let own = user(first) || user(second);
        let swapped_own = user(second);
        // A player may watch another game for a moment.
        let plays = self.now.and_then(|now| self.matches.get(now));
        if !own && plays.is_some_and(|logged| logged.own && !logged.is_over()) {
            return;
        }
        let rival = if swapped_own { first } else { second };
        let known = match own {
            true => self.known(true, YOU, rival),
            false => self.known(false, first, second),
        };
        match known {
            Some((known, logged)) if !logged.is_over() => self.now = Some(known),
            // The last board of a match is no new one.
            Some(_) if !begins(board) => return,
            _ if own => self.begin_own(place, &rival.clone()),
            _ => self.begin(place, [Some(first.clone()), Some(second.clone())], false),
        }
        if let Some(logged) = self.current() {
            let [_, known] = &logged.names;
            let swapped = known.as_ref() == Some(first);
            if let Err(wrong) = logged.board(place, board, swapped) {
                logged.give_up(place, wrong);
            }
        }
    }

    fn finish(self) -> Vec<MatchReading> {
        let Log { user, matches, .. } = self;
        let named = |mut logged: Logged| {
            if let Some(user) = user.as_ref().filter(|_| logged.own) {
                logged.own_name(user);
            }
            logged.finish()
        };
        let (played, rest): (Vec<Logged>, Vec<Logged>) =
            matches.into_iter().partition(Logged::has_something_played);
        match played.is_empty() {
            // A board of another match that the player watched, or a match that was left at once.
            false => played.into_iter().map(named).collect(),
            true => {
                let begun = rest.into_iter().filter(|logged| !logged.has_no_game());
                begun.map(named).collect()
            }
        }
    }
}

/// Returns true for `1 NAME TIME HOST`.
fn is_welcome(line: &str) -> bool {
    let time = line
        .trim_start_matches(['>', ' '])
        .split_whitespace()
        .nth(2);
    time.is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns two players, however they are seated.
fn pair(own: bool, first: &str, second: &str) -> [String; 2] {
    match own {
        true => [YOU.to_owned(), second.to_owned()],
        false => {
            let mut names = [first.to_owned(), second.to_owned()];
            names.sort();
            names
        }
    }
}

/// Returns true if a board is the first one of a match.
fn begins(board: &BoardLine) -> bool {
    let view = board.view(BoardDialect::Fibs);
    board.scores == [0, 0] && view.is_ok_and(|view| view.position == Position::start())
}
