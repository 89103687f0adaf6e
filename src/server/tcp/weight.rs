//! What the matches of one connection weigh, while their lines come and while they are judged (SRV-20).

use super::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::time::Instant;

/// Bytes of matches, counted among those of all connections for as long as this lives.
#[derive(Debug)]
pub struct Weight {
    shared: Arc<Shared>,
    counted: usize,
    /// Of matches that wait or are judged.
    pub(crate) pending: usize,
    /// When the lines of a match began to come.
    began: Option<Instant>,
}

impl Weight {
    /// Begins with no bytes.
    pub fn new(shared: Arc<Shared>) -> Weight {
        Weight {
            shared,
            counted: 0,
            pending: 0,
            began: None,
        }
    }

    /// So much of a match has come by now, nothing when none does. Returns whether it is too much for all connections
    /// together.
    pub fn gathered(&mut self, bytes: Option<usize>) -> bool {
        self.began = bytes.and(self.began.or_else(|| Some(Instant::now())));
        let now = self.pending + bytes.unwrap_or(0);
        if now == self.counted && bytes.is_none() {
            return false;
        }
        let all = &self.shared.blocks;
        let before = match now >= self.counted {
            true => all.fetch_add(now - self.counted, Ordering::Relaxed),
            false => all.fetch_sub(self.counted - now, Ordering::Relaxed),
        };
        let total = (before + now).saturating_sub(self.counted);
        self.counted = now;
        bytes.is_some_and(|bytes| bytes > 0) && total > self.shared.limits.block_bytes_max
    }

    /// Until when the lines of a match must have come.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.began?.checked_add(self.shared.limits.block_timeout)
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        self.shared
            .blocks
            .fetch_sub(self.counted, Ordering::Relaxed);
    }
}
