//! A job without its types.

use super::{Header, Job, Work};
use gammond_base::stop::Stop;

/// A job seen as [`Work`].
pub(super) struct Erased<'a, J>(pub(super) &'a J);

impl<J: Job> Work for Erased<'_, J> {
    fn header(&self) -> Header {
        self.0.header()
    }

    fn parts(&self) -> Option<u64> {
        self.0.parts()
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, String> {
        let part = || self.0.part(number, stop).map_err(|error| error.to_string());
        // A part that panics costs itself, not the machine that computes for others.
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(part))
            .unwrap_or_else(|_| Err(format!("part {number} panicked")))
    }

    fn estimate(&self, first: &[Vec<u8>]) -> Option<u64> {
        let mut sum = self.0.start();
        for (number, part) in (0..).zip(first) {
            self.0.merge(&mut sum, number, part).ok()?;
        }
        let count = first.len() as u64;
        let progress = self.0.progress(&sum, count);
        let total = progress.total?;
        (progress.done > 0).then(|| count.saturating_mul(total).div_ceil(progress.done))
    }
}
