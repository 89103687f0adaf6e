//! Match equity tables: the chance of winning a match at every score.

use super::extension::{PostCrawford, by_distribution};
use super::met_numbers::{G11, KAZAROSS_XG2, MEC26, Published, ROCKWELL_KAZAROSS};
use gammond_game::Score;
use std::path::PathBuf;

/// The most points that a table keeps. Chances at longer distances are computed on demand (MET-03).
pub const AWAY_MAX: usize = 64;
/// The most points that are distinguished.
const FAR_MAX: usize = Score::LENGTH_MAX as usize;

/// Match winning chances (MET-01, MET-05) at every score from 1-away to 255-away, for two equal players.
///
/// Scores that a source does not list are computed as GNU Backgammon does.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchEquityTable {
    name: String,
    pre: Vec<[f64; AWAY_MAX]>,
    post: Vec<f64>,
}

/// An error while reading a match equity table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetError {
    /// The file cannot be read.
    #[error("match equity table: {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The name is not one of the built-in tables.
    #[error(
        "match equity table {0:?} is unknown, expected a file or one of Kazaross-XG2, Rockwell-Kazaross, g11, mec26"
    )]
    Name(String),
    /// The file is not XML.
    #[error("match equity table: not XML at byte {at}: {reason}")]
    Xml {
        /// Byte offset of the reader.
        at: u64,
        /// Reason for the error.
        reason: String,
    },
    /// Something needed is not there.
    #[error("match equity table: no {0}")]
    Missing(&'static str),
    /// An entry is not a number in range.
    #[error("match equity table: {field} is {found:?}, expected {want}")]
    Number {
        /// Name of the entry.
        field: String,
        /// Its text.
        found: String,
        /// Expected value.
        want: &'static str,
    },
    /// The two players' chances do not add up to one.
    #[error(
        "match equity table: {mine}-away {theirs}-away is {value}, but the other way round {other}; only tables that are the same for both players are supported"
    )]
    OneSided {
        /// Points needed by one player.
        mine: usize,
        /// Points needed by the other.
        theirs: usize,
        /// Value of the entry.
        value: f64,
        /// The entry with the scores exchanged.
        other: f64,
    },
}

impl Default for MatchEquityTable {
    /// Returns Kazaross-XG2.
    fn default() -> Self {
        MatchEquityTable::from_published(&KAZAROSS_XG2)
    }
}

impl MatchEquityTable {
    /// The names of the built-in tables, the default one first.
    pub const NAMES: [&'static str; 4] = ["Kazaross-XG2", "Rockwell-Kazaross", "g11", "mec26"];

    /// Returns a built-in table by its name, in any case.
    ///
    /// # Errors
    /// [`MetError::Name`].
    pub fn named(name: &str) -> Result<MatchEquityTable, MetError> {
        [&KAZAROSS_XG2, &ROCKWELL_KAZAROSS, &G11, &MEC26]
            .into_iter()
            .find(|table| table.name.eq_ignore_ascii_case(name))
            .map(MatchEquityTable::from_published)
            .ok_or_else(|| MetError::Name(name.to_owned()))
    }

    fn from_published(table: &Published) -> MatchEquityTable {
        let rows: Vec<&[f64]> = table.pre.iter().map(|row| &row[..]).collect();
        MatchEquityTable::extended(table.name, &rows, table.post, PostCrawford::USUAL)
    }

    /// Completes a square table of `pre` rows. Entries of `post` at and above the native length are computed, as GNU
    /// Backgammon does.
    pub(super) fn extended(
        name: &str,
        rows: &[&[f64]],
        post: &[f64],
        trailer: PostCrawford,
    ) -> MatchEquityTable {
        let length = rows.len();
        let pre = (0..AWAY_MAX).map(|mine| {
            std::array::from_fn(|theirs| {
                let listed = rows.get(mine).and_then(|row| row.get(theirs));
                match listed {
                    Some(&value) if mine.max(theirs) < length => value,
                    _ => by_distribution(mine + 1, theirs + 1),
                }
            })
        });
        let native = post.len().min(length.saturating_sub(1));
        let mut line = post[..native.min(AWAY_MAX)].to_vec();
        trailer.extend(&mut line, FAR_MAX);
        MatchEquityTable {
            name: name.to_owned(),
            pre: pre.collect(),
            post: line,
        }
    }

    /// Returns a table with all entries: 64 rows of 64, and 64 for the trailer.
    pub(super) fn complete(name: &str, pre: &[Vec<f64>], post: &[f64]) -> MatchEquityTable {
        let mut line = post[..AWAY_MAX].to_vec();
        PostCrawford::USUAL.extend(&mut line, FAR_MAX);
        MatchEquityTable {
            name: name.to_owned(),
            pre: pre
                .iter()
                .map(|row| std::array::from_fn(|index| row[index]))
                .collect(),
            post: line,
        }
    }

    /// Returns the name of the table.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the match winning chance of a player who needs `mine` points (1..=255, clamped) when the other needs
    /// `theirs`, before the Crawford game has been played. With 1-away it is the Crawford game that is about to
    /// begin.
    #[must_use]
    pub fn before_crawford(&self, mine: u32, theirs: u32) -> f64 {
        let (mine, theirs) = (index(mine), index(theirs));
        match self.pre.get(mine).and_then(|row| row.get(theirs)) {
            Some(&chance) => chance,
            None => by_distribution(mine + 1, theirs + 1),
        }
    }

    /// Returns the match winning chance of a player who needs `needs` points (1..=255, clamped) when the other needs
    /// one and the Crawford game is over.
    #[must_use]
    pub fn trailer(&self, needs: u32) -> f64 {
        self.post[index(needs)]
    }

    /// Returns the match winning chance of the player on roll at this score, before the game begins.
    #[must_use]
    pub fn at(&self, score: Score) -> f64 {
        let (mine, theirs) = (score.my_away(), score.opponent_away());
        if score.is_post_crawford() {
            self.post_crawford(mine, theirs)
        } else {
            self.before_crawford(mine, theirs)
        }
    }

    /// Returns the match winning chance of the player on roll after a game from this score in which he or the other
    /// won `points` (MET-02).
    #[must_use]
    pub fn after(&self, score: Score, i_win: bool, points: u32) -> f64 {
        let (before, theirs_before) = (score.my_away(), score.opponent_away());
        let mine = before.saturating_sub(if i_win { points } else { 0 });
        let theirs = theirs_before.saturating_sub(if i_win { 0 } else { points });
        if mine == 0 {
            1.0
        } else if theirs == 0 {
            0.0
        } else if score.is_crawford() || before == 1 || theirs_before == 1 {
            self.post_crawford(mine, theirs)
        } else {
            self.before_crawford(mine, theirs)
        }
    }

    fn post_crawford(&self, mine: u32, theirs: u32) -> f64 {
        if mine == 1 {
            1.0 - self.trailer(theirs)
        } else {
            self.trailer(mine)
        }
    }
}

fn index(away: u32) -> usize {
    (away as usize).clamp(1, FAR_MAX) - 1
}
