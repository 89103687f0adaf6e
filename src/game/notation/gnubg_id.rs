//! GNUbg ID: a Position ID and a Match ID with a colon between.
//!
//! Rules GID-01 and GID-02 of `protocol-specs/position-ids.md`.

use std::fmt;
use std::str::FromStr;

use super::match_id::match_id;
use super::syntax::{Parsed, base64_value, byte, complete};
use super::{
    Code, MatchId, NotationError, PositionId, Reason, match_id as id12, position_id as id14,
};

/// `POSITIONID:MATCHID`. The position is seen by the player on roll, so it does not depend on
/// which player that is.
///
/// ```
/// use gammond_game::notation::GnubgId;
/// let id: GnubgId = "4HPwATDgc/ABMA:cAkAAAAAAAAE".parse()?;
/// assert_eq!(id.to_string(), "4HPwATDgc/ABMA:cAkAAAAAAAAE");
/// let pasted = GnubgId::find(b" Position ID: 4HPwATDgc/ABMA\n Match ID   : cAkAAAAAAAAE")?;
/// assert_eq!(pasted, id);
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GnubgId {
    /// The position.
    pub position: PositionId,
    /// Cube, score, dice.
    pub match_id: MatchId,
}

impl GnubgId {
    /// Reads exactly `POSITIONID:MATCHID`.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-position` or `bad-match-id`.
    pub fn parse(text: &[u8]) -> Result<GnubgId, NotationError> {
        let colon = text.iter().position(|&byte| byte == b':');
        let Some((position, rest)) = colon.and_then(|at| text.split_at_checked(at)) else {
            PositionId::parse(text)?;
            return Err(NotationError::new(
                Code::BadMatchId,
                "match ID",
                Reason::Missing,
                text.len(),
            ));
        };
        let position = PositionId::parse(position)?;
        let match_id = complete(Code::BadMatchId, "match ID", rest, after_colon)
            .map_err(|error| error.moved(text.len() - rest.len()))?;
        Ok(GnubgId { position, match_id })
    }

    /// Reads pasted text as gnubg does: the first run of exactly 14 base-64 digits is the Position ID, the first of
    /// exactly 12 the Match ID, in any order, with any text between.
    ///
    /// # Errors
    /// [`NotationError`] when one of them is not there or wrong.
    pub fn find(text: &[u8]) -> Result<GnubgId, NotationError> {
        GnubgId::find_with_place(text).map(|(id, _)| id)
    }

    /// Returns the result of [`GnubgId::find`] with the byte at which the Match ID begins.
    pub(super) fn find_with_place(text: &[u8]) -> Result<(GnubgId, usize), NotationError> {
        let missing = |code, field| NotationError::new(code, field, Reason::Missing, text.len());
        let (at, run) = find_run(text, id14::CHARACTERS)
            .ok_or_else(|| missing(Code::BadPosition, "position ID"))?;
        let position = PositionId::parse(run).map_err(|error| error.moved(at))?;
        let (at, run) = find_run(text, id12::CHARACTERS)
            .ok_or_else(|| missing(Code::BadMatchId, "match ID"))?;
        let match_id = MatchId::parse(run).map_err(|error| error.moved(at))?;
        Ok((GnubgId { position, match_id }, at))
    }

    /// Returns the length of pasted text up to the end of its IDs; all of it when one of them is missing.
    pub(super) fn pasted_length(text: &[u8]) -> usize {
        let end = |length| find_run(text, length).map(|(at, run)| at + run.len());
        match (end(id14::CHARACTERS), end(id12::CHARACTERS)) {
            (Some(position), Some(match_id)) => position.max(match_id),
            _ => text.len(),
        }
    }
}

fn after_colon(input: &[u8]) -> Parsed<'_, MatchId> {
    let (rest, ()) = byte(b':', "match ID", "':'")(input)?;
    match_id(rest)
}

/// Returns the first run of exactly `length` base-64 digits and where it begins.
fn find_run(text: &[u8], length: usize) -> Option<(usize, &[u8])> {
    let mut at = 0;
    for run in text.split(|&byte| base64_value(byte).is_none()) {
        if run.len() == length {
            return Some((at, run));
        }
        at += run.len() + 1;
    }
    None
}

impl FromStr for GnubgId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        GnubgId::parse(text.as_bytes())
    }
}

impl fmt::Display for GnubgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.position, self.match_id)
    }
}
