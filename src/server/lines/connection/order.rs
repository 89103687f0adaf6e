//! The order of a connection's answers, and the queries that it cancels (Q-80 to Q-83).

use super::{Connection, Pending};
use gammond_protocol::json::Json;
use gammond_protocol::{Cancel, CancelState};
use std::borrow::Cow;

impl Pending {
    /// Returns the state of a query that is cancelled now.
    const fn cancel_state(&self) -> CancelState {
        match self.stoppable {
            true => CancelState::Stopped,
            false => CancelState::Finishing,
        }
    }

    /// Stops a query that can be stopped; returns true if that is new.
    fn stop(&self) -> bool {
        let new = self.stoppable && !self.stop.is_triggered();
        if new {
            self.stop.trigger();
        }
        new
    }
}

impl<S> Connection<S> {
    /// Moves answers to the output: those of the first lines, or all that are ready.
    pub(super) fn deliver(&mut self) {
        while let Some(number) = self.deliverable() {
            let Some(one) = self.pending.get_mut(&number) else {
                return;
            };
            let whole = one.bytes.ends_with(b"\n");
            let behind = std::mem::take(&mut one.behind);
            self.out.append(&mut one.bytes);
            let left = self.connection_budget.charge(0);
            self.reservation
                .absorb(std::mem::replace(&mut one.reservation, left));
            if one.done {
                self.lines_pending -= one.lines;
                self.weight.pending -= one.block;
                if let Some(one) = self.pending.remove(&number) {
                    let state = one.cancel_state();
                    let ids = one.cancelled_ahead.into_iter();
                    self.cancelled_ahead.extend(ids.map(|id| (id, state)));
                }
                self.open = None;
            } else {
                self.open = (!whole).then_some(number);
            }
            self.connection_budget.go_on(self.front(), behind);
        }
    }

    /// Returns the number of an answer of which something can be sent.
    fn deliverable(&self) -> Option<u64> {
        let has_text = |one: &Pending| one.done || !one.bytes.is_empty();
        let first = self.open.or_else(|| self.pending.keys().next().copied())?;
        if self.open.is_some() || !self.when_ready {
            return self
                .pending
                .get(&first)
                .filter(|one| has_text(one))
                .map(|_| first);
        }
        let mut ready = self.pending.iter().filter(|(_, one)| has_text(one));
        // The beginning of a long answer comes last, as it keeps the others waiting.
        let whole = |(_, one): &(&u64, &Pending)| one.done || one.bytes.ends_with(b"\n");
        let whole = ready.clone().find(whole);
        whole.or_else(|| ready.next()).map(|(number, _)| *number)
    }

    /// Returns the number up to which answers can be sent at once.
    pub(super) fn front(&self) -> u64 {
        let first = self.pending.keys().next().copied();
        match (self.open, self.when_ready) {
            (Some(open), _) => open,
            (None, true) => self.next_number,
            (None, false) => first.unwrap_or(self.next_number),
        }
    }

    /// Stops the queries that a line cancels which has to wait until there is room. It is answered in its place.
    pub(super) fn cancel_ahead(&mut self) {
        let Some(dialect) = &self.dialect else {
            return;
        };
        let mut targets = Vec::new();
        self.codec.any_line(|line| {
            let verb = verb(line);
            if begins(&verb, &["cancel"])
                && let Some(ids) = dialect.cancels(line)
            {
                targets.push(ids);
            }
            // The lines behind it are those of a match.
            begins(&verb, &["analys", "analyz"])
        });
        for ids in targets {
            self.stop(&ids, true);
        }
    }

    /// Stops queries of this connection; returns the answer.
    pub(super) fn cancel(&mut self, cancel: &Cancel) -> String {
        let mut states = self.stop(&cancel.targets, false);
        let (ahead, others) = std::mem::take(&mut self.cancelled_ahead)
            .into_iter()
            .partition(|(id, _)| cancel.targets.is_empty() || cancel.targets.contains(id));
        self.cancelled_ahead = others;
        if cancel.targets.is_empty() {
            states.splice(..0, ahead);
        } else {
            for (id, state) in ahead {
                let mut unknown =
                    (states.iter_mut()).filter(|(_, state)| *state == CancelState::Unknown);
                if let Some(found) = unknown.find(|(known, _)| *known == id) {
                    found.1 = state;
                }
            }
        }
        cancel.answer(&states)
    }

    /// Stops the queries with these ids, without any all; returns their states. They are remembered for the answer if the line is
    /// read `ahead`.
    fn stop(&mut self, targets: &[String], ahead: bool) -> Vec<(String, CancelState)> {
        let all = targets.is_empty();
        let mut changed = false;
        let mut states: Vec<(String, CancelState)> = (targets.iter())
            .map(|id| (id.clone(), CancelState::Unknown))
            .collect();
        for one in self.pending.values_mut() {
            let state = one.cancel_state();
            let mut is_target = all;
            // An answer that only waits for its turn may have been cancelled ahead.
            let ids = match one.done {
                true => one.cancelled_ahead.clone(),
                false => one.ids.clone(),
            };
            for id in ids {
                match states.iter_mut().find(|(known, _)| *known == id) {
                    Some(found) => found.1 = state,
                    None if all => states.push((id.clone(), state)),
                    None => continue,
                }
                is_target = true;
                one.cancelled_ahead.retain(|known| *known != id);
                if ahead {
                    one.cancelled_ahead.push(id);
                }
            }
            changed |= is_target && !one.done && one.stop();
        }
        if changed {
            self.core.workers.hurry(self.lane);
        }
        states
    }
}

/// Returns a line from its verb on, or the verb of a line in JSON.
fn verb(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line.trim_ascii_start();
    match line.first() {
        Some(b'#') => {
            let end = line.iter().position(u8::is_ascii_whitespace);
            let rest = end.and_then(|end| line.get(end..)).unwrap_or_default();
            Cow::Borrowed(rest.trim_ascii_start())
        }
        Some(b'{') => {
            let members = match Json::parse(line) {
                Ok(Json::Object(members)) => members,
                _ => Vec::new(),
            };
            let verb = members.into_iter().find_map(|member| match member {
                (name, Json::Text(verb)) if name == "verb" => Some(verb),
                _ => None,
            });
            Cow::Owned(verb.unwrap_or_default().into_bytes())
        }
        _ => Cow::Borrowed(line),
    }
}

/// Returns true for a verb that begins with one of these words, in any case.
fn begins(verb: &[u8], words: &[&str]) -> bool {
    let is = |word: &&str| {
        let start = verb.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    words.iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q-80, Q-90.
    #[test]
    fn verbs_are_found_in_words_and_json() {
        for (line, want) in [
            ("#c  cancel all", "cancel all"),
            (" ANALYSE plies=2", "ANALYSE plies=2"),
            ("#7", ""),
            (r#"{"id":"m","verb":"an\u0061lyse"}"#, "analyse"),
            (r#"{"verb":7}"#, ""),
            (r#"{"verb":"analyse""#, ""),
        ] {
            assert_eq!(&*verb(line.as_bytes()), want.as_bytes(), "{line}");
        }
        assert!(begins(b"Analyze plies=2", &["analys", "analyz"]));
        assert!(!begins(b"cance", &["cancel"]));
    }
}
