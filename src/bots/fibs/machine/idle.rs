//! Between two matches: the end, invitations, and the server's answers to the bot's invitations (FIBS-18, FIBS-25,
//! FIBS-27).

use super::Machine;
use super::chat_and_invites::ChatKind;
use super::interface::Output;
use super::state::{Invitation, Joining, State, Stop};
use super::transitions::EventName;
use gammond_game::notation::fibs::MatchTerms;
use std::collections::VecDeque;

/// Number of times that the bot requests a match on one connection without an answer of the server.
const RESUME_TRIES_MAX: u32 = 2;
/// Lifetime of an invitation: after this time the user has usually gone elsewhere.
const INVITATION_MS: u64 = 1_800_000;

impl Machine {
    /// Acts when no match is being played.
    pub(super) fn idle(&mut self) {
        self.observe(EventName::Idle, |machine| {
            if machine.stopping.wanted == Stop::Now
                && machine.state.game().is_some_and(|game| !game.leaving)
            {
                machine.leave();
            }
            if machine.in_match() {
                return;
            }
            if machine.stopping.wanted != Stop::No {
                machine.end();
            } else if machine.state.is_settled() {
                machine.accept_or_invite();
            }
        });
    }

    /// Ends, unless the fate of a match must be determined first.
    fn end(&mut self) {
        if self.stop_waits(self.now) {
            return;
        }
        self.stopping.wanted = Stop::No;
        self.stopping.waits_until = 0;
        if self.state.is_settled() {
            self.outbox.output(Output::Send("bye".to_owned()));
        }
        self.outbox.output(Output::Quit);
    }

    fn accept_or_invite(&mut self) {
        self.stale_invitations();
        let first = self.invitations.open.front();
        if first.is_some_and(|invitation| invitation.due > self.now) || !self.may_join() {
            return;
        }
        match self.invitations.open.pop_front() {
            Some(invitation) => self.accept(invitation),
            None => self.invite(),
        }
    }

    /// Joins, or asks for the saved match first (FIBS-18, FIBS-25): it would be destroyed.
    fn accept(&mut self, invitation: Invitation) {
        let Invitation {
            name,
            wanted,
            warned,
            ..
        } = invitation;
        let listed = self.saved.listed.contains_key(&name);
        // The server reports it, by its warning or its list.
        let certain = warned || (listed && !self.link.listless);
        let holds = self.saved.holds(&name);
        let resumption = self.saved.resumption(&name);
        let tried = resumption.tries >= RESUME_TRIES_MAX;
        if wanted == MatchTerms::Resume || !(certain || (holds && !tried)) {
            self.begin_joining(&name, wanted);
            self.outbox.send(format!("join {name}"));
            return;
        }
        resumption.tries += 1;
        if warned || listed {
            let text = "We have a saved match: let us finish that one first.";
            self.send_chat(&name, text, ChatKind::Refusal);
        }
        self.invitations.instead = Some((name.clone(), wanted));
        self.begin_joining(&name, MatchTerms::Resume);
        self.outbox.send(format!("invite {name}"));
    }

    /// Returns our open invitation or acceptance, which is open no longer.
    fn end_joining(&mut self) -> Option<Joining> {
        self.state.joining()?;
        match self.enter(State::Free) {
            State::Joining(joining) => Some(joining),
            _ => None,
        }
    }

    /// Handles a refusal of the bot's invitation or acceptance, which is no sign of a saved match.
    pub(super) fn invitation_refused(&mut self) {
        self.saved.resuming = None;
        let Some(joining) = self.end_joining() else {
            return;
        };
        if let Some(resumption) = self.saved.resumptions.get_mut(&joining.name) {
            resumption.tries = resumption.tries.saturating_sub(1);
        }
    }

    /// Handles the answer that no match with this player can be resumed: the match that he wanted instead is played.
    pub(super) fn no_saved_match(&mut self, name: &str) {
        // A match that is being played is no saved one: our invitation crossed its start.
        if self.state.game().is_some() {
            return;
        }
        let joining = self.end_joining();
        self.saved.resuming = None;
        let name = match (name, joining) {
            ("", Some(joining)) => joining.name,
            ("", None) => return,
            (name, _) => name.to_owned(),
        };
        self.saved.listed.remove(&name);
        self.saved.unanswered.remove(&name);
        if let Some(interrupted) = self.saved.interrupted.remove(&name) {
            self.resume_lost_match(interrupted);
        }
        let instead = &mut self.invitations.instead;
        if let Some((name, wanted)) = instead.take_if(|(asked, _)| *asked == name) {
            self.invitations.open.push_front(Invitation {
                name,
                wanted,
                due: self.now,
                warned: false,
                since: self.now,
            });
        }
    }

    /// Drops invitations of players who play elsewhere by now, or that are too old, and informs the players.
    fn stale_invitations(&mut self) {
        let now = self.now;
        let users = &self.users.online;
        let stale = |invitation: &Invitation| {
            let elsewhere = users
                .get(&invitation.name)
                .is_some_and(|who| who.opponent.is_some());
            now >= invitation.since + INVITATION_MS || (elsewhere && invitation.due <= now)
        };
        let dropped: VecDeque<Invitation>;
        (dropped, self.invitations.open) = std::mem::take(&mut self.invitations.open)
            .into_iter()
            .partition(stale);
        for invitation in dropped {
            let text = "Your invitation is no longer open: invite me again when you are free.";
            self.send_chat(&invitation.name, text, ChatKind::Refusal);
        }
    }

    /// Sends invitations: for saved matches first, then to the users on the policy's list (FIBS-25).
    fn invite(&mut self) {
        let now = self.now;
        let users = &self.users.online;
        let free = |name: &String| {
            users
                .get(name)
                .is_some_and(|who| who.ready && !who.away && who.opponent.is_none())
        };
        let resumptions = &self.saved.resumptions;
        let due = |name: &String| resumptions.get(name).is_none_or(|r| r.due <= now);
        let mut listed = self.saved.listed.keys();
        if let Some(name) = listed.find(|&name| free(name) && due(name)).cloned() {
            self.saved.resumption(&name).due = now + self.timing.resume_ms;
            self.begin_joining(&name, MatchTerms::Resume);
            self.outbox.send(format!("invite {name}"));
            return;
        }
        let last = self.invitations.last_sent;
        if last > 0 && now < last + self.policy.invite_every_s * 1000 {
            return;
        }
        let mut wanted = self.policy.invite.iter();
        let new = |name: &&String| free(name) && !self.saved.holds(name);
        if let Some(name) = wanted.find(new).cloned() {
            let length = self.policy.invite_length;
            self.invitations.last_sent = now.max(1);
            self.begin_joining(&name, MatchTerms::Points(length));
            self.outbox.send(format!("invite {name} {length}"));
        }
    }
}
