//! The connections or processes of one player: one for each calling thread, or as many as the server accepts.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Items that several threads use in turns.
pub(super) struct Pool<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    idle: Vec<T>,
    /// Items that exist, idle or in use.
    open: usize,
    /// The most that the server takes; `None` until it has refused one.
    limit: Option<usize>,
}

/// Result of a thread's request for an item.
pub(super) enum PoolTurn<T> {
    /// This item.
    Use(T),
    /// A new one, counted by [`Pool::opened`]; so many exist already.
    Open(usize),
    /// No item was returned in time.
    TimedOut,
}

impl<T> Pool<T> {
    pub(super) fn new() -> Pool<T> {
        Pool {
            state: Mutex::new(State {
                idle: Vec::new(),
                open: 0,
                limit: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle item, or permission to open another one. Waits at most `time` where the server accepts no
    /// more.
    pub(super) fn turn(&self, time: Duration) -> PoolTurn<T> {
        let full = |state: &mut State<T>| {
            state.idle.is_empty() && state.limit.is_some_and(|limit| state.open >= limit)
        };
        let waited = self.changed.wait_timeout_while(self.state(), time, full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        match state.idle.pop() {
            Some(item) => PoolTurn::Use(item),
            None if waited.timed_out() => PoolTurn::TimedOut,
            None => PoolTurn::Open(state.open),
        }
    }

    /// Counts an item that was opened.
    pub(super) fn opened(&self) {
        self.state().open += 1;
    }

    /// Limits the pool to the open items, because the server accepts no more. Returns their number, and true if the
    /// limit is new.
    pub(super) fn limit(&self) -> (usize, bool) {
        let mut state = self.state();
        let open = state.open.max(1);
        let news = state.limit.replace(open) != Some(open);
        (open, news)
    }

    /// Takes an item back.
    pub(super) fn give_back(&self, item: T) {
        self.state().idle.push(item);
        self.changed.notify_one();
    }

    /// Removes an item that was lost.
    pub(super) fn lost(&self) {
        let mut state = self.state();
        state.open = state.open.saturating_sub(1);
        drop(state);
        self.changed.notify_one();
    }
}
