//! The order of a connection's answers, and the queries that it cancels.

use super::{Connection, Pending};
use gammond_protocol::{Cancel, CancelState};

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
                self.pending.remove(&number);
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
            let word = line.trim_ascii_start();
            let word = match word.starts_with(b"#") {
                true => word
                    .iter()
                    .position(u8::is_ascii_whitespace)
                    .and_then(|at| word.get(at..)),
                false => Some(word),
            };
            let word = word.unwrap_or_default().trim_ascii_start();
            if let Some(Some(ids)) = is_cancel(word).then(|| dialect.cancels(line)) {
                targets.push(ids);
            }
            // The lines behind it are those of a match.
            word.get(..6).is_some_and(|word| {
                word.eq_ignore_ascii_case(b"analys") || word.eq_ignore_ascii_case(b"analyz")
            })
        });
        for ids in targets {
            self.stop(&ids);
        }
    }

    /// Stops queries of this connection; returns the answer.
    pub(super) fn cancel(&mut self, cancel: &Cancel) -> String {
        let states = self.stop(&cancel.targets);
        cancel.answer(&states)
    }

    /// Stops the queries with these ids, without any all; returns their states.
    fn stop(&mut self, targets: &[String]) -> Vec<(String, CancelState)> {
        let all = targets.is_empty();
        let mut changed = false;
        let mut states: Vec<(String, CancelState)> = (targets.iter())
            .map(|id| (id.clone(), CancelState::Unknown))
            .collect();
        for one in self.pending.values().filter(|one| !one.done) {
            let state = match one.stoppable {
                true => CancelState::Stopped,
                false => CancelState::Finishing,
            };
            for id in &one.ids {
                match states.iter_mut().find(|(known, _)| known == id) {
                    Some(found) => found.1 = state,
                    None if all => states.push((id.clone(), state)),
                    None => continue,
                }
                changed |= stop(one);
            }
            changed |= all && stop(one);
        }
        if changed {
            self.shared.workers.hurry(self.lane);
        }
        states
    }
}

/// Returns true for a line that begins so, with or without ids.
fn is_cancel(word: &[u8]) -> bool {
    word.get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"cancel"))
}

/// Stops a query that can be stopped; returns true if that is new.
fn stop(one: &Pending) -> bool {
    let new = one.stoppable && !one.stop.is_triggered();
    if new {
        one.stop.trigger();
    }
    new
}
