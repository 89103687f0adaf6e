//! The bot on a FIBS server: login, invitations, match, manners, with bytes and times passed in.
//!
//! The machine sends nothing, computes nothing and knows no clock. Whoever owns the socket passes
//! bytes and the time in milliseconds, and takes [`Output`]s one by one from [`Machine::poll`]; a
//! command leaves only when its time has come, so an answer that has become old never leaves
//! (FIBS-13, FIBS-14).

mod chat_and_invites;
mod idle;
mod lines;
mod lost_matches;
mod resync;

use super::interface::{Answer, Ask, BotCounters, Event, Output, Timing};
use super::interrupted::Interrupted;
use super::play::{CrawfordRoll, Match, Move, Resync};
use super::policy::{InvitationAnswer, Policy};
use super::record::{MatchEnd, MatchRecord};
use gammond_game::notation::fibs::{
    By, LineReader, MatchTerms, Message, OwnInfo, Piece, Speech, Who, name_line, read_steps,
};
use gammond_game::notation::{BoardDialect, BoardLine, MatPlayer, fibs_play_text};
use gammond_game::{Play, Position, Roll};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Names remembered at a time.
const USERS_MAX: usize = 10_000;
/// A link that breaks so soon after a match was resumed was broken by that.
const RESUME_BREAK_MS: u64 = 30_000;
/// Such breaks that are counted: the wait doubles with each.
const RESUME_BREAKS_MAX: u32 = 8;
/// Times that the bot asks on one connection for a match of which the server has said nothing.
const RESUME_TRIES_MAX: u32 = 2;
/// Times that the board is asked for before the bot reconnects, or believes that no match is played.
const RESYNCS_MAX: u32 = 3;
/// Invitations that are remembered.
const INVITATIONS_MAX: usize = 8;
/// Lifetime of an invitation: after this time the user has usually gone elsewhere.
const INVITATION_MS: u64 = 1_800_000;
/// Commands that may wait.
const OUTBOX_MAX: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Offline,
    LoginPrompt,
    Authenticating,
    Motd,
    Settling,
    Online,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stop {
    No,
    AfterMatch,
    AfterGame,
    Now,
}

#[derive(Clone, Debug)]
struct Invitation {
    name: String,
    wanted: MatchTerms,
    due: u64,
    /// Joining would destroy a saved match.
    warned: bool,
    /// Time of arrival.
    since: u64,
}

/// An invitation or acceptance of ours: a start may answer it.
#[derive(Clone, Debug)]
struct Joining {
    /// Name of the user whom we invited or joined.
    name: String,
    /// Match that we invited to or joined.
    wanted: MatchTerms,
    /// Time until which the bot waits for the start.
    until: u64,
    /// Number of further fence answers after which the server has answered it (FIBS-32).
    answers: u32,
}

/// Attempts to resume an interrupted match.
#[derive(Clone, Copy, Debug, Default)]
struct Resumption {
    /// Time from which the bot may invite again to resume.
    due: u64,
    /// Number of link breaks while the match was being resumed.
    breaks: u32,
    /// Number of requests on this connection for the saved match instead of a new one (FIBS-18).
    tries: u32,
}

#[derive(Clone, Debug)]
struct Command {
    text: String,
    /// It answers the present board and dies with it.
    decision: bool,
}

/// The machine. See the module.
#[derive(Clone, Debug)]
pub struct Machine {
    user: String,
    policy: Policy,
    timing: Timing,
    reader: LineReader,
    phase: Phase,
    now: u64,
    own: Option<OwnInfo>,
    outbox: VecDeque<Command>,
    outputs: VecDeque<Output>,
    next_send: u64,
    last_sent: u64,
    last_heard: u64,
    settle_at: u64,
    users: BTreeMap<String, Who>,
    saved: BTreeMap<String, Option<u32>>,
    drops: BTreeMap<String, u32>,
    /// Open invitations, first come first served.
    invitations: VecDeque<Invitation>,
    /// User who invited to a new match and was asked for the saved one instead.
    instead: Option<(String, MatchTerms)>,
    /// Saved matches of the user who invited last, as the server counts them.
    counted: Option<(String, u32)>,
    /// An invitation or acceptance of ours that no start has answered yet.
    joining: Option<Joining>,
    /// Users whom we joined or invited when the link broke before an answer: a match may have begun.
    unanswered: BTreeSet<String>,
    last_invitation: u64,
    /// By opponent.
    resumptions: BTreeMap<String, Resumption>,
    /// A match that is being resumed: the opponent, and the time of the request.
    resuming: Option<(String, u64)>,
    crawford_roll: CrawfordRoll,
    /// The server has answered `board` on this connection.
    board_works: bool,
    /// It does not know `board`.
    boardless: bool,
    /// Fences that are not answered.
    fences: u32,
    /// Number of answers, refusals and reports sent to each user, and the start of the count.
    talked: BTreeMap<String, ([u32; 3], u64)>,
    /// Report on the last match with each user; empty while the match is being analysed.
    reports: BTreeMap<String, Vec<String>>,
    game: Option<Match>,
    /// Matches that were interrupted, by opponent.
    interrupted: BTreeMap<String, Interrupted>,
    /// The list of saved matches has begun to come; the answer to the fence behind it ends it.
    saved_begun: bool,
    /// The server has no such list.
    listless: bool,
    ended: Option<(MatchRecord, u64)>,
    stop: Stop,
    /// Requests to stop.
    stops: u32,
    /// Deadline for leaving.
    stop_at: u64,
    /// Time until which the end waits for the fate of matches hidden by a broken link.
    stop_waits_until: u64,
    next_id: u64,
    /// Time at which the present phase of the login began.
    phase_at: u64,
    counts: BotCounters,
}

impl Machine {
    /// A machine that is not connected.
    #[must_use]
    pub fn new(user: &str, policy: Policy, timing: Timing) -> Machine {
        Machine {
            user: user.to_owned(),
            policy,
            timing,
            reader: LineReader::default(),
            phase: Phase::Offline,
            now: 0,
            own: None,
            outbox: VecDeque::new(),
            outputs: VecDeque::new(),
            next_send: 0,
            last_sent: 0,
            last_heard: 0,
            settle_at: u64::MAX,
            users: BTreeMap::new(),
            saved: BTreeMap::new(),
            drops: BTreeMap::new(),
            invitations: VecDeque::new(),
            instead: None,
            counted: None,
            joining: None,
            unanswered: BTreeSet::new(),
            last_invitation: 0,
            resumptions: BTreeMap::new(),
            resuming: None,
            crawford_roll: CrawfordRoll::Server,
            board_works: false,
            boardless: false,
            fences: 0,
            talked: BTreeMap::new(),
            reports: BTreeMap::new(),
            game: None,
            interrupted: BTreeMap::new(),
            saved_begun: false,
            listless: false,
            ended: None,
            stop: Stop::No,
            stops: 0,
            stop_at: u64::MAX,
            stop_waits_until: 0,
            next_id: 0,
            phase_at: 0,
            counts: BotCounters::default(),
        }
    }

    /// Counters since the machine was made.
    #[must_use]
    pub const fn counts(&self) -> BotCounters {
        self.counts
    }

    /// Returns the name of the present opponent.
    #[must_use]
    pub fn opponent(&self) -> Option<&str> {
        self.game.as_ref().map(|game| game.opponent.as_str())
    }

    /// Returns true if the login has succeeded.
    #[must_use]
    pub fn is_online(&self) -> bool {
        matches!(self.phase, Phase::Motd | Phase::Settling | Phase::Online)
    }

    /// Sets the number of matches that a user has dropped so far.
    pub fn set_drops(&mut self, name: &str, drops: u32) {
        self.drops.insert(name.to_owned(), drops);
    }

    /// Sets the report to a user on the last match with the bot: no line while the match is being analysed, `None`
    /// when there is no report (FIBS-37).
    pub fn set_report(&mut self, name: &str, lines: Option<Vec<String>>) {
        let Some(lines) = lines else {
            self.reports.remove(name);
            return;
        };
        if self.reports.len() >= USERS_MAX && !self.reports.contains_key(name) {
            self.reports.pop_first();
        }
        self.reports.insert(name.to_owned(), lines);
    }

    /// A connection stands. Nothing of an earlier one is trusted (FIBS-15).
    pub fn connected(&mut self, now: u64) {
        self.now = now;
        self.reader = LineReader::default();
        self.phase = Phase::LoginPrompt;
        self.phase_at = now;
        self.board_works = false;
        self.boardless = false;
        self.outbox.clear();
        // A login or question of the old connection must not reach the new one.
        let kept = |output: &Output| matches!(output, Output::Event(_) | Output::Fatal(_));
        self.outputs.retain(kept);
        self.next_send = now;
        self.last_sent = now;
        self.last_heard = now;
        self.settle_at = u64::MAX;
        self.saved_begun = false;
        self.listless = false;
        self.fences = 0;
        self.users.clear();
        self.saved.clear();
        self.invitations.clear();
        self.instead = None;
        self.joining = None;
        self.drop_game();
    }

    /// The connection broke or was closed.
    pub fn disconnected(&mut self, now: u64) {
        self.now = now;
        // FIBS-25: a server that breaks when the match is resumed is not asked again and again.
        if let Some((name, at)) = self.resuming.take()
            && now < at + RESUME_BREAK_MS
        {
            let resumption = self.resumptions.entry(name).or_default();
            resumption.breaks = (resumption.breaks + 1).min(RESUME_BREAKS_MAX);
            resumption.due = now + (self.timing.resume_ms << (resumption.breaks - 1));
        }
        for resumption in self.resumptions.values_mut() {
            resumption.tries = 0;
        }
        if let Some(joining) = self.joining.take() {
            if self.unanswered.len() >= USERS_MAX {
                self.unanswered.pop_first();
            }
            self.unanswered.insert(joining.name);
        }
        self.phase = Phase::Offline;
        self.listless = false;
        self.outbox.clear();
        self.drop_game();
        self.finish_record();
    }

    fn drop_game(&mut self) {
        if let Some(game) = self.game.take() {
            self.interrupt(game.record, true);
            // FIBS-27: the server has been silent since then.
            self.stop_waits_until = self
                .stop_waits_until
                .max(self.last_heard + self.timing.hidden_ms);
        }
    }

    /// Tells of a match that was not finished in an earlier run, with our rating then and whether it
    /// was being played when that run ended.
    pub fn remember(&mut self, record: MatchRecord, rating: Option<f64>, open: bool) {
        let name = record.opponent.clone();
        let interrupted = Interrupted {
            record,
            rating,
            open,
        };
        self.interrupted.insert(name, interrupted);
    }

    /// Asks the machine to end: after the match when `after_match`, else after the game; asked
    /// again, leaving the match (it is saved); asked a third time, at once. What became of a match in
    /// which the link broke is looked up first, for a while (FIBS-31).
    pub fn stop(&mut self, after_match: bool, now: u64) {
        self.now = now;
        self.stops += 1;
        let wanted = match (self.stops, after_match) {
            (1, true) => Stop::AfterMatch,
            (1, false) => Stop::AfterGame,
            _ => Stop::Now,
        };
        self.request_stop(wanted);
        if self.stop == Stop::Now {
            self.stop_at = self.stop_at.min(now + self.timing.stop_ms);
        }
        if self.stops > 2 {
            self.outputs.push_back(Output::Quit);
            return;
        }
        self.idle();
    }

    fn request_stop(&mut self, wanted: Stop) {
        self.stop = self.stop.max(wanted);
        self.stop_waits_until = self.now + self.timing.hidden_ms;
    }

    /// Returns true if a request to stop must wait: a match is being played, or the link broke in one and its fate is
    /// still unknown.
    #[must_use]
    pub fn stop_waits(&self, now: u64) -> bool {
        let looks = self.stop < Stop::Now && now < self.stop_waits_until && !self.listless;
        self.game.is_some() || self.ended.is_some() || (looks && self.hides_a_match())
    }

    /// Returns when a request to stop waits no longer; `None` while nothing asks for a stop or a
    /// match is being played.
    #[must_use]
    pub fn stop_deadline(&self) -> Option<u64> {
        let waits = self.stop != Stop::No && self.game.is_none() && self.ended.is_none();
        waits.then_some(self.stop_waits_until)
    }

    /// Takes bytes from the server.
    pub fn bytes(&mut self, bytes: &[u8], now: u64) {
        self.now = now;
        self.last_heard = now;
        let mut pieces = Vec::new();
        self.reader.push(bytes, &mut pieces);
        for piece in pieces {
            self.piece(piece);
        }
        self.think();
        self.idle();
    }

    /// Time passes.
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
        match self.outbox.is_empty() {
            true => soon,
            false => self.next_send.max(now + 1).min(soon),
        }
    }

    /// The next thing to do, if there is one now.
    pub fn poll(&mut self, now: u64) -> Option<Output> {
        self.now = now;
        if let Some(output) = self.outputs.pop_front() {
            return Some(output);
        }
        if now < self.next_send {
            return None;
        }
        let command = self.outbox.pop_front()?;
        self.next_send = now + self.timing.pace_ms;
        self.last_sent = now;
        if let Some(game) = &mut self.game {
            game.since = now;
        }
        Some(Output::Send(command.text))
    }

    /// Takes the answer to question `id`. An answer to an old board is thrown away.
    pub fn answer(&mut self, id: u64, answer: Answer, now: u64) {
        self.now = now;
        let Some(game) = &mut self.game else {
            self.counts.stale += 1;
            return;
        };
        let current = game.deciding.as_ref().is_some_and(|(open, ..)| *open == id);
        if !current || !game.fresh {
            self.counts.stale += 1;
            return;
        }
        let Some((_, key, ask)) = game.deciding.take() else {
            return;
        };
        let Some(text) = command(&ask, answer, game.ascending()) else {
            return;
        };
        game.acted = Some(key);
        game.since = now;
        if let (Ask::Play { query, .. }, Answer::Play(play)) = (&ask, answer) {
            game.record.propose(query.roll, play);
        }
        self.send_decision(text);
    }

    fn send(&mut self, text: impl Into<String>) {
        if self.outbox.len() < OUTBOX_MAX {
            // FIBS-35: one line, whatever a policy or a name holds.
            let text = text.into().replace(|c: char| c.is_control(), " ");
            self.outbox.push_back(Command {
                text,
                decision: false,
            });
        }
    }

    fn send_decision(&mut self, text: String) {
        self.outbox.push_front(Command {
            text,
            decision: true,
        });
    }

    fn event(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(Box::new(event)));
    }

    fn piece(&mut self, piece: Piece) {
        match (piece, self.phase) {
            (Piece::Login, Phase::LoginPrompt) => {
                self.phase = Phase::Authenticating;
                self.phase_at = self.now;
                self.outputs.push_back(Output::Login);
            }
            // FIBS-10: a second prompt is the refusal.
            (Piece::Login | Piece::Password, Phase::Authenticating) => self.refuse_login(),
            (Piece::Login | Piece::Password, _) => {}
            (Piece::Line(line), Phase::LoginPrompt | Phase::Offline) => {
                drop(line);
            }
            (Piece::Line(line), Phase::Motd) => {
                self.counts.lines += 1;
                let mut named = name_line(&line);
                // FIBS-33: a message of the day says what it likes; only its end counts.
                named.retain(|message| matches!(message, Message::MotdEnds));
                for message in named {
                    self.settle();
                    self.message(message);
                }
            }
            (Piece::Line(line), _) => {
                self.counts.lines += 1;
                for message in name_line(&line) {
                    self.message(message);
                }
            }
        }
    }

    fn refuse_login(&mut self) {
        self.outputs
            .push_back(Output::Fatal("the server refuses name or password"));
    }

    /// FIBS-11: the settings a bot needs; a toggle flips, so only what is wrong is sent.
    fn settle(&mut self) {
        if self.phase == Phase::Online {
            return;
        }
        self.phase = Phase::Online;
        self.settle_at = u64::MAX;
        self.fence();
        if let Some(own) = self.own.clone() {
            let wrong = [
                (!own.moreboards, "moreboards"),
                (!own.autoboard, "autoboard"),
                (own.automove, "automove"),
                (own.bell, "bell"),
                (own.autodouble, "autodouble"),
                (!own.crawford, "crawford"),
                (!own.double, "double"),
                (own.greedy, "greedy"),
                (own.moves, "moves"),
                (!own.silent, "silent"),
                (!own.ready, "ready"),
            ];
            for (_, name) in wrong.into_iter().filter(|&(wrong, _)| wrong) {
                self.send(format!("toggle {name}"));
            }
            if own.away {
                self.send("back");
            }
            self.event(Event::LoggedIn {
                rating: own.rating,
                experience: own.experience,
            });
        } else {
            self.event(Event::LoggedIn {
                rating: 0.0,
                experience: 0,
            });
        }
        self.send("set redoubles none");
        self.ask_saved();
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Noise | Message::WhoEnds => {}
            Message::Unknown => self.counts.unknown += 1,
            Message::Welcome(_) => {
                if self.phase == Phase::Authenticating {
                    self.phase = Phase::Settling;
                    self.settle_at = self.now + self.timing.resync_ms;
                }
            }
            Message::Own(own) => self.own = Some(*own),
            Message::MotdBegins if self.phase == Phase::Settling => self.phase = Phase::Motd,
            Message::MotdBegins | Message::MotdEnds => {}
            Message::LoginIncorrect if self.phase == Phase::Authenticating => self.refuse_login(),
            Message::LoginIncorrect => {}
            Message::Who(who) => self.who(*who),
            Message::LogsIn(_) => {}
            Message::LogsOut(name) => {
                self.users.remove(&name);
            }
            Message::Said { name, how, text } => self.answer_chat(&name, how, &text),
            Message::SavedMatch { name, length } => {
                self.found_saved(&name, length);
                if self.saved.len() < USERS_MAX {
                    self.saved.insert(name, length);
                }
            }
            // The rows follow, on a slow link much later.
            Message::SavedHead => {
                self.fences_lost();
                self.saved_begun = true;
            }
            Message::NoSavedMatches => {
                self.fences_lost();
                self.saved.clear();
                self.close_lost_match();
            }
            Message::NoSavedList => {
                self.fences_lost();
                self.listless = true;
                self.close_rated();
            }
            Message::Invites { name, wanted } => self.invited(name, wanted),
            Message::SavedWarning => {
                // It names no player: it belongs to the invitation that came last.
                if let Some(invitation) = self.invitations.back_mut() {
                    invitation.warned = true;
                }
            }
            Message::InvitationRefused(_) => self.invitation_refused(),
            Message::AlreadyPlaying => {
                self.invitation_refused();
                if self.game.is_none() {
                    // A match that the bot does not know of: its board begins it (FIBS-20).
                    self.send("board");
                }
            }
            Message::NoSavedMatch(name) => self.no_saved_match(&name),
            Message::Started { name, wanted } => self.started(name, wanted),
            Message::SavedCount { name, count } => self.counted(name, count),
            Message::BoardStyle => self.fence_answered(),
            Message::ShuttingDown => self.stop_for_shutdown(),
            message => self.match_message(message),
        }
    }

    fn who(&mut self, who: Who) {
        if who.name == self.user {
            if who.opponent.is_none() {
                if let Some((record, _)) = &mut self.ended {
                    record.ratings = [record.ratings.first().copied().flatten(), Some(who.rating)];
                    self.finish_record();
                } else if let Some(game) = &mut self.game {
                    // A hint only: lines of this kind can be older than the match.
                    game.need_board
                        .get_or_insert(self.now + self.timing.resync_ms / 4);
                }
            }
            if let Some(own) = &mut self.own {
                own.rating = who.rating;
                own.ready = who.ready;
            }
            return;
        }
        if self.users.len() < USERS_MAX || self.users.contains_key(&who.name) {
            self.users.insert(who.name.clone(), who);
        }
    }

    fn stop_for_shutdown(&mut self) {
        // Matches are saved by the server; being there when it goes down gains nothing.
        if self.game.is_none() {
            self.outputs
                .push_back(Output::Reconnect("the server is going down"));
        }
    }

    /// Says why, and leaves.
    fn leave_saying(&mut self, why: &str) {
        self.leave();
        if self.game.is_some() {
            // `leave` has cleared what waited; the apology goes before it.
            self.outbox.push_front(Command {
                text: format!("kibitz {why}"),
                decision: false,
            });
        }
    }

    fn leave(&mut self) {
        if let Some(game) = &mut self.game {
            game.leaving = true;
            // A fence that is open was sent before, and proves nothing about this.
            game.resync = Resync::No;
            game.since = self.now;
            let due = self.now + self.timing.resume_ms;
            let opponent = game.opponent.clone();
            self.resumptions.entry(opponent).or_default().due = due;
            self.outbox.clear();
            self.send("leave");
        }
    }
}

/// The command that an answer becomes; `None` when it does not fit the question.
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
