//! Shares of a job, computed apart.

/// One of several shares of a job: share `index` of `of` has the parts `index - 1`, `index - 1 +
/// of`, ... Written `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    index: u64,
    pub(super) of: u64,
}

/// Most shares of a job.
pub const SHARES_MAX: u64 = 10_000;

impl Share {
    /// All parts.
    pub const WHOLE: Share = Share { index: 1, of: 1 };

    pub(super) const fn first(self) -> u64 {
        self.index - 1
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// A text that names no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not I/N with I from 1 to N, such as 2/5; N is at most {SHARES_MAX}")]
pub struct ShareError(String);

impl std::str::FromStr for Share {
    type Err = ShareError;

    fn from_str(text: &str) -> Result<Share, ShareError> {
        let numbers = text.split_once('/').and_then(|(index, of)| {
            Some(Share {
                index: index.parse().ok()?,
                of: of.parse().ok()?,
            })
        });
        numbers
            .filter(|share| {
                (1..=SHARES_MAX).contains(&share.of) && (1..=share.of).contains(&share.index)
            })
            .ok_or_else(|| ShareError(text.to_owned()))
    }
}
