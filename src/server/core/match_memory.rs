//! Memory of the matches of one connection, while their lines arrive and while they are analysed (SRV-20).

use crate::core::Core;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::time::Instant;

/// The size of a connection's matches in bytes, counted among those of all connections until this is dropped.
#[derive(Debug)]
pub struct MatchMemory {
    core: Arc<Core>,
    counted: usize,
    /// Size in bytes of matches that wait or are analysed.
    pub(crate) pending: usize,
    /// Arrival time of the first line of the current match.
    began: Option<Instant>,
}

impl MatchMemory {
    /// Creates an empty counter.
    pub fn new(core: Arc<Core>) -> MatchMemory {
        MatchMemory {
            core,
            counted: 0,
            pending: 0,
            began: None,
        }
    }

    /// Sets the size of the part of a match that has arrived; `None` if no match is arriving. Returns true if the matches of
    /// all connections together exceed the limit.
    pub fn gathered(&mut self, bytes: Option<usize>) -> bool {
        self.began = bytes.and(self.began.or_else(|| Some(Instant::now())));
        let now = self.pending + bytes.unwrap_or(0);
        if now == self.counted && bytes.is_none() {
            return false;
        }
        let all = &self.core.blocks;
        let before = match now >= self.counted {
            true => all.fetch_add(now - self.counted, Ordering::Relaxed),
            false => all.fetch_sub(self.counted - now, Ordering::Relaxed),
        };
        let total = (before + now).saturating_sub(self.counted);
        self.counted = now;
        bytes.is_some_and(|bytes| bytes > 0) && total > self.core.limits.block_bytes_max
    }

    /// Returns the time by which the lines of the current match must have arrived.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.began?.checked_add(self.core.limits.block_timeout)
    }
}

impl Drop for MatchMemory {
    fn drop(&mut self) {
        self.core.blocks.fetch_sub(self.counted, Ordering::Relaxed);
    }
}
