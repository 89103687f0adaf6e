//! Talk, invitations, and the start of a match (FIBS-18, FIBS-24 to FIBS-26).

use super::*;

impl Machine {
    /// FIBS-26: one line in answer, seldom, and never to a bot.
    pub(super) fn said(&mut self, name: &str, how: Speech, text: &str) {
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
            self.stop = Stop::AfterMatch;
        }
        let help = self.policy.help.clone();
        self.tell(name, &help);
    }

    /// Tells somebody something, unless he has heard enough this hour.
    pub(super) fn tell(&mut self, name: &str, text: &str) {
        if self.talked.len() > PEOPLE_MAX {
            self.talked.clear();
        }
        let (count, since) = self.talked.entry(name.to_owned()).or_insert((0, self.now));
        if self.now > *since + 3_600_000 {
            (*count, *since) = (0, self.now);
        }
        *count += 1;
        if *count <= self.policy.answers_max && !text.is_empty() {
            self.send(format!("tell {name} {text}"));
        }
    }

    /// FIBS-18: a warning about a saved match comes after the invitation.
    pub(super) fn invited(&mut self, name: String, wanted: Wanted) {
        if self.game.is_some() || self.stop != Stop::No {
            return;
        }
        // Who repeats an invitation is not made to wait longer for it.
        let again = |open: &Invitation| open.name == name && open.wanted == wanted;
        if self.invitation.as_ref().is_some_and(again) {
            return;
        }
        let drops = self.drops.get(&name).copied().unwrap_or(0);
        let who = self.people.get(&name);
        match self
            .policy
            .judge(&name, wanted, who, drops, self.saved.len())
        {
            Verdict::Ignore => {}
            Verdict::Decline(text) => self.tell(&name, &text),
            Verdict::Play => {
                if wanted != Wanted::Resume && self.policy.opponent_saved_max > 0 {
                    self.counted = None;
                    self.send(format!("show savedcount {name}"));
                }
                self.invitation = Some(Invitation {
                    name,
                    wanted,
                    due: self.now + self.timing.warning_ms,
                    warned: false,
                });
            }
        }
    }

    /// FIBS-24: who has many unfinished matches gets no new one.
    pub(super) fn counted(&mut self, name: String, count: u32) {
        let invited = self.invitation.as_ref();
        if invited.is_none_or(|invitation| invitation.name != name) {
            return;
        }
        if count > self.policy.opponent_saved_max {
            self.invitation = None;
            self.tell(
                &name,
                "Sorry, please finish some of your saved matches first.",
            );
        }
        self.counted = Some((name, count));
    }

    pub(super) fn started(&mut self, name: String, wanted: Wanted) {
        self.invitation = None;
        self.joining = None;
        let mut kept = None;
        if let Some(interrupted) = self.interrupted.remove(&name) {
            match wanted {
                Wanted::Resume if interrupted.open && self.rated(&interrupted) => {
                    self.unseen(interrupted);
                }
                Wanted::Resume => kept = Some(interrupted.record),
                // Nobody begins a new match beside a saved one: the old one is over.
                _ => self.unseen(interrupted),
            }
        }
        let length = match wanted {
            Wanted::Points(length) => Some(length),
            Wanted::Unlimited => None,
            Wanted::Resume => self.saved.get(&name).copied().flatten(),
        };
        let mut record = kept.unwrap_or_else(|| MatchRecord::new(&name, length));
        if let [before @ None, _] = &mut record.ratings {
            *before = self.own.as_ref().map(|own| own.rating);
        }
        let mut game = Match::new(&name, wanted, self.now, record);
        if wanted == Wanted::Resume {
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
