//! A token that tells a running computation to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by who asks and who computes; computations look at it between batches.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// A token that never stops anything.
    #[must_use]
    pub const fn never() -> Stop {
        Stop(None)
    }

    /// A token that can be triggered.
    #[must_use]
    pub fn new() -> Stop {
        Stop(Some(Arc::new(AtomicBool::new(false))))
    }

    /// Asks everything that holds this token to end soon. A `never` token ignores it.
    pub fn trigger(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// What this token sets, for signal handlers; none when it never stops anything.
    #[must_use]
    pub fn flag(&self) -> Option<Arc<AtomicBool>> {
        self.0.clone()
    }

    /// Whether to end.
    #[inline]
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
