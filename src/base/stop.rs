//! A token that signals a running computation to pause or to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A clock: the time since any fixed moment. It never goes back.
pub type Clock = fn() -> Duration;

/// The end of a time budget.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    clock: Clock,
    end: Duration,
}

impl Deadline {
    /// Returns the end of a budget that begins now.
    #[must_use]
    pub fn after(budget: Duration, clock: Clock) -> Deadline {
        Deadline {
            clock,
            end: clock().saturating_add(budget),
        }
    }

    /// Returns true if the time is over.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        (self.clock)() >= self.end
    }
}

/// A stop token shared by the caller and the computation, which polls it between batches.
///
/// Pausing is for schedulers: every thread of the computation waits at its next [`Stop::checkpoint`] until the token
/// is resumed or triggered.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    flag: Arc<AtomicBool>,
    parent: Stop,
    deadline: Option<Deadline>,
    /// Shared with the parent.
    gate: Arc<Gate>,
}

/// Gate at which paused threads wait.
#[derive(Debug, Default)]
struct Gate {
    paused: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Inner {
    #[inline]
    fn is_triggered(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.parent.is_triggered()
            || (self.deadline.as_ref()).is_some_and(Deadline::has_passed)
    }
}

impl Gate {
    fn wake(&self) {
        // A thread that is about to wait holds the lock until it does.
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl Stop {
    /// Returns a token that never stops anything.
    #[must_use]
    pub const fn never() -> Stop {
        Stop(None)
    }

    /// Returns a token that can be triggered.
    #[must_use]
    pub fn new() -> Stop {
        Stop(Some(Arc::default()))
    }

    /// Returns a token that is triggered with this one and can be triggered alone; both pause together.
    #[must_use]
    pub fn child(&self) -> Stop {
        self.child_with(None)
    }

    /// Returns a token as [`Stop::child`] does, which is triggered by its deadline too. That does not wake paused threads.
    #[must_use]
    pub fn child_until(&self, deadline: Deadline) -> Stop {
        self.child_with(Some(deadline))
    }

    fn child_with(&self, deadline: Option<Deadline>) -> Stop {
        let gate = self.0.as_ref().map(|inner| Arc::clone(&inner.gate));
        Stop(Some(Arc::new(Inner {
            flag: Arc::default(),
            parent: self.clone(),
            deadline,
            gate: gate.unwrap_or_default(),
        })))
    }

    /// Signals all holders of this token to end soon. A `never` token ignores it.
    pub fn trigger(&self) {
        if let Some(inner) = &self.0 {
            inner.flag.store(true, Ordering::SeqCst);
            inner.gate.wake();
        }
    }

    /// Returns the flag that this token sets, for signal handlers; `None` for a token that never stops anything. Setting
    /// it does not wake paused threads.
    #[must_use]
    pub fn flag(&self) -> Option<Arc<AtomicBool>> {
        self.0.as_ref().map(|inner| Arc::clone(&inner.flag))
    }

    /// Returns true if the work is to end.
    #[inline]
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.is_triggered())
    }

    /// Makes everything that holds this token wait at its next checkpoint.
    pub fn pause(&self) {
        if let Some(inner) = &self.0 {
            inner.gate.paused.store(true, Ordering::SeqCst);
        }
    }

    /// Lets paused threads continue.
    pub fn resume(&self) {
        if let Some(inner) = &self.0 {
            inner.gate.paused.store(false, Ordering::SeqCst);
            inner.gate.wake();
        }
    }

    /// Waits while the token is paused. Returns whether to end.
    #[inline]
    #[must_use]
    pub fn checkpoint(&self) -> bool {
        if let Some(inner) = &self.0
            && inner.gate.paused.load(Ordering::Relaxed)
        {
            self.wait(&inner.gate);
        }
        self.is_triggered()
    }

    #[cold]
    fn wait(&self, gate: &Gate) {
        let mut locked = gate.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while gate.paused.load(Ordering::SeqCst) && !self.is_triggered() {
            locked = (gate.changed.wait(locked)).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::sync::mpsc::channel;

    #[test]
    fn child_ends_with_its_parent_and_alone() {
        let parent = Stop::new();
        let (one, other) = (parent.child(), parent.child());
        one.trigger();
        assert!(one.checkpoint() && !other.checkpoint() && !parent.checkpoint());
        parent.trigger();
        assert!(other.checkpoint() && parent.checkpoint());
        let alone = Stop::never().child();
        assert!(!alone.checkpoint());
        alone.trigger();
        assert!(alone.checkpoint() && !Stop::never().checkpoint());
    }

    #[test]
    fn child_ends_by_its_deadline() {
        fn clock() -> Duration {
            static MILLISECONDS: AtomicU64 = AtomicU64::new(0);
            Duration::from_millis(MILLISECONDS.fetch_add(1, Ordering::Relaxed))
        }
        let parent = Stop::new();
        let child = parent.child_until(Deadline::after(Duration::from_millis(3), clock));
        let grandchild = child.child();
        let states = [&child, &grandchild, &child].map(Stop::is_triggered);
        assert_eq!(
            (states, parent.is_triggered()),
            ([false, false, true], false)
        );
    }

    /// A paused thread waits at its checkpoint until it is resumed or stopped, by a child's parent too.
    #[test]
    fn paused_threads_wait_until_resumed_or_triggered() {
        for resumes in [true, false] {
            let stop = Stop::new();
            let child = stop.child();
            stop.pause();
            let (done, passed) = channel();
            std::thread::scope(|scope| {
                scope.spawn(move || done.send(child.checkpoint()));
                assert!(passed.try_recv().is_err());
                match resumes {
                    true => stop.resume(),
                    false => stop.trigger(),
                }
                assert_eq!(passed.recv(), Ok(!resumes));
            });
        }
    }
}
