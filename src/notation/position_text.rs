//! A position in whatever form somebody has it: tells the forms apart and reads them into one
//! value.
//!
//! Rules PT-01 to PT-05 of `protocol-specs/position-ids.md`.

use super::key::LETTERS;
use super::{Code, GnubgId, MatchView, NotationError, PositionId, PositionKey, Reason};
use crate::game::{MatchState, Position, Roll};

/// Which form a text has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Form {
    /// 14 base-64 characters.
    PositionId,
    /// Position ID, colon, Match ID.
    GnubgId,
    /// The 20 letters of benchmark files.
    Key,
    /// `XGID=…`.
    Xgid,
    /// `board:…`.
    BoardLine,
}

/// What has been offered and waits for an answer of the player who is not on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Offer {
    /// A double or redouble.
    Double,
    /// A beaver: the double was taken and turned at once.
    Beaver,
    /// A raccoon: the beaver was turned at once.
    Raccoon,
    /// A resignation worth 1 (single), 2 (gammon) or 3 (backgammon) cubes.
    Resignation(u8),
}

/// What a text says about a position; all is seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ParsedPosition {
    /// The form it had.
    pub form: Form,
    /// The checkers.
    pub position: Position,
    /// Cube, score and rules, if the form carries them. An offered double is not taken yet.
    pub state: Option<MatchState>,
    /// The dice, if they are rolled.
    pub roll: Option<Roll>,
    /// What waits for an answer, if anything.
    pub offer: Option<Offer>,
    /// Whether the form says that no cube is in use (only an XGID can).
    pub no_cube: bool,
}

impl ParsedPosition {
    const fn bare(form: Form, position: Position) -> ParsedPosition {
        ParsedPosition {
            form,
            position,
            state: None,
            roll: None,
            offer: None,
            no_cube: false,
        }
    }

    /// Whether a double, beaver or raccoon waits for an answer.
    #[must_use]
    pub const fn is_doubled(&self) -> bool {
        matches!(
            self.offer,
            Some(Offer::Double | Offer::Beaver | Offer::Raccoon)
        )
    }
}

/// Reads a position in any form: Position ID, `Position ID:Match ID`, 20-letter key, XGID or
/// FIBS board line. Blanks around it are passed over.
///
/// # Errors
/// [`NotationError`] whose code names the form that was recognised; `bad-position` if none was.
pub fn parse_position(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let start = text.trim_ascii_start();
    let skipped = text.len() - start.len();
    recognise(start.trim_ascii_end()).map_err(|error| error.moved(skipped))
}

fn recognise(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    if text.is_empty() {
        let reason = Reason::Missing;
        return Err(NotationError::new(Code::BadPosition, "position", reason, 0));
    }
    if text.len() == LETTERS && text.iter().all(u8::is_ascii_alphabetic) {
        let key = PositionKey::parse(text)?;
        return Ok(ParsedPosition::bare(Form::Key, key.position()));
    }
    if text.contains(&b':') {
        return from_gnubg_id(GnubgId::parse(text)?, text);
    }
    let id = PositionId::parse(text)?;
    Ok(ParsedPosition::bare(Form::PositionId, id.position()))
}

fn from_gnubg_id(id: GnubgId, text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let colon = text.iter().take_while(|&&byte| byte != b':').count();
    let view = id.match_id.view().map_err(|error| error.moved(colon + 1))?;
    let MatchView {
        state, roll, offer, ..
    } = view;
    Ok(ParsedPosition {
        state: Some(state),
        roll,
        offer,
        ..ParsedPosition::bare(Form::GnubgId, id.position.position())
    })
}
