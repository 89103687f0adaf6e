//! Actions of the machine without input: timers, invitations, the end.

use super::chat_and_invites::ChatKind;
use super::*;

impl Machine {
    /// Runs the timers that are due.
    pub(super) fn timers(&mut self) {
        let now = self.now;
        if self.settle_at <= now {
            self.settle();
        }
        if self.ended.as_ref().is_some_and(|&(_, due)| due <= now) {
            self.finish_record();
        }
        // FIBS-10: a login that never completes.
        if matches!(self.phase, Phase::LoginPrompt | Phase::Authenticating)
            && now >= self.phase_at + self.timing.login_ms
        {
            self.phase_at = now;
            self.outputs
                .push_back(Output::Reconnect("the login does not complete"));
        }
        // FIBS-27: a server that does not even answer `leave`.
        if self.stop_at <= now {
            self.stop_at = u64::MAX;
            self.outputs.push_back(Output::Quit);
        }
        if self.phase != Phase::Offline && now >= self.last_heard + self.timing.silence_ms {
            // Once only: the owner of the link closes it.
            self.phase = Phase::Offline;
            self.outputs.push_back(Output::Reconnect("nothing heard"));
        }
        // Matches of which nothing is known are looked for as long as it takes, and soon when the end
        // waits for them.
        let looks = self.game.is_none() && !self.listless && self.hides_a_match();
        let quiet = match looks && self.stop != Stop::No {
            true => self.timing.resync_ms,
            false => self.timing.keepalive_ms,
        };
        if self.phase == Phase::Online && now >= self.last_sent + quiet {
            self.last_sent = now;
            if looks {
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
            if self.boardless {
                self.continue_from_known_board();
            } else {
                self.send("board");
            }
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
            // FIBS-34: the server answers the fence but shows no board.
            let silent = game.resync == Resync::Fenced && game.line.is_some();
            if silent && game.resyncs == RESYNCS_MAX && !self.board_works && !self.boardless {
                self.boardless = true;
                self.continue_from_known_board();
                return;
            }
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
        if !self.boardless {
            self.send("board");
        }
    }

    /// Acts when no match is being played.
    pub(super) fn idle(&mut self) {
        let now = self.now;
        if self.stop == Stop::Now && self.game.as_ref().is_some_and(|game| !game.leaving) {
            self.leave();
        }
        if self.game.is_some() || self.ended.is_some() {
            return;
        }
        if self.stop != Stop::No {
            if self.stop_waits(now) {
                return;
            }
            self.stop = Stop::No;
            self.stop_waits_until = 0;
            if self.phase == Phase::Online {
                self.outputs.push_back(Output::Send("bye".to_owned()));
            }
            self.outputs.push_back(Output::Quit);
            return;
        }
        if self.phase != Phase::Online {
            return;
        }
        self.stale_invitations();
        let waits = |invitation: &Invitation| invitation.due > now;
        if self.invitations.front().is_some_and(waits) || !self.may_join() {
            return;
        }
        if let Some(invitation) = self.invitations.pop_front() {
            self.accept(invitation);
            return;
        }
        self.invite();
    }

    /// Joins, or asks for the saved match first (FIBS-18, FIBS-25): it would be destroyed.
    fn accept(&mut self, invitation: Invitation) {
        let Invitation {
            name,
            wanted,
            warned,
            ..
        } = invitation;
        // The server says so, by its warning or its list.
        let certain = warned || (self.saved.contains_key(&name) && !self.listless);
        let resumption = self.resumptions.entry(name.clone()).or_default();
        let tried = resumption.tries >= RESUME_TRIES_MAX;
        if wanted == MatchTerms::Resume || !(certain || (self.holds(&name) && !tried)) {
            self.begin_joining(&name, wanted);
            self.send(format!("join {name}"));
            return;
        }
        if warned || self.saved.contains_key(&name) {
            let text = "We have a saved match: let us finish that one first.";
            self.send_chat(&name, text, ChatKind::Refusal);
        }
        self.resumptions.entry(name.clone()).or_default().tries += 1;
        self.instead = Some((name.clone(), wanted));
        self.begin_joining(&name, MatchTerms::Resume);
        self.send(format!("invite {name}"));
    }

    /// There is a match with this player, so far as we know, that a new one would destroy.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.saved.contains_key(name)
            || self.interrupted.contains_key(name)
            || self.unanswered.contains(name)
    }

    /// The server has refused our invitation or acceptance, which says nothing about a saved match.
    pub(super) fn invitation_refused(&mut self) {
        self.resuming = None;
        let Some(joining) = self.joining.take() else {
            return;
        };
        if let Some(resumption) = self.resumptions.get_mut(&joining.name) {
            resumption.tries = resumption.tries.saturating_sub(1);
        }
    }

    /// The server has no match of ours with this player that could go on: what he wanted instead is
    /// played.
    pub(super) fn no_saved_match(&mut self, name: &str) {
        // A match that is being played is no saved one: our invitation crossed its start.
        if self.game.is_some() {
            return;
        }
        let joining = self.joining.take();
        self.resuming = None;
        let name = match (name, joining) {
            ("", Some(joining)) => joining.name,
            ("", None) => return,
            (name, _) => name.to_owned(),
        };
        self.saved.remove(&name);
        self.unanswered.remove(&name);
        if let Some(interrupted) = self.interrupted.remove(&name) {
            self.resume_lost_match(interrupted);
        }
        if let Some((name, wanted)) = self.instead.take_if(|(asked, _)| *asked == name) {
            self.invitations.push_front(Invitation {
                name,
                wanted,
                due: self.now,
                warned: false,
                since: self.now,
            });
        }
    }

    /// Drops invitations of players who play elsewhere by now, or that are too old, and says so.
    fn stale_invitations(&mut self) {
        let now = self.now;
        let users = &self.users;
        let stale = |invitation: &Invitation| {
            let elsewhere = users
                .get(&invitation.name)
                .is_some_and(|who| who.opponent.is_some());
            now >= invitation.since + INVITATION_MS || (elsewhere && invitation.due <= now)
        };
        let dropped: VecDeque<Invitation>;
        (dropped, self.invitations) = std::mem::take(&mut self.invitations)
            .into_iter()
            .partition(stale);
        for invitation in dropped {
            let text = "Your invitation is no longer open: invite me again when you are free.";
            self.send_chat(&invitation.name, text, ChatKind::Refusal);
        }
    }

    /// Sends invitations: for saved matches first, then to the users on the policy's list (FIBS-25).
    pub(super) fn invite(&mut self) {
        let now = self.now;
        let free = |name: &String| {
            self.users
                .get(name)
                .is_some_and(|who| who.ready && !who.away && who.opponent.is_none())
        };
        let due = |name: &String| self.resumptions.get(name).is_none_or(|r| r.due <= now);
        let resume = self
            .saved
            .keys()
            .find(|&name| free(name) && due(name))
            .cloned();
        if let Some(name) = resume {
            let due = now + self.timing.resume_ms;
            self.resumptions.entry(name.clone()).or_default().due = due;
            self.begin_joining(&name, MatchTerms::Resume);
            self.send(format!("invite {name}"));
            return;
        }
        if now < self.last_invitation + self.policy.invite_every_s * 1000
            && self.last_invitation > 0
        {
            return;
        }
        let mut wanted = self.policy.invite.iter();
        let new = |name: &&String| free(name) && !self.holds(name);
        if let Some(name) = wanted.find(new).cloned() {
            let length = self.policy.invite_length;
            self.last_invitation = now.max(1);
            self.begin_joining(&name, MatchTerms::Points(length));
            self.send(format!("invite {name} {length}"));
        }
    }
}
