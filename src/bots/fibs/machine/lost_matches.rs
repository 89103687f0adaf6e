//! Interrupted matches, and their fate (FIBS-15, FIBS-31).

use super::Machine;
use super::interface::Event;
use super::interrupted::Interrupted;
use super::state::USERS_MAX;
use crate::shared::MatchRecord;
use gammond_game::notation::fibs::Message;

/// Maximum number of interrupted matches whose plays are remembered.
const INTERRUPTED_MAX: usize = 100;

impl Machine {
    pub(super) fn interrupt(&mut self, record: MatchRecord, open: bool) {
        if self.saved.interrupted.len() >= INTERRUPTED_MAX {
            self.saved.interrupted.pop_first();
        }
        let mut interrupted = Interrupted {
            rating: self.users.rating(),
            open,
            record,
        };
        interrupted.record.interrupted();
        self.outbox.event(Event::Progress {
            record: Box::new(interrupted.record.clone()),
            rating: interrupted.rating,
            open,
        });
        let name = interrupted.record.opponent.clone();
        self.saved.interrupted.insert(name, interrupted);
    }

    /// Handles a line of the server's list of saved matches.
    pub(super) fn saved_list(&mut self, message: Message) {
        match message {
            Message::SavedMatch { name, length } => {
                self.found_saved(&name, length);
                if self.saved.listed.len() < USERS_MAX {
                    self.saved.listed.insert(name, length);
                }
            }
            // The rows follow, on a slow link much later.
            Message::SavedHead => {
                self.fences_lost();
                self.link.list_begun = true;
            }
            Message::NoSavedMatches => {
                self.fences_lost();
                self.saved.listed.clear();
                self.close_lost_match();
            }
            Message::NoSavedList => {
                self.fences_lost();
                self.link.listless = true;
                self.close_rated();
            }
            _ => {}
        }
    }

    /// Handles a saved match with this opponent: the one that broke off, unless that one ended and the start of
    /// another one was hidden as well.
    fn found_saved(&mut self, name: &str, length: Option<u32>) {
        let Some(mut interrupted) = self.saved.interrupted.remove(name) else {
            return;
        };
        let known = !interrupted.record.games.is_empty();
        let other = known && interrupted.record.length != length;
        if interrupted.open && (other || interrupted.is_rated(self.users.rating())) {
            self.resume_lost_match(interrupted);
            return;
        }
        interrupted.open = false;
        self.saved.interrupted.insert(name.to_owned(), interrupted);
    }

    /// Closes the one match in which the link broke if our rating has changed: then it is over. This is for servers
    /// without a list of saved matches.
    fn close_rated(&mut self) {
        let interrupted = self.saved.interrupted.values();
        let mut open = interrupted.filter(|match_| match_.open);
        let (Some(match_), None) = (open.next(), open.next()) else {
            return;
        };
        if !match_.is_rated(self.users.rating()) {
            return;
        }
        let name = match_.record.opponent.clone();
        if let Some(interrupted) = self.saved.interrupted.remove(&name) {
            self.resume_lost_match(interrupted);
        }
    }

    /// Requests the saved matches, and then a fence whose answer marks the end of their list.
    pub(super) fn ask_saved(&mut self) {
        self.outbox.send("show saved");
        self.fence();
    }

    /// Closes the lost match when the list of saved matches is complete: a match that broke off and is not saved is
    /// over.
    pub(super) fn close_lost_match(&mut self) {
        self.link.list_begun = false;
        self.saved.unanswered.clear();
        let listed = &self.saved.listed;
        let over: Vec<String> = self
            .saved
            .interrupted
            .iter()
            .filter(|(name, interrupted)| interrupted.open && !listed.contains_key(*name))
            .map(|(name, _)| name.clone())
            .collect();
        for name in over {
            if let Some(interrupted) = self.saved.interrupted.remove(&name) {
                self.resume_lost_match(interrupted);
            }
        }
    }

    /// Handles a match that ended while the link was broken (FIBS-31).
    pub(super) fn resume_lost_match(&mut self, interrupted: Interrupted) {
        let record = interrupted.into_lost_record(self.users.rating());
        self.outbox.event(Event::MatchFinished(Box::new(record)));
    }
}
