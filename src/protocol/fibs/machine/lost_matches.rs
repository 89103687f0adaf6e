//! Interrupted matches, and their fate (FIBS-15, FIBS-31).

use super::*;

/// Interrupted matches whose plays are remembered.
const INTERRUPTED_MAX: usize = 100;

impl Machine {
    pub(super) fn interrupt(&mut self, record: MatchRecord, open: bool) {
        if self.interrupted.len() >= INTERRUPTED_MAX {
            self.interrupted.pop_first();
        }
        let mut interrupted = Interrupted {
            rating: self.rating(),
            open,
            record,
        };
        interrupted.record.interrupted();
        self.event(Event::Progress {
            record: Box::new(interrupted.record.clone()),
            rating: interrupted.rating,
            open,
        });
        self.interrupted
            .insert(interrupted.record.opponent.clone(), interrupted);
    }

    /// A match with this opponent is saved: the one that broke off, unless that one ended and the
    /// start of another one was hidden as well.
    pub(super) fn found_saved(&mut self, name: &str, length: Option<u32>) {
        let Some(mut interrupted) = self.interrupted.remove(name) else {
            return;
        };
        let known = !interrupted.record.games.is_empty();
        let other = known && interrupted.record.length != length;
        if interrupted.open && (other || self.rated(&interrupted)) {
            self.resume_lost_match(interrupted);
            return;
        }
        interrupted.open = false;
        self.interrupted.insert(name.to_owned(), interrupted);
    }

    /// Returns true if our rating has changed since the interruption: then the match is over.
    pub(super) fn rated(&self, interrupted: &Interrupted) -> bool {
        interrupted.is_rated(self.rating())
    }

    /// Returns our rating as last reported.
    fn rating(&self) -> Option<f64> {
        self.own.as_ref().map(|own| own.rating)
    }

    /// Returns true if the link broke in a match whose fate is still unknown.
    pub(super) fn hides_a_match(&self) -> bool {
        self.interrupted.values().any(|match_| match_.open)
    }

    /// Closes the one match in which the link broke if our rating has changed: then it is over. This is for servers
    /// without a list of saved matches.
    pub(super) fn close_rated(&mut self) {
        let mut open = self.interrupted.values().filter(|match_| match_.open);
        let (Some(match_), None) = (open.next(), open.next()) else {
            return;
        };
        if !self.rated(match_) {
            return;
        }
        let name = match_.record.opponent.clone();
        if let Some(interrupted) = self.interrupted.remove(&name) {
            self.resume_lost_match(interrupted);
        }
    }

    /// Requests the saved matches, and then a fence whose answer marks the end of their list.
    pub(super) fn ask_saved(&mut self) {
        self.send("show saved");
        self.fence();
    }

    /// The list of saved matches is complete: what the link broke off and is not saved is over.
    pub(super) fn close_lost_match(&mut self) {
        self.saved_begun = false;
        self.unanswered.clear();
        let open = |name: &String, interrupted: &Interrupted| {
            interrupted.open && !self.saved.contains_key(name)
        };
        let over: Vec<String> = self
            .interrupted
            .iter()
            .filter(|(name, interrupted)| open(name, interrupted))
            .map(|(name, _)| name.clone())
            .collect();
        for name in over {
            if let Some(interrupted) = self.interrupted.remove(&name) {
                self.resume_lost_match(interrupted);
            }
        }
    }

    /// FIBS-31: a match ended while the link was broken.
    pub(super) fn resume_lost_match(&mut self, interrupted: Interrupted) {
        let record = interrupted.into_lost_record(self.rating());
        self.event(Event::MatchFinished(Box::new(record)));
    }
}
