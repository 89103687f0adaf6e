//! The bot on a FIBS server: login, invitations, match and chat, with bytes and times passed in.
//!
//! The machine sends nothing, computes nothing and knows no clock. The owner of the socket passes bytes and the time
//! in milliseconds, and takes [`Output`]s one by one from [`Machine::poll`]; a command leaves only when its time has
//! come, so an outdated answer never leaves (FIBS-13, FIBS-14).
//!
//! `state::State` is the present condition, `transitions` has the table of its changes.

mod chat_and_invites;
mod idle;
pub mod interface;
mod interrupted;
mod lines;
mod login;
mod lost_matches;
mod outbox;
mod play;
pub mod policy;
mod resync;
mod state;
mod timers;
pub mod transitions;

use crate::shared::MatchRecord;
use gammond_game::notation::fibs::{Message, Piece, Who};
use gammond_game::notation::fibs_play_text;
use interface::{Answer, Ask, BotCounters, Output, Timing};
use interrupted::Interrupted;
use outbox::Outbox;
use play::CrawfordRoll;
use policy::Policy;
use state::{Invitations, Link, SavedMatches, State, Stop, Stopping, USERS_MAX, Users};
use transitions::{EventName, Transitions};

/// A link that breaks so soon after a match was resumed was broken by that.
const RESUME_BREAK_MS: u64 = 30_000;
/// Number of such breaks that are counted: the wait doubles with each.
const RESUME_BREAKS_MAX: u32 = 8;

/// The machine. See the module.
#[derive(Clone, Debug)]
pub struct Machine {
    user: String,
    policy: Policy,
    timing: Timing,
    now: u64,
    state: State,
    link: Link,
    outbox: Outbox,
    users: Users,
    invitations: Invitations,
    saved: SavedMatches,
    stopping: Stopping,
    counts: BotCounters,
    transitions: Transitions,
}

impl Machine {
    /// Creates a machine that is not connected.
    #[must_use]
    pub fn new(user: &str, policy: Policy, timing: Timing) -> Machine {
        Machine {
            user: user.to_owned(),
            policy,
            timing,
            now: 0,
            state: State::Offline,
            link: Link::new(0, CrawfordRoll::Server),
            outbox: Outbox::default(),
            users: Users::default(),
            invitations: Invitations::default(),
            saved: SavedMatches::default(),
            stopping: Stopping::NONE,
            counts: BotCounters::default(),
            transitions: Transitions::default(),
        }
    }

    /// Returns the counters since the machine was made.
    #[must_use]
    pub const fn counts(&self) -> BotCounters {
        self.counts
    }

    /// Returns the name of the present opponent.
    #[must_use]
    pub fn opponent(&self) -> Option<&str> {
        self.state.game().map(|game| game.opponent.as_str())
    }

    /// Returns true if the login has succeeded.
    #[must_use]
    pub fn is_online(&self) -> bool {
        self.state.is_logged_in()
    }

    /// Sets the number of matches that a user has dropped so far.
    pub fn set_drops(&mut self, name: &str, drops: u32) {
        self.users.drops.insert(name.to_owned(), drops);
    }

    /// Sets the report to a user on the last match with the bot: no line while the match is being analysed, `None`
    /// when there is no report (FIBS-37).
    pub fn set_report(&mut self, name: &str, lines: Option<Vec<String>>) {
        let reports = &mut self.users.reports;
        let Some(lines) = lines else {
            reports.remove(name);
            return;
        };
        if reports.len() >= USERS_MAX && !reports.contains_key(name) {
            reports.pop_first();
        }
        reports.insert(name.to_owned(), lines);
    }

    /// Handles a new connection. No state of an earlier one is trusted (FIBS-15).
    pub fn connected(&mut self, now: u64) {
        self.now = now;
        self.observe(EventName::LinkBreaks, Machine::lose_link);
        self.link = Link::new(now, self.link.crawford_roll);
        self.outbox.connected(now);
        self.users.online.clear();
        self.saved.listed.clear();
        self.invitations.open.clear();
        self.invitations.instead = None;
        self.observe(EventName::Connects, |machine| {
            machine.enter(State::LoginPrompt { since: now });
        });
    }

    /// Handles the loss of the connection.
    pub fn disconnected(&mut self, now: u64) {
        self.now = now;
        self.observe(EventName::LinkBreaks, Machine::lose_link);
    }

    /// Leaves everything that needs the connection.
    fn lose_link(&mut self) {
        let now = self.now;
        // FIBS-25: the bot does not keep resuming a match at which the server breaks.
        if let Some((name, at)) = self.saved.resuming.take()
            && now < at + RESUME_BREAK_MS
        {
            let resume_ms = self.timing.resume_ms;
            let resumption = self.saved.resumption(&name);
            resumption.breaks = (resumption.breaks + 1).min(RESUME_BREAKS_MAX);
            resumption.due = now + (resume_ms << (resumption.breaks - 1));
        }
        for resumption in self.saved.resumptions.values_mut() {
            resumption.tries = 0;
        }
        self.link.listless = false;
        self.outbox.clear();
        match self.enter(State::Offline) {
            State::Joining(joining) => {
                if self.saved.unanswered.len() >= USERS_MAX {
                    self.saved.unanswered.pop_first();
                }
                self.saved.unanswered.insert(joining.name);
            }
            State::Playing(game) => {
                self.interrupt(game.record, true);
                // FIBS-27: the server has been silent since then.
                let heard = self.link.last_heard + self.timing.hidden_ms;
                self.stopping.waits_until = self.stopping.waits_until.max(heard);
                self.finished(game.previous);
            }
            State::MatchOver(ended) => self.finished(Some(ended)),
            _ => {}
        }
    }

    /// Adds a match that was not finished in an earlier run, with our rating then and whether it was being played
    /// when that run ended.
    pub fn remember(&mut self, record: MatchRecord, rating: Option<f64>, open: bool) {
        let name = record.opponent.clone();
        let interrupted = Interrupted {
            record,
            rating,
            open,
        };
        self.saved.interrupted.insert(name, interrupted);
    }

    /// Ends the machine: after the match when `after_match`, else after the game; called again, by leaving the match
    /// (it is saved); called a third time, at once. The fate of a match in which the link broke is determined first,
    /// for a while (FIBS-31).
    pub fn stop(&mut self, after_match: bool, now: u64) {
        self.now = now;
        self.stopping.requests += 1;
        let wanted = match (self.stopping.requests, after_match) {
            (1, true) => Stop::AfterMatch,
            (1, false) => Stop::AfterGame,
            _ => Stop::Now,
        };
        self.request_stop(wanted);
        if self.stopping.wanted == Stop::Now {
            self.stopping.deadline = self.stopping.deadline.min(now + self.timing.stop_ms);
        }
        if self.stopping.requests > 2 {
            self.outbox.output(Output::Quit);
            return;
        }
        self.idle();
    }

    fn request_stop(&mut self, wanted: Stop) {
        self.stopping.wanted = self.stopping.wanted.max(wanted);
        self.stopping.waits_until = self.now + self.timing.hidden_ms;
    }

    /// Returns true if a match is being played, or has just ended.
    const fn in_match(&self) -> bool {
        matches!(self.state, State::Playing(_) | State::MatchOver(_))
    }

    /// Returns true if a request to stop must wait: a match is being played, or the link broke in one and its fate is
    /// still unknown.
    #[must_use]
    pub fn stop_waits(&self, now: u64) -> bool {
        let Stopping {
            wanted,
            waits_until,
            ..
        } = self.stopping;
        let looks = wanted < Stop::Now && now < waits_until && !self.link.listless;
        self.in_match() || (looks && self.saved.hides_a_match())
    }

    /// Returns the time at which a request to stop waits no longer; `None` while there is none, or a match is being
    /// played.
    #[must_use]
    pub fn stop_deadline(&self) -> Option<u64> {
        let waits = self.stopping.wanted != Stop::No && !self.in_match();
        waits.then_some(self.stopping.waits_until)
    }

    /// Takes bytes from the server.
    pub fn bytes(&mut self, bytes: &[u8], now: u64) {
        self.now = now;
        self.link.last_heard = now;
        let mut pieces = Vec::new();
        self.link.reader.push(bytes, &mut pieces);
        for piece in pieces {
            self.piece(piece);
        }
        self.think();
        self.idle();
    }

    /// Advances the clock.
    pub fn tick(&mut self, now: u64) {
        self.now = now;
        self.timers();
        self.think();
        self.idle();
    }

    /// Returns the latest time for the next call of [`Machine::tick`].
    #[must_use]
    pub fn wake(&self, now: u64) -> u64 {
        let soon = now + (self.timing.prompt_ms / 4).clamp(2, 250);
        let due = self.outbox.next_send();
        due.map_or(soon, |due| due.max(now + 1).min(soon))
    }

    /// Returns the next action, if there is one now.
    pub fn poll(&mut self, now: u64) -> Option<Output> {
        self.now = now;
        if let Some(output) = self.outbox.next_output() {
            return Some(output);
        }
        let command = self.outbox.next_command(now, self.timing.pace_ms)?;
        if let Some(game) = self.state.game_mut() {
            game.clock.since = now;
        }
        Some(Output::Send(command))
    }

    /// Takes the answer to question `id`. An answer to an old board is thrown away.
    pub fn answer(&mut self, id: u64, answer: Answer, now: u64) {
        self.now = now;
        let game = self.state.game_mut();
        let Some((game, open)) = game.and_then(|game| {
            let open = game.open_decision(id)?;
            Some((game, open))
        }) else {
            self.counts.stale += 1;
            return;
        };
        let Some(text) = command(&open.ask, answer, game.ascending()) else {
            return;
        };
        game.decisions.made = Some(open.key);
        game.clock.since = now;
        if let (Ask::Play { query, .. }, Answer::Play(play)) = (&open.ask, answer) {
            game.record.propose(query.roll, play);
        }
        self.outbox.send_decision(text);
    }

    /// Takes a line or a prompt.
    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Login | Piece::Password => {
                let login = matches!(piece, Piece::Login);
                self.observe(EventName::Prompt, |machine| machine.prompted(login));
            }
            Piece::Line(line) => self.line(&line),
        }
    }

    fn message(&mut self, message: Message) {
        self.observe(EventName::of(&message), |machine| machine.dispatch(message));
    }

    fn dispatch(&mut self, message: Message) {
        match message {
            Message::Noise | Message::WhoEnds | Message::LogsIn(_) => {}
            Message::Unknown => self.counts.unknown += 1,
            Message::Welcome(_) => self.welcomed(),
            Message::Own(own) => self.users.own = Some(*own),
            Message::MotdBegins => self.motd_begins(),
            Message::MotdEnds => self.motd_ends(),
            Message::LoginIncorrect if matches!(self.state, State::Authenticating { .. }) => {
                self.refuse_login();
            }
            Message::LoginIncorrect => {}
            Message::Who(who) => self.who(*who),
            Message::LogsOut(name) => {
                self.users.online.remove(&name);
            }
            Message::Said { name, how, text } => self.answer_chat(&name, how, &text),
            Message::Invites { name, wanted } => self.invited(name, wanted),
            Message::SavedWarning => {
                // It names no player: it belongs to the invitation that came last.
                if let Some(invitation) = self.invitations.open.back_mut() {
                    invitation.warned = true;
                }
            }
            Message::InvitationRefused(_) => self.invitation_refused(),
            Message::AlreadyPlaying => {
                self.invitation_refused();
                if self.state.game().is_none() {
                    // A match unknown to the bot: its board begins it (FIBS-20).
                    self.outbox.send("board");
                }
            }
            Message::NoSavedMatch(name) => self.no_saved_match(&name),
            Message::Started { name, wanted } => self.started(name, wanted),
            Message::SavedCount { name, count } => self.counted(name, count),
            Message::SavedMatch { .. }
            | Message::SavedHead
            | Message::NoSavedMatches
            | Message::NoSavedList => self.saved_list(message),
            Message::BoardStyle => self.fence_answered(),
            Message::ShuttingDown => self.server_stops(),
            message => self.match_message(message),
        }
    }

    fn who(&mut self, who: Who) {
        let Users { own, online, .. } = &mut self.users;
        if who.name != self.user {
            if online.len() < USERS_MAX || online.contains_key(&who.name) {
                online.insert(who.name.clone(), who);
            }
            return;
        }
        if let Some(own) = own {
            own.rating = who.rating;
            own.ready = who.ready;
        }
        if who.opponent.is_some() {
            return;
        }
        if let Some(ended) = self.state.ended_mut() {
            let [before, _] = ended.record.ratings;
            ended.record.ratings = [before, Some(who.rating)];
            self.finish_record();
        } else if let Some(game) = self.state.game_mut() {
            // A hint only: lines of this kind can be older than the match.
            game.expect_board(self.now, self.timing.resync_ms / 4);
        }
    }

    fn server_stops(&mut self) {
        // Matches are saved by the server; being there when it goes down gains nothing.
        if self.state.game().is_none() {
            self.outbox
                .output(Output::Reconnect("the server is going down"));
        }
    }

    /// Sends the reason, and leaves.
    fn leave_saying(&mut self, why: &str) {
        self.leave();
        if self.state.game().is_some() {
            // `leave` has cleared what waited; the apology goes before it.
            self.outbox.send_first(format!("kibitz {why}"));
        }
    }

    fn leave(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        game.leaving = true;
        // A fence that is open was sent before, and proves nothing about this.
        game.board.age.forget_request();
        game.clock.since = self.now;
        let due = self.now + self.timing.resume_ms;
        self.saved.resumption(&game.opponent).due = due;
        self.outbox.clear();
        self.outbox.send("leave");
    }
}

/// Returns the command for an answer; `None` when it does not fit the question.
fn command(ask: &Ask, answer: Answer, ascending: bool) -> Option<String> {
    Some(match (ask, answer) {
        (Ask::Play { .. }, Answer::Play(play)) => {
            format!("move {}", fibs_play_text(&play, ascending))
        }
        (Ask::RollOrDouble { .. }, Answer::Roll) => "roll".to_owned(),
        (Ask::RollOrDouble { .. }, Answer::Double) => "double".to_owned(),
        (Ask::Offer(_) | Ask::Resignation { .. }, Answer::Accept) => "accept".to_owned(),
        (Ask::Offer(_) | Ask::Resignation { .. }, Answer::Reject) => "reject".to_owned(),
        (Ask::Play { .. } | Ask::RollOrDouble { .. }, Answer::Resign(games)) => {
            let word = match games {
                1 => "n",
                2 => "g",
                _ => "b",
            };
            format!("resign {word}")
        }
        _ => return None,
    })
}
