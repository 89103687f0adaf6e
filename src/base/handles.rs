//! Numbers that stand for what callers outside of Rust opened. A number is never used again, so a handle that was closed,
//! or never was one, is found out instead of followed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The next handle of any kind: a handle of one kind is none of another.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The open handles of one kind. They may be used from many threads.
#[derive(Debug)]
pub struct Handles<T>(RwLock<BTreeMap<u64, Arc<T>>>);

impl<T> Handles<T> {
    /// Returns a set without handles.
    #[must_use]
    pub const fn new() -> Handles<T> {
        Handles(RwLock::new(BTreeMap::new()))
    }

    /// Adds a value; returns its handle, never 0.
    pub fn add(&self, value: T) -> u64 {
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut open = self.0.write().unwrap_or_else(PoisonError::into_inner);
        open.insert(handle, Arc::new(value));
        handle
    }

    /// Returns the value of a handle. It lives until its last user drops it, also when the handle is closed meanwhile.
    #[must_use]
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&handle).cloned()
    }

    /// Closes a handle; returns its value, if it was one.
    pub fn close(&self, handle: u64) -> Option<Arc<T>> {
        let mut open = self.0.write().unwrap_or_else(PoisonError::into_inner);
        open.remove(&handle)
    }
}

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_used_again() {
        let (numbers, texts) = (Handles::new(), Handles::default());
        let (one, two) = (numbers.add(1), texts.add("two"));
        assert!(one > 0 && one != two);
        assert_eq!(numbers.get(two), None);
        let held = texts.get(two);
        assert_eq!(texts.close(two).as_deref(), Some(&"two"));
        assert_eq!(held.as_deref(), Some(&"two"));
        assert!(texts.close(two).is_none() && texts.get(two).is_none());
        assert!(numbers.add(3) > two);
        assert_eq!(numbers.get(one).as_deref(), Some(&1));
    }
}
