//! What the machine does by itself: timers, invitations, the end.

use super::*;

/// Times that the board is asked for before the link is given up.
const RESYNCS_MAX: u32 = 3;

impl Machine {
    /// What happens because nothing happens.
    pub(super) fn timers(&mut self) {
        let now = self.now;
        if self.settle_at <= now {
            self.settle();
        }
        if self.ended.as_ref().is_some_and(|&(_, due)| due <= now) {
            self.finish_record();
        }
        if self.phase != Phase::Offline && now >= self.last_heard + self.timing.silence_ms {
            self.last_heard = now;
            self.outputs.push_back(Output::Reconnect("nothing heard"));
        }
        if self.phase == Phase::Online && now >= self.last_sent + self.timing.keepalive_ms {
            self.last_sent = now;
            // Matches of which nothing is known are looked for as long as it takes.
            let open = self.interrupted.values().any(|match_| match_.open);
            if open && self.game.is_none() {
                self.ask_saved();
            } else {
                self.send("time");
            }
        }
        self.match_timers();
    }

    pub(super) fn match_timers(&mut self) {
        let now = self.now;
        let timing = self.timing.clone();
        let Some(game) = &mut self.game else { return };
        if game.need_board.is_some_and(|due| due <= now) {
            game.need_board = None;
            game.since = now;
            self.send("board");
            return;
        }
        if game.between && game.rejoin_at <= now {
            game.rejoin_at = u64::MAX;
            game.resync = Resync::No;
            game.since = now;
            self.send("join");
            return;
        }
        let thinking = game.deciding.is_some();
        let opponent = game.waits_for_opponent() && !game.leaving;
        let patience = match opponent {
            true => self.policy.remind_s * 1000,
            // Longer each time: a slow server is not asked faster than it answers.
            false => timing.resync_ms << game.resyncs.min(2),
        };
        if thinking || now < game.since + patience {
            return;
        }
        game.since = now;
        self.counts.resyncs += 1;
        if !opponent {
            game.resyncs += 1;
            if game.resyncs > RESYNCS_MAX {
                self.outputs
                    .push_back(Output::Reconnect("the server does not react"));
                return;
            }
            self.ask_again();
            return;
        }
        // FIBS-19: ask once, then leave.
        if now >= game.silent_since + self.policy.leave_s * 1000 {
            self.leave();
            return;
        }
        if !std::mem::replace(&mut game.reminded, true) {
            self.send("kibitz Are you there?");
        }
        self.send("board");
    }

    /// What to do without a match.
    pub(super) fn idle(&mut self) {
        let now = self.now;
        if self.stop == Stop::Now && self.game.as_ref().is_some_and(|game| !game.leaving) {
            self.leave();
        }
        if self.game.is_some() || self.ended.is_some() {
            return;
        }
        if self.stop != Stop::No {
            self.stop = Stop::No;
            if self.phase == Phase::Online {
                self.outputs.push_back(Output::Send("bye".to_owned()));
            }
            self.outputs.push_back(Output::Quit);
            return;
        }
        if self.phase != Phase::Online {
            return;
        }
        let due = |invitation: &Invitation| invitation.due <= now;
        if self
            .invitation
            .as_ref()
            .is_some_and(|invitation| !due(invitation))
            || !self.may_join()
        {
            return;
        }
        if let Some(invitation) = self.invitation.take() {
            let saved = invitation.warned && invitation.wanted != Wanted::Resume;
            let verb = if saved { "invite" } else { "join" };
            if saved {
                let text = "We have a saved match: let us finish that one first.";
                self.tell(&invitation.name, text);
            }
            self.send(format!("{verb} {}", invitation.name));
            self.begin_joining();
            return;
        }
        self.invite();
    }

    /// FIBS-25: saved matches first, then whoever may be invited.
    pub(super) fn invite(&mut self) {
        let now = self.now;
        let free = |name: &String| {
            self.people
                .get(name)
                .is_some_and(|who| who.ready && !who.away && who.opponent.is_none())
        };
        let due = |name: &String| self.resumed.get(name).is_none_or(|&due| due <= now);
        let resume = self
            .saved
            .keys()
            .find(|&name| free(name) && due(name))
            .cloned();
        if let Some(name) = resume {
            self.resumed
                .insert(name.clone(), now + self.timing.resume_ms);
            self.begin_joining();
            self.send(format!("invite {name}"));
            return;
        }
        if now < self.last_invitation + self.policy.invite_every_s * 1000
            && self.last_invitation > 0
        {
            return;
        }
        let mut wanted = self.policy.invite.iter();
        if let Some(name) = wanted.find(|&name| free(name) && !self.saved.contains_key(name)) {
            let text = format!("invite {name} {}", self.policy.invite_length);
            self.last_invitation = now.max(1);
            self.begin_joining();
            self.send(text);
        }
    }
}
