//! Talk, invitations, and the start of a match (FIBS-18, FIBS-24 to FIBS-26).

use super::Machine;
use super::interface::Event;
use super::interrupted::Interrupted;
use super::play::Match;
use super::policy::InvitationAnswer;
use super::state::{Invitation, State, Stop, USERS_MAX};
use crate::shared::MatchRecord;
use gammond_game::notation::fibs::{MatchTerms, SpeechKind};

/// Maximum number of invitations that are remembered.
const INVITATIONS_MAX: usize = 8;

/// Kind of a message to a user; each kind has its own limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChatKind {
    /// An answer to a message of the user.
    Answer,
    /// Reason why the bot does not play the user, or not yet.
    Refusal,
    /// The figures of the user's last match.
    Report,
}

/// Maximum number of lines of a report, and characters of each.
const REPORT_LINES_MAX: usize = 4;
const REPORT_LINE_MAX: usize = 120;

impl Machine {
    /// Answers a user's words with one line, at a limited rate, and never to a bot (FIBS-26).
    pub(super) fn answer_chat(&mut self, name: &str, how: SpeechKind, text: &str) {
        let word = text.trim().to_ascii_lowercase();
        let game = self.state.game();
        if how == SpeechKind::Kibitz
            && let Some(game) = game.filter(|game| game.opponent == name)
        {
            // FIBS-17: what people type when a bot hangs.
            match word.as_str() {
                "move" | "roll" if game.decisions.open.is_none() => self.resync(),
                "join" if game.is_between() => self.outbox.send("join"),
                _ => {}
            }
            return;
        }
        if how != SpeechKind::Tell || self.policy.is_bot(name) || name == self.user {
            return;
        }
        if self.policy.owners.iter().any(|owner| owner == name) && word == "finish" {
            self.request_stop(Stop::AfterMatch);
        }
        if self.policy.report && word == "report" {
            return self.report_to(name);
        }
        let help = self.policy.help();
        self.send_chat(name, &help, ChatKind::Answer);
    }

    /// Sends the figures of the last match to the opponent who played it, but never while moves might wait behind
    /// them (FIBS-37).
    fn report_to(&mut self, name: &str) {
        let busy = self.state.game().is_some();
        let told = match self.users.reports.get(name) {
            None => Err("I have judged no match of ours."),
            Some(_) if busy => Err("I am playing; please ask again after this match."),
            Some(lines) if lines.is_empty() => {
                Err("I am still judging our match; please ask again soon.")
            }
            Some(lines) => Ok(lines.clone()),
        };
        match told {
            Err(text) => self.send_chat(name, text, ChatKind::Answer),
            Ok(lines) if self.may_send_chat(name, ChatKind::Report) => {
                for line in lines.iter().take(REPORT_LINES_MAX) {
                    let short: String = line.chars().take(REPORT_LINE_MAX).collect();
                    self.outbox.send(format!("tell {name} {short}"));
                }
            }
            Ok(_) => {}
        }
    }

    /// Sends a `tell` to a user, unless this hour's limit for messages of this kind is used up.
    pub(super) fn send_chat(&mut self, name: &str, text: &str, kind: ChatKind) {
        if self.may_send_chat(name, kind) && !text.is_empty() {
            self.outbox.send(format!("tell {name} {text}"));
        }
    }

    /// Counts a message to a user. Returns true if this hour's limit for its kind is not exceeded.
    fn may_send_chat(&mut self, name: &str, kind: ChatKind) -> bool {
        let talked = &mut self.users.talked;
        if talked.len() > USERS_MAX {
            talked.clear();
        }
        let (counts, since) = talked.entry(name.to_owned()).or_insert(([0; 3], self.now));
        if self.now > *since + 3_600_000 {
            (*counts, *since) = ([0; 3], self.now);
        }
        let [answers, refusals, reports] = counts;
        let count = match kind {
            ChatKind::Answer => answers,
            ChatKind::Refusal => refusals,
            ChatKind::Report => reports,
        };
        *count = count.saturating_add(1);
        *count <= self.policy.answers_max
    }

    /// Handles an invitation; a warning about a saved match comes after it (FIBS-18).
    pub(super) fn invited(&mut self, name: String, wanted: MatchTerms) {
        if self.state.game().is_some() || self.stopping.wanted != Stop::No || name == self.user {
            return;
        }
        // No `who` line has come since then, so the player who invites has no opponent, whatever an older line shows.
        // After a broken link Jibs lists a player with the bot who has left the match (FIBS-18).
        if let Some(who) = self.users.online.get_mut(&name) {
            who.opponent = None;
        }
        let due = self.now + self.timing.warning_ms;
        let mut open = self.invitations.open.iter_mut();
        let open = open.find(|open| open.name == name);
        // A player who repeats an invitation does not wait longer for it.
        if open.as_ref().is_some_and(|open| open.wanted == wanted) {
            return;
        }
        let drops = self.users.drops.get(&name).copied().unwrap_or(0);
        let who = self.users.online.get(&name);
        let saved = self.saved.listed.len();
        match self.policy.judge(&name, wanted, who, drops, saved) {
            InvitationAnswer::Ignore => {}
            InvitationAnswer::Decline(text) => self.send_chat(&name, &text, ChatKind::Refusal),
            InvitationAnswer::Play => {
                // The new invitation is in place of the old one.
                if let Some(open) = open {
                    (open.wanted, open.due, open.since) = (wanted, due, self.now);
                    return;
                }
                self.keep_invitation(name, wanted, due);
            }
        }
    }

    /// Adds an invitation to the open ones, unless there are too many.
    fn keep_invitation(&mut self, name: String, wanted: MatchTerms, due: u64) {
        if self.invitations.open.len() >= INVITATIONS_MAX {
            let text = "Sorry, too many want to play.";
            self.send_chat(&name, text, ChatKind::Refusal);
            return;
        }
        if !self.invitations.open.is_empty() {
            let text = "Somebody else was quicker; you are next.";
            self.send_chat(&name, text, ChatKind::Refusal);
        }
        if wanted != MatchTerms::Resume && self.policy.opponent_saved_max > 0 {
            self.invitations.counted = None;
            self.outbox.send(format!("show savedcount {name}"));
        }
        self.invitations.open.push_back(Invitation {
            name,
            wanted,
            due,
            warned: false,
            since: self.now,
        });
    }

    /// Handles a count of unfinished matches: a player with many gets no new one (FIBS-24).
    pub(super) fn counted(&mut self, name: String, count: u32) {
        let open = &mut self.invitations.open;
        if !open.iter().any(|invitation| invitation.name == name) {
            return;
        }
        if count > self.policy.opponent_saved_max {
            open.retain(|invitation| invitation.name != name);
            let text = "Sorry, please finish some of your saved matches first.";
            self.send_chat(&name, text, ChatKind::Refusal);
        }
        self.invitations.counted = Some((name, count));
    }

    /// Handles a match that begins or resumes.
    pub(super) fn started(&mut self, name: String, wanted: MatchTerms) {
        match self.state {
            // Nothing begins before the login is answered.
            State::Offline | State::LoginPrompt { .. } | State::Authenticating { .. } => return,
            // The message of the day is over.
            State::Settling { .. } | State::Motd { .. } => self.settle(),
            _ => {}
        }
        let open = &mut self.invitations.open;
        open.retain(|invitation| invitation.name != name);
        self.invitations.instead = None;
        self.saved.unanswered.remove(&name);
        if let Some(resumption) = self.saved.resumptions.get_mut(&name) {
            (resumption.due, resumption.tries) = (0, 0);
        }
        let resumes = wanted == MatchTerms::Resume;
        self.saved.resuming = resumes.then(|| (name.clone(), self.now));
        // The board came before the line that announces the match.
        if let Some(game) = self.state.game_mut()
            && game.opponent == name
            && std::mem::take(&mut game.terms.unannounced)
            && (game.terms.wanted == MatchTerms::Resume) == resumes
        {
            return;
        }
        self.begin_match(name, wanted);
        // The inviter can change the length between invitation and acceptance.
        if !self.policy.allows(wanted) {
            self.leave();
        }
    }

    fn begin_match(&mut self, name: String, wanted: MatchTerms) {
        let previous = match self.enter(State::Free) {
            State::MatchOver(ended) => Some(ended),
            State::Playing(game) => {
                // The line that ended the match with another opponent was lost.
                if game.opponent != name {
                    self.interrupt(game.record, true);
                }
                game.previous
            }
            _ => None,
        };
        let interrupted = self.saved.interrupted.remove(&name);
        let kept = interrupted.and_then(|interrupted| self.continued(interrupted, wanted));
        let length = match wanted {
            MatchTerms::Points(length) => Some(length),
            MatchTerms::Unlimited => None,
            MatchTerms::Resume => self.saved.listed.get(&name).copied().flatten(),
        };
        let mut record = kept.unwrap_or_else(|| MatchRecord::new(&name, length));
        if let [before @ None, _] = &mut record.ratings {
            *before = self.users.rating();
        }
        let mut game = Match::new(&name, wanted, self.now, record);
        game.previous = previous;
        if wanted == MatchTerms::Resume && !self.link.is_boardless() {
            game.board.ask_at = Some(self.now);
        }
        self.enter(State::Playing(Box::new(game)));
        let counted = self.invitations.counted.take();
        let counted = counted.filter(|(counted, _)| *counted == name);
        self.outbox.event(Event::MatchStarted {
            opponent: name,
            wanted,
            saved: self.saved.listed.len(),
            opponent_saved: counted.map(|(_, count)| count),
        });
    }

    /// Returns the record of an interrupted match that resumes. Otherwise that match is over.
    fn continued(&mut self, interrupted: Interrupted, wanted: MatchTerms) -> Option<MatchRecord> {
        let rated = interrupted.open && interrupted.is_rated(self.users.rating());
        // A new match is never begun beside a saved one: the old one is over.
        if rated || wanted != MatchTerms::Resume {
            self.resume_lost_match(interrupted);
            return None;
        }
        Some(interrupted.record)
    }
}
