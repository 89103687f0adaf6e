//! Talk, invitations, and the start of a match (FIBS-18, FIBS-24 to FIBS-26).

use super::*;

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

/// Lines of a report, and characters of each, at most.
const REPORT_LINES_MAX: usize = 4;
const REPORT_LINE_MAX: usize = 120;

impl Machine {
    /// Answers a user's words with one line, at a limited rate, and never to a bot (FIBS-26).
    pub(super) fn answer_chat(&mut self, name: &str, how: Speech, text: &str) {
        let word = text.trim().to_ascii_lowercase();
        if how == Speech::Kibitz && self.game.as_ref().is_some_and(|game| game.opponent == name) {
            // FIBS-17: what people type when a bot hangs.
            let thinks = self
                .game
                .as_ref()
                .is_some_and(|game| game.deciding.is_some());
            match word.as_str() {
                "move" | "roll" if !thinks => self.resync(),
                "join" if self.game.as_ref().is_some_and(|game| game.between) => self.send("join"),
                _ => {}
            }
            return;
        }
        if how != Speech::Tell || self.policy.is_bot(name) || name == self.user {
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

    /// FIBS-37: the figures of the last match, to the one who played it; never while moves might wait behind them.
    fn report_to(&mut self, name: &str) {
        let busy = self.game.is_some();
        let told = match self.reports.get(name) {
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
                    self.send(format!("tell {name} {short}"));
                }
            }
            Ok(_) => {}
        }
    }

    /// Sends a `send_chat` to a user, unless this hour's limit for messages of this kind is used up.
    pub(super) fn send_chat(&mut self, name: &str, text: &str, kind: ChatKind) {
        if self.may_send_chat(name, kind) && !text.is_empty() {
            self.send(format!("tell {name} {text}"));
        }
    }

    /// Counts a message to a user. Returns true if this hour's limit for its kind is not exceeded.
    fn may_send_chat(&mut self, name: &str, kind: ChatKind) -> bool {
        if self.talked.len() > USERS_MAX {
            self.talked.clear();
        }
        let (counts, since) = self
            .talked
            .entry(name.to_owned())
            .or_insert(([0; 3], self.now));
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

    /// FIBS-18: a warning about a saved match comes after the invitation.
    pub(super) fn invited(&mut self, name: String, wanted: MatchTerms) {
        if self.game.is_some() || self.stop != Stop::No || name == self.user {
            return;
        }
        // No `who` line since then: the player who invites has no opponent, whatever an older line says. After a
        // broken link Jibs lists a player with the bot who has left the match (FIBS-18).
        if let Some(who) = self.users.get_mut(&name) {
            who.opponent = None;
        }
        let due = self.now + self.timing.warning_ms;
        let open = self.invitations.iter_mut().find(|open| open.name == name);
        let known = open.as_ref().map(|open| open.wanted);
        // Who repeats an invitation is not made to wait longer for it.
        if known == Some(wanted) {
            return;
        }
        let drops = self.drops.get(&name).copied().unwrap_or(0);
        let who = self.users.get(&name);
        match self
            .policy
            .judge(&name, wanted, who, drops, self.saved.len())
        {
            InvitationAnswer::Ignore => {}
            InvitationAnswer::Decline(text) => self.send_chat(&name, &text, ChatKind::Refusal),
            InvitationAnswer::Play => {
                // The new invitation is in the place of the old one.
                if let Some(open) = open {
                    (open.wanted, open.due, open.since) = (wanted, due, self.now);
                    return;
                }
                if self.invitations.len() >= INVITATIONS_MAX {
                    return self.send_chat(
                        &name,
                        "Sorry, too many want to play.",
                        ChatKind::Refusal,
                    );
                }
                if !self.invitations.is_empty() {
                    let text = "Somebody else was quicker; you are next.";
                    self.send_chat(&name, text, ChatKind::Refusal);
                }
                if wanted != MatchTerms::Resume && self.policy.opponent_saved_max > 0 {
                    self.counted = None;
                    self.send(format!("show savedcount {name}"));
                }
                self.invitations.push_back(Invitation {
                    name,
                    wanted,
                    due,
                    warned: false,
                    since: self.now,
                });
            }
        }
    }

    /// FIBS-24: who has many unfinished matches gets no new one.
    pub(super) fn counted(&mut self, name: String, count: u32) {
        let invited = |invitation: &Invitation| invitation.name == name;
        if !self.invitations.iter().any(invited) {
            return;
        }
        if count > self.policy.opponent_saved_max {
            self.invitations
                .retain(|invitation| invitation.name != name);
            let text = "Sorry, please finish some of your saved matches first.";
            self.send_chat(&name, text, ChatKind::Refusal);
        }
        self.counted = Some((name, count));
    }

    pub(super) fn started(&mut self, name: String, wanted: MatchTerms) {
        self.invitations
            .retain(|invitation| invitation.name != name);
        self.instead = None;
        self.joining = None;
        self.unanswered.remove(&name);
        if let Some(resumption) = self.resumptions.get_mut(&name) {
            (resumption.due, resumption.tries) = (0, 0);
        }
        self.resuming = (wanted == MatchTerms::Resume).then(|| (name.clone(), self.now));
        // The board came before the line that announces the match.
        if let Some(game) = &mut self.game
            && game.opponent == name
            && std::mem::take(&mut game.unannounced)
            && (game.wanted == MatchTerms::Resume) == (wanted == MatchTerms::Resume)
        {
            return;
        }
        let mut kept = None;
        if let Some(interrupted) = self.interrupted.remove(&name) {
            match wanted {
                MatchTerms::Resume if interrupted.open && self.rated(&interrupted) => {
                    self.resume_lost_match(interrupted);
                }
                MatchTerms::Resume => kept = Some(interrupted.record),
                // A new match is never begun beside a saved one: the old one is over.
                _ => self.resume_lost_match(interrupted),
            }
        }
        let length = match wanted {
            MatchTerms::Points(length) => Some(length),
            MatchTerms::Unlimited => None,
            MatchTerms::Resume => self.saved.get(&name).copied().flatten(),
        };
        let mut record = kept.unwrap_or_else(|| MatchRecord::new(&name, length));
        if let [before @ None, _] = &mut record.ratings {
            *before = self.own.as_ref().map(|own| own.rating);
        }
        let mut game = Match::new(&name, wanted, self.now, record);
        if wanted == MatchTerms::Resume && !self.boardless {
            game.need_board = Some(self.now);
        }
        self.game = Some(game);
        let counted = self.counted.take().filter(|(counted, _)| *counted == name);
        self.event(Event::MatchStarted {
            opponent: name,
            wanted,
            saved: self.saved.len(),
            opponent_saved: counted.map(|(_, count)| count),
        });
        // The inviter can change the length between invitation and acceptance.
        if !self.policy.allows(wanted) {
            self.leave();
        }
    }
}
