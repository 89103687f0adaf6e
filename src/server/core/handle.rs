//! The handle of a running server: to reload, to shut down, to read its counters.

use super::counters::Counters;
use super::shutdown::ShutdownPhase;
use super::state::{Core, ReloadError};
use std::sync::Arc;

/// A handle to reload or shut down a running server.
#[derive(Clone, Debug)]
pub struct Handle(pub Arc<Core>);

impl Handle {
    /// Shuts down gracefully: no new requests; running queries may finish within the grace time (SRV-15).
    pub fn drain(&self) {
        let drain = |phase: &mut ShutdownPhase| {
            let running = *phase == ShutdownPhase::Run;
            if running {
                *phase = ShutdownPhase::Drain;
            }
            running
        };
        self.0.phase.send_if_modified(drain);
    }

    /// Shuts down at once.
    pub fn cut(&self) {
        self.0.phase.send_replace(ShutdownPhase::Cut);
    }

    /// Reloads the nets; queries that run keep the old ones (SRV-16). Blocks while it loads.
    ///
    /// # Errors
    /// If a file is missing or damaged; the old nets stay.
    pub fn reload(&self) -> Result<(), ReloadError> {
        self.0.reload()
    }

    /// Returns the counters.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Returns the size in bytes of the answers that their peers have not read.
    #[must_use]
    pub fn unsent_bytes(&self) -> usize {
        self.0.unsent()
    }
}
