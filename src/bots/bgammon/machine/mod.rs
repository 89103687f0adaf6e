//! The bot on one server: log-in, matches that it creates one after the other, and the end.

mod board;
mod current_match;
mod event;
mod interface;

use crate::shared::{MatchEnd, MatchRecord};
use current_match::{CurrentMatch, NextAction};
use event::{Event, event};
use gammond_base::lines::{FramedLine, LineCodec};
use std::collections::VecDeque;

pub use interface::{
    Ask, BgammonAnswer, BgammonOutput, BgammonTiming, Ended, MatchOffer, MatchOfferError,
};

/// Maximum length of an event, in bytes: a list of some hundred matches.
const EVENT_BYTES_MAX: usize = 256 << 10;
/// Number of characters of a text for people that are passed on.
const NOTICE_MAX: usize = 300;
/// Number of characters of a ping's message that are sent back.
const PONG_MAX: usize = 32;
/// Number of doublings of the wait before a match is created again.
const CREATE_DOUBLINGS: u32 = 4;

/// Number of refused tries to create a match, after which the bot leaves any match that the server holds it in.
const CREATE_TRIES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    Offline,
    /// Logging in since this time.
    LoggingIn(u64),
    /// The bot is in a match, or without one: then it creates a match at this time.
    Online {
        create_at: u64,
        tries: u32,
    },
    /// All is done.
    Closing,
}

/// The bot. Its owner passes in bytes, times and answers, and takes out [`BgammonOutput`]s.
#[derive(Debug)]
pub struct BgammonMachine {
    offer: MatchOffer,
    timing: BgammonTiming,
    codec: LineCodec,
    phase: ConnectionPhase,
    /// The bot's name on the server.
    user: String,
    current: Option<Box<CurrentMatch>>,
    /// Time until which boards are ignored: the bot has left the match, and the server has not confirmed that.
    leaving: Option<u64>,
    outputs: VecDeque<BgammonOutput>,
    /// The command about the last board, which waits for its turn.
    command: Option<String>,
    sent_at: Option<u64>,
    heard_at: u64,
    ids: u64,
    stops: u32,
    /// Matches to play before the bot ends.
    matches_left: Option<u64>,
}

impl BgammonMachine {
    /// Returns a bot that offers these matches.
    #[must_use]
    pub fn new(offer: MatchOffer, timing: BgammonTiming) -> BgammonMachine {
        BgammonMachine {
            offer,
            timing,
            codec: LineCodec::new(EVENT_BYTES_MAX),
            phase: ConnectionPhase::Offline,
            user: String::new(),
            current: None,
            leaving: None,
            outputs: VecDeque::new(),
            command: None,
            sent_at: None,
            heard_at: 0,
            ids: 0,
            stops: 0,
            matches_left: None,
        }
    }

    /// Ends the bot after this number of matches.
    #[must_use]
    pub fn with_matches(mut self, matches: Option<u64>) -> BgammonMachine {
        self.matches_left = matches;
        self
    }

    /// Returns the opponent of a match that is being played.
    #[must_use]
    pub fn opponent(&self) -> Option<&str> {
        let current = self.current.as_ref()?;
        current.is_running().then(|| current.opponent())
    }

    /// Returns true if the server has accepted the log-in of this connection.
    #[must_use]
    pub fn is_online(&self) -> bool {
        matches!(
            self.phase,
            ConnectionPhase::Online { .. } | ConnectionPhase::Closing
        )
    }

    /// Handles an open connection.
    pub fn connected(&mut self, now: u64) {
        self.codec = LineCodec::new(EVENT_BYTES_MAX);
        self.phase = ConnectionPhase::LoggingIn(now);
        self.command = None;
        self.leaving = None;
        self.heard_at = now;
        self.outputs.push_back(BgammonOutput::Login);
    }

    /// Handles the loss of the connection.
    pub fn disconnected(&mut self) {
        if self.phase != ConnectionPhase::Closing {
            self.phase = ConnectionPhase::Offline;
        }
        self.command = None;
        self.outputs
            .retain(|output| matches!(output, BgammonOutput::Ended(_) | BgammonOutput::Quit));
        if let Some(current) = &mut self.current {
            current.interrupted();
        }
    }

    /// Takes bytes of the server.
    pub fn bytes(&mut self, bytes: &[u8], now: u64) {
        self.heard_at = now;
        self.codec.feed(bytes);
        loop {
            let parsed = match self.codec.peek() {
                None => break,
                Some(FramedLine::TooLong) => Err("the event is too long".to_owned()),
                Some(FramedLine::Line(line)) => event(line),
            };
            self.codec.consume();
            match parsed {
                Ok(event) => self.event(event, now),
                Err(reason) => self
                    .outputs
                    .push_back(BgammonOutput::Unreadable(shortened(&reason))),
            }
        }
        self.act(now);
    }

    /// Takes the engine's answer.
    pub fn answer(&mut self, id: u64, answer: BgammonAnswer, now: u64) {
        if let Some(current) = &mut self.current
            && let Some(command) = current.answered(id, answer)
        {
            current.sent(command, now);
            self.command = Some(command.to_owned());
        }
        self.act(now);
    }

    /// Performs the actions that are due at this time.
    pub fn tick(&mut self, now: u64) {
        self.act(now);
    }

    /// Requests the end: the first time after the match, the second time at once.
    pub fn stop(&mut self, now: u64) {
        self.stops += 1;
        if self.stops > 1 || self.opponent().is_none() {
            self.quit(now);
        }
    }

    /// Ends the match that is being played: the program ends.
    pub fn abandon(&mut self) {
        self.end_match(MatchEnd::Left);
    }

    /// Returns the next output.
    pub fn poll(&mut self, now: u64) -> Option<BgammonOutput> {
        if let Some(output) = self.outputs.pop_front() {
            return Some(output);
        }
        if self.paced() > now {
            return None;
        }
        let command = self.command.take()?;
        self.sent_at = Some(now);
        if let Some(current) = &mut self.current {
            current.sent(&command, now);
        }
        Some(BgammonOutput::Send(command))
    }

    /// Returns the time from which the next command may be sent.
    fn paced(&self) -> u64 {
        self.sent_at.map_or(0, |at| at + self.timing.pace_ms)
    }

    /// Returns the time at which [`BgammonMachine::tick`] is due.
    #[must_use]
    pub fn wake(&self) -> u64 {
        let silence = self.heard_at + self.timing.silence_ms;
        let due = match (self.phase, &self.current) {
            (ConnectionPhase::Offline | ConnectionPhase::Closing, _) => silence,
            (ConnectionPhase::LoggingIn(since), _) => since + self.timing.login_ms,
            (ConnectionPhase::Online { create_at, .. }, Some(current)) if current.is_lost() => {
                create_at
            }
            (ConnectionPhase::Online { create_at, .. }, None) => create_at,
            (ConnectionPhase::Online { .. }, Some(current)) => current.wake(&self.timing),
        };
        match &self.command {
            // Nothing else is done before it is sent.
            Some(_) => silence.min(self.paced()),
            None => due.min(silence),
        }
    }

    fn event(&mut self, event: Event, now: u64) {
        match event {
            Event::Welcome(user) => {
                self.outputs
                    .push_back(BgammonOutput::LoggedIn(shortened(&user)));
                self.user = user;
                self.phase = ConnectionPhase::Online {
                    create_at: now + self.timing.rejoin_ms,
                    tries: 0,
                };
                // BGM-34: forced plays made by the server would arrive within the bot's turn.
                self.outputs
                    .push_back(BgammonOutput::Send("set autoplay 0".to_owned()));
            }
            Event::Board(board) if self.expects_boards() => {
                self.show(*board, now);
            }
            Event::Left(player) if player == self.user => {
                self.leaving = None;
                if self.current.is_some() {
                    self.end_match(MatchEnd::Unknown);
                    self.create_later(now, 0);
                }
            }
            Event::Left(_) => self.opponent_is(false, now),
            Event::OpponentJoined => self.opponent_is(true, now),
            Event::Ping(message) => {
                let plain = message.chars().filter(char::is_ascii_alphanumeric);
                let message: String = plain.take(PONG_MAX).collect();
                self.outputs
                    .push_back(BgammonOutput::Send(format!("pong {message}")));
            }
            Event::Notice(message) => {
                self.outputs
                    .push_back(BgammonOutput::Notice(shortened(&message)));
            }
            Event::NotCreated(reason) => {
                self.outputs
                    .push_back(BgammonOutput::Notice(shortened(&reason)));
                if let ConnectionPhase::Online { tries, .. } = self.phase {
                    // The server holds the bot in a match that it does not show.
                    if tries >= CREATE_TRIES && self.current.is_none() {
                        self.outputs
                            .push_back(BgammonOutput::Send("leave".to_owned()));
                    }
                    self.create_later(now, tries.saturating_sub(1));
                }
            }
            Event::Refused(reason) => {
                self.outputs
                    .push_back(BgammonOutput::Notice(shortened(&reason)));
                self.command = None;
                if let Some(current) = &mut self.current {
                    current.refused(now);
                }
            }
            Event::Board(_) | Event::Joined | Event::Other => {}
        }
    }

    fn expects_boards(&self) -> bool {
        matches!(self.phase, ConnectionPhase::Online { .. }) && self.leaving.is_none()
    }

    fn opponent_is(&mut self, present: bool, now: u64) {
        if let Some(current) = &mut self.current {
            current.set_present(present, now);
        }
    }

    fn show(&mut self, board: board::Board, now: u64) {
        let opponent = board.names[1].clone();
        let known = self.current.as_ref().map(|current| current.opponent());
        let starts = !opponent.is_empty() && known != Some(opponent.as_str());
        match &mut self.current {
            Some(current) if current.is_continued_by(&board) => {
                if current.show(board, now) {
                    // Waiting commands are about a board that is gone.
                    self.command = None;
                }
            }
            _ => {
                self.end_match(MatchEnd::Unknown);
                self.command = None;
                self.current = Some(Box::new(CurrentMatch::new(board, now)));
            }
        }
        if starts {
            self.outputs
                .push_back(BgammonOutput::Started(shortened(&opponent)));
        }
        if let Some(current) = &mut self.current
            && current.is_over()
            && let Some(record) = current.take_record(MatchEnd::Unknown)
        {
            self.ended(record);
        }
    }

    /// Ends the match: it is no longer the bot's.
    fn end_match(&mut self, end: MatchEnd) {
        let record = self
            .current
            .take()
            .and_then(|mut current| current.take_record(end));
        if let Some(record) = record {
            self.ended(record);
        }
    }

    fn ended(&mut self, record: MatchRecord) {
        let user = self.user.clone();
        self.outputs
            .push_back(BgammonOutput::Ended(Box::new(Ended { record, user })));
        self.matches_left = self.matches_left.map(|left| left.saturating_sub(1));
    }

    fn create_later(&mut self, now: u64, tries: u32) {
        let wait = self.timing.create_ms << tries.min(CREATE_DOUBLINGS);
        self.phase = ConnectionPhase::Online {
            create_at: now + wait,
            tries: tries.saturating_add(1),
        };
    }

    fn leave(&mut self, now: u64) {
        self.command = None;
        self.outputs
            .push_back(BgammonOutput::Send("leave".to_owned()));
        self.end_match(MatchEnd::Left);
        self.leaving = Some(now + self.timing.resync_ms);
        self.create_later(now, 0);
    }

    fn quit(&mut self, now: u64) {
        if self.phase == ConnectionPhase::Closing {
            return;
        }
        if self.is_online() {
            if self.current.is_some() {
                self.leave(now);
            }
            self.outputs
                .push_back(BgammonOutput::Send("disconnect".to_owned()));
        }
        self.end_match(MatchEnd::Left);
        self.outputs.push_back(BgammonOutput::Quit);
        self.phase = ConnectionPhase::Closing;
    }

    /// Performs the action that the present state requires.
    fn act(&mut self, now: u64) {
        self.leaving.take_if(|until| now >= *until);
        if self.phase != ConnectionPhase::Offline && now >= self.heard_at + self.timing.silence_ms {
            self.outputs
                .push_back(BgammonOutput::Reconnect("the server is silent"));
            return;
        }
        match self.phase {
            ConnectionPhase::Offline | ConnectionPhase::Closing => {}
            ConnectionPhase::LoggingIn(since) => {
                if now >= since + self.timing.login_ms {
                    let reason = "no answer to the log-in";
                    self.outputs.push_back(BgammonOutput::Reconnect(reason));
                }
            }
            ConnectionPhase::Online { create_at, tries } => match &mut self.current {
                Some(_) => self.act_in_match(now, create_at),
                None if self.stops > 0 || self.matches_left == Some(0) => self.quit(now),
                None if now >= create_at => {
                    self.outputs
                        .push_back(BgammonOutput::Send(self.offer.command()));
                    self.create_later(now, tries);
                }
                None => {}
            },
        }
    }

    fn act_in_match(&mut self, now: u64, create_at: u64) {
        let Some(current) = &mut self.current else {
            return;
        };
        // The server did not put the bot back into the match before the connection was lost.
        if current.is_lost() {
            if now >= create_at {
                self.end_match(MatchEnd::Unknown);
            }
            return;
        }
        if current.is_deaf() {
            self.outputs
                .push_back(BgammonOutput::Reconnect("the server shows no board"));
            return;
        }
        if self.command.is_some() {
            return;
        }
        if self.stops > 0 && current.opponent().is_empty() {
            return self.quit(now);
        }
        match current.action(now, &self.timing) {
            NextAction::Wait => {}
            NextAction::Send(command) => {
                current.sent(&command, now);
                self.command = Some(command);
            }
            NextAction::Ask(ask) => {
                self.ids += 1;
                current.asked(self.ids, now);
                self.outputs
                    .push_back(BgammonOutput::Decide(self.ids, Box::new(ask)));
            }
            NextAction::Leave => {
                let ends = self.stops > 0 || self.matches_left == Some(0);
                match ends {
                    true => self.quit(now),
                    false => self.leave(now),
                }
            }
        }
    }
}

/// Shortens a text of the server for a log.
fn shortened(text: &str) -> String {
    text.chars().take(NOTICE_MAX).collect()
}
