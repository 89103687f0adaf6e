//! A match that was interrupted by a player or by a broken link, and its outcome as far as our rating shows it
//! (FIBS-31).

use crate::shared::{MatchEnd, MatchRecord};

/// The most that a match to one point changes a rating: 4 times K (5 for newcomers). One to N
/// points changes it by the root of N as much.
const RATING_STEP: f64 = 20.0;

/// A match that was broken off.
#[derive(Clone, Debug)]
pub(super) struct Interrupted {
    pub(super) record: MatchRecord,
    /// Our rating when it broke off.
    pub(super) rating: Option<f64>,
    /// True if the link broke and it is unknown whether the match is over or saved (FIBS-31).
    pub(super) open: bool,
}

impl Interrupted {
    /// Returns true if our rating `now` differs from the rating at the interruption: then the match is over.
    pub(super) fn is_rated(&self, now: Option<f64>) -> bool {
        self.record.length.is_some() && now.is_some() && now != self.rating
    }

    /// Closes a match whose end was not seen. If our rating changed by an amount possible for one match, the change
    /// gives the outcome.
    pub(super) fn into_lost_record(self, now: Option<f64>) -> MatchRecord {
        let change = match (self.rating, now) {
            (Some(before), Some(after)) => after - before,
            _ => 0.0,
        };
        let mut record = self.record;
        record.unseen = true;
        record.outcome = Some(match record.length {
            None => MatchEnd::Left,
            Some(length)
                if change != 0.0 && change.abs() <= RATING_STEP * f64::from(length).sqrt() =>
            {
                record.ratings = [record.ratings.first().copied().flatten(), now];
                if change > 0.0 {
                    MatchEnd::Won
                } else {
                    MatchEnd::Lost
                }
            }
            Some(_) => MatchEnd::Unknown,
        });
        record
    }
}
