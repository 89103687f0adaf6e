//! The clock of time budgets: the system's, or the caller's alone.

use crate::search::Clock;

/// Returns the system's clock.
#[cfg(feature = "clock")]
pub(super) fn system() -> Option<Clock> {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    Some(|| BEGIN.elapsed())
}

/// Returns `None`: there is no clock but the caller's.
#[cfg(not(feature = "clock"))]
pub(super) fn system() -> Option<Clock> {
    None
}
